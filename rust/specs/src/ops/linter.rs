//! Finds and keeps lint findings for as long as they are true: those of a spec's own text and the configuration
//! with the spec, those that look around it until what it names changes. Lint of everything costs what changed.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use imbl::OrdMap;
use rayon::prelude::*;

use crate::id::SpecId;
use crate::model::{BrokenSpec, Spec, SpecStatus};
use crate::parse;
use crate::project::{Project, ProjectSnapshot};
use crate::rules::{LOOKING_AROUND, LintSubject, PARSE, rules};
use crate::scores::{SpecScores, SpecSize};
use crate::specs::{SpecGraph, describe_cycle};
use crate::view::report::LintDiagnostic;
use chant_base::counted::count_visited;
use chant_base::error::Error;
use chant_base::lint::{LintFinding, Severity};
use chant_base::progress::ProgressMeter;
use chant_config::Config;
use chant_graph::{DepGraph, Node};
use chant_store::files;
use chant_store::index::{DocumentChange, FileSource};

/// The place of a file among all: by ID, names that are none first.
type FileKey = (Option<SpecId>, Box<str>);

/// The lint findings of files, in the order of IDs. A copy costs nothing.
#[derive(Clone, Default)]
pub(super) struct Linted {
    pub(super) files: OrdMap<FileKey, Arc<LintedFile>>,
    /// The number of specs that can be read.
    pub(super) specs: usize,
    /// The number of findings.
    pub(super) findings: usize,
    /// Findings that are errors.
    pub(super) errors: usize,
    /// The number of specs with each light, in the order of these.
    pub(super) lights: [usize; 3],
}

/// The findings about one file.
pub(super) struct LintedFile {
    /// The spec with what comes from it alone; none for a file that is no spec.
    own: Option<OwnFindings>,
    /// Its grades, those by its members included.
    pub(super) scores: Option<SpecScores>,
    /// All findings, in the order of the rules.
    pub(super) diagnostics: Vec<LintDiagnostic>,
    /// How long that is true.
    stays: FindingsLife,
}

/// The time for which findings that look around a spec are true.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FindingsLife {
    /// Until one of its family changes.
    Family,
    /// Until a name may mean something else: it names what is no active spec, or something was found.
    AnyArrival,
    /// They have to be found again each time: something beside specs was asked.
    Never,
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

impl LintedFile {
    /// The spec, if it is one.
    pub(super) fn spec(&self) -> Option<&Arc<Spec>> {
        self.own.as_ref().map(|own| &own.spec)
    }

    fn errors(&self) -> usize {
        self.diagnostics.iter().filter(|one| one.is_error()).count()
    }
}

impl Linted {
    fn put(&mut self, key: FileKey, file: Arc<LintedFile>) {
        self.take(&key);
        self.findings += file.diagnostics.len();
        self.errors += file.errors();
        if let Some(scores) = &file.scores {
            self.specs += 1;
            self.lights[scores.light() as usize] += 1;
        }
        self.files.insert(key, file);
    }

    fn take(&mut self, key: &FileKey) {
        let Some(file) = self.files.remove(key) else {
            return;
        };
        self.findings -= file.diagnostics.len();
        self.errors -= file.errors();
        if let Some(scores) = &file.scores {
            self.specs -= 1;
            self.lights[scores.light() as usize] -= 1;
        }
    }
}

/// The findings so far.
#[derive(Default)]
pub struct LintMemory(Mutex<Known>);

#[derive(Default)]
struct Known {
    config: Option<Arc<Config>>,
    /// Of which version of the specs everything is; none before the first time.
    version: Option<u64>,
    /// The arrivals among the specs then.
    arrivals: u64,
    linted: Linted,
    /// Files that are no specs.
    broken: Vec<FileKey>,
    /// Specs whose findings may be others by a change elsewhere.
    watched: BTreeSet<SpecId>,
    cycles: HashMap<String, Vec<String>>,
}

