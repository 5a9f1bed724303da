//! Splits a spec: an agent is asked for members, and its proposal is written when the caller wants it
//! (reference chant 5.24 and 6.11).

use std::sync::Arc;

use super::super::error::ChantError;
use super::super::id::SpecId;
use super::super::model::{Spec, SpecStatus, SpecType};
use super::super::project::{Project, ProjectSnapshot, SPECS};
use super::super::prompt::{PromptError, SPLIT as PROMPT};
use super::super::runtime::agent_launch::{self, has_prompt};
use super::super::runtime::agent_slots::AgentSlots;
use super::super::runtime::recovery;
use super::super::scores::{QualityGrade, SpecScores, SpecSize};
use super::super::split::{DEEPEST, DEPTH, SplitQuestion, SplitRequest, write};
use super::super::start::refuse_unapproved;
use super::super::view::split::{ProposedMember, SplitOptions, SplitProposal, SplitRun};
use super::edit::SpecDraft;
use super::start::{detach_runner, start_run};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::next_step::{HintText, NextStep, hint};
use chant_store::journal::ChangeStep;
use chant_text::front_matter::FrontMatterValue;
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
        refuse(&snapshot, &spec, wish)?;
        drop(snapshot);
        return write_agreed(project, &runs, &spec.id, agreed);
    }
    let records = runs.of_spec(spec.id.as_str())?;
    if let Some(record) = under_way(&records, asked).filter(|_| !wish.fresh) {
        return Ok(answer(project, record));
    }
    refuse_running(&records)?;
    refuse(&snapshot, &spec, wish)?;
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
        let count = proposal.count();
        let mut text = format!("Write these {count} members of '{}'?\n", spec.id);
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

fn refuse(snapshot: &ProjectSnapshot, spec: &Spec, wish: SplitRequest<'_>) -> Result<(), Error> {
    let id = &spec.id;
    if spec.kind == SpecType::Group {
        let diagnose = NextStep::Diagnose(id.to_string());
        let hint = hint!["\n", diagnose, format!(" shows the members of '{id}'.")];
        return Err(ChantError::Refused("Spec is already split".into())
            .advise(hint)
            .into());
    }
    refuse_unapproved(spec).map_err(ChantError::from)?;
    let status = snapshot.specs.status(spec);
    let may = match status {
        SpecStatus::Pending => true,
        SpecStatus::Blocked | SpecStatus::Ready => wish.force,
        _ => false,
    };
    if !may {
        let hint = match status {
            SpecStatus::Blocked | SpecStatus::Ready => {
                hint!["\n", NextStep::Force, " splits it all the same."]
            }
            SpecStatus::Failed | SpecStatus::InProgress => {
                hint![
                    "\n",
                    NextStep::Reset(id.to_string()),
                    " makes it pending again."
                ]
            }
            _ => hint![
                "\nSet its status to pending with ",
                NextStep::EditSpec(id.to_string()),
                " to split it after all.",
            ],
        };
        let message =
            format!("Spec '{id}' must be in pending status to split. Current status: {status}");
        return Err(ChantError::WrongState { message, status }
            .advise(hint)
            .into());
    }
    let members: Vec<&Arc<Spec>> = snapshot.specs.members(id).collect();
    let grade = SpecScores::of(spec, SpecSize::of(spec), &members).splittability;
    if grade == QualityGrade::D && !wish.force {
        let message = format!(
            "Spec '{id}' says of its parts that they are coupled (splittability D), so members of it would be, too."
        );
        let hint = hint![
            "\nTake these words out, or split it all the same with ",
            NextStep::Force,
            ".",
        ];
        return Err(ChantError::Refused(message).advise(hint).into());
    }
    Ok(())
}

