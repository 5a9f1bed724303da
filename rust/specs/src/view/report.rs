//! Lint.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::rules::title_place;
use crate::specs::SpecGraph;
use chant_base::counted_list::CountedList;
use chant_base::document_problem::ProblemRow;
use chant_base::lint::Severity;
use chant_base::text_place::TextPlace;
use chant_config::view::ConfigFindingView;

/// One finding of a lint rule.
#[derive(Debug, Clone, Serialize, Deserialize)]
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
    /// The file, from the root; answers name it beside the place, where places are asked for.
    #[serde(skip)]
    pub path: Box<str>,
    /// The words that it is about; `None` where no text was read.
    #[serde(skip)]
    pub place: Option<TextPlace>,
}

/// A finding as answers show it.
#[derive(Debug, Serialize)]
pub struct LintRow<'a> {
    #[serde(flatten)]
    finding: &'a LintDiagnostic,
    #[serde(flatten)]
    place: Option<PlaceInFile>,
}

/// The file of a finding, and where in it the words stand.
#[derive(Debug, Serialize)]
pub struct PlaceInFile {
    path: Box<str>,
    #[serde(flatten)]
    place: TextPlace,
}

impl<'a> LintRow<'a> {
    /// A finding alone, as agents get it.
    pub fn bare(finding: &'a LintDiagnostic) -> Self {
        Self {
            finding,
            place: None,
        }
    }

    /// A finding with its place; one without is about the beginning of the file.
    pub fn placed(finding: &'a LintDiagnostic, specs: &SpecGraph) -> Self {
        let spec = specs.find(&finding.spec_id);
        let title = || spec.map(|spec| (spec.path.clone(), title_place(spec)));
        let known = finding.place.map(|place| (finding.path.clone(), place));
        let (path, place) = known.or_else(title).unwrap_or_else(|| {
            let path = finding.path.clone();
            (path, TextPlace::of("", 0..0))
        });
        Self {
            finding,
            place: Some(PlaceInFile { path, place }),
        }
    }
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
    pub diagnostics: Vec<LintRow<'a>>,
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
    pub problems: CountedList<ProblemRow>,
}
