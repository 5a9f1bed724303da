//! Texts in which runs on items of other formats are called by our own IDs, put into the keys of these items, by which
//! everybody else calls them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

static RUN_ID: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"item\.[a-z0-9.-]+\.[0-9a-f]{32}").ok());

/// The form of a text, which decides how a key is written in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// Words, as they are.
    Words,
    /// JSON, in whose strings some characters are escaped.
    Json,
}

/// Replaces the IDs of runs in a text by the keys of their items. Names of branches, folders and files, in which an ID
/// is a part, stay, and so does an ID without a key.
pub fn with_keys(
    text: String,
    form: TextForm,
    key_of_run: impl Fn(&str) -> Option<String>,
) -> String {
    let Some(run_id) = RUN_ID.as_ref().filter(|run_id| run_id.is_match(&text)) else {
        return text;
    };
    let replaced = run_id.replace_all(&text, |found: &Captures<'_>| {
        let id = &found[0];
        let whole = found
            .get(0)
            .is_some_and(|one| stands_alone(&text, one.range(), form));
        match whole.then(|| key_of_run(id)).flatten() {
            Some(key) if form == TextForm::Json => escaped(&key),
            Some(key) => key,
            None => id.to_owned(),
        }
    });
    replaced.into_owned()
}

/// Returns true if a name is no part of a longer one, such as a path or a branch.
fn stands_alone(text: &str, range: Range<usize>, form: TextForm) -> bool {
    let is_joined = |character: char| character.is_alphanumeric() || "/-_".contains(character);
    let head = &text[..range.start];
    let begins_line = form == TextForm::Json && (head.ends_with(r"\n") || head.ends_with(r"\t"));
    let before = head.chars().next_back().filter(|_| !begins_line);
    let mut after = text[range.end..].chars();
    let is_ended = match after.next() {
        Some('.') => after.next().is_none_or(|character| !is_joined(character)),
        Some(character) => !is_joined(character),
        None => true,
    };
    is_ended && before.is_none_or(|before| !is_joined(before) && !".\\".contains(before))
}

fn escaped(key: &str) -> String {
    let quoted = serde_json::Value::from(key).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_by_what_stands_around_it() {
        let alone = |text: &str, form| {
            let start = text.find("item").unwrap();
            let end = start + "item".len();
            stands_alone(text, start..end, form)
        };
        for text in [
            "item", "'item'", "spec item.", "item: x", "(item)", "item, item",
        ] {
            assert!(alone(text, TextForm::Words), "{text}");
        }
        for text in [
            "chant/item", "item.md", "item/x", "item-2", ".item", r"C:\item",
        ] {
            assert!(!alone(text, TextForm::Words), "{text}");
        }
        for text in [r#"{"id":"item"}"#, r"a\nitem", r"item\n"] {
            assert!(alone(text, TextForm::Json), "{text}");
        }
    }
}
