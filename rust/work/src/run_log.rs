//! Writes an agent's output into the log: whole lines with time stamps, secrets masked, limited in
//! size (reference chant 6.6 R).

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::time::Duration;

use aho_corasick::AhoCorasick;
use jiff::Timestamp;

use super::WorkError;
use super::run_record;
use super::run_store::RunStore;
use chant_base::environment::is_secret;
use chant_store::disk::AppendFile;

/// The number of lines of standard error that are kept to explain a failure.
const TAIL_LINES: usize = 20;
/// The greatest number of characters of each of them.
const TAIL_LINE: usize = 400;
/// The text that replaces a secret.
const MASKED: &str = "***";
/// The bytes below which one line of a secret of several lines is too common to be masked.
const SHORT: usize = 8;

/// The number of lines that adjacent secrets may fill before they are cut anyway.
const LONGEST_SECRET: usize = 8;

/// The source of a line in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogStream {
    /// The agent's standard output.
    Out,
    /// The agent's standard error.
    Err,
}

impl LogStream {
    fn as_str(self) -> &'static str {
        match self {
            Self::Out => "out",
            Self::Err => "err",
        }
    }
}

/// The first lines of a log.
#[derive(Debug, Clone)]
pub struct LogHeader<'a> {
    /// The spec.
    pub spec_id: &'a str,
    /// The name of the prompt.
    pub prompt: &'a str,
    /// Names of variables that look like secrets and were not passed.
    pub withheld: &'a [String],
}

/// The limits of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogLimits {
    /// The bytes of a line beyond which it continues in the next one.
    pub line: usize,
    /// The bytes of the log that one run may fill.
    pub log: u64,
}

/// A function that turns a line of an agent's standard output into other lines of the log; `None`
/// keeps the line as it is.
pub type LineFilter = fn(&str) -> Option<Vec<String>>;

/// The least difference between two stamps after the clock was set back.
const STEP: Duration = Duration::from_millis(1);

/// The greatest number of bytes of a line that is kept to be read as a whole.
const LONGEST_READ: usize = 8 * 1024 * 1024;

/// The log of a run while it is written.
pub struct RunLog {
    file: AppendFile,
    /// Its copy in the project.
    copy: Option<AppendFile>,
    clock: fn() -> Timestamp,
    /// The stamp of the last line.
    last: Timestamp,
    mask: SecretMask,
    room: LogLimits,
    written: u64,
    is_full: bool,
    out: PartialLine,
    err: PartialLine,
    heard: u64,
    tail: VecDeque<String>,
    /// The last lines of its standard output that are no reports of a tool.
    said: VecDeque<String>,
    failure: Option<io::Error>,
    reads: Option<LineFilter>,
    /// True if lines of standard output come with a stamp and a stream of their own.
    has_stamps: bool,
}

/// The unfinished line of a stream.
#[derive(Default)]
struct PartialLine {
    bytes: Vec<u8>,
    /// True if its start is written already.
    is_started: bool,
}

impl RunLog {
    /// Opens the log of a spec's runs for one more run and writes the lines above its output; its
    /// copy in the project gets the same.
    ///
    /// # Errors
    /// A `StoreError` when it cannot be written.
    pub fn open(
        runs: &RunStore,
        header: &LogHeader<'_>,
        mask: SecretMask,
        room: LogLimits,
    ) -> Result<Self, WorkError> {
        let mut file = AppendFile::open_owned(&runs.ensure_log(header.spec_id)?)?;
        let mut copy = runs.mirror_log(header.spec_id);
        // A crash may have left the last line without its end.
        let end = if file.is_torn() { "\n" } else { "" };
        let now = (runs.clock)();
        let text = headline(header, now, !file.is_empty());
        if let Some(copy) = &mut copy {
            let end = if copy.is_torn() { "\n" } else { "" };
            // A copy that cannot be written does not matter to us.
            let _ = copy.add((end.to_owned() + &text).as_bytes());
        }
        file.add((end.to_owned() + &text).as_bytes())
            .map_err(|source| WorkError::System {
                action: "write the log",
                source,
            })?;
        Ok(Self {
            file,
            copy,
            clock: runs.clock,
            last: now,
            mask,
            room,
            written: 0,
            is_full: false,
            out: PartialLine::default(),
            err: PartialLine::default(),
            heard: 0,
            tail: VecDeque::new(),
            said: VecDeque::new(),
            failure: None,
            reads: None,
            has_stamps: false,
        })
    }

    /// Keeps the stamps of lines of standard output that were written on another machine.
    #[must_use]
    pub fn keeping_stamps(mut self, has_stamps: bool) -> Self {
        self.has_stamps = has_stamps;
        self
    }

    /// Sets the function that decides which lines of standard output are written.
    #[must_use]
    pub fn read_by(mut self, reads: Option<LineFilter>) -> Self {
        self.reads = reads;
        self
    }

