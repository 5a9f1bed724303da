//! Turns the wanted paths, as the user names them, into the files and folders that are opened.
//!
//! Rights are given to a folder with all its content and cannot be taken back for a part of it. So
//! if a part of a folder is denied, its other entries are opened one by one. Entries that appear
//! there later stay closed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::ability::LandlockSupport;
use super::places::{OF_TOOLCHAINS, ROOTS, SECRETS_OF_HOME, SECRETS_OF_SYSTEM, SYSTEM, TOOLCHAINS};
use super::policy::{ConfineBackend, ConfinePolicy, NetworkAccess};
use super::resolved_paths::ResolvedPaths;
use chant_store::disk;

/// The greatest depth of includes in a configuration of git.
const INCLUDES: usize = 5;
/// The bytes of a script that are read to find its interpreter.
const FIRST_LINE: u64 = 512;
/// The greatest number of links that are followed to a program.
const LINKS: usize = 20;
/// The folder of named semaphores and shared memory.
const SHARED_MEMORY: &str = "/dev/shm";

/// The wanted confinement, as users and programs name it.
#[derive(Debug, Clone, Default)]
pub struct AccessRequest<'a> {
    /// The environment that names homes and toolchains.
    pub environment: BTreeMap<&'a str, &'a str>,
    /// Our own paths that may be read, whatever is denied.
    pub own_read: Vec<PathBuf>,
    /// Our own paths that may be written; they must exist.
    pub own_write: Vec<PathBuf>,
    /// Command lines of trusted programs: the programs and the files that they name may be read.
    pub programs: Vec<&'a [String]>,
    /// Paths that the user allows to be read. A `~` stands for the home folder.
    pub read: Vec<String>,
    /// Paths that the user allows to be written.
    pub write: Vec<String>,
    /// Paths that the user denies, whatever is allowed.
    pub deny: Vec<String>,
    /// Our own state and the folders of runs, which are denied unless they are in `own_read` or
    /// `own_write`.
    pub state: Vec<PathBuf>,
    /// The reachable network.
    pub network: NetworkAccess,
    /// True if named sockets may be created and connected to.
    pub unix_sockets: bool,
    /// True if terminals may be created.
    pub pty: bool,
    /// The program that enforces it.
    pub backend: ConfineBackend,
    /// The features that the system can enforce.
    pub ability: LandlockSupport,
}

/// The reasons why a wanted confinement is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// A path that must be written is denied or holds a denied path.
    #[error(
        "`confine.deny` names `{denied}`, but the run has to write `{written}`; remove one of the two from the configuration"
    )]
    Denied {
        /// The denied path.
        denied: String,
        /// The path that must be written.
        written: String,
    },
    /// A path of the user's is invalid.
    #[error("`{0}` below `confine` is not an absolute path; expected `/…` or `~/…`")]
    Relative(String),
}

impl AccessRequest<'_> {
    /// Returns the policy for the present state of the disk.
    ///
    /// # Errors
    /// [`AccessError`].
    pub fn policy(&self) -> Result<ConfinePolicy, AccessError> {
        let paths = ResolvedPaths::default();
        let request = self;
        AccessResolver { request, paths }.policy()
    }
}

/// A request that becomes a policy, and the paths that were looked at for it.
struct AccessResolver<'a> {
    request: &'a AccessRequest<'a>,
    paths: ResolvedPaths,
}

