//! Connects a run to its own server, which works outside of the run's confinement.
//!
//! A process in the run writes a name into the named pipe of a folder that belongs only to this
//! run; two pipes of that name lie beside it, one for each direction. The folder identifies the
//! run. One server process serves all connections of a run. It is started when the first name
//! arrives, gets the names on its standard input, and ends when that ends: with the run, or when
//! the runner dies.

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
use super::process_tree;
use chant_base::own_children;
use chant_store::disk;

/// The number of characters of a name: hexadecimal digits.
const NAME: usize = 32;
/// The number of bytes of names that are read at once.
const CHUNK_SIZE: usize = 4096;
/// The greatest number of starts of the server; one that keeps dying is not started again.
const STARTS: usize = 3;
/// The time that the server gets to end.
const GRACE_PERIOD: Duration = Duration::from_secs(2);

/// The settings for starting the server of a run, and the folder of its connections.
#[derive(Debug, Clone)]
pub struct ConnectionOptions {
    /// The folder for this run's connections; created when the agent starts and removed when it
    /// ends.
    pub folder: PathBuf,
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Its whole environment.
    pub environment: BTreeMap<String, String>,
    /// The server's working folder.
    pub start: PathBuf,
}

/// The connections of a running agent.
pub(super) struct RunConnections {
    how: ConnectionOptions,
    requests: OwnedFd,
    /// The start of a name that has not arrived completely.
    rest: Vec<u8>,
    server: Option<(Child, ChildStdin)>,
    starts: usize,
}

impl RunConnections {
    /// Creates the folder and its pipe, so that processes of the run can ask for connections.
    ///
    /// # Errors
    /// A `StoreError`.
    #[cfg(target_os = "linux")]
    pub(super) fn open(how: ConnectionOptions) -> Result<Option<Self>, WorkError> {
        Ok(Some(Self {
            requests: disk::make_request_pipe(&how.folder)?,
            how,
            rest: Vec::new(),
            server: None,
            starts: 0,
        }))
    }

    /// Returns `None`: without named pipes there are no connections.
    ///
    /// # Errors
    /// None.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn open(_how: ConnectionOptions) -> Result<Option<Self>, WorkError> {
        Ok(None)
    }

    /// Returns the descriptor that becomes readable when a process asks for a connection.
    pub(super) fn wakes_up(&self) -> BorrowedFd<'_> {
        self.requests.as_fd()
    }

    /// Passes new names on to the server. Invalid names are dropped, and so is what the server does
    /// not read at once: the process that asked gets no answer.
    pub(super) fn hand_on(&mut self) {
        let mut chunk = [0; CHUNK_SIZE];
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
        if self.server.as_mut().is_some_and(has_ended)
            && let Some((child, _)) = self.server.take()
        {
            own_children::forget(child.id());
        }
        if self.server.is_none() && self.starts < STARTS {
            self.starts += 1;
            // If it could not be started, a process that asks gets no answer.
            self.server = start(&self.how).ok();
        }
        self.server.as_mut().map(|(_, input)| input)
    }

    /// Ends the server and removes the folder.
    pub(super) fn close(mut self) {
        if let Some((mut child, input)) = self.server.take() {
            drop(input);
            if !ends_within(&mut child, GRACE_PERIOD) {
                // It may have ended just now.
                let _ = child.kill();
            }
            let _ = child.wait();
            own_children::forget(child.id());
        }
        // If this fails, the next run of the spec removes the folder.
        let _ = disk::remove_tree(&self.how.folder);
    }
}

/// Starts the server; it is our own, and does not count as the agent's.
fn start(how: &ConnectionOptions) -> io::Result<(Child, ChildStdin)> {
    let (program, arguments) = how
        .argv
        .split_first()
        .ok_or_else(|| io::Error::other("its command is empty"))?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(&how.environment)
        .current_dir(&how.start)
        .stdin(Stdio::piped())
        .stdout(Stdio::null());
    let mut child = own_children::start_noted(false, || command.spawn(), Child::id)?;
    let input = child.stdin.take();
    let input = input.ok_or_else(|| io::Error::other("it has no standard input"))?;
    // A server that does not read must not block the runner from reading the agent's output.
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
                // After any result, the caller checks the process again.
                let _ = poll(&mut polled, Timespec::try_from(left).ok().as_ref());
            }
            None => process_tree::sleep_for(left.min(process_tree::LOOK)),
        }
    }
}

/// Returns the complete names in the bytes that arrived; `rest` keeps the start of an incomplete
/// one.
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
