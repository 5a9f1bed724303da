//! Finds and keeps lint findings for as long as they are true: those of a spec's own text and the configuration
//! are kept with the spec, and all of them together until a spec, the configuration or something around them
//! changes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::id::SpecId;
use crate::model::{BrokenSpec, Spec, SpecStatus};
use crate::project::{Project, ProjectSnapshot};
use crate::rules::{LOOKING_AROUND, LintSubject, PARSE, rules};
use crate::scores::{SpecScores, SpecSize};
use crate::specs::describe_cycle;
use crate::view::report::LintDiagnostic;
use chant_base::counted::count_visited;
use chant_base::lint::{LintFinding, Severity};
use chant_base::progress::ProgressMeter;
use chant_config::Config;
use chant_graph::Node;
use chant_store::files;
use chant_text::front_matter;

/// The lint findings of some files.
pub(super) struct Linted {
    /// The number of files that were looked at.
    pub(super) files: usize,
    /// Findings in the order of IDs and rules.
    pub(super) diagnostics: Vec<LintDiagnostic>,
    /// Specs with their grades, in the order of IDs.
    pub(super) scores: Vec<(Arc<Spec>, SpecScores)>,
    /// Findings that are errors.
    pub(super) errors: usize,
    /// The number of specs with each light, in the order of these.
    pub(super) lights: [usize; 3],
}

/// The findings so far.
#[derive(Default)]
pub struct LintMemory(Mutex<Known>);

#[derive(Default)]
struct Known {
    config: Option<Arc<Config>>,
    /// The findings that come from specs themselves, by the indices of their nodes.
    own: Vec<Option<OwnFindings>>,
    /// All together, and of which version of the specs.
    all: Option<(u64, Arc<Linted>)>,
}

/// The findings that come from a spec's own text and the configuration.
#[derive(Clone)]
struct OwnFindings {
    spec: Arc<Spec>,
    size: SpecSize,
    /// Findings with the place of their rule.
    findings: Arc<[(usize, LintFinding)]>,
    /// Its grades, for one without members.
    scores: SpecScores,
}

impl LintMemory {
    /// Returns the lint findings of all specs.
    pub(super) fn all(
        &self,
        project: &Project,
        snapshot: &ProjectSnapshot,
        config: &Arc<Config>,
    ) -> Arc<Linted> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |known: &Arc<Config>| Arc::ptr_eq(known, config);
        if !known.config.as_ref().is_some_and(is_same) {
            *known = Known {
                config: Some(Arc::clone(config)),
                ..Known::default()
            };
        }
        let version = snapshot.specs.version();
        if let Some((of, linted)) = &known.all
            && *of == version
        {
            return Arc::clone(linted);
        }
        let files = all_files(snapshot);
        let linter = SpecLinter::new(project, snapshot, config, &files);
        known.all = None;
        linter.bring_up_to_date(&mut known.own, &files);
        let linted = Arc::new(linter.linted(&files, &known.own));
        if linter.is_lasting.load(Relaxed) {
            known.all = Some((version, Arc::clone(&linted)));
        }
        linted
    }
}

/// Returns the lint findings of some files alone.
pub(super) fn of_files(
    project: &Project,
    snapshot: &ProjectSnapshot,
    config: &Config,
    files: &[LintFile],
) -> Linted {
    SpecLinter::new(project, snapshot, config, files).linted(files, &[])
}

/// A file to look at.
pub(super) enum LintFile {
    /// One that is a spec.
    Spec(Arc<Spec>),
    /// One that is none.
    Broken(Arc<BrokenSpec>),
}

impl LintFile {
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

/// All files in the order of their IDs.
fn all_files(snapshot: &ProjectSnapshot) -> Vec<LintFile> {
    let specs = &snapshot.specs;
    let mut files: Vec<LintFile> = specs.all().iter().cloned().map(LintFile::Spec).collect();
    if specs.broken().len() > 0 {
        files.extend(specs.broken().cloned().map(LintFile::Broken));
        files.sort_by_cached_key(LintFile::key);
    }
    files
}

/// Everything the rules need to know.
struct SpecLinter<'a> {
    project: &'a Project,
    snapshot: &'a ProjectSnapshot,
    config: &'a Config,
    cycles: HashMap<String, Vec<String>>,
    /// True if nothing was asked that may change while specs and configuration stay as they are.
    is_lasting: AtomicBool,
}

