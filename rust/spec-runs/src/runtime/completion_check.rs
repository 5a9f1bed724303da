//! Decides whether a run's work is done: the evidence, and its consequences (the runtime's design,
//! "Evidence").

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::branch_checks::ChecksOutcome;
use super::completion_details::CompletionDetails;
use super::conflict_spec;
use super::conflicted_run::{ConflictSearch, ConflictedRun, spec_of_conflict};
use super::environment::named_layers;
use super::item_work;
use super::landing::{CheckTerms, RunLanding, RunLandingOutcome};
use super::plugin_checks::PluginEvidence;
use super::run_folder::{RunFolder, spec_path};
use super::spec_state::{self, change_spec, spec_of, stopped_end};
use super::uncommitted_state;
use crate::output;
use crate::project::ProjectRuns;
use crate::review::{note_answers, unanswered};
use chant_agent_events::{FailureCause, words_of_no_change};
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_base::plural::first_of;
use chant_config::Config;
use chant_git::Repo;
use chant_git::bookkeeping::{WorkCommit, WorkQuery};
use chant_git::merge::FileConflict;
use chant_proof::completion::{
    self, BranchCommit, CompletionEvidence, CriterionAtStart, EvidenceInputs, IncompleteReason,
    MAX_NAMED, OutputCheck, is_of_agent,
};
use chant_specs::approval;
use chant_specs::model::{KEY_ORDER, Spec, SpecStatus, SpecType};
use chant_specs::project::{ARCHIVE, Project, SPECS};
use chant_store::{disk, files};
use chant_text::front_matter;
use chant_work::cancel_token::CancelToken;
use chant_work::lock::SpecLock;
use chant_work::run_record::{MergeState, MergeTry, RunRecord};
use chant_work::run_store::RunStore;
use chant_work::runner::RunEnd;
use chant_work::state::RunEvent;

/// The reason in the record of a run that waits for approval.
pub(super) const AWAITING_APPROVAL: &str = "awaiting_approval";

/// Judges one run, and lands its work.
pub(super) struct CompletionCheck<'a> {
    pub project: &'a Project,
    pub runs: &'a RunStore,
    pub process_id: String,
    pub place: &'a RunFolder,
    pub lock: &'a SpecLock,
    /// The request that ends checks; without it none is run, and those that are asked for count as
    /// not passed.
    pub interruption: Option<&'a CancelToken>,
    /// The terms by which it is judged.
    pub terms: &'a CompletionTerms,
}

/// The terms by which a run is judged and landed, if they are not the present ones.
#[derive(Debug, Clone, Default)]
pub(super) struct CompletionTerms {
    /// The configuration with which the run started.
    pub config: Option<std::sync::Arc<Config>>,
    /// The hash of the acting change to which a person agreed.
    pub agreed: Option<String>,
}

/// The run's spec, repository and configuration.
pub(super) struct CompletionContext {
    pub(super) repo: std::sync::Arc<Repo>,
    pub(super) config: std::sync::Arc<Config>,
    pub(super) spec: std::sync::Arc<Spec>,
}

impl CompletionContext {
    fn of(judge: &CompletionCheck<'_>, spec_id: &str) -> Result<Self, Error> {
        let snapshot = judge.project.snapshot()?;
        Ok(Self {
            repo: judge.project.repository()?,
            config: match &judge.terms.config {
                Some(config) => config.clone(),
                None => snapshot.config.clone()?,
            },
            spec: spec_of(&snapshot, spec_id)?,
        })
    }
}

