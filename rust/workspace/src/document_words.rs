//! The words that front matter of a format may have: its keys, and the values of those that are not free.

use std::collections::BTreeSet;

use super::item::Item;
use super::workspace_graph::{ItemSource, WorkspaceGraph};
use chant_specs::model::{self as specs, SpecStatus, SpecType};
use chant_tickets::model::{self as tickets, TicketPriority, TicketStatus, TicketType};

/// Keys whose values name other items.
const NAMING: [&str; 8] = [
    "depends_on",
    "members",
    "informed_by",
    "blocked_specs",
    "dependsOn",
    "blocks",
    "relatedTickets",
    "dependencies",
];

/// Returns true if the values of a key name other items.
pub fn names_items(key: &str) -> bool {
    NAMING.contains(&key)
}

/// The keys of documents of a format, by its word, in the order in which they are written. Where no list says them, they
/// are those of other documents than that at `path`, whose keys may be slips.
pub fn keys_of(joined: &WorkspaceGraph, word: &str, path: &str) -> Vec<String> {
    let documented: &[&str] = match word {
        "chant" => &specs::KEY_ORDER,
        "tickets" => &tickets::KEY_ORDER,
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
        ("chant", "status") => owned(&SpecStatus::ALL.map(SpecStatus::as_str)),
        ("chant", "type") => owned(&SpecType::NAMES),
        ("tickets", "status") => words_of(TicketStatus::ALL, TicketStatus::as_str),
        ("tickets", "type") => words_of(TicketType::ALL, TicketType::as_str),
        ("tickets", "priority") => words_of(TicketPriority::ALL, TicketPriority::as_str),
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
