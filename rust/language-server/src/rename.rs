//! New IDs for tasks: everything that names one changes in a single edit, or nothing does.

use std::collections::HashMap;
use std::ops::Range;

use chant_store::disk::Disk;
use chant_workspace::workspace_graph::{ItemSource, WorkspaceGraph};
use lsp_types::{
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, PrepareRenameResponse,
    RenameParams, TextDocumentEdit, TextDocumentPositionParams, TextEdit, WorkspaceEdit,
};

use super::navigation::documents;
use super::projects::OpenProject;
use super::references::{id_in, mentions};
use super::requests::{AskedPosition, OtherDocument, RequestRefusal};
use super::server::EditorState;

/// Characters of the longest ID.
const MAX_ID: usize = 100;

/// The bytes of the ID at a position.
///
/// # Errors
/// As [`rename`].
pub(crate) fn prepare(
    state: &EditorState,
    params: &TextDocumentPositionParams,
) -> Result<PrepareRenameResponse, RequestRefusal> {
    let nothing = || RequestRefusal::refused("no ID of an item stands here");
    let asked = AskedPosition::of(state, params).ok_or_else(nothing)?;
    let (item, word) = asked.item().ok_or_else(nothing)?;
    refuse_fixed(item.source)?;
    let placed = asked.document.placed();
    let bytes = id_in(placed.text, word, &item);
    if !bytes.contains(&asked.byte) && bytes.end != asked.byte {
        return Err(nothing());
    }
    Ok(PrepareRenameResponse::Range(placed.range_of(bytes)))
}

/// The edit that gives an item another ID, in all documents that name it.
///
/// # Errors
/// A refusal for an item whose ID is more than a word in documents, for an ID that is none or is taken, for an item that is
/// done or that a run has, and while a document that would change is not saved.
pub(crate) fn rename(
    state: &EditorState,
    params: &RenameParams,
) -> Result<WorkspaceEdit, RequestRefusal> {
    prepare(state, &params.text_document_position)?;
    let nothing = || RequestRefusal::refused("no ID of an item stands here");
    let asked = AskedPosition::of(state, &params.text_document_position).ok_or_else(nothing)?;
    let (joined, project) = (&asked.joined, asked.document.project());
    let (item, _) = asked.item().ok_or_else(nothing)?;
    let key = item.key();
    if item.is_done() {
        return Err(RequestRefusal::refused(format!(
            "{key} is done; what it was called stays what records name"
        )));
    }
    if item.is_at_work() {
        return Err(RequestRefusal::refused(format!(
            "a run works on {key}; rename it when that has ended"
        )));
    }
    let new = params.new_name.trim();
    refuse_name(joined, item.source, key, new)?;
    let mut edits: Vec<(AskedEdit, Vec<TextEdit>)> = Vec::new();
    for (path, text) in documents(joined) {
        let found = mentions(joined, &item, path, text);
        if found.is_empty() {
            continue;
        }
        let other = OtherDocument::of(state, project, path, text).ok_or_else(nothing)?;
        refuse_unsaved(project, path, text)?;
        let placed = other.placed(text, state);
        let edit = |word: Range<usize>| {
            TextEdit::new(placed.range_of(id_in(text, word, &item)), new.to_owned())
        };
        let of_document = found.into_iter().map(edit).collect();
        let document = AskedEdit {
            uri: other.uri.clone(),
            version: other.version,
        };
        edits.push((document, of_document));
    }
    Ok(workspace_edit(state, edits))
}

/// A document that changes.
pub(crate) struct AskedEdit {
    /// Its name.
    pub(crate) uri: lsp_types::Uri,
    /// The editor's number of the text, if it is open.
    pub(crate) version: Option<i32>,
}

/// Edits of documents as an editor takes them.
pub(crate) fn workspace_edit(
    state: &EditorState,
    edits: Vec<(AskedEdit, Vec<TextEdit>)>,
) -> WorkspaceEdit {
    if !state.client.has_versions {
        let edits = edits
            .into_iter()
            .map(|(document, edits)| (document.uri, edits));
        return WorkspaceEdit::new(edits.collect::<HashMap<_, _>>());
    }
    let edits = edits.into_iter().map(|(document, edits)| TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            uri: document.uri,
            version: document.version,
        },
        edits: edits.into_iter().map(OneOf::Left).collect(),
    });
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(edits.collect())),
        ..WorkspaceEdit::default()
    }
}

/// Refuses items whose ID is more than a word in documents.
fn refuse_fixed(source: &ItemSource) -> Result<(), RequestRefusal> {
    let why = match source {
        ItemSource::Task { .. } | ItemSource::Feature(..) => return Ok(()),
        ItemSource::Spec(_) => {
            "the ID of a spec names its file, its branch, its records and its receipts; archive it and add another \
             spec instead"
        }
        ItemSource::Ticket(..) => {
            "the number of a ticket is given once; `ticket renumber` gives another one"
        }
        ItemSource::Plan(_) => "the program of this format numbers its items; renumber them there",
    };
    Err(RequestRefusal::refused(why))
}

fn refuse_name(
    joined: &WorkspaceGraph,
    source: &ItemSource,
    key: &str,
    new: &str,
) -> Result<(), RequestRefusal> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_plain = !new.is_empty() && new.len() <= MAX_ID && new.chars().all(is_part);
    let is_number = new
        .strip_prefix('T')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let fits = match source {
        ItemSource::Feature(..) => is_plain && is_number,
        _ => is_plain && new.starts_with(|c: char| c.is_ascii_alphanumeric()),
    };
    if !fits {
        return Err(RequestRefusal::refused(format!(
            "'{new}' cannot be an ID here"
        )));
    }
    let unit = key.split_once('#').map_or(key, |(unit, _)| unit);
    let taken = joined.graph().find(&format!("{unit}#{new}"));
    if taken.is_some_and(|node| joined.item(node).is_some()) {
        return Err(RequestRefusal::refused(format!("'{new}' is taken")));
    }
    Ok(())
}

/// Refuses a document that the editor holds otherwise than the disk does.
///
/// # Errors
/// The refusal.
pub(crate) fn refuse_unsaved(
    project: &OpenProject,
    path: &str,
    text: &str,
) -> Result<(), RequestRefusal> {
    let root = project.workspace.root();
    let on_disk = Disk::default()
        .within(root)
        .read_text(&root.join(path), path);
    if on_disk.is_ok_and(|(saved, _)| saved == text) {
        return Ok(());
    }
    Err(RequestRefusal::refused(format!("save {path} first")))
}
