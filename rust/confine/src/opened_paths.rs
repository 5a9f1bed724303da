//! Collects the files and folders that are opened, without the closed parts of them.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use crate::resolved_paths::ResolvedPaths;
use chant_store::disk;

/// The paths that are opened.
pub(super) struct OpenedPaths<'a> {
    paths: &'a ResolvedPaths,
    /// The paths that were asked for, with closed parts inside.
    pub tops: BTreeSet<PathBuf>,
    pieces: BTreeSet<PathBuf>,
}

impl<'a> OpenedPaths<'a> {
    pub(super) fn in_places(paths: &'a ResolvedPaths) -> Self {
        Self {
            paths,
            tops: BTreeSet::new(),
            pieces: BTreeSet::new(),
        }
    }

    /// Opens the target of a path that was found without anybody naming it, unless it is a secret
    /// or lies in one.
    pub(super) fn add_found(
        &mut self,
        path: &Path,
        secrets: &BTreeSet<PathBuf>,
        denied: &[PathBuf],
    ) {
        let Some(target) = self.paths.target(path) else {
            return;
        };
        if !target.ancestors().any(|above| secrets.contains(above)) {
            self.add(&target, secrets, denied);
        }
    }

    /// Opens the target of a path without `secrets` in it, unless the path is one itself, and
    /// without `denied` parts.
    pub(super) fn add(&mut self, path: &Path, secrets: &BTreeSet<PathBuf>, denied: &[PathBuf]) {
        let Some(path) = self.paths.target(path) else {
            return;
        };
        // A user who names a secret means it.
        // Paths are sorted by their parts: those below a folder follow it.
        let behind = (Bound::Excluded(path.as_path()), Bound::Unbounded);
        let inside = secrets
            .range::<Path, _>(behind)
            .take_while(|secret| secret.starts_with(&path));
        let closed: Vec<&Path> = inside.chain(denied).map(PathBuf::as_path).collect();
        if closed.iter().any(|closed| path.starts_with(closed)) {
            return;
        }
        self.tops.insert(path.clone());
        self.open(&path, &closed);
    }

    fn open(&mut self, path: &Path, closed: &[&Path]) {
        if closed.contains(&path) {
            return;
        }
        let inside: Vec<&Path> = closed
            .iter()
            .copied()
            .filter(|closed| closed.starts_with(path))
            .collect();
        if inside.is_empty() {
            self.pieces.insert(path.to_owned());
            return;
        }
        // A folder that cannot be listed stays closed.
        for one in disk::names(path).unwrap_or_default() {
            if !one.is_link {
                self.open(&path.join(one.name), &inside);
            }
        }
    }

    /// Returns the pieces, without those that lie in others.
    pub(super) fn list(&self) -> Vec<PathBuf> {
        let mut list: Vec<PathBuf> = Vec::new();
        // A folder comes before its content.
        for piece in &self.pieces {
            let is_held = |folder: &Path| self.pieces.contains(folder);
            if !piece.ancestors().skip(1).any(is_held) {
                list.push(piece.clone());
            }
        }
        list
    }
}
