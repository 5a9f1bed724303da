"""Runs are held to their folders: what is reported of it, what is refused, what they share."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from confine import secret_places
from harness import Caller, user_config
from work.kit import ID, OTHER, Workshop

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux"),
]

AGENT = """
cd "$CHANT_WORKTREE"
{more}
mkdir -p work && echo done > work/$CHANT_SPEC_ID.txt
sed -i 's/- \\[ \\]/- [x]/' "$CHANT_SPEC_FILE"
git add -A && git commit -qm "chant($CHANT_SPEC_ID): Done"
"""


@pytest.fixture
def user(shop: Workshop) -> Any:
    """The user's configuration, which opens nothing to runs, and more."""

    def write(more: str = "") -> None:
        roots = [str(shop.root.parent)]
        user_config().write_text(f"---\ntrust: {{roots: {roots}}}\n{more}---\n", encoding="utf-8")

    write()
    return write


async def ended(shop: Workshop, call: Caller, more: str = "", id: str = ID, **config: str) -> dict[str, Any]:
    """Have a shell work on a spec, and give answer and record."""
    script = shop.root / f"agent-{id}.sh"
    script.write_text(AGENT.format(more=more))
    yaml = f"agents:\n  own:\n    command: [bash, -e, {script}]\n    prompt: stdin\n"
    shop.configure(yaml + config.get("yaml", ""), provider="own")
    shop.spec(id, criteria=[config.get("criterion", "Works")])
    shop.commit()
    started = await call.data("chant_work_start", id=id)
    return {"answer": started, **shop.ended(started["process_id"])}


@pytest.mark.usefixtures("user")
async def test_a_refused_path_is_named_with_the_key_that_opens_it(shop: Workshop, call: Caller) -> None:
    outside = shop.root.parent / "outside.txt"
    record = await ended(shop, call, f"touch {outside}")
    assert record["end_state"] == "failed"
    assert record["reason"].endswith(
        f"the run may not write {outside}; if it has to: `confine.write` in your own configuration"
    ), record["reason"]
    assert not outside.exists()
    told = record["confinement"]
    assert told.startswith("confined")
    assert record["answer"]["confinement"] == told
    listed = await call.data("chant_work_list", include_completed=True)
    assert [run["confinement"] for run in listed["processes"]] == [told]
    assert shop.handle().doctor().data["confinement"] == told


async def test_checks_are_held_and_find_no_settings_of_the_agent(
    shop: Workshop, call: Caller, user: Any
) -> None:
    user()
    planted = (
        'echo x > "$CARGO_HOME/config.toml"; echo x > "$XDG_CACHE_HOME/planted"; echo x > "$TMPDIR/planted"'
    )
    outside = shop.root.parent / "outside.txt"
    check = (
        'test ! -e "$CARGO_HOME/config.toml" && test ! -e "$XDG_CACHE_HOME/planted" && '
        f'test ! -e "$TMPDIR/planted" && touch {outside}'
    )
    yaml = f"checks:\n  unit: [sh, -c, '{check}']\n"
    record = await ended(shop, call, planted, yaml=yaml, criterion="Works <!-- check: unit -->")
    assert record["reason"] == (
        f"check 'unit' failed with exit code 1; the run may not write {outside}; "
        "if it has to: `confine.write` in your own configuration"
    ), record["reason"]
    assert not outside.exists()


CACHES = (
    "XDG_CACHE_HOME",
    "npm_config_cache",
    "PIP_CACHE_DIR",
    "UV_CACHE_DIR",
    "GOCACHE",
    "GOMODCACHE",
    "CARGO_HOME",
    "GRADLE_USER_HOME",
    "TMPDIR",
)
INSIDE = ("registry", "git", "caches", "wrapper")
"""Folders of Cargo and Gradle."""
OF_HOME = (
    ".cache",
    ".npm",
    ".cargo/registry",
    "go/pkg",
    ".gradle",
    ".m2",
    ".local/share/uv",
    ".local/share/pnpm",
)
TOPS = [f'"${name}"' for name in CACHES] + [f'"${name}/{inner}"' for name in CACHES for inner in INSIDE]
FOLDERS = " ".join([*TOPS, *(f'"$HOME/{name}"' for name in OF_HOME), '"$PRIVATE"/*'])
POISON = f"""\
for one in {FOLDERS}; do mkdir -p "$one"; echo POISON > "$one/poison"; done 2> /dev/null
mkdir -p "$GOMODCACHE/module/inner"; chmod 500 "$GOMODCACHE/module"; exit 1
"""
LOOK = f"""\
{" && ".join(f'test -d "${name}"' for name in CACHES)} && touch "$UV_TOOL_DIR/.lock" || exit 2
if grep -rqs POISON {FOLDERS}; then exit 3; fi
"""


