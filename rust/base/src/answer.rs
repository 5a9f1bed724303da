//! Answers of a bounded size: pages of lists and pieces of documents.
//!
//! Hosts cut or refuse long results, so an answer's text stays under [`MAX_CHARS`] characters, and
//! whatever is left out is said in the answer together with the way to get it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Characters that the text of an answer stays under.
pub const MAX_CHARS: usize = 50_000;

/// Characters from which on data counts as too long: doors cut a text that comes close to [`MAX_CHARS`], and JSON that is
/// cut is none.
const MAX_DATA_CHARS: usize = MAX_CHARS - 100;

/// The room that an answer's own keys and a few notes may take of it.
const RESERVE: usize = 2_500;

/// Default number of characters of a document's body in one answer.
pub const DEFAULT_CHARS: usize = 40_000;

/// Default number of entries of a list in one answer.
pub const DEFAULT_LIMIT: usize = 50;

/// The answer of a tool: a text, and for answers that are data the same data on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Prose, or the data as JSON, with a line for each of its keys and for each row of a list.
    pub text: String,
    /// The data as JSON without line breaks; `None` for prose.
    pub json: Option<String>,
    /// A note beside the text, such as how to get the rest of a list.
    pub note: Option<String>,
}

impl Answer {
    /// An answer that is data. Where its text would be too long, long values are cut and say how
    /// long they are, and long lists and maps keep their first entries beside `<key>_total`.
    pub fn data(view: &impl Serialize) -> Self {
        let mut answer = Self::whole(view);
        if is_too_long(&answer.text)
            && let Ok(whole) = serde_json::to_value(view)
        {
            for (chars, entries) in SHORTER {
                answer = Self::whole(&shortened(&whole, chars, entries));
                if !is_too_long(&answer.text) {
                    break;
                }
            }
        }
        answer
    }

    /// An answer that is data, if its text is not too long.
    pub fn fitting(view: &impl Serialize) -> Option<Self> {
        Some(Self::whole(view)).filter(|answer| !is_too_long(&answer.text))
    }

    /// An answer that is data, however long it is: for people and scripts, whom no host stands before.
    pub fn whole(view: &impl Serialize) -> Self {
        let json = serde_json::to_string(view).ok();
        Self {
            text: json.as_deref().map(in_rows).unwrap_or_default(),
            json,
            note: None,
        }
    }

    /// An answer that is data for a program of ours, however long it is: its text is the data without line breaks.
    pub fn compact(view: &impl Serialize) -> Self {
        let json = serde_json::to_string(view).unwrap_or_default();
        Self {
            text: json.clone(),
            json: Some(json),
            note: None,
        }
    }

    /// An answer that is a page of a list: the text is the list, the data an object with `result`,
    /// `total` and `returned`, for a list alone is no structured answer. What was left out is noted.
    pub fn list<T: Serialize>(entries: &[T], page: PageRequest) -> Self {
        let total = entries.len();
        let wanted = &entries[page.offset.min(total)..];
        let wanted = &wanted[..page.limit.min(wanted.len())];
        let returned = fitting(wanted.iter(), 0).len();
        let list = Self::data(&&wanted[..returned]);
        let result = list.json.unwrap_or_default();
        let next = page.offset + returned;
        let note = (returned < total).then(|| {
            let more = if next < total {
                format!("; offset={next} gives the next ones")
            } else {
                String::new()
            };
            format!(
                "{returned} of {total} entries, from {} on{more}.",
                page.offset
            )
        });
        Self {
            text: list.text,
            json: Some(format!(
                r#"{{"result":{result},"total":{total},"returned":{returned}}}"#
            )),
            note,
        }
    }

    /// An answer in words, with data beside them whose lists are as long as the words say: where it would be
    /// long, long values are cut.
    pub fn text_with_data(text: String, view: &impl Serialize) -> Self {
        let whole = Self::whole(view);
        let json = match serde_json::to_value(view) {
            Ok(value) if is_too_long(&whole.text) => {
                Some(shortened(&value, SHORTER[0].0, usize::MAX).to_string())
            }
            _ => whole.json,
        };
        Self {
            text,
            json,
            note: None,
        }
    }

    /// The same answer with a note behind the one that it has; an empty one is none.
    #[must_use]
    pub fn noted(mut self, note: &str) -> Self {
        if !note.is_empty() {
            let before = self.note.take().map(|before| before + "\n");
            self.note = Some(before.unwrap_or_default() + note);
        }
        self
    }

    /// An answer in words.
    pub fn prose(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            json: None,
            note: None,
        }
    }
}

fn is_too_long(text: &str) -> bool {
    text.len() >= MAX_DATA_CHARS && text.chars().count() >= MAX_DATA_CHARS
}

/// Characters of a value and entries of a list that are kept, the first that suffice.
const SHORTER: [(usize, usize); 5] = [(2_000, 200), (1_000, 100), (500, 50), (300, 20), (100, 5)];

