//! Several files changed at once: all of them or none, also after a crash in between.
//!
//! The new texts are staged beside the old ones in the state folder, then one intent record appears;
//! from that moment the change will happen. Whoever opens the project next carries out what a crash
//! left unfinished. An intent whose process lives is locked by it and left alone.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

use serde::{Deserialize, Serialize};

use super::StoreError;
use super::disk::{self, ABANDONED, Disk, Lock, PATIENCE, Stamp, Temporary};
use super::files::{self, Root};
use super::state::StateFolder;

const INTENT: &str = "intent.json";
/// What the intent of a change is called that could not be finished.
const KEPT: &str = "kept.json";

/// One file's part in a change of several files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
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

/// The record of a change that has been decided on.
#[derive(Debug, Serialize, Deserialize)]
struct Intent {
    schema: u32,
    /// The folder that the paths start from, seen from the state folder: several checkouts of one
    /// repository share that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<String>,
    steps: Vec<Record>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Record {
    /// Staged as `<n>.old` and `<n>.new`.
    Replace {
        path: String,
    },
    /// Staged as `<n>.new`.
    Create {
        path: String,
    },
    Move {
        from: String,
        to: String,
    },
}

/// A change that a crash left and that could not be finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The files that somebody else changed meanwhile: neither as they were nor as they should have
    /// become. Empty when the reason is another.
    pub paths: Vec<String>,
    /// Why it could not be finished.
    pub why: String,
    /// Where the texts that were to be written are kept.
    pub kept: PathBuf,
}

/// Changes of several files of one project.
pub struct Journal<'a> {
    /// How files are read and written.
    pub disk: &'a Disk,
    /// The project.
    pub root: &'a Root,
    /// Where intents are kept; only a change of several files needs it.
    pub state: Option<&'a StateFolder>,
    /// Files or folders whose locks are taken last, in the order of their paths, and held until the change
    /// is done, so that what is decided on other documents than the locked ones stays true.
    pub gates: &'a [PathBuf],
}

/// A document that takes part in a change, locked.
struct Held {
    path: String,
    real: PathBuf,
    text: String,
    stamp: Stamp,
    _lock: Lock,
}

