//! The abilities of an editor, and the offers of the server.

use lsp_types::{
    ClientCapabilities, CodeActionKind, CodeActionOptions, CodeActionProviderCapability,
    CodeLensOptions, CompletionOptions, DiagnosticOptions, DiagnosticServerCapabilities,
    ExecuteCommandOptions, HoverProviderCapability, InitializeResult, MarkupKind, OneOf,
    RenameOptions, ResourceOperationKind, SaveOptions, ServerCapabilities, ServerInfo,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, WorkDoneProgressOptions,
};
use serde_json::Value;

use super::positions::PositionEncoding;

/// The abilities of an editor.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked alone")]
pub(crate) struct ClientAbilities {
    /// The unit in which it counts the characters of a line.
    pub(crate) encoding: PositionEncoding,
    /// True if hovers may be markdown.
    pub(crate) has_markdown: bool,
    /// True if completions may have places to fill in.
    pub(crate) has_snippets: bool,
    /// True if symbols may have symbols in them.
    pub(crate) has_nested_symbols: bool,
    /// True if edits may name the versions of documents.
    pub(crate) has_versions: bool,
    /// True if it asks for findings, which are not sent then.
    pub(crate) asks_for_findings: bool,
    /// True if edits may create files.
    pub(crate) has_new_files: bool,
    /// True if it shows documents that it is asked to show.
    pub(crate) shows_documents: bool,
    /// True if it can be told to ask again.
    pub(crate) may_be_refreshed: bool,
}

impl Default for ClientAbilities {
    fn default() -> Self {
        Self::of(&ClientCapabilities::default())
    }
}

impl ClientAbilities {
    /// The abilities that an editor names.
    pub(crate) fn of(given: &ClientCapabilities) -> Self {
        let general = given.general.as_ref();
        let encodings = general.and_then(|general| general.position_encodings.as_deref());
        let document = given.text_document.as_ref();
        let hover = document.and_then(|document| document.hover.as_ref());
        let formats = hover.and_then(|hover| hover.content_format.as_ref());
        let completion = document.and_then(|document| document.completion.as_ref());
        let item = completion.and_then(|completion| completion.completion_item.as_ref());
        let symbol = document.and_then(|document| document.document_symbol.as_ref());
        let edit = given.workspace.as_ref();
        let edit = edit.and_then(|workspace| workspace.workspace_edit.as_ref());
        Self {
            encoding: PositionEncoding::best_of(encodings),
            has_markdown: formats.is_some_and(|formats| formats.contains(&MarkupKind::Markdown)),
            has_snippets: item.and_then(|item| item.snippet_support).unwrap_or(false),
            has_nested_symbols: symbol
                .and_then(|symbol| symbol.hierarchical_document_symbol_support)
                .unwrap_or(false),
            asks_for_findings: document.is_some_and(|document| document.diagnostic.is_some()),
            may_be_refreshed: given
                .workspace
                .as_ref()
                .and_then(|workspace| workspace.diagnostic.as_ref())
                .and_then(|diagnostic| diagnostic.refresh_support)
                .unwrap_or(false),
            has_new_files: edit
                .and_then(|edit| edit.resource_operations.as_ref())
                .is_some_and(|known| known.contains(&ResourceOperationKind::Create)),
            shows_documents: given
                .window
                .as_ref()
                .and_then(|window| window.show_document.as_ref())
                .is_some_and(|shown| shown.support),
            has_versions: edit.and_then(|edit| edit.document_changes).unwrap_or(false),
        }
    }
}

/// The answer to the first request, with the commands that are taken.
pub(crate) fn server_info(client: ClientAbilities, acts: Option<Vec<String>>) -> Value {
    let no_progress = WorkDoneProgressOptions::default();
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(
            SaveOptions::default(),
        )),
        ..TextDocumentSyncOptions::default()
    };
    let capabilities = ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([":", "[", "-", " ", "#", ">"].map(Into::into).to_vec()),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: None,
        }),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::REFACTOR]),
            work_done_progress_options: no_progress,
            resolve_provider: None,
        })),
        diagnostic_provider: client.asks_for_findings.then_some(
            DiagnosticServerCapabilities::Options(DiagnosticOptions {
                identifier: None,
                inter_file_dependencies: true,
                workspace_diagnostics: true,
                work_done_progress_options: no_progress,
            }),
        ),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: no_progress,
        })),
        execute_command_provider: acts.map(|commands| ExecuteCommandOptions {
            commands,
            work_done_progress_options: no_progress,
        }),
        ..ServerCapabilities::default()
    };
    let info = InitializeResult {
        capabilities,
        server_info: Some(ServerInfo {
            name: "chant-mcp".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    };
    serde_json::to_value(info).unwrap_or_default()
}
