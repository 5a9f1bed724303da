//! Which function answers which request.

use std::ops::Range;
use std::sync::Arc;

use chant_workspace::item::Item;
use chant_workspace::workspace_graph::WorkspaceGraph;
use lsp_server::ErrorCode;
use lsp_types::{TextDocumentPositionParams, Uri};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::drafts::OpenDocument;
use super::files;
use super::positions::{LineIndex, PlacedText};
use super::projects::{DocumentPlace, OpenProject};
use super::references::WordPlaces;
use super::server::{EditorState, read_params};
use super::{actions, completion, hints, hover, navigation, pulled, rename, symbols};

/// Why a request has no answer.
#[derive(Debug)]
pub(crate) struct RequestRefusal {
    /// The protocol's code.
    pub(crate) code: ErrorCode,
    /// The reason, as a sentence.
    pub(crate) why: String,
}

impl RequestRefusal {
    /// A refusal of an act.
    pub(crate) fn refused(why: impl Into<String>) -> Self {
        Self {
            code: ErrorCode::RequestFailed,
            why: why.into(),
        }
    }
}

/// Answers a request.
///
/// # Errors
/// `RequestRefusal` for a method that is not offered, for parameters that are none, and where the act is refused.
pub(crate) fn answer(
    state: &mut EditorState,
    method: &str,
    params: Value,
) -> Result<Value, RequestRefusal> {
    let state = &*state;
    match method {
        "textDocument/hover" => ask(params, |params| hover::hover(state, params)),
        "textDocument/completion" => ask(params, |params| completion::complete(state, params)),
        "textDocument/definition" => ask(params, |params| navigation::definition(state, params)),
        "textDocument/references" => ask(params, |params| navigation::references(state, params)),
        "textDocument/documentHighlight" => {
            ask(params, |params| navigation::highlights(state, params))
        }
        "textDocument/documentSymbol" => {
            ask(params, |params| symbols::document_symbols(state, params))
        }
        "workspace/symbol" => ask(params, |params| symbols::workspace_symbols(state, params)),
        "textDocument/codeLens" => ask(params, |params| hints::lenses(state, params)),
        "textDocument/inlayHint" => ask(params, |params| hints::inlay_hints(state, params)),
        "textDocument/codeAction" => ask(params, |params| actions::code_actions(state, params)),
        "textDocument/diagnostic" => ask(params, |params| pulled::of_document(state, params)),
        "workspace/diagnostic" => ask(params, |params| pulled::of_all(state, params)),
        "textDocument/prepareRename" => try_ask(params, |params| rename::prepare(state, params)),
        "textDocument/rename" => try_ask(params, |params| rename::rename(state, params)),
        _ => Err(RequestRefusal {
            code: ErrorCode::MethodNotFound,
            why: "this server does not offer that".to_owned(),
        }),
    }
}

fn ask<P: DeserializeOwned, A: Serialize>(
    params: Value,
    answer: impl FnOnce(&P) -> A,
) -> Result<Value, RequestRefusal> {
    try_ask(params, |params| Ok(answer(params)))
}

fn try_ask<P: DeserializeOwned, A: Serialize>(
    params: Value,
    answer: impl FnOnce(&P) -> Result<A, RequestRefusal>,
) -> Result<Value, RequestRefusal> {
    let params = read_params(params).map_err(|error| RequestRefusal {
        code: ErrorCode::InvalidParams,
        why: error.to_string(),
    })?;
    serde_json::to_value(answer(&params)?).map_err(|error| RequestRefusal {
        code: ErrorCode::InternalError,
        why: error.to_string(),
    })
}

/// The document that a request is about: one of a plan.
pub(crate) struct AskedDocument<'a> {
    pub(crate) state: &'a EditorState,
    pub(crate) draft: &'a OpenDocument,
    pub(crate) place: &'a DocumentPlace,
}

impl<'a> AskedDocument<'a> {
    /// The open document of a name; `None` for one that is of no plan.
    pub(crate) fn of(state: &'a EditorState, uri: &Uri) -> Option<Self> {
        let draft = state.drafts.find(uri)?;
        Some(Self {
            state,
            draft,
            place: draft.place.as_ref()?,
        })
    }

    /// Its project.
    pub(crate) fn project(&self) -> &'a OpenProject {
        self.state.projects.get(self.place.project)
    }

    /// Its path from the project's root.
    pub(crate) fn path(&self) -> &'a str {
        &self.place.path
    }

    /// All items as of now, with what the editor holds.
    pub(crate) fn snapshot(&self) -> Option<Arc<WorkspaceGraph>> {
        self.project().workspace.snapshot().ok()
    }

    /// Its text.
    pub(crate) fn placed(&self) -> PlacedText<'a> {
        self.draft.placed(self.state.client.encoding)
    }
}

/// A position that a request is about, in a document of a plan.
pub(crate) struct AskedPosition<'a> {
    pub(crate) document: AskedDocument<'a>,
    /// All items as of now.
    pub(crate) joined: Arc<WorkspaceGraph>,
    /// The byte of the document's text.
    pub(crate) byte: usize,
}

impl<'a> AskedPosition<'a> {
    /// The position; `None` in a document that is of no plan.
    pub(crate) fn of(state: &'a EditorState, params: &TextDocumentPositionParams) -> Option<Self> {
        let document = AskedDocument::of(state, &params.text_document.uri)?;
        Some(Self {
            joined: document.snapshot()?,
            byte: document.placed().byte_at(params.position),
            document,
        })
    }

    /// The item that is meant there, and the bytes that mean it.
    pub(crate) fn item(&self) -> Option<(Item<'_>, Range<usize>)> {
        let places = WordPlaces::of(&self.joined, self.document.path());
        places.item_of(self.document.placed().text, self.byte)
    }
}

/// A document that an answer leads to.
pub(crate) struct OtherDocument {
    /// Its name.
    pub(crate) uri: Uri,
    /// The editor's number of its text, if it is open.
    pub(crate) version: Option<i32>,
    /// Its lines.
    pub(crate) lines: LineIndex,
}

impl OtherDocument {
    /// The document at a path of a project, with its text as positions count it.
    pub(crate) fn of(
        state: &EditorState,
        project: &OpenProject,
        path: &str,
        text: &str,
    ) -> Option<Self> {
        let file = project.workspace.root().join(path);
        let draft = state.drafts.of_file(&file);
        Some(Self {
            uri: match draft {
                Some(draft) => draft.uri.clone(),
                None => files::uri_of(&file)?,
            },
            version: draft.map(|draft| draft.version),
            lines: LineIndex::of(text),
        })
    }

    /// Its text as an editor counts it.
    pub(crate) fn placed<'a>(&'a self, text: &'a str, state: &EditorState) -> PlacedText<'a> {
        PlacedText {
            text,
            lines: &self.lines,
            encoding: state.client.encoding,
        }
    }
}
