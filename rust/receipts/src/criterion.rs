//! A criterion as a run finds it, which is what a receipt is about.

/// A criterion as it stood when a run began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CriterionAtStart {
    /// Its text on one line.
    pub text: String,
    /// True if it was ticked already.
    pub checked: bool,
    /// Names of the checks that have to pass for it.
    pub checks: Vec<String>,
}
