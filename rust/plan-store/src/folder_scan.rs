//! All that lies below a root in one format, brought up to date by what changed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use chant_base::counted::count_visited;
use chant_plan_format::PlanFormat;
use chant_plan_format::document::{PlanDocument, RootSettings};
use chant_plan_format::finding::PlanFinding;
use chant_plan_format::scope::{RootLayout, UnitForm, UnitPattern};
use chant_plan_format::unit::{PlanUnit, UnitSource, read_unit};
use chant_store::changes::{ChangedFiles, FolderWatch};
use chant_store::disk::{self, Disk, FolderEntry};
use chant_store::stamped::StampedContent;

use super::unit_walk::{FoundFiles, UnitWalk, below, join, watch_folder};

/// Items of one unit that are read.
const MAX_ITEMS: usize = 10_000;

/// Folders that are watched; with more, stamps are compared.
const MAX_WATCHED: usize = 8_000;

/// Bytes of a document that is read.
const MAX_BYTES: u64 = 8 << 20;

/// A text that was read, or why it could not be.
type ReadDocument = Result<Arc<PlanDocument>, Box<str>>;

/// The state of a root at the last look.
#[derive(Default)]
pub(crate) struct FolderScan {
    watch: FolderWatch,
    watched: BTreeSet<String>,
    documents: HashMap<String, StampedContent<ReadDocument>>,
    pub(crate) settings: RootSettings,
    pub(crate) archived: Vec<Box<str>>,
    layout: RootLayout,
    /// By pattern, then by the first part of paths below its folder.
    entries: Vec<BTreeMap<String, ScannedEntry>>,
    problems: Vec<PlanFinding>,
    is_started: bool,
    /// The number of the last change of an unsaved text that was seen.
    seen_unsaved: u64,
}

/// An entry of a pattern's folder.
#[derive(Default)]
struct ScannedEntry {
    units: Vec<Arc<PlanUnit>>,
    problems: Vec<PlanFinding>,
}

/// The folder that is scanned, and how it is read.
#[derive(Clone, Copy)]
pub(crate) struct ScannedFolder<'a> {
    pub(crate) format: &'static dyn PlanFormat,
    pub(crate) root: &'a Path,
    /// Reads from below the root only.
    pub(crate) disk: &'a Disk,
}

impl FolderScan {
    /// Brings the state up to date; true if something may be another.
    pub(crate) fn refresh(&mut self, folder: ScannedFolder<'_>) -> bool {
        if !self.is_started {
            return self.scan_all(folder);
        }
        let held = &folder.disk.unsaved;
        let unsaved = held.changed_below(folder.root, &mut self.seen_unsaved);
        let mut changed = self.watch.take();
        if let ChangedFiles::Files(names) = &mut changed {
            names.extend(unsaved.into_iter().map(Into::into));
        }
        match changed {
            ChangedFiles::Files(names) if names.is_empty() => false,
            ChangedFiles::Files(names) => match self.concerned(folder.format, &names) {
                Some(entries) if entries.is_empty() => false,
                Some(entries) => {
                    for (pattern, name) in entries {
                        self.scan_entry(folder, pattern, &name);
                    }
                    true
                }
                None => self.scan_all(folder),
            },
            ChangedFiles::Unknown => self.scan_all(folder),
        }
    }

    /// The units, in the order of their paths, and all problems of files.
    pub(crate) fn units(&self) -> (Vec<Arc<PlanUnit>>, Vec<PlanFinding>) {
        let mut units: Vec<Arc<PlanUnit>> = Vec::new();
        let mut problems = self.problems.clone();
        for (pattern, entries) in self.layout.units.iter().zip(&self.entries) {
            let of_pattern = entries.values().flat_map(|entry| &entry.units);
            units.extend(of_pattern.clone().take(pattern.limit).cloned());
            if let Some(unit) = of_pattern.clone().nth(pattern.limit) {
                let why = format!(
                    "and those after it are not read: there are more than {} of this kind",
                    pattern.limit
                );
                problems.push(PlanFinding::error(&unit.source.path, None, why));
            }
            let of_entries = entries.values().flat_map(|entry| &entry.problems);
            problems.extend(of_entries.cloned());
        }
        units.sort_by(|one, other| one.source.path.cmp(&other.source.path));
        for unit in &units {
            problems.extend(unit.problems.iter().cloned());
        }
        (units, problems)
    }

