//! The lint engine: rules are values, findings are values, and reporting them is left to the caller.

use super::text_place::TextPlace;
use strum::IntoStaticStr;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Hint,
    /// It should be looked at.
    Warning,
    /// It has to be fixed: something is not read, or the format's own program refuses it.
    Error,
}

impl Severity {
    /// As answers spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A finding of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintFinding {
    /// Its severity.
    pub severity: Severity,
    /// The fault.
    pub message: String,
    /// The suggested change.
    pub suggestion: Option<String>,
    /// The words that it is about; for something that is missing, where it should stand.
    pub place: TextPlace,
}

impl LintFinding {
    /// An error.
    pub fn error(place: TextPlace, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            suggestion: None,
            place,
        }
    }

    /// A warning.
    pub fn warning(place: TextPlace, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(place, message)
        }
    }

    /// The same finding with advice.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }
}

/// One rule over subjects of type `S`.
pub struct LintRule<S: ?Sized> {
    /// Its name in answers and configuration.
    pub name: &'static str,
    /// Finds what is wrong with one subject.
    pub check: fn(&S) -> Vec<LintFinding>,
}
