//! What a file system keeps of what our promises rest on, found out by trying it where something is first written.

use chant_base::diagnostics::LogFailure;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

#[cfg(unix)]
use super::lock::is_refusal;
use super::lock::{LockAttempt, attempt};
use super::ownership::{owned, private};
use super::place::{FilePlace, OpenFolder};
use super::temporary_names::temporary_name;
use super::weak_guarantees::WeakGuarantee;

/// Something that file systems of a machine's own disks have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileSystemFeature {
    /// A file can be its owner's alone.
    Rights,
    /// A file has the same number at each mount.
    LastingNumbers,
    /// Two files change places at once.
    Exchange,
    /// A name is given without replacing, or a second time.
    FreeNames,
    /// Locks of the kernel.
    Locks,
    /// Folders can be flushed.
    FolderFlushes,
    /// Upper and lower case are two names.
    Case,
}

impl FileSystemFeature {
    /// Returns what follows where it is missing, behind the words for it.
    fn words(self) -> &'static str {
        match self {
            Self::Rights => "rights of files",
            Self::LastingNumbers => {
                "lasting numbers of files (our own state is known by its path, so move no project with runs)"
            }
            Self::Exchange => {
                "exchange of two files (a save of an editor without locks at the very moment of a change is lost)"
            }
            Self::FreeNames => {
                "renaming without replacing (a crash while a document is made may leave an empty file)"
            }
            Self::Locks => "locks (files of ours stand for them, of this user on this machine)",
            Self::FolderFlushes => {
                "flushes of folders (a loss of power may undo the last change as a whole)"
            }
            Self::Case => "names that differ in case alone",
        }
    }
}

/// What a file system was found to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSystemProbe {
    /// The system's word for its kind, such as `ext4`.
    pub kind: String,
    /// What it does not have.
    pub lacks: Vec<FileSystemFeature>,
}

impl FileSystemProbe {
    /// Tries the file system of a folder by files that are gone afterwards.
    ///
    /// # Errors
    /// As the system says where no file can be made there.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let open = OpenFolder::of_ours(folder);
        let one = ProbeFile::create(open.place(temporary_name()))?;
        let other = ProbeFile::create(open.place(temporary_name()))?;
        let tried = [
            (FileSystemFeature::Rights, one.is_private()),
            (
                FileSystemFeature::LastingNumbers,
                file_numbers(folder) != FileNumbers::OfMount,
            ),
            (
                FileSystemFeature::Exchange,
                matches!(one.0.exchange(&other.0), Some(Ok(()))),
            ),
            (FileSystemFeature::FreeNames, gives_free_names(&one.0)),
            (FileSystemFeature::Locks, other.can_be_locked()),
            (FileSystemFeature::FolderFlushes, can_flush(&open)),
            (FileSystemFeature::Case, !other.is_found_in_capitals()),
        ];
        let lacks = tried.into_iter().filter(|(_, has_it)| !has_it);
        Ok(Self {
            kind: kind_of(folder).unwrap_or_else(|| "unknown".into()),
            lacks: lacks.map(|(feature, _)| feature).collect(),
        })
    }

    /// Returns true if something is missing.
    pub fn lacks(&self, feature: FileSystemFeature) -> bool {
        self.lacks.contains(&feature)
    }

    /// Returns true if what was found says the same as a promise that turned out to be weak.
    pub fn says(&self, promise: WeakGuarantee) -> bool {
        self.lacks(match promise {
            WeakGuarantee::Locks => FileSystemFeature::Locks,
            WeakGuarantee::Flushes => FileSystemFeature::FolderFlushes,
            WeakGuarantee::Names => FileSystemFeature::FreeNames,
        })
    }

    /// Returns all of it in a line; `state` is where our own state lies.
    pub fn line(&self, state: &Path) -> String {
        if self.lacks.is_empty() {
            return format!("{}: has all that our promises rest on", self.kind);
        }
        let words: Vec<String> = self
            .lacks
            .iter()
            .map(|feature| match feature {
                FileSystemFeature::Rights => {
                    format!(
                        "{} (our own state lies in {})",
                        feature.words(),
                        state.display()
                    )
                }
                feature => feature.words().to_owned(),
            })
            .collect();
        format!("{}: has no {}", self.kind, words.join(", no "))
    }
}

/// A file that is made to try something; it goes with this.
struct ProbeFile(FilePlace);

