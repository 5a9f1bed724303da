"""Code is taken back piece by piece, to find out which of it a test holds."""

from __future__ import annotations

from typing import Any

import pytest
from work.conftest import _nothing_is_left as _nothing_is_left
from work.conftest import shop as shop
from work.kit import ID, Record, Workshop

CODE = "def price(n):\n    return n * 10\n"
RUN = """\
import importlib, pathlib, sys
sys.path.insert(0, ".")
lines, failed = [], False
for file in sorted(pathlib.Path("tests").glob("case_*.py")):
    module = importlib.import_module("tests." + file.stem)
    for name in [name for name in dir(module) if name.startswith("test")]:
        try:
            getattr(module, name)()
            lines.append("ok - " + name)
        except Exception:
            lines.append("not ok - " + name)
            failed = True
pathlib.Path("report.tap").write_text("\\n".join(lines))
sys.exit(failed)
"""
"""A small tool that reports its tests; one that cannot import what it tests reports none."""

SCRIPT = """\
set -e
cat > shop.py <<'END'
{code}
END
cat > tests/case_shop.py <<'END'
{tests}
END
echo done >> done.txt
sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"
git add -A
git commit -q -m "Work"
"""
NEW_CODE = """\
def price(n):
    return n * 11


def discount(n):
    return n - 1


def untested(n):
    return n


# Nothing more.
"""
NEW_TESTS = """\
from shop import discount, price

def test_price():
    assert price(3) == 33

def test_discount():
    assert discount(3) == 2
"""
CHECKS = "checks:\n  unit: [python3, -B, tests/run.py]\n"
REPORTS = "reports: {unit: report.tap}"
CRITERIA = {"criteria": ["Prices are higher <!-- check: unit -->"]}


def _worked(
    shop: Workshop,
    proof: str,
    *,
    code: str = NEW_CODE,
    reports: str = REPORTS,
    tests: str = NEW_TESTS,
    **keys: Any,
) -> Record:
    """Let an agent change code and tests of a small project."""
    folder = shop.root.parent
    (folder / "agent.sh").write_text(SCRIPT.format(code=code, tests=tests), encoding="utf-8")
    agent = f"agents:\n  habit:\n    command: [sh, {folder}/agent.sh]\n"
    shop.configure(f"{agent}{CHECKS}proof: {{{proof}, {reports}}}\n", provider="habit")
    (shop.root / "tests").mkdir()
    (shop.root / "tests" / "run.py").write_text(RUN, encoding="utf-8")
    (shop.root / "shop.py").write_text(CODE, encoding="utf-8")
    shop.spec(ID, **{**CRITERIA, **keys})
    shop.commit()
    shop.handle().work_start(ID)
    return shop.ended(ID)


def _pieces(record: Record) -> list[tuple[int, int, str]]:
    """Give the lines of each piece with what is known of it."""
    return [(piece["first"], piece["last"], piece["state"]) for piece in record["held"]["pieces"]]


def test_code_that_no_test_looks_at_is_named_in_record_and_receipt(shop: Workshop) -> None:
    record = _worked(shop, "held: true")
    assert record["end_state"] == "completed", record["reason"]
    assert _pieces(record) == [(2, 2, "held"), (5, 6, "held"), (9, 10, "not held")]
    held = record["held"]["pieces"][0]
    assert (held["path"], held["check"], held["tests"]) == ("shop.py", "unit", ["test_price"])
    (check,) = record["checks"]
    assert check["proof"]["word"] == "held"
    assert shop.handle().spec_get(ID).data["further"]["proof"] == "held"
    (verdict,) = shop.handle().receipt_verify().data["specs"][0]["receipts"]
    claimed = "\n".join(verdict["claimed"])
    assert "code: tests fail without 2 of 3 pieces" in claimed
    assert "code shop.py:9-10: not held" in claimed
    assert "criterion 'Prices are higher': held" in claimed


def test_nothing_is_taken_back_where_nobody_asks(shop: Workshop) -> None:
    record = _worked(shop, "require: report")
    assert record["end_state"] == "completed", record["reason"]
    assert "held" not in record
    (check,) = record["checks"]
    assert (check["proof"]["word"], check["proof"]["by"]) == ("red→green", "exit code")
    assert check["proof"]["note"] == "no test of it began without the change"


def test_where_all_code_has_to_be_held_the_rest_fails_the_run(shop: Workshop) -> None:
    record = _worked(shop, "require: held")
    assert (record["end_state"], record["reason"]) == (
        "failed",
        "no test fails without this code, which `proof.require: held` asks for: shop.py:9-10 (not held)",
    )


def test_a_person_names_code_that_needs_no_test(shop: Workshop) -> None:
    record = _worked(shop, "require: held", untested=["shop.py"])
    assert record["end_state"] == "completed", record["reason"]


def test_work_that_frees_itself_waits_for_a_person(shop: Workshop) -> None:
    free = "sed -i 's/^type: code/type: code\\nuntested: [shop.py]/' \"$CHANT_SPEC_FILE\""
    code = f"{NEW_CODE}END\n{free}\ncat > /dev/null <<'END'"
    record = _worked(shop, "held: true", code=code)
    assert record["end_state"] == "needs_attention"
    assert "lets later work go untested: shop.py" in record["reason"]


@pytest.mark.parametrize(
    "reports", ["reports: {}", "reports: {unit: other.tap}"], ids=["none", "no such file"]
)
def test_without_a_report_nothing_is_held(shop: Workshop, reports: str) -> None:
    record = _worked(shop, "require: held", reports=reports)
    assert record["end_state"] == "failed"
    assert "no check reports its tests (`proof.reports`)" in record["reason"]
    assert {state for *_, state in _pieces(record)} == {"not looked at"}


def test_a_report_that_was_committed_is_none(shop: Workshop) -> None:
    (shop.root / "other.tap").write_text("ok - test_price\n", encoding="utf-8")
    record = _worked(shop, "held: true", reports="reports: {unit: other.tap}")
    assert record["held"]["note"] == "no check reports its tests (`proof.reports`)"


def test_a_test_that_looks_at_the_text_of_the_code_holds_nothing(shop: Workshop) -> None:
    length = NEW_CODE.count("\n") + 1
    counts = f"\n\ndef test_lines():\n    assert len(open('shop.py').readlines()) == {length}\n"
    record = _worked(shop, "held: true", tests=NEW_TESTS + counts)
    assert record["end_state"] == "completed", record["reason"]
    assert {state for *_, state in _pieces(record)} == {"not looked at"}
    assert "fails where a comment is added" in record["held"]["note"]
    (check,) = record["checks"]
    assert check["proof"]["word"] == "red→green"


def test_time_that_is_over_is_said(shop: Workshop) -> None:
    record = _worked(shop, "held: true, minutes: 0")
    assert record["end_state"] == "completed", record["reason"]
    assert record["held"]["note"] == "not all of it was looked at: `proof.minutes` were over"
