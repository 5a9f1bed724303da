//! What a process and all that it starts may touch, held by the kernel.
//!
//! The thread that starts a confined process restricts itself first and ends after the start: what a thread
//! may not do, its child may not do either, while the rest of this process stays as it was. So a start costs
//! no program in between, and needs no daemon and no root.

pub mod ability;
pub mod bubblewrap;
#[cfg(target_os = "linux")]
mod landlock;
pub mod macos;
pub mod places;
pub mod policy;
pub mod reach;
pub mod refusal;
#[cfg(target_os = "linux")]
mod seccomp;
pub mod writes;

use std::ffi::OsString;
use std::io;
use std::process::{Child, Command};
use std::sync::Arc;

pub use ability::{Ability, Standing};
pub use policy::{Backend, Network, Policy};

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
    /// Holds to a policy.
    pub fn to(policy: Policy) -> Self {
        Self::Kernel(Arc::new(policy))
    }

    /// Whether a program has to start what is held.
    pub fn is_a_program(&self) -> bool {
        matches!(self, Self::Kernel(policy) if policy.backend != Backend::Landlock)
    }

    /// A sentence about what this refused, if an output's last lines look like that.
    pub fn hint<'a>(&self, lines: impl IntoIterator<Item = &'a str>) -> Option<String> {
        match self {
            Self::Off => None,
            Self::Kernel(policy) => refusal::hint(policy, lines),
        }
    }

    /// The command line that is to be started by [`Confinement::spawn`] for a command line: some backends are
    /// programs that start it.
    pub fn command_line(&self, argv: Vec<OsString>) -> Vec<OsString> {
        let Self::Kernel(policy) = self else {
            return argv;
        };
        let before = match &policy.backend {
            Backend::Landlock => Vec::new(),
            Backend::Bubblewrap(program) => bubblewrap::arguments(program, policy),
            Backend::Seatbelt => macos::arguments(policy),
        };
        before.into_iter().chain(argv).collect()
    }

    /// Starts a process that is held like this, with all that it starts. Its command line is one that
    /// [`Confinement::command_line`] gave.
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

    /// Restricts the calling thread and all that it will start, for good.
    ///
    /// # Errors
    /// When that cannot be enforced; the thread may be restricted in part then.
    pub fn enforce(&self) -> io::Result<()> {
        match self {
            Self::Off => Ok(()),
            Self::Kernel(policy) => policy.enforce(),
        }
    }
}

impl Policy {
    /// Restricts the calling thread and all that it will start, as far as no other program does that.
    fn enforce(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            // `bwrap` makes a view of its own of the system, for which the superuser needs capabilities; it drops
            // them itself.
            if self.backend == Backend::Landlock {
                landlock::drop_capabilities()?;
                landlock::restrict(self)?;
            }
            seccomp::restrict(self)
        }
        #[cfg(not(target_os = "linux"))]
        match self.backend {
            Backend::Seatbelt => Ok(()),
            _ => Err(refused("there is no Landlock on this system")),
        }
    }
}

/// An error that says that something cannot be confined.
fn refused(why: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("it cannot be confined: {why}"))
}
