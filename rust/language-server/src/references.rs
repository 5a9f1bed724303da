//! Words of documents that mean items.

use std::ops::Range;

use chant_graph::{EdgeKind, Node};
use chant_workspace::item::Item;
use chant_workspace::key;
use chant_workspace::workspace_graph::WorkspaceGraph;

use super::document_items::{PlacedItem, item_at, items_at};

/// Characters of an ID that alone says of which item it is, wherever it stands.
const LONG_ID: usize = 5;

/// A word at a byte, as IDs and keys are written.
pub(crate) fn word_at(text: &str, byte: usize) -> Option<Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric() || "-_.#:/~".contains(c);
    let (before, behind) = (text.get(..byte)?, text.get(byte..)?);
    let start = before.trim_end_matches(is_part).len();
    let end = byte + (behind.len() - behind.trim_start_matches(is_part).len());
    let word = &text[start..end];
    let end = start + word.trim_end_matches(['.', ':', '-', '/']).len();
    let start = end
        - text[start..end]
            .trim_start_matches(['-', '.', ':', '/'])
            .len();
    (start < end && start <= byte && byte <= end).then_some(start..end)
}

/// A document in which words are looked up.
pub(crate) struct WordPlaces<'a> {
    joined: &'a WorkspaceGraph,
    /// The items that stand in it.
    pub(crate) items: Vec<PlacedItem<'a>>,
}

impl<'a> WordPlaces<'a> {
    /// The document at a path.
    pub(crate) fn of(joined: &'a WorkspaceGraph, path: &str) -> Self {
        Self {
            joined,
            items: items_at(joined, path),
        }
    }

    /// The item that a word of the text means.
    ///
    /// A key, and an ID that is long enough, mean their item anywhere; a short ID only in the line that names its item,
    /// and in what waits for it.
    pub(crate) fn meant(&self, text: &str, word: &Range<usize>) -> Option<Item<'a>> {
        let written = text.get(word.clone())?;
        let graph = self.joined.graph();
        let found = |key: &str| graph.find(key).and_then(|node| self.joined.item(node));
        if written.contains(':')
            && let Some(item) = found(&key::normal(written))
        {
            return Some(item);
        }
        let holder = item_at(&self.items, word.start);
        let waits = |node: Node| {
            let edges = holder.map(|holder| graph.edges(holder.item.node));
            let mut edges = edges.unwrap_or_default().iter();
            edges.any(|edge| edge.to == node && edge.kind == EdgeKind::Explicit)
        };
        let is_long = written.len() >= LONG_ID && written.contains('-');
        let mut keys = vec![key::of_spec(written), key::of_ticket_named(written)];
        if let Some(holder) = holder {
            let own = holder.item.key();
            if let Some((unit, _)) = own.split_once('#') {
                keys.push(format!("{unit}#{written}"));
            }
            keys.push(self.key_in_format(holder.item.dialect(), written));
        }
        let items = keys.iter().filter_map(|key| found(key));
        let mut meant = items.filter(|item| is_long || waits(item.node) || self.names(item, word));
        meant.next()
    }

    /// The key of what a document of a format calls so, in any spelling that the format takes.
    fn key_in_format(&self, word: &str, written: &str) -> String {
        let mut roots = self.joined.formats();
        let root = roots.find(|root| root.format.scope().word == word);
        let name = root.map(|root| root.format.name(written));
        format!("{word}:{}", name.as_deref().unwrap_or(written))
    }

    /// Returns true if a word stands in the line that names an item.
    fn names(&self, item: &Item<'_>, word: &Range<usize>) -> bool {
        let mut own = self.items.iter().filter(|one| one.item.node == item.node);
        own.any(|one| one.heading.start <= word.start && word.end <= one.heading.end)
    }

    /// The item whose line stands at a byte, else the one that a word there means.
    pub(crate) fn item_of(&self, text: &str, byte: usize) -> Option<(Item<'a>, Range<usize>)> {
        if let Some(word) = word_at(text, byte)
            && let Some(item) = self.meant(text, &word)
        {
            return Some((item, word));
        }
        let mut named = self.items.iter();
        let named = named.find(|one| one.heading.start <= byte && byte <= one.heading.end)?;
        Some((named.item, named.heading.clone()))
    }
}

/// Where a text names an item.
pub(crate) fn mentions(
    joined: &WorkspaceGraph,
    item: &Item<'_>,
    path: &str,
    text: &str,
) -> Vec<Range<usize>> {
    let id = item.id();
    // Formats take IDs in other letters, too; what a word means is asked of its format.
    let short = id.rsplit('#').next().unwrap_or(&id).to_ascii_lowercase();
    let written = text.to_ascii_lowercase();
    if short.is_empty() || !written.contains(&short) {
        return Vec::new();
    }
    let places = WordPlaces::of(joined, path);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in written.match_indices(&short) {
        let Some(word) = word_at(text, at + short.len() - 1) else {
            continue;
        };
        let is_known = found.last().is_some_and(|last| *last == word);
        let is_it = |meant: Item<'_>| meant.node == item.node;
        if !is_known && places.meant(text, &word).is_some_and(is_it) {
            found.push(word);
        }
    }
    found
}

/// The bytes of an item's ID in a word that means it: without the word of its format and its unit.
pub(crate) fn id_in(text: &str, word: Range<usize>, item: &Item<'_>) -> Range<usize> {
    let id = item.id();
    let short = id.rsplit('#').next().unwrap_or(&id);
    let written = &text[word.clone()];
    if written.ends_with(short) {
        word.end - short.len()..word.end
    } else {
        word
    }
}
