//! Which file a name means, and graphs as they lie on disk (reference vine 8, decisions 3).

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::document::VineDocument;
use super::error::VineError;
use chant_base::error::Error;
use chant_base::external_items::{ExternalItemsCache, ExternalItemsFactory, ExternalStatus};
use chant_git::Repo;
use chant_places::state_place;
use chant_store::StoreError;
use chant_store::disk::{self, Disk};
use chant_store::files::{RootFolder, plain};
use chant_store::journal::ChangeJournal;
use chant_store::stamped::{StampedCache, StampedContent};
use chant_store::state::StateFolder;
use chant_store::undecided;
use chant_store::walk;

const ENDING: &str = ".vine";

/// Graphs that are kept in memory; with more, all are forgotten and read again when asked for.
const MAX_KNOWN: usize = 1000;

/// Where files are looked for, how they are read and written, and what is known of them.
pub struct VineStore {
    /// The disk by which files are read and written.
    pub disk: Disk,
    /// Where relative names are looked for first.
    pub folder: PathBuf,
    /// Where they are looked for then, in this order.
    pub roots: Vec<PathBuf>,
    /// True if an absolute path may name a file outside of these.
    pub may_leave: bool,
    known: StampedCache<Arc<VineDocument>>,
    neighbours: ExternalItemsCache,
    /// By folder, where changes of several files are recorded; of these folders everything is finished that
    /// a crash had left when they were first looked at.
    states: Mutex<HashMap<PathBuf, StateFolder>>,
}

/// A file that a name means.
pub struct GraphLocation {
    /// A folder that it lies in and that nothing is written outside of.
    pub(super) root: RootFolder,
    /// Its path in that folder, with `/`.
    pub(super) path: String,
    /// The name as it was given.
    pub(super) given: String,
}

/// A file that was found, and where it lies, links resolved: good as long as no folder on the way changes.
pub struct PinnedGraph {
    file: GraphLocation,
    real: PathBuf,
}

impl VineStore {
    /// Where names are looked for: in a folder, then in others. `may_leave` says whether an absolute
    /// path may name a file outside of these.
    pub fn new(disk: Disk, folder: PathBuf, roots: Vec<PathBuf>, may_leave: bool) -> Self {
        Self {
            disk,
            folder,
            roots,
            may_leave,
            known: StampedCache::new(MAX_KNOWN),
            neighbours: ExternalItemsCache::default(),
            states: Mutex::default(),
        }
    }

    /// The same files, whose tasks may need items of other dialects.
    #[must_use]
    pub fn with_external(self, around: ExternalItemsFactory) -> Self {
        Self {
            neighbours: ExternalItemsCache::of(around),
            ..self
        }
    }

    /// The file that exists under a name: the name itself, then with `.vine` where it has no ending,
    /// each in the working folder and the roots.
    ///
    /// # Errors
    /// `VineError::NoFile`, or `VineError::Elsewhere` for one that lies where it may not.
    pub fn existing(&self, name: &str) -> Result<GraphLocation, Error> {
        let longer = Some(with_ending(name)).filter(|longer| longer != name);
        for name_tried in std::iter::once(name).chain(longer.as_deref()) {
            for place in self.places(name_tried) {
                if disk::is_file(&place) {
                    return self.located(&place, name);
                }
            }
        }
        let resolved = self.folder.join(name);
        let longer = longer.iter().flat_map(|name| self.places(name));
        let mut places = self.places(name).chain(longer);
        let was_there = places.any(|place| self.known.contains(&place));
        Err(VineError::NoFile {
            was_there,
            given: name.to_owned(),
            is_folder: self.places(name).any(|place| place.is_dir()),
            resolved: (resolved != Path::new(name)).then_some(resolved),
        }
        .into())
    }

    /// Returns true if a name means a file that exists.
    pub fn finds(&self, name: &str) -> bool {
        self.existing(name).is_ok()
    }

