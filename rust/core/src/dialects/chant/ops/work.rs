//! Runs of agents, as their records tell.

use super::super::project::{LOGS, Project};
use super::super::view::list::{PROBLEMS_SHOWN, ProblemEntry};
use super::super::view::work::{RunCounts, RunEntry, WorkList};
use super::read::{modified, room_of, utc};
use crate::answer::{Answer, fitting};
use crate::dialects::chant::model::Problem;
use crate::error::Error;
use crate::work::record::{self, Run, RunStatus};

/// `chant_work_list`: runs that are under way, and with `include_completed` those that ended; a
/// `process_id` picks those whose name contains it; the answer begins behind `offset` of them. The
/// summary counts all that are kept.
///
/// # Errors
/// That there is no project, or a `StoreError`.
pub fn work_list(
    project: &Project,
    process_id: Option<&str>,
    include_completed: bool,
    offset: usize,
) -> Result<Answer, Error> {
    project.snapshot()?;
    let (runs, broken) = record::all(&project.disk, &project.root)?;
    let mut summary = RunCounts::default();
    for run in &runs {
        match run.status {
            RunStatus::Running => summary.running += 1,
            RunStatus::Completed => summary.completed += 1,
            RunStatus::Failed => summary.failed += 1,
        }
    }
    let is_wanted = |run: &Run| {
        (include_completed || run.status == RunStatus::Running)
            && process_id.is_none_or(|part| run.process_id.contains(part))
    };
    let wanted: Vec<RunEntry> = runs
        .into_iter()
        .filter(is_wanted)
        .map(|run| entry(project, run))
        .collect();
    let total = wanted.len();
    let problem = |record: record::BrokenRecord| {
        ProblemEntry::from(&Problem {
            path: record.path.as_str().into(),
            line: None,
            message: record.why,
        })
    };
    let problems: Vec<_> = broken
        .into_iter()
        .take(PROBLEMS_SHOWN)
        .map(problem)
        .collect();
    let entries = wanted.into_iter().skip(offset);
    let processes = fitting(entries, room_of(&problems));
    let processes_total = (processes.len() < total).then_some(total);
    let next = offset + processes.len();
    let next_offset = (!processes.is_empty() && next < total).then_some(next);
    Ok(Answer::data(&WorkList {
        processes,
        summary,
        processes_total,
        next_offset,
        problems,
    }))
}

fn entry(project: &Project, run: Run) -> RunEntry {
    let log = run
        .log
        .unwrap_or_else(|| format!("{LOGS}/{}.log", run.spec_id));
    RunEntry {
        process_id: run.process_id,
        spec_id: run.spec_id,
        pid: run.pid,
        status: run.status.as_str(),
        started_at: run.started_at,
        completed_at: run.completed_at,
        mode: run.mode,
        stale: run.is_stale,
        log_modified: modified(project, &log).map(utc),
        branch: run.branch,
        end_state: run.end_state,
        reason: run.reason,
    }
}
