//! Starts a runner as a process of its own, and passes it the name of its run.
//!
//! A runner is started before its run has a record, because the record names its process. It waits
//! for the name of the run on its standard input, and its standard output is the hand-shake.

use chant_base::diagnostics::{self, LogFailure};
use chant_base::inherited_environment::inherited_environment;
use chant_base::own_children;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::WorkError;
use super::agent;
use super::cancel_token::CancelToken;
use super::handshake::{self, StartHandshake};
use super::process::ProcessIdentity;
use super::process_tree;
use super::runner::RUNNER;
use chant_confine::Confinement;
use chant_confine::start::{ProcessInput, ProcessStart};
use chant_store::disk;

/// A runner that was started; it does nothing before it gets the name of its run.
pub struct LaunchedRunner {
    child: Child,
    identity: ProcessIdentity,
    name: Option<ChildStdin>,
    watch: Option<OwnedFd>,
    errors: PathBuf,
}

/// Starts a runner in a folder; its standard error goes to the new file `errors`, or where that of this
/// process goes while events are on. It inherits the environment except the variables `without`.
///
/// # Errors
/// `NoAgent` when the program cannot be started, or a `StoreError`.
pub fn launch(
    argv: &[String],
    without: &[&str],
    folder: &Path,
    errors: &Path,
) -> Result<LaunchedRunner, WorkError> {
    let standard_error = if diagnostics::is_on() {
        Stdio::inherit()
    } else {
        disk::new_file(errors)?.into()
    };
    let mut child = own_command(argv, without, folder)?
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(standard_error)
        .spawn()
        .map_err(|error| refused(argv, error.to_string()))?;
    Ok(LaunchedRunner {
        identity: ProcessIdentity::of(child.id()),
        name: child.stdin.take(),
        watch: agent::watch(&child),
        child,
        errors: errors.to_owned(),
    })
}

/// Starts a process of our own in a folder that belongs to no run and that nothing waits for: it
/// lives on when this process ends. Its standard streams are closed.
///
/// # Errors
/// `NoAgent` when the program cannot be started.
pub fn launch_aside(argv: &[String], without: &[&str], folder: &Path) -> Result<(), WorkError> {
    // It may be what stops the group of this process.
    let mut command = own_command(argv, without, folder)?;
    command
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let started = own_children::start_noted(false, || command.spawn(), Child::id);
    let mut child = started.map_err(|error| refused(argv, error.to_string()))?;
    // Waits for it, so that it does not stay a zombie while this process lives.
    std::thread::spawn(move || {
        child.wait().log_failure("wait for a process");
        own_children::forget(child.id());
    });
    Ok(())
}

/// A process of our own that serves other processes and that nothing waits for.
pub struct LaunchedService {
    child: Child,
    identity: ProcessIdentity,
    watch: Option<OwnedFd>,
}

/// The settings with which a service is started.
pub struct ServiceOptions<'a> {
    /// Program and arguments.
    pub argv: &'a [String],
    /// Its whole environment.
    pub environment: &'a BTreeMap<String, String>,
    /// Its working folder.
    pub folder: &'a Path,
    /// Its confinement.
    pub confinement: &'a Confinement,
    /// Its standard input.
    pub input: &'a str,
    /// The new file of its standard error.
    pub errors: &'a Path,
}

/// Starts a confined process of our own in a process group of its own, and writes its input.
///
/// # Errors
/// `NoAgent` when it cannot be started, `System`, or a `StoreError`.
pub fn launch_service(options: &ServiceOptions<'_>) -> Result<LaunchedService, WorkError> {
    let environment = options.environment.iter();
    let start = ProcessStart {
        argv: options.argv.iter().map(Into::into).collect(),
        environment: environment
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        mark: None,
        folder: options.folder,
        input: ProcessInput::Pipe,
        output: Stdio::null(),
        errors: disk::new_file(options.errors)?.into(),
    };
    let start = || options.confinement.start(start);
    let started = own_children::start_noted(false, start, Child::id);
    let mut child = started.map_err(|error| refused(options.argv, error.to_string()))?;
    let written = child.stdin.take().map_or(Ok(()), |mut input| {
        input.write_all(options.input.as_bytes())
    });
    let service = LaunchedService {
        identity: ProcessIdentity::of(child.id()),
        watch: agent::watch(&child),
        child,
    };
    match written {
        // Its last words, which the caller reads, say more.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(WorkError::System {
            action: "write to a service",
            source: error,
        }),
        _ => Ok(service),
    }
}

/// Waits for a while, or until a service ends.
pub fn wait_for_service(service: Option<&LaunchedService>, most: Duration) {
    let watch = service.and_then(|service| service.watch.as_ref());
    let mut polled: Vec<PollFd<'_>> = watch
        .map(|watch| PollFd::new(watch, PollFlags::IN))
        .into_iter()
        .collect();
    // A signal only makes it shorter.
    let _ = poll(&mut polled, Timespec::try_from(most).ok().as_ref());
}

impl LaunchedService {
    /// Returns its process.
    pub fn identity(&self) -> &ProcessIdentity {
        &self.identity
    }

    /// Returns true if it ended.
    pub fn has_ended(&mut self) -> bool {
        let has_ended = !matches!(self.child.try_wait(), Ok(None));
        if has_ended {
            own_children::forget(self.child.id());
        }
        has_ended
    }

