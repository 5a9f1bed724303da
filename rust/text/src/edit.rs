//! Edits of a document: replacements of byte ranges, the only way in which a document changes.

use chant_base::error::{CoreError, ErrorKind};
use std::ops::Range;

use super::clash::LeftClash;

/// The reasons why a document cannot be edited without risk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The front matter has no closing fence.
    #[error(
        "the front matter opened on line {line} is never closed; add a line `---` after its last key"
    )]
    Unclosed {
        /// The line of the opening fence, counted from 1.
        line: usize,
    },
    /// The lines of the front matter end in carriage returns only.
    #[error("the lines of the front matter end in carriage returns; save the file with line feeds")]
    Returns,
    /// The front matter is not `key: value` lines.
    #[error(
        "the front matter is not a block of `key: value` lines, so `{key}` cannot be changed in place; edit the file by hand"
    )]
    NotLines {
        /// The key to be changed.
        key: String,
    },
    /// The changed text would not have the intended meaning.
    #[error(
        "changing `{key}` in place would not read back as intended ({why}); edit the file by hand"
    )]
    Unfaithful {
        /// The key to be changed.
        key: String,
        /// The result of the check.
        why: String,
    },
    /// The text has two versions of something, or would have.
    #[error("{0}; nothing was changed")]
    Clashing(LeftClash),
    /// Two edits overlap, or one lies outside the text: an error of the program.
    #[error("an edit of bytes {start}..{end} does not fit the text")]
    Range {
        /// The first byte of the edit.
        start: usize,
        /// The byte after its last.
        end: usize,
    },
}

/// One replacement in a source text; everything outside `range` stays byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace; empty to insert.
    pub range: Range<usize>,
    /// The new text.
    pub text: String,
}

impl Edit {
    /// Replaces `range` with `text`.
    pub fn replace(range: Range<usize>, text: impl Into<String>) -> Self {
        Self {
            range,
            text: text.into(),
        }
    }

    /// Inserts `text` before the byte `at`.
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::replace(at..at, text)
    }
}

/// Applies edits to a text; they may come in any order but must not overlap.
///
/// # Errors
/// `EditError::Range` for an edit outside the text, inside a character or across another edit.
///
/// ```
/// use chant_text::edit::{Edit, apply};
///
/// let edits = [Edit::insert(0, "# "), Edit::replace(4..7, "two")];
/// assert_eq!(apply("one 222", &edits)?, "# one two");
/// # Ok::<(), chant_text::edit::EditError>(())
/// ```
pub fn apply(text: &str, edits: &[Edit]) -> Result<String, EditError> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut out =
        String::with_capacity(text.len() + edits.iter().map(|e| e.text.len()).sum::<usize>());
    let mut at = 0;
    for edit in sorted {
        let Range { start, end } = edit.range;
        let (Some(kept), Some(_)) = (text.get(at..start), text.get(start..end)) else {
            return Err(EditError::Range { start, end });
        };
        out.push_str(kept);
        out.push_str(&edit.text);
        at = end;
    }
    out.push_str(&text[at..]);
    Ok(out)
}

/// Returns the line break a text uses: that of its first line, LF when it has none.
pub fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Rewrites the line breaks of a piece of text to those of the document it goes into.
pub fn with_line_break(piece: &str, line_break: &str) -> String {
    let unix = piece.replace("\r\n", "\n");
    if line_break == "\n" {
        unix
    } else {
        unix.replace('\n', line_break)
    }
}

impl CoreError for EditError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::InvalidDocument
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_apply_in_text_order_whatever_order_they_come_in() {
        let edits = [
            Edit::replace(4..7, "B"),
            Edit::insert(0, "> "),
            Edit::replace(8..9, ""),
        ];
        assert_eq!(apply("one two x", &edits), Ok("> one B ".into()));
    }

    #[test]
    fn an_edit_that_does_not_fit_is_refused() {
        let refused =
            |edits: &[Edit]| matches!(apply("é one", edits), Err(EditError::Range { .. }));
        assert!(refused(&[Edit::insert(1, "inside a character")]));
        assert!(refused(&[Edit::insert(9, "beyond the end")]));
        assert!(refused(&[
            Edit::replace(0..4, ""),
            Edit::replace(3..5, "across")
        ]));
    }

    #[test]
    fn line_breaks_follow_the_first_line() {
        assert_eq!(line_break("a\r\nb\n"), "\r\n");
        assert_eq!(line_break("a"), "\n");
        assert_eq!(with_line_break("a\nb\r\nc", "\r\n"), "a\r\nb\r\nc");
    }
}
