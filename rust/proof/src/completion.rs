//! The judgement of a run's work: commits of its own, criteria ticked as they stood, checks passed.
//!
//! Nothing is believed here only because it is claimed, and nothing ticks a criterion.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use chant_base::plural::first_of;
use chant_evidence::TestReport;
use chant_git::bookkeeping::WorkCommit;
pub use chant_receipts::CriterionAtStart;
use chant_specs::checks::checks_named;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::parse;
use chant_store::index::FileSource;

/// The trailer of commits that the runtime makes for itself; they are no evidence.
pub const BOOKKEEPING: &str = "Chant-Bookkeeping: true";

/// The number of files, criteria or objections that a reason names.
pub const MAX_NAMED: usize = 10;

/// Trailers by which agents sign commits.
const AGENTS: [&str; 9] = [
    "claude", "gpt", "copilot", "gemini", "cursor", "anthropic", "openai", "assistant", "codex",
];

/// A commit on a run's branch after its first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchCommit {
    /// Its id.
    pub id: String,
    /// Its whole message.
    pub message: String,
    /// The paths it changes.
    pub paths: Vec<String>,
}

impl From<&WorkCommit> for BranchCommit {
    fn from(commit: &WorkCommit) -> Self {
        Self {
            id: commit.id.clone(),
            message: commit.message.clone(),
            paths: commit.paths.clone(),
        }
    }
}

/// The result of a check that was run at the branch's tip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    /// Its name.
    pub name: String,
    /// Its exit code; `None` when it was ended or could not be started.
    pub exit: Option<i32>,
    /// The sentence about it when it looks as if something was refused to it.
    pub refused: Option<String>,
    /// The tests that it reports.
    pub report: Option<TestReport>,
    /// Its flaky tests, if it ended in both ways on the same files; one without a name for a check without a report.
    pub flaky: Option<Vec<String>>,
}

/// The state of the output that a spec asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum OutputCheck {
    /// The spec asks for none.
    #[default]
    NotAsked,
    /// It fits its schema.
    Fits,
    /// It does not, or there is none; the text says why.
    Wrong(String),
}

/// The results that a run left behind.
#[derive(Debug, Clone, Copy)]
pub struct EvidenceInputs<'a> {
    /// The criteria when it began.
    pub criteria: &'a [CriterionAtStart],
    /// Path of the spec's file, as commits name it.
    pub spec_path: &'a str,
    /// The spec's file at the branch's tip.
    pub tip: Option<&'a str>,
    /// The commits that the branch has after its first one and the main branch has not.
    pub commits: &'a [BranchCommit],
    /// Files of other specs that differ between the branch's first commit and its tip; empty where
    /// the configuration allows that.
    pub other_specs: &'a [String],
    /// The results of the checks.
    pub checks: &'a [CheckResult],
    /// Paths of the worktree that are not committed, when checks are to be run in it.
    pub uncommitted: &'a [String],
    /// The output.
    pub output: &'a OutputCheck,
}

