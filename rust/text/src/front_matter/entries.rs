//! Reads and changes front matter key by key if the YAML reader refuses it as a whole.
//!
//! Programs that write values without quotes leave lines like `assignee: @bob` or the same key
//! twice. One such line makes the whole unreadable, yet all others are clear.

use std::borrow::Cow;
use std::ops::Range;

use super::bounds::LARGEST;
use super::keys::{FrontMatterKey, is_list_item, keys, lines, token};
use super::{
    EditError, FrontMatterValue, insertion, may_explode, read_any, reads_back,
    refuse_other_than_lines, replacement, set_by, unfaithful,
};
use crate::edit::{Edit, apply};

/// The greatest number of unclosed values that are examined; the text that follows belongs to the
/// last of them.
const MAX_OPEN: usize = 100;

/// The greatest number of bytes that are examined again because of them.
const MAX_AGAIN: usize = 2 * LARGEST;

/// A key of front matter on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatterEntry<'a> {
    /// The key, its quotes removed.
    pub name: Cow<'a, str>,
    /// Its line inside the YAML, counted from 1.
    pub line: usize,
    /// Its first byte inside the YAML.
    pub start: usize,
    /// Key and value, the last line break included; small YAML of its own where it can be read.
    pub yaml: &'a str,
    /// The text behind the colon on its line, without blanks around it and without a comment.
    pub raw: &'a str,
}

/// Returns the top-level keys of front matter with their values, separated from one another and in
/// order. Of an unreadable value that spans several lines only the first line belongs to its key.
pub fn entries(yaml: &str) -> Vec<FrontMatterEntry<'_>> {
    let entry = |key: FrontMatterKey<'_>| FrontMatterEntry {
        line: key.line,
        start: key.block.start,
        yaml: &yaml[key.block.clone()],
        raw: token(&yaml[key.rest.clone()]),
        name: Cow::Owned(key.name.into_owned()),
    };
    keys_apart(yaml).into_iter().map(entry).collect()
}

pub(super) fn keys_apart(yaml: &str) -> Vec<FrontMatterKey<'_>> {
    let mut found: Vec<FrontMatterKey<'_>> = Vec::new();
    let (mut from, mut line, mut opened, mut again) = (0, 0, 0, 0);
    'rest: loop {
        for mut key in keys(&yaml[from..]) {
            key.line += line;
            key.block = key.block.start + from..key.block.end + from;
            key.rest = key.rest.start + from..key.rest.end + from;
            let first = lines(yaml, key.block.clone()).next();
            let Some(first) = first.filter(|first| {
                first.end < key.block.end
                    && opened < MAX_OPEN
                    && again < MAX_AGAIN
                    && !is_readable(&yaml[key.block.clone()])
            }) else {
                found.push(key);
                continue;
            };
            opened += 1;
            (from, line) = (first.end, key.line);
            again += yaml.len() - from;
            key.block = first;
            found.push(key);
            continue 'rest;
        }
        return found;
    }
}

fn is_readable(yaml: &str) -> bool {
    may_explode(yaml) || read_any(yaml).is_ok()
}

/// Works as [`super::set`] for front matter that cannot be read as a whole: every other key keeps
/// its bytes, and only the changed one is checked for its meaning. If a key occurs several times,
/// the last one counts and is changed; all are removed when the key is removed.
///
/// # Errors
/// As [`super::set`].
pub fn set_apart(
    text: &str,
    key: &str,
    value: Option<&FrontMatterValue>,
    order: &[&str],
) -> Result<String, EditError> {
    set_by(text, key, value, |yaml, eol| {
        let keys = keys_apart(yaml);
        refuse_other_than_lines(yaml, &keys, key)?;
        let mut same = keys.iter().filter(|k| k.name == key);
        let edits: Vec<Edit> = match value {
            None => same.map(|k| Edit::replace(k.block.clone(), "")).collect(),
            Some(value) => vec![match same.next_back() {
                Some(found) => replacement(yaml, found, key, value, eol),
                None => past_stray_lines(yaml, insertion(yaml, &keys, key, value, order, eol)),
            }],
        };
        check(yaml, &edits, key, value)?;
        Ok(edits)
    })
}

/// Moves an insertion behind the lines that belong to no key: they would become the end of its value.
fn past_stray_lines(yaml: &str, insertion: Edit) -> Edit {
    let at = insertion.range.start;
    let is_stray = |line: &Range<usize>| {
        let text = yaml[line.clone()].trim_end();
        text.starts_with([' ', '\t', '?', ':']) || is_list_item(text)
    };
    let stray = lines(yaml, at..yaml.len()).take_while(is_stray).last();
    Edit::insert(stray.map_or(at, |line| line.end), insertion.text)
}

