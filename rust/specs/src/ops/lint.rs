//! Reports the problems of specs as tasks for agents.

use std::sync::Arc;

use super::linter::{LintFile, of_files};
use super::read::room_of;
use crate::error::ChantError;
use crate::id::SpecId;
use crate::model::Spec;
use crate::project::{Project, ProjectSnapshot};
use crate::scores::SpecScores;
use crate::view::list::{problems_of_page, title_shown};
use crate::view::report::{LintDiagnostic, LintReport, PluginFindings, ScoreView};
use chant_base::answer::{Answer, PageRequest, fitting, size_of};
use chant_base::error::Error;
use chant_config::view::ConfigFindingView;

/// `chant_lint`: findings and grades of one spec or of all, in the order of IDs.
///
/// `errors`, `warnings` and the lights count everything looked at; of findings and of grades each
/// answer shows those from `offset` on, as many as wanted and as fit. Those of `plugins` stand behind our own about the
/// same spec.
///
/// # Errors
/// As [`Project::resolve`], or that the configuration cannot be read.
pub fn lint(
    project: &Project,
    id: Option<&str>,
    page: PageRequest,
    plugins: PluginFindings,
) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let config = snapshot.config.clone()?;
    let linted = match id {
        None => project.linted.all(project, &snapshot, &config),
        Some(id) => {
            let files = file_of(project, &snapshot, id)?;
            Arc::new(of_files(project, &snapshot, &config, &files))
        }
    };
    let scores = &linted.scores;
    let of_plugins: Vec<_> = plugins
        .diagnostics
        .iter()
        .filter(|one| !config.disables(&one.rule))
        .collect();
    let errors = linted.errors + of_plugins.iter().filter(|one| one.is_error()).count();
    let warnings = linted.diagnostics.len() + of_plugins.len() - errors;
    let diagnostics = in_order(&linted.diagnostics, of_plugins);
    let most = scores.len().max(diagnostics.len());
    // Both lists advance together, so that one offset leads through both.
    let pairs = (page.offset..most).take(page.limit).map(|at| {
        let graded = scores.get(at);
        (
            diagnostics.get(at).copied(),
            graded.map(|(spec, scores)| score(spec, scores)),
        )
    });
    let problems = problems_of_page(&project.problems(&snapshot), page.offset);
    let configuration = match (id, page.offset) {
        (None, 0) => configuration(project),
        _ => Vec::new(),
    };
    let leases = match (id, page.offset) {
        (None, 0) => project.run_lookup.doubtful_leases(project, &config),
        _ => Vec::new(),
    };
    let mut failures = plugins.failures;
    failures.truncate(if page.offset == 0 { MAX_OF_PLUGINS } else { 0 });
    let taken =
        room_of(problems.shown()) + size_of(&configuration) + size_of(&leases) + size_of(&failures);
    let shown = fitting(pairs, taken);
    let next = page.offset + shown.len();
    let next_offset = (!shown.is_empty() && next < most).then_some(next);
    let (diagnostics, scores): (Vec<_>, Vec<_>) = shown.into_iter().unzip();
    let [red, yellow, green] = linted.lights;
    Ok(Answer::data(&LintReport {
        specs_checked: linted.files,
        errors,
        warnings,
        diagnostics: diagnostics.into_iter().flatten().collect(),
        scores: scores.into_iter().flatten().collect(),
        red,
        yellow,
        green,
        configuration,
        leases,
        plugins: failures,
        next_offset,
        problems,
    }))
}

/// Sentences about plugins that an answer shows.
const MAX_OF_PLUGINS: usize = 20;

/// Returns our own findings, and behind those about a spec what plugins find of it.
fn in_order<'a>(
    own: &'a [LintDiagnostic],
    of_plugins: Vec<&'a LintDiagnostic>,
) -> Vec<&'a LintDiagnostic> {
    let mut all: Vec<&LintDiagnostic> = own.iter().collect();
    if !of_plugins.is_empty() {
        all.extend(of_plugins);
        all.sort_by_cached_key(|one| (one.spec_id.parse::<SpecId>().ok(), one.spec_id.clone()));
    }
    all
}

/// Findings about configuration that an answer shows.
const MAX_OF_CONFIGURATION: usize = 20;

/// Returns the problems of the configuration, those first that keep work from being done.
fn configuration(project: &Project) -> Vec<ConfigFindingView> {
    let mut mistakes = project.configuration_mistakes();
    mistakes.sort_by_key(|finding| !finding.is_near());
    mistakes.truncate(MAX_OF_CONFIGURATION);
    mistakes.iter().map(ConfigFindingView::from).collect()
}

/// The findings about one spec, for the answer that made it.
pub fn findings(
    project: &Project,
    snapshot: &ProjectSnapshot,
    spec: &Arc<Spec>,
) -> Result<Vec<LintDiagnostic>, Error> {
    let config = snapshot.config.clone()?;
    let files = [LintFile::Spec(spec.clone())];
    Ok(of_files(project, snapshot, &config, &files).diagnostics)
}

/// The file that an ID asks to look at.
fn file_of(
    project: &Project,
    snapshot: &ProjectSnapshot,
    id: &str,
) -> Result<Vec<LintFile>, Error> {
    match project.resolve(snapshot, id) {
        Ok(spec) => Ok(vec![LintFile::Spec(spec)]),
        Err(error) => match error.downcast_ref() {
            Some(ChantError::Unreadable { id, .. }) => {
                let broken = snapshot.specs.broken_of(id).cloned();
                Ok(broken.map(LintFile::Broken).into_iter().collect())
            }
            _ => Err(error),
        },
    }
}

fn score<'a>(spec: &'a Spec, scores: &SpecScores) -> ScoreView<'a> {
    ScoreView {
        id: spec.id.as_str(),
        title: title_shown(spec),
        traffic_light: scores.light().word(),
        complexity: scores.complexity.letter(),
        confidence: scores.confidence.letter(),
        splittability: scores.splittability.letter(),
        ac_quality: scores.ac_quality.letter(),
        isolation: scores.isolation.map(crate::scores::QualityGrade::letter),
        suggestions: scores.suggestions(),
    }
}