/// Why a run's work does not count as done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IncompleteReason {
    /// The spec's file is gone.
    #[error("the branch removed the spec's file; put it back as it was")]
    SpecGone,
    /// The spec's file cannot be read.
    #[error("the branch's spec file cannot be read: {0}")]
    SpecUnreadable(String),
    /// Criteria were removed or reworded.
    #[error("acceptance criteria were removed or reworded: {}", first_of(.0, MAX_NAMED, "; "))]
    CriteriaChanged(Vec<String>),
    /// Other specs were changed.
    #[error("the branch changes other specs: {}", first_of(.0, MAX_NAMED, ", "))]
    OtherSpecs(Vec<String>),
    /// Planning documents were changed beyond the boxes of the run's own item.
    #[error("a person has to look at its planning documents: the branch {}", first_of(.0, MAX_NAMED, "; it "))]
    OtherItems(Vec<String>),
    /// The output is not as asked for.
    #[error("the output does not match its schema: {0}")]
    Output(String),
    /// A check did not end by itself or was not run.
    #[error("check '{0}' did not run to its end")]
    CheckNotRun(String),
    /// Checks would run with what the branch asks to be installed.
    #[error("checks were not run: {0}")]
    EnvironmentChanged(String),
    /// Checks would have looked at something else than what is committed.
    #[error("the worktree has uncommitted changes, which checks would not see: {}", first_of(.0, MAX_NAMED, ", "))]
    Uncommitted(Vec<String>),
    /// The agent committed nothing.
    #[error("the agent made no commit")]
    NoCommit,
    /// The agent committed nothing but the spec's file.
    #[error("the agent's commits change nothing but the spec's file")]
    OnlySpecFile,
    /// Nothing was committed since a person rejected the work.
    #[error("no commit changes a file since the work was rejected")]
    UnchangedSinceRejection,
    /// Comments of people that were given to the agent have no answer.
    #[error(
        "{} no answer: {}",
        if .0.len() == 1 { "1 comment has".to_owned() } else { format!("{} comments have", .0.len()) },
        .0.join(", ")
    )]
    Unanswered(Vec<String>),
    /// Criteria are open.
    #[error("acceptance criteria are open: {}", first_of(.0, MAX_NAMED, "; "))]
    Open(Vec<String>),
    /// A check failed.
    #[error(
        "check '{name}' failed with exit code {exit}{}",
        .refused.as_ref().map(|refused| format!("; {refused}")).unwrap_or_default()
    )]
    CheckFailed {
        /// Its name.
        name: String,
        /// Its exit code.
        exit: i32,
        /// The sentence about what seems to have been refused to it.
        refused: Option<String>,
    },
    /// A check ends in both ways on the same files, and nobody allowed that.
    #[error(
        "check '{name}' failed and passed on the same files, and `proof.allow_flaky` does not name {}",
        first_of(.tests, MAX_NAMED, ", ")
    )]
    Flaky {
        /// Its name.
        name: String,
        /// Its tests that do.
        tests: Vec<String>,
    },
    /// Nothing shows that the checks of criteria see the change, and the project asks for that.
    #[error("no check fails without the change, which `proof.require: red` asks for: {}", .0.join("; "))]
    NotRed(Vec<String>),
    /// Code that no check holds, where the project asks that all is held.
    #[error("no test fails without this code, which `proof.require: held` asks for: {}", first_of(.0, MAX_NAMED, "; "))]
    NotHeld(Vec<String>),
    /// An evidence check of a plugin does not agree.
    #[error("evidence check '{name}' {why}")]
    EvidenceCheck {
        /// Its name.
        name: String,
        /// The objection or the failure, in words that continue the name.
        why: String,
    },
    /// An evidence check of a plugin could not be asked, because nothing would end it.
    #[error("evidence check '{0}' was not asked")]
    EvidenceCheckNotAsked(String),
}

impl IncompleteReason {
    /// Returns true if a person has to look; otherwise another try may succeed.
    pub fn needs_attention(&self) -> bool {
        !matches!(
            self,
            Self::NoCommit
                | Self::OnlySpecFile
                | Self::UnchangedSinceRejection
                | Self::Open(_)
                | Self::CheckFailed { .. }
                | Self::NotRed(_)
                | Self::NotHeld(_)
                | Self::EvidenceCheck { .. }
        )
    }
}

/// The judgement of a run's work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompletionEvidence {
    /// The parts that are missing, gravest first; empty when the work is done.
    pub reasons: Vec<IncompleteReason>,
    /// Criteria that are ticked now and were not when the run began.
    pub ticked_by_agent: Vec<String>,
    /// Criteria that were ticked when it began and still are.
    pub ticked_at_start: Vec<String>,
    /// The agent's own commits, in the order given.
    pub commits: Vec<String>,
}

impl CompletionEvidence {
    /// Returns true if the work is done.
    pub fn is_complete(&self) -> bool {
        self.reasons.is_empty()
    }

    /// The same evidence with what a format objects to.
    #[must_use]
    pub fn with_objections(mut self, objections: &[String]) -> Self {
        if !objections.is_empty() {
            let reason = IncompleteReason::OtherItems(objections.to_vec());
            self.reasons.insert(0, reason);
        }
        self
    }

    /// The state the spec goes into.
    pub fn status(&self) -> SpecStatus {
        if self.is_complete() {
            SpecStatus::Completed
        } else if self.reasons.iter().any(IncompleteReason::needs_attention) {
            SpecStatus::NeedsAttention
        } else {
            SpecStatus::Failed
        }
    }

    /// Everything that is missing, in one text.
    pub fn reason(&self) -> Option<String> {
        let reasons: Vec<String> = self
            .reasons
            .iter()
            .map(IncompleteReason::to_string)
            .collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }
}

/// The criteria of a spec as a run has to find them again.
pub fn criteria_at_start(spec: &Spec) -> Vec<CriterionAtStart> {
    let checks = checks_named(spec);
    let criterion = |(criterion, checks)| CriterionAtStart {
        text: spec.criterion_text(criterion),
        checked: criterion.checked,
        checks,
    };
    spec.criteria.iter().zip(checks).map(criterion).collect()
}