impl LintMemory {
    /// Returns the lint findings of all specs.
    pub(super) fn all(
        &self,
        project: &Project,
        snapshot: &ProjectSnapshot,
        config: &Arc<Config>,
    ) -> Linted {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |known: &Arc<Config>| Arc::ptr_eq(known, config);
        if !known.config.as_ref().is_some_and(is_same) {
            *known = Known {
                config: Some(Arc::clone(config)),
                ..Known::default()
            };
        }
        known.renew(project, snapshot, config);
        known.linted.clone()
    }
}

impl Known {
    fn renew(&mut self, project: &Project, snapshot: &ProjectSnapshot, config: &Config) {
        let specs = &snapshot.specs;
        let was = self.version.replace(specs.version());
        let arrivals = std::mem::replace(&mut self.arrivals, specs.arrivals());
        let is_new = was.is_none() || arrivals != self.arrivals;
        let roots = was.and_then(|was| specs.changed_since(was));
        let mut concerned: BTreeSet<SpecId> = if let Some(roots) = roots {
            let families = roots.into_iter().map(|root| self.family(specs, root));
            families.flatten().collect()
        } else {
            let known = self.linted.files.keys().filter_map(|(id, _)| id.clone());
            let now = specs.all().iter().map(|spec| spec.id.clone());
            known.chain(now).collect()
        };
        let changed: Vec<SpecId> = concerned.iter().cloned().collect();
        let moves = changed.iter().filter(|id| self.draws_otherwise(specs, id));
        let moves: Vec<&SpecId> = moves.collect();
        if !moves.is_empty() && self.closes_otherwise(specs, &changed) {
            let cycles = cycles(specs.graph());
            let is_other = |id: &&String| self.cycles.get(*id) != cycles.get(*id);
            let all = self.cycles.keys().chain(cycles.keys()).filter(is_other);
            concerned.extend(all.filter_map(|id| id.parse().ok()));
            self.cycles = cycles;
        }
        for id in moves {
            if specs.find(id.as_str()).is_none() {
                concerned.extend(named_by(specs, id));
            }
        }
        let life = |id: &&SpecId| {
            let file = self.linted.files.get(&key_of(id));
            file.is_none_or(|file| is_new || file.stays == FindingsLife::Never)
        };
        concerned.extend(self.watched.iter().filter(life).cloned());
        self.look_at(project, snapshot, config, &concerned);
        self.look_at_broken(specs, config);
    }

    /// The specs of a family as they are and as they were.
    fn family(&self, specs: &SpecGraph, root: &str) -> Vec<SpecId> {
        let now = specs.family(root).map(|spec| spec.id.clone());
        let start = root.parse::<SpecId>().ok().map(|id| key_of(&id));
        let were = start.map(|start| self.linted.files.range(start..));
        let were = were.into_iter().flatten().map_while(|((id, _), file)| {
            let id = id.as_ref().filter(|id| id.root() == root)?;
            Some(file.spec().map(|_| id.clone()))
        });
        now.chain(were.flatten()).collect()
    }

    /// Returns true if the waits of a spec may be others than before: it came, it went, or names others.
    fn draws_otherwise(&self, specs: &SpecGraph, id: &SpecId) -> bool {
        let before = self.linted.files.get(&key_of(id)).and_then(|f| f.spec());
        let names = |spec: Option<&Arc<Spec>>| spec.map(|spec| spec.depends_on.clone());
        names(before) != names(specs.find(id.as_str()))
    }

    /// Returns true if the changed specs may be in other cycles than before, as far as a few of them can tell.
    fn closes_otherwise(&self, specs: &SpecGraph, changed: &[SpecId]) -> bool {
        let graph = specs.graph();
        let is_in_cycle = |id: &SpecId| {
            let node = graph.find(id.as_str());
            self.cycles.contains_key(id.as_str())
                || node.is_some_and(|node| graph.cycle_through(node).is_some())
        };
        changed.len() > MOST_FOLLOWED || changed.iter().any(is_in_cycle)
    }

