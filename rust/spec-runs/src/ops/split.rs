//! Splits a spec: an agent is asked for members, and its proposal is written when the caller wants it
//! (reference chant 5.24 and 6.11).

use std::sync::Arc;

use crate::error::SpecRunError;
use crate::project::ProjectRuns;
use crate::prompt::{PromptError, SPLIT as PROMPT};
use crate::runtime::agent_launch;
use crate::runtime::agent_slots::AgentSlots;
use crate::runtime::recovery;
use crate::runtime::split_proposal::{WAITS, proposal_of, refuse_split, write_proposal};
use crate::runtime::start::{RunRequest, detach_runner, start_run};
use crate::split::{DEEPEST, DEPTH, SplitQuestion, SplitRequest};
use crate::view::split::{ProposedMember, SplitOptions, SplitProposal, SplitRun};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::next_step::{NextStep, hint};
use chant_specs::error::ChantError;
use chant_specs::id::SpecId;
use chant_specs::model::Spec;
use chant_specs::project::{Project, ProjectSnapshot};
use chant_work::lock::SpecLock;
use chant_work::run_record::{RunOptions, RunRecord, SPLIT, SplitRunOptions};
use chant_work::run_store::{RunStore, refuse_running};
use chant_work::state::RunState;

/// `chant_split`: has an agent propose members for a spec, and answers with the run's record at once. A
/// proposal that waits is reported again, or with `force` written. `steps` gets each step until the run is
/// under way.
///
/// # Errors
/// As [`Project::resolve`]; what forbids the split; why the runner could not begin, or why nothing could
/// be written.
pub fn split(
    project: &Arc<Project>,
    id: &str,
    wish: SplitRequest<'_>,
    steps: &mut dyn FnMut(&str),
) -> Result<Answer, Error> {
    steps("Checking the spec");
    project.refuse_untrusted("chant_split")?;
    let asked = asked(wish)?;
    recovery::recover_runs(project)?;
    let snapshot = project.snapshot()?;
    let spec = project.resolve_to_edit(&snapshot, id)?;
    project.refuse_own(&spec.id, "split")?;
    let runs = project.runs()?;
    if let Some(agreed) = wish.agreed {
        refuse_split(&snapshot, &spec, wish)?;
        drop(snapshot);
        return write_agreed(project, &runs, &spec.id, agreed);
    }
    let records = runs.of_spec(spec.id.as_str())?;
    if let Some(record) = under_way(&records, asked).filter(|_| !wish.fresh) {
        return Ok(answer(project, record));
    }
    refuse_running(&records)?;
    refuse_split(&snapshot, &spec, wish)?;
    let waiting = waiting(&runs, &spec.id)?;
    if let Some((record, proposal)) = waiting.filter(|(record, _)| serves(record, wish)) {
        if wish.force {
            drop(snapshot);
            return write_now(project, &runs, &record);
        }
        if proposal.of == chant_git::blob(&spec.text) {
            return Ok(answer(project, &record));
        }
    }
    start(project, runs, &snapshot, &spec, asked, steps)
}

/// Returns the question for a person before a proposal that waits is written; `None` where there is none.
///
/// # Errors
/// A `StoreError`.
pub fn split_question(
    project: &Project,
    id: &str,
    wish: SplitRequest<'_>,
) -> Result<Option<SplitQuestion>, Error> {
    let snapshot = project.snapshot()?;
    // A problem with the ID is reported by the split itself.
    let Ok(spec) = project.resolve(&snapshot, id) else {
        return Ok(None);
    };
    let waiting = waiting(&project.runs()?, &spec.id)?;
    let fits = |(record, proposal): &(RunRecord, SplitProposal)| {
        serves(record, wish) && proposal.of == chant_git::blob(&spec.text)
    };
    Ok(waiting.filter(fits).map(|(record, proposal)| {
        let members = match proposal.count() {
            1 => "this member".to_owned(),
            count => format!("these {count} members"),
        };
        let mut text = format!("Write {members} of '{}'?\n", spec.id);
        outline(&proposal.members, "", &mut text);
        let warnings = proposal.warnings.iter();
        text.extend(warnings.map(|warning| format!("\nNote: {warning}")));
        SplitQuestion {
            process_id: record.process_id,
            text,
        }
    }))
}

fn asked(wish: SplitRequest<'_>) -> Result<SplitRunOptions, ChantError> {
    let depth = wish.max_depth.map_or(Ok(DEPTH), u32::try_from);
    let depth = depth.ok().filter(|depth| (1..=DEEPEST).contains(depth));
    let max_depth = depth.ok_or_else(|| ChantError::InvalidArgument {
        name: "max_depth",
        why: format!("expected a number of levels from 1 to {DEEPEST}"),
    })?;
    Ok(SplitRunOptions {
        force: wish.force,
        recursive: wish.recursive,
        max_depth,
    })
}

/// The split of a spec that is under way, if it will do what is asked for now.
fn under_way(records: &[RunRecord], asked: SplitRunOptions) -> Option<&RunRecord> {
    let is_same = |record: &&RunRecord| {
        record.mode == SPLIT
            && record.state() == RunState::Running
            && record.asked.split == Some(asked)
    };
    records.iter().find(is_same)
}

