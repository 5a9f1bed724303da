//! Forecasts the time and the cost of work, before it is started, by what earlier runs took and cost.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use indexmap::IndexSet;

use crate::project::ProjectRuns;
use crate::project::run_tree::RunTreeContext;
use crate::runtime::landing::landing_note;
use crate::runtime::start::plan;
use crate::start::{StartOptions, StartTarget, WorkMode};
use crate::view::work::{ExpectedAmount, ForecastView, TargetBranchView};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_config::Config;
use chant_git::Repo;
use chant_graph::ItemProgress;
use chant_graph::network::Network;
use chant_graph::network::schedule::{DurationEstimates, DurationSpread, ScheduleOptions};
use chant_specs::model::{Spec, SpecStatus, SpecType};
use chant_specs::project::Project;
use chant_specs::specs::{SpecGraph, SpecWait};
use chant_work::durations::RunStatistics;
use chant_work::learned_amounts::{LearnedAmount, WorkTrait};

/// Runs that have to be known before anything is expected of others.
const ENOUGH: usize = 3;
/// The number of times that the plan is tried with amounts drawn at random.
const MAX_ROUNDS: u32 = 1000;
/// Where drawing begins, so that the same is expected of the same.
const SEED: u64 = 1;

/// Returns the specs that a start would work on, the time that would take, and what it would use; nothing is
/// started.
///
/// # Errors
/// As [`Project::resolve`]; what forbids the start.
pub fn work_forecast(project: &Project, id: &str, wish: &StartOptions) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let planned = plan(project, &snapshot, id, wish)?;
    let config = snapshot.config.clone()?;
    let specs = &snapshot.specs;
    let agents = match wish.mode {
        WorkMode::Single | WorkMode::Chain => 1,
        WorkMode::Parallel(agents) => agents.min(config.runs.limits.agents_at_once).get(),
    };
    let agent = wish.asked.agent.as_deref().or(config.runs.provider());
    let scope = ForecastScope::of(specs, &planned.work, wish.mode, agent);
    let (records, _) = project.runs()?.all()?;
    let receipted = project.receipted_runs();
    let learned = RunStatistics::from_runs(&records, &receipted, &|id| specs.labels(id));
    let known = learned.duration.runs;
    let one = NonZeroU32::MIN;
    let workers = u32::try_from(agents).ok().and_then(NonZeroU32::new);
    let note = (known < ENOUGH).then(|| {
        format!("{known} completed runs are known, and at least {ENOUGH} are needed to expect anything of others")
    });
    let repo = project.repo()?;
    let (target, landing_note) = match &repo {
        Some(repo) => {
            let base = base_branch(project, &config, repo, wish)?;
            let target = TargetBranchView::of(repo, &base)?;
            (Some(target), landing_note(project, &config, repo)?)
        }
        None => (None, None),
    };
    Ok(Answer::data(&ForecastView {
        specs: scope.worked(),
        target,
        landing_note,
        agents,
        known_runs: known,
        duration_seconds: scope.expected(&learned.duration, workers.unwrap_or(one), true)?,
        tokens: scope.expected(&learned.tokens, one, false)?,
        cost_usd: scope.expected(&learned.cost, one, false)?,
        note,
    }))
}

fn base_branch(
    project: &Project,
    config: &Config,
    repo: &Repo,
    wish: &StartOptions,
) -> Result<String, Error> {
    let context = RunTreeContext {
        project,
        config,
        repo,
    };
    context.base_branch(wish.asked.base.as_deref())
}

/// The specs that would be worked on.
struct ForecastScope {
    /// The specs, each behind those that it waits for, with what is known of the work; `None` for containers, which
    /// are closed without an agent.
    items: Vec<(String, Option<Vec<WorkTrait>>)>,
    /// Which waits for which, by their places.
    edges: Vec<(u32, u32)>,
}

