//! The documents below a folder, brought up to date at the cost of what changed.
//!
//! The index remembers each file's stamp, not its content: [`DocumentIndex::refresh`] says which documents are
//! new, other or gone since the last call, and the owner of the parsed documents applies that. An edit made by
//! any process before the call is always seen.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use rayon::prelude::*;

use super::StoreError;
use super::changes::{ChangedFiles, FolderWatch};
use super::disk::{self, Disk, FileStamp, TICK};
use super::extra_copies;
use super::files::RootFolder;
use chant_base::progress::ProgressMeter;

/// So many files are looked at before it pays to use several threads.
const WORTH_SHARING: usize = 32;

/// The content of a file.
#[derive(Debug)]
pub enum FileSource {
    /// Its text.
    Text(String),
    /// Why it has none.
    Unreadable(String),
}

/// One document that is new, other than before, or gone (`None`).
#[derive(Debug)]
pub struct DocumentChange<T> {
    /// Path of the file relative to the root, with `/`.
    pub path: Box<str>,
    /// The parsed document.
    pub document: Option<T>,
}

/// The files of one kind below one folder.
pub struct DocumentIndex<T> {
    disk: Disk,
    root: RootFolder,
    folder: String,
    ending: &'static str,
    is_flat: bool,
    parse: fn(&str, FileSource) -> T,
    entries: HashMap<Box<str>, FileEntry>,
    /// The other entries of the folder itself, by name.
    others: BTreeSet<Box<str>>,
    /// Files that events do not report: links, files with several names, unreadable ones.
    loose: BTreeSet<Box<str>>,
    /// Links to folders, relative to the first folder (itself is the empty path), with what they
    /// lead to: what a link means may change without an event in the folders that are watched.
    links: HashMap<Box<str>, Option<LinkTarget>>,
    watch: FolderWatch,
    /// Device and inode of the watched folder.
    identity: Option<(u64, u64)>,
    /// The number of the last change of an unsaved text that was seen.
    seen_unsaved: u64,
}

/// The real place of a linked folder, and its device and inode.
type LinkTarget = (PathBuf, (u64, u64));

#[derive(Debug, Clone, Copy)]
struct FileEntry {
    /// `None` for a file that could not be read: it is tried again at every look.
    stamp: Option<FileStamp>,
    /// Events do not report it.
    is_loose: bool,
    /// Only a listing shows what it is: looking at its path shows nothing.
    is_listed_only: bool,
    /// When it was first seen with this stamp.
    since: Instant,
    /// The stamp was so young when the file was read that a later write may have left the same one.
    is_doubted: bool,
}

/// A file to look at.
struct FileCandidate {
    path: Box<str>,
    /// True if it is a link, when the listing already shows it.
    is_link: Option<bool>,
    /// Why it cannot be a document, when the listing already shows it.
    fault: Option<&'static str>,
}

enum FileLook<T> {
    Same,
    Gone,
    Other(FileEntry, T),
}

impl<T: Send> DocumentIndex<T> {
    /// An index of the files in `folder` (relative to the root; empty for the root itself) whose names end in `ending`;
    /// nothing is read before the first refresh.
    pub fn new(
        disk: Disk,
        root: RootFolder,
        folder: &str,
        ending: &'static str,
        parse: fn(&str, FileSource) -> T,
    ) -> Self {
        Self {
            disk: disk.within(root.path()),
            root,
            folder: folder.into(),
            ending,
            is_flat: false,
            parse,
            entries: HashMap::new(),
            others: BTreeSet::new(),
            loose: BTreeSet::new(),
            links: HashMap::new(),
            watch: FolderWatch::default(),
            identity: None,
            seen_unsaved: 0,
        }
    }

    /// The same index of the folder's own files only, whatever lies in the folders below it.
    #[must_use]
    pub fn flat(mut self) -> Self {
        self.is_flat = true;
        self
    }

    /// Returns true if changes are announced by the system, so that a refresh need not look at every file.
    pub fn is_watched(&self) -> bool {
        self.watch.is_trusted()
    }

    /// Names of what lay in the folder itself at the last refresh, files and folders, and is none of the
    /// index' files; hidden ones left out.
    pub fn others(&self) -> impl Iterator<Item = &str> {
        self.others.iter().map(|name| &**name)
    }