/// The newest proposal for a spec that is not written, with its run.
fn waiting(runs: &RunStore, id: &SpecId) -> Result<Option<(RunRecord, SplitProposal)>, Error> {
    let records = runs.of_spec(id.as_str())?.into_iter();
    let splits =
        records.filter(|record| record.mode == SPLIT && record.state() == RunState::Completed);
    let newest = splits.max_by_key(|record| (record.started_at.clone(), record.pid));
    let found = newest.and_then(|record| Some((proposal_of(&record)?, record)));
    let waits = found.filter(|(proposal, _)| proposal.written.is_empty());
    Ok(waits.map(|(proposal, record)| (record, proposal)))
}

/// Returns true if the proposal of a run is the one that is asked for now.
fn serves(record: &RunRecord, wish: SplitRequest<'_>) -> bool {
    let Some(made) = record.asked.split.filter(|_| !wish.fresh) else {
        return false;
    };
    let is_as_deep = asked(wish).is_ok_and(|wanted| wanted.max_depth == made.max_depth);
    !wish.recursive || (made.recursive && is_as_deep)
}

fn start(
    project: &Arc<Project>,
    runs: RunStore,
    snapshot: &ProjectSnapshot,
    spec: &Spec,
    split: SplitRunOptions,
    steps: &mut dyn FnMut(&str),
) -> Result<Answer, Error> {
    let config = snapshot.config.clone()?;
    if !project.has_prompt(PROMPT) {
        let missing = PromptError::NotFound {
            name: PROMPT.into(),
            by: None,
        };
        return Err(SpecRunError::from(missing).into());
    }
    let asked = RunOptions {
        split: Some(split),
        ..RunOptions::default()
    };
    let agent = agent_launch::choose_agent(&config, &asked)?;
    agent_launch::refuse_unfit_agent(project, &config, &agent, spec)?;
    AgentSlots::of(&runs)?.refuse_when_full(&config, &asked)?;
    steps("Starting a runner");
    let request = RunRequest {
        mode: SPLIT.to_owned(),
        asked,
        ..RunRequest::default()
    };
    let (record, runner) = start_run(project, &runs, &spec.id, request, steps)?;
    let answered = answer(project, &record);
    detach_runner(project, runs, &record, runner);
    Ok(answered)
}

/// Writes a proposal that waits, while no work on the spec can begin.
fn write_now(project: &Project, runs: &RunStore, record: &RunRecord) -> Result<Answer, Error> {
    let _lock = SpecLock::acquire(runs, &record.spec_id)?;
    let record = write_proposal(project, runs, &record.process_id)?;
    Ok(answer(project, &record))
}

/// Writes the proposal that was agreed to, and no other that took its place meanwhile.
fn write_agreed(
    project: &Project,
    runs: &RunStore,
    id: &SpecId,
    agreed: &str,
) -> Result<Answer, Error> {
    let _lock = SpecLock::acquire(runs, id.as_str())?;
    let waits = waiting(runs, id)?.map(|(record, _)| record.process_id);
    if waits.as_deref() == Some(agreed) {
        return Ok(answer(project, &write_proposal(project, runs, agreed)?));
    }
    let now = waits.map_or_else(
        || "no proposal waits now".to_owned(),
        |other| format!("that of run '{other}' waits now"),
    );
    let message = format!(
        "The proposal of run '{agreed}' for spec '{id}' is no longer open: {now}. Nothing was written."
    );
    let split = NextStep::Split(id.to_string());
    let hint = hint![" Look again with ", split, ", without force."];
    Err(ChantError::Refused(message).advise(hint).into())
}

/// Members as lines, each with what it waits for.
fn outline(members: &[ProposedMember], outer: &str, text: &mut String) {
    for (at, member) in members.iter().enumerate() {
        let number = format!("{outer}{}", at + 1);
        let criteria = member.criteria.len();
        let after: Vec<String> = member
            .depends_on
            .iter()
            .map(|on| format!("{outer}{on}"))
            .collect();
        let after = match after.as_slice() {
            [] => String::new(),
            after => format!(", after {}", after.join(", ")),
        };
        let word = if criteria == 1 {
            "criterion"
        } else {
            "criteria"
        };
        text.push_str(&format!(
            "\n{number}. {} ({criteria} {word}{after})",
            member.title
        ));
        outline(&member.members, &format!("{number}."), text);
    }
}

fn answer(project: &Project, record: &RunRecord) -> Answer {
    let proposal = proposal_of(record);
    let waits = |reason: &&String| reason.ends_with(WAITS);
    let id = &record.spec_id;
    let reason = record.reason.as_ref();
    let with_step = reason.filter(waits).map(|reason| {
        let (split, force) = (NextStep::Split(id.clone()), NextStep::Force);
        let hint = hint![" Nothing is written before ", split, " with ", force, "."];
        format!("{reason}{}", hint.at(project.door))
    });
    let asked = record.asked.split;
    Answer::data(&SplitRun {
        process_id: &record.process_id,
        spec_id: &record.spec_id,
        pid: record.pid,
        status: match record.state() {
            RunState::Running => "running",
            RunState::Completed => "completed",
            _ => "failed",
        },
        started_at: &record.started_at,
        mode: &record.mode,
        options: SplitOptions {
            force: asked.is_some_and(|asked| asked.force),
            recursive: asked.is_some_and(|asked| asked.recursive),
            max_depth: asked.map_or(DEPTH, |asked| asked.max_depth),
        },
        log: record.log.as_deref(),
        reason: with_step.as_ref().or(reason).map(String::as_str),
        proposal: proposal.as_ref(),
    })
}
