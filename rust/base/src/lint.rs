//! The lint engine: rules are values, findings are values, and reporting them is left to the caller.

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// It has to be fixed.
    Error,
    /// It should be looked at.
    Warning,
}

impl Severity {
    /// As answers spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
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
}

impl LintFinding {
    /// An error.
    pub fn error(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            suggestion: None,
        }
    }

    /// A warning.
    pub fn warning(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            message: message.into(),
            suggestion: None,
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

/// Applies rules to a subject, in the order of the rules.
///
/// ```
/// use chant_base::lint::{LintFinding, LintRule, run};
///
/// let rule = LintRule::<str> {
///     name: "title",
///     check: |text| match text.is_empty() {
///         true => vec![LintFinding::error("Missing title").suggest("Add one")],
///         false => Vec::new(),
///     },
/// };
/// let found = run(&[rule], "");
/// assert_eq!((found[0].0, found[0].1.message.as_str()), ("title", "Missing title"));
/// ```
pub fn run<S: ?Sized>(rules: &[LintRule<S>], subject: &S) -> Vec<(&'static str, LintFinding)> {
    let check = |rule: &LintRule<S>| {
        (rule.check)(subject)
            .into_iter()
            .map(|finding| (rule.name, finding))
            .collect::<Vec<_>>()
    };
    rules.iter().flat_map(check).collect()
}