    /// The file that is to be made under a name: in the working folder when that lies in a root or there
    /// is none, else in the first root.
    ///
    /// # Errors
    /// `VineError::Taken` when the name means a file already, `VineError::Elsewhere` for a place where it
    /// may not be, or a `StoreError`.
    pub fn new_file(&self, name: &str) -> Result<GraphLocation, Error> {
        if let Ok(there) = self.existing(name) {
            let path = there.absolute();
            return Err(VineError::Taken { path }.into());
        }
        let is_inside = self.roots.iter().any(|root| self.folder.starts_with(root));
        let first = self.roots.first().filter(|_| !is_inside);
        let base = first.unwrap_or(&self.folder);
        self.located(&base.join(with_ending(name)), name)
    }

    fn places(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let bases = std::iter::once(&self.folder).chain(&self.roots);
        let is_absolute = Path::new(name).is_absolute();
        bases
            .take(if is_absolute { 1 } else { usize::MAX })
            .map(move |base| base.join(name))
    }

    /// A path seen from the outermost of the folder and the roots that it lies in, so that it is the same
    /// one wherever in a project one began; from its own folder where it may leave them.
    fn located(&self, path: &Path, given: &str) -> Result<GraphLocation, Error> {
        let real = resolved(path);
        let bases = std::iter::once(&self.folder).chain(&self.roots);
        // A folder that is gone says nothing against the others.
        let roots = bases.filter_map(|base| RootFolder::open(base).ok());
        let inside = roots.filter_map(|root| Some((relative(&real, root.path())?, root)));
        if let Some((path, root)) = inside.max_by_key(|(path, _)| path.len()) {
            return self.in_order(root, path, given);
        }
        if self.may_leave
            && Path::new(given).is_absolute()
            && real.extension().is_some_and(|ending| ending == "vine")
        {
            // Folders of a new file may have to be made, too.
            let mut roots = real
                .ancestors()
                .skip(1)
                .filter_map(|folder| RootFolder::open(folder).ok());
            let found = roots.find_map(|root| Some((relative(&real, root.path())?, root)));
            if let Some((path, root)) = found {
                return self.in_order(root, path, given);
            }
        }
        RootFolder::open(&self.folder)?;
        Err(VineError::Elsewhere {
            given: given.to_owned(),
            folder: self.folder.clone(),
        }
        .into())
    }

    /// A file of a folder in which everything is finished that a crash left.
    fn in_order(
        &self,
        root: RootFolder,
        path: String,
        given: &str,
    ) -> Result<GraphLocation, Error> {
        let is_new = !locked(&self.states).contains_key(root.path());
        if is_new || undecided::are_any() {
            self.recover(&root)?;
        }
        let beside = root.path().join(&path);
        if let Some(folder) = beside.parent() {
            disk::sweep_folder(folder);
        }
        Ok(GraphLocation {
            root,
            path,
            given: given.to_owned(),
        })
    }

    /// Finishes changes of several files of a folder that a crash left.
    ///
    /// # Errors
    /// `StoreError` when the journal cannot be listed.
    pub(super) fn recover(&self, root: &RootFolder) -> Result<(), StoreError> {
        self.journal(root, &self.known_state(root))
            .recover()
            .map(drop)
    }

    /// Returns the reports on changes of several files that could be brought to no end: those of a file, and
    /// those of which it is not known whose files they change.
    pub(super) fn left(&self, file: &GraphLocation) -> Vec<String> {
        let state = self.known_state(&file.root);
        let left = self.journal(&file.root, &state).left_changes().into_iter();
        let is_meant =
            |path: &str| path == file.path || disk::is_folder(&file.root.path().join(path));
        let left = left.filter(|left| is_meant(&left.path));
        left.map(|left| left.message).collect()
    }

