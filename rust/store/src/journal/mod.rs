//! Several files changed at once: all of them or none, also after a crash in between.
//!
//! First all new texts are written where nothing reads them, and everything is asked that could refuse the
//! change. Then a record appears that says what is done, and each new file changes places with the old one;
//! that takes no room, and neither does going back. When all lie in their places for good, the record gets
//! another name: that is the commit point. A process that comes upon a record that has not got it takes the
//! change back. A change whose process lives is locked by it and left alone.

mod damage;
mod intent;
mod left;
mod recovery;
mod together;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

use super::StoreError;
use super::disk::{self, Disk, ExpectedFile, FileStamp, LOCK_TIMEOUT, Lock, TemporaryFile};
use super::files::{self, ResolvedFolders, RootFolder};
use super::state::StateFolder;
use super::undecided;
pub use left::LeftChange;

/// One file's part in a change of several files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeStep {
    /// A document of the change gets another text.
    Replace {
        /// Path relative to the root; one of those the change was opened with.
        path: String,
        /// Its new text.
        text: String,
    },
    /// A new document.
    Create {
        /// Path relative to the root.
        path: String,
        /// Its text.
        text: String,
    },
    /// A document goes to a place that must be free.
    Move {
        /// Path relative to the root; one of those the change was opened with.
        from: String,
        /// Path relative to the root; its folder is made where needed.
        to: String,
    },
}

/// A change that a crash left and that could not be finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedChange {
    /// The files that another writer changed meanwhile: neither as they were nor as they should have become.
    /// Empty when the reason is another.
    pub paths: Vec<String>,
    /// Why it could not be finished.
    pub why: String,
    /// Where the texts that were to be written are kept.
    pub kept: PathBuf,
}

/// Changes of several files of one project.
pub struct ChangeJournal<'a> {
    /// The disk by which files are read and written.
    pub disk: &'a Disk,
    /// The project.
    pub root: &'a RootFolder,
    /// Where intents are kept; only a change of several files needs it.
    pub state: Option<&'a StateFolder>,
    /// Files or folders whose locks are taken last, in the order of their paths, and held until the change
    /// is done, so that what is decided on other documents than the locked ones stays true.
    pub gates: &'a [PathBuf],
}

/// A document that takes part in a change, locked.
struct LockedFile {
    path: String,
    real: PathBuf,
    text: String,
    stamp: FileStamp,
    _lock: Lock,
}

