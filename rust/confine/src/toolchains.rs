//! Finds the toolchains of a user: those that are usual, those of variables and of the `PATH`, and
//! those that given programs need.
//!
//! A folder of programs is opened program by program, through links to where each really lies, and
//! with the toolchain to which it belongs there. What lies beside it in that folder, or beside that
//! folder, may be anything.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::places::{DRIVES_OF_WINDOWS, SYSTEM};
use crate::resolved_paths::ResolvedPaths;
use crate::settings_files::{files_named_by_git, holds_secret};
use crate::toolchain_places::{
    CERTIFICATES, CODE, CONDA, GO, HOMEBREW, OF_DISTRIBUTIONS, OF_INSTALLERS_OF_CONDA,
    OF_ONE_TOOLCHAIN, OF_VARIABLES, OF_WORK, PROGRAM_FOLDERS, TOOLCHAINS, Toolchain, VENV,
};
use chant_store::disk;

/// The greatest depth of includes in a configuration of git.
const INCLUDES: usize = 5;
/// The bytes of a script that are read to find its interpreter.
const FIRST_LINE: u64 = 512;
/// The greatest number of links that are followed to a program.
const LINKS: usize = 20;
/// The greatest number of entries of a folder of programs that are looked at.
const ENTRIES: usize = 4000;
/// The end of the line before a private key.
const PRIVATE_KEY: &str = "PRIVATE KEY-----";
/// The folder of users' data that are no configuration, below a home.
const DATA: &str = ".local/share";

/// The paths that toolchains need.
#[derive(Debug, Default)]
pub(super) struct FoundToolchains {
    /// Paths that were found; one that lies in a secret is none.
    pub open: Vec<PathBuf>,
    /// Paths that trusted command lines name.
    pub named: Vec<PathBuf>,
    /// Paths in these that stay closed.
    pub closed: Vec<PathBuf>,
}

/// Finds toolchains for one policy.
pub(super) struct ToolchainFinder<'a> {
    environment: &'a BTreeMap<&'a str, &'a str>,
    home: Option<PathBuf>,
    paths: &'a ResolvedPaths,
    /// Folders that were looked at.
    seen: BTreeSet<PathBuf>,
    found: FoundToolchains,
}

impl<'a> ToolchainFinder<'a> {
    pub(super) fn new(
        environment: &'a BTreeMap<&'a str, &'a str>,
        home: Option<PathBuf>,
        paths: &'a ResolvedPaths,
    ) -> Self {
        Self {
            environment,
            home,
            paths,
            seen: BTreeSet::new(),
            found: FoundToolchains::default(),
        }
    }

    /// Returns all, with those that trusted command lines need.
    pub(super) fn find(mut self, programs: &[&[String]]) -> FoundToolchains {
        for toolchain in &TOOLCHAINS {
            for folder in self.usual_folders(toolchain.folder) {
                self.open(&folder, toolchain);
            }
        }
        for name in OF_INSTALLERS_OF_CONDA {
            for folder in self.usual_folders(name) {
                self.open(&folder, &CONDA);
            }
        }
        self.open(Path::new("/home/linuxbrew/.linuxbrew"), &HOMEBREW);
        for toolchain in TOOLCHAINS.iter().chain(&OF_VARIABLES) {
            for name in toolchain.variables {
                let named = self.variable(name);
                if let Some(folder) = named.filter(|folder| !self.holds_more(folder)) {
                    self.open(&folder, toolchain);
                }
            }
        }
        self.settings_of_home();
        for name in CERTIFICATES {
            if let Some(path) = self.variable(name) {
                self.certificates(&path);
            }
        }
        let path = self.environment.get("PATH").copied().unwrap_or_default();
        let folders = path.split(':').map(PathBuf::from);
        let named = PROGRAM_FOLDERS
            .iter()
            .filter_map(|name| self.variable(name));
        for folder in folders.chain(named.collect::<Vec<_>>()) {
            self.folder_of_path(&folder);
        }
        for argv in programs {
            self.command_line(argv);
        }
        self.found
    }

    /// Returns an absolute path that a variable names.
    fn variable(&self, name: &str) -> Option<PathBuf> {
        let value = PathBuf::from(self.environment.get(name)?);
        value.is_absolute().then_some(value)
    }

    /// Returns the places of a folder of the home.
    fn usual_folders(&self, name: &str) -> Vec<PathBuf> {
        let Some(home) = self.home.as_ref().filter(|_| !name.is_empty()) else {
            return Vec::new();
        };
        let mut found = vec![home.join(name)];
        let of_data = Path::new(name).strip_prefix(DATA).ok();
        let moved = of_data.and_then(|rest| Some(self.variable("XDG_DATA_HOME")?.join(rest)));
        found.extend(moved);
        found
    }

