//! Lint.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::list::ProblemEntry;
use chant_base::counted_list::CountedList;
use chant_base::lint::Severity;
use chant_config::view::ConfigFindingView;

/// One finding of a lint rule.
#[derive(Debug, Serialize, Deserialize)]
pub struct LintDiagnostic {
    /// The spec.
    pub spec_id: String,
    /// The rule.
    pub rule: Cow<'static, str>,
    /// `error` or `warning`.
    pub severity: Cow<'static, str>,
    /// The problem.
    pub message: String,
    /// The possible fix.
    pub suggestion: Option<String>,
}

impl LintDiagnostic {
    /// Returns true if it is an error; else it is a warning.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error.as_str()
    }
}

/// The findings of lint rules that are not our own.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PluginFindings {
    /// Their findings about specs.
    pub diagnostics: Vec<LintDiagnostic>,
    /// What went wrong with a plugin, and why others were not asked; each names the plugin.
    pub failures: Vec<String>,
}

/// The quality of a spec as a task for an agent.
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
    /// The suggestions that would raise a grade.
    pub suggestions: Vec<&'static str>,
}

/// The lint findings.
#[derive(Debug, Serialize)]
pub struct LintReport<'a> {
    /// The number of specs that were looked at, unreadable ones included.
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
    /// The problems with the keys of the configuration, where everything is looked at; on the first page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub configuration: Vec<ConfigFindingView>,
    /// Leases on the remote that clones share which somebody has to look at, where everything is looked at; on the
    /// first page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leases: Vec<String>,
    /// What went wrong with plugins, and why some were not asked; on the first page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plugins: Vec<String>,
    /// Where the rest of the findings and grades begins: call again with this `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// Files that cannot be read as specs, or only in part.
    #[serde(flatten)]
    pub problems: CountedList<ProblemEntry>,
}
