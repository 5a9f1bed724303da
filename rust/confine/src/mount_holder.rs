//! Holds mounts that several confined processes of one folder share: an overlay whose files two mounts write is damaged.
//!
//! The holder is a launcher that starts nothing: it mounts, says so, and waits for the end of its standard input, whose
//! other end the process has that asked for it. Each process that shares the mounts has a copy of their namespace, so
//! the mounts last as long as one of them.

use std::io;
use std::process::Child;
#[cfg(target_os = "linux")]
use std::{path::Path, process::Stdio};

use chant_base::own_children;

use super::Confinement;
#[cfg(target_os = "linux")]
use super::policy::{ConfinePolicy, ProcessLifetime};
#[cfg(target_os = "linux")]
use super::start::{ProcessInput, ProcessStart};

/// Mounts that confined processes share, for as long as this is held.
#[derive(Debug)]
pub struct MountHolder {
    child: Child,
}

impl MountHolder {
    /// Mounts what a confinement names; `None` if it has no namespaces. `mark` is the variable by which processes of a run
    /// are recognised, with its value.
    ///
    /// # Errors
    /// The reason why it cannot be mounted.
    #[cfg(target_os = "linux")]
    pub fn start(confinement: &Confinement, mark: (&str, &str)) -> io::Result<Option<Self>> {
        let Confinement::Kernel(policy) = confinement else {
            return Ok(None);
        };
        let launcher = policy.used_launcher();
        let Some(launcher) = launcher.filter(|_| policy.has_namespaces()) else {
            return Ok(None);
        };
        let policy = ConfinePolicy {
            lifetime: ProcessLifetime::OfStarter,
            ..ConfinePolicy::clone(policy)
        };
        let start = ProcessStart {
            argv: Vec::new(),
            environment: vec![(mark.0.into(), mark.1.into())],
            mark: Some(mark.0),
            folder: Path::new("/"),
            input: ProcessInput::Pipe,
            output: Stdio::null(),
            errors: Stdio::null(),
        };
        let started = || super::sandbox::start_holder(&policy, launcher, start);
        let child = own_children::start_noted(false, started, Child::id)?;
        Ok(Some(Self { child }))
    }

    /// There are no mounts on this system.
    ///
    /// # Errors
    /// None.
    #[cfg(not(target_os = "linux"))]
    pub fn start(_: &Confinement, _: (&str, &str)) -> io::Result<Option<Self>> {
        Ok(None)
    }

    /// Returns the number of the process that [`ConfinePolicy::shares_mounts_of`] names.
    pub fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for MountHolder {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        own_children::forget(self.child.id());
    }
}
