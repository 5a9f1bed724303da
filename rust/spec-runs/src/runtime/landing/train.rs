//! The train: the landings of this clone that wait for a push, checked together.
//!
//! Each run merges for itself onto the landing before it. One of the processes that wait for their landing runs the
//! checks on the end of the row, in a folder of its own, without a lock that others wait for; if they fail,
//! [`halving`](super::halving) says what to check next. What they say lies beside the queue, so that another process
//! goes on where one died.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::halving::{CheckedPosition, TrainStep, next_step};
use crate::leases::SpecLeases;
use crate::receipt_store::{LandedRun, prepare_of_run};
use crate::review::gate::landing_stop;
use crate::runtime::environment::CommitOrigin;
use crate::runtime::rerun::{CommitChecks, exit_of};
use crate::runtime::spec_state::spec_of;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::Config;
use chant_git::Repo;
use chant_leases::answer::LeaseRefusal;
use chant_leases::client::LeaseClient;
use chant_leases::train::{LandingVerdict, WaitingLanding};
use chant_proof::completion::IncompleteReason;
use chant_specs::project::Project;
use chant_work::cancel_token::CancelToken;
use chant_work::run_log::{SecretMask, secrets};
use chant_work::run_record::{CheckEntry, RunRecord};
use chant_work::run_store::RunStore;
use chant_work::state::RunState;

/// The time that landings wait for others that are about to merge.
const GATHER: Duration = Duration::from_secs(5);
/// The time after which a process that checks looks at the remote.
const BEAT_TURN: Duration = Duration::from_millis(250);
/// So many trees are remembered.
const REMEMBERED: usize = 64;

/// The means of a process that runs checks.
#[derive(Clone, Copy)]
pub(in crate::runtime) struct CheckTerms<'a> {
    /// The configuration that has them.
    pub config: &'a Config,
    /// The request that ends them.
    pub interruption: &'a CancelToken,
}

/// A process that may check what waits to land.
pub(super) struct TrainChecker<'a> {
    pub project: &'a Project,
    pub runs: &'a RunStore,
    pub repo: &'a Repo,
    pub client: LeaseClient<'a>,
    /// The run of this process.
    pub process_id: &'a str,
    /// The branch on which work lands.
    pub target: &'a str,
    pub terms: CheckTerms<'a>,
    /// Since when it waits for others that are about to merge.
    pub gathering: Cell<Option<Instant>>,
}

/// The results of checks by tree, the newest last.
#[derive(Debug, Default, Serialize, Deserialize)]
struct CheckedTrees {
    trees: Vec<CheckedTree>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct CheckedTree {
    tree: String,
    /// The checks as they were configured.
    checks: String,
    entries: Vec<CheckEntry>,
    /// The failure of the last of them; `None` if all passed.
    failure: Option<String>,
    /// The number of times in a row.
    times: u32,
}

impl TrainChecker<'_> {
    /// Does one step for the landings that wait, if no other process does.
    ///
    /// # Errors
    /// A failure on this machine.
    pub(super) fn step(&self) -> Result<(), Error> {
        if self.terms.interruption.is_cancelled() {
            return Ok(());
        }
        let client = &self.client;
        let Some(_checks) = client.lead_checks()? else {
            return Ok(());
        };
        // Asked first: who leaves the places of those that are about to merge is among the landings by then.
        let is_merge_due = client.is_merge_due()?;
        let (base, landings) = client.unchecked_landings()?;
        if landings.is_empty() || (is_merge_due && self.gathers()) {
            return Ok(());
        }
        self.gathering.set(None);
        let row = LandingRow {
            base,
            landings,
            client,
        };
        match self.go_on(&row) {
            Err(error) if !self.terms.interruption.is_cancelled() => {
                let why = format!("the checks could not be run on the merged work: {error}");
                row.refuse(&LeaseRefusal::Unchecked { why })
            }
            _ => Ok(()),
        }
    }

    /// Returns true as long as landings wait for others that are about to merge, who may come along.
    fn gathers(&self) -> bool {
        let since = self.gathering.get().unwrap_or_else(Instant::now);
        self.gathering.set(Some(since));
        since.elapsed() < GATHER
    }

