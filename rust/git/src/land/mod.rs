//! Moves a branch to a finished commit, together with the checkouts that stand on the branch.
//!
//! The order is the files of a checkout, its index, then the branch: a crash leaves files or an
//! index that are ahead of the branch, which the next attempt recognises. Everything happens under
//! git's own lock of the index. If a change of the user's blocks the landing, nothing is touched.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::branches::branch_ref;
use super::index::wait_for_lock;
use super::{GitError, Repo, flushing};
use changes::PathChanges;
use checkout::{CheckoutReplacement, LandingCheckout};
use lock::{LandingLock, LandingLockOutcome};

mod changes;
mod checkout;
mod checkout_check;
mod disk;
mod lock;

/// The number of attempts when the checkouts of a branch change while they are being locked.
const MAX_ATTEMPTS: usize = 5;

/// A commit that is to become the newest of a branch.
#[derive(Debug, Clone, Copy)]
pub struct LandingRequest<'a> {
    /// The branch.
    pub branch: &'a str,
    /// The commit that the branch points to.
    pub old: &'a str,
    /// The commit, which contains `old`.
    pub new: &'a str,
    /// The run that lands; its lock names it.
    pub run: &'a str,
    /// The text in the reflog.
    pub reason: &'a str,
    /// Files whose working copy went into the commit.
    pub exempt: &'a [ExemptFile],
    /// Unfinished landings of this run: the branch's commit then, and the commit to land.
    pub interrupted: &'a [(String, String)],
    /// The lock timeout: how long to wait for a lock of another process.
    pub lock_timeout: Duration,
}

/// A file whose working copy went into the commit, so that it may be replaced though it was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExemptFile {
    /// The file, from the top of the checkout.
    pub path: String,
    /// The content of its working copy then; `None` when there was none. Any other content is a
    /// later change, which blocks the landing.
    pub was: Option<Vec<u8>>,
    /// The new content of its working copy; `None` for the content in the commit.
    pub bytes: Option<Vec<u8>>,
}

/// The outcomes of an attempt to land.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LandingOutcome {
    /// The branch and these checkouts are at the commit.
    Done {
        /// Their top folders.
        checkouts: Vec<PathBuf>,
    },
    /// The landing is blocked; nothing was touched.
    Waits(LandingWait),
    /// The branch moved meanwhile; nothing was touched, and the commit must be merged again.
    Moved {
        /// The branch's commit now; `None` when the branch is gone.
        now: Option<String>,
    },
}

/// The reasons why a landing waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LandingWait {
    /// Changes of the user's: the file or its staged version is neither the old version nor the
    /// new.
    Changes {
        /// The checkout.
        checkout: PathBuf,
        /// The paths, from its top; sorted.
        blocked_by: Vec<String>,
    },
    /// A rebase, merge, bisection, cherry-pick or revert has not ended.
    UnderWay {
        /// The checkout.
        checkout: PathBuf,
        /// The kind of operation.
        what: &'static str,
    },
    /// Another process holds the lock of the index.
    Locked {
        /// The lock file.
        lock: PathBuf,
        /// The run that took it, if it is one of ours; if that run is dead, the lock may be freed.
        run: Option<String>,
    },
    /// The folder of a worktree that the user locked does not exist.
    Away {
        /// The folder.
        checkout: PathBuf,
    },
}

/// A function called at each named moment of a landing; an error stops there, as a crash would.
pub type LandingObserver<'a> = dyn Fn(&'static str) -> io::Result<()> + 'a;

