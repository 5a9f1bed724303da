//! Merges two commits without a checkout: the caller merges files whose format it knows, git merges
//! the others. No ref is moved here.

use std::collections::BTreeMap;

use super::backend::GitBackend;
use super::bookkeeping::NewFile;
use super::branches::oid;
use super::commits::{CommitAuthor, NewCommit};
use super::hooks::{CommitDraft, ConfinedHooks};
use super::program::{fields, first_line};
use super::{GitError, Repo, flushing, is_missing};

/// The first git whose `merge-tree` writes a tree.
const GIT_THAT_MERGES: &str = "2.38";
/// The first git whose `merge-tree` takes the base of a merge.
const GIT_THAT_REWRITES: &str = "2.40";

/// The exit code of git for an unknown option.
const USAGE: i32 = 129;

/// The ways in which the work of a branch becomes part of its target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MergeStyle {
    /// A commit with both as its parents.
    #[default]
    Merge,
    /// One commit of the user's on top of the target.
    Squash,
    /// The branch's commits one by one on top of the target, and a last one with what the merge changes besides.
    Rebase,
}

/// Two commits to be merged.
#[derive(Clone, Copy)]
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
    /// The way in which the branch becomes part of the target.
    pub style: MergeStyle,
    /// The means to run hooks confined; without them they have the rights of the user.
    pub hooks: Option<&'a dyn ConfinedHooks>,
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
    /// The rewritten commits of the branch, as soon as they are known; those who merge are asked again then.
    pub rewritten: &'a [String],
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
    /// A commit on top of the target, which no ref names yet: with two parents, or with one if the branch was squashed
    /// or rewritten.
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
pub(super) struct TreeMerge {
    pub(super) tree: String,
    pub(super) conflicts: BTreeMap<String, ConflictKind>,
}

/// The files that the caller merged, and those that it could not.
#[derive(Default)]
struct AskedFiles {
    files: Vec<NewFile>,
    refusals: BTreeMap<String, ConflictKind>,
}

impl Repo {
    /// Merges two commits in memory.
    ///
    /// `resolve` is called for each of the `asked` files that one side has. The user whom git's
    /// configuration names is the author of a merge commit, else the runtime; it is signed if the
    /// user signs. Hooks that git would run before the user's own commit of this kind are run, in a temporary
    /// worktree. A branch that brings nothing new is `Nothing`.
    ///
    /// # Errors
    /// `NoCommit`, `InvalidName`, `Hook`, `HooksNotRun`, `Signing`, `NotRewritten`, `OldGit` where only the git program can merge
    /// and is too old, or a failure of git; unreferenced objects may be left.
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
        let sides = (base.as_deref(), [&*ours, &*theirs]);
        let AskedFiles {
            mut files,
            refusals,
        } = self.ask_all(merge.asked, sides, &[], resolve)?;
        let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        let merged = self.draft(None, [&ours, &theirs], &paths, merge.replaced)?;
        let (drawn, mut conflicts) = (merged.tree, merged.conflicts);
        conflicts.extend(refusals);
        if !conflicts.is_empty() {
            let conflicts = conflicts.into_iter();
            let conflicts = conflicts.map(|(path, kind)| FileConflict { path, kind });
            return Ok(MergeOutcome::Conflicts(conflicts.collect()));
        }
        let rewritten = match merge.style {
            MergeStyle::Merge | MergeStyle::Squash => Vec::new(),
            MergeStyle::Rebase => self.rewrite([&ours, &theirs], &paths, merge)?,
        };
        if !rewritten.is_empty() {
            files = self.ask_all(merge.asked, sides, &rewritten, resolve)?.files;
        }
        let tree = self.tree_with(&drawn, &files)?;
        let is_ahead = base.as_deref() == Some(ours.as_str());
        if merge.fast_forward && is_ahead && self.tree_of(&theirs)? == tree {
            return Ok(MergeOutcome::FastForward { commit: theirs });
        }
        let is_merge = merge.style == MergeStyle::Merge;
        let tip = rewritten.last().unwrap_or(&ours).clone();
        let unless = if is_merge {
            None
        } else {
            Some(self.tree_of(&tip)?)
        };
        let draft = CommitDraft {
            tree,
            theirs: is_merge.then(|| theirs.clone()),
            message: format!("{}\n", merge.message.trim_end()),
            unless,
            ours,
        };
        let draft = self.pass_hooks(draft, merge.hooks)?;
        let tree = draft.tree;
        if draft.unless.as_ref() == Some(&tree) {
            let commit = rewritten.into_iter().next_back();
            return Ok(
                commit.map_or(MergeOutcome::Nothing, |commit| MergeOutcome::Commit {
                    commit,
                    tree,
                }),
            );
        }
        let parents: Vec<&str> = [&*tip].into_iter().chain(draft.theirs.as_deref()).collect();
        let commit = self.write_commit(&NewCommit {
            tree: &tree,
            parents: &parents,
            message: &draft.message,
            by: CommitAuthor::User,
            author: None,
        })?;
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

