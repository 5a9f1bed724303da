//! The record of a change of several files: what is done, where its texts lie, and how far it is.
//!
//! One file says all of that, and its name says how far the change is: renaming it takes no room and is done
//! whole or not at all.

use chant_base::diagnostics::LogFailure;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::StoreError;
use crate::disk::{self, FilePlace, OpenFolder};
use crate::files::{OpenFolders, RootFolder};

/// The layout of records that is written here.
pub(super) const SCHEMA: u32 = 2;
/// Locked as long as a process is at the change.
pub(super) const OWNER: &str = "owner";
/// The name of the record of a change that no process finishes any more.
pub(super) const KEPT: &str = "kept.json";

/// The phase that a change has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangePhase {
    /// All documents are as they shall stay: none is in its place yet, or all are for good, or all went back.
    /// What is left of the change is to be cleared away.
    Settled,
    /// Files are put in place: a crash takes them back.
    UnderWay,
    /// The change was refused: it goes back and never forward.
    Refused,
}

impl ChangePhase {
    pub(super) const ALL: [Self; 3] = [Self::Settled, Self::UnderWay, Self::Refused];

    /// The name of the record of a change that is so far.
    pub(super) fn file(self) -> &'static str {
        match self {
            Self::Settled => "settled.json",
            Self::UnderWay => "intent.json",
            Self::Refused => "refused.json",
        }
    }
}

/// The steps of a change and the files that they affect, as its record holds them.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ChangeIntent {
    pub(super) schema: u32,
    /// The folder that the paths start from, seen from the state folder: several checkouts of one
    /// repository share that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) root: Option<String>,
    /// Folders that are made for new files, the outer ones first.
    #[serde(default)]
    pub(super) folders: Vec<String>,
    pub(super) steps: Vec<StepRecord>,
}

/// One step. A text waits in a slot: a file beside the record, or, where that is another file system, beside
/// its document, whose path stands here then.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(super) enum StepRecord {
    /// The document and its slot change places: afterwards the slot holds the old text.
    Replace {
        path: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        slot: Option<String>,
        /// The hash of the text that the document had.
        old: String,
        /// The hash of the text that it gets.
        new: String,
    },
    /// The slot takes the place of the document, which is free.
    Create {
        path: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        slot: Option<String>,
        new: String,
    },
    Move {
        from: String,
        to: String,
    },
}

impl StepRecord {
    pub(super) fn path(&self) -> &str {
        match self {
            Self::Replace { path, .. } | Self::Create { path, .. } => path,
            Self::Move { from, .. } => from,
        }
    }

    /// Returns true if its text waits in the folder of the change.
    pub(super) fn waits_with_record(&self) -> bool {
        self.slot().is_none()
    }

    fn slot(&self) -> Option<&str> {
        match self {
            Self::Replace { slot, .. } | Self::Create { slot, .. } => slot.as_deref(),
            Self::Move { .. } => None,
        }
    }
}

/// A step with the places of its files.
#[derive(Debug)]
pub(super) struct PlacedStep {
    pub(super) record: StepRecord,
    /// Where its text waits; of a move nothing lies there.
    pub(super) slot: FilePlace,
    /// The real place of the document; of a move where it goes.
    pub(super) target: FilePlace,
    /// Where the document of a move comes from.
    pub(super) source: Option<FilePlace>,
}

impl PlacedStep {
    /// Where the files of a recorded step lie now; `real` is the real path of the document that it replaces, where
    /// that is known.
    ///
    /// # Errors
    /// `Outside`, or `Missing` where a folder is gone.
    pub(super) fn find(
        record: StepRecord,
        number: usize,
        folder: &Path,
        root: &RootFolder,
        real: Option<&Path>,
        open: &mut OpenFolders,
    ) -> Result<Self, StoreError> {
        let mut source = None;
        let target = match &record {
            StepRecord::Replace { path, .. } => match real {
                Some(real) => place_of_document(root, real, open)?,
                None => match root.locate(path) {
                    Ok(real) => place_of_document(root, &real, open)?,
                    Err(_) => open.place(root, path)?,
                },
            },
            StepRecord::Create { path, .. } => place_or_missing(root, path, open)?,
            StepRecord::Move { from, to } => {
                source = Some(place_or_missing(root, from, open)?);
                place_or_missing(root, to, open)?
            }
        };
        let slot = match record.slot() {
            Some(beside) => open.place(root, beside)?,
            None => OpenFolder::of_ours(folder).place(slot_name(number)),
        };
        Ok(Self {
            record,
            slot,
            target,
            source,
        })
    }

    /// Where the document of a move comes from.
    ///
    /// # Errors
    /// `Missing` for a step that is none.
    pub(super) fn moved_from(&self) -> Result<&FilePlace, StoreError> {
        self.source.as_ref().ok_or_else(|| StoreError::Missing {
            path: self.record.path().to_owned(),
        })
    }
}

/// The place of a document whose folder may have gone with it.
fn place_or_missing(
    root: &RootFolder,
    path: &str,
    open: &mut OpenFolders,
) -> Result<FilePlace, StoreError> {
    match open.place(root, path) {
        Err(StoreError::Missing { .. }) => {
            let path = root.path().join(path);
            let name = path.file_name().unwrap_or_default();
            Ok(OpenFolder::missing(path.parent().unwrap_or(&path)).place(name))
        }
        place => place,
    }
}

/// The place of a document whose real path is known.
///
/// # Errors
/// `Busy` when a link lies on the way by now.
pub(super) fn place_of_document(
    root: &RootFolder,
    real: &Path,
    open: &mut OpenFolders,
) -> Result<FilePlace, StoreError> {
    let place = open.real(root, real)?;
    place.ok_or_else(|| disk::busy(real, "kept changing places"))
}

/// Returns the name of a step's slot in the folder of its change.
pub(super) fn slot_name(number: usize) -> String {
    format!("{number}.text")
}

/// Returns the name of a step's slot beside its document: hidden, and not in the form of files that are swept,
/// because an old text may lie there.
pub(super) fn slot_beside(folder: &Path, number: usize) -> String {
    let change = folder.file_name().unwrap_or_default().to_string_lossy();
    format!(".chant-{change}-{number}.tmp")
}

/// Says durably how far a change is from now on.
///
/// # Errors
/// `NotWritten`, and the record says what it said.
pub(super) fn mark(folder: &Path, from: ChangePhase, to: ChangePhase) -> Result<(), StoreError> {
    let (from, to) = (folder.join(from.file()), folder.join(to.file()));
    disk::rename_new(&from, &to)?;
    disk::flush_folder_of(&to).inspect_err(|_| {
        // What is not certain to last has not happened.
        disk::rename_new(&to, &from).log_failure("take the record of a change back");
    })
}

/// Removes what is left of a settled change: what lies beside documents first, the record behind that, so that
/// nothing stays without a record of it.
///
/// # Errors
/// `Io`; the next one to come goes on.
pub(super) fn clear(folder: &Path, placed: &[PlacedStep]) -> Result<(), StoreError> {
    for one in placed.iter().filter(|one| !one.record.waits_with_record()) {
        one.slot.remove()?;
        disk::kept_beside(&one.slot).remove()?;
    }
    for named in disk::names(folder)? {
        if named.name != OWNER {
            disk::remove(&folder.join(named.name))?;
        }
    }
    disk::remove(&folder.join(OWNER))?;
    disk::remove_folder(folder);
    Ok(())
}
