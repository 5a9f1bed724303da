//! Documents inside a root: edited, created and moved without losing anything.
//!
//! A replacement is a temporary file beside the target, flushed, renamed over it, and the folder
//! flushed: a crash at any moment leaves the old file or the new one. Writers take turns by an OS
//! lock on the very file they replace, which the kernel frees when its holder dies.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::StoreError;
use super::disk::{
    self, Disk, ExpectedFile, FilePlace, FileStamp, LOCK_TIMEOUT, Lock, OpenFolder, TemporaryFile,
};

/// A canonical folder that nothing is read or written outside of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RootFolder(Arc<Path>);

impl RootFolder {
    /// Makes a folder a root; links on the way to it are resolved once, here.
    ///
    /// # Errors
    /// `StoreError` when the folder does not exist or cannot be entered.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = disk::real(folder)?;
        if path.is_dir() {
            Ok(Self(path.into()))
        } else {
            Err(StoreError::Unreadable {
                path: path.display().to_string(),
                why: "it is not a folder".into(),
            })
        }
    }

    /// The folder, absolute and free of links.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The real place of something that exists inside the root, links followed.
    ///
    /// # Errors
    /// `Missing`, or `Outside` when a link leads out of the root.
    pub fn locate(&self, relative: &str) -> Result<PathBuf, StoreError> {
        let given = self.join(relative)?;
        self.confine(relative, disk::real(&given)?)
    }

    /// The real place of a file that may not exist yet: its folder does, and lies inside the root.
    ///
    /// # Errors
    /// `Missing` folder, or `Outside`.
    pub fn place(&self, relative: &str) -> Result<PathBuf, StoreError> {
        let given = self.join(relative)?;
        let (Some(folder), Some(name)) = (given.parent(), given.file_name()) else {
            return Err(self.outside(relative));
        };
        Ok(self.confine(relative, disk::real(folder)?)?.join(name))
    }

    /// [`RootFolder::place`] in its folder, which is kept open: what is done there is done in that folder, and that lay
    /// inside the root, whatever takes its place meanwhile.
    ///
    /// # Errors
    /// As there.
    pub fn open_place(&self, relative: &str) -> Result<FilePlace, StoreError> {
        OpenFolders::default().place(self, relative)
    }

    /// The same for a path that was resolved; `None` when a link lies on the way by now.
    ///
    /// # Errors
    /// `Missing` or `NotWritten`.
    pub fn open_real(&self, real: &Path) -> Result<Option<FilePlace>, StoreError> {
        OpenFolders::default().real(self, real)
    }

    fn join(&self, relative: &str) -> Result<PathBuf, StoreError> {
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        let path = Path::new(relative);
        if path.components().all(is_plain) && !is_gits(path) {
            Ok(self.0.join(relative))
        } else {
            Err(self.outside(relative))
        }
    }

    /// Refuses what lies outside, links followed, and what is git's own: a name in a document must neither read
    /// what git keeps there nor write what git would act on.
    fn confine(&self, relative: &str, real: PathBuf) -> Result<PathBuf, StoreError> {
        match real.strip_prefix(&self.0) {
            Ok(inside) if !is_gits(inside) => Ok(real),
            _ => Err(self.outside(relative)),
        }
    }

    fn outside(&self, relative: &str) -> StoreError {
        StoreError::Outside {
            path: relative.into(),
            root: self.0.display().to_string(),
        }
    }
}

/// The number of times a path is resolved again that leads elsewhere each time.
const MAX_ATTEMPTS: usize = 10;

/// Folders of a root that are kept open for a change. Each is resolved and opened once: what is done in it behind that
/// is done in the folder that was opened, whatever takes its path.
#[derive(Default)]
pub(super) struct OpenFolders {
    by_real_path: BTreeMap<PathBuf, OpenFolder>,
    /// The same folders by the paths that documents give, as far as they are kept open.
    by_given_path: BTreeMap<PathBuf, OpenFolder>,
}