/// Returns the way to split a spec again whose proposal is for an older text: one that is only split by force
/// would be refused without it, and by force alone given that proposal again.
fn way_anew(snapshot: &ProjectSnapshot, spec: &Spec) -> HintText {
    let split = NextStep::Split(spec.id.to_string());
    let how = match refuse(snapshot, spec, SplitRequest::default()) {
        Ok(()) => hint![", without force."],
        Err(_) => hint![", with ", NextStep::Force, " and ", NextStep::Fresh, "."],
    };
    hint![" Split it anew with ", split].and(how)
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

fn proposal_of(record: &RunRecord) -> Option<SplitProposal> {
    serde_json::from_value(record.proposal.clone()?).ok()
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
    if !has_prompt(project, PROMPT) {
        let missing = PromptError::NotFound {
            name: PROMPT.into(),
            by: None,
        };
        return Err(ChantError::from(missing).into());
    }
    let asked = RunOptions {
        split: Some(split),
        ..RunOptions::default()
    };
    let agent = agent_launch::choose_agent(&config, &asked)?;
    agent_launch::refuse_unfit_agent(project, &config, &agent, spec)?;
    AgentSlots::of(&runs)?.refuse_when_full(&config)?;
    steps("Starting a runner");
    let mode = (SPLIT.to_owned(), asked);
    let (record, runner) = start_run(project, &runs, &spec.id, mode, None, steps)?;
    let told = answer(project, &record);
    detach_runner(project, runs, &record, runner);
    Ok(told)
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
        "The proposal of run '{agreed}' for spec '{id}' does not wait any more: {now}. Nothing was written."
    );
    let split = NextStep::Split(id.to_string());
    let hint = hint![" Look again with ", split, ", without force."];
    Err(ChantError::Refused(message).advise(hint).into())
}

/// Writes the members that a run proposed and makes their spec a group: all or none. Who calls holds the
/// spec's lock. Gives the record as it is then.
///
/// # Errors
/// That the spec is another one by now, or what cannot be written; nothing is changed then.
pub(in super::super) fn write_proposal(
    project: &Project,
    runs: &RunStore,
    process_id: &str,
) -> Result<RunRecord, Error> {
    let record = runs.get(process_id)?;
    let broken = || {
        let message = format!("The proposal of run '{process_id}' cannot be read. Split anew.");
        Error::from(ChantError::Refused(message))
    };
    let mut proposal = proposal_of(&record).ok_or_else(broken)?;
    let snapshot = project.snapshot()?;
    let spec = project.resolve_to_edit(&snapshot, &record.spec_id)?;
    drop(snapshot);
    let mut ids = Vec::new();
    project.change(&[&spec.path], |snapshot, texts| {
        let text = texts.first().copied().unwrap_or_default();
        if chant_git::blob(text) != proposal.of {
            let draft = SpecDraft::of(&spec.path, text)?;
            let message = format!(
                "Spec '{}' changed since run '{process_id}' looked at it; nothing was written.",
                spec.id
            );
            let hint = way_anew(snapshot, draft.spec());
            return Err(ChantError::Refused(message).advise(hint).into());
        }
        ids = project.next_members(snapshot, &spec.id, proposal.members.len())?;
        let new = write::render_members(&ids, &proposal.members)
            .map_err(|bad| ChantError::Refused(bad.to_string()))?;
        let mut steps = vec![ChangeStep::Replace {
            path: spec.path.to_string(),
            text: group(&spec.path, text, &ids)?,
        }];
        steps.extend(new.into_iter().map(|new| ChangeStep::Create {
            path: format!("{SPECS}/{}.md", new.id),
            text: new.text,
        }));
        Ok(Some(steps))
    })?;
    proposal.written = ids.iter().map(SpecId::to_string).collect();
    let reason = describe_proposal(&spec.id, &proposal);
    let value = serde_json::to_value(&proposal).ok();
    Ok(runs.update(process_id, |record| {
        record.proposal.clone_from(&value);
        record.reason = Some(reason.clone());
        Ok(())
    })?)
}

/// The text of a spec as the group of its members: what it waits for stays, and holds for them, too.
fn group(path: &str, text: &str, ids: &[SpecId]) -> Result<String, Error> {
    let mut draft = SpecDraft::of(path, text)?;
    let listed = draft.spec().members.iter().flatten();
    let mut members: Vec<String> = listed.map(ToString::to_string).collect();
    members.extend(ids.iter().map(SpecId::to_string));
    draft.set_text("type", SpecType::Group.as_str())?;
    draft.set("members", Some(FrontMatterValue::List(members)))?;
    Ok(draft.finish())
}

/// The end of what the record of a proposal says that is not written.
const WAITS: &str = "The proposal waits.";

/// Describes the outcome of a proposal, for the record.
pub(in super::super) fn describe_proposal(id: &SpecId, proposal: &SplitProposal) -> String {
    let count = proposal.count();
    let notes = match proposal.warnings.len() {
        0 => String::new(),
        1 => " (1 note)".to_owned(),
        number => format!(" ({number} notes)"),
    };
    if proposal.written.is_empty() {
        return format!("Proposes {count} members of '{id}'{notes}. {WAITS}");
    }
    let written = proposal.written.join(", ");
    format!("Split '{id}' into {count} members{notes}: {written}")
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
