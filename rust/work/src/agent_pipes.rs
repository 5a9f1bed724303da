//! The pipes of a running agent: its input, its output, and the events in that.

use std::os::fd::OwnedFd;
use std::process::ChildStdin;

use rustix::io::Errno;

use super::event_program::EventProgram;
use super::run_log::{LogStream, RunLog};
use chant_agent_events::EventReader;

/// The number of bytes that are read from a pipe at once.
const CHUNK_SIZE: usize = 64 * 1024;

/// The pipes of an agent.
pub(super) struct AgentPipes {
    /// The input that is not written yet: its pipe, the text and the position.
    pub(super) input: Option<(ChildStdin, Vec<u8>, usize)>,
    pub(super) out: Option<OwnedFd>,
    pub(super) err: Option<OwnedFd>,
    pub(super) output: RunLog,
    pub(super) events: EventReader,
    /// The program that reads the agent's output in our place.
    pub(super) program: Option<EventProgram>,
    /// True if there are events that were not handled yet.
    pub(super) has_news: bool,
    pub(super) buffer: Vec<u8>,
}

impl AgentPipes {
    /// Reads the available output of a stream; returns false at its end.
    pub(super) fn hear(&mut self, stream: LogStream) -> bool {
        let pipe = match stream {
            LogStream::Out => &mut self.out,
            LogStream::Err => &mut self.err,
        };
        let Some(open) = pipe else { return false };
        self.buffer.resize(CHUNK_SIZE, 0);
        match rustix::io::read(open, &mut self.buffer[..]) {
            Ok(0) => {
                *pipe = None;
                self.output.end(stream);
                false
            }
            Ok(read) => {
                self.output.take(stream, &self.buffer[..read]);
                if stream == LogStream::Out {
                    self.read_events(read);
                }
                true
            }
            Err(Errno::INTR | Errno::AGAIN) => false,
            Err(_) => {
                *pipe = None;
                false
            }
        }
    }

    /// Reads the events in the bytes that arrived, or hands these on to the program that does.
    pub(super) fn read_events(&mut self, count: usize) {
        let bytes = &self.buffer[..count];
        match &mut self.program {
            Some(program) => {
                program.hand_on(bytes, &mut self.events);
                self.has_news |= self.events.summary().reader_failure().is_some();
            }
            None => self.has_news |= self.events.take(bytes),
        }
    }

    pub(super) fn turn_program(&mut self, takes: bool, gives: bool) {
        let Some(program) = &mut self.program else {
            return;
        };
        if takes {
            program.write();
        }
        if gives {
            self.has_news |= program.read(&mut self.events);
            self.has_news |= self.events.summary().reader_failure().is_some();
        }
    }

    /// Reads the rest of the events; a program that could not read them is named in the log.
    pub(super) fn finish_events(&mut self) {
        match self.program.take() {
            Some(program) => program.finish(&mut self.events),
            None => drop(self.events.end()),
        }
        if let Some(why) = self.events.summary().reader_failure() {
            let note =
                format!("What reads the agent's events failed, and its usage is not known: {why}");
            self.output.note(&note);
        }
    }

    /// Writes as much of the input as the pipe takes, and closes the pipe behind the last byte.
    pub(super) fn tell(&mut self) {
        let Some((pipe, text, written)) = &mut self.input else {
            return;
        };
        match rustix::io::write(pipe, &text[*written..]) {
            Ok(count) => *written += count,
            Err(Errno::INTR | Errno::AGAIN) => return,
            // The agent does not read its input, which is its own decision.
            Err(_) => *written = text.len(),
        }
        if *written == text.len() {
            self.input = None;
        }
    }

    pub(super) fn are_open(&self) -> bool {
        self.out.is_some() || self.err.is_some()
    }
}
