//! Templates of agents that are based only on documents and sources.

use super::providers::PROVIDERS;
use super::{AgentState, BuiltIn, LaunchForm, StateRelocation, USUAL, UnconfinedLaunch, own};

pub(super) const GOOSE: BuiltIn = BuiltIn {
    name: "goose",
    title: "Goose",
    programs: &[own("goose")],
    head: &[
        &["run"],
        &["--output-format", "stream-json"],
        &["--no-session"],
        &["--model", "{model}"],
        &["--max-turns", "{turns}"],
        &["--with-builtin", "developer"],
        &["--with-extension", "chant:{server_words}"],
        &["--instructions", "-"],
    ],
    confined: LaunchForm {
        arguments: &[],
        variables: &[("GOOSE_MODE", "auto")],
    },
    guarded: UnconfinedLaunch::Not(
        "without a person only the mode works in which it does everything",
    ),
    events: "goose",
    keys: &["GOOSE_PROVIDER__API_KEY"],
    settings: &[
        "ANTHROPIC_API_KEY", "DATABRICKS_HOST", "DATABRICKS_TOKEN", "GOOGLE_API_KEY",
        "GOOSE_MODEL", "GOOSE_PROVIDER", "OPENAI_API_KEY", "OPENAI_HOST", "OPENROUTER_API_KEY",
    ],
    state: AgentState {
        place: StateRelocation::Home(&[
            ".config/goose", ".local/share/goose", ".local/state/goose",
        ]),
        login: &[".config/goose/config.yaml", ".config/goose/secrets.yaml"],
        tokens: None,
        files: &[],
    },
    help: &[&["run", "--help"]],
    resume: &["--resume", "--name", "{session}"],
    install: "see https://block.github.io/goose",
    log_in: "run `goose configure`",
    ..USUAL
};

pub(super) const CRUSH: BuiltIn = BuiltIn {
    name: "crush",
    title: "Crush",
    programs: &[own("crush")],
    head: &[
        &["run"],
        &["--quiet"],
        &["--model", "{model}"],
        &["--cwd", "{worktree}"],
        // Otherwise it would lie in the folder and be committed.
        &["--data-dir", "{private}/crush"],
    ],
    guarded: UnconfinedLaunch::Not("its command for scripts approves of everything"),
    quiet: &[("CRUSH_DISABLE_METRICS", "1")],
    keys: PROVIDERS,
    settings: &["CRUSH_GLOBAL_CONFIG", "CRUSH_GLOBAL_DATA"],
    state: AgentState {
        place: StateRelocation::Home(&[".config/crush", ".local/share/crush"]),
        login: &[".local/share/crush/crush.json"],
        tokens: None,
        files: &[(".config/crush/crush.json", r#"{"mcp":{typed_servers}}"#)],
    },
    help: &[&["run", "--help"]],
    resume: &["--session", "{session}"],
    install: "npm install -g @charmland/crush",
    log_in: "start `crush` once, or set the key of your provider",
    ..USUAL
};

pub(super) const AIDER: BuiltIn = BuiltIn {
    name: "aider",
    title: "Aider",
    programs: &[own("aider")],
    head: &[
        &["--message-file", "{prompt_file}"],
        &["--model", "{model}"],
        &["--auto-commits"],
        &["--no-gitignore"],
        &["--no-check-update"],
        &["--analytics-disable"],
        &["--no-show-release-notes"],
        &["--no-detect-urls"],
        &["--no-suggest-shell-commands"],
        &["--no-pretty"],
        // Otherwise they would lie in the folder and be committed.
        &["--input-history-file", "{private}/aider.input.history"],
        &["--chat-history-file", "{private}/aider.chat.history.md"],
    ],
    confined: LaunchForm {
        arguments: &[&["--yes-always"]],
        variables: &[],
    },
    guarded: UnconfinedLaunch::Not("without a person it approves everything itself"),
    keys: PROVIDERS,
    settings: &["AIDER_MODEL", "OLLAMA_API_BASE", "OPENAI_API_BASE"],
    state: AgentState {
        place: StateRelocation::Home(&[".aider"]),
        login: &[".aider/oauth-keys.env"],
        tokens: None,
        files: &[],
    },
    install: "python -m pip install aider-install && aider-install",
    log_in: "set the key of your provider, as ANTHROPIC_API_KEY",
    note: "It speaks no MCP, so that it works without our tools",
    ..USUAL
};

pub(super) const DROID: BuiltIn = BuiltIn {
    name: "droid",
    title: "Factory Droid",
    programs: &[own("droid")],
    head: &[
        &["exec"],
        &["--cwd", "{worktree}"],
        &["--model", "{model}"],
        &["--file", "{prompt_file}"],
    ],
    confined: LaunchForm {
        arguments: &[&["--skip-permissions-unsafe"]],
        variables: &[],
    },
    guarded: UnconfinedLaunch::By(LaunchForm {
        // It edits, builds, tests and commits, but does not push.
        arguments: &[&["--auto", "medium"]],
        variables: &[],
    }),
    keys: &["FACTORY_API_KEY"],
    state: AgentState {
        place: StateRelocation::Home(&[".factory"]),
        login: &[".factory/auth.json"],
        tokens: None,
        files: &[(".factory/mcp.json", r#"{"mcpServers":{servers}}"#)],
    },
    help: &[&["exec", "--help"]],
    resume: &["--session-id", "{session}"],
    install: "see https://docs.factory.ai/cli",
    log_in: "start `droid` once and follow it, or set FACTORY_API_KEY",
    lasting: "set FACTORY_API_KEY",
    ..USUAL
};