impl AccessResolver<'_> {
    fn policy(&self) -> Result<ConfinePolicy, AccessError> {
        let (request, paths) = (self.request, &self.paths);
        let denied_by_people = self.named(&request.deny)?;
        for write in request.own_write.iter().map(|path| self.paths.real(path)) {
            let clash = denied_by_people
                .iter()
                .find(|denied| denied.starts_with(&write) || write.starts_with(denied));
            if let Some(denied) = clash {
                return Err(AccessError::Denied {
                    denied: denied.display().to_string(),
                    written: write.display().to_string(),
                });
            }
        }
        let secrets = self.secrets();
        let mut guarded = secrets.clone();
        guarded.extend(denied_by_people.iter().cloned());
        guarded.extend(self.home().map(|home| self.paths.real(&home)));
        let mut open = OpenedPaths::in_places(paths);
        for path in SYSTEM {
            open.add(Path::new(path), &guarded, &[]);
        }
        for path in self.toolchains() {
            open.add(&path, &secrets, &denied_by_people);
        }
        for path in self.named(&request.read)? {
            open.add(&path, &secrets, &denied_by_people);
        }
        for path in &request.own_read {
            open.add(path, &[], &denied_by_people);
        }
        let mut write = OpenedPaths::in_places(paths);
        for path in self.named(&request.write)? {
            write.add(&path, &secrets, &denied_by_people);
        }
        let mut written = write.list();
        written.extend(request.own_write.iter().map(|path| self.paths.real(path)));
        let mut denied: Vec<PathBuf> = secrets;
        denied.extend(denied_by_people);
        Ok(ConfinePolicy {
            read: open.list(),
            open: open.tops.into_iter().collect(),
            write: written,
            shared_memory: holds_no_folder(Path::new(SHARED_MEMORY), &denied),
            denied,
            network: request.network,
            unix_sockets: request.unix_sockets,
            pty: request.pty,
            backend: request.backend.clone(),
            ability: request.ability,
        })
    }

    fn home(&self) -> Option<PathBuf> {
        let home = PathBuf::from(self.request.environment.get("HOME")?);
        let is_folder = home.is_absolute() && home.parent().is_some();
        is_folder.then_some(home)
    }

    /// Returns the paths that the user names.
    fn named(&self, paths: &[String]) -> Result<Vec<PathBuf>, AccessError> {
        let one = |path: &String| {
            let path = match (path.strip_prefix('~'), self.home()) {
                (Some(""), Some(home)) => home,
                (Some(rest), Some(home)) if rest.starts_with('/') => {
                    home.join(rest.trim_start_matches('/'))
                }
                _ => PathBuf::from(path),
            };
            let has_up = path.components().any(|part| part == Component::ParentDir);
            if path.is_absolute() && !has_up {
                return Ok(self.paths.real(&path));
            }
            Err(AccessError::Relative(path.display().to_string()))
        };
        paths.iter().map(one).collect()
    }

    /// Returns the paths that are never read unless the user names them, with their targets.
    fn secrets(&self) -> Vec<PathBuf> {
        let home = self.home();
        let of_home = home
            .iter()
            .flat_map(|home| SECRETS_OF_HOME.iter().map(|name| home.join(name)));
        let of_system = SECRETS_OF_SYSTEM
            .iter()
            .map(PathBuf::from)
            .filter(|path| is_readable(path));
        let mut secrets = BTreeSet::new();
        for path in of_home.chain(of_system).chain(self.request.state.clone()) {
            if disk::exists(&path) || disk::is_link(&path) {
                secrets.insert(self.paths.place(&path));
                secrets.insert(self.paths.real(&path));
            }
        }
        secrets.into_iter().collect()
    }

    /// Returns toolchains: the usual ones, those of the `PATH` and of variables, and those that the
    /// programs need.
    fn toolchains(&self) -> Vec<PathBuf> {
        let home = self.home();
        let mut found: Vec<PathBuf> = Vec::new();
        if let Some(home) = &home {
            found.extend(TOOLCHAINS.iter().map(|name| home.join(name)));
            for name in [".gitconfig", ".config/git/config"] {
                includes(&home.join(name), home, INCLUDES, &mut found);
            }
        }
        let variable = |name: &str| {
            let value = PathBuf::from(self.request.environment.get(name)?);
            value.is_absolute().then_some(value)
        };
        let roots = ROOTS.into_iter().filter_map(variable);
        found.extend(roots.filter(|path| !self.is_too_much(path)));
        let path = self
            .request
            .environment
            .get("PATH")
            .copied()
            .unwrap_or_default();
        for folder in path.split(':').map(Path::new) {
            if folder.is_absolute() && !self.is_too_much(folder) {
                found.push(folder.to_owned());
                found.extend(self.prefix(folder));
            }
        }
        for argv in &self.request.programs {
            self.program(argv, &mut found);
        }
        found
    }

    /// Returns true if a folder holds more than a toolchain: homes and the folders above them.
    fn is_too_much(&self, folder: &Path) -> bool {
        let folder = self.paths.real(folder);
        let holds_home = self
            .home()
            .is_some_and(|home| self.paths.real(&home).starts_with(&folder));
        folder.parent().is_none() || holds_home || folder == Path::new("/home")
    }

    /// Returns the folder to which programs in `…/bin` belong, if it is that of a toolchain.
    fn prefix(&self, folder: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let is_bin = folder
            .file_name()
            .is_some_and(|name| name == "bin" || name == "sbin" || name == ".bin");
        let Some(parent) = folder.parent().filter(|_| is_bin) else {
            return found;
        };
        let is_toolchain = || {
            let holds = |name: &&str| disk::exists(&parent.join(name));
            let is_modules = parent
                .file_name()
                .is_some_and(|name| name == "node_modules");
            (is_modules || OF_TOOLCHAINS.iter().any(holds)) && !disk::exists(&parent.join(".git"))
        };
        if self.is_too_much(parent) || !is_toolchain() {
            return found;
        }
        found.push(parent.to_owned());
        // A virtual environment of Python borrows the rest from another place.
        let settings = disk::Disk::default().read_text(&parent.join("pyvenv.cfg"), "pyvenv.cfg");
        let settings = settings.map(|(text, _)| text).unwrap_or_default();
        let base = settings.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "home").then(|| PathBuf::from(value.trim()))
        });
        if let Some(base) = base.filter(|base| base.is_absolute() && base != folder) {
            found.extend(self.prefix(&self.paths.real(&base)));
            found.push(base);
        }
        found
    }

    /// Adds the needs of a trusted command line: its program through all links, its interpreter,
    /// and files that it names.
    fn program(&self, argv: &[String], found: &mut Vec<PathBuf>) {
        let Some((program, arguments)) = argv.split_first() else {
            return;
        };
        let path = self.request.environment.get("PATH").copied();
        if let Ok(program) = which::which_in(program, path, "/") {
            self.program_at(&program, found);
        }
        for argument in arguments {
            let value = argument
                .split_once('=')
                .map_or(argument.as_str(), |(_, value)| value);
            for text in [argument.as_str(), value] {
                let file = Path::new(text);
                if file.is_absolute() && disk::is_file(file) {
                    found.push(file.to_owned());
                }
            }
        }
    }

    fn program_at(&self, program: &Path, found: &mut Vec<PathBuf>) {
        let mut program = program.to_owned();
        for _ in 0..LINKS {
            found.push(program.clone());
            if let Some(folder) = program.parent() {
                found.extend(self.prefix(folder));
            }
            let Some(says) = disk::read_link(&program) else {
                break;
            };
            let folder = program.parent().unwrap_or(&program);
            program = folder.join(says);
        }
        let program = self.paths.real(&program);
        found.push(program.clone());
        // A package of node needs those beside it.
        let packages = program.ancestors().filter(|folder| {
            folder
                .file_name()
                .is_some_and(|name| name == "node_modules")
        });
        found.extend(packages.last().map(Path::to_owned));
        if let Some(runner) = runner_of(&program) {
            let is_other = self.paths.real(&runner) != program;
            if is_other {
                found.push(runner.clone());
                found.push(self.paths.real(&runner));
                for place in [runner.clone(), self.paths.real(&runner)] {
                    found.extend(
                        place
                            .parent()
                            .map(|folder| self.prefix(folder))
                            .unwrap_or_default(),
                    );
                }
            }
        }
    }
}

