//! Branches: their commits, backups, and safe deletion.

use std::collections::BTreeSet;

use super::index::wait_for_lock;
use super::landed_branches::LANDED;
use super::program::{self, first_line};
use super::remote_refs::{LOOKED, LOOKED_TARGET};
use super::{CheckoutHead, GitError, Repo, flushing, is_missing};

/// The folder of refs that holds backups of branches.
const BACKUPS: &str = "refs/chant/backup/";

/// The number of attempts to create a backup when other processes take the number first.
const MAX_ATTEMPTS: u64 = 20;
/// The attempts to write a ref while others remove the folder that it lies in.
const MAX_WRITES: usize = 10;

/// Options that switch hooks off: our own refs do not concern the user's hooks.
pub(super) const NO_HOOKS: [&str; 2] = ["-c", "core.hooksPath=/dev/null"];

impl Repo {
    /// Returns the branch or commit that the checkout has in HEAD.
    ///
    /// # Errors
    /// `Gone`, or a failure to read the repository.
    pub fn head(&self) -> Result<CheckoutHead, GitError> {
        self.read("read HEAD", head_of, || {
            let answer = self.reading(["symbolic-ref", "--quiet", "HEAD"]).answer()?;
            let name = if answer.ended_with(1) {
                None
            } else {
                Some(branch_of(&first_line(&answer.success()?)))
            };
            match (name, self.ask_commit("HEAD")?) {
                (Some(name), Some(commit)) => Ok(CheckoutHead::Branch { name, commit }),
                (Some(name), None) => Ok(CheckoutHead::Unborn { name }),
                (None, Some(commit)) => Ok(CheckoutHead::Detached { commit }),
                (None, None) => Err(GitError::NoCommit {
                    revision: "HEAD".into(),
                }),
            }
        })
    }

    /// Returns the full id of a local branch's newest commit; `None` when there is no such branch.
    ///
    /// # Errors
    /// `InvalidName`, `Gone`, or a failure to read the repository.
    pub fn branch_tip(&self, branch: &str) -> Result<Option<String>, GitError> {
        self.tip_of_ref(&branch_ref(branch)?)
    }

    /// Creates a branch at a commit, unless there is one of that name.
    ///
    /// # Errors
    /// `InvalidName`, or a failure to write the repository.
    pub fn restore_branch(&self, branch: &str, commit: &str) -> Result<(), GitError> {
        let name = branch_ref(branch)?;
        if self.tip_of_ref(&name)?.is_some() {
            return Ok(());
        }
        self.create_ref(&name, commit, "chant-mcp: the work stays on its branch")
    }

    /// Returns true if every commit of `branch` is also on `into`, or landed there squashed or rewritten; both are
    /// local branches.
    ///
    /// # Errors
    /// `NoBranch` or `InvalidName` for either, `Gone`, or a failure to read the repository.
    pub fn is_merged(&self, branch: &str, into: &str) -> Result<bool, GitError> {
        let tip = |branch: &str| {
            self.branch_tip(branch)?.ok_or_else(|| GitError::NoBranch {
                branch: branch.to_owned(),
            })
        };
        let (into, tip) = (tip(into)?, tip(branch)?);
        Ok(self.reaches(&into, &tip)? || self.landed_as(branch, &tip, &into)?.is_some())
    }

    /// Returns true if a commit exists and is on a local branch.
    ///
    /// # Errors
    /// `InvalidName`, `Gone`, or a failure to read the repository.
    pub fn is_on(&self, commit: &str, branch: &str) -> Result<bool, GitError> {
        let (Some(tip), Some(commit)) = (self.branch_tip(branch)?, self.commit_of(commit)?) else {
            return Ok(false);
        };
        self.reaches(&tip, &commit)
    }

    /// Returns true if `new` is `old` or has it among its ancestors; both are full ids.
    ///
    /// # Errors
    /// A failure to read the repository, or a commit that is not in it.
    pub fn reaches(&self, new: &str, old: &str) -> Result<bool, GitError> {
        if old == new {
            return Ok(true);
        }
        self.read(
            "compare branches",
            |repo| repo.graph_descendant_of(oid(new)?, oid(old)?),
            || {
                let ask = ["merge-base", "--is-ancestor", "--end-of-options", old, new];
                let answer = self.reading(ask).answer()?;
                if answer.ended_with(1) {
                    Ok(false)
                } else {
                    answer.success().map(|_| true)
                }
            },
        )
    }

