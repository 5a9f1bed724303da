//! Problems of one document, which do not hide the others.

use serde::Serialize;

use super::answer::cut;
use super::text_place::TextPlace;

/// Something wrong with a document, or with a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentProblem {
    /// The file, relative to the root.
    pub path: Box<str>,
    /// The line that answers name, counted from 1; `None` for the file as a whole.
    pub line: Option<usize>,
    /// The words that it is about; `None` where no text was read.
    pub place: Option<TextPlace>,
    /// The fault, and the value that was expected.
    pub message: String,
}

impl DocumentProblem {
    /// A problem with a file as a whole.
    pub fn new(path: impl Into<Box<str>>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            line: None,
            place: None,
            message: message.into(),
        }
    }

    /// The same problem with a line that answers name.
    #[must_use]
    pub fn on_line(mut self, line: Option<usize>) -> Self {
        self.line = line;
        self
    }

    /// The same problem with the words that it is about.
    #[must_use]
    pub fn at(mut self, place: TextPlace) -> Self {
        self.place = Some(place);
        self
    }
}

/// A problem as answers show it.
#[derive(Debug, Serialize)]
pub struct ProblemRow {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    message: String,
}

impl DocumentProblem {
    /// The problem with so many characters of its message.
    pub fn row(&self, most: usize) -> ProblemRow {
        ProblemRow {
            path: self.path.to_string(),
            line: self.line,
            message: cut(&self.message, most),
        }
    }
}
