//! The template of GitHub Copilot's command line.

use super::{AgentState, BuiltIn, LaunchForm, StateRelocation, USUAL, UnconfinedLaunch, own};

pub(super) const COPILOT: BuiltIn = BuiltIn {
    name: "copilot",
    title: "GitHub Copilot CLI",
    aliases: &["copilot-cli", "github-copilot"],
    programs: &[own("copilot")],
    head: &[
        &["--output-format", "json"],
        &["-C", "{worktree}"],
        &["--model", "{model}"],
        &["--no-ask-user"],
        &["--no-auto-update"],
        &["--disable-client-telemetry"],
        &["--disable-builtin-mcps"],
        &["--additional-mcp-config", "@{mcp_config}"],
        // Not `--trust-folder`: only in a folder that it trusts it runs the hooks, servers and plugins of the folder.
    ],
    confined: LaunchForm {
        arguments: &[&["--allow-all"]],
        variables: &[],
    },
    guarded: UnconfinedLaunch::By(LaunchForm {
        arguments: &[
            &["--allow-tool=write"],
            &["--allow-tool=chant"],
            &["--allow-tool=shell(git:*)"],
            &["--deny-tool=shell(git push)"],
            &["--allow-tool=shell({check})"],
        ],
        variables: &[],
    }),
    events: "copilot",
    keys: &[
        "COPILOT_GITHUB_TOKEN",
        "COPILOT_PROVIDER_API_KEY",
        "COPILOT_PROVIDER_BEARER_TOKEN",
        "COPILOT_PROVIDER_BASE_URL",
    ],
    settings: &[
        "COPILOT_HOME",
        "COPILOT_MODEL",
        "COPILOT_OFFLINE",
        "COPILOT_PROVIDER_AZURE_API_VERSION",
        "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS",
        "COPILOT_PROVIDER_MAX_PROMPT_TOKENS",
        "COPILOT_PROVIDER_MODEL_ID",
        "COPILOT_PROVIDER_TYPE",
        "COPILOT_PROVIDER_WIRE_API",
        "COPILOT_PROVIDER_WIRE_MODEL",
    ],
    state: AgentState {
        place: StateRelocation::Variable("COPILOT_HOME", ".copilot"),
        login: &["config.json"],
        tokens: None,
        files: &[],
    },
    resume: &["--resume={session}"],
    tested: Some("1.0.102"),
    install: "npm install -g @github/copilot",
    log_in: "set COPILOT_GITHUB_TOKEN; a login in the keychain of the system cannot be reached by a confined run, and GH_TOKEN is passed by `env.pass` alone, since it opens your repositories, too",
    ..USUAL
};