    fn go_on(&self, row: &LandingRow<'_>) -> Result<(), Error> {
        for landing in &row.landings {
            if self.has_ended(&landing.run) {
                let refusal = LeaseRefusal::RunEnded;
                return row.note(landing, LandingVerdict::Refused { refusal });
            }
            // A person may say something while a landing waits for its checks.
            if let Ok(record) = self.runs.get(&landing.run)
                && let Some(why) = landing_stop(self.project, &record.spec_id)?
            {
                let refusal = LeaseRefusal::Unchecked { why };
                return row.note(landing, LandingVerdict::Refused { refusal });
            }
        }
        let mut known: CheckedTrees = row.client.checked()?.unwrap_or_default();
        let checks = serde_json::to_string(&self.terms.config.runs.checks).unwrap_or_default();
        let trees = self.trees(row)?;
        let found: Vec<Option<&CheckedTree>> =
            trees.iter().map(|tree| known.find(tree, &checks)).collect();
        let positions: Vec<CheckedPosition> = found.iter().map(|one| position(*one)).collect();
        let failure = |at: usize| {
            let failed = found[at].and_then(|one| one.failure.clone());
            failed.unwrap_or_default()
        };
        let step = next_step(&positions);
        tracing::debug!(?step, ?positions, "landings are checked");
        match step {
            TrainStep::Check(at) => {
                let landing = &row.landings[at.saturating_sub(1)];
                let commit = if at == 0 { &row.base } else { &landing.new };
                let mut checked = self.check(landing, commit, &trees[at])?;
                checked.checks.clone_from(&checks);
                known.note(checked);
                row.client.keep_checked(&known)?;
                Ok(())
            }
            TrainStep::Pass(at) => {
                let entries = found[at].map(|one| one.entries.clone());
                self.pass(row, at, &entries.unwrap_or_default())
            }
            TrainStep::Blame(at) => {
                let landing = &row.landings[at - 1];
                let why = self.describe_blame(landing, &failure(at));
                tracing::info!(run = %landing.run, %why, "checks fail on a landing");
                let refusal = LeaseRefusal::ChecksFailed { why };
                row.note(landing, LandingVerdict::Refused { refusal })
            }
            TrainStep::TargetFails => {
                let why = self.describe_target(&row.base, &failure(0));
                known.forget_failures();
                row.client.keep_checked(&known)?;
                row.refuse(&LeaseRefusal::Unchecked { why })
            }
        }
    }

    /// Returns the tree of each position.
    fn trees(&self, row: &LandingRow<'_>) -> Result<Vec<String>, Error> {
        let landings = row.landings.iter().map(|landing| &landing.new);
        let commits = [&row.base].into_iter().chain(landings);
        commits
            .map(|commit| Ok(self.repo.tree_of(commit)?))
            .collect()
    }

    /// Returns true if a run ended without its landing: a person stopped it, or it is gone.
    fn has_ended(&self, run: &str) -> bool {
        let Ok(record) = self.runs.get(run) else {
            return true;
        };
        // A dead run is recovered, and work that waits lands when a person says so.
        let may_land = match record.state() {
            RunState::Running | RunState::AwaitingMerge | RunState::AwaitingApproval => true,
            RunState::Lost => record.settled_at.is_none(),
            RunState::Completed => record.asked.offline,
            _ => false,
        };
        !may_land || record.stop_requested.is_some()
    }

    /// Runs the checks on a commit, up to the first that fails, while the signs of life of this clone go on.
    fn check(
        &self,
        landing: &WaitingLanding,
        commit: &str,
        tree: &str,
    ) -> Result<CheckedTree, Error> {
        self.runs.reached("before-train-check")?;
        let (is_over, project) = (AtomicBool::new(false), self.project);
        let checked = thread::scope(|scope| {
            scope.spawn(|| keep_signs_of_life(project, &is_over).log_failure("keep leases"));
            let checked = self.check_files(landing, commit, tree);
            is_over.store(true, Ordering::SeqCst);
            checked
        });
        self.runs.reached("after-train-check")?;
        checked
    }

    fn check_files(
        &self,
        landing: &WaitingLanding,
        commit: &str,
        tree: &str,
    ) -> Result<CheckedTree, Error> {
        let CheckTerms {
            config,
            interruption,
        } = self.terms;
        let snapshot = self.project.snapshot()?;
        let spec = spec_of(&snapshot, &self.runs.get(&landing.run)?.spec_id)?;
        let record = self.runs.get(self.process_id)?;
        let checking = CommitChecks {
            project: self.project,
            repo: self.repo,
            config,
            spec: &spec,
            record: &record,
            interruption,
        };
        let mask = SecretMask::new(&secrets(&self.project.environment))?;
        let mut folder = checking.open(commit)?;
        let target = self.repo.tip_for_work(self.target)?;
        let needed = folder.set_up(commit, CommitOrigin::BranchOf(&target))?;
        let (mut entries, mut failure) = (Vec::new(), None);
        if let Some(why) = needed {
            failure = Some(IncompleteReason::EnvironmentChanged(why).to_string());
        }
        let is_set_up = failure.is_none();
        for (name, argv) in config.runs.checks.iter().filter(|_| is_set_up) {
            let ended = folder.check(name, argv)?;
            let exit = exit_of(ended.as_ref());
            let ms = ended.as_ref().map_or(0, |ended| ended.duration.as_millis());
            entries.push(CheckEntry {
                name: name.clone(),
                command: argv.iter().map(|word| mask.apply(word)).collect(),
                exit,
                ms: u64::try_from(ms).unwrap_or(u64::MAX),
                tree: tree.to_owned(),
                flaky: Vec::new(),
                proof: None,
            });
            let reason = match exit {
                Some(0) => continue,
                Some(exit) => IncompleteReason::CheckFailed {
                    name: name.clone(),
                    exit,
                    refused: ended.and_then(|ended| ended.refused),
                },
                None => IncompleteReason::CheckNotRun(name.clone()),
            };
            failure = Some(reason.to_string());
            break;
        }
        Ok(CheckedTree {
            tree: tree.to_owned(),
            checks: String::new(),
            entries,
            failure,
            times: 1,
        })
    }