    fn look_at(
        &mut self,
        project: &Project,
        snapshot: &ProjectSnapshot,
        config: &Config,
        ids: &BTreeSet<SpecId>,
    ) {
        let linter = SpecLinter::new(project, snapshot, config, &self.cycles);
        let meter = ProgressMeter::begin("Linting specs", ids.len());
        let files = &self.linted.files;
        let found = ids.par_iter().map(|id| {
            let spec = snapshot.specs.find(id.as_str());
            let known = files.get(&key_of(id)).and_then(|file| file.own.as_ref());
            let file = spec.map(|spec| Arc::new(linter.file(spec, known)));
            meter.step();
            (id, file)
        });
        for (id, file) in found.collect::<Vec<_>>() {
            let key = key_of(id);
            self.watched.remove(id);
            let Some(file) = file else {
                self.linted.take(&key);
                continue;
            };
            if file.stays != FindingsLife::Family {
                self.watched.insert(id.clone());
            }
            self.linted.put(key, file);
        }
    }

    fn look_at_broken(&mut self, specs: &SpecGraph, config: &Config) {
        for key in std::mem::take(&mut self.broken) {
            if self.linted.files.get(&key).is_some_and(|f| f.own.is_none()) {
                self.linted.take(&key);
            }
        }
        for broken in specs.broken() {
            let key = key_of_broken(broken);
            self.broken.push(key.clone());
            self.linted.put(key, Arc::new(file_of(broken, config)));
        }
    }
}

fn key_of(id: &SpecId) -> FileKey {
    (Some(id.clone()), id.as_str().into())
}

fn key_of_broken(broken: &BrokenSpec) -> FileKey {
    let name = format!("{} {}", broken.id, broken.problem.path);
    (broken.id.parse().ok(), name.into())
}

/// The specs that name another one as a dependency or as a member.
fn named_by(specs: &SpecGraph, id: &SpecId) -> Vec<SpecId> {
    let node = specs.graph().find(id.as_str());
    let nodes = node.map(|node| specs.graph().named_by(node));
    let named = nodes.into_iter().flatten();
    named
        .filter_map(|node| specs.graph().key(node).parse().ok())
        .collect()
}

/// Returns the findings about a text as the spec of a path, as it would stand among the others; nothing is read of
/// the disk but what the archive holds. `finds` says whether there is an item of another format.
///
/// # Errors
/// That the configuration cannot be read.
pub fn lint_draft(
    project: &Project,
    snapshot: &ProjectSnapshot,
    path: &str,
    text: &str,
    finds: &dyn Fn(&str) -> bool,
) -> Result<Vec<LintDiagnostic>, Error> {
    let config = snapshot.config.clone()?;
    let document = project.shown(parse::document(path, FileSource::Text(text.to_owned())));
    let mut specs = SpecGraph::clone(&snapshot.specs);
    let change = DocumentChange {
        path: path.into(),
        document: Some(document.clone()),
    };
    specs.apply(vec![change]);
    let file = match document {
        Ok(spec) => LintFile::Spec(spec),
        Err(broken) => LintFile::Broken(broken),
    };
    if let LintFile::Spec(spec) = &file {
        for name in spec.depends_on.iter().flatten() {
            let id = name.strip_prefix("chant:").unwrap_or(name);
            let is_new = snapshot.specs.elsewhere(id).is_none();
            if is_new && (finds(id) || specs.find(id).is_none() && project.is_archived(id)) {
                specs.find_elsewhere(id);
            }
        }
    }
    let drafted = ProjectSnapshot {
        specs: Arc::new(specs),
        config: snapshot.config.clone(),
        config_texts: snapshot.config_texts.clone(),
    };
    let linted = lint_file(project, &drafted, &config, &file, true);
    let files = linted.files.values();
    Ok(files.flat_map(|file| file.diagnostics.clone()).collect())
}

