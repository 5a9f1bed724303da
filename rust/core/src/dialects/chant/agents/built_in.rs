//! The agents that need no configuration.

use crate::config::runs::Argument;
use crate::provider::{KEY, Protocol};

/// An agent as it is started: each inner list stands or falls together.
pub(super) struct BuiltIn {
    pub(super) name: &'static str,
    aliases: &'static [&'static str],
    head: &'static [&'static [&'static str]],
    /// What bounds it while it asks for permission.
    guarded: &'static [&'static [&'static str]],
    /// What stops it from asking.
    unguarded: &'static [&'static [&'static str]],
    tail: &'static [&'static [&'static str]],
    /// The protocol that our own program speaks with a model, where it is the agent.
    pub(super) protocol: Option<Protocol>,
    /// The variables that hold its credentials, and say where its state and its provider are. They are
    /// passed to it and to no other agent.
    pub(super) credentials: &'static [&'static str],
}

/// The built-in agents. Those whose arguments hold no prompt read it from standard input.
pub(super) const BUILT_IN: [BuiltIn; 9] = [
    BuiltIn {
        name: "claude",
        aliases: &["claude-cli"],
        head: &[
            &["claude"],
            &["--print"],
            &["--output-format", "stream-json"],
            &["--verbose"],
            &["--model", "{model}"],
            &["--mcp-config", "{mcp_config}"],
        ],
        guarded: &[],
        unguarded: &[&["--dangerously-skip-permissions"]],
        tail: &[],
        protocol: None,
        credentials: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "ANTHROPIC_CUSTOM_HEADERS",
            "ANTHROPIC_MODEL",
            "ANTHROPIC_SMALL_FAST_MODEL",
            "ANTHROPIC_VERTEX_PROJECT_ID",
            "AWS_BEARER_TOKEN_BEDROCK",
            "AWS_PROFILE",
            "AWS_REGION",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "CLAUDE_CODE_MAX_RETRIES",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_USE_VERTEX",
            "CLAUDE_CONFIG_DIR",
            "CLOUD_ML_REGION",
            "DISABLE_AUTOUPDATER",
        ],
    },
    BuiltIn {
        name: "kirocli",
        aliases: &["kiro", "kiro-cli", "kiro-cli-chat"],
        head: &[
            &["kiro-cli"],
            &["chat"],
            &["--no-interactive"],
            &["--model", "{model}"],
        ],
        guarded: &[],
        unguarded: &[&["--trust-all-tools"]],
        tail: &[&["{prompt}"]],
        protocol: None,
        credentials: &["KIRO_API_KEY"],
    },
    BuiltIn {
        name: "codex",
        aliases: &["codex-cli"],
        // A split looks at a copy that is no repository.
        head: &[
            &["codex"],
            &["exec"],
            &["--skip-git-repo-check"],
            &["--model", "{model}"],
        ],
        // What a worktree's commits write lies outside the worktree.
        guarded: &[
            &["--sandbox", "workspace-write"],
            &["--add-dir", "{git_dir}"],
        ],
        unguarded: &[&["--dangerously-bypass-approvals-and-sandbox"]],
        tail: &[&["-"]],
        protocol: None,
        credentials: &[
            "CODEX_API_KEY",
            "CODEX_HOME",
            "OPENAI_API_KEY",
            "OPENAI_BASE_URL",
        ],
    },
    BuiltIn {
        name: "gemini",
        aliases: &["gemini-cli"],
        head: &[&["gemini"], &["--model", "{model}"]],
        guarded: &[],
        unguarded: &[&["--approval-mode=yolo"]],
        tail: &[],
        protocol: None,
        credentials: &[
            "GEMINI_API_KEY",
            "GEMINI_CLI_HOME",
            "GEMINI_MODEL",
            "GOOGLE_API_KEY",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GOOGLE_CLOUD_LOCATION",
            "GOOGLE_CLOUD_PROJECT",
            "GOOGLE_GENAI_USE_GCA",
            "GOOGLE_GENAI_USE_VERTEXAI",
        ],
    },
    BuiltIn {
        name: "opencode",
        aliases: &[],
        head: &[&["opencode"], &["run"], &["--model", "{model}"]],
        guarded: &[],
        unguarded: &[&["--dangerously-skip-permissions"]],
        tail: &[],
        protocol: None,
        credentials: &[
            "OPENCODE_API_KEY",
            "OPENCODE_CONFIG",
            "OPENCODE_CONFIG_CONTENT",
            "OPENCODE_CONFIG_DIR",
        ],
    },
    BuiltIn {
        name: "cursor-agent",
        aliases: &["cursor"],
        head: &[
            &["cursor-agent"],
            &["--print"],
            &["--output-format", "stream-json"],
            &["--model", "{model}"],
        ],
        guarded: &[],
        unguarded: &[&["--force"]],
        tail: &[&["{prompt}"]],
        protocol: None,
        credentials: &["CURSOR_API_KEY"],
    },
    BuiltIn {
        name: "ollama",
        aliases: &["local"],
        head: &[&["{chant}"], &["http-agent"], &["--model", "{model}"]],
        guarded: &[],
        unguarded: &[],
        tail: &[],
        protocol: Some(Protocol::Ollama),
        credentials: &[],
    },
    BuiltIn {
        name: "openai",
        aliases: &["gpt"],
        head: &[&["{chant}"], &["http-agent"], &["--model", "{model}"]],
        guarded: &[],
        unguarded: &[],
        tail: &[],
        protocol: Some(Protocol::OpenAi),
        credentials: &[KEY],
    },
    BuiltIn {
        name: "demo",
        aliases: &[],
        head: &[&["{chant}"], &["demo-agent"]],
        guarded: &[],
        unguarded: &[],
        tail: &[],
        protocol: None,
        credentials: &[],
    },
];

impl BuiltIn {
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Its command, with or without what stops it from asking.
    pub(super) fn command(&self, skips_permissions: bool) -> Vec<Argument> {
        let middle = if skips_permissions {
            self.unguarded
        } else {
            self.guarded
        };
        let groups = [self.head, middle, self.tail].concat();
        let owned = |group: &[&str]| group.iter().map(|piece| (*piece).to_owned()).collect();
        let argument = |group: &[&str]| match group {
            [one] => Argument::One((*one).to_owned()),
            several => Argument::Together(owned(several)),
        };
        groups.into_iter().map(argument).collect()
    }
}
