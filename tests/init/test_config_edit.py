"""Settings of a project that exists: one line changes, nothing else."""

from __future__ import annotations

import pytest
from chant_mcp import ChantProject
from chant_mcp.errors import InvalidDocumentError
from chant_mcp.init.config_text import value, with_value
from init.kit import Folder

CONFIG = """\
---
# settings of the team
project:
    name: "Harbour"   # shown in prompts
defaults:
    # who works
    provider:   claude   # until spring
    model: opus

    prompt: standard
lint: {disable: [title]}
---

# Notes

defaults:
  provider: not this one
"""


def test_provider_and_model_change_their_line_only(folder: Folder) -> None:
    folder.write(".chant/config.md", CONFIG)
    (folder.root / ".chant/specs").mkdir()
    said = folder("--provider", "local")
    assert said == "  Updated .chant/config.md\n"
    changed = CONFIG.replace("provider:   claude   # until", "provider: ollama   # until")
    assert folder.read(".chant/config.md") == changed
    folder("--model", "qwen3:8b")
    changed = changed.replace("model: opus", 'model: "qwen3:8b"')
    assert folder.read(".chant/config.md") == changed
    folder("--name", "Quay")
    assert folder.read(".chant/config.md") == changed.replace('name: "Harbour"   #', "name: Quay   #")
    ChantProject(folder.root).lint()


def test_line_ends_and_mark_of_the_file_are_kept(folder: Folder) -> None:
    (folder.root / ".chant/specs").mkdir(parents=True)
    before = "\ufeff" + CONFIG.replace("\n", "\r\n")
    folder.write(".chant/config.md", before)
    folder("--provider", "gpt")
    assert folder.read(".chant/config.md") == before.replace("provider:   claude", "provider: openai")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\ndefaults:\n  prompt: x\n---\n", "---\ndefaults:\n  provider: p\n  prompt: x\n---\n"),
        ("---\ndefaults: # none yet\n---\n", "---\ndefaults: # none yet\n  provider: p\n---\n"),
        ("---\ndefaults:\n---\n", "---\ndefaults:\n  provider: p\n---\n"),
        ("---\na: 1\n---\n", "---\na: 1\ndefaults:\n  provider: p\n---\n"),
        ("---\n---\n", "---\ndefaults:\n  provider: p\n---\n"),
        ("# Text\n", "---\ndefaults:\n  provider: p\n---\n# Text\n"),
        ("", "---\ndefaults:\n  provider: p\n---\n"),
        ("---\ndefaults:\n  provider:\n---\n", "---\ndefaults:\n  provider: p\n---\n"),
        ("---\ndefaults:\n  provider: # todo\n---\n", "---\ndefaults:\n  provider: p # todo\n---\n"),
        ("---\ndefaults:\n  'provider': 'a # b' # c\n---", "---\ndefaults:\n  'provider': p # c\n---"),
        ('---\ndefaults:\n  provider: "a\\" b"\n---', "---\ndefaults:\n  provider: p\n---"),
        ("---\ndefaults:\n  provider: a#b c #d\n---", "---\ndefaults:\n  provider: p #d\n---"),
        (
            "---\nx:\n  provider: a\ndefaults:\n   q: 1\n---",
            "---\nx:\n  provider: a\ndefaults:\n   provider: p\n   q: 1\n---",
        ),
        (
            "---\ndefaults:\n  sub:\n    provider: a\n---",
            "---\ndefaults:\n  provider: p\n  sub:\n    provider: a\n---",
        ),
    ],
)
def test_a_key_is_set_where_it_belongs(before: str, after: str) -> None:
    assert with_value(before, "defaults", "provider", "p") == after
    assert value(after, "defaults", "provider") == "p"


@pytest.mark.parametrize(
    "text",
    [
        "---\ndefaults: {provider: a}\n---\n",
        "---\n'defaults':\n  provider: a\n---\n",
        "---\ndefaults:\n  x: 1\ndefaults:\n  y: 2\n---\n",
        "---\ndefaults:\n  provider: >-\n    folded\n---\n",
        "---\ndefaults:\n  provider: a\n  provider: b\n---\n",
        "---\ndefaults:\n  provider: a\n",
    ],
)
def test_what_has_no_line_of_its_own_is_refused(folder: Folder, text: str) -> None:
    with pytest.raises(InvalidDocumentError, match="cannot be edited without risk"):
        with_value(text, "defaults", "provider", "p")
    folder.write(".chant/config.md", text)
    (folder.root / ".chant/specs").mkdir()
    assert "cannot be edited without risk" in folder.refused("--provider", "ollama", "--agent", "claude")


def test_a_configuration_that_is_no_text_is_refused(folder: Folder) -> None:
    folder.write(".chant/config.md", b"---\n\xff\n---\n")
    (folder.root / ".chant/specs").mkdir()
    assert "is not UTF-8" in folder.refused("--provider", "ollama")
