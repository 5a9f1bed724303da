"""Configuration of hosts: our server among the servers of a project."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple, cast

from chant_mcp.errors import InvalidDocumentError
from chant_mcp.init import files, json_text
from chant_mcp.program import own_program

Entry = dict[str, Any]
"""How a host starts a server."""

TOKEN_VARIABLE = "CHANT_MCP_TOKEN"
"""The variable in which a person hands the token of a running server to a host."""


class _HostFile(NamedTuple):
    file: str
    """The file, relative to the project."""
    key: str
    """The key under which it lists servers."""
    token: str
    """How it refers to a token that stands elsewhere: in a variable, or VS Code asks for the input `NAME`."""


_HOSTS = {
    "claude": _HostFile(".mcp.json", "mcpServers", f"${{{TOKEN_VARIABLE}}}"),
    "cursor": _HostFile(".cursor/mcp.json", "mcpServers", f"${{env:{TOKEN_VARIABLE}}}"),
    "vscode": _HostFile(".vscode/mcp.json", "servers", "${input:NAME}"),
}

CLIENTS = (*_HOSTS, "all")
"""What `--client` takes."""

NAME = "chant"
"""What our server is called among those of a host."""

_KEEPS_OUT = re.compile("-[A-Za-z]*[PI][A-Za-z]*")
"""An option of Python that keeps the working folder off the search path of modules."""


def entry(interpreter: str, chant_is_ours: bool) -> Entry:
    """Give the entry that starts this installation's server.

    Args:
        interpreter: The Python that runs this.
        chant_is_ours: Whether the program `chant` that a host finds is this installation's, also where the
            host knows nothing of its environment.
    """
    if chant_is_ours:
        return {"type": "stdio", "command": "chant", "args": ["mcp"]}
    command, *args = own_program(interpreter)
    return {"type": "stdio", "command": command, "args": args}


def unsafe_start(entry: Entry) -> int | None:
    """Say how many words of an entry start our package in a way that takes modules of the project for ours.

    Hosts start servers in the project, and `python -m` looks for modules there first. `-P`, `-I` and
    PYTHONSAFEPATH keep Python from that.

    Returns:
        How many of the words, from the program on, say that our package is started; none for any other entry.
    """
    words = words_of(entry)
    for at, word in enumerate(words[1:], 1):
        is_start = word == "-mchant_mcp" or words[at : at + 2] == ["-m", "chant_mcp"]
        if is_start and not any(map(_KEEPS_OUT.fullmatch, words[1:at])):
            variables = json_text.as_object(entry.get("env")) or {}
            return None if variables.get("PYTHONSAFEPATH") else at + 1 + (word == "-m")
    return None


def words_of(entry: Entry) -> list[str]:
    """Give the program that an entry starts, with its arguments."""
    args = entry.get("args")
    listed = cast("list[object]", args) if isinstance(args, list) else []
    return [str(entry.get("command", "")), *map(str, listed)]


def block(ours: Entry) -> str:
    """Write a whole configuration with our server alone."""
    return json.dumps({"mcpServers": {NAME: ours}}, indent=2, ensure_ascii=False)


def entry_over_http(url: str, token: str | None) -> Entry:
    """Give the entry that leads to a server which runs already.

    Args:
        url: Where it serves.
        token: What it asks for, or a reference to that; nothing where it asks for none.
    """
    headers = {} if token is None else {"headers": {"Authorization": f"Bearer {token}"}}
    return {"type": "http", "url": url, **headers}


def token_reference(file: str, name: str) -> str:
    """Say how a host's file refers to the token of a server.

    The token itself stands in no file of a project: git may track it, and agents' runs can read it.

    Args:
        file: The host's file.
        name: The server's name in it.
    """
    host = next(host for host in _HOSTS.values() if host.file == file)
    return host.token.replace("NAME", _question_id(name))


def with_running(text: str, key: str, name: str, entry: Entry, file: str) -> str:
    """Give the text of a host's file with a server that runs; where the host asks for the token, with that.

    Raises:
        InvalidDocumentError: When it is no plain JSON object.
    """
    after = with_entry(text, (key, name), entry, file)
    if not _asks(entry):
        return after
    question = {
        "type": "promptString",
        "id": _question_id(name),
        "description": f"Token of the server {name}; `chant-mcp serve` says where it is",
        "password": True,
    }
    others = _other_questions(after, name, file)
    return json_text.with_value(after, ("inputs",), [*others, question], file)


def without_running(text: str, key: str, name: str, file: str) -> str:
    """Give the text of a host's file without a server and what was asked for it.

    Raises:
        InvalidDocumentError: When it is no plain JSON object.
    """
    entry = json_text.as_object(json_text.value_at(text, (key, name), file)) or {}
    after = json_text.without(text, (key, name), file)
    if not _asks(entry):
        return after
    others = _other_questions(after, name, file)
    if others:
        return json_text.with_value(after, ("inputs",), others, file)
    return json_text.without(after, ("inputs",), file)


def _asks(entry: Entry) -> bool:
    return "${input:" in json.dumps(entry)


def _question_id(name: str) -> str:
    return f"{name}-token"


def _other_questions(text: str, name: str, file: str) -> list[object]:
    """Give what a host asks for beside the token of a server."""
    listed = json_text.value_at(text, ("inputs",), file)
    if listed is None:
        return []
    if not isinstance(listed, list):
        raise InvalidDocumentError(f"`inputs` in `{file}` is not a JSON list. Nothing was changed.")
    ours = _question_id(name)
    return [one for one in cast("list[object]", listed) if (json_text.as_object(one) or {}).get("id") != ours]


def places(clients: tuple[str, ...]) -> list[tuple[str, str]]:
    """Give each host's file, and the key under which it lists servers."""
    named = [host for name, host in _HOSTS.items() if name in clients or "all" in clients]
    return [(host.file, host.key) for host in named]