impl ProbeFile {
    fn create(place: FilePlace) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        private(&mut options);
        options.open(place.path())?;
        Ok(Self(place))
    }

    fn is_private(&self) -> bool {
        owned(self.0.path()).is_some_and(|facts| facts.is_own && facts.is_private)
    }

    /// Returns true if it can be locked once, and not twice.
    fn can_be_locked(&self) -> bool {
        let Ok(LockAttempt::Held(_held)) = attempt(self.0.path()) else {
            return false;
        };
        matches!(attempt(self.0.path()), Ok(LockAttempt::Other(_)))
    }

    fn is_found_in_capitals(&self) -> bool {
        let name = self.0.path().file_name().unwrap_or_default();
        let capitals = name.to_string_lossy().to_uppercase();
        self.0.beside(capitals).exists()
    }
}

impl Drop for ProbeFile {
    fn drop(&mut self) {
        self.0
            .unlink()
            .log_failure("remove a file that tried a file system");
    }
}

/// Returns true if a name that is free can be given without replacing what comes there meanwhile.
fn gives_free_names(place: &FilePlace) -> bool {
    let free = place.beside(temporary_name());
    if let Some(renamed) = place.rename_to_free(&free) {
        return renamed.is_ok() && free.rename(place).is_ok();
    }
    place.link(&free).is_ok() && free.unlink().is_ok()
}

#[cfg(unix)]
fn can_flush(folder: &OpenFolder) -> bool {
    let flushed = folder.open().and_then(|folder| folder.sync_all());
    !matches!(flushed, Err(error) if is_refusal(&error))
}

#[cfg(not(unix))]
fn can_flush(_folder: &OpenFolder) -> bool {
    true
}

/// Whose the numbers of files are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileNumbers {
    /// They stand on the disk: a folder that is moved keeps its own.
    OfDisk,
    /// They are given anew by each mount, or may be.
    OfMount,
    /// It depends on what lies below: they may last.
    Unknown,
}

/// Returns whose the numbers of files in a folder are, by the kind of its file system.
#[cfg(target_os = "linux")]
pub fn file_numbers(folder: &Path) -> FileNumbers {
    /// FUSE, FAT, exFAT, SMB, CIFS, 9P, and the shared folders of virtual machines.
    const OF_MOUNT: [u32; 8] = [
        0x6573_5546, 0x4D44, 0x2011_BAB0, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997,
        0x786F_4256,
    ];
    const OVERLAY: u32 = 0x794C_7630;
    let kind = rustix::fs::statfs(folder).map(|found| found.f_type);
    match kind.ok().and_then(|kind| u32::try_from(kind).ok()) {
        Some(kind) if OF_MOUNT.contains(&kind) => FileNumbers::OfMount,
        Some(OVERLAY) => FileNumbers::Unknown,
        _ => FileNumbers::OfDisk,
    }
}

#[cfg(not(target_os = "linux"))]
pub fn file_numbers(_folder: &Path) -> FileNumbers {
    FileNumbers::OfDisk
}

/// The system's word for the kind of a folder's file system; `None` where it has none.
fn kind_of(folder: &Path) -> Option<String> {
    let mounts = super::read_made_up("/proc/self/mountinfo")?;
    let folder = fs::canonicalize(folder).ok()?;
    let of_mount = |line: &str| {
        let (mount, source) = line.split_once(" - ")?;
        let point = mount.split(' ').nth(4)?.replace("\\040", " ");
        let kind = source.split(' ').next()?;
        folder
            .starts_with(&point)
            .then(|| (point.len(), kind.to_owned()))
    };
    // Of two mounts at one place the later one is seen.
    let found = mounts.lines().filter_map(of_mount);
    found
        .max_by_key(|(length, _)| *length)
        .map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let probe = FileSystemProbe::of(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(!probe.lacks(FileSystemFeature::Rights), "{probe:?}");
    }

    #[test]
    fn what_is_missing_is_said_in_one_line() {
        let probe = FileSystemProbe {
            kind: "fuse".into(),
            lacks: vec![FileSystemFeature::Rights, FileSystemFeature::Case],
        };
        let line = probe.line(Path::new("/home/ada/state"));
        assert_eq!(
            line,
            "fuse: has no rights of files (our own state lies in /home/ada/state), no names that differ in case alone"
        );
    }
}
