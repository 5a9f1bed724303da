//! Recovers a change that a dead process left: all its files are looked at before one is touched.

use chant_base::diagnostics::LogFailure;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use super::intent::{self, ChangeIntent, ChangePhase, KEPT, OWNER, PlacedStep, SCHEMA, StepRecord};
use super::left::{KEPT_FOLDER, KeptReason, REASON};
use super::{ChangeJournal, UnfinishedChange, change_name};
use crate::StoreError;
use crate::digest::sha256;
use crate::disk::{
    self, ABANDONED, ExpectedContent, ExpectedFile, FilePlace, FileStamp, Lock, OpenFolder,
};
use crate::files::{self, OpenFolders};
use crate::undecided;

/// The time for which a document of a change is waited for that another writer holds; then the next one to
/// come finishes it.
const MOMENT: Duration = Duration::from_secs(1);

/// The time for which a change is waited for that a process is at: most are done by then, and the one who asks
/// sees all of it.
const UNDER_WAY: Duration = Duration::from_millis(100);

/// The state of a step's files.
pub(super) enum StepState {
    /// It is not done, or what it did is gone.
    Before {
        /// The document, where it is as it was when the change was decided.
        untouched: Option<FileStamp>,
        /// True if it is.
        is_untouched: bool,
    },
    /// It is done, and the document is as it left it.
    After(FileStamp),
    /// It is done, and the document was edited since.
    Edited,
    /// It cannot be determined; something was moved or removed.
    Lost,
}

/// The result of reading a change.
enum ChangeReading {
    /// It is ours to finish.
    Ours(Vec<PlacedStep>, Vec<String>),
    /// It is none of this release's, or about another checkout.
    Others,
    /// It cannot be finished, for this reason.
    Damaged(String),
}

