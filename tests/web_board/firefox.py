"""Firefox as it is installed, over its own protocol: Playwright drives only a build of its own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr")

_PREFERENCES = """\
user_pref("marionette.port", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("extensions.getAddons.cache.enabled", false);
user_pref("services.settings.server", "data:,");
"""

_READ_ERRORS = """
return Services.console.getMessageArray().filter((it) => it instanceof Ci.nsIScriptError)
  .filter((it) => it.sourceName.startsWith(arguments[0]) || it.category.startsWith("Content Security"))
  .map((it) => it.errorMessage);
"""

_NOTE_TEXTS = """
window.consoleTexts = [];
for (const name of ["debug", "info", "log", "warn", "error", "assert", "trace"]) {
  console[name] = (...parts) => window.consoleTexts.push(parts.map(String).join(" "));
}
"""
"""The console of a page is kept in a process that the protocol does not reach."""


class FirefoxPage:
    """The one page of a Firefox."""

    def __init__(self, port: int) -> None:
        """Open the conversation."""
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._lines = self._socket.makefile("rb")
        self._count = 0
        self._url = ""
        self._read()  # Firefox introduces itself
        self.send("WebDriver:NewSession", strictFileInteractability=False)
        self.send("WebDriver:SetWindowRect", width=1300, height=900)

    def send(self, command: str, **parameters: Any) -> Any:
        """Send a command and give its answer."""
        self._count += 1
        message = json.dumps([0, self._count, command, parameters]).encode()
        self._socket.sendall(b"%d:%s" % (len(message), message))
        _, number, error, answer = self._read()
        assert number == self._count
        assert error is None, (command, error)
        return answer

    def _read(self) -> Any:
        length = b""
        while (digit := self._lines.read(1)) != b":":
            assert digit, "Firefox has ended"
            length += digit
        return json.loads(self._lines.read(int(length)))

    def open(self, url: str) -> None:
        """Load a page."""
        self._url = url.partition("#")[0]
        self.send("WebDriver:Navigate", url=url)
        self.run(_NOTE_TEXTS)

    def run(self, script: str, *given: Any) -> Any:
        """Run the body of a function in the page."""
        return self.send("WebDriver:ExecuteScript", script=script, args=given)["value"]

    def errors(self) -> list[str]:
        """Give what the console says, errors of the page among it."""
        texts: list[str] = self.run("return window.consoleTexts")
        self.send("Marionette:SetContext", value="chrome")
        try:
            return [*self.run(_READ_ERRORS, self._url), *texts]
        finally:
            self.send("Marionette:SetContext", value="content")

    def close(self) -> None:
        """End the conversation."""
        self._lines.close()
        self._socket.close()


@contextmanager
def started_firefox(program: str, profile: Path) -> Iterator[FirefoxPage]:
    """Start Firefox without a window, with an empty profile; it ends with the block."""
    profile.mkdir()
    (profile / "user.js").write_text(_PREFERENCES, encoding="utf-8")
    words = ("--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile")
    environment = {**os.environ, "HOME": str(profile), "MOZ_CRASHREPORTER_DISABLE": "1"}
    process = subprocess.Popen(
        [program, *words, str(profile)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        page = FirefoxPage(_port_of(profile, process))
        yield page
        page.close()
    finally:
        process.terminate()
        process.wait(30)


def _port_of(profile: Path, process: subprocess.Popen[bytes]) -> int:
    """Wait for the port that Firefox chose, which it writes into its profile."""
    file = profile / "MarionetteActivePort"
    until = time.monotonic() + 60
    while not (file.exists() and file.read_text("utf-8").strip()):
        assert process.poll() is None, "Firefox has ended"
        assert time.monotonic() < until, "Firefox names no port"
        time.sleep(0.05)
    return int(file.read_text("utf-8"))
