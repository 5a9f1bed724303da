//! A command that runs like an agent's.

use std::collections::BTreeMap;

/// A command that is to be started by this process, which is held.
#[derive(Debug)]
pub struct ConfinedCommand {
    /// Its command line.
    pub argv: Vec<String>,
    /// The variables that are added to its environment.
    pub variables: BTreeMap<String, String>,
    /// The confinement, in a sentence.
    pub confinement: String,
}
