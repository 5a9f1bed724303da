"""What developers do in a folder: a script that runs confined, takes each step, and says how it went."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

LONGEST = 300
"""Seconds for one step."""

SQLITE = """
import sqlite3
base = sqlite3.connect("base.db")
base.execute("pragma journal_mode=wal")
base.execute("create table t (x)")
with base:
    base.execute("insert into t values (1)")
other = sqlite3.connect("base.db")
assert other.execute("select x from t").fetchall() == [(1,)]
"""

SERVER = """
import http.server, threading, urllib.request
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
opener.open("http://127.0.0.1:%d/" % server.server_port).read()
"""

PROCESSES = """
import multiprocessing
def double(number):
    return 2 * number
if __name__ == "__main__":
    # From Python 3.14 on the usual way begins with a socket that has a name, which runs may not make.
    ways = set(multiprocessing.get_all_start_methods()) - {"forkserver"}
    for way in sorted(ways):
        with multiprocessing.get_context(way).Pool(2) as pool:
            assert pool.map(double, [1, 2]) == [2, 4]
"""

MAKEFILE = "all:\n\tcc -o hello hello.c\n\t./hello\n"
HELLO = '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n'

FILES = {
    "sqlite.py": SQLITE,
    "server.py": SERVER,
    "processes.py": PROCESSES,
    "pair.py": "import socket\na, b = socket.socketpair()\na.send(b'x')\nassert b.recv(1)\n",
    "make/Makefile": MAKEFILE,
    "make/hello.c": HELLO,
    "test_one.py": "def test_one(tmp_path):\n    (tmp_path / 'a').write_text('a')\n",
    "package.json": '{"name": "one", "version": "1.0.0", "scripts": {"test": "node one.js"}}\n',
    "one.js": 'require("fs").writeFileSync("js.txt", "x");\n',
    "other/package.json": '{"name": "other", "version": "1.0.0"}\n',
    "crate/Cargo.toml": '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2021"\n',
    "crate/src/lib.rs": "#[test]\nfn one() { assert_eq!(1 + 1, 2); }\n",
}

PYTHON = sys.executable

STEPS: dict[str, str] = {
    "git commit": "git init -q -b main && git add -A && git commit -qm one",
    "git amend": "git commit -q --amend -m two",
    "git switch": "git switch -qc other && git commit -q --allow-empty -m three && git switch -q main",
    "git rebase": "git commit -q --allow-empty -m four && git switch -q other && git rebase -q main",
    "git stash": "echo x >> one.js && git stash -q && git stash pop -q && git checkout -q one.js",
    "git gc": "git gc -q --prune=now && git fsck",
    "git clone": "git clone -q . cloned && git -C cloned log --oneline",
    "python": f"{PYTHON} -c 'import ssl, json, tempfile; tempfile.TemporaryFile()'",
    "python processes": f"{PYTHON} -c 'import subprocess; subprocess.run([\"true\"], check=True)'",
    "python multiprocessing": f"{PYTHON} processes.py",
    "python venv": f"{PYTHON} -m venv --without-pip env && env/bin/python -c 'import json'",
    "pytest": f"{PYTHON} -m pytest -q test_one.py",
    "make and cc": "make -C make",
    "sqlite with a log": f"{PYTHON} sqlite.py",
    "server on this machine": f"{PYTHON} server.py",
    "sockets among themselves": f"{PYTHON} pair.py",
    "nice and limits of its own": "nice -n 5 true && (ulimit -n 64; true)",
    "signals among themselves": "sleep 100 & kill $!; wait $! || true",
    "pipes and here documents": "mkfifo pipe && (echo x > pipe &) && cat pipe && cat <<< x > /dev/stderr",
    "node": "node one.js && test -f js.txt",
}
"""The usual steps, by their names."""

HEAVY: dict[str, str] = {
    "npm install and test": "npm install --offline --no-audit ./other && npm test",
    "cargo build and test": "cd crate && cargo build -q --offline && cargo test -q --offline",
    "python venv with pip": f"{PYTHON} -m venv env2 && env2/bin/pip --version",
}
"""Steps that take seconds."""


def main() -> None:
    """Take the steps that are named, and print what went wrong."""
    for name, text in FILES.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    wrong: dict[str, str] = {}
    for name in json.loads(sys.argv[1]):
        step = {**STEPS, **HEAVY}[name]
        program = step.split()[0]
        if shutil.which(program) is None and program != "cd":
            continue
        done = subprocess.run(
            ["bash", "-c", f"set -e; {step}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LONGEST,
            env=os.environ,
            check=False,
        )
        if done.returncode:
            wrong[name] = done.stdout.decode(errors="replace")[-2000:]
    sys.stdout.write(json.dumps(wrong))


if __name__ == "__main__":
    main()
