//! Runs of agents, as their records report them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::work_load::load_of;
use crate::project::ProjectRuns;
#[cfg(unix)]
use crate::runtime::run_folder::RunFolder;
use crate::view::work::{LookAge, RunCounts, RunEntry, SharedWork, SpecCounts, WorkList};
use chant_agent_events::{AgentUsage, FailureCause};
use chant_base::answer::{Answer, fitting, size_of};
use chant_base::counted_list::CountedList;
use chant_base::document_problem::DocumentProblem;
use chant_base::error::Error;
use chant_base::next_step::HintText;
use chant_specs::id::SpecId;
use chant_specs::ops::read::{room_of, utc};
use chant_specs::parse;
use chant_specs::project::{Project, ProjectSnapshot};
use chant_specs::view::list::{MESSAGE_SHOWN, PROBLEMS_SHOWN};
use chant_specs::view::spec::CriteriaCounts;
use chant_specs::view::work_load::WorkLoad;
use chant_store::index::FileSource;
use chant_work::run_record::{BrokenRecord, NetworkEntry, RunStatus, SINGLE, SPLIT};
use chant_work::run_view::{self, RunView};
use chant_work::usage::UsageEntry;

/// Specs of other clones in one answer.
const MAX_ELSEWHERE: usize = 50;
/// Machines of a cluster in one answer.
const MAX_MACHINES: usize = 100;
/// The sentence about runs in a folder that is not trusted.
const NOT_TRUSTED: &str = "not trusted: runs are neither looked after nor shown as live";

/// Which runs are listed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunFilter {
    /// A part of the names of runs.
    pub process_id: Option<String>,
    /// True if runs that ended are listed, too.
    pub include_completed: bool,
    /// Runs to pass over.
    pub offset: usize,
}

/// `chant_work_list`: runs that are under way, and with `include_completed` those that ended; a
/// `process_id` picks those whose name contains it, and the runs below these; the answer begins behind
/// `offset` of them. The summary counts all that are kept.
///
/// # Errors
/// That there is no project, or a `StoreError`.
pub fn work_list(project: &Project, filter: &RunFilter) -> Result<Answer, Error> {
    let offset = filter.offset;
    let snapshot = project.snapshot()?;
    let (runs, problems) = recorded(project)?;
    let mut summary = RunCounts::default();
    for run in &runs {
        match run.status {
            RunStatus::Running => summary.running += 1,
            RunStatus::Completed => summary.completed += 1,
            RunStatus::Failed => summary.failed += 1,
        }
    }
    let is_wanted = |run: &RunView| {
        (filter.include_completed || run.status == RunStatus::Running)
            && filter.process_id.as_deref().is_none_or(|part| {
                let is_below = run.parent.as_ref().is_some_and(|name| name.contains(part));
                is_below || run.process_id.contains(part)
            })
    };
    let wanted = runs.iter().filter(|run| is_wanted(run));
    let wanted: Vec<RunEntry> = wanted.map(|run| entry(project, run, &runs)).collect();
    let total = wanted.len();
    let shown = if offset == 0 { PROBLEMS_SHOWN } else { 0 };
    let problems = problems.iter().take(shown);
    let problems: Vec<_> = problems.map(|one| one.row(MESSAGE_SHOWN)).collect();
    let is_whole = offset == 0 && filter.process_id.is_none();
    let elsewhere = is_whole.then(|| shared_work(project, &snapshot)).flatten();
    let load = match &snapshot.config {
        Ok(config) if is_whole => load_of(project, config, &runs, MAX_MACHINES),
        _ => WorkLoad::default(),
    };
    let entries = wanted.into_iter().skip(offset);
    let taken = elsewhere.as_ref().map_or(0, |shared| size_of(&shared)) + size_of(&load);
    let processes = fitting(entries, room_of(&problems) + taken);
    let processes_total = (processes.len() < total).then_some(total);
    let next = offset + processes.len();
    let next_offset = (!processes.is_empty() && next < total).then_some(next);
    Ok(Answer::data(&WorkList {
        processes,
        summary,
        processes_total,
        next_offset,
        load,
        elsewhere,
        problems,
    }))
}

/// Returns the work of other clones, by the last look; `None` where clones share nothing.
fn shared_work(project: &Project, snapshot: &ProjectSnapshot) -> Option<SharedWork> {
    let config = snapshot.config.as_ref().ok()?;
    let settings = config.leases.as_ref()?;
    let held = project.held_elsewhere();
    let shown = held.all().iter().take(MAX_ELSEWHERE).cloned().collect();
    Some(SharedWork {
        elsewhere: CountedList::new("elsewhere", shown, held.all().len()),
        looked_seconds_ago: LookAge::of(held.looked, (project.clock.now)(), settings.beat),
    })
}

/// Returns all runs, and the problems of their records.
fn recorded(project: &Project) -> Result<(Vec<RunView>, Vec<DocumentProblem>), Error> {
    let (runs, broken) = match project.runs() {
        Ok(runs) => run_view::all(&runs)?,
        // A repository that git refuses does not keep the project's own records from being shown.
        Err(_) => run_view::history(&project.disk, &project.root, &BTreeSet::new())?,
    };
    let problem = |record: BrokenRecord| DocumentProblem::new(record.path.as_str(), record.why);
    let mut problems: Vec<DocumentProblem> = project.state_problem().into_iter().collect();
    problems.extend(broken.into_iter().map(problem));
    if runs.is_empty() || project.is_trusted() {
        return Ok((runs, problems));
    }
    problems.insert(0, DocumentProblem::new(".chant", NOT_TRUSTED));
    let unsure = |run: RunView| RunView {
        is_stale: run.is_stale || run.status == RunStatus::Running,
        ..run
    };
    Ok((runs.into_iter().map(unsure).collect(), problems))
}

