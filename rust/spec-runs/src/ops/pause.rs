//! Runs stopped by a person: to go on later, or to be gone on with by hand (reference chant 5.19 and
//! 5.20 R).

use super::clone_options::TakeoverOptions;
use super::settle_aside;
use crate::leases::other_clone::{AskedClone, TakenSpec};
use crate::project::ProjectRuns;
use crate::runtime::conflict_spec;
use crate::runtime::environment::copy_mounted_layers;
use crate::runtime::recovery::{self, HaltOutcome};
use crate::runtime::run_folder::RunFolder;
use crate::runtime::spec_state::is_overtaken;
use crate::runtime::uncommitted_state::give_back;
use crate::view::work::{DiffStatView, TakeoverReport};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::next_step::{DoorKind, NextStep, hint};
use chant_base::plural::counted;
use chant_leases::record::RequestedStop;
use chant_specs::error::ChantError;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::project::Project;
use chant_store::disk;
use chant_work::WorkError;
use chant_work::log::{self, LogQuery};
use chant_work::run_record::{RunRecord, UNCERTAIN_END};
use chant_work::run_store::RunStore;
use chant_work::state::{RunState, StopReason};
use chant_work::stop::{self, StoppedRun};

/// Lines of a log that a takeover shows (seed chant, `chant_takeover`).
const TAIL_BYTES: usize = 20;
/// The part of a log that is looked at.
const LOOKED_AT: LogQuery = LogQuery {
    lines: 1000,
    offset: None,
    since: None,
};
/// So many paths and subjects are shown.
const MAX_SHOWN: usize = 20;
/// The mode of a run that works on one spec after the other.
const CHAIN: &str = "chain";
/// Words that point to an error in a log.
const ERRORS: [&str; 4] = ["error:", "failed:", "exception", "panic"];

/// `chant_pause`: stops the work on a spec so that it can go on later; worktree, branch and status stay.
///
/// A chain ends with it. On a spec that stands for a run of several, all of those are paused.
///
/// # Errors
/// As [`Project::resolve`]; if no run works on it; if it could not be stopped.
pub fn pause(project: &Project, id: &str) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let spec = project.resolve_to_edit(&snapshot, id)?;
    project.refuse_own(&spec.id, "paused")?;
    drop(snapshot);
    let failed = |why: &dyn std::fmt::Display| -> Error {
        let message = format!("Failed to pause work for spec '{}': {why}", spec.id);
        ChantError::Refused(message).into()
    };
    recovery::recover_runs(project)?;
    let runs = project.runs()?;
    let mut halted =
        halt_all(project, &runs, &spec, StopReason::Pause).map_err(|error| failed(&error))?;
    for one in &mut halted {
        one.write(project, &runs)?;
    }
    if halted.is_empty() {
        return match AskedClone::ask(project, &spec.id, RequestedStop::Pause)? {
            Some(asked) => Ok(Answer::prose(asked.describe(project))),
            None => Err(failed(&"No running process found")),
        };
    }
    settle_aside(project);
    let mut text = format!("Successfully paused work for spec '{}'", spec.id);
    text.push_str(&describe_ended(&halted));
    Ok(Answer::prose(text))
}

/// Closes the conflict specs of work that is not to be merged any more.
pub(super) fn close_settled(project: &Project, runs: &RunStore) -> Result<(), Error> {
    conflict_spec::close_settled(project, runs)
}

/// The outcome of a run that was to be stopped.
pub(super) struct EndedRun {
    record: RunRecord,
    /// The stopped run, ended once the spec says what happened; `None` for a run that completed.
    stopped: Option<Box<StoppedRun>>,
}

impl EndedRun {
    /// Returns true if its work was merged before it could be stopped.
    pub(super) fn is_completed(&self) -> bool {
        self.record.state() == RunState::Completed
    }

    /// Writes the end into the record, and lets the spec go.
    pub(super) fn write(&mut self, project: &Project, runs: &RunStore) -> Result<(), Error> {
        if let Some(stopped) = self.stopped.take() {
            if is_overtaken(project, &stopped.record)? {
                give_back(project, runs, &stopped.record)?;
            }
            // Why another clone has the spec by now; a wait for another try ends with the run.
            let record = &stopped.record;
            let leased = record.lease.as_ref().filter(|_| record.next_try.is_none());
            let reason = leased.and(record.reason.clone());
            self.record = stopped.end(runs, reason)?;
        }
        Ok(())
    }
}

