//! The lines in which two texts differ, with some lines around them.

use std::ops::Range;

use diffy::{DiffOptions, Line};

/// The lines that stay around each change.
const CONTEXT: usize = 3;

/// The side of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineSide {
    /// It is in both texts.
    Both,
    /// It is only in the older one.
    Removed,
    /// It is only in the newer one.
    Added,
}

impl LineSide {
    /// The sign before such a line.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Both => " ",
            Self::Removed => "-",
            Self::Added => "+",
        }
    }
}

/// Lines that follow one another, with at least one change among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffHunk {
    /// Where it begins and how long it is, in the older text and in the newer one.
    pub head: String,
    /// The lines that it spans in the older text, counted from 1.
    pub older: Range<usize>,
    /// The same in the newer one.
    pub newer: Range<usize>,
    /// Its lines, without their line breaks.
    pub lines: Vec<(LineSide, String)>,
}

/// Returns the places in which two texts differ, in the order of the text.
pub fn diff_hunks(older: &str, newer: &str) -> Vec<DiffHunk> {
    let mut options = DiffOptions::new();
    let patch = options.set_context_len(CONTEXT).create_patch(older, newer);
    let hunks = patch.hunks().iter().map(|hunk| DiffHunk {
        head: format!("@@ -{} +{} @@", hunk.old_range(), hunk.new_range()),
        older: hunk.old_range().start()..hunk.old_range().end(),
        newer: hunk.new_range().start()..hunk.new_range().end(),
        lines: hunk.lines().iter().map(side_of).collect(),
    });
    hunks.collect()
}

fn side_of(line: &Line<'_, str>) -> (LineSide, String) {
    let (side, text) = match line {
        Line::Context(text) => (LineSide::Both, text),
        Line::Delete(text) => (LineSide::Removed, text),
        Line::Insert(text) => (LineSide::Added, text),
    };
    let text = text.strip_suffix('\n').unwrap_or(text);
    (side, text.strip_suffix('\r').unwrap_or(text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_stand_between_some_that_stay() {
        let older = "a\nb\nc\nd\ne\r\nf\ng\nh\n";
        let newer = older.replace("e\r\n", "E\nnew\n");
        let hunks = diff_hunks(older, &newer);
        let lines = |hunk: &DiffHunk| -> Vec<String> {
            let lines = hunk.lines.iter();
            lines
                .map(|(side, text)| format!("{}{text}", side.sign()))
                .collect()
        };
        let [hunk] = &hunks[..] else {
            panic!("{hunks:?}")
        };
        let expected = [" b", " c", " d", "-e", "+E", "+new", " f", " g", " h"];
        assert_eq!(
            (&*hunk.head, lines(hunk)),
            ("@@ -2,7 +2,8 @@", expected.map(str::to_owned).to_vec())
        );
        assert_eq!((&hunk.older, &hunk.newer), (&(2..9), &(2..10)));
        assert_eq!(diff_hunks(older, older), []);
    }
}
