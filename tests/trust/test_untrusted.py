"""An untrusted folder: documents are read and edited as ever, and nothing acts."""

from __future__ import annotations

from pathlib import Path

import pytest
from chant_mcp import errors
from chant_mcp._core import tool_hints
from harness import Caller, user_config
from mcp import Client
from trust.kit import ID, Folder

pytestmark = pytest.mark.anyio


async def test_a_tool_that_acts_is_refused_in_text_and_data(folder: Folder) -> None:
    async with Client(folder.server(), mode="2026-07-28") as client:
        call = Caller(client, folder.project)
        for tool, given in (
            ("chant_work_start", {"id": ID}),
            ("chant_split", {"id": ID}),
            ("chant_watch_start", {}),
        ):
            result = await call(tool, **given)
            assert result.is_error
            told = result.content[0].text  # type: ignore[union-attr]
            assert told.startswith("This folder is not trusted: 1 command, 1 check, 1 variable")
            assert "Ask the person to run `chant-mcp trust`" in told
            assert "--yes" not in told
            assert result.structured_content is not None
            assert result.structured_content["needs"] == "trust"
            assert any("agents.own.command" in line for line in result.structured_content["shown"])
    assert not folder.mark.exists()


async def test_documents_are_read_and_edited_and_status_says_it(folder: Folder) -> None:
    async with Client(folder.server(), mode="2026-07-28") as client:
        call = Caller(client, folder.project)
        await call.text("chant_spec_update", id=ID, check=["Works"])
        await call.data("chant_spec_get", id=ID)
        assert (await call.data("chant_status"))["trust"].startswith("not trusted:")
        checks = (await call.data("chant_diagnose", id=ID))["checks"]
        assert [check["passed"] for check in checks if check["name"] == "Trust"] == [True]
    folder.trust()
    async with Client(folder.server(), mode="2026-07-28") as client:
        assert "trust" not in await Caller(client, folder.project).data("chant_status")


async def test_no_variable_is_read_for_a_new_spec(folder: Folder) -> None:
    async with Client(folder.server(), mode="2026-07-28") as client:
        call = Caller(client, folder.project)
        added = await call("chant_add", description="Two")
        text = "\n".join(path.read_text("utf-8") for path in folder.project.specs.iterdir())
        assert "hidden" not in text
        assert "not trusted" in str(added.content)
        folder.trust()
        await call("chant_add", description="Three")
    text = "\n".join(path.read_text("utf-8") for path in folder.project.specs.iterdir())
    assert "derived_secret=hidden" in text


def test_a_task_with_checks_is_ticked_only_where_they_may_run(folder: Folder) -> None:
    folder.feature()
    with pytest.raises(errors.NotTrustedError, match="This folder is not trusted") as refused:
        folder.features().complete("T001")
    assert any("chant-mcp.yml" in line for line in refused.value.lines_to_review)
    assert not folder.mark.exists()
    folder.trust()
    folder.features().complete("T001")
    assert folder.mark.exists()


def test_other_repositories_are_looked_into_only_when_trusted(folder: Folder) -> None:
    other = folder.root.parent / "other" / ".chant" / "specs"
    other.mkdir(parents=True)
    (other / f"{ID}.md").write_text("---\nstatus: completed\n---\n\n# Other\n", encoding="utf-8")
    folder.asks("repos: [{name: other, path: ../other}]\n")
    folder.project.spec(ID, depends_on=[f"other:{ID}"])
    chant = folder.handle()

    def waits() -> str:
        return str(chant.spec_get(ID).data.get("waiting_for"))

    assert "not trusted" in waits()
    folder.trust()
    assert waits() == "[]"
    folder.handle().revoke_trust()
    assert "not trusted" in waits()


def test_nothing_is_merged_pruned_or_watched(folder: Folder) -> None:
    chant = folder.handle()
    for act in (
        lambda: chant.merge(),
        lambda: chant.merge(ID),
        chant.prune_worktrees,
        lambda: chant.watch(once=True),
    ):
        with pytest.raises(errors.NotTrustedError):
            act()
    assert chant.recover() == []


def test_a_script_names_the_hash_that_it_knows(folder: Folder) -> None:
    from chant_mcp import open as opened

    with pytest.raises(errors.NotTrustedError) as refused:
        opened(folder.root, exactly=True).specs[0].start()
    hash = refused.value.details["hash"]
    assert refused.value.lines_to_review == folder.handle().trust_report()["listing"]
    assert opened(folder.root, exactly=True, trust=hash).session.chant.trust_report()["by"] == "caller"
    wrong = opened(folder.root, exactly=True, trust="0" * 64)
    with pytest.raises(errors.NotTrustedError):
        wrong.specs[0].start()
    assert not folder.is_trusted()


def test_folders_below_a_root_of_the_users_own_are_trusted(folder: Folder) -> None:
    settings = user_config()
    settings.write_text(f"---\ntrust: {{roots: ['{folder.root.parent}']}}\n---\n", encoding="utf-8")
    assert folder.handle().trust_report()["by"] == "roots"
    settings.write_text("---\ntrust: {roots: ['~/nowhere', 'relative']}\n---\n", encoding="utf-8")
    assert not folder.is_trusted()
    (Path.home() / "mine").symlink_to(folder.root)
    settings.write_text("---\ntrust: {roots: ['~/mine']}\n---\n", encoding="utf-8")
    assert folder.is_trusted()


def test_a_folder_cannot_name_itself_a_root(folder: Folder) -> None:
    folder.asks("trust: {roots: [/]}\n")
    assert not folder.is_trusted()
    assert any("trust.roots" in line for line in folder.handle().trust_report()["listing"])


async def test_annotations_are_those_of_the_table_that_the_check_asks(folder: Folder) -> None:
    async with Client(folder.server(), mode="2026-07-28") as client:
        listed = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
    assert len(listed) == 42
    for name, hints in listed.items():
        assert hints is not None
        known = tool_hints(name)
        assert known is not None
        read_only, destructive, idempotent, open_world = known
        assert (hints.destructive_hint, hints.open_world_hint) == (destructive, open_world), name
        assert bool(hints.read_only_hint) is read_only, name
        assert bool(hints.idempotent_hint) is (idempotent and not read_only), name
    open_world = {name for name, hints in listed.items() if hints and hints.open_world_hint}
    assert open_world == {"chant_work_start", "chant_watch_start", "chant_split", "rstn_complete_task"}
    destructive = {name for name, hints in listed.items() if hints and hints.destructive_hint}
    assert destructive >= {
        "chant_spec_update",
        "manage_cr_sections",
        "delete_cr",
        "chant_cancel",
        *open_world,
    }
