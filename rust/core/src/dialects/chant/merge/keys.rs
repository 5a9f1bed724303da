//! Merges front matter key by key.

use std::cmp::Ordering;

use super::super::from_run;
use super::super::model::{KEY_ORDER, Status};
use super::{Conflict, Side};
use crate::text::edit::EditError;
use crate::text::front_matter::{self, Entry, Texts, Value, says_same, transfer, yaml_of};

/// The rules for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Our value, also if it is absent.
    Ours,
    /// Our value, or theirs if ours is absent.
    OursElseTheirs,
    /// The more advanced state.
    MoreAdvanced,
    /// Both lists compared with the base: additions of either side are in, removals of either side
    /// are out.
    United,
    /// The value of the side that changed it; different changes of both are a conflict.
    Changed,
    /// The value of the side that changed it; ours if both did.
    ChangedOrOurs,
}

/// The rules by which two versions of a spec are merged.
pub(super) struct Rules {
    rule: fn(&str) -> Rule,
    /// True if criteria that the other side lacks stay.
    pub(super) keeps_criteria: bool,
    /// True if only our side decides about the discussion of approval, whatever the other side
    /// contains.
    pub(super) keeps_discussion: bool,
}

/// The rules for a run's checkout and branch.
pub(super) const RUN: Rules = Rules {
    rule: rule_of_run,
    keeps_criteria: true,
    keeps_discussion: true,
};

/// The rules for git's `ours` and `theirs`.
pub(super) const DRIVER: Rules = Rules {
    rule: rule_of_driver,
    keeps_criteria: false,
    keeps_discussion: false,
};

/// The rules for a checkout and the branch of a run of another spec.
pub(super) const OTHER: Rules = Rules {
    rule: rule_of_other,
    keeps_criteria: true,
    keeps_discussion: true,
};

/// Returns the rule for a key of another spec: people's decisions about it stay.
fn rule_of_other(key: &str) -> Rule {
    match key {
        "labels" | "target_files" | "depends_on" => Rule::United,
        key if from_run::FREE.contains(&key) => Rule::ChangedOrOurs,
        _ => Rule::Ours,
    }
}

fn rule_of_run(key: &str) -> Rule {
    match key {
        "status" | "branch" | "commits" | "completed_at" | "model" | "approval" => Rule::Ours,
        "labels" | "target_files" | "context" | "depends_on" | "members" => Rule::United,
        _ => Rule::Changed,
    }
}

fn rule_of_driver(key: &str) -> Rule {
    match key {
        "status" => Rule::MoreAdvanced,
        "commits" | "labels" | "target_files" | "context" | "depends_on" | "members" => {
            Rule::United
        }
        "completed_at" | "model" | "branch" | "last_verified" => Rule::OursElseTheirs,
        _ if key.starts_with("verification_") || key.starts_with("replay") => Rule::OursElseTheirs,
        _ => Rule::ChangedOrOurs,
    }
}

/// States from the least to the most advanced (reference chant 6.9).
const ADVANCE: [Status; 9] = [
    Status::Cancelled,
    Status::Failed,
    Status::NeedsAttention,
    Status::Blocked,
    Status::Pending,
    Status::Ready,
    Status::Paused,
    Status::InProgress,
    Status::Completed,
];

/// The outcomes for a key.
enum Outcome {
    Take(Side),
    List(Vec<String>),
    Conflict,
}

/// Three versions of front matter, split into entries.
struct Versions<'a> {
    base: Vec<Entry<'a>>,
    ours: Vec<Entry<'a>>,
    theirs: Vec<Entry<'a>>,
}

fn entry<'a, 'b>(entries: &'b [Entry<'a>], key: &str) -> Option<&'b Entry<'a>> {
    entries.iter().find(|entry| entry.name == key)
}

/// Returns a document with merged front matter; its body is that of one side.
///
/// # Errors
/// The keys that both sides changed, or that could not be written in place.
pub(super) fn merged(
    base: &str,
    ours: &str,
    theirs: &str,
    rules: &Rules,
) -> Result<String, Vec<Conflict>> {
    let entries = |text| yaml_of(text).map(front_matter::entries).unwrap_or_default();
    let versions = Versions {
        base: entries(base),
        ours: entries(ours),
        theirs: entries(theirs),
    };
    // If our side changed only its own keys, comments and order may be theirs.
    let (start, mut text) = if is_own_change(base, ours, rules) {
        (Side::Theirs, theirs.to_owned())
    } else {
        (Side::Ours, ours.to_owned())
    };
    let mut conflicts = Vec::new();
    for key in versions.names() {
        let outcome = versions.decide(key, (rules.rule)(key));
        let changed = match outcome {
            Outcome::Conflict => None,
            Outcome::Take(side) if side == start => continue,
            Outcome::Take(Side::Ours) => transfer(&text, key, ours, &KEY_ORDER).ok(),
            Outcome::Take(Side::Theirs) => transfer(&text, key, theirs, &KEY_ORDER).ok(),
            Outcome::List(items) => written(&text, key, items).ok(),
        };
        match changed {
            Some(changed) => text = changed,
            None => conflicts.push(versions.conflict(key)),
        }
    }
    if conflicts.is_empty() {
        Ok(text)
    } else {
        Err(conflicts)
    }
}

