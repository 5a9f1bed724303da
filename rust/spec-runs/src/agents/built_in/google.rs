//! The templates of Gemini CLI, and of Qwen Code, which started as a copy of it.

use super::providers::PROVIDERS;
use super::{
    AgentState, BuiltIn, LaunchForm, StateRelocation, TokenEnd, TokenFile, USUAL, UnconfinedLaunch,
    own,
};

pub(super) const GEMINI: BuiltIn = BuiltIn {
    name: "gemini",
    title: "Gemini CLI",
    aliases: &["gemini-cli"],
    programs: &[own("gemini")],
    head: &[
        &["--output-format", "stream-json"],
        // Only for this session; an untrusted folder ends the run.
        &["--skip-trust"],
        &["--model", "{model}"],
        &["--allowed-mcp-server-names", "chant"],
    ],
    confined: LaunchForm {
        arguments: &[&["--approval-mode=yolo"]],
        variables: &[("GEMINI_SANDBOX", "false")],
    },
    guarded: UnconfinedLaunch::By(LaunchForm {
        arguments: &[
            &["--approval-mode=auto_edit"],
            &["--allowed-tools=run_shell_command(git)"],
            &["--allowed-tools=run_shell_command({check})"],
        ],
        variables: &[],
    }),
    // The file is one of settings, too: both name servers below the same key.
    quiet: &[
        ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "{mcp_config}"),
        ("GEMINI_TELEMETRY_ENABLED", "false"),
    ],
    events: "gemini",
    keys: &[
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_GENAI_USE_VERTEXAI",
    ],
    settings: &[
        "GEMINI_CLI_HOME",
        "GEMINI_DEFAULT_AUTH_TYPE",
        "GEMINI_MODEL",
        "GOOGLE_CLOUD_LOCATION",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_GENAI_USE_GCA",
    ],
    state: AgentState {
        place: StateRelocation::Variable("GEMINI_CLI_HOME", ""),
        login: &[
            ".gemini/oauth_creds.json",
            ".gemini/google_accounts.json",
            // It names the means by which its user logs in.
            ".gemini/settings.json",
        ],
        tokens: None,
        files: &[],
    },
    resume: &["--resume", "{session}"],
    tested: Some("0.61.0"),
    install: "npm install -g @google/gemini-cli",
    log_in: "set GEMINI_API_KEY, or the variables of Vertex AI",
    note: "Since 2026-06-18 Google serves it to API keys and enterprises alone; personal logins have ended",
    ..USUAL
};

pub(super) const QWEN: BuiltIn = BuiltIn {
    name: "qwen",
    title: "Qwen Code",
    aliases: &["qwen-code"],
    programs: &[own("qwen")],
    head: &[
        // With its prompt on standard input it runs commands in a terminal, which runs do not have;
        // arguments that are lists would include a prompt behind them.
        &["{prompt}"],
        &["--output-format", "stream-json"],
        &["--model", "{model}"],
        &["--max-session-turns", "{turns}"],
        &["--mcp-config", "{mcp_config}"],
        &["--telemetry=false"],
    ],
    confined: LaunchForm {
        arguments: &[&["--yolo"]],
        variables: &[
            ("QWEN_SANDBOX", "false"),
            ("QWEN_CODE_SUPPRESS_YOLO_WARNING", "1"),
        ],
    },
    guarded: UnconfinedLaunch::Not("its edits are not kept to the folder"),
    events: "qwen",
    keys: PROVIDERS,
    settings: &[
        "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "OPENAI_BASE_URL", "OPENAI_MODEL",
        "QWEN_DEFAULT_AUTH_TYPE", "QWEN_HOME", "QWEN_MODEL",
    ],
    state: AgentState {
        place: StateRelocation::Variable("QWEN_HOME", ".qwen"),
        login: &["oauth_creds.json", "settings.json"],
        tokens: Some(TokenFile {
            file: "oauth_creds.json",
            only: &[],
            refresh: &["/refresh_token"],
            // It takes an empty one for a broken file.
            in_place: "withheld",
            ends: TokenEnd::Milliseconds("/expiry_date"),
        }),
        files: &[],
    },
    resume: &["--resume", "{session}"],
    tested: Some("0.24.4"),
    install: "npm install -g @qwen-code/qwen-code",
    log_in: "start `qwen` once and choose a provider, or set OPENAI_API_KEY with OPENAI_BASE_URL and OPENAI_MODEL",
    lasting: "set OPENAI_API_KEY with OPENAI_BASE_URL and OPENAI_MODEL",
    ..USUAL
};
