"""What the model does with a spec: which call is next, in the words of the tools that it is offered."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conversation import ModelReply, ModelRequest, ToolCall, ToolOffer

ATTEMPTS = ("outside", "shell_outside")
"""What no run may do: writing outside of its folder, with a tool and with a command."""

STEPS = ("inside", *ATTEMPTS, "ours", "commit")
"""What is done, in this order, each by one call; then comes a text."""

ITEM_STEPS = ("inside", "boxes", "commit")
"""What is done for an item of another format than specs."""

WRITING = ("Write", "write_file", "write", "create", "write_to_file", "editor", "edit")
"""Names of tools that write a file."""

SHELLS = (
    "Bash", "bash", "shell_command", "exec_command", "shell", "local_shell", "run_shell_command",
    "execute_command", "run_commands", "terminal",
)  # fmt: skip
"""Names of tools that run a command."""

SEARCHES = ("ToolSearch", "tool_search", "search_tools")
"""Names of tools that look for tools."""

THROUGH = "tool_call"
"""The tool that calls tools which are found and not listed."""

OURS = "chant_spec_update"
"""The tool of ours that is called."""

_PATHS = ("file_path", "filePath", "absolute_path", "path")
_CONTENTS = ("content", "file_text", "contents", "text", "new_text")
_COMMANDS = ("command", "cmd", "commands", "script")
_PATCH = "*** Begin Patch\n*** Add File: {path}\n+{content}\n*** End Patch\n"


class NoTool(Exception):
    """What was needed and is not offered."""


@dataclass(frozen=True)
class SpecTask:
    """The spec that is worked on."""

    id: str
    criterion: str
    file: str
    """The file that the work makes, from the run's folder."""
    outside: Path
    """A folder that the run must not write."""
    has_tools: bool = True
    """Whether the program can be given our tools."""
    steps: tuple[str, ...] = STEPS
    """What is done."""
    document: str = ""
    """The document of an item, whose boxes the step `boxes` ticks."""

    def folder(self, said: str) -> str:
        """Find the run's folder in what a program sent to the model."""
        found = re.search(rf"/[^\s\"'`<>|\\]*/{re.escape(self.id)}(?=[\s\"'`<>|\\.,)]|$)", said)
        if not found:
            raise NoTool(f"the path of the run's folder, which ends in {self.id}")
        return found.group()


def next_reply(task: SpecTask, request: ModelRequest) -> ModelReply:
    """Give what the model does next.

    Raises:
        NoTool: When a step needs a tool that is not offered.
    """
    if not request.tools:
        return ModelReply("Paint the ferry")
    for step in task.steps:
        if not request.step_is_done(step):
            search = _search(request) if step == "ours" else None
            if search:
                return ModelReply(call=search)
            tool, arguments = _call_of(step, task, request)
            return ModelReply(call=ToolCall(step, tool, arguments))
    return ModelReply("Painted the ferry. Nothing is open.")


def _call_of(step: str, task: SpecTask, request: ModelRequest) -> tuple[ToolOffer, Any]:
    tools = request.tools
    if step == "inside":
        return _written(tools, f"{task.folder(request.text)}/{task.file}", "blue")
    if step == "outside":
        return _written(tools, str(task.outside / "by-tool.txt"), "out")
    if step == "shell_outside":
        return _run(tools, f"echo out > '{task.outside}/by-shell.txt'")
    if step == "ours":
        return _ticked(task, request)
    if step == "boxes":
        # Some programs take `sed -i` for an edit of their own, which needs a look at the file before.
        new = f"{task.document}.new"
        return _run(
            tools, f"sed 's/- \\[ \\]/- [x]/' '{task.document}' > '{new}' && mv '{new}' '{task.document}'"
        )
    return _run(tools, f"git add -A && git commit -m 'chant({task.id}): Paint the ferry'")


def _written(tools: tuple[ToolOffer, ...], path: str, content: str) -> tuple[ToolOffer, Any]:
    for tool in (tool for name in WRITING for tool in tools if tool.name == name):
        if _fitting(tool, _PATHS) and _fitting(tool, _CONTENTS):
            given = {_fitting(tool, _PATHS): path, _fitting(tool, _CONTENTS): f"{content}\n"}
            return tool, _completed(tool, given)
    patch = next((tool for tool in tools if tool.name == "apply_patch"), None)
    if patch:
        text = _PATCH.format(path=path, content=content)
        return patch, text if patch.is_freeform else _completed(patch, {_first(patch): text})
    return _run(tools, f"echo {content} > '{path}'")


def _run(tools: tuple[ToolOffer, ...], command: str) -> tuple[ToolOffer, Any]:
    for tool in (tool for name in SHELLS for tool in tools if tool.name == name):
        key = _fitting(tool, _COMMANDS)
        if key:
            return tool, _completed(tool, {key: _as_asked(tool, key, command)})
    raise NoTool(f"a tool that runs a command; offered are {[tool.name for tool in tools]}")


def _as_asked(tool: ToolOffer, key: str, command: str) -> Any:
    """Give a command as a text, as the words of one, or as a list of such, as the tool has it."""
    if tool.properties[key].get("type") != "array":
        return command
    return [command] if key == "commands" else ["bash", "-c", command]


def _search(request: ModelRequest) -> ToolCall | None:
    """Look for our tool where the program offers a search instead of the tools of servers."""
    tool = next((tool for tool in request.tools if tool.name in SEARCHES), None)
    is_found = any(tool.name.endswith(OURS) for tool in request.tools)
    if tool is None or is_found or request.step_is_done("search"):
        return None
    key = _fitting(tool, ("query", *tool.required))
    return ToolCall("search", tool, _completed(tool, {key: OURS}))


def _ticked(task: SpecTask, request: ModelRequest) -> tuple[ToolOffer, Any]:
    """Tick the criterion: by our tool, by the one that calls hidden ones, or in the file."""
    arguments = {"id": task.id, "check": [task.criterion]}
    ours = next((tool for tool in request.tools if tool.name.endswith(OURS)), None)
    if ours:
        return ours, arguments
    through = next((tool for tool in request.tools if tool.name == THROUGH), None)
    found = re.search(rf"[\w-]*{OURS}", request.result_of("search"))
    if through and found:
        return through, {"name": found.group(), "arguments": arguments}
    if not task.has_tools:
        return _run(request.tools, f"sed -i 's/- \\[ \\]/- [x]/' '.chant/specs/{task.id}.md'")
    raise NoTool(f"{OURS}; offered are {[tool.name for tool in request.tools]}")


def _fitting(tool: ToolOffer, names: tuple[str, ...]) -> str:
    return next((name for name in names if name in tool.properties), "")


def _first(tool: ToolOffer) -> str:
    return next(iter(tool.required or tuple(tool.properties)), "input")


def _completed(tool: ToolOffer, given: dict[str, Any]) -> dict[str, Any]:
    """Add what else a tool requires."""
    for name in tool.required:
        if name not in given:
            schema = tool.properties.get(name) or {}
            choices = schema.get("enum")
            values = {"boolean": False, "integer": 60, "number": 60, "array": [], "object": {}}
            given[name] = choices[0] if choices else values.get(str(schema.get("type")), "Work on the spec")
    return given
