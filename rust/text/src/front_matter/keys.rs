//! Assigns the lines of front matter to top-level keys.

use std::borrow::Cow;
use std::ops::Range;

use super::read;

/// A top-level key of front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatterKey<'a> {
    /// The key, its quotes removed.
    pub name: Cow<'a, str>,
    /// Its line inside the YAML, counted from 1.
    pub line: usize,
    /// All bytes of the key and its value, the last line break included.
    pub(super) block: Range<usize>,
    /// From behind the colon to the end of that line, line break excluded.
    pub(super) rest: Range<usize>,
}

/// Returns the top-level keys of front matter, in order, each with the lines that belong to it.
pub fn keys(yaml: &str) -> Vec<FrontMatterKey<'_>> {
    let mut keys: Vec<FrontMatterKey<'_>> = Vec::new();
    let mut open = OpenValue::default();
    for (number, line) in lines(yaml, 0..yaml.len()).enumerate() {
        let text = yaml[line.clone()].trim_end_matches(['\n', '\r']);
        let fresh = !open.inside() && !text.starts_with([' ', '\t', '#']) && !is_list_item(text);
        if let Some((name, colon)) = fresh.then(|| key_of(text)).flatten() {
            let rest = line.start + colon + 1..line.start + text.len();
            open = OpenValue::default();
            open.value(&yaml[rest.clone()]);
            keys.push(FrontMatterKey {
                name,
                line: number + 1,
                block: line,
                rest,
            });
        } else if let Some(key) = keys.last_mut() {
            // A comment at the left margin or a blank line may belong to the next key: it joins
            // this one only if more lines of this one follow.
            if open.inside() || !(text.trim().is_empty() || text.starts_with('#')) {
                key.block.end = line.end;
                open.more(text);
            }
        }
    }
    keys
}

/// Returns the scalar at the start of what follows a colon, its quotes included and comments left out.
pub(super) fn token(rest: &str) -> &str {
    let text = rest.trim_start();
    if text.starts_with('#') {
        return "";
    }
    if text.starts_with(['"', '\''])
        && let Some(len) = quoted_len(text)
    {
        return &text[..len];
    }
    let end = text
        .find(" #")
        .or_else(|| text.find("\t#"))
        .unwrap_or(text.len());
    text[..end].trim_end()
}

/// Returns the length of a quoted scalar at the start of `text`, both quotes included.
pub(super) fn quoted_len(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if quote == '"' && c == '\\' {
            chars.next();
        } else if c == quote {
            if quote == '\'' && chars.peek().is_some_and(|(_, next)| *next == '\'') {
                chars.next();
            } else {
                return Some(at + 1);
            }
        }
    }
    None
}

pub(super) fn is_list_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ") || text.trim_end() == "-"
}

/// Returns the key at the start of a line and the place of its colon.
fn key_of(line: &str) -> Option<(Cow<'_, str>, usize)> {
    let ends_key = |at: usize| matches!(line[at + 1..].chars().next(), None | Some(' ' | '\t'));
    if line.starts_with(['"', '\'']) {
        let len = quoted_len(line)?;
        let colon = len + line[len..].find(|c: char| c != ' ')?;
        let name = read::<String>(&line[..len]).ok()?;
        return (line[colon..].starts_with(':') && ends_key(colon))
            .then_some((Cow::Owned(name), colon));
    }
    if line.starts_with(['{', '[', '?', '&', '*', '!', '|', '>', '%', '@', '`']) {
        return None;
    }
    let colon = line
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| ends_key(*at))?;
    Some((Cow::Borrowed(line[..colon].trim_end()), colon))
}

/// The unclosed multi-line value: text in brackets or quotes may look like a key.
#[derive(Default)]
struct OpenValue {
    depth: usize,
    quote: Option<char>,
}

impl OpenValue {
    fn inside(&self) -> bool {
        self.depth > 0 || self.quote.is_some()
    }

    /// Reads the text behind a colon; only brackets and quotes at its start can stay open.
    fn value(&mut self, rest: &str) {
        let mut value = rest.trim_start();
        while value.starts_with(['&', '!']) {
            value = value
                .split_once(' ')
                .map_or("", |(_, rest)| rest.trim_start());
        }
        if value.starts_with(['"', '\'', '[', '{']) {
            self.more(value);
        }
    }

    /// Reads a further line of the value.
    fn more(&mut self, line: &str) {
        let opens = self.inside() || line.starts_with(['"', '\'', '[', '{']);
        if !opens {
            return;
        }
        let mut chars = line.chars().peekable();
        let mut before = ' ';
        while let Some(c) = chars.next() {
            match (self.quote, c) {
                (Some('"'), '\\') => {
                    chars.next();
                }
                (Some('\''), '\'') if chars.peek() == Some(&'\'') => {
                    chars.next();
                }
                (Some(quote), c) if c == quote => self.quote = None,
                (None, '#') if before.is_whitespace() => return,
                // Inside a plain scalar a quote is a letter.
                (None, '"' | '\'')
                    if before.is_whitespace() || matches!(before, '[' | '{' | ',' | ':') =>
                {
                    self.quote = Some(c);
                }
                (None, '[' | '{') => self.depth += 1,
                (None, ']' | '}') => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            before = c;
        }
    }
}

/// Returns the lines of a range of a text, each with its line break.
pub(super) fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = range.start;
    text[range].split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        start..at
    })
}
