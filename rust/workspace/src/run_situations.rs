//! The runs and questions of a project as far as they change what its items mean to a person.

use std::collections::HashMap;

use super::Workspace;
use super::key;
use super::meaning::WorkMeaning;
use chant_base::error::Error;
use chant_speckit::open_questions::OpenQuestions;
use chant_specs::model::SpecStatus;
use chant_specs::project::Project;
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

/// Work on an item of another format, whose document says nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WorkOnItem {
    /// What it means to a person; `None` once it has ended and nothing is left to do.
    pub(super) meaning: Option<WorkMeaning>,
    /// Its state, in the words of specs.
    pub(super) status: SpecStatus,
}

/// The runs and questions of a project, read again only where they changed.
#[derive(Default)]
pub(super) struct RunSituations {
    runs: RunIndex,
    questions: OpenQuestions,
    known: KnownWork,
    changes: u64,
}

/// What is known of work, by the keys of items.
#[derive(Default)]
struct KnownWork {
    specs: HashMap<Box<str>, RunSituation>,
    items: HashMap<Box<str>, WorkOnItem>,
}

impl RunSituations {
    /// The situation of a spec's runs, where it matters.
    pub(super) fn of_spec(&self, key: &str) -> Option<RunSituation> {
        self.known.specs.get(key).copied()
    }

    /// The work on an item of another format.
    pub(super) fn of_item(&self, key: &str) -> Option<WorkOnItem> {
        self.known.items.get(key).copied()
    }

    /// The number of times that a situation changed.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// The runs themselves.
    pub(super) fn runs(&self) -> &RunIndex {
        &self.runs
    }

    /// The newest run of each item, by its key.
    pub(super) fn newest_runs(&self) -> HashMap<String, &RunBrief> {
        let newest = self.runs.newest().into_values();
        newest.map(|run| (key_of(run), run)).collect()
    }

    /// Takes in what changed; the keys of the items whose situation is another now.
    pub(super) fn refresh(&mut self, workspace: &Workspace) -> Result<Vec<Box<str>>, Error> {
        let parts = &workspace.parts;
        let disk = &parts.vine.disk;
        self.runs
            .refresh(disk, parts.chant.records_folder().as_deref())?;
        self.questions
            .refresh(disk, parts.chant.state().ok().as_ref())?;
        let now = self.found(workspace)?;
        let before = std::mem::replace(&mut self.known, now);
        let mut changed = changed_keys(&before.specs, &self.known.specs);
        changed.extend(changed_keys(&before.items, &self.known.items));
        self.changes += u64::from(!changed.is_empty());
        Ok(changed)
    }

    /// The situations of all items that have one.
    fn found(&self, workspace: &Workspace) -> Result<KnownWork, Error> {
        let mut by_id = self.found_by_id(workspace);
        Ok(KnownWork {
            items: self.found_of_items(&workspace.parts.chant, &mut by_id)?,
            specs: by_id
                .into_iter()
                .map(|(id, situation)| (key::of_spec(&id).into(), situation))
                .collect(),
        })
    }

    /// The situations of all specs, and of all orders for items, that have one.
    fn found_by_id(&self, workspace: &Workspace) -> HashMap<Box<str>, RunSituation> {
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

    /// The work on items of other formats; takes the situations of their orders.
    fn found_of_items(
        &self,
        project: &Project,
        by_id: &mut HashMap<Box<str>, RunSituation>,
    ) -> Result<HashMap<Box<str>, WorkOnItem>, Error> {
        let on_items = self.runs.runs();
        let on_items = on_items.filter_map(|run| Some((&*run.spec_id, &*run.item.as_ref()?.key)));
        let on_items: HashMap<&str, &str> = on_items.collect();
        if on_items.is_empty() || !project.has_orders() {
            return Ok(HashMap::new());
        }
        let orders = project.orders()?.snapshot()?;
        let work = on_items.into_iter().filter_map(|(id, key)| {
            let (run, order) = (by_id.remove(id), orders.specs.find(id)?);
            let meaning = WorkMeaning::of_begun(order, order.status, run);
            let status = order.status;
            Some((key.into(), WorkOnItem { meaning, status }))
        });
        Ok(work.collect())
    }
}

/// The key of the item that a run works on.
pub(super) fn key_of(run: &RunBrief) -> String {
    let of_item = run.item.as_ref().map(|item| item.key.clone());
    of_item.unwrap_or_else(|| key::of_spec(&run.spec_id))
}

/// The keys that are only in one of two maps, or say something else in the other.
fn changed_keys<T: PartialEq>(
    before: &HashMap<Box<str>, T>,
    now: &HashMap<Box<str>, T>,
) -> Vec<Box<str>> {
    let gone = before.keys().filter(|key| !now.contains_key(*key));
    let new = now
        .iter()
        .filter(|(key, work)| before.get(*key) != Some(*work));
    gone.chain(new.map(|(key, _)| key)).cloned().collect()
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
