//! Turns the wanted paths, as the user names them, into the files and folders that are opened.
//!
//! Rights are given to a folder with all its content and cannot be taken back for a part of it. So
//! if a part of a folder is denied, its other entries are opened one by one. Entries that appear
//! there later stay closed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::ability::LandlockSupport;
use crate::opened_paths::OpenedPaths;
use crate::places::{SECRETS_OF_HOME, SYSTEM};
use crate::policy::{
    ConfineBackend, ConfinePolicy, IpcAccess, NetworkAccess, ProcessLifetime, SHARED_MEMORY,
    SandboxLauncher,
};
use crate::resolved_paths::ResolvedPaths;
use crate::system_secrets::secrets_of_system;
use crate::toolchains::ToolchainFinder;
use chant_store::disk;

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
    /// The reachable shared memory, semaphores and message queues.
    pub ipc: IpcAccess,
    /// True if terminals may be created.
    pub pty: bool,
    /// The program that starts the process.
    pub launcher: Option<SandboxLauncher>,
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
        let finder = ToolchainFinder::new(&request.environment, self.home(), paths);
        let found = finder.find(&request.programs);
        let secrets = self.secrets(&found.closed);
        let mut guarded = secrets.clone();
        guarded.extend(denied_by_people.iter().cloned());
        guarded.extend(self.home().map(|home| self.paths.real(&home)));
        let mut open = OpenedPaths::in_places(paths);
        for path in SYSTEM {
            open.add(Path::new(path), &guarded, &[]);
        }
        for path in &found.open {
            open.add_found(path, &secrets, &denied_by_people);
        }
        for path in &found.named {
            open.add(path, &secrets, &denied_by_people);
        }
        for path in self.named(&request.read)? {
            open.add(&path, &secrets, &denied_by_people);
        }
        for path in &request.own_read {
            open.add(path, &BTreeSet::new(), &denied_by_people);
        }
        let mut write = OpenedPaths::in_places(paths);
        for path in self.named(&request.write)? {
            write.add(&path, &secrets, &denied_by_people);
        }
        let mut written = write.list();
        let is_found = |path: &&PathBuf| !write.tops.contains(*path);
        let found_to_write = written.iter().filter(is_found).cloned().collect();
        written.extend(request.own_write.iter().map(|path| self.paths.real(path)));
        let mut denied: Vec<PathBuf> = secrets.into_iter().collect();
        denied.extend(denied_by_people);
        Ok(ConfinePolicy {
            read: open.list(),
            open: open.tops.into_iter().collect(),
            write: written,
            found: found_to_write,
            shared_memory: self.opens_shared_memory(&denied),
            denied,
            searched: self.searched(),
            variables: BTreeMap::new(),
            network: request.network,
            unix_sockets: request.unix_sockets,
            ipc: request.ipc,
            pty: request.pty,
            cgroup: None,
            max_processes: None,
            overlays: Vec::new(),
            covered: Vec::new(),
            shares_namespaces_of: None,
            lifetime: ProcessLifetime::Own,
            launcher: request.launcher.clone(),
            backend: request.backend.clone(),
            ability: request.ability,
        })
    }

    /// Returns the folders in which programs are looked for.
    fn searched(&self) -> Vec<PathBuf> {
        let path = self.request.environment.get("PATH").copied();
        let folders = path.unwrap_or_default().split(':').map(PathBuf::from);
        folders.filter(|folder| folder.is_absolute()).collect()
    }

    /// Returns true if a process that has no folder of shared memory of its own may use the system's:
    /// rights to it are rights to all that lies there. So it must be empty, unless the user opens it;
    /// then it must hold no folder, as no program makes one there.
    fn opens_shared_memory(&self, denied: &[PathBuf]) -> bool {
        let folder = Path::new(SHARED_MEMORY);
        let is_denied = denied
            .iter()
            .any(|denied| folder.starts_with(denied) || denied.starts_with(folder));
        let is_open = self.request.ipc == IpcAccess::Open;
        let is_free =
            |names: Vec<disk::FolderEntry>| names.iter().all(|one| is_open && !one.is_folder);
        !is_denied && disk::names(folder).is_ok_and(is_free)
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
    fn secrets(&self, of_toolchains: &[PathBuf]) -> BTreeSet<PathBuf> {
        let home = self.home();
        let of_home = home
            .iter()
            .flat_map(|home| SECRETS_OF_HOME.iter().map(|name| home.join(name)));
        let others = secrets_of_system()
            .into_iter()
            .chain(of_toolchains.iter().cloned())
            .chain(self.request.state.clone());
        let mut secrets = BTreeSet::new();
        for path in of_home.chain(others) {
            if disk::exists(&path) || disk::is_link(&path) {
                secrets.insert(self.paths.place(&path));
                secrets.insert(self.paths.real(&path));
            }
        }
        secrets
    }
}
