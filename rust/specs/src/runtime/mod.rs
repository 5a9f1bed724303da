//! Runs of agents on specs: their meaning for the spec, its branch and the merge (reference chant
//! 6).
//!
//! The engines below (`work`, `git`) know processes, records, branches and merges; they are
//! combined here. [`spec_runner`] is the run of one spec, step by step: [`run_folder`] creates its branch
//! and worktree, [`agent_launch`] prepares its agent's start, [`run_confinement`] confines it, [`completion_check`]
//! collects evidence, [`landing`] brings the work to the target branch, and [`conflict_spec`] writes a
//! spec about work that conflicts; [`conflicted_run`] is the run that is merged when that is settled.
//! [`orchestrator`] is the run above such runs, and [`split`] one that proposes members of a spec. [`pool`]
//! has folders that were created in advance. [`agent_slots`] chooses the next agent if there is room for
//! it. [`shared_login`] brings renewed tokens of an agent to its user and to other runs.
//! [`approval`] is work that waits for a person's decision. [`acting_change`] finds its changes to
//! what runs on this machine. [`recovery`] handles a spec whose run was stopped or died. [`rerun`]
//! runs checks again on landed work.

pub(super) mod acting_change;
pub(super) mod agent_launch;
pub(super) mod agent_slots;
mod agent_state;
pub(super) mod approval;
mod blockers;
mod completion_check;
pub(super) mod conflict_spec;
mod conflicted_run;
mod landing;
pub(super) mod orchestrator;
pub(super) mod pool;
pub(super) mod recovery;
pub(super) mod rerun;
pub(super) mod run_confinement;
pub(super) mod run_folder;
mod shared_login;
pub(super) mod spec_runner;
pub(super) mod split;
pub(super) mod watch;

use std::path::PathBuf;
use std::sync::Arc;

use super::agents::environment::TOLD;
use super::error::ChantError;
use super::model::{Spec, SpecStatus};
use super::ops::edit::{self, SpecDraft};
use super::project::run_tree::RunTreeContext;
use super::project::{Project, ProjectSnapshot};
use chant_base::error::Error;
use chant_base::next_step::hint;
use chant_config::Config;
use chant_git::{GitError, Repo};
use chant_work::launch::{self, LaunchedRunner};
use chant_work::run_record::RunRecord;
use chant_work::run_store::RunStore;

/// The folder in our own state where runners start, with their standard error until their runs have
/// started.
const RUNNERS: &str = "runners";
/// The ending of a file with a runner's standard error.
const COMPLAINTS: &str = ".err";

impl Project {
    /// Returns the repository in which work is done.
    pub(super) fn repository(&self) -> Result<Arc<Repo>, Error> {
        self.repo()?.ok_or_else(|| {
            let message = format!(
                "{} is not in a git repository, and agents work on branches. Run `git init`, make a first commit, and start again.",
                self.root.path().display()
            );
            ChantError::Refused(message).into()
        })
    }

    /// Starts a process of our own with a command of the program, which waits for its run; `words`
    /// are the command's words, and are shown in lists of processes.
    pub(super) fn launch(
        &self,
        runs: &RunStore,
        words: [&str; 3],
    ) -> Result<LaunchedRunner, Error> {
        if self.program.is_empty() {
            let why = "runs are started by the server and the command line only";
            return Err(ChantError::Refused(why.into()).into());
        }
        let folder = runs.state.ensure(RUNNERS)?;
        let number = fastrand::u64(..);
        let errors: PathBuf = folder.join(format!("{}-{number:016x}{COMPLAINTS}", words[0]));
        let argv = self.command_of(&words);
        Ok(launch::launch(&argv, &TOLD, &folder, &errors)?)
    }

    /// Returns the command line of a process of our own.
    fn command_of(&self, words: &[&str]) -> Vec<String> {
        let mut argv = self.program.clone();
        let root = self.root.path().display().to_string();
        argv.extend(["--project", &root].map(str::to_owned));
        argv.extend(words.iter().map(|word| (*word).to_owned()));
        if let Some(hash) = &self.named_trust {
            argv.extend(["--trusted".to_owned(), hash.clone()]);
        }
        argv
    }

    /// Starts a command of the program as a process that nothing waits for.
    fn launch_aside(&self, runs: &RunStore, words: &[&str]) -> Result<(), Error> {
        if self.program.is_empty() {
            return Ok(());
        }
        let folder = runs.state.ensure(RUNNERS)?;
        Ok(launch::launch_aside(
            &self.command_of(words),
            &TOLD,
            &folder,
        )?)
    }
}

/// Returns the target if work can start on it.
pub(super) fn refuse_without_commit(scenery: RunTreeContext<'_, '_>) -> Result<String, Error> {
    let target = scenery.target()?;
    let repo = scenery.repo;
    match repo.tip_for_work(&target) {
        Ok(_) => Ok(target),
        Err(GitError::NoBranch { .. }) => {
            let message = format!(
                "There is no branch `{target}` for the work to end on. Set `defaults.main_branch` in .chant/config.md to the project's main branch, and start again."
            );
            Err(ChantError::Refused(message).into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Changes a spec on which a run works; returns false if it is in none of these states any more,
/// because a user decided otherwise.
fn change_spec(
    project: &Project,
    spec_id: &str,
    from: &[SpecStatus],
    change: impl Fn(&mut SpecDraft) -> Result<(), Error>,
) -> Result<bool, Error> {
    let snapshot = project.snapshot()?;
    let spec = spec_of(&snapshot, spec_id)?;
    let mut is_changed = true;
    edit::change(
        project,
        snapshot,
        &spec,
        |_| false,
        |_, draft| {
            is_changed = from.contains(&draft.spec().status);
            if is_changed { change(draft) } else { Ok(()) }
        },
    )?;
    Ok(is_changed)
}

fn spec_of(snapshot: &ProjectSnapshot, spec_id: &str) -> Result<Arc<Spec>, Error> {
    let spec = snapshot.specs.find(spec_id).cloned();
    spec.ok_or_else(|| match snapshot.specs.broken_of(spec_id) {
        Some(broken) => ChantError::unreadable(broken).into(),
        None => ChantError::NotFound {
            text: spec_id.to_owned(),
            hint: hint!["\nIts file was there when the run began."],
        }
        .into(),
    })
}

/// Returns the number of further tries that a failed run is worth, by the end of its log.
fn retries_of(project: &Project, config: &Config, record: &RunRecord) -> u32 {
    let retries = &config.runs.retries;
    // The run itself has waited for a passing cause, and a repeating one needs a change first.
    let cause = record.failure_cause();
    let is_over = cause.is_some_and(|cause| cause.is_passing() || cause.repeats());
    if retries.retryable_patterns.is_empty() || is_over {
        return 0;
    }
    let text = project.own_log_text(&record.spec_id);
    let last = text.rfind("\n# New Run: ").map_or(0, |at| at + 1);
    let reason = record.reason.as_deref().unwrap_or_default();
    retries.after(&text[last..]).max(retries.after(reason))
}
