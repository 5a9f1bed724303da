//! The locks of runs: that of a spec, which its runner holds as long as it lives, and that of
//! merges.
//!
//! Both are locks of the operating system, freed by the kernel when their holder dies. The text
//! inside is for people.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::WorkError;
use super::process::ProcessIdentity;
use super::run_record::{self, is_spec_name};
use super::run_store::RunStore;
use chant_store::disk::{self, Lock};
use chant_store::state::escape_name;

/// The folder of the locks in the state folder.
const FOLDER_NAME: &str = "locks";
/// The folder of the locks of claims.
const CLAIMS: &str = "claims";
/// The ending of a lock's name.
pub(super) const ENDING: &str = ".lock";

/// The time to wait for a lock: a process that checks it holds it for an instant.
pub(super) const LOCK_WAIT: Duration = Duration::from_millis(200);

/// The lock of a spec; its file is removed when the lock is released.
#[derive(Debug)]
pub struct SpecLock {
    file: PathBuf,
    /// Released after the file is removed.
    lock: Lock,
}

impl SpecLock {
    /// Takes the lock of a spec, or refuses at once.
    ///
    /// # Errors
    /// `Held` by another process, `Name`, or a `StoreError`.
    pub fn acquire(runs: &RunStore, spec_id: &str) -> Result<Self, WorkError> {
        Self::take_until(runs, spec_id, Instant::now() + LOCK_WAIT)
    }

    /// Takes the lock of a spec; `None` if another process holds it.
    ///
    /// # Errors
    /// `Name`, or a `StoreError`.
    pub fn acquire_free(runs: &RunStore, spec_id: &str) -> Result<Option<Self>, WorkError> {
        match Self::acquire(runs, spec_id) {
            Ok(lock) => Ok(Some(lock)),
            Err(WorkError::Held { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes the lock of a spec's claim on a remote, held from the claim until the run has its record: another claim of
    /// this clone would overtake that run.
    ///
    /// # Errors
    /// `Held` while another process claims the spec, `Name`, or a `StoreError`.
    pub fn acquire_for_claim(runs: &RunStore, spec_id: &str) -> Result<Self, WorkError> {
        let file = place(runs, CLAIMS, spec_id)?;
        Self::take(runs, file, spec_id, Instant::now() + LOCK_WAIT)
    }

    /// Takes the lock of a spec whose holder is ending.
    ///
    /// # Errors
    /// As [`SpecLock::acquire`], at the deadline.
    pub fn take_until(
        runs: &RunStore,
        spec_id: &str,
        deadline: Instant,
    ) -> Result<Self, WorkError> {
        Self::take(runs, place(runs, FOLDER_NAME, spec_id)?, spec_id, deadline)
    }

    fn take(
        runs: &RunStore,
        file: PathBuf,
        spec_id: &str,
        deadline: Instant,
    ) -> Result<Self, WorkError> {
        match Lock::claim(&file, &holder_text(runs), deadline)? {
            Some(lock) => Ok(Self { file, lock }),
            None => Err(WorkError::Held {
                spec_id: spec_id.to_owned(),
                holder: LockHolder::of(&file),
            }),
        }
    }
}

impl Drop for SpecLock {
    fn drop(&mut self) {
        // A file that stays is no held lock; recovery removes it. That of a parent is not ours.
        if self.lock.is_ours() {
            let _ = disk::remove(&self.file);
        }
    }
}

/// The lock of merges, one a repository.
#[derive(Debug)]
pub struct MergeLock {
    _lock: Lock,
}

impl MergeLock {
    /// Waits until no other merge is running, for each of them `wait` at the most. The caller, who merges
    /// a spec's work, holds that spec's lock.
    ///
    /// # Errors
    /// `Merging` when another one takes longer, or a `StoreError`.
    pub fn acquire(runs: &RunStore, _spec: &SpecLock, wait: Duration) -> Result<Self, WorkError> {
        Self::acquire_for_checkout(runs, wait)
    }

    /// Works as [`MergeLock::acquire`], for one that moves the checkout and merges no spec's work.
    ///
    /// # Errors
    /// As there.
    pub fn acquire_for_checkout(runs: &RunStore, wait: Duration) -> Result<Self, WorkError> {
        let file = runs.state.ensure(FOLDER_NAME)?.join("merge.lock");
        let claim = || {
            Ok(Lock::claim(
                &file,
                &holder_text(runs),
                Instant::now() + wait,
            )?)
        };
        let lock = claim_in_turn(wait, claim, || LockHolder::of(&file))?;
        Ok(Self { _lock: lock })
    }
}

/// Claims a lock for which many may wait, by tries that take `wait` each.
///
/// # Errors
/// `Merging` with the holder that had it for the whole of one try, or what `claim` fails with.
fn claim_in_turn<L>(
    wait: Duration,
    mut claim: impl FnMut() -> Result<Option<L>, WorkError>,
    mut read_holder: impl FnMut() -> LockHolder,
) -> Result<L, WorkError> {
    let mut holder = read_holder();
    loop {
        if let Some(lock) = claim()? {
            return Ok(lock);
        }
        let now = read_holder();
        if now == holder {
            let seconds = wait.as_secs();
            return Err(WorkError::Merging { holder, seconds });
        }
        holder = now;
    }
}

/// The lock of starts, one a repository: free slots for one more run stay free until its record
/// exists. A process that holds a spec's lock does not take it.
#[derive(Debug)]
pub struct StartLock {
    _lock: Lock,
}

impl StartLock {
    /// Waits until no other start is being recorded, which takes an instant.
    ///
    /// # Errors
    /// `Step` when another one takes longer, or a `StoreError`.
    pub fn acquire(runs: &RunStore) -> Result<Self, WorkError> {
        let file = runs.state.ensure(FOLDER_NAME)?.join("start.lock");
        match Lock::claim(
            &file,
            &holder_text(runs),
            Instant::now() + disk::LOCK_TIMEOUT,
        )? {
            Some(lock) => Ok(Self { _lock: lock }),
            None => Err(WorkError::Step(format!(
                "{} has been starting a run for {} s; nothing was started, try again",
                LockHolder::of(&file),
                disk::LOCK_TIMEOUT.as_secs()
            ))),
        }
    }
}

/// The holder of a lock, as its file names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockHolder {
    /// Its process; `None` if the lock does not name it.
    pub pid: Option<u32>,
    /// The start of that process, in ticks.
    pub start: Option<String>,
    /// The time since when it is held, as RFC 3339.
    pub since: Option<String>,
}

impl LockHolder {
    /// Reads the holder from a lock's file.
    pub fn of(file: &Path) -> Self {
        let mut text = String::new();
        if let Ok((file, _)) = disk::open(file, "") {
            // A partial or missing text gives fewer facts; the lock is held all the same.
            let _ = file.take(200).read_to_string(&mut text);
        }
        let mut lines = text.lines();
        let mut process = lines.next().unwrap_or_default().split_whitespace();
        let moment = |line: &&str| line.parse::<Timestamp>().is_ok();
        Self {
            pid: process.next().and_then(|word| word.parse().ok()),
            start: process.next().map(str::to_owned),
            since: lines.next().filter(moment).map(str::to_owned),
        }
    }
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "process {pid}")?,
            None => f.write_str("another process")?,
        }
        match &self.since {
            Some(since) => write!(f, " since {since}"),
            None => Ok(()),
        }
    }
}

