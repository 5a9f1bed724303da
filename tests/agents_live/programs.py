"""The programs that are tried, and how each is led to a model on this machine, as its users do it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

MODEL = "loopback-1"

ANTHROPIC_KEY = "sk-ant-api03-" + "A" * 95
OPENAI_KEY = "sk-proj-" + "B" * 148
GEMINI_KEY = "AIza" + "C" * 35
"""Keys as long as real ones, for no account."""

Pairs = Mapping[str, str]


def _nothing(url: str) -> Pairs:
    return {}


@dataclass(frozen=True)
class AgentProgram:
    """A published program, and what its user has set up."""

    name: str
    """What our templates call it."""
    program: str
    package: str
    version: str
    variables: Callable[[str], Pairs]
    """The variables of a user whose provider has this URL."""
    files: Callable[[str], Pairs] = _nothing
    """The user's files, by their path in the home."""
    model: str | None = MODEL
    """The model that the run asks for."""
    help: tuple[str, ...] = ("--help",)
    """What makes it list the flags of its template."""
    hidden: tuple[str, ...] = ()
    """Flags that it takes and does not list."""
    has_tools: bool = True
    """Whether it can be given our tools."""
    goes_on: bool = False
    """Whether it goes on with a session of which the transcript alone is kept."""
    tells_tokens: bool = True
    tells_money: bool = False
    is_guarded: bool = True
    """Whether it can bound what it does by itself."""
    tells_denials: bool = True
    """Whether it tells what it was refused; else that is a command which failed."""
    silent_about: tuple[str, ...] = ()
    """Faults of which it tells nothing: it asks once more, or ends as if all were well."""


def _claude(url: str) -> Pairs:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": ANTHROPIC_KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _codex(url: str) -> Pairs:
    return {"CODEX_API_KEY": OPENAI_KEY, "OPENAI_BASE_URL": f"{url}/v1"}


def _copilot(url: str) -> Pairs:
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": OPENAI_KEY,
        "COPILOT_MODEL": MODEL,
        "COPILOT_OFFLINE": "true",
    }


def _opencode(url: str) -> Pairs:
    return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}


def _opencode_files(url: str) -> Pairs:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "loopback",
        "options": {"baseURL": f"{url}/v1", "apiKey": OPENAI_KEY},
        "models": {MODEL: {"name": MODEL, "cost": {"input": 3, "output": 15}}},
    }
    config = {"provider": {"loopback": provider}, "autoupdate": False, "share": "disabled"}
    return {".config/opencode/opencode.json": json.dumps(config)}


def _qwen(url: str) -> Pairs:
    return {"OPENAI_API_KEY": OPENAI_KEY, "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": MODEL}


def _qwen_files(url: str) -> Pairs:
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "privacy": {"usageStatisticsEnabled": False},
    }
    return {".qwen/settings.json": json.dumps(settings)}


def _gemini(url: str) -> Pairs:
    return {"GEMINI_API_KEY": GEMINI_KEY, "GOOGLE_GEMINI_BASE_URL": url}


def _gemini_files(url: str) -> Pairs:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
    }
    return {".gemini/settings.json": json.dumps(settings)}


def _cline_files(url: str) -> Pairs:
    name = "openai-compatible"
    settings = {"provider": name, "apiKey": OPENAI_KEY, "model": MODEL, "baseUrl": f"{url}/v1"}
    provider = {"settings": settings, "updatedAt": "2026-01-22T00:00:00.000Z", "tokenSource": "manual"}
    known = {"version": 1, "lastUsedProvider": name, "modes": {}, "providers": {name: provider}}
    return {".cline/data/settings/providers.json": json.dumps(known)}


def _pi_files(url: str) -> Pairs:
    model = {
        "id": MODEL,
        "name": MODEL,
        "reasoning": False,
        "input": ["text"],
        "cost": {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 0},
        "contextWindow": 100_000,
        "maxTokens": 4000,
    }
    provider = {
        "baseUrl": f"{url}/v1",
        "api": "openai-completions",
        "apiKey": OPENAI_KEY,
        "models": [model],
    }
    return {".pi/agent/models.json": json.dumps({"providers": {"loopback": provider}})}


SILENT = ("rate limit", "overload", "refusal")
"""What most programs keep to themselves."""

PROGRAMS = (
    AgentProgram(
        "claude",
        "claude",
        "@anthropic-ai/claude-code",
        "2.1.330",
        _claude,
        model="claude-sonnet-4-5",
        hidden=("--max-turns",),
        goes_on=True,
        tells_money=True,
    ),
    AgentProgram(
        "codex",
        "codex",
        "@openai/codex",
        "0.169.0",
        _codex,
        help=("exec", "--help"),
        goes_on=True,
        tells_denials=False,
        silent_about=("overload", "refusal"),
    ),
    AgentProgram(
        "copilot",
        "copilot",
        "@github/copilot",
        "1.0.102",
        _copilot,
        tells_tokens=False,
        silent_about=("refusal",),
    ),
    AgentProgram(
        "opencode",
        "opencode",
        "opencode-ai",
        "1.18.33",
        _opencode,
        _opencode_files,
        model=f"loopback/{MODEL}",
        help=("run", "--help"),
        silent_about=("rate limit", "overload"),
        tells_money=True,
    ),
    AgentProgram(
        "qwen",
        "qwen",
        "@qwen-code/qwen-code",
        "0.24.4",
        _qwen,
        _qwen_files,
        is_guarded=False,
        silent_about=SILENT,
    ),
    AgentProgram(
        "gemini", "gemini", "@google/gemini-cli", "0.61.0", _gemini, _gemini_files, silent_about=SILENT
    ),
    AgentProgram(
        "cline", "cline", "cline", "3.0.65", _nothing, _cline_files, is_guarded=False, silent_about=SILENT
    ),
    AgentProgram(
        "pi",
        "pi",
        "@mariozechner/pi-coding-agent",
        "0.73.1",
        _nothing,
        _pi_files,
        model=f"loopback/{MODEL}",
        has_tools=False,
        silent_about=SILENT,
        tells_money=True,
        is_guarded=False,
    ),
)
"""The programs, by their names."""