    /// Returns those of the commits that are neither a tip nor among its ancestors, in one walk; all are full ids.
    ///
    /// # Errors
    /// A failure to read the repository, or a commit that is not in it.
    pub fn missing_from(&self, tip: &str, commits: &[&str]) -> Result<Vec<String>, GitError> {
        let outside: BTreeSet<String> = self.read(
            "compare branches",
            |repo| {
                let mut walk = repo.revwalk()?;
                walk.hide(oid(tip)?)?;
                for commit in commits {
                    walk.push(oid(commit)?)?;
                }
                walk.map(|id| Ok(id?.to_string())).collect()
            },
            || {
                let mut missing = BTreeSet::new();
                for commit in commits {
                    if !self.reaches(tip, commit)? {
                        missing.insert((*commit).to_owned());
                    }
                }
                Ok(missing)
            },
        )?;
        let missing = commits.iter().filter(|commit| outside.contains(**commit));
        Ok(missing.map(|commit| (*commit).to_owned()).collect())
    }

    /// Keeps a branch's newest commit under `refs/chant/backup/<name>/<n>`, where `n` is the next
    /// free number, and returns that ref's name.
    ///
    /// Returns the newest such ref if it already keeps that commit, and `None` if there is no such
    /// branch.
    ///
    /// # Errors
    /// `InvalidName`, `Gone`, or the reason why git did not create the ref after several attempts.
    pub fn back_up(&self, branch: &str, name: &str) -> Result<Option<String>, GitError> {
        let folder = format!("{BACKUPS}{name}/");
        if name.starts_with('-') || !git2::Reference::is_valid_name(&format!("{folder}1")) {
            return Err(invalid("backup", name));
        }
        let Some(tip) = self.branch_tip(branch)? else {
            return Ok(None);
        };
        let (newest, _) = self.newest_of(&folder)?;
        match newest {
            Some((name, kept)) if kept == tip => Ok(Some(name)),
            _ => self
                .keep_commit(&folder, &tip, &format!("backup of {branch}"))
                .map(Some),
        }
    }

    /// Keeps a commit under the next free number of a folder of refs, and returns that ref's name.
    ///
    /// # Errors
    /// `Gone`, or the reason why git did not create the ref after several attempts.
    pub(super) fn keep_commit(
        &self,
        folder: &str,
        commit: &str,
        why: &str,
    ) -> Result<String, GitError> {
        let mut refusal = None;
        for attempt in 0..MAX_ATTEMPTS {
            let (_, free) = self.newest_of(folder)?;
            // A process that was killed may have left the lock of a number for good.
            let name = format!("{folder}{}", free + attempt / 2);
            match self.create_ref(&name, commit, &format!("chant-mcp: {why}")) {
                Ok(()) => return Ok(name),
                // Usually another process was faster, or holds the lock for a moment.
                Err(error) => refusal = Some(error),
            }
            wait_for_lock();
        }
        Err(refusal.unwrap_or(GitError::Moved {
            name: folder.to_owned(),
        }))
    }

    /// Returns the ref of the greatest number in a folder of refs, with its commit, and the next free number.
    pub(super) fn newest_of(
        &self,
        folder: &str,
    ) -> Result<(Option<(String, String)>, u64), GitError> {
        let number_of = |name: &str| name.strip_prefix(folder)?.parse::<u64>().ok();
        let numbered = self.refs_under(folder)?.into_iter();
        let numbered = numbered.filter_map(|(name, kept)| Some((number_of(&name)?, name, kept)));
        Ok(match numbered.max() {
            Some((number, name, kept)) => (Some((name, kept)), number.saturating_add(1)),
            None => (None, 1),
        })
    }

    /// Returns a ref of a folder of refs that leads to a commit.
    pub(super) fn ref_to(&self, folder: &str, commit: &str) -> Result<Option<String>, GitError> {
        let mut refs = self.refs_under(folder)?.into_iter();
        Ok(refs.find(|(_, id)| id == commit).map(|(name, _)| name))
    }

    /// Returns true if a ref of the repository leads to a commit.
    pub(super) fn is_reachable(&self, commit: &str) -> Result<bool, GitError> {
        let words = ["rev-list", "--max-count=1", commit, "--not", "--all"];
        Ok(self.reading(words).output()?.is_empty())
    }

