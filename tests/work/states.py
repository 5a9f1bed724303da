"""The states that a user's checkout can be in, each as a function that makes one.

In those of `FREE` work can be merged at once; in those of `WAITING` something of the user's is in its way.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from work.checkouts import ID, TARGET, Checkout, made
from writing import git

State = Callable[[Path], Checkout]


# Changes of the user's


def clean(folder: Path) -> Checkout:
    """Nothing is changed."""
    return made(folder)


def dirty(folder: Path) -> Checkout:
    """Files are changed, gone, or another kind."""
    checkout = made(folder)
    checkout.write("kept.txt", "changed by the user\n")
    (checkout.top / "more/kept.txt").unlink()
    (checkout.top / ".gitignore").chmod(0o755)
    return checkout


def staged(folder: Path) -> Checkout:
    """Changes are staged: a file changed, a new one, one removed, one that is only announced."""
    checkout = made(folder)
    checkout.write("kept.txt", "staged\n")
    checkout.write("new.txt", "new\n")
    checkout.write("announced.txt", "announced\n")
    checkout.git("add", "kept.txt", "new.txt")
    checkout.git("add", "--intent-to-add", "announced.txt")
    checkout.git("rm", "-q", "--cached", "more/kept.txt")
    return checkout


def staged_and_changed_again(folder: Path) -> Checkout:
    """What is staged was changed once more."""
    checkout = staged(folder)
    checkout.write("kept.txt", "changed after that\n")
    checkout.write("new.txt", "newer\n")
    return checkout


def untracked(folder: Path) -> Checkout:
    """Files lie there that git does not know."""
    checkout = made(folder)
    checkout.write("notes.txt", "mine\n")
    checkout.write("drafts/a.txt", "mine, too\n")
    (checkout.top / "link").symlink_to("nowhere")
    return checkout


def ignored(folder: Path) -> Checkout:
    """Files lie there that git is configured not to see."""
    checkout = made(folder, ignored="*.log\n")
    checkout.write("build/out.bin", b"\0\1")
    checkout.write("run.log", "mine\n")
    return checkout


def stashed(folder: Path) -> Checkout:
    """Changes lie in a stash."""
    checkout = made(folder)
    checkout.write(TARGET, "stashed\n")
    checkout.git("stash", "-q")
    return checkout


def flagged(folder: Path) -> Checkout:
    """Git is configured not to look at a file that is changed, and not to check another one out."""
    checkout = made(folder)
    checkout.write("kept.txt", "changed unseen\n")
    checkout.git("update-index", "--assume-unchanged", "kept.txt")
    checkout.git("update-index", "--skip-worktree", "more/kept.txt")
    (checkout.top / "more/kept.txt").unlink()
    return checkout


# What the checkout stands on


def detached(folder: Path) -> Checkout:
    """HEAD stands on a commit."""
    checkout = made(folder)
    checkout.git("checkout", "-q", "--detach")
    checkout.write("kept.txt", "changed by the user\n")
    return checkout


def on_another_branch(folder: Path) -> Checkout:
    """Another branch is checked out, with a commit of its own and the target changed."""
    checkout = made(folder)
    checkout.git("checkout", "-q", "-b", "side")
    checkout.write("side.txt", "aside\n")
    checkout.git("add", "side.txt")
    checkout.git("commit", "-qm", "Aside")
    checkout.write(TARGET, "changed by the user\n")
    return checkout


def linked(folder: Path) -> Checkout:
    """The checkout is a linked worktree; the main branch is checked out in the first one."""
    checkout = made(folder, name="first")
    checkout.git("worktree", "add", "-q", "-b", "side", str(folder / "linked"))
    checkout.write("kept.txt", "changed in the first one\n")
    checkout.elsewhere = [checkout.top]
    checkout.top = folder / "linked"
    checkout.write("kept.txt", "changed in the linked one\n")
    checkout.git("add", "kept.txt")
    return checkout


def linked_and_main_nowhere(folder: Path) -> Checkout:
    """The checkout is a linked worktree; the main branch is checked out nowhere."""
    checkout = linked(folder)
    git(checkout.elsewhere[0], "checkout", "-q", "--detach")
    return checkout


def linked_on_main(folder: Path) -> Checkout:
    """The checkout is a linked worktree on the main branch; the first one stands elsewhere."""
    checkout = made(folder, name="first")
    checkout.git("checkout", "-q", "-b", "side")
    checkout.git("worktree", "add", "-q", str(folder / "linked"), "main")
    checkout.elsewhere = [checkout.top]
    checkout.top = folder / "linked"
    checkout.write("kept.txt", "changed\n")
    return checkout


def bare(folder: Path) -> Checkout:
    """The checkout is the linked worktree of a bare repository."""
    checkout = made(folder, name="seed")
    git(folder, "clone", "-q", "--bare", "seed", "bare.git")
    git(folder / "bare.git", "remote", "remove", "origin")
    git(folder / "bare.git", "worktree", "add", "-q", str(folder / "linked"), "main")
    checkout.top = folder / "linked"
    checkout.write("kept.txt", "changed\n")
    return checkout


def bare_and_main_nowhere(folder: Path) -> Checkout:
    """The checkout of a bare repository stands on another branch than the main one."""
    checkout = bare(folder)
    checkout.git("checkout", "-q", "-b", "side")
    return checkout


# The spec


def specs_ignored(folder: Path) -> Checkout:
    """Git is configured not to see `.chant` at all."""
    return made(folder, ignored=".chant/\n", is_tracked=False)


def spec_untracked(folder: Path) -> Checkout:
    """The spec was never added to git."""
    return made(folder, is_tracked=False)


def spec_staged_only(folder: Path) -> Checkout:
    """The spec is staged and was never committed."""
    checkout = made(folder, is_tracked=False)
    checkout.git("add", f".chant/specs/{ID}.md")
    checkout.is_tracked = True
    return checkout


def spec_changed(folder: Path) -> Checkout:
    """The spec is committed, and was changed since."""
    checkout = made(folder)
    path = checkout.project.path(ID)
    path.write_bytes(path.read_bytes().replace(b"wide", b"wide and cold"))
    return checkout


def spec_with_crlf_and_mark(folder: Path) -> Checkout:
    """The spec has CRLF line ends and begins with a byte order mark."""
    return made(folder, spec=lambda text: b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))


# The repository


def with_remote(folder: Path) -> Checkout:
    """There is a remote with the main branch and another one, each tracked."""
    checkout = made(folder)
    checkout.remote = folder / "remote.git"
    git(folder, "init", "-q", "--bare", "-b", "main", "remote.git")
    checkout.git("remote", "add", "origin", str(checkout.remote))
    checkout.git("push", "-q", "-u", "origin", "main", "main:other")
    return checkout


def shallow(folder: Path) -> Checkout:
    """The clone has the newest commit alone."""
    return _cloned(folder, "--depth=1")


def partial(folder: Path) -> Checkout:
    """The clone has no file of earlier commits, and fetches them when they are asked for."""
    return _cloned(folder, "--filter=blob:none")


def _cloned(folder: Path, how: str) -> Checkout:
    first = made(folder, name="first")
    first.write("kept.txt", "kept, as it was before\n")
    first.git("commit", "-qam", "Before")
    first.write("kept.txt", "kept\n")
    first.git("commit", "-qam", "After")
    remote = folder / "remote.git"
    git(folder, "clone", "-q", "--bare", "first", "remote.git")
    git(remote, "config", "uploadpack.allowFilter", "true")
    git(folder, "clone", "-q", how, remote.as_uri(), "checkout")
    checkout = Checkout(
        folder / "checkout", below="", main=first.main, target=first.target, is_tracked=first.is_tracked
    )
    checkout.remote = remote
    return checkout


def with_submodule(folder: Path) -> Checkout:
    """A submodule is checked out, with a commit of its own and changes."""
    inner = folder / "inner"
    git(folder, "init", "-q", "-b", "main", "inner")
    (inner / "inner.txt").write_text("inner\n", encoding="utf-8")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "Inner")
    checkout = made(folder)
    checkout.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
    checkout.git("commit", "-qm", "A submodule")
    git(checkout.top / "sub", "commit", "-q", "--allow-empty", "-m", "Further on")
    checkout.write("sub/inner.txt", "changed by the user\n")
    checkout.write("sub/new.txt", "new\n")
    return checkout


def master(folder: Path) -> Checkout:
    """The main branch has its old name."""
    return made(folder, main="master")


def below(folder: Path) -> Checkout:
    """The project is a folder of the repository."""
    checkout = made(folder, below="apps/ferry")
    checkout.write("kept.txt", "changed by the user\n")
    return checkout


def odd_names(folder: Path) -> Checkout:
    """Names hold blanks, quotes, letters of other alphabets, and what git takes for patterns."""
    target = 'Fähre [1] "é" *.txt'
    checkout = made(folder, below="mein Projekt/日本", target=target, name="aus Zürich")
    checkout.write("mein Projekt/日本/Fähre 1 é x.txt", "no match\n")
    checkout.write("größe %s.txt", "mine\n")
    return checkout


def sha256(folder: Path) -> Checkout:
    """The repository names its objects by SHA-256."""
    return made(folder, words=["--object-format=sha256"])


def reftable(folder: Path) -> Checkout:
    """The repository keeps its references in tables."""
    return made(folder, words=["--ref-format=reftable"])


def packed(folder: Path) -> Checkout:
    """References and objects are packed, the index is of version 4."""
    checkout = made(folder)
    checkout.git("gc", "-q")
    checkout.git("update-index", "--index-version", "4")
    checkout.write("kept.txt", "changed by the user\n")
    return checkout


def sparse(folder: Path) -> Checkout:
    """Only a part of the files is checked out."""
    checkout = made(folder)
    checkout.git("sparse-checkout", "set", "--no-cone", "/*", "!/more/")
    return checkout


def filtered(folder: Path) -> Checkout:
    """The target's bytes in git are not those on the disk."""
    checkout = made(folder)
    checkout.git("config", "filter.upper.clean", "tr A-Z a-z")
    checkout.git("config", "filter.upper.smudge", "tr a-z A-Z")
    checkout.write(".gitattributes", "ferry.txt filter=upper\n*.crlf text eol=crlf\n")
    checkout.write("ends.crlf", "a\r\nb\r\n")
    checkout.git("add", "-A")
    checkout.git("commit", "-qm", "Filters")
    (checkout.top / TARGET).unlink()
    checkout.git("checkout", "--", TARGET)
    assert (checkout.top / TARGET).read_bytes() == b"ONE\nTWO\nTHREE\n"
    return checkout


