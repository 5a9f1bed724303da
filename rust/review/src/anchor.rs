//! The subject of a comment: lines of a file, words of a spec, a file, a commit, or all of the work.

use serde::{Deserialize, Serialize};

/// Lines before and after the commented ones that are kept with them.
const AROUND: usize = 3;
/// The greatest number of commented lines.
pub const MAX_LINES: usize = 40;
/// Characters of a line that are kept.
const LINE_KEPT: usize = 300;

/// The side of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiffSide {
    /// The version of the work.
    New,
    /// The version before it.
    Old,
}

/// The subject of a comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "on", rename_all = "snake_case")]
pub enum CommentAnchor {
    /// Lines of a file.
    Line(LineAnchor),
    /// Words of the spec.
    Spec(SpecAnchor),
    /// A file.
    File {
        /// Its path, from the top of the checkout.
        path: String,
        /// The commit that has it.
        commit: String,
    },
    /// All of the work.
    Whole,
}

/// Lines of a file as they were commented on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineAnchor {
    /// The side of the difference.
    pub side: DiffSide,
    /// The commit that has them.
    pub commit: String,
    /// The file, from the top of the checkout.
    pub path: String,
    /// The id of the file's content.
    pub blob: String,
    /// The first line, from 1.
    pub first: usize,
    /// The last line.
    pub last: usize,
    /// The lines themselves; a long one is cut.
    pub lines: Vec<String>,
    /// Lines before them.
    pub before: Vec<String>,
    /// Lines behind them.
    pub after: Vec<String>,
}

/// Words of a spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecAnchor {
    /// The headings above, the outermost first.
    pub headings: Vec<String>,
    /// The criterion or line, without its box.
    pub words: String,
    /// The number of the criterion when the comment was made, from 1; 0 for another line.
    pub number: usize,
}

/// A version of a file.
#[derive(Debug, Clone, Copy)]
pub struct CommentedVersion<'a> {
    /// The side of the difference.
    pub side: DiffSide,
    /// The commit that has it.
    pub commit: &'a str,
    /// The file, from the top of the checkout.
    pub path: &'a str,
    /// The id of its content.
    pub blob: &'a str,
}

impl LineAnchor {
    /// Returns the anchor of lines of a text; `None` if the text has no such lines, or they are too many.
    pub fn of_text(
        version: CommentedVersion<'_>,
        text: &str,
        lines: (usize, usize),
    ) -> Option<Self> {
        let (first, last) = lines;
        let all: Vec<&str> = text.lines().collect();
        let is_there = 1 <= first && first <= last && last <= all.len();
        if !is_there || last - first >= MAX_LINES {
            return None;
        }
        let kept = |lines: &[&str]| lines.iter().map(|line| kept_line(line)).collect();
        Some(Self {
            side: version.side,
            commit: version.commit.to_owned(),
            path: version.path.to_owned(),
            blob: version.blob.to_owned(),
            first,
            last,
            lines: kept(&all[first - 1..last]),
            before: kept(&all[first.saturating_sub(1 + AROUND)..first - 1]),
            after: kept(&all[last..all.len().min(last + AROUND)]),
        })
    }
}

/// Returns a line as it is kept: without blanks at its end, and cut.
pub(crate) fn kept_line(line: &str) -> String {
    line.trim_end().chars().take(LINE_KEPT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_keeps_lines_and_their_neighbours() {
        let text = "a\nb\nc\nd  \ne\nf\ng\nh\n";
        let head = CommentedVersion {
            side: DiffSide::New,
            commit: "c1",
            path: "x.py",
            blob: "b1",
        };
        let found = LineAnchor::of_text(head, text, (4, 5)).unwrap();
        assert_eq!(found.lines, ["d", "e"]);
        assert_eq!(found.before, ["a", "b", "c"]);
        assert_eq!(found.after, ["f", "g", "h"]);
        for none in [(0, 1), (3, 2), (8, 9), (9, 9)] {
            assert_eq!(LineAnchor::of_text(head, text, none), None, "{none:?}");
        }
        let long = "x\n".repeat(60);
        assert_eq!(LineAnchor::of_text(head, &long, (1, 41)), None);
        assert!(LineAnchor::of_text(head, &long, (1, 40)).is_some());
    }
}
