//! The lines that the commits of completed work wrote, as git has them.

use std::collections::BTreeMap;
use std::sync::Arc;

use chant_git::changed_files::{ChangedFile, CommittedFile, FileKind};
use chant_git::{GitError, Repo};
use chant_review::line_maps::similarity;

use super::branch_line::BranchLine;
use super::compare::TargetHistory as _;
use super::lines::{LineRange, carried_lines, joined_lines, written_lines};
use super::roles::{FileRole, FileRoles};

/// The files of one piece of work that are compared.
const MAX_FILES: usize = 1_000;
/// The removed files among which the earlier name of a new one is looked for.
const MAX_EARLIER: usize = 50;
/// The likeness in percent from which on a removed file is the earlier version of a new one.
const RENAMED: usize = 60;

/// The claims of a receipt about its work. Commits that the branch does not have count for nothing.
#[derive(Debug, Clone, Copy)]
pub struct LandingClaim<'a> {
    /// The commit with which the work landed; for work by hand the one that was checked out.
    pub commit: &'a str,
    /// The tree of that commit.
    pub tree: &'a str,
    /// The commit of the branch before.
    pub base: Option<&'a str>,
    /// The commits of the work.
    pub commits: &'a [String],
    /// True if nothing landed: a person completed what the commits had done.
    pub is_by_hand: bool,
}

/// The reasons why there is nothing to compare.
#[derive(Debug, thiserror::Error)]
pub enum NoLanding {
    /// Neither the commit nor its tree is in the history.
    #[error("neither the commit that landed nor its tree is in the history of the target")]
    NotInHistory,
    /// Work by hand of which no commit is known.
    #[error(
        "it was completed by hand, and its receipt names no commit in the history of the target"
    )]
    NoCommits,
    /// Git cannot say what the commits changed.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// A file with lines of landed work.
#[derive(Debug, Clone)]
pub struct LandedFile {
    /// The path, from the top of the repository.
    pub path: String,
    /// Code, or what judges it.
    pub role: FileRole,
    /// The id of the content.
    pub blob: String,
    /// The content.
    pub text: Arc<str>,
    /// The place in the branch's line from which on later versions count.
    pub from: usize,
    /// The lines that the work wrote.
    pub lines: Vec<LineRange>,
}

/// The lines of landed work.
#[derive(Debug, Default)]
pub struct LandedWork {
    /// The files, by their paths.
    pub files: Vec<LandedFile>,
    /// The number of further files that are no text, too large, or too many.
    pub not_compared: usize,
}

/// A change that is part of the work: from one commit to another.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WorkStep {
    before: Option<String>,
    after: String,
}

/// Finds the steps of which work consists, the earliest first.
pub(super) fn steps_of(
    claim: &LandingClaim<'_>,
    line: &BranchLine<'_>,
) -> Result<Vec<WorkStep>, NoLanding> {
    let history = line.history();
    let step = |commit: &str| WorkStep {
        before: history.first_parent(commit).map(str::to_owned),
        after: commit.to_owned(),
    };
    let known = claim.commits.iter();
    let mut known: Vec<(usize, &String)> = known
        .filter_map(|commit| Some((history.arrival(commit)?, commit)))
        .collect();
    known.sort_by_key(|(arrival, _)| *arrival);
    let mut steps: Vec<WorkStep> = known.iter().map(|(_, commit)| step(commit)).collect();
    if claim.is_by_hand {
        return if steps.is_empty() {
            Err(NoLanding::NoCommits)
        } else {
            Ok(steps)
        };
    }
    let own = history.arrival(claim.commit).map(|_| claim.commit);
    let landed = own.or_else(|| history.commit_with(claim.tree));
    let landed = landed.ok_or(NoLanding::NotInHistory)?;
    if let Some(base) = claim.base.filter(|base| history.is_before(base, landed)) {
        return Ok(vec![WorkStep {
            before: Some(base.to_owned()),
            after: landed.to_owned(),
        }]);
    }
    let last = step(landed);
    if history.is_merge(landed) {
        return Ok(vec![last]);
    }
    if !steps.contains(&last) {
        steps.push(last);
    }
    Ok(steps)
}

