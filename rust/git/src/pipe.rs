//! Pipes of a git with a time limit: processes that it started may hold them open after it was
//! killed.

use std::io::{self, Read};
use std::process::{Child, Output};
use std::thread;
use std::time::Instant;

/// The output of a process, readable until a moment.
pub(super) struct TimedPipe<R> {
    from: R,
    until: Option<Instant>,
}

impl<R> TimedPipe<R> {
    pub(super) fn new(from: R, until: Option<Instant>) -> Self {
        Self { from, until }
    }
}

#[cfg(unix)]
impl<R: Read + std::os::fd::AsFd> Read for TimedPipe<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        if let Some(until) = self.until {
            let left = until.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).ok();
            // A signal interrupts this; the reader then tries again.
            if poll(&mut [PollFd::new(&self.from, PollFlags::IN)], left.as_ref())? == 0 {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        self.from.read(into)
    }
}

#[cfg(not(unix))]
impl<R: Read> Read for TimedPipe<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.until {
            Some(until) if until < Instant::now() => Err(io::ErrorKind::TimedOut.into()),
            _ => self.from.read(into),
        }
    }
}

/// The bytes that a process with a time limit may write: what it reads may be made to give output without end.
const MAX_OUTPUT: u64 = 512 * 1024 * 1024;

/// Reads the output of a process and waits for its end. The process must have ended, or been
/// killed, at `until`.
pub(super) fn output_of(mut child: Child, until: Option<Instant>) -> io::Result<Output> {
    if until.is_none() {
        return child.wait_with_output();
    }
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (stdout, stderr) = thread::scope(|scope| {
        let complaint = scope.spawn(|| stderr.map(|pipe| all_of(pipe, until)).transpose());
        let written = stdout.map(|pipe| all_of(pipe, until)).transpose();
        let lost = || Err(io::Error::other("the thread that reads it ended early"));
        (written, complaint.join().unwrap_or_else(|_| lost()))
    });
    let status = child.wait()?;
    Ok(Output {
        status,
        stdout: stdout?.unwrap_or_default(),
        stderr: stderr?.unwrap_or_default(),
    })
}

#[cfg(unix)]
fn all_of(pipe: impl Read + std::os::fd::AsFd, until: Option<Instant>) -> io::Result<Vec<u8>> {
    bounded(TimedPipe::new(pipe, until))
}

#[cfg(not(unix))]
fn all_of(pipe: impl Read, until: Option<Instant>) -> io::Result<Vec<u8>> {
    bounded(TimedPipe::new(pipe, until))
}

fn bounded(pipe: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = pipe.take(MAX_OUTPUT).read_to_end(&mut bytes)?;
    if read as u64 == MAX_OUTPUT {
        return Err(io::Error::other(format!(
            "it wrote more than {MAX_OUTPUT} bytes"
        )));
    }
    Ok(bytes)
}
