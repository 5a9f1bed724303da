//! A spec that was imported, edited here and changed in its source: what changed in the source is taken over, and
//! what was edited here stays.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::ORIGIN;
use super::record::short;
use crate::model::KEY_ORDER;
use chant_base::error::Error;
use chant_text::edit::{Edit, EditError, apply, line_break, with_line_break};
use chant_text::front_matter::{self, FrontMatterValue};
use chant_text::merge::{lines, merged_list};

/// A place that was edited here and changed in the source in another way; what is here stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportConflict {
    /// The key, or `body`.
    pub key: String,
    /// Its value here.
    pub here: String,
    /// Its value in the source.
    pub there: String,
}

/// A spec's text with the changes of its source.
#[derive(Debug)]
pub(super) struct MergedImport {
    /// The text.
    pub(super) text: String,
    /// The keys that were changed, and `body`.
    pub(super) changed: Vec<String>,
    /// The places that stay as they are here.
    pub(super) conflicts: Vec<ImportConflict>,
}

/// Merges what changed between two texts of a source into the text here.
///
/// # Errors
/// `EditError` for front matter that cannot be read or edited.
pub(super) fn merge(base: &str, ours: &str, theirs: &str) -> Result<MergedImport, Error> {
    let mut merged = MergedImport {
        text: ours.to_owned(),
        changed: Vec::new(),
        conflicts: Vec::new(),
    };
    let [before, here, there] = [values(base)?, values(ours)?, values(theirs)?];
    let keys: BTreeSet<&String> = before.keys().chain(there.keys()).collect();
    for key in keys {
        let (old, now, new) = (before.get(key), here.get(key), there.get(key));
        if key == ORIGIN || old == new || now == new {
            continue;
        }
        if now == old {
            merged.text = front_matter::transfer(&merged.text, key, theirs, &KEY_ORDER)?;
            merged.changed.push(key.clone());
        } else if let (Some(old), Some(now), Some(new)) = (list(old), list(now), list(new)) {
            let items = merged_list(&old, &new, &now);
            if items != now {
                let value = FrontMatterValue::List(items);
                merged.text = front_matter::set(&merged.text, key, Some(&value), &KEY_ORDER)?;
                merged.changed.push(key.clone());
            }
        } else {
            merged.conflicts.push(ImportConflict {
                key: key.clone(),
                here: now.map_or_else(String::new, short),
                there: new.map_or_else(String::new, short),
            });
        }
    }
    merge_bodies(&mut merged, base, ours, theirs)?;
    Ok(merged)
}

fn merge_bodies(
    merged: &mut MergedImport,
    base: &str,
    ours: &str,
    theirs: &str,
) -> Result<(), EditError> {
    let eol = line_break(ours);
    let body = |text: &str| -> Result<String, EditError> {
        let start = front_matter::layout(text)?.body;
        Ok(with_line_break(&text[start..], eol))
    };
    let [before, here, there] = [body(base)?, body(ours)?, body(theirs)?];
    match lines(&before, &here, &there) {
        Ok(text) if text == here => {}
        Ok(text) => {
            let start = front_matter::layout(&merged.text)?.body;
            let edit = Edit::replace(start..merged.text.len(), text);
            merged.text = apply(&merged.text, &[edit])?;
            merged.changed.push("body".to_owned());
        }
        Err(clashes) => {
            let first = |text: &str| {
                let line = text.lines().find(|line| !line.trim().is_empty());
                chant_base::answer::cut(line.unwrap_or_default(), 80)
            };
            merged
                .conflicts
                .extend(clashes.iter().map(|clash| ImportConflict {
                    key: "body".to_owned(),
                    here: first(&clash.ours),
                    there: first(&clash.theirs),
                }));
        }
    }
    Ok(())
}

fn values(text: &str) -> Result<Map<String, Value>, Error> {
    let yaml = front_matter::yaml_of(text)?;
    match front_matter::read_spelled(yaml) {
        Ok(Value::Object(values)) => Ok(values),
        Ok(_) => Ok(Map::new()),
        Err(problem) => Err(EditError::Unfaithful {
            key: "front matter".into(),
            why: problem.to_string(),
        }
        .into()),
    }
}

/// The texts of a list; an absent one is empty.
fn list(value: Option<&Value>) -> Option<Vec<String>> {
    let text = |item: &Value| item.as_str().map(str::to_owned);
    match value {
        None => Some(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(text).collect(),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "---\nstatus: pending\nlabels: [a, b]\npriority: low\n---\n# One\n\nFirst.\n\nMiddle.\n\nLast.\n";

    #[test]
    fn what_changed_there_is_taken_and_what_changed_here_stays() -> Result<(), Error> {
        let ours = BASE
            .replace("[a, b]", "[a, b, mine]")
            .replace("First.", "Mine.");
        let theirs = BASE
            .replace("[a, b]", "[b, theirs]")
            .replace("pending", "completed")
            .replace("Last.", "Theirs.");
        let merged = merge(BASE, &ours, &theirs)?;
        assert_eq!(merged.conflicts, []);
        assert_eq!(merged.changed, ["labels", "status", "body"]);
        assert!(merged.text.contains("status: completed"), "{}", merged.text);
        assert!(
            merged
                .text
                .ends_with("# One\n\nMine.\n\nMiddle.\n\nTheirs.\n")
        );
        let labels = list(values(&merged.text)?.get("labels"));
        assert_eq!(labels.unwrap_or_default(), ["b", "mine", "theirs"]);
        Ok(())
    }

    #[test]
    fn what_changed_on_both_sides_is_named_and_stays() -> Result<(), Error> {
        let ours = BASE.replace("low", "high").replace("First.", "Mine.");
        let theirs = BASE.replace("low", "medium").replace("First.", "Theirs.");
        let merged = merge(BASE, &ours, &theirs)?;
        assert_eq!(merged.text, ours);
        let keys: Vec<&str> = merged
            .conflicts
            .iter()
            .map(|one| one.key.as_str())
            .collect();
        assert_eq!(keys, ["priority", "body"]);
        assert_eq!(merged.conflicts[1].here, "Mine.");
        Ok(())
    }
}
