//! A branch with its history, walked once for all work that is compared with it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use chant_evidence::{MAX_BYTES, text_of};
use chant_git::changed_files::{ChangedFile, CommittedFile, FileKind};
use chant_git::{GitError, Repo};

use super::compare::{PathVersion, TargetHistory};
use super::history::BranchHistory;
use super::landing::{LandedWork, LandingClaim, NoLanding, landed_work, plain, steps_of};
use super::roles::FileRoles;

/// The bytes of texts that are kept in memory.
const MAX_KEPT: usize = 64 * 1024 * 1024;
/// The lines of a text that is compared; a longer one is written by a tool.
const MAX_LINES: usize = 20_000;

/// A branch.
pub struct BranchLine<'a> {
    repo: &'a Repo,
    tip: String,
    history: BranchHistory,
    /// The place in the line of the first commit whose changes are read.
    first: usize,
    changes: Vec<Vec<ChangedFile>>,
    versions: HashMap<String, Vec<PathVersion>>,
    texts: RefCell<KeptTexts>,
}

#[derive(Default)]
struct KeptTexts {
    by_blob: HashMap<String, Option<Arc<str>>>,
    bytes: usize,
}

impl<'a> BranchLine<'a> {
    /// Walks the history of a branch, by the full id of its newest commit.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn of(repo: &'a Repo, tip: &str) -> Result<Self, GitError> {
        Ok(Self {
            repo,
            tip: tip.to_owned(),
            history: BranchHistory::of(tip, repo.walk(&[tip.to_owned()])?),
            first: 0,
            changes: Vec::new(),
            versions: HashMap::new(),
            texts: RefCell::default(),
        })
    }

    pub(super) fn history(&self) -> &BranchHistory {
        &self.history
    }

    /// Returns the place in the line of the commit with which another one arrived.
    pub fn arrival(&self, commit: &str) -> Option<usize> {
        self.history.arrival(commit)
    }

    /// Returns a commit of the branch with a tree.
    pub fn commit_with(&self, tree: &str) -> Option<&str> {
        self.history.commit_with(tree)
    }

    /// Returns the id of the commit at a place in the line.
    pub fn commit_at(&self, at: usize) -> Option<&str> {
        self.history.line().get(at).map(String::as_str)
    }

    /// The place in the line from which on versions are later than those of a commit.
    pub(super) fn place_after(&self, commit: &str) -> usize {
        let arrival = self.history.arrival(commit).unwrap_or(0);
        if self.commit_at(arrival) == Some(commit) {
            arrival + 1
        } else {
            arrival
        }
    }

    /// Returns the lines that work wrote.
    ///
    /// # Errors
    /// Why nothing is known of them.
    pub fn landed(
        &self,
        claim: &LandingClaim<'_>,
        roles: &FileRoles,
    ) -> Result<LandedWork, NoLanding> {
        let steps = steps_of(claim, self)?;
        Ok(landed_work(self.repo, self, &steps, roles)?)
    }

    /// Reads what the commits since the earliest of some work changed, once for all of it.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn read_changes_since<'w>(
        &mut self,
        work: impl IntoIterator<Item = &'w LandedWork>,
    ) -> Result<(), GitError> {
        let files = work.into_iter().flat_map(|work| &work.files);
        let earliest = files.map(|file| file.from).min();
        self.first = earliest.unwrap_or(self.history.line().len());
        let line = self.history.line().get(self.first..).unwrap_or_default();
        let Some(first) = line.first() else {
            return Ok(());
        };
        let since = self.history.first_parent(first);
        let mut changes = self.repo.changes_along(since, &self.tip)?;
        let of = |commit: &String| changes.remove(commit).unwrap_or_default();
        self.changes = line.iter().map(of).collect();
        for (at, changed) in (self.first..).zip(&self.changes) {
            for file in changed {
                let versions = self.versions.entry(file.path.clone()).or_default();
                versions.push(PathVersion {
                    at,
                    blob: plain(file.new.as_ref()).map(|file| file.id.clone()),
                });
            }
        }
        Ok(())
    }

    fn read_text(&self, blob: &str) -> Option<Arc<str>> {
        let file = CommittedFile {
            kind: FileKind::Plain,
            id: blob.to_owned(),
        };
        if self.repo.size_of(&file).ok()? > MAX_BYTES as u64 {
            return None;
        }
        let text = text_of(&self.repo.content_of(&file).ok()?)?;
        (text.lines().count() <= MAX_LINES).then(|| text.into())
    }
}

impl TargetHistory for BranchLine<'_> {
    fn at_tip(&self, path: &str) -> Option<String> {
        self.repo.content_id(&self.tip, path).ok().flatten()
    }

    fn versions(&self, path: &str, from: usize) -> &[PathVersion] {
        let versions = self.versions.get(path).map_or(&[][..], Vec::as_slice);
        let earlier = versions.partition_point(|version| version.at < from);
        &versions[earlier..]
    }

    fn changes(&self, at: usize) -> &[ChangedFile] {
        let at = at.checked_sub(self.first);
        let changed = at.and_then(|at| self.changes.get(at));
        changed.map_or(&[], Vec::as_slice)
    }

    fn text(&self, blob: &str) -> Option<Arc<str>> {
        if let Some(kept) = self.texts.borrow().by_blob.get(blob) {
            return kept.clone();
        }
        let text = self.read_text(blob);
        let mut texts = self.texts.borrow_mut();
        texts.bytes += text.as_ref().map_or(0, |text| text.len());
        if texts.bytes > MAX_KEPT {
            *texts = KeptTexts::default();
        }
        texts.by_blob.insert(blob.to_owned(), text.clone());
        text
    }
}
