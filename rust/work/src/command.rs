//! Runs a command to its end, with limits on its time and on the output that is kept. Commands of
//! our own agent end with it.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use signal_hook::consts::SIGTERM;

use super::WorkError;
use super::agent;
use super::cancel_token::CancelToken;
use super::process::ProcessIdentity;
use super::process_tree;
use chant_confine::Confinement;
use chant_confine::start::{ProcessInput, ProcessStart};

/// The time to read the rest of the pipes after the command ended.
const LINGER_TIME: Duration = Duration::from_millis(200);
/// The number of bytes that are read from a pipe at once.
const CHUNK_SIZE: usize = 64 * 1024;

/// The limits of a command.
#[derive(Debug, Clone, Copy)]
pub struct CommandLimits {
    /// The time after which it is killed.
    pub time: Duration,
    /// The bytes of its output that are kept, half of them from its end.
    pub kept: usize,
}

/// The settings with which a command is started.
#[derive(Debug)]
pub struct CommandOptions<'a> {
    /// Its working folder.
    pub folder: &'a Path,
    /// Its whole environment.
    pub environment: &'a BTreeMap<String, String>,
    /// Its standard input.
    pub input: ProcessInput,
    /// Its confinement.
    pub confinement: &'a Confinement,
}

/// The outcome of a command: exit status, signal and output.
#[derive(Debug)]
pub struct CommandOutcome {
    /// Its exit code, if it had one.
    pub exit_code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// True if it was killed at its time limit.
    pub is_too_long: bool,
    /// The start of its output on both streams.
    pub beginning: Vec<u8>,
    /// The number of bytes that are left out.
    pub left_out: u64,
    /// The end of its output, as far as it is not in `beginning`.
    pub end: Vec<u8>,
}

impl fmt::Display for CommandOutcome {
    /// Describes the end of the command for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_too_long, self.exit_code, self.signal) {
            (true, ..) => f.write_str("took longer than it may"),
            (false, Some(code), _) => write!(f, "ended with exit code {code}"),
            (false, None, Some(signal)) => write!(f, "was ended by signal {signal}"),
            (false, None, None) => f.write_str("ended for an unknown reason"),
        }
    }
}

/// Runs the commands of this process, one at a time.
#[derive(Debug, Clone, Default)]
pub struct CommandRunner {
    /// The process group of the command that runs; 0 while none does.
    group: Arc<AtomicI32>,
}

impl CommandRunner {
    /// Returns a runner of commands that end when a signal ends this process.
    ///
    /// # Errors
    /// `System`.
    pub fn ending_with_this_process() -> Result<Self, WorkError> {
        let interruption = CancelToken::listening()?;
        let commands = Self::default();
        let own = commands.clone();
        std::thread::spawn(move || {
            while !interruption.is_cancelled() {
                let mut wakes = [PollFd::from_borrowed_fd(
                    interruption.wakes_up(),
                    PollFlags::IN,
                )];
                let _ = poll(&mut wakes, None);
            }
            own.kill();
            let _ = signal_hook::low_level::emulate_default_handler(SIGTERM);
        });
        Ok(commands)
    }

    /// Runs a command to its end in a process group of its own; processes that it leaves in that
    /// group are killed, and in a runner those that it leaves elsewhere, too. `heard` is called when it wrote something.
    ///
    /// # Errors
    /// `System`, also when it cannot be started.
    pub fn run(
        &self,
        argv: &[String],
        folder: &Path,
        environment: &BTreeMap<String, String>,
        bounds: CommandLimits,
        heard: &mut dyn FnMut(),
    ) -> Result<CommandOutcome, WorkError> {
        let started = CommandOptions {
            folder,
            environment,
            input: ProcessInput::Nothing,
            confinement: &Confinement::Off,
        };
        self.run_held(argv, started, bounds, heard)
    }

