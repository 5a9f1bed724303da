"""Whether what hosts' files say starts our server where this Python environment is not known."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from chant_mcp.errors import ChantError
from chant_mcp.init import files, hosts
from chant_mcp.init.console_script import is_script_of_ours

_LONGEST = 20.0
"""Seconds that a server may take to answer."""

_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "doctor", "version": "1"},
    },
}

_SYSTEM = ("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "TEMP", "TMP")
"""Variables without which Windows starts nothing."""

_EVERYWHERE = ("/usr/local/bin", "/opt/homebrew/bin")


@dataclass(frozen=True, slots=True)
class HostCheck:
    """What became of one entry of ours."""

    file: str
    command: str
    works: bool | None
    """Whether a server answered; `None` for what was not started, as it is no program of ours."""
    why: str = ""
    is_unsafe: bool = False
    """Whether it would run modules of the project in the place of ours; it was not started then."""

    @property
    def problem(self) -> str | None:
        """What is wrong with it and what helps; none where nothing is."""
        if self.is_unsafe:
            return (
                f"`{self.file}` starts our server by `{self.command}`: {self.why}. "
                "`chant-mcp init --client all` writes a start that does not."
            )
        if self.works is False:
            return (
                f"`{self.file}` starts no server outside of this environment: {self.why}. Install chant-mcp "
                "for every program (`pipx install chant-mcp`), or name the Python of this machine: "
                "`chant-mcp init --client all --this-machine --force-overwrite`."
            )
        return None

    def data(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return asdict(self)


def check_hosts(root: Path, interpreter: str, environment: Mapping[str, str]) -> list[HostCheck]:
    """Start what each host's file names for our server, as a host would that knows no environment of ours.

    Files of a project choose nothing that is run: only this installation's own program is started.

    Args:
        root: The project.
        interpreter: The Python that runs this.
        environment: Where the home folder is looked up, and what the system cannot do without.
    """
    plain = {name: environment[name] for name in _SYSTEM if name in environment}
    plain["PATH"] = os.pathsep.join(_usual_folders(environment))
    checks: list[HostCheck] = []
    for file, entry in _entries(root):
        # Several hosts start the same: that is tried once.
        known = next((one for one in checks if one.command == " ".join(hosts.words_of(entry))), None)
        is_safe = hosts.unsafe_start(entry) is None
        if known is not None and is_safe and not known.is_unsafe:
            checks.append(replace(known, file=file))
        else:
            checks.append(_checked(file, entry, interpreter, plain))
    return checks


def _usual_folders(environment: Mapping[str, str]) -> list[str]:
    """Where programs are found by a process started outside of a shell with an environment of its own."""
    home = environment.get("HOME")
    return [os.defpath, *_EVERYWHERE, *([str(Path(home, ".local", "bin"))] if home else [])]


def _entries(root: Path) -> Iterator[tuple[str, hosts.Entry]]:
    for host in hosts.host_files(("all",)):
        file = host.file
        try:
            content = files.read(root, file)
            if content is None:
                continue
            servers = hosts.servers_of(hosts.text_of(content, file), host)
        except ChantError:
            continue  # what is wrong with the file is the host's to say
        for name, entry in servers.items():
            if not isinstance(entry, dict) or "command" not in entry:
                continue
            found = cast("hosts.Entry", entry)
            if name == hosts.NAME or hosts.unsafe_start(found) is not None:
                yield file, found


def _checked(file: str, entry: hosts.Entry, interpreter: str, environment: dict[str, str]) -> HostCheck:
    words = hosts.words_of(entry)
    command, shown = words[0], " ".join(words)
    is_missing = Path(command).is_absolute() and not Path(command).exists()
    if hosts.unsafe_start(entry) is not None and not is_missing:
        why = "Python takes modules of the folder in which a host starts it, the project, for ours"
        return HostCheck(file, shown, None, why, is_unsafe=True)
    by_name = (list(hosts.start_by_name(short)) for short in (True, False))
    if words in (*by_name, list(hosts.start_by_interpreter(interpreter))):
        return _started(file, shown, words, environment)
    if is_missing:
        return HostCheck(file, shown, False, "there is no such program")
    return HostCheck(file, shown, None, "it is not this installation's program, and was not started")


def _started(file: str, shown: str, words: list[str], environment: dict[str, str]) -> HostCheck:
    is_whole = Path(words[0]).is_absolute()
    program = words[0] if is_whole else shutil.which(words[0], path=environment["PATH"])
    if program is None:
        return HostCheck(file, shown, False, f"`{words[0]}` is found only in this Python environment")
    if not is_whole and not is_script_of_ours(Path(program)):
        return HostCheck(file, shown, None, f"`{program}` is another program, and was not started")
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [program, *words[1:]],
                # Not in the project: nothing of it is needed.
                cwd=folder,
                env={**environment, "HOME": folder},
                input=json.dumps(_INITIALIZE).encode() + b"\n",
                capture_output=True,
                timeout=_LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return HostCheck(file, shown, False, f"no answer within {_LONGEST:.0f} s")
        except OSError as error:
            return HostCheck(file, shown, False, error.strerror or str(error))
    if _is_answer(done.stdout):
        return HostCheck(file, shown, True)
    last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
    return HostCheck(
        file, shown, False, last[0][:300] if last else f"it ended with exit code {done.returncode}"
    )


def _is_answer(output: bytes) -> bool:
    line = output.partition(b"\n")[0]
    try:
        answer = json.loads(line)
    except ValueError:
        return False
    return isinstance(answer, dict) and "result" in answer
