//! The daemon that watches over runs: only one a project, by a lock of the operating system; its
//! wake-ups, and its stop. Other modules decide what it does (reference chant 6.10 R).

use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, kill_process};

use super::WorkError;
use super::cancel_token::CancelToken;
use super::lock::{self, LockHolder};
use super::process::{self, ProcessIdentity};
use super::process_tree;
use super::run_record::RunRecord;
use super::run_store::RunStore;
use chant_store::changes::FolderWatch;
use chant_store::disk::{self, Lock};

/// The folder of its files in the state folder.
const FOLDER_NAME: &str = "watch";
/// The time that a daemon gets to end after it was asked to.
const GRACE_PERIOD: Duration = Duration::from_secs(15);
/// The least time between two checks of runs.
const SETTLE_TIME: Duration = Duration::from_millis(100);
/// The time between two checks of a run whose runner is dead and whose record is still active:
/// another process holds its lock, or it could not be recovered.
const AGAIN: Duration = Duration::from_secs(2);

/// The role of this process as the one that watches; its file is removed when it ends.
#[derive(Debug)]
pub struct WatchLock {
    file: PathBuf,
    /// Released after the file is removed.
    _lock: Lock,
}

impl WatchLock {
    /// Makes this process the one that watches; `None` if there is one already.
    ///
    /// # Errors
    /// A `StoreError`.
    pub fn acquire(runs: &RunStore) -> Result<Option<Self>, WorkError> {
        let file = made(runs, ".pid")?;
        let lock = Lock::claim(&file, &lock::holder_text(runs), Instant::now())?;
        Ok(lock.map(|lock| Self { file, _lock: lock }))
    }
}

impl Drop for WatchLock {
    fn drop(&mut self) {
        // A file that stays is no held lock; the next daemon takes it over.
        let _ = disk::remove(&self.file);
    }
}

/// Returns the path of a file of the daemon and creates its folder.
fn made(runs: &RunStore, ending: &str) -> Result<PathBuf, WorkError> {
    let scope = runs.state.in_checkout(FOLDER_NAME);
    let (folder, name) = scope.rsplit_once('/').unwrap_or((FOLDER_NAME, &scope));
    Ok(runs.state.ensure(folder)?.join(format!("{name}{ending}")))
}

/// Returns the path of the daemon's log and creates its folder.
///
/// # Errors
/// A `StoreError`.
pub fn log_file(runs: &RunStore) -> Result<PathBuf, WorkError> {
    made(runs, ".log")
}

/// Returns the process that watches, if there is one.
///
/// # Errors
/// A `StoreError`.
pub fn find_watcher(runs: &RunStore) -> Result<Option<LockHolder>, WorkError> {
    let scope = runs.state.in_checkout(FOLDER_NAME);
    let file = runs.state.read(&format!("{scope}.pid"));
    let Some(file) = file.filter(|file| disk::exists(file)) else {
        return Ok(None);
    };
    match Lock::try_take(&file)? {
        Some(_) => Ok(None),
        None => Ok(Some(LockHolder::of(&file))),
    }
}

/// Asks the process that watches to end, and waits until it has; returns its number, or `None` if
/// there is none.
///
/// # Errors
/// `Unending` when it does not end, or a `StoreError`.
pub fn stop(runs: &RunStore) -> Result<Option<u32>, WorkError> {
    let Some(holder) = find_watcher(runs)? else {
        return Ok(None);
    };
    let Some(watcher) = holder.process() else {
        // It is about to write its number, or is ending already.
        return Ok(None);
    };
    if let Some(pid) = process_tree::number(watcher.pid).filter(|_| watcher.is_alive()) {
        // The process may have ended meanwhile, which is the purpose.
        let _ = kill_process(pid, Signal::TERM);
    }
    let deadline = Instant::now() + GRACE_PERIOD;
    while watcher.is_alive() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(WorkError::Unending {
                process_id: "watch".into(),
                pid: watcher.pid,
            });
        }
        process_tree::wait_for(&watcher, left);
    }
    Ok(Some(watcher.pid))
}

impl LockHolder {
    /// Returns the process that a lock names, if its text proves which one it is.
    fn process(&self) -> Option<ProcessIdentity> {
        let now = ProcessIdentity::of(self.pid?);
        let is_it = self.start.is_some() && now.pid_start == self.start;
        (is_it && process::facts(now.pid).is_some()).then_some(now)
    }
}

/// The events that wake the daemon up: a record was written, a runner ended, or the daemon is asked
/// to end.
pub struct WatchAlarm {
    folder: PathBuf,
    records: FolderWatch,
    /// Runners that were already dead when it was to wait for them.
    dead: Vec<ProcessIdentity>,
}

impl WatchAlarm {
    /// Creates one for a project.
    ///
    /// # Errors
    /// A `StoreError` when the folder of records cannot be made.
    pub fn of(runs: &RunStore) -> Result<Self, WorkError> {
        let folder = runs.ensure_folder()?;
        let mut records = FolderWatch::start(&folder);
        records.add(&folder, "");
        Ok(Self {
            folder,
            records,
            dead: Vec::new(),
        })
    }

    /// Waits until something happens, `most` at the most.
    ///
    /// # Errors
    /// `System`.
    pub fn wait(
        &mut self,
        running: &[RunRecord],
        interruption: &CancelToken,
        most: Duration,
    ) -> Result<(), WorkError> {
        if !disk::exists(&self.folder) {
            self.records = FolderWatch::default();
        }
        let runners: Vec<ProcessIdentity> = running.iter().map(RunRecord::runner).collect();
        let ends: Vec<OwnedFd> = runners.iter().filter_map(end_of).collect();
        // Checked after the watches are set: an end is noticed either by them or here.
        let most = self.until_dead_are_looked_at(&runners).min(most);
        let sources = std::iter::once(interruption.wakes_up())
            .chain(self.records.wakes())
            .chain(ends.iter().map(AsFd::as_fd));
        let mut polled: Vec<PollFd<'_>> = sources
            .map(|source| PollFd::from_borrowed_fd(source, PollFlags::IN))
            .collect();
        match poll(&mut polled, Timespec::try_from(most).ok().as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(source) => {
                return Err(WorkError::System {
                    action: "wait for runs",
                    source: source.into(),
                });
            }
        }
        drop(polled);
        // Changes that belong together are handled together.
        if !interruption.is_cancelled() {
            process_tree::sleep_for(SETTLE_TIME);
        }
        self.records.take();
        Ok(())
    }

    /// Returns the time until dead runners are checked; zero if one was not known to be dead.
    fn until_dead_are_looked_at(&mut self, runners: &[ProcessIdentity]) -> Duration {
        let dead = runners.iter().filter(|runner| !runner.is_alive());
        let before = std::mem::replace(&mut self.dead, dead.cloned().collect());
        if self.dead.iter().any(|runner| !before.contains(runner)) {
            Duration::ZERO
        } else if self.dead.is_empty() {
            Duration::MAX
        } else {
            AGAIN
        }
    }
}

/// Returns a descriptor that becomes readable when a living process ends.
#[cfg(target_os = "linux")]
fn end_of(process: &ProcessIdentity) -> Option<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    let end = pidfd_open(process_tree::number(process.pid)?, PidfdFlags::empty()).ok()?;
    process.is_alive().then_some(end)
}

#[cfg(not(target_os = "linux"))]
fn end_of(_process: &ProcessIdentity) -> Option<OwnedFd> {
    None
}
