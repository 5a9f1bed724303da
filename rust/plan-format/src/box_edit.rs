//! Edits of boxes, for formats that keep an item in one line of a checklist.

use chant_text::checklist::lines::set_sign;

use super::checked_edit::single_item;
use super::intent::{EditIntent, EditRequest, TextEdit, TickTarget, UnitEdit};
use super::refusal::EditRefusal;
use super::scope::FormatScope;
use super::unit::{PlanItem, PlanSection, PlanUnit};

/// The refusal of an intent that a format does not take.
pub fn not_taken(scope: &FormatScope, intent: &EditIntent) -> EditRefusal {
    let words: Vec<&str> = scope.intents.iter().map(|intent| intent.as_str()).collect();
    EditRefusal::NotTaken {
        noun: scope.noun,
        intent: intent.kind().as_str(),
        advice: match words.as_slice() {
            [] => "Edit the document with the format's own program".into(),
            words => format!("It takes: {}", words.join(", ")),
        },
    }
}

/// The item of a request.
///
/// # Errors
/// `NoSuchItem`, or `Ambiguous`; a request without an item means the unit's own item.
pub fn requested_item(unit: &PlanUnit, request: &EditRequest<'_>) -> Result<usize, EditRefusal> {
    single_item(unit, request.item.unwrap_or_default())
}

/// The edit that puts a sign into the box of an item.
///
/// # Errors
/// `NoBox` for an item that only holds others, `UnsoundDocument` for a line that is a heading, too.
pub fn set_box(unit: &PlanUnit, at: usize, sign: char) -> Result<Option<TextEdit>, EditRefusal> {
    let item = &unit.items[at];
    let (Some(mark), Some(document), Some(text)) =
        (&item.spans.mark, item.document, unit.document_of(item))
    else {
        return Err(EditRefusal::NoBox {
            name: item.name.to_string(),
            advice: "Tick its parts".into(),
        });
    };
    let is_heading = |section: &PlanSection| {
        section.document == document && section.heading.contains(&mark.start)
    };
    if unit.sections.iter().any(is_heading) {
        return Err(EditRefusal::UnsoundDocument {
            path: text.path.to_string(),
            why: format!("line {} is a heading by the line below it", item.line),
        });
    }
    let edit = set_sign(&text.text, mark, sign);
    Ok(edit.map(|(span, text)| TextEdit {
        document,
        span,
        text,
    }))
}

/// The edit that ticks or unticks an item.
///
/// With its parents: those are ticked, too, all of whose required parts are ticked then; unticking unticks all of
/// them.
///
/// # Errors
/// As [`set_box`]; criteria are no boxes of such formats.
pub fn tick_box(
    unit: &PlanUnit,
    at: usize,
    which: &TickTarget,
    on: bool,
) -> Result<UnitEdit, EditRefusal> {
    if let TickTarget::Criterion { number, .. } = which {
        return Err(EditRefusal::NoSuchCriterion {
            number: *number,
            available: vec!["none; tick the item itself".into()],
        });
    }
    let mut edit = UnitEdit::default();
    let mut ticked = vec![at];
    // A tick that is there stays in its letter.
    if unit.items[at].is_ticked != on || unit.items[at].spans.mark.is_none() {
        edit.texts
            .extend(set_box(unit, at, if on { 'x' } else { ' ' })?);
    }
    let mut above = unit.items[at]
        .parent
        .filter(|_| *which == TickTarget::WithParents);
    while let Some(parent) = above {
        let item = &unit.items[parent];
        let is_open = |part: usize| {
            let part_item = &unit.items[part];
            !part_item.is_optional && !part_item.is_ticked && !ticked.contains(&part)
        };
        if item.is_group || (on && unit.parts_of(parent).any(is_open)) {
            break;
        }
        if item.is_ticked != on {
            edit.texts
                .extend(set_box(unit, parent, if on { 'x' } else { ' ' })?);
        }
        ticked.push(parent);
        above = item.parent;
    }
    Ok(edit)
}

/// The edit that takes the sign of work away from an item and from all of its parts.
///
/// # Errors
/// As [`set_box`].
pub fn reset_boxes(unit: &PlanUnit, at: usize) -> Result<UnitEdit, EditRefusal> {
    let mut edit = UnitEdit::default();
    let mut below = vec![at];
    let mut next = 0;
    while let Some(item) = below.get(next).copied() {
        next += 1;
        if unit.items[item].is_begun {
            edit.texts.extend(set_box(unit, item, ' ')?);
        }
        let parts: Vec<usize> = unit
            .parts_of(item)
            .filter(|part| !below.contains(part))
            .collect();
        below.extend(parts);
    }
    Ok(edit)
}

/// Checks a new title of an item in a checklist: one line, with words, and no number before it where items without
/// one are named by their titles.
///
/// # Errors
/// `UnfitText` with the fault.
pub fn fit_title<'a>(text: &'a str, path: &str, is_numbered: bool) -> Result<&'a str, EditRefusal> {
    let title = text.trim();
    let why = if title.is_empty() {
        "it is empty"
    } else if title.contains(['\n', '\r']) {
        "it has more than one line"
    } else if !is_numbered && chant_text::checklist::lines::leading_number(title, true).is_some() {
        "it begins with a number, which would be read as that of the item"
    } else if title.starts_with('*') {
        "it begins with a star, which is a sign of the list"
    } else {
        return Ok(title);
    };
    Err(EditRefusal::UnfitText {
        why: why.into(),
        path: path.into(),
    })
}

/// The path of an item's document, or of its unit.
pub fn path_of(unit: &PlanUnit, item: &PlanItem) -> String {
    let document = unit.document_of(item);
    document
        .map_or(&unit.source.path, |document| &document.path)
        .to_string()
}
