//! Answers held to a number of tokens, where a caller gives one.
//!
//! A token is taken for four bytes. Text and data are each held to it, for hosts show one of them. What fits stays
//! as it is. Lists lose rows from their end, documents their least needed sections, logs the lines that are
//! farthest from where was asked; each answer says what is missing and how to get it.

mod documents;
mod shrinking;

use serde_json::{Map, Value, json};

use chant_base::answer::Answer;
use chant_base::error::Error;
use shrinking::{shrink_object, shrink_value};

/// Bytes that are taken for a token.
pub const BYTES_PER_TOKEN: usize = 4;

/// Keys under which answers hold their rows.
const ROWS: [&str; 3] = ["specs", "crs", "result"];

/// The key of a list that stands in its text without the object around it.
const BARE_ROWS: &str = "result";

/// The key of a document's text.
const BODY: &str = "body";

/// The key of a log's text.
const LINES: &str = "content";

/// Gives an answer in at most so many tokens; `offset` is where its rows or its document begin.
pub fn within(answer: Answer, tokens: usize, offset: usize) -> Answer {
    let most = tokens.saturating_mul(BYTES_PER_TOKEN);
    if fits(&answer, most) {
        return answer;
    }
    let data = answer.json.as_deref().map(serde_json::from_str::<Value>);
    let Some(Ok(Value::Object(object))) = data else {
        return documents::shorter_prose(answer, most, offset);
    };
    let holds = |key: &&str| object.get(*key).is_some_and(Value::is_array);
    if let Some(key) = ROWS.iter().find(|key| holds(key)) {
        return RowList::of(object, key, offset, answer.note).shorter(most);
    }
    if object.get(BODY).is_some_and(Value::is_string) {
        return documents::shorter_body(object, answer.note, most, offset);
    }
    rendered(shrink_object(object, most), answer.note, most)
}

/// Gives the answer of a log in at most so many tokens: `ask` reads at most so many lines.
///
/// # Errors
/// Those of `ask`.
pub fn within_lines(
    tokens: usize,
    lines: usize,
    ask: impl Fn(usize) -> Result<Answer, Error>,
) -> Result<Answer, Error> {
    let most = tokens.saturating_mul(BYTES_PER_TOKEN);
    let whole = ask(lines)?;
    if fits(&whole, most) {
        return Ok(whole);
    }
    let all = object_of(&whole);
    let count = all.get("line_count").and_then(Value::as_u64).unwrap_or(0);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let shown = |lines: usize| -> Result<Answer, Error> {
        let mut object = object_of(&ask(lines)?);
        object.insert("dropped_lines".into(), count.saturating_sub(lines).into());
        Ok(compact(&object, None))
    };
    // The most lines that fit, found by halves.
    let (mut fit, mut not) = (0, count);
    while not - fit > 1 {
        let lines = fit + (not - fit) / 2;
        if fits(&shown(lines)?, most) {
            fit = lines;
        } else {
            not = lines;
        }
    }
    if fit > 0 {
        return shown(fit);
    }
    // Not even a line: its beginning.
    let mut object = object_of(&shown(1)?);
    let text = object
        .get(LINES)
        .and_then(Value::as_str)
        .unwrap_or_default();
    let text = text.to_owned();
    object.insert(LINES.into(), "".into());
    let room = most.saturating_sub(compact(&object, None).text.len() + 40);
    object.insert(LINES.into(), documents::beginning(&text, room).into());
    Ok(rendered(shrink_object(object, most), None, most))
}

fn object_of(answer: &Answer) -> Map<String, Value> {
    let data = answer.json.as_deref().map(serde_json::from_str);
    data.and_then(Result::ok).unwrap_or_default()
}

/// Returns true if both forms of an answer take no more bytes.
fn fits(answer: &Answer, most: usize) -> bool {
    let note = answer.note.as_ref().map_or(0, String::len);
    answer.text.len() + note <= most && answer.json.as_ref().map_or(0, String::len) <= most
}

/// An object as an answer, without the blanks that other answers have.
fn compact(object: &Map<String, Value>, note: Option<String>) -> Answer {
    let text = serde_json::to_string(object).unwrap_or_default();
    Answer {
        json: Some(text.clone()),
        text,
        note,
    }
}

/// [`compact`], without the note where there is no room for it.
fn rendered(object: Map<String, Value>, note: Option<String>, most: usize) -> Answer {
    let answer = compact(&object, note);
    if fits(&answer, most) {
        answer
    } else {
        Answer {
            note: None,
            ..answer
        }
    }
}

/// A list and what stands around it.
struct RowList<'a> {
    around: Map<String, Value>,
    key: &'a str,
    rows: Vec<Value>,
    offset: usize,
    /// Lines beside the list that do not say which part of it this is.
    remarks: Vec<String>,
}

impl<'a> RowList<'a> {
    fn of(
        mut object: Map<String, Value>,
        key: &'a str,
        offset: usize,
        note: Option<String>,
    ) -> Self {
        let rows = match object.insert(key.to_owned(), Value::Null) {
            Some(Value::Array(rows)) => rows,
            _ => Vec::new(),
        };
        let note = note.unwrap_or_default();
        let remarks = note
            .lines()
            .filter(|line| !line.contains(" entries, from "));
        Self {
            around: object,
            key,
            rows,
            offset,
            remarks: remarks.map(str::to_owned).collect(),
        }
    }

    /// As many rows as fit; of the first its beginning where not even that one does.
    fn shorter(self, most: usize) -> Answer {
        let is_fitting = |count: usize| fits(&self.with(&self.rows[..count]), most);
        let counts: Vec<usize> = (0..=self.rows.len()).collect();
        let fitting = counts.partition_point(|count| is_fitting(*count));
        if fitting > 1 {
            return self.with(&self.rows[..fitting - 1]);
        }
        let empty = self.with(&[]);
        let taken = empty
            .text
            .len()
            .max(empty.json.as_ref().map_or(0, String::len));
        let taken = taken + empty.note.as_ref().map_or(0, String::len);
        if let Some(first) = self.rows.first()
            && most > taken
        {
            let first = shrink_value(first.clone(), most - taken);
            let answer = self.with(&[first]);
            if fits(&answer, most) {
                return answer;
            }
        }
        let object = object_of(&empty);
        rendered(shrink_object(object, most), None, most)
    }

    /// The answer with these rows.
    fn with(&self, rows: &[Value]) -> Answer {
        let dropped = self.rows.len() - rows.len();
        let next = self.offset + rows.len();
        let mut object = self.around.clone();
        object.insert(self.key.to_owned(), rows.into());
        if object.contains_key("returned") || dropped > 0 {
            object.insert("returned".into(), rows.len().into());
        }
        if dropped > 0 {
            object.insert("next_offset".into(), next.into());
            object.insert("dropped_rows".into(), dropped.into());
        }
        if self.key != BARE_ROWS {
            let note = Some(self.remarks.join("\n")).filter(|note| !note.is_empty());
            return compact(&object, note);
        }
        let total = object.get("total").cloned().unwrap_or_default();
        let part = format!(
            "{} of {total} entries, from {} on; offset={next} gives the next ones; max_tokens left out {dropped}.",
            rows.len(),
            self.offset,
        );
        let lines = (dropped > 0)
            .then_some(&part)
            .into_iter()
            .chain(&self.remarks);
        let lines: Vec<&str> = lines.map(String::as_str).collect();
        Answer {
            text: json!(rows).to_string(),
            json: serde_json::to_string(&object).ok(),
            note: Some(lines.join("\n")).filter(|note| !note.is_empty()),
        }
    }
}

#[cfg(test)]
mod tests;
