//! Findings of reading and of a check, and entries that act.

use chant_base::text_place::TextPlace;

use super::document::PlanDocument;

pub use chant_base::lint::Severity;

/// The name under which the findings of reading stand: something of a document is not read, or in doubt.
pub const READING: &str = "reading";

/// A finding of reading, or of the format's own rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFinding {
    /// The name of the rule.
    pub rule: &'static str,
    /// Its severity.
    pub level: Severity,
    /// The document or folder, from the root.
    pub path: Box<str>,
    /// The words that it is about; `None` where it is about no text, such as a folder.
    pub place: Option<TextPlace>,
    /// The fault, as the rest of a sentence that begins with the path.
    pub message: Box<str>,
}

impl PlanFinding {
    /// Something is not read.
    pub fn error(
        path: &str,
        place: impl Into<Option<TextPlace>>,
        message: impl Into<Box<str>>,
    ) -> Self {
        Self {
            rule: READING,
            level: Severity::Error,
            path: path.into(),
            place: place.into(),
            message: message.into(),
        }
    }

    /// Something is in doubt.
    pub fn warning(
        path: &str,
        place: impl Into<Option<TextPlace>>,
        message: impl Into<Box<str>>,
    ) -> Self {
        Self {
            level: Severity::Warning,
            ..Self::error(path, place, message)
        }
    }

    /// Something is good to know.
    pub fn hint(
        path: &str,
        place: impl Into<Option<TextPlace>>,
        message: impl Into<Box<str>>,
    ) -> Self {
        Self {
            level: Severity::Hint,
            ..Self::error(path, place, message)
        }
    }

    /// Its line, counted from 1; 0 where it is about no text.
    pub fn line(&self) -> usize {
        self.place.map_or(0, |place| place.line)
    }
}

/// An entry of a document that makes a program or an agent act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActingPart {
    /// The key or part of the document.
    pub name: Box<str>,
    /// Its value or text.
    pub value: Box<str>,
}

/// Collects the findings of one document.
#[derive(Debug)]
pub struct DocumentFindings<'a> {
    /// The document.
    pub document: &'a PlanDocument,
    /// All findings so far.
    pub found: &'a mut Vec<PlanFinding>,
}

impl DocumentFindings<'_> {
    /// The place of words in a line, counted from 1; that of the line where it does not hold them.
    pub fn words(&self, line: usize, words: &str) -> TextPlace {
        TextPlace::within_line(&self.document.text, line, words)
    }

    /// Adds a finding.
    pub fn push(
        &mut self,
        rule: &'static str,
        level: Severity,
        place: TextPlace,
        message: impl Into<Box<str>>,
    ) {
        self.found.push(PlanFinding {
            rule,
            level,
            ..PlanFinding::error(&self.document.path, place, message)
        });
    }
}
