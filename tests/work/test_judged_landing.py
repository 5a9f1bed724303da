"""Work that makes its own tests weaker, or changes what configures them, lands by a person only."""

from __future__ import annotations

from typing import Any

import pytest
from chant_mcp import errors
from harness import user_config
from trust.kit import Folder
from work.conftest import _nothing_is_left as _nothing_is_left
from work.conftest import shop as shop
from work.kit import ID, Record, Workshop

CODE = "def price(n):\n    return n * 10\n\n\ndef discount(n):\n    return n - 1\n"
TESTS = """\
from shop import discount, price


def test_price():
    assert price(3) == 30
    assert price(4) == 40


def test_discount():
    assert discount(3) == 2
"""
SCRIPT = """\
set -e
{habit}
echo round >> done.txt
sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"
git add -A
git commit -q -m "Work"
"""
WEAKER = "sed -i 's/assert price(3) == 30/assert price(3)/' tests/test_shop.py"


def worked(shop: Workshop, habit: str, config: str = "", **keys: Any) -> Record:
    """Let an agent work on a spec of a small project with tests, to its end."""
    folder = shop.root.parent
    (folder / "agent.sh").write_text(SCRIPT.format(habit=habit), encoding="utf-8")
    agent = f"agents:\n  habit:\n    command: [sh, {folder}/agent.sh]\n"
    shop.configure(f"{agent}checks:\n  unit: ['true']\n{config}", provider="habit")
    (shop.root / "tests").mkdir(exist_ok=True)
    (shop.root / "shop.py").write_text(CODE, encoding="utf-8")
    (shop.root / "tests" / "test_shop.py").write_text(TESTS, encoding="utf-8")
    shop.spec(ID, **keys)
    shop.commit()
    shop.handle().work_start(ID)
    return shop.ended(ID)


def test_weaker_tests_wait_for_a_person_who_sees_them_and_lands_them(shop: Workshop) -> None:
    record = worked(shop, f"{WEAKER}; echo '# type: ignore' >> shop.py")
    line = (
        "tests/test_shop.py:5 W4 the assertion asks for less: test_price "
        "(assert price(3) == 30 → assert price(3))"
    )
    assert (record["end_state"], record["reason"]) == ("needs_attention", f"changes what judges it: {line}")
    assert record["acting_change"] == [line]
    assert shop.main("done.txt") is None
    with pytest.raises(errors.NotTrustedError) as refused:
        shop.handle().merge(ID)
    assert refused.value.lines_to_review == [line]
    folder = Folder(shop.project)
    code, shown = folder.typed("y", "merge", ID)
    assert (code, "asks for less" in shown) == (0, True), shown
    assert shop.main("done.txt") is not None
    (kept,) = shop.handle().receipt_show(ID).data["receipts"]
    judged = kept["receipt"]["judged"]
    assert (judged["agreed"], judged["weaker"]) == (True, [line])
    assert "W12" in judged["look"][0]
    (verdict,) = shop.handle().receipt_verify().data["specs"][0]["receipts"]
    assert f"changed what judges it, and a person agreed: {line}" in verdict["claimed"]


@pytest.mark.parametrize(
    ("habit", "named"),
    [
        ("sed -i 's/def test_discount/def discount_test/' tests/test_shop.py", ":9 W1 the test is gone"),
        ("git mv tests/test_shop.py tests/shop_checks.py", ":4 W1 the test is gone"),
        ("printf '[pytest]\\naddopts = -k not_price\\n' > pytest.ini", "pytest.ini:1 config what configures"),
        (
            "git checkout -q -b side; "
            + WEAKER
            + "; git commit -qam Side; git checkout -q -; echo 1 > b.txt; git add -A; git commit -qm B; "
            "git merge -q --no-ff -m Both side",
            ":5 W4 the assertion asks for less",
        ),
        (f"{WEAKER}; sed -i 's/$/\\r/' tests/test_shop.py", ":5 W4 the assertion asks for less"),
    ],
    ids=["renamed", "not collected", "configuration", "in a merge", "other ends of lines"],
)
def test_a_weaker_judge_waits_in_whatever_form(shop: Workshop, habit: str, named: str) -> None:
    record = worked(shop, habit)
    assert (record["end_state"], named in record["reason"]) == ("needs_attention", True), record["reason"]
    assert shop.main("done.txt") is None


HONEST = (
    "sed -i '/^def discount/,$d' shop.py; "
    "sed -i '/^def test_discount/,$d; s/discount, //' tests/test_shop.py; "
    "printf '\\n\\ndef test_more():\\n    assert price(1) == 10\\n' >> tests/test_shop.py; "
    "git mv tests/test_shop.py tests/test_price.py"
)


def test_honest_work_on_tests_lands(shop: Workshop) -> None:
    record = worked(shop, HONEST)
    assert (record["end_state"], record.get("judged")) == ("completed", None), record["reason"]


def test_a_spec_and_the_users_own_configuration_say_what_may_change(shop: Workshop) -> None:
    record = worked(shop, WEAKER, may_change=["tests/**"])
    assert record["end_state"] == "completed", record["reason"]
    assert "W4" in record["judged"]["look"][0]


def test_the_users_own_configuration_lets_weaker_tests_land(shop: Workshop) -> None:
    settings = user_config().read_text("utf-8").removeprefix("---\n")
    user_config().write_text(f"---\nlanding:\n  allow: [test_shop.py]\n{settings}", encoding="utf-8")
    assert worked(shop, WEAKER)["end_state"] == "completed"