    /// Deletes a branch if all its commits are also on another branch, a tag, a backup or the HEAD
    /// of a worktree.
    ///
    /// A branch that does not exist counts as deleted.
    ///
    /// # Errors
    /// `Unmerged` when they are not, `InUse` when a checkout stands on it or rebases or bisects it,
    /// `Moved` when it changed after the check; the branch is then as it was.
    pub fn delete_backed_up_branch(&self, branch: &str) -> Result<(), GitError> {
        let name = branch_ref(branch)?;
        let Some(tip) = self.tip_of_ref(&name)? else {
            return self.keep_base(branch, None);
        };
        if let Some(path) = self.holder_of(branch)? {
            return Err(GitError::InUse {
                branch: branch.to_owned(),
                path,
            });
        }
        let detached = self
            .worktrees()?
            .into_iter()
            .filter(|tree| tree.branch.is_none() && !tree.prunable);
        let heads = detached.filter_map(|tree| tree.head).collect();
        if !self.is_kept_elsewhere(&tip, Some(&name), heads)? {
            return Err(GitError::Unmerged {
                of: branch.to_owned(),
                commit: tip,
            });
        }
        // On a full disk the branch stays then, as the failure says.
        self.keep_base(branch, None)?;
        self.delete_ref_at(branch, &name, &tip)
    }

    /// Returns true if a commit is reachable from a branch, a tag or a backup other than the ref
    /// `except`, from the target of a remote as it was last looked at, or from one of `tips`.
    pub(super) fn is_kept_elsewhere(
        &self,
        commit: &str,
        except: Option<&str>,
        mut tips: Vec<String>,
    ) -> Result<bool, GitError> {
        for folder in ["refs/heads/", "refs/tags/", BACKUPS, LANDED] {
            let refs = self.refs_under(folder)?.into_iter();
            tips.extend(
                refs.filter(|(name, _)| Some(name.as_str()) != except)
                    .map(|(_, tip)| tip),
            );
        }
        // Of what other clones write on a remote, the target alone keeps work.
        let copies = self.refs_under(LOOKED)?.into_iter();
        tips.extend(copies.filter_map(|(name, tip)| {
            let (_, rest) = name.strip_prefix(LOOKED)?.split_once('/')?;
            (rest == LOOKED_TARGET).then_some(tip)
        }));
        if tips.iter().any(|tip| tip == commit) {
            return Ok(true);
        }
        self.read(
            "look for other names of a commit",
            |repo| {
                let mut walk = repo.revwalk()?;
                walk.push(oid(commit)?)?;
                for tip in &tips {
                    walk.hide(oid(tip)?)?;
                }
                walk.next().transpose().map(|left| left.is_none())
            },
            || {
                let without: String = tips.iter().map(|tip| format!("^{tip}\n")).collect();
                let asked = self.reading(["rev-list", "--max-count=1", "--stdin", commit]);
                Ok(asked.answer_to(without.as_bytes())?.success()?.is_empty())
            },
        )
    }

    /// Returns the full id of the commit that a revision names; a branch goes before a tag of the
    /// same name.
    pub(super) fn commit_of(&self, revision: &str) -> Result<Option<String>, GitError> {
        if revision.is_empty() || revision.starts_with('-') {
            return Err(invalid("revision", revision));
        }
        let is_id = revision.len() >= 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
        if let (false, Ok(branch)) = (is_id, branch_ref(revision))
            && let Some(tip) = self.tip_of_ref(&branch)?
        {
            return Ok(Some(tip));
        }
        self.read(
            "resolve a revision",
            |repo| match repo.revparse_single(revision) {
                Ok(object) => Ok(Some(object.peel_to_commit()?.id().to_string())),
                Err(error) if is_missing(&error) => Ok(None),
                Err(error) => Err(error),
            },
            || self.ask_commit(revision),
        )
    }

    /// Returns the commit that a branch leads to, by the branch's full name; `None` when it does
    /// not exist.
    pub(super) fn tip_of_ref(&self, name: &str) -> Result<Option<String>, GitError> {
        self.read(
            "read a branch",
            |repo| match repo.find_reference(name) {
                Ok(found) => Ok(Some(tip_of(&found)?.to_string())),
                Err(error) if is_missing(&error) => Ok(None),
                Err(error) => Err(error),
            },
            || self.ask_commit(name),
        )
    }