def hooked(folder: Path) -> Checkout:
    """Hooks of the user's refuse every commit but an agent's, and write down where they run."""
    checkout = made(folder)
    ran = folder / "hooks.txt"
    hooks = checkout.top / ".git" / "hooks"
    tells = f'#!/bin/sh\necho "$(basename "$0") $(pwd -P)" >> "{ran}"\n'
    for name in ("post-checkout", "post-commit", "post-merge", "post-rewrite", "pre-push"):
        _hook(hooks / name, tells)
    _hook(hooks / "pre-commit", f'{tells}test -n "$CHANT_SPEC_ID"\n')
    _hook(hooks / "commit-msg", f'{tells}echo "Ticket: 7" >> "$1"\n')
    return checkout


def _hook(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def signing(folder: Path) -> Checkout:
    """The user signs every commit."""
    checkout = made(folder)
    program = folder / "sign"
    said = "[GNUPG:] SIG_CREATED D 1 8 00 1 0"
    _hook(program, f'#!/bin/sh\ncat > /dev/null\necho "{said}" >&2\necho "a signature of Ada"\n')
    checkout.git("config", "gpg.program", str(program))
    checkout.git("config", "commit.gpgsign", "true")
    return checkout


FREE: tuple[State, ...] = (
    clean,
    dirty,
    staged,
    staged_and_changed_again,
    untracked,
    ignored,
    stashed,
    flagged,
    detached,
    on_another_branch,
    linked,
    linked_and_main_nowhere,
    linked_on_main,
    bare,
    bare_and_main_nowhere,
    specs_ignored,
    spec_untracked,
    spec_staged_only,
    spec_changed,
    spec_with_crlf_and_mark,
    with_remote,
    shallow,
    partial,
    with_submodule,
    master,
    below,
    odd_names,
    sha256,
    reftable,
    packed,
    sparse,
    filtered,
    hooked,
    signing,
)


# What blocks a merge


def target_changed(folder: Path) -> Checkout:
    """The target is changed."""
    checkout = made(folder)
    checkout.write(TARGET, "changed by the user\n")
    return _blocked(checkout, TARGET)


def target_staged(folder: Path) -> Checkout:
    """A change of the target is staged, and on the disk it is taken back."""
    checkout = made(folder)
    checkout.write(TARGET, "staged by the user\n")
    checkout.git("add", TARGET)
    checkout.write(TARGET, "one\ntwo\nthree\n")
    return _blocked(checkout, TARGET)


def target_gone(folder: Path) -> Checkout:
    """The target is removed and that is staged."""
    checkout = made(folder)
    checkout.git("rm", "-q", TARGET)
    return _blocked(checkout, TARGET)


def target_changed_unseen(folder: Path) -> Checkout:
    """The target is changed, and git is configured not to look at it."""
    checkout = made(folder)
    checkout.git("update-index", "--assume-unchanged", TARGET)
    checkout.write(TARGET, "changed unseen\n")
    return _blocked(checkout, TARGET)


def target_untracked(folder: Path) -> Checkout:
    """A file of the name that the work adds lies there and git does not know it."""
    checkout = made(folder, target="new.txt")
    checkout.write("new.txt", "mine\n")
    return _blocked(checkout, "new.txt")


def target_ignored(folder: Path) -> Checkout:
    """A file of the name that the work adds lies there and is ignored by the user's own rule."""
    checkout = made(folder, target="new.txt")
    checkout.write("new.txt", "mine\n")
    checkout.write(".gitignore", "build/\nnew.txt\n")
    return _blocked(checkout, "new.txt")


def target_a_folder(folder: Path) -> Checkout:
    """A folder of the name that the work adds lies there with files in it."""
    checkout = made(folder, target="new.txt")
    checkout.write("new.txt/mine.txt", "mine\n")
    return _blocked(checkout, "new.txt/mine.txt")


def target_a_link(folder: Path) -> Checkout:
    """A link lies where the target was."""
    checkout = made(folder)
    (checkout.top / TARGET).unlink()
    (checkout.top / TARGET).symlink_to("kept.txt")
    return _blocked(checkout, TARGET)


def target_below_a_link(folder: Path) -> Checkout:
    """The folder that the work adds a file to is a link to elsewhere."""
    checkout = made(folder, target="out/new.txt")
    (folder / "outside").mkdir()
    (checkout.top / "out").symlink_to(folder / "outside")
    return _blocked(checkout, "out")


def blocked_elsewhere(folder: Path) -> Checkout:
    """The target is changed in another checkout, which stands on the main branch."""
    checkout = linked(folder)
    (checkout.elsewhere[0] / TARGET).write_text("changed in the first one\n", encoding="utf-8")
    return _blocked(checkout, TARGET)


def _blocked(checkout: Checkout, *paths: str) -> Checkout:
    checkout.waits = f"holds local changes in {', '.join(paths)}; commit or move them"
    checkout.blocked_by = paths
    return checkout


def merging(folder: Path) -> Checkout:
    """A merge stopped at a conflict."""
    return _under_way(folder, "merge", "merge", "side")


def cherry_picking(folder: Path) -> Checkout:
    """A cherry-pick stopped at a conflict."""
    return _under_way(folder, "cherry-pick", "cherry-pick", "side")


def reverting(folder: Path) -> Checkout:
    """A revert stopped at a conflict."""
    return _under_way(folder, "revert", "revert", "HEAD~1")


def rebasing(folder: Path) -> Checkout:
    """A rebase of the main branch stopped at a conflict."""
    return _under_way(folder, "a rebase or bisection", "rebase", "side")


def bisecting(folder: Path) -> Checkout:
    """A bisection is under way."""
    checkout = _under_way(folder, "bisect", "bisect", "start")
    checkout.waits = "a bisect"
    return checkout


def _under_way(folder: Path, what: str, *words: str) -> Checkout:
    checkout = made(folder)
    for branch, text in (("side", "aside\n"), ("main", "first\n"), ("main", "second\n")):
        checkout.git("checkout", "-q", *(("-b", branch) if branch == "side" else (branch,)))
        checkout.write("kept.txt", text)
        checkout.git("commit", "-qam", text.strip())
    subprocess.run(["git", *words], cwd=checkout.top, env=os.environ, check=False, capture_output=True)
    assert checkout.under_way(checkout.top)
    checkout.waits = f"{what} is under way in {checkout.top}; end it"
    return checkout


WAITING: tuple[State, ...] = (
    target_changed,
    target_staged,
    target_gone,
    target_changed_unseen,
    target_untracked,
    target_ignored,
    target_a_folder,
    target_a_link,
    target_below_a_link,
    blocked_elsewhere,
    merging,
    cherry_picking,
    reverting,
    rebasing,
    bisecting,
)

STOPPED: tuple[State, ...] = (
    dirty,
    staged_and_changed_again,
    untracked,
    flagged,
    detached,
    on_another_branch,
    linked,
    linked_and_main_nowhere,
    bare,
    specs_ignored,
    spec_untracked,
    spec_staged_only,
    spec_with_crlf_and_mark,
    with_remote,
    with_submodule,
    below,
    odd_names,
    sha256,
    reftable,
    sparse,
    hooked,
    target_changed,
    merging,
    rebasing,
)
"""Those in which work that is stopped could do harm of its own."""
