//! Words that may be written at a place: keys, values, and the IDs and keys of items.

use std::ops::Range;

use chant_workspace::formats::{keys_of, names_items, values_of};
use chant_workspace::item::Item;
use chant_workspace::mention::{MentionQuery, find_mentioned};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionParams, CompletionTextEdit,
    InsertTextFormat, TextEdit,
};

use super::key_words::{FrontMatterPlace, format_of, front_matter_place};
use super::markdown_text::shown_title;
use super::positions::PlacedText;
use super::projects::DocumentKind;
use super::references::word_at;
use super::requests::AskedDocument;
use super::server::EditorState;

/// Items that are offered at once.
const MAX_OFFERED: usize = 50;

/// The beginning of a spec.
const NEW_SPEC: &str = "---\ntype: code\nstatus: pending\n---\n# ${1:Title}\n\n$2\n\n## Acceptance Criteria\n\n- [ ] $0\n";

/// The words that may stand at the place of the cursor.
enum WantedWords {
    /// Keys of front matter.
    Keys,
    /// Values of a key.
    Values(String),
    /// Items.
    Items,
    /// A whole document.
    Document,
}

/// The words that may be written at a position.
pub(crate) fn complete(state: &EditorState, params: &CompletionParams) -> Option<CompletionList> {
    let position = &params.text_document_position;
    let asked = AskedDocument::of(state, &position.text_document.uri)?;
    let placed = asked.placed();
    let byte = placed.byte_at(position.position);
    let word = word_at(placed.text, byte).unwrap_or(byte..byte);
    let typed = word.start..byte.max(word.start);
    Some(match wanted(&asked, placed.text, byte, &typed)? {
        WantedWords::Keys => whole(offer_keys(&asked, &placed, typed)?),
        WantedWords::Values(key) => {
            let joined = asked.snapshot()?;
            let words = values_of(&joined, format_of(asked.place.kind), &key);
            let offered = words.into_iter();
            whole(
                offered
                    .map(|word| offer(&placed, typed.clone(), word, CompletionItemKind::VALUE))
                    .collect(),
            )
        }
        WantedWords::Items => offer_items(&asked, &placed, typed),
        WantedWords::Document => {
            let mut spec = offer(
                &placed,
                0..0,
                NEW_SPEC.to_owned(),
                CompletionItemKind::SNIPPET,
            );
            "new spec".clone_into(&mut spec.label);
            spec.filter_text = Some("new spec".to_owned());
            spec.insert_text_format = Some(InsertTextFormat::SNIPPET);
            whole(vec![spec])
        }
    })
}

fn whole(items: Vec<CompletionItem>) -> CompletionList {
    CompletionList {
        is_incomplete: false,
        items,
    }
}

fn wanted(
    asked: &AskedDocument<'_>,
    text: &str,
    byte: usize,
    typed: &Range<usize>,
) -> Option<WantedWords> {
    let kind = asked.place.kind;
    if kind == DocumentKind::Spec && text.trim().is_empty() && asked.state.client.has_snippets {
        return Some(WantedWords::Document);
    }
    let line = text[..byte].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[line..byte];
    match kind {
        DocumentKind::Configuration => return None,
        DocumentKind::Graph if before.starts_with("-> ") => return Some(WantedWords::Items),
        DocumentKind::Graph => {}
        DocumentKind::Feature => {
            let lower = before.to_lowercase();
            let says_so = ["depends", "deps", "after", "needs", "requires"];
            if says_so.iter().any(|word| lower.contains(word)) {
                return Some(WantedWords::Items);
            }
        }
        DocumentKind::Spec | DocumentKind::Ticket | DocumentKind::Plan(_) => {
            match front_matter_place(text, byte) {
                Some(FrontMatterPlace::Key) => return Some(WantedWords::Keys),
                Some(FrontMatterPlace::Value(key)) if names_items(key) => {
                    return Some(WantedWords::Items);
                }
                Some(FrontMatterPlace::Value(key)) => {
                    return Some(WantedWords::Values(key.to_owned()));
                }
                None => {}
            }
        }
    }
    // In other places only what begins like a key or an ID is one.
    let word = &text[typed.clone()];
    let begins_id = word.len() >= 4 && word.contains(['-', ':']);
    begins_id.then_some(WantedWords::Items)
}