/// Keys of a map that are kept: more than any map of ours has, so that only those of users end early.
const MAX_WIDTH: usize = 50;

/// Keys whose texts are pieces of documents, fitted to an answer already.
const PIECES: [&str; 2] = ["body", "content"];

/// A value with long texts cut and long lists ended early.
fn shortened(value: &Value, chars: usize, entries: usize) -> Value {
    let shorter = |value| shortened(value, chars, entries);
    match value {
        Value::String(text) => Value::String(cut(text, chars)),
        Value::Array(items) => items.iter().take(entries).map(shorter).collect(),
        Value::Object(pairs) => {
            let mut shown = Map::new();
            for (key, value) in pairs.iter().take(MAX_WIDTH) {
                let is_piece = PIECES.contains(&key.as_str());
                let value_shown = if is_piece {
                    value.clone()
                } else {
                    shorter(value)
                };
                let total = match value {
                    Value::Array(items) => Some(items.len()).filter(|total| *total > entries),
                    Value::Object(pairs) => Some(pairs.len()).filter(|total| *total > MAX_WIDTH),
                    _ => None,
                };
                let key = cut(key, chars);
                let name = format!("{key}_total");
                shown.insert(key, value_shown);
                shown.extend(total.map(|total| (name, total.into())));
            }
            Value::Object(shown)
        }
        other => other.clone(),
    }
}

/// A text, or its beginning and how long it is.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}… ({} characters)", &text[..end], text.chars().count()),
        None => text.to_owned(),
    }
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PageRequest {
    /// Most entries.
    pub limit: usize,
    /// Entries to pass over.
    pub offset: usize,
}

impl Default for PageRequest {
    fn default() -> Self {
        Self {
            limit: DEFAULT_LIMIT,
            offset: 0,
        }
    }
}

/// Which piece of a text is wanted, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextRange {
    /// Characters to pass over.
    pub offset: usize,
    /// Most characters.
    pub max_chars: usize,
}

impl Default for TextRange {
    fn default() -> Self {
        Self {
            offset: 0,
            max_chars: DEFAULT_CHARS,
        }
    }
}

/// Takes entries until their text would fill an answer; always at least one, so that paging goes on.
pub fn fitting<T: Serialize>(entries: impl Iterator<Item = T>, taken: usize) -> Vec<T> {
    let mut room = (MAX_CHARS - RESERVE).saturating_sub(taken);
    let mut fitting = Vec::new();
    for entry in entries {
        let size = size_of(&entry);
        if size > room && !fitting.is_empty() {
            break;
        }
        room = room.saturating_sub(size);
        fitting.push(entry);
    }
    fitting
}

/// Characters an entry of a list takes in an answer's text, with what parts it from the next one.
pub fn size_of<T: Serialize>(entry: &T) -> usize {
    let text = serde_json::to_string(entry).unwrap_or_default();
    text.chars().count() + ",\n".len()
}

/// Returns JSON with a line for each key of its object, and for each row of a list there; what is inside of a row stays
/// on its line. Models pay for blanks that only people need.
fn in_rows(json: &str) -> String {
    let bytes = json.as_bytes();
    let mut text = String::with_capacity(json.len() + json.len() / 16);
    // Whether the values of each open container have lines of their own.
    let mut open: Vec<bool> = Vec::new();
    let mut copied = 0;
    let mut at = 0;
    let mut break_line = |at: usize, copied: &mut usize| {
        text.push_str(&json[*copied..at]);
        text.push('\n');
        *copied = at;
    };
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at),
            b'{' | b'[' => {
                let is_object = bytes[at] == b'{';
                let first = bytes.get(at + 1).copied().unwrap_or_default();
                let holds_rows = matches!(first, b'{' | b'[');
                let has_lines = match open.len() {
                    0 => holds_rows || (is_object && first != b'}'),
                    1 => open[0] && !is_object && holds_rows,
                    _ => false,
                };
                open.push(has_lines);
                if has_lines {
                    break_line(at + 1, &mut copied);
                }
            }
            b'}' | b']' => {
                let has_lines = open.pop().unwrap_or_default();
                if has_lines {
                    break_line(at, &mut copied);
                }
            }
            b',' if open.last() == Some(&true) => break_line(at + 1, &mut copied),
            _ => {}
        }
        at += 1;
    }
    text.push_str(&json[copied..]);
    text
}

/// Returns where the string ends that begins at a quote.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at
}

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSlice<'a> {
    /// The characters.
    pub text: &'a str,
    /// Where the next piece begins, in characters, when there is more.
    pub next: Option<usize>,
}