impl Repo {
    /// Lands a commit on a branch.
    ///
    /// The caller holds a lock that keeps other runs of this repository from landing. Moments, in order:
    /// `index-locked`, `mid-files` (after each file), `after-files`, `index-written`, `after-index`,
    /// `after-ref`.
    ///
    /// # Errors
    /// `NotAhead` when the commit does not contain the branch's old commit, `NoCommit`,
    /// `InvalidName`, `NoGit`, `Stopped`, or a failure of git or of the disk. The changes are then
    /// undone, unless the landing was stopped.
    pub fn land(
        &self,
        landing: &LandingRequest<'_>,
        reached: &LandingObserver<'_>,
    ) -> Result<LandingOutcome, GitError> {
        let _act = self.begin_act();
        let name = branch_ref(landing.branch)?;
        let (old, new) = (
            self.known_commit(landing.old)?,
            self.known_commit(landing.new)?,
        );
        if self.merge_base(&old, &new)?.as_ref() != Some(&old) {
            return Err(GitError::NotAhead {
                branch: landing.branch.to_owned(),
                old,
                commit: new,
            });
        }
        let deadline = Instant::now() + landing.lock_timeout;
        for _ in 0..MAX_ATTEMPTS {
            let checkouts = match self.checkouts_of(landing.branch)? {
                Ok(checkouts) => checkouts,
                Err(waits) => return Ok(LandingOutcome::Waits(waits)),
            };
            let mut locks = Vec::new();
            for checkout in &checkouts {
                match LandingLock::take(&checkout.git_dir, landing.run, deadline)? {
                    LandingLockOutcome::Held(lock) => locks.push(lock),
                    LandingLockOutcome::By { lock, run } => {
                        return Ok(LandingOutcome::Waits(LandingWait::Locked { lock, run }));
                    }
                }
            }
            // A checkout may have switched branches before it was locked.
            if self.checkouts_of(landing.branch)? != Ok(checkouts.clone()) {
                continue;
            }
            let attempt = LandingAttempt {
                repo: self,
                landing,
                name: &name,
                old: &old,
                new: &new,
                deadline,
                reached,
            };
            let landed = attempt.land_in(&checkouts);
            if matches!(landed, Err(GitError::Stopped { .. })) {
                locks.into_iter().for_each(LandingLock::leave);
            }
            return landed;
        }
        Err(GitError::Moved {
            name: landing.branch.to_owned(),
        })
    }

    /// Returns the locks that landings hold or left behind: each lock file and its run.
    ///
    /// # Errors
    /// `Gone`, or a failure to read the repository.
    pub fn landing_locks(&self) -> Result<Vec<(PathBuf, String)>, GitError> {
        let mut found = Vec::new();
        for tree in self.worktrees()? {
            if !tree.path.exists() {
                continue;
            }
            let checkout = match LandingCheckout::at(tree.path, self) {
                // Another run has just removed its worktree.
                Err(GitError::Gone { .. }) => continue,
                checkout => checkout?,
            };
            let lock = lock::path_in(&checkout.git_dir);
            if let Some(run) = lock::run_of(&lock) {
                found.push((lock, run));
            }
        }
        Ok(found)
    }

    /// Removes the lock that a dead run left on an index; returns false if it is not that run's.
    ///
    /// # Errors
    /// `File`.
    pub fn free_landing_lock(&self, lock: &std::path::Path, run: &str) -> Result<bool, GitError> {
        lock::free(lock, run)
    }

    /// Returns the checkouts that stand on a branch, or the reason why the branch must not move.
    fn checkouts_of(
        &self,
        branch: &str,
    ) -> Result<Result<Vec<LandingCheckout>, LandingWait>, GitError> {
        let mut found = Vec::new();
        for tree in self.worktrees()? {
            if tree.branch.as_deref() != Some(branch) || tree.prunable {
                continue;
            }
            if !tree.path.exists() {
                let checkout = tree.path;
                return Ok(Err(LandingWait::Away { checkout }));
            }
            found.push(LandingCheckout::at(tree.path, self)?);
        }
        for checkout in &found {
            if let Some(what) = checkout.under_way()? {
                let checkout = checkout.top.clone();
                return Ok(Err(LandingWait::UnderWay { checkout, what }));
            }
        }
        if found.is_empty()
            && let Some(checkout) = self.holder_at_work(branch)?
        {
            let what = "rebase or bisection";
            return Ok(Err(LandingWait::UnderWay { checkout, what }));
        }
        Ok(Ok(found))
    }
}

/// One attempt to land, with its checkouts locked.
struct LandingAttempt<'a> {
    repo: &'a Repo,
    landing: &'a LandingRequest<'a>,
    /// The branch's full name.
    name: &'a str,
    old: &'a str,
    new: &'a str,
    deadline: Instant,
    reached: &'a LandingObserver<'a>,
}