    fn journal<'a>(&'a self, root: &'a RootFolder, state: &'a StateFolder) -> ChangeJournal<'a> {
        ChangeJournal {
            disk: &self.disk,
            root,
            state: Some(state),
            gates: &[],
        }
    }

    fn known_state(&self, root: &RootFolder) -> StateFolder {
        let mut states = locked(&self.states);
        let state = states.entry(root.path().to_owned());
        state.or_insert_with(|| self.state_of(root)).clone()
    }

    /// The disk on which documents of a folder are written.
    pub(super) fn disk_of(&self, root: &RootFolder) -> Disk {
        self.disk.clone().staging_in(&self.known_state(root))
    }

    /// The graph of a file as it is now, read again only when it changed.
    ///
    /// # Errors
    /// `VineError` for a text that is none, or a `StoreError`.
    pub fn read(&self, file: &GraphLocation) -> Result<Arc<VineDocument>, Error> {
        self.read_real(file, file.real()?)
    }

    /// The file that exists under a name, as [`VineStore::existing`] finds it, with where it lies.
    ///
    /// # Errors
    /// As [`VineStore::existing`], or a `StoreError`.
    pub fn pin(&self, name: &str) -> Result<PinnedGraph, Error> {
        let file = self.existing(name)?;
        let real = file.real()?;
        Ok(PinnedGraph { file, real })
    }

    /// [`VineStore::read`] for a file that was not moved since it was found.
    ///
    /// # Errors
    /// As [`VineStore::read`].
    pub fn read_pinned(&self, pinned: &PinnedGraph) -> Result<Arc<VineDocument>, Error> {
        self.read_real(&pinned.file, pinned.real.clone())
    }

    fn read_real(&self, file: &GraphLocation, real: PathBuf) -> Result<Arc<VineDocument>, Error> {
        undecided::refuse(&real)?;
        let disk = self.disk.clone().within(file.root.path());
        if let Some(known) = self.known.current(&disk, &real) {
            if known.content.plan.needs().is_empty() {
                return Ok(known.content);
            }
            return Ok(self.keep_aware(file, real, known));
        }
        let last = self.known.last(&real);
        let text = last.as_ref().map(|document| &*document.text);
        let read = disk.read_text_like(&real, &file.given, text);
        let (text, stamp) = read.map_err(|error| file.to_seed_error(error))?;
        let document = self.document(&real, &text)?;
        let known = StampedContent::new(document, Some(stamp), (disk.clock)(file.root.path()));
        Ok(self.keep_aware(file, real, known))
    }

    /// Keeps what is known of a file together with how far the items are that its tasks need.
    fn keep_aware(
        &self,
        file: &GraphLocation,
        real: PathBuf,
        known: StampedContent<Arc<VineDocument>>,
    ) -> Arc<VineDocument> {
        let known = known.map(|document| self.aware(file, document));
        let document = Arc::clone(&known.content);
        self.known.keep(real, known);
        document
    }

    /// A graph of a file that knows how far the items of other dialects are that its tasks need.
    pub(super) fn aware(
        &self,
        file: &GraphLocation,
        document: Arc<VineDocument>,
    ) -> Arc<VineDocument> {
        let standings = self.standings(file, &document.plan.needs());
        document
            .with_statuses(&standings)
            .map_or(document, Arc::new)
    }

    /// Returns how far items of other dialects are, in the order of their keys.
    pub fn standings(&self, file: &GraphLocation, keys: &[String]) -> Vec<ExternalStatus> {
        self.neighbours.standings(file.root.path(), keys)
    }

    /// The graph that a file's text says, as much of it as possible from what is known of the file.
    pub(super) fn document(&self, real: &Path, text: &str) -> Result<Arc<VineDocument>, VineError> {
        match self.known.last(real) {
            Some(known) if is_same(&known.text, text) => Ok(known),
            Some(known) => known.renewed(text.to_owned()).map(Arc::new),
            None => VineDocument::read(text.to_owned()).map(Arc::new),
        }
    }

    /// Returns the last known document of a file, whatever became of it.
    pub(super) fn last_document(&self, real: &Path) -> Option<Arc<VineDocument>> {
        self.known.last(real)
    }

    /// Keeps what was written to a file; whether that is still what it says shows the next look.
    pub(super) fn written(&self, real: PathBuf, document: Arc<VineDocument>) {
        self.known.keep(real, StampedContent::unsettled(document));
    }
}

