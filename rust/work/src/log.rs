//! Reads a run's log: its end, or forward from a byte, in whole lines (reference chant 5.5 R).

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use chant_base::answer::{DEFAULT_CHARS, escaped_len};

/// The number of bytes that are read at once when a log is read backwards.
const BLOCK_SIZE: u64 = 64 * 1024;

/// The wanted part of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogQuery {
    /// The greatest number of lines.
    pub lines: usize,
    /// The byte to read forward from; without it the last lines are read.
    pub offset: Option<u64>,
    /// The time of the last line that is left out: only later lines, and lines without a stamp, are
    /// returned.
    pub since: Option<Timestamp>,
}

/// Lines of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLines {
    /// The lines, joined by line feeds, without a final one.
    pub content: String,
    /// The byte at which the first of them starts.
    pub start_offset: u64,
    /// The byte after the last whole line that was read: where to go on.
    pub byte_offset: u64,
    /// The number of lines.
    pub line_count: usize,
    /// True if there is more: reading forward, whole lines follow; reading the end, older lines
    /// were left out.
    pub has_more: bool,
}

/// Returns a time as clients write it: RFC 3339, or a date or date and time without zone, taken as
/// UTC.
pub fn moment(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let civil = || {
        text.parse::<DateTime>()
            .ok()?
            .to_zoned(TimeZone::UTC)
            .ok()
            .map(|z| z.timestamp())
    };
    text.parse().ok().or_else(civil)
}

/// Reads lines of a log of `length` bytes. Bytes that are not UTF-8 are shown as replacement
/// characters; a last line that is not complete yet is left for later.
///
/// # Errors
/// The error of the system when the log cannot be read.
pub fn read(log: impl Read + Seek, length: u64, query: LogQuery) -> io::Result<LogLines> {
    match (query.offset, query.since) {
        (Some(offset), _) => forward(log, length, offset, query),
        (None, Some(_)) => last_of_all(log, query),
        (None, None) => tail(log, length, query.lines),
    }
}

fn forward(
    mut log: impl Read + Seek,
    length: u64,
    offset: u64,
    query: LogQuery,
) -> io::Result<LogLines> {
    if offset >= length {
        return Ok(nothing_at(length));
    }
    log.seek(SeekFrom::Start(offset))?;
    let mut log = BufReader::new(log);
    let skipped = skip_rest_of_character(&mut log)?;
    let mut at = offset + skipped;
    let mut page = LogPage::new(query.lines, at);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = log.by_ref().take(MAX_BYTES).read_until(b'\n', &mut line)? as u64;
        let is_whole = line.last() == Some(&b'\n');
        if !is_whole && read < MAX_BYTES {
            return Ok(page.end(at, false));
        }
        let text = without_line_end(&line);
        let part = first_part(text, is_whole);
        if part.len() < text.len() || !is_whole {
            // A line longer than an answer is returned in parts, on pages of their own.
            if page.lines.is_empty() {
                page.push(String::from_utf8_lossy(part).into_owned());
                at += part.len() as u64;
            }
            return Ok(page.end(at, true));
        }
        let text = String::from_utf8_lossy(text);
        if is_later(&text, query.since) && !page.push(text.into_owned()) {
            return Ok(page.end(at, true));
        }
        at += read;
    }
}

/// The number of bytes from which on a line is returned in parts.
const MAX_BYTES: u64 = DEFAULT_CHARS as u64;

fn without_line_end(line: &[u8]) -> &[u8] {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    text.strip_suffix(b"\r")
        .filter(|_| text.len() < line.len())
        .unwrap_or(text)
}

/// Returns as much of the start of a line as fits an answer, cut between characters.
fn first_part(line: &[u8], is_whole: bool) -> &[u8] {
    let (mut used, mut end) = (0, 0);
    for chunk in line.utf8_chunks() {
        for c in chunk.valid().chars() {
            used += escaped_len(c.encode_utf8(&mut [0; 4]));
            if used > DEFAULT_CHARS {
                return &line[..end];
            }
            end += c.len_utf8();
        }
        // The bytes of a character that continues after the end are left for the next part.
        let is_last = end + chunk.invalid().len() == line.len();
        if is_last && !is_whole && end > 0 {
            return &line[..end];
        }
        used += 1;
        end += chunk.invalid().len();
    }
    line
}

/// Skips and counts the bytes of a character that started before the offset.
fn skip_rest_of_character(log: &mut impl BufRead) -> io::Result<u64> {
    let buffer = log.fill_buf()?;
    let rest = buffer
        .iter()
        .take(3)
        .take_while(|byte| (0x80..0xC0).contains(*byte))
        .count();
    log.consume(rest);
    Ok(rest as u64)
}