    /// Finds what changed since the last call; changes come in the order of their paths.
    ///
    /// # Errors
    /// `Missing` when the folder is not there, `Outside` when a link takes it out of the root. A
    /// file that cannot be read is no error but a change whose document says so.
    pub fn refresh(&mut self) -> Result<Vec<DocumentChange<T>>, StoreError> {
        let folder = self.root.path().join(&self.folder);
        let unsaved = self.take_unsaved(&folder, self.seen_unsaved);
        let identity = disk::stamp(&folder).map(|stamp| stamp.identity);
        if identity.is_some()
            && identity == self.identity
            && self.links_lead_where_they_did()
            && let ChangedFiles::Files(names) = self.watch.take()
            && let Some(candidates) = self.announced(names.into_iter().chain(unsaved).collect())
        {
            return Ok(self.look_at(candidates));
        }
        self.scan()
    }

    /// The names, below the folder, of documents that an editor holds and whose texts changed after a number.
    fn take_unsaved(&mut self, folder: &Path, since: u64) -> Vec<Box<str>> {
        self.seen_unsaved = since;
        let held = &self.disk.unsaved;
        let unsaved = held.changed_below(folder, &mut self.seen_unsaved);
        let wanted = unsaved
            .into_iter()
            .filter(|name| name.ends_with(self.ending) && !(self.is_flat && name.contains('/')));
        wanted.map(Into::into).collect()
    }

    /// Forgets every document, for when the folder is gone; the changes say so of each, in the order
    /// of their paths.
    pub fn clear(&mut self) -> Vec<DocumentChange<T>> {
        self.identity = None;
        self.loose.clear();
        self.others.clear();
        let mut paths: Vec<Box<str>> = self.entries.drain().map(|(path, _)| path).collect();
        paths.sort_unstable();
        paths.into_iter().map(gone).collect()
    }

    fn links_lead_where_they_did(&self) -> bool {
        let mut links = self.links.iter();
        links.all(|(relative, target)| self.target(relative) == *target)
    }

    /// Returns the target of a linked folder; `None` when that is nothing inside the root.
    fn target(&self, relative: &str) -> Option<LinkTarget> {
        let real = self.root.locate(&self.under(relative)).ok()?;
        let identity = disk::stamp(&real)?.identity;
        Some((real, identity))
    }

    /// The files to look at after these names changed; `None` when folders may have changed too.
    fn announced(&mut self, names: Vec<Box<str>>) -> Option<Vec<FileCandidate>> {
        let mut paths: Vec<Box<str>> = Vec::new();
        for name in names {
            let path = self.under(&name);
            if name.ends_with(self.ending) {
                paths.push(path);
                continue;
            }
            if self.links.contains_key(&name) || disk::is_link(&self.absolute(&path)) {
                return None;
            }
            if !disk::exists(&self.absolute(&path)) {
                self.others.remove(&name);
            } else if !name.starts_with('.') && !name.contains('/') {
                self.others.insert(name);
            }
        }
        let is_listed_only =
            |path: &str| matches!(self.entries.get(path), Some(entry) if entry.is_listed_only);
        paths.extend(
            self.loose
                .iter()
                .filter(|path| !is_listed_only(path))
                .cloned(),
        );
        paths.sort_unstable();
        paths.dedup();
        Some(
            paths
                .into_iter()
                .map(|path| FileCandidate {
                    path,
                    is_link: None,
                    fault: None,
                })
                .collect(),
        )
    }

    /// Lists everything again and looks at every stamp, those of unsaved texts among them.
    fn scan(&mut self) -> Result<Vec<DocumentChange<T>>, StoreError> {
        self.identity = None;
        let top = self.root.locate(&self.folder)?;
        let identity = disk::stamp(&top).map(|stamp| stamp.identity);
        self.watch = if self.disk.listens {
            FolderWatch::start(&top)
        } else {
            FolderWatch::default()
        };
        self.links.clear();
        if top != self.root.path().join(&self.folder) {
            self.links.insert("".into(), self.target(""));
        }
        let mut candidates = self.walk(&top)?;
        let unsaved = self.take_unsaved(&self.root.path().join(&self.folder), 0);
        candidates.extend(unsaved.iter().map(|name| FileCandidate {
            path: self.under(name),
            is_link: None,
            fault: None,
        }));
        candidates.sort_by(|a, b| a.path.cmp(&b.path));
        candidates.dedup_by(|later, first| later.path == first.path);
        let listed: HashSet<&str> = candidates.iter().map(|c| &*c.path).collect();
        let mut missing: Vec<Box<str>> = self
            .entries
            .keys()
            .filter(|path| !listed.contains(&***path))
            .cloned()
            .collect();
        missing.sort_unstable();
        for path in &missing {
            self.entries.remove(path);
            self.loose.remove(path);
        }
        let mut changes: Vec<DocumentChange<T>> = missing.into_iter().map(gone).collect();
        changes.extend(self.look_at(candidates));
        self.identity = identity;
        Ok(changes)
    }

