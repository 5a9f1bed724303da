"""`vine validate`: what is wrong with task graphs, each with its place, as compilers report it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import click

from chant_mcp._core import VineFiles
from chant_mcp.commands.answers import exit_code_1, json_option
from chant_mcp.commands.project_options import on_project
from chant_mcp.errors import ChantError, NotFoundError
from chant_mcp.paging import EVERYTHING, Data, written
from chant_mcp.session import Session
from chant_mcp.terminal import counted, say_json

_DEEPEST = 1_000
"""Folders in one another, more than there are."""


@dataclass(frozen=True, slots=True)
class _Checked:
    """What is found in a file."""

    file: str
    said: str | None
    """What the core says of a valid one."""
    problems: Sequence[Data]


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@json_option
@on_project
@click.pass_context
@exit_code_1("anything is wrong")
def validate(context: click.Context, session: Session, files: tuple[str, ...], as_json: bool) -> None:
    """Check task graphs for problems.

    A folder stands for all .vine files below it, but for those that git ignores.
    """
    vine = session.vine
    checked = [_checked(vine, file) for name in files for file in _files(vine, name)]
    problems = [problem for found in checked for problem in found.problems]
    if as_json:
        _print_json(checked, problems)
    else:
        _print(checked, problems)
    context.exit(1 if problems else 0)


def _files(vine: VineFiles, name: str) -> Iterator[str]:
    """Give the files that a name means: itself, or those below a folder."""
    folder = vine.folder / name
    if vine.finds(name) or not folder.is_dir():
        yield name
        return
    found = VineFiles.found(folder, depth=_DEEPEST, most=EVERYTHING)
    if not found:
        raise NotFoundError(f"No .vine file below {name}. Name a file, or a folder that holds some.")
    for file in found:
        yield (Path(name) / file).as_posix()


def _checked(vine: VineFiles, name: str) -> _Checked:
    file = name
    try:
        file = _shown(vine.locate(name), vine.folder.resolve())
        said = vine.read(name, "validate").text
    except ChantError as error:
        return _Checked(file, None, [{"file": file, **problem} for problem in _problems(error)])
    return _Checked(file, said, ())


def _shown(path: Path, folder: Path) -> str:
    """Name a file so that a terminal finds it: seen from the working folder where it lies below it."""
    return (path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix()


def _problems(error: ChantError) -> Sequence[Data]:
    found = cast("Sequence[Data] | None", error.details.get("problems"))
    if found is not None:
        return found
    nowhere = dict.fromkeys(("line", "column", "length", "source"))
    return [{"constraint": error.code.lower().replace("_", "-"), "message": error.message, **nowhere}]


def _print_json(checked: Sequence[_Checked], problems: Sequence[Data]) -> None:
    files = [{"file": found.file, "valid": not found.problems, "message": found.said} for found in checked]
    say_json(written({"valid": not problems, "files": files, "problems": problems}))


def _print(checked: Sequence[_Checked], problems: Sequence[Data]) -> None:
    from chant_mcp.commands import display, vine_display

    out, err = display.console(), display.console(for_errors=True)
    for found in checked:
        if found.said is not None:
            said, _, warning = found.said.partition("\n")
            name = f"{found.file}: " if len(checked) > 1 else ""
            out.print(display.plain("✓ ", "green") + display.plain(name + said))
            if warning:
                out.print(display.plain(warning, "yellow"))
        for problem in found.problems:
            err.print(vine_display.problem_headline(problem), soft_wrap=True)
            if problem["source"] is not None:
                err.print(vine_display.excerpt(problem, err.width))
    if problems:
        wrong = sum(bool(found.problems) for found in checked)
        err.print(
            display.plain(
                f"{counted(len(problems), 'problem')} in {wrong} of {counted(len(checked), 'file')}.", "bold"
            )
        )
