//! Findings of open documents: faults of reading, the rules of `lint`, and what waits for nothing that is there.

use std::ops::Range;

use chant_base::lint::Severity;
use chant_graph::{EdgeKind, ItemProgress, Node};
use chant_plan_format::finding::FindingLevel;
use chant_workspace::Workspace;
use chant_workspace::workspace_graph::WorkspaceGraph;
use lsp_types::{Diagnostic, DiagnosticSeverity, NumberOrString};
use serde_json::Value;

use super::document_items::{PlacedItem, items_at};
use super::drafts::Draft;
use super::finding_range::{line_range, range_of};
use super::markdown_text::shown_message;
use super::projects::{DocumentKind, DocumentPlace};
use super::server::EditorState;

/// Findings of one document that are given.
const MAX_FINDINGS: usize = 200;

/// The name of the rule about texts that cannot be read as what they should be.
const READING: &str = "parse";

/// The name of the rule about what items wait for.
const DEPENDENCY: &str = "dependency";

/// A finding about a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentFinding {
    /// The name of the rule.
    pub(crate) rule: String,
    /// Its severity.
    pub(crate) severity: DiagnosticSeverity,
    /// The fault, and what may help.
    pub(crate) message: String,
    /// The line, counted from 1, where it is known.
    pub(crate) line: Option<usize>,
    /// The bytes that it is about, where they are known.
    pub(crate) span: Option<Range<usize>>,
}

impl DocumentFinding {
    fn new(rule: &str, severity: DiagnosticSeverity, message: impl Into<String>) -> Self {
        Self {
            rule: rule.to_owned(),
            severity,
            message: message.into(),
            line: None,
            span: None,
        }
    }

    fn error(rule: &str, message: impl Into<String>) -> Self {
        Self::new(rule, DiagnosticSeverity::ERROR, message)
    }

    fn in_line(mut self, line: Option<usize>) -> Self {
        self.line = line.filter(|line| *line > 0);
        self
    }

    fn at(mut self, span: Option<Range<usize>>) -> Self {
        self.span = span;
        self
    }
}

/// The findings of an open document, with the places where an editor shows them.
pub(crate) fn diagnostics_of(state: &EditorState, draft: &Draft) -> Vec<Diagnostic> {
    let Some(place) = &draft.place else {
        return Vec::new();
    };
    let found = if draft.is_too_large {
        let why = "the document is too large; nothing of it is checked";
        vec![DocumentFinding::error(READING, why)]
    } else {
        let project = state.projects.get(place.project);
        findings_of(&project.workspace, place, &draft.text)
    };
    let placed = draft.placed(state.client.encoding);
    let shown = found.into_iter().take(MAX_FINDINGS);
    shown
        .map(|finding| Diagnostic {
            range: placed.range_of(range_of(&draft.text, &finding)),
            severity: Some(finding.severity),
            code: Some(NumberOrString::String(finding.rule)),
            source: Some("chant".to_owned()),
            message: shown_message(&finding.message),
            ..Diagnostic::default()
        })
        .collect()
}

fn findings_of(workspace: &Workspace, place: &DocumentPlace, text: &str) -> Vec<DocumentFinding> {
    let joined = match workspace.snapshot() {
        Ok(joined) => joined,
        Err(error) => return vec![DocumentFinding::error(READING, error.to_string())],
    };
    let mut found = match place.kind {
        DocumentKind::Spec => of_spec(workspace, &place.path),
        DocumentKind::Graph => of_graph(workspace, &joined, place, text),
        DocumentKind::Plan(word) => of_plan(&joined, word, &place.path),
        DocumentKind::Configuration => of_configuration(workspace, &place.path),
        DocumentKind::Feature | DocumentKind::Ticket => Vec::new(),
    };
    if place.kind != DocumentKind::Graph || found.is_empty() {
        let reading = of_reading(&joined, &place.path);
        let known: Vec<String> = found.iter().map(|one| one.message.clone()).collect();
        found.extend(
            reading.filter(|one| !known.iter().any(|known| known.starts_with(&one.message))),
        );
    }
    if !matches!(place.kind, DocumentKind::Spec | DocumentKind::Plan(_)) {
        for item in items_at(&joined, &place.path) {
            found.extend(unknown_dependencies(&joined, &item, text));
            found.extend(circular_dependency(&joined, &item));
        }
    }
    found
}

/// Faults of reading; what can be read all the same is a warning.
fn of_reading<'a>(
    joined: &'a WorkspaceGraph,
    path: &'a str,
) -> impl Iterator<Item = DocumentFinding> + 'a {
    let severity = if items_at(joined, path).is_empty() {
        DiagnosticSeverity::ERROR
    } else {
        DiagnosticSeverity::WARNING
    };
    let problems = joined
        .problems()
        .iter()
        .filter(move |one| one.path == *path);
    problems
        .map(move |one| DocumentFinding::new(READING, severity, &*one.message).in_line(one.line))
}

