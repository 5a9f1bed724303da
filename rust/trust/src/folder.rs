//! Reads the files of a folder that decide its acting configuration, each once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::acting::{
    ActingConfiguration, CHANT_AGENTS, CHANT_CONFIG, EntryKind, PROMPTS, SPECKIT_CONFIG, SourceFile,
};
use super::place_table::PlaceKind;
use super::places::{ActingPlace, may_hold, may_hold_at, place_at, place_of};
use chant_git::Repo;
use chant_git::acting::LocalSetting;
use chant_store::StoreError;
use chant_store::disk::{self, Disk};
use chant_store::stamped::PathStamps;

/// The greatest number of files of agents, prompts and hooks that are read.
const MAX_FILES: usize = 2_000;
/// The greatest depth of folders that are read.
const MAX_DEPTH: usize = 12;

/// The tools and facts for reading a folder.
#[derive(Clone, Copy)]
pub struct FolderScanInputs<'a> {
    /// The disk.
    pub disk: &'a Disk,
    /// The project's root, real.
    pub root: &'a Path,
    /// The repository it lies in.
    pub repo: Option<&'a Repo>,
    /// Texts that were read already and that the caller acts by, with their paths; `None` for a
    /// file that did not exist.
    pub known: &'a [(&'a str, Option<&'a str>)],
    /// The commit at which worktrees start, and its name.
    pub base: Option<(&'a str, &'a str)>,
}

/// The content of a folder as it was read.
#[derive(Debug, Default)]
pub struct FolderReading {
    files: Vec<SourceFile>,
    settings: Vec<LocalSetting>,
    gaps: Vec<String>,
    /// The files of settings and the folder of hooks that git uses, real; they need not exist.
    used_by_git: Vec<PathBuf>,
    /// The folders that were searched for files of the table, and hold other files, too.
    searched: Vec<PathBuf>,
    /// The files and folders that were read, each with its stamp at that time.
    pub stamps: PathStamps,
    /// The folder whose hooks git runs; `None` without git.
    pub hooks: Option<PathBuf>,
}

impl FolderReading {
    /// Returns the part of it that acts.
    pub fn acting(&self) -> ActingConfiguration {
        ActingConfiguration::of(&self.files, &self.settings, self.gaps.clone())
    }

    /// Returns the texts of the project's own prompts as they were read, by their paths.
    pub fn prompts(&self) -> BTreeMap<String, String> {
        let prompts = self
            .files
            .iter()
            .filter(|file| file.kind == EntryKind::Prompt);
        prompts
            .filter_map(|file| {
                let text = String::from_utf8(file.bytes.clone().ok()?).ok()?;
                Some((file.path.clone(), text))
            })
            .collect()
    }

    /// Adds a part that could not be read.
    pub fn add_gap(&mut self, gap: String) {
        self.gaps.push(gap);
    }

    /// Returns the real paths of files that act as a whole, and of all that git uses: what is added
    /// to its folder of hooks acts, too.
    pub fn real_places(&self) -> Vec<PathBuf> {
        let files = self.stamps.existing();
        let real = files
            .filter(|path| !self.searched.iter().any(|folder| folder == path))
            .filter_map(|path| disk::real(path).ok());
        real.chain(self.used_by_git.iter().cloned()).collect()
    }
}