/// Returns the lint findings of one file alone.
pub(super) fn of_file(
    project: &Project,
    snapshot: &ProjectSnapshot,
    config: &Config,
    file: &LintFile,
) -> Linted {
    lint_file(project, snapshot, config, file, false)
}

fn lint_file(
    project: &Project,
    snapshot: &ProjectSnapshot,
    config: &Config,
    file: &LintFile,
    is_draft: bool,
) -> Linted {
    let mut linted = Linted::default();
    match file {
        LintFile::Broken(broken) => {
            linted.put(key_of_broken(broken), Arc::new(file_of(broken, config)));
        }
        LintFile::Spec(spec) => {
            let graph = snapshot.specs.graph();
            let node = graph.find(spec.id.as_str());
            let cycle = node.and_then(|node| cycle_of(graph, node));
            let cycles = cycle.into_iter().collect();
            let linter = SpecLinter {
                is_draft,
                ..SpecLinter::new(project, snapshot, config, &cycles)
            };
            linted.put(key_of(&spec.id), Arc::new(linter.file(spec, None)));
        }
    }
    linted
}

/// A file to look at.
pub(super) enum LintFile {
    /// One that is a spec.
    Spec(Arc<Spec>),
    /// One that is none.
    Broken(Arc<BrokenSpec>),
}

/// Everything the rules need to know.
struct SpecLinter<'a> {
    project: &'a Project,
    snapshot: &'a ProjectSnapshot,
    config: &'a Config,
    cycles: &'a HashMap<String, Vec<String>>,
    /// True for a text that is not on disk: nothing is read of an agent's output.
    is_draft: bool,
}

impl<'a> SpecLinter<'a> {
    fn new(
        project: &'a Project,
        snapshot: &'a ProjectSnapshot,
        config: &'a Config,
        cycles: &'a HashMap<String, Vec<String>>,
    ) -> Self {
        Self {
            project,
            snapshot,
            config,
            cycles,
            is_draft: false,
        }
    }

    /// What is found about a spec; what comes from it alone is taken from before where it is the same.
    fn file(&self, spec: &Arc<Spec>, known: Option<&OwnFindings>) -> LintedFile {
        count_visited(1);
        let known = known.filter(|known| Arc::ptr_eq(&known.spec, spec));
        let own = known.cloned().unwrap_or_else(|| self.own(spec));
        let members: Vec<&Arc<Spec>> = self.snapshot.specs.members(&spec.id).collect();
        let scores = if members.is_empty() {
            own.scores.clone()
        } else {
            SpecScores::of(spec, own.size, &members)
        };
        let is_lasting = AtomicBool::new(true);
        let mut findings = self.by_rules(spec, own.size, Some(&is_lasting));
        let is_active = |name: &str| {
            let id = name.strip_prefix("chant:").unwrap_or(name);
            self.snapshot.specs.find(id).is_some()
        };
        let mut named = spec.depends_on.iter().flatten();
        let is_settled = named.all(|name| is_active(name)) && spec.members.is_none();
        let stays = match (is_lasting.load(Relaxed), is_settled && findings.is_empty()) {
            (false, _) => FindingsLife::Never,
            (true, false) => FindingsLife::AnyArrival,
            (true, true) => FindingsLife::Family,
        };
        findings.extend(own.findings.iter().cloned());
        findings.sort_by_key(|(rule, _)| *rule);
        let rules = rules();
        let diagnostic = |(rule, finding): (usize, LintFinding)| LintDiagnostic {
            spec_id: spec.id.to_string(),
            rule: rules[rule].name.into(),
            severity: finding.severity.as_str().into(),
            message: finding.message,
            suggestion: finding.suggestion,
            path: spec.path.clone(),
            place: Some(finding.place),
        };
        LintedFile {
            diagnostics: findings.into_iter().map(diagnostic).collect(),
            scores: (!spec.is_withheld).then_some(scores),
            own: Some(own),
            stays,
        }
    }

