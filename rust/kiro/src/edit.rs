//! Edits of specs: boxes, titles and sections.

use chant_plan_format::box_edit::{
    fit_title, not_taken, path_of, requested_item, reset_boxes, set_box, tick_box,
};
use chant_plan_format::checked_edit::refuse_unfit;
use chant_plan_format::intent::{EditIntent, EditRequest, UnitEdit};
use chant_plan_format::refusal::EditRefusal;
use chant_plan_format::section_edit::set_section_of_text;
use chant_plan_format::unit::PlanUnit;

use super::add::{add_task, new_spec};
use super::format::{KiroSpecs, SCOPE, TASKS};

pub(super) fn edit(
    unit: Option<&PlanUnit>,
    request: &EditRequest<'_>,
) -> Result<UnitEdit, EditRefusal> {
    let Some(unit) = unit else {
        return match request.intent {
            EditIntent::Add { draft, .. } => new_spec(draft, request),
            intent => Err(not_taken(&SCOPE, intent)),
        };
    };
    match request.intent {
        EditIntent::Tick { which, on } => {
            tick_box(unit, requested_item(unit, request)?, which, *on)
        }
        EditIntent::Status { word } => set_status(unit, requested_item(unit, request)?, word),
        EditIntent::Reset => reset_boxes(unit, requested_item(unit, request)?),
        EditIntent::Title { text } => {
            let at = requested_item(unit, request)?;
            refuse_unfit(&KiroSpecs, unit, request, at, set_title(unit, at, text)?)
        }
        EditIntent::Section { name, text, append } => {
            set_section_of_text(unit, TASKS, name, text, *append)
        }
        EditIntent::Add { parent, draft } => add_task(unit, parent.as_deref(), draft),
        intent @ (EditIntent::Set { .. }
        | EditIntent::AddCriterion { .. }
        | EditIntent::Move { .. }) => Err(not_taken(&SCOPE, intent)),
    }
}

fn set_status(unit: &PlanUnit, at: usize, word: &str) -> Result<UnitEdit, EditRefusal> {
    let sign = match word {
        "not_started" => ' ',
        "queued" => '~',
        "in_progress" => '-',
        "completed" => 'x',
        _ => {
            return Err(EditRefusal::UnknownStatus {
                word: word.into(),
                allowed: SCOPE
                    .statuses
                    .iter()
                    .map(|word| (*word).to_owned())
                    .collect(),
            });
        }
    };
    let item = &unit.items[at];
    let mut edit = UnitEdit::default();
    // A tick that is there stays in its letter.
    if *item.mark != *word || item.is_group {
        edit.texts.extend(set_box(unit, at, sign)?);
    }
    Ok(edit)
}

fn set_title(unit: &PlanUnit, at: usize, text: &str) -> Result<UnitEdit, EditRefusal> {
    let item = &unit.items[at];
    let (Some(span), Some(document), false) = (&item.spans.title, item.document, item.is_group)
    else {
        return Err(EditRefusal::NotTaken {
            noun: "the title of a spec",
            intent: "title",
            advice: "Rename its folder".into(),
        });
    };
    let path = path_of(unit, item);
    let title = fit_task_title(text, &path, !item.id.starts_with('~'))?;
    if item.title.trim() == title {
        return Ok(UnitEdit::default());
    }
    let text_of = &unit.source.documents[document].text;
    // A title of no words has no blank before it.
    let gap = if span.is_empty() && !text_of[..span.start].ends_with(' ') {
        " "
    } else {
        ""
    };
    let mut edit = UnitEdit::replace(document, span.clone(), format!("{gap}{title}"));
    edit.notes
        .push("Kiro keeps the history of a task by its title, and loses it with a new one".into());
    Ok(edit)
}

/// Checks the title of a task, which is not to begin with the sign of a parallel one.
pub(super) fn fit_task_title<'a>(
    text: &'a str,
    path: &str,
    is_numbered: bool,
) -> Result<&'a str, EditRefusal> {
    let title = fit_title(text, path, is_numbered)?;
    if is_numbered && title.starts_with("(P)") {
        return Err(EditRefusal::UnfitText {
            why: "it begins with (P), which is a sign of the list".into(),
            path: path.into(),
        });
    }
    Ok(title)
}
