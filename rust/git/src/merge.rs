//! Merges two commits without a checkout: the caller merges files whose format it knows, git merges
//! the others. No ref is moved here.

use std::collections::BTreeMap;

use super::backend::GitBackend;
use super::bookkeeping::NewFile;
use super::branches::oid;
use super::commits::{CommitAuthor, NewCommit};
use super::hooks::MergeDraft;
use super::program::{fields, first_line};
use super::{GitError, Repo, is_missing};

/// The first git whose `merge-tree` writes a tree.
const GIT_THAT_MERGES: &str = "2.38";

/// The exit code of git for an unknown option.
const USAGE: i32 = 129;

/// Two commits to be merged.
#[derive(Debug, Clone, Copy)]
pub struct MergeRequest<'a> {
    /// The target's commit; the first parent.
    pub ours: &'a str,
    /// The finished branch's newest commit.
    pub theirs: &'a str,
    /// Files that the caller merges, even if git sees no conflict.
    pub asked: &'a [String],
    /// The message of the merge commit.
    pub message: &'a str,
    /// True if the branch's own commit is the result where the target did not move.
    pub fast_forward: bool,
    /// Names of merge drivers whose files the caller merges; they do not require a merge by the git
    /// program.
    pub replaced: &'a [&'a str],
}

/// The content of a file on the three sides of a merge; `None` where the file does not exist.
#[derive(Debug, Clone, Copy)]
pub struct FileSides<'a> {
    /// The content in the newest commit that both sides have.
    pub base: Option<&'a [u8]>,
    /// The content in the target.
    pub ours: Option<&'a [u8]>,
    /// The content in the branch.
    pub theirs: Option<&'a [u8]>,
}

/// The caller's decisions about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileResolution {
    /// The merged content.
    Bytes(Vec<u8>),
    /// The file cannot be merged, for this reason.
    Conflict(String),
    /// Git merges the file.
    Default,
}

/// A function that merges one file for the caller.
pub type FileResolver<'a> = dyn Fn(&str, FileSides<'_>) -> FileResolution + 'a;

/// The outcomes of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeOutcome {
    /// The target already contains the branch.
    Nothing,
    /// The branch's own commit is the result.
    FastForward {
        /// The branch's newest commit.
        commit: String,
    },
    /// A commit with two parents, which no ref names yet.
    Commit {
        /// The commit.
        commit: String,
        /// Its tree.
        tree: String,
    },
    /// No commit was made; these files are in conflict, sorted by path.
    Conflicts(Vec<FileConflict>),
}

/// A file that could not be merged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileConflict {
    /// The file, from the top of the checkout.
    pub path: String,
    /// The kind of conflict.
    pub kind: ConflictKind,
}

/// The reasons why a file could not be merged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConflictKind {
    /// Both sides changed the same lines.
    BothModified,
    /// Both sides added it, with different content.
    BothAdded,
    /// The target deleted what the branch changed.
    DeletedByTarget,
    /// The branch deleted what the target changed.
    DeletedByBranch,
    /// One side renamed it or replaced it by a folder, and the other did not.
    Moved,
    /// The caller refused, for this reason.
    Refused(String),
}

/// A merge by git: a tree and its conflicts.
struct TreeMerge {
    tree: String,
    conflicts: BTreeMap<String, ConflictKind>,
}

