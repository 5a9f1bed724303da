//! The way from a run to its own server, which works outside of what holds the run.
//!
//! A process in the run writes a name into the named pipe of a folder that is this run's alone; two pipes of
//! that name lie beside it, one a direction. Which folder it was says which run asks. The server is one process
//! for all connections of a run. It is started when the first name comes, is given the names on its standard
//! input, and ends when that ends: with the run, or when the runner dies.

#![expect(
    clippy::disallowed_methods,
    reason = "this file is where the servers of runs are started"
)]

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};

use super::WorkError;
use super::agent;
use super::kin;
use crate::store::disk;

/// Characters of a name: hexadecimal digits.
const NAME: usize = 32;
/// Bytes of names that are read at once.
const CHUNK: usize = 4096;
/// How often the server is started; one that dies again and again is not.
const STARTS: usize = 3;
/// How long the server may take to end.
const GRACE: Duration = Duration::from_secs(2);

/// How the server of a run is started, and where it is asked for.
#[derive(Debug, Clone)]
pub struct Connecting {
    /// The folder for this run's connections; made at the start of the agent and removed at its end.
    pub folder: PathBuf,
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Its whole environment.
    pub environment: BTreeMap<String, String>,
    /// Where it starts.
    pub start: PathBuf,
}

/// The connections of a run that is under way.
pub(super) struct Connections {
    how: Connecting,
    requests: OwnedFd,
    /// The beginning of a name whose end has not come yet.
    rest: Vec<u8>,
    server: Option<(Child, ChildStdin)>,
    starts: usize,
}

impl Connections {
    /// Makes the folder, so that connections can be asked for.
    ///
    /// # Errors
    /// A `StoreError`.
    #[cfg(target_os = "linux")]
    pub(super) fn open(how: Connecting) -> Result<Option<Self>, WorkError> {
        Ok(Some(Self {
            requests: disk::make_request_pipe(&how.folder)?,
            how,
            rest: Vec::new(),
            server: None,
            starts: 0,
        }))
    }

    /// There are none where named pipes cannot be made.
    ///
    /// # Errors
    /// None.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn open(_how: Connecting) -> Result<Option<Self>, WorkError> {
        Ok(None)
    }

    /// What becomes readable when a connection is asked for.
    pub(super) fn wakes_up(&self) -> BorrowedFd<'_> {
        self.requests.as_fd()
    }

    /// Hands the names that came to the server. What is no name is dropped, and what the server does not take
    /// at once, too: whoever asked is told by the silence.
    pub(super) fn hand_on(&mut self) {
        let mut chunk = [0; CHUNK];
        let Ok(read) = rustix::io::read(&self.requests, &mut chunk[..]) else {
            return;
        };
        for name in names_in(&mut self.rest, &chunk[..read]) {
            let Some(server) = self.server() else { return };
            let _ = server.write_all(format!("{name}\n").as_bytes());
        }
    }

    fn server(&mut self) -> Option<&mut ChildStdin> {
        let has_ended = |(child, _): &mut (Child, ChildStdin)| {
            child.try_wait().is_ok_and(|status| status.is_some())
        };
        if self.server.as_mut().is_some_and(has_ended) {
            self.server = None;
        }
        if self.server.is_none() && self.starts < STARTS {
            self.starts += 1;
            // Whoever asks is told by the silence that it could not be started.
            self.server = start(&self.how).ok();
        }
        self.server.as_mut().map(|(_, input)| input)
    }

    /// Ends the server and takes the folder away.
    pub(super) fn close(mut self) {
        if let Some((mut child, input)) = self.server.take() {
            drop(input);
            if !ends_within(&mut child, GRACE) {
                // It may have ended at this very moment.
                let _ = child.kill();
            }
            let _ = child.wait();
        }
        // What stays is removed by the next run of the spec.
        let _ = disk::remove_tree(&self.how.folder);
    }
}

/// Starts the server, in the process group of the runner: so it is no process of the agent's.
fn start(how: &Connecting) -> io::Result<(Child, ChildStdin)> {
    let (program, arguments) = how
        .argv
        .split_first()
        .ok_or_else(|| io::Error::other("its command is empty"))?;
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(&how.environment)
        .current_dir(&how.start)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    let input = child.stdin.take();
    let input = input.ok_or_else(|| io::Error::other("it has no standard input"))?;
    // A server that does not read must not keep the runner from listening to the agent.
    fcntl_setfl(&input, OFlags::NONBLOCK)?;
    Ok((child, input))
}

fn ends_within(child: &mut Child, most: Duration) -> bool {
    let watch = agent::watch(child);
    let until = Instant::now() + most;
    loop {
        if child.try_wait().is_ok_and(|status| status.is_some()) {
            return true;
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        match &watch {
            Some(watch) => {
                let mut polled = [PollFd::from_borrowed_fd(watch.as_fd(), PollFlags::IN)];
                // Whatever happened, we look.
                let _ = poll(&mut polled, Timespec::try_from(left).ok().as_ref());
            }
            None => kin::pass(left.min(kin::LOOK)),
        }
    }
}

/// The whole names in what came; `rest` keeps the beginning of one.
fn names_in(rest: &mut Vec<u8>, came: &[u8]) -> Vec<String> {
    rest.extend_from_slice(came);
    let end = rest.iter().rposition(|byte| *byte == b'\n');
    let whole: Vec<u8> = end.map_or_else(Vec::new, |end| rest.drain(..=end).collect());
    if rest.len() > NAME {
        rest.clear();
    }
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    whole
        .split(|byte| *byte == b'\n')
        .filter(|name| name.len() == NAME && name.iter().all(is_digit))
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_are_handed_on_and_one_may_come_in_pieces() {
        let name = "0123456789abcdef0123456789abcdef";
        let mut rest = Vec::new();
        let mut names = |came: &str| names_in(&mut rest, came.as_bytes());
        assert_eq!(names(&format!("{name}\n{name}\n")), [name, name]);
        assert!(names(&name[..7]).is_empty());
        assert_eq!(names(&format!("{}\n", &name[7..])), [name]);
        for wrong in ["../../etc/passwd", "", &name[1..], &name.to_uppercase()] {
            assert!(names(&format!("{wrong}\n")).is_empty(), "{wrong}");
        }
        assert!(names(&"f".repeat(5000)).is_empty());
        assert_eq!(names(&format!("\n{name}\n")), [name]);
    }
}
