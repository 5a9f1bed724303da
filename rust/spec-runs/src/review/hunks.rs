//! The hunks of the work on a spec.

use std::collections::BTreeMap;

use chant_base::error::Error;
use chant_git::Repo;
use chant_git::changed_files::{ChangedFile, CommittedFile, FileKind};
use chant_review::hunk::{NamedHunk, named_hunks};

use super::commit_side::text_of;

/// Files whose hunks are read.
const MAX_FILES: usize = 500;

/// The difference of two commits.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkHunks {
    /// The hunks, by the paths of files and their places in them.
    pub hunks: Vec<NamedHunk>,
    /// Changed files without lines that could be shown: binary, large, links.
    pub unreadable: Vec<String>,
    /// Files behind the last one that was read.
    pub files_left_out: usize,
}

impl WorkHunks {
    /// Returns the hunks between two commits.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub(crate) fn between(repo: &Repo, base: &str, tip: &str) -> Result<Self, Error> {
        let mut changed = repo.changed_files(base, tip)?;
        changed.sort_by(|a, b| a.path.cmp(&b.path));
        let mut found = Self {
            files_left_out: changed.len().saturating_sub(MAX_FILES),
            ..Self::default()
        };
        for file in changed.iter().take(MAX_FILES) {
            match (side(repo, file.old.as_ref()), side(repo, file.new.as_ref())) {
                (Some(older), Some(newer)) => {
                    found.hunks.extend(named_hunks(&file.path, &older, &newer));
                }
                _ => found.unreadable.push(file.path.clone()),
            }
        }
        Ok(found)
    }

    /// Returns the names of the hunks, each once.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.hunks.iter().map(|hunk| hunk.name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns how often each name occurs: two hunks that read the same are never told apart by their names.
    pub(crate) fn counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for hunk in &self.hunks {
            *counts.entry(hunk.name.as_str()).or_default() += 1;
        }
        counts
    }
}

/// A version of a file as a text; an empty one where it is missing.
fn side(repo: &Repo, file: Option<&CommittedFile>) -> Option<String> {
    match file {
        None => Some(String::new()),
        Some(file) if matches!(file.kind, FileKind::Plain | FileKind::Program) => {
            text_of(repo, &file.id)
        }
        Some(_) => None,
    }
}

/// Returns the lines that a commit changes: for each file the ranges of its older text, and of its newer one. What
/// changes blanks at the ends of lines and empty lines alone is none.
pub(crate) fn changed_ranges(
    repo: &Repo,
    base: &str,
    tip: &str,
) -> Result<Vec<ChangedRanges>, Error> {
    let mut changed = repo.changed_files(base, tip)?;
    changed.sort_by(|a, b| a.path.cmp(&b.path));
    let files = changed.iter().take(MAX_FILES);
    Ok(files
        .filter_map(|file| ChangedRanges::of(repo, file))
        .collect())
}

/// The lines that a commit changes in a file.
#[derive(Debug, Clone)]
pub(crate) struct ChangedRanges {
    pub path: String,
    /// Ranges of the older text, from 1; an insertion has the line before it.
    pub old: Vec<(usize, usize)>,
    /// The first changed line of the newer text.
    pub first_new: usize,
    /// The last one.
    pub last_new: usize,
}

impl ChangedRanges {
    fn of(repo: &Repo, file: &ChangedFile) -> Option<Self> {
        let (older, newer) = (
            side(repo, file.old.as_ref())?,
            side(repo, file.new.as_ref())?,
        );
        let mut found = Self {
            path: file.path.clone(),
            old: Vec::new(),
            first_new: 0,
            last_new: 0,
        };
        for hunk in named_hunks(&file.path, &older, &newer) {
            found.take(&hunk);
        }
        (!found.old.is_empty()).then_some(found)
    }

    fn take(&mut self, hunk: &NamedHunk) {
        use chant_text::line_diff::LineSide;
        let (mut old, mut new) = (hunk.hunk.older.start, hunk.hunk.newer.start);
        let mut changes: Vec<(Vec<&str>, Vec<&str>, usize, usize)> = Vec::new();
        let mut is_open = false;
        for (side, text) in &hunk.hunk.lines {
            if *side == LineSide::Both {
                is_open = false;
                old += 1;
                new += 1;
                continue;
            }
            if !is_open {
                changes.push((Vec::new(), Vec::new(), old, new));
                is_open = true;
            }
            let Some(last) = changes.last_mut() else {
                continue;
            };
            if *side == LineSide::Removed {
                last.0.push(text);
                old += 1;
            } else {
                last.1.push(text);
                new += 1;
            }
        }
        for (removed, added, old, new) in changes {
            let words = |lines: &[&str]| -> Vec<String> {
                let lines = lines.iter().map(|line| line.trim_end().to_owned());
                lines.filter(|line| !line.is_empty()).collect()
            };
            if words(&removed) == words(&added) {
                continue;
            }
            let last_old = (old + removed.len())
                .saturating_sub(1)
                .max(old.saturating_sub(1));
            self.old.push((old.min(last_old.max(1)), last_old.max(1)));
            if self.first_new == 0 {
                self.first_new = new;
            }
            self.last_new = (new + added.len()).saturating_sub(1).max(new);
        }
    }
}
