//! Confines a process and all that it starts: the kernel enforces a policy.
//!
//! Where the system has namespaces, a launcher starts the process in its own ([`sandbox`]). Else the
//! thread that starts it restricts itself first and ends after the start: a child has the restrictions
//! of its thread, while the rest of this process stays as it was. So a start needs no daemon and no
//! root. A confined process inherits nothing but its standard streams.
//!
//! It knows no run and no configuration.

pub mod ability;
pub mod bubblewrap;
#[cfg(target_os = "linux")]
mod landlock;
pub mod macos;
#[cfg(unix)]
pub mod namespace_holder;
mod opened_paths;
mod places;
pub mod policy;
pub mod reach;
pub mod refusal;
#[cfg(target_os = "linux")]
pub mod refused_calls;
mod resolved_paths;
#[cfg(target_os = "linux")]
pub mod sandbox;
#[cfg(target_os = "linux")]
mod seccomp;
pub mod settings_files;
#[cfg(unix)]
pub mod start;
mod system_secrets;
mod toolchain_places;
mod toolchains;
pub mod writes;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::Arc;

pub use ability::{ConfinementStatus, LandlockSupport};
pub use policy::{
    ConfineBackend, ConfinePolicy, IpcAccess, NetworkAccess, OverlayMount, ProcessLifetime,
    SandboxLauncher,
};
pub use toolchains::describe_closed;

/// The confinement of a process.
#[derive(Debug, Clone, Default)]
pub enum Confinement {
    /// Not confined.
    #[default]
    Off,
    /// Confined by the kernel to a policy.
    Kernel(Arc<ConfinePolicy>),
}

impl Confinement {
    /// Creates a confinement to a policy.
    pub fn to(policy: ConfinePolicy) -> Self {
        Self::Kernel(Arc::new(policy))
    }

    /// Returns true if a program has to start the confined process.
    pub fn is_a_program(&self) -> bool {
        matches!(self, Self::Kernel(policy) if policy.backend != ConfineBackend::Landlock)
    }

    /// Returns true if killing the started process ends all processes inside, wherever they went: they
    /// are in a namespace of processes that the kernel empties when its first process ends, and that
    /// one is killed when the started process ends.
    pub fn ends_with_its_first_process(&self) -> bool {
        match self {
            Self::Off => false,
            Self::Kernel(policy) => {
                policy.has_namespaces() || matches!(policy.backend, ConfineBackend::Bubblewrap(_))
            }
        }
    }

    /// Returns a sentence about a refusal by this confinement, if the last lines of an output look
    /// like one.
    pub fn hint<'a>(&self, lines: impl IntoIterator<Item = &'a str>) -> Option<String> {
        match self {
            Self::Off => None,
            Self::Kernel(policy) => refusal::hint(policy, lines),
        }
    }

    /// Returns the command line that [`Confinement::spawn`] starts for a command line: some
    /// backends are programs that start it.
    pub fn command_line(&self, argv: Vec<OsString>) -> Vec<OsString> {
        let Self::Kernel(policy) = self else {
            return argv;
        };
        let before = match &policy.backend {
            ConfineBackend::Landlock => Vec::new(),
            ConfineBackend::Bubblewrap(program) => bubblewrap::arguments(program, policy),
            ConfineBackend::Seatbelt => macos::arguments(policy),
        };
        before.into_iter().chain(argv).collect()
    }

    /// Adds to a command line and its environment what the backend and the policy need, so that [`Confinement::enforce`]
    /// and the start of the line confine its program.
    fn complete(&self, argv: &mut Vec<OsString>, environment: &mut Vec<(OsString, OsString)>) {
        let Some(policy) = self.policy() else { return };
        let variables = policy.variables.iter();
        environment.extend(variables.map(|(name, value)| (name.into(), value.into())));
        if argv.is_empty() {
            // It is only to be tried.
            return;
        }
        *argv = self.command_line(std::mem::take(argv));
        #[cfg(unix)]
        if let ConfineBackend::Bubblewrap(_) = policy.backend {
            bubblewrap::pass_loader_variables(argv, environment);
        }
    }

    /// Returns the launcher of the policy if it has something to do.
    fn used_launcher(&self) -> Option<&SandboxLauncher> {
        self.policy().and_then(ConfinePolicy::used_launcher)
    }

    fn policy(&self) -> Option<&ConfinePolicy> {
        match self {
            Self::Off => None,
            Self::Kernel(policy) => Some(policy),
        }
    }

    /// Starts a confined process without namespaces of its own: they would take a call of git ten times
    /// as long. Its command line must come from [`Confinement::command_line`].
    ///
    /// # Errors
    /// A failure when the policy cannot be enforced, in which case nothing is started, or as
    /// [`Command::spawn`].
    pub fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        match self {
            Self::Off => command.spawn(),
            Self::Kernel(policy) => std::thread::scope(|scope| {
                let starter = scope.spawn(|| {
                    self.enforce()?;
                    command.envs(&policy.variables).spawn()
                });
                let ended = || io::Error::other("the thread that starts it ended early");
                starter.join().unwrap_or_else(|_| Err(ended()))
            }),
        }
    }

    /// Restricts the calling thread and all processes that it will start, for good; they inherit
    /// nothing but the standard streams.
    ///
    /// # Errors
    /// A failure when that cannot be enforced; the thread may then be partly restricted.
    pub fn enforce(&self) -> io::Result<()> {
        match self {
            Self::Off => Ok(()),
            Self::Kernel(policy) => {
                #[cfg(unix)]
                start::inherit_nothing();
                policy.enforce()
            }
        }
    }

    /// Returns the launcher that has to start a program, with an order for it, for a process that
    /// continues as the launcher; `None` if [`Confinement::enforce`] is enough.
    ///
    /// # Errors
    /// A failure when a path is no text.
    #[cfg(target_os = "linux")]
    pub fn order(
        &self,
        mut program: ConfinedProgram,
    ) -> io::Result<Option<(SandboxLauncher, Vec<u8>)>> {
        let Some(launcher) = self.used_launcher() else {
            return Ok(None);
        };
        self.complete(&mut program.argv, &mut program.environment);
        Ok(Some((launcher.clone(), sandbox::order(self, program)?)))
    }
}

/// A program that a process continues as.
#[derive(Debug, Clone)]
pub struct ConfinedProgram {
    /// Program and arguments.
    pub argv: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Its working folder.
    pub folder: PathBuf,
}

impl ConfinePolicy {
    /// Restricts the calling thread and all processes that it will start, as far as no other
    /// program does that.
    fn enforce(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            // `bwrap` creates its own view of the system, for which the superuser needs
            // capabilities; it drops them itself.
            if self.backend == ConfineBackend::Landlock {
                landlock::drop_capabilities()?;
                landlock::restrict(self)?;
            }
            seccomp::restrict(self)
        }
        #[cfg(not(target_os = "linux"))]
        match self.backend {
            ConfineBackend::Seatbelt => Ok(()),
            _ => Err(refused("there is no Landlock on this system")),
        }
    }
}

/// Returns an error for a process that cannot be confined.
fn refused(why: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("it cannot be confined: {why}"))
}