fn offer(
    placed: &PlacedText<'_>,
    typed: Range<usize>,
    word: String,
    kind: CompletionItemKind,
) -> CompletionItem {
    CompletionItem {
        label: word.clone(),
        kind: Some(kind),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(
            placed.range_of(typed),
            word,
        ))),
        ..CompletionItem::default()
    }
}

/// The keys that the document does not have yet.
fn offer_keys(
    asked: &AskedDocument<'_>,
    placed: &PlacedText<'_>,
    typed: Range<usize>,
) -> Option<Vec<CompletionItem>> {
    let joined = asked.snapshot()?;
    let is_new = |key: &String| !placed.text.contains(&format!("\n{key}:"));
    let keys = keys_of(&joined, format_of(asked.place.kind), asked.path()).into_iter();
    Some(
        keys.filter(is_new)
            .enumerate()
            .map(|(at, key)| {
                let sort = format!("{at:03}");
                let mut item = offer(
                    placed,
                    typed.clone(),
                    format!("{key}: "),
                    CompletionItemKind::FIELD,
                );
                item.label = key;
                item.sort_text = Some(sort);
                item
            })
            .collect(),
    )
}

fn offer_items(
    asked: &AskedDocument<'_>,
    placed: &PlacedText<'_>,
    typed: Range<usize>,
) -> CompletionList {
    let written = &placed.text[typed.clone()];
    // A key that is being written names its format before the colon; names of items do not.
    let (dialect, text) = match written.split_once(':') {
        Some((word, rest)) => (Some(word), rest),
        None => (None, written),
    };
    let query = MentionQuery {
        text,
        dialect,
        ..MentionQuery::default()
    };
    let workspace = &asked.project().workspace;
    let mentioned = find_mentioned(workspace, query, MAX_OFFERED, |joined, found| {
        let items = found.rows.iter().filter_map(|node| joined.item(*node));
        let offered = items.enumerate().map(|(at, item)| {
            let name = name_in(asked, &item);
            let mut offered = offer(placed, typed.clone(), name, CompletionItemKind::REFERENCE);
            let (id, title) = (item.id(), item.title());
            offered.detail = Some(format!("{} · {}", item.status(), shown_title(title)));
            offered.filter_text = Some(format!("{} {id} {title}", item.key()));
            offered.sort_text = Some(format!("{at:03}"));
            offered
        });
        CompletionList {
            is_incomplete: found.total > found.rows.len(),
            items: offered.collect(),
        }
    });
    // A project that cannot be listed offers nothing.
    let mut list = mentioned.unwrap_or_default();
    if asked.place.kind == DocumentKind::Graph {
        offer_own_tasks(placed, &typed, &mut list.items);
    }
    list
}

/// Offers the tasks of a graph that its text names and that are not offered yet: while a dependency is being written the
/// graph cannot be used.
fn offer_own_tasks(placed: &PlacedText<'_>, typed: &Range<usize>, items: &mut Vec<CompletionItem>) {
    let headers = placed
        .text
        .lines()
        .filter_map(|line| line.strip_prefix('['));
    for (id, title) in headers
        .filter_map(|line| line.split_once(']'))
        .take(MAX_OFFERED)
    {
        if items.iter().all(|known| known.label != id) {
            let kind = CompletionItemKind::REFERENCE;
            let mut item = offer(placed, typed.clone(), id.to_owned(), kind);
            item.detail = Some(shown_title(title));
            items.push(item);
        }
    }
}

/// The name by which a document means an item: its ID, or its key where that is of another format or file.
fn name_in(asked: &AskedDocument<'_>, item: &Item<'_>) -> String {
    let is_in_file = item.path() == asked.path();
    let id = item.id();
    let short = id.rsplit('#').next().unwrap_or(&id);
    match asked.place.kind {
        _ if is_in_file => short.to_owned(),
        DocumentKind::Spec | DocumentKind::Ticket | DocumentKind::Plan(_)
            if item.dialect() == format_of(asked.place.kind) =>
        {
            id.into_owned()
        }
        _ => item.key().to_owned(),
    }
}