    /// Returns true if a folder holds homes, or the folders where programs of all kinds keep what is
    /// the user's.
    fn holds_more(&self, folder: &Path) -> bool {
        let folder = self.paths.real(folder);
        let home = self.home.as_ref().map(|home| self.paths.real(home));
        let below = |name: &str| Some(self.paths.real(&home.as_ref()?.join(name)));
        let held = [".local/share", ".local/state", ".config", ".cache"].map(below);
        let moved = [
            "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
        ]
        .map(|name| self.variable(name).map(|path| self.paths.real(&path)));
        let mut all = held.into_iter().chain(moved).flatten().chain(home.clone());
        let is_of_others = folder
            .parent()
            .is_some_and(|parent| parent == Path::new("/home"));
        folder.parent().is_none()
            || folder == Path::new("/home")
            || is_of_others
            || all.any(|one| one.starts_with(&folder))
    }

    /// Opens the parts of a toolchain in a folder.
    fn open(&mut self, folder: &Path, toolchain: &Toolchain) {
        if !disk::is_folder(folder) {
            return;
        }
        self.seen.insert(self.paths.real(folder));
        if toolchain.is_whole {
            self.found.open.push(folder.to_owned());
        }
        for part in toolchain.parts {
            let Some(start) = part.strip_suffix('*') else {
                self.found.open.push(folder.join(part));
                continue;
            };
            let (above, start) = start.rsplit_once('/').unwrap_or(("", start));
            let above = folder.join(above);
            let names = disk::names(&above).unwrap_or_default().into_iter();
            let matching = names.filter(|one| one.name.starts_with(start));
            self.found
                .open
                .extend(matching.map(|one| above.join(one.name)));
        }
        for name in toolchain.programs {
            self.programs_in(&folder.join(name));
        }
        for name in toolchain.settings {
            self.settings(&folder.join(name));
        }
        let closed = toolchain.closed.iter().map(|name| folder.join(name));
        self.found.closed.extend(closed);
    }

    /// Opens settings that tools need, unless they hold what looks like a secret. Returns their text.
    fn settings(&mut self, file: &Path) -> Option<String> {
        if !disk::is_file(file) {
            return None;
        }
        let text = disk::Disk::default().read_text(file, "settings");
        let text = text.ok().map(|(text, _)| text);
        // Comments of Maven's own settings show how passwords are written.
        let is_closed = text
            .as_deref()
            .is_none_or(|text| holds_secret(&without_xml_comments(text)));
        let list = if is_closed {
            &mut self.found.closed
        } else {
            &mut self.found.open
        };
        list.push(file.to_owned());
        text
    }

    /// Opens git's configuration, and what tools read from any folder.
    fn settings_of_home(&mut self) {
        let Some(home) = self.home.clone() else {
            return;
        };
        let own = self
            .variable("XDG_CONFIG_HOME")
            .unwrap_or(home.join(".config"));
        let mut of_git = vec![home.join(".gitconfig"), own.join("git/config")];
        let named = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"];
        of_git.extend(named.iter().filter_map(|name| self.variable(name)));
        of_git.push("/etc/gitconfig".into());
        for file in of_git {
            self.settings_of_git(&file, &home, INCLUDES);
        }
        for file in [
            home.join(".editorconfig"),
            own.join("git/ignore"),
            own.join("git/attributes"),
            own.join("mise/config.toml"),
        ] {
            self.settings(&file);
        }
    }

    fn settings_of_git(&mut self, file: &Path, home: &Path, depth: usize) {
        if !self.seen.insert(file.to_owned()) {
            return;
        }
        let Some(text) = self.settings(file) else {
            return;
        };
        let folder = file.parent().unwrap_or(home);
        for named in files_named_by_git(&text, folder, home) {
            if named.is_configuration && depth > 0 {
                self.settings_of_git(&named.path, home, depth - 1);
            } else {
                self.settings(&named.path);
            }
        }
    }

    /// Opens certificates: a file, or those of a folder. A file with a private key is none.
    fn certificates(&mut self, path: &Path) {
        // Lists of certificates are long, and the system's own are open.
        if is_of_system(&self.paths.real(path)) {
            return;
        }
        let names = disk::names(path).unwrap_or_default().into_iter();
        let in_folder = names.take(ENTRIES).map(|one| path.join(one.name));
        let all: Vec<PathBuf> = if disk::is_file(path) {
            vec![path.to_owned()]
        } else {
            in_folder.collect()
        };
        for file in all {
            let text = disk::Disk::default().read_text(&file, "certificates");
            if text.is_ok_and(|(text, _)| !text.contains(PRIVATE_KEY)) {
                self.found.open.push(file);
            }
        }
    }