    /// The entries of patterns that changed files belong to; `None` where more may have changed than these.
    fn concerned(
        &self,
        format: &dyn PlanFormat,
        names: &BTreeSet<Box<str>>,
    ) -> Option<BTreeSet<(usize, String)>> {
        let mut entries = BTreeSet::new();
        for name in names {
            let is_in = |folder: &str| {
                let folder = folder.to_lowercase();
                let name = name.to_lowercase();
                name.strip_prefix(&folder)
                    .is_some_and(|rest| rest.starts_with('/'))
            };
            if format.scope().settings.contains(&&**name)
                || self.layout.archives.iter().any(|archive| is_in(archive))
            {
                return None;
            }
            for (at, pattern) in self.layout.units.iter().enumerate() {
                if pattern.folder.is_empty() || is_in(&pattern.folder) {
                    let first = below(&pattern.folder, name).split('/').next();
                    entries.insert((at, first.unwrap_or_default().to_owned()));
                }
            }
        }
        Some(entries)
    }

    fn scan_all(&mut self, folder: ScannedFolder<'_>) -> bool {
        self.is_started = true;
        let watches_many = self.watched.len() > MAX_WATCHED;
        self.watch = if folder.disk.listens && !watches_many {
            FolderWatch::start(folder.root).hearing_hidden()
        } else {
            FolderWatch::default()
        };
        self.watched.clear();
        self.problems.clear();
        self.read_settings(folder);
        let layout = folder.format.layout(&self.settings);
        self.watch_surroundings(folder, &layout);
        self.list_archives(folder.root, &layout.archives);
        self.layout = layout;
        let patterns = self.layout.units.len();
        let mut before = std::mem::take(&mut self.entries);
        before.resize_with(patterns, BTreeMap::new);
        self.entries.resize_with(patterns, BTreeMap::new);
        let mut seen = BTreeSet::new();
        for (at, mut known) in before.into_iter().enumerate() {
            let pattern = self.layout.units[at].clone();
            if !disk::is_folder(&folder.root.join(&pattern.folder)) {
                continue;
            }
            let listed = self.walk(folder, &pattern).list(&pattern.folder);
            let entries = match listed {
                Ok(entries) => entries,
                Err(problem) => {
                    self.problems.push(problem);
                    continue;
                }
            };
            for entry in &entries {
                let found = self.walk(folder, &pattern).entry(entry);
                let known = known.remove(&entry.name).unwrap_or_default();
                let read = self.read_entry(folder, &pattern, found, &known, &mut seen);
                self.entries[at].insert(entry.name.clone(), read);
            }
        }
        self.documents.retain(|path, _| seen.contains(path));
        true
    }

    /// Looks again at one entry of a pattern's folder.
    fn scan_entry(&mut self, folder: ScannedFolder<'_>, at: usize, name: &str) {
        let pattern = self.layout.units[at].clone();
        let full = folder.root.join(join(&pattern.folder, name));
        let known = self.entries[at].remove(name).unwrap_or_default();
        let is_link = disk::is_link(&full);
        if is_link || disk::exists(&full) {
            let entry = FolderEntry {
                name: name.to_owned(),
                is_folder: !is_link && disk::is_folder(&full),
                is_link,
            };
            let found = self.walk(folder, &pattern).entry(&entry);
            let mut seen = BTreeSet::new();
            let read = self.read_entry(folder, &pattern, found, &known, &mut seen);
            self.entries[at].insert(name.to_owned(), read);
        }
    }

