//! Starts a confined process with nothing but its three standard streams.

#![expect(
    clippy::disallowed_methods,
    reason = "this file is where confined processes are started"
)]

use std::ffi::OsString;
use std::io::{self, PipeWriter};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use chant_base::own_children;
use chant_store::disk;

use super::{ConfinePolicy, Confinement, LandlockSupport, SandboxLauncher, refused};

/// The settings with which a process is started, in a process group of its own.
#[derive(Debug)]
pub struct ProcessStart<'a> {
    /// Program and arguments; the program is searched in the `PATH` of `environment`.
    pub argv: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The variable by which its processes are recognised: a launcher gets it, too.
    pub mark: Option<&'a str>,
    /// Its working folder.
    pub folder: &'a Path,
    /// Its standard input.
    pub input: ProcessInput,
    /// Its standard output.
    pub output: Stdio,
    /// Its standard error.
    pub errors: Stdio,
}

/// The standard input of a process.
#[derive(Debug)]
pub enum ProcessInput {
    /// Nothing.
    Nothing,
    /// A pipe, whose other end the started [`Child`] holds.
    Pipe,
    /// An open file.
    File(OwnedFd),
}

impl ProcessInput {
    /// Returns the end of the process, and ours if it is a pipe.
    pub(super) fn opened(self) -> io::Result<(OwnedFd, Option<PipeWriter>)> {
        match self {
            Self::Nothing => Ok((disk::nothing().map_err(refused)?.into(), None)),
            Self::File(file) => Ok((file, None)),
            Self::Pipe => {
                let (theirs, ours) = io::pipe()?;
                Ok((theirs.into(), Some(ours)))
            }
        }
    }
}

/// What is done about a process before anything of its program runs.
pub struct BeforeProgram<'a> {
    /// The launcher of a process without a confinement; a policy names its own.
    pub launcher: Option<&'a SandboxLauncher>,
    /// Gets the number of the process, which waits meanwhile. Where no launcher starts it, its program may run already.
    pub prepare: &'a mut dyn FnMut(u32),
}

impl Confinement {
    /// Starts a confined process, or one without a confinement.
    ///
    /// # Errors
    /// A failure when the confinement cannot be enforced, in which case nothing is started, or as
    /// [`Command::spawn`].
    pub fn start(&self, start: ProcessStart<'_>) -> io::Result<Child> {
        self.start_by(self.used_launcher(), start, &mut |_| {})
    }

    /// Starts a process that waits until something has been done about it.
    ///
    /// # Errors
    /// As [`Confinement::start`]; the process has ended then.
    pub fn start_prepared(
        &self,
        start: ProcessStart<'_>,
        before: BeforeProgram<'_>,
    ) -> io::Result<Child> {
        let launcher = match self.policy() {
            None => before.launcher,
            Some(policy) => policy.launcher.as_ref(),
        };
        self.start_by(launcher, start, before.prepare)
    }

