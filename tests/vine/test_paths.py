"""Which file a name means, and where nothing is read or written (seed vine, reference vine 8.1 to 8.3, W8).

Changed on purpose against the reference: folders are no files (Q), nothing outside of the working folder, the
project and the client's folders is reached by a relative name or a link (W8), and the client is asked for its
folders whenever a name is not found, not once (W16).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chant_mcp._core import VineFiles
from chant_mcp.errors import ChantError
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Session, find_place
from chant_mcp.tool_calls import Offer
from harness import text_of
from mcp import Client
from server.pipes import ENVELOPE, Message, Pipes, call, initialize, modern, notification
from server.pipes import text_of as text_on_wire
from server.test_roots import Host, served
from vine.planning import SMALL, Serve, claim, plan_of, task
from writing import tree

CREATE = [{"op": "create"}, task("r", "R")]


def titled(folder: Path, *names: str) -> None:
    """Write plans whose titles are their places."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"vine 1.2.0\ntitle: {path}\n---\n[r] R (planning)\n", encoding="utf-8")


def meant(files: VineFiles, name: str) -> Path:
    """Give the file that a name means."""
    return Path(files.read(name, "meta").data["title"])


def told(files: VineFiles, name: str) -> str:
    """Give the refusal of a name, the same from all questions and changes."""
    words: set[str] = set()
    for act in (
        lambda: files.read(name, "validate"),
        lambda: files.next(name),
        lambda: files.write(name, [claim("r")]),
        lambda: files.expand(name, "r", name),
    ):
        with pytest.raises(ChantError) as error:
            act()
        words.add(str(error.value))
    assert len(words) == 1, words
    return words.pop()


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A working folder and two roots."""
    made = tmp_path / "work", tmp_path / "first", tmp_path / "second"
    for folder in made:
        folder.mkdir(exist_ok=True)
    return made


# The order


@pytest.mark.requirement(
    "vine:paths:working_folder_before_roots",
    "vine:tools:extension_is_appended",
    "vine:paths:falls_back_to_the_working_folder",
)
def test_the_first_place_that_holds_a_file_counts(folders: tuple[Path, Path, Path]) -> None:
    work, first, second = folders
    files = VineFiles(work, roots=[first, second])
    order = [folder / name for name in ("a/plan", "a/plan.vine") for folder in folders]
    for path in order:
        titled(path.parent, path.name)
    for path in order:
        assert meant(files, "a/plan") == meant(files, "./a/../a/plan") == path
        path.unlink()
    lost = "; it was there when it was read before: bring it back, such as by `git checkout`"
    assert told(files, "a/plan") == f"File not found: a/plan (resolved to {work}/a/plan){lost}"


@pytest.mark.requirement("vine:tools:extension_is_appended")
def test_a_name_with_an_ending_is_taken_as_it_is(folders: tuple[Path, Path, Path]) -> None:
    work = folders[0]
    files = VineFiles(work)
    for name in ("plan.v2", "plan.", "a.b/plan", ".hidden", "plan"):
        titled(work, f"{name}.vine")
        if name in ("plan.v2", "plan."):
            assert told(files, name).startswith("File not found: ")
        else:
            assert meant(files, name) == work / f"{name}.vine"
        assert meant(files, f"{name}.vine") == work / f"{name}.vine"


def test_a_folder_hides_no_file(folders: tuple[Path, Path, Path]) -> None:
    work, first, second = folders
    (work / "plan").mkdir()
    (work / "plan.vine").mkdir()
    (first / "plan.vine").mkdir()
    titled(second, "plan.vine")
    assert meant(VineFiles(work, roots=[first, second]), "plan") == second / "plan.vine"


@pytest.mark.requirement("vine:paths:absolute_path_first")
def test_an_absolute_path_may_lead_elsewhere_to_vine_files(folders: tuple[Path, Path, Path]) -> None:
    work, first, _ = folders
    titled(first, "plan.vine", "plan.txt", "bare")
    titled(work, "inside.txt")
    files = VineFiles(work)
    assert meant(files, str(first / "plan.vine")) == first / "plan.vine"
    assert meant(files, str(first / "plan")) == first / "plan.vine"
    assert meant(files, str(work / ".." / "first" / "plan.vine")) == first / "plan.vine"
    assert meant(files, str(work / "inside.txt")) == work / "inside.txt"
    files.write(str(first / "plan.vine"), [claim("r")])
    files.write(str(first / "deeper" / "new.vine"), CREATE)
    assert (first / "deeper" / "new.vine").is_file()
    outside = f"lies outside of {work} and the other roots; name a file inside one of them"
    for name in ("plan.txt", "bare"):
        assert told(files, str(first / name)) == f"`{first / name}` {outside}"
    with pytest.raises(ChantError, match="lies outside of"):
        files.write(str(first / "new.txt"), CREATE)
    assert not (first / "new.txt").exists()
    confined = VineFiles(work, may_leave=False)
    assert told(confined, str(first / "plan.vine")) == f"`{first / 'plan.vine'}` {outside}"
    assert meant(VineFiles(work, roots=[first], may_leave=False), str(first / "plan.vine"))


def test_no_relative_name_leads_out(folders: tuple[Path, Path, Path]) -> None:
    work, first, _ = folders
    titled(first, "plan.vine")
    titled(work, "sub/plan.vine", "plan.vine")
    before = tree(work.parent)
    files = VineFiles(work)
    for name in ("../first/plan", "../first/plan.vine", "sub/../../first/plan"):
        assert told(files, name).startswith(f"`{name}` lies outside of {work} and the other roots; ")
    for act in (
        lambda: files.write("../new", CREATE),
        lambda: files.write("sub/../../first/new.vine", CREATE),
        lambda: files.write("plan", [task("e"), {"op": "extract_to_ref", "id": "e", "vine": "../new.vine"}]),
        lambda: files.write("sub/plan", [{"op": "extract_to_ref", "id": "r", "vine": "../../new.vine"}]),
        lambda: files.expand("plan", "r", "../first/plan.vine"),
    ):
        with pytest.raises(ChantError):
            act()
    assert tree(work.parent) == before
    sub = VineFiles(work / "sub", roots=[work])
    assert meant(sub, "../plan") == work / "plan.vine", "the project is larger than the working folder"
    assert told(VineFiles(work / "sub"), "../plan").startswith("`../plan` lies outside of ")


def test_no_link_leads_out(folders: tuple[Path, Path, Path]) -> None:
    work, first, _ = folders
    titled(first, "plan.vine")
    titled(work, "sub/plan.vine")
    (work / "file.vine").symlink_to(first / "plan.vine")
    (work / "folder").symlink_to(first)
    (work / "inside.vine").symlink_to("sub/plan.vine")
    (work / "nowhere.vine").symlink_to("gone.vine")
    before = tree(work.parent)
    files = VineFiles(work)
    for name in ("file", "file.vine"):
        assert f"`file.vine` leads out of the project `{work}` or into git's own files" in told(files, name)
    assert told(files, "folder/plan").startswith("`folder/plan` lies outside of ")
    assert told(files, "nowhere").startswith("File not found: nowhere ")
    for name in ("folder/new", "folder/new/er", "nowhere"):
        with pytest.raises(ChantError, match=r"lies outside of|leads out of|already exists"):
            files.write(name, CREATE)
    titled(work, "parent.vine")
    parent = plan_of("r:planning>a,b a:planning b:ref").replace("./b.vine", "./folder/plan.vine")
    (work / "parent.vine").write_text(parent, encoding="utf-8")
    for act in (
        lambda: files.write("parent", [{"op": "extract_to_ref", "id": "a", "vine": "folder/a.vine"}]),
        lambda: files.expand("parent", "b"),
        lambda: files.expand("parent", "b", "file"),
    ):
        with pytest.raises(ChantError, match=r"lies outside of|leads out of"):
            act()
    (work / "parent.vine").unlink()
    assert tree(work.parent) == before
    assert meant(files, "inside") == work / "sub" / "plan.vine"
    assert meant(VineFiles(work, roots=[first]), "folder/plan") == first / "plan.vine"


@pytest.mark.requirement("vine:write:create")
def test_new_files_lie_in_the_working_folder_with_folders_of_their_own(
    folders: tuple[Path, Path, Path],
) -> None:
    work, first, _ = folders
    titled(first, "known.vine")
    files = VineFiles(work, roots=[work, first])
    for name, expected in (
        ("new", work / "new.vine"),
        ("a/b/c", work / "a/b/c.vine"),
        ("plan.v2", work / "plan.v2"),
        ("./x/../y.vine", work / "y.vine"),
        (str(first / "z.vine"), first / "z.vine"),
    ):
        files.write(name, CREATE)
        assert expected.is_file()
        with pytest.raises(ChantError, match=f"^File already exists: {expected}$"):
            files.write(name, CREATE)
    with pytest.raises(ChantError, match=f"^File already exists: {first / 'known.vine'}$"):
        files.write("known", CREATE)


# Who says where


@pytest.fixture(params=["legacy", "2026-07-28"])
def mode(request: pytest.FixtureRequest) -> str:
    """An era of the protocol."""
    return request.param


async def title(client: Client, name: str) -> str:
    """Ask for a plan's title; give it or the refusal."""
    result = await client.call_tool("vine_read", {"file": name, "action": "meta"})
    return text_of(result) if result.is_error else result.structured_content["title"]


