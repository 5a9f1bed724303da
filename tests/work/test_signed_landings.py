"""Receipts that are signed when work lands here, and agents that want to sign or to get at a key."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli.test_signed_receipts import ADA, SIGNATURES, allowed, make_key
from harness import user_config
from trust.kit import Folder
from work.conftest import _nothing_is_left as _nothing_is_left
from work.conftest import shop as shop
from work.hostile import CODE, WORK
from work.kit import ID, Workshop
from writing import git

pytestmark = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is not here")


def prepare(shop: Workshop, key: Path, listed: Path | None = None, provider: str = "demo") -> None:
    """Let a key sign what lands, and a listed one count."""
    # Nothing else is opened to runs.
    settings = f"landing: {{signing_key: {key}}}\ntrust: {{roots: ['{shop.root}']}}\n"
    user_config().write_text(f"---\n{settings}---\n", encoding="utf-8")
    (shop.root / ".chant" / "allowed_signers").write_text(allowed(listed or key), encoding="utf-8")
    if provider == "demo":
        shop.configure("receipts: signed\n")
    shop.spec(ID, criteria=["Works"])
    shop.commit()


def signatures(shop: Workshop) -> list[str]:
    return git(shop.root, "for-each-ref", "--format=%(refname)", SIGNATURES).split()


def test_what_lands_here_is_signed_with_the_users_key(shop: Workshop, tmp_path: Path) -> None:
    prepare(shop, make_key(tmp_path, "ada"))
    shop.handle().work_start(ID)
    record = shop.ended(ID)
    assert (record["end_state"], record["reason"]) == ("completed", None)
    (spec,) = shop.handle().receipt_verify().data["specs"]
    assert (spec["verdict"], spec["signed_by"]) == ("consistent", [ADA])


def test_a_key_that_is_locked_leaves_the_receipt_unsigned_and_says_so(shop: Workshop, tmp_path: Path) -> None:
    key = make_key(tmp_path, "ada")
    subprocess.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "a passphrase", "-f", str(key)], check=True)
    prepare(shop, key)
    shop.handle().work_start(ID)
    record = shop.ended(ID)
    assert (record["end_state"], signatures(shop)) == ("completed", [])
    assert record["reason"].startswith("its receipt was not signed: `ssh-keygen` says: ")
    assert record["reason"].endswith(f"; `chant-mcp receipt sign {ID}` signs it")
    (spec,) = shop.handle().receipt_verify().data["specs"]
    assert spec["verdict"] == "signed by nobody who counts"


def test_a_machine_gets_one_key_that_it_signs_with(shop: Workshop, tmp_path: Path) -> None:
    shop.configure()
    shop.commit()
    folder = Folder(shop.project)
    code, said = folder.typed("", "receipt", "key")
    assert code == 0, said
    state = Path(os.environ["HOME"], ".local", "state", "chant-mcp", "keys")
    assert (oct(state.stat().st_mode & 0o777), [*state.iterdir()]) == ("0o700", [state / "receipts"])
    assert oct((state / "receipts").stat().st_mode & 0o777) == "0o600"
    assert folder.typed("", "receipt", "key") == (0, said)
    lines = [line.strip() for line in said.splitlines()]
    assert lines[3] == f'landing: {{signing_key: "{state}/receipts"}}'
    prepare(shop, state / "receipts", make_key(tmp_path, "ada"))
    (shop.root / ".chant" / "allowed_signers").write_text(f"{lines[1]}\n", encoding="utf-8")
    shop.commit()
    shop.handle().work_start(ID)
    shop.ended(ID)
    (spec,) = shop.handle().receipt_verify().data["specs"]
    assert spec["signed_by"] == [lines[1].split()[0]]


FORGED = "printf text > f; ssh-keygen -q -Y sign -n chant-receipt -f"
SIGNING_GIT = 'git -c gpg.format=ssh -c user.signingkey="$KEYS/.ssh/ada"'
WAYS = {
    "signs with the key": f'{FORGED} "$KEYS/.ssh/ada" f',
    "signs with the machine's key": f'{FORGED} "$KEYS/.local/state/chant-mcp/keys/receipts" f',
    "signs by a link": f'ln -s "$KEYS/.ssh/ada" k; {FORGED} k f',
    "signs by a hard link": f'ln "$KEYS/.ssh/ada" k; {FORGED} k f',
    "signs with a copy": f'cp "$KEYS/.ssh/ada" k; {FORGED} k f',
    "signs with a copy by tar": f'tar -C "$KEYS" -cf - .ssh | tar -xf -; {FORGED} .ssh/ada f',
    "signs by the root of a process": f'{FORGED} "/proc/self/root$KEYS/.ssh/ada" f',
    "signs by the root of the runner": f'cat "/proc/$PPID/root$KEYS/.ssh/ada" > k; chmod 600 k; {FORGED} k f',
    "signs by the SSH agent": f'export SSH_AUTH_SOCK="$SOCKET"; {FORGED} "$KEYS/public/ada.pub" f',
    "lists the SSH agent": 'SSH_AUTH_SOCK="$SOCKET" ssh-add -l',
    "signs by the SSH agent in Python": '"$PYTHON" -c "'
    "import socket; s = socket.socket(socket.AF_UNIX); s.connect('$SOCKET');"
    " s.sendall(b'\\\\0\\\\0\\\\0\\\\1\\\\13'); assert s.recv(5)[4] == 12\"",
    "adds the key to an agent of its own": 'eval "$(ssh-agent -s)"; ssh-add -q "$KEYS/.ssh/ada"; code=$?; '
    "ssh-agent -k; (exit $code)",
    "signs a commit": f"{SIGNING_GIT} commit -q -S --allow-empty -m S",
    "signs a tag": f"{SIGNING_GIT} tag -s -m S t",
    "signs by our command": '$OURS receipt sign --all --key "$KEYS/.ssh/ada" --project "$PROJECT"',
    "signs by our command here": '$OURS receipt sign --all --key "$KEYS/.ssh/ada"',
    "signs with git's key by our command": '$OURS receipt sign --all --project "$PROJECT"',
    "asks for a key of the machine": '$OURS receipt key --project "$PROJECT"',
    "writes the ref of a signature": 'git rev-parse HEAD > "$PROJECT/.git/$REF"',
    "moves the ref of a signature": 'git -C "$PROJECT" update-ref "$REF" HEAD',
    "pushes the ref of a signature": 'git push -q "$PROJECT" "HEAD:$REF"',
    "packs the ref of a signature": 'echo "$(git rev-parse HEAD) $REF" >> "$PROJECT/.git/packed-refs"',
    "names a key in the user's configuration": 'echo "# evil" >> "$KEYS/.config/chant/config.md"',
    "replaces the key": 'rm -f "$KEYS/.ssh/ada" && echo evil > "$KEYS/.ssh/ada"',
    "removes the list of the revoked": 'rm "$PROJECT/.chant/allowed_signers"',
}
"""Ways to a signature or to a key, each a command of a shell that ends well if it is one."""


def script(shop: Workshop, socket: Path) -> str:
    """Write all ways in one script, which says of each that it ended well."""
    home = os.environ["HOME"]
    names = {
        "PROJECT": shop.root,
        "KEYS": home,
        "SOCKET": socket,
        "REF": f"{SIGNATURES}{ID}/1--0123456789abcdef",
        "PYTHON": sys.executable,
        "OURS": f"env -i PATH=$PATH PYTHONPATH={CODE} HOME={home} {sys.executable} -m chant_mcp",
    }
    lines = [f'{name}="{value}"' for name, value in names.items()]
    for name, way in WAYS.items():
        # Each way has a folder of its own, in a repository.
        lines.append(
            f'( mkdir "way" && cd way && {{ {way}; }} ) >/dev/null 2>&1 && echo "DONE {name}"; rm -rf way'
        )
    return "\n".join([*lines, "git tag -d t 2>/dev/null", "true", ""])


@contextmanager
def agent_of_ssh(folder: Path, key: Path) -> Iterator[Path]:
    """Run an SSH agent that has a key."""
    socket = folder / "agent"
    with subprocess.Popen(["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.PIPE) as agent:
        assert agent.stdout is not None
        agent.stdout.readline()
        try:
            subprocess.run(
                ["ssh-add", "-q", str(key)], env={**os.environ, "SSH_AUTH_SOCK": str(socket)}, check=True
            )
            yield socket
        finally:
            agent.terminate()


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")
def test_no_way_leads_from_a_run_to_a_signature(shop: Workshop, tmp_path: Path) -> None:
    home = Path(os.environ["HOME"])
    for folder in (home / ".ssh", home / "public", home / ".local" / "state" / "chant-mcp" / "keys"):
        folder.mkdir(parents=True)
    key = make_key(home / ".ssh", "ada")
    machine = make_key(home / ".local" / "state" / "chant-mcp" / "keys", "receipts")
    shutil.copy(key.with_suffix(".pub"), home / "public" / "ada.pub")
    (home / ".gitconfig").write_text(f"[gpg]\nformat = ssh\n[user]\nsigningkey = {key}\n", encoding="utf-8")
    secrets = [path.read_bytes() for path in (key, machine)]
    file = tmp_path / "agent.sh"
    shop.configure(f"agents:\n  bad:\n    command: [sh, '{file}']\n", provider="bad")
    prepare(shop, tmp_path / "none", key, provider="bad")
    with agent_of_ssh(tmp_path, key) as socket:
        ways = script(shop, socket)
        file.write_text(f'cd "$CHANT_WORKTREE"\n{ways}\n{WORK}', encoding="utf-8")
        shop.handle().work_start(ID)
        record = shop.ended(ID)
        assert record["end_state"] == "completed", record["reason"]
        assert [line for line in shop.log(ID).splitlines() if "DONE" in line] == []
        assert signatures(shop) == []
        assert [path.read_bytes() for path in (key, machine)] == secrets
        assert (shop.root / ".chant" / "allowed_signers").exists()

        # The same ways lead there for the user.
        free = subprocess.run(["sh", "-c", ways], cwd=shop.root, capture_output=True, text=True, check=True)
    missed = {*WAYS} - {line.removeprefix("DONE ") for line in free.stdout.splitlines()}
    assert not missed
