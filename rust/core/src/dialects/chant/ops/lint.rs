//! What is wrong with specs as tasks for agents.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::super::error::ChantError;
use super::super::model::{Broken, Spec, Status};
use super::super::project::{Project, Snapshot};
use super::super::rules::{PARSE, Subject, rules};
use super::super::scores::{Scores, Size};
use super::super::specs::steps;
use super::super::view::list::{problems, title_shown};
use super::super::view::report::{Diagnostic, LintReport, Score};
use super::read::{log_path, room_of};
use crate::answer::{Answer, Page, fitting};
use crate::config::Config;
use crate::error::Error;
use crate::graph::Node;
use crate::lint::{self, Severity};
use crate::text::front_matter;

/// What lint says of one spec.
struct Linted<'a> {
    spec: &'a Spec,
    diagnostics: Vec<Diagnostic>,
    scores: Scores,
}

/// `chant_lint`: findings and grades of one spec or of all, in the order of IDs.
///
/// `errors`, `warnings` and the lights count everything looked at; of findings and of grades each
/// answer shows those from `offset` on, as many as wanted and as fit.
///
/// # Errors
/// As [`Project::resolve`], or that the configuration cannot be read.
pub fn lint(project: &Project, id: Option<&str>, page: Page) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let config = snapshot.config.clone()?;
    let (specs, broken) = subjects(project, &snapshot, id)?;
    let linted: Vec<Linted<'_>> = check(project, &snapshot, &config, &specs);
    let mut lights = [0; 3];
    for one in &linted {
        lights[one.scores.light() as usize] += 1;
    }
    let specs_checked = specs.len() + broken.len();
    let (mut diagnostics, mut scores) = (Vec::new(), Vec::new());
    for one in linted {
        scores.push(score(one.spec, &one.scores));
        diagnostics.extend(one.diagnostics);
    }
    if !config.disables(PARSE) {
        diagnostics.extend(broken.iter().map(|broken| unreadable(broken)));
        diagnostics.sort_by_cached_key(|d| {
            (
                d.spec_id.parse::<super::super::id::SpecId>().ok(),
                d.spec_id.clone(),
            )
        });
    }
    let count = |severity: Severity| {
        diagnostics
            .iter()
            .filter(|d| d.severity == severity.as_str())
            .count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let most = diagnostics.len().max(scores.len());
    // Both lists advance together, so that one offset leads through both.
    let mut rest = (
        diagnostics.into_iter().skip(page.offset),
        scores.into_iter().skip(page.offset),
    );
    let pairs = (page.offset..most)
        .take(page.limit)
        .map(|_| (rest.0.next(), rest.1.next()));
    let (problems, problems_total) = problems(&project.problems(&snapshot));
    let shown = fitting(pairs, room_of(&problems));
    let next = page.offset + shown.len();
    let next_offset = (!shown.is_empty() && next < most).then_some(next);
    let (diagnostics, scores): (Vec<_>, Vec<_>) = shown.into_iter().unzip();
    let [red, yellow, green] = lights;
    Ok(Answer::data(&LintReport {
        specs_checked,
        errors,
        warnings,
        diagnostics: diagnostics.into_iter().flatten().collect(),
        scores: scores.into_iter().flatten().collect(),
        red,
        yellow,
        green,
        next_offset,
        problems,
        problems_total,
    }))
}

/// The findings about one spec, for the answer that made it.
pub(super) fn findings(
    project: &Project,
    snapshot: &Snapshot,
    spec: &Arc<Spec>,
) -> Result<Vec<Diagnostic>, Error> {
    let config = snapshot.config.clone()?;
    let specs = [spec.clone()];
    Ok(check(project, snapshot, &config, &specs)
        .into_iter()
        .flat_map(|linted| linted.diagnostics)
        .collect())
}

/// Specs to look at, and files that are no specs.
type Subjects = (Vec<Arc<Spec>>, Vec<Arc<Broken>>);

/// What an ID asks to look at; everything without one.
fn subjects(project: &Project, snapshot: &Snapshot, id: Option<&str>) -> Result<Subjects, Error> {
    let Some(id) = id else {
        return Ok((
            snapshot.specs.all().to_vec(),
            snapshot.specs.broken().cloned().collect(),
        ));
    };
    match project.resolve(snapshot, id) {
        Ok(spec) => Ok((vec![spec], Vec::new())),
        Err(Error::Chant(ChantError::Unreadable { id, .. })) => Ok((
            Vec::new(),
            snapshot.specs.broken_of(&id).cloned().into_iter().collect(),
        )),
        Err(error) => Err(error),
    }
}

