//! Changes that recovery could bring to no end: found on disk by every process that asks, until a person
//! removes them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::intent::KEPT;
use super::{ChangeJournal, UnfinishedChange};
use crate::{disk, undecided};

/// The file that says why a change is kept, beside its record.
pub(super) const REASON: &str = "reason.json";
/// The name of the folder of a kept change, up to its number.
pub(super) const KEPT_FOLDER: &str = "kept-";
/// Changes that are reported.
const MAX_COUNT: usize = 20;

/// A file of a change that is neither done nor taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftChange {
    /// The file, relative to the root; the folder where the change is kept, when it is not known which files.
    pub path: String,
    /// A sentence that says what happened, and what can be done.
    pub message: String,
}

/// Why a change is kept.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct KeptReason {
    pub(super) paths: Vec<String>,
    pub(super) why: String,
}

impl ChangeJournal<'_> {
    /// The files of changes that could be brought to no end: those that recovery set aside, by whichever process,
    /// and those of which a failing disk leaves it undecided whether they changed.
    pub fn left_changes(&self) -> Vec<LeftChange> {
        let root = self.root.path();
        let kept = self.kept_changes();
        let kept = kept.iter().flat_map(|change| interrupted(root, change));
        let undecided = undecided::below(root).into_iter();
        let undecided = undecided.map(|(path, message)| LeftChange {
            path: relative(root, &path),
            message,
        });
        kept.chain(undecided).collect()
    }

    /// Those changes that recovery could not even set aside: nothing on disk says so of them.
    pub fn stuck_changes(&self, unfinished: &[UnfinishedChange]) -> Vec<LeftChange> {
        let is_stuck = |change: &&UnfinishedChange| {
            let name = change.kept.file_name().unwrap_or_default();
            !name.to_string_lossy().starts_with(KEPT_FOLDER)
        };
        let stuck = unfinished.iter().filter(is_stuck);
        stuck
            .flat_map(|change| interrupted(self.root.path(), change))
            .collect()
    }

    /// The changes that recovery set aside, of this root or of none that is known.
    fn kept_changes(&self) -> Vec<UnfinishedChange> {
        let place = self.state.and_then(|state| state.place());
        let names = place.and_then(|place| disk::names(&place.join("journal")).ok());
        let names = names.unwrap_or_default().into_iter();
        let mut folders = names
            .filter(|one| one.is_folder && one.name.starts_with(KEPT_FOLDER))
            .peekable();
        // Whose the state is takes longer to find out, and mostly there is nothing.
        let read = || self.state.and_then(|state| state.read("journal"));
        let Some(journal) = folders.peek().and_then(|_| read()) else {
            return Vec::new();
        };
        let kept = folders.map(|one| journal.join(one.name));
        kept.filter_map(|folder| self.kept_change(&folder))
            .take(MAX_COUNT)
            .collect()
    }

    /// Returns what is known of a change that was set aside; `None` for one of another checkout.
    fn kept_change(&self, folder: &Path) -> Option<UnfinishedChange> {
        let text = |name: &str| self.disk.read_text(&folder.join(name), name).ok();
        let record: serde_json::Value = text(KEPT)
            .and_then(|(json, _)| serde_json::from_str(&json).ok())
            .unwrap_or_default();
        let of_root = record["root"].as_str();
        if of_root.is_some() && of_root != self.root_from_state().as_deref() {
            return None;
        }
        let reason: KeptReason = text(REASON)
            .and_then(|(json, _)| serde_json::from_str(&json).ok())
            .unwrap_or_default();
        let why = match reason.why {
            why if why.is_empty() => "nothing says why".into(),
            why => why,
        };
        Some(UnfinishedChange {
            paths: reason.paths,
            why,
            kept: folder.to_owned(),
        })
    }
}

/// A change that was set aside, for each of its files.
fn interrupted(root: &Path, change: &UnfinishedChange) -> Vec<LeftChange> {
    let kept = relative(root, &change.kept);
    let left = |path: &str| LeftChange {
        path: path.into(),
        message: format!(
            "a change of several files was interrupted: {}; what is left of it is kept in {kept}: compare it with \
             the file, then remove that folder",
            change.why
        ),
    };
    if change.paths.is_empty() {
        return vec![left(&kept)];
    }
    change.paths.iter().map(|path| left(path)).collect()
}

fn relative(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap_or(path);
    inside.to_string_lossy().replace('\\', "/")
}