fn written(text: &str, key: &str, items: Vec<String>) -> Result<String, EditError> {
    let value = if key == "depends_on" {
        Value::OneOrMany(items)
    } else {
        Value::List(items)
    };
    front_matter::set(text, key, Some(&value), &KEY_ORDER)
}

/// Returns true if our front matter equals the base, without keys that are always ours.
fn is_own_change(base: &str, ours: &str, rules: &Rules) -> bool {
    let (Ok(before), Ok(now)) = (yaml_of(base), yaml_of(ours)) else {
        return false;
    };
    let names = front_matter::entries(before)
        .into_iter()
        .chain(front_matter::entries(now))
        .map(|entry| entry.name.into_owned());
    let own = names.filter(|key| (rules.rule)(key) == Rule::Ours);
    let mut restored = ours.to_owned();
    for key in own {
        match transfer(&restored, &key, base, &KEY_ORDER) {
            Ok(text) => restored = text,
            Err(_) => return false,
        }
    }
    yaml_of(&restored) == Ok(before)
}

impl Versions<'_> {
    /// Returns the keys of all versions, in the order of ours, then of theirs.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for entry in self.ours.iter().chain(&self.theirs) {
            if !names.contains(&&*entry.name) {
                names.push(&entry.name);
            }
        }
        names
    }

    fn conflict(&self, key: &str) -> Conflict {
        let value = |entries: &[Entry<'_>]| entry(entries, key).map(shown);
        Conflict::Key {
            key: key.into(),
            ours: value(&self.ours),
            theirs: value(&self.theirs),
        }
    }

    fn decide(&self, key: &str, rule: Rule) -> Outcome {
        let [base, ours, theirs] =
            [&self.base, &self.ours, &self.theirs].map(|entries| entry(entries, key));
        match rule {
            Rule::Ours => Outcome::Take(Side::Ours),
            Rule::OursElseTheirs if ours.is_some() => Outcome::Take(Side::Ours),
            Rule::OursElseTheirs => Outcome::Take(Side::Theirs),
            Rule::MoreAdvanced => match advance(ours).cmp(&advance(theirs)) {
                Ordering::Less => Outcome::Take(Side::Theirs),
                Ordering::Equal if is_same(base, ours) => Outcome::Take(Side::Theirs),
                _ => Outcome::Take(Side::Ours),
            },
            _ if is_same(ours, theirs) || is_same(base, theirs) => Outcome::Take(Side::Ours),
            _ if is_same(base, ours) => Outcome::Take(Side::Theirs),
            Rule::United => united(base, ours, theirs),
            Rule::ChangedOrOurs => Outcome::Take(Side::Ours),
            Rule::Changed if says(ours, theirs) => Outcome::Take(Side::Ours),
            Rule::Changed => Outcome::Conflict,
        }
    }
}

/// Returns true if a key is written the same in two versions.
fn is_same(one: Option<&Entry<'_>>, other: Option<&Entry<'_>>) -> bool {
    let lines = |entry: &Entry<'_>| entry.yaml.replace("\r\n", "\n");
    one.map(lines) == other.map(lines)
}

/// Returns true if a key has the same meaning in two versions.
fn says(one: Option<&Entry<'_>>, other: Option<&Entry<'_>>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if says_same(one.yaml, other.yaml))
}

/// Returns a value for a conflict, on one line.
fn shown(entry: &Entry<'_>) -> String {
    let value = entry.yaml.split_once(':').map_or("", |(_, value)| value);
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the rank of a state; `None` for an unknown word.
fn advance(entry: Option<&Entry<'_>>) -> Option<usize> {
    let status = match entry {
        None => Status::Pending,
        Some(entry) => {
            let word: Option<String> = front_matter::read_key(entry.yaml, "status").ok()?;
            word.map_or(Ok(Status::Pending), |word| word.parse()).ok()?
        }
    };
    ADVANCE.iter().position(|known| *known == status)
}

fn united(
    base: Option<&Entry<'_>>,
    ours: Option<&Entry<'_>>,
    theirs: Option<&Entry<'_>>,
) -> Outcome {
    let [Some(base), Some(ours), Some(theirs)] = [base, ours, theirs].map(items) else {
        return Outcome::Conflict;
    };
    let is_added = |item: &&String| !base.contains(item) && !ours.contains(item);
    let is_kept = |item: &&String| !base.contains(item) || theirs.contains(item);
    let kept = ours.iter().filter(is_kept);
    let mut list: Vec<String> = kept
        .chain(theirs.iter().filter(is_added))
        .cloned()
        .collect();
    let mut seen = std::collections::HashSet::new();
    list.retain(|item| seen.insert(item.clone()));
    if list == ours {
        Outcome::Take(Side::Ours)
    } else if list == theirs {
        Outcome::Take(Side::Theirs)
    } else {
        Outcome::List(list)
    }
}

/// Returns the texts of a list; empty for an absent one, `None` for a value that is no list of
/// texts.
fn items(entry: Option<&Entry<'_>>) -> Option<Vec<String>> {
    let Some(entry) = entry else {
        return Some(Vec::new());
    };
    let texts: Option<Texts> = front_matter::read_key(entry.yaml, &entry.name).ok()?;
    Some(texts.unwrap_or_default().0)
}
