//! All formats of plans: the statics that answer for them, what doors say of each, and the words of their front matter.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

use chant_backlog::BacklogTasks;
use chant_base::format_words::{admit_format_word, find_format_word};
use chant_kiro::KiroSpecs;
use chant_openspec::OpenSpec;
use chant_plan_format::PlanFormat;
use chant_specs::model::{self as specs, SpecStatus, SpecType};
use chant_tickets::model::{self as tickets, TicketPriority, TicketStatus, TicketType};
use serde::Serialize;

use super::item::Item;
use super::workspace_graph::{ItemSource, WorkspaceGraph};

/// The word of specs.
pub const SPEC_WORD: &str = "chant";
/// The word of task graphs, and the ending of their files.
pub const GRAPH_WORD: &str = "vine";
/// The word of tickets.
pub const TICKET_WORD: &str = "tickets";
/// The word of features.
pub const FEATURE_WORD: &str = "speckit";

/// The formats that come through the interface, in the order of lists.
static FORMATS: [&dyn PlanFormat; 3] = [&OpenSpec, &KiroSpecs, &BacklogTasks];

/// Formats that this process takes besides.
static ADMITTED: RwLock<Vec<&dyn PlanFormat>> = RwLock::new(Vec::new());

/// A format as doors name it.
#[derive(Debug, Clone, Serialize)]
pub struct FormatRow {
    /// The word before the colon of its keys.
    pub word: &'static str,
    /// Its name, as people write it.
    pub title: &'static str,
    /// The noun of one of its items.
    pub noun: &'static str,
    /// The noun of several.
    pub plural: &'static str,
    /// Paths, one of which a folder holds that is a root of it.
    pub markers: Vec<&'static str>,
    /// The edits that it takes.
    pub intents: Vec<&'static str>,
    /// The words of its states; empty where a project names them.
    pub statuses: Vec<&'static str>,
    /// True if it has tools of its own.
    pub own_tools: bool,
    /// A key, as an example.
    pub example: &'static str,
}

/// The formats with tools of their own: word, name, nouns, markers and an example of a key.
const WITH_TOOLS: [RowWithTools; 4] = [
    (
        "chant",
        "chant",
        ["spec", "specs"],
        &[".chant"],
        "chant:2026-01-22-001-x7m",
    ),
    (
        "vine",
        "VINE",
        ["task of a task graph", "tasks"],
        &["*.vine"],
        "vine:plan.vine#build",
    ),
    (
        "speckit",
        "spec-kit",
        ["spec-kit task", "tasks"],
        &[".specify", "specs/*/tasks.md"],
        "speckit:060-name#T001",
    ),
    (
        "tickets",
        "markdown-ticket",
        ["ticket", "tickets"],
        &[".mdt-config.toml", "docs/CRs"],
        "tickets:MDT-012",
    ),
];

type RowWithTools = (
    &'static str,
    &'static str,
    [&'static str; 2],
    &'static [&'static str],
    &'static str,
);

/// A format with tools of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormatWithTools {
    Specs,
    TaskGraphs,
    Features,
    ChangeRequests,
}

/// The format with tools of its own that has a word.
pub(super) fn with_tools(word: &str) -> Option<FormatWithTools> {
    use FormatWithTools::{ChangeRequests, Features, Specs, TaskGraphs};
    let at = WITH_TOOLS.iter().position(|(known, ..)| *known == word)?;
    [Specs, TaskGraphs, Features, ChangeRequests]
        .get(at)
        .copied()
}

/// The formats that come through the interface, in the order of lists.
pub fn all() -> Vec<&'static dyn PlanFormat> {
    let admitted = ADMITTED.read().unwrap_or_else(PoisonError::into_inner);
    FORMATS.iter().chain(admitted.iter()).copied().collect()
}

/// The format of a word, if it comes through the interface.
pub fn find(word: &str) -> Option<&'static dyn PlanFormat> {
    all().into_iter().find(|format| format.scope().word == word)
}

