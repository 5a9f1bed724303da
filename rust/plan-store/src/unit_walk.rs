//! Walks one entry of a folder of units: the documents in it, and what is named instead of being read.

use std::collections::BTreeSet;
use std::path::Path;

use chant_plan_format::finding::PlanFinding;
use chant_plan_format::scope::{UnitForm, UnitPattern};
use chant_store::changes::FolderWatch;
use chant_store::disk::{self, FolderEntry};
use chant_store::extra_copies::original;

/// Files below one pattern that are looked at.
pub(crate) const MAX_FILES: usize = 20_000;

/// Levels below a unit's folder that are looked into.
const MAX_DEPTH: usize = 8;

/// Folders of other programs, which are large and hold no plans.
const SKIPPED: [&str; 3] = ["node_modules", "target", ".venv"];

/// The root that is walked, and the folders that are watched.
pub(crate) struct UnitWalk<'a> {
    pub(crate) root: &'a Path,
    pub(crate) pattern: &'a UnitPattern,
    pub(crate) watch: &'a mut FolderWatch,
    pub(crate) watched: &'a mut BTreeSet<String>,
}

/// The result of a walk.
#[derive(Default)]
pub(crate) struct FoundFiles {
    /// Documents of units, from the root.
    pub(crate) documents: Vec<String>,
    /// Folders that can be units by their names alone.
    pub(crate) folders: Vec<String>,
    pub(crate) problems: Vec<PlanFinding>,
    /// The number of files that were looked at.
    pub(crate) files: usize,
}

impl UnitWalk<'_> {
    /// Lists a folder, which is watched from before.
    ///
    /// # Errors
    /// The problem of a folder that cannot be listed.
    pub(crate) fn list(&mut self, folder: &str) -> Result<Vec<FolderEntry>, PlanFinding> {
        watch_folder(self.root, folder, self.watch, self.watched);
        let full = self.root.join(folder);
        disk::names(&full).map_err(|error| PlanFinding::error(folder, None, error.to_string()))
    }

    /// Looks at one entry of the pattern's folder and all that belongs to it.
    pub(crate) fn entry(&mut self, entry: &FolderEntry) -> FoundFiles {
        let mut found = FoundFiles::default();
        let folder = self.pattern.folder.clone();
        self.visit(&folder, entry, &mut found);
        found
    }

    fn visit(&mut self, folder: &str, entry: &FolderEntry, found: &mut FoundFiles) {
        let path = join(folder, &entry.name);
        let Some(is_folder) = self.kind_of(entry, &path, found) else {
            return;
        };
        if is_folder {
            self.descend(&path, found);
        } else {
            self.take_file(&path, entry, found);
        }
    }

    /// Returns true for a folder and false for a file, links followed that stay in the root.
    fn kind_of(&self, entry: &FolderEntry, path: &str, found: &mut FoundFiles) -> Option<bool> {
        if !entry.is_link {
            return Some(entry.is_folder);
        }
        let full = self.root.join(path);
        let real = disk::real(&full).ok();
        let inside = real
            .as_deref()
            .and_then(|real| real.strip_prefix(self.root).ok());
        let is_folder = disk::is_folder(&full);
        let is_wanted = is_folder
            || self
                .pattern
                .unit_at(path)
                .is_some_and(|one| one.is_document);
        let Some(inside) = inside else {
            if is_wanted {
                let why = "is a link that leads out of the project or nowhere; it is not followed";
                found.problems.push(PlanFinding::warning(path, None, why));
            }
            return None;
        };
        // What lies among the units has a path of its own.
        let inside = inside.to_string_lossy().replace('\\', "/");
        let is_known = inside == self.pattern.folder
            || inside.starts_with(&format!("{}/", self.pattern.folder))
            || self.pattern.folder.starts_with(&format!("{inside}/"));
        (!is_known).then_some(is_folder)
    }

    fn descend(&mut self, path: &str, found: &mut FoundFiles) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let below = below(&self.pattern.folder, path);
        let level = below.split('/').count();
        let is_unit_level = level <= self.pattern.depth;
        let goes_on = match self.pattern.form {
            UnitForm::File(_) => level < self.pattern.depth,
            UnitForm::Folder { .. } => {
                (!is_unit_level || (self.pattern.accepts)(below))
                    && level <= self.pattern.depth + MAX_DEPTH
            }
        };
        if !goes_on || SKIPPED.contains(&name) || name == ".git" || found.files > MAX_FILES {
            return;
        }
        // A folder with a repository of its own is another checkout.
        if disk::exists(&self.root.join(path).join(".git")) {
            return;
        }
        if is_unit_level && matches!(self.pattern.form, UnitForm::Folder { .. }) {
            found.folders.push(path.to_owned());
        }
        match self.list(path) {
            Ok(entries) => {
                for entry in &entries {
                    self.visit(path, entry, found);
                }
            }
            Err(problem) => found.problems.push(problem),
        }
    }

    fn take_file(&self, path: &str, entry: &FolderEntry, found: &mut FoundFiles) {
        found.files += 1;
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_document = |name: &str| {
            let unit = self.pattern.unit_at(&join(folder, name));
            unit.is_some_and(|unit| unit.is_document)
        };
        // Asked for names alone that look like those of copies.
        let is_there = |name: &str| disk::exists(&self.root.join(join(folder, name)));
        if let Some(copied) = copied_name(&entry.name, &is_there).filter(|name| is_document(name)) {
            let why =
                format!("is a copy of {copied}; it is not read. Remove it, or move it elsewhere");
            found.problems.push(PlanFinding::warning(path, None, why));
            return;
        }
        if !is_document(&entry.name) {
            return;
        }
        if found.files > MAX_FILES {
            if found.files == MAX_FILES + 1 {
                let why =
                    format!("and files after it are not read: there are more than {MAX_FILES}");
                found.problems.push(PlanFinding::error(path, None, why));
            }
            return;
        }
        found.documents.push(path.to_owned());
    }
}

/// Watches a folder, once.
pub(crate) fn watch_folder(
    root: &Path,
    folder: &str,
    watch: &mut FolderWatch,
    watched: &mut BTreeSet<String>,
) {
    if watch.is_trusted() && watched.insert(folder.to_owned()) {
        watch.add(&root.join(folder), folder);
    }
}

/// The name of the document of which a file is a copy by an editor or a sync program.
fn copied_name(name: &str, is_there: &dyn Fn(&str) -> bool) -> Option<String> {
    let by_editor = name.strip_suffix('~').or_else(|| name.strip_prefix(".#"));
    by_editor
        .map(str::to_owned)
        .or_else(|| original(name, is_there))
}

/// A path below a folder, which may be the root.
pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// The rest of a path below a folder.
pub(crate) fn below<'a>(folder: &str, path: &'a str) -> &'a str {
    let rest = path.strip_prefix(folder).unwrap_or(path);
    rest.strip_prefix('/').unwrap_or(rest)
}
