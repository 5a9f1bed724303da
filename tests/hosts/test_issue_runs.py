"""What an issue is told about the runs of its spec."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.kit import Cli
from hosts.test_issues import forge
from work.conftest import _nothing_is_left as _nothing_is_left
from work.conftest import shop as shop
from work.kit import ID, Workshop, git


def test_a_push_says_how_the_run_ended_what_was_checked_and_which_receipt_says_so(
    shop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.configure("checks:\n  sound: ['true']\n")
    gh = forge(tmp_path, monkeypatch)
    gh.issue(1, "Paint")
    shop.spec(ID)
    shop.commit()
    git(shop.root, "remote", "add", "origin", "git@github.com:ada/ferry.git")
    shop.handle().work_start(ID)
    done = shop.ended(ID)
    monkeypatch.chdir(shop.root)
    cli = Cli(shop.project)
    cli("issue", "link", ID, "1")
    cli("issue", "push")
    [comment] = gh.of(1)["comments"]
    assert f"- Run: {done['process_id']}, completed\n" in comment["body"]
    receipt = git(shop.root, "for-each-ref", "--format=%(objectname)", "refs/chant/receipts").split()
    assert f"- Receipt: `{receipt[0]}`" in comment["body"]
    assert "told already" in cli("issue", "push")