/// Takes a further format in this process, and gives its word; one that has the word of another format is left out.
pub fn admit(format: &'static dyn PlanFormat) -> &'static str {
    let word = format.scope().word;
    if find_format_word(word).is_none() {
        admit_format_word(word);
        let mut admitted = ADMITTED.write().unwrap_or_else(PoisonError::into_inner);
        admitted.push(format);
    }
    word
}

/// All formats, those with tools of their own first, in the order of lists.
pub fn rows() -> Vec<FormatRow> {
    let with_tools = WITH_TOOLS
        .iter()
        .map(|(word, title, nouns, markers, example)| FormatRow {
            word,
            title,
            noun: nouns[0],
            plural: nouns[1],
            markers: markers.to_vec(),
            intents: Vec::new(),
            statuses: Vec::new(),
            own_tools: true,
            example,
        });
    let others = all().into_iter().map(|format| {
        let scope = format.scope();
        FormatRow {
            word: scope.word,
            title: scope.title,
            noun: scope.noun,
            plural: scope.plural,
            markers: scope.markers.to_vec(),
            intents: scope.intents.iter().map(|intent| intent.as_str()).collect(),
            statuses: scope.statuses.to_vec(),
            own_tools: false,
            example: scope.example,
        }
    });
    with_tools.chain(others).collect()
}

/// Keys whose values name other items.
const NAMING: [&str; 8] = [
    "depends_on", "members", "informed_by", "blocked_specs", "dependsOn", "blocks",
    "relatedTickets", "dependencies",
];

/// Returns true if the values of a key name other items.
pub fn names_items(key: &str) -> bool {
    NAMING.contains(&key)
}

/// The keys of documents of a format, by its word, in the order in which they are written. Where no list says them, they
/// are those of other documents than that at `path`, whose keys may be slips.
pub fn keys_of(joined: &WorkspaceGraph, word: &str, path: &str) -> Vec<String> {
    let documented: &[&str] = match word {
        SPEC_WORD => &specs::KEY_ORDER,
        TICKET_WORD => &tickets::KEY_ORDER,
        // Formats that come through the interface say them by their documents.
        _ => &[],
    };
    let mut keys: Vec<String> = documented.iter().map(ToString::to_string).collect();
    if keys.is_empty() {
        let mut known = BTreeSet::new();
        for item in items_of(joined, word).filter(|item| item.path() != path) {
            if let ItemSource::Plan(entry) = item.source {
                let attributes = entry.item().attributes.iter();
                known.extend(attributes.map(|attribute| attribute.name.to_string()));
            }
        }
        keys.extend(known);
    }
    keys
}

/// The words that a key of a document may have, or has in other documents.
pub fn values_of(joined: &WorkspaceGraph, word: &str, key: &str) -> Vec<String> {
    let owned = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    match (word, key) {
        (SPEC_WORD, "status") => owned(&SpecStatus::ALL.map(SpecStatus::as_str)),
        (SPEC_WORD, "type") => owned(&SpecType::NAMES),
        (TICKET_WORD, "status") => words_of(TicketStatus::ALL, TicketStatus::as_str),
        (TICKET_WORD, "type") => words_of(TicketType::ALL, TicketType::as_str),
        (TICKET_WORD, "priority") => words_of(TicketPriority::ALL, TicketPriority::as_str),
        (_, "status") => {
            let mut roots = joined.formats();
            let root = roots.find(|root| root.format.scope().word == word);
            let words = root.map(|root| root.statuses()).unwrap_or_default();
            owned(&words)
        }
        (_, "labels") => in_use(joined, word, |item| {
            item.labels().iter().map(ToString::to_string).collect()
        }),
        (_, "assignee") => in_use(joined, word, |item| {
            item.assignee().map(Into::into).into_iter().collect()
        }),
        (_, "priority") => in_use(joined, word, |item| {
            item.priority().map(Into::into).into_iter().collect()
        }),
        _ => Vec::new(),
    }
}

fn words_of<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Vec<String> {
    all.iter().map(|one| word(*one).to_owned()).collect()
}

fn items_of<'a>(
    joined: &'a WorkspaceGraph,
    word: &'a str,
) -> impl Iterator<Item = Item<'a>> + use<'a> {
    joined.items().filter(move |item| item.dialect() == word)
}

fn in_use(
    joined: &WorkspaceGraph,
    word: &str,
    values: impl Fn(&Item<'_>) -> Vec<String>,
) -> Vec<String> {
    let known: BTreeSet<String> = items_of(joined, word)
        .flat_map(|item| values(&item))
        .collect();
    known.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chant_base::format_words::FORMAT_WORDS;

    #[test]
    fn each_word_of_a_key_has_its_format() {
        let words: Vec<&str> = rows().into_iter().map(|row| row.word).collect();
        assert_eq!(words[..FORMAT_WORDS.len()], FORMAT_WORDS);
    }
}
