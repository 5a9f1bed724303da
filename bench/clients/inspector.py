"""The Inspector's two command lines, asked for the same steps: each step is a process."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from bench.clients.client_program import LONGEST, NotSupportedError, StepFailedError

_LISTS = {
    "tools": ("tools/list", "tools", "name"),
    "resources": ("resources/list", "resources", "uri"),
    "templates": ("resources/templates/list", "resourceTemplates", "uriTemplate"),
    "prompts": ("prompts/list", "prompts", "name"),
}
"""By step: the method, and where in its result the names are."""


class InspectorCommand:
    """`mcp-inspector --cli`: each process has a connection of its own."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Take the command; no process is started yet."""
        self._command = command
        self._environment = {**environment, "MCP_INSPECTOR_SECRET_STORE": "memory"}
        self._server: tuple[str, ...] = ()

    def ask(self, request: Mapping[str, Any]) -> Any:
        """As `ClientProgram.ask`.

        Raises:
            StepFailedError: When it failed.
            NotSupportedError: When there is no command for it.
        """
        step = request["do"]
        if step in _LISTS:
            method, rows, name = _LISTS[step]
            return [row[name] for row in self._result(method)[rows]]
        if step == "read":
            return self._result("resources/read", "--uri", request["uri"])["contents"][0]["text"]
        if step == "call":
            words = ("--tool-name", request["name"], "--tool-args-json", json.dumps(request["arguments"]))
            return _text(self._result("tools/call", *words))
        if step == "connect":
            return self._connected(request)
        return self._further(request)

    def end(self) -> None:
        """End what still runs: nothing does."""

    def _connected(self, request: Mapping[str, Any]) -> str:
        era = ("--protocol-era", request["era"])
        target = ("--server-url", request["url"]) if "url" in request else ("--cwd", request["cwd"])
        self._server = (*era, *target, *_command_of(request))
        return self._result("initialize")["protocolVersion"]

    def _further(self, request: Mapping[str, Any]) -> Any:
        raise NotSupportedError("the command line completes nothing and subscribes to nothing")

    def _words(self, method: str, words: Sequence[str]) -> list[str]:
        """Give the words of a command; the command of the server comes last."""
        return [*self._command, "--quiet", "--format", "json", "--method", method, *words, *self._server]

    def _result(self, method: str, *words: str) -> dict[str, Any]:
        try:
            done = subprocess.run(
                self._words(method, words),
                env=self._environment,
                capture_output=True,
                text=True,
                timeout=LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise StepFailedError(f"{method} gave no answer in {LONGEST:.0f} s") from None
        if done.returncode:
            raise StepFailedError(f"{method} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
        answer = json.loads(done.stdout)
        return answer.get("result", answer)


class McpdoCommand(InspectorCommand):
    """`mcpdo`: its daemon keeps the connection, and a subscription is a process that runs on."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Take the command; no process is started yet."""
        super().__init__(command, environment)
        self._stream: subprocess.Popen[str] | None = None

    def end(self) -> None:
        """End the subscription, the daemon, and the server that it started."""
        if self._stream is not None:
            self._stream.terminate()
            self._stream.communicate()
        self._result("daemon", "stop")

    def _connected(self, request: Mapping[str, Any]) -> str:
        target = (request["url"],) if "url" in request else ("--cwd", request["cwd"], *_command_of(request))
        self._result("connect", "--era", request["era"], *target)
        return self._result("connections/show")["protocolVersion"]

    def _further(self, request: Mapping[str, Any]) -> Any:
        match request["do"]:
            case "complete":
                reference = ("--complete-ref-type", "ref/resource", "--complete-ref", request["template"])
                argument = ("--complete-arg-name", request["argument"])
                value = ("--complete-arg-value", request["value"])
                return self._result("prompts/complete", *reference, *argument, *value)["values"]
            case "subscribe":
                return self._subscribed(request["uri"])
            case _ if request["event"] in ("tools", "resources"):
                raise NotSupportedError("the command line shows no changes of lists")
            case _:
                return self._event()["uri"]

    def _words(self, method: str, words: Sequence[str]) -> list[str]:
        return [*self._command, "--format", "json", "--connection", "outside", method, *words]

    def _subscribed(self, uri: str) -> str:
        self._stream = subprocess.Popen(
            self._words("resources/subscribe", ("--uri", uri)),
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self._event()["type"]

    def _event(self) -> dict[str, Any]:
        """Read what the subscription prints next: an object of several lines."""
        assert self._stream is not None
        assert self._stream.stdout is not None
        limit = threading.Timer(LONGEST, self._stream.kill)
        limit.start()
        text = ""
        for line in self._stream.stdout:
            text += line
            if line == "}\n":
                limit.cancel()
                return json.loads(text)
        limit.cancel()
        raise StepFailedError(f"the subscription ended or said nothing in {LONGEST:.0f} s; before: {text}")


def _command_of(request: Mapping[str, Any]) -> tuple[str, ...]:
    return ("--", *request["command"]) if "command" in request else ()


def _text(result: Mapping[str, Any]) -> str:
    text = result["content"][0]["text"]
    if result.get("isError"):
        raise StepFailedError(text)
    return text
