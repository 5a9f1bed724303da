//! The hunks of a difference, each with a name that numbers of lines and commits have no part in.

use chant_store::digest::sha256;
use chant_text::line_diff::{DiffHunk, LineSide, diff_hunks};

/// Unchanged lines on each side that are part of a name.
const CONTEXT: usize = 3;
/// Digits of a name.
const DIGITS: usize = 16;

/// A hunk with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedHunk {
    /// The name: of path, removed lines, added lines, and the unchanged ones around them.
    pub name: String,
    /// The file.
    pub path: String,
    /// Its places and lines.
    pub hunk: DiffHunk,
}

/// Returns the hunks in which two versions of a file differ.
pub fn named_hunks(path: &str, older: &str, newer: &str) -> Vec<NamedHunk> {
    let hunks = diff_hunks(older, newer).into_iter();
    hunks
        .map(|hunk| NamedHunk {
            name: name_of(path, &hunk.lines),
            path: path.to_owned(),
            hunk,
        })
        .collect()
}

fn name_of(path: &str, lines: &[(LineSide, String)]) -> String {
    let of = |side: LineSide| -> Vec<&str> {
        let lines = lines.iter().filter(|(of, _)| *of == side);
        lines.map(|(_, text)| text.as_str()).collect()
    };
    let context = |line: &&(LineSide, String)| line.0 == LineSide::Both;
    let before = lines.iter().take_while(context).take(CONTEXT);
    let after = lines.iter().rev().take_while(context).take(CONTEXT);
    let around: Vec<&str> = before.chain(after).map(|(_, text)| text.as_str()).collect();
    let parts = (path, of(LineSide::Removed), of(LineSide::Added), around);
    let text = serde_json::to_string(&parts).unwrap_or_default();
    sha256(text.as_bytes())[..DIGITS].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_depends_on_words_and_neighbours_and_not_on_numbers() {
        let (older, newer) = ("a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n");
        let names = |older: &str, newer: &str, path: &str| -> Vec<String> {
            let hunks = named_hunks(path, older, newer).into_iter();
            hunks.map(|hunk| hunk.name).collect()
        };
        let once = names(older, newer, "f");
        assert_eq!(once.len(), 1);
        assert_ne!(names(older, newer, "g"), once);
        assert_ne!(names(older, &newer.replace('C', "D"), "f"), once);
        // Other neighbours make another name; lines further away do not.
        let below = |above: &str| [older, newer].map(|text| format!("{above}{text}"));
        let (near, [far, farther]) = (below("z\n"), [below("1\nz\n"), below("2\n1\nz\n")]);
        assert_ne!(names(&near[0], &near[1], "f"), once);
        assert_eq!(names(&far[0], &far[1], "f"), names(&near[0], &near[1], "f"));
        assert_eq!(
            names(&farther[0], &farther[1], "f"),
            names(&near[0], &near[1], "f")
        );
    }
}