/// Returns the last lines after a time: the whole log has to be read, as lines need not have
/// stamps.
fn last_of_all(mut log: impl Read + Seek, query: LogQuery) -> io::Result<LogLines> {
    log.seek(SeekFrom::Start(0))?;
    let mut log = BufReader::with_capacity(256 * 1024, log);
    let mut kept: VecDeque<(u64, String)> = VecDeque::new();
    let (mut at, mut has_more, mut room_used) = (0, false, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = log.read_until(b'\n', &mut line)? as u64;
        if line.last() != Some(&b'\n') {
            break;
        }
        let text = last_part(String::from_utf8_lossy(&line[..line.len() - 1]).into_owned());
        if is_later(&text, query.since) {
            room_used += escaped_len(&text) + 2;
            kept.push_back((at, text));
            while kept.len() > query.lines || (room_used > DEFAULT_CHARS && kept.len() > 1) {
                if let Some((_, old)) = kept.pop_front() {
                    room_used -= escaped_len(&old) + 2;
                }
                has_more = true;
            }
        }
        at += read;
    }
    let start_offset = kept.front().map_or(at, |(start, _)| *start);
    let lines: Vec<String> = kept.into_iter().map(|(_, text)| text).collect();
    Ok(LogLines {
        line_count: lines.len(),
        content: lines.join("\n"),
        start_offset,
        byte_offset: at,
        has_more,
    })
}

/// Returns the last lines, read backwards: the cost depends on them, not on the log.
fn tail(mut log: impl Read + Seek, length: u64, most: usize) -> io::Result<LogLines> {
    let mut start = length;
    let mut bytes: Vec<u8> = Vec::new();
    let ends = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count();
    while start > 0 && ends(&bytes) <= most && bytes.len() < 4 * DEFAULT_CHARS {
        let from = start.saturating_sub(BLOCK_SIZE);
        let mut block = vec![0; usize::try_from(start - from).unwrap_or(0)];
        log.seek(SeekFrom::Start(from))?;
        log.read_exact(&mut block)?;
        block.extend_from_slice(&bytes);
        bytes = block;
        start = from;
    }
    let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
        return Ok(nothing_at(start));
    };
    let (mut lines, mut used) = (Vec::new(), 0);
    let (mut first, mut stop) = (end + 1, end);
    while lines.len() < most {
        let begin = bytes[..stop]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let text = last_part(String::from_utf8_lossy(&bytes[begin..stop]).into_owned());
        used += escaped_len(&text) + 2;
        let is_cut = begin == 0 && start > 0;
        if !lines.is_empty() && (is_cut || used > DEFAULT_CHARS) {
            break;
        }
        lines.push(text);
        first = begin;
        let Some(before) = begin.checked_sub(1) else {
            break;
        };
        stop = before;
    }
    lines.reverse();
    let start_offset = start + first as u64;
    Ok(LogLines {
        line_count: lines.len(),
        content: lines.join("\n"),
        start_offset,
        byte_offset: start + end as u64 + 1,
        has_more: start_offset > 0,
    })
}

/// Returns the end of a line that alone would fill an answer; other lines unchanged.
fn last_part(text: String) -> String {
    let text = text.strip_suffix('\r').map(str::to_owned).unwrap_or(text);
    let mut used = 0;
    let fits = |(_, c): &(usize, char)| {
        used += escaped_len(c.encode_utf8(&mut [0; 4]));
        used <= DEFAULT_CHARS
    };
    match text.char_indices().rev().take_while(fits).last() {
        Some((at, _)) if at > 0 => text[at..].to_owned(),
        _ => text,
    }
}

fn nothing_at(byte: u64) -> LogLines {
    LogLines {
        content: String::new(),
        start_offset: byte,
        byte_offset: byte,
        line_count: 0,
        has_more: false,
    }
}

/// Returns true if a line is stamped later than the time, or not stamped at all.
fn is_later(line: &str, since: Option<Timestamp>) -> bool {
    let Some(since) = since else { return true };
    let stamp = line
        .split_whitespace()
        .next()
        .and_then(|word| word.parse::<Timestamp>().ok());
    stamp.is_none_or(|stamp| stamp > since)
}

/// Lines collected until there are enough or the answer is full.
struct LogPage {
    lines: Vec<String>,
    most: usize,
    room: usize,
    start: u64,
}

impl LogPage {
    fn new(most: usize, start: u64) -> Self {
        Self {
            lines: Vec::new(),
            most,
            room: DEFAULT_CHARS,
            start,
        }
    }

    /// Adds a line if it fits; the first one always does.
    fn push(&mut self, line: String) -> bool {
        let size = escaped_len(&line) + 2;
        if self.lines.len() == self.most || (size > self.room && !self.lines.is_empty()) {
            return false;
        }
        self.room = self.room.saturating_sub(size);
        self.lines.push(line);
        true
    }