impl ForecastScope {
    fn of(specs: &SpecGraph, work: &StartTarget, mode: WorkMode, agent: Option<&str>) -> Self {
        let first: BTreeSet<String> = match work {
            StartTarget::Spec(id) => BTreeSet::from([id.to_string()]),
            StartTarget::Members { driver, members } => {
                // The parts of an item of another format are no members by their IDs.
                let members = members.iter().map(ToString::to_string);
                members.chain(specs.open_members(driver)).collect()
            }
        };
        let goes_on = mode != WorkMode::Single;
        let named = matches!(work, StartTarget::Spec(_));
        let mut found: IndexSet<String> = IndexSet::new();
        found.extend(first.iter().filter(|_| named).cloned());
        let is_wanted = |spec: &Spec| {
            let is_asked_for = first.contains(spec.id.as_str());
            is_asked_for || (goes_on && spec.kind != SpecType::Conflict)
        };
        let is_open = |spec: &Spec| {
            let open = [SpecStatus::Pending, SpecStatus::Blocked, SpecStatus::Ready];
            specs.is_ready(spec) || open.contains(&specs.status(spec))
        };
        let candidates: Vec<&Spec> = specs
            .all()
            .iter()
            .map(|spec| &**spec)
            .filter(|spec| is_wanted(spec) && is_open(spec))
            .collect();
        // Again and again, since what is done in this plan lets more begin.
        loop {
            let before = found.len();
            for spec in &candidates {
                let waits = specs.waits(spec);
                let is_met = |wait: &SpecWait| matches!(wait, SpecWait::Item { id, .. } if found.contains(id));
                if waits.iter().all(is_met) {
                    found.insert(spec.id.to_string());
                }
            }
            if found.len() == before {
                return Self::with_edges(specs, &found, agent);
            }
        }
    }

    fn with_edges(specs: &SpecGraph, found: &IndexSet<String>, agent: Option<&str>) -> Self {
        let place = |id: &str| u32::try_from(found.get_index_of(id)?).ok();
        let (mut items, mut edges) = (Vec::new(), Vec::new());
        for id in found {
            let spec = specs.find(id);
            let is_container = spec.is_some_and(|spec| specs.members(&spec.id).next().is_some());
            let traits = || {
                let criteria = spec.map_or(0, |spec| spec.criteria.len());
                WorkTrait::all_of(agent, criteria, specs.labels(id))
            };
            items.push((id.clone(), (!is_container).then(traits)));
            for wait in spec.map(|spec| specs.waits(spec)).into_iter().flatten() {
                if let SpecWait::Item { id: other, .. } = wait
                    && let (Some(from), Some(to)) = (place(&other), place(id))
                {
                    edges.push((from, to));
                }
            }
        }
        Self { items, edges }
    }

    /// The specs that an agent would work on.
    fn worked(&self) -> Vec<String> {
        let worked = self.items.iter().filter(|(_, traits)| traits.is_some());
        worked.map(|(id, _)| id.clone()).collect()
    }

    /// Returns the expected amount; `None` where too few runs report it. Times follow from the order of the work,
    /// other amounts add up.
    fn expected(
        &self,
        learned: &LearnedAmount,
        agents: NonZeroU32,
        has_order: bool,
    ) -> Result<Option<ExpectedAmount>, Error> {
        if learned.runs < ENOUGH {
            return Ok(None);
        }
        let keys = self.items.iter().map(|(id, _)| id.as_str());
        let edges = if has_order { &self.edges[..] } else { &[] };
        let expected = self.items.iter().map(|(id, traits)| {
            let traits = traits.as_deref();
            traits.and_then(|traits| learned.expected(id, traits))
        });
        let medians: Vec<f64> = expected.map(Option::unwrap_or_default).collect();
        let progress = vec![ItemProgress::Open; self.items.len()];
        let network = Network::new(keys.collect(), progress, edges)?;
        let durations = DurationEstimates {
            median: &medians,
            spread: DurationSpread::Learned(&learned.ratios),
        };
        let options = ScheduleOptions {
            agents,
            rounds: MAX_ROUNDS,
            seed: SEED,
        };
        let plan = network.schedule(durations, options, &|_, _| true)?;
        Ok(Some(ExpectedAmount {
            p50: plan.p50.unwrap_or(plan.finish),
            p90: plan.p90.unwrap_or(plan.finish),
            known_runs: learned.runs,
        }))
    }
}
