//! Templates of agents of other makers, most of them for models of many providers.

use super::providers::PROVIDERS;
use super::{
    AgentState, BuiltIn, LaunchForm, ProgramName, StateRelocation, TokenEnd, TokenFile, USUAL,
    UnconfinedLaunch, own,
};

pub(super) const CURSOR: BuiltIn = BuiltIn {
    name: "cursor-agent",
    title: "Cursor CLI",
    aliases: &["cursor", "cursor-cli"],
    programs: &[
        own("cursor-agent"),
        // Other programs may have its newer name, too.
        ProgramName {
            name: "agent",
            lies_in: Some("cursor"),
        },
    ],
    head: &[
        &["--print"],
        &["--output-format", "stream-json"],
        &["--workspace", "{worktree}"],
        &["--model", "{model}"],
        &["--trust"],
        &["--approve-mcps"],
    ],
    confined: LaunchForm {
        arguments: &[&["--force"], &["--sandbox", "disabled"]],
        variables: &[],
    },
    guarded: UnconfinedLaunch::Not(
        "what it may do is said by `.cursor/cli.json` of the folder alone, which its work would commit",
    ),
    tail: &[&["{prompt}"]],
    events: "cursor",
    keys: &["CURSOR_API_KEY"],
    settings: &["CURSOR_CONFIG_DIR"],
    state: AgentState {
        place: StateRelocation::Home(&[".cursor", ".config/cursor"]),
        login: &[".config/cursor/auth.json", ".cursor/cli-config.json"],
        tokens: None,
        files: &[(".cursor/mcp.json", r#"{"mcpServers":{servers}}"#)],
    },
    login_probe: &["status"],
    resume: &["--resume", "{session}"],
    install: "see https://cursor.com/cli",
    log_in: "run `cursor-agent login`, or set CURSOR_API_KEY",
    lasting: "set CURSOR_API_KEY",
    ..USUAL
};

pub(super) const OPENCODE: BuiltIn = BuiltIn {
    name: "opencode",
    title: "OpenCode",
    programs: &[own("opencode")],
    head: &[
        &["run"],
        &["--format", "json"],
        &["--dir", "{worktree}"],
        &["--model", "{model}"],
    ],
    confined: LaunchForm {
        arguments: &[&["--auto"]],
        variables: &[(
            "OPENCODE_CONFIG_CONTENT",
            r#"{"permission":{"*":"allow"},"mcp":{local_servers},"share":"disabled","autoupdate":false}"#,
        )],
    },
    guarded: UnconfinedLaunch::By(LaunchForm {
        arguments: &[],
        variables: &[(
            "OPENCODE_CONFIG_CONTENT",
            r#"{"permission":{"*":"deny","read":"allow","edit":"allow","glob":"allow","grep":"allow","bash":{"*":"deny","git *":"allow","git push*":"deny"{check_rules}},"chant_*":"allow","external_directory":"deny"},"mcp":{local_servers},"share":"disabled","autoupdate":false}"#,
        )],
    }),
    quiet: &[("OPENCODE_DISABLE_AUTOUPDATE", "1")],
    events: "opencode",
    keys: PROVIDERS,
    settings: &["OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"],
    state: AgentState {
        place: StateRelocation::Home(&[
            ".local/share/opencode", ".local/state/opencode", ".config/opencode",
        ]),
        login: &[
            ".local/share/opencode/auth.json",
            ".config/opencode/opencode.json",
            ".config/opencode/opencode.jsonc",
        ],
        // Those of other providers are not replaced when they are used.
        tokens: Some(TokenFile {
            file: ".local/share/opencode/auth.json",
            only: &[],
            refresh: &["/anthropic/refresh", "/openai/refresh"],
            in_place: "",
            ends: TokenEnd::Unknown,
        }),
        files: &[],
    },
    help: &[&["run", "--help"]],
    resume: &["--session", "{session}"],
    tested: Some("1.18.33"),
    install: "npm install -g opencode-ai",
    log_in: "run `opencode auth login`, or set the key of your provider, as ANTHROPIC_API_KEY",
    ..USUAL
};

pub(super) const KIRO: BuiltIn = BuiltIn {
    name: "kirocli",
    title: "Kiro CLI",
    aliases: &["kiro", "kiro-cli", "kiro-cli-chat"],
    programs: &[own("kiro-cli")],
    head: &[
        &["chat"],
        &["--no-interactive"],
        // The default differs by release.
        &["--v3"],
        &["--model", "{model}"],
    ],
    confined: LaunchForm {
        arguments: &[&["--trust-all-tools"]],
        variables: &[],
    },
    guarded: UnconfinedLaunch::Not(
        "it can be let run all commands or none, so that nothing would bound what it does",
    ),
    tail: &[&["{prompt}"]],
    keys: &["KIRO_API_KEY"],
    state: AgentState {
        place: StateRelocation::Home(&[".kiro", ".local/share/kiro-cli"]),
        login: &[".local/share/kiro-cli/data.sqlite3"],
        tokens: None,
        files: &[(".kiro/settings/mcp.json", r#"{"mcpServers":{servers}}"#)],
    },
    login_probe: &["whoami"],
    help: &[&["chat", "--help"]],
    install: "see https://kiro.dev/cli",
    log_in: "run `kiro-cli login`, or set KIRO_API_KEY",
    lasting: "set KIRO_API_KEY",
    ..USUAL
};

pub(super) const AMP: BuiltIn = BuiltIn {
    name: "amp",
    title: "Amp",
    programs: &[own("amp")],
    head: &[
        &["--execute"],
        &["--stream-json"],
        &["--mcp-config", "{servers}"],
        &["--settings-file", "{private}/.config/amp/settings.json"],
    ],
    guarded: UnconfinedLaunch::Not("what keys bound it is not known to us for sure"),
    events: "amp",
    keys: &["AMP_API_KEY"],
    settings: &["AMP_URL"],
    state: AgentState {
        place: StateRelocation::Home(&[".config/amp", ".local/share/amp"]),
        login: &[".local/share/amp/secrets.json"],
        tokens: None,
        files: &[(
            ".config/amp/settings.json",
            r#"{"amp.dangerouslyAllowAll":true,"amp.updates.mode":"disabled"}"#,
        )],
    },
    install: "npm install -g @sourcegraph/amp",
    log_in: "run `amp login`, or set AMP_API_KEY",
    lasting: "set AMP_API_KEY",
    note: "Its threads lie on Amp's servers",
    ..USUAL
};

pub(super) const CLINE: BuiltIn = BuiltIn {
    name: "cline",
    title: "Cline CLI",
    programs: &[own("cline")],
    head: &[
        &["--json"],
        &["--cwd", "{worktree}"],
        &["--model", "{model}"],
    ],
    confined: LaunchForm {
        arguments: &[&["--auto-approve", "true"]],
        variables: &[],
    },
    guarded: UnconfinedLaunch::Not("it can be let do everything or nothing"),
    tail: &[&["{prompt}"]],
    // Otherwise it starts a process that outlives it.
    quiet: &[("CLINE_SESSION_BACKEND_MODE", "local")],
    events: "cline",
    keys: &["CLINE_API_KEY"],
    settings: PROVIDERS,
    state: AgentState {
        place: StateRelocation::Variable("CLINE_DIR", ".cline"),
        login: &[
            "data/settings/providers.json",
            "data/settings/global-settings.json",
        ],
        // A server without a timeout of its own has three seconds to start.
        tokens: None,
        files: &[(
            "data/settings/cline_mcp_settings.json",
            r#"{"mcpServers":{timed_servers}}"#,
        )],
    },
    resume: &["--id", "{session}"],
    tested: Some("3.0.65"),
    install: "npm install -g cline",
    log_in: "run `cline auth`",
    ..USUAL
};

pub(super) const PI: BuiltIn = BuiltIn {
    name: "pi",
    title: "pi",
    programs: &[own("pi")],
    head: &[
        &["--print"],
        &["--mode", "json"],
        &["--model", "{model}"],
        &["--offline"],
    ],
    guarded: UnconfinedLaunch::Not("it knows no permissions: every command runs at once"),
    tail: &[&["{prompt}"]],
    events: "pi",
    keys: PROVIDERS,
    settings: &["PI_CODING_AGENT_DIR"],
    state: AgentState {
        place: StateRelocation::Variable("PI_CODING_AGENT_DIR", ".pi/agent"),
        login: &["auth.json", "models.json", "settings.json"],
        // Those of other providers are not replaced when they are used.
        tokens: Some(TokenFile {
            file: "auth.json",
            only: &[],
            refresh: &["/anthropic/refresh", "/openai-codex/refresh"],
            in_place: "",
            ends: TokenEnd::Unknown,
        }),
        files: &[],
    },
    resume: &["--session", "{session}"],
    tested: Some("0.73.1"),
    install: "npm install -g @mariozechner/pi-coding-agent",
    log_in: "start `pi` once and use /login, or set the key of your provider",
    note: "It speaks no MCP, so that it works without our tools",
    ..USUAL
};