    fn start_by(
        &self,
        launcher: Option<&SandboxLauncher>,
        mut start: ProcessStart<'_>,
        prepare: &mut dyn FnMut(u32),
    ) -> io::Result<Child> {
        self.complete(&mut start.argv, &mut start.environment);
        #[cfg(target_os = "linux")]
        if let Some(launcher) = launcher {
            return super::sandbox::start(self, launcher, start, prepare);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = launcher;
        let (input, ours) = start.input.opened()?;
        let mut argv = start.argv.into_iter();
        let mut command = Command::new(argv.next().unwrap_or_default());
        command
            .args(argv)
            .env_clear()
            .envs(start.environment)
            .current_dir(start.folder)
            .process_group(0)
            .stdin(input)
            .stdout(start.output)
            .stderr(start.errors);
        let mut child = self.spawn(&mut command)?;
        prepare(child.id());
        child.stdin = ours.map(|pipe| OwnedFd::from(pipe).into());
        Ok(child)
    }
}

impl SandboxLauncher {
    /// Tries to start a process in namespaces of its own, as confined ones are; it does nothing.
    ///
    /// # Errors
    /// The reason why that is not possible here.
    pub fn try_namespaces(&self, ability: LandlockSupport) -> io::Result<()> {
        let launcher = Self {
            namespaces: true,
            ..self.clone()
        };
        let policy = ConfinePolicy {
            launcher: Some(launcher),
            ability,
            ..ConfinePolicy::default()
        };
        Confinement::to(policy).try_start()
    }
}

impl Confinement {
    /// Runs a script of the shell without input and output; returns true if it succeeds.
    ///
    /// # Errors
    /// As [`Confinement::start`].
    pub fn run_quietly(&self, script: &str, folder: &Path) -> io::Result<bool> {
        let start = ProcessStart {
            argv: ["/bin/sh", "-c", script].map(OsString::from).into(),
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            mark: None,
            folder,
            input: ProcessInput::Nothing,
            output: Stdio::null(),
            errors: Stdio::null(),
        };
        // An agent may run meanwhile: this is none of its processes.
        let mut child = own_children::start_noted(false, || self.start(start), Child::id)?;
        let ended = child.wait();
        own_children::forget(child.id());
        Ok(ended?.success())
    }

    /// Confines a process that does nothing.
    ///
    /// # Errors
    /// As [`Confinement::start`].
    pub fn try_start(&self) -> io::Result<()> {
        if self.used_launcher().is_none() {
            let ended = || io::Error::other("the thread that tried it ended early");
            let own = self.clone();
            let tried = std::thread::spawn(move || own.enforce());
            return tried.join().unwrap_or_else(|_| Err(ended()));
        }
        let start = ProcessStart {
            argv: Vec::new(),
            environment: Vec::new(),
            mark: None,
            folder: Path::new("/"),
            input: ProcessInput::Nothing,
            output: Stdio::null(),
            errors: Stdio::null(),
        };
        // An agent may run meanwhile: this is none of its processes.
        let mut child = own_children::start_noted(false, || self.start(start), Child::id)?;
        let ended = child.wait();
        own_children::forget(child.id());
        ended.map(drop)
    }
}

/// Lets programs that this process starts from now on inherit nothing but their standard streams. What it
/// opens later is not inherited either: that is how Rust and Python open.
pub(crate) fn inherit_nothing() {
    close_fds::set_fds_cloexec_threadsafe(FIRST, &[]);
}

/// The first descriptor behind the standard streams.
const FIRST: i32 = 3;

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;
    use std::time::{Duration, Instant};

    use super::*;

    /// Takes an order, says that it was done, and ends when a file is there.
    const LAUNCHER: &str = "head -c 8 >/dev/null; dd bs=1M count=1 >/dev/null 2>&1; echo $$ >\"$0/number\"; \
        printf c >&0; exec <&-; while ! test -e \"$0/go\"; do sleep 0.01; done";

    #[test]
    fn process_that_tries_namespaces_is_one_of_our_own_while_it_runs() {
        let folder = tempfile::tempdir().unwrap();
        let launcher = SandboxLauncher {
            argv: vec![
                "/bin/sh".into(),
                "-c".into(),
                LAUNCHER.into(),
                folder.path().into(),
            ],
            environment: Vec::new(),
            namespaces: false,
        };
        let tried =
            std::thread::spawn(move || launcher.try_namespaces(LandlockSupport::of_system(None)));
        let number = || {
            let text = fs::read_to_string(folder.path().join("number")).unwrap_or_default();
            text.strip_suffix('\n')?.parse::<u32>().ok()
        };
        let until = Instant::now() + Duration::from_secs(60);
        while number().is_none() && Instant::now() < until {
            std::thread::yield_now();
        }
        let number = number().unwrap();
        let is_noted = own_children::running().contains(&number);
        fs::write(folder.path().join("go"), "").unwrap();
        tried.join().unwrap().unwrap();
        assert!(is_noted);
        assert!(!own_children::running().contains(&number));
    }
}