    /// Opens the programs of a folder on the `PATH`, and the toolchain to which it belongs.
    fn folder_of_path(&mut self, folder: &Path) {
        let is_of_windows = folder.starts_with(DRIVES_OF_WINDOWS) && {
            let drive = folder.iter().nth(2).and_then(|name| name.to_str());
            drive.is_some_and(|name| name.len() == 1)
        };
        if !folder.is_absolute() || is_of_windows {
            return;
        }
        let real = self.paths.real(folder);
        if is_of_system(&real) || self.holds_more(&real) {
            return;
        }
        self.toolchain_of(&real);
        // Folders of known toolchains hold many programs, and are open as a whole.
        let is_open = |opened: &PathBuf| folder.starts_with(opened) || real.starts_with(opened);
        if !self.found.open.iter().any(is_open) {
            self.programs_in(&real);
        }
    }

    /// Opens each program of a folder.
    fn programs_in(&mut self, folder: &Path) {
        let names = disk::names(folder).unwrap_or_default();
        for one in names.into_iter().take(ENTRIES).filter(|one| !one.is_folder) {
            let program = folder.join(one.name);
            if disk::is_program(&program) {
                let needs = self.program(&program);
                self.found.open.extend(needs);
            }
        }
    }

    /// Opens the toolchain to which the programs of a folder belong.
    fn toolchain_of(&mut self, folder: &Path) {
        for above in folder.ancestors() {
            let known = self.known_by_name(above);
            if let Some(toolchain) = known.filter(|_| !self.seen.contains(above)) {
                self.open(above, toolchain);
            }
        }
        let is_bin = folder
            .file_name()
            .is_some_and(|name| name == "bin" || name == "sbin");
        match folder.parent().filter(|_| is_bin) {
            Some(parent) => self.prefix(parent),
            None => self.prefix(folder),
        }
    }

    /// Returns the toolchain whose folder has this name, in whatever home.
    fn known_by_name(&self, folder: &Path) -> Option<&'static Toolchain> {
        if OF_INSTALLERS_OF_CONDA
            .iter()
            .any(|name| folder.ends_with(name))
        {
            return Some(&CONDA);
        }
        let is_here = |toolchain: &&Toolchain| {
            let of_home = || {
                let usual = self.usual_folders(toolchain.folder);
                usual.iter().any(|usual| self.paths.real(usual) == folder)
            };
            !toolchain.folder.is_empty()
                && folder.ends_with(toolchain.folder)
                && (toolchain.has_own_name() || of_home())
        };
        TOOLCHAINS.iter().find(is_here)
    }

    /// Opens what belongs to the programs in or below a folder that nobody named.
    fn prefix(&mut self, folder: &Path) {
        if is_of_system(folder) || self.holds_more(folder) || !self.seen.insert(folder.to_owned()) {
            return;
        }
        let names = disk::names(folder).unwrap_or_default();
        let holds = |name: &str| names.iter().any(|one| one.name == name);
        if holds("pyvenv.cfg") {
            self.open(folder, &VENV);
            self.base_of_environment(folder);
            return;
        }
        if holds("conda-meta") {
            self.open(folder, &CONDA);
            return;
        }
        if holds("VERSION") && holds("pkg") && holds("api") {
            self.open(folder, &GO);
            return;
        }
        if names.len() > ENTRIES || OF_WORK.iter().any(|name| holds(name)) {
            return;
        }
        let of_one = |name: &str| {
            let mut places = OF_ONE_TOOLCHAIN.iter();
            places.find(|(known, _)| *known == name)
        };
        let is_own = |name: &str| {
            let is_of_distribution =
                || OF_DISTRIBUTIONS.iter().any(|start| name.starts_with(start));
            CODE.contains(&name) || of_one(name).is_some() || is_of_distribution()
        };
        let is_toolchain = names.iter().all(|one| is_own(&one.name));
        for one in &names {
            let is_opened = of_one(&one.name).is_some_and(|(_, is_opened)| *is_opened);
            if CODE.contains(&&*one.name) || (is_toolchain && is_opened) {
                self.found.open.push(folder.join(&one.name));
            }
        }
    }

    /// Opens the Python from which a virtual environment borrows the rest.
    fn base_of_environment(&mut self, folder: &Path) {
        let settings = disk::Disk::default().read_text(&folder.join("pyvenv.cfg"), "pyvenv.cfg");
        let settings = settings.map(|(text, _)| text).unwrap_or_default();
        let base = settings.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "home").then(|| PathBuf::from(value.trim()))
        });
        if let Some(base) = base.filter(|base| base.is_absolute()) {
            self.folder_of_path(&base);
        }
    }

    /// Opens what a trusted command line needs: its program through all links, its interpreter, and
    /// files that it names.
    fn command_line(&mut self, argv: &[String]) {
        let Some((program, arguments)) = argv.split_first() else {
            return;
        };
        let path = self.environment.get("PATH").copied();
        if let Ok(program) = which::which_in(program, path, "/") {
            let needs = self.program(&program);
            self.found.named.extend(needs);
        }
        for argument in arguments {
            let value = argument
                .split_once('=')
                .map_or(argument.as_str(), |(_, value)| value);
            for text in [argument.as_str(), value] {
                let file = Path::new(text);
                if file.is_absolute() && disk::is_file(file) {
                    self.found.named.push(file.to_owned());
                }
            }
        }
    }

    /// Opens the toolchains of a program, and returns the program, its packages and its interpreter.
    fn program(&mut self, program: &Path) -> Vec<PathBuf> {
        let mut needs = Vec::new();
        let mut place = program.to_owned();
        for _ in 0..LINKS {
            needs.push(place.clone());
            if let Some(folder) = place.parent() {
                self.toolchain_at(folder);
            }
            let Some(says) = disk::read_link(&place) else {
                break;
            };
            let folder = place.parent().unwrap_or(&place);
            place = folder.join(says);
        }
        let program = self.paths.real(&place);
        needs.push(program.clone());
        if is_of_system(&program) {
            return needs;
        }
        if let Some(folder) = program.parent() {
            self.toolchain_at(folder);
        }
        // A package of node needs those beside it.
        let packages = program.ancestors().filter(|folder| {
            folder
                .file_name()
                .is_some_and(|name| name == "node_modules")
        });
        needs.extend(packages.last().map(Path::to_owned));
        let runner = runner_of(&program).filter(|runner| self.paths.real(runner) != program);
        if let Some(runner) = runner {
            for place in [self.paths.real(&runner), runner] {
                if let Some(folder) = place.parent() {
                    self.toolchain_at(folder);
                }
                needs.push(place);
            }
        }
        needs
    }

    /// Opens the toolchain to which the programs of a folder belong, which need not be on the `PATH`.
    fn toolchain_at(&mut self, folder: &Path) {
        let folder = self.paths.real(folder);
        if !is_of_system(&folder) && self.seen.insert(folder.join("programs")) {
            self.toolchain_of(&folder);
        }
    }
}

