//! Reads the files of a folder that decide its acting configuration, each once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::acting::{
    ActingConfiguration, CHANT_AGENTS, CHANT_CONFIG, EntryKind, PROMPTS, SPECKIT_CONFIG, SourceFile,
};
use super::places::{agent_places, is_of_agents, may_hold_agents};
use chant_git::Repo;
use chant_git::acting::LocalSetting;
use chant_store::StoreError;
use chant_store::disk::{self, Disk};
use chant_store::stamped::PathStamps;

/// The greatest number of files of agents, prompts and hooks that are read.
const MOST_FILES: usize = 2_000;
/// The greatest depth of folders that are read.
const DEEPEST: usize = 12;

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
    /// Files and folders that git would use, and that do not exist; their folders are real.
    missing: Vec<PathBuf>,
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

    /// Returns the real paths of files that act as a whole, and where the hooks and the settings of
    /// git would be that do not exist yet.
    pub fn real_places(&self) -> Vec<PathBuf> {
        let files = self.stamps.existing();
        let real = files.filter_map(|path| disk::real(path).ok());
        real.chain(self.missing.iter().cloned()).collect()
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
            for place in agent_places() {
                let path = folder.join(place);
                let shown = format!("{shown}{place}");
                self.read_tree(&path, &shown, EntryKind::AgentFile, 0, &mut reading);
            }
        }
        if let Some(repo) = self.repo {
            self.read_git(repo, &mut reading);
            if let Some((commit, name)) = self.base
                && let Err(error) = self.read_base(repo, (commit, name), &mut reading)
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
        if depth > DEEPEST || reading.files.len() >= MOST_FILES {
            let gap = format!("{shown}: too many files or folders");
            if !reading.gaps.contains(&gap) && reading.gaps.len() < MOST_FILES {
                reading.gaps.push(gap);
            }
            return;
        }
        if !disk::is_folder(path) {
            if kind != EntryKind::Prompt || is_markdown(path) {
                self.read_file(path, shown, kind, reading);
            }
            return;
        }
        if let Some(link) = disk::read_link(path) {
            reading.files.push(SourceFile {
                path: shown.to_owned(),
                kind,
                link: Some(link.display().to_string()),
                is_program: false,
                bytes: Ok(Vec::new()),
            });
        }
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
            if !disk::exists(file) {
                reading.missing.push(real_as_far_as_it_is(file));
            }
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

    /// Reads the files of agents in the commit at which worktrees start, if they differ from those
    /// in the folder.
    fn read_base(
        &self,
        repo: &Repo,
        (commit, name): (&str, &str),
        reading: &mut FolderReading,
    ) -> Result<(), chant_git::GitError> {
        let top = repo.checkout().and_then(|top| disk::real(top).ok());
        let inside = top.and_then(|top| Some(self.root.strip_prefix(top).ok()?.to_owned()));
        let inside = inside.unwrap_or_default().display().to_string();
        let mut folder = inside.replace('\\', "/");
        let mut above = String::new();
        loop {
            let files = repo.files_at(commit, &folder, &may_hold_agents, &is_of_agents)?;
            for (path, bytes) in files {
                let here = format!("{above}{path}");
                let is_here = |file: &&SourceFile| file.path == here && file.link.is_none();
                let known = reading.files.iter().find(is_here);
                if known.is_some_and(|known| known.bytes.as_ref() == Ok(&bytes)) {
                    continue;
                }
                reading
                    .files
                    .push(of_base(format!("{name}:{here}"), bytes, None));
            }
            for (path, says) in repo.links_at(commit, &folder, &may_hold_agents, &is_of_agents)? {
                let here = format!("{name}:{above}{path}");
                for (below, bytes) in repo.behind_link(commit, &folder, (&path, &says))? {
                    reading
                        .files
                        .push(of_base(format!("{here}{below}"), bytes, None));
                }
                reading.files.push(of_base(here, Vec::new(), Some(says)));
            }
            if folder.is_empty() {
                return Ok(());
            }
            folder = folder
                .rsplit_once('/')
                .map_or_else(String::new, |(above, _)| above.to_owned());
            above.push_str("../");
        }
    }
}

fn of_base(path: String, bytes: Vec<u8>, link: Option<String>) -> SourceFile {
    SourceFile {
        path,
        kind: EntryKind::AgentFile,
        link,
        is_program: false,
        bytes: Ok(bytes),
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