/// Returns true if two texts are the same, found out at once where they are one.
fn is_same(one: &str, other: &str) -> bool {
    std::ptr::eq(one, other) || one == other
}

/// The graphs in a folder, by their path in it, so many folders deep; at most so many.
pub fn find_graphs(folder: &Path, depth: usize, most: usize) -> Vec<String> {
    walk::files_with_ending(folder, "vine", depth, most)
}

impl VineStore {
    /// Where changes of several files of a folder are recorded.
    pub(super) fn state_of(&self, root: &RootFolder) -> StateFolder {
        let repo = Repo::open(root.path()).ok().flatten();
        state_place::state_of(root, repo.as_ref(), &self.disk)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl GraphLocation {
    /// An error in the words of the seed where rights are missing or a place is taken.
    pub(super) fn to_seed_error(&self, error: impl Into<Error>) -> Error {
        let error = error.into();
        match error.downcast_ref::<StoreError>() {
            Some(error) if error.is_denied() => {
                let absolute = self.absolute();
                VineError::Denied {
                    given: self.given.clone(),
                    resolved: Some(absolute).filter(|path| path != Path::new(&self.given)),
                }
                .into()
            }
            Some(StoreError::Exists { path }) => {
                let path = path.clone().into();
                VineError::Taken { path }.into()
            }
            _ => error,
        }
    }

    /// The file's absolute path.
    pub fn absolute(&self) -> PathBuf {
        self.root.path().join(&self.path)
    }

    /// The file itself, links resolved.
    ///
    /// # Errors
    /// `StoreError` for a link that leads out of the root, or nowhere.
    pub(super) fn real(&self) -> Result<PathBuf, StoreError> {
        self.root.locate(&self.path)
    }

    /// A place that a reference in the file names, in the same folder to stay in.
    ///
    /// # Errors
    /// `StoreError::Outside`.
    pub(super) fn beside(&self, uri: &str) -> Result<String, StoreError> {
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let real = resolved(&self.root.path().join(folder).join(uri));
        relative(&real, self.root.path()).ok_or_else(|| StoreError::Outside {
            path: uri.to_owned(),
            root: self.root.path().display().to_string(),
        })
    }
}

/// A path with `.vine` behind it where it has no ending.
pub fn with_ending(path: &str) -> String {
    let ending = if has_ending(path) { "" } else { ENDING };
    format!("{path}{ending}")
}

/// Returns true if the last part of a path has a dot other than a leading one.
fn has_ending(path: &str) -> bool {
    let last = path.rsplit(['/', '\\']).next().unwrap_or(path);
    last.char_indices().any(|(at, c)| at > 0 && c == '.')
}

/// A path without `.` and `..`, links resolved in as many of its folders as exist.
fn resolved(path: &Path) -> PathBuf {
    let plain = plain(path);
    let folders = plain.ancestors().skip(1);
    let mut real = folders.filter_map(|folder| Some((folder, disk::real(folder).ok()?)));
    match real.next() {
        Some((folder, real)) => real.join(plain.strip_prefix(folder).unwrap_or(&plain)),
        None => plain,
    }
}

/// A path seen from a folder that it lies in, with `/`.
pub(super) fn relative(path: &Path, root: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?.to_str()?;
    (!inside.is_empty()).then(|| inside.replace('\\', "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_is_a_dot_that_does_not_lead() {
        for (path, expected) in [
            ("plan.v2", true),
            ("foo.", true),
            ("plan", false),
            (".vine", false),
            ("a.b/plan", false),
        ] {
            assert_eq!(has_ending(path), expected, "{path}");
        }
    }
}