    /// Adds output of a stream.
    pub fn take(&mut self, stream: LogStream, bytes: &[u8]) {
        self.heard += bytes.len() as u64;
        let mut ready = Vec::new();
        let (line, reads) = match stream {
            LogStream::Out => (&mut self.out, self.reads),
            LogStream::Err => (&mut self.err, None),
        };
        let (mask, most) = (&self.mask, self.room.line);
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            line.bytes.extend_from_slice(part);
            let is_whole = line.bytes.last() == Some(&b'\n');
            if reads.is_some() && !is_whole && line.bytes.len() < LONGEST_READ {
                continue;
            }
            // Masked first: a shortened line could cut a secret in two.
            let reads = reads.filter(|_| !line.is_started);
            match reads.and_then(|reads| reads(&mask.text(&line.bytes))) {
                Some(texts) => {
                    line.bytes.clear();
                    for text in texts {
                        PartialLine::of(text).drain(mask, most, true, &mut ready);
                    }
                }
                None => line.drain(mask, most, is_whole, &mut ready),
            }
        }
        self.write(stream, ready);
    }

    /// Writes the rest of a stream that has no line end.
    pub fn end(&mut self, stream: LogStream) {
        let line = match stream {
            LogStream::Out => &mut self.out,
            LogStream::Err => &mut self.err,
        };
        if !line.bytes.is_empty() {
            self.take(stream, b"\n");
            self.heard -= 1;
        }
    }

    /// Writes a line of our own; there is always room for it.
    pub fn note(&mut self, text: &str) {
        let text = self.mask.apply(text);
        let line = format!("{} run {text}\n", self.stamp());
        self.append(line.as_bytes());
    }

    /// Returns the stamp of the next line. If the clock was set back, it is later than that of the
    /// line before: a caller who asks for the lines since that one gets all of them.
    fn stamp(&mut self) -> String {
        let now = (self.clock)();
        self.last = if now < self.last {
            self.last + STEP
        } else {
            now
        };
        run_record::stamp(self.last)
    }

    /// Returns a text without the secrets.
    pub fn masked(&self, text: &str) -> String {
        self.mask.apply(text)
    }

    /// Returns the number of bytes that came from the agent.
    pub fn heard(&self) -> u64 {
        self.heard
    }

    /// Makes the log durable; returns the last lines of standard error and the error that kept us
    /// from writing, if there was one.
    pub fn close(&mut self) -> (Vec<String>, Option<io::Error>) {
        self.end(LogStream::Out);
        self.end(LogStream::Err);
        let flushed = self.file.flush().err();
        let tail = std::mem::take(&mut self.tail);
        (tail.into(), self.failure.take().or(flushed))
    }

    /// Returns the last lines that the agent said on standard output, secrets masked.
    pub fn said(&mut self) -> Vec<String> {
        std::mem::take(&mut self.said).into()
    }

    fn write(&mut self, stream: LogStream, lines: Vec<String>) {
        let now = self.stamp();
        let mut text = String::new();
        for line in lines {
            let last = match stream {
                _ if line.trim().is_empty() => None,
                LogStream::Err => Some(&mut self.tail),
                LogStream::Out if line.starts_with('[') => None,
                LogStream::Out => Some(&mut self.said),
            };
            if let Some(last) = last {
                last.push_back(line.chars().take(TAIL_LINE).collect());
                last.drain(..last.len().saturating_sub(TAIL_LINES));
            }
            let is_stamped = self.has_stamps && stream == LogStream::Out && is_stamped(&line);
            let line = if is_stamped {
                line
            } else {
                format!("{now} {} {line}", stream.as_str())
            };
            if !self.is_full {
                let length = line.len() + 1;
                self.is_full = self.written + length as u64 > self.room.log;
                if self.is_full {
                    let most = self.room.log;
                    text += &format!(
                        "{now} run The rest of the output is left out: a run may fill {most} bytes of its log\n"
                    );
                } else {
                    self.written += length as u64;
                    text += &line;
                    text.push('\n');
                }
            }
        }
        self.append(text.as_bytes());
    }

    /// Appends to the log. A log that cannot be written must not cost the work: the first error is
    /// reported at the end.
    fn append(&mut self, bytes: &[u8]) {
        if self.failure.is_none() && !bytes.is_empty() {
            self.failure = self.file.add(bytes).err();
            if self
                .copy
                .as_mut()
                .is_some_and(|copy| copy.add(bytes).is_err())
            {
                self.copy = None;
            }
        }
    }
}

impl PartialLine {
    /// Returns a whole line.
    fn of(text: String) -> Self {
        let mut bytes = text.into_bytes();
        bytes.push(b'\n');
        Self {
            bytes,
            is_started: false,
        }
    }

    /// Takes the text that is ready to be written: the whole line, or the start of one that is too
    /// long.
    fn drain(&mut self, mask: &SecretMask, most: usize, is_whole: bool, ready: &mut Vec<String>) {
        let ending = |bytes: &[u8]| match bytes {
            [.., b'\r', b'\n'] => 2,
            [.., b'\n'] => 1,
            _ => 0,
        };
        if is_whole {
            self.bytes.truncate(self.bytes.len() - ending(&self.bytes));
        }
        // A secret that starts before the cut has to be read to its end.
        let seen = if is_whole { 0 } else { mask.longest };
        while self.bytes.len() > most + seen {
            let Some(cut) = mask.cut(&self.bytes, most, is_whole) else {
                break;
            };
            let rest = self.bytes.split_off(cut);
            ready.push(mask.text(&self.bytes));
            self.bytes = rest;
            self.is_started = true;
        }
        if is_whole {
            if !(self.is_started && self.bytes.is_empty()) {
                ready.push(mask.text(&self.bytes));
            }
            self.bytes.clear();
            self.is_started = false;
        }
    }
}