impl<'a> SpecLinter<'a> {
    fn new(
        project: &'a Project,
        snapshot: &'a ProjectSnapshot,
        config: &'a Config,
        files: &[LintFile],
    ) -> Self {
        Self {
            project,
            snapshot,
            config,
            cycles: cycles(snapshot, files),
            is_lasting: AtomicBool::new(true),
        }
    }

    /// Finds out what specs say themselves of which that is not known.
    fn bring_up_to_date(&self, own: &mut Vec<Option<OwnFindings>>, files: &[LintFile]) {
        let graph = self.snapshot.specs.graph();
        own.resize_with(graph.len(), || None);
        let place = |spec: &Arc<Spec>| graph.find(spec.id.as_str()).map(Node::index);
        let is_unknown = |spec: &Arc<Spec>, at: usize| {
            let known = own[at].as_ref();
            !known.is_some_and(|known| Arc::ptr_eq(&known.spec, spec))
        };
        let specs = files.par_iter().filter_map(LintFile::spec);
        let meter = ProgressMeter::begin("Linting specs", files.len());
        let unknown = specs.filter_map(|spec| {
            let at = place(spec).filter(|at| is_unknown(spec, *at));
            let found = at.map(|at| (at, self.own(spec)));
            meter.step();
            found
        });
        for (at, found) in unknown.collect::<Vec<_>>() {
            own[at] = Some(found);
        }
    }

    fn linted(&self, files: &[LintFile], own: &[Option<OwnFindings>]) -> Linted {
        let found: Vec<_> = files.par_iter().map(|file| self.found(file, own)).collect();
        let mut linted = Linted {
            files: files.len(),
            diagnostics: Vec::new(),
            scores: Vec::with_capacity(files.len()),
            errors: 0,
            lights: [0; 3],
        };
        for (file, (diagnostics, scores)) in files.iter().zip(found) {
            let is_error = |d: &&LintDiagnostic| d.severity == Severity::Error.as_str();
            linted.errors += diagnostics.iter().filter(is_error).count();
            linted.diagnostics.extend(diagnostics);
            if let Some((spec, scores)) = file.spec().zip(scores) {
                linted.lights[scores.light() as usize] += 1;
                linted.scores.push((Arc::clone(spec), scores));
            }
        }
        linted
    }

    fn found(
        &self,
        file: &LintFile,
        own: &[Option<OwnFindings>],
    ) -> (Vec<LintDiagnostic>, Option<SpecScores>) {
        let spec = match file {
            LintFile::Spec(spec) => spec,
            LintFile::Broken(_) if self.config.disables(PARSE) => return (Vec::new(), None),
            LintFile::Broken(broken) => return (vec![unreadable(broken)], None),
        };
        let node = self.snapshot.specs.graph().find(spec.id.as_str());
        let known = node.and_then(|node| own.get(node.index())?.clone());
        let own = known.unwrap_or_else(|| self.own(spec));
        let members: Vec<&Arc<Spec>> = self.snapshot.specs.members(&spec.id).collect();
        let scores = if members.is_empty() {
            own.scores.clone()
        } else {
            SpecScores::of(spec, own.size, &members)
        };
        let mut findings = self.by_rules(spec, own.size, true);
        findings.extend(own.findings.iter().cloned());
        findings.sort_by_key(|(rule, _)| *rule);
        let rules = rules();
        let diagnostic = |(rule, finding): (usize, LintFinding)| LintDiagnostic {
            spec_id: spec.id.to_string(),
            rule: rules[rule].name.into(),
            severity: finding.severity.as_str().into(),
            message: finding.message,
            suggestion: finding.suggestion,
        };
        let diagnostics = findings.into_iter().map(diagnostic).collect();
        (diagnostics, Some(scores))
    }

