//! What a confined process may do, as a value.

use std::io;
use std::path::PathBuf;

/// What may be read and written, and by which ways out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Files and folders that may be read, and programs in them run.
    pub read: Vec<PathBuf>,
    /// Files and folders that may be written, too.
    pub write: Vec<PathBuf>,
}

impl Policy {
    /// Restricts the calling thread and all that it will start.
    ///
    /// # Errors
    /// When the kernel cannot hold it.
    #[cfg(target_os = "linux")]
    pub(super) fn enforce(&self) -> io::Result<()> {
        use landlock::{
            ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, path_beneath_rules,
        };
        let abi = ABI::V3;
        let all = AccessFs::from_all(abi);
        let ruleset = Ruleset::default()
            .handle_access(all)
            .map_err(io::Error::other)?
            .create()
            .map_err(io::Error::other)?
            .add_rules(path_beneath_rules(&self.read, AccessFs::from_read(abi)))
            .map_err(io::Error::other)?
            .add_rules(path_beneath_rules(&self.write, all))
            .map_err(io::Error::other)?;
        ruleset.restrict_self().map_err(io::Error::other)?;
        Ok(())
    }

    /// Restricts the calling thread and all that it will start.
    ///
    /// # Errors
    /// Always: there is no such means on this system.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn enforce(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
