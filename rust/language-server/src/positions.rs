//! Bytes of a text as editors count them: by line and by character, in UTF-8 or UTF-16.

use std::ops::Range;

use lsp_types::{Position, PositionEncodingKind};

/// The unit in which an editor counts the characters of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PositionEncoding {
    /// Bytes.
    Bytes,
    /// UTF-16, which every editor knows.
    Utf16,
}

impl PositionEncoding {
    /// Bytes where an editor takes them, which cost nothing; else UTF-16.
    pub(crate) fn best_of(offered: Option<&[PositionEncodingKind]>) -> Self {
        let takes_bytes =
            offered.is_some_and(|offered| offered.contains(&PositionEncodingKind::UTF8));
        if takes_bytes {
            Self::Bytes
        } else {
            Self::Utf16
        }
    }

    /// As the protocol spells it.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Bytes => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn length(self, text: &str) -> usize {
        match self {
            Self::Bytes => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
        }
    }

    /// The byte of a line's character; one inside of a character is that before it.
    fn byte_of(self, line: &str, character: usize) -> usize {
        match self {
            Self::Bytes => {
                let mut at = character.min(line.len());
                while !line.is_char_boundary(at) {
                    at -= 1;
                }
                at
            }
            Self::Utf16 => {
                let mut left = character;
                for (at, c) in line.char_indices() {
                    if left < c.len_utf16() {
                        return at;
                    }
                    left -= c.len_utf16();
                }
                line.len()
            }
        }
    }
}

/// Where the lines of a text begin.
#[derive(Debug, Clone)]
pub(crate) struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    /// Finds the lines of a text, which end in a line feed, a carriage return, or both.
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends_line = |at: &usize| match bytes[*at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let ends = (0..bytes.len()).filter(ends_line).map(|at| at + 1);
        Self {
            starts: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// The bytes of a line, counted from 0, without its end.
    pub(crate) fn line_range(&self, text: &str, line: usize) -> Range<usize> {
        let Some(start) = self.starts.get(line).copied() else {
            return text.len()..text.len();
        };
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let content = text[start..end].trim_end_matches(['\n', '\r']).len();
        start..start + content
    }

    /// The line of a byte, counted from 0.
    pub(crate) fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte) - 1
    }
}

/// A text with its lines, and how an editor counts.
#[derive(Clone, Copy)]
pub(crate) struct PlacedText<'a> {
    pub(crate) text: &'a str,
    pub(crate) lines: &'a LineIndex,
    pub(crate) encoding: PositionEncoding,
}

impl PlacedText<'_> {
    /// The byte of a position; one behind the end of its line is that end.
    pub(crate) fn byte_at(&self, position: Position) -> usize {
        let range = self.lines.line_range(self.text, position.line as usize);
        let line = &self.text[range.clone()];
        range.start + self.encoding.byte_of(line, position.character as usize)
    }

    /// The position of a byte.
    pub(crate) fn position_of(&self, byte: usize) -> Position {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        let line = self.lines.line_of(byte);
        let range = self.lines.line_range(self.text, line);
        let before = &self.text[range.start..byte.clamp(range.start, range.end)];
        let short = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position::new(short(line), short(self.encoding.length(before)))
    }

    /// The positions of a range of bytes.
    pub(crate) fn range_of(&self, bytes: Range<usize>) -> lsp_types::Range {
        lsp_types::Range::new(self.position_of(bytes.start), self.position_of(bytes.end))
    }

    /// The bytes between two positions.
    pub(crate) fn bytes_of(&self, range: lsp_types::Range) -> Range<usize> {
        let (start, end) = (self.byte_at(range.start), self.byte_at(range.end));
        start.min(end)..start.max(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_bytes_are_each_others_in_both_encodings() {
        let text = "a😀b\r\nö̈x\rzwei\n\nend";
        let lines = LineIndex::of(text);
        assert_eq!(lines.starts.len(), 5);
        for encoding in [PositionEncoding::Bytes, PositionEncoding::Utf16] {
            let placed = PlacedText {
                text,
                lines: &lines,
                encoding,
            };
            for (byte, _) in text.char_indices() {
                let is_end = text[byte..].starts_with(['\n', '\r']);
                let found = placed.byte_at(placed.position_of(byte));
                assert!(found == byte || is_end, "{byte} {found} {encoding:?}");
            }
        }
        let utf16 = PlacedText {
            text,
            lines: &lines,
            encoding: PositionEncoding::Utf16,
        };
        assert_eq!(utf16.byte_at(Position::new(0, 3)), 5);
        assert_eq!(utf16.byte_at(Position::new(0, 2)), 1);
        assert_eq!(utf16.byte_at(Position::new(0, 99)), 6);
        assert_eq!(utf16.byte_at(Position::new(99, 0)), text.len());
        assert_eq!(utf16.position_of(text.len()), Position::new(4, 3));
    }
}
