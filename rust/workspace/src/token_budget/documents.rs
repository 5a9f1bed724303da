//! Makes documents shorter: their least needed sections go, and the answer says where each begins.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::shrinking::shrink_object;
use super::{BODY, compact, fits, rendered};
use chant_base::answer::{Answer, cut};
use chant_tickets::sections::parse_sections;

/// Words in titles of sections that are needed least.
const LEAST_NEEDED: [&str; 12] = [
    "output", "log", "history", "changelog", "notes", "reference", "appendix", "background",
    "alternative", "research", "link", "example",
];

/// Words in titles of sections that are needed most.
const MAX_NEEDED: [&str; 4] = ["criteria", "requirement", "tasks", "goal"];

/// Sections that are named as missing; of more their number is given.
const MAX_NAMED: usize = 8;

/// Characters of a title that are shown of a section that is missing.
const LONGEST_TITLE: usize = 40;

/// A part of a document: a section of the first or second level with all below it, or what stands before.
struct DocumentPart {
    title: String,
    bytes: Range<usize>,
    /// 0 for what goes last.
    need: u8,
}

/// A document in words that lost what does not fit.
pub(super) fn shorter_prose(answer: Answer, most: usize, offset: usize) -> Answer {
    let remark = answer.note.clone().unwrap_or_default();
    let shown = |text: String, dropped: &[DroppedPart]| {
        let mut lines: Vec<String> = Vec::new();
        lines.extend((!dropped.is_empty()).then(|| in_words(dropped)));
        lines.extend(Some(cut(&remark, most / 8)).filter(|remark| !remark.is_empty()));
        Answer {
            note: Some(lines.join("\n")).filter(|note| !note.is_empty()),
            ..Answer::prose(text)
        }
    };
    let found = without_sections(&answer.text, offset, |text, dropped| {
        Some(shown(text, dropped)).filter(|answer| fits(answer, most))
    });
    found.unwrap_or_else(|| {
        let chars = answer.text.chars().count();
        let of = |shown: usize| {
            format!(
                "Characters {offset} to {} of {}; offset={} gives what follows.",
                offset + shown,
                offset + chars,
                offset + shown,
            )
        };
        let room = most.saturating_sub(of(chars).len());
        let text = beginning(&answer.text, room);
        Answer {
            note: Some(of(text.chars().count())),
            ..Answer::prose(text)
        }
    })
}

/// Data with a document that lost what does not fit.
pub(super) fn shorter_body(
    mut object: Map<String, Value>,
    note: Option<String>,
    most: usize,
    offset: usize,
) -> Answer {
    let body = match object.insert(BODY.into(), "".into()) {
        Some(Value::String(body)) => body,
        _ => String::new(),
    };
    // What stands beside the text gets three quarters of the room at most.
    let object = shrink_object(object, most / 4 * 3);
    let shown = |text: String, dropped: &[DroppedPart]| {
        let mut object = object.clone();
        object.insert(BODY.into(), text.into());
        if !dropped.is_empty() {
            object.insert("dropped_sections".into(), as_data(dropped));
        }
        compact(&object, note.clone())
    };
    let found = without_sections(&body, offset, |text, dropped| {
        Some(shown(text, dropped)).filter(|answer| fits(answer, most))
    });
    if let Some(found) = found {
        return found;
    }
    let mut object = object.clone();
    let next = offset + body.chars().count();
    object.insert("next_offset".into(), next.into());
    let room = most.saturating_sub(compact(&object, None).text.len());
    let text = beginning(&body, room);
    object.insert("next_offset".into(), (offset + text.chars().count()).into());
    object.insert(BODY.into(), text.into());
    rendered(shrink_object(object, most), note, most)
}

/// The beginning of a text that takes no more bytes, also inside a JSON string.
pub(super) fn beginning(text: &str, room: usize) -> String {
    let mut left = room;
    let fitting = text.chars().take_while(|c| {
        let size = escaped_bytes(*c);
        let is_fitting = size <= left;
        left = left.saturating_sub(size);
        is_fitting
    });
    fitting.collect()
}

