//! Describes an item in a few lines.

use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use chant_graph::EdgeKind;
use chant_workspace::item::Item;
use chant_workspace::workspace_graph::WorkspaceGraph;

use super::markdown_text::{escaped, shown_title};
use super::requests::AskedPosition;
use super::server::EditorState;

/// Items of one list that are shown.
const MAX_LISTED: usize = 5;

/// Describes the item at a position.
pub(crate) fn hover(state: &EditorState, params: &HoverParams) -> Option<Hover> {
    let asked = AskedPosition::of(state, &params.text_document_position_params)?;
    let (item, bytes) = asked.item()?;
    let mut lines = described(&asked.joined, &item);
    let runs = asked.document.project().workspace.newest_runs();
    let run = runs.get(item.key());
    lines.splice(2..2, run.map(|run| run.description.clone()));
    let (kind, value) = if state.client.has_markdown {
        let lines = lines.into_iter().enumerate();
        let lines = lines.map(|(at, line)| match at {
            0 => format!("**{}**", escaped(&line)),
            _ => escaped(&line),
        });
        (MarkupKind::Markdown, lines.collect::<Vec<_>>().join("  \n"))
    } else {
        (MarkupKind::PlainText, lines.join("\n"))
    };
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind, value }),
        range: Some(asked.document.placed().range_of(bytes)),
    })
}

/// An item in lines, the first of which is its title.
fn described(joined: &WorkspaceGraph, item: &Item<'_>) -> Vec<String> {
    let title = shown_title(item.title());
    let mut lines = vec![if title.is_empty() {
        item.key().to_owned()
    } else {
        title
    }];
    lines.push(format!(
        "{} · {} · {}",
        item.kind(),
        item.status(),
        item.key()
    ));
    let (met, criteria) = item.criteria_counts();
    if criteria > 0 {
        lines.push(format!("{met} of {criteria} ticked"));
    }
    if item.is_ready() {
        lines.push("ready".to_owned());
    }
    if let Some(idle) = item.idle() {
        lines.push(idle.to_owned());
    }
    let graph = joined.graph();
    list_items(&mut lines, joined, "Waits for", &item.waits_for());
    let waiting = graph.named_by(item.node).into_iter();
    let waiting = waiting.filter(|node| {
        let mut edges = joined.unmet(*node);
        edges.any(|edge| edge.to == item.node && edge.kind == EdgeKind::Explicit)
    });
    let waiting: Vec<&str> = waiting.map(|node| graph.key(node)).collect();
    list_items(&mut lines, joined, "Waited for by", &waiting);
    lines
}

fn list_items(lines: &mut Vec<String>, joined: &WorkspaceGraph, what: &str, keys: &[&str]) {
    if keys.is_empty() {
        return;
    }
    lines.push(format!("{what}:"));
    for key in keys.iter().take(MAX_LISTED) {
        let node = joined.graph().find(key);
        let other = node.and_then(|node| joined.item(node));
        lines.push(match other {
            Some(other) => format!(
                "• {key} ({}): {}",
                other.status(),
                shown_title(other.title())
            ),
            None => format!("• {key} (not there)"),
        });
    }
    if keys.len() > MAX_LISTED {
        lines.push(format!("• {} more", keys.len() - MAX_LISTED));
    }
}
