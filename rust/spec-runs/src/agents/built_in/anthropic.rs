//! The template of Claude Code.

use super::{
    AgentState, BuiltIn, LaunchForm, StateRelocation, TokenEnd, TokenFile, USUAL, UnconfinedLaunch,
    own,
};

pub(super) const CLAUDE: BuiltIn = BuiltIn {
    name: "claude",
    title: "Claude Code",
    aliases: &["claude-cli", "claude-code"],
    programs: &[own("claude")],
    head: &[
        &["--print"],
        &["--output-format", "stream-json"],
        &["--verbose"],
        &["--model", "{model}"],
        &["--max-turns", "{turns}"],
        &["--max-budget-usd", "{cost_usd}"],
        // Servers of the user or of the folder would act for a run that they do not know.
        &["--strict-mcp-config"],
        &["--mcp-config", "{mcp_config}"],
    ],
    confined: LaunchForm {
        arguments: &[
            &["--dangerously-skip-permissions"],
            &["--settings", r#"{"sandbox":{"enabled":false}}"#],
        ],
        // Without it the option above is refused to root.
        variables: &[("IS_SANDBOX", "1")],
    },
    guarded: UnconfinedLaunch::By(LaunchForm {
        arguments: &[
            &["--permission-mode", "dontAsk"],
            &["--permission-prompts", "none"],
            // A plain `Edit` or `Write` would let it write everywhere.
            &[
                "--allowedTools", "Read", "Glob", "Grep", "Edit(./**)", "mcp__chant",
                "Bash(git add *)", "Bash(git commit *)", "Bash(git diff *)", "Bash(git log *)",
                "Bash(git status *)",
            ],
            &["Bash({check})"],
        ],
        variables: &[],
    }),
    quiet: &[
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
    ],
    events: "claude",
    knows_sonnet: true,
    keys: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "AWS_BEARER_TOKEN_BEDROCK",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",
    ],
    settings: &[
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_MODEL",
        "ANTHROPIC_SMALL_FAST_MODEL",
        "ANTHROPIC_VERTEX_PROJECT_ID",
        "AWS_PROFILE",
        "AWS_REGION",
        "CLAUDE_CODE_MAX_RETRIES",
        "CLAUDE_CONFIG_DIR",
        "CLOUD_ML_REGION",
    ],
    state: AgentState {
        place: StateRelocation::Variable("CLAUDE_CONFIG_DIR", ".claude"),
        login: &[".credentials.json"],
        tokens: Some(TokenFile {
            file: ".credentials.json",
            // Logins of the user's own MCP servers are in there, too.
            only: &["claudeAiOauth", "organizationUuid"],
            refresh: &["/claudeAiOauth/refreshToken"],
            in_place: "",
            ends: TokenEnd::Milliseconds("/claudeAiOauth/expiresAt"),
        }),
        files: &[],
    },
    login_probe: &["auth", "status"],
    hidden: &["--max-turns"],
    resume: &["--resume", "{session}"],
    transcripts: &["projects/*/*.jsonl"],
    tested: Some("2.1.330"),
    install: "npm install -g @anthropic-ai/claude-code",
    log_in: "start `claude` once and follow it, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN (from `claude setup-token`)",
    lasting: "set CLAUDE_CODE_OAUTH_TOKEN (from `claude setup-token`) or ANTHROPIC_API_KEY",
    ..USUAL
};