    /// Works as [`CommandRunner::run`] for a command with a confinement and a standard input.
    ///
    /// # Errors
    /// As [`CommandRunner::run`].
    pub fn run_held(
        &self,
        argv: &[String],
        started: CommandOptions<'_>,
        bounds: CommandLimits,
        heard: &mut dyn FnMut(),
    ) -> Result<CommandOutcome, WorkError> {
        let failed = |source| WorkError::System {
            action: "run a command",
            source,
        };
        if argv.is_empty() {
            return Err(failed(io::Error::other("it is empty")));
        }
        let (output, pipe) = io::pipe().map_err(failed)?;
        let environment = started.environment.iter();
        let start = ProcessStart {
            argv: argv.iter().map(Into::into).collect(),
            environment: environment
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            mark: None,
            folder: started.folder,
            input: started.input,
            output: pipe.try_clone().map_err(failed)?.into(),
            errors: pipe.into(),
        };
        let mut child = started.confinement.start(start).map_err(failed)?;
        self.group.store(
            Pid::from_child(&child).as_raw_nonzero().get(),
            Ordering::SeqCst,
        );
        let mut kept = KeptOutput::new(bounds.kept);
        let listened = listen(&child, output, bounds.time, &mut |bytes| {
            kept.take(bytes);
            heard();
        });
        // Also after a failure, no process of the command may go on.
        self.kill();
        process_tree::kill_left_by(ProcessIdentity::of(child.id()));
        let status = child.wait().map_err(failed)?;
        let is_too_long = !listened.map_err(failed)?;
        Ok(kept.ended(status, is_too_long))
    }

    fn kill(&self) {
        if let Some(group) = Pid::from_raw(self.group.swap(0, Ordering::SeqCst)) {
            // It may have ended meanwhile.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Reads a command's output until it has ended; returns false at its time limit. Its process number
/// stays its own until it is waited for.
fn listen(
    child: &Child,
    output: PipeReader,
    time: Duration,
    heard: &mut dyn FnMut(&[u8]),
) -> io::Result<bool> {
    let mut until = Instant::now() + time;
    let (watch, mut output) = (agent::watch(child), Some(output));
    let (mut has_ended, mut buffer) = (false, vec![0; CHUNK_SIZE]);
    while !has_ended || output.is_some() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        let is_watched = watch.is_some() || has_ended;
        let left = if is_watched {
            left
        } else {
            left.min(process_tree::LOOK)
        };
        let sources = [
            output.as_ref().map(AsFd::as_fd),
            // The watch stays readable after the end, so it would end every wait at once.
            watch.as_ref().map(AsFd::as_fd).filter(|_| !has_ended),
        ];
        let mut polled: Vec<PollFd<'_>> = sources
            .into_iter()
            .flatten()
            .map(|source| PollFd::from_borrowed_fd(source, PollFlags::IN))
            .collect();
        match poll(&mut polled, Timespec::try_from(left).ok().as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let is_ready = polled.first().is_some_and(|one| !one.revents().is_empty());
        if let Some(pipe) = output.as_mut().filter(|_| is_ready) {
            match pipe.read(&mut buffer)? {
                0 => output = None,
                count => heard(&buffer[..count]),
            }
        }
        if !has_ended && ended(child)? {
            has_ended = true;
            until = Instant::now() + LINGER_TIME;
        }
    }
    Ok(has_ended)
}

fn ended(child: &Child) -> io::Result<bool> {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::Pid(Pid::from_child(child)), how) {
        Ok(status) => Ok(status.is_some()),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The start and the end of an output.
struct KeptOutput {
    half: usize,
    beginning: Vec<u8>,
    end: Vec<u8>,
    count: u64,
}

impl KeptOutput {
    fn new(most: usize) -> Self {
        Self {
            half: most / 2,
            beginning: Vec::new(),
            end: Vec::new(),
            count: 0,
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.count += bytes.len() as u64;
        let room = self.half.saturating_sub(self.beginning.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.beginning.extend_from_slice(first);
        self.end.extend_from_slice(rest);
        if self.end.len() > 2 * self.half + CHUNK_SIZE {
            self.end.drain(..self.end.len() - self.half);
        }
    }

    fn ended(mut self, status: ExitStatus, is_too_long: bool) -> CommandOutcome {
        let more = self.end.len().saturating_sub(self.half);
        self.end.drain(..more);
        let kept = self.beginning.len() + self.end.len();
        CommandOutcome {
            exit_code: status.code(),
            signal: status.signal(),
            is_too_long,
            left_out: self.count - kept as u64,
            beginning: self.beginning,
            end: self.end,
        }
    }
}
