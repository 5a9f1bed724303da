//! `manage_cr_sections` with `check` and `uncheck`: ticks a box, one character of the file.

use super::sections::{SectionCall, required};
use crate::criteria::{self, TicketCriterion};
use crate::error::TicketError;
use crate::model::Ticket;
use crate::sections::{locate, parse_sections};
use crate::ticket_store::TicketStore;
use crate::view::BoxChange;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_text::checklist::{self, behind_box, without_bullet};

/// Ticks the boxes that read as the content says, or takes their ticks back: acceptance criteria, or boxes of the
/// section that is named.
pub(super) fn tick(
    store: &TicketStore,
    call: &SectionCall<'_>,
    checked: bool,
) -> Result<Answer, Error> {
    let wanted = required("content", call.content)?;
    let mut text = String::new();
    let changed = store.change(call.key, |_, code, draft| {
        let ticket = draft.ticket();
        let boxes = boxes_of(ticket, call.section, &code.to_string())?;
        let meant = find(&boxes, wanted)?;
        text = meant
            .first()
            .map_or_else(String::new, |one| one.text.clone());
        let edits = meant
            .iter()
            .filter_map(|one| checklist::set(&one.item, checked));
        let edits = edits.collect();
        Ok(draft.edit_body(edits)?)
    })?;
    let boxes = boxes_of(&changed.after, call.section, &changed.code.to_string())?;
    let view = BoxChange {
        code: changed.code.to_string(),
        title: &changed.after.title,
        checked,
        changed: changed.before.text != changed.after.text,
        met: boxes.iter().filter(|one| one.is_met).count(),
        total: boxes.len(),
        last_modified: store.last_modified(&changed.after),
        file_path: store.absolute(&changed.after.path),
    };
    let what = if checked { "Ticked" } else { "Opened" };
    let text = format!(
        "✅ **{what} in CR {}**: {text}\n\n{} of {} boxes are ticked.",
        view.code, view.met, view.total
    );
    Ok(Answer::text_with_data(text, &view))
}

fn boxes_of(
    ticket: &Ticket,
    section: Option<&str>,
    code: &str,
) -> Result<Vec<TicketCriterion>, TicketError> {
    let Some(name) = section else {
        return Ok(criteria::criteria(ticket));
    };
    let sections = parse_sections(ticket.body());
    let meant = &sections[locate(&sections, name, code)?].heading;
    Ok(criteria::boxes(ticket, |section| section.heading == *meant))
}

/// The boxes that read so, with or without a bullet and a box before the text.
fn find<'a>(
    boxes: &'a [TicketCriterion],
    wanted: &str,
) -> Result<Vec<&'a TicketCriterion>, TicketError> {
    let reading = |text: &str| -> Vec<&TicketCriterion> {
        let text = folded(text);
        boxes.iter().filter(|one| one.text == text).collect()
    };
    let mut found = reading(wanted);
    if found.is_empty() {
        found = reading(behind_box(wanted).unwrap_or_else(|| without_bullet(wanted)));
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let texts: Vec<&str> = boxes.iter().map(|one| one.text.as_str()).collect();
    let there = match texts.as_slice() {
        [] => "there are none".to_owned(),
        texts => format!("there are: {}", texts.join(" | ")),
    };
    Err(TicketError::invalid(
        "content",
        format!("expected the text of a box; {there}"),
    ))
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