/// The piece of `text` from character `offset`: at most `most` characters, and no more than fit an
/// answer that already takes `taken` characters once line breaks and quotes are escaped.
pub fn piece(text: &str, offset: usize, most: usize, taken: usize) -> TextSlice<'_> {
    // Whatever takes more than half is shortened.
    let mut room = MAX_CHARS - RESERVE - taken.min(MAX_CHARS / 2);
    let start = text
        .char_indices()
        .nth(offset)
        .map_or(text.len(), |(at, _)| at);
    let mut end = text.len();
    let mut count = 0;
    for (at, c) in text[start..].char_indices() {
        let size = escaped(c);
        if count == most || (size > room && count > 0) {
            end = start + at;
            break;
        }
        room = room.saturating_sub(size);
        count += 1;
    }
    TextSlice {
        text: &text[start..end],
        next: (end < text.len()).then_some(offset + count),
    }
}

/// Characters a character takes inside a JSON string.
fn escaped(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        c if c < ' ' => 6,
        _ => 1,
    }
}

/// Characters a text takes inside a JSON string.
pub fn escaped_len(text: &str) -> usize {
    text.chars().map(escaped).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_a_line_for_each_key_and_each_row() {
        let rows = |json: &str| in_rows(json);
        assert_eq!(
            rows(r#"{"a":[{"b":[1,2],"c":{"d":[]}},{}],"e":[1,"x,\"y"],"f":{"g":1},"h":[]}"#),
            "{\n\"a\":[\n{\"b\":[1,2],\"c\":{\"d\":[]}},\n{}\n],\n\"e\":[1,\"x,\\\"y\"],\n\"f\":{\"g\":1},\n\"h\":[]\n}"
        );
        assert_eq!(rows("[]"), "[]");
        assert_eq!(rows("{}"), "{}");
        assert_eq!(rows("[1,2]"), "[1,2]");
        assert_eq!(rows(r#"[{"a":1},{"a":2}]"#), "[\n{\"a\":1},\n{\"a\":2}\n]");
    }

    #[test]
    fn pieces_put_together_are_the_text() {
        let text = "é\n\"".repeat(30_000);
        let (mut all, mut at) = (String::new(), Some(0));
        while let Some(offset) = at {
            let piece = piece(&text, offset, usize::MAX, 1_000);
            assert!(serde_json::to_string(piece.text).unwrap().chars().count() < MAX_CHARS);
            all.push_str(piece.text);
            at = piece.next;
        }
        assert_eq!(all, text);
        assert_eq!(
            piece("abc", 1, 1, 0),
            TextSlice {
                text: "b",
                next: Some(2)
            }
        );
        assert_eq!(
            piece("abc", 9, 1, 0),
            TextSlice {
                text: "",
                next: None
            }
        );
    }

    /// Lists keep their first entries and their number, values their beginning and their length;
    /// pieces of documents stay.
    #[test]
    fn what_would_be_too_long_is_shortened_and_says_so() {
        let names: Vec<String> = (0..20_000).map(|n| format!("name-{n}")).collect();
        let piece = "p".repeat(20_000);
        let view = serde_json::json!({
            "names": names, "title": "é".repeat(90_000), "inner": [{"names": names}], "body": piece,
            "map": names.iter().map(|name| (name.clone(), Value::from(1))).collect::<Map<_, _>>(),
        });
        let answer = Answer::data(&view);
        assert!(answer.text.chars().count() < MAX_CHARS);
        let data: Value = serde_json::from_str(&answer.text).unwrap();
        let json = answer.json.unwrap();
        assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), data);
        assert_eq!(
            (&data["names"][0], &data["names_total"]),
            (&"name-0".into(), &20_000.into())
        );
        assert_eq!(data["inner"][0]["names_total"], 20_000);
        assert_eq!(
            (&data["map"]["name-0"], &data["map_total"]),
            (&1.into(), &20_000.into())
        );
        assert!(
            data["title"]
                .as_str()
                .unwrap()
                .ends_with("é… (90000 characters)")
        );
        assert_eq!(data["body"], piece);
        let small = serde_json::json!({"names": names[..300]});
        assert_eq!(Answer::data(&small).json.unwrap(), small.to_string());
    }

    #[test]
    fn data_beside_words_keeps_its_lists_and_cuts_its_values() {
        let view = serde_json::json!({"list": vec!["x"; 20_000], "title": "é".repeat(90_000)});
        let answer = Answer::text_with_data("words".into(), &view);
        let data: Value = serde_json::from_str(&answer.json.unwrap()).unwrap();
        assert_eq!(data["list"], view["list"]);
        assert!(
            data["title"]
                .as_str()
                .unwrap()
                .ends_with("é… (90000 characters)")
        );
    }

    #[test]
    fn a_page_ends_before_the_answer_is_full_and_never_empty() {
        let entry = "x".repeat(1_000);
        assert_eq!(fitting(std::iter::repeat_n(&entry, 100), 0).len(), 47);
        assert_eq!(fitting(std::iter::once("x".repeat(60_000)), 0).len(), 1);
    }
}
