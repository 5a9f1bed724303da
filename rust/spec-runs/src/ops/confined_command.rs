//! A command that runs like an agent's.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use chant_confine::{ConfinementStatus, SandboxLauncher};

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

impl ConfinedCommand {
    /// Returns the command line of a launcher, and its order.
    pub(crate) fn ordered(
        launcher: SandboxLauncher,
        order: Vec<u8>,
        folder: PathBuf,
        confinement: &ConfinementStatus,
    ) -> Self {
        let line = Self::line(launcher.argv, launcher.environment, folder, confinement);
        Self {
            order: Some(order),
            ..line
        }
    }

    /// Returns a command line that needs no launcher.
    pub(crate) fn line(
        argv: Vec<OsString>,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        folder: PathBuf,
        confinement: &ConfinementStatus,
    ) -> Self {
        let text = |word: OsString| word.to_string_lossy().into_owned();
        let variables = variables.into_iter();
        Self {
            argv: argv.into_iter().map(text).collect(),
            variables: variables
                .map(|(name, value)| (text(name), text(value)))
                .collect(),
            order: None,
            folder,
            confinement: confinement.to_string(),
        }
    }
}
