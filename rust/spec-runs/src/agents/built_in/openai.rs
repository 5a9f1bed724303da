//! The template of Codex.

use super::{
    AgentState, BuiltIn, LaunchForm, StateRelocation, TokenEnd, TokenFile, USUAL, UnconfinedLaunch,
    own,
};

pub(super) const CODEX: BuiltIn = BuiltIn {
    name: "codex",
    title: "OpenAI Codex",
    aliases: &["codex-cli"],
    programs: &[own("codex")],
    head: &[
        &["exec"],
        &["--json"],
        &["--cd", "{worktree}"],
        // A split reads a copy that is no repository.
        &["--skip-git-repo-check"],
        &["--model", "{model}"],
        // This release no longer reads the variable.
        &["-c", "openai_base_url={openai_base_url}"],
        &["-c", "check_for_update_on_startup=false"],
        &[
            "-c",
            "mcp_servers.chant.command={server_command}",
            "-c",
            "mcp_servers.chant.args={server_arguments}",
            // Otherwise each call would wait for a person, and fail.
            "-c",
            "mcp_servers.chant.default_tools_approval_mode=\"approve\"",
            // Otherwise its first turns start before our tools are available.
            "-c",
            "mcp_servers.chant.required=true",
        ],
        &["-c", "mcp_servers.chant.env={server_variables}"],
    ],
    confined: LaunchForm {
        arguments: &[&["--dangerously-bypass-approvals-and-sandbox"]],
        variables: &[],
    },
    guarded: UnconfinedLaunch::By(LaunchForm {
        arguments: &[
            &["--sandbox", "workspace-write"],
            // Otherwise its sandbox prevents commits.
            &[
                "-c",
                "sandbox_workspace_write.writable_roots=[{git_dir_quoted}]",
            ],
        ],
        variables: &[],
    }),
    tail: &[&["-"]],
    events: "codex",
    keys: &["CODEX_API_KEY", "CODEX_ACCESS_TOKEN"],
    settings: &["CODEX_HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL"],
    state: AgentState {
        place: StateRelocation::Variable("CODEX_HOME", ".codex"),
        login: &["auth.json"],
        tokens: Some(TokenFile {
            file: "auth.json",
            only: &[],
            refresh: &["/tokens/refresh_token"],
            in_place: "",
            ends: TokenEnd::Claim("/tokens/access_token"),
        }),
        files: &[],
    },
    login_probe: &["login", "status"],
    help: &[&["exec", "--help"]],
    resume: &["resume", "{session}"],
    transcripts: &["sessions/*/*/*/rollout-*.jsonl"],
    tested: Some("0.169.0"),
    install: "npm install -g @openai/codex",
    log_in: "run `codex login`, or set CODEX_API_KEY; OPENAI_API_KEY alone is not read by it",
    lasting: "set CODEX_API_KEY",
    ..USUAL
};
