//! Landings of this clone that wait for their checks: what stands in the queue, and what the checks said of it.
//!
//! Landings stand on each other. The checks run on the end of them, so a push may only end at a commit on which
//! they passed: what stands before it lands in the same push or not at all.

use serde::{Deserialize, Serialize};

use super::LeaseError;
use super::answer::{LeaseRefusal, LeaseWish};
use super::client::LeaseClient;
use super::queue::WishQueue;
use chant_store::disk::{self, Lock};

/// The file whose lock lets a process check what waits.
const CHECKER: &str = "checker";
/// The file of what the checks said of trees.
const CHECKED: &str = "checked-trees.json";
/// The folder of runs that are about to merge.
const READY: &str = "ready";

/// A landing that waits for the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingLanding {
    /// The run.
    pub run: String,
    /// The run whose conflict it settles.
    pub settled: Option<String>,
    /// The commit that it stands on.
    pub old: String,
    /// The commit that lands.
    pub new: String,
}

/// The verdict of checks on a landing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum LandingVerdict {
    /// They passed on its commit, or on one that stands on it and lands in the same push.
    Passed {
        /// True for the commit on which they ran.
        is_end: bool,
        /// Further refs that go along, as with [`LeaseWish::Land`].
        along: Vec<(String, String)>,
    },
    /// It does not land.
    Refused {
        /// Why.
        refusal: LeaseRefusal,
    },
}

impl LandingVerdict {
    /// Returns true if a push may end at the landing.
    pub(super) fn is_end(&self) -> bool {
        matches!(self, Self::Passed { is_end: true, .. })
    }

    /// Returns true if the landing can be pushed or answered: it is not only a part of one that is checked.
    pub(super) fn is_due(&self) -> bool {
        matches!(self, Self::Refused { .. }) || self.is_end()
    }
}

/// The place of a run among those that are about to merge; left when dropped.
pub struct ReadyPlace {
    queue: WishQueue,
    name: String,
    _lock: Lock,
}

impl ReadyPlace {
    /// Returns true if no living process is to merge before this one.
    ///
    /// # Errors
    /// A failure to read the places.
    pub fn is_first(&self) -> Result<bool, LeaseError> {
        let first = self.queue.first_ready()?;
        Ok(first.is_none_or(|first| first >= self.name))
    }
}

impl Drop for ReadyPlace {
    fn drop(&mut self) {
        // A file that stays is no held lock; the next reader removes it.
        let _ = disk::remove(&self.queue.place(READY, &self.name));
    }
}

impl LeaseClient<'_> {
    /// Returns the landings that wait and have not passed, each on the one before it, and the commit on which the
    /// first stands.
    ///
    /// # Errors
    /// A file of our own that cannot be read.
    pub fn unchecked_landings(&self) -> Result<(String, Vec<WaitingLanding>), LeaseError> {
        let target = self.last_look()?.map(|view| view.target);
        let mut end = target.unwrap_or_default();
        let mut base = end.clone();
        let mut landings = Vec::new();
        for wish in self.queue.waiting_wishes()? {
            let LeaseWish::Land {
                run,
                settled,
                old,
                new,
                needs_checks: true,
                ..
            } = wish
            else {
                continue;
            };
            let verdict = self.queue.verdict(&new)?;
            let is_refused = matches!(verdict, Some(LandingVerdict::Refused { .. }));
            // What was refused is about to be answered, with all that stands on it.
            if old != end || is_refused {
                continue;
            }
            end.clone_from(&new);
            if verdict.is_some_and(|verdict| verdict.is_end()) {
                base = new;
                landings.clear();
                continue;
            }
            landings.push(WaitingLanding {
                run,
                settled,
                old,
                new,
            });
        }
        Ok((base, landings))
    }

    /// Becomes the process that checks what waits; `None` while another one does.
    ///
    /// # Errors
    /// A lock that cannot be taken.
    pub fn lead_checks(&self) -> Result<Option<Lock>, LeaseError> {
        self.queue.try_lock(CHECKER)
    }

    /// Notes what the checks come to for the landing with a commit.
    ///
    /// # Errors
    /// A failure to write it.
    pub fn note_verdict(&self, commit: &str, verdict: &LandingVerdict) -> Result<(), LeaseError> {
        self.queue.note_verdict(commit, verdict)
    }

    /// Reads what was kept with [`LeaseClient::keep_checked`].
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn checked<T: serde::de::DeserializeOwned>(&self) -> Result<Option<T>, LeaseError> {
        self.queue.read_own(CHECKED)
    }

    /// Keeps what the checks said of trees.
    ///
    /// # Errors
    /// A failure to write it.
    pub fn keep_checked<T: Serialize>(&self, checked: &T) -> Result<(), LeaseError> {
        self.queue.write_own(CHECKED, checked)
    }

    /// Takes a place among the runs that are about to merge: by `rank`, the greatest first, then by `run`.
    ///
    /// # Errors
    /// A failure to write it.
    pub fn take_place(&self, rank: u32, run: &str) -> Result<ReadyPlace, LeaseError> {
        self.queue.take_place(u32::MAX - rank, run)
    }

    /// Returns true if a living process is about to merge.
    ///
    /// # Errors
    /// A failure to read the places.
    pub fn is_merge_due(&self) -> Result<bool, LeaseError> {
        Ok(self.queue.first_ready()?.is_some())
    }
}

impl WishQueue {
    fn take_place(&self, order: u32, run: &str) -> Result<ReadyPlace, LeaseError> {
        let name = format!("{order:010}-{}", chant_store::state::escape_name(run));
        let path = self.place(READY, &name);
        let lock = Lock::claim(&path, "", std::time::Instant::now() + disk::LOCK_TIMEOUT)?;
        let Some(lock) = lock else {
            return Err(LeaseError::Broken {
                path: path.display().to_string(),
                why: "another process holds it".into(),
            });
        };
        Ok(ReadyPlace {
            queue: self.clone(),
            name,
            _lock: lock,
        })
    }

    /// Returns the first of the runs that are about to merge; places of dead processes are removed.
    fn first_ready(&self) -> Result<Option<String>, LeaseError> {
        for name in self.names_in(READY)? {
            let path = self.place(READY, &name);
            match Lock::try_take(&path) {
                Ok(None) => return Ok(Some(name)),
                Ok(Some(_free)) => disk::remove(&path)?,
                Err(_) if !disk::exists(&path) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }
}
