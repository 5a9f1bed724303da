//! The lifeline of a job: standard input, whose end means that the job has no owner any more.

use std::io::{self, BufRead, Read};

/// The word of a line that asks the job to end.
const STOP: &str = "stop";
/// The greatest number of bytes of a line.
const LONGEST: u64 = 4096;

/// Why a job is asked to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LifelineEnd {
    /// Its lifeline is closed: the process that answered for it is gone.
    Closed,
    /// It was asked to, with this purpose.
    Asked(String),
}

/// Calls `ended` once, on a thread of its own, when standard input ends or asks the job to end.
pub fn listen_to_lifeline(ended: impl FnOnce(LifelineEnd) + Send + 'static) {
    std::thread::spawn(move || ended(end_of(io::stdin().lock())));
}

/// Reads lines until one asks the job to end, or there are no more.
fn end_of(mut lines: impl BufRead) -> LifelineEnd {
    loop {
        let mut line = String::new();
        let read = lines.by_ref().take(LONGEST).read_line(&mut line);
        // A line that is no text is no line of ours; neither is one without an end.
        if !matches!(read, Ok(length) if length > 0) || !line.ends_with('\n') {
            return LifelineEnd::Closed;
        }
        let mut words = line.trim().splitn(2, ' ');
        if words.next() == Some(STOP) {
            let why = words.next().unwrap_or_default();
            return LifelineEnd::Asked(why.trim().to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lifeline_ends_by_its_end_or_by_a_word() {
        let asked = |why: &str| LifelineEnd::Asked(why.to_owned());
        assert_eq!(end_of(&b""[..]), LifelineEnd::Closed);
        assert_eq!(end_of(&b"noise\nstop pause\n"[..]), asked("pause"));
        assert_eq!(end_of(&b"stop\n"[..]), asked(""));
        assert_eq!(end_of(&b"stop half a li"[..]), LifelineEnd::Closed);
        assert_eq!(end_of(&b"\xff\xfe\n"[..]), LifelineEnd::Closed);
    }
}
