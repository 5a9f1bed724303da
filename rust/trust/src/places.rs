//! Finds the files of the table of places, in any folder and however their names are written.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization;

use super::place_table::{
    BARE_MANIFEST, COMPONENTS, KEYED, KeyedPlace, MANIFESTS, PlaceKind, TABLE,
};

/// A file or folder of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActingPlace {
    /// Its path from the folder it lies in.
    pub pattern: &'static str,
    /// The programs that read it, for people.
    pub readers: &'static str,
    /// Its consequence.
    pub kind: PlaceKind,
}

/// The rows by the first part of their paths.
#[derive(Default)]
struct PlaceIndex {
    by_name: HashMap<&'static str, Vec<IndexedPlace>>,
    /// Those whose first part is a pattern.
    by_pattern: Vec<IndexedPlace>,
}

struct IndexedPlace {
    place: ActingPlace,
    parts: Vec<&'static str>,
}

static INDEX: LazyLock<PlaceIndex> = LazyLock::new(|| {
    let mut index = PlaceIndex::default();
    for group in TABLE {
        for pattern in group.places {
            let place = ActingPlace {
                pattern,
                readers: group.readers,
                kind: group.kind,
            };
            let parts: Vec<&str> = pattern.split('/').collect();
            let first = parts[0];
            let entry = IndexedPlace { place, parts };
            if first.contains('*') {
                index.by_pattern.push(entry);
            } else {
                index.by_name.entry(first).or_default().push(entry);
            }
        }
    }
    index
});

impl PlaceIndex {
    fn starting_with(&self, first: &str) -> impl Iterator<Item = &IndexedPlace> {
        let named = self.by_name.get(first).into_iter().flatten();
        named.chain(&self.by_pattern)
    }
}

/// Returns a path as file systems compare names that ignore case and the way in which letters are composed,
/// and without what some of them ignore: invisible signs, and dots and blanks at the end of a name.
pub fn folded(path: &str) -> String {
    if path.is_ascii() && !path.contains(" /") && !path.contains("./") {
        return path.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    }
    let is_visible = |c: &char| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    // Signs of their own kind have a usual letter as their capital: `ſ`, or the sign of Kelvin.
    let upper: String = path.nfkc().filter(is_visible).collect();
    let lower = upper.to_uppercase().to_lowercase();
    let parts = lower
        .split('/')
        .map(|part| part.trim_end_matches(['.', ' ']));
    parts.collect::<Vec<_>>().join("/").nfc().collect()
}

/// Returns the row of a file that lies at this path, in whatever folder; `None` for a file of no row. Of rows that
/// meet it in different folders, one that acts counts first.
pub fn place_of(path: &str) -> Option<&'static ActingPlace> {
    let path = folded(path);
    let parts: Vec<&str> = path.split('/').collect();
    let found = (0..parts.len()).filter_map(|at| longest(&parts[at..]));
    found.min_by_key(|place| match place.kind {
        PlaceKind::AgentFile => 0,
        PlaceKind::Automation => 1,
        PlaceKind::Instructions => 2,
        PlaceKind::Nothing => 3,
    })
}

/// As [`place_of`] for a row that begins at the start of the path alone.
pub fn place_at(path: &str) -> Option<&'static ActingPlace> {
    let path = folded(path);
    longest(&path.split('/').collect::<Vec<_>>())
}

/// Returns true if a path, from the folder that rows start in, is a folder in which a row may name something.
pub fn may_hold_at(path: &str) -> bool {
    let path = folded(path);
    is_above(&path.split('/').collect::<Vec<_>>())
}

/// Returns true if something below a path may be of a row: what stands at the path leads to it if it is a link or
/// another repository.
pub fn may_hold(path: &str) -> bool {
    let path = folded(path);
    let parts: Vec<&str> = path.split('/').collect();
    (0..parts.len()).any(|at| is_above(&parts[at..]))
}

/// Returns the folder of the plugin whose manifest a path is, with a slash at its end; empty for the top.
pub fn plugin_of(path: &str) -> Option<String> {
    let path = folded(path);
    let folder = MANIFESTS.iter().find_map(|name| path.strip_suffix(name))?;
    (folder.is_empty() || folder.ends_with('/')).then(|| folder.to_owned())
}

/// Returns true if a manifest has a name that those of other programs have, too.
pub fn is_bare_manifest(path: &str) -> bool {
    plugin_of(path).is_some_and(|folder| folded(path)[folder.len()..] == *BARE_MANIFEST)
}

/// Returns true if a manifest says itself that its folder is a host's plugin: each does, but a bare one only by what
/// it has a host take from there, or where it cannot be read.
pub fn makes_plugin(path: &str, text: &[u8]) -> bool {
    let keyed = keyed_place(path).filter(|_| is_bare_manifest(path));
    // Plugins of other programs have dependencies as well.
    let is_component = |name: &String| folded(name) != "dependencies";
    keyed.is_none_or(|keyed| {
        let keys = keyed.acting_keys(text);
        keys.is_none_or(|keys| keys.keys().any(is_component))
    })
}