impl CompletionCheck<'_> {
    /// Collects evidence and lands proven work; returns the end of the run, and shows it in the
    /// spec.
    ///
    /// # Errors
    /// The check or step that failed.
    pub(crate) fn conclude(&mut self) -> Result<RunEnd, Error> {
        let record = self.runs.get(&self.process_id)?;
        uncommitted_state::restore(self.project, self.runs, &record)?;
        let scene = CompletionContext::of(self, &record.spec_id)?;
        if scene.spec.status != SpecStatus::InProgress {
            let why = format!(
                "the spec was made {} while the agent worked; its work was not merged",
                scene.spec.status
            );
            return Ok(doubt(why));
        }
        let found = self.contributions(&scene)?;
        let mut evidence = self.evidence(&record, &scene, &found)?;
        if evidence.is_complete() && self.is_unchanged_since_rejection(&record, &found)? {
            evidence
                .reasons
                .push(IncompleteReason::UnchangedSinceRejection);
        }
        let spec = &self.place.spec_in_git;
        note_answers(self.project, &scene.repo, &record, spec, &found)?;
        if evidence.is_complete() {
            let owed = unanswered(self.project, &record)?;
            if !owed.is_empty() {
                evidence.reasons.push(IncompleteReason::Unanswered(owed));
            }
        }
        if evidence.is_complete() {
            // They may take long, and are asked only about work that is done otherwise.
            evidence.reasons = PluginEvidence {
                project: self.project,
                repo: &scene.repo,
                settings: &scene.config.plugins,
                record: &record,
                place: self.place,
                commits: &found,
                is_judged_aside: self.interruption.is_none(),
            }
            .ask()?;
        }
        let own = self.own_commits(&scene, &evidence.commits)?;
        self.update(|record| record.commits.clone_from(&own))?;
        self.runs.reached("after-evidence").map_err(Error::from)?;
        if self.is_asked_to_stop()? {
            return Ok(stopped_end());
        }
        if let Some(mut reason) = evidence.reason() {
            tracing::info!(run = %record.process_id, %reason, "the evidence does not suffice");
            if !disk::exists(&self.place.worktree) {
                reason.push_str(
                    "; the folder it worked in is gone, and what was not committed with it",
                );
            }
            let layers = &self.runs.get(&self.process_id)?.environment;
            let is_of_check =
                |one: &IncompleteReason| matches!(one, IncompleteReason::CheckFailed { .. });
            if evidence.reasons.iter().any(is_of_check) && !layers.is_empty() {
                reason.push_str(&format!("; environment: {}", named_layers(layers)));
            }
            let mut event = match evidence.status() {
                SpecStatus::NeedsAttention => RunEvent::Doubt,
                _ => RunEvent::Fail,
            };
            if let Some((cause, words)) = said_instead(&record, &evidence) {
                event = RunEvent::Doubt;
                reason = format!("{}: {words} ({reason})", cause.sentence());
                self.update(|record| record.cause = Some(cause.as_str().to_owned()))?;
            }
            let reason = Some(reason + &self.elsewhere(&scene, &own)?);
            return self.show(RunEnd { event, reason });
        }
        tracing::debug!(run = %record.process_id, commits = own.len(), "the evidence suffices");
        if self.asks_approval(&scene, &found)? {
            tracing::info!(run = %record.process_id, "the work waits for approval");
            return Ok(RunEnd {
                event: RunEvent::AskApproval,
                reason: Some(AWAITING_APPROVAL.into()),
            });
        }
        let end = self.land(CompletionDetails::of(
            &own,
            &self.runs.get(&self.process_id)?,
        ))?;
        self.show(end)
    }

    /// Lands proven work; returns the end of the run.
    ///
    /// # Errors
    /// The step that failed.
    pub(crate) fn land(&self, finish: CompletionDetails) -> Result<RunEnd, Error> {
        let record = self.runs.get(&self.process_id)?;
        let scene = CompletionContext::of(self, &record.spec_id)?;
        let branch = &self.place.branch;
        let original =
            ConflictedRun::of(self.project, self.runs, &scene.repo, &scene.spec, branch)?;
        let original = match original {
            ConflictSearch::None => None,
            ConflictSearch::Waits(original) => Some(original),
            ConflictSearch::Unmergeable(RunEnd {
                event: RunEvent::Wait,
                reason,
            }) => return self.wait(reason.unwrap_or_default(), Vec::new(), None),
            ConflictSearch::Unmergeable(end) => return Ok(end),
        };
        let landing = RunLanding {
            project: self.project,
            runs: self.runs,
            repo: &scene.repo,
            process_id: &self.process_id,
            place: self.place,
            lock: self.lock,
            finish,
            original: original.as_deref(),
            agreed: self.terms.agreed.as_deref(),
            checks: self.interruption.map(|interruption| CheckTerms {
                config: &scene.config,
                interruption,
            }),
            notes: RefCell::default(),
        };
        Ok(match landing.land()? {
            RunLandingOutcome::Merged => {
                self.runs.reached("after-merge").map_err(Error::from)?;
                let left = landing.complete()?;
                // A spec that is not closed now is closed by the next recovery of the project.
                conflict_spec::close_settled(self.project, self.runs)
                    .log_failure("close conflicts that are settled");
                RunEnd {
                    event: RunEvent::Merge,
                    reason: (!left.is_empty()).then(|| left.join("; ")),
                }
            }
            RunLandingOutcome::Waits { why, blocked_by } => self.wait(why, blocked_by, None)?,
            RunLandingOutcome::Conflicts { conflicts, .. }
                if scene.spec.kind == SpecType::Conflict =>
            {
                doubt(again(self.place, &conflicts))
            }
            RunLandingOutcome::Conflicts { conflicts, tried } => {
                let paths: Vec<String> = conflicts
                    .iter()
                    .map(|conflict| conflict.path.clone())
                    .collect();
                if self.project.holds_orders() {
                    let why = again(self.place, &conflicts);
                    return self.wait(why, paths, Some(tried));
                }
                let id = conflict_spec::write_conflict_spec(&conflict_spec::ConflictedWork {
                    project: self.project,
                    runs: self.runs,
                    repo: &scene.repo,
                    spec: &scene.spec,
                    place: self.place,
                    conflicts: &conflicts,
                })?;
                let why = format!(
                    "{} and {} changed the same places; spec {id} says which and what to do",
                    self.place.target, self.place.branch
                );
                self.wait(why, paths, Some(tried))?
            }
            RunLandingOutcome::ActsAnew(change) => {
                self.update(|record| record.acting_change.clone_from(&change.lines))?;
                doubt(change.reason())
            }
            RunLandingOutcome::Doubtful(why) => doubt(why),
            RunLandingOutcome::Overtaken(why) => RunEnd::failed(why),
            RunLandingOutcome::Stale => {
                RunEnd::failed("a newer run works on the spec; this work was not merged")
            }
        })
    }

    fn wait(
        &self,
        why: String,
        blocked_by: Vec<String>,
        tried: Option<MergeTry>,
    ) -> Result<RunEnd, Error> {
        tracing::info!(run = %self.process_id, %why, "the merge waits");
        self.update(|record| {
            record.merge.state = MergeState::Waiting;
            record.merge.blocked_by.clone_from(&blocked_by);
            record.merge.tried.clone_from(&tried);
        })?;
        Ok(RunEnd {
            event: RunEvent::Wait,
            reason: Some(why),
        })
    }

    fn show(&self, end: RunEnd) -> Result<RunEnd, Error> {
        let record = self.runs.get(&self.process_id)?;
        // The process that stops a run records its end.
        if record.stop_requested.is_none() {
            spec_state::write_end_to_spec(self.project, &record, &end)?;
        }
        Ok(end)
    }

    pub(super) fn update(&self, change: impl Fn(&mut RunRecord)) -> Result<RunRecord, Error> {
        let changed = |record: &mut RunRecord| {
            change(record);
            Ok(())
        };
        Ok(self.runs.update(&self.process_id, changed)?)
    }

    fn is_asked_to_stop(&self) -> Result<bool, Error> {
        let is_interrupted = self.interruption.is_some_and(CancelToken::is_cancelled);
        let record = self.runs.get(&self.process_id)?;
        Ok(is_interrupted || record.stop_requested.is_some())
    }

    /// Returns true if a person rejected the work as it is, but for the spec's file.
    fn is_unchanged_since_rejection(
        &self,
        record: &RunRecord,
        found: &[WorkCommit],
    ) -> Result<bool, Error> {
        let earlier = self.runs.of_spec(&record.spec_id)?.into_iter();
        let rejected: Vec<String> = earlier
            .filter(|earlier| earlier.is_rejected && earlier.branch == record.branch)
            .flat_map(|earlier| earlier.commits)
            .collect();
        let spec = &self.place.spec_in_git;
        let is_change = |commit: &WorkCommit| {
            !rejected.contains(&commit.id) && commit.paths.iter().any(|path| path != spec)
        };
        Ok(!rejected.is_empty() && !found.iter().any(is_change))
    }

    fn contributions(&self, scene: &CompletionContext) -> Result<Vec<WorkCommit>, Error> {
        let target = scene.repo.branch_tip(&self.place.target)?;
        let found = scene.repo.evidence(&WorkQuery {
            branch: &self.place.branch,
            base: &self.place.base,
            target: target.as_deref(),
            besides: &[],
        })?;
        Ok(found.commits)
    }

    fn evidence(
        &self,
        record: &RunRecord,
        scene: &CompletionContext,
        found: &[WorkCommit],
    ) -> Result<CompletionEvidence, Error> {
        let mut commits: Vec<BranchCommit> = found.iter().map(BranchCommit::from).collect();
        let objections =
            item_work::judge(self.project, &scene.repo, record, self.place, &mut commits)?;
        let tip = self.place.branch_text(self.project, &scene.repo)?;
        let others = self.other_specs(scene, found)?;
        let output = self.output(record, scene);
        let criteria = record.criteria_at_start.iter();
        let mut criteria: Vec<CriterionAtStart> = criteria
            .map(|criterion| CriterionAtStart {
                text: criterion.text.clone(),
                checked: criterion.checked,
                checks: Vec::new(),
            })
            .collect();
        let finished = EvidenceInputs {
            criteria: &criteria,
            spec_path: &self.place.spec_in_git,
            tip: tip.as_deref(),
            commits: &commits,
            other_specs: &others,
            checks: &[],
            uncommitted: &[],
            output: &output,
        };
        let mut evidence = completion::assess_run(&finished).with_objections(&objections);
        let asked: Vec<Vec<String>> = record
            .criteria_at_start
            .iter()
            .map(|criterion| checks_of_branch(&scene.config, record, &criterion.checks))
            .collect();
        if asked.iter().all(Vec::is_empty) || !evidence.is_complete() {
            return Ok(evidence);
        }
        // Checks may take long, so they come last.
        for (criterion, checks) in criteria.iter_mut().zip(asked) {
            criterion.checks = checks;
        }
        let uncommitted = self.uncommitted(scene)?;
        let checks = if uncommitted.is_empty() {
            match self.check(record, scene, &criteria)? {
                ChecksOutcome::Ran(checks) => self.run_failed_again(scene, record, checks)?,
                ChecksOutcome::NeedPerson(why) => {
                    let reason = IncompleteReason::EnvironmentChanged(why);
                    evidence.reasons.push(reason);
                    return Ok(evidence);
                }
            }
        } else {
            Vec::new()
        };
        let finished = EvidenceInputs {
            criteria: &criteria,
            spec_path: &self.place.spec_in_git,
            tip: tip.as_deref(),
            commits: &commits,
            other_specs: &others,
            checks: &checks,
            uncommitted: &uncommitted,
            output: &output,
        };
        let mut evidence = completion::assess_run(&finished).with_objections(&objections);
        if evidence.is_complete() {
            evidence.reasons.extend(self.prove(scene, &checks)?);
        }
        Ok(evidence)
    }

    /// Returns the uncommitted paths of the worktree, without the copy of a spec that git does not
    /// track.
    fn uncommitted(&self, scene: &CompletionContext) -> Result<Vec<String>, Error> {
        let tree = self.place.tree(self.project, &scene.repo)?;
        let mut paths = tree.uncommitted()?;
        paths.retain(|path| self.place.is_tracked || *path != self.place.spec_in_git);
        if !tree.stands_on_branch() {
            paths.push(format!(
                "(the worktree does not stand on {})",
                self.place.branch
            ));
        }
        Ok(paths)
    }

    /// Returns the places of commits outside of the branch, if the branch has none; else an empty
    /// text.
    fn elsewhere(&self, scene: &CompletionContext, own: &[String]) -> Result<String, Error> {
        if !own.is_empty() {
            return Ok(String::new());
        }
        let tree = self.place.tree(self.project, &scene.repo)?;
        let target = scene.repo.branch_tip(&self.place.target)?;
        let mut found = tree.elsewhere(&self.place.base);
        found.retain(|one| Some(&one.commit) != target.as_ref());
        let shown: Vec<String> = found
            .iter()
            .map(|one| match &one.name {
                Some(name) => format!("on `{name}`"),
                None => format!("on no branch ({})", &one.commit[..7]),
            })
            .collect();
        if shown.is_empty() {
            return Ok(String::new());
        }
        Ok(format!(
            "; work is {} of its folder, and only {} counts",
            first_of(&shown, MAX_NAMED, ", "),
            self.place.branch
        ))
    }

    /// Returns the commits of this run itself: those that a conflict spec's branch merges belong to
    /// the other run.
    fn own_commits(
        &self,
        scene: &CompletionContext,
        commits: &[String],
    ) -> Result<Vec<String>, Error> {
        let mut own = commits.to_vec();
        if let Some(id) = spec_of_conflict(&scene.spec)
            && let Some(record) = self.runs.newest_of(&id)?
        {
            own.retain(|commit| !record.commits.contains(commit));
        }
        Ok(own)
    }

    /// Returns the files of other specs that the branch changes.
    fn other_specs(
        &self,
        scene: &CompletionContext,
        found: &[WorkCommit],
    ) -> Result<Vec<String>, Error> {
        if scene.config.runs.may_change_other_specs {
            return Ok(Vec::new());
        }
        let place = self.place;
        let inside = place.inside();
        let folders = [SPECS, ARCHIVE].map(|folder| format!("{inside}{folder}/"));
        // The work whose conflict is settled brings its own spec along.
        let settled = spec_of_conflict(&scene.spec)
            .map(|id| spec_path(self.project, &id))
            .transpose()?
            .map(|path| format!("{inside}{path}"));
        let touched: BTreeSet<&String> = found.iter().flat_map(|commit| &commit.paths).collect();
        let mut others = Vec::new();
        for path in touched {
            let is_spec = folders
                .iter()
                .any(|folder| path.starts_with(folder.as_str()));
            if !is_spec || *path == place.spec_in_git || settled.as_ref() == Some(path) {
                continue;
            }
            if scene.repo.file_at(&place.base, path)? != scene.repo.file_at(&place.branch, path)? {
                others.push(path.clone());
            }
        }
        Ok(others)
    }

    /// Returns the output that the spec asks for, as the log of the run holds it.
    fn output(&self, record: &RunRecord, scene: &CompletionContext) -> OutputCheck {
        let Some(path) = scene.spec.output_schema.as_deref() else {
            return OutputCheck::NotAsked;
        };
        let read = |path: &str| {
            let text = files::read(&self.project.disk, &self.project.root, path);
            text.map(|(text, _)| text)
        };
        let schema = match read(path) {
            Ok(schema) => schema,
            Err(error) => return OutputCheck::Wrong(error.to_string()),
        };
        let log = self.project.own_log_text(&record.spec_id);
        output::find_mismatch(path, &schema, &log).map_or(OutputCheck::Fits, OutputCheck::Wrong)
    }

    /// Returns true if a person has to approve the work before it is merged; the spec is then
    /// marked.
    fn asks_approval(
        &self,
        scene: &CompletionContext,
        found: &[WorkCommit],
    ) -> Result<bool, Error> {
        let asked = scene.spec.approval.as_ref().filter(|own| own.required);
        let is_signed = || found.iter().any(|commit| is_of_agent(&commit.message));
        let is_needed = match asked {
            Some(approval) => !approval.is_given(),
            None => scene.config.approves_agent_work && is_signed(),
        };
        if !is_needed {
            return Ok(false);
        }
        change_spec(
            self.project,
            scene.spec.id.as_str(),
            &[SpecStatus::InProgress],
            |draft| {
                draft.set_text("status", SpecStatus::NeedsAttention.as_str())?;
                draft.rewrite(|text| {
                    let asked = approval::request_entries();
                    Ok(front_matter::set_nested(
                        text, "approval", &asked, &KEY_ORDER,
                    )?)
                })
            },
        )?;
        Ok(true)
    }
}