/// Returns the text of a lock for people: process number and start in ticks, and the time since
/// when it is held.
pub(super) fn holder_text(runs: &RunStore) -> String {
    let own = ProcessIdentity::own();
    let start = own.pid_start.unwrap_or_default();
    let since = run_record::stamp((runs.clock)());
    format!("{} {start}\n{since}\n", own.pid)
}

/// Returns the file of a spec's lock in one of the folders of locks, and creates that.
fn place(runs: &RunStore, folder: &str, spec_id: &str) -> Result<PathBuf, WorkError> {
    check_name(spec_id)?;
    let folder = runs.state.ensure(&runs.state.in_project(folder))?;
    Ok(folder.join(file_of(spec_id)))
}

/// Returns the folder of the locks of a project's specs; it may not exist yet.
pub(super) fn folder(runs: &RunStore) -> Option<PathBuf> {
    runs.state.read(&runs.state.in_project(FOLDER_NAME))
}

/// Returns the lock file of a spec, if it exists; the lock need not be held.
pub fn lock_of(runs: &RunStore, spec_id: &str) -> Option<PathBuf> {
    let path = folder(runs)?.join(file_of(spec_id));
    disk::owned(&path)
        .is_some_and(|facts| facts.is_file)
        .then_some(path)
}

fn file_of(spec_id: &str) -> String {
    format!("{}{ENDING}", escape_name(spec_id))
}

/// Refuses a text that cannot be the id of a spec or the name of a run.
pub(super) fn check_name(name: &str) -> Result<(), WorkError> {
    if is_spec_name(name) {
        return Ok(());
    }
    Err(WorkError::Name { name: name.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(pid: u32) -> LockHolder {
        LockHolder {
            pid: Some(pid),
            start: None,
            since: None,
        }
    }

    #[test]
    fn a_lock_that_others_take_in_turn_is_waited_for() {
        let (mut tries, mut pids) = (0, 0);
        let claim = || {
            tries += 1;
            Ok((tries > 3).then_some("lock"))
        };
        let read_holder = || {
            pids += 1;
            holder(pids)
        };
        assert_eq!(
            claim_in_turn(LOCK_WAIT, claim, read_holder).unwrap(),
            "lock"
        );
    }

    #[test]
    fn a_holder_that_does_not_end_is_named_after_one_wait() {
        let mut tries = 0;
        let claim = || {
            tries += 1;
            Ok(None::<()>)
        };
        let refused = claim_in_turn(LOCK_WAIT, claim, || holder(7)).unwrap_err();
        assert!(
            matches!(&refused, WorkError::Merging { holder: named, .. } if *named == holder(7)),
            "{refused}"
        );
        assert_eq!(tries, 1);
    }
}