    /// Returns the refs whose names start with `prefix` (which ends with a slash) and their
    /// commits.
    pub(super) fn refs_under(&self, prefix: &str) -> Result<Vec<(String, String)>, GitError> {
        self.read(
            "list refs",
            |repo| {
                let mut found = Vec::new();
                for name in repo.references_glob(&format!("{prefix}*"))? {
                    let reference = name?;
                    // A tag may name a file or a tree; such a ref keeps no commit.
                    if let Ok(commit) = reference.peel_to_commit() {
                        let name = String::from_utf8_lossy(reference.name_bytes()).into_owned();
                        found.push((name, commit.id().to_string()));
                    }
                }
                Ok(found)
            },
            || {
                let line = "--format=%(refname)%00%(objecttype) %(objectname)%00%(*objecttype) %(*objectname)";
                let out = self.reading(["for-each-ref", line, "--", prefix]).output()?;
                let of_line = |line: &[u8]| {
                    let line = String::from_utf8_lossy(line).into_owned();
                    let (name, ids) = line.split_once('\0')?;
                    let commit = ids.split('\0').find_map(|id| id.strip_prefix("commit "))?;
                    Some((name.to_owned(), commit.to_owned()))
                };
                Ok(out.split(|byte| *byte == b'\n').filter_map(of_line).collect())
            },
        )
    }

    /// Creates a ref; an existing ref is left as it is.
    pub(super) fn create_ref(&self, name: &str, commit: &str, why: &str) -> Result<(), GitError> {
        let create = |repo: &git2::Repository| {
            within_changing_folders(|| {
                repo.reference_ensure_log(name)?;
                repo.reference(name, oid(commit)?, false, why).map(drop)
            })
        };
        self.write("create a ref", create, || {
            let words = [
                "update-ref", "--create-reflog", "-m", why, "--end-of-options",
            ];
            // The empty last argument requires that the ref does not exist.
            self.acting(words).arg(name).arg(commit).arg("").output()?;
            flushing::flush_ref(self.common_dir(), name)
        })
    }

    /// Moves a ref from its expected commit, or creates it if none was expected.
    pub(super) fn move_ref(
        &self,
        name: &str,
        to: &str,
        from: Option<&str>,
        why: &str,
    ) -> Result<(), GitError> {
        let Some(from) = from else {
            return self.create_ref(name, to, why);
        };
        let moved = |repo: &git2::Repository| {
            within_changing_folders(|| {
                repo.reference_ensure_log(name)?;
                repo.reference_matching(name, oid(to)?, true, oid(from)?, why)
                    .map(drop)
            })
        };
        self.write("move a ref", moved, || {
            let words = [
                NO_HOOKS[0], NO_HOOKS[1], "update-ref", "-m", why, "--end-of-options", name, to,
                from,
            ];
            self.acting(words).output()?;
            flushing::flush_ref(self.common_dir(), name)
        })
    }

    /// Removes a ref of ours if it still points to the given commit.
    pub(super) fn remove_ref(&self, name: &str, from: &str) -> Result<(), GitError> {
        let removed = |repo: &git2::Repository| {
            let mut found = repo.find_reference(name)?;
            if found.target() == Some(oid(from)?) {
                found.delete()
            } else {
                Ok(())
            }
        };
        self.write("remove a ref", removed, || {
            let words = [
                NO_HOOKS[0], NO_HOOKS[1], "update-ref", "--no-deref", "-d", "--end-of-options",
                name, from,
            ];
            self.acting(words).output().map(drop)
        })
    }

    /// Deletes a branch if it still points to the given commit.
    fn delete_ref_at(&self, branch: &str, name: &str, tip: &str) -> Result<(), GitError> {
        let delete = |repo: &git2::Repository| {
            let mut found = repo.find_branch(branch, git2::BranchType::Local)?;
            // git2 deletes a branch only if it has not changed since it was read.
            if found.get().target() == Some(oid(tip)?) {
                found.delete()
            } else {
                Ok(())
            }
        };
        let ask = || {
            let words = [
                "update-ref", "--no-deref", "-d", "--end-of-options", name, tip,
            ];
            self.acting(words).output().map(drop)
        };
        let done = self.write("delete a branch", delete, ask);
        match self.tip_of_ref(name)? {
            None => Ok(()),
            Some(now) if now != tip => Err(GitError::Moved {
                name: branch.to_owned(),
            }),
            Some(_) => done.and(Err(GitError::Moved {
                name: branch.to_owned(),
            })),
        }
    }

