//! Looks: which hunks a person of this machine has seen. They are not shared.

use std::collections::BTreeSet;

use chant_store::state::StateFolder;
use serde::{Deserialize, Serialize};

use crate::error::ReviewError;
use crate::spec_file::SpecFiles;

const LOOK_FILES: SpecFiles = SpecFiles {
    folder: "looks",
    max_size: 8 * 1024 * 1024,
};
/// So many names are kept, the newest last.
const MAX_NAMES: usize = 100_000;

/// The parts of the work on a spec that a person has seen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonsLook {
    /// The newest commit of the work when a hunk was seen last.
    pub tip: Option<String>,
    /// The names of the hunks that the work had then: those that are gone later are shown as gone.
    #[serde(default)]
    pub there: Vec<String>,
    /// The names of the hunks that were seen.
    seen: Vec<String>,
}

impl PersonsLook {
    /// Reads the look at a spec; an empty one before the first, and where it cannot be read.
    pub fn read(state: &StateFolder, spec: &str) -> Self {
        let known = LOOK_FILES.read(state, spec);
        known.ok().flatten().unwrap_or_default()
    }

    /// Returns true for a hunk that was seen in these words at this path.
    pub fn has_seen(&self, name: &str) -> bool {
        self.seen.iter().any(|seen| seen == name)
    }

    /// Returns the names of the seen hunks.
    pub fn seen(&self) -> BTreeSet<&str> {
        self.seen.iter().map(String::as_str).collect()
    }

    /// Marks hunks as seen, of the work at a commit with all its hunks.
    pub fn see(&mut self, names: &[String], tip: &str, all: &[String]) {
        self.seen.retain(|seen| !names.contains(seen));
        self.seen.extend(names.iter().cloned());
        let above = self.seen.len().saturating_sub(MAX_NAMES);
        self.seen.drain(..above);
        self.tip = Some(tip.to_owned());
        self.there = all.to_vec();
    }

    /// Keeps the look at a spec.
    ///
    /// # Errors
    /// `NotWritten`.
    pub fn write(&self, state: &StateFolder, spec: &str) -> Result<(), ReviewError> {
        LOOK_FILES.write(state, spec, self)
    }
}