impl ChangeJournal<'_> {
    /// Locks the documents at `paths`, reads them, asks `plan` what to do and does all of it or
    /// nothing; true when that is done.
    ///
    /// `plan` gets the texts in the order of `paths` and may be asked again on fresher ones. When it
    /// gives no steps because it needs other documents, everything is let go and the answer is false.
    ///
    /// # Errors
    /// What `plan` returns, or a `StoreError`; nothing is changed then.
    pub fn change<E: From<StoreError>>(
        &self,
        paths: &[&str],
        mut plan: impl FnMut(&[&str]) -> Result<Option<Vec<ChangeStep>>, E>,
    ) -> Result<bool, E> {
        let deadline = Instant::now() + LOCK_TIMEOUT;
        loop {
            let held = self.hold(paths, deadline)?;
            let _gates = self.enter(deadline)?;
            let text = |path: &&str| held_of(&held, path).map_or("", |held| held.text.as_str());
            let texts: Vec<&str> = paths.iter().map(text).collect();
            let Some(steps) = plan(&texts)? else {
                return Ok(false);
            };
            if self.carry_out(&held, &steps)? {
                return Ok(true);
            }
            if Instant::now() > deadline {
                return Err(StoreError::Busy {
                    path: paths.join("`, `"),
                    why: "kept changing".into(),
                    seconds: LOCK_TIMEOUT.as_secs(),
                }
                .into());
            }
        }
    }

    /// Locks documents in the order of their paths, so that two changes never wait for each other.
    fn hold(&self, paths: &[&str], deadline: Instant) -> Result<Vec<LockedFile>, StoreError> {
        let mut sorted: Vec<&str> = paths.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut folders = ResolvedFolders::default();
        let disk = self.disk.clone().without_links_in(self.root.path());
        let hold = |path: &str| {
            let real = folders.locate(self.root, path)?;
            undecided::refuse(&real)?;
            let held = files::lock_located(&disk, self.root, path, real, None, deadline)?;
            Ok(LockedFile {
                path: path.into(),
                real: held.real,
                text: held.text.into_owned(),
                stamp: held.stamp,
                _lock: held.lock,
            })
        };
        sorted.into_iter().map(hold).collect()
    }

    /// Locks the gates; everybody takes them behind the documents and in this order.
    fn enter(&self, deadline: Instant) -> Result<Vec<Lock>, StoreError> {
        let mut sorted: Vec<&PathBuf> = self.gates.iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        let gates = sorted.into_iter();
        gates.map(|gate| Lock::acquire(gate, deadline)).collect()
    }

    /// Does the steps; false when a file changed under us, with everything as it was.
    fn carry_out(&self, held: &[LockedFile], steps: &[ChangeStep]) -> Result<bool, StoreError> {
        let is_other = |step: &&ChangeStep| match step {
            ChangeStep::Replace { path, text } => {
                held_of(held, path).map_or(true, |held| held.text != *text)
            }
            ChangeStep::Create { .. } | ChangeStep::Move { .. } => true,
        };
        let steps: Vec<&ChangeStep> = steps.iter().filter(is_other).collect();
        match (steps.as_slice(), self.state) {
            ([], _) => Ok(true),
            ([step], _) => self.alone(held, step),
            (_, None) => Err(StoreError::NoJournal),
            (steps, Some(state)) => self.together(state, held, steps),
        }
    }

    /// Does a single step, which needs no record.
    fn alone(&self, held: &[LockedFile], step: &ChangeStep) -> Result<bool, StoreError> {
        match step {
            ChangeStep::Replace { path, text } => {
                let held = held_of(held, path)?;
                let read = ExpectedFile::of_text(&held.text, &held.stamp);
                files::replace(self.disk, self.root, &held.real, text, &read)
            }
            ChangeStep::Create { path, text } => {
                let target = files::place_in_new_folder(self.root, path)?;
                TemporaryFile::write(self.disk, &target, text, false)?.appear(&target)?;
                Ok(true)
            }
            ChangeStep::Move { from, to } => {
                files::relocate_held(self.root, from, to).map(|()| true)
            }
        }
    }

    /// The way from the state folder to the root.
    fn root_from_state(&self) -> Option<String> {
        let state = self.state?.place()?;
        let way = pathdiff::diff_paths(self.root.path(), disk::real(state).ok()?)?;
        Some(way.to_string_lossy().replace('\\', "/"))
    }

    /// A named moment, where tests stop us as a crash would.
    fn reached(&self, moment: &'static str) -> Result<(), StoreError> {
        (self.disk.reached)(moment).map_err(|source| StoreError::Stopped { moment, source })
    }

    /// A named moment, where tests let the disk fail.
    fn asked(&self, moment: &'static str, path: &std::path::Path) -> Result<(), StoreError> {
        let failed = |source| StoreError::NotWritten {
            path: path.display().to_string(),
            source,
        };
        (self.disk.reached)(moment).map_err(failed)
    }
}

/// The document of a change that a step names.
fn held_of<'a>(held: &'a [LockedFile], path: &str) -> Result<&'a LockedFile, StoreError> {
    // They stand in the order of their paths.
    let found = held.binary_search_by(|one| one.path.as_str().cmp(path));
    found
        .map(|at| &held[at])
        .map_err(|_| StoreError::Missing { path: path.into() })
}

fn change_name() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let nanos = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos());
    format!("{nanos:x}-{}-{number}", std::process::id())
}