/// Returns the values of variables that are named like secrets (decisions 3, "Secrets").
pub fn secrets(environment: &BTreeMap<String, String>) -> Vec<String> {
    let secret = environment.iter().filter(|(name, _)| is_secret(name));
    secret.map(|(_, value)| value.clone()).collect()
}

/// Texts that must not be written.
pub struct SecretMask {
    search: Option<AhoCorasick>,
    longest: usize,
}

impl SecretMask {
    /// Creates a mask of each secret as it is and as JSON writes it; of a secret of several lines
    /// each line is masked.
    ///
    /// # Errors
    /// `System` when there are too many of them.
    pub fn new(secrets: &[String]) -> Result<Self, WorkError> {
        let lines = secrets.iter().flat_map(|secret| {
            let is_one = secret.trim_end().lines().count() < 2;
            secret
                .lines()
                .filter(move |line| !line.is_empty() && (is_one || line.len() >= SHORT))
        });
        let escaped = |line: &str| {
            let json = serde_json::Value::from(line).to_string();
            json[1..json.len() - 1].to_owned()
        };
        let mut forms: Vec<String> = lines.flat_map(|l| [l.to_owned(), escaped(l)]).collect();
        forms.sort_unstable();
        forms.dedup();
        let longest = forms.iter().map(String::len).max().unwrap_or(0);
        let search = AhoCorasick::new(&forms).map_err(|error| WorkError::System {
            action: "look for secrets",
            source: io::Error::other(error),
        })?;
        Ok(Self {
            search: Some(search).filter(|_| !forms.is_empty()),
            longest,
        })
    }

    /// Returns a text without the secrets.
    pub fn apply(&self, text: &str) -> String {
        self.text(text.as_bytes())
    }

    fn text(&self, bytes: &[u8]) -> String {
        let mut text = String::new();
        let mut at = 0;
        for (start, end) in self.places(bytes) {
            text += &String::from_utf8_lossy(&bytes[at..start]);
            text += MASKED;
            at = end;
        }
        text + &String::from_utf8_lossy(&bytes[at..])
    }

    /// Returns the places of secrets, in order; places that touch or overlap are joined.
    fn places(&self, bytes: &[u8]) -> Vec<(usize, usize)> {
        let mut places: Vec<(usize, usize)> = Vec::new();
        let Some(search) = &self.search else {
            return places;
        };
        let mut found: Vec<(usize, usize)> = search
            .find_overlapping_iter(bytes)
            .map(|found| (found.start(), found.end()))
            .collect();
        found.sort_unstable();
        for (start, end) in found {
            match places.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => places.push((start, end)),
            }
        }
        places
    }

    /// Returns the place where a line of about `most` bytes is cut: between characters, before a
    /// secret that the cut would split, behind a secret at the start. `None` while the end of that
    /// secret is not known.
    fn cut(&self, bytes: &[u8], most: usize, is_whole: bool) -> Option<usize> {
        let places = self.places(bytes);
        match places.into_iter().find(|(s, e)| *s < most && most < *e) {
            Some((0, end)) => {
                let is_seen = is_whole || end + self.longest <= bytes.len();
                return (is_seen || bytes.len() > LONGEST_SECRET * most).then_some(end);
            }
            Some((start, _)) => return Some(start),
            None => {}
        }
        let continues = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
        let mut cuts = (most.saturating_sub(3).max(1)..=most).rev();
        cuts.find(|at| !continues(*at)).or(Some(most))
    }
}

/// Returns true if a line begins with the stamp and the stream of a log.
fn is_stamped(line: &str) -> bool {
    let mut words = line.splitn(3, ' ');
    let is_moment = words
        .next()
        .is_some_and(|word| word.parse::<Timestamp>().is_ok());
    is_moment && matches!(words.next(), Some("out" | "err" | "run"))
}

/// Returns the lines above a run's output.
fn headline(header: &LogHeader<'_>, now: Timestamp, is_more: bool) -> String {
    let now = run_record::stamp(now);
    let LogHeader {
        spec_id,
        prompt,
        withheld,
    } = header;
    let withheld = match withheld.join(", ") {
        names if names.is_empty() => names,
        names => format!("# Not passed: {names}; `env.pass` in the configuration passes more\n"),
    };
    if is_more {
        let rule = "=".repeat(80);
        return format!("\n{rule}\n# New Run: {now}\n# Prompt: {prompt}\n{withheld}{rule}\n\n");
    }
    format!("# Agent Log: {spec_id}\n# Started: {now}\n# Prompt: {prompt}\n{withheld}\n")
}
