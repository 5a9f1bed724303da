//! What an agent is told of its run in its environment.

use crate::dialects::chant::prompt::Place;

/// The variables that tell an agent of its own run; one that starts another run does not hand them on.
pub const TOLD: [&str; 8] = [
    "CHANT_SPEC_ID",
    "CHANT_SPEC_FILE",
    "CHANT_PROJECT",
    "CHANT_WORKTREE",
    "CHANT_WORKTREE_PATH",
    "CHANT_BRANCH",
    "CHANT_MCP_CONFIG",
    "CHANT_PROMPT",
];

/// What a run tells its agent.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// The spec's ID.
    pub spec_id: &'a str,
    /// The copy of the spec that the agent reads and ticks: the worktree's where there is one.
    pub spec_file: &'a str,
    /// The project's root in the user's checkout.
    pub project: &'a str,
    /// The worktree; `None` in the checkout itself.
    pub worktree: Option<Place<'a>>,
    /// The file that tells about our server.
    pub mcp_config: Option<&'a str>,
    /// The prompt, where it asks for something else than work on the spec.
    pub prompt: Option<&'a str>,
}

/// The variables of a run, all paths absolute (reference chant 6.5).
pub fn variables(told: &Told<'_>) -> Vec<(&'static str, String)> {
    let worktree = |of: fn(Place<'_>) -> &str| told.worktree.map(|place| of(place).to_owned());
    let values = [
        Some(told.spec_id.to_owned()),
        Some(told.spec_file.to_owned()),
        Some(told.project.to_owned()),
        worktree(|place| place.path),
        worktree(|place| place.path),
        worktree(|place| place.branch),
        told.mcp_config.map(str::to_owned),
        told.prompt.map(str::to_owned),
    ];
    let given = TOLD.into_iter().zip(values);
    given
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}