/// Returns the folders of the `PATH` whose programs stay closed to runs, as the rest of a sentence; nothing if there are
/// none.
pub fn describe_closed(environment: &BTreeMap<String, String>) -> String {
    let environment = environment.iter();
    let environment = environment
        .map(|(name, value)| (&**name, &**value))
        .collect();
    let paths = ResolvedPaths::default();
    let variable = |name| BTreeMap::get(&environment, name).copied();
    let (home, path) = (variable("HOME").map(PathBuf::from), variable("PATH"));
    let finder = ToolchainFinder::new(&environment, home, &paths);
    let has_programs = |folder: &Path| {
        let names = disk::names(folder).unwrap_or_default();
        names
            .into_iter()
            .any(|one| !one.is_folder && disk::is_program(&folder.join(one.name)))
    };
    let folders = path.unwrap_or_default().split(':').filter(|folder| {
        let folder = Path::new(folder);
        folder.is_absolute() && finder.holds_more(folder) && has_programs(folder)
    });
    let closed: Vec<&str> = folders.collect();
    if closed.is_empty() {
        return String::new();
    }
    let closed = closed.join(", ");
    format!("; the user's files lie in {closed}, so programs there are closed to runs")
}

fn is_of_system(path: &Path) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system))
}

/// Returns a text without its comments if it is XML.
fn without_xml_comments(text: &str) -> String {
    if !text.trim_start().starts_with('<') {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("<!--") {
        kept += before;
        rest = behind.split_once("-->").map_or("", |(_, rest)| rest);
    }
    kept + rest
}

/// Returns the program that runs a script, as its first line names it.
fn runner_of(program: &Path) -> Option<PathBuf> {
    let (file, _) = disk::open(program, "a program").ok()?;
    let mut start = Vec::new();
    file.take(FIRST_LINE).read_to_end(&mut start).ok()?;
    let line = start
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let line = std::str::from_utf8(line).ok()?;
    let runner = PathBuf::from(line.split_whitespace().next()?);
    runner.is_absolute().then_some(runner)
}
