//! The runs and questions of a project as far as they change what its specs mean to a person.

use std::collections::HashMap;

use super::Workspace;
use chant_base::error::Error;
use chant_speckit::open_questions::OpenQuestions;
use chant_specs::view::held_specs::RemoteHindrance;
use chant_work::run_index::{RunBrief, RunIndex};
use chant_work::state::RunState;

/// The situation of the newest run of a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunSituation {
    /// Its agent waits for an answer.
    Asks,
    /// It runs, here or in another clone.
    Live,
    /// Its work cannot be merged, because others changed the same.
    InConflict,
    /// Its work waits for a merge.
    AwaitsMerge,
    /// Its work waits for approval.
    AwaitsApproval,
    /// It was stopped and goes on later.
    Paused,
    /// It is completed on the remote that clones share.
    CompletedThere,
    /// Nobody can say which clone has it.
    Doubtful,
}

/// The runs and questions of a project, read again only where they changed.
#[derive(Default)]
pub(super) struct RunSituations {
    runs: RunIndex,
    questions: OpenQuestions,
    of_specs: HashMap<Box<str>, RunSituation>,
    changes: u64,
}

impl RunSituations {
    /// The situation of a spec's runs, where it matters.
    pub(super) fn of(&self, spec_id: &str) -> Option<RunSituation> {
        self.of_specs.get(spec_id).copied()
    }

    /// The number of times that a situation changed.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// The runs themselves.
    pub(super) fn runs(&self) -> &RunIndex {
        &self.runs
    }

    /// Takes in what changed; the IDs of the specs whose situation is another now.
    pub(super) fn refresh(&mut self, workspace: &Workspace) -> Result<Vec<Box<str>>, Error> {
        let parts = &workspace.parts;
        let disk = &parts.vine.disk;
        self.runs
            .refresh(disk, parts.chant.records_folder().as_deref())?;
        self.questions
            .refresh(disk, parts.chant.state().ok().as_ref())?;
        let now = self.found(workspace);
        let before = std::mem::replace(&mut self.of_specs, now);
        let gone = before.keys().filter(|id| !self.of_specs.contains_key(*id));
        let mut changed: Vec<Box<str>> = gone.cloned().collect();
        let new = self.of_specs.iter();
        let new = new.filter(|(id, situation)| before.get(*id) != Some(*situation));
        changed.extend(new.map(|(id, _)| id.clone()));
        self.changes += u64::from(!changed.is_empty());
        Ok(changed)
    }

    /// The situations of all specs that have one.
    fn found(&self, workspace: &Workspace) -> HashMap<Box<str>, RunSituation> {
        let newest = self.runs.newest().into_iter();
        let known = newest.filter_map(|(id, run)| Some((id.into(), situation_of(run)?)));
        let mut found: HashMap<Box<str>, RunSituation> = known.collect();
        let held = workspace.parts.chant.held_elsewhere();
        for held in held.all().iter().filter(|held| !held.is_silent) {
            // What a run here waits for comes first.
            let id = held.spec_id.as_str().into();
            found.entry(id).or_insert(RunSituation::Live);
        }
        found.extend(held.named().filter_map(|id| {
            Some((
                id.into(),
                match held.hindrance(id)? {
                    RemoteHindrance::Held => return None,
                    RemoteHindrance::Completed => RunSituation::CompletedThere,
                    RemoteHindrance::Doubtful => RunSituation::Doubtful,
                },
            ))
        }));
        // A run above others, or one that proposes a split, works on its spec, too.
        let others = self.runs.runs().filter(|run| !run.works_on_spec);
        let live = others.filter(|run| run.is_live());
        found.extend(live.map(|run| (run.spec_id.as_str().into(), RunSituation::Live)));
        let asking = self.questions.asking(workspace.parts.speckit.now());
        found.extend(asking.into_iter().map(|id| (id.into(), RunSituation::Asks)));
        found
    }
}

/// The situation that the newest run of a spec is; `None` where the spec's own state says all.
fn situation_of(run: &RunBrief) -> Option<RunSituation> {
    match run.state {
        RunState::Running => run.is_live().then_some(RunSituation::Live),
        RunState::AwaitingMerge if run.is_in_conflict => Some(RunSituation::InConflict),
        RunState::AwaitingMerge => Some(RunSituation::AwaitsMerge),
        RunState::AwaitingApproval => Some(RunSituation::AwaitsApproval),
        RunState::Paused => Some(RunSituation::Paused),
        RunState::Completed
        | RunState::NeedsAttention
        | RunState::Failed
        | RunState::TakenOver
        | RunState::Cancelled
        | RunState::Lost => None,
    }
}
