//! The order of work: the next spec is chosen again after every end.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::num::NonZeroUsize;

use super::expected_files::{ExpectedFiles, FileLoad};
use super::start::{StartTarget, WorkMode};
use chant_config::dispatch::DispatchOrder;
use chant_specs::id::SpecId;
use chant_specs::model::{Spec, SpecType};
use chant_specs::specs::SpecGraph;
use chant_specs::work_items::format_of_run;

/// `spare` holds back a spec that shares more expected files than this with what runs.
const SPARED: f64 = 2.0;

/// The number of times that a spec was tried by this call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AttemptCount {
    /// So often.
    pub times: u32,
    /// So many tries after the first its last failure is worth.
    pub retries: u32,
}

impl AttemptCount {
    fn is_over(self) -> bool {
        self.times > self.retries
    }
}

/// The order of a chain or of work in parallel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecSchedule {
    /// The specs that were asked for; they come before anything else.
    first: BTreeSet<SpecId>,
    /// The one spec that was asked for, which may be in a state that is not ready.
    named: Option<SpecId>,
    /// True if anything else that is ready follows.
    goes_on: bool,
    /// So many at once.
    at_once: usize,
    /// The choice among specs that are equally urgent.
    dispatch: DispatchOrder,
    /// The name of this clone, by which it takes others of equally urgent specs than its fellows do.
    spread: Option<String>,
}

impl SpecSchedule {
    /// The order for a start; `limit` bounds what is worked on at once whatever the mode says.
    pub fn of(
        work: &StartTarget,
        mode: WorkMode,
        limit: NonZeroUsize,
        dispatch: DispatchOrder,
    ) -> Self {
        let at_once = match mode {
            WorkMode::Single | WorkMode::Chain => 1,
            WorkMode::Parallel(workers) => workers.min(limit).get(),
        };
        let (first, named) = match work {
            StartTarget::Spec(id) => (BTreeSet::from([id.clone()]), Some(id.clone())),
            StartTarget::Members { members, .. } => (members.iter().cloned().collect(), None),
        };
        Self {
            first,
            named,
            goes_on: mode != WorkMode::Single,
            at_once,
            dispatch,
            spread: None,
        }
    }

    /// Makes the order one in which no spec was asked for itself. Among equally urgent ones a clone that has a name
    /// takes them in an order of its own, so that clones that work side by side seldom want the same.
    pub fn take_any(&mut self, clone: Option<String>) {
        self.first.clear();
        self.named = None;
        self.goes_on = true;
        self.spread = clone;
    }

    /// Returns the place of a spec among equally urgent ones; the lowest comes first.
    fn place(&self, spec: &Spec) -> u64 {
        let Some(clone) = &self.spread else {
            return 0;
        };
        let mut hasher = DefaultHasher::new();
        (clone, spec.id.as_str()).hash(&mut hasher);
        hasher.finish()
    }

    /// Returns true if a spec was asked for, and is not only one that follows.
    pub fn asks_for(&self, id: &SpecId) -> bool {
        self.first.contains(id)
    }

    /// Returns true if several specs are worked on at once, so that they may share files.
    pub fn is_parallel(&self) -> bool {
        self.at_once > 1
    }

    /// The spec to begin with now: what was asked for, then what was tried least, then what most waits
    /// for in a row, then what `dispatch` chooses, then by ID. `None` while as many run as may, when nothing
    /// is left, and with `spare` while all that is left shares too much with what runs.
    pub fn next(
        &self,
        specs: &SpecGraph,
        running: &[SpecId],
        tried: &BTreeMap<SpecId, AttemptCount>,
        files: &ExpectedFiles,
    ) -> Option<SpecId> {
        if running.len() >= self.at_once {
            return None;
        }
        let tries = |spec: &Spec| tried.get(&spec.id).copied().unwrap_or_default();
        let is_open = |spec: &Spec| {
            let is_over = tried.get(&spec.id).is_some_and(|tried| tried.is_over());
            !running.contains(&spec.id) && !is_over
        };
        let named = self.named.as_ref().filter(|id| !tried.contains_key(id));
        let named = named.and_then(|id| specs.find(id.as_str()));
        if let Some(spec) = named.filter(|spec| is_open(spec)) {
            return Some(spec.id.clone());
        }
        let all = specs.all();
        let ready = specs.overview().ready.iter().map(|at| &all[*at]);
        // Items of other formats than those that were asked for are other starts' to work on.
        let formats: BTreeSet<_> = self
            .first
            .iter()
            .map(|id| format_of_run(id.as_str()))
            .collect();
        let is_of_format =
            |spec: &Spec| formats.is_empty() || formats.contains(&format_of_run(spec.id.as_str()));
        // A conflict is settled by the one that takes it up: which side is right may not be an agent's to say.
        let wanted = ready.filter(|spec| {
            let may_follow =
                self.goes_on && spec.kind != SpecType::Conflict && is_of_format(spec.as_ref());
            may_follow || self.first.contains(&spec.id)
        });
        let load = match self.dispatch {
            DispatchOrder::Fifo => FileLoad::default(),
            DispatchOrder::Prefer | DispatchOrder::Spare => files.load(specs, running),
        };
        let shared = |spec: &Spec| files.shared(specs, spec, &load);
        let is_spared = |spec: &Spec| {
            self.dispatch == DispatchOrder::Spare && !running.is_empty() && shared(spec) > SPARED
        };
        let candidates: Vec<&Spec> = wanted
            .map(|spec| &**spec)
            .filter(|spec| is_open(spec) && !is_spared(spec))
            .collect();
        if candidates.len() < 2 {
            return candidates.first().map(|spec| spec.id.clone());
        }
        let graph = specs.graph();
        let heights = graph.heights();
        let height = |spec: &Spec| {
            let node = graph.find(spec.id.as_str());
            node.map_or(0, |node| heights[node.index()])
        };
        let urgency = |spec: &Spec| {
            let is_first = self.first.contains(&spec.id);
            (!is_first, tries(spec).times, Reverse(height(spec)))
        };
        let most = candidates.iter().map(|spec| urgency(spec)).min();
        let equal = candidates.iter().filter(|spec| Some(urgency(spec)) == most);
        // Of equal ones the first is taken, and candidates come in the order of their IDs.
        let next = match self.dispatch {
            DispatchOrder::Prefer | DispatchOrder::Spare if !running.is_empty() => {
                let shared = equal.map(|spec| (shared(spec), self.place(spec), spec));
                let least = shared.min_by(|(one, at, _), (other, other_at, _)| {
                    one.total_cmp(other).then(at.cmp(other_at))
                });
                least.map(|(_, _, spec)| spec)
            }
            _ => equal.min_by_key(|spec| self.place(spec)),
        };
        next.map(|spec| spec.id.clone())
    }
}