    fn walk<'a>(&'a mut self, folder: ScannedFolder<'a>, pattern: &'a UnitPattern) -> UnitWalk<'a> {
        UnitWalk {
            root: folder.root,
            pattern,
            watch: &mut self.watch,
            watched: &mut self.watched,
        }
    }

    /// Reads the documents that were found, and the units of those that are others than before.
    fn read_entry(
        &mut self,
        folder: ScannedFolder<'_>,
        pattern: &UnitPattern,
        found: FoundFiles,
        known: &ScannedEntry,
        seen: &mut BTreeSet<String>,
    ) -> ScannedEntry {
        let mut entry = ScannedEntry {
            problems: found.problems,
            units: Vec::new(),
        };
        let mut sources: BTreeMap<String, UnitSource> = BTreeMap::new();
        let source = |path: String, name: &str| UnitSource {
            kind: pattern.kind,
            name: name.into(),
            path: path.as_str().into(),
            documents: Vec::new(),
        };
        let needs_none =
            matches!(pattern.form, UnitForm::Folder { required, .. } if required.is_empty());
        for path in found.folders.into_iter().filter(|_| needs_none) {
            let name = below(&pattern.folder, &path).to_owned();
            sources.insert(path.clone(), source(path, &name));
        }
        for path in found.documents {
            let Some(unit) = pattern.unit_at(&path) else {
                continue;
            };
            seen.insert(path.clone());
            match self.read(folder, &path) {
                Ok(document) => {
                    if document.text.trim().is_empty() {
                        let why = "is empty";
                        entry.problems.push(PlanFinding::warning(&path, None, why));
                    }
                    let of_unit = sources.entry(unit.path.clone());
                    let of_unit = of_unit.or_insert_with(|| source(unit.path, &unit.name));
                    of_unit.documents.push(document);
                }
                Err(why) => entry.problems.push(PlanFinding::error(&path, None, why)),
            }
        }
        for (_, mut source) in sources {
            if !pattern.has_required(&source) {
                continue;
            }
            source
                .documents
                .sort_by(|one, other| one.path.cmp(&other.path));
            let same = known.units.iter().find(|unit| is_same(unit, &source));
            let unit = same.cloned();
            let unit = unit.unwrap_or_else(|| Arc::new(read_limited(folder.format, source)));
            entry.units.push(unit);
        }
        entry
    }

    fn read(&mut self, folder: ScannedFolder<'_>, path: &str) -> ReadDocument {
        let full = folder.root.join(path);
        let known = self.documents.get(path);
        if let Some(known) = known.filter(|known| known.is_current((folder.disk.stamp)(&full))) {
            return known.content.clone();
        }
        let read = folder.disk.read_text(&full, path);
        let (read, stamp) = match read.map_err(|error| error.to_string()) {
            Ok((_, stamp)) if stamp.size > MAX_BYTES => {
                let why = format!("is larger than {} MiB; it is not read", MAX_BYTES >> 20);
                (Err(why.into()), Some(stamp))
            }
            Ok((text, stamp)) => {
                count_visited(1);
                let last = known.and_then(|known| known.content.as_ref().ok());
                let same = last.filter(|last| last.text == text).cloned();
                let document = same.unwrap_or_else(|| Arc::new(PlanDocument::new(path, text)));
                (Ok(document), Some(stamp))
            }
            Err(why) => (Err(why.into()), disk::stamp(&full)),
        };
        let now = (folder.disk.clock)(folder.root);
        let content = StampedContent::new(read.clone(), stamp, now);
        self.documents.insert(path.to_owned(), content);
        read
    }

    fn read_settings(&mut self, folder: ScannedFolder<'_>) {
        let mut settings = Vec::new();
        for path in folder.format.scope().settings {
            let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
            if disk::is_folder(&folder.root.join(parent)) {
                watch_folder(folder.root, parent, &mut self.watch, &mut self.watched);
            }
            if !disk::is_file(&folder.root.join(path)) {
                continue;
            }
            match self.read(folder, path) {
                Ok(document) => settings.push(document),
                Err(why) => self.problems.push(PlanFinding::error(path, None, why)),
            }
        }
        self.settings = RootSettings(settings);
    }

    /// Watches the folders in which folders of units may come to be.
    fn watch_surroundings(&mut self, folder: ScannedFolder<'_>, layout: &RootLayout) {
        let of_units = layout.units.iter().map(|pattern| &pattern.folder);
        for place in of_units.chain(&layout.watch).chain(&layout.archives) {
            let mut above = Some(place.as_str());
            while let Some(path) = above.filter(|path| !path.is_empty()) {
                if disk::is_folder(&folder.root.join(path)) {
                    watch_folder(folder.root, path, &mut self.watch, &mut self.watched);
                    if path != place {
                        break;
                    }
                }
                above = path.rsplit_once('/').map(|(parent, _)| parent);
            }
        }
    }

    fn list_archives(&mut self, root: &Path, archives: &[String]) {
        self.archived.clear();
        for archive in archives {
            let (parent, last) = archive.rsplit_once('/').unwrap_or(("", archive));
            let beside = disk::names(&root.join(parent)).unwrap_or_default();
            let folders = beside.into_iter().filter(|entry| entry.is_folder);
            for entry in folders.filter(|entry| entry.name.eq_ignore_ascii_case(last)) {
                let names = disk::names(&root.join(parent).join(&entry.name)).unwrap_or_default();
                self.archived
                    .extend(names.into_iter().map(|one| one.name.into()));
            }
        }
    }
}

/// Returns true if a unit was read from these very documents.
fn is_same(unit: &PlanUnit, source: &UnitSource) -> bool {
    let mut pairs = unit.source.documents.iter().zip(&source.documents);
    let clashing = source
        .documents
        .iter()
        .filter(|document| document.clash.is_some());
    unit.source.path == source.path
        && clashing.count() == 0
        && unit.source.documents.len() == source.documents.len()
        && pairs.all(|(one, other)| Arc::ptr_eq(one, other))
}

fn read_limited(format: &dyn PlanFormat, source: UnitSource) -> PlanUnit {
    let mut unit = read_unit(format, source);
    count_visited(unit.items.len());
    if unit.items.len() > MAX_ITEMS {
        let why = format!("holds more than {MAX_ITEMS} items; the rest is not read");
        unit.items.truncate(MAX_ITEMS);
        unit.problems
            .push(PlanFinding::error(&unit.source.path, None, why));
    }
    unit
}