    /// Lists the folder and all below it. A link to a folder is followed when it stays inside the
    /// root and does not lead to a folder already seen.
    fn walk(&mut self, top: &Path) -> Result<Vec<FileCandidate>, StoreError> {
        let mut candidates = Vec::new();
        let mut seen: HashSet<PathBuf> = HashSet::from([top.to_path_buf()]);
        let mut open: Vec<(PathBuf, String)> = vec![(top.to_path_buf(), String::new())];
        while let Some((folder, relative)) = open.pop() {
            self.watch.add(&folder, &relative);
            let listing = match disk::list(&folder) {
                Ok(listing) => listing,
                Err(error) if relative.is_empty() => return Err(error),
                Err(_) => {
                    // No event reports that it can be listed again.
                    self.watch = FolderWatch::default();
                    candidates.push(FileCandidate {
                        path: self.under(&relative),
                        is_link: None,
                        fault: Some("the folder cannot be listed"),
                    });
                    continue;
                }
            };
            if relative.is_empty() {
                let files = listing.files.iter().map(|listed| &listed.name);
                let files = files.filter(|name| !name.ends_with(self.ending));
                let folders = listing.folders.iter().map(|(name, _)| name);
                let names = files.chain(folders).map(|name| name.as_str().into());
                self.others = names.collect();
            }
            let within = |name: &str| {
                if relative.is_empty() {
                    name.to_owned()
                } else {
                    format!("{relative}/{name}")
                }
            };
            for listed in listing.files {
                if listed.name.ends_with(self.ending) {
                    let fault = (!listed.is_named).then_some("its name is not UTF-8 text");
                    candidates.push(FileCandidate {
                        path: self.under(&within(&listed.name)),
                        is_link: Some(listed.is_link),
                        fault,
                    });
                }
            }
            if self.is_flat {
                break;
            }
            for (name, is_link) in listing.folders {
                let relative = within(&name);
                if name.ends_with(self.ending) {
                    candidates.push(FileCandidate {
                        path: self.under(&relative),
                        is_link: None,
                        fault: Some("it is a folder, not a file"),
                    });
                }
                let path = folder.join(&name);
                if is_link {
                    let target = self.target(&relative);
                    self.links.insert(relative.clone().into(), target);
                    match self.root.locate(&self.under(&relative)) {
                        Ok(real) if seen.insert(real.clone()) => open.push((real, relative)),
                        Ok(_) => {}
                        Err(_) => candidates.push(FileCandidate {
                            path: self.under(&relative),
                            is_link: None,
                            fault: Some("the link leads out of the project"),
                        }),
                    }
                } else if seen.insert(path.clone()) {
                    open.push((path, relative));
                }
            }
        }
        Ok(candidates)
    }

    fn look_at(&mut self, candidates: Vec<FileCandidate>) -> Vec<DocumentChange<T>> {
        let now = (self.disk.clock)(&self.absolute(&self.folder));
        let meter = ProgressMeter::begin("Reading files", candidates.len());
        let is_shared = candidates.len() >= WORTH_SHARING;
        let disk = if is_shared {
            &self.disk.for_many_reads()
        } else {
            &self.disk
        };
        let look = |candidate: &FileCandidate| {
            let found = self.look(candidate, disk, now);
            meter.step();
            found
        };
        let looks: Vec<FileLook<T>> = if is_shared {
            candidates.par_iter().map(look).collect()
        } else {
            candidates.iter().map(look).collect()
        };
        let mut changes = Vec::new();
        for (FileCandidate { path, .. }, look) in candidates.into_iter().zip(looks) {
            match look {
                FileLook::Same => {}
                FileLook::Gone => {
                    self.loose.remove(&path);
                    if self.entries.remove(&path).is_some() {
                        changes.push(gone(path));
                    }
                }
                FileLook::Other(entry, document) => {
                    if entry.is_loose {
                        self.loose.insert(path.clone());
                    } else {
                        self.loose.remove(&path);
                    }
                    self.entries.insert(path.clone(), entry);
                    changes.push(DocumentChange {
                        path,
                        document: Some(document),
                    });
                }
            }
        }
        changes
    }

