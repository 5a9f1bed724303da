"""Checks that fail and pass on the same files are never called green, and their tests prove nothing."""

from __future__ import annotations

import pytest
from work.conftest import _nothing_is_left as _nothing_is_left
from work.conftest import shop as shop
from work.kit import ID, OTHER, THIRD, Record, Workshop

CHECK = """\
count=$(wc -l < "$RUNS/count")
echo run >> "$RUNS/count"
case {fails} in *$count*) ends=not ;; *) ends= ;; esac
grep -q new answer && works= || works=not
{{ echo "$works ok - works"; echo "$ends ok - flickers"; }} | sed 's/^ //' > report.tap
test -z "$ends$works"
"""
"""A check with two tests: one looks at the answer, the other fails in the runs that `fails` lists."""

SCRIPT = """\
set -e
echo new > answer
echo more >> more
sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"
git add -A
git commit -q -m "Work"
"""


def _worked(
    shop: Workshop, fails: str, proof: str = "", *, reports: bool = True, id: str = ID, answer: str = "old"
) -> Record:
    """Let an agent finish a spec whose check fails in its runs with these numbers, from 0."""
    folder = shop.root.parent
    shared = folder / "counts"
    shared.mkdir(exist_ok=True)
    (shared / "count").write_text("", encoding="utf-8")
    (folder / "agent.sh").write_text(SCRIPT, encoding="utf-8")
    (folder / "check.sh").write_text(f"RUNS={shared}\n" + CHECK.format(fails=fails), encoding="utf-8")
    report = "reports: {unit: report.tap}, " if reports else ""
    shop.configure(
        f"agents:\n  habit:\n    command: [sh, {folder}/agent.sh]\n"
        f"checks:\n  unit: [sh, {folder}/check.sh]\n"
        f"confine:\n  write: [{shared}]\n"
        f"proof: {{{report}{proof}}}\n",
        provider="habit",
    )
    (shop.root / "answer").write_text(f"{answer}\n", encoding="utf-8")
    shop.spec(id, criteria=["Works <!-- check: unit -->"])
    shop.commit()
    shop.handle().work_start(id)
    return shop.ended(id)


def _flaky(shop: Workshop) -> list[tuple[str, str, int, int]]:
    tests = shop.handle().flaky().data["tests"]
    return [(one["check"], one["test"], one["failed"], one["passed"]) for one in tests]


def _words(record: Record) -> tuple[str, str | None]:
    (check,) = record["checks"]
    return check["proof"]["word"], check["proof"].get("note")


def _runs(shop: Workshop) -> int:
    return len((shop.root.parent / "counts" / "count").read_text("utf-8").splitlines())


def test_a_check_that_fails_once_is_run_again_and_waits_for_a_person(shop: Workshop) -> None:
    record = _worked(shop, "0")
    assert record["end_state"] == "needs_attention"
    assert record["reason"] == (
        "check 'unit' failed and passed on the same files, and `proof.allow_flaky` does not name flickers"
    )
    assert (_runs(shop), _flaky(shop)) == (3, [("unit", "flickers", 1, 2)])
    (check,) = record["checks"]
    assert check["flaky"] == ["flickers"]


def test_a_check_that_fails_twice_has_failed(shop: Workshop) -> None:
    record = _worked(shop, "0123456789")
    assert record["end_state"] == "failed"
    assert record["reason"].startswith("check 'unit' failed with exit code 1")
    assert (_runs(shop), _flaky(shop)) == (2, [])


@pytest.mark.parametrize("name", ["unit", "flickers"])
def test_what_a_project_allows_lands_and_is_not_called_green(shop: Workshop, name: str) -> None:
    record = _worked(shop, "0", f"allow_flaky: [{name}]")
    assert record["end_state"] == "completed", record["reason"]
    (check,) = record["checks"]
    assert (check["exit"], check["flaky"]) == (0, ["flickers"])
    assert (check["proof"]["word"], check["proof"]["note"]) == (
        "regression",
        "flaky: failed on the same files before it passed",
    )
    (verdict,) = shop.handle().receipt_verify().data["specs"][0]["receipts"]
    assert "flaky, which the project allows: flickers" in "\n".join(verdict["claimed"])


def test_a_known_flaky_test_may_fail_each_time_where_it_is_allowed(shop: Workshop) -> None:
    _worked(shop, "0")
    record = _worked(shop, "0123456789", "allow_flaky: [flickers]", id=OTHER)
    assert record["end_state"] == "completed", record["reason"]
    record = _worked(shop, "0123456789", "allow_flaky: [works]", id=THIRD)
    assert record["end_state"] == "needs_attention"


def test_a_known_flaky_test_proves_nothing(shop: Workshop) -> None:
    first = _worked(shop, "1", answer="new")
    assert _words(first) == ("red→green", "repaired")
    _worked(shop, "0", id=OTHER)
    second = _worked(shop, "1", answer="new", id=THIRD)
    assert _words(second) == ("regression", "flaky: only tests that are known as such fail")


def test_a_check_without_a_report_is_flaky_as_a_whole(shop: Workshop) -> None:
    record = _worked(shop, "0", reports=False)
    assert record["end_state"] == "needs_attention"
    assert record["reason"].endswith("`proof.allow_flaky` does not name unit")
    assert _flaky(shop) == [("unit", "", 1, 2)]
    assert shop.handle().forget_flaky("other").text == "Forgot 0 flaky tests."
    assert shop.handle().forget_flaky("unit").text == "Forgot 1 flaky test."
    assert _flaky(shop) == []


def test_nothing_is_run_again_where_there_is_no_time(shop: Workshop) -> None:
    record = _worked(shop, "0", "minutes: 0")
    assert (record["end_state"], _runs(shop)) == ("failed", 1)