impl OpenFolders {
    /// [`RootFolder::open_place`].
    ///
    /// # Errors
    /// As there.
    pub(super) fn place(
        &mut self,
        root: &RootFolder,
        relative: &str,
    ) -> Result<FilePlace, StoreError> {
        let given = root.join(relative)?;
        let (Some(above), Some(name)) = (given.parent(), given.file_name()) else {
            return Err(root.outside(relative));
        };
        if let Some(open) = self.by_given_path.get(above) {
            return Ok(open.place(name));
        }
        for _ in 0..MAX_ATTEMPTS {
            if let Some(place) = self.real(root, &root.place(relative)?)? {
                if place.folder().is_kept_open() {
                    let open = place.folder().clone();
                    self.by_given_path.insert(above.to_owned(), open);
                }
                return Ok(place);
            }
        }
        Err(disk::busy(Path::new(relative), "kept changing places"))
    }

    /// [`RootFolder::open_real`].
    ///
    /// # Errors
    /// As there.
    pub(super) fn real(
        &mut self,
        root: &RootFolder,
        real: &Path,
    ) -> Result<Option<FilePlace>, StoreError> {
        let (Some(folder), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(root.outside(&real.to_string_lossy()));
        };
        if let Some(open) = self.by_real_path.get(folder) {
            return Ok(Some(open.place(name)));
        }
        let opened = OpenFolder::below(root.path(), folder);
        let opened = opened.map_err(|e| StoreError::io(super::WRITE, real, e))?;
        Ok(opened.map(|open| {
            let place = open.place(name);
            self.by_real_path.insert(folder.to_owned(), open);
            place
        }))
    }
}

/// Folders of a root that were resolved for many documents, each once.
///
/// A folder that becomes a link behind that gives paths that are not real any more. So what is found through this is
/// opened without following links, and resolved anew where that fails.
#[derive(Default)]
pub(super) struct ResolvedFolders(BTreeMap<PathBuf, PathBuf>);

impl ResolvedFolders {
    /// [`RootFolder::locate`].
    ///
    /// # Errors
    /// As there.
    pub(super) fn locate(
        &mut self,
        root: &RootFolder,
        relative: &str,
    ) -> Result<PathBuf, StoreError> {
        let given = root.join(relative)?;
        let (Some(above), Some(name)) = (given.parent(), given.file_name()) else {
            return root.locate(relative);
        };
        // Elsewhere the real path says how the disk writes the name, too.
        if !cfg!(target_os = "linux") {
            return root.locate(relative);
        }
        if !self.0.contains_key(above) {
            let real = root.confine(relative, disk::real(above)?)?;
            self.0.insert(above.to_owned(), real);
        }
        let real = self
            .0
            .get(above)
            .map_or(given.clone(), |real| real.join(name));
        if disk::exists(&real) && !disk::is_link(&real) {
            Ok(real)
        } else {
            root.locate(relative)
        }
    }
}

/// Returns true if a relative path leads into a folder of git's, however a file system writes its name.
pub fn is_gits(path: &Path) -> bool {
    path.components()
        .any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

/// A path without `.` and `..`.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// Reads a document of a root as text, from below the root only, whatever changes places meanwhile.
///
/// # Errors
/// `Missing`, `Outside`, or `Unreadable` with what is wrong.
pub fn read(
    disk: &Disk,
    root: &RootFolder,
    relative: &str,
) -> Result<(String, FileStamp), StoreError> {
    let real = root.locate(relative)?;
    disk.clone().within(root.path()).read_text(&real, relative)
}

/// The time for which a text that looks half saved is read again before an edit of it is refused.
const MOMENT: Duration = Duration::from_secs(1);

/// A document that is about to be changed.
pub(super) struct LockedDocument<'a> {
    /// Its real place, where no link lies.
    pub(super) real: PathBuf,
    /// Its text as it was read under the lock.
    pub(super) text: Cow<'a, str>,
    /// The stamp that it had then.
    pub(super) stamp: FileStamp,
    /// Held as long as it is changed.
    pub(super) lock: Lock,
}

/// Locks a document and reads the text that a change of it begins with: from below the root only, and never one that
/// looks half saved, which is read again for a moment.
///
/// # Errors
/// As [`read`]; `Busy` after the deadline, or `HalfSaved`.
pub(super) fn lock_document<'a>(
    disk: &Disk,
    root: &RootFolder,
    relative: &str,
    known: Option<&'a str>,
    deadline: Instant,
) -> Result<LockedDocument<'a>, StoreError> {
    let real = root.locate(relative)?;
    let disk = disk.clone().without_links_in(root.path());
    lock_located(&disk, root, relative, real, known, deadline)
}