impl ChangeJournal<'_> {
    /// Takes every change back that a dead process left before its commit point, and clears others away; what
    /// can go neither way is kept and reported, and stands in no one's way.
    ///
    /// # Errors
    /// A `StoreError` when the journal itself cannot be listed.
    pub fn recover(&self) -> Result<Vec<UnfinishedChange>, StoreError> {
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
                Some(UnfinishedChange {
                    paths: Vec::new(),
                    why: error.to_string(),
                    kept: folder,
                })
            })
        };
        Ok(names.into_iter().filter_map(finish).collect())
    }

    fn finish(&self, folder: &Path) -> Result<Option<UnfinishedChange>, StoreError> {
        let owner = folder.join(OWNER);
        if !disk::exists(&owner) {
            return self.finish_unowned(folder);
        }
        // Without a word in it, which would take room.
        let _owner = match Lock::claim(&owner, "", Instant::now() + UNDER_WAY) {
            Ok(Some(lock)) => lock,
            Ok(None) | Err(StoreError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let Some(phase) = phase_of(folder) else {
            // It is being made, or a crash came before anything was said.
            return clear_old(folder).map(|()| None);
        };
        let (json, _) = self
            .disk
            .read_text(&folder.join(phase.file()), phase.file())?;
        let (placed, made) = match self.read(folder, phase, &json) {
            ChangeReading::Ours(placed, made) => (placed, made),
            ChangeReading::Others => return Ok(None),
            ChangeReading::Damaged(why) => {
                return set_aside(folder, phase.file(), &[], Vec::new(), why).map(Some);
            }
        };
        let Some(_held) = hold(&placed)? else {
            return Ok(None);
        };
        tracing::info!(folder = %folder.display(), ?phase, files = placed.len(), "an interrupted change is settled");
        let unfinished = match phase {
            ChangePhase::Settled => None,
            ChangePhase::UnderWay | ChangePhase::Refused => {
                match self.settle(folder, phase, &placed) {
                    Ok(unfinished) => unfinished,
                    // It is remembered, and tried again by the next one to come.
                    Err(StoreError::Undecided { .. }) => return Ok(None),
                    Err(error) => return Err(error),
                }
            }
        };
        for one in &placed {
            undecided::forget(one.target.path());
        }
        if unfinished.is_none() {
            intent::clear(folder, &placed)?;
        }
        self.remove_folders(&made);
        Ok(unfinished)
    }

    /// Brings a change to an end that was not made final.
    fn settle(
        &self,
        folder: &Path,
        phase: ChangePhase,
        placed: &[PlacedStep],
    ) -> Result<Option<UnfinishedChange>, StoreError> {
        if let Some((paths, why)) = self.settle_damaged(phase, placed)? {
            return set_aside(folder, phase.file(), placed, paths, why).map(Some);
        }
        let looks: Result<Vec<StepState>, _> = placed.iter().map(|one| self.look(one)).collect();
        let Ok(looks) = looks else {
            return self.go_back(placed).map(|()| None);
        };
        let of = |wanted: fn(&StepState) -> bool| -> Vec<String> {
            let found = placed.iter().zip(&looks).filter(|(_, look)| wanted(look));
            found.map(|(one, _)| one.record.path().to_owned()).collect()
        };
        let edited = of(|look| matches!(look, StepState::Edited));
        let lost = of(|look| matches!(look, StepState::Lost));
        let touched = of(|look| {
            matches!(
                look,
                StepState::Before {
                    is_untouched: false,
                    ..
                }
            )
        });
        let why = if edited.is_empty() && lost.is_empty() {
            self.go_back(placed)?;
            "it was taken back"
        } else if phase == ChangePhase::UnderWay && lost.is_empty() && touched.is_empty() {
            // A text that was in its place already was edited: it cannot be taken from under the edit. No answer was
            // given yet, so that the others, which are as they were, follow it.
            self.go_on(placed, &looks)?;
            "it was finished"
        } else {
            "it can be neither finished nor taken back, and nothing was touched"
        };
        self.flush(placed)?;
        let foreign = [edited, lost, touched].concat();
        if foreign.is_empty() {
            return intent::mark(folder, phase, ChangePhase::Settled).map(|()| None);
        }
        let why = format!("{why}, because this file was edited since");
        set_aside(folder, phase.file(), placed, foreign, why).map(Some)
    }

    /// Puts those files in place that are not.
    fn go_on(&self, placed: &[PlacedStep], looks: &[StepState]) -> Result<(), StoreError> {
        for (one, look) in placed.iter().zip(looks) {
            if let StepState::Before { untouched, .. } = look
                && !self.put(one, untouched.as_ref())?
            {
                return Err(disk::busy(one.target.path(), "kept changing"));
            }
        }
        Ok(())
    }

    /// Reads the record of a change in a phase.
    fn read(&self, folder: &Path, phase: ChangePhase, json: &str) -> ChangeReading {
        let damaged =
            |error: String| ChangeReading::Damaged(format!("its record is damaged: {error}"));
        let record: serde_json::Value = match serde_json::from_str(json) {
            Ok(record) => record,
            Err(error) => return damaged(error.to_string()),
        };
        if record["schema"].as_u64() != Some(u64::from(SCHEMA)) {
            return ChangeReading::Others;
        }
        let root = record["root"].as_str().map(ToOwned::to_owned);
        if root.is_some() && root != self.root_from_state() {
            return ChangeReading::Others;
        }
        let ChangeIntent { folders, steps, .. } = match serde_json::from_value(record) {
            Ok(intent) => intent,
            Err(error) => return damaged(error.to_string()),
        };
        let steps = steps.into_iter().enumerate();
        let mut open = OpenFolders::default();
        let find = |(number, record)| match PlacedStep::find(
            record, number, folder, self.root, None, &mut open,
        ) {
            // The folder was not made yet, or went with all that lay in it: there is nothing to clear away.
            Err(StoreError::Missing { .. }) if phase == ChangePhase::Settled => None,
            found => Some(found),
        };
        let placed: Result<Vec<_>, _> = steps.filter_map(find).collect();
        match placed {
            Ok(placed) => ChangeReading::Ours(placed, folders),
            Err(error) => ChangeReading::Damaged(error.to_string()),
        }
    }

    /// Finishes a change that no process says is its own: one that is not started.
    fn finish_unowned(&self, folder: &Path) -> Result<Option<UnfinishedChange>, StoreError> {
        let phase = ChangePhase::UnderWay;
        let name = phase.file();
        let _lock = match Lock::try_take(&folder.join(name)) {
            Ok(Some(lock)) => lock,
            Ok(None) => return Ok(None),
            Err(StoreError::Missing { .. }) => return clear_old(folder).map(|()| None),
            Err(error) => return Err(error),
        };
        let (json, _) = self.disk.read_text(&folder.join(name), name)?;
        match self.read(folder, phase, &json) {
            ChangeReading::Others => Ok(None),
            ChangeReading::Damaged(why) => set_aside(folder, name, &[], Vec::new(), why).map(Some),
            ChangeReading::Ours(placed, _) => {
                let why = "nothing says whose it is".to_owned();
                set_aside(folder, name, &placed, Vec::new(), why).map(Some)
            }
        }
    }

    /// Finds out how a step's files lie.
    ///
    /// # Errors
    /// A `StoreError` for a file that cannot be read.
    pub(super) fn look(&self, one: &PlacedStep) -> Result<StepState, StoreError> {
        match &one.record {
            StepRecord::Replace { old, new, .. } => {
                let now = self.content(one.target.path())?;
                let is = |hash: &str| now.as_ref().filter(|(now, _)| now == hash);
                let before = || StepState::Before {
                    untouched: is(old).map(|(_, stamp)| *stamp),
                    is_untouched: is(old).is_some(),
                };
                let waits = self.content(one.slot.path())?;
                let is_swapped = match &waits {
                    Some((hash, _)) => hash != new,
                    None => disk::is_kept_apart(&one.slot),
                };
                Ok(match (is_swapped, is(new)) {
                    (true, Some((_, stamp))) => StepState::After(*stamp),
                    (true, None) if is(old).is_none() => StepState::Edited,
                    (false, _) if waits.is_none() && is(old).is_none() => StepState::Lost,
                    _ => before(),
                })
            }
            StepRecord::Create { new, .. } => {
                let is_free = !one.target.exists();
                let before = StepState::Before {
                    untouched: None,
                    is_untouched: is_free,
                };
                if one.slot.exists() || is_free {
                    return Ok(before);
                }
                Ok(match self.content(one.target.path())? {
                    Some((hash, stamp)) if hash == *new => StepState::After(stamp),
                    _ => StepState::Edited,
                })
            }
            StepRecord::Move { .. } => {
                let from = one.moved_from()?;
                let after = one.target.stamp();
                let is_link = |place: &FilePlace| place.read_link().is_some();
                let is_link_of_both = is_link(from) && is_link(&one.target);
                Ok(match (from.exists(), after) {
                    (true, None) => StepState::Before {
                        untouched: None,
                        is_untouched: true,
                    },
                    (is_there, Some(stamp)) if !is_there || is_link_of_both => {
                        StepState::After(stamp)
                    }
                    _ => StepState::Lost,
                })
            }
        }
    }

    /// The hash of a file's content, and its stamp; `None` when there is no file.
    pub(super) fn content(&self, path: &Path) -> Result<Option<(String, FileStamp)>, StoreError> {
        match self.disk.read_content(path) {
            Ok(content) => Ok(Some((sha256(&content.bytes), content.stamp))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::Unreadable {
                path: path.display().to_string(),
                why: error.to_string(),
            }),
        }
    }

    /// Does a step, not durably; false when its document has another stamp than expected.
    pub(super) fn put(
        &self,
        one: &PlacedStep,
        expected: Option<&FileStamp>,
    ) -> Result<bool, StoreError> {
        self.asked("journal-put", one.target.path())?;
        match (&one.record, expected) {
            (StepRecord::Replace { old, .. }, Some(stamp)) => {
                let content = ExpectedContent::Digest(old);
                disk::swap(&one.slot, &one.target, &ExpectedFile { stamp, content })
            }
            (StepRecord::Replace { .. }, None) => Ok(false),
            (StepRecord::Create { .. }, _) => {
                disk::rename_new(&one.slot, &one.target).map(|()| true)
            }
            (StepRecord::Move { .. }, _) => {
                files::move_document(one.moved_from()?, &one.target).map(|()| true)
            }
        }
    }

    /// Takes a step back that was done.
    ///
    /// # Errors
    /// Why it cannot be.
    pub(super) fn take_back(&self, one: &PlacedStep, look: &StepState) -> Result<(), String> {
        let edited = || "somebody edited it meanwhile".to_owned();
        let stamp = match look {
            StepState::Before { .. } => return Ok(()),
            StepState::After(stamp) => stamp,
            StepState::Edited | StepState::Lost => return Err(edited()),
        };
        let asked = self.asked("journal-back", one.target.path());
        let done = asked.and_then(|()| match &one.record {
            StepRecord::Replace { new, .. } => {
                let content = ExpectedContent::Digest(new);
                disk::swap_back(&one.slot, &one.target, &ExpectedFile { stamp, content })
            }
            StepRecord::Create { .. } => disk::rename_new(&one.target, &one.slot).map(|()| true),
            StepRecord::Move { .. } => one
                .moved_from()
                .and_then(|from| files::move_document(&one.target, from))
                .map(|()| true),
        });
        match done {
            Ok(true) => Ok(()),
            Ok(false) => Err(edited()),
            Err(StoreError::NotWritten { source, .. }) => Err(source.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Returns the phase that a change has reached; `None` without a record.
fn phase_of(folder: &Path) -> Option<ChangePhase> {
    let mut phases = ChangePhase::ALL.into_iter();
    phases.find(|phase| disk::exists(&folder.join(phase.file())))
}

/// Locks the documents of a change in the order of their paths; `None` when one is in use.
fn hold(placed: &[PlacedStep]) -> Result<Option<Vec<Lock>>, StoreError> {
    let mut targets: Vec<&Path> = placed.iter().map(|one| one.target.path()).collect();
    targets.sort_unstable();
    targets.dedup();
    let mut held = Vec::new();
    let deadline = Instant::now() + MOMENT;
    for target in targets {
        match Lock::acquire(target, deadline) {
            Ok(lock) => held.push(lock),
            Err(StoreError::Missing { .. }) => {}
            Err(StoreError::Busy { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    Ok(Some(held))
}

/// Keeps what was staged under a name that is not looked at again.
fn set_aside(
    folder: &Path,
    record: &str,
    placed: &[PlacedStep],
    paths: Vec<String>,
    why: String,
) -> Result<UnfinishedChange, StoreError> {
    for (number, one) in placed.iter().enumerate() {
        // What lies beside documents goes, too; a text that cannot be taken along stays whole where it is.
        let inside = OpenFolder::of_ours(folder).place(intent::slot_name(number));
        if one.slot.path() != inside.path() && one.slot.exists() {
            disk::move_file(&one.slot, &inside).log_failure("keep what was set aside");
        }
    }
    let reason = KeptReason {
        paths: paths.clone(),
        why: why.clone(),
    };
    let json = serde_json::to_string_pretty(&reason).unwrap_or_default();
    // On a disk without room it is reported without.
    disk::create_owned(&folder.join(REASON), &json).log_failure("write why a change was set aside");
    let kept = folder.with_file_name(format!("{KEPT_FOLDER}{}", change_name()));
    disk::rename_new(folder.join(record), folder.join(KEPT))?;
    disk::remove(&folder.join(OWNER))?;
    disk::rename_new(folder, &kept)?;
    Ok(UnfinishedChange { paths, why, kept })
}

/// Clears the folder of a change away that has no record, unless a process is about to write one.
fn clear_old(folder: &Path) -> Result<(), StoreError> {
    let is_old = |stamp: FileStamp| stamp.is_older_than(ABANDONED, SystemTime::now());
    let is_left = disk::stamp(folder).is_some_and(is_old) && !is_being_made(folder);
    if is_left && !disk::exists(&folder.join(KEPT)) {
        intent::clear(folder, &[])?;
    }
    Ok(())
}

/// Returns true if the process that a change's folder is named after still lives.
fn is_being_made(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let pid = name.split('-').nth(1).and_then(|pid| pid.parse().ok());
    pid.is_some_and(disk::is_process)
}
