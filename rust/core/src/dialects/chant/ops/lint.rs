//! What is wrong with specs as tasks for agents.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::super::error::ChantError;
use super::super::id::SpecId;
use super::super::model::{Broken, Spec, Status};
use super::super::project::{Project, Snapshot};
use super::super::rules::{PARSE, Subject, rules};
use super::super::scores::{Light, Scores, Size};
use super::super::specs::steps;
use super::super::view::list::{problems_of_page, title_shown};
use super::super::view::report::{Diagnostic, LintReport, Score};
use super::read::room_of;
use crate::answer::{Answer, Page, fitting, size_of};
use crate::config::Config;
use crate::config::view::FindingEntry;
use crate::error::Error;
use crate::graph::Node;
use crate::lint::{self, Severity};
use crate::store::files;
use crate::text::front_matter;

/// What lint counts about one file.
struct Tally {
    errors: usize,
    warnings: usize,
    light: Option<Light>,
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
    let files = files(project, &snapshot, id)?;
    let linter = Linter::new(project, &snapshot, &config, &files);
    let tallies: Vec<Tally> = files.par_iter().map(|file| linter.tally(file)).collect();
    let errors = tallies.iter().map(|tally| tally.errors).sum();
    let warnings = tallies.iter().map(|tally| tally.warnings).sum();
    let mut lights = [0; 3];
    for light in tallies.iter().filter_map(|tally| tally.light) {
        lights[light as usize] += 1;
    }
    let most = lights.iter().sum::<usize>().max(errors + warnings);
    // Both lists advance together, so that one offset leads through both; what is not shown is
    // counted and forgotten.
    let (first, within) = place_of(page.offset, &tallies);
    let specs = files.iter().filter_map(File::spec);
    let mut rest = (
        files[first..]
            .iter()
            .flat_map(|file| linter.diagnostics(file))
            .skip(within),
        specs
            .skip(page.offset)
            .map(|spec| score(spec, &linter.scores(spec))),
    );
    let pairs = (page.offset..most)
        .take(page.limit)
        .map(|_| (rest.0.next(), rest.1.next()));
    let (problems, problems_total) = problems_of_page(&project.problems(&snapshot), page.offset);
    let configuration = match (id, page.offset) {
        (None, 0) => configuration(project),
        _ => Vec::new(),
    };
    let taken = room_of(&problems) + size_of(&configuration);
    let shown = fitting(pairs, taken);
    let next = page.offset + shown.len();
    let next_offset = (!shown.is_empty() && next < most).then_some(next);
    let (diagnostics, scores): (Vec<_>, Vec<_>) = shown.into_iter().unzip();
    let [red, yellow, green] = lights;
    Ok(Answer::data(&LintReport {
        specs_checked: files.len(),
        errors,
        warnings,
        diagnostics: diagnostics.into_iter().flatten().collect(),
        scores: scores.into_iter().flatten().collect(),
        red,
        yellow,
        green,
        configuration,
        next_offset,
        problems,
        problems_total,
    }))
}

/// Findings about configuration that an answer shows.
const MOST_OF_CONFIGURATION: usize = 20;

/// What is wrong with the configuration, what keeps work from being done first.
fn configuration(project: &Project) -> Vec<FindingEntry> {
    let mut mistakes = project.configuration_mistakes();
    mistakes.sort_by_key(|finding| !finding.is_near());
    mistakes.truncate(MOST_OF_CONFIGURATION);
    mistakes.iter().map(FindingEntry::from).collect()
}

/// The file that holds the finding of a number, and how many findings before it are of the same file.
fn place_of(number: usize, tallies: &[Tally]) -> (usize, usize) {
    let mut rest = number;
    for (at, tally) in tallies.iter().enumerate() {
        let findings = tally.errors + tally.warnings;
        if rest < findings {
            return (at, rest);
        }
        rest -= findings;
    }
    (tallies.len(), 0)
}

/// The findings about one spec, for the answer that made it.
pub(super) fn findings(
    project: &Project,
    snapshot: &Snapshot,
    spec: &Arc<Spec>,
) -> Result<Vec<Diagnostic>, Error> {
    let config = snapshot.config.clone()?;
    let files = [File::Spec(spec.clone())];
    let linter = Linter::new(project, snapshot, &config, &files);
    Ok(linter.diagnostics(&files[0]))
}

/// A file to look at.
enum File {
    Spec(Arc<Spec>),
    Broken(Arc<Broken>),
}

impl File {
    fn spec(&self) -> Option<&Arc<Spec>> {
        match self {
            Self::Spec(spec) => Some(spec),
            Self::Broken(_) => None,
        }
    }