@pytest.mark.usefixtures("user")
async def test_no_run_and_no_check_reads_what_another_wrote_into_caches(shop: Workshop, call: Caller) -> None:
    yaml = "checks:\n  unit: [sh, check.sh]\n"
    for id, move, end in ((ID, POISON, "failed"), (OTHER, LOOK, "completed")):
        # The check runs code of the branch, and the agent does the same before.
        words = f'PRIVATE="$HOME/.local/state/chant-mcp/caches"\n{move}'
        agent = f"(\n{words}) || test {move is POISON:d} = 1\nprintf '%s' {shlex.quote(words)} > check.sh"
        record = await ended(shop, call, agent, id=id, yaml=yaml, criterion="Works <!-- check: unit -->")
        assert record["end_state"] == end, record["reason"]
    state = Path(os.environ["HOME"]) / ".local" / "state" / "chant-mcp"
    left = [
        path for path in state.rglob("*") if path.name == "poison" or path.suffix in (".private", ".checking")
    ]
    assert left == [], "they are removed with the run and the check"


@pytest.mark.parametrize(
    ("users", "projects", "missing"),
    [
        ("confine: {mode: required}\n", "", "this kernel has no Landlock"),
        ("", "confine: {mode: required}\n", "this kernel has no Landlock"),
        ("confine: {network: none}\n", "", "`confine.network`"),
        ("confine: {backend: bubblewrap}\n", "", "the program `bwrap` is not on the PATH"),
        ("", "confine: {deny: [~/.local]}\n", "remove one of the two"),
        ("", "", None),
        ("confine: {mode: off}\n", "", None),
    ],
)
async def test_nothing_starts_that_cannot_be_held(
    shop: Workshop, user: Any, monkeypatch: pytest.MonkeyPatch, users: str, projects: str, missing: str | None
) -> None:
    user(users)
    has_kernel = "deny" in projects
    monkeypatch.setenv("CHANT_CONFINE_ABI", "9" if has_kernel else "0")
    monkeypatch.setenv("PATH", _without_bubblewrap(shop.root.parent))
    shop.configure(projects)
    shop.spec(ID)
    shop.commit()
    async with shop.client() as call:
        if missing is None:
            started = await call.data("chant_work_start", id=ID)
            assert started["confinement"].startswith("not confined: ")
            assert shop.ended(ID)["confinement"] == started["confinement"]
            return
        error = await call.error("chant_work_start", id=ID)
    assert missing in error
    assert "The run was not started" in error
    assert shop.branches() == []


def _without_bubblewrap(folder: Path) -> str:
    """Make a folder of links to all programs but that one, and give it as a path."""
    programs = folder / "programs"
    programs.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            link = programs / program.name
            if program.name != "bwrap" and not link.is_symlink():
                link.symlink_to(program)
    return str(programs)


@pytest.mark.usefixtures("user")
async def test_an_agent_runs_the_programs_of_a_home_and_reads_none_of_its_secrets(
    shop: Workshop, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path(os.environ["HOME"])
    secret_places.fill(home)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    for name, value in secret_places.variables(home).items():
        monkeypatch.setenv(name, value)
    looks = [f'grep -ls {secret_places.MARK} "$HOME/{place.path}" || true' for place in secret_places.SECRETS]
    runs = sorted(secret_places.TOOLS)
    written = "\n".join(["{", *looks, *runs, "} > said.txt"])
    record = await ended(shop, call, written)
    assert record["end_state"] == "completed", record["reason"]
    assert (shop.root / "said.txt").read_text().split() == runs
