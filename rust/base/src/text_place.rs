//! Places in a text: by bytes, and as people and editors count.

use std::ops::Range;

use serde::Serialize;

/// A piece of a text. It is empty only where the text is, and begins and ends between characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TextPlace {
    /// Its first byte.
    #[serde(skip)]
    pub start: usize,
    /// The byte behind it.
    #[serde(skip)]
    pub end: usize,
    /// Its first line, counted from 1.
    pub line: usize,
    /// Its first character in that line, counted from 1; a byte order mark is none.
    pub column: usize,
    /// Its last line.
    pub end_line: usize,
    /// The column behind its last character.
    pub end_column: usize,
}

impl TextPlace {
    /// The characters that bytes are part of; for no bytes the next one, else the one before.
    ///
    /// ```
    /// use chant_base::text_place::TextPlace;
    ///
    /// let place = TextPlace::of("a: 1\nbö: 2\n", 5..8);
    /// assert_eq!((place.line, place.column, place.end_column), (2, 1, 3));
    /// ```
    pub fn of(text: &str, bytes: Range<usize>) -> Self {
        let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut start = bytes.start.clamp(mark, text.len().max(mark));
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = bytes.end.clamp(start, text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        if start == end {
            let is_break = |c: char| c == '\r' || c == '\n';
            let behind = text[start..].chars().next();
            let before = text[mark.min(start)..start].chars().next_back();
            match (behind, before) {
                (Some(c), before) if !is_break(c) || before.is_none_or(is_break) => {
                    end += c.len_utf8();
                }
                (_, Some(c)) => start -= c.len_utf8(),
                (_, None) => start = 0,
            }
        }
        let (line, column) = position(text, start);
        let (end_line, end_column) = position(text, end);
        Self {
            start,
            end,
            line,
            column,
            end_line,
            end_column,
        }
    }

    /// Bytes without the blanks around them.
    pub fn of_words(text: &str, bytes: Range<usize>) -> Self {
        let words = text.get(bytes.clone()).unwrap_or_default();
        let start = bytes.start + words.len() - words.trim_start().len();
        match words.trim().len() {
            0 => Self::of(text, bytes.start..bytes.start),
            length => Self::of(text, start..start + length),
        }
    }

    /// The words of a line, counted from 1; of the last one where there are fewer.
    pub fn of_line(text: &str, line: usize) -> Self {
        Self::of_words(text, line_bytes(text, line))
    }

    /// Characters of a line, both counted from 1.
    pub fn of_columns(text: &str, line: usize, columns: Range<usize>) -> Self {
        let line = line_bytes(text, line);
        let words = text[line.clone()].trim_start_matches('\u{feff}');
        let start = line.end - words.len();
        let mut ends = words.char_indices().map(|(at, _)| start + at);
        let first = ends.nth(columns.start.saturating_sub(1));
        let end = ends.nth(columns.len().saturating_sub(1));
        Self::of(text, first.unwrap_or(line.end)..end.unwrap_or(line.end))
    }

    /// The first line that says something.
    pub fn of_first_line(text: &str) -> Self {
        let rest = text.trim_start_matches('\u{feff}').trim_start();
        let start = text.len() - rest.len();
        let end = rest.find(['\r', '\n']).unwrap_or(rest.len());
        Self::of_words(text, start..start + end)
    }

    /// Words where they first stand among bytes, as words of their own if they do; else these bytes.
    pub fn within(text: &str, bytes: Range<usize>, words: &str) -> Self {
        let part = text.get(bytes.clone()).unwrap_or_default();
        let is_apart = |at: &usize| {
            let is_word = |c: char| c.is_alphanumeric() || "_-.#~".contains(c);
            let mut behind = part[at + words.len()..].chars();
            let next = behind.next().filter(|c| is_word(*c));
            let ends = next.is_none_or(|c| c == '.' && !behind.next().is_some_and(is_word));
            ends && !part[..*at].chars().next_back().is_some_and(is_word)
        };
        let all = || part.match_indices(words).map(|(at, _)| at);
        let found = all().find(is_apart).or_else(|| all().next());
        match found.filter(|_| !words.is_empty()) {
            Some(at) => Self::of(text, bytes.start + at..bytes.start + at + words.len()),
            None => Self::of_words(text, bytes),
        }
    }

    /// Words of a line; the line where it does not hold them.
    pub fn within_line(text: &str, line: usize, words: &str) -> Self {
        Self::within(text, line_bytes(text, line), words)
    }

    /// Its bytes.
    pub fn bytes(&self) -> Range<usize> {
        self.start..self.end
    }
}

fn line_bytes(text: &str, line: usize) -> Range<usize> {
    let mut start = 0;
    for raw in text.split_inclusive('\n').take(line.saturating_sub(1)) {
        if start + raw.len() == text.len() {
            break;
        }
        start += raw.len();
    }
    let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    start..end
}

/// The line and the column before a byte.
fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..byte];
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[start..]
        .trim_start_matches('\u{feff}')
        .chars()
        .count()
        + 1;
    (line, column)
}