/// Looks at what a run left behind.
pub fn assess_run(finished: &EvidenceInputs<'_>) -> CompletionEvidence {
    let mut evidence = CompletionEvidence::default();
    match spec_at_tip(finished) {
        Ok(spec) => look_at_criteria(&mut evidence, finished.criteria, &spec),
        Err(reason) => evidence.reasons.push(reason),
    }
    if !finished.other_specs.is_empty() {
        let others = finished.other_specs.to_vec();
        evidence.reasons.push(IncompleteReason::OtherSpecs(others));
    }
    if let OutputCheck::Wrong(why) = finished.output {
        evidence.reasons.push(IncompleteReason::Output(why.clone()));
    }
    look_at_commits(&mut evidence, finished);
    if finished.uncommitted.is_empty() {
        look_at_checks(&mut evidence, finished);
    } else {
        let paths = finished.uncommitted.to_vec();
        evidence.reasons.push(IncompleteReason::Uncommitted(paths));
    }
    evidence
        .reasons
        .sort_by_key(|reason| !reason.needs_attention());
    evidence
}

fn spec_at_tip(finished: &EvidenceInputs<'_>) -> Result<Arc<Spec>, IncompleteReason> {
    let text = finished.tip.ok_or(IncompleteReason::SpecGone)?;
    parse::document(finished.spec_path, FileSource::Text(text.to_owned()))
        .map_err(|broken| IncompleteReason::SpecUnreadable(broken.problem.message.clone()))
}

fn look_at_criteria(evidence: &mut CompletionEvidence, at_start: &[CriterionAtStart], spec: &Spec) {
    let mut open = Vec::new();
    // Of several criteria of one text the first at the start is the first at the tip.
    let mut now: HashMap<String, VecDeque<bool>> = HashMap::new();
    for criterion in &spec.criteria {
        let text = spec.criterion_text(criterion);
        if !criterion.checked {
            open.push(text.clone());
        }
        now.entry(text).or_default().push_back(criterion.checked);
    }
    let mut missing = Vec::new();
    for criterion in at_start {
        let text = criterion.text.clone();
        let found = now.get_mut(&text).and_then(VecDeque::pop_front);
        match (found, criterion.checked) {
            (None, _) => missing.push(text),
            (Some(true), true) => evidence.ticked_at_start.push(text),
            (Some(true), false) => evidence.ticked_by_agent.push(text),
            (Some(false), _) => {}
        }
    }
    if !missing.is_empty() {
        evidence
            .reasons
            .push(IncompleteReason::CriteriaChanged(missing));
    }
    if !open.is_empty() {
        evidence.reasons.push(IncompleteReason::Open(open));
    }
}

fn look_at_commits(evidence: &mut CompletionEvidence, finished: &EvidenceInputs<'_>) {
    let own = finished
        .commits
        .iter()
        .filter(|c| !is_bookkeeping(&c.message));
    let own: Vec<&BranchCommit> = own.collect();
    evidence.commits = own.iter().map(|commit| commit.id.clone()).collect();
    let is_work =
        |commit: &&BranchCommit| commit.paths.iter().any(|path| path != finished.spec_path);
    if own.is_empty() {
        evidence.reasons.push(IncompleteReason::NoCommit);
    } else if !own.iter().any(is_work) {
        evidence.reasons.push(IncompleteReason::OnlySpecFile);
    }
}

/// Returns true if an agent is named as co-author.
pub fn is_of_agent(message: &str) -> bool {
    let signed = message.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim()
            .eq_ignore_ascii_case("co-authored-by")
            .then(|| value.to_lowercase())
    });
    signed.into_iter().any(|value| {
        AGENTS.iter().any(|agent| value.contains(agent))
            || value
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| word == "ai")
    })
}

/// Returns true if a commit's message ends in the trailer of the runtime's own commits.
pub fn is_bookkeeping(message: &str) -> bool {
    let paragraphs = message.trim_end().rsplit("\n\n");
    let last = paragraphs.into_iter().next().unwrap_or_default();
    last.lines().any(|line| line.trim() == BOOKKEEPING)
}

fn look_at_checks(evidence: &mut CompletionEvidence, finished: &EvidenceInputs<'_>) {
    let mut names: Vec<&String> = Vec::new();
    for name in finished.criteria.iter().flat_map(|c| &c.checks) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let result = finished.checks.iter().find(|check| check.name == *name);
        match result.and_then(|check| check.exit) {
            Some(0) => {}
            Some(_) if result.is_some_and(|check| check.flaky.is_some()) => {
                let flaky = result.and_then(|check| check.flaky.clone());
                evidence.reasons.push(IncompleteReason::Flaky {
                    name: name.clone(),
                    tests: flaky.unwrap_or_default(),
                });
            }
            Some(exit) => evidence.reasons.push(IncompleteReason::CheckFailed {
                name: name.clone(),
                exit,
                refused: result.and_then(|check| check.refused.clone()),
            }),
            None => evidence
                .reasons
                .push(IncompleteReason::CheckNotRun(name.clone())),
        }
    }
}
