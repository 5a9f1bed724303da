"""Names of files by which programs act or whose words agents obey, and of harmless neighbours of theirs."""

from __future__ import annotations

ACTS = (
    ".claude/settings.json",
    ".claude/hooks/end.sh",
    ".claude/skills/a/SKILL.md",
    ".claude/workflows/a.yml",
    ".mcp.json",
    ".codex/config.toml",
    ".agents/skills/a/SKILL.md",
    ".github/hooks/h.json",
    ".github/mcp.json",
    ".github/lsp.json",
    ".github/copilot/settings.json",
    ".github/agents/a.agent.md",
    ".github/workflows/ci.yml",
    ".gemini/settings.json",
    ".qwen/settings.json",
    ".opencode/plugin/a.ts",
    "opencode.json",
    ".cursor/hooks.json",
    ".amp/settings.json",
    ".aider.conf.yml",
    ".kiro/hooks/a.kiro.hook",
    ".windsurf/hooks.json",
    ".roo/mcp.json",
    ".kilocode/mcp.json",
    ".clinerules/hooks/a.sh",
    ".pi/extensions/a.ts",
    ".zed/settings.json",
    ".vscode/tasks.json",
    "ferry.code-workspace",
    ".idea/workspace.xml",
    ".devcontainer.json",
    ".devcontainer/devcontainer.json",
    "hooks/hooks.json",
    "gemini-extension.json",
    "qwen-extension.json",
    "chant-mcp",
    "uvx.cmd",
    "conductor.json",
    ".worktreeinclude",
    ".config/wt.toml",
    ".gitattributes",
    ".gitmodules",
    ".husky/pre-commit",
    "lefthook.yaml",
    ".lintstagedrc.js",
    ".pre-commit-config.yaml",
    ".envrc",
    ".env",
    "mise.toml",
    ".tool-versions",
    "rust-toolchain.toml",
    ".cargo/config.toml",
    ".npmrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".gitlab-ci.yml",
    "Jenkinsfile",
    "package.json",
    "sitecustomize.py",
)
"""Files by which programs act; of `package.json` the scripts of an installation."""

INSTRUCTS = (
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".cursorrules",
    ".github/copilot-instructions.md",
    ".junie/guidelines.md",
)
"""Files whose words agents obey."""

HARMLESS = (
    "README.md",
    "Makefile",
    "pyproject.toml",
    "conftest.py",
    "build.rs",
    "Cargo.toml",
    ".gitignore",
    ".editorconfig",
    ".github/CODEOWNERS",
    ".github/dependabot.yml",
    "claude.py",
    "agents.md.txt",
    "mcp.json",
    "env.example",
    ".env.example",
    "vscode/tasks.json",
    "docs/claude/settings.json",
    ".claude/worktrees/notes.txt",
    "tests/workflows/ci.yml",
    "gitattributes",
)
"""Neighbours of these that nothing acts by."""

JUDGES = ("conftest.py", "build.rs")
"""Those of them that configure tests: they act on nothing here, and a person agrees to them."""

FOLDERS = ("", "packages/", "a/b/c/")
"""Where they are put: three depths."""


def content(name: str) -> str:
    """Give a text that makes a file act."""
    return '{"scripts": {"postinstall": "touch x"}}\n' if name.lower().endswith(".json") else "touch x\n"


def planted(names: tuple[str, ...]) -> list[str]:
    """Give the paths at three depths, each as it is and with other letters large."""
    return [f"{folder}{name}" for folder in FOLDERS for one in names for name in (one, one.swapcase())]
