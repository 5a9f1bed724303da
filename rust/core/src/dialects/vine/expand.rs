//! Another graph put in the place of a reference (reference vine 7, as decisions settle it).

use super::error::VineError;
use super::model::{Graph, Node, Place, Version, Work};
use super::operation::Annotations;

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
    let Some(slot) = parent.places.get(id).copied() else {
        return refused(format!("Task \"{id}\" does not exist in the parent graph."));
    };
    let reference = parent.nodes[slot].clone();
    if reference.status().is_some() {
        return refused(format!("Task \"{id}\" is not a reference node."));
    }
    let Some((root, others)) = child.nodes.split_first() else {
        return refused("Child graph is empty.".into());
    };
    let prefix = child.prefix.as_deref().unwrap_or(id);
    let mapped = |of: &str| match (of == &*root.id, prefix) {
        (true, _) => id.to_owned(),
        (false, "") => of.to_owned(),
        (false, prefix) => format!("{prefix}/{of}"),
    };
    for node in others {
        let new = mapped(&node.id);
        if parent.places.contains_key(&*new) {
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
    let moved = |node: &Node| Node {
        id: mapped(&node.id).into(),
        dependencies: node
            .dependencies
            .iter()
            .map(|of| mapped(of).into())
            .collect(),
        work: rebased(&node.work, folder),
        place: Place::default(),
        ..node.clone()
    };
    let mut top = moved(root);
    top.place = reference.place;
    for dependency in reference.dependencies {
        if !top.dependencies.contains(&dependency) {
            top.dependencies.push(dependency);
        }
    }
    top.decisions.extend(reference.decisions);
    top.annotations = united(top.annotations, reference.annotations);
    parent.version = parent.version.max(needed(child));
    let inside = std::iter::once(top).chain(others.iter().map(moved));
    parent.nodes.splice(slot..=slot, inside);
    let ids = parent.nodes.iter().map(|node| node.id.clone());
    parent.places = ids.enumerate().map(|(at, id)| (id, at)).collect();
    Ok(())
}

/// Annotations of both, the values of the second winning.
fn united(first: Annotations, second: Annotations) -> Annotations {
    let is_won = |key: &str| second.iter().any(|(won, _)| **won == *key);
    let kept = first.into_iter().filter(|(key, _)| !is_won(key));
    kept.chain(second.clone()).collect()
}

/// The lowest version that knows everything a graph brings along: its IDs get a part before them.
fn needed(child: &Graph) -> Version {
    let has_annotations = child.nodes.iter().any(|node| !node.annotations.is_empty());
    let has_more = child.nodes.len() > 1;
    match (has_annotations, has_more) {
        (true, _) => Version(1, 2, 0),
        (false, true) => Version(1, 1, 0),
        (false, false) => Version(1, 0, 0),
    }
}

fn rebased(work: &Work, folder: &str) -> Work {
    let mut work = work.clone();
    match &mut work {
        Work::Ref { vine } => *vine = rebased_uri(vine, folder).into(),
        Work::Task { attachments, .. } => {
            for attachment in attachments {
                attachment.uri = rebased_uri(&attachment.uri, folder).into();
            }
        }
    }
    work
}

/// A relative place, seen from the parent's folder; others stay.
fn rebased_uri(uri: &str, folder: &str) -> String {
    let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_scheme = scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric());
    if folder.is_empty() || is_scheme || uri.starts_with(['/', '#', '\\']) {
        return uri.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| *part != ".").collect();
    for part in uri.split('/').filter(|part| *part != ".") {
        match (part, parts.last()) {
            ("..", Some(last)) if *last != ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let path = parts.join("/");
    if path.starts_with("../") || path == ".." {
        path
    } else {
        format!("./{path}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_places_are_seen_from_the_parents_folder() {
        for (uri, folder, expected) in [
            ("./a.vine", "", "./a.vine"),
            ("./a.vine", "sub", "./sub/a.vine"),
            ("a.md", "sub/deep", "./sub/deep/a.md"),
            ("../a.md", "sub/deep", "./sub/a.md"),
            ("../../a.md", "sub", "../a.md"),
            ("a.md", "..", "../a.md"),
            ("https://e.x/a", "sub", "https://e.x/a"),
            ("/etc/a", "sub", "/etc/a"),
            ("#top", "sub", "#top"),
        ] {
            assert_eq!(rebased_uri(uri, folder), expected, "{uri} in {folder}");
        }
    }
}
