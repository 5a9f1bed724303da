//! Merges front matter key by key.

use std::cmp::Ordering;

use super::{MergeSide, SpecConflict};
use chant_specs::from_run;
use chant_specs::model::{KEY_ORDER, SpecStatus};
use chant_text::edit::EditError;
use chant_text::front_matter::{
    self, FrontMatterEntry, FrontMatterValue, TextList, says_same, transfer, yaml_of,
};

/// The rules for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyRule {
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
pub(super) struct SpecMergeRules {
    rule: fn(&str) -> KeyRule,
    /// True if criteria that the other side lacks stay.
    pub(super) keeps_criteria: bool,
    /// True if only our side decides about the discussion of approval, whatever the other side
    /// contains.
    pub(super) keeps_discussion: bool,
}

/// The rules for a run's checkout and branch.
pub(super) const RUN: SpecMergeRules = SpecMergeRules {
    rule: rule_of_run,
    keeps_criteria: true,
    keeps_discussion: true,
};

/// The rules for git's `ours` and `theirs`.
pub(super) const DRIVER: SpecMergeRules = SpecMergeRules {
    rule: rule_of_driver,
    keeps_criteria: false,
    keeps_discussion: false,
};

/// The rules for a checkout and the branch of a run of another spec.
pub(super) const OTHER: SpecMergeRules = SpecMergeRules {
    rule: rule_of_other,
    keeps_criteria: true,
    keeps_discussion: true,
};

/// Returns the rule for a key of another spec: people's decisions about it stay.
fn rule_of_other(key: &str) -> KeyRule {
    match key {
        "labels" | "target_files" | "depends_on" => KeyRule::United,
        key if from_run::FREE.contains(&key) => KeyRule::ChangedOrOurs,
        _ => KeyRule::Ours,
    }
}

fn rule_of_run(key: &str) -> KeyRule {
    match key {
        "status" | "branch" | "commits" | "completed_at" | "model" | "approval" => KeyRule::Ours,
        "labels" | "target_files" | "context" | "depends_on" | "members" => KeyRule::United,
        _ => KeyRule::Changed,
    }
}

fn rule_of_driver(key: &str) -> KeyRule {
    match key {
        "status" => KeyRule::MoreAdvanced,
        "commits" | "labels" | "target_files" | "context" | "depends_on" | "members" => {
            KeyRule::United
        }
        "completed_at" | "model" | "branch" | "last_verified" => KeyRule::OursElseTheirs,
        _ if key.starts_with("verification_") || key.starts_with("replay") => {
            KeyRule::OursElseTheirs
        }
        _ => KeyRule::ChangedOrOurs,
    }
}

/// States from the least to the most advanced (reference chant 6.9).
const ADVANCE: [SpecStatus; 9] = [
    SpecStatus::Cancelled,
    SpecStatus::Failed,
    SpecStatus::NeedsAttention,
    SpecStatus::Blocked,
    SpecStatus::Pending,
    SpecStatus::Ready,
    SpecStatus::Paused,
    SpecStatus::InProgress,
    SpecStatus::Completed,
];

/// The outcomes for a key.
enum KeyOutcome {
    Take(MergeSide),
    List(Vec<String>),
    Conflict,
}

/// Three versions of front matter, split into entries.
struct FrontMatterVersions<'a> {
    base: Vec<FrontMatterEntry<'a>>,
    ours: Vec<FrontMatterEntry<'a>>,
    theirs: Vec<FrontMatterEntry<'a>>,
}

fn entry<'a, 'b>(
    entries: &'b [FrontMatterEntry<'a>],
    key: &str,
) -> Option<&'b FrontMatterEntry<'a>> {
    entries.iter().find(|entry| entry.name == key)
}

