//! Edits of sections between headings.

use chant_text::edit::apply;
use chant_text::sections::{Section, SectionPlace, put};

use super::intent::{TextEdit, UnitEdit};
use super::refusal::EditRefusal;
use super::section_lookup::{find_section, sections_of, start_of};
use super::unit::PlanUnit;

/// As [`set_section`] for formats whose tasks are in a document of their own, below the unit's folder: its sections hold
/// tasks, and no text.
///
/// # Errors
/// `NotTaken` for a section of that document, or as [`set_section`].
pub fn set_section_of_text(
    unit: &PlanUnit,
    tasks: &str,
    name: &str,
    text: &str,
    append: bool,
) -> Result<UnitEdit, EditRefusal> {
    let section = &unit.sections[find_section(unit, name)?];
    if unit.source.index_of(tasks) == Some(section.document) {
        return Err(EditRefusal::NotTaken {
            noun: "a section of tasks",
            intent: "section",
            advice: "Add tasks, tick them, or set their titles".into(),
        });
    }
    set_section(unit, name, text, append)
}

/// The edit that gives a section a text, or puts one behind what is there.
///
/// # Errors
/// As [`find_section`]; `UnfitText` where the text would end the section, or take others in.
pub fn set_section(
    unit: &PlanUnit,
    name: &str,
    text: &str,
    append: bool,
) -> Result<UnitEdit, EditRefusal> {
    let at = find_section(unit, name)?;
    let section = &unit.sections[at];
    let document = &unit.source.documents[section.document];
    // Front matter is no text of sections.
    let has_attributes = |item: &&super::unit::PlanItem| {
        item.document == Some(section.document) && item.spans.attributes.is_some()
    };
    let details = unit
        .items
        .iter()
        .find(has_attributes)
        .and_then(|item| item.spans.details.clone());
    let start = details.map_or_else(|| start_of(document), |details| details.start);
    let content = &document.text[section.content.clone()];
    let is_there = if append {
        text.trim().is_empty()
    } else {
        same_text(content, text)
    };
    if is_there {
        return Ok(UnitEdit::default());
    }
    let body = &document.text[start..];
    let plain = Section {
        level: section.level,
        title: section.title.to_string(),
        path: section.path.to_string(),
        heading: section.heading.start - start..section.heading.end - start,
        content: section.content.start - start..section.content.end - start,
    };
    let place = if append {
        SectionPlace::End
    } else {
        SectionPlace::Whole
    };
    let edit = put(body, &plain, text, place);
    let unfit = |why: &str| EditRefusal::UnfitText {
        why: why.into(),
        path: document.path.to_string(),
    };
    let changed =
        apply(body, std::slice::from_ref(&edit)).map_err(|error| EditRefusal::UnsoundDocument {
            path: document.path.to_string(),
            why: error.to_string(),
        })?;
    let shape = |sections: &[super::unit::PlanSection]| -> Vec<(u8, Box<str>)> {
        sections
            .iter()
            .map(|one| (one.level, one.title.clone()))
            .collect()
    };
    let old: Vec<_> = unit
        .sections
        .iter()
        .filter(|one| one.document == section.document)
        .cloned()
        .collect();
    let new = sections_of(section.document, &changed, 0);
    let own = old
        .iter()
        .position(|one| one.heading == section.heading)
        .unwrap_or_default();
    let is_inside = |one: &&super::unit::PlanSection| section.content.contains(&one.heading.start);
    let inside = old[own + 1..].iter().take_while(is_inside).count();
    let (old, new_shape) = (shape(&old), shape(&new));
    let behind = &old[own + 1 + inside..];
    if new_shape.get(..=own) != old.get(..=own) || !new_shape.ends_with(behind) {
        return Err(unfit(
            "it would take in what stands behind the section, or change its heading",
        ));
    }
    let added = new_shape.len().saturating_sub(behind.len());
    if new_shape[own + 1..added.max(own + 1)]
        .iter()
        .any(|(level, _)| *level <= section.level)
    {
        return Err(unfit("it holds a heading that would end the section"));
    }
    Ok(UnitEdit {
        texts: vec![TextEdit {
            document: section.document,
            span: edit.range.start + start..edit.range.end + start,
            text: edit.text,
        }],
        ..UnitEdit::default()
    })
}

/// Returns true if two texts have the same lines, whatever blank ones stand around them and whatever ends lines.
pub fn same_text(one: &str, other: &str) -> bool {
    one.trim().lines().eq(other.trim().lines())
}
