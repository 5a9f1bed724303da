//! The program beside an agent that reads the agent's output and prints its events in the common format: the way in
//! for formats that are not known here.

#![expect(
    clippy::disallowed_methods,
    reason = "the program is started beside its agent, and ends with it"
)]

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use chant_agent_events::EventReader;
use chant_base::diagnostics::LogFailure;
use chant_base::own_children;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;

/// The bytes that wait for the program at most.
const WAITING: usize = 8 * 1024 * 1024;
/// The number of bytes that are read from it at once.
const CHUNK_SIZE: usize = 64 * 1024;

/// The way the program of an agent's events is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventProgramCall {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Its whole environment.
    pub environment: Vec<(String, String)>,
    /// Its working folder.
    pub folder: PathBuf,
    /// The line that it reads before the agent's output.
    pub request: String,
    /// The time to read the rest after the agent ended.
    pub time: Duration,
}

/// A running program that reads the events of an agent. When dropped, it is killed.
pub(super) struct EventProgram {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<OwnedFd>,
    /// The output of the agent that it has not taken yet.
    waiting: Vec<u8>,
    time: Duration,
}

impl EventProgram {
    /// Starts the program. It is our own, and not the agent's.
    ///
    /// # Errors
    /// As those of starting a process.
    pub(super) fn start(call: &EventProgramCall) -> io::Result<Self> {
        let mut argv = call.argv.iter();
        let mut command = Command::new(argv.next().map_or("", String::as_str));
        command
            .args(argv)
            .env_clear()
            .envs(call.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&call.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = own_children::start_noted(false, || command.spawn(), Child::id)?;
        let input = child.stdin.take();
        if let Some(input) = &input {
            fcntl_setfl(input, OFlags::NONBLOCK)?;
        }
        Ok(Self {
            input,
            output: child.stdout.take().map(Into::into),
            child,
            waiting: format!("{}\n", call.request).into_bytes(),
            time: call.time,
        })
    }

    /// Hands on some output of the agent; a program that does not keep up is given up.
    pub(super) fn hand_on(&mut self, bytes: &[u8], events: &mut EventReader) {
        if self.output.is_none() {
            return;
        }
        if self.waiting.len() + bytes.len() > WAITING {
            events.note_failure("it does not keep up with the agent's output");
            self.give_up();
            return;
        }
        self.waiting.extend_from_slice(bytes);
        self.write();
    }

    /// Returns the pipe that can take more, if something waits for it.
    pub(super) fn takes(&self) -> Option<BorrowedFd<'_>> {
        let input = self.input.as_ref().filter(|_| !self.waiting.is_empty());
        input.map(AsFd::as_fd)
    }

    /// Returns the pipe that its events come from.
    pub(super) fn gives(&self) -> Option<BorrowedFd<'_>> {
        self.output.as_ref().map(AsFd::as_fd)
    }

    /// Writes as much as the pipe takes.
    pub(super) fn write(&mut self) {
        let Some(input) = &mut self.input else { return };
        match input.write(&self.waiting) {
            Ok(count) => drop(self.waiting.drain(..count)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // It reads no more; its own last line says why.
            Err(_) => self.input = None,
        }
    }

    /// Reads events that arrived; returns true if there was one.
    pub(super) fn read(&mut self, events: &mut EventReader) -> bool {
        let Some(output) = &self.output else {
            return false;
        };
        let mut buffer = vec![0; CHUNK_SIZE];
        match rustix::io::read(output, &mut buffer[..]) {
            Ok(0) => {
                self.output = None;
                let is_news = events.end();
                note_early_end(events);
                is_news
            }
            Ok(count) => events.take(&buffer[..count]),
            Err(Errno::INTR | Errno::AGAIN) => false,
            Err(_) => {
                self.output = None;
                false
            }
        }
    }

    /// Lets the program read the rest of the output, and ends it when its time is over.
    pub(super) fn finish(mut self, events: &mut EventReader) {
        let until = Instant::now() + self.time;
        while self.output.is_some() {
            if self.waiting.is_empty() {
                self.input = None;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let words = format!("it did not end within {} seconds", self.time.as_secs_f64());
                events.note_failure(&words);
                return;
            }
            self.turn(left, events);
        }
    }

    /// Waits until it takes or gives something.
    fn turn(&mut self, most: Duration, events: &mut EventReader) {
        let sources = [
            (self.takes(), PollFlags::OUT),
            (self.gives(), PollFlags::IN),
        ];
        let mut polled: Vec<PollFd<'_>> = sources
            .iter()
            .filter_map(|(source, flags)| Some(PollFd::from_borrowed_fd((*source)?, *flags)))
            .collect();
        let timeout = Timespec::try_from(most).ok();
        if poll(&mut polled, timeout.as_ref()).is_err() {
            return;
        }
        let mut answers = polled.iter().map(|one| !one.revents().is_empty());
        let [takes, gives] =
            sources.map(|(source, _)| source.is_some() && answers.next().unwrap_or(false));
        if takes {
            self.write();
        }
        if gives {
            self.read(events);
        }
    }

    fn give_up(&mut self) {
        self.input = None;
        self.output = None;
        self.child.kill().log_failure("kill what reads events");
    }
}

/// Notes that the program is gone, unless it has said that it is done, or why not.
fn note_early_end(events: &mut EventReader) {
    if events.summary().reader_end.is_none() {
        events.note_failure("its process ended before it had read all");
    }
}

impl Drop for EventProgram {
    fn drop(&mut self) {
        // One that has ended already cannot be killed, which is all right.
        let _ = self.child.kill();
        let _ = self.child.wait();
        own_children::forget(self.child.id());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chant_agent_events::EventFormat;

    fn program(script: &str) -> (EventProgram, EventReader) {
        let argv = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
        let call = EventProgramCall {
            argv,
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            folder: "/".into(),
            request: "{}".into(),
            time: Duration::from_secs(20),
        };
        let started = EventProgram::start(&call).unwrap();
        (started, EventReader::new(EventFormat::Common))
    }

    #[test]
    fn a_program_reads_the_request_and_all_output_and_its_reports_count() {
        let count = r#"echo "{\"type\":\"report\",\"input_tokens\":$(cat | wc -c)}"; echo '{"type":"end"}'"#;
        let (mut program, mut events) = program(count);
        let chunk = vec![b'x'; 100_000];
        for _ in 0..20 {
            program.hand_on(&chunk, &mut events);
        }
        program.finish(&mut events);
        let summary = events.summary();
        assert_eq!(summary.reader_failure(), None);
        assert_eq!(summary.usage.tokens.unwrap().total(), 2_000_003);
    }

    #[test]
    fn a_program_that_ends_early_or_reads_nothing_is_named_and_blocks_nothing() {
        let (program, mut events) = program("exit 3");
        program.finish(&mut events);
        let why = events.summary().reader_failure();
        assert_eq!(why, Some("its process ended before it had read all"));

        let (mut program, mut events) = self::program("exec sleep 60");
        let chunk = vec![b'x'; 1 << 20];
        for _ in 0..9 {
            program.hand_on(&chunk, &mut events);
        }
        let why = events.summary().reader_failure();
        assert_eq!(why, Some("it does not keep up with the agent's output"));
        program.finish(&mut events);

        let (mut program, mut events) = self::program("exec sleep 60");
        program.time = Duration::from_millis(50);
        program.finish(&mut events);
        let why = events.summary().reader_failure();
        assert_eq!(why, Some("it did not end within 0.05 seconds"));
    }
}
