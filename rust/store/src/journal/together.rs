//! A change of several files as it is made: texts staged, put in place, made final or taken back.

use chant_base::diagnostics::LogFailure;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::intent::{self, ChangeIntent, ChangePhase, OWNER, PlacedStep, SCHEMA, StepRecord};
use super::{ChangeJournal, ChangeStep, LockedFile, change_name, held_of};
use crate::digest::sha256;
use crate::disk::{
    self, ExpectedContent, ExpectedFile, FilePlace, FileSystemFlush, Lock, OpenFolder,
    TemporaryFile,
};
use crate::files::{self, OpenFolders};
use crate::state::StateFolder;
use crate::undecided;
use crate::{StoreError, WRITE};
use chant_base::progress::ProgressMeter;

/// More files than these are flushed at once with all of their file system.
const MAX_SINGLE_FLUSHES: usize = 32;

/// A change whose texts are staged.
struct StagedChange {
    /// Where its record lies, and its texts where that is the same file system.
    folder: PathBuf,
    /// Folders that were made for it, the outer ones first.
    made: Vec<String>,
    placed: Vec<PlacedStep>,
    /// Locks on the file that says that a process is at it, and on the new files, which no other writer may
    /// change in their places before all of them stay there.
    locks: Vec<Lock>,
}

/// Where the texts of a change wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SlotLocation {
    /// In the folder of the change, as far as files can be renamed from there.
    WithRecord,
    /// Beside their documents.
    Beside,
}