fn escaped_bytes(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        c if c < ' ' => 6,
        c => c.len_utf8(),
    }
}

/// A section that is missing, and where it stands in the whole document, in characters.
struct DroppedPart {
    title: String,
    offset: usize,
    chars: usize,
}

/// Leaves out sections, the least needed first, until `shown` takes the rest; `None` where it takes nothing.
fn without_sections(
    text: &str,
    offset: usize,
    shown: impl Fn(String, &[DroppedPart]) -> Option<Answer>,
) -> Option<Answer> {
    let parts = parts_of(text);
    let mut order: Vec<usize> = (0..parts.len()).collect();
    // Of those that are needed alike the later one goes first.
    order.sort_by_key(|at| std::cmp::Reverse((parts[*at].need, *at)));
    let mut is_dropped = vec![false; parts.len()];
    // One part is left: the whole document is no section of itself.
    for at in order.into_iter().take(parts.len().saturating_sub(1)) {
        is_dropped[at] = true;
        let kept = parts
            .iter()
            .zip(&is_dropped)
            .filter(|(_, is_dropped)| !**is_dropped);
        let kept: String = kept.map(|(part, _)| &text[part.bytes.clone()]).collect();
        let dropped = parts
            .iter()
            .zip(&is_dropped)
            .filter(|(_, is_dropped)| **is_dropped);
        let dropped: Vec<DroppedPart> = dropped
            .map(|(part, _)| DroppedPart {
                title: cut(&part.title, LONGEST_TITLE),
                offset: offset + text[..part.bytes.start].chars().count(),
                chars: text[part.bytes.clone()].chars().count(),
            })
            .collect();
        if let Some(answer) = shown(kept, &dropped) {
            return Some(answer);
        }
    }
    None
}

fn parts_of(text: &str) -> Vec<DocumentPart> {
    let sections = parse_sections(text);
    let top = sections.iter().filter(|section| section.level <= 2);
    let mut parts: Vec<DocumentPart> = Vec::new();
    let mut begin = DocumentPart {
        title: String::new(),
        bytes: 0..0,
        need: 0,
    };
    for section in top {
        begin.bytes.end = section.heading.start;
        let next = DocumentPart {
            title: section.title.clone(),
            bytes: section.heading.start..text.len(),
            need: if section.level == 1 {
                1
            } else {
                need_of(&section.title)
            },
        };
        let before = std::mem::replace(&mut begin, next);
        parts.extend((!before.bytes.is_empty()).then_some(before));
    }
    begin.bytes.end = text.len();
    parts.push(begin);
    parts
}

fn need_of(title: &str) -> u8 {
    let title = title.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| title.contains(word));
    match (has(&MAX_NEEDED), has(&LEAST_NEEDED)) {
        (true, _) => 2,
        (false, false) => 3,
        (false, true) => 4,
    }
}

/// The sections that are missing as arguments that read them.
fn as_data(dropped: &[DroppedPart]) -> Value {
    let named = dropped
        .iter()
        .take(MAX_NAMED)
        .map(|part| json!({"section": part.title, "offset": part.offset, "max_chars": part.chars}));
    let more = dropped.len().saturating_sub(MAX_NAMED);
    let more = (more > 0).then(|| json!({"more": more}));
    named.chain(more).collect()
}

fn in_words(dropped: &[DroppedPart]) -> String {
    let named = dropped.iter().take(MAX_NAMED).map(|part| {
        format!(
            "{:?} (offset={}, max_chars={})",
            part.title, part.offset, part.chars
        )
    });
    let more = dropped.len().saturating_sub(MAX_NAMED);
    let more = (more > 0).then(|| format!("{more} more"));
    let named: Vec<String> = named.chain(more).collect();
    format!(
        "max_tokens left out sections; a call with the arguments of one reads it: {}.",
        named.join(", ")
    )
}
