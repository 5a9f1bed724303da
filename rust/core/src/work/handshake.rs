//! The one line by which a runner tells who started it whether the run is under way.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::store::StoreError;
use crate::store::disk;

/// How long a runner may take until it says that it runs.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// The line of a run that is under way.
const OK: &str = "ok";
/// Bytes of a line that are read.
const LONGEST: usize = 4096;
/// Bytes of what a runner complained of that are told.
const COMPLAINT: u64 = 2000;

/// The runner's end: says once how the start went. Dropped without a word, it says that it failed.
pub struct Handshake(OwnedFd);

impl Handshake {
    /// Over the end of a pipe.
    pub fn over(pipe: impl Into<OwnedFd>) -> Self {
        Self(pipe.into())
    }

    /// Over an inherited pipe or a named one, by its path: `/dev/fd/3`.
    ///
    /// An inherited end itself stays open; the runner has to close it, or keep it from its children.
    ///
    /// # Errors
    /// A `StoreError` when there is no such thing.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        disk::open_pipe(path, true).map(Self)
    }

    /// Says that the run is under way. That nobody listens any more changes nothing for the run.
    pub fn ok(self) {
        self.say(OK);
    }

    /// Says why the run is not under way.
    pub fn refuse(self, reason: &str) {
        let line: Vec<&str> = reason.split_whitespace().collect();
        self.say(&line.join(" "));
    }

    fn say(self, line: &str) {
        let mut end = line.len().min(LONGEST - 1);
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        // Shorter than what a pipe takes at once; a listener that is gone is no matter.
        let _ = rustix::io::write(&self.0, format!("{}\n", &line[..end]).as_bytes());
    }
}

/// Waits for the runner's line on the reading end of its pipe, `bound` at most. All other copies of
/// the writing end must be closed, else a runner that died is noticed at the bound only. `errors` is
/// the file that the runner's standard error goes to.
///
/// # Errors
/// The reason that the runner gave, or that it gave none, with what it complained of.
pub fn wait_for_handshake(
    pipe: impl AsFd,
    bound: Duration,
    errors: Option<&Path>,
) -> Result<(), String> {
    let told = |what: String| match errors.and_then(complaint) {
        Some(complaint) => format!("{what}; it complained: {complaint}"),
        None => what,
    };
    let line = match line(&pipe, Instant::now() + bound) {
        Ok(Some(line)) => line,
        Ok(None) => return Err(told("The runner ended before the run was under way".into())),
        Err(error) if error.kind() == io::ErrorKind::TimedOut => {
            let seconds = bound.as_secs_f64();
            return Err(told(format!("The runner said nothing for {seconds} s")));
        }
        Err(error) => return Err(told(format!("The runner cannot be heard: {error}"))),
    };
    if line == OK { Ok(()) } else { Err(line) }
}

/// As [`wait_for_handshake`], for a pipe that is known by its path, such as `/dev/fd/4`.
///
/// # Errors
/// As [`wait_for_handshake`], and when there is no such pipe.
pub fn wait_for_handshake_at(
    path: &Path,
    bound: Duration,
    errors: Option<&Path>,
) -> Result<(), String> {
    let pipe = disk::open_pipe(path, false).map_err(|error| error.to_string())?;
    wait_for_handshake(pipe, bound, errors)
}

/// The first line of a pipe; `None` when it was closed before there was a whole one.
fn line(pipe: &impl AsFd, deadline: Instant) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    loop {
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
        line.extend_from_slice(&bytes[..read]);
        if let Some(end) = line.iter().position(|byte| *byte == b'\n') {
            return Ok(Some(String::from_utf8_lossy(&line[..end]).into_owned()));
        }
        if read == 0 || line.len() > LONGEST {
            return Ok(None);
        }
    }
}

/// The end of what a runner wrote to its standard error; `None` when that is nothing.
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