impl Repo {
    /// Merges two commits in memory.
    ///
    /// `resolve` is called for each of the `asked` files that one side has. The user whom git's
    /// configuration names is the author of a merge commit, else the runtime; it is signed if the
    /// user signs. Hooks that `git merge` would run before it commits are run, in a temporary
    /// worktree.
    ///
    /// # Errors
    /// `NoCommit`, `InvalidName`, `Hook`, `OldGit` where only the git program can merge and is too
    /// old, or a failure of git; unreferenced objects may be left.
    pub fn merge(
        &self,
        merge: &MergeRequest<'_>,
        resolve: &FileResolver<'_>,
    ) -> Result<MergeOutcome, GitError> {
        let _act = self.begin_act();
        let (ours, theirs) = (
            self.known_commit(merge.ours)?,
            self.known_commit(merge.theirs)?,
        );
        let base = self.merge_base(&ours, &theirs)?;
        if base.as_deref() == Some(theirs.as_str()) {
            return Ok(MergeOutcome::Nothing);
        }
        let mut refusals = BTreeMap::new();
        let mut files: Vec<NewFile> = Vec::new();
        for path in merge.asked {
            match self.ask(path, base.as_deref(), [&ours, &theirs], resolve)? {
                FileResolution::Bytes(bytes) => files.push((path.clone(), bytes)),
                FileResolution::Conflict(why) => {
                    refusals.insert(path.clone(), ConflictKind::Refused(why));
                }
                FileResolution::Default => {}
            }
        }
        let TreeMerge {
            tree,
            mut conflicts,
        } = self.draft(&ours, &theirs, &files, merge.replaced)?;
        conflicts.extend(refusals);
        if !conflicts.is_empty() {
            let conflicts = conflicts.into_iter();
            let conflicts = conflicts.map(|(path, kind)| FileConflict { path, kind });
            return Ok(MergeOutcome::Conflicts(conflicts.collect()));
        }
        let tree = self.tree_with(&tree, &files)?;
        let is_ahead = base.as_deref() == Some(ours.as_str());
        if merge.fast_forward && is_ahead && self.tree_of(&theirs)? == tree {
            return Ok(MergeOutcome::FastForward { commit: theirs });
        }
        let draft = self.pass_hooks(MergeDraft {
            tree,
            ours,
            theirs,
            message: format!("{}\n", merge.message.trim_end()),
        })?;
        let commit = self.write_commit(&NewCommit {
            tree: &draft.tree,
            parents: &[&draft.ours, &draft.theirs],
            message: &draft.message,
            by: CommitAuthor::User,
        })?;
        let tree = draft.tree;
        Ok(MergeOutcome::Commit { commit, tree })
    }