    /// Asks the git program which commit a revision names.
    fn ask_commit(&self, revision: &str) -> Result<Option<String>, GitError> {
        let asked = format!("{revision}^{{commit}}");
        let words = [
            "rev-parse", "--verify", "--quiet", "--end-of-options", &asked,
        ];
        let answer = self.reading(words).answer()?;
        if answer.ended_with(1) {
            Ok(None)
        } else {
            Ok(Some(first_line(&answer.success()?)))
        }
    }

    /// Prepares a call of the git program that reads this repository and runs nothing that the
    /// repository names. During an act it may fetch objects that a partial clone lacks.
    pub(super) fn reading<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> program::GitCall {
        let call = program::reading(self.folder(), args);
        if self.is_acting() {
            call.fetching()
        } else {
            call
        }
    }

    /// Prepares a call of the git program that acts in this repository. Use it only where the user
    /// trusts the programs that the repository has git run.
    pub(super) fn acting<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> program::GitCall {
        self.acting_in(self.folder(), args)
    }

    /// Works as [`Repo::acting`] in another folder of this repository: one of its checkouts, or its
    /// git folder. The hooks are those that were found when the settings were read.
    pub(super) fn acting_in<'a>(
        &self,
        folder: &std::path::Path,
        args: impl IntoIterator<Item = &'a str>,
    ) -> program::GitCall {
        let hooks = self.hooks_in_use();
        program::acting_with_hooks(folder, hooks.as_deref(), args)
    }
}

/// Returns the branch or commit in HEAD, as git2 reads it.
pub(super) fn head_of(repo: &git2::Repository) -> Result<CheckoutHead, git2::Error> {
    let head = repo.find_reference("HEAD")?;
    let Some(name) = head.symbolic_target_bytes() else {
        return Ok(CheckoutHead::Detached {
            commit: tip_of(&head)?.to_string(),
        });
    };
    let name = branch_of(&String::from_utf8_lossy(name));
    match head.resolve() {
        Ok(tip) => Ok(CheckoutHead::Branch {
            name,
            commit: tip_of(&tip)?.to_string(),
        }),
        Err(error) if is_missing(&error) => Ok(CheckoutHead::Unborn { name }),
        Err(error) => Err(error),
    }
}

/// Returns the commit of HEAD or a branch. Both lead to commits only, so this looks up no object.
fn tip_of(reference: &git2::Reference<'_>) -> Result<git2::Oid, git2::Error> {
    match reference.target() {
        Some(commit) => Ok(commit),
        None => Ok(reference.peel_to_commit()?.id()),
    }
}

/// Returns true if git allows a branch of this name.
pub fn is_branch_name(name: &str) -> bool {
    branch_ref(name).is_ok()
}

/// Returns the full name of a branch after checking that it is valid.
pub(super) fn branch_ref(branch: &str) -> Result<String, GitError> {
    if git2::Branch::name_is_valid(branch).unwrap_or(false) && branch != "@" {
        Ok(format!("refs/heads/{branch}"))
    } else {
        Err(invalid("branch", branch))
    }
}

/// Returns a branch's short name; other refs keep their full name.
pub(super) fn branch_of(name: &str) -> String {
    name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()
}

pub(super) fn oid(id: &str) -> Result<git2::Oid, git2::Error> {
    git2::Oid::from_str(id)
}

fn invalid(what: &'static str, name: &str) -> GitError {
    let why = match name {
        "" => "it is empty",
        _ if name.starts_with('-') => "it must not begin with `-`",
        _ if name.contains("..") => "it must not contain `..`",
        _ => "git allows letters, digits, `.`, `_`, `-` and single `/` between parts, no spaces",
    };
    GitError::InvalidName {
        what,
        name: name.to_owned(),
        why,
    }
}

/// Writes a ref, again where its folder went meanwhile: who removes the last ref of a folder removes that, too.
pub(super) fn within_changing_folders<T>(
    write: impl Fn() -> Result<T, git2::Error>,
) -> Result<T, git2::Error> {
    // libgit2 has no one code for it, and between two of its steps no words either.
    let may_lack_its_folder = |error: &git2::Error| {
        matches!(error.class(), git2::ErrorClass::Os | git2::ErrorClass::None)
            && matches!(
                error.code(),
                git2::ErrorCode::NotFound | git2::ErrorCode::GenericError
            )
    };
    for _ in 1..MAX_WRITES {
        match write() {
            Err(error) if may_lack_its_folder(&error) => wait_for_lock(),
            done => return done,
        }
    }
    write()
}