    /// Lets the first landings land: their records and receipts have the checks that passed on the last of them.
    fn pass(&self, row: &LandingRow<'_>, at: usize, entries: &[CheckEntry]) -> Result<(), Error> {
        for (index, landing) in row.landings[..at].iter().enumerate() {
            let runs = [Some(&landing.run), landing.settled.as_ref()];
            let mut along = Vec::new();
            for run in runs.into_iter().flatten() {
                let record = self.runs.update(run, |record| {
                    record.checks = entries.to_vec();
                    Ok(())
                })?;
                // Work lands without its receipt rather than not at all.
                let receipt = self.receipt(&record, &landing.new);
                receipt
                    .map(|receipt| along.push(receipt))
                    .log_failure("prepare a receipt");
            }
            // The one on which they ran comes last: no push ends before it is there.
            let is_end = index + 1 == at;
            row.note(landing, LandingVerdict::Passed { is_end, along })?;
        }
        Ok(())
    }

    fn receipt(&self, record: &RunRecord, commit: &str) -> Result<(String, String), Error> {
        let landed = LandedRun {
            record,
            commit,
            merge: &record.merge,
        };
        prepare_of_run(self.project, self.repo, landed)
    }

    fn describe_blame(&self, landing: &WaitingLanding, failure: &str) -> String {
        let branch = self.runs.get(&landing.run).ok().and_then(|run| run.branch);
        format!(
            "{failure}, twice, with this work merged onto {target}, and passes there without it. It did not land and stays on {branch}; the log has what the check said",
            target = self.target,
            branch = branch.unwrap_or_default(),
        )
    }

    fn describe_target(&self, base: &str, failure: &str) -> String {
        format!(
            "{failure} on {target} itself ({commit}), without any work that waits: no run is to blame. Fix {target}, then `chant-mcp merge ID` lands this work; work that fixes it lands in the same way",
            target = self.target,
            commit = &base[..base.len().min(7)],
        )
    }
}

/// Landings that stand on each other and wait for checks.
struct LandingRow<'a> {
    /// The commit on which the first stands.
    base: String,
    landings: Vec<WaitingLanding>,
    client: &'a LeaseClient<'a>,
}

impl LandingRow<'_> {
    fn note(&self, landing: &WaitingLanding, verdict: LandingVerdict) -> Result<(), Error> {
        Ok(self.client.note_verdict(&landing.new, &verdict)?)
    }

    /// Refuses all of them.
    fn refuse(&self, refusal: &LeaseRefusal) -> Result<(), Error> {
        for landing in &self.landings {
            let refusal = refusal.clone();
            self.note(landing, LandingVerdict::Refused { refusal })?;
        }
        Ok(())
    }
}

impl CheckedTrees {
    fn find(&self, tree: &str, checks: &str) -> Option<&CheckedTree> {
        let is_it = |one: &&CheckedTree| one.tree == tree && one.checks == checks;
        self.trees.iter().find(is_it)
    }

    /// Takes in what the checks said of a tree; a failure is counted with the one before it.
    fn note(&mut self, mut checked: CheckedTree) {
        let known = self.find(&checked.tree, &checked.checks);
        if let Some(known) = known.filter(|known| known.failure.is_some()) {
            checked.times += known.times;
        }
        self.trees.retain(|one| one.tree != checked.tree);
        self.trees.push(checked);
        let over = self.trees.len().saturating_sub(REMEMBERED);
        self.trees.drain(..over);
    }

    /// Forgets what failed, so that it is checked again where it comes up again.
    fn forget_failures(&mut self) {
        self.trees.retain(|one| one.failure.is_none());
    }
}

fn position(known: Option<&CheckedTree>) -> CheckedPosition {
    match known {
        None => CheckedPosition::Unknown,
        Some(CheckedTree { failure: None, .. }) => CheckedPosition::Passed,
        Some(failed) => CheckedPosition::Failed(failed.times),
    }
}

/// Looks at the remote and pushes what is due, as a runner's keeper does, until the checks are over: a process
/// that merges by hand has no keeper.
fn keep_signs_of_life(project: &Project, is_over: &AtomicBool) -> Result<(), Error> {
    let config = project.snapshot()?.config.clone()?;
    let Some(leases) = SpecLeases::of(project, &config)? else {
        return Ok(());
    };
    while !is_over.load(Ordering::SeqCst) {
        // The checks go on without the remote; the next turn tries again.
        leases.look_if_due().log_failure("look at the remote");
        wait_a_turn();
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a bounded wait while checks run in another thread"
)]
fn wait_a_turn() {
    thread::sleep(BEAT_TURN);
}
