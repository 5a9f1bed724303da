"""What was said to be done is there after a loss of power, and a landing flushes in the right order."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from work.kit import ID, OTHER, PROGRAM, Workshop
from writing import git

from bench.torture.block_device import why_not
from bench.torture.power_cuts import try_cuts

_TRIALS = int(os.environ.get("CHANT_TRIALS", "1"))

_CUTS = 50 if _TRIALS == 1 else 1_700
"""Cuts of a file system; those by hand are five thousand together."""

KINDS = ("ext4",) if _TRIALS == 1 else ("ext4", "xfs", "btrfs")

_FLUSH = re.compile(r"(?:fsync|fdatasync)\(\d+<(?P<path>[^>]*)>\)")


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_was_said_is_lost_with_the_power(kind: str) -> None:
    refused = why_not(kind)
    if refused is not None:
        pytest.skip(refused)
    wrong, said = try_cuts(kind, _CUTS, seed=43)
    assert wrong == []
    assert len(said) >= 3


def _flushed(shop: Workshop, tmp_path: Path) -> list[str]:
    """Have a run land; return what was flushed in the repository, and what was renamed."""
    trace = tmp_path / "trace"
    calls = "trace=fsync,fdatasync,rename,link"
    command = ["strace", "--follow-forks", "--decode-fds=path", "-s", "300", "-o", str(trace), "-e", calls]
    done = subprocess.run(
        [*command, *PROGRAM, "work", ID, "--wait"], cwd=shop.root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = []
    for line in trace.read_text(encoding="utf-8").splitlines():
        if flush := _FLUSH.search(line):
            found.append(flush["path"].removeprefix(f"{shop.root}/"))
        elif " = 0" in line and (moved := re.search(r"(?:rename|link)\(\"(.*)\", \"(.*)\"\)", line)):
            found.append(f"-> {moved[2].removeprefix(f'{shop.root}/')}")
    return found


@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace")
def test_a_landing_flushes_objects_then_files_then_the_index_then_refs(
    shop: Workshop, tmp_path: Path
) -> None:
    shop.spec(ID)
    shop.commit()
    done = _flushed(shop, tmp_path)

    def last(word: str) -> int:
        return max(number for number, entry in enumerate(done) if re.search(word, entry))

    moved = done.index("-> .git/refs/heads/main")
    new_file = last(rf"^\.git/chant-mcp-landing/new/work/{ID}\.txt$")
    steps = [
        new_file,
        last(r"^work$"),
        last(r"^\.git/chant-mcp-landing/index$"),
        last(r"^\.git/refs/heads/main\.lock$"),
        moved,
        last(r"^\.git/refs/heads$"),
        last(rf"^\.git/refs/chant/receipts/{ID}/"),
    ]
    assert steps == sorted(steps), done
    # What the merge wrote, and what the agent did: its objects come in one batch.
    objects = [number for number, entry in enumerate(done[:moved]) if entry.startswith(".git/objects/")]
    assert objects
    assert objects[-1] < new_file
    # Nothing is flushed twice: what takes its place was flushed before.
    assert sum(entry == ".git/chant-mcp-landing/index" for entry in done) == 1


def test_an_emptied_spec_is_made_again_and_told(shop: Workshop) -> None:
    spec, other = shop.spec(ID), shop.spec(OTHER)
    commit = shop.commit()
    subprocess.run([*PROGRAM, "work", ID, "--wait"], cwd=shop.root, check=True, capture_output=True)
    text = git(shop.root, "show", f"HEAD:{spec.relative_to(shop.root)}")
    assert "status: completed" in text
    kept = other.read_bytes()
    for path in (spec, other):
        path.write_bytes(b"")
        os.utime(path, (1_700_000_000, 1_700_000_000))
    told = shop.handle().recover()
    short = git(shop.root, "rev-parse", "--short=7", "HEAD").strip()
    assert len(told) == 2
    for path, line in zip((spec, other), sorted(told), strict=True):
        assert line.startswith(f"`.chant/specs/{path.name}` was empty, as a loss of power leaves a file")
        assert f"commit {short}" in line
    assert (spec.read_text(encoding="utf-8"), other.read_bytes()) == (text, kept)
    assert commit != git(shop.root, "rev-parse", "HEAD").strip()
