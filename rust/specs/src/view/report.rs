//! Diagnosis and lint.

use serde::Serialize;

use super::list::ProblemEntry;
use chant_config::view::ConfigFindingView;

/// One check of a diagnosis.
#[derive(Debug, Serialize)]
pub struct DiagnosisCheck {
    /// What was looked at.
    pub name: &'static str,
    /// Whether it is as it should be for a spec in this state.
    pub passed: bool,
    /// What was found.
    pub details: Option<String>,
}

/// What is the matter with a spec.
#[derive(Debug, Serialize)]
pub struct DiagnosisReport<'a> {
    /// The spec.
    pub spec_id: &'a str,
    /// Its state.
    pub status: &'static str,
    /// `main repository` or `worktree: <path>`.
    pub location: String,
    /// What was looked at, in a fixed order.
    pub checks: Vec<DiagnosisCheck>,
    /// The result in a sentence.
    pub diagnosis: String,
    /// What to do, when there is something.
    pub suggestion: Option<String>,
}

/// One finding of a lint rule.
#[derive(Debug, Serialize)]
pub struct LintDiagnostic {
    /// The spec.
    pub spec_id: String,
    /// The rule.
    pub rule: &'static str,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// What is wrong.
    pub message: String,
    /// What could be done.
    pub suggestion: Option<String>,
}

/// How good a spec is as a task for an agent.
#[derive(Debug, Serialize)]
pub struct ScoreView<'a> {
    /// The spec.
    pub id: &'a str,
    /// Its title.
    pub title: Option<String>,
    /// `green`, `yellow` or `red`.
    pub traffic_light: &'static str,
    /// A to D.
    pub complexity: char,
    /// A to D.
    pub confidence: char,
    /// A to D.
    pub splittability: char,
    /// A to D.
    pub ac_quality: char,
    /// A to D; null for a spec without members.
    pub isolation: Option<char>,
    /// What would raise a grade.
    pub suggestions: Vec<&'static str>,
}

/// What lint found.
#[derive(Debug, Serialize)]
pub struct LintReport<'a> {
    /// How many specs were looked at, unreadable ones included.
    pub specs_checked: usize,
    /// Findings that are errors.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
    /// Findings, by spec and rule.
    pub diagnostics: Vec<&'a LintDiagnostic>,
    /// Grades, by spec.
    pub scores: Vec<ScoreView<'a>>,
    /// Specs that should be refined before anybody works on them.
    pub red: usize,
    /// Specs that should be looked at.
    pub yellow: usize,
    /// Specs that are good as they are.
    pub green: usize,
    /// What is wrong with the keys of the configuration, where everything is looked at; on the first page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub configuration: Vec<ConfigFindingView>,
    /// Where the rest of the findings and grades begins: call again with this `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// Files that cannot be read as specs, or only in part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemEntry>,
    /// How many problems there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems_total: Option<usize>,
}
