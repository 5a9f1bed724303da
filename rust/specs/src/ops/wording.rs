//! A person's changes of a spec's wording: its title, the list of its criteria, and keys that tools do not set.

use super::edit::SpecDraft;
use super::update::{SpecUpdate, folded, without_box};
use crate::error::ChantError;
use crate::model::{Criterion, Spec};
use crate::parse::CRITERIA;
use chant_base::error::Error;
use chant_text::edit::{Edit, line_break};
use chant_text::markdown;

/// Changes the title, the criteria and the keys that are given.
///
/// # Errors
/// `InvalidArgument` or `NoSuchCriterion`, or an `EditError`.
pub(super) fn apply(draft: &mut SpecDraft, update: &SpecUpdate) -> Result<(), Error> {
    if let Some(title) = &update.title {
        retitle(draft, title)?;
    }
    remove_criteria(draft, &update.remove_criteria)?;
    add_criteria(draft, &update.add_criteria)?;
    if update.r#type.as_deref() == Some("") {
        return Err(invalid(
            "type",
            "expected a type, such as code, got an empty text",
        ));
    }
    let keys = [
        ("type", &update.r#type),
        ("assignee", &update.assignee),
        ("priority", &update.priority),
    ];
    for (key, value) in keys {
        match value.as_deref().map(str::trim) {
            None => {}
            Some("") => draft.set(key, None)?,
            Some(value) => draft.set_text(key, value)?,
        }
    }
    Ok(())
}

fn invalid(name: &'static str, why: impl Into<String>) -> Error {
    let why = why.into();
    ChantError::InvalidArgument { name, why }.into()
}

fn line_of_text<'a>(name: &'static str, text: &'a str) -> Result<&'a str, Error> {
    let text = text.trim();
    if text.is_empty() || text.contains(['\n', '\r', '\0']) {
        return Err(invalid(name, "expected one line of text"));
    }
    Ok(text)
}

fn retitle(draft: &mut SpecDraft, title: &str) -> Result<(), Error> {
    let title = line_of_text("title", title)?;
    let spec = draft.spec();
    let body = spec.body();
    let outline = markdown::outline(body);
    let heading = outline.headings.iter().find(|heading| heading.level == 1);
    let eol = line_break(&spec.text);
    let edit = if let Some(heading) = heading {
        let written = &body[heading.range.clone()];
        let at = written
            .find(&heading.text)
            .filter(|_| !heading.text.is_empty());
        match at.map(|at| heading.range.start + at) {
            Some(start) => Edit::replace(start..start + heading.text.len(), title),
            None => Edit::replace(heading.range.clone(), format!("# {title}{eol}")),
        }
    } else {
        let start = body.len() - body.trim_start_matches(['\r', '\n']).len();
        Edit::insert(start, format!("# {title}{eol}{eol}"))
    };
    draft.edit_body(vec![edit])?;
    if draft.spec().title.as_deref() == Some(title) {
        return Ok(());
    }
    Err(invalid(
        "title",
        "it would not read back from the file as it was given",
    ))
}

fn texts(spec: &Spec) -> Vec<String> {
    let criteria = spec.criteria.iter();
    criteria.map(|one| spec.criterion_text(one)).collect()
}

/// A criterion's line: its first byte, and the byte behind its text's last line.
fn lines_of(body: &str, criterion: &Criterion) -> (usize, usize) {
    let (marker, end) = (criterion.marker as usize, criterion.end as usize);
    let start = body[..marker].rfind('\n').map_or(0, |at| at + 1);
    let end = end.max(marker);
    let end = body[end..].find('\n').map_or(body.len(), |at| end + at + 1);
    (start, end)
}

fn remove_criteria(draft: &mut SpecDraft, wanted: &[String]) -> Result<(), Error> {
    for text in wanted {
        let spec = draft.spec();
        let mut kept = texts(spec);
        let folded = [folded(text), folded(without_box(text))];
        let at = folded
            .iter()
            .find_map(|text| kept.iter().position(|one| one == text));
        let Some(at) = at else {
            return Err(ChantError::NoSuchCriterion {
                text: text.clone(),
                criteria: kept,
            }
            .into());
        };
        kept.remove(at);
        let (start, end) = lines_of(spec.body(), &spec.criteria[at]);
        draft.edit_body(vec![Edit::replace(start..end, "")])?;
        refuse_other(draft, &kept, "remove_criteria")?;
    }
    Ok(())
}

fn add_criteria(draft: &mut SpecDraft, wanted: &[String]) -> Result<(), Error> {
    for text in wanted {
        let text = folded(line_of_text("add_criteria", without_box(text))?);
        let spec = draft.spec();
        let body = spec.body();
        let eol = line_break(&spec.text);
        let mut expected = texts(spec);
        expected.push(text.clone());
        let (at, line) = match spec.criteria.last() {
            Some(last) => {
                let (_, end) = lines_of(body, last);
                let indent = |one: &Criterion| {
                    let (start, _) = lines_of(body, one);
                    &body[start..one.marker as usize]
                };
                let shortest = spec.criteria.iter().map(indent).min_by_key(|one| one.len());
                (end, format!("{}[ ] {text}{eol}", shortest.unwrap_or("- ")))
            }
            None => (body.len(), format!("- [ ] {text}{eol}")),
        };
        let before = if body[..at].is_empty() || body[..at].ends_with('\n') {
            ""
        } else {
            eol
        };
        let heading = match spec.criteria.last() {
            Some(_) => String::new(),
            None => format!("{eol}## {CRITERIA}{eol}{eol}"),
        };
        draft.edit_body(vec![Edit::insert(at, format!("{before}{heading}{line}"))])?;
        refuse_other(draft, &expected, "add_criteria")?;
    }
    Ok(())
}

/// Refuses a text that would not have these criteria.
fn refuse_other(draft: &SpecDraft, expected: &[String], name: &'static str) -> Result<(), Error> {
    if texts(draft.spec()) == expected {
        return Ok(());
    }
    Err(invalid(
        name,
        "with it other criteria would read otherwise; change them in the file itself",
    ))
}
