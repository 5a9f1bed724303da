//! The lifeline of a job: standard input, whose end means that the job has no owner any more. So does its
//! silence, once it has had a beat: the process at its other end stands still.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// The word of a line that asks the job to end.
const STOP: &str = "stop";
/// The greatest number of bytes of a line.
const MAX_LEN: u64 = 4096;
/// The time after a line in which another one is expected: as long as a worker waits for its scheduler.
const MAX_SILENCE: Duration = Duration::from_secs(60);

/// Why a job is asked to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LifelineEnd {
    /// Its lifeline is closed, or silent: the process that answered for it is gone, or stands still.
    Closed,
    /// It was asked to, with this purpose.
    Asked(String),
}

/// Calls `ended` once, on a thread of its own, when standard input ends, asks the job to end, or is silent
/// for a minute after a line.
pub fn listen_to_lifeline(ended: impl FnOnce(LifelineEnd) + Send + 'static) {
    let (says, hears) = mpsc::channel();
    std::thread::spawn(move || {
        let end = end_of(io::stdin().lock(), || says.send(None).is_ok());
        // No one waits for it behind a silence.
        let _ = says.send(Some(end));
    });
    std::thread::spawn(move || ended(wait_for_end(&hears, MAX_SILENCE)));
}

/// Waits for the end of a lifeline, of which every other line is a `None`.
fn wait_for_end(lines: &Receiver<Option<LifelineEnd>>, silence: Duration) -> LifelineEnd {
    let mut heard = lines.recv().map_err(|_| RecvTimeoutError::Disconnected);
    while heard == Ok(None) {
        heard = lines.recv_timeout(silence);
    }
    heard.ok().flatten().unwrap_or(LifelineEnd::Closed)
}

/// Reads lines until one asks the job to end, or there are no more, or no other is wanted.
fn end_of(mut lines: impl BufRead, mut beat: impl FnMut() -> bool) -> LifelineEnd {
    loop {
        let mut line = String::new();
        let read = lines.by_ref().take(MAX_LEN).read_line(&mut line);
        // A line that is no text is no line of ours; neither is one without an end.
        if !matches!(read, Ok(length) if length > 0) || !line.ends_with('\n') {
            return LifelineEnd::Closed;
        }
        let mut words = line.trim().splitn(2, ' ');
        if words.next() == Some(STOP) {
            let why = words.next().unwrap_or_default();
            return LifelineEnd::Asked(why.trim().to_owned());
        }
        if !beat() {
            return LifelineEnd::Closed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(lines: &[u8]) -> LifelineEnd {
        super::end_of(lines, || true)
    }

    #[test]
    fn a_lifeline_ends_by_its_end_or_by_a_word() {
        let asked = |why: &str| LifelineEnd::Asked(why.to_owned());
        assert_eq!(end_of(b""), LifelineEnd::Closed);
        assert_eq!(end_of(b"noise\nstop pause\n"), asked("pause"));
        assert_eq!(end_of(b"stop\n"), asked(""));
        assert_eq!(end_of(b"stop half a li"), LifelineEnd::Closed);
        assert_eq!(end_of(b"\xff\xfe\n"), LifelineEnd::Closed);
    }

    #[test]
    fn a_lifeline_ends_by_silence_once_it_has_had_a_line() {
        let (says, hears) = mpsc::channel();
        let (ends, ended) = mpsc::channel();
        std::thread::spawn(move || ends.send(wait_for_end(&hears, Duration::from_millis(20))));
        let early = ended.recv_timeout(Duration::from_millis(60));
        assert!(early.is_err(), "it has had no line");
        says.send(None).unwrap();
        assert_eq!(ended.recv(), Ok(LifelineEnd::Closed));
        let (says, hears) = mpsc::channel();
        let stopped = LifelineEnd::Asked("pause".into());
        says.send(None).unwrap();
        says.send(Some(stopped.clone())).unwrap();
        assert_eq!(wait_for_end(&hears, Duration::from_secs(5)), stopped);
    }
}
