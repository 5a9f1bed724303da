//! The line by which a runner reports to the process that started it whether the run has started.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::WorkError;
use chant_store::disk;

/// The time that a runner may be silent before it reports that it runs.
pub const START_TIMEOUT: Duration = Duration::from_secs(30);
/// The time after which no step of a run in this process is expected any more.
const LONGEST_SILENCE: Duration = Duration::from_secs(24 * 60 * 60);
/// The line of a run that has started.
const OK: &str = "ok";
/// The first character of a line that only reports the progress of the start.
const STEP: char = ':';
/// The greatest number of bytes of a line.
const MAX_LEN: usize = 4096;
/// The greatest number of bytes of a runner's complaint in an error.
const COMPLAINT: u64 = 2000;

/// The runner's end, which reports once how the start went. If it is dropped before, the start has
/// failed.
pub struct StartHandshake(OwnedFd);

impl StartHandshake {
    /// Uses the writing end of a pipe.
    pub fn over(pipe: impl Into<OwnedFd>) -> Self {
        Self(pipe.into())
    }

    /// Has `heard` called, on a thread of its own, with each step of a run in this very process.
    ///
    /// # Errors
    /// `System` when there are no sockets left.
    pub fn heard_here(heard: impl FnMut(&str) + Send + 'static) -> Result<Self, WorkError> {
        let (says, hears) = UnixStream::pair().map_err(|source| WorkError::System {
            action: "listen to a run",
            source,
        })?;
        let mut heard = heard;
        thread::spawn(move || wait_for_handshake(hears, LONGEST_SILENCE, None, &mut heard));
        Ok(Self::over(says))
    }

    /// Reports a step that is done before the run has started.
    pub fn step(&self, what: &str) {
        self.say(&format!("{STEP}{what}"));
    }

    /// Reports a step again and again for as long as the answer is held: one step may take longer than a runner may be
    /// silent. A failure to begin that is none of the start.
    pub fn repeat(&self, what: &str, every: Duration) -> Option<RepeatedStep> {
        let copy = Self(self.0.try_clone().ok()?);
        let what = what.to_owned();
        let (held, is_over) = mpsc::channel::<()>();
        let begun = Instant::now();
        let thread = thread::spawn(move || {
            while is_over.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                copy.step(&format!("{what}: {} s", begun.elapsed().as_secs()));
            }
        });
        Some(RepeatedStep {
            held: Some(held),
            thread: Some(thread),
        })
    }

    /// Reports that the run has started. A listener that is gone changes nothing for the run.
    pub fn ok(self) {
        self.say(OK);
    }

    /// Reports why the run has not started.
    pub fn refuse(self, reason: &str) {
        let line: Vec<&str> = reason.split_whitespace().collect();
        self.say(&line.join(" "));
    }

    fn say(&self, line: &str) {
        let mut end = line.len().min(MAX_LEN - 1);
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        // The line is shorter than a pipe takes at once; a missing listener does not matter.
        let _ = rustix::io::write(&self.0, format!("{}\n", &line[..end]).as_bytes());
    }
}

/// A step that is reported again until this is dropped.
pub struct RepeatedStep {
    held: Option<mpsc::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Drop for RepeatedStep {
    fn drop(&mut self) {
        drop(self.held.take());
        // Its copy of the pipe is closed when this returns.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Waits for the runner's line on the reading end of its pipe, which may be silent for `bound` at
/// most. All other copies of the writing end must be closed, else a runner that died is noticed
/// only at the bound. `errors` is the file with the runner's standard error; `steps` is called with
/// each step.
///
/// # Errors
/// The reason that the runner gave, or that it gave none, with its complaint.
pub fn wait_for_handshake(
    pipe: impl AsFd,
    bound: Duration,
    errors: Option<&Path>,
    steps: &mut dyn FnMut(&str),
) -> Result<(), String> {
    let explain = |what: String| match errors.and_then(complaint) {
        Some(complaint) => format!("{what}; it complained: {complaint}"),
        None => what,
    };
    let line = match line(&pipe, bound, steps) {
        Ok(Some(line)) => line,
        Ok(None) => {
            return Err(explain(
                "The runner ended before the run was under way".into(),
            ));
        }
        Err(error) if error.kind() == io::ErrorKind::TimedOut => {
            let seconds = bound.as_secs_f64();
            return Err(explain(format!("The runner said nothing for {seconds} s")));
        }
        Err(error) => return Err(explain(format!("The runner cannot be heard: {error}"))),
    };
    if line == OK { Ok(()) } else { Err(line) }
}

/// Returns the first line of a pipe that is no step; `None` if the pipe was closed before the line
/// was complete.
fn line(
    pipe: &impl AsFd,
    bound: Duration,
    steps: &mut dyn FnMut(&str),
) -> io::Result<Option<String>> {
    let mut said = Vec::new();
    let mut deadline = Instant::now() + bound;
    loop {
        while let Some(end) = said.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = said.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line[..end]);
            match line.strip_prefix(STEP) {
                Some(step) => {
                    deadline = Instant::now() + bound;
                    steps(step);
                }
                None => return Ok(Some(line.into_owned())),
            }
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
        match poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Err(Errno::INTR) => continue,
            ready => ready?,
        };
        let mut bytes = [0; 512];
        let read = match rustix::io::read(pipe, &mut bytes) {
            Err(Errno::INTR | Errno::AGAIN) => continue,
            read => read?,
        };
        said.extend_from_slice(&bytes[..read]);
        if read == 0 || said.len() > MAX_LEN {
            return Ok(None);
        }
    }
}

/// Returns the end of a runner's standard error; `None` if it is empty.
fn complaint(errors: &Path) -> Option<String> {
    use std::io::{Read, Seek, SeekFrom};
    let (mut file, length) = disk::open(errors, "").ok()?;
    file.seek(SeekFrom::Start(length.saturating_sub(COMPLAINT)))
        .ok()?;
    let mut bytes = Vec::new();
    file.take(COMPLAINT).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