    /// Kills it.
    pub fn kill(&mut self) {
        self.child.kill().log_failure("kill a service");
        self.child.wait().log_failure("wait for a service");
        own_children::forget(self.child.id());
    }

    /// Lets it live on by itself.
    pub fn detach(mut self) {
        // Waits for it, so that it does not stay a zombie while this process lives.
        std::thread::spawn(move || {
            self.child.wait().log_failure("wait for a service");
            own_children::forget(self.child.id());
        });
    }
}

/// Returns a command line of our own; its process does not count as one of a run's agent.
fn own_command(argv: &[String], without: &[&str], folder: &Path) -> Result<Command, WorkError> {
    let Some((program, arguments)) = argv.split_first() else {
        return Err(refused(argv, "its command is empty".into()));
    };
    let is_left_out = |name: &str| without.contains(&name);
    let mut command = inherited_environment().command(program, is_left_out);
    command
        .args(arguments)
        .env(RUNNER.0, RUNNER.1)
        .current_dir(folder);
    Ok(command)
}

fn refused(argv: &[String], why: String) -> WorkError {
    WorkError::NoAgent {
        program: argv.first().cloned().unwrap_or_default(),
        why,
    }
}

/// Gives this process the lowest priority, for processor and disks: the schedulers of both use the
/// same number. The process leaves the session of the process that started it.
pub fn step_back() {
    const LAST: i32 = 19;
    // A refusal here only costs other processes some time.
    rustix::process::setsid().log_failure("leave the session");
    rustix::process::nice(LAST).log_failure("take the lowest priority");
}

impl LaunchedRunner {
    /// Returns the runner's process.
    pub fn identity(&self) -> &ProcessIdentity {
        &self.identity
    }

    /// Passes the runner the name of its run, and waits until the run has started; `steps` is
    /// called with each step.
    ///
    /// # Errors
    /// The reason why it has not started.
    pub fn run(
        &mut self,
        process_id: &str,
        bound: Duration,
        steps: &mut dyn FnMut(&str),
    ) -> Result<(), String> {
        if let Some(mut name) = self.name.take() {
            // If the runner has ended already, the hand-shake reports it.
            let _ = writeln!(name, "{process_id}");
        }
        let Some(line) = self.child.stdout.take() else {
            return Err("The runner was given its run already".into());
        };
        let outcome = handshake::wait_for_handshake(&line, bound, Some(&self.errors), steps);
        disk::remove(&self.errors).log_failure("remove the standard error of a runner");
        outcome
    }

    /// Returns true if the runner ended.
    ///
    /// # Errors
    /// `System`.
    pub fn has_ended(&mut self) -> Result<bool, WorkError> {
        let ended = self.child.try_wait();
        ended
            .map(|status| status.is_some())
            .map_err(|source| WorkError::System {
                action: "look at a runner",
                source,
            })
    }

    /// Lets the runner live on by itself; `ended` is called when it ends, if this process still
    /// lives.
    pub fn detach(mut self, ended: impl FnOnce() + Send + 'static) {
        self.name.take();
        std::thread::spawn(move || {
            if self.child.wait().is_ok() {
                ended();
            }
        });
    }
}

/// Waits until one of several runners ends or this process is asked to end, `most` at the most.
///
/// # Errors
/// `System`.
pub fn wait_for_any<'a>(
    runners: impl Iterator<Item = &'a LaunchedRunner>,
    interruption: &CancelToken,
    most: Duration,
) -> Result<(), WorkError> {
    let (mut polled, mut most) = (Vec::new(), most);
    polled.push(PollFd::from_borrowed_fd(
        interruption.wakes_up(),
        PollFlags::IN,
    ));
    for runner in runners {
        match &runner.watch {
            Some(watch) => polled.push(PollFd::new(watch, PollFlags::IN)),
            None => most = most.min(process_tree::LOOK),
        }
    }
    match poll(&mut polled, Timespec::try_from(most).ok().as_ref()) {
        Err(rustix::io::Errno::INTR) => Ok(()),
        polled => polled.map(drop).map_err(|source| WorkError::System {
            action: "wait for a runner",
            source: source.into(),
        }),
    }
}

/// Makes this process, which [`launch`] started, a runner: it leaves the session of the process
/// that started it, and reads the name of its run. Standard input and output lead nowhere
/// afterwards.
///
/// # Errors
/// `System` when no name arrives.
pub fn take_up() -> Result<(String, StartHandshake), WorkError> {
    // Refused if it leads a group already, which is as good.
    rustix::process::setsid().log_failure("leave the session");
    let failed = |source| WorkError::System {
        action: "take up a run",
        source,
    };
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(failed)?;
    let name = line.trim_end();
    if name.is_empty() {
        let missing = io::Error::other("none was named on standard input");
        return Err(failed(missing));
    }
    let handshake = pipe_of_output().map_err(|error| failed(error.into()))?;
    Ok((name.to_owned(), handshake))
}

/// Reserves standard output for the hand-shake.
fn pipe_of_output() -> Result<StartHandshake, rustix::io::Errno> {
    let pipe = rustix::io::fcntl_dupfd_cloexec(io::stdout().as_fd(), 3)?;
    if let Ok(nothing) = disk::nothing() {
        rustix::stdio::dup2_stdout(&nothing)?;
        rustix::stdio::dup2_stdin(&nothing)?;
    }
    Ok(StartHandshake::over(pipe))
}