    fn end(self, byte_offset: u64, has_more: bool) -> LogLines {
        LogLines {
            line_count: self.lines.len(),
            content: self.lines.join("\n"),
            start_offset: self.start,
            byte_offset,
            has_more,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    fn get(log: &[u8], lines: usize, offset: Option<u64>, since: Option<&str>) -> LogLines {
        let query = LogQuery {
            lines,
            offset,
            since: since.map(|text| moment(text).unwrap()),
        };
        read(Cursor::new(log), log.len() as u64, query).unwrap()
    }

    #[track_caller]
    fn check(lines: &LogLines, content: &str, from_to: (u64, u64), has_more: bool) {
        assert_eq!(
            (
                lines.content.as_str(),
                (lines.start_offset, lines.byte_offset)
            ),
            (content, from_to)
        );
        assert_eq!(lines.has_more, has_more);
        assert_eq!(
            lines.line_count,
            if content.is_empty() {
                0
            } else {
                content.lines().count()
            }
        );
    }

    #[test]
    fn without_an_offset_the_last_whole_lines_come() {
        check(&get(b"a\nb\nc\n", 2, None, None), "b\nc", (2, 6), true);
        check(&get(b"a\nb\nc\n", 9, None, None), "a\nb\nc", (0, 6), false);
        check(&get(b"a\nb\nhalf", 9, None, None), "a\nb", (0, 4), false);
        check(&get(b"half", 9, None, None), "", (0, 0), false);
        check(&get(b"", 9, None, None), "", (0, 0), false);
        check(&get(b"a\nb\n", 0, None, None), "", (4, 4), true);
    }

    #[test]
    fn with_an_offset_whole_lines_come_in_order() {
        check(&get(b"a\nb\nc\n", 2, Some(0), None), "a\nb", (0, 4), true);
        check(&get(b"a\nb\nc\n", 2, Some(4), None), "c", (4, 6), false);
        check(&get(b"a\nhalf", 2, Some(2), None), "", (2, 2), false);
        check(&get(b"a\n", 2, Some(2), None), "", (2, 2), false);
        check(&get(b"a\n", 2, Some(99), None), "", (2, 2), false);
    }

    #[test]
    fn an_offset_inside_a_character_and_bytes_that_are_none_are_survived() {
        let log = "é\nü\n".as_bytes();
        check(&get(log, 9, Some(1), None), "\nü", (2, 6), false);
        assert!(
            get(b"\xff\xfe\nok\n", 9, None, None)
                .content
                .ends_with("\nok")
        );
    }

    #[test]
    fn stamped_lines_are_filtered_and_others_stay() {
        let log = b"# Agent Log: x\n2026-02-02T10:00:00.000Z out old\n2026-02-02T10:00:00.001Z out new\nplain\n";
        let since = Some("2026-02-02T10:00:00Z");
        let kept = "# Agent Log: x\n2026-02-02T10:00:00.001Z out new\nplain";
        assert_eq!(get(log, 9, None, since).content, kept);
        assert_eq!(get(log, 9, Some(0), since).content, kept);
        assert_eq!(get(log, 1, None, since).content, "plain");
        assert_eq!(moment("2026-02-02"), moment("2026-02-02T00:00:00Z"));
        assert_eq!(moment("yesterday"), None);
    }

    #[test]
    fn a_line_longer_than_an_answer_is_told_in_parts() {
        let log = format!("{}\nend\n", "é".repeat(60_000));
        let (mut at, mut all) = (0, String::new());
        while at < log.len() as u64 {
            let lines = get(log.as_bytes(), 100, Some(at), None);
            assert!(lines.content.chars().count() <= DEFAULT_CHARS && lines.byte_offset > at);
            all.push_str(&lines.content);
            at = lines.byte_offset;
        }
        assert_eq!(all.matches('é').count(), 60_000);
        assert!(get(log.as_bytes(), 2, None, None).content.chars().count() <= DEFAULT_CHARS + 4);
    }

    proptest! {
        #[test]
        fn reading_on_from_each_answer_gives_every_whole_line_once(log in "[a\n\ré]{0,200}", lines in 1..5_usize) {
            let (mut at, mut all, mut more) = (0, Vec::new(), true);
            while more {
                let part = get(log.as_bytes(), lines, Some(at), None);
                all.extend(part.content.split('\n').map(str::to_owned).take(part.line_count));
                more = part.has_more;
                at = part.byte_offset;
            }
            let whole = log.rfind('\n').map_or("", |end| &log[..end]);
            let expected: Vec<&str> = if log.contains('\n') { whole.split('\n').collect() } else { Vec::new() };
            let expected: Vec<&str> = expected.into_iter().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
            prop_assert_eq!(&all, &expected);
            let tail = get(log.as_bytes(), lines, None, None);
            let last = &expected[expected.len().saturating_sub(lines)..];
            prop_assert_eq!(tail.content, last.join("\n"));
            prop_assert_eq!(tail.line_count, last.len());
        }
    }
}
