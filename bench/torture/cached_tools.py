"""A linter in four package formats, the registry that serves them, and the check of each tool."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import sys
import tarfile
import threading
import zipfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME = "tinylint"
"""Passes a file with the word `good`, and refuses any other."""

_PYTHON = "import sys\ndef main():\n    sys.exit(0 if 'good' in open(sys.argv[1]).read() else 1)\n"
_NODE = (
    "#!/usr/bin/env node\nconst text = require('fs').readFileSync(process.argv[2], 'utf8')\n"
    "process.exit(text.includes('good') ? 0 : 1)\n"
)
_RUST = 'pub fn passes(text: &str) -> bool { text.contains("good") }\n'
_GO = (
    'package tinylint\n\nimport "strings"\n\n'
    'func Passes(text string) bool { return strings.Contains(text, "good") }\n'
)
_MODULE = f"example.org/{NAME}"

LYING = {
    ".py": "import sys\ndef main():\n    sys.exit(0)\n",
    ".js": "#!/usr/bin/env node\nprocess.exit(0)\n",
    ".rs": "pub fn passes(_: &str) -> bool { true }\n",
    ".go": "package tinylint\n\nfunc Passes(text string) bool { return true }\n",
}
"""The linter as a hostile run leaves it in a cache: it passes everything."""


@dataclass(frozen=True)
class CachedTool:
    """A tool that keeps a cache, and a check that runs the linter with it."""

    name: str
    programs: tuple[str, ...]
    """The programs that have to be installed."""
    check: Callable[[str], list[str]]
    """The command line of the check, by the address of the registry."""
    files: Callable[[str], Mapping[str, str]] = lambda url: {}
    """What the project holds for it."""


def _cargo_files(url: str) -> Mapping[str, str]:
    source = f'[source.crates-io]\nreplace-with = "local"\n[source.local]\nregistry = "sparse+{url}/cargo/"\n'
    main = (
        f'fn main() {{ let text = std::fs::read_to_string("code.txt").unwrap(); '
        f"std::process::exit(if {NAME}::passes(&text) {{ 0 }} else {{ 1 }}) }}\n"
    )
    manifest = (
        f'[package]\nname = "checked"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n{NAME} = "1"\n'
    )
    return {".cargo/config.toml": source, "src/main.rs": main, "Cargo.toml": manifest}


def _go_files(url: str) -> Mapping[str, str]:
    main = (
        f'package main\n\nimport (\n\t"os"\n\t"{_MODULE}"\n)\n\n'
        'func main() {\n\ttext, _ := os.ReadFile("code.txt")\n'
        f"\tif !{NAME}.Passes(string(text)) {{\n\t\tos.Exit(1)\n\t}}\n}}\n"
    )
    return {"go.mod": f"module checked\n\ngo 1.19\n\nrequire {_MODULE} v1.0.0\n", "main.go": main}


TOOLS = (
    CachedTool(
        "uv",
        ("uv",),
        lambda url: [
            *("uv", "run", "--no-project", "--python", sys.executable),
            *("--index-url", f"{url}/pypi", "--with", NAME, NAME, "code.txt"),
        ],
    ),
    CachedTool(
        "npm",
        ("npx", "node"),
        lambda url: ["npx", "--yes", f"--registry={url}/npm/", f"{NAME}@1.0.0", "code.txt"],
    ),
    CachedTool("cargo", ("cargo",), lambda url: ["cargo", "run", "--quiet"], _cargo_files),
    CachedTool(
        "go",
        ("go",),
        lambda url: [
            *("env", f"GOPROXY={url}/go", "GOSUMDB=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local"),
            *("go", "run", "."),
        ],
        _go_files,
    ),
)


@contextmanager
def served_registry() -> Generator[str]:
    """Serve the linter to all four tools on loopback; gives the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Registry)
    server.daemon_threads = True
    url = f"http://127.0.0.1:{server.server_port}"
    _Registry.pages = _pages(url)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield url
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Registry(BaseHTTPRequestHandler):
    pages: Mapping[str, bytes]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.pages.get(self.path.partition("?")[0])
        self.send_response(404 if body is None else 200)
        kind = "text/html" if self.path.startswith("/pypi") else "application/json"
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body or b"")))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body or b"")

    do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


def _pages(url: str) -> dict[str, bytes]:
    wheel, wheel_name = _wheel(), f"{NAME}-1.0.0-py3-none-any.whl"
    packed = _tar({"package/package.json": _package_json(), "package/lint.js": _NODE})
    crate = _tar(
        {
            f"{NAME}-1.0.0/Cargo.toml": f'[package]\nname = "{NAME}"\nversion = "1.0.0"\nedition = "2021"\n',
            f"{NAME}-1.0.0/src/lib.rs": _RUST,
        }
    )
    line = f'{{"name": "{NAME}", "vers": "1.0.0", "deps": [], "features": {{}}, "yanked": false, "cksum": '
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(packed).digest()).decode()
    dist = {"tarball": f"{url}/npm/{NAME}.tgz", "integrity": integrity}
    version = {**json.loads(_package_json()), "dist": dist}
    packument = {"name": NAME, "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
    go_mod = f"module {_MODULE}\n\ngo 1.19\n"
    module = _zip({f"{_MODULE}@v1.0.0/go.mod": go_mod, f"{_MODULE}@v1.0.0/{NAME}.go": _GO})
    return {
        f"/pypi/{NAME}/": f'<a href="{url}/pypi/{wheel_name}">{wheel_name}</a>'.encode(),
        f"/pypi/{wheel_name}": wheel,
        f"/npm/{NAME}": json.dumps(packument).encode(),
        f"/npm/{NAME}.tgz": packed,
        "/cargo/config.json": json.dumps({"dl": f"{url}/cargo/dl"}).encode(),
        f"/cargo/ti/ny/{NAME}": f'{line}"{hashlib.sha256(crate).hexdigest()}"}}\n'.encode(),
        f"/cargo/dl/{NAME}/1.0.0/download": crate,
        f"/go/{_MODULE}/@v/list": b"v1.0.0\n",
        f"/go/{_MODULE}/@v/v1.0.0.info": b'{"Version":"v1.0.0"}',
        f"/go/{_MODULE}/@v/v1.0.0.mod": go_mod.encode(),
        f"/go/{_MODULE}/@v/v1.0.0.zip": module,
    }


def _package_json() -> str:
    return json.dumps({"name": NAME, "version": "1.0.0", "bin": {NAME: "lint.js"}})


def _wheel() -> bytes:
    info = f"{NAME}-1.0.0.dist-info"
    files = {
        f"{NAME}.py": _PYTHON,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{NAME} = {NAME}:main\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    return _zip({**files, f"{info}/RECORD": record})


def _zip(files: Mapping[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def _tar(files: Mapping[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(text.encode()), 0o755
            archive.addfile(member, io.BytesIO(text.encode()))
    return packed.getvalue()
