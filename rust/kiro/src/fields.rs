//! Fields in the details of a task: `_Requirements: 1.1, 2.3_` and its kin.

use std::ops::Range;

use chant_text::checklist::lines::trimmed;

/// A field by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldName {
    Requirements,
    Depends,
    Boundary,
}

const NAMES: [(&str, FieldName); 3] = [
    ("Requirements", FieldName::Requirements),
    ("Depends", FieldName::Depends),
    ("Boundary", FieldName::Boundary),
];

/// A field with its values.
#[derive(Debug)]
pub(super) struct TaskField {
    pub(super) name: FieldName,
    /// The values by their bytes.
    pub(super) values: Vec<Range<usize>>,
}

/// The greatest number of lines of a field.
const MAX_LINES: usize = 3;

/// Signs around the parts of a field.
const MARKS: [char; 2] = ['_', '*'];

/// Reads the fields among lines of details. `lines` are their bytes.
pub(super) fn fields(text: &str, lines: &[Range<usize>]) -> Vec<TaskField> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((name, value, is_open)) = field_start(text, line) else {
            continue;
        };
        let mut values = values_in(text, value);
        let more = lines[at + 1..].iter().take(MAX_LINES - 1);
        for line in more.take(if is_open { MAX_LINES } else { 0 }) {
            if field_start(text, line).is_some() {
                break;
            }
            let words = trimmed(text, line.clone());
            values.extend(values_in(text, words.clone()));
            if text[words].ends_with('_') {
                break;
            }
        }
        found.push(TaskField { name, values });
    }
    found
}

/// The name of a field at the start of a line, the bytes of its value, and whether it goes on below.
pub(super) fn field_start(
    text: &str,
    line: &Range<usize>,
) -> Option<(FieldName, Range<usize>, bool)> {
    let words = &text[line.clone()];
    let item = words.trim_start();
    let item = item
        .strip_prefix(['-', '*', '+'])
        .filter(|rest| rest.starts_with(' '))
        .unwrap_or(item);
    let item = item.trim_start();
    let bare = item.trim_start_matches(MARKS);
    let (name, field) = NAMES.into_iter().find_map(|(name, field)| {
        let rest = bare.strip_prefix(name)?.trim_start_matches(MARKS);
        rest.strip_prefix(':').map(|rest| (field, rest))
    })?;
    let value = field.trim_start_matches(MARKS);
    let end = line.start + words.trim_end().len();
    let start = line.start + words.len() - value.len();
    let is_open =
        item.starts_with('_') && !field.trim_end().ends_with(MARKS) && !field.starts_with(MARKS);
    Some((name, start.min(end)..end, is_open))
}

/// The values of a list, each without blanks and marks.
fn values_in(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut values = Vec::new();
    let mut at = range.start;
    for part in text[range].split_inclusive([',', ';', '、', '，']) {
        let value = part.trim_end_matches([',', ';', '、', '，']);
        let words = trimmed(text, at..at + value.len());
        let inner =
            text[words.clone()].trim_matches(|c: char| MARKS.contains(&c) || c.is_whitespace());
        if !inner.is_empty() {
            let start = words.start + text[words.clone()].find(inner).unwrap_or(0);
            values.push(start..start + inner.len());
        }
        at += part.len();
    }
    values
}

/// The longest range of numbers that is written out.
const MAX_RANGE: u32 = 200;

/// The numbers that a value stands for: one, or a range such as `1.1-1.4`; `None` for words.
pub(super) fn numbers(value: &str) -> Option<Vec<String>> {
    let value = value.trim_end_matches('.');
    if is_number(value) {
        return Some(vec![value.to_owned()]);
    }
    let (first, last) = value.split_once(['-', '–', '~'])?;
    let (first, last) = (first.trim(), last.trim());
    if !is_number(first) || !is_number(last) {
        return None;
    }
    let (prefix, from) = first
        .rsplit_once('.')
        .map_or(("", first), |(prefix, number)| (prefix, number));
    let (same, to) = last
        .rsplit_once('.')
        .map_or((prefix, last), |(prefix, number)| (prefix, number));
    let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
    if same != prefix || from > to || to - from > MAX_RANGE {
        return None;
    }
    let number = |part: u32| {
        if prefix.is_empty() {
            part.to_string()
        } else {
            format!("{prefix}.{part}")
        }
    };
    Some((from..=to).map(number).collect())
}

/// Returns true for digits with dots between them.
pub(super) fn is_number(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split('.').all(is_part)
}
