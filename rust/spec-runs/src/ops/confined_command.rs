//! A command that runs like an agent's.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// A command that is to be started by this process, which is held.
#[derive(Debug)]
pub struct ConfinedCommand {
    /// Its command line.
    pub argv: Vec<String>,
    /// The variables that are added to its environment; with an order, all that there are.
    pub variables: BTreeMap<String, String>,
    /// What the command line, a launcher, has to do; it reads it from the descriptor whose number is added
    /// to the line.
    pub order: Option<Vec<u8>>,
    /// The folder that it starts in.
    pub folder: PathBuf,
    /// The confinement, in a sentence.
    pub confinement: String,
}
