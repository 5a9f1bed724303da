"""`receipt sign`: whose machine says that a receipt is true, checked by us and by `ssh-keygen` alone."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.at_work import FIRST
from cli.kit import Cli
from cli.test_receipts import SCRIPT, Landed, canonical
from harness import Project
from writing import git

pytestmark = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is not here")

NEEDS_JQ = pytest.mark.skipif(not shutil.which("jq"), reason="jq is not here")
ADA = "ada@example.org"
SIGNATURES = "refs/chant/signatures/"


def make_key(folder: Path, name: str) -> Path:
    """Make a key without a passphrase; its public half lies beside it."""
    key = folder / name
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(key)]
    subprocess.run(words, check=True)
    return key


def allowed(key: Path, options: str = 'namespaces="chant-receipt"', who: str = ADA) -> str:
    """Write the line that lets a key sign receipts."""
    kind, public, _ = key.with_suffix(".pub").read_text(encoding="utf-8").split()
    return f"{who} {options} {kind} {public}\n"


class Signed:
    """A project with a receipt, whose target lets a key sign."""

    def __init__(self, cli: Cli, folder: Path, listed: str) -> None:
        self.cli, self.root = cli, cli.project.root
        self.key = folder / "ada"
        (self.root / ".chant").mkdir(exist_ok=True)
        (self.root / ".chant" / "allowed_signers").write_text(listed, encoding="utf-8")
        self.landed = Landed.made(cli.project)
        cli("finalize", FIRST)

    @property
    def receipt(self) -> str:
        """The ref of the receipt."""
        return git(self.root, "for-each-ref", "--format=%(refname)", f"refs/chant/receipts/{FIRST}").strip()

    def rewrite(self, **changes: Any) -> None:
        """Put another receipt in the place of the one that is there."""
        said = json.loads(git(self.root, "cat-file", "blob", self.receipt))
        file = self.root.parent / "receipt"
        file.write_text(canonical({**said, **changes}), encoding="utf-8")
        blob = git(self.root, "hash-object", "-w", "--no-filters", str(file)).strip()
        git(self.root, "update-ref", self.receipt, blob)

    def envelope(self) -> dict[str, Any]:
        """Read the only signature."""
        return json.loads(git(self.root, "cat-file", "blob", *self.refs()))

    def statement(self) -> bytes:
        """Read what it is about."""
        return base64.b64decode(self.envelope()["payload"])

    def signature(self, text: bytes, *, namespace: str = "chant-receipt", key: Path | None = None) -> bytes:
        """Sign a statement as `ssh-keygen` does."""
        kind = "application/vnd.in-toto+json"
        words = ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", str(key or self.key)]
        signed = f"DSSEv1 {len(kind)} {kind} {len(text)} ".encode() + text
        return subprocess.run(words, input=signed, capture_output=True, check=True).stdout

    def replace(self, payload: bytes = b"", signature: bytes = b"", **keys: str) -> None:
        """Put another signature in the place of the only one."""
        envelope = {**self.envelope(), **keys}
        if payload:
            envelope["payload"] = base64.b64encode(payload).decode()
        if signature:
            envelope["signatures"][0]["sig"] = base64.b64encode(signature).decode()
        file = self.root.parent / "envelope"
        file.write_text(json.dumps(envelope), encoding="utf-8")
        blob = git(self.root, "hash-object", "-w", "--no-filters", str(file)).strip()
        git(self.root, "update-ref", *self.refs(), blob)

    def refs(self) -> list[str]:
        """Name the signatures that are kept."""
        return git(self.root, "for-each-ref", "--format=%(refname)", SIGNATURES).split()

    def said(self) -> str:
        """Give what `verify` says, of a receipt that holds."""
        return self.cli("receipt", "verify", FIRST)


@pytest.fixture
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_key(tmp_path_factory.mktemp("keys"), "ada")


@pytest.fixture
def signed(cli: Cli, key: Path) -> Signed:
    return Signed(cli, key.parent, allowed(key))


def test_a_receipt_is_signed_by_a_person_whom_the_target_knows(signed: Signed, cli: Cli) -> None:
    assert "signed by" not in signed.said()
    done = cli("receipt", "sign", FIRST, "--key", str(signed.key))
    assert "1 receipt signed with SHA256:" in done
    [ref] = signed.refs()
    name = signed.receipt.removeprefix("refs/chant/receipts/")
    assert ref.startswith(f"{SIGNATURES}{name}--")
    assert f"{FIRST}: consistent, signed by {ADA}" in signed.said()
    again = cli("receipt", "sign", "--all", "--key", str(signed.key))
    assert "0 receipts signed" in again
    assert "1 signed before" in again
    assert signed.refs() == [ref]


def check_by_shell(signed: Signed, branch: str = "main") -> subprocess.CompletedProcess[str]:
    """Check the first signature by the words of the guide, without us."""
    page = (Path(__file__).parents[2] / "docs/guide/done.md").read_text(encoding="utf-8")
    script = page.split("<!-- checks a signature -->")[1].split("```")[1].removeprefix("bash elsewhere\n")
    assert len(script.splitlines()) <= 20
    words = ["bash", "-c", script, "check", FIRST, branch]
    return subprocess.run(words, cwd=signed.root, capture_output=True, text=True, check=False)


@NEEDS_JQ
def test_a_person_without_us_can_check_it(signed: Signed, cli: Cli) -> None:
    cli("receipt", "sign", FIRST, "--key", str(signed.key))
    found = check_by_shell(signed)
    assert found.returncode == 0, found.stderr
    assert f'Good "chant-receipt" signature for {ADA}' in found.stdout


def change_a_byte(signed: Signed) -> None:
    said = signed.statement()
    signed.replace(payload=said.replace(b'"completed"', b'"c0mpleted"'))


def sign_for_something_else(signed: Signed) -> None:
    signed.replace(signature=signed.signature(signed.statement(), namespace="git"))


def change_the_type(signed: Signed) -> None:
    signed.replace(payloadType="application/json")


def sign_with_a_key_of_nobody(signed: Signed) -> None:
    signed.replace(signature=signed.signature(signed.statement(), key=make_key(signed.root.parent, "eve")))


def let_the_key_expire(signed: Signed) -> None:
    listed = allowed(signed.key, 'namespaces="chant-receipt",valid-before="20200101"')
    signed.landed.commit("Ada left", ".chant/allowed_signers", listed)


def revoke_the_key(signed: Signed) -> None:
    public = signed.key.with_suffix(".pub").read_text(encoding="utf-8")
    signed.landed.commit("Ada's key was stolen", ".chant/revoked_signers", public)


def list_the_key_on_a_branch_alone(signed: Signed) -> None:
    signed.landed.git("switch", "-qc", "other")
    signed.landed.git("switch", "-q", "main")
    signed.landed.commit("Nobody signs", ".chant/allowed_signers", "")
    signed.landed.git("switch", "-q", "other")


def take_that_of_another_spec(signed: Signed) -> None:
    said = json.loads(signed.statement())
    said["predicate"]["spec"] = "2026-01-22-009-oth"
    text = canonical(said).encode()
    signed.replace(payload=text, signature=signed.signature(text))


@NEEDS_JQ
@pytest.mark.parametrize(
    ("forge", "why"),
    [
        (change_a_byte, "the receipt was changed after signing"),
        (sign_for_something_else, "its signature is none that `ssh-keygen` made for this"),
        (change_the_type, "it cannot be read as an envelope of a signed statement"),
        (sign_with_a_key_of_nobody, "signed by nobody who counts"),
        (let_the_key_expire, "signed by nobody who counts"),
        (revoke_the_key, "signed by nobody who counts"),
        (list_the_key_on_a_branch_alone, "signed by nobody who counts"),
        (take_that_of_another_spec, "the receipt was changed after signing"),
    ],
)
def test_no_forged_signature_counts_for_us_or_for_the_shell(
    signed: Signed, cli: Cli, forge: Callable[[Signed], None], why: str
) -> None:
    cli("receipt", "sign", FIRST, "--key", str(signed.key))
    assert check_by_shell(signed).returncode == 0
    forge(signed)
    said = cli("receipt", "verify", FIRST, "--target", "main")
    assert why in said
    assert "signed by ada" not in said
    assert check_by_shell(signed).returncode != 0


def test_nobody_signs_what_does_not_hold(signed: Signed, cli: Cli) -> None:
    signed.rewrite(tree="0" * 40)
    found = cli.run("receipt", "sign", FIRST, "--key", str(signed.key))
    assert found.exit_code == 1
    assert f"{FIRST}: not signed; its receipt says: does not hold" in found.stderr
    assert signed.refs() == []


def test_a_receipt_that_is_changed_loses_its_signature(signed: Signed, cli: Cli) -> None:
    cli("receipt", "sign", FIRST, "--key", str(signed.key))
    signed.rewrite(agent="another")
    said = signed.said()
    assert "the receipt was changed after signing" in said
    assert "signed by" not in said


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        ('namespaces="git"', False),
        ('namespaces="chant-receipt",valid-after="20200101"', True),
        ('namespaces="*"', True),
    ],
)
def test_a_key_counts_for_what_the_list_says(cli: Cli, key: Path, options: str, counts: bool) -> None:
    signed = Signed(cli, key.parent, allowed(key, options))
    cli("receipt", "sign", FIRST, "--key", str(key))
    said = signed.said()
    assert (f"signed by {ADA}" in said, "signed by nobody who counts" in said) == (counts, not counts)


def test_a_retired_key_keeps_what_it_signed_by_its_date_and_a_revoked_one_does_not(
    signed: Signed, cli: Cli
) -> None:
    cli("receipt", "sign", FIRST, "--key", str(signed.key))
    retired = allowed(signed.key, 'namespaces="chant-receipt",valid-before="20990101"')
    signed.landed.commit("Ada leaves in this century", ".chant/allowed_signers", retired)
    assert f"signed by {ADA}" in signed.said()
    public = signed.key.with_suffix(".pub").read_text(encoding="utf-8")
    signed.landed.commit("Ada's key was stolen", ".chant/revoked_signers", public)
    assert "signed by nobody who counts" in signed.said()


def test_what_another_machine_wrote_is_signed_only_after_its_checks_ran_here(
    signed: Signed, cli: Cli
) -> None:
    git(signed.root, "update-ref", "-d", signed.receipt)
    signed.landed.keep()
    found = cli.run("receipt", "sign", FIRST, "--key", str(signed.key))
    assert (found.exit_code, signed.refs()) == (1, [])
    assert f"{FIRST}: not signed; another machine wrote it" in found.stderr
    failing = cli.run("receipt", "sign", FIRST, "--key", str(signed.key), "--rerun")
    assert (failing.exit_code, signed.refs()) == (1, [])
    assert "its receipt says: does not hold" in failing.stderr
    config = (signed.root / ".chant" / "config.md").read_text("utf-8")
    signed.landed.commit("A check that passes", ".chant/config.md", config.replace(SCRIPT, "true"))
    cli("receipt", "sign", FIRST, "--key", str(signed.key), "--rerun")
    assert f"consistent, signed by {ADA}" in signed.said()


def test_lists_that_are_not_pushed_yet_count_unless_the_remote_went_on(
    signed: Signed, cli: Cli, tmp_path: Path
) -> None:
    remote = str(tmp_path / "shared.git")
    git(tmp_path, "init", "-q", "--bare", "-b", "main", remote)
    signed.landed.git("remote", "add", "origin", remote)
    first = git(signed.root, "rev-list", "--max-parents=0", "HEAD").strip()
    signed.landed.git("push", "-q", "origin", f"{first}:refs/heads/main")
    signed.landed.git("remote", "set-head", "origin", "main")
    cli("receipt", "sign", FIRST, "--key", str(signed.key))
    assert f"signed by {ADA}" in signed.said()
    # Somebody revokes the key there, and it is not merged here.
    git(tmp_path, "clone", "-q", remote, "other")
    other = tmp_path / "other"
    (other / ".chant").mkdir(exist_ok=True)
    for name, source in (("revoked_signers", signed.key.with_suffix(".pub")), ("allowed_signers", None)):
        text = source.read_text("utf-8") if source else allowed(signed.key)
        (other / ".chant" / name).write_text(text, encoding="utf-8")
    git(other, "add", "-A")
    git(other, "commit", "-qm", "Ada's key was stolen")
    git(other, "push", "-q")
    signed.landed.git("fetch", "-q", "origin")
    assert "signed by nobody who counts" in signed.said()


def test_two_people_sign_the_same_receipt(cli: Cli, key: Path) -> None:
    other = make_key(key.parent, "bob")
    signed = Signed(cli, key.parent, allowed(key) + allowed(other, who="bob@example.org"))
    cli("receipt", "sign", FIRST, "--key", str(key))
    cli("receipt", "sign", FIRST, "--key", str(other))
    assert f"consistent, signed by {ADA}, bob@example.org" in signed.said()
    report = cli.json("receipt", "verify", FIRST)
    assert report["specs"][0]["signed_by"] == [ADA, "bob@example.org"]


@pytest.mark.parametrize(
    ("asked", "verdict"),
    [
        ("{signed: 2}", "consistent"),
        (f"{{signed: 1, by: [{ADA}]}}", "consistent"),
        (f"{{signed: 2, by: [{ADA}]}}", "signed by too few who count"),
        ("{signed: 1, by: [eve@example.org]}", "signed by nobody who counts"),
        ("{signed: 3}", "signed by too few who count"),
    ],
)
def test_the_target_says_whose_signatures_and_how_many(cli: Cli, key: Path, asked: str, verdict: str) -> None:
    other = make_key(key.parent, "bob")
    again = make_key(key.parent, "ada2")
    bob = allowed(other, who="bob@example.org")
    signed = Signed(cli, key.parent, allowed(key) + allowed(again) + bob)
    for one in (key, again, other):
        cli("receipt", "sign", FIRST, "--key", str(one))
    config = (signed.root / ".chant" / "config.md").read_text("utf-8")
    wanted = config.replace("---\n", f"---\nreceipts: {asked}\n", 1)
    signed.landed.commit("Ask for signatures", ".chant/config.md", wanted)
    found = cli.run("verify", "--all")
    assert (found.exit_code == 0, f"{FIRST}: {verdict}" in found.stdout) == (verdict == "consistent", True)


def test_signatures_come_to_other_clones_with_their_receipts(
    signed: Signed, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("receipt", "sign", FIRST, "--key", str(signed.key))
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "shared.git")
    signed.landed.git("remote", "add", "origin", str(tmp_path / "shared.git"))
    signed.landed.git("push", "-q", "origin", "main")
    assert "2 new" in cli("receipt", "push")
    git(tmp_path, "clone", "-q", "shared.git", "other")
    other = tmp_path / "other"
    monkeypatch.chdir(other)
    elsewhere = Cli(Project(other))
    assert "2 new" in elsewhere("receipt", "fetch")
    assert f"consistent, signed by {ADA}" in elsewhere("receipt", "verify", FIRST)


def test_text_that_is_no_signature_is_named_and_changes_nothing(signed: Signed) -> None:
    file = signed.root.parent / "garbage"
    file.write_text("{}", encoding="utf-8")
    blob = git(signed.root, "hash-object", "-w", str(file)).strip()
    git(
        signed.root,
        "update-ref",
        f"{SIGNATURES}{FIRST}/{signed.receipt.rpartition('/')[2]}--0123456789abcdef",
        blob,
    )
    assert "it cannot be read as an envelope" in signed.said()


def test_what_lies_in_the_place_of_a_signature_is_not_taken_for_one(signed: Signed, cli: Cli) -> None:
    cli("receipt", "sign", FIRST, "--key", str(signed.key))
    [ref] = signed.refs()
    file = signed.root.parent / "garbage"
    file.write_text("{}", encoding="utf-8")
    git(signed.root, "update-ref", ref, git(signed.root, "hash-object", "-w", str(file)).strip())
    found = cli.run("receipt", "sign", FIRST, "--key", str(signed.key))
    assert found.exit_code == 1
    assert f"{FIRST}: not signed; something else is kept as {ref}" in found.stderr


def test_the_key_is_the_one_that_git_of_the_user_signs_with(signed: Signed, cli: Cli) -> None:
    refused = cli.error("receipt", "sign", FIRST, code=2)
    assert "Which key?" in refused
    # What a repository names is somebody else's word.
    signed.landed.git("config", "gpg.format", "ssh")
    signed.landed.git("config", "user.signingkey", str(signed.key))
    assert "Which key?" in cli.error("receipt", "sign", FIRST, code=2)
    git(signed.root, "config", "--global", "gpg.format", "ssh")
    git(signed.root, "config", "--global", "user.signingkey", str(signed.key))
    cli("receipt", "sign", FIRST)
    assert len(signed.refs()) == 1


@pytest.mark.parametrize("variable", ["CLAUDECODE", "CHANT_RUN"])
def test_no_agent_signs(signed: Signed, cli: Cli, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "1")
    assert "A signature is a person's" in cli.error(
        "receipt", "sign", FIRST, "--key", str(signed.key), code=2
    )
    assert signed.refs() == []


def test_a_file_that_is_no_key_is_refused_and_nothing_is_signed(signed: Signed, cli: Cli) -> None:
    file = signed.root.parent / "no-key"
    file.write_text("none\n", encoding="utf-8")
    file.chmod(0o600)
    said = cli.error("receipt", "sign", FIRST, "--key", str(file))
    assert f"The receipt of '{FIRST}' was not signed with" in said
    assert "`ssh-keygen`" in said
    assert signed.refs() == []


def test_a_target_can_ask_for_signatures(signed: Signed, cli: Cli) -> None:
    config = signed.root / ".chant" / "config.md"
    config.write_text(config.read_text("utf-8").replace("defaults:", "receipts: signed\ndefaults:"), "utf-8")
    signed.landed.git("commit", "-qam", "Ask for signatures")
    unsigned = cli("verify", "--all", code=1)
    assert f"{FIRST}: signed by nobody who counts" in unsigned
    cli("receipt", "sign", "--all", "--key", str(signed.key))
    assert f"{FIRST}: consistent, signed by {ADA}" in cli("verify", "--all")