/// The paths that are opened.
struct OpenedPaths<'a> {
    paths: &'a ResolvedPaths,
    tops: BTreeSet<PathBuf>,
    pieces: BTreeSet<PathBuf>,
}

impl<'a> OpenedPaths<'a> {
    fn in_places(paths: &'a ResolvedPaths) -> Self {
        Self {
            paths,
            tops: BTreeSet::new(),
            pieces: BTreeSet::new(),
        }
    }

    /// Opens the target of a path without `secrets` in it, unless the path is one itself, and
    /// without `denied` parts.
    fn add(&mut self, path: &Path, secrets: &[PathBuf], denied: &[PathBuf]) {
        let Some(path) = self.paths.target(path) else {
            return;
        };
        // A user who names a secret means it.
        let inside = secrets
            .iter()
            .filter(|secret| secret.starts_with(&path) && **secret != path);
        let closed: Vec<&Path> = inside.chain(denied).map(PathBuf::as_path).collect();
        if closed.iter().any(|closed| path.starts_with(closed)) {
            return;
        }
        self.tops.insert(path.clone());
        self.open(&path, &closed);
    }

    fn open(&mut self, path: &Path, closed: &[&Path]) {
        if closed.contains(&path) {
            return;
        }
        let inside: Vec<&Path> = closed
            .iter()
            .copied()
            .filter(|closed| closed.starts_with(path))
            .collect();
        if inside.is_empty() {
            self.pieces.insert(path.to_owned());
            return;
        }
        // A folder that cannot be listed stays closed.
        for one in disk::names(path).unwrap_or_default() {
            if !one.is_link {
                self.open(&path.join(one.name), &inside);
            }
        }
    }

