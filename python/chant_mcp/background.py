"""Programs that other processes start, entered without the libraries of the command line.

A run costs two processes of ours: its runner and, where the demo agent works, its agent; where the agent
uses its tools, their server, and one more for each connection; in large projects one that makes folders for
runs to come; where clones share specs, one that tells their remote what became of a run. Each of them is a
few calls of the core or of the standard library, and the libraries that read commands for people would take
longer to import than those calls take. The commands `work --runner`, `serve-run`, `worktree prepare`,
`leases --settle`, `demo-agent` and `connect` do the same.
"""

from __future__ import annotations

import gc
import os
import sys

from chant_mcp.process_setup import speak_utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    from chant_mcp._core import ChantProject


def enter(words: Sequence[str], environment: dict[str, str]) -> None:
    """Run the background program that the arguments name; return when they name a command for people.

    Args:
        words: The arguments, as the core gives them to a process that it starts.
        environment: The environment of this process.

    Raises:
        SystemExit: When a background program has ended, with its exit code.
    """
    # What is imported stays: to look through it for garbage is a tenth of what it takes to start.
    gc.disable()
    try:
        _enter_named(words, environment)
    finally:
        _keep_imports()


def _keep_imports() -> None:
    """Collect garbage again, and leave out what is there."""
    gc.freeze()
    gc.enable()


def _enter_named(words: Sequence[str], environment: dict[str, str]) -> None:
    match words:
        case ["demo-agent"]:
            _run_demo_agent(environment)
        case ["connect", folder]:
            _run_connection(folder)
        case ["--project", root, "serve-run", folder]:
            serve_run(root, folder, environment)
        case ["--project", root, "work", "--runner", _]:
            _act_on_project(lambda project: project.run_work(), root, environment, None)
        case ["--project", root, "work", "--runner", _, "--trusted", hash]:
            _act_on_project(lambda project: project.run_work(), root, environment, hash)
        case ["--project", root, "worktree", "prepare"]:
            _act_on_project(lambda project: project.prepare_worktrees(), root, environment, None)
        case ["--project", root, "worktree", "prepare", "--trusted", hash]:
            _act_on_project(lambda project: project.prepare_worktrees(), root, environment, hash)
        case ["--project", root, "leases", "--settle"]:
            _act_on_project(lambda project: project.settle_leases(), root, environment, None)
        case ["--project", root, "leases", "--settle", "--trusted", hash]:
            _act_on_project(lambda project: project.settle_leases(), root, environment, hash)
        case _:
            return


def _run_demo_agent(environment: dict[str, str]) -> NoReturn:
    from pathlib import Path

    from chant_mcp.demo.agent import play

    _keep_imports()
    speak_utf8()
    raise SystemExit(play(environment, Path.cwd()))


def _run_connection(folder: str) -> NoReturn:
    from chant_mcp.connect import connect

    _keep_imports()
    raise SystemExit(connect(folder))


def serve_run(root: str, folder: str, environment: dict[str, str]) -> NoReturn:
    """Serve the connections of a run, whose names come on standard input; its runner starts this.

    Args:
        root: The project.
        folder: Where the pipes of connections lie.
        environment: What the runner says of the run, beside the rest.

    Raises:
        SystemExit: With 2 when no runner started this.
    """
    from pathlib import Path

    from chant_mcp.program import own_program
    from chant_mcp.run_rights import RunRights
    from chant_mcp.run_server import RunServer
    from chant_mcp.session import Session, find_place
    from chant_mcp.tool_calls import Offer, OfferedTools
    from chant_mcp.user_folders import home_folder, user_config_file

    _keep_imports()
    speak_utf8()
    spec, worktree = environment.get("CHANT_SPEC_ID"), environment.get("CHANT_WORKTREE")
    if not (spec and worktree):
        sys.stderr.write("Error: Only the runner of a run starts this.\n")
        raise SystemExit(2)
    home = home_folder()
    session = Session(
        find_place(Path.cwd(), Path(root)),
        environment=environment,
        user_config=user_config_file(environment, home),
        home=Path(home) if home else None,
        program=own_program(sys.executable),
        stop_at=environment.get("CHANT_STOP_AT"),
        may_leave=False,
    )
    session.admit_formats()
    rights = RunRights(session, spec, Path(worktree))
    try:
        offer = Offer.named(environment.get("CHANT_MCP_TOOLSETS") or "auto", "CHANT_MCP_TOOLSETS")
    except ValueError as error:
        sys.stderr.write(f"Error: {error}\n")
        raise SystemExit(2) from error
    RunServer(folder, OfferedTools(rights.project, offer, rights)).serve()
    raise SystemExit(0)


def _act_on_project(
    act: Callable[[ChantProject], object], root: str, environment: dict[str, str], trust: str | None
) -> NoReturn:
    from chant_mcp._core import ChantProject
    from chant_mcp.program import own_program
    from chant_mcp.user_folders import (
        home_folder,
        names_formats,
        state_home,
        text_variables,
        user_config_file,
    )

    _keep_imports()
    speak_utf8()
    if names_formats(user_config_file(environment, home_folder())):
        _admit_formats(root, environment, trust)
    texts = text_variables(environment)
    project = ChantProject(
        root,
        user_config=user_config_file(environment, home_folder()),
        environment=texts,
        program=list(own_program(sys.executable)),
        prompts=os.path.join(os.path.dirname(__file__), "resources", "prompts"),
        trust=trust,
        state_home=state_home(texts),
        stop_at=environment.get("CHANT_STOP_AT"),
    )
    try:
        act(project)
    except Exception as error:
        from chant_mcp.errors import ChantError

        if not isinstance(error, ChantError):
            raise
        sys.stderr.write(f"Error: {error.describe()}\n")
        raise SystemExit(1) from error
    raise SystemExit(0)


def _admit_formats(root: str, environment: dict[str, str], trust: str | None) -> None:
    """Take the formats of plugins: an item of one may be what is worked on."""
    from pathlib import Path

    from chant_mcp.session import Session, find_place
    from chant_mcp.user_folders import home_folder, user_config_file

    user_config = user_config_file(environment, home_folder())
    place = find_place(Path(root), Path(root))
    Session(place, environment=environment, user_config=user_config, trust=trust).admit_formats()
