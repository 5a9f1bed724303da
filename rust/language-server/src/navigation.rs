//! Where items are, and who names them.

use std::collections::BTreeMap;

use chant_store::disk;
use chant_workspace::item::Item;
use chant_workspace::workspace_graph::WorkspaceGraph;
use lsp_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, GotoDefinitionParams,
    GotoDefinitionResponse, Location, Range, ReferenceParams,
};

use super::document_items::placed_item;
use super::files;
use super::projects::OpenProject;
use super::references::{mentions, word_at};
use super::requests::{AskedDocument, AskedPosition, OtherDocument};
use super::server::EditorState;

/// References that are given.
const MAX_REFERENCES: usize = 5_000;

/// Where the item that a word means stands; the file, for a path.
pub(crate) fn definition(
    state: &EditorState,
    params: &GotoDefinitionParams,
) -> Option<GotoDefinitionResponse> {
    let asked = AskedPosition::of(state, &params.text_document_position_params)?;
    let location = match asked.item() {
        Some((item, _)) => location_of(state, asked.document.project(), &asked.joined, item),
        None => named_file(&asked.document, asked.byte),
    };
    location.map(GotoDefinitionResponse::Scalar)
}

/// The line that names an item.
pub(crate) fn location_of(
    state: &EditorState,
    project: &OpenProject,
    joined: &WorkspaceGraph,
    item: Item<'_>,
) -> Option<Location> {
    let placed = placed_item(joined, item)?;
    let text = item.document();
    let document = OtherDocument::of(state, project, item.path(), text)?;
    let range = document.placed(text, state).range_of(placed.heading);
    Some(Location::new(document.uri, range))
}

/// The file of the project that a word of a text names.
fn named_file(asked: &AskedDocument<'_>, byte: usize) -> Option<Location> {
    let text = asked.placed().text;
    let word = word_at(text, byte)?;
    let root = asked.project().workspace.root();
    let named = disk::real(&root.join(&text[word])).ok()?;
    let is_inside = named.starts_with(root) && disk::is_file(&named);
    let uri = is_inside.then(|| files::uri_of(&named))??;
    Some(Location::new(uri, Range::default()))
}

/// Everything that names the item at a position.
pub(crate) fn references(state: &EditorState, params: &ReferenceParams) -> Option<Vec<Location>> {
    let asked = AskedPosition::of(state, &params.text_document_position)?;
    let joined = &asked.joined;
    let (item, _) = asked.item()?;
    let heading = placed_item(joined, item).map(|placed| placed.heading);
    let mut found = Vec::new();
    for (path, text) in documents(joined) {
        let ranges = mentions(joined, &item, path, text);
        if ranges.is_empty() {
            continue;
        }
        let project = asked.document.project();
        let Some(other) = OtherDocument::of(state, project, path, text) else {
            continue;
        };
        let is_heading = |start: usize| {
            let heading = heading.as_ref().filter(|_| path == item.path());
            heading.is_some_and(|heading| heading.contains(&start))
        };
        let wanted = ranges
            .into_iter()
            .filter(|range| params.context.include_declaration || !is_heading(range.start));
        let placed = other.placed(text, state);
        found.extend(wanted.map(|range| Location::new(other.uri.clone(), placed.range_of(range))));
        if found.len() >= MAX_REFERENCES {
            break;
        }
    }
    Some(found)
}

/// The texts of all documents with items, by their paths.
pub(crate) fn documents(joined: &WorkspaceGraph) -> BTreeMap<&str, &str> {
    let items = joined.items();
    items.map(|item| (item.path(), item.document())).collect()
}

/// Where the document names the item at a position.
pub(crate) fn highlights(
    state: &EditorState,
    params: &DocumentHighlightParams,
) -> Option<Vec<DocumentHighlight>> {
    let asked = AskedPosition::of(state, &params.text_document_position_params)?;
    let (item, _) = asked.item()?;
    let placed = asked.document.placed();
    let path = asked.document.path();
    let found = mentions(&asked.joined, &item, path, placed.text).into_iter();
    let highlight = |range| DocumentHighlight {
        range: placed.range_of(range),
        kind: Some(DocumentHighlightKind::TEXT),
    };
    Some(found.map(highlight).collect())
}
