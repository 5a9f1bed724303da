//! Decides for each path of a checkout whether it may come to a new version, and by which steps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::changes::{FileVersion, GitPath, PathChange, PathChanges, folder_prefix, folders_of};
use super::checkout::LandingCheckout;
use super::disk::{self, FileMark, PathContent, PathState};
use crate::{GitError, path_from_bytes};

/// The step to be done at a path.
#[derive(Debug, Clone)]
pub(super) struct PathStep {
    pub(super) path: GitPath,
    pub(super) file: FileStep,
    /// True if the new version has the path.
    pub(super) is_in_commit: bool,
    /// The file that lies there.
    pub(super) found: Option<FileMark>,
    /// The change of the index entry, if any.
    pub(super) entry: Option<EntryStep>,
}

/// The steps for a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileStep {
    /// The file is already as it should be.
    Leave,
    /// The file is written as the commit holds it.
    Put,
    /// The file is written with these bytes.
    PutBytes(Vec<u8>),
    /// The file is removed.
    Remove,
    /// A folder is created, for a submodule.
    Folder,
    /// The folder of a removed submodule is removed if it is empty.
    EmptyFolder,
}

/// The change of an index entry.
#[derive(Debug, Clone)]
pub(super) struct EntryStep {
    pub(super) new: Option<FileVersion>,
    /// True if the entry keeps the flag that leaves the file out of the checkout.
    pub(super) is_skipped: bool,
    pub(super) is_assumed: bool,
}

/// An entry of an index.
#[derive(Debug, Clone)]
pub(super) struct CheckoutEntry {
    pub(super) version: FileVersion,
    pub(super) is_in_conflict: bool,
    /// True if the file is left out of the checkout (sparse checkouts).
    pub(super) is_skipped: bool,
    /// True if git was set to ignore changes of the file.
    pub(super) is_assumed: bool,
}

/// The entries of an index by path; the last one if a path has several.
pub(super) type CheckoutEntries = BTreeMap<GitPath, CheckoutEntry>;

/// The state of a checkout when it was read.
pub(super) struct CheckoutState {
    pub(super) entries: CheckoutEntries,
    pub(super) seen: BTreeMap<GitPath, PathState>,
    /// The ids under which git may know the file at a path.
    pub(super) ids: BTreeMap<GitPath, Vec<String>>,
    /// True if the file system knows executable bits.
    pub(super) has_modes: bool,
}

/// The step at a path, or the paths that block it.
type PathVerdict = Result<PathStep, BTreeSet<GitPath>>;

impl LandingCheckout {
    /// Returns the steps for this checkout, or all paths that block the landing.
    pub(super) fn judge(
        &self,
        changes: &PathChanges,
    ) -> Result<Result<Vec<PathStep>, BTreeSet<GitPath>>, GitError> {
        let knowledge = self.know(changes)?;
        let court = CheckoutCheck {
            top: &self.top,
            changes,
            knowledge: &knowledge,
        };
        let (mut steps, mut blocked) = (Vec::new(), BTreeSet::new());
        for (path, change) in &changes.0 {
            match court.judge(path, change) {
                Ok(step) => steps.push(step),
                Err(_) if change.is_leftover => {}
                Err(paths) => blocked.extend(paths),
            }
        }
        Ok(if blocked.is_empty() {
            Ok(steps)
        } else {
            Err(blocked)
        })
    }
}

struct CheckoutCheck<'a> {
    top: &'a Path,
    changes: &'a PathChanges,
    knowledge: &'a CheckoutState,
}