    /// Returns the pieces, without those that lie in others.
    fn list(&self) -> Vec<PathBuf> {
        let mut list: Vec<PathBuf> = Vec::new();
        // A folder comes before its content.
        for piece in &self.pieces {
            let is_held = |folder: &Path| self.pieces.contains(folder);
            if !piece.ancestors().skip(1).any(is_held) {
                list.push(piece.clone());
            }
        }
        list
    }
}

#[cfg(unix)]
fn is_readable(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(path, Access::READ_OK).is_ok()
}

#[cfg(not(unix))]
fn is_readable(path: &Path) -> bool {
    disk::exists(path)
}

/// Returns true if a folder exists, holds no folder, and is not denied.
fn holds_no_folder(folder: &Path, denied: &[PathBuf]) -> bool {
    let is_denied = denied
        .iter()
        .any(|denied| folder.starts_with(denied) || denied.starts_with(folder));
    let names = disk::names(folder);
    !is_denied && names.is_ok_and(|names| !names.iter().any(|one| one.is_folder))
}

/// Adds the files that a configuration of git names: included ones, and lists of files.
fn includes(config: &Path, home: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok((text, _)) = disk::Disk::default().read_text(config, "git's configuration") else {
        return;
    };
    for line in text.lines() {
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let key = key.trim().to_ascii_lowercase();
        // A section may stand before it on the same line.
        let key = key
            .rsplit(|letter: char| letter == ']' || letter.is_whitespace())
            .next()
            .unwrap_or_default();
        if !["path", "excludesfile", "attributesfile", "template"].contains(&key) {
            continue;
        }
        let value = value.trim().trim_matches('"');
        let path = match value.strip_prefix("~/") {
            Some(rest) => home.join(rest),
            None => config.parent().unwrap_or(home).join(value),
        };
        if !disk::is_file(&path) || found.contains(&path) {
            continue;
        }
        found.push(path.clone());
        if key == "path" && depth > 0 {
            includes(&path, home, depth - 1, found);
        }
    }
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