    /// Returns the newest common commit; `None` when they share no history.
    ///
    /// # Errors
    /// A failure to read the repository, or a commit that is not in it.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>, GitError> {
        self.read(
            "compare histories",
            |repo| match repo.merge_base(oid(one)?, oid(other)?) {
                Ok(base) => Ok(Some(base.to_string())),
                Err(error) if is_missing(&error) => Ok(None),
                Err(error) => Err(error),
            },
            || {
                let answer = self.reading(["merge-base", one, other]).answer()?;
                if answer.ended_with(1) {
                    return Ok(None);
                }
                Ok(Some(first_line(&answer.success()?)))
            },
        )
    }

    fn ask(
        &self,
        path: &str,
        base: Option<&str>,
        [ours, theirs]: [&str; 2],
        resolve: &FileResolver<'_>,
    ) -> Result<FileResolution, GitError> {
        let base = match base {
            Some(base) => self.file_at(base, path)?,
            None => None,
        };
        let (ours, theirs) = (self.file_at(ours, path)?, self.file_at(theirs, path)?);
        if ours.is_none() && theirs.is_none() {
            return Ok(FileResolution::Default);
        }
        let sides = FileSides {
            base: base.as_deref(),
            ours: ours.as_deref(),
            theirs: theirs.as_deref(),
        };
        Ok(resolve(path, sides))
    }

    /// Merges as git does and leaves out conflicts in `settled` files.
    fn draft(
        &self,
        ours: &str,
        theirs: &str,
        settled: &[NewFile],
        replaced: &[&str],
    ) -> Result<TreeMerge, GitError> {
        let by_program = || self.draft_by_program(ours, theirs, settled);
        // Merge drivers are programs of the user's, which only the git program runs.
        if self.backend == GitBackend::Library && self.has_merge_drivers(replaced)? {
            return by_program();
        }
        let by_library = |repo: &git2::Repository| draft_by_library(repo, ours, theirs, settled);
        self.read("merge", by_library, by_program)
    }

    fn has_merge_drivers(&self, replaced: &[&str]) -> Result<bool, GitError> {
        let asked = self.reading([
            "config",
            "--name-only",
            "--get-regexp",
            r"^merge\..*\.driver$",
        ]);
        match asked.answer() {
            Ok(answer) if answer.ended_with(1) => Ok(false),
            Ok(answer) => {
                let out = answer.success()?;
                let listed = String::from_utf8_lossy(&out);
                let mut names = listed.lines().map(|line| {
                    let name = line.strip_prefix("merge.").unwrap_or(line);
                    name.strip_suffix(".driver").unwrap_or(name)
                });
                Ok(names.any(|name| !replaced.contains(&name)))
            }
            Err(GitError::NoGit { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn draft_by_program(
        &self,
        ours: &str,
        theirs: &str,
        settled: &[NewFile],
    ) -> Result<TreeMerge, GitError> {
        let words = ["merge-tree", "--write-tree", "-z", "--no-messages"];
        let answer = self.acting(words).arg(ours).arg(theirs).answer()?;
        if answer.ended_with(USAGE) {
            return Err(GitError::OldGit {
                needed: GIT_THAT_MERGES,
                why: "to merge in this repository",
            });
        }
        let found_conflict = answer.ended_with(1);
        let out = if found_conflict {
            answer.out
        } else {
            answer.success()?
        };
        let mut parts = fields(&out);
        let tree = first_line(parts.next().unwrap_or_default());
        let mut stages: BTreeMap<String, [bool; 3]> = BTreeMap::new();
        for part in parts {
            let entry = String::from_utf8_lossy(part);
            let (head, path) = entry.split_once('\t').unwrap_or_default();
            let stage = head.rsplit(' ').next().and_then(|text| text.parse().ok());
            let sides = stages.entry(path.to_owned()).or_default();
            if let Some(side) = stage.and_then(|stage: usize| sides.get_mut(stage.wrapping_sub(1)))
            {
                *side = true;
            }
        }
        if found_conflict && stages.is_empty() {
            return Err(GitError::Program {
                command: "git merge-tree".into(),
                why: "it found a conflict and named no file".into(),
            });
        }
        let kinds = stages
            .into_iter()
            .map(|(path, sides)| (path, kind_of(sides)));
        let conflicts = kinds.filter(|(path, _)| !is_settled(settled, path));
        Ok(TreeMerge {
            tree,
            conflicts: conflicts.collect(),
        })
    }
}

fn draft_by_library(
    repo: &git2::Repository,
    ours: &str,
    theirs: &str,
    settled: &[NewFile],
) -> Result<TreeMerge, git2::Error> {
    let (ours, theirs) = (
        repo.find_commit(oid(ours)?)?,
        repo.find_commit(oid(theirs)?)?,
    );
    let mut options = git2::MergeOptions::new();
    let mut index = repo.merge_commits(&ours, &theirs, Some(options.find_renames(true)))?;
    let mut conflicts = BTreeMap::new();
    let mut cleared = Vec::new();
    for conflict in index.conflicts()? {
        let conflict = conflict?;
        let sides = [&conflict.ancestor, &conflict.our, &conflict.their];
        let Some(entry) = sides.iter().copied().flatten().next_back() else {
            continue;
        };
        let path = String::from_utf8_lossy(&entry.path).into_owned();
        if is_settled(settled, &path) {
            cleared.push(path);
        } else {
            conflicts.insert(path, kind_of(sides.map(Option::is_some)));
        }
    }
    if !conflicts.is_empty() {
        return Ok(TreeMerge {
            tree: String::new(),
            conflicts,
        });
    }
    for path in cleared {
        index.conflict_remove(path.as_ref())?;
    }
    let tree = index.write_tree_to(repo)?.to_string();
    Ok(TreeMerge { tree, conflicts })
}

fn is_settled(settled: &[NewFile], path: &str) -> bool {
    settled.iter().any(|(settled, _)| settled == path)
}

/// Returns the kind of a conflict, given whether base, target and branch have the file.
fn kind_of(sides: [bool; 3]) -> ConflictKind {
    match sides {
        [true, true, true] => ConflictKind::BothModified,
        [false, true, true] => ConflictKind::BothAdded,
        [true, false, true] => ConflictKind::DeletedByTarget,
        [true, true, false] => ConflictKind::DeletedByBranch,
        _ => ConflictKind::Moved,
    }
}
