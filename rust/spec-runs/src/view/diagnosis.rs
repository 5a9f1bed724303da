//! Diagnosis.

use serde::Serialize;

/// One check of a diagnosis.
#[derive(Debug, Serialize)]
pub struct DiagnosisCheck {
    /// The subject of the check.
    pub name: &'static str,
    /// True if it is as it should be for a spec in this state.
    pub passed: bool,
    /// The result.
    pub details: Option<String>,
}

/// The result of diagnosing a spec.
#[derive(Debug, Serialize)]
pub struct DiagnosisReport<'a> {
    /// The spec.
    pub spec_id: &'a str,
    /// Its state.
    pub status: &'static str,
    /// `main repository` or `worktree: <path>`.
    pub location: String,
    /// The checks, in a fixed order.
    pub checks: Vec<DiagnosisCheck>,
    /// The result in a sentence.
    pub diagnosis: String,
    /// The advice, when there is something to do.
    pub suggestion: Option<String>,
}