fn check(
    yaml: &str,
    edits: &[Edit],
    key: &str,
    value: Option<&FrontMatterValue>,
) -> Result<(), EditError> {
    let changed = apply(yaml, edits)?;
    let (before, after) = (entries(yaml), entries(&changed));
    // Only the one that counts may differ: the last of several with that name.
    let others = |entries: &[FrontMatterEntry<'_>]| -> Vec<String> {
        let own = entries.iter().rposition(|entry| entry.name == key);
        let kept = entries.iter().enumerate();
        kept.filter(|(at, entry)| Some(*at) != own && !(value.is_none() && entry.name == key))
            .map(|(_, entry)| entry.yaml.trim_end().to_owned())
            .collect()
    };
    if others(&before) != others(&after) {
        return Err(unfaithful(key, "other keys would change with it".into()));
    }
    let own = after.iter().rfind(|entry| entry.name == key);
    let is_intended = match own {
        None => value.is_none(),
        Some(entry) => reads_back(entry.yaml, key, value)
            .map_err(|problem| unfaithful(key, problem.message))?,
    };
    // Readers that look for their own keys alone read the whole, if another key is the fault.
    let is_intended_as_whole = match value {
        None => true,
        Some(_) => reads_back(&changed, key, value).unwrap_or(true),
    };
    if is_intended && is_intended_as_whole {
        return Ok(());
    }
    Err(unfaithful(key, "it would read as something else".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &str = "---\ncode: A-1\ntitle: Fix: it\nassignee: @bob\nstatus: Proposed\nstatus: Approved\nphaseEpic: \"open\ntype: Bug Fix # why\n---\nbody\n";

    #[track_caller]
    fn check(key: &str, value: Option<&str>, from: &str, to: &str) {
        let value = value.map(|text| FrontMatterValue::Text(text.into()));
        let changed = set_apart(RAW, key, value.as_ref(), &["code", "title", "priority"]);
        assert!(RAW.contains(from));
        assert_eq!(changed, Ok(RAW.replacen(from, to, 1)));
    }

    #[test]
    fn each_key_is_read_apart_from_what_others_break() {
        let yaml = &RAW[4..RAW.rfind("---").unwrap()];
        let found = entries(yaml);
        let shown: Vec<_> = found
            .iter()
            .map(|entry| (entry.line, &*entry.name, entry.raw))
            .collect();
        let expected = [
            (1, "code", "A-1"),
            (2, "title", "Fix: it"),
            (3, "assignee", "@bob"),
            (4, "status", "Proposed"),
            (5, "status", "Approved"),
            (6, "phaseEpic", "\"open"),
            (7, "type", "Bug Fix"),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn one_key_changes_and_all_others_keep_their_bytes() {
        check("title", Some("New: it"), "Fix: it", "\"New: it\"");
        check("assignee", Some("eve"), "@bob", "eve");
        check("status", Some("Rejected"), "Approved", "Rejected");
        check("type", Some("Docs"), "Bug Fix #", "Docs #");
        check("phaseEpic", Some("two"), "\"open", "\"two\"");
        check(
            "priority",
            Some("High"),
            "assignee:",
            "priority: High\nassignee:",
        );
        check("status", None, "status: Proposed\nstatus: Approved\n", "");
        check("assignee", None, "assignee: @bob\n", "");
    }

    /// Each value that cannot be read has all that follows examined again: in long front matter
    /// that is done for a few of them only.
    #[test]
    fn long_front_matter_is_not_examined_time_and_again() {
        let broken: String = (0..20)
            .map(|n| format!("k{n}: \"a\" b\n  more\n"))
            .collect();
        let is_apart = |yaml: &str| -> Vec<bool> {
            let entries = entries(yaml).into_iter().take(20);
            entries.map(|entry| !entry.yaml.contains("more")).collect()
        };
        assert_eq!(is_apart(&broken), [true; 20]);
        let long = format!("{broken}text: {}\n", "x".repeat(LARGEST));
        let apart = is_apart(&long);
        assert_eq!(apart.iter().filter(|is_apart| **is_apart).count(), 2);
        assert!(apart.is_sorted_by(|one, other| one >= other));
    }

    /// Lines that are left of a value that cannot be read stay apart from a new key.
    #[test]
    fn a_new_key_takes_no_line_that_belongs_to_none() {
        let text = "---\nx: |\n  block\n- item\n? odd\n? odd\n# note\ncode: A-1\n---\n";
        let value = FrontMatterValue::Text("High".into());
        let changed = set_apart(text, "priority", Some(&value), &[]);
        let expected = text.replace("code: A-1\n", "code: A-1\npriority: High\n");
        assert_eq!(changed, Ok(expected));
        let changed = set_apart(text, "priority", Some(&value), &["x", "priority"]);
        let expected = text.replace("# note", "priority: High\n# note");
        assert_eq!(changed, Ok(expected));
    }
}
