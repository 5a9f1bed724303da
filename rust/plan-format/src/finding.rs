//! Problems of reading, findings of a check, and entries that act.

use std::ops::Range;

use super::intent::EditIntent;

/// The severity of a problem or a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingLevel {
    /// Good to know.
    Hint,
    /// It should be looked at.
    Warning,
    /// Something is not read, or the format's own program refuses it.
    Error,
}

impl FindingLevel {
    /// Its word in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A fault that reading found: something of a document is not read, or in doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanProblem {
    /// The document or folder, from the root.
    pub path: Box<str>,
    /// Its line, counted from 1; 0 for the document as a whole.
    pub line: usize,
    /// Its severity.
    pub level: FindingLevel,
    /// The fault, as the rest of a sentence that begins with the path.
    pub message: Box<str>,
}

impl PlanProblem {
    /// Something is not read.
    pub fn error(path: &str, line: usize, message: impl Into<Box<str>>) -> Self {
        Self::new(FindingLevel::Error, path, line, message)
    }

    /// Something is in doubt.
    pub fn warning(path: &str, line: usize, message: impl Into<Box<str>>) -> Self {
        Self::new(FindingLevel::Warning, path, line, message)
    }

    /// Something is good to know.
    pub fn hint(path: &str, line: usize, message: impl Into<Box<str>>) -> Self {
        Self::new(FindingLevel::Hint, path, line, message)
    }

    fn new(level: FindingLevel, path: &str, line: usize, message: impl Into<Box<str>>) -> Self {
        Self {
            path: path.into(),
            line,
            level,
            message: message.into(),
        }
    }
}

/// A finding of the format's own rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFinding {
    /// The name of the rule.
    pub rule: &'static str,
    /// Its severity.
    pub level: FindingLevel,
    /// The document or folder, from the root.
    pub path: Box<str>,
    /// The line, counted from 1; 0 for the document as a whole.
    pub line: usize,
    /// The bytes that it is about, where there are such.
    pub span: Option<Range<usize>>,
    /// The fault, as a sentence.
    pub message: Box<str>,
    /// The name of an item and the intent that repairs the fault, where there is one.
    pub fix: Option<(Box<str>, EditIntent)>,
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
    /// The document, from the root.
    pub path: &'a str,
    /// All findings so far.
    pub found: &'a mut Vec<PlanFinding>,
}

impl DocumentFindings<'_> {
    /// Adds a finding about a line.
    pub fn push(
        &mut self,
        rule: &'static str,
        level: FindingLevel,
        line: usize,
        message: impl Into<Box<str>>,
    ) {
        self.found.push(PlanFinding {
            rule,
            level,
            path: self.path.into(),
            line,
            span: None,
            message: message.into(),
            fix: None,
        });
    }
}