impl ChangeJournal<'_> {
    /// Does several steps; false when a file changed under us, with everything as it was.
    pub(super) fn together(
        &self,
        state: &StateFolder,
        held: &[LockedFile],
        steps: &[&ChangeStep],
    ) -> Result<bool, StoreError> {
        match self.attempt(state, held, steps, SlotLocation::WithRecord) {
            // Only a try shows that two folders of one file system lie apart.
            Err(StoreError::NotWritten { source, .. })
                if source.kind() == io::ErrorKind::CrossesDevices =>
            {
                self.attempt(state, held, steps, SlotLocation::Beside)
            }
            done => done,
        }
    }

    fn attempt(
        &self,
        state: &StateFolder,
        held: &[LockedFile],
        steps: &[&ChangeStep],
        slots: SlotLocation,
    ) -> Result<bool, StoreError> {
        let change = self.stage(state, held, steps, slots)?;
        let started = may_begin(held, &change).and_then(|may| {
            may.then(|| self.mark(&change, ChangePhase::Settled, ChangePhase::UnderWay))
                .transpose()
        });
        match started {
            Ok(Some(())) => {}
            Ok(None) => return self.drop_staged(&change).map(|()| false),
            Err(error) => return Err(self.drop_after(&change, error)),
        }
        self.reached("journal-intent")?;
        let finished = self
            .put_all(held, &change)
            .and_then(|are_put| Ok(are_put && self.make_final(held, &change)?));
        match finished {
            Ok(true) => {}
            Ok(false) => return self.refuse(&change).map(|()| false),
            Err(error @ StoreError::Stopped { .. }) => return Err(error),
            Err(error) => return self.refuse(&change).and(Err(error)),
        }
        self.reached("journal-done")?;
        // What cannot be removed now is removed by the next one to come.
        self.clear(&change)
            .log_failure("clear a change that is complete");
        Ok(true)
    }

    /// Writes all that is needed: from here on nothing takes room.
    fn stage(
        &self,
        state: &StateFolder,
        held: &[LockedFile],
        steps: &[&ChangeStep],
        slots: SlotLocation,
    ) -> Result<StagedChange, StoreError> {
        let folder = state.ensure("journal")?.join(change_name());
        disk::make_folder(&folder)?;
        let mut change = StagedChange {
            folder,
            made: self.missing_folders(steps)?,
            placed: Vec::new(),
            locks: Vec::new(),
        };
        let staged = self.stage_in(&mut change, held, steps, slots);
        match staged {
            Ok(()) => Ok(change),
            Err(error) => Err(self.drop_after(&change, error)),
        }
    }

    fn stage_in(
        &self,
        change: &mut StagedChange,
        held: &[LockedFile],
        steps: &[&ChangeStep],
        slots: SlotLocation,
    ) -> Result<(), StoreError> {
        let owner = change.folder.join(OWNER);
        let name = format!("{}\n", std::process::id());
        change
            .locks
            .extend(Lock::claim(&owner, &name, Instant::now())?);
        let records = self.records(&change.folder, held, steps, slots)?;
        let json = self.intent(&records, &change.made);
        let record = change.folder.join(ChangePhase::Settled.file());
        TemporaryFile::write_beside(self.disk, &record, &json, false)?.appear(&record)?;
        for folder in &change.made {
            files::make_folder(self.root, folder)?;
        }
        let mut open = OpenFolders::default();
        let flush = (steps.len() > MAX_SINGLE_FLUSHES)
            .then(|| FileSystemFlush::begin(&change.folder))
            .flatten();
        let meter = ProgressMeter::begin("Writing files", steps.len());
        for (number, (record, step)) in records.into_iter().zip(steps).enumerate() {
            let (real, text) = match step {
                ChangeStep::Replace { path, text } => (
                    Some(held_of(held, path)?.real.as_path()),
                    Some((text, true)),
                ),
                ChangeStep::Create { text, .. } => (None, Some((text, false))),
                ChangeStep::Move { .. } => (None, None),
            };
            let is_flushed_later = flush.is_some() && record.waits_with_record();
            let folder = &change.folder;
            let placed = PlacedStep::find(record, number, folder, self.root, real, &mut open)?;
            let slot = placed.slot.clone();
            if let Some((text, replaces)) = text {
                let (disk, to, target) = (self.disk, slot.clone(), &placed.target);
                let written = if is_flushed_later {
                    TemporaryFile::write_unflushed_at(disk, to, target, text, replaces)?.0
                } else {
                    TemporaryFile::write_at(disk, to, target, text, replaces)?
                };
                written.stay();
            }
            change.placed.push(placed);
            if text.is_some() {
                change.locks.extend(lock_of_new(slot.path())?);
            }
            meter.step();
        }
        if let Some(flush) = flush {
            let failed = |error| StoreError::io(WRITE, &change.folder, error);
            flush.finish().map_err(failed)?;
        }
        for folder in folders_of(change.placed.iter().map(|one| &one.slot)) {
            disk::flush_folder(&folder)?;
        }
        self.reached("journal-staged")
    }

    /// The steps as the record says them.
    fn records(
        &self,
        folder: &Path,
        held: &[LockedFile],
        steps: &[&ChangeStep],
        slots: SlotLocation,
    ) -> Result<Vec<StepRecord>, StoreError> {
        let mut can_stage: BTreeMap<(PathBuf, bool), bool> = BTreeMap::new();
        let mut slot = |number: usize, path: &str, target: &Path, is_new: bool| {
            let above = target.parent().unwrap_or(target);
            let fits = slots == SlotLocation::WithRecord
                && *can_stage
                    .entry((above.to_owned(), is_new))
                    .or_insert_with(|| disk::can_stage(folder, above, is_new));
            (!fits).then(|| {
                let name = intent::slot_beside(folder, number);
                let real = self.root.locate(path).unwrap_or_else(|_| target.to_owned());
                let inside = real
                    .strip_prefix(self.root.path())
                    .unwrap_or(Path::new(path));
                let beside = inside.with_file_name(name);
                beside.to_string_lossy().replace('\\', "/")
            })
        };
        let record = |(number, step): (usize, &&ChangeStep)| match step {
            ChangeStep::Replace { path, text } => {
                let held = held_of(held, path)?;
                Ok(StepRecord::Replace {
                    path: path.clone(),
                    slot: slot(number, path, &held.real, false),
                    old: sha256(held.text.as_bytes()),
                    new: sha256(text.as_bytes()),
                })
            }
            ChangeStep::Create { path, text } => {
                let target = self.root.path().join(path);
                Ok(StepRecord::Create {
                    path: path.clone(),
                    slot: slot(number, path, &target, true),
                    new: sha256(text.as_bytes()),
                })
            }
            ChangeStep::Move { from, to } => Ok(StepRecord::Move {
                from: from.clone(),
                to: to.clone(),
            }),
        };
        steps.iter().enumerate().map(record).collect()
    }

    /// The folders above new places that are not there yet, the outer ones first.
    fn missing_folders(&self, steps: &[&ChangeStep]) -> Result<Vec<String>, StoreError> {
        let (mut missing, mut looked_at) = (BTreeSet::new(), BTreeSet::new());
        for step in steps {
            let (ChangeStep::Create { path, .. } | ChangeStep::Move { to: path, .. }) = step else {
                continue;
            };
            for (end, _) in path.match_indices('/') {
                if !looked_at.insert(&path[..end]) {
                    continue;
                }
                match self.root.locate(&path[..end]) {
                    Ok(_) => {}
                    Err(StoreError::Missing { .. }) => {
                        missing.insert(path[..end].to_owned());
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(missing.into_iter().collect())
    }

    /// The record of a change as text.
    fn intent(&self, records: &[StepRecord], made: &[String]) -> String {
        let intent = ChangeIntent {
            schema: SCHEMA,
            root: self.root_from_state(),
            folders: made.to_vec(),
            steps: records.to_vec(),
        };
        serde_json::to_string_pretty(&intent).unwrap_or_default()
    }

    fn put_all(&self, held: &[LockedFile], change: &StagedChange) -> Result<bool, StoreError> {
        for one in &change.placed {
            let expected = match &one.record {
                StepRecord::Replace { path, .. } => Some(held_of(held, path)?.stamp),
                StepRecord::Create { .. } | StepRecord::Move { .. } => None,
            };
            if !self.put(one, expected.as_ref())? {
                return Ok(false);
            }
            self.reached("journal-step")?;
        }
        Ok(true)
    }

    /// Makes sure that all lasts, and says so: the commit point. False when an editor that had a file open before
    /// wrote into it since.
    fn make_final(&self, held: &[LockedFile], change: &StagedChange) -> Result<bool, StoreError> {
        self.flush(&change.placed)?;
        for one in &change.placed {
            if let StepRecord::Replace { path, old, .. } = &one.record {
                let expected = ExpectedFile {
                    stamp: &held_of(held, path)?.stamp,
                    content: ExpectedContent::Digest(old),
                };
                if !disk::is_still_replaced(&one.slot, &expected) {
                    return Ok(false);
                }
            }
        }
        let marked = self.mark(change, ChangePhase::UnderWay, ChangePhase::Settled);
        marked.map(|()| true)
    }

    fn mark(
        &self,
        change: &StagedChange,
        from: ChangePhase,
        to: ChangePhase,
    ) -> Result<(), StoreError> {
        let record = change.folder.join(from.file());
        self.asked("journal-mark", &record)?;
        intent::mark(&change.folder, from, to)
    }

    /// Takes a change back that does not happen. Once this has succeeded, nothing carries it out.
    fn refuse(&self, change: &StagedChange) -> Result<(), StoreError> {
        let marked = self.mark(change, ChangePhase::UnderWay, ChangePhase::Refused);
        let phase = if marked.is_ok() {
            ChangePhase::Refused
        } else {
            ChangePhase::UnderWay
        };
        self.go_back(&change.placed)?;
        // If this is not certain to last, the record stays and has the next one do it once more.
        let settled = self
            .flush(&change.placed)
            .and_then(|()| self.mark(change, phase, ChangePhase::Settled));
        if settled.is_ok() {
            self.clear(change)
                .log_failure("clear a change that is settled");
        }
        self.remove_folders(&change.made);
        Ok(())
    }

    /// Takes all steps back that are done, the last one first.
    ///
    /// # Errors
    /// `Undecided`, naming the files that are not as they were; they are remembered.
    pub(super) fn go_back(&self, placed: &[PlacedStep]) -> Result<(), StoreError> {
        let looks: Result<Vec<_>, _> = placed.iter().map(|one| self.look(one)).collect();
        let mut failed = Vec::new();
        match looks {
            Err(error) => failed.extend(placed.iter().map(|one| (one, error.to_string()))),
            Ok(looks) => {
                for (one, look) in placed.iter().zip(looks).rev() {
                    if let Err(why) = self.take_back(one, &look) {
                        failed.push((one, why));
                    }
                }
            }
        }
        let Some((_, why)) = failed.first() else {
            return Ok(());
        };
        let why = why.clone();
        let paths: Vec<&str> = failed
            .iter()
            .rev()
            .map(|(one, _)| one.record.path())
            .collect();
        let error = StoreError::Undecided {
            paths: paths.join("`, `"),
            why: why.clone(),
        };
        for (one, _) in failed {
            undecided::remember(one.target.path(), &why);
        }
        Err(error)
    }

    /// Makes renames of all steps durable.
    ///
    /// # Errors
    /// `NotWritten`, naming a document of the folder that could not be flushed.
    pub(super) fn flush(&self, placed: &[PlacedStep]) -> Result<(), StoreError> {
        let mut folders: BTreeMap<PathBuf, (OpenFolder, &str)> = BTreeMap::new();
        for one in placed {
            let from = one.source.as_ref().unwrap_or(&one.slot);
            for place in [from, &one.target] {
                let folder = place.folder();
                let of_path = folders.entry(folder.path().to_owned());
                of_path.or_insert_with(|| (folder.clone(), one.record.path()));
            }
        }
        for (folder, path) in folders.into_values() {
            let failed = |error| match error {
                StoreError::Io { source, .. } => StoreError::io(WRITE, Path::new(path), source),
                error => error,
            };
            self.asked("journal-flush", Path::new(path))?;
            // A folder that went with its file has nothing to flush.
            match disk::flush_folder(&folder) {
                Err(StoreError::Missing { .. }) => {}
                flushed => flushed.map_err(failed)?,
            }
        }
        Ok(())
    }

    /// Removes what is left of a settled change.
    fn clear(&self, change: &StagedChange) -> Result<(), StoreError> {
        self.asked("journal-clear", &change.folder)?;
        intent::clear(&change.folder, &change.placed)
    }

    /// Takes what was staged away: no file has changed.
    fn drop_staged(&self, change: &StagedChange) -> Result<(), StoreError> {
        let cleared = self.clear(change);
        self.remove_folders(&change.made);
        cleared
    }

    /// [`ChangeJournal::drop_staged`] because of an error; a crash that a test wants leaves everything.
    fn drop_after(&self, change: &StagedChange, error: StoreError) -> StoreError {
        if !matches!(error, StoreError::Stopped { .. }) {
            // The first error is reported.
            self.drop_staged(change).log_failure("remove staged texts");
        }
        error
    }

    /// Removes folders that were made for files that do not come; one that is in use stays.
    pub(super) fn remove_folders(&self, made: &[String]) {
        for folder in made.iter().rev() {
            if let Ok(folder) = self.root.open_place(folder) {
                folder.remove_folder();
            }
        }
    }
}

/// Asks all that could refuse the change while no file has changed; false when one did under us.
fn may_begin(held: &[LockedFile], change: &StagedChange) -> Result<bool, StoreError> {
    for one in &change.placed {
        match &one.record {
            StepRecord::Replace { path, .. } => {
                let held = held_of(held, path)?;
                let now = disk::stamp(&held.real);
                if !now.is_some_and(|now| now.is_same_content(&held.stamp)) {
                    return Ok(false);
                }
            }
            StepRecord::Create { path, .. } | StepRecord::Move { to: path, .. } => {
                if one.target.exists() {
                    return Err(StoreError::Exists { path: path.clone() });
                }
            }
        }
    }
    Ok(true)
}

/// The lock of a new file: it goes with the file to its place.
#[cfg(unix)]
fn lock_of_new(slot: &Path) -> Result<Option<Lock>, StoreError> {
    Lock::try_take(slot)
}

/// Elsewhere the lock of a document goes by its path, and is held already.
#[cfg(not(unix))]
fn lock_of_new(_slot: &Path) -> Result<Option<Lock>, StoreError> {
    Ok(None)
}

/// The folders in which files lie, each once.
fn folders_of<'a>(places: impl Iterator<Item = &'a FilePlace>) -> Vec<OpenFolder> {
    let folders = places.map(FilePlace::folder);
    let by_path: BTreeMap<_, _> = folders.map(|folder| (folder.path(), folder)).collect();
    by_path.into_values().cloned().collect()
}
