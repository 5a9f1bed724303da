//! The proposal that a split left in its run's record: read, described, and written as members.

use std::sync::Arc;

use crate::error::SpecRunError;
use crate::split::{SplitRequest, write};
use crate::start::refuse_unapproved;
use crate::view::split::SplitProposal;
use chant_base::error::Error;
use chant_base::next_step::{HintText, NextStep, hint};
use chant_base::plural::counted;
use chant_specs::error::ChantError;
use chant_specs::id::SpecId;
use chant_specs::model::{Spec, SpecStatus, SpecType};
use chant_specs::ops::edit::SpecDraft;
use chant_specs::project::{Project, ProjectSnapshot, SPECS};
use chant_specs::scores::{QualityGrade, SpecScores, SpecSize};
use chant_store::journal::ChangeStep;
use chant_text::front_matter::FrontMatterValue;
use chant_work::run_record::RunRecord;
use chant_work::run_store::RunStore;

/// Writes the members that a run proposed and makes their spec a group: all or none. Who calls holds the
/// spec's lock. Gives the record as it is then.
///
/// # Errors
/// That the spec is another one by now, or what cannot be written; nothing is changed then.
pub(crate) fn write_proposal(
    project: &Project,
    runs: &RunStore,
    process_id: &str,
) -> Result<RunRecord, Error> {
    let record = runs.get(process_id)?;
    let broken = || {
        let message = format!("The proposal of run '{process_id}' cannot be read. Split again.");
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
pub(crate) const WAITS: &str = "The proposal waits.";

/// Describes the outcome of a proposal, for the record.
pub(crate) fn describe_proposal(id: &SpecId, proposal: &SplitProposal) -> String {
    let members = counted(proposal.count(), "member");
    let notes = match proposal.warnings.len() {
        0 => String::new(),
        number => format!(" ({})", counted(number, "note")),
    };
    if proposal.written.is_empty() {
        return format!("Proposes {members} of '{id}'{notes}. {WAITS}");
    }
    let written = proposal.written.join(", ");
    format!("Split '{id}' into {members}{notes}: {written}")
}

pub(crate) fn proposal_of(record: &RunRecord) -> Option<SplitProposal> {
    serde_json::from_value(record.proposal.clone()?).ok()
}

/// Returns the way to split a spec again whose proposal is for an older text: one that is only split by force
/// would be refused without it, and by force alone given that proposal again.
pub(crate) fn way_anew(snapshot: &ProjectSnapshot, spec: &Spec) -> HintText {
    let split = NextStep::Split(spec.id.to_string());
    let how = match refuse_split(snapshot, spec, SplitRequest::default()) {
        Ok(()) => hint![", without force."],
        Err(_) => hint![", with ", NextStep::Force, " and ", NextStep::Fresh, "."],
    };
    hint![" Split it again with ", split].and(how)
}

/// Refuses a split that the spec's state forbids.
///
/// # Errors
/// The reason.
pub(crate) fn refuse_split(
    snapshot: &ProjectSnapshot,
    spec: &Spec,
    wish: SplitRequest<'_>,
) -> Result<(), Error> {
    let id = &spec.id;
    if spec.kind == SpecType::Group {
        let diagnose = NextStep::Diagnose(id.to_string());
        let hint = hint!["\n", diagnose, format!(" shows the members of '{id}'.")];
        return Err(ChantError::Refused("Spec is already split".into())
            .advise(hint)
            .into());
    }
    refuse_unapproved(spec).map_err(SpecRunError::from)?;
    let status = snapshot.specs.status(spec);
    let may = match status {
        SpecStatus::Pending => true,
        SpecStatus::Blocked | SpecStatus::Ready => wish.force,
        _ => false,
    };
    if !may {
        let hint = match status {
            SpecStatus::Blocked | SpecStatus::Ready => {
                hint!["\n", NextStep::Force, " splits it anyway."]
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
            "\nRemove these words, or split it anyway with ",
            NextStep::Force,
            ".",
        ];
        return Err(ChantError::Refused(message).advise(hint).into());
    }
    Ok(())
}
