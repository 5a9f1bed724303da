//! Findings of open documents: what is wrong with their texts, and what items wait for that is not there.

use chant_base::error::Error;
use chant_base::lint::Severity;
use chant_base::text_place::TextPlace;
use chant_graph::{EdgeKind, ItemProgress, Node};
use chant_workspace::Workspace;
use chant_workspace::document_findings::{DocumentFinding, DraftText};
use chant_workspace::workspace_graph::WorkspaceGraph;
use lsp_types::{Diagnostic, DiagnosticSeverity, NumberOrString};

use super::disk_side::MissedChange;
use super::document_items::{PlacedItem, items_at};
use super::drafts::OpenDocument;
use super::key_words::format_of;
use super::markdown_text::shown_message;
use super::projects::{DocumentKind, DocumentPlace};
use super::server::EditorState;

/// Documents of which findings are given.
pub(crate) const MAX_OPEN: usize = 100;

/// Findings of one document that are given.
const MAX_FINDINGS: usize = 200;

/// The name of the rule about texts that cannot be read as what they should be.
const READING: &str = "parse";

/// The name of the rule about what items wait for.
const DEPENDENCY: &str = "dependency";

/// The name of the rule about what somebody else wrote into the file.
const DISK: &str = "disk";

/// The findings of an open document, with the places where an editor shows them.
pub(crate) fn diagnostics_of(state: &EditorState, draft: &OpenDocument) -> Vec<Diagnostic> {
    let Some(place) = &draft.place else {
        return Vec::new();
    };
    let whole = |message: String| error(READING, message, TextPlace::of_first_line(&draft.text));
    let found = if draft.is_too_large {
        vec![whole(
            "the document is too large; nothing of it is checked".to_owned(),
        )]
    } else {
        let project = state.projects.get(place.project);
        let found = findings_of(&project.workspace, place, &draft.text)
            .unwrap_or_else(|error| vec![whole(error.to_string())]);
        let missed = draft.disk.missed.iter();
        let missed = missed.map(|missed| changed_on_disk(missed, &draft.text));
        missed.chain(found).collect()
    };
    let placed = draft.placed(state.client.encoding);
    let shown = found.into_iter().take(MAX_FINDINGS);
    shown
        .map(|finding| Diagnostic {
            range: placed.range_of(finding.place.bytes()),
            severity: Some(match finding.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
                Severity::Hint => DiagnosticSeverity::HINT,
            }),
            code: Some(NumberOrString::String(finding.rule.into_owned())),
            source: Some("chant".to_owned()),
            message: shown_message(&match finding.suggestion {
                Some(suggestion) => format!("{}\n{suggestion}", finding.message),
                None => finding.message,
            }),
            ..Diagnostic::default()
        })
        .collect()
}

fn findings_of(
    workspace: &Workspace,
    place: &DocumentPlace,
    text: &str,
) -> Result<Vec<DocumentFinding>, Error> {
    let judge = workspace.judge()?;
    let mut found = judge.findings(&DraftText {
        format: format_of(place.kind),
        path: &place.path,
        text,
    })?;
    // The rules of specs and of plans know these themselves.
    if !matches!(place.kind, DocumentKind::Spec | DocumentKind::Plan(_)) {
        let joined = workspace.snapshot()?;
        for item in items_at(&joined, &place.path) {
            found.extend(unknown_dependencies(&joined, &item, text));
            found.extend(circular_dependency(&joined, &item, text));
        }
    }
    Ok(found)
}

/// A change of the file that a save would write over, or did.
fn changed_on_disk(missed: &MissedChange, text: &str) -> DocumentFinding {
    let what = if missed.is_overwritten {
        "A save wrote over a change on disk"
    } else {
        "Changed on disk"
    };
    DocumentFinding {
        rule: DISK.into(),
        severity: Severity::Warning,
        message: format!("{what}: {}", missed.summary()),
        suggestion: Some("Take it in with the action that is offered here".to_owned()),
        place: missed.place_in(text),
    }
}

fn error(rule: &'static str, message: String, place: TextPlace) -> DocumentFinding {
    DocumentFinding {
        rule: rule.into(),
        severity: Severity::Error,
        message,
        suggestion: None,
        place,
    }
}

/// Names of an item's dependencies of which nothing is there.
fn unknown_dependencies(
    joined: &WorkspaceGraph,
    placed: &PlacedItem<'_>,
    text: &str,
) -> Vec<DocumentFinding> {
    let graph = joined.graph();
    let is_unknown =
        |node: Node| joined.item(node).is_none() && graph.progress(node) == ItemProgress::Absent;
    let edges = graph.edges(placed.item.node).iter();
    let named = edges.filter(|edge| edge.kind == EdgeKind::Explicit && is_unknown(edge.to));
    named
        .map(|edge| {
            let key = graph.key(edge.to);
            let short = key.rsplit(['#', ':']).next().unwrap_or(key);
            let inside = text.get(placed.span.clone()).unwrap_or_default();
            let found = inside.find(key).map(|at| (at, key.len()));
            let found = found.or_else(|| Some((inside.rfind(short)?, short.len())));
            let span = found.map(|(at, length)| {
                let start = placed.span.start + at;
                start..start + length
            });
            let span = span.unwrap_or_else(|| placed.heading.clone());
            error(
                DEPENDENCY,
                format!("Unknown dependency '{key}'"),
                TextPlace::of(text, span),
            )
        })
        .collect()
}

/// The circle in which an item waits for itself.
fn circular_dependency(
    joined: &WorkspaceGraph,
    placed: &PlacedItem<'_>,
    text: &str,
) -> Option<DocumentFinding> {
    let graph = joined.graph();
    let cycle = graph.cycle_through(placed.item.node)?;
    let steps = cycle.iter().map(|(node, _)| graph.key(*node));
    let mut steps: Vec<&str> = steps.collect();
    steps.push(placed.item.key());
    let message = format!("Circular dependency: {}", steps.join(" -> "));
    let place = TextPlace::of(text, placed.heading.clone());
    Some(error(DEPENDENCY, message, place))
}