/// Reads the lines that steps wrote, as they stood after the last one that touched their file.
pub(super) fn landed_work(
    repo: &Repo,
    line: &BranchLine<'_>,
    steps: &[WorkStep],
    roles: &FileRoles,
) -> Result<LandedWork, GitError> {
    let mut work = LandedWork::default();
    let mut files: BTreeMap<String, LandedFile> = BTreeMap::new();
    for step in steps {
        let changed = if let Some(before) = &step.before {
            repo.changed_files(before, &step.after)?
        } else {
            let mut first = repo.changes_along(None, &step.after)?;
            first.remove(&step.after).unwrap_or_default()
        };
        let from = line.place_after(&step.after);
        let writing = WrittenFiles {
            line,
            changed: &changed,
            from,
        };
        for one in changed.iter().filter(|one| one.new.is_some()) {
            let role = roles.of(&one.path);
            if role == FileRole::Words {
                continue;
            }
            match writing.file(one, role, &files) {
                Some(file) if files.len() < MAX_FILES || files.contains_key(&file.path) => {
                    files.insert(file.path.clone(), file);
                }
                _ => work.not_compared += 1,
            }
        }
        for one in changed.iter().filter(|one| one.new.is_none()) {
            files.remove(&one.path);
        }
    }
    let files = files.into_values();
    work.files = files.filter(|file| !file.lines.is_empty()).collect();
    Ok(work)
}

/// The files that one step wrote.
struct WrittenFiles<'a> {
    line: &'a BranchLine<'a>,
    changed: &'a [ChangedFile],
    from: usize,
}

impl WrittenFiles<'_> {
    /// A file with the lines of this step and with those of earlier ones that it kept; `None` for what is no text.
    fn file(
        &self,
        changed: &ChangedFile,
        role: FileRole,
        earlier: &BTreeMap<String, LandedFile>,
    ) -> Option<LandedFile> {
        let blob = plain(changed.new.as_ref())?.id.clone();
        let text = self.line.text(&blob)?;
        let (path, before) = match plain(changed.old.as_ref()) {
            Some(old) => (&*changed.path, Some(self.line.text(&old.id)?)),
            None => match self.earlier_version(&blob, &text) {
                Some((path, before)) => (path, Some(before)),
                None => (&*changed.path, None),
            },
        };
        let mut lines = written_lines(before.as_deref().unwrap_or_default(), &text);
        if let Some(kept) = earlier.get(path) {
            lines.extend(carried_lines(&kept.lines, &kept.text, &text));
            lines = joined_lines(&lines, &text);
        }
        Some(LandedFile {
            path: changed.path.clone(),
            role,
            blob,
            text,
            from: self.from,
            lines,
        })
    }

    /// The file of which a new one is another name: the removed one that is most like it.
    fn earlier_version(&self, blob: &str, text: &str) -> Option<(&str, Arc<str>)> {
        let removed = self.changed.iter().filter(|one| one.new.is_none());
        let mut best: Option<(usize, &str, Arc<str>)> = None;
        for one in removed.take(MAX_EARLIER) {
            let Some(old) = plain(one.old.as_ref()) else {
                continue;
            };
            let Some(before) = self.line.text(&old.id) else {
                continue;
            };
            let likeness = if old.id == blob {
                usize::MAX
            } else {
                similarity(&before, text)
            };
            let is_better = best.as_ref().is_none_or(|(most, ..)| likeness > *most);
            if likeness >= RENAMED && is_better {
                best = Some((likeness, &one.path, before));
            }
        }
        best.map(|(_, path, before)| (path, before))
    }
}

/// A file of a commit, if it is no link and no commit of another repository.
pub(super) fn plain(file: Option<&CommittedFile>) -> Option<&CommittedFile> {
    file.filter(|file| matches!(file.kind, FileKind::Plain | FileKind::Program))
}
