"""Files that are hardly meant to land wait for a person: secrets, large files, folders of dependencies."""

from __future__ import annotations

import pytest
from harness import user_config
from work.kit import ID, Record, Workshop

TOKEN = "ghp" + "_" + "a1" * 18

SCRIPT = """\
set -e
{habit}
echo round >> done.txt
sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"
git add -A
git commit -q -m "Work"
"""


def done(shop: Workshop, habit: str) -> Record:
    """Let an agent work on a spec to its end."""
    folder = shop.root.parent
    (folder / "agent.sh").write_text(SCRIPT.format(habit=habit), encoding="utf-8")
    shop.configure(f"agents:\n  habit:\n    command: [sh, {folder}/agent.sh]\n", provider="habit")
    (shop.root / "known.txt").write_text(f"token = {TOKEN}\n", encoding="utf-8")
    (shop.root / "__pycache__").mkdir(exist_ok=True)
    (shop.root / "__pycache__" / "known.pyc").write_text("x", encoding="utf-8")
    shop.spec(ID)
    shop.commit()
    shop.handle().work_start(ID)
    return shop.ended(ID)


@pytest.mark.parametrize(
    ("habit", "reason"),
    [
        ("echo x > .env.production", "adds what looks like a secret: .env.production"),
        (f"echo 't = {TOKEN}2' > settings.ini", "adds what looks like a secret: settings.ini"),
        ("mkdir a; echo x > a/id_rsa", "adds what looks like a secret: a/id_rsa"),
        ("head -c 51000000 /dev/zero > dump.bin", "adds a large file: dump.bin"),
        (
            "mkdir -p web/node_modules/x; echo 1 > web/node_modules/x/a.js; echo 2 > web/node_modules/b.js",
            "adds dependencies or a cache: web/node_modules",
        ),
        ("mkdir v-env; echo x > v-env/pyvenv.cfg", "adds dependencies or a cache: v-env"),
    ],
)
def test_what_is_hardly_meant_to_land_waits_for_a_person(shop: Workshop, habit: str, reason: str) -> None:
    record = done(shop, habit)
    assert record["end_state"] == "needs_attention"
    assert record["reason"].split("; ")[0] == reason
    assert record["acting_change"]
    assert TOKEN not in str(record)
    assert shop.main("done.txt") is None


@pytest.mark.parametrize(
    "habit",
    [
        "echo x > .env.example",
        "sed -i 's/token/the_token/' known.txt",
        "echo y > __pycache__/more.pyc",
        "head -c 1000000 /dev/zero > dump.bin",
    ],
)
def test_what_is_no_concern_lands(shop: Workshop, habit: str) -> None:
    assert done(shop, habit)["end_state"] == "completed"


def test_the_user_names_what_lands_all_the_same(shop: Workshop) -> None:
    settings = user_config().read_text("utf-8").removeprefix("---\n")
    own = "---\nlanding:\n  allow: [.env.production]\n  largest_megabytes: 60\n"
    user_config().write_text(own + settings, encoding="utf-8")
    habit = "echo x > .env.production; head -c 51000000 /dev/zero > dump.bin"
    assert done(shop, habit)["end_state"] == "completed"
