//! The policy of a confined process, as a value.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::ability::LandlockSupport;

/// The files, folders and networks that a process may use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfinePolicy {
    /// Files and folders that may be read, with programs in them that may run, without those that
    /// are denied.
    pub read: Vec<PathBuf>,
    /// The same with denied parts inside, for backends that can deny a part of a folder.
    pub open: Vec<PathBuf>,
    /// Files and folders that may also be written. Each must exist.
    pub write: Vec<PathBuf>,
    /// Paths that are never read, although they lie in readable folders.
    pub denied: Vec<PathBuf>,
    /// Variables that lead tools to copies of settings in place of those that are denied.
    pub variables: BTreeMap<String, String>,
    /// True if files directly in `/dev/shm` may be created and written: named semaphores are such
    /// files.
    pub shared_memory: bool,
    /// The reachable network.
    pub network: NetworkAccess,
    /// True if named sockets may be created and connected to.
    pub unix_sockets: bool,
    /// True if terminals may be created.
    pub pty: bool,
    /// A folder of control groups to which the confined process is moved before it starts.
    pub cgroup: Option<PathBuf>,
    /// The greatest number of processes at once, where namespaces of processes can be limited.
    pub max_processes: Option<u32>,
    /// The program that enforces it.
    pub backend: ConfineBackend,
    /// The features that the system can enforce.
    pub ability: LandlockSupport,
}

/// The reachable parts of a network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NetworkAccess {
    /// Everything that the machine reaches.
    #[default]
    Open,
    /// Nothing, not even this machine itself.
    None,
}

/// The programs that enforce a policy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ConfineBackend {
    /// Landlock and a filter of system calls.
    #[default]
    Landlock,
    /// The program `bwrap` at a path, and a filter of system calls.
    Bubblewrap(PathBuf),
    /// `sandbox-exec` of macOS.
    Seatbelt,
}