impl FolderScanInputs<'_> {
    /// Reads the folder; a part that cannot be read is a gap.
    pub fn read(&self) -> FolderReading {
        let mut reading = FolderReading::default();
        for path in [CHANT_CONFIG, CHANT_AGENTS, SPECKIT_CONFIG] {
            self.read_document(path, &mut reading);
        }
        // Prompts may lie in folders: those that the configuration adds to all others do.
        let prompts = self.root.join(PROMPTS);
        self.read_tree(&prompts, PROMPTS, EntryKind::Prompt, 0, &mut reading);
        for (folder, shown) in self.levels() {
            self.read_places(&folder, "", &shown, 0, &mut reading);
        }
        if let Some(repo) = self.repo {
            self.read_git(repo, &mut reading);
            if let Some((commit, name)) = self.base
                && let Err(error) = self.read_base(repo, commit, name, &mut reading)
            {
                reading.gaps.push(format!("the files of {name}: {error}"));
            }
        }
        reading
    }

    /// Reads the part that git uses in the repository; the rest of the folder is not read.
    pub fn read_git_alone(&self) -> FolderReading {
        let mut reading = FolderReading::default();
        if let Some(repo) = self.repo {
            self.read_git(repo, &mut reading);
        }
        reading
    }

    /// Returns the folders in which agents search for their files, each with the prefix of its
    /// names.
    fn levels(&self) -> Vec<(PathBuf, String)> {
        let top = self.repo.and_then(Repo::checkout);
        let top = top.and_then(|top| disk::real(top).ok());
        let mut levels = vec![(self.root.to_owned(), String::new())];
        let Some(top) = top.filter(|top| self.root.starts_with(top)) else {
            return levels;
        };
        let mut folder = self.root;
        while folder != top {
            let Some(above) = folder.parent() else { break };
            let shown = format!("../{}", levels.last().map_or("", |(_, shown)| shown));
            levels.push((above.to_owned(), shown));
            folder = above;
        }
        levels
    }

    /// Reads the files of the table that agents read; `inside` is the folder's path from the one that rows start
    /// in. Links are followed and named.
    fn read_places(
        &self,
        folder: &Path,
        inside: &str,
        above: &str,
        depth: usize,
        reading: &mut FolderReading,
    ) {
        let names = match disk::names(folder) {
            Ok(names) => names,
            Err(error) => return reading.gaps.push(format!("{above}{inside}: {error}")),
        };
        reading.stamps.add(folder.to_owned());
        if entry_kind(place_at(inside)).is_none() && disk::read_link(folder).is_none() {
            reading.searched.push(folder.to_owned());
        }
        for one in names {
            let inside = if inside.is_empty() {
                one.name.clone()
            } else {
                format!("{inside}/{}", one.name)
            };
            let kind = entry_kind(place_at(&inside));
            let path = folder.join(&one.name);
            if kind.is_none() && !(may_hold_at(&inside) && disk::is_folder(&path)) {
                continue;
            }
            let shown = format!("{above}{inside}");
            reading.stamps.add(path.clone());
            if Self::is_too_much(&shown, depth, reading) || !disk::exists(&path) {
                continue;
            }
            if !disk::is_folder(&path) {
                self.read_file(&path, &shown, kind.unwrap_or(EntryKind::AgentFile), reading);
                continue;
            }
            if let Some(kind) = kind {
                name_link(&path, &shown, kind, reading);
            }
            self.read_places(&path, &inside, above, depth + 1, reading);
        }
    }

    /// Returns true, and notes a gap, if no more is read.
    fn is_too_much(shown: &str, depth: usize, reading: &mut FolderReading) -> bool {
        if depth <= MAX_DEPTH && reading.files.len() < MAX_FILES {
            return false;
        }
        let gap = format!("{shown}: too many files or folders");
        if !reading.gaps.contains(&gap) && reading.gaps.len() < MAX_FILES {
            reading.gaps.push(gap);
        }
        true
    }

    fn read_document(&self, path: &str, reading: &mut FolderReading) {
        let real = self.root.join(path);
        reading.stamps.add(real.clone());
        let known = self.known.iter().find(|(known, _)| *known == path);
        let bytes = match known {
            Some((_, None)) => return,
            Some((_, Some(text))) => Ok(text.as_bytes().to_vec()),
            None if !disk::exists(&real) => return,
            None => self.bytes(&real),
        };
        if let Err(why) = &bytes {
            reading.gaps.push(format!("{path}: {why}"));
        }
        reading.files.push(SourceFile {
            path: path.to_owned(),
            kind: EntryKind::Setting,
            link: None,
            is_program: false,
            bytes,
        });
    }

    /// Reads a file, or all files below a folder; links are followed and named.
    fn read_tree(
        &self,
        path: &Path,
        shown: &str,
        kind: EntryKind,
        depth: usize,
        reading: &mut FolderReading,
    ) {
        reading.stamps.add(path.to_owned());
        if !disk::exists(path) {
            return;
        }
        if Self::is_too_much(shown, depth, reading) {
            return;
        }
        if !disk::is_folder(path) {
            if kind != EntryKind::Prompt || is_markdown(path) {
                self.read_file(path, shown, kind, reading);
            }
            return;
        }
        name_link(path, shown, kind, reading);
        match disk::names(path) {
            Ok(names) => {
                for one in names {
                    let (path, shown) = (path.join(&one.name), format!("{shown}/{}", one.name));
                    self.read_tree(&path, &shown, kind, depth + 1, reading);
                }
            }
            Err(error) => reading.gaps.push(format!("{shown}: {error}")),
        }
    }

    fn read_file(&self, path: &Path, shown: &str, kind: EntryKind, reading: &mut FolderReading) {
        let bytes = self.bytes(path);
        let link = disk::read_link(path).map(|link| link.display().to_string());
        if let (Err(why), None) = (&bytes, &link) {
            reading.gaps.push(format!("{shown}: {why}"));
        }
        reading.files.push(SourceFile {
            path: shown.to_owned(),
            kind,
            link,
            is_program: kind == EntryKind::Hook && disk::is_program(path),
            bytes,
        });
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, String> {
        let read = self.disk.read_content(path);
        read.map(|content| content.bytes)
            .map_err(|error| StoreError::io("read", path, error).to_string())
    }

    fn read_git(&self, repo: &Repo, reading: &mut FolderReading) {
        let found = match repo.local_settings() {
            Ok(found) => found,
            Err(error) => {
                reading.gaps.push(format!("git configuration: {error}"));
                return;
            }
        };
        for file in found.files.iter().chain([&found.hooks]) {
            reading.stamps.add(file.clone());
            reading.used_by_git.push(real_as_far_as_it_is(file));
        }
        reading.stamps.extend(found.user_files);
        for file in &found.unreadable {
            let gap = format!("git configuration {}: it cannot be read", file.display());
            reading.gaps.push(gap);
        }
        reading.settings = found.settings;
        let hooks = &found.hooks;
        reading.hooks = Some(hooks.clone());
        let names = if found.hooks_are_users {
            Vec::new()
        } else {
            disk::names(hooks).unwrap_or_default()
        };
        for one in names {
            if !one.name.ends_with(".sample") {
                let shown = format!("hooks/{}", one.name);
                let path = hooks.join(&one.name);
                self.read_tree(&path, &shown, EntryKind::Hook, 0, reading);
            }
        }
        let attributes = repo.common_dir().join("info/attributes");
        self.read_tree(
            &attributes,
            ".git/info/attributes",
            EntryKind::GitConfiguration,
            0,
            reading,
        );
    }

    /// Reads the files of the table that agents read in the commit at which worktrees start, if they differ from
    /// those in the folder: below the project in any folder, above it where agents search.
    fn read_base(
        &self,
        repo: &Repo,
        commit: &str,
        name: &str,
        reading: &mut FolderReading,
    ) -> Result<(), chant_git::GitError> {
        let top = repo.checkout().and_then(|top| disk::real(top).ok());
        let inside = top.and_then(|top| Some(self.root.strip_prefix(top).ok()?.to_owned()));
        let inside = inside.unwrap_or_default().display().to_string();
        let mut level = BaseLevel {
            repo,
            commit,
            name,
            folder: inside.replace('\\', "/"),
            above: String::new(),
            below: String::new(),
        };
        let project = if level.folder.is_empty() {
            String::new()
        } else {
            format!("{}/", level.folder)
        };
        let parent = SubmoduleParent {
            repo,
            commit,
            name,
            folder: String::new(),
            project: &project,
            depth: 0,
        };
        parent.read_submodules(reading)?;
        loop {
            level.read(reading)?;
            if level.folder.is_empty() {
                return Ok(());
            }
            let above = level.folder.rsplit_once('/');
            level.folder = above.map_or_else(String::new, |(above, _)| above.to_owned());
            level.above.push_str("../");
        }
    }
}

