//! Keeps the lease of a run while its runner lives, in a thread of the runner.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::SpecLeases;
use crate::project::ProjectRuns;
use crate::runtime::launch_aside;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_leases::client::RunNews;
use chant_leases::record::RequestedStop;
use chant_specs::project::Project;
use chant_work::run_record::RunRecord;
use chant_work::run_store::RunStore;
use chant_work::state::RunState;

/// Keeps the lease of one run.
pub(crate) struct LeaseKeeper;

impl LeaseKeeper {
    /// Runs `work`, and keeps the lease of a run meanwhile: signs of life, requests of other clones, and the
    /// news that the spec was taken over. Without a lease it only runs `work`.
    pub(crate) fn keep_while<T>(
        project: &Project,
        record: &RunRecord,
        work: impl FnOnce() -> T,
    ) -> T {
        if record.lease.is_none() {
            return work();
        }
        let is_over = AtomicBool::new(false);
        let was_overtaken = AtomicBool::new(false);
        let done = thread::scope(|scope| {
            scope.spawn(|| {
                keep(project, record, &is_over, &was_overtaken).log_failure("keep a lease");
            });
            let done = work();
            is_over.store(true, Ordering::SeqCst);
            done
        });
        settle(project, record, was_overtaken.into_inner()).log_failure("settle a lease");
        done
    }
}

fn keep(
    project: &Project,
    record: &RunRecord,
    is_over: &AtomicBool,
    was_overtaken: &AtomicBool,
) -> Result<(), Error> {
    let config = project.snapshot()?.config.clone()?;
    let Some(leases) = SpecLeases::of(project, &config)? else {
        return Ok(());
    };
    let runs = project.runs()?;
    let client = leases.client()?;
    let mut is_asked = false;
    let key = leases.ledger.key(&record.spec_id);
    client.keep(
        &key,
        record.token,
        &|| is_over.load(Ordering::SeqCst),
        &mut |news| {
            if is_asked {
                return;
            }
            is_asked = true;
            // A process of its own stops this one as a person would, and writes the end of the run.
            let command = match &news {
                RunNews::Overtaken(why) => {
                    tracing::warn!(run = %record.process_id, %why, "the run was overtaken");
                    was_overtaken.store(true, Ordering::SeqCst);
                    note_reason(&runs, record, &why.to_string()).log_failure("note the reason");
                    "takeover"
                }
                RunNews::Requested(request) => match request.stop {
                    RequestedStop::Pause => "pause",
                    RequestedStop::Takeover => "takeover",
                    RequestedStop::Cancel => "cancel",
                },
            };
            launch_aside(project, &runs, &[command, record.name_of_work()])
                .log_failure("stop the run");
        },
    )?;
    Ok(())
}

/// Has the record say why the run is about to be stopped; who stops it keeps that.
fn note_reason(runs: &RunStore, record: &RunRecord, why: &str) -> Result<(), Error> {
    runs.update(&record.process_id, |now| {
        if now.state() == RunState::Running {
            now.reason = Some(why.to_owned());
        }
        Ok(())
    })?;
    Ok(())
}

/// Has the remote know how the run ended, and keeps the commits of one that was overtaken.
fn settle(project: &Project, record: &RunRecord, was_overtaken: bool) -> Result<(), Error> {
    let config = project.snapshot()?.config.clone()?;
    let Some(leases) = SpecLeases::of(project, &config)? else {
        return Ok(());
    };
    let now = project.runs()?.get(&record.process_id)?;
    if was_overtaken || leases.is_overtaken(record)? {
        let repo = project.repository()?;
        let tip = now.branch.as_deref().map(|branch| repo.branch_tip(branch));
        if let Some(tip) = tip.transpose()?.flatten() {
            leases.keep_commits(record, &tip)?;
        }
    }
    if now.state() == RunState::Running {
        // Who stopped it writes its end, and waits for this process to be gone.
        return Ok(());
    }
    leases.settle()
}
