//! Findings for editors that ask for them, with a name for each answer: what is as it was is not said again.

use std::hash::{DefaultHasher, Hash, Hasher};

use lsp_types::{
    Diagnostic, DocumentDiagnosticParams, FullDocumentDiagnosticReport,
    UnchangedDocumentDiagnosticReport, WorkspaceDiagnosticParams, WorkspaceDiagnosticReport,
    WorkspaceDocumentDiagnosticReport, WorkspaceFullDocumentDiagnosticReport,
    WorkspaceUnchangedDocumentDiagnosticReport,
};
use serde_json::{Value, json};

use super::findings::{MAX_OPEN, diagnostics_of};
use super::server::EditorState;

/// The findings of a document; none of one that is not open or of no plan.
pub(crate) fn of_document(state: &EditorState, params: &DocumentDiagnosticParams) -> Value {
    let draft = state.drafts.find(&params.text_document.uri);
    let items = draft.map_or_else(Vec::new, |draft| diagnostics_of(state, draft));
    let name = name_of(&items);
    if params.previous_result_id.as_ref() == Some(&name) {
        return json!({ "kind": "unchanged", "resultId": name });
    }
    json!({ "kind": "full", "resultId": name, "items": items })
}

/// The findings of all open documents.
pub(crate) fn of_all(
    state: &EditorState,
    params: &WorkspaceDiagnosticParams,
) -> WorkspaceDiagnosticReport {
    let placed = state.drafts.all().filter(|draft| draft.place.is_some());
    let items = placed.take(MAX_OPEN).map(|draft| {
        let items = diagnostics_of(state, draft);
        let result_id = name_of(&items);
        let (uri, version) = (draft.uri.clone(), Some(i64::from(draft.version)));
        let mut known = params.previous_result_ids.iter();
        if known.any(|known| known.uri == uri && known.value == result_id) {
            let unchanged_document_diagnostic_report =
                UnchangedDocumentDiagnosticReport { result_id };
            return WorkspaceDocumentDiagnosticReport::Unchanged(
                WorkspaceUnchangedDocumentDiagnosticReport {
                    uri,
                    version,
                    unchanged_document_diagnostic_report,
                },
            );
        }
        WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
            uri,
            version,
            full_document_diagnostic_report: FullDocumentDiagnosticReport {
                result_id: Some(result_id),
                items,
            },
        })
    });
    WorkspaceDiagnosticReport {
        items: items.collect(),
    }
}

/// The name of findings: the same for the same ones.
fn name_of(items: &[Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    json!(items).to_string().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