/// A folder of the commit at which worktrees start.
struct BaseLevel<'a> {
    repo: &'a Repo,
    commit: &'a str,
    /// The branch.
    name: &'a str,
    /// The folder, from the top of the checkout.
    folder: String,
    /// The prefix of the names that people see; empty for the project itself.
    above: String,
    /// The folder of a submodule in the project, with a slash; empty for the project's own repository.
    below: String,
}

impl BaseLevel<'_> {
    fn read(&self, reading: &mut FolderReading) -> Result<(), chant_git::GitError> {
        let wanted = |path: &str| self.kind_of(path).is_some();
        let enters = |path: &str| self.above.is_empty() || wanted(path) || may_hold_at(path);
        let files = self
            .repo
            .files_at(self.commit, &self.folder, &enters, &wanted)?;
        for (path, bytes) in files {
            let here = format!("{}{}{path}", self.above, self.below);
            let is_here = |file: &&SourceFile| file.path == here && file.link.is_none();
            let known = reading.files.iter().find(is_here);
            if known.is_none_or(|known| known.bytes.as_ref() != Ok(&bytes)) {
                self.add(&path, bytes, None, reading);
            }
        }
        let links = self
            .repo
            .links_at(self.commit, &self.folder, &enters, &wanted)?;
        for (path, says) in links {
            let is_wanted = wanted(&path);
            if !is_wanted && !may_hold(&format!("{}{path}", self.below)) {
                continue;
            }
            let behind = self
                .repo
                .behind_link(self.commit, &self.folder, &path, &says)?;
            for (below, bytes) in behind {
                let path = format!("{path}{below}");
                if wanted(&path) {
                    self.add(&path, bytes, None, reading);
                }
            }
            if is_wanted {
                self.add(&path, Vec::new(), Some(says), reading);
            }
        }
        Ok(())
    }

    fn kind_of(&self, path: &str) -> Option<EntryKind> {
        let is_project = self.above.is_empty();
        entry_kind(if is_project {
            place_of(&format!("{}{path}", self.below))
        } else {
            place_at(path)
        })
    }

    fn add(&self, path: &str, bytes: Vec<u8>, link: Option<String>, reading: &mut FolderReading) {
        reading.files.push(SourceFile {
            path: format!("{}:{}{}{path}", self.name, self.above, self.below),
            kind: self.kind_of(path).unwrap_or(EntryKind::AgentFile),
            link,
            is_program: false,
            bytes: Ok(bytes),
        });
    }
}