    /// Returns why a file is no document of its own: it links to another one, or is a copy of one.
    fn extra_copy(&self, path: &str, linked: Option<&Path>) -> Option<String> {
        let given = self.absolute(path);
        let name = given.file_name()?.to_str()?;
        if given.extension().is_none_or(|ending| ending != "md") {
            return None;
        }
        // What is no document counts by the link alone.
        let document = linked.filter(|real| real.extension().is_some_and(|ending| ending == "md"));
        if let Some(sibling) = document.and_then(|real| extra_copies::linked_sibling(&given, real))
        {
            return Some(format!(
                "it is a link to `{sibling}`, which counts by its own name; remove the link"
            ));
        }
        let is_there = |name: &str| disk::exists(&given.with_file_name(name));
        let original = extra_copies::original(name, &is_there)?;
        Some(format!(
            "it is a copy of `{original}` that another program made; take over what differs, then remove it"
        ))
    }

    /// Looks at one file; reads and parses it when its stamp is not the known one.
    fn look(&self, candidate: &FileCandidate, disk: &Disk, now: Option<SystemTime>) -> FileLook<T> {
        let FileCandidate {
            path,
            is_link,
            fault,
        } = candidate;
        let unreadable = |why: String| {
            let entry = FileEntry {
                stamp: None,
                is_loose: true,
                is_listed_only: fault.is_some(),
                since: Instant::now(),
                is_doubted: false,
            };
            FileLook::Other(entry, (self.parse)(path, FileSource::Unreadable(why)))
        };
        if let Some(fault) = fault {
            return unreadable((*fault).into());
        }
        let given = self.absolute(path);
        let is_link = is_link.unwrap_or_else(|| disk::is_link(&given));
        let real = match if is_link {
            self.root.locate(path)
        } else {
            Ok(given)
        } {
            Ok(real) => real,
            Err(StoreError::Outside { .. }) => {
                return unreadable("the link leads out of the project".into());
            }
            Err(_) if !disk::exists(&self.absolute(path)) => return FileLook::Gone,
            Err(_) => return unreadable("the link leads nowhere".into()),
        };
        if let Some(why) = self.extra_copy(path, is_link.then_some(real.as_path())) {
            return unreadable(why);
        }
        if let Some(known) = self.entries.get(path) {
            let stamp = (self.disk.stamp)(&real);
            if stamp.is_none() && !disk::exists(&real) {
                return FileLook::Gone;
            }
            // That a file was announced says that it may be another one, whatever its stamp says.
            if stamp.is_some() && stamp == known.stamp && !known.is_doubted {
                return FileLook::Same;
            }
        }
        let seen = Instant::now();
        match disk.read_text(&real, path) {
            Ok((text, stamp)) => {
                let known = self.entries.get(path);
                let same = known.filter(|known| known.stamp == Some(stamp));
                let since = same.map_or(seen, |known| known.since);
                let entry = FileEntry {
                    stamp: Some(stamp),
                    is_loose: is_link || stamp.names > 1,
                    is_listed_only: false,
                    since,
                    // A clock that is not known here has gone on since the stamp was first seen.
                    is_doubted: match now {
                        Some(now) => stamp.is_young(now),
                        None => seen.duration_since(since) < TICK,
                    },
                };
                FileLook::Other(entry, (self.parse)(path, FileSource::Text(text)))
            }
            Err(StoreError::Missing { .. }) => FileLook::Gone,
            Err(StoreError::Unreadable { why, .. } | StoreError::Denied { why, .. }) => {
                unreadable(why)
            }
            Err(error) => unreadable(error.to_string()),
        }
    }

    fn under(&self, relative: &str) -> Box<str> {
        match (self.folder.as_str(), relative) {
            (folder, "") => folder.into(),
            ("", relative) => relative.into(),
            (folder, relative) => format!("{folder}/{relative}").into(),
        }
    }

    fn absolute(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }
}

fn gone<T>(path: Box<str>) -> DocumentChange<T> {
    DocumentChange {
        path,
        document: None,
    }
}