impl Journal<'_> {
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
        mut plan: impl FnMut(&[&str]) -> Result<Option<Vec<Step>>, E>,
    ) -> Result<bool, E> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let held = self.hold(paths, deadline)?;
            let _gates = self.enter(deadline)?;
            let texts: Vec<&str> = paths
                .iter()
                .map(|path| {
                    held.iter()
                        .find(|h| h.path == *path)
                        .map_or("", |h| h.text.as_str())
                })
                .collect();
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
                    seconds: PATIENCE.as_secs(),
                }
                .into());
            }
        }
    }

    /// Locks documents in the order of their paths, so that two changes never wait for each other.
    fn hold(&self, paths: &[&str], deadline: Instant) -> Result<Vec<Held>, StoreError> {
        let mut sorted: Vec<&str> = paths.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let hold = |path: &str| {
            let held = files::hold(self.disk, self.root, path, None, deadline)?;
            Ok(Held {
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
        gates.map(|gate| Lock::take(gate, deadline)).collect()
    }

    /// Does the steps; false when a file changed under us, with everything as it was.
    fn carry_out(&self, held: &[Held], steps: &[Step]) -> Result<bool, StoreError> {
        let Some((folder, _lock)) = self.stage(held, steps)? else {
            return match steps {
                [] => Ok(true),
                [step] => self.step(held, step),
                _ => Err(StoreError::NoJournal),
            };
        };
        for (done, step) in steps.iter().enumerate() {
            let outcome = self.step(held, step);
            if !matches!(outcome, Ok(true)) {
                for step in steps[..done].iter().rev() {
                    self.undo(held, step)?;
                }
                self.call_off(&folder)?;
                return outcome;
            }
            self.reached("journal-step")?;
        }
        // All is done. An intent that can neither go nor be emptied would be carried out once more by the
        // next change, but that this one happened stays true.
        let _ = self.call_off(&folder);
        self.reached("journal-done")?;
        Ok(true)
    }

    /// Takes an intent away, or else has it say that nothing is to be done: nobody may carry out what
    /// was taken back, or do again what others have changed since.
    fn call_off(&self, folder: &Path) -> Result<(), StoreError> {
        let cleared = self.reached("journal-clear").and_then(|()| clear(folder));
        cleared.or_else(|error| {
            let nothing = self.intent(Vec::new());
            disk::overwrite(&folder.join(INTENT), &nothing).map_err(|_| error)
        })
    }

    /// The record of a change as text.
    fn intent(&self, steps: Vec<Record>) -> String {
        let intent = Intent {
            schema: 1,
            root: self.root_from_state(),
            steps,
        };
        serde_json::to_string_pretty(&intent).unwrap_or_default()
    }

    /// Writes what recovery needs; the lock on the intent says that we are at it. One step needs none.
    fn stage(&self, held: &[Held], steps: &[Step]) -> Result<Option<(PathBuf, Lock)>, StoreError> {
        let Some(state) = self.state.filter(|_| steps.len() > 1) else {
            return Ok(None);
        };
        let folder = state.ensure("journal")?.join(change_name());
        disk::make_folder(&folder)?;
        let write = |name: String, text: &str| {
            let path = folder.join(name);
            Temporary::write(self.disk, &path, text, false)?.appear(&path)
        };
        let staged = || {
            for (number, step) in steps.iter().enumerate() {
                if let Step::Replace { path, .. } = step {
                    let old = held.iter().find(|h| h.path == *path);
                    write(format!("{number}.old"), old.map_or("", |h| &h.text))?;
                }
                if let Step::Replace { text, .. } | Step::Create { text, .. } = step {
                    write(format!("{number}.new"), text)?;
                }
            }
            self.reached("journal-staged")?;
            let json = self.intent(steps.iter().map(Record::of).collect());
            let path = folder.join(INTENT);
            let lock = Temporary::write(self.disk, &path, &json, false)?.appear_locked(&path)?;
            self.reached("journal-intent")?;
            Ok(lock)
        };
        match staged() {
            Ok(lock) => Ok(Some((folder, lock))),
            Err(error) => {
                if !matches!(error, StoreError::Stopped { .. }) {
                    let _ = clear(&folder);
                }
                Err(error)
            }
        }
    }

    fn step(&self, held: &[Held], step: &Step) -> Result<bool, StoreError> {
        match step {
            Step::Replace { path, text } => match held.iter().find(|h| h.path == *path) {
                Some(held) => files::replace(self.disk, &held.real, text, &held.stamp),
                None => Err(StoreError::Missing { path: path.clone() }),
            },
            Step::Create { path, text } => {
                let target = files::place_in_new_folder(self.root, path)?;
                Temporary::write(self.disk, &target, text, false)?.appear(&target)?;
                Ok(true)
            }
            Step::Move { from, to } => files::relocate_held(self.root, from, to).map(|()| true),
        }
    }

    /// Takes back a step that was done a moment ago, unless somebody changed the file since.
    fn undo(&self, held: &[Held], step: &Step) -> Result<(), StoreError> {
        match step {
            Step::Replace { path, text } => {
                let Some(held) = held.iter().find(|h| h.path == *path) else {
                    return Ok(());
                };
                let (now, stamp) = self.disk.read_text(&held.real, path)?;
                if now == *text {
                    files::replace(self.disk, &held.real, &held.text, &stamp)?;
                }
                Ok(())
            }
            Step::Create { path, text } => {
                let target = self.root.place(path)?;
                match self.disk.read_text(&target, path) {
                    Ok((now, _)) if now == *text => disk::remove(&target),
                    _ => Ok(()),
                }
            }
            Step::Move { from, to } => files::relocate_held(self.root, to, from),
        }
    }

    /// Finishes every change that a dead process left; what cannot be finished is kept and told, and
    /// stands in nobody's way.
    ///
    /// # Errors
    /// A `StoreError` when the journal itself cannot be listed.
    pub fn recover(&self) -> Result<Vec<Unfinished>, StoreError> {
        let Some(journal) = self.state.and_then(|state| state.read("journal")) else {
            return Ok(Vec::new());
        };
        let listing = match disk::list(&journal) {
            Err(StoreError::Missing { .. }) => return Ok(Vec::new()),
            listing => listing?,
        };
        let mut names: Vec<String> = listing.folders.into_iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        let finish = |name: String| {
            let folder = journal.join(name);
            self.finish(&folder).unwrap_or_else(|error| {
                Some(Unfinished {
                    paths: Vec::new(),
                    why: error.to_string(),
                    kept: folder,
                })
            })
        };
        Ok(names.into_iter().filter_map(finish).collect())
    }

    fn finish(&self, folder: &Path) -> Result<Option<Unfinished>, StoreError> {
        let intent = folder.join(INTENT);
        let _lock = match Lock::try_take(&intent) {
            Ok(Some(lock)) => lock,
            Ok(None) => return Ok(None),
            Err(StoreError::Missing { .. }) => {
                let is_old = |stamp: Stamp| stamp.is_older_than(ABANDONED, SystemTime::now());
                let is_left = disk::stamp(folder).is_some_and(is_old) && !is_being_made(folder);
                if is_left && !disk::exists(&folder.join(KEPT)) {
                    clear(folder)?;
                }
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let (json, _) = self.disk.read_text(&intent, INTENT)?;
        let later = |json: &str| {
            let record: Option<serde_json::Value> = serde_json::from_str(json).ok();
            record.is_some_and(|record| record["schema"].as_u64().is_some_and(|schema| schema > 1))
        };
        let intent = serde_json::from_str::<Intent>(&json);
        let root = intent.as_ref().ok().and_then(|intent| intent.root.clone());
        if later(&json) || (root.is_some() && root != self.root_from_state()) {
            // Written by a later release, or about another checkout: not ours to judge.
            return Ok(None);
        }
        let damage = match &intent {
            Ok(intent) => missing_text(folder, &intent.steps),
            Err(error) => Some(format!("its record is damaged: {error}")),
        };
        if let Some(why) = damage {
            return set_aside(folder, Vec::new(), why).map(Some);
        }
        let mut foreign = Vec::new();
        for (number, record) in intent.iter().flat_map(|i| &i.steps).enumerate() {
            if !self.redo(folder, number, record)? {
                foreign.push(record.path().to_owned());
            }
        }
        if foreign.is_empty() {
            return clear(folder).map(|()| None);
        }
        set_aside(folder, foreign, "this file was edited since".into()).map(Some)
    }

    /// Does a step that may have been done already; false when the file is neither old nor new.
    fn redo(&self, folder: &Path, number: usize, record: &Record) -> Result<bool, StoreError> {
        let staged = |kind: &str| {
            let path = folder.join(format!("{number}.{kind}"));
            self.disk
                .read_text(&path, &path.display().to_string())
                .map(|(text, _)| text)
        };
        match record {
            Record::Replace { path } => {
                let (old, new) = (staged("old")?, staged("new")?);
                let mut is_foreign = false;
                let written = files::edit(
                    self.disk,
                    self.root,
                    path,
                    |now| -> Result<String, StoreError> {
                        is_foreign = now != old && now != new;
                        Ok(if is_foreign {
                            now.to_owned()
                        } else {
                            new.clone()
                        })
                    },
                );
                match written {
                    Err(StoreError::Missing { .. }) => Ok(false),
                    written => written.map(|_| !is_foreign),
                }
            }
            Record::Create { path } => {
                let new = staged("new")?;
                let target = files::place_in_new_folder(self.root, path)?;
                match Temporary::write(self.disk, &target, &new, false)?.appear(&target) {
                    Err(StoreError::Exists { .. }) => Ok(self
                        .disk
                        .read_text(&target, path)
                        .is_ok_and(|(now, _)| now == new)),
                    done => done.map(|()| true),
                }
            }
            Record::Move { from, to } => match files::relocate(self.root, from, to) {
                Ok(()) => Ok(true),
                Err(StoreError::Missing { .. }) => Ok(self.root.locate(to).is_ok()),
                Err(StoreError::Exists { .. }) => Ok(false),
                Err(error) => Err(error),
            },
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
}

impl Record {
    fn of(step: &Step) -> Self {
        match step {
            Step::Replace { path, .. } => Self::Replace { path: path.clone() },
            Step::Create { path, .. } => Self::Create { path: path.clone() },
            Step::Move { from, to } => Self::Move {
                from: from.clone(),
                to: to.clone(),
            },
        }
    }

    /// The kinds of texts that are staged for it.
    fn staged(&self) -> &[&str] {
        match self {
            Self::Replace { .. } => &["old", "new"],
            Self::Create { .. } => &["new"],
            Self::Move { .. } => &[],
        }
    }

    fn path(&self) -> &str {
        match self {
            Self::Replace { path } | Self::Create { path } => path,
            Self::Move { from, .. } => from,
        }
    }
}

/// What says that a staged text is not there: then no step is begun.
fn missing_text(folder: &Path, steps: &[Record]) -> Option<String> {
    let names = |(number, record): (usize, &Record)| {
        let kinds = record.staged().iter();
        kinds
            .map(|kind| format!("{number}.{kind}"))
            .collect::<Vec<_>>()
    };
    let mut names = steps.iter().enumerate().flat_map(names);
    names
        .find(|name| !disk::exists(&folder.join(name)))
        .map(|name| format!("its staged text `{name}` is gone"))
}

/// Keeps what was staged under a name that is not looked at again.
fn set_aside(folder: &Path, paths: Vec<String>, why: String) -> Result<Unfinished, StoreError> {
    let kept = folder.with_file_name(format!("kept-{}", change_name()));
    disk::rename_new(&folder.join(INTENT), &folder.join(KEPT))?;
    disk::rename_new(folder, &kept)?;
    Ok(Unfinished { paths, why, kept })
}

/// Removes a change's own files, the intent first: without it there is nothing to carry out.
fn clear(folder: &Path) -> Result<(), StoreError> {
    disk::remove(&folder.join(INTENT))?;
    let flushed = disk::flush_folder_of(&folder.join(INTENT));
    for file in disk::list(folder)?.files {
        disk::remove(&folder.join(file.name))?;
    }
    disk::remove_folder(folder);
    flushed
}

/// Whether the process that a change's folder is named after still lives.
fn is_being_made(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let pid = name.split('-').nth(1).and_then(|pid| pid.parse().ok());
    pid.is_some_and(disk::is_process)
}

fn change_name() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let nanos = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos());
    format!("{nanos:x}-{}-{number}", std::process::id())
}
