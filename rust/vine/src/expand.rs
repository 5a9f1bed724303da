//! Another graph put in the place of a reference (reference vine 7, as decisions settle it).

use std::sync::Arc;

use super::error::VineError;
use super::field;
use super::model::{FormatVersion, Graph, VineNode};
use super::operation::AnnotationList;
use super::uri::{self, rebase_uris};

/// Puts `child` in the place of the reference `id`; `folder` leads from the parent's folder to the
/// child's and is empty where they are the same.
///
/// The slot becomes the child's root, which also depends on what the reference did and keeps its
/// decisions and annotations, the reference's values winning; the other nodes follow it under new
/// IDs, relative places rebased. The version is raised to one that covers what came in.
///
/// # Errors
/// `VineError::Expansion` when there is no such reference, the child's root is one, or two IDs
/// collide; the parent is then of no use.
pub fn expand(parent: &mut Graph, id: &str, child: &Graph, folder: &str) -> Result<(), VineError> {
    let refused = |message: String| Err(VineError::Expansion { message });
    let Some(slot) = parent.position(id) else {
        return refused(format!("Task \"{id}\" does not exist in the parent graph."));
    };
    let reference = VineNode::clone(&parent.nodes[slot]);
    if reference.status().is_some() {
        return refused(format!("Task \"{id}\" is not a reference node."));
    }
    let Some((root, others)) = child.nodes.split_first() else {
        return refused("Child graph is empty.".into());
    };
    let prefix = child.prefix.as_deref().unwrap_or(id);
    if !prefix.is_empty()
        && let Err(why) = field::id("prefix", prefix)
    {
        return refused(format!("The child's prefix cannot be used: {why}"));
    }
    let mapped = |of: &str| match (of == &*root.id, prefix) {
        (true, _) => id.to_owned(),
        (false, "") => of.to_owned(),
        (false, prefix) => format!("{prefix}/{of}"),
    };
    for node in others {
        let new = mapped(&node.id);
        if parent.position(&new).is_some() {
            return refused(format!(
                "ID collision: \"{new}\" already exists in the parent graph. It would be the new \
                 ID of \"{}\" of the child; give the child another prefix.",
                node.id
            ));
        }
    }
    if root.status().is_none() {
        return refused("Child graph root must be a concrete task.".into());
    }
    let moved = |node: &Arc<VineNode>| VineNode {
        id: mapped(&node.id).into(),
        dependencies: node
            .dependencies
            .iter()
            .map(|of| mapped(of).into())
            .collect(),
        ..rebase_uris(node, |uri| uri::seen_from_above(uri, folder))
    };
    let mut top = moved(root);
    for dependency in reference.dependencies {
        if !top.dependencies.contains(&dependency) {
            top.dependencies.push(dependency);
        }
    }
    top.decisions.extend(reference.decisions);
    top.annotations = united(top.annotations, reference.annotations);
    parent.version = parent.version.max(needed(child));
    let inside: Vec<VineNode> = std::iter::once(top)
        .chain(others.iter().map(moved))
        .collect();
    let is_free = !inside
        .iter()
        .any(|node| field::has_line(node, &parent.delimiter));
    let inside = inside.into_iter().map(Arc::new).collect();
    if !parent.replace(slot..slot + 1, inside) {
        return refused("Two tasks of the child would have the same ID.".into());
    }
    // The nodes that were there have been read with this delimiter between them.
    if !is_free {
        parent.delimiter = safe_delimiter(parent);
    }
    Ok(())
}

/// The graph's delimiter, or another one where a description has a line like it.
pub(super) fn safe_delimiter(graph: &Graph) -> Box<str> {
    let is_free = |delimiter: &str| {
        !graph
            .nodes
            .iter()
            .any(|node| field::has_line(node, delimiter))
    };
    if is_free(&graph.delimiter) {
        return graph.delimiter.clone();
    }
    let longer = (3..).map(|length| "=".repeat(length));
    let free = longer.take(graph.nodes.len() + 64).find(|d| is_free(d));
    free.map_or_else(|| graph.delimiter.clone(), String::into_boxed_str)
}

/// Annotations of both, the values of the second winning.
fn united(first: AnnotationList, second: AnnotationList) -> AnnotationList {
    let is_won = |key: &str| second.iter().any(|(won, _)| **won == *key);
    let kept = first.into_iter().filter(|(key, _)| !is_won(key));
    kept.chain(second.clone()).collect()
}

/// The lowest version that knows everything a graph brings along: its IDs get a part before them.
fn needed(child: &Graph) -> FormatVersion {
    let has_annotations = child.nodes.iter().any(|node| !node.annotations.is_empty());
    let has_more = child.nodes.len() > 1;
    match (has_annotations, has_more) {
        (true, _) => FormatVersion::WITH_ANNOTATIONS,
        (false, true) => FormatVersion::WITH_REFS,
        (false, false) => FormatVersion(1, 0, 0),
    }
}
