//! Files as they lie on disk: read, watched, and replaced without ever losing a byte.
//!
//! The store knows folders and texts, no dialect. Everything it touches lies inside one
//! [`files::RootFolder`], its own state folder excepted.

pub mod changes;
pub mod digest;
pub mod disk;
pub mod extra_copies;
pub mod files;
pub mod index;
pub mod journal;
pub mod record_index;
pub mod secret;
pub mod staged;
pub mod stamped;
pub mod state;
pub mod undecided;
pub mod walk;

use chant_base::error::{CoreError, ErrorKind};
use std::borrow::Cow;
use std::io;
use std::path::Path;

/// The action whose failure means that a file could not be written.
const WRITE: &str = "write";

/// Why a file could not be read, written or moved. Paths are as the caller gave them.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such file.
    #[error("`{path}` does not exist")]
    Missing {
        /// The file.
        path: String,
    },
    /// The file is there but cannot be used as a document.
    #[error("`{path}` cannot be read: {why}")]
    Unreadable {
        /// The file.
        path: String,
        /// The fault in it.
        why: String,
    },
    /// The system does not let us read the file.
    #[error("`{path}` cannot be read: {why}")]
    Denied {
        /// The file.
        path: String,
        /// The system's words.
        why: String,
    },
    /// A link or a name leads out of the project.
    #[error(
        "`{path}` leads out of the project `{root}` or into git's own files; name another file inside the project"
    )]
    Outside {
        /// The file or link.
        path: String,
        /// The project's root.
        root: String,
    },
    /// Another writer keeps the file locked or keeps changing it.
    #[error("`{path}` {why} for {seconds} s; nothing was changed, try again")]
    Busy {
        /// The file.
        path: String,
        /// `stayed locked by process 4711 (vim)`, `kept changing`.
        why: Cow<'static, str>,
        /// The length of the wait.
        seconds: u64,
    },
    /// A text looks as in the middle of a save.
    #[error(
        "`{path}` looks half saved by another program: {why}. Nothing was changed; try again after it is saved, or in two seconds if this is the whole file"
    )]
    HalfSaved {
        /// The file.
        path: String,
        /// `it became empty a moment ago`.
        why: &'static str,
    },
    /// The target of a creation or a move is taken.
    #[error("`{path}` exists already; nothing was changed")]
    Exists {
        /// The file.
        path: String,
    },
    /// The file is marked as not to be written.
    #[error("`{path}` is read-only; nothing was changed. Make it writable and try again")]
    ReadOnly {
        /// The file.
        path: String,
    },
    /// A text is larger than what is read.
    #[error("`{path}` would be larger than {most} MiB, the most that is read; nothing was changed")]
    TooLarge {
        /// The file.
        path: String,
        /// The largest size in MiB.
        most: u64,
    },
    /// Several files were to be changed without a place for the record of that.
    #[error("several files cannot be changed at once without a folder for the journal")]
    NoJournal,
    /// There is no place for our own state, or it cannot be used.
    #[error("{why}")]
    NoState {
        /// Why, and what can be done.
        why: String,
    },
    /// A file could not be written.
    #[error("cannot write `{path}`: {source}; nothing was changed")]
    NotWritten {
        /// The file.
        path: String,
        /// The system's words.
        source: io::Error,
    },
    /// The disk failed, and failed again when what was done was to be taken back.
    #[error(
        "it is undecided whether `{paths}` changed: the disk failed, and failed again when the change was to be \
         taken back ({why}). Free space or repair the disk, then repeat the call, which decides it"
    )]
    Undecided {
        /// The files.
        paths: String,
        /// The system's words when it was to be taken back.
        why: String,
    },
    /// A test stopped a change at a named moment, as a crash would.
    #[error("stopped at {moment}: {source}")]
    Stopped {
        /// The moment.
        moment: &'static str,
        /// The test's words.
        source: io::Error,
    },
    /// The operating system refused something else.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// `open`, `lock`, `list`, …
        action: &'static str,
        /// The file or folder.
        path: String,
        /// The system's words.
        source: io::Error,
    },
}

impl StoreError {
    /// Returns true if the rights to a file or folder are what is missing.
    pub fn is_denied(&self) -> bool {
        match self {
            Self::Denied { .. } | Self::ReadOnly { .. } => true,
            Self::NotWritten { source, .. } | Self::Io { source, .. } => {
                source.kind() == io::ErrorKind::PermissionDenied
            }
            _ => false,
        }
    }

    /// A file of which it is not known whether it changed.
    pub(crate) fn undecided(path: &Path, why: &io::Error) -> Self {
        Self::Undecided {
            paths: path.display().to_string(),
            why: why.to_string(),
        }
    }

    /// Returns the meaning of a failed call of the system.
    pub fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.display().to_string();
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path },
            io::ErrorKind::AlreadyExists => Self::Exists { path },
            _ if action == WRITE => Self::NotWritten { path, source },
            _ => Self::Io {
                action,
                path,
                source,
            },
        }
    }
}

impl CoreError for StoreError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Missing { .. } => ErrorKind::NotFound,
            Self::Unreadable { .. } | Self::Denied { .. } => ErrorKind::InvalidDocument,
            Self::Outside { .. } | Self::TooLarge { .. } => ErrorKind::Refused,
            Self::Busy { .. } | Self::HalfSaved { .. } | Self::Exists { .. } => ErrorKind::Conflict,
            Self::ReadOnly { .. }
            | Self::NotWritten { .. }
            | Self::NoJournal
            | Self::NoState { .. }
            | Self::Undecided { .. }
            | Self::Stopped { .. }
            | Self::Io { .. } => ErrorKind::Storage,
        }
    }
}