/// Returns true if a path is what hosts take from the folder of a plugin without being told by its manifest.
pub fn is_component_of(path: &str, folder: &str) -> bool {
    let path = folded(path);
    let inside = path.strip_prefix(folder);
    inside.is_some_and(|inside| COMPONENTS.iter().any(|place| is_at_or_below(inside, place)))
}

/// Returns the folder that a plugin would have if this folder holds its components, as that of skills does, each of
/// which is a folder.
pub fn plugin_around(folder: &str) -> Option<&str> {
    let (outer, name) = folder.rsplit_once('/').unwrap_or(("", folder));
    is_component_of(name, "").then_some(outer)
}

fn longest(parts: &[&str]) -> Option<&'static ActingPlace> {
    let met = INDEX.starting_with(parts[0]).filter(|row| {
        row.parts.len() <= parts.len()
            && row
                .parts
                .iter()
                .zip(parts)
                .all(|(p, part)| is_like(part, p))
    });
    met.max_by_key(|row| row.parts.len()).map(|row| &row.place)
}

fn is_above(parts: &[&str]) -> bool {
    INDEX.starting_with(parts[0]).any(|row| {
        row.parts.len() > parts.len()
            && row
                .parts
                .iter()
                .zip(parts)
                .all(|(p, part)| is_like(part, p))
    })
}

/// Returns true if a name is as a pattern says, in which `*` stands for any part.
fn is_like(name: &str, pattern: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return name == pattern;
    };
    let Some(name) = name.strip_prefix(head) else {
        return false;
    };
    let starts = (0..=name.len()).filter(|&at| name.is_char_boundary(at));
    starts.into_iter().any(|at| is_like(&name[at..], rest))
}

/// Returns true if a path is named by a pattern as those of the table, which may also begin with `/` for the top.
pub fn is_named_by(path: &str, pattern: &str) -> bool {
    let (path, pattern) = (folded(path), folded(pattern));
    let parts: Vec<&str> = path.split('/').collect();
    let from_top = pattern.strip_prefix('/');
    let pattern = from_top.unwrap_or(&pattern).trim_end_matches('/');
    let wanted: Vec<&str> = pattern.split('/').collect();
    if wanted.iter().any(|part| part.is_empty()) {
        return false;
    }
    let begins_at = |at: usize| {
        wanted.len() <= parts.len() - at
            && wanted
                .iter()
                .zip(&parts[at..])
                .all(|(p, part)| is_like(part, p))
    };
    let deepest = if from_top.is_some() { 1 } else { parts.len() };
    (0..deepest).any(begins_at)
}

/// Returns the row of a file of which some keys alone act.
pub fn keyed_place(path: &str) -> Option<&'static KeyedPlace> {
    let path = folded(path);
    let name = path.rsplit('/').next()?;
    KEYED.iter().find(|keyed| keyed.name == name)
}

impl KeyedPlace {
    /// Returns the keys of the file that act, with their values; `None` if it cannot be read for certain.
    pub fn acting_keys(&self, bytes: &[u8]) -> Option<Map<String, Value>> {
        // Its readers skip a mark of byte order.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let Value::Object(root) = serde_json::from_slice(bytes).ok()? else {
            return None;
        };
        let mut found = Map::new();
        for key in self.keys {
            let (first, rest) = key
                .split_once('/')
                .map_or((*key, None), |(a, b)| (a, Some(b)));
            for (name, value) in root
                .iter()
                .filter(|(name, _)| is_like(&folded(name), first))
            {
                let Some(rest) = rest else {
                    found.insert(name.clone(), value.clone());
                    continue;
                };
                let inner = value.as_object().into_iter().flatten();
                for (below, value) in inner.filter(|(below, _)| is_like(&folded(below), rest)) {
                    found.insert(format!("{name}.{below}"), value.clone());
                }
            }
        }
        Some(found)
    }
}