impl CheckoutCheck<'_> {
    fn judge(&self, path: &GitPath, change: &PathChange) -> PathVerdict {
        let mut entry = self.judge_entry(path, change)?;
        let Some(seen) = self.knowledge.seen.get(path) else {
            return Err(BTreeSet::from([path.clone()]));
        };
        if let Some(folder) = &seen.in_the_way
            && !self.changes.0.contains_key(folder)
        {
            return Err(BTreeSet::from([folder.clone()]));
        }
        let listed = self.knowledge.entries.get(path);
        let is_skipped = listed.is_some_and(|entry| entry.is_skipped);
        let file = if is_skipped && seen.lies == PathContent::Nothing {
            FileStep::Leave
        } else if let Some(exempt) = &change.exempt
            && let Some(step) = self.judge_exempt(path, change, exempt, seen)
        {
            step
        } else {
            self.judge_file(path, change, seen)?
        };
        if let Some(entry) = &mut entry {
            // A file that lies there although it was left out counts again.
            entry.is_skipped &= seen.lies == PathContent::Nothing;
        }
        Ok(PathStep {
            path: path.clone(),
            file,
            is_in_commit: change.new.is_some(),
            found: seen
                .mark
                .clone()
                .filter(|_| seen.lies != PathContent::Folder),
            entry,
        })
    }

    fn judge_entry(
        &self,
        path: &GitPath,
        change: &PathChange,
    ) -> Result<Option<EntryStep>, BTreeSet<GitPath>> {
        let entries = &self.knowledge.entries;
        let mut blocked = BTreeSet::new();
        let listed = entries.get(path);
        let current = listed.map(|entry| &entry.version);
        let is_known = change.exempt.is_some() || change.known().any(|known| known == current);
        if !is_known || listed.is_some_and(|entry| entry.is_in_conflict) {
            blocked.insert(path.clone());
        }
        if change.new.is_some() {
            let above = folders_of(path).filter(|folder| entries.contains_key(*folder));
            let prefix = folder_prefix(path);
            let inside = entries.range(prefix.clone()..).map(|(path, _)| path);
            let inside = inside.take_while(|path| path.starts_with(&prefix));
            let paths = above.map(<[u8]>::to_vec).chain(inside.cloned());
            blocked.extend(paths.filter(|path| !self.changes.removes(path)));
        }
        if !blocked.is_empty() {
            return Err(blocked);
        }
        let is_untracked = change.old.is_none() && change.new.is_none();
        if current == change.new.as_ref() || is_untracked && change.exempt.is_some() {
            return Ok(None);
        }
        Ok(Some(EntryStep {
            new: change.new.clone(),
            is_skipped: listed.is_some_and(|entry| entry.is_skipped),
            is_assumed: listed.is_some_and(|entry| entry.is_assumed),
        }))
    }

    /// Returns the step for a file whose working copy went into the commit. `None` if the file was
    /// changed since; it is then judged like any other.
    fn judge_exempt(
        &self,
        path: &GitPath,
        change: &PathChange,
        exempt: &super::ExemptFile,
        seen: &PathState,
    ) -> Option<FileStep> {
        let is_file = matches!(seen.lies, PathContent::File { .. });
        let now = if is_file {
            disk::read(&self.top.join(path_from_bytes(path)))
        } else {
            None
        };
        let is_expected = match seen.lies {
            PathContent::File { .. } => now.is_some() && (now == exempt.was || now == exempt.bytes),
            PathContent::Nothing => exempt.was.is_none(),
            _ => false,
        };
        let is_known = || change.known().any(|known| self.holds(path, seen, known));
        if !is_expected && !is_known() {
            return None;
        }
        Some(match &exempt.bytes {
            Some(bytes) if now.as_ref() == Some(bytes) => FileStep::Leave,
            Some(bytes) => FileStep::PutBytes(bytes.clone()),
            None if self.holds(path, seen, change.new.as_ref()) => FileStep::Leave,
            None if change.new.is_some() => FileStep::Put,
            None if change.old.is_some() => FileStep::Remove,
            None => FileStep::Leave,
        })
    }

    fn judge_file(
        &self,
        path: &GitPath,
        change: &PathChange,
        seen: &PathState,
    ) -> Result<FileStep, BTreeSet<GitPath>> {
        let is = |version: Option<&FileVersion>| self.holds(path, seen, version);
        let new = change.new.as_ref();
        if seen.lies == PathContent::Folder {
            return self.judge_folder(path, change);
        }
        if is(new)
            && !(seen.lies == PathContent::Nothing && new.is_some_and(FileVersion::is_submodule))
        {
            return Ok(FileStep::Leave);
        }
        if !change.known().any(is) {
            return Err(BTreeSet::from([path.clone()]));
        }
        Ok(match new {
            None => FileStep::Remove,
            Some(new) if new.is_submodule() => FileStep::Folder,
            Some(_) => FileStep::Put,
        })
    }

    /// Returns the step for a path where a folder lies.
    fn judge_folder(
        &self,
        path: &GitPath,
        change: &PathChange,
    ) -> Result<FileStep, BTreeSet<GitPath>> {
        let was_submodule = change.known().flatten().any(FileVersion::is_submodule);
        let is_submodule = change.new.as_ref().is_some_and(FileVersion::is_submodule);
        let had_nothing = change.known().any(|known| known.is_none());
        if is_submodule && change.old.as_ref().is_some_and(FileVersion::is_submodule) {
            return Ok(FileStep::Leave);
        }
        if change.new.is_none() && self.changes.fills(path) {
            return Ok(FileStep::Leave);
        }
        if change.new.is_none() && was_submodule {
            return Ok(FileStep::EmptyFolder);
        }
        if change.new.is_none() || !(had_nothing || was_submodule) {
            return Err(BTreeSet::from([path.clone()]));
        }
        let Ok(inside) = disk::contents(self.top, path) else {
            return Err(BTreeSet::from([path.clone()]));
        };
        if is_submodule && inside.contains(&[path, &b"/.git"[..]].concat()) {
            return Ok(FileStep::Leave);
        }
        let strangers: BTreeSet<GitPath> = inside
            .into_iter()
            .filter(|path| !self.changes.removes(path))
            .collect();
        if !strangers.is_empty() {
            return Err(strangers);
        }
        Ok(if is_submodule {
            FileStep::Leave
        } else {
            FileStep::Put
        })
    }

    /// Returns true if the file at a path, no folder, is the given version.
    fn holds(&self, path: &GitPath, seen: &PathState, version: Option<&FileVersion>) -> bool {
        let ids = self.knowledge.ids.get(path);
        let has_id = |id: &String| ids.is_some_and(|ids| ids.contains(id));
        match (&seen.lies, version) {
            (PathContent::Nothing, version) => version.is_none_or(FileVersion::is_submodule),
            (PathContent::File { runs }, Some(version)) => {
                let is_mode = !self.knowledge.has_modes || *runs == (version.mode == "100755");
                version.mode.starts_with("100") && is_mode && has_id(&version.id)
            }
            (PathContent::Link(_), Some(version)) => version.is_link() && has_id(&version.id),
            _ => false,
        }
    }
}
