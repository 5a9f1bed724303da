//! Where in a text something is wrong, as people and editors count.

use std::ops::Range;

use chant_base::text_place::TextPlace;

/// A piece of one line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSpan {
    /// Line, counted from 1.
    pub line: usize,
    /// Its first character in the line, counted from 1.
    pub column: usize,
    /// The number of its characters; 1 for a place where something is missing.
    pub length: usize,
    /// The whole line.
    pub source: String,
}

impl SourceSpan {
    /// Its place in the text from which it was read.
    pub fn place_in(&self, text: &str) -> TextPlace {
        TextPlace::of_columns(text, self.line, self.column..self.column + self.length)
    }

    /// The bytes `range` of a line.
    pub(super) fn of_line(number: usize, source: &str, range: Range<usize>) -> Self {
        Self {
            line: number,
            column: source[..range.start].chars().count() + 1,
            length: source[range].chars().count().max(1),
            source: source.to_owned(),
        }
    }
}
