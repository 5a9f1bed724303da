//! The environment variables that describe a run to its agent.

use std::collections::BTreeMap;

use crate::prompt::PromptWorktree;
use chant_base::run_variables::AGENT_VARIABLES;

/// The variables of an environment.
pub type EnvironmentMap = BTreeMap<String, String>;

/// The facts of a run for its agent.
#[derive(Debug, Clone, Copy)]
pub struct AgentContext<'a> {
    /// The spec's id.
    pub spec_id: &'a str,
    /// The copy of the spec that the agent reads and ticks: that of the worktree, if there is one.
    pub spec_file: &'a str,
    /// The project's root in the user's checkout.
    pub project: &'a str,
    /// The worktree; `None` in the checkout itself.
    pub worktree: Option<PromptWorktree<'a>>,
    /// The file that names our server.
    pub mcp_config: Option<&'a str>,
    /// The prompt, if it asks for something other than work on the spec.
    pub prompt: Option<&'a str>,
    /// The key of the item of another format that the spec is the order for.
    pub item: Option<&'a str>,
}

/// Returns the variables of a run, all paths absolute (reference chant 6.5).
pub fn variables(context: &AgentContext<'_>) -> Vec<(&'static str, String)> {
    let worktree =
        |of: fn(PromptWorktree<'_>) -> &str| context.worktree.map(|place| of(place).to_owned());
    let values = [
        Some(context.spec_id.to_owned()),
        Some(context.spec_file.to_owned()),
        Some(context.project.to_owned()),
        worktree(|place| place.path),
        worktree(|place| place.path),
        worktree(|place| place.branch),
        context.mcp_config.map(str::to_owned),
        context.prompt.map(str::to_owned),
        context.item.map(str::to_owned),
    ];
    let given = AGENT_VARIABLES.into_iter().zip(values);
    given
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}
