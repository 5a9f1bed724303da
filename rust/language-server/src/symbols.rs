//! Symbols: items and sections of a document as a tree, and items of all projects by a part of their names.

use chant_text::markdown;
use chant_workspace::mention::{MentionQuery, find_mentioned};
use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, SymbolInformation,
    SymbolKind, WorkspaceSymbolParams,
};

use super::document_items::{PlacedItem, items_at};
use super::markdown_text::shown_title;
use super::navigation::location_of;
use super::positions::PlacedText;
use super::requests::AskedDocument;
use super::server::EditorState;

/// Items that a search over everything gives.
const MAX_FOUND: usize = 100;

/// The items of a document, parts within their holders, and sections of one that is an item as a whole.
pub(crate) fn document_symbols(
    state: &EditorState,
    params: &DocumentSymbolParams,
) -> Option<DocumentSymbolResponse> {
    let asked = AskedDocument::of(state, &params.text_document.uri)?;
    let joined = asked.snapshot()?;
    let placed = asked.placed();
    let items = items_at(&joined, asked.path());
    let parents: Vec<Option<usize>> = items
        .iter()
        .map(|one| {
            let parent = one.item.parent()?;
            items.iter().position(|other| other.item.key() == parent)
        })
        .collect();
    let mut symbols: Vec<DocumentSymbol> =
        items.iter().map(|one| symbol_of(one, &placed)).collect();
    if let [only] = symbols.as_mut_slice() {
        only.children = Some(sections(&placed));
    }
    let nested = if state.client.has_nested_symbols {
        nest(symbols, &parents)
    } else {
        symbols
    };
    Some(if state.client.has_nested_symbols {
        DocumentSymbolResponse::Nested(nested)
    } else {
        let uri = &params.text_document.uri;
        let flat = nested.into_iter();
        DocumentSymbolResponse::Flat(
            flat.map(|one| information(one.name, Location::new(uri.clone(), one.range)))
                .collect(),
        )
    })
}

fn symbol_of(placed_item: &PlacedItem<'_>, placed: &PlacedText<'_>) -> DocumentSymbol {
    let item = &placed_item.item;
    let (met, criteria) = item.criteria_counts();
    let detail = match criteria {
        0 => item.status().to_owned(),
        _ => format!("{}, {met} of {criteria} ticked", item.status()),
    };
    let title = shown_title(item.title());
    let id = item.id();
    let short = id.rsplit('#').next().unwrap_or(&id);
    // The place of the name has to lie in that of the whole.
    let start = placed_item.span.start.min(placed_item.heading.start);
    let end = placed_item.span.end.max(placed_item.heading.end);
    symbol(
        format!("{short} {title}").trim_end().to_owned(),
        Some(detail),
        placed.range_of(start..end),
        placed.range_of(placed_item.heading.clone()),
    )
}

#[expect(
    deprecated,
    reason = "the protocol's type has a field that is deprecated"
)]
fn symbol(
    name: String,
    detail: Option<String>,
    range: lsp_types::Range,
    selection_range: lsp_types::Range,
) -> DocumentSymbol {
    DocumentSymbol {
        name,
        detail,
        kind: SymbolKind::EVENT,
        tags: None,
        deprecated: None,
        range,
        selection_range,
        children: None,
    }
}

#[expect(
    deprecated,
    reason = "the protocol's type has a field that is deprecated"
)]
fn information(name: String, location: Location) -> SymbolInformation {
    SymbolInformation {
        name,
        kind: SymbolKind::EVENT,
        tags: None,
        deprecated: None,
        location,
        container_name: None,
    }
}

/// The headings below the title.
fn sections(placed: &PlacedText<'_>) -> Vec<DocumentSymbol> {
    let layout = chant_text::front_matter::layout(placed.text);
    let body = layout.map_or(0, |layout| layout.body);
    let outline = markdown::outline(&placed.text[body..]);
    let below = outline.headings.iter().filter(|heading| heading.level == 2);
    below
        .map(|heading| {
            let range = placed.range_of(body + heading.range.start..body + heading.range.end);
            let mut section = symbol(shown_title(&heading.text), None, range, range);
            section.kind = SymbolKind::STRING;
            section
        })
        .filter(|section| !section.name.is_empty())
        .collect()
}

/// Puts symbols into those of their holders, which stand before them.
fn nest(symbols: Vec<DocumentSymbol>, parents: &[Option<usize>]) -> Vec<DocumentSymbol> {
    let mut left: Vec<Option<DocumentSymbol>> = symbols.into_iter().map(Some).collect();
    for at in (0..left.len()).rev() {
        let Some(parent) = parents[at].filter(|parent| *parent < at) else {
            continue;
        };
        let part = left[at].take();
        if let (Some(part), Some(holder)) = (part, left[parent].as_mut()) {
            holder.range.end = holder.range.end.max(part.range.end);
            holder.children.get_or_insert_default().insert(0, part);
        }
    }
    left.into_iter().flatten().collect()
}

/// Items of all open projects whose IDs or titles hold the words of a text.
pub(crate) fn workspace_symbols(
    state: &EditorState,
    params: &WorkspaceSymbolParams,
) -> Vec<SymbolInformation> {
    let mut found = Vec::new();
    for project in state.projects.all() {
        let query = MentionQuery {
            text: &params.query,
            ..MentionQuery::default()
        };
        let most = MAX_FOUND - found.len();
        let symbols = find_mentioned(&project.workspace, query, most, |joined, mentioned| {
            let items = mentioned
                .rows
                .into_iter()
                .filter_map(|node| joined.item(node));
            let symbols = items.filter_map(|item| {
                let name = format!("{} {}", item.id(), shown_title(item.title()));
                Some(information(
                    name,
                    location_of(state, project, joined, item)?,
                ))
            });
            symbols.collect::<Vec<_>>()
        });
        // A project that cannot be listed names nothing.
        found.extend(symbols.unwrap_or_default());
    }
    found
}