/// Returns true if a path is `place` or lies below it.
pub fn is_at_or_below(path: &str, place: &str) -> bool {
    path.strip_prefix(place)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(path: &str) -> Option<PlaceKind> {
        place_of(path).map(|place| place.kind)
    }

    #[test]
    fn every_row_is_folded_and_stands_there_once() {
        let mut seen = Vec::new();
        for pattern in TABLE.iter().flat_map(|group| group.places) {
            assert_eq!(folded(pattern), **pattern);
            assert!(!seen.contains(pattern), "{pattern} stands there twice");
            seen.push(pattern);
        }
        for key in KEYED.iter().flat_map(|keyed| keyed.keys) {
            assert_eq!(folded(key), **key);
        }
    }

    #[test]
    fn the_longest_row_counts_and_what_acts_counts_first() {
        use PlaceKind::{AgentFile, Automation, Instructions, Nothing};
        for (path, expected) in [
            (".claude/settings.json", Some(AgentFile)),
            (".claude/rules/a.md", Some(Instructions)),
            (".claude/worktrees/a/b.rs", Some(Nothing)),
            (".claude/worktrees/a/.mcp.json", Some(AgentFile)),
            (".claude/skills/a/AGENTS.md", Some(AgentFile)),
            (".vscode/mcp.json", Some(AgentFile)),
            (".vscode/tasks.json", Some(Automation)),
            ("docs/agents.md", Some(Instructions)),
            ("mcp.json", None),
            (".codexes/a", None),
            ("src/claude.md.rs", None),
        ] {
            assert_eq!(kind(path), expected, "{path}");
        }
    }

    #[test]
    fn names_are_known_however_they_are_written() {
        for path in [
            ".ClAuDe/Settings.json",
            "a/b/.GITHUB/workflows/ci.yml",
            ".\u{212a}iro/hooks/a",
            ".claude/\u{17f}ettings.json",
            ".cla\u{200d}ude/settings.json",
            ".mcp.json.",
            ".claude./settings.json",
            ".github /hooks/a.json",
        ] {
            assert!(kind(path).is_some(), "{path:?}");
        }
    }

    #[test]
    fn a_manifest_makes_its_folder_a_plugin() {
        for (path, folder) in [
            ("a/.Claude-Plugin/plugin.json", Some("a/")),
            ("gemini-extension.json", Some("")),
            ("a/b/plugin.json", Some("a/b/")),
            ("a/my-plugin.json", None),
            ("a/plugin.json/b", None),
        ] {
            assert_eq!(plugin_of(path).as_deref(), folder, "{path}");
        }
    }

    #[test]
    fn a_bare_manifest_makes_a_plugin_by_what_it_names() {
        let panel =
            br#"{"type": "panel", "id": "x", "name": "X", "includes": [], "dependencies": {}}"#;
        for (path, text, expected) in [
            ("src/plugin.json", &panel[..], false),
            (
                "src/plugin.json",
                br#"{"name": "x", "mcpServers": {}}"#,
                true,
            ),
            (
                "src/Plugin.JSON",
                br#"{"name": "x", "Skills": "./s"}"#,
                true,
            ),
            ("src/plugin.json", b"{", true),
            ("src/.claude-plugin/plugin.json", panel, true),
            ("gemini-extension.json", panel, true),
        ] {
            assert_eq!(makes_plugin(path, text), expected, "{path}");
        }
        assert!(is_component_of("a/Skills/b/SKILL.md", "a/") && is_component_of("mcp.json", ""));
        assert_eq!(plugin_around("a/Skills"), Some("a"));
        assert_eq!(plugin_around("skills"), Some(""));
        assert_eq!(plugin_around("a/src"), None);
        assert!(!is_component_of("a/src/skills", "a/") && !is_component_of("b/skills/c", "a/"));
    }

    #[test]
    fn a_folder_above_a_row_may_hold_it() {
        assert!(may_hold(".github") && may_hold("a/.Config") && !may_hold("src"));
        assert!(may_hold_at(".kiro") && !may_hold_at("a/.kiro"));
        assert!(place_at(".mcp.json").is_some() && place_at("a/.mcp.json").is_none());
    }

    #[test]
    fn patterns_of_people_are_those_of_the_table() {
        for (path, pattern, expected) in [
            ("AGENTS.md", "AGENTS.md", true),
            ("a/b/AGENTS.md", "agents.md", true),
            ("a/AGENTS.md", "/AGENTS.md", false),
            ("AGENTS.md", "/AGENTS.md", true),
            ("docs/.cursor/rules/a.mdc", ".cursor/rules/", true),
            ("a/b.md", "a/*.md", true),
            ("a/b.md", "", false),
            ("a/b.md", "/", false),
            ("a/b.md", "*", true),
        ] {
            assert_eq!(is_named_by(path, pattern), expected, "{path} {pattern}");
        }
    }

    #[test]
    fn of_some_files_a_few_keys_act() {
        let keyed = keyed_place("packages/a/Package.json").unwrap();
        let keys = |text: &str| keyed.acting_keys(text.as_bytes());
        let one = r#"{"scripts": {"test": "x", "postinstall": "y"}, "dependencies": {"a": "1"}}"#;
        let other = r#"{"scripts": {"test": "z", "postinstall": "y"}, "dependencies": {"a": "2"}}"#;
        assert_eq!(keys(one), keys(other));
        assert_eq!(keys(one).unwrap().len(), 1);
        assert_ne!(keys(one), keys(&one.replace("\"y\"", "\"evil\"")));
        assert_eq!(keys("{"), None);
    }
}