/// Returns what an agent said in its last line instead of doing its work: a question, or that there is nothing to do,
/// which only one without commits can say.
fn said_instead<'r>(
    record: &'r RunRecord,
    evidence: &CompletionEvidence,
) -> Option<(FailureCause, &'r str)> {
    let words = record.last_words.as_deref()?;
    let cause = FailureCause::of_last_words(words)?;
    let has_none = evidence.reasons.contains(&IncompleteReason::NoCommit);
    if cause != FailureCause::NothingToChange {
        return Some((cause, words));
    }
    has_none.then_some((cause, words_of_no_change(words)?))
}

/// Returns the reason when the target moved and a settled conflict is in conflict again.
fn again(place: &RunFolder, conflicts: &[FileConflict]) -> String {
    let paths: Vec<&str> = conflicts.iter().map(|conflict| &*conflict.path).collect();
    format!(
        "{} moved on and is in conflict again in {}; work on this spec goes on in its branch: `git merge {}` there",
        place.target,
        first_of(&paths, MAX_NAMED, ", "),
        place.target
    )
}

/// Returns those of the checks which a criterion names that have to pass on the run's own branch: where the merged work
/// is checked, all that are configured have to pass on that before it lands.
fn checks_of_branch(config: &Config, record: &RunRecord, named: &[String]) -> Vec<String> {
    let runs_later = config.checks_merged_work() && !record.asked.offline;
    let is_left = |name: &&String| !(runs_later && config.runs.checks.contains_key(*name));
    named.iter().filter(is_left).cloned().collect()
}

fn doubt(why: String) -> RunEnd {
    RunEnd {
        event: RunEvent::Doubt,
        reason: Some(why),
    }
}