fn entry(project: &Project, run: &RunView, all: &[RunView]) -> RunEntry {
    // Runs that only the project reports are not looked into.
    let is_running = run.status == RunStatus::Running && run.is_own;
    let (criteria, specs) = match run.mode.as_str() {
        _ if !is_running => (None, None),
        SPLIT => (None, None),
        // Criteria that cannot be counted now are left out; the run itself is reported.
        SINGLE => (criteria(project, run).ok().flatten(), None),
        _ => (None, specs(project, run, all).ok()),
    };
    let modified = project.run_lookup.log_modified(project, &run.spec_id);
    let next_step = next_step(run).map(|hint| hint.at(project.door));
    let usage = usage(run, all);
    let run = run.clone();
    let next_try = run.report.next_try.filter(|_| is_running);
    let wait = run.report.wait.filter(|_| is_running);
    let cause = wait.as_ref().and_then(|wait| wait.cause.as_deref());
    let waits_because = cause.and_then(FailureCause::named);
    RunEntry {
        process_id: run.process_id,
        spec_id: run.item.unwrap_or(run.spec_id),
        pid: run.pid,
        status: run.status.as_str(),
        started_at: run.started_at,
        completed_at: run.completed_at,
        mode: run.mode,
        stale: run.is_stale,
        log_modified: modified.map(utc),
        branch: run.branch,
        target: run.target,
        end_state: run.end_state,
        reason: run.reason,
        parent: run.parent,
        agent: run.agent,
        placed: run.report.placed,
        account: run.account,
        worktree: run.worktree,
        confinement: run.confinement,
        network: run.network.as_ref().map(NetworkEntry::sentence),
        commits: run.commits,
        checks_passed: run.checks,
        model: run.report.model,
        session: run.report.session,
        usage,
        denials: run.report.denials,
        cause: run.report.cause,
        next_step,
        next_try_at: next_try.map(|next| next.at),
        waits_until: wait.map(|wait| wait.until),
        waits_because: waits_because.map(FailureCause::sentence),
        criteria,
        specs,
        foreseen_conflicts: run.foreseen_conflicts,
        proposed: run.is_proposed,
    }
}

/// Returns the next step for the cause that a run failed for.
pub(super) fn next_step(run: &RunView) -> Option<HintText> {
    let cause = FailureCause::named(run.report.cause.as_deref()?)?;
    Some(cause.next_step(run.agent.as_deref().unwrap_or_default(), &run.spec_id))
}

/// Returns the usage of the agent of a run; of a run above other runs the sum of theirs.
fn usage(run: &RunView, all: &[RunView]) -> Option<UsageEntry> {
    if matches!(run.mode.as_str(), SINGLE | SPLIT) {
        return run.report.usage.clone();
    }
    let is_below = |other: &&RunView| other.parent.as_ref() == Some(&run.process_id);
    let usages = all.iter().filter(is_below);
    let usages = usages.filter_map(|other| other.report.usage.as_ref());
    let sum = usages.fold(AgentUsage::default(), |sum, usage| sum + usage.into());
    (!sum.is_unknown()).then(|| sum.into())
}

/// The criteria in the copy of a spec that a run works on.
#[cfg(unix)]
fn criteria(project: &Project, run: &RunView) -> Result<Option<CriteriaCounts>, Error> {
    let project = project.of_run(&run.spec_id)?;
    let record = project.runs()?.get(&run.process_id)?;
    let Some(repo) = project.repo()? else {
        return Ok(None);
    };
    let Some(place) = RunFolder::of(project, &repo, &record)? else {
        return Ok(None);
    };
    let text = place.copy_text(project)?;
    let copy = text.map(|text| parse::document(&place.spec, FileSource::Text(text)));
    Ok(copy
        .and_then(Result::ok)
        .map(|copy| CriteriaCounts::of(&copy)))
}

/// The criteria in the copy of a spec that a run works on; there are no runs.
#[cfg(not(unix))]
fn criteria(_: &Project, _: &RunView) -> Result<Option<CriteriaCounts>, Error> {
    Ok(None)
}

/// Returns the progress of the specs of a run above other runs.
fn specs(project: &Project, orchestrator: &RunView, all: &[RunView]) -> Result<SpecCounts, Error> {
    let children = all
        .iter()
        .filter(|run| run.parent.as_ref() == Some(&orchestrator.process_id));
    // Of several tries of a spec the one under way counts, else one that completed it.
    let mut started: BTreeMap<&str, RunStatus> = BTreeMap::new();
    for child in children {
        let known = started.entry(&child.spec_id).or_insert(child.status);
        if *known == RunStatus::Failed || child.status == RunStatus::Running {
            *known = child.status;
        }
    }
    let of = |status| started.values().filter(|known| **known == status).count();
    let snapshot = project.snapshot()?;
    let specs = &snapshot.specs;
    let driver: Option<SpecId> = orchestrator.spec_id.parse().ok();
    let mut counted: BTreeSet<&str> = started.keys().copied().collect();
    if project
        .runs()?
        .get(&orchestrator.process_id)?
        .asked
        .only_members
    {
        let members = driver.iter().flat_map(|id| specs.members(id));
        let open = members.filter(|spec| !spec.status.is_done());
        counted.extend(open.map(|spec| spec.id.as_str()));
    } else {
        let ready = specs.overview().ready.iter().map(|at| specs.at(*at));
        counted.extend(ready.map(|spec| spec.id.as_str()));
    }
    Ok(SpecCounts {
        total: counted.len(),
        completed: of(RunStatus::Completed),
        ended: of(RunStatus::Failed),
    })
}
