"""Numbers of tickets in clones that share a remote: each is given once, offline ones are put right later."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import chant_mcp
import pytest
from chant_mcp._core import TicketProjects
from harness import user_config
from laws import TRIALS
from leases.clones import SLOW_BEAT, LeaseClone, SharedProject
from leases.remotes import Remote
from leases.tcp_proxy import ANSWER_LOST, HALF_OPEN, PASS, TcpProxy
from work.kit import ID

MakeRemote = Callable[..., Remote]

NUMBERS = "refs/chant/numbers/dem"
FOLDER = "docs/CRs"


class TicketClone:
    """A clone whose tickets are made one by one."""

    def __init__(self, clone: LeaseClone) -> None:
        """Take a clone."""
        self.clone = clone
        self.root = clone.root
        self.folder = clone.root / FOLDER

    def tickets(self) -> TicketProjects:
        """Open its tickets as a new process would."""
        variables = dict(os.environ)
        return TicketProjects(self.root, variables=variables, user_config=user_config())

    def create(self, title: str, **data: Any) -> tuple[str, list[str]]:
        """Make a ticket, and give its code and what was said about it."""
        made = self.tickets().create_cr(None, "Bug Fix", {"title": title, **data}).data
        return made["cr"]["code"], made.get("warnings", [])

    def files(self) -> list[str]:
        """Give the names of its tickets."""
        return sorted(path.name for path in self.folder.glob("*.md"))

    def text(self, beginning: str) -> str:
        """Read the ticket whose file begins so."""
        (path,) = self.folder.glob(f"{beginning}*")
        return path.read_text("utf-8")


@pytest.fixture
def shared(tmp_path: Path, make_remote: MakeRemote) -> SharedProject:
    """A project with tickets and a spec on a remote."""
    return share(tmp_path, make_remote())


def share(folder: Path, remote: Remote, settings: str = SLOW_BEAT) -> SharedProject:
    """Put a project with tickets and a spec on a remote."""
    shared = SharedProject(folder, remote, settings)
    config = '[project]\nname = "Demo"\ncode = "DEM"\npath = "docs/CRs"\n'
    (shared.author.root / ".mdt-config.toml").write_text(config, encoding="utf-8")
    shared.publish([ID])
    return shared


def make_clones(shared: SharedProject, count: int = 2) -> list[TicketClone]:
    """Make clones."""
    return [TicketClone(shared.clone()) for _ in range(count)]


def test_clones_that_make_tickets_at_once_never_give_one_number(shared: SharedProject) -> None:
    clones = make_clones(shared)
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(clones[number % 2].create, f"Ticket {number}") for number in range(20)]
        made = [job.result() for job in jobs]
    assert [said for _, said in made if said] == []
    assert len({code for code, _ in made}) == 20
    assert list(shared.remote.refs("refs/chant/numbers")) == [NUMBERS]


def test_tickets_in_a_hurry_cost_few_pushes(shared: SharedProject) -> None:
    (clone,) = make_clones(shared, 1)
    before = len(shared.remote.pushes())
    codes = [clone.create(f"Ticket {number}")[0] for number in range(10)]
    assert codes == [f"DEM-{number:03}" for number in range(1, 11)]
    assert len(shared.remote.pushes()) - before == 2


def test_a_claim_whose_answer_was_lost_is_found_on_the_remote(
    tmp_path: Path, make_remote: MakeRemote, make_proxy: Callable[[Remote], TcpProxy]
) -> None:
    shared = share(tmp_path, make_remote("git"))
    proxy = make_proxy(shared.remote)
    clone = TicketClone(shared.clone(proxy.port))
    push = proxy.connections + 2  # behind the look
    proxy.choose = lambda number: ANSWER_LOST if number == push else PASS
    assert clone.create("One") == ("DEM-001", [])
    given = json.loads(shared.remote.git("log", "-1", "--format=%s", NUMBERS))["given"]
    assert (given, proxy.connections) == ([[1, 1]], push + 1)


@pytest.mark.skipif(TRIALS == 1, reason="waits for eight seconds: a trial")
def test_a_push_that_hangs_holds_no_ticket_up(
    tmp_path: Path, make_remote: MakeRemote, make_proxy: Callable[[Remote], TcpProxy]
) -> None:
    shared = share(tmp_path, make_remote("git"))
    proxy = make_proxy(shared.remote)
    clone = TicketClone(shared.clone(proxy.port))
    push = proxy.connections + 2  # behind the look
    proxy.choose = lambda number: HALF_OPEN if number >= push else PASS
    started = time.monotonic()
    code, said = clone.create("One")
    assert time.monotonic() - started < 10 + 1
    assert code == "DEM-001"
    assert "not claimed" in " ".join(said)
    proxy.choose = lambda _: PASS
    assert clone.create("Two") == ("DEM-002", [])
    given = json.loads(shared.remote.git("log", "-1", "--format=%s", NUMBERS))["given"]
    assert given == [[1, 2]], "what was given up is asked for once"


def test_an_offline_number_that_is_taken_gets_another_with_all_that_names_it(shared: SharedProject) -> None:
    away, there = make_clones(shared)
    shared.remote.refuse_connections()
    code, said = away.create("Made offline")
    assert (code, len(said)) == ("DEM-001", 1)
    assert "DEM-001 is not claimed on the remote" in said[0]
    away.create("Waits for it", dependsOn="DEM-001")
    spec = away.root / f".chant/specs/{ID}.md"
    spec.write_text(spec.read_text("utf-8") + "\nSee dem-1, not DEM-0010.\n", encoding="utf-8")
    shared.remote.accept_connections()

    assert there.create("Made online") == ("DEM-001", [])
    code, said = away.create("Made again")
    assert code == "DEM-004"
    assert said == [
        "DEM-001 is DEM-003 now, also in 2 documents that name it: another clone had that number first"
    ]
    assert away.files() == ["DEM-002-waits-for-it.md", "DEM-003-made-offline.md", "DEM-004-made-again.md"]
    assert "code: DEM-003" in away.text("DEM-003")
    assert "dependsOn: DEM-003" in away.text("DEM-002")
    assert "See DEM-003, not DEM-0010." in spec.read_text("utf-8")
    assert away.create("Later")[1] == []


def test_a_committed_ticket_keeps_its_number_and_a_person_is_told(shared: SharedProject) -> None:
    away, there = make_clones(shared)
    shared.remote.refuse_connections()
    away.create("Made offline")
    away.clone.commit("A ticket")
    shared.remote.accept_connections()
    there.create("Made online")
    for expected in ("DEM-003", "DEM-004"):
        code, (said,) = away.create("Next")
        assert code == expected
        assert "DEM-001 is also the number of another clone's ticket" in said
        assert "git knows a file of that number already. DEM-002 is claimed for it" in said
    file = away.folder / "DEM-001-made-offline.md"
    text = file.read_text("utf-8").replace("DEM-001", "DEM-002")
    file.unlink()
    (away.folder / "DEM-002-made-offline.md").write_text(text, encoding="utf-8")
    assert away.create("Next")[1] == []


def test_an_untrusted_folder_gives_marked_numbers_and_speaks_to_no_remote(shared: SharedProject) -> None:
    (clone,) = make_clones(shared, 1)
    before = shared.remote.refs()
    user_config().write_text("---\ntrust: {roots: []}\n---\n", encoding="utf-8")
    code, (said,) = clone.create("One")
    assert code == "DEM-001"
    assert "this folder is not trusted" in said
    assert shared.remote.refs() == before


def test_tickets_of_a_transaction_are_claimed_when_they_are_written(shared: SharedProject) -> None:
    (clone,) = make_clones(shared, 1)
    workspace = chant_mcp.open(clone.root)
    with workspace.transaction() as transaction:
        workspace.add_ticket("One")
        workspace.add_ticket("Two")
    assert (transaction.ids, transaction.warnings) == (["DEM-001", "DEM-002"], [])
    given = json.loads(shared.remote.git("log", "-1", "--format=%s", NUMBERS))["given"]
    assert given == [[1, 2]]


def test_without_leases_nothing_is_claimed_and_nothing_kept(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = share(tmp_path, make_remote(), settings="")
    (clone,) = make_clones(shared, 1)
    before = shared.remote.connections
    assert clone.create("One") == ("DEM-001", [])
    assert shared.remote.refs("refs/chant") == {}
    assert shared.remote.connections == before
    assert not (clone.root / ".git" / "chant-mcp" / "ticket-numbers").exists()
