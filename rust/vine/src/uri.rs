//! Relative places in a graph, which are meant relative to its file, seen from another file's folder.

use super::model::{NodeContent, VineNode};

/// The annotation whose first value is a place.
const SPRITE: &str = "sprite";

/// A node with each of its places seen otherwise.
pub(super) fn rebase_uris(node: &VineNode, seen: impl Fn(&str) -> String) -> VineNode {
    let mut node = node.clone();
    match &mut node.work {
        NodeContent::Ref { vine } => *vine = seen(vine).into(),
        NodeContent::Task { attachments, .. } => {
            for attachment in attachments {
                attachment.uri = seen(&attachment.uri).into();
            }
        }
    }
    for (key, values) in &mut node.annotations {
        if **key == *SPRITE
            && let Some(first) = values.first_mut()
        {
            *first = seen(first).into();
        }
    }
    node
}

/// A place in a file of `folder`, seen from where that folder's name starts; others stay.
pub(super) fn seen_from_above(uri: &str, folder: &str) -> String {
    if folder.is_empty() || !is_relative(uri) {
        return uri.to_owned();
    }
    let parts = folder.split('/').chain(uri.split('/'));
    relative(parts)
}

/// A place seen from a file of `folder` instead of where that folder's name starts; others stay.
pub(super) fn seen_from_below(uri: &str, folder: &str) -> String {
    if folder.is_empty() || !is_relative(uri) {
        return uri.to_owned();
    }
    let plain = |path: &str| path.trim_start_matches("./").to_owned();
    let way = pathdiff::diff_paths(plain(uri), plain(folder));
    way.map_or_else(
        || uri.to_owned(),
        |way| relative(way.to_string_lossy().replace('\\', "/").split('/')),
    )
}

/// A path of parts without detours, beginning with `./` or `../`.
fn relative<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for part in parts.filter(|part| !matches!(*part, "." | "")) {
        match (part, kept.last()) {
            ("..", Some(last)) if *last != ".." => {
                kept.pop();
            }
            _ => kept.push(part),
        }
    }
    match kept.first() {
        None => ".".into(),
        Some(&"..") => kept.join("/"),
        Some(_) => format!("./{}", kept.join("/")),
    }
}

/// Returns true if a place is neither absolute nor a URI with a scheme, nor a part of the same document.
pub(super) fn is_relative(uri: &str) -> bool {
    let scheme = uri.split_once(':').map(|(scheme, _)| scheme);
    let is_scheme = scheme.is_some_and(|scheme| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    });
    !is_scheme && !uri.starts_with(['/', '#', '\\'])
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
            ("..", "sub", "."),
            ("https://e.x/a", "sub", "https://e.x/a"),
            ("git+ssh://x/y", "sub", "git+ssh://x/y"),
            ("c:/x", "sub", "c:/x"),
            ("/etc/a", "sub", "/etc/a"),
            ("#top", "sub", "#top"),
        ] {
            assert_eq!(seen_from_above(uri, folder), expected, "{uri} in {folder}");
        }
    }

    #[test]
    fn what_moves_into_a_folder_comes_back_as_it_was() {
        for (uri, folder, expected) in [
            ("./a.md", "parts", "../a.md"),
            ("./parts/a.md", "parts", "./a.md"),
            ("../a.md", "parts/deep", "../../../a.md"),
            ("https://e.x/a", "parts", "https://e.x/a"),
        ] {
            assert_eq!(seen_from_below(uri, folder), expected, "{uri} in {folder}");
            assert_eq!(seen_from_above(expected, folder), uri, "{uri} in {folder}");
        }
    }
}
