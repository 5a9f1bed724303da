//! What a confined process may do, as a value.

use std::path::PathBuf;

use super::ability::Ability;

/// What may be read and written, and by which ways out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Files and folders that may be read, and programs in them run, without those that are denied.
    pub read: Vec<PathBuf>,
    /// The same before what is denied was taken out of them, for backends that can deny inside of a folder.
    pub open: Vec<PathBuf>,
    /// Files and folders that may be written, too. Each must be there.
    pub write: Vec<PathBuf>,
    /// What is never read, although it lies in something that may be read.
    pub denied: Vec<PathBuf>,
    /// Whether files that lie in `/dev/shm` itself may be made and written: named semaphores are such files.
    pub shared_memory: bool,
    /// What can be reached over a network.
    pub network: Network,
    /// Whether sockets with names may be made and connected to.
    pub unix_sockets: bool,
    /// Whether terminals may be made.
    pub pty: bool,
    /// Who enforces it.
    pub backend: Backend,
    /// What the system can enforce.
    pub ability: Ability,
}

/// What can be reached over a network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Network {
    /// All that the machine reaches.
    #[default]
    Open,
    /// Nothing, this machine itself included.
    None,
}

/// Who enforces a policy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Backend {
    /// Landlock and a filter of system calls.
    #[default]
    Landlock,
    /// The program `bwrap` at a path, and a filter of system calls.
    Bubblewrap(PathBuf),
    /// `sandbox-exec` of macOS.
    Seatbelt,
}