fn of_spec(workspace: &Workspace, path: &str) -> Vec<DocumentFinding> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let id = name.strip_suffix(".md").unwrap_or(name);
    let found = match workspace.spec_findings(id) {
        Ok(found) => found,
        Err(error) => return vec![DocumentFinding::error(READING, error.to_string())],
    };
    let finding = |one: chant_workspace::SpecFinding| {
        let severity = if one.severity == Severity::Error.as_str() {
            DiagnosticSeverity::ERROR
        } else {
            DiagnosticSeverity::WARNING
        };
        let message = match one.suggestion {
            Some(suggestion) => format!("{}\n{suggestion}", one.message),
            None => one.message,
        };
        DocumentFinding::new(&one.rule, severity, message)
    };
    found.into_iter().map(finding).collect()
}

/// Every fault of a task graph that cannot be used, each at its place.
fn of_graph(
    workspace: &Workspace,
    joined: &WorkspaceGraph,
    place: &DocumentPlace,
    text: &str,
) -> Vec<DocumentFinding> {
    if joined.problems().iter().all(|one| one.path != place.path) {
        return Vec::new();
    }
    let Some(error) = workspace.graph_fault(&place.path) else {
        return Vec::new();
    };
    let details = error.details();
    let problems = details.get("problems").and_then(Value::as_array);
    let finding = |one: &Value| {
        let number = |name: &str| usize::try_from(one.get(name)?.as_u64()?).ok();
        let word = |name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default();
        let span = number("column")
            .zip(number("length"))
            .and_then(|(column, length)| {
                let line = line_range(text, number("line")?);
                let characters = text.get(line.clone())?.char_indices();
                let starts: Vec<usize> = characters.map(|(at, _)| line.start + at).collect();
                let byte = |at: usize| starts.get(at).copied().unwrap_or(line.end);
                Some(byte(column - 1)..byte(column - 1 + length))
            });
        DocumentFinding::error(word("constraint"), word("message"))
            .in_line(number("line"))
            .at(span)
    };
    problems.into_iter().flatten().map(finding).collect()
}

fn of_plan(joined: &WorkspaceGraph, word: &str, path: &str) -> Vec<DocumentFinding> {
    let severity = |level: FindingLevel| match level {
        FindingLevel::Error => DiagnosticSeverity::ERROR,
        FindingLevel::Warning => DiagnosticSeverity::WARNING,
        FindingLevel::Hint => DiagnosticSeverity::HINT,
    };
    let mut found = Vec::new();
    for root in joined
        .formats()
        .filter(|root| root.format.scope().word == word)
    {
        let all = root.format.check(&root.snapshot).into_iter();
        found.extend(all.filter(|one| *one.path == *path).map(|one| {
            DocumentFinding::new(one.rule, severity(one.level), one.message)
                .in_line(Some(one.line))
                .at(one.span)
        }));
        let hints = root
            .problems
            .iter()
            .filter(|one| one.level == FindingLevel::Hint && *one.path == *path);
        found.extend(hints.map(|one| {
            DocumentFinding::new(READING, severity(one.level), &*one.message)
                .in_line(Some(one.line))
        }));
    }
    found
}

fn of_configuration(workspace: &Workspace, path: &str) -> Vec<DocumentFinding> {
    let files = workspace.configuration_files().into_iter();
    let findings = files.filter(|file| file.path == path);
    let findings = findings.flat_map(|file| file.findings);
    findings
        .map(|one| {
            let severity = if one.is_mistake() {
                DiagnosticSeverity::ERROR
            } else {
                DiagnosticSeverity::HINT
            };
            DocumentFinding::new("configuration", severity, one.to_string()).in_line(one.line)
        })
        .collect()
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
            DocumentFinding::error(DEPENDENCY, format!("Unknown dependency '{key}'")).at(span)
        })
        .collect()
}

/// The circle in which an item waits for itself.
fn circular_dependency(
    joined: &WorkspaceGraph,
    placed: &PlacedItem<'_>,
) -> Option<DocumentFinding> {
    let graph = joined.graph();
    let cycle = graph.cycle_through(placed.item.node)?;
    let steps = cycle.iter().map(|(node, _)| graph.key(*node));
    let mut steps: Vec<&str> = steps.collect();
    steps.push(placed.item.key());
    let message = format!("Circular dependency: {}", steps.join(" -> "));
    Some(DocumentFinding::error(DEPENDENCY, message).at(Some(placed.heading.clone())))
}
