//! Front matter of a task as attributes with their places, and edits of them.

use std::ops::Range;

use chant_base::text_place::TextPlace;
use chant_plan_format::document::PlanDocument;
use chant_plan_format::intent::{AttributeSetting, TextEdit};
use chant_plan_format::refusal::EditRefusal;
use chant_plan_format::unit::{ItemAttribute, PlanItem, PlanUnit};
use chant_text::front_matter::{self, FrontMatterEntry, FrontMatterValue, TextList};

use super::format::UPDATED;

/// The keys in the order in which the program writes them.
pub(super) const ORDER: [&str; 18] = [
    "id", "title", "status", "assignee", "reporter", "created_date", "updated_date", "due_date",
    "labels", "milestone", "dependencies", "references", "documentation", "modified_files",
    "parent_task_id", "subtasks", "priority", "type",
];

/// The place of a value of an attribute; of the first line where the item has no such attribute.
pub(super) fn attribute_place(
    unit: &PlanUnit,
    item: &PlanItem,
    name: &str,
    value: &str,
) -> Option<TextPlace> {
    let document = unit.source.documents.first()?;
    Some(match attribute(item, name) {
        Some(one) => {
            let key = one.name.len().min(one.span.len());
            match value {
                "" => document.place(one.span.clone()),
                value => document.words(one.span.start + key..one.span.end, value),
            }
        }
        None => document.first_line(),
    })
}

/// The keys of YAML that stands at a byte of a document.
pub(super) fn attributes(text: &str, range: &Range<usize>) -> Vec<ItemAttribute> {
    let yaml = &text[range.clone()];
    let attribute = |entry: FrontMatterEntry<'_>| {
        let start = range.start + entry.start;
        ItemAttribute {
            values: values(&entry),
            name: (&*entry.name).into(),
            span: start..start + entry.yaml.len(),
        }
    };
    front_matter::entries(yaml)
        .into_iter()
        .map(attribute)
        .collect()
}

/// The values of a key. Such as `assignee: [@name]`, which no YAML is, are read as the program repairs them; of a map
/// its text is the value.
fn values(entry: &FrontMatterEntry<'_>) -> Vec<Box<str>> {
    let is_one_line = entry.yaml.trim_end().lines().count() <= 1;
    let raw = entry.raw;
    if is_one_line {
        if ["", "[]", "~", "null"].contains(&raw) {
            return Vec::new();
        }
        let is_plain =
            raw.starts_with(char::is_alphanumeric) && !raw.contains(": ") && !raw.ends_with(':');
        if is_plain {
            return vec![raw.into()];
        }
        let quoted = raw
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''));
        if let Some(text) = quoted.filter(|text| !text.contains('\'')) {
            return vec![text.into()];
        }
    }
    match front_matter::read_key::<TextList>(entry.yaml, &entry.name) {
        Ok(list) => list
            .unwrap_or_default()
            .0
            .into_iter()
            .map(Into::into)
            .collect(),
        Err(_) if is_one_line && raw.contains('@') => {
            let inside = raw.trim_start_matches('[').trim_end_matches(']');
            let names = inside
                .split(',')
                .map(|name| name.trim().trim_matches(['\'', '"']));
            names
                .filter(|name| !name.is_empty())
                .map(Into::into)
                .collect()
        }
        Err(_) => vec![entry.yaml.trim_end().into()],
    }
}

/// The attribute with a name; of several the last, which counts.
pub(super) fn attribute<'a>(item: &'a PlanItem, name: &str) -> Option<&'a ItemAttribute> {
    item.attributes.iter().rev().find(|one| &*one.name == name)
}

/// The edit that sets a key in the style that is there.
///
/// # Errors
/// `UnsoundDocument` where the key cannot be set without harm.
pub(super) fn set(
    document: (usize, &PlanDocument),
    name: &str,
    value: &AttributeSetting,
    is_list: bool,
) -> Result<Option<TextEdit>, EditRefusal> {
    let (at, document) = document;
    let written = match value {
        AttributeSetting::Absent => None,
        AttributeSetting::Text(text) if !is_list => Some(FrontMatterValue::Text(text.clone())),
        AttributeSetting::Text(text) => Some(FrontMatterValue::List(vec![text.clone()])),
        AttributeSetting::List(texts) => Some(FrontMatterValue::List(texts.clone())),
    };
    let changed = front_matter::set_apart(&document.text, name, written.as_ref(), &ORDER);
    let changed = changed.map_err(|error| EditRefusal::UnsoundDocument {
        path: document.path.to_string(),
        why: error.to_string(),
    })?;
    Ok(
        difference(&document.text, &changed).map(|(span, text)| TextEdit {
            document: at,
            span,
            text,
        }),
    )
}

/// The lines in which two texts differ: those of the first, and what stands there in the second.
fn difference(old: &str, new: &str) -> Option<(Range<usize>, String)> {
    if old == new {
        return None;
    }
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let first = old_lines.iter().zip(&new_lines).take_while(same).count();
    let most = old_lines.len().min(new_lines.len()) - first;
    let last = old_lines
        .iter()
        .rev()
        .zip(new_lines.iter().rev())
        .take(most)
        .take_while(same)
        .count();
    let length = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let start = length(&old_lines[..first]);
    let end = old.len() - length(&old_lines[old_lines.len() - last..]);
    let text = new_lines[first..new_lines.len() - last].concat();
    Some((start..end, text))
}

/// The edit that says when the task was changed, as the program writes it: UTC, minutes, single quotes.
pub(super) fn touch(
    document: (usize, &PlanDocument),
    item: &PlanItem,
    now: &str,
) -> Option<TextEdit> {
    let (at, document) = document;
    let minute = format!("{} {}", now.get(..10)?, now.get(11..16)?);
    let written = format!("'{minute}'");
    if let Some(updated) = attribute(item, UPDATED) {
        let line = &document.text[updated.span.clone()];
        let content = line.trim_end_matches(['\r', '\n']);
        // A value of several lines is left alone: it is none that the program wrote.
        let (key, value) = content
            .split_once(':')
            .filter(|_| !content.contains('\n'))?;
        let comment = value.find(" #").unwrap_or(value.len());
        let raw = value[..comment].trim();
        let start = updated.span.start + key.len() + 1;
        let (span, text) = if raw.is_empty() {
            (start..start, format!(" {written}"))
        } else {
            let from = start + value.find(raw)?;
            (from..from + raw.len(), written)
        };
        return Some(TextEdit {
            document: at,
            span,
            text,
        });
    }
    let behind = attribute(item, "created_date")
        .or_else(|| item.attributes.last())?
        .span
        .end;
    let yaml = &document.text[item.spans.attributes.clone()?];
    let eol = if yaml.contains("\r\n") { "\r\n" } else { "\n" };
    Some(TextEdit {
        document: at,
        span: behind..behind,
        text: format!("{UPDATED}: {written}{eol}"),
    })
}