@pytest.mark.anyio
@pytest.mark.requirement("vine:paths:client_roots_are_fetched", "vine:paths:working_folder_before_roots")
async def test_the_clients_folders_are_looked_into(folders: tuple[Path, Path, Path], mode: str) -> None:
    work, first, second = folders
    spaced = first / "with blank é%"
    titled(work, "here.vine", "both.vine")
    titled(spaced, "both.vine", "there.vine", "two.vine")
    titled(second, "two.vine")
    host = Host(first / "gone", spaced, second)
    async with served(work, mode, host.tell) as client:
        assert await title(client, "here") == await title(client, "here.vine") == str(work / "here.vine")
        assert host.asked == 0, "nobody is asked for what is found"
        assert await title(client, "there") == str(spaced / "there.vine")
        assert await title(client, "two") == str(spaced / "two.vine")
        assert await title(client, "both") == str(work / "both.vine")
        assert host.asked == 1, "what was told is kept"
        for tool, arguments in (("vine_next", {}), ("vine_write", {"operations": [claim("r")]})):
            assert not (await client.call_tool(tool, {"file": "there", **arguments})).is_error
        assert "R (started)" in (spaced / "there.vine").read_text(encoding="utf-8")
        assert await title(client, "nope") == (
            f"File not found: nope (resolved to {work}/nope)\nvine_write with a `create` operation makes it."
        )