/// [`lock_document`] for a document whose real place was found; the disk follows no links in the root.
///
/// # Errors
/// As there.
pub(super) fn lock_located<'a>(
    disk: &Disk,
    root: &RootFolder,
    relative: &str,
    mut real: PathBuf,
    known: Option<&'a str>,
    deadline: Instant,
) -> Result<LockedDocument<'a>, StoreError> {
    loop {
        let lock = Lock::acquire(&real, deadline)?;
        match read_whole(disk, &real, relative, known) {
            Ok((text, stamp)) => {
                return Ok(LockedDocument {
                    real,
                    text,
                    stamp,
                    lock,
                });
            }
            // A link appeared on the way, or another one: what it leads to now is another document.
            Err(error) => {
                let now = root.locate(relative)?;
                if now == real || Instant::now() >= deadline {
                    return Err(error);
                }
                real = now;
            }
        }
    }
}

/// Reads a text that does not look half saved.
fn read_whole<'a>(
    disk: &Disk,
    real: &Path,
    relative: &str,
    known: Option<&'a str>,
) -> Result<(Cow<'a, str>, FileStamp), StoreError> {
    let deadline = Instant::now() + MOMENT;
    let mut pause = Duration::from_millis(1);
    loop {
        let (text, stamp) = disk.read_text_like(real, relative, known)?;
        let Some(why) = disk.half_saved(real, &text, &stamp) else {
            return Ok((text, stamp));
        };
        if Instant::now() > deadline {
            let path = relative.to_owned();
            return Err(StoreError::HalfSaved { path, why });
        }
        std::thread::park_timeout(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// The outcome of an edit.
#[derive(Debug)]
pub struct EditOutcome {
    /// The document's text now.
    pub text: String,
    /// True if that is another text than before.
    pub changed: bool,
}

/// Reads a document, changes it and replaces it, all under its lock; no update is lost.
///
/// `change` may be called again on a fresher text when a writer without the lock replaced the file meanwhile.
/// When it returns the text it was given, nothing is written. The target of a link is replaced, the link stays.
///
/// # Errors
/// The errors that `change` returns, or a `StoreError`; the file is then as it was.
pub fn edit<E: From<StoreError>>(
    disk: &Disk,
    root: &RootFolder,
    relative: &str,
    change: impl FnMut(&str) -> Result<String, E>,
) -> Result<EditOutcome, E> {
    edit_known(disk, root, relative, None, change)
}

/// [`edit`] for a document of which some text is known: `change` gets that very one where the file still
/// holds it, and nothing is copied.
///
/// # Errors
/// As [`edit`].
pub fn edit_known<E: From<StoreError>>(
    disk: &Disk,
    root: &RootFolder,
    relative: &str,
    known: Option<&str>,
    mut change: impl FnMut(&str) -> Result<String, E>,
) -> Result<EditOutcome, E> {
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        let held = lock_document(disk, root, relative, known, deadline)?;
        let text = change(&held.text)?;
        if text == held.text {
            return Ok(EditOutcome {
                text,
                changed: false,
            });
        }
        let read = ExpectedFile::of_text(&held.text, &held.stamp);
        if replace(disk, root, &held.real, &text, &read)? {
            return Ok(EditOutcome {
                text,
                changed: true,
            });
        }
        if Instant::now() > deadline {
            return Err(disk::busy(&held.real, "kept changing").into());
        }
    }
}

/// Puts a text in the place of a file that is still as it was read; false when it is not.
pub(super) fn replace(
    disk: &Disk,
    root: &RootFolder,
    real: &Path,
    text: &str,
    read: &ExpectedFile<'_>,
) -> Result<bool, StoreError> {
    let Some(place) = root.open_real(real)? else {
        return Ok(false);
    };
    TemporaryFile::write(disk, &place, text, true)?.replace(&place, read)
}

/// Creates a document that must not exist yet; it appears whole or not at all.
///
/// # Errors
/// `Exists`, or another `StoreError`.
pub fn create(
    disk: &Disk,
    root: &RootFolder,
    relative: &str,
    text: &str,
) -> Result<(), StoreError> {
    let place = root.open_place(relative)?;
    TemporaryFile::write(disk, &place, text, false)?.appear(&place)
}

/// Removes a document for good, durably; a link goes, what it leads to stays. `may_go` is asked under
/// its lock.
///
/// # Errors
/// `Missing`, what `may_go` returns, or another `StoreError`; the file is then still there.
pub fn remove<E: From<StoreError>>(
    root: &RootFolder,
    relative: &str,
    may_go: impl FnOnce() -> Result<(), E>,
) -> Result<(), E> {
    let _lock = Lock::acquire(&root.locate(relative)?, Instant::now() + LOCK_TIMEOUT)?;
    may_go()?;
    let place = root.open_place(relative)?;
    place.remove()?;
    Ok(disk::flush_folder_of(&place)?)
}

/// Moves a document to a place that must be free; folders on the way are made. A link moves as a
/// link and still leads where it led.
///
/// # Errors
/// `Missing`, `Exists`, or another `StoreError`.
pub fn relocate(root: &RootFolder, from: &str, to: &str) -> Result<(), StoreError> {
    let source = root.place(from)?;
    let _lock = Lock::acquire(&source, Instant::now() + LOCK_TIMEOUT)?;
    relocate_held(root, from, to)
}

/// [`relocate`] for a caller that holds the document's lock.
pub(super) fn relocate_held(root: &RootFolder, from: &str, to: &str) -> Result<(), StoreError> {
    let source = root.open_place(from)?;
    let target = place_in_new_folder(root, to)?;
    move_document(&source, &target)?;
    let flushed = disk::flush_folder_of(&target).and_then(|()| disk::flush_folder_of(&source));
    // What is not certain to last has not happened.
    flushed.map_err(|error| match move_document(&target, &source) {
        Ok(()) => error,
        Err(StoreError::NotWritten { source, .. }) => StoreError::undecided(target.path(), &source),
        Err(other) => other,
    })
}

/// Gives a document another place, not durably; a relative link still leads where it led.
pub(super) fn move_document(source: &FilePlace, target: &FilePlace) -> Result<(), StoreError> {
    match source.read_link().filter(|says| says.is_relative()) {
        None => disk::rename_new(source, target),
        Some(says) => shift_link(source, &says, target),
    }
}

/// Moves a link that says its way from where it lies. A crash in between leaves both links; the next
/// attempt accepts the new one.
fn shift_link(source: &FilePlace, says: &Path, target: &FilePlace) -> Result<(), StoreError> {
    let leads_to = source.folder().path().join(says);
    let [Some(folder), Some(name)] = [leads_to.parent().map(Path::as_os_str), leads_to.file_name()]
    else {
        return disk::rename_new(source, target);
    };
    let leads_to = disk::real(Path::new(folder))?.join(name);
    let says = pathdiff::diff_paths(&leads_to, target.folder().path()).unwrap_or(leads_to);
    match target.make_link(&says) {
        Err(StoreError::Exists { .. }) if target.read_link().as_ref() == Some(&says) => {}
        made => made?,
    }
    disk::flush_folder_of(target)?;
    source.remove()
}

/// The place of a file whose folder may have to be made.
pub(super) fn place_in_new_folder(
    root: &RootFolder,
    relative: &str,
) -> Result<FilePlace, StoreError> {
    if let Some((folder, _)) = relative.rsplit_once('/') {
        make_folder(root, folder)?;
    }
    root.open_place(relative)
}

/// Makes a folder inside the root, and those above it; one that exists is fine.
///
/// # Errors
/// `Outside`, or another `StoreError`.
pub fn make_folder(root: &RootFolder, relative: &str) -> Result<PathBuf, StoreError> {
    for (end, _) in relative.match_indices('/').chain([(relative.len(), "")]) {
        root.open_place(&relative[..end])?.make_folder()?;
    }
    root.locate(relative)
}

/// Makes a folder of our own inside the root that git is not to see: a new one gets an ignore file of its
/// own, one that exists is the user's to show or hide.
///
/// # Errors
/// As [`make_folder`].
pub fn make_hidden_folder(
    disk: &Disk,
    root: &RootFolder,
    relative: &str,
) -> Result<PathBuf, StoreError> {
    match root.locate(relative) {
        Err(StoreError::Missing { .. }) => {}
        found => return found,
    }
    let folder = make_folder(root, relative)?;
    let ignore = root.open_place(&format!("{relative}/.gitignore"))?;
    match TemporaryFile::write(disk, &ignore, "*\n", false)?.appear(&ignore) {
        // Another process came first.
        Ok(()) | Err(StoreError::Exists { .. }) => Ok(folder),
        Err(error) => Err(error),
    }
}