    fn own(&self, spec: &Arc<Spec>) -> OwnFindings {
        count_visited(1);
        let size = SpecSize::of(spec);
        OwnFindings {
            findings: self.by_rules(spec, size, false).into(),
            scores: SpecScores::of(spec, size, &[]),
            spec: Arc::clone(spec),
            size,
        }
    }

    /// Returns the findings of the rules that look around a spec, or of those that look at its own text.
    fn by_rules(
        &self,
        spec: &Arc<Spec>,
        size: SpecSize,
        around: bool,
    ) -> Vec<(usize, LintFinding)> {
        let is_archived = |id: &str| {
            self.is_lasting.store(false, Relaxed);
            self.project.is_archived(id)
        };
        let keys = if around {
            Vec::new()
        } else {
            front_matter::keys(spec.yaml())
        };
        let subject = LintSubject {
            spec,
            size,
            keys: keys.into_iter().map(|key| key.name.into_owned()).collect(),
            specs: &self.snapshot.specs,
            config: self.config,
            cycle: self.cycles.get(spec.id.as_str()).cloned(),
            is_archived: &is_archived,
            output: if around {
                self.wrong_output(spec)
            } else {
                None
            },
        };
        let rules = rules().into_iter().enumerate();
        let wanted = rules.filter(|(_, rule)| {
            LOOKING_AROUND.contains(&rule.name) == around && !self.config.disables(rule.name)
        });
        let found = wanted.flat_map(|(at, rule)| {
            let findings = (rule.check)(&subject).into_iter();
            findings.map(move |finding| (at, finding))
        });
        found.collect()
    }

    /// Returns the problem with the output that a completed spec's agent was to give, when there is a log.
    fn wrong_output(&self, spec: &Spec) -> Option<String> {
        let schema_path = spec
            .output_schema
            .as_deref()
            .filter(|_| spec.status == SpecStatus::Completed)?;
        self.is_lasting.store(false, Relaxed);
        let project = self.project;
        let read = |path: &str| {
            let text = files::read(&project.disk, &project.root, path);
            text.ok().map(|(text, _)| text)
        };
        let Some(schema) = read(schema_path) else {
            return Some(format!("Output schema file not found: {schema_path}"));
        };
        let (runs, id) = (project.run_lookup, spec.id.as_str());
        runs.find_wrong_output(project, id, schema_path, &schema)
    }
}

/// The size of the largest set of specs waiting for one another in which a cycle is reported for each.
const LARGEST_COMPONENT: usize = 300;

/// Returns the cycles that specs are in, by ID, each beginning with the spec itself.
fn cycles(snapshot: &ProjectSnapshot, files: &[LintFile]) -> HashMap<String, Vec<String>> {
    let graph = snapshot.specs.graph();
    let own = |node: Node| {
        Some((
            graph.key(node).to_owned(),
            describe_cycle(graph, &graph.cycle_through(node)?),
        ))
    };
    if let [one] = files {
        let node = one.spec().and_then(|spec| graph.find(spec.id.as_str()));
        return node.and_then(own).into_iter().collect();
    }
    let mut cycles = HashMap::new();
    for component in graph.cyclic_components() {
        if component.len() <= LARGEST_COMPONENT {
            cycles.extend(component.into_iter().filter_map(own));
        } else if let Some((_, path)) = component.first().and_then(|node| own(*node)) {
            let shared = vec![format!(
                "one of {} specs that wait for one another, such as {}",
                component.len(),
                path.join(" -> ")
            )];
            cycles.extend(
                component
                    .into_iter()
                    .map(|node| (graph.key(node).to_owned(), shared.clone())),
            );
        }
    }
    cycles
}

fn unreadable(broken: &BrokenSpec) -> LintDiagnostic {
    let line = broken
        .problem
        .line
        .map(|line| format!(":{line}"))
        .unwrap_or_default();
    LintDiagnostic {
        spec_id: broken.id.to_string(),
        rule: PARSE.into(),
        severity: Severity::Error.as_str().into(),
        message: broken.problem.message.clone(),
        suggestion: Some(format!("Fix {}{line}", broken.problem.path)),
    }
}