/// A repository whose submodules are read.
struct SubmoduleParent<'a> {
    repo: &'a Repo,
    commit: &'a str,
    /// The branch at which worktrees start.
    name: &'a str,
    /// The repository's folder from the top of the checkout, with a slash; empty for the top.
    folder: String,
    /// The project's folder, likewise.
    project: &'a str,
    depth: usize,
}

impl SubmoduleParent<'_> {
    /// Reads the files of the table in the submodules that the user has, as the folder of a run has them. Those outside of
    /// the project are left out.
    fn read_submodules(&self, reading: &mut FolderReading) -> Result<(), chant_git::GitError> {
        for submodule in self.repo.submodules(self.commit)? {
            let folder = format!("{}{}/", self.folder, submodule.path);
            if FolderScanInputs::is_too_much(&folder, self.depth, reading) {
                break;
            }
            let git = submodule.repo.common_dir();
            let first = submodule.commit.get(..2).unwrap_or_default();
            for objects in [git.join("objects").join(first), git.join("objects/pack")] {
                reading.stamps.add(objects);
            }
            if !submodule.repo.has_object(&submodule.commit)? {
                continue;
            }
            if let Some(below) = folder.strip_prefix(self.project) {
                let level = BaseLevel {
                    repo: &submodule.repo,
                    commit: &submodule.commit,
                    name: self.name,
                    folder: String::new(),
                    above: String::new(),
                    below: below.to_owned(),
                };
                level.read(reading)?;
            }
            let inside = SubmoduleParent {
                repo: &submodule.repo,
                commit: &submodule.commit,
                folder,
                depth: self.depth + 1,
                ..*self
            };
            inside.read_submodules(reading)?;
        }
        Ok(())
    }
}

/// Returns the kind of a file of the table that agents read.
fn entry_kind(place: Option<&ActingPlace>) -> Option<EntryKind> {
    match place?.kind {
        PlaceKind::AgentFile => Some(EntryKind::AgentFile),
        PlaceKind::Instructions => Some(EntryKind::Instructions),
        PlaceKind::Automation | PlaceKind::Nothing => None,
    }
}

/// Adds an entry for a folder that is a link.
fn name_link(path: &Path, shown: &str, kind: EntryKind, reading: &mut FolderReading) {
    if let Some(link) = disk::read_link(path) {
        reading.files.push(SourceFile {
            path: shown.to_owned(),
            kind,
            link: Some(link.display().to_string()),
            is_program: false,
            bytes: Ok(Vec::new()),
        });
    }
}

/// Returns a path with the links of its folders resolved, as far as they exist.
fn real_as_far_as_it_is(path: &Path) -> PathBuf {
    match (disk::real(path), path.parent(), path.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(parent), Some(name)) => real_as_far_as_it_is(parent).join(name),
        _ => path.to_owned(),
    }
}

fn is_markdown(path: &Path) -> bool {
    let ending = path.extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("md"))
}
