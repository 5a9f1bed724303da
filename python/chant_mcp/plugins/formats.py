"""Exporters and importers of plugins: functions over tables of items."""

from __future__ import annotations

import csv
import os
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from chant_mcp._core import Answer
from chant_mcp.plugins.installed import plugins_of_kind
from chant_mcp.plugins.plugin_desk import PluginDesk
from chant_mcp.plugins.plugin_process import PluginFailure
from chant_mcp.session import Session


def exporter_names() -> list[str]:
    """Name the formats that exporters write."""
    return [plugin.name for plugin in plugins_of_kind("exporters")]


def importer_names() -> list[str]:
    """Name the formats that importers read."""
    return [plugin.name for plugin in plugins_of_kind("importers")]


def export_by_plugin(session: Session, name: str, filter: Mapping[str, Any]) -> str:
    """Have an exporter write items.

    Args:
        session: The project.
        name: What the exporter is called.
        filter: Which items, in the words of `chant_mcp.parameters.ItemFilter`.

    Raises:
        PluginFailure: It is off, or failed.
    """
    desk = PluginDesk(session)
    pieces = desk.ask(desk.find("exporters", name), filter=dict(filter))
    return "".join(piece["text"] for piece in pieces)


def import_by_plugin(
    session: Session,
    name: str,
    path: Path,
    *,
    dry_run: bool,
    update: bool = False,
    statuses: Mapping[str, str] | None = None,
) -> Answer:
    """Have an importer read a file or folder, and make specs of its rows as of those of a table.

    Args:
        session: The project.
        name: What the importer is called; what it read is remembered under this name.
        path: What to read.
        dry_run: Whether nothing is written.
        update: Whether later changes of the source are taken over.
        statuses: The states for words of the source that specs do not have.

    Raises:
        PluginFailure: It is off, or failed; nothing is written then.
    """
    desk = PluginDesk(session)
    found = desk.ask(desk.find("importers", name), path=str(path.resolve()))
    rows = _named_for([answer["row"] for answer in found], name)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    if rows and "title" not in columns:
        raise PluginFailure(f"The importer `{name}` gave no column `title`.")
    with tempfile.TemporaryDirectory(prefix="chant-import-") as folder:
        table = Path(folder, f"{path.stem}.csv")
        with table.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns or ["title"], restval="")
            writer.writeheader()
            writer.writerows(rows)
        return session.workspace.import_specs(
            table, source="csv", dry_run=dry_run, update=update, named=path, statuses=statuses or {}
        )


def _named_for(rows: Sequence[Mapping[str, str]], importer: str) -> list[dict[str, str]]:
    """Put the importer's name before keys, so that those of two importers do not meet."""
    keys = {key for row in rows if (key := row.get("key") or row.get("id"))}
    return [
        {**row, "key": f"{importer}:{key}", "depends_on": _dependencies(row, keys, importer)}
        if (key := row.get("key") or row.get("id"))
        else dict(row)
        for row in rows
    ]


def _dependencies(row: Mapping[str, str], keys: set[str], importer: str) -> str:
    names = [name.strip() for name in row.get("depends_on", "").split(";")]
    return "; ".join(f"{importer}:{name}" if name in keys else name for name in names if name)


def save_text(text: str, path: Path, *, force: bool) -> None:
    """Write a file, whole or not at all.

    Raises:
        PluginFailure: There is one already, or it cannot be written.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with beside.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
        if force:
            beside.replace(path)
        else:
            os.link(beside, path)
    except FileExistsError:
        raise PluginFailure(f"{path} is there already. --force replaces it.") from None
    except OSError as error:
        raise PluginFailure(f"{path} cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            beside.unlink()