    fn own(&self, spec: &Arc<Spec>) -> OwnFindings {
        let size = SpecSize::of(spec);
        OwnFindings {
            findings: self.by_rules(spec, size, None).into(),
            scores: SpecScores::of(spec, size, &[]),
            spec: Arc::clone(spec),
            size,
        }
    }

    /// Returns the findings of the rules that look at a spec's own text; with a flag, of those that look around it:
    /// it falls when something was asked that may change while specs and configuration stay as they are.
    fn by_rules(
        &self,
        spec: &Arc<Spec>,
        size: SpecSize,
        around: Option<&AtomicBool>,
    ) -> Vec<(usize, LintFinding)> {
        if spec.is_withheld {
            return Vec::new();
        }
        let is_archived = |id: &str| {
            around.inspect(|lasting| lasting.store(false, Relaxed));
            self.project.is_archived(id)
        };
        let subject = LintSubject {
            spec,
            size,
            front: OnceCell::new(),
            specs: &self.snapshot.specs,
            config: self.config,
            cycle: self.cycles.get(spec.id.as_str()).cloned(),
            is_archived: &is_archived,
            output: around.and_then(|lasting| self.wrong_output(spec, lasting)),
        };
        let rules = rules().into_iter().enumerate();
        let wanted = rules.filter(|(_, rule)| {
            LOOKING_AROUND.contains(&rule.name) == around.is_some()
                && !self.config.disables(rule.name)
        });
        let found = wanted.flat_map(|(at, rule)| {
            let findings = (rule.check)(&subject).into_iter();
            findings.map(move |finding| (at, finding))
        });
        found.collect()
    }

    /// Returns the problem with the output that a completed spec's agent was to give, when there is a log.
    fn wrong_output(&self, spec: &Spec, lasting: &AtomicBool) -> Option<String> {
        let schema_path = spec
            .output_schema
            .as_deref()
            .filter(|_| spec.status == SpecStatus::Completed && !self.is_draft)?;
        lasting.store(false, Relaxed);
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

/// Changed specs that are followed one by one to see whether they close a cycle.
const MOST_FOLLOWED: usize = 16;

/// The size of the largest set of specs waiting for one another in which a cycle is reported for each.
const LARGEST_COMPONENT: usize = 300;

/// The cycle that an item is in, beginning with it, by its key.
fn cycle_of(graph: &DepGraph, node: Node) -> Option<(String, Vec<String>)> {
    let cycle = graph.cycle_through(node)?;
    Some((graph.key(node).to_owned(), describe_cycle(graph, &cycle)))
}

/// Returns the cycles that specs are in, by ID, each beginning with the spec itself.
fn cycles(graph: &DepGraph) -> HashMap<String, Vec<String>> {
    let mut cycles = HashMap::new();
    for component in graph.cyclic_components() {
        if component.len() <= LARGEST_COMPONENT {
            let own = |node| cycle_of(graph, node);
            cycles.extend(component.into_iter().filter_map(own));
        } else if let Some((_, path)) = component.first().and_then(|node| cycle_of(graph, *node)) {
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

fn file_of(broken: &BrokenSpec, config: &Config) -> LintedFile {
    let problem = &broken.problem;
    let line = problem.line.map(|line| format!(":{line}"));
    let diagnostic = LintDiagnostic {
        spec_id: broken.id.to_string(),
        rule: PARSE.into(),
        severity: Severity::Error.as_str().into(),
        message: problem.message.clone(),
        suggestion: Some(format!("Fix {}{}", problem.path, line.unwrap_or_default())),
        path: problem.path.clone(),
        place: problem.place,
    };
    let is_off = config.disables(PARSE);
    LintedFile {
        own: None,
        scores: None,
        diagnostics: if is_off { Vec::new() } else { vec![diagnostic] },
        stays: FindingsLife::Family,
    }
}
