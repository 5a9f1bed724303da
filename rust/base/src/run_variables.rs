//! The variables of the environment by which a process knows that it belongs to a run.

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
