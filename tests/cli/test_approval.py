"""`approve`, `reject`, `list --approval` and `add --needs-approval`, as people type them."""

from __future__ import annotations

import pytest
from cli.kit import Cli

ID = "2026-01-22-001-x7m"
OTHER = "2026-01-22-002-k3f"


def test_a_person_decides_and_sees_it(cli: Cli) -> None:
    cli.project.spec(ID, approval="{required: true}")
    cli.project.spec(OTHER)
    assert [spec["id"] for spec in cli.json("chant", "list", "--approval", "pending")["specs"]] == [ID]
    assert cli("reject", "x7m", "--by", "Ada", "--reason", "Too large.") == f"Rejected spec: {ID} (by Ada)\n"
    assert [spec["id"] for spec in cli.json("chant", "list", "--approval", "rejected")["specs"]] == [ID]
    assert "required, rejected by Ada" in cli("show", ID)
    assert cli("approve", ID, "--by", "Ada") == f"Approved spec: {ID} (by Ada)\n"
    assert cli("list", "--approval", "pending") == "No specs have an approval that is pending.\n"
    assert "Too large." in cli("show", ID)


def test_what_is_missing_is_told(cli: Cli) -> None:
    cli.project.spec(ID)
    assert "--reason" in cli.error("reject", ID, code=2)
    assert "'by': expected who decides" in cli.error("approve", ID)
    assert "pending" in cli.error("list", "--approval", "perhaps", code=2)


@pytest.mark.parametrize("words", [("approve", ID), ("reject", ID, "--reason", "no")])
def test_read_only_refuses(cli: Cli, words: tuple[str, ...]) -> None:
    cli.project.spec(ID)
    before = cli.project.text(ID)
    assert "changes files, and --read-only was given" in cli.error("--read-only", *words, code=2)
    assert cli.project.text(ID) == before


def test_a_new_spec_can_need_approval(cli: Cli) -> None:
    id = cli.json("add", "Sell the ship", "--criterion", "Sold", "--needs-approval")["spec_id"]
    assert "approval:\n  required: true\n  status: pending\n" in cli.project.text(id)
    assert cli.json("chant", "ready")["specs"] == []
    cli("approve", id, "--by", "Ada")
    assert [spec["id"] for spec in cli.json("chant", "ready")["specs"]] == [id]
