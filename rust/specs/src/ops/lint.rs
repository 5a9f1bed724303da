//! Reports the problems of specs as tasks for agents.

use std::sync::Arc;

use super::linter::{LintFile, Linted, of_file};
use super::read::room_of;
use crate::error::ChantError;
use crate::id::SpecId;
use crate::model::Spec;
use crate::project::{Project, ProjectSnapshot};
use crate::scores::SpecScores;
use crate::view::list::{problems_of_page, title_shown};
use crate::view::report::{LintDiagnostic, LintReport, LintRow, PluginFindings, ScoreView};
use chant_base::answer::{Answer, PageRequest, fitting, size_of};
use chant_base::error::Error;
use chant_config::view::ConfigFindingView;

/// `chant_lint`: findings and grades of one spec or of all, in the order of IDs.
///
/// `errors`, `warnings` and the lights count everything looked at; of findings and of grades each
/// answer shows those from `offset` on, as many as wanted and as fit. Those of `plugins` stand behind our own about the
/// same spec. With `places` each names its file and the words that it is about.
///
/// # Errors
/// As [`Project::resolve`], or that the configuration cannot be read.
pub fn lint(
    project: &Project,
    id: Option<&str>,
    page: PageRequest,
    plugins: PluginFindings,
    places: bool,
) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let config = snapshot.config.clone()?;
    let linted = match id {
        None => project.linted.all(project, &snapshot, &config),
        Some(id) => {
            let file = file_of(project, &snapshot, id)?;
            let linted = file.map(|file| of_file(project, &snapshot, &config, &file));
            linted.unwrap_or_default()
        }
    };
    let of_plugins: Vec<_> = plugins
        .diagnostics
        .iter()
        .filter(|one| !config.disables(&one.rule))
        .collect();
    let errors = linted.errors + of_plugins.iter().filter(|one| one.is_error()).count();
    let warnings = linted.findings + of_plugins.len() - errors;
    let most = linted.specs.max(linted.findings + of_plugins.len());
    let mut diagnostics = in_order(&linted, of_plugins, &page).into_iter();
    let files = linted.files.values();
    let graded = files.filter_map(|file| Some(score(file.spec()?, file.scores.as_ref()?)));
    let mut graded = graded.skip(page.offset);
    let row = |finding| {
        if places {
            LintRow::placed(finding, &snapshot.specs)
        } else {
            LintRow::bare(finding)
        }
    };
    // Both lists advance together, so that one offset leads through both.
    let pairs = (page.offset..most)
        .take(page.limit)
        .map(|_| (diagnostics.next().map(row), graded.next()));
    let problems = problems_of_page(&project.problems(&snapshot), page.offset);
    let configuration = match (id, page.offset) {
        (None, 0) => configuration(project, places),
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
        specs_checked: linted.files.len(),
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

/// Returns a page of our own findings, and behind those about a spec what plugins find of it.
fn in_order<'a>(
    linted: &'a Linted,
    of_plugins: Vec<&'a LintDiagnostic>,
    page: &PageRequest,
) -> Vec<&'a LintDiagnostic> {
    let own = linted.files.values().flat_map(|file| &file.diagnostics);
    if of_plugins.is_empty() {
        return own.skip(page.offset).take(page.limit).collect();
    }
    let mut all: Vec<&LintDiagnostic> = own.chain(of_plugins).collect();
    all.sort_by_cached_key(|one| (one.spec_id.parse::<SpecId>().ok(), one.spec_id.clone()));
    all.into_iter().skip(page.offset).take(page.limit).collect()
}

/// Findings about configuration that an answer shows.
const MAX_OF_CONFIGURATION: usize = 20;

/// Returns the problems of the configuration, those first that keep work from being done.
fn configuration(project: &Project, places: bool) -> Vec<ConfigFindingView> {
    let mut mistakes = project.configuration_mistakes();
    mistakes.sort_by_key(|finding| !finding.is_near());
    mistakes.truncate(MAX_OF_CONFIGURATION);
    let row = |finding| ConfigFindingView::of(finding, places);
    mistakes.iter().map(row).collect()
}

/// The findings about one spec, for the answer that made it.
pub fn findings(
    project: &Project,
    snapshot: &ProjectSnapshot,
    spec: &Arc<Spec>,
) -> Result<Vec<LintDiagnostic>, Error> {
    let config = snapshot.config.clone()?;
    let linted = of_file(project, snapshot, &config, &LintFile::Spec(spec.clone()));
    let files = linted.files.values();
    Ok(files.flat_map(|file| file.diagnostics.clone()).collect())
}

/// The file that an ID asks to look at.
fn file_of(
    project: &Project,
    snapshot: &ProjectSnapshot,
    id: &str,
) -> Result<Option<LintFile>, Error> {
    match project.resolve(snapshot, id) {
        Ok(spec) => Ok(Some(LintFile::Spec(spec))),
        Err(error) => match error.downcast_ref() {
            Some(ChantError::Unreadable { id, .. }) => {
                let broken = snapshot.specs.broken_of(id).cloned();
                Ok(broken.map(LintFile::Broken))
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