/// Stops the run that works on a spec, and the runs that were started by naming it; gives what became of
/// them. Their ends are still to be written.
///
/// Pausing or taking over a spec of a chain ends the chain: it is one agent that goes along. This needs
/// no trust: a person can always stop a run, also when what acts has changed since it began.
pub(super) fn halt_all(
    project: &Project,
    runs: &RunStore,
    spec: &Spec,
    why: StopReason,
) -> Result<Vec<EndedRun>, Error> {
    let running = |record: &RunRecord| record.state() == RunState::Running;
    let ends_chains = matches!(why, StopReason::Pause | StopReason::TakeOver);
    let (records, _) = runs.all()?;
    let of_spec = |record: &&RunRecord| record.spec_id == spec.id.as_str() && running(record);
    let (own, mut orchestrators): (Vec<&RunRecord>, Vec<&RunRecord>) = records
        .iter()
        .filter(of_spec)
        .partition(|record| record.works_on_spec());
    for parent in own.iter().filter_map(|record| record.parent.as_ref()) {
        let chain = records.iter().find(|orchestrator| {
            ends_chains
                && orchestrator.process_id == *parent
                && running(orchestrator)
                && orchestrator.mode == CHAIN
        });
        orchestrators.extend(chain.filter(|chain| !orchestrators.contains(chain)));
    }
    // Orchestrators are asked first, so that they start nothing else, and ended last: one that is starting a spec
    // waits for that.
    for orchestrator in &orchestrators {
        match stop::request_stop(runs, &orchestrator.process_id, why) {
            Ok(_) | Err(WorkError::NotRunning { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let has_own = !own.is_empty();
    let mut stopped = Vec::new();
    for record in own {
        stopped.extend(end_one(project, runs, record, why)?);
    }
    // What is given up is the spec that was named; work on others can go on later.
    let why_others = if ends_chains { why } else { StopReason::Pause };
    let end_hands = |stopped: &mut Vec<EndedRun>| -> Result<(), Error> {
        let (now, _) = runs.all()?;
        let is_below = |record: &RunRecord, orchestrator: &RunRecord| {
            record.parent.as_ref() == Some(&orchestrator.process_id)
        };
        let hands = now.iter().filter(|record| {
            let is_other = record.spec_id != spec.id.as_str();
            is_other
                && running(record)
                && orchestrators
                    .iter()
                    .any(|orchestrator| is_below(record, orchestrator))
        });
        for hand in hands {
            if let Some(mut hand) = end_one(project, runs, hand, why_others)? {
                hand.write(project, runs)?;
                stopped.push(hand);
            }
        }
        Ok(())
    };
    end_hands(&mut stopped)?;
    let mut ended = Vec::new();
    for orchestrator in &orchestrators {
        ended.extend(end_one(project, runs, orchestrator, why)?);
    }
    for orchestrator in &mut ended {
        orchestrator.write(project, runs)?;
    }
    // What one had started before it was asked.
    end_hands(&mut stopped)?;
    if stopped.is_empty() && !has_own {
        return Ok(ended);
    }
    Ok(stopped)
}

/// Stops one run; `None` when it ended otherwise meanwhile.
fn end_one(
    project: &Project,
    runs: &RunStore,
    record: &RunRecord,
    why: StopReason,
) -> Result<Option<EndedRun>, Error> {
    let ended = |stopped| -> Result<Option<EndedRun>, Error> {
        let record = runs.get(&record.process_id)?;
        Ok(Some(EndedRun { record, stopped }))
    };
    match recovery::stop_run(project, runs, &record.process_id, why) {
        Ok(HaltOutcome::Stopped(stopped)) => ended(Some(stopped)),
        Ok(HaltOutcome::Completed) => ended(None),
        Err(error) => match error.downcast_ref() {
            Some(WorkError::NotRunning {
                state: RunState::Completed,
                ..
            }) => ended(None),
            Some(WorkError::NotRunning { .. }) => Ok(None),
            _ => Err(error),
        },
    }
}

/// Lists the specs that were completed before they could be stopped, and all that were stopped.
pub(super) fn describe_ended(ended: &[EndedRun]) -> String {
    let mut text = String::new();
    for spec in ended
        .iter()
        .filter(|one| one.is_completed())
        .map(|one| &one.record.spec_id)
    {
        text.push_str(&format!(
            "\nThe work on '{spec}' was merged before it could be stopped: it is completed"
        ));
    }
    if ended.len() > 1 {
        let all: Vec<&str> = ended
            .iter()
            .map(|one| one.record.spec_id.as_str())
            .collect();
        text.push_str(&format!("\nStopped: {}", all.join(", ")));
    }
    text
}

/// `chant_takeover`: stops the work on a spec so that another person or agent goes on, and reports how far it
/// is. Nothing is written into the spec. Another clone that works on it is asked to stop.
///
/// # Errors
/// As [`Project::resolve`]; if no run works on it, unless `force`; if it could not be stopped.
pub fn takeover(project: &Project, id: &str, how: TakeoverOptions) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let spec = project.resolve_to_edit(&snapshot, id)?;
    project.refuse_own(&spec.id, "taken over")?;
    drop(snapshot);
    let failed = |why: &dyn std::fmt::Display| {
        let message = format!("Failed to take over spec '{}': {why}", spec.id);
        ChantError::Refused(message)
    };
    recovery::recover_runs(project)?;
    let runs = project.runs()?;
    let mut halted =
        halt_all(project, &runs, &spec, StopReason::TakeOver).map_err(|error| failed(&error))?;
    for one in &mut halted {
        one.write(project, &runs)?;
    }
    if !halted.is_empty() {
        settle_aside(project);
    } else if let Some(answer) = take_from_clone(project, &spec, how)? {
        return Ok(answer);
    } else if !how.force {
        let hint = hint!["\nUse ", NextStep::Force, " to look at it anyway."];
        return Err(failed(&"Spec not currently being worked")
            .advise(hint)
            .into());
    }
    let record = runs.newest_of(spec.id.as_str())?;
    analysis(project, &spec, record.as_ref(), &halted)
}

/// Takes a spec from the clone that works on it, or asks that clone to stop; `None` where there is none.
fn take_from_clone(
    project: &Project,
    spec: &Spec,
    how: TakeoverOptions,
) -> Result<Option<Answer>, Error> {
    let report = |analysis, suggestion| {
        Answer::data(&TakeoverReport {
            spec_id: spec.id.as_str(),
            analysis,
            suggestion,
            ..TakeoverReport::default()
        })
    };
    if how.from_clone {
        let taken = TakenSpec::take(project, &spec.id)?;
        return Ok(taken.map(|taken| report(taken.describe(), taken.suggest(project))));
    }
    let asked = AskedClone::ask(project, &spec.id, RequestedStop::Takeover)?;
    Ok(asked.map(|asked| {
        let force = NextStep::TakeFromClone(spec.id.to_string()).words(project.door);
        let suggestion = format!("Wait until it has stopped, or take it over at once: {force}.");
        report(asked.describe(project), suggestion)
    }))
}

/// The facts that an analysis looks at.
struct TakeoverFacts {
    tail: Vec<String>,
    lines: usize,
    errors: Vec<String>,
    /// Why the copy of the spec in the worktree was not read, if it was not.
    unread: Option<String>,
    commits: Vec<String>,
    uncommitted: Vec<String>,
    /// True if a worktree is there and was not looked at.
    is_unseen: bool,
    diff: Option<DiffStatView>,
    checked: usize,
    open: Vec<String>,
}

fn analysis(
    project: &Project,
    spec: &Spec,
    record: Option<&RunRecord>,
    halted: &[EndedRun],
) -> Result<Answer, Error> {
    let repo = project.repo()?;
    let place = match (&repo, record) {
        (Some(repo), Some(record)) => RunFolder::of(project, repo, record)?,
        _ => None,
    };
    let place = place.as_ref();
    if let (Some(repo), Some(place)) = (&repo, place) {
        copy_mounted_layers(project, repo, &place.worktree)?;
    }
    let mut found = TakeoverFacts {
        tail: Vec::new(),
        lines: 0,
        errors: Vec::new(),
        unread: None,
        commits: Vec::new(),
        uncommitted: Vec::new(),
        is_unseen: false,
        diff: None,
        checked: 0,
        open: Vec::new(),
    };
    found.look_at_log(project, spec);
    if let (Some(repo), Some(place)) = (&repo, place) {
        found.look_at_work(project, repo, place, spec)?;
    } else {
        found.look_at_criteria(spec);
    }
    let worktree = place.filter(|place| disk::exists(&place.worktree));
    Ok(Answer::data(&TakeoverReport {
        spec_id: spec.id.as_str(),
        analysis: found.analysis(record, halted),
        log_tail: found.tail.join("\n"),
        suggestion: found.suggestion(project.door, spec, record, worktree),
        worktree_path: worktree.map(|place| place.worktree.display().to_string()),
        branch: place.map(|place| place.branch.clone()),
        commits: found.commits,
        diff: found.diff,
        uncommitted: found.uncommitted,
    }))
}

impl TakeoverFacts {
    fn look_at_log(&mut self, project: &Project, spec: &Spec) {
        let shown = project.shown_log(spec.id.as_str());
        let opened = shown.and_then(|(real, name)| project.disk.open(&real, &name));
        let Ok((file, length)) = opened else { return };
        let Ok(lines) = log::read(file, length, LOOKED_AT) else {
            return;
        };
        let all: Vec<&str> = lines.content.lines().collect();
        self.lines = all.len();
        let is_error = |line: &&&str| {
            let line = line.to_lowercase();
            ERRORS.iter().any(|word| line.contains(word))
        };
        self.errors = all
            .iter()
            .filter(is_error)
            .map(|line| (*line).to_owned())
            .collect();
        let from = all.len().saturating_sub(TAIL_BYTES);
        self.tail = all[from..].iter().map(|line| (*line).to_owned()).collect();
    }

    fn look_at_work(
        &mut self,
        project: &Project,
        repo: &chant_git::Repo,
        place: &RunFolder,
        spec: &Spec,
    ) -> Result<(), Error> {
        if repo.branch_tip(&place.branch)?.is_some() {
            let done = repo.evidence(&chant_git::bookkeeping::WorkQuery {
                branch: &place.branch,
                base: &place.base,
                target: repo.branch_tip(&place.target)?.as_deref(),
                besides: &[],
            })?;
            let newest = done.commits.iter().rev().take(MAX_SHOWN);
            self.commits = newest
                .map(|c| format!("{} {}", &c.id[..7], c.subject))
                .collect();
            let stat = repo.diff_stat(&place.base, &place.branch)?;
            self.diff = Some(DiffStatView {
                files: stat.files,
                insertions: stat.insertions,
                deletions: stat.deletions,
            });
        }
        let is_there = disk::exists(&place.worktree);
        // Looking at a work tree may run filters that the folder names.
        self.is_unseen = is_there && !project.is_trusted();
        if is_there && !self.is_unseen {
            let mut paths = place.tree(project, repo)?.uncommitted_shown(project)?;
            paths.retain(|path| place.is_tracked || *path != place.spec_in_git);
            paths.truncate(MAX_SHOWN);
            self.uncommitted = paths;
        }
        // An agent may have left anything there; the run is stopped all the same.
        let copy = place.copy_text(project).unwrap_or_else(|error| {
            self.unread = Some(error.to_string());
            None
        });
        let copy = match copy {
            Some(text) => Some(text),
            None => place.branch_text(project, repo)?,
        };
        let read = copy.map(|text| {
            chant_specs::parse::document(&spec.path, chant_store::index::FileSource::Text(text))
        });
        match read {
            Some(Ok(copy)) => self.look_at_criteria(&copy),
            _ => self.look_at_criteria(spec),
        }
        Ok(())
    }

    fn look_at_criteria(&mut self, spec: &Spec) {
        self.checked = spec
            .criteria
            .iter()
            .filter(|criterion| criterion.checked)
            .count();
        self.open = spec.open_criteria();
    }

    fn analysis(&self, record: Option<&RunRecord>, halted: &[EndedRun]) -> String {
        let mut lines = Vec::new();
        match (record, halted.is_empty()) {
            (Some(record), false) => lines.push(format!("Stopped run {}.", record.process_id)),
            (Some(record), true) => lines.push(format!(
                "No run is under way; the last one, {}, is {}.",
                record.process_id,
                record.state()
            )),
            (None, _) => lines.push("No run of this spec is recorded.".into()),
        }
        if record.is_some_and(|record| record.may_have_processes) {
            lines.push(format!("Take care: {UNCERTAIN_END}."));
        }
        lines.extend(
            describe_ended(halted)
                .lines()
                .filter(|line| !line.is_empty())
                .map(str::to_owned),
        );
        let all = self.checked + self.open.len();
        lines.push(match all {
            0 => "The spec has no acceptance criteria.".into(),
            all => format!(
                "{} of {all} acceptance criteria are ticked in the copy that was worked on.",
                self.checked
            ),
        });
        lines.push(match (self.commits.len(), &self.diff) {
            (0, _) => "No commit was made.".into(),
            (number, Some(diff)) => format!(
                "{}, {} changed, +{} -{} lines.",
                counted(number, "commit"),
                counted(diff.files, "file"),
                diff.insertions,
                diff.deletions
            ),
            (number, None) => format!("{}.", counted(number, "commit")),
        });
        if !self.uncommitted.is_empty() {
            lines.push(format!("Not committed: {}.", self.uncommitted.join(", ")));
        }
        if self.is_unseen {
            lines.push("Uncommitted changes were not checked: this folder is not trusted.".into());
        }
        if let Some(why) = &self.unread {
            lines.push(format!("Criteria are those of the branch: {why}."));
        }
        if self.lines == 0 {
            lines.push("No log file found, or nothing in it.".into());
        } else if self.errors.is_empty() {
            lines.push(format!(
                "The log has {}, and none reports an error.",
                counted(self.lines, "line")
            ));
        } else {
            let shown: Vec<&str> = self.errors.iter().take(3).map(String::as_str).collect();
            lines.push(format!(
                "The log reports {}: {}",
                counted(self.errors.len(), "error"),
                shown.join(" | ")
            ));
        }
        lines.join("\n")
    }

    /// Returns the steps that are possible now; each line as it can be done where the run stands.
    fn suggestion(
        &self,
        door: DoorKind,
        spec: &Spec,
        record: Option<&RunRecord>,
        worktree: Option<&RunFolder>,
    ) -> String {
        let mut lines = Vec::new();
        if !self.errors.is_empty() {
            lines.push("Look at the errors in the log first.".into());
        }
        if !self.open.is_empty() {
            let shown: Vec<&str> = self.open.iter().take(5).map(String::as_str).collect();
            lines.push(format!(
                "{} acceptance criteria remain: {}.",
                self.open.len(),
                shown.join("; ")
            ));
        }
        let id = || spec.id.to_string();
        let merge = NextStep::Merge(id()).words(door);
        let work = NextStep::Work(id()).words(door);
        if spec.status == SpecStatus::Completed {
            lines.push("The spec is completed; nothing is left to do.".into());
            return lines.join("\n");
        }
        let state = record.map(RunRecord::state);
        let has_branch = record.is_some_and(|record| record.branch.is_some());
        match (state, worktree) {
            (Some(RunState::AwaitingMerge), _) => lines.push(format!(
                "Its work is proven and waits; when nothing is in its way any more, a person merges it with {merge}."
            )),
            (Some(RunState::AwaitingApproval), _) => lines.push(format!(
                "Its work is proven and waits for a person: {} or {}.",
                NextStep::Approve(id()).words(door),
                NextStep::Reject(id()).words(door)
            )),
            (_, Some(place)) => {
                lines.push(format!(
                    "Go on in {} on branch {}; commit there, tick the criteria in its copy of the spec, then a person judges and merges the work with {merge}.",
                    place.worktree.display(),
                    place.branch,
                ));
                lines.push(format!("{work} has an agent go on there."));
            }
            (Some(state), None) if has_branch && !state.is_closed() => lines.push(format!(
                "Its folder is gone; {work} makes a new one on its branch and has an agent go on with what was committed."
            )),
            (_, None) => lines.push(format!("There is no worktree; {work} starts from the start.")),
        }
        lines.join("\n")
    }
}
