//! Runs of agents on specs: their meaning for the spec, its branch and the merge (reference chant
//! 6).
//!
//! The engines below (`work`, `git`) know processes, records, branches and merges; they are
//! combined here. [`start`] starts a run. [`spec_runner`] is the run of one spec, step by step:
//! [`new_run_folder`] creates its [`run_folder`], branch and worktree, [`agent_launch`] prepares its agent's start, [`placed_launch`] that of one elsewhere, [`run_confinement`] confines it, [`completion_check`]
//! collects evidence, [`branch_checks`] runs the checks that it asks for, [`completion_proof`] runs them with old tests or old code, [`landing`] brings the work to the target branch, and [`conflict_spec`] writes a
//! spec about work that conflicts; [`conflicted_run`] is the run that is merged when that is settled.
//! [`orchestrator`] is the run above such runs, and [`split`] one that proposes members of a spec. [`pool`]
//! has folders that were created in advance. [`agent_slots`] chooses the next agent if there is room for
//! it, and [`account_room`] its account. [`login_copy`] is the login that it works with.
//! [`placed_run`] is the part of a run that another machine placed here; [`pushed_work`] takes over what such a machine pushed.
//! [`approval`] is work that waits for a person's decision. [`acting_change`] finds its changes to
//! what runs on this machine, and [`judged_change`] those to the tests that judge it. [`recovery`] handles a spec whose run was stopped or died, for
//! all others here, and calls none of them back. [`rerun`] runs checks again on landed work.

pub(super) mod account_room;
pub(super) mod acting_change;
pub(super) mod agent_launch;
pub(super) mod agent_slots;
mod agent_state;
pub(crate) mod agent_turn;
pub(super) mod approval;
mod blockers;
mod branch_checks;
pub(super) mod committer;
mod completion_check;
mod completion_details;
mod completion_proof;
mod confine_means;
mod conflict_forecast;
pub(super) mod conflict_spec;
mod conflicted_run;
pub(super) mod emptied_files;
mod entered_environment;
pub(super) mod environment;
mod flaky_checks;
pub(super) mod folder_namespaces;
mod held_code;
mod holder_file;
mod item_environment;
mod item_work;
mod judged_change;
mod landed_specs;
pub(super) mod landing;
pub(super) mod landing_concerns;
mod launch_environment;
pub(super) mod login_copy;
mod masked_settings;
pub(super) mod mounted_layers;
mod new_run_folder;
pub(super) mod offline_work;
pub(super) mod orchestrator;
mod own_files;
pub(super) mod placed_launch;
pub(super) mod placed_run;
mod plugin_checks;
pub(super) mod pool;
mod pushed_work;
pub(super) mod recovery;
pub(super) mod rerun;
pub(super) mod run_confinement;
pub(super) mod run_folder;
pub(crate) mod run_network;
pub(super) mod run_prompts;
pub(super) mod sandbox_support;
mod services;
pub(super) mod spec_runner;
pub(super) mod spec_state;
pub(super) mod split;
pub(super) mod split_copy;
pub(super) mod split_proposal;
pub(super) mod start;
pub(super) mod uncommitted_state;
pub(super) mod watch;
pub(super) mod work_by_hand;
pub(super) mod worktrees;

use std::path::PathBuf;

use super::project::ProjectRuns;
use chant_base::error::Error;
use chant_base::run_variables::AGENT_VARIABLES;
use chant_config::Config;
use chant_git::{GitError, Repo};
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_work::launch::{self, LaunchedRunner};
use chant_work::run_record::RunRecord;
use chant_work::run_store::RunStore;

/// The folder in our own state where runners start, with their standard error until their runs have
/// started.
const RUNNERS: &str = "runners";
/// The ending of a file with a runner's standard error.
const COMPLAINTS: &str = ".err";

/// Starts a process of our own with a command of the program, which waits for its run; `words`
/// are the command's words, and are shown in lists of processes.
pub(super) fn launch_runner(
    project: &Project,
    runs: &RunStore,
    words: [&str; 3],
) -> Result<LaunchedRunner, Error> {
    if project.program.is_empty() {
        let why = "runs are started by the server and the command line only";
        return Err(ChantError::Refused(why.into()).into());
    }
    let folder = runs.state.ensure(RUNNERS)?;
    let number = fastrand::u64(..);
    let errors: PathBuf = folder.join(format!("{}-{number:016x}{COMPLAINTS}", words[0]));
    let argv = command_of(project, &words);
    Ok(launch::launch(&argv, &AGENT_VARIABLES, &folder, &errors)?)
}

/// Returns the command line of a process of our own.
fn command_of(project: &Project, words: &[&str]) -> Vec<String> {
    let mut argv = project.program.clone();
    let root = project.root.path().display().to_string();
    argv.extend(["--project", &root].map(str::to_owned));
    argv.extend(words.iter().map(|word| (*word).to_owned()));
    if let Some(hash) = &project.named_trust {
        argv.extend(["--trusted".to_owned(), hash.clone()]);
    }
    argv
}

/// Starts a command of the program as a process that nothing waits for.
pub(super) fn launch_aside(
    project: &Project,
    runs: &RunStore,
    words: &[&str],
) -> Result<(), Error> {
    if project.program.is_empty() {
        return Ok(());
    }
    let folder = runs.state.ensure(RUNNERS)?;
    Ok(launch::launch_aside(
        &command_of(project, words),
        &AGENT_VARIABLES,
        &folder,
    )?)
}

/// Refuses a branch on which no work can start, because it has no commit.
pub(super) fn refuse_without_commit(repo: &Repo, branch: &str) -> Result<(), Error> {
    match repo.tip_for_work(branch) {
        Ok(_) => Ok(()),
        Err(GitError::NoBranch { .. }) => {
            let message = format!(
                "The branch `{branch}` has no commit, or does not exist: work needs one to start from and to land on. Commit something on it, or name another branch (`defaults.main_branch` in .chant/config.md, or `--base`)."
            );
            Err(ChantError::Refused(message).into())
        }
        Err(error) => Err(error.into()),
    }
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
