"""Comments reach an agent in the session that did the work, of which the transcript alone is kept."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from chant_mcp._core import ChantProject
from chant_mcp.errors import ChantError
from harness import user_config
from state_folder import part
from work import session_keeper
from work.kit import ID, PROGRAM, Record, Workshop, wait_for_ends
from work.session_keeper import trace, turns

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")

SCRIPT = Path(session_keeper.__file__).resolve()
OWN = f"""\
agents:
  own:
    command: [{sys.executable}, {SCRIPT}, --state, "{{private}}"]
    prompt: stdin
    events: claude
    resume: [[--resume, "{{session}}"]]
    transcripts: [projects/*/*.jsonl]
"""
FOUR = "Make it four."


@pytest.fixture(autouse=True)
def _installed(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the agent under the name of a built-in one, for a user who opens nothing to runs."""
    programs = shop.root.parent / "bin"
    programs.mkdir()
    (programs / "claude").write_text(f"#!{sys.executable}\n{SCRIPT.read_text('utf-8')}", encoding="utf-8")
    (programs / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none-of-anybody")
    users()


def users(more: str = "", *, mode: str = "auto") -> None:
    """Write the user's configuration."""
    traces = Path(os.environ["HOME"]) / ".config" / "traces"
    traces.mkdir(parents=True, exist_ok=True)
    text = f"---\ntrust: {{roots: ['/']}}\nconfine: {{mode: {mode}, write: ['{traces}']}}\n{more}---\n"
    user_config().write_text(text, encoding="utf-8")


def worked(shop: Workshop, provider: str = "claude") -> tuple[ChantProject, Record]:
    """Have the first turn done, with comments that wait to be sent."""
    shop.configure(OWN, provider=provider)
    shop.spec(ID)
    shop.commit()
    chant = shop.handle()
    chant.comment(ID, "Wait for me.", weight="must")
    chant.work_start(ID)
    record = shop.ended(ID)
    assert record["end_state"] == "awaiting_merge", record["reason"]
    chant.comment(ID, FOUR, about="code.py:2")
    return chant, record


def sent(shop: Workshop, chant: ChantProject) -> Record:
    """Send what waits, and wait for the end of the turn."""
    chant.review_act(ID, send=True)
    return shop.ended(ID)


def kept(shop: Workshop) -> Path:
    """Say where the session of the spec is kept."""
    return part(shop.root, "sessions", shared=True) / ID


@pytest.mark.parametrize("provider", ["claude", "own"])
def test_comments_go_into_the_session_that_did_the_work(shop: Workshop, provider: str) -> None:
    chant, first = worked(shop, provider)
    assert (kept(shop).stat().st_mode & 0o777, kept(shop).parent.stat().st_mode & 0o777) == (0o700, 0o700)
    assert {path.stat().st_mode & 0o777 for path in kept(shop).iterdir()} == {0o600}
    (row,) = chant.sessions().data["sessions"]
    assert (row["spec_id"], row["agent"], row["session"]) == (ID, provider, first["agent"]["session"])
    told = chant.review_act(ID, send=True).text
    assert "its agent is asked to go on with its session" in told
    second = shop.ended(ID)
    _, turn = turns()
    assert turn["resumed"] == first["agent"]["session"]
    # What was said in the first turn alone is known, in a state that has nothing else of it.
    assert "heron-0" in turn["transcript"]
    assert turn["files"] == [f"projects/-folder/{turn['resumed']}.jsonl"]
    assert FOUR in turn["prompt"]
    assert "Acceptance Criteria" not in turn["prompt"]
    why = f"the session of {first['process_id']} is kept"
    assert second["delivery"] == {"how": "resumed", "why": why, "is_taken_up": True}
    (batch,) = chant.review_show(ID).data["batches"]
    assert (batch["delivered"], batch["to"]) == (
        True,
        f"{second['process_id']}: in its own session, as {why}",
    )
    # Of the next turn the newest session is kept.
    chant.comment(ID, "Six.", about="code.py:2")
    sent(shop, chant)
    assert "heron-1" in turns()[2]["transcript"]
    assert FOUR not in turns()[2]["prompt"] or "from an earlier turn" in turns()[2]["prompt"]


PLANTS = """\
cd "$1" && mkdir -p hooks plugins/evil projects/b
echo '{"hooks": {}}' > settings.json; echo 'touch acted' > hooks/start.sh; echo x > plugins/evil/index.js
ln -s /etc/passwd projects/b/link.jsonl; ln -s /etc projects/c
truncate -s 1G projects/b/large.jsonl; truncate -s 1G sparse
"""


def test_nothing_but_the_transcript_comes_back(shop: Workshop) -> None:
    trace("first", PLANTS)
    chant, _ = worked(shop)
    assert {path.name for path in kept(shop).iterdir()} == {"session.json", "transcript"}
    assert sum(path.stat().st_size for path in kept(shop).iterdir()) < 10_000
    assert sent(shop, chant)["delivery"]["how"] == "resumed"
    _, turn = turns()
    assert (turn["acted"], len(turn["files"])) == ([], 1)


def _cut(shop: Workshop) -> None:
    with (kept(shop) / "transcript").open("r+b") as file:
        file.truncate(20)


def _age(shop: Workshop) -> None:
    note = kept(shop) / "session.json"
    text = re.sub(r'"kept_at":\d+', '"kept_at":1', note.read_text("utf-8"))
    note.write_text(text, encoding="utf-8")


LADDER: dict[str, Callable[[Workshop], object]] = {
    r"did not take its session up again: .*No conversation found": lambda _: trace("unknown", ""),
    r"the kept transcript is damaged": _cut,
    r"one of agent 'claude', and this is 'own'": lambda shop: shop.configure(OWN, provider="own"),
    r"another model: then its usual one, now opus": lambda shop: shop.configure(
        "agents: {claude: {model: opus}}\n", provider="claude"
    ),
    r"another release .*: then 2\.1\.330 .*, now 3\.0\.0": lambda _: trace("release", "3.0.0"),
    r"no session is kept": lambda shop: shop.handle().clear_sessions(ID),
    r"no session is kept(?#old)": _age,
    r"sessions are kept of confined runs only": lambda _: users(mode="off"),
}


@pytest.mark.parametrize("why", LADDER)
def test_where_it_cannot_go_on_it_begins_anew_in_the_same_run(shop: Workshop, why: str) -> None:
    chant, first = worked(shop)
    LADDER[why](shop)
    second = sent(shop, chant)
    assert second["delivery"]["how"] == "digest"
    assert re.search(why, second["delivery"]["why"]), second["delivery"]
    last = turns()[-1]
    assert last["resumed"] is None
    assert FOUR in last["prompt"]
    assert "Acceptance Criteria" in last["prompt"]
    assert [record["process_id"] for record in shop.records()] == [first["process_id"], second["process_id"]]
    assert (second["attempt"], second.get("next_try")) == (2, None)
    assert second["end_state"] == "awaiting_merge", second["reason"]
    (batch,) = chant.review_show(ID).data["batches"]
    assert batch["delivered"]
    assert "in a new session, as" in batch["to"]


KEPT_NOT = {
    "echo '{' >> \"$2\"": "is damaged: line 2 is no JSON",
    'rm "$2"; ln -s /etc/passwd "$2"': "left no transcript of its session",
}


@pytest.mark.parametrize("plant", KEPT_NOT)
def test_a_transcript_that_is_not_kept_is_named_with_the_reason(shop: Workshop, plant: str) -> None:
    trace("first", plant)
    chant, _ = worked(shop)
    (row,) = chant.sessions().data["sessions"]
    assert KEPT_NOT[plant] in row["why_not"]
    delivery = sent(shop, chant)["delivery"]
    assert (delivery["how"], KEPT_NOT[plant] in delivery["why"]) == ("digest", True)


@pytest.mark.parametrize(
    ("moment", "is_known"),
    [("after-delivery", True), ("before-handshake", False), ("after-agent-exit", False)],
)
def test_what_was_sent_is_never_lost(shop: Workshop, moment: str, is_known: bool) -> None:
    chant, _ = worked(shop)
    if not is_known:
        trace("unknown", "")
    dying = [*PROGRAM, "--project", str(shop.root), "review", ID, "--send"]
    environment = {**os.environ, "CHANT_STOP_AT": moment}
    subprocess.run(dying, env=environment, check=False, capture_output=True, timeout=60)
    wait_for_ends(shop.records)
    chant.recover()
    read = [turn for turn in turns()[1:] if FOUR in turn["prompt"] and (is_known or turn["resumed"] is None)]
    (batch,) = chant.review_show(ID).data["batches"]
    assert not batch["delivered"] or is_known
    if not batch["delivered"]:
        chant.work_start(ID)
        shop.ended(ID)
        (batch,) = chant.review_show(ID).data["batches"]
        again = [turn for turn in turns()[1:] if FOUR in turn["prompt"] and (is_known or not turn["resumed"])]
        assert len(again) == len(read) + 1
    assert batch["delivered"]


def _landed(chant: ChantProject) -> None:
    assert "is completed" in chant.review_act(ID, resolve=["all"]).text


REMOVED: dict[str, Callable[[ChantProject], object]] = {
    "lands": _landed,
    "is reset": lambda chant: (chant.review_act(ID, send=True), chant.pause(ID), chant.reset(ID)),
    "is archived": lambda chant: (chant.cancel(ID), chant.archive(ID)),
}


@pytest.mark.parametrize("end", REMOVED)
def test_no_session_is_kept_of_a_spec_that(shop: Workshop, end: str) -> None:
    chant, _ = worked(shop)
    assert kept(shop).exists()
    REMOVED[end](chant)
    assert not kept(shop).exists()


def test_days_and_people_remove_sessions(shop: Workshop) -> None:
    chant, _ = worked(shop)
    command = [*PROGRAM, "--project", str(shop.root), "sessions"]

    def said(*more: str) -> str:
        done = subprocess.run([*command, *more], check=True, capture_output=True, text=True, timeout=60)
        return done.stdout

    assert ID in said()
    assert json.loads(said("list", "--json"))["data"]["sessions"][0]["spec_id"] == ID
    assert said("clear", ID) == "Removed 1 kept session.\n"
    assert said("clear", ID) == f"No session of '{ID}' is kept.\n"
    assert said() == "No session is kept.\n"
    users("review: {sessions: {days: 0}}\n")
    # A project asks for less, and never for more.
    shop.configure(f"{OWN}review: {{sessions: {{days: 30}}}}\n", provider="claude")
    sent(shop, chant)
    assert not kept(shop).exists()


WRONG = {
    "transcripts: [../x], resume: [-r, '{session}']": "`../x` of `transcripts`: expected names",
    "transcripts: [x.jsonl], resume: [--resume]": "`resume` does not hold `{session}`",
    "resume: ['{session}']": "`transcripts` is missing",
    "transcripts: [x.jsonl]": "`resume` is missing",
}


def test_settings_of_a_session_that_cannot_work_are_named(shop: Workshop) -> None:
    shop.spec(ID)
    shop.commit()
    for keys, why in WRONG.items():
        shop.configure(f"agents: {{own: {{command: [cat], {keys}}}}}\n", provider="own")
        with pytest.raises(ChantError, match=re.escape(why)):
            shop.handle().work_start(ID)