@pytest.mark.anyio
async def test_folders_that_change_are_asked_for_again(folders: tuple[Path, Path, Path], mode: str) -> None:
    work, first, second = folders
    titled(first, "one.vine")
    titled(second, "two.vine")
    host = Host()
    async with served(work, mode, host.tell) as client:
        assert (await title(client, "one")).startswith("File not found: ")
        host.folders = [first]
        assert await title(client, "one") == str(first / "one.vine")
        assert (await title(client, "two")).startswith("File not found: ")
        host.folders = [second]
        assert await title(client, "two") == str(second / "two.vine")
        assert (await title(client, "one")).startswith("File not found: "), "what was left is left"


@pytest.mark.anyio
@pytest.mark.requirement("vine:paths:client_roots_are_fetched")
async def test_parent_and_child_may_lie_in_different_folders(
    folders: tuple[Path, Path, Path], mode: str
) -> None:
    work, first, second = folders
    (first / "parent.vine").write_text(plan_of("r:planning>e e:ref"), encoding="utf-8")
    child = "vine 1.2.0\n---\n[t] T (planning)\n@file a/b ./x\n"
    (second / "child.vine").write_text(child, encoding="utf-8")
    async with served(work, mode, Host(first, second).tell) as client:
        arguments = {"file": "parent", "ref_id": "e", "child_file": "child"}
        assert text_of(await client.call_tool("vine_expand", arguments)) == 'Ref "e" expanded.'
    assert "@file a/b ../second/x\n" in (first / "parent.vine").read_text(encoding="utf-8")
    assert (second / "child.vine").read_text(encoding="utf-8") == child


