//! The policy of a confined process, as a value.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ability::LandlockSupport;

/// The folder of named semaphores and shared memory.
pub(crate) const SHARED_MEMORY: &str = "/dev/shm";

/// The files, folders and networks that a process may use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfinePolicy {
    /// Files and folders that may be read, with programs in them that may run, without those that
    /// are denied.
    pub read: Vec<PathBuf>,
    /// The same with denied parts inside, for backends that can deny a part of a folder.
    pub open: Vec<PathBuf>,
    /// Files and folders that may also be written. Each must exist, but for those that were found.
    pub write: Vec<PathBuf>,
    /// Those of them that nobody named: what a folder with closed parts holds beside these. Others make and remove
    /// files there, so that one may be gone by the time it is opened.
    pub found: BTreeSet<PathBuf>,
    /// Paths that are never read, although they lie in readable folders.
    pub denied: Vec<PathBuf>,
    /// The folders in which programs are looked for.
    pub searched: Vec<PathBuf>,
    /// Variables that lead tools to copies of settings in place of those that are denied.
    pub variables: BTreeMap<String, String>,
    /// True if files directly in the system's `/dev/shm` may be created and written: named semaphores
    /// are such files. In namespaces of its own a process has a `/dev/shm` of its own.
    pub shared_memory: bool,
    /// The reachable network.
    pub network: NetworkAccess,
    /// True if named sockets may be created and connected to.
    pub unix_sockets: bool,
    /// The reachable shared memory, semaphores and message queues.
    pub ipc: IpcAccess,
    /// True if terminals may be created.
    pub pty: bool,
    /// A folder of control groups to which the confined process is moved before it starts; only a
    /// launcher does so.
    pub cgroup: Option<PathBuf>,
    /// The greatest number of processes and threads at once; only in namespaces, and only where the
    /// kernel can limit these.
    pub max_processes: Option<u32>,
    /// Folders that show files of others, with what the process writes kept apart; only in namespaces.
    pub overlays: Vec<OverlayMount>,
    /// Folders that are empty for the process; only in namespaces.
    pub covered: Vec<PathBuf>,
    /// The process whose mounts and network it shares, a [`crate::namespace_holder::NamespaceHolder`]'s, in place of
    /// own ones: one folder may be mounted by several processes only if they share the mount.
    pub shares_namespaces_of: Option<u32>,
    /// The end of the process, if it does not end by itself before; only a launcher sees to that.
    pub lifetime: ProcessLifetime,
    /// The program that starts the process, in namespaces if they can be used; without it the process
    /// has those of this process.
    pub launcher: Option<SandboxLauncher>,
    /// The program that enforces it.
    pub backend: ConfineBackend,
    /// The features that the system can enforce.
    pub ability: LandlockSupport,
}

/// A folder that shows the files of another one, over which writes go to a third.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverlayMount {
    /// The folder that is mounted on; no link leads there.
    pub target: PathBuf,
    /// The files that are shown.
    pub lower: PathBuf,
    /// The files that were written.
    pub upper: PathBuf,
    /// An empty folder on the same file system as `upper`.
    pub work: PathBuf,
}

/// The lifetime of a process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcessLifetime {
    /// Its own.
    #[default]
    Own,
    /// It ends with the process that starts it.
    OfStarter,
}

/// The reachable parts of a network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NetworkAccess {
    /// Everything that the machine reaches.
    #[default]
    Open,
    /// A network of its own, or of those that share its namespaces, with nothing but a loopback. Without namespaces
    /// there is none.
    Own,
    /// Nothing, not even this machine itself.
    None,
}

/// The reachable shared memory, semaphores and message queues, those of System V and of POSIX.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum IpcAccess {
    /// None: the calls are refused.
    #[default]
    Refused,
    /// The process's own, in a namespace of its own.
    Private,
    /// Those of the user.
    Open,
}

/// The programs that enforce a policy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConfineBackend {
    /// Landlock and a filter of system calls.
    #[default]
    Landlock,
    /// The program `bwrap` at a path, and a filter of system calls.
    Bubblewrap(PathBuf),
    /// `sandbox-exec` of macOS.
    Seatbelt,
}

/// The program that starts confined processes: a process that has one thread can enter a user
/// namespace, and one of ours has several.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxLauncher {
    /// Program and arguments; it takes an order from its standard input.
    pub argv: Vec<OsString>,
    /// Its whole environment. It does not get that of the confined process, where a variable may
    /// name libraries in the folder of a run.
    pub environment: Vec<(OsString, OsString)>,
    /// True if it starts processes in namespaces of their own: processes, mounts, and memory,
    /// messages and semaphores that are shared.
    pub namespaces: bool,
}

impl ConfinePolicy {
    /// Returns true if the process gets namespaces of its own from our launcher.
    pub fn has_namespaces(&self) -> bool {
        let is_ours = self.backend == ConfineBackend::Landlock;
        is_ours && self.launcher.as_ref().is_some_and(|one| one.namespaces)
    }

    /// Returns the launcher if it has something to do.
    pub(crate) fn used_launcher(&self) -> Option<&SandboxLauncher> {
        let is_used = self.has_namespaces()
            || self.cgroup.is_some()
            || self.lifetime == ProcessLifetime::OfStarter;
        self.launcher.as_ref().filter(|_| is_used)
    }

    /// Returns true if the process gets a network of its own.
    pub fn has_own_network(&self) -> bool {
        self.network == NetworkAccess::Own && self.has_namespaces()
    }

    /// Returns true if the process reaches no network at all.
    pub(crate) fn refuses_network(&self) -> bool {
        match self.network {
            NetworkAccess::Open => false,
            NetworkAccess::Own => !self.has_namespaces(),
            NetworkAccess::None => true,
        }
    }

    /// Returns true if the folder of shared memory is that of the system: the user opens it.
    pub(crate) fn opens_shared_memory(&self) -> bool {
        let mut opened = self.read.iter().chain(&self.write);
        self.ipc == IpcAccess::Open || opened.any(|path| path == Path::new(SHARED_MEMORY))
    }

    /// Returns the entries of the folder of shared memory in which something is opened.
    pub(crate) fn opened_in_shared_memory(&self) -> impl Iterator<Item = PathBuf> {
        let opened = self.read.iter().chain(&self.write);
        opened.filter_map(|path| {
            let first = path.strip_prefix(SHARED_MEMORY).ok()?.iter().next()?;
            Some(Path::new(SHARED_MEMORY).join(first))
        })
    }
}