def test_no_work_frees_itself_or_other_work(shop: Workshop) -> None:
    freed = 'sed -i \'s/^status:/may_change: ["tests\\/**"]\\nstatus:/\' "$CHANT_SPEC_FILE"'
    record = worked(shop, f"{WEAKER}; {freed}")
    assert record["end_state"] == "needs_attention"
    assert "W4" in record["reason"]
    assert "lets later work change without a person: tests/**" in record["reason"]


def test_a_project_raises_rules_and_names_its_own_tests(shop: Workshop) -> None:
    config = "proof:\n  rules: [W12]\n  config: ['rules/*.txt']\n"
    record = worked(
        shop, "echo 'x = 1  # type: ignore' >> shop.py; mkdir rules; echo a > rules/a.txt", config
    )
    assert "rules/a.txt:1 config" in record["reason"]
    assert "W12" in record["reason"]


CHECK = "checks:\n  unit: [sh, check.sh]\n  style: ['true']\n"
CHECKING = {"criteria": ["Works <!-- check: unit -->", "Looks well <!-- check: style -->", "Is liked"]}
"""A check that runs `cases`, each a line of shell, on the file `answer`."""


def _checked(shop: Workshop, habit: str, *, answer: str = "old", config: str = "", **keys: Any) -> Record:
    """Let an agent work where a check reads cases of tests, and counts how often it was run."""
    folder = shop.root.parent
    (folder / "agent.sh").write_text(SCRIPT.format(habit=habit), encoding="utf-8")
    agent = f"agents:\n  habit:\n    command: [sh, {folder}/agent.sh]\n"
    shop.configure(f"{agent}{CHECK}{config}", provider="habit")
    (shop.root / "tests").mkdir(exist_ok=True)
    (shop.root / "check.sh").write_text("set -e\nfor one in tests/*.sh; do sh $one; done\n", encoding="utf-8")
    (shop.root / "tests" / "first.sh").write_text("test -s answer\n", encoding="utf-8")
    (shop.root / "answer").write_text(answer and f"{answer}\n", encoding="utf-8")
    shop.spec(ID, **{**CHECKING, **keys})
    shop.commit()
    shop.handle().work_start(ID)
    return shop.ended(ID)


def _proof(record: Record, name: str = "unit") -> dict[str, Any]:
    """Give what is said of a check."""
    (check,) = [one for one in record["checks"] if one["name"] == name]
    return check["proof"]


def _cells(record: Record, name: str = "unit") -> str:
    """Give the cells that a check was run in, in their order, with how it ended."""
    return " ".join(f"{one['cell']}{one['exit']}" for one in _proof(record, name).get("cells", []))


NEW_TEST = "echo 'grep -q new answer' > tests/second.sh"


def test_a_new_test_that_fails_without_the_change_is_red_to_green(shop: Workshop) -> None:
    record = _checked(shop, f"echo new > answer; {NEW_TEST}")
    assert record["end_state"] == "completed", record["reason"]
    assert (_proof(record)["word"], _cells(record)) == ("red→green", "B1")
    assert (_proof(record, "style")["word"], _cells(record, "style")) == ("regression", "B0 A0")
    (kept,) = shop.handle().receipt_show(ID).data["receipts"]
    words = [one["word"] for one in kept["receipt"]["criteria"]["items"]]
    assert words == ["red→green", "regression", "no check"]
    assert shop.handle().spec_get(ID).data["further"]["proof"] == "no check"
    (verdict,) = shop.handle().receipt_verify().data["specs"][0]["receipts"]
    assert "criterion 'Works': red→green" in "\n".join(verdict["claimed"])


@pytest.mark.parametrize(
    ("habit", "answer", "word", "cells", "note"),
    [
        ("echo new > answer", "old", "regression", "A0", None),
        ("echo new > answer", "", "red→green", "A1", "repaired"),
        ("echo new > answer; echo true > tests/second.sh", "old", "regression", "B0 A0", None),
        ("echo new > answer; echo 'grep -q new answer || exit 137' > tests/second.sh", "old", "regression",
         "B137 A0", "red by accident"),
        ("echo new > README.md", "old", "regression", "", None),
        ("echo 'grep -q old answer' > tests/second.sh", "old", "regression", "", None),
        ("echo new > answer; echo 'grep -q new answer' > tests/first.sh", "old", "red→green", "B1 D0", None),
    ],
    ids=["no test", "repaired", "always true", "by accident", "documents", "tests alone", "old test changed"],
)  # fmt: skip
def test_words_follow_from_old_and_new_tests(
    shop: Workshop, habit: str, answer: str, word: str, cells: str, note: str | None
) -> None:
    record = _checked(shop, habit, answer=answer, may_change=["tests/**"])
    if answer:
        assert record["end_state"] == "completed", record["reason"]
    proof = _proof(record)
    assert (proof["word"], _cells(record), proof.get("note")) == (word, cells, note)


def test_nothing_runs_beyond_the_time_that_the_project_gives(shop: Workshop) -> None:
    record = _checked(shop, f"echo new > answer; {NEW_TEST}", config="proof:\n  minutes: 0\n")
    assert record["end_state"] == "completed", record["reason"]
    assert (_proof(record)["word"], _proof(record)["note"], _cells(record)) == (
        "regression",
        "not run: time",
        "",
    )