impl LandingAttempt<'_> {
    fn land_in(&self, checkouts: &[LandingCheckout]) -> Result<LandingOutcome, GitError> {
        let now = self.repo.tip_of_ref(self.name)?;
        if now.as_deref() != Some(self.old) && now.as_deref() != Some(self.new) {
            return Ok(LandingOutcome::Moved { now });
        }
        let mut plans = Vec::new();
        if !checkouts.is_empty() {
            let changes = PathChanges::of(self.repo, self.landing, self.old, self.new)?;
            for checkout in checkouts {
                match checkout.judge(&changes)? {
                    Ok(steps) => plans.push((checkout, steps)),
                    Err(blocked) => return Ok(changes_in(checkout, blocked)),
                }
            }
        }
        flushing::flush_new_objects(self.repo.common_dir())?;
        let mut replacements = Vec::new();
        for (checkout, steps) in plans {
            replacements.push(CheckoutReplacement::prepare(
                checkout,
                steps,
                self.new.len(),
            )?);
        }
        let landed = self.replace(&mut replacements);
        match landed {
            Ok(LandingOutcome::Done { .. }) => replacements
                .iter_mut()
                .for_each(CheckoutReplacement::remove_leftovers),
            Err(GitError::Stopped { .. }) => {}
            _ => {
                for replacement in replacements.iter_mut().rev() {
                    replacement.take_back()?;
                }
            }
        }
        landed
    }

    /// Replaces files and indexes, then moves the branch.
    fn replace(
        &self,
        replacements: &mut [CheckoutReplacement<'_>],
    ) -> Result<LandingOutcome, GitError> {
        self.reach("index-locked")?;
        for replacement in &mut *replacements {
            if let Some(path) = replacement.replace_files(&|| self.reach("mid-files"))? {
                return Ok(changes_in(replacement.checkout, BTreeSet::from([path])));
            }
        }
        self.reach("after-files")?;
        for replacement in &*replacements {
            replacement.flush_files()?;
        }
        for replacement in &mut *replacements {
            replacement.refresh_index()?;
        }
        self.reach("index-written")?;
        for replacement in &mut *replacements {
            replacement.replace_index()?;
        }
        self.reach("after-index")?;
        if let Some(moved) = self.move_branch(replacements.first())? {
            return Ok(moved);
        }
        self.reach("after-ref")?;
        let tops = replacements.iter();
        let checkouts = tops.map(|replacement| replacement.checkout.top.clone());
        Ok(LandingOutcome::Done {
            checkouts: checkouts.collect(),
        })
    }

    /// Moves the branch if it still points to the old commit; otherwise returns its commit now.
    fn move_branch(
        &self,
        first: Option<&CheckoutReplacement<'_>>,
    ) -> Result<Option<LandingOutcome>, GitError> {
        loop {
            let words = [
                "update-ref", "--create-reflog", "-m", self.landing.reason, "--end-of-options",
                self.name, self.new, self.old,
            ];
            // Run in a checkout that stands on the branch, so that its HEAD has the move in its
            // log.
            let call = match first {
                Some(replacement) => replacement.checkout.git(&words),
                None => self.repo.acting(words),
            };
            let Err(error) = call.output() else {
                return self.flush_branch();
            };
            let now = self.repo.tip_of_ref(self.name)?;
            if now.as_deref() == Some(self.new) {
                return self.flush_branch();
            }
            if now.as_deref() != Some(self.old) {
                return Ok(Some(LandingOutcome::Moved { now }));
            }
            // Another process holds the lock of the ref, usually for a moment.
            if Instant::now() >= self.deadline {
                return Err(error);
            }
            wait_for_lock();
        }
    }

    /// Makes the move of the branch last.
    fn flush_branch(&self) -> Result<Option<LandingOutcome>, GitError> {
        flushing::flush_ref(self.repo.common_dir(), self.name).map(|()| None)
    }

    fn reach(&self, moment: &'static str) -> Result<(), GitError> {
        (self.reached)(moment).map_err(|error| GitError::Stopped {
            moment,
            why: error.to_string(),
        })
    }
}

fn changes_in(checkout: &LandingCheckout, blocked: BTreeSet<Vec<u8>>) -> LandingOutcome {
    let blocked_by = blocked.iter();
    let blocked_by = blocked_by.map(|path| String::from_utf8_lossy(path).into_owned());
    LandingOutcome::Waits(LandingWait::Changes {
        checkout: checkout.top.clone(),
        blocked_by: blocked_by.collect(),
    })
}