    /// Its place among all: by ID, names that are none first.
    fn key(&self) -> (Option<SpecId>, Box<str>) {
        match self {
            Self::Spec(spec) => (Some(spec.id.clone()), spec.id.as_str().into()),
            Self::Broken(broken) => (broken.id.parse().ok(), broken.id.clone()),
        }
    }
}

/// What an ID asks to look at; everything without one.
fn files(project: &Project, snapshot: &Snapshot, id: Option<&str>) -> Result<Vec<File>, Error> {
    let specs = &snapshot.specs;
    let Some(id) = id else {
        let mut files: Vec<File> = specs.all().iter().cloned().map(File::Spec).collect();
        if specs.broken().len() > 0 {
            files.extend(specs.broken().cloned().map(File::Broken));
            files.sort_by_cached_key(File::key);
        }
        return Ok(files);
    };
    match project.resolve(snapshot, id) {
        Ok(spec) => Ok(vec![File::Spec(spec)]),
        Err(Error::Chant(ChantError::Unreadable { id, .. })) => {
            let broken = specs.broken_of(&id).cloned();
            Ok(broken.map(File::Broken).into_iter().collect())
        }
        Err(error) => Err(error),
    }
}

/// Everything the rules need to know.
struct Linter<'a> {
    project: &'a Project,
    snapshot: &'a Snapshot,
    config: &'a Config,
    loops: HashMap<String, Vec<String>>,
}

impl<'a> Linter<'a> {
    fn new(
        project: &'a Project,
        snapshot: &'a Snapshot,
        config: &'a Config,
        files: &[File],
    ) -> Self {
        Self {
            project,
            snapshot,
            config,
            loops: loops(snapshot, files),
        }
    }

    fn tally(&self, file: &File) -> Tally {
        let diagnostics = self.diagnostics(file);
        let count = |severity: Severity| {
            let of_it = diagnostics
                .iter()
                .filter(|d| d.severity == severity.as_str());
            of_it.count()
        };
        Tally {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            light: file.spec().map(|spec| self.scores(spec).light()),
        }
    }

    fn scores(&self, spec: &Spec) -> Scores {
        let members: Vec<&Arc<Spec>> = self.snapshot.specs.members(&spec.id).collect();
        Scores::of(spec, Size::of(spec), &members)
    }

    fn diagnostics(&self, file: &File) -> Vec<Diagnostic> {
        let spec = match file {
            File::Spec(spec) => spec,
            File::Broken(_) if self.config.disables(PARSE) => return Vec::new(),
            File::Broken(broken) => return vec![unreadable(broken)],
        };
        let keys = front_matter::keys(spec.yaml());
        let is_archived = |id: &str| self.project.is_archived(id);
        let subject = Subject {
            spec,
            size: Size::of(spec),
            keys: keys.into_iter().map(|key| key.name.into_owned()).collect(),
            specs: &self.snapshot.specs,
            config: self.config,
            cycle: self.loops.get(spec.id.as_str()).cloned(),
            is_archived: &is_archived,
            output: wrong_output(self.project, spec),
        };
        let findings = lint::run(&rules(), &subject).into_iter();
        let wanted = findings.filter(|(rule, _)| !self.config.disables(rule));
        let diagnostic = |(rule, finding): (&'static str, lint::Finding)| Diagnostic {
            spec_id: spec.id.to_string(),
            rule,
            severity: finding.severity.as_str(),
            message: finding.message,
            suggestion: finding.suggestion,
        };
        wanted.map(diagnostic).collect()
    }
}

/// Largest knot of specs waiting for one another in which each is told a loop of its own.
const LARGEST_KNOT: usize = 300;

/// The loops that specs are in, by ID, each beginning with the spec itself.
fn loops(snapshot: &Snapshot, files: &[File]) -> HashMap<String, Vec<String>> {
    let graph = snapshot.specs.graph();
    let own = |node: Node| {
        Some((
            graph.key(node).to_owned(),
            steps(graph, &graph.cycle_through(node)?),
        ))
    };
    if let [one] = files {
        let node = one.spec().and_then(|spec| graph.find(spec.id.as_str()));
        return node.and_then(own).into_iter().collect();
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
        let text = files::read(&project.disk, &project.root, path);
        text.ok().map(|(text, _)| text)
    };
    let Some(schema) = read(schema_path) else {
        return Some(format!("Output schema file not found: {schema_path}"));
    };
    let (path, name) = project.shown_log(spec.id.as_str()).ok()?;
    let (log, _) = project.disk.read_text(&path, &name).ok()?;
    super::super::output::wrong(schema_path, &schema, &log)
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
