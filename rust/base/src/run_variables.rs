//! The variables of the environment by which a process knows that it belongs to a run, or that an agent started it.

use std::collections::BTreeMap;

/// The environment variable that marks an agent's processes.
pub const MARK: &str = "CHANT_RUN";
/// The value of [`MARK`] in processes of our own, which are no run's agent.
pub const RUNNER_VALUE: &str = "runner";
/// The variables that describe a run to its agent; they are not passed on to another run that it
/// starts.
pub const AGENT_VARIABLES: [&str; 9] = [
    "CHANT_SPEC_ID", "CHANT_SPEC_FILE", "CHANT_PROJECT", "CHANT_WORKTREE", "CHANT_WORKTREE_PATH",
    "CHANT_BRANCH", "CHANT_MCP_CONFIG", "CHANT_PROMPT", "CHANT_ITEM",
];

/// Variables that agents give to the commands that they run, by their first letters.
const OF_AGENTS: [&str; 15] = [
    "AI_AGENT", "AMP_CURRENT_THREAD_ID", "AUGMENT_AGENT", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT",
    "CLINE_ACTIVE", "CODEX_CI", "CODEX_SANDBOX", "COPILOT_AGENT", "CURSOR_AGENT", "FACTORY_AGENT",
    "GEMINI_CLI", "GOOSE_TERMINAL", "OPENCODE", "QWEN_CODE",
];

/// Returns the variable that shows that an agent started this process; `None` when none does.
pub fn sign_of_agent(environment: &BTreeMap<String, String>) -> Option<&str> {
    let given = environment.iter().filter(|(_, value)| !value.is_empty());
    let mut names = given.map(|(name, _)| name.as_str());
    names.find(|name| {
        OF_AGENTS
            .iter()
            .any(|beginning| name.starts_with(beginning))
    })
}