def changes(root: Path, clients: tuple[str, ...], ours: Entry, force: bool) -> list[files.FileChange]:
    """Plan what a host's file shall hold, for each of the hosts named.

    Everything in the file but our server stays byte for byte. An entry of ours keeps keys such as
    `env`, and is not touched at all when it starts the same program, unless `force` is given. Of one that
    starts our package unsafely, whatever its name, only the start is replaced: what is given to it stays.

    Raises:
        InvalidDocumentError: When a file is no plain JSON object.
    """
    return [_change(root, name, key, ours, force) for name, key in places(clients)]


def _change(root: Path, name: str, key: str, ours: Entry, force: bool) -> files.FileChange:
    before = files.read(root, name)
    text = text_of(before or b"", name)
    servers = listed(text, key, name)
    is_left = False
    for server, entry in servers.items():
        kept = json_text.as_object(entry) or {}
        safe = _started_safely(kept, ours)
        if safe is None or (force and server == NAME):
            continue
        for word in ("command", "args"):
            if safe[word] != kept.get(word):
                text = json_text.with_value(text, (key, server, word), safe[word], name)
        is_left |= server == NAME
    kept = json_text.as_object(servers.get(NAME)) or {}
    if before is not None and not force and (is_left or _starts_the_same(kept, ours)):
        return files.FileChange(name, before, text.encode())
    return files.FileChange(name, before, with_entry(text, (key, NAME), {**kept, **ours}, name).encode())


def _started_safely(entry: Entry, ours: Entry) -> Entry | None:
    """Give an entry that starts our package unsafely as it starts this installation; none for any other."""
    length = unsafe_start(entry)
    if length is None:
        return None
    start = [word for word in ours["args"] if word != "mcp"]
    given = words_of(entry)[length:]
    # A program that is found by its name is told what to do.
    told = ["mcp"] if not start and "mcp" not in given else []
    return {**entry, "command": ours["command"], "args": [*start, *given, *told]}


def listed(text: str, key: str, name: str) -> dict[str, Any]:
    """Give the servers that a host's file lists under a key; none of an empty file.

    Raises:
        InvalidDocumentError: When it is no plain JSON object.
    """
    servers = json_text.value_at(text, (key,), name) if text.strip() else None
    return json_text.as_object(servers) or {}


def with_entry(text: str, path: tuple[str, str], entry: Entry, name: str) -> str:
    """Give the text of a host's file with a server's entry; an empty file becomes a whole configuration.

    Args:
        text: What the file says.
        path: The key under which the host lists servers, and the server's name.
        entry: How it is started or reached.
        name: The file.

    Raises:
        InvalidDocumentError: When it is no plain JSON object.
    """
    if text.strip():
        return json_text.with_value(text, path, entry, name)
    key, server = path
    return json.dumps({key: {server: entry}}, indent=2, ensure_ascii=False) + "\n"


def text_of(content: bytes, name: str) -> str:
    """Give what a host's file says.

    Raises:
        InvalidDocumentError: When it is no UTF-8.
    """
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidDocumentError(f"`{name}` is not UTF-8. Nothing was changed.") from error


def _starts_the_same(present: Entry, ours: Entry) -> bool:
    words, wanted = words_of(present), words_of(ours)
    return words[: len(wanted)] == wanted