    /// Has the caller merge its files.
    fn ask_all(
        &self,
        paths: &[String],
        sides: (Option<&str>, [&str; 2]),
        rewritten: &[String],
        resolve: &FileResolver<'_>,
    ) -> Result<AskedFiles, GitError> {
        let mut asked = AskedFiles::default();
        for path in paths {
            match self.ask(path, sides, rewritten, resolve)? {
                FileResolution::Bytes(bytes) => asked.files.push((path.clone(), bytes)),
                FileResolution::Conflict(why) => {
                    let kind = ConflictKind::Refused(why);
                    asked.refusals.insert(path.clone(), kind);
                }
                FileResolution::Default => {}
            }
        }
        Ok(asked)
    }

    fn ask(
        &self,
        path: &str,
        (base, [ours, theirs]): (Option<&str>, [&str; 2]),
        rewritten: &[String],
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
            rewritten,
        };
        Ok(resolve(path, sides))
    }

    /// Merges as git does and leaves out conflicts in `settled` files. Without `base` git finds what both have.
    pub(super) fn draft(
        &self,
        base: Option<&str>,
        sides: [&str; 2],
        settled: &[&str],
        replaced: &[&str],
    ) -> Result<TreeMerge, GitError> {
        let by_program = || self.draft_by_program(base, sides, settled);
        // Merge drivers are programs of the user's, which only the git program runs.
        if self.backend == GitBackend::Library && self.has_merge_drivers(replaced)? {
            return by_program();
        }
        if self.backend == GitBackend::Library {
            flushing::prepare(&self.common_dir)?;
        }
        let by_library = |repo: &git2::Repository| draft_by_library(repo, base, sides, settled);
        self.read("merge", by_library, by_program)
    }

    fn has_merge_drivers(&self, replaced: &[&str]) -> Result<bool, GitError> {
        let asked = self.reading([
            "config", "--name-only", "--get-regexp", r"^merge\..*\.driver$",
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
        base: Option<&str>,
        [ours, theirs]: [&str; 2],
        settled: &[&str],
    ) -> Result<TreeMerge, GitError> {
        let call = self.acting(["merge-tree", "--write-tree", "-z", "--no-messages"]);
        let call = match base {
            Some(base) => call.arg(format!("--merge-base={base}")),
            None => call,
        };
        let answer = call.arg(ours).arg(theirs).answer()?;
        if answer.ended_with(USAGE) {
            return Err(GitError::OldGit {
                needed: if base.is_some() {
                    GIT_THAT_REWRITES
                } else {
                    GIT_THAT_MERGES
                },
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
    base: Option<&str>,
    [ours, theirs]: [&str; 2],
    settled: &[&str],
) -> Result<TreeMerge, git2::Error> {
    let (ours, theirs) = (
        repo.find_commit(oid(ours)?)?,
        repo.find_commit(oid(theirs)?)?,
    );
    let mut options = git2::MergeOptions::new();
    let options = Some(&*options.find_renames(true));
    let mut index = match base {
        Some(base) => {
            let base = repo.find_commit(oid(base)?)?.tree()?;
            repo.merge_trees(&base, &ours.tree()?, &theirs.tree()?, options)?
        }
        None => repo.merge_commits(&ours, &theirs, options)?,
    };
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

fn is_settled(settled: &[&str], path: &str) -> bool {
    settled.contains(&path)
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