fn check<'a>(
    project: &Project,
    snapshot: &'a Snapshot,
    config: &'a Config,
    specs: &'a [Arc<Spec>],
) -> Vec<Linted<'a>> {
    let loops = loops(snapshot, specs);
    let rules = rules();
    let is_archived = |id: &str| project.is_archived(id);
    let check = |spec: &'a Arc<Spec>| {
        let size = Size::of(spec);
        let members: Vec<&Arc<Spec>> = snapshot.specs.members(&spec.id).collect();
        let subject = Subject {
            spec,
            size,
            keys: front_matter::keys(spec.yaml())
                .into_iter()
                .map(|key| key.name.into_owned())
                .collect(),
            specs: &snapshot.specs,
            config,
            cycle: loops.get(spec.id.as_str()).cloned(),
            is_archived: &is_archived,
            output: wrong_output(project, spec),
        };
        let findings = lint::run(&rules, &subject)
            .into_iter()
            .filter(|(rule, _)| !config.disables(rule));
        let diagnostics = findings.map(|(rule, finding)| Diagnostic {
            spec_id: spec.id.to_string(),
            rule,
            severity: finding.severity.as_str(),
            message: finding.message,
            suggestion: finding.suggestion,
        });
        Linted {
            spec,
            diagnostics: diagnostics.collect(),
            scores: Scores::of(spec, size, &members),
        }
    };
    specs.par_iter().map(check).collect()
}

/// Largest knot of specs waiting for one another in which each is told a loop of its own.
const LARGEST_KNOT: usize = 300;

/// The loops that specs are in, by ID, each beginning with the spec itself.
fn loops(snapshot: &Snapshot, specs: &[Arc<Spec>]) -> HashMap<String, Vec<String>> {
    let graph = snapshot.specs.graph();
    let own = |node: Node| {
        Some((
            graph.key(node).to_owned(),
            steps(graph, &graph.cycle_through(node)?),
        ))
    };
    if let [one] = specs {
        return graph
            .find(one.id.as_str())
            .and_then(own)
            .into_iter()
            .collect();
    }
    let mut loops = HashMap::new();
    for knot in graph.knots() {
        if knot.len() <= LARGEST_KNOT {
            loops.extend(knot.into_iter().filter_map(own));
        } else if let Some((_, path)) = knot.first().and_then(|node| own(*node)) {
            let shared = vec![format!(
                "one of {} specs that wait for one another, such as {}",
                knot.len(),
                path.join(" -> ")
            )];
            loops.extend(
                knot.into_iter()
                    .map(|node| (graph.key(node).to_owned(), shared.clone())),
            );
        }
    }
    loops
}

/// What is wrong with the output that a completed spec's agent was to give, when there is a log.
fn wrong_output(project: &Project, spec: &Spec) -> Option<String> {
    let schema_path = spec
        .output_schema
        .as_deref()
        .filter(|_| spec.status == Status::Completed)?;
    let read = |path: &str| {
        let real = project.root.locate(path).ok()?;
        project
            .disk
            .read_text(&real, path)
            .ok()
            .map(|(text, _)| text)
    };
    let Some(schema) = read(schema_path) else {
        return Some(format!("Output schema file not found: {schema_path}"));
    };
    let log = read(&log_path(spec))?;
    let failed = |why: String| Some(format!("Failed to validate output: {why}"));
    let schema = match serde_json::from_str(&schema) {
        Ok(schema) => schema,
        Err(error) => return failed(format!("{schema_path} is no JSON: {error}")),
    };
    let Some(output) = super::super::output::json_in(&log) else {
        return failed("the log holds no JSON".into());
    };
    match jsonschema::validator_for(&schema) {
        Err(error) => failed(error.to_string()),
        Ok(validator) => {
            let errors: Vec<String> = validator
                .iter_errors(&output)
                .map(|error| error.to_string())
                .collect();
            (!errors.is_empty()).then(|| format!("Output validation failed: {}", errors.join("; ")))
        }
    }
}

fn score<'a>(spec: &'a Spec, scores: &Scores) -> Score<'a> {
    Score {
        id: spec.id.as_str(),
        title: title_shown(spec),
        traffic_light: scores.light().word(),
        complexity: scores.complexity.letter(),
        confidence: scores.confidence.letter(),
        splittability: scores.splittability.letter(),
        ac_quality: scores.ac_quality.letter(),
        isolation: scores.isolation.map(super::super::scores::Grade::letter),
        suggestions: scores.suggestions(),
    }
}

fn unreadable(broken: &Broken) -> Diagnostic {
    let line = broken
        .problem
        .line
        .map(|line| format!(":{line}"))
        .unwrap_or_default();
    Diagnostic {
        spec_id: broken.id.to_string(),
        rule: PARSE,
        severity: Severity::Error.as_str(),
        message: broken.problem.message.clone(),
        suggestion: Some(format!("Mend {}{line}", broken.problem.path)),
    }
}