/// Returns a document with merged front matter; its body is that of one side.
///
/// # Errors
/// The keys that both sides changed, or that could not be written in place.
pub(super) fn merge_front_matter(
    base: &str,
    ours: &str,
    theirs: &str,
    rules: &SpecMergeRules,
) -> Result<String, Vec<SpecConflict>> {
    let entries = |text| yaml_of(text).map(front_matter::entries).unwrap_or_default();
    let versions = FrontMatterVersions {
        base: entries(base),
        ours: entries(ours),
        theirs: entries(theirs),
    };
    // If our side changed only its own keys, comments and order may be theirs.
    let (start, mut text) = if is_own_change(base, ours, rules) {
        (MergeSide::Theirs, theirs.to_owned())
    } else {
        (MergeSide::Ours, ours.to_owned())
    };
    let mut conflicts = Vec::new();
    for key in versions.names() {
        let outcome = versions.decide(key, (rules.rule)(key));
        let changed = match outcome {
            KeyOutcome::Conflict => None,
            KeyOutcome::Take(side) if side == start => continue,
            KeyOutcome::Take(MergeSide::Ours) => transfer(&text, key, ours, &KEY_ORDER).ok(),
            KeyOutcome::Take(MergeSide::Theirs) => transfer(&text, key, theirs, &KEY_ORDER).ok(),
            KeyOutcome::List(items) => written(&text, key, items).ok(),
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
        FrontMatterValue::OneOrMany(items)
    } else {
        FrontMatterValue::List(items)
    };
    front_matter::set(text, key, Some(&value), &KEY_ORDER)
}

/// Returns true if our front matter equals the base, without keys that are always ours.
fn is_own_change(base: &str, ours: &str, rules: &SpecMergeRules) -> bool {
    let (Ok(before), Ok(now)) = (yaml_of(base), yaml_of(ours)) else {
        return false;
    };
    let names = front_matter::entries(before)
        .into_iter()
        .chain(front_matter::entries(now))
        .map(|entry| entry.name.into_owned());
    let own = names.filter(|key| (rules.rule)(key) == KeyRule::Ours);
    let mut restored = ours.to_owned();
    for key in own {
        match transfer(&restored, &key, base, &KEY_ORDER) {
            Ok(text) => restored = text,
            Err(_) => return false,
        }
    }
    yaml_of(&restored) == Ok(before)
}

impl FrontMatterVersions<'_> {
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

    fn conflict(&self, key: &str) -> SpecConflict {
        let value = |entries: &[FrontMatterEntry<'_>]| entry(entries, key).map(shown);
        SpecConflict::Key {
            key: key.into(),
            ours: value(&self.ours),
            theirs: value(&self.theirs),
        }
    }

    fn decide(&self, key: &str, rule: KeyRule) -> KeyOutcome {
        let [base, ours, theirs] =
            [&self.base, &self.ours, &self.theirs].map(|entries| entry(entries, key));
        match rule {
            KeyRule::Ours => KeyOutcome::Take(MergeSide::Ours),
            KeyRule::OursElseTheirs if ours.is_some() => KeyOutcome::Take(MergeSide::Ours),
            KeyRule::OursElseTheirs => KeyOutcome::Take(MergeSide::Theirs),
            KeyRule::MoreAdvanced => match advance(ours).cmp(&advance(theirs)) {
                Ordering::Less => KeyOutcome::Take(MergeSide::Theirs),
                Ordering::Equal if is_same(base, ours) => KeyOutcome::Take(MergeSide::Theirs),
                _ => KeyOutcome::Take(MergeSide::Ours),
            },
            _ if is_same(ours, theirs) || is_same(base, theirs) => {
                KeyOutcome::Take(MergeSide::Ours)
            }
            _ if is_same(base, ours) => KeyOutcome::Take(MergeSide::Theirs),
            KeyRule::United => united(base, ours, theirs),
            KeyRule::ChangedOrOurs => KeyOutcome::Take(MergeSide::Ours),
            KeyRule::Changed if says(ours, theirs) => KeyOutcome::Take(MergeSide::Ours),
            KeyRule::Changed => KeyOutcome::Conflict,
        }
    }
}

/// Returns true if a key is written the same in two versions.
fn is_same(one: Option<&FrontMatterEntry<'_>>, other: Option<&FrontMatterEntry<'_>>) -> bool {
    let lines = |entry: &FrontMatterEntry<'_>| entry.yaml.replace("\r\n", "\n");
    one.map(lines) == other.map(lines)
}

/// Returns true if a key has the same meaning in two versions.
fn says(one: Option<&FrontMatterEntry<'_>>, other: Option<&FrontMatterEntry<'_>>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if says_same(one.yaml, other.yaml))
}

/// Returns a value for a conflict, on one line.
fn shown(entry: &FrontMatterEntry<'_>) -> String {
    let value = entry.yaml.split_once(':').map_or("", |(_, value)| value);
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the rank of a state; `None` for an unknown word.
fn advance(entry: Option<&FrontMatterEntry<'_>>) -> Option<usize> {
    let status = match entry {
        None => SpecStatus::Pending,
        Some(entry) => {
            let word: Option<String> = front_matter::read_key(entry.yaml, "status").ok()?;
            word.map_or(Ok(SpecStatus::Pending), |word| word.parse())
                .ok()?
        }
    };
    ADVANCE.iter().position(|known| *known == status)
}

fn united(
    base: Option<&FrontMatterEntry<'_>>,
    ours: Option<&FrontMatterEntry<'_>>,
    theirs: Option<&FrontMatterEntry<'_>>,
) -> KeyOutcome {
    let [Some(base), Some(ours), Some(theirs)] = [base, ours, theirs].map(items) else {
        return KeyOutcome::Conflict;
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
        KeyOutcome::Take(MergeSide::Ours)
    } else if list == theirs {
        KeyOutcome::Take(MergeSide::Theirs)
    } else {
        KeyOutcome::List(list)
    }
}

/// Returns the texts of a list; empty for an absent one, `None` for a value that is no list of
/// texts.
fn items(entry: Option<&FrontMatterEntry<'_>>) -> Option<Vec<String>> {
    let Some(entry) = entry else {
        return Some(Vec::new());
    };
    let texts: Option<TextList> = front_matter::read_key(entry.yaml, &entry.name).ok()?;
    Some(texts.unwrap_or_default().0)
}
