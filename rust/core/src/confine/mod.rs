//! What a process and all that it starts may touch, held by the kernel.
//!
//! The thread that starts a confined process restricts itself first and ends after the start: what a thread
//! may not do, its child may not do either, while the rest of this process stays as it was. So a start costs
//! no program in between, and needs no daemon and no root.

pub mod policy;
pub mod writes;

use std::io;
use std::process::{Child, Command};
use std::sync::Arc;

pub use policy::Policy;

/// How a process is held.
#[derive(Debug, Clone, Default)]
pub enum Confinement {
    /// Not at all.
    #[default]
    Off,
    /// By the kernel, to what the policy says.
    Kernel(Arc<Policy>),
}

impl Confinement {
    /// Starts a process that is held like this, with all that it starts.
    ///
    /// # Errors
    /// When the policy cannot be enforced, in which case nothing is started, or as [`Command::spawn`].
    pub fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        match self {
            Self::Off => command.spawn(),
            Self::Kernel(policy) => std::thread::scope(|scope| {
                let starter = scope.spawn(|| {
                    policy.enforce()?;
                    command.spawn()
                });
                let ended = || io::Error::other("the thread that starts it ended early");
                starter.join().unwrap_or_else(|_| Err(ended()))
            }),
        }
    }
}