@pytest.mark.anyio
@pytest.mark.requirement("vine:paths:client_roots_are_fetched")
async def test_new_files_lie_in_the_clients_folder_where_the_working_folder_says_nothing(
    folders: tuple[Path, Path, Path], mode: str
) -> None:
    work, first, second = folders
    for folder, expected in ((work, first), (work / "project", work / "project")):
        if folder != work:
            (folder / ".chant").mkdir(parents=True)
        async with served(folder, mode, Host(first, second).tell) as client:
            name = f"in-{expected.name}"
            result = await client.call_tool("vine_write", {"file": name, "operations": CREATE})
            assert not result.is_error, text_of(result)
            assert (expected / f"{name}.vine").is_file()
            assert await title(client, name) is None
    assert set(tree(work)) == {"project/in-project.vine"}
    async with Client(ChantServer(Session(find_place(second)), Offer(["auto"]))) as client:
        assert not (await client.call_tool("vine_write", {"file": "own", "operations": CREATE})).is_error
    assert (second / "own.vine").is_file()


# Over real pipes


def opened(pipes: Pipes) -> Pipes:
    """Shake hands as a client that has roots."""
    opening = initialize(0)
    opening["params"]["capabilities"] = {"roots": {}}
    pipes.ask(opening)
    pipes.send(notification("notifications/initialized"))
    return pipes


def roots(*uris: Any) -> Message:
    """Tell roots, whatever they are."""
    return {"roots": [{"uri": uri} for uri in uris]}


STRANGE = ["https://e.x/", "http://[bad", 5, "file:relative", "vscode-remote://host/x", "file:///nul%00"]
"""Roots that are no folders of this machine."""


@pytest.mark.requirement("vine:paths:client_roots_are_fetched")
def test_foreign_roots_are_passed_over_one_by_one(
    folders: tuple[Path, Path, Path], serve: Serve, mode: str
) -> None:
    work, first, _ = folders
    titled(first, "plan.vine")
    pipes = serve(work)
    ask = call(1, "vine_read", file="plan", action="validate")
    # Roots of the handshake are read one by one as they come, but each has to be a text.
    uris = [uri for uri in STRANGE if mode != "legacy" or isinstance(uri, str)]
    answer = roots(*uris[:3], first.as_uri(), *uris[3:])
    if mode == "legacy":
        opened(pipes).send(ask)
        question = pipes.receive()
        assert question["method"] == "roots/list"
        pipes.send({"jsonrpc": "2.0", "id": question["id"], "result": answer})
    else:
        capable = modern(ask)
        capable["params"]["_meta"] = {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": {"roots": {}}}
        first_answer = pipes.ask(capable)["result"]
        assert first_answer["resultType"] == "input_required"
        [(name, question)] = first_answer["inputRequests"].items()
        assert question["method"] == "roots/list"
        pipes.send({**capable, "params": {**capable["params"], "inputResponses": {name: answer}}})
    assert text_on_wire(pipes.answer(1)) == "Valid — 1 task(s)."


@pytest.mark.requirement("vine:server:cwd_flag_sets_folder_and_root")
@pytest.mark.parametrize("flag", ["--cwd", "--project"])
def test_a_folder_that_is_given_is_the_only_one(
    folders: tuple[Path, Path, Path], serve: Serve, flag: str
) -> None:
    work, first, second = folders
    titled(second, "theirs.vine")
    titled(work, "started.vine")
    (first / "plan.vine").write_text(SMALL, encoding="utf-8")
    pipes = opened(serve(work, flag, str(first)))
    assert (
        text_on_wire(pipes.ask(call(1, "vine_read", file="plan", action="validate"))) == "Valid — 4 task(s)."
    )
    for id, name in enumerate(("theirs", "started", "../work/started"), 2):
        pipes.send(call(id, "vine_read", file=name, action="validate"))
        answer = pipes.receive()
        assert "result" in answer, "the client was asked"
        assert answer["result"]["isError"]
    made = pipes.ask(call(9, "vine_write", file="new", operations=CREATE))
    assert not made["result"].get("isError"), made
    assert (first / "new.vine").is_file()
    assert pipes.finish().errors == ""


def test_a_relative_folder_is_that_below_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    titled(tmp_path, "plan.vine", "below/plan.vine")
    monkeypatch.chdir(tmp_path)
    for folder, path in ((".", "plan.vine"), ("below", "below/plan.vine"), ("below/..", "plan.vine")):
        assert meant(VineFiles(folder), "plan") == tmp_path / path
