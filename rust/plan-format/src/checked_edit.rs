//! Edits that are held to the law: each replaced byte is in the part that the intent names, and when the changed texts
//! are read again, the meant item alone differs, in nothing but what was asked for.

use std::sync::Arc;

use super::box_edit::not_taken;
use super::document::PlanDocument;
use super::edit_law::{EditLaw, LawBreach};
use super::format::PlanFormat;
use super::intent::{EditIntent, EditRequest, PlanFileStep, UnitEdit};
use super::refusal::EditRefusal;
use super::unit::{PlanUnit, UnitSource, read_unit};

/// An edit that keeps the law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedEdit {
    /// The documents with other texts, by their index in the unit, with their new texts.
    pub texts: Vec<(usize, String)>,
    /// Steps with files, in their order.
    pub files: Vec<PlanFileStep>,
    /// The unit as it reads then; none if only files are made or moved.
    pub unit: Option<PlanUnit>,
    /// The places of the changes: paths with lines of the new texts, counted from 1.
    pub changed: Vec<(Box<str>, usize)>,
    /// The name of an item that was added.
    pub added: Option<Box<str>>,
    /// Sentences for the person or agent who asked.
    pub notes: Vec<String>,
}

/// The reasons why there is no edit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckedEditError {
    /// The format refuses the intent.
    #[error(transparent)]
    Refused(#[from] EditRefusal),
    /// The format broke the law.
    #[error(
        "the format {word} would change more or other than was meant ({fault}); nothing was changed"
    )]
    Fault {
        /// The word of the format.
        word: &'static str,
        /// The fault.
        fault: String,
    },
}

/// Asks a format for an edit and holds it to the law.
///
/// # Errors
/// `Refused` with the format's reason, `Fault` where the edit does not keep the law.
pub fn apply_checked(
    format: &dyn PlanFormat,
    unit: Option<&PlanUnit>,
    request: &EditRequest<'_>,
) -> Result<CheckedEdit, CheckedEditError> {
    let scope = format.scope();
    let fault = |breach: LawBreach| CheckedEditError::Fault {
        word: scope.word,
        fault: breach.to_string(),
    };
    let edit = format.edit(unit, request)?;
    if !scope.intents.contains(&request.intent.kind()) {
        return Err(not_taken(scope, request.intent).into());
    }
    let item = match (unit, request.item) {
        (Some(unit), Some(name)) => Some(single_item(unit, name)?),
        // A unit of one item is that item.
        (Some(unit), None) if unit.items.len() == 1 => Some(0),
        _ => None,
    };
    let files = check_files(format, unit, request, &edit).map_err(fault)?;
    let checked = |texts, unit, changed| CheckedEdit {
        texts,
        files,
        unit,
        changed,
        added: edit.added.clone(),
        notes: edit.notes.clone(),
    };
    let Some(unit) = unit.filter(|_| !edit.texts.is_empty()) else {
        if edit.texts.is_empty() {
            return Ok(checked(Vec::new(), None, Vec::new()));
        }
        return Err(fault(LawBreach::NoUnit));
    };
    let (texts, after, changed) = apply_law(format, unit, request, item, &edit).map_err(fault)?;
    Ok(checked(texts, Some(after), changed))
}

/// The new texts by document, the unit as it reads then, and the places of the changes.
type LawfulTexts = (Vec<(usize, String)>, PlanUnit, Vec<(Box<str>, usize)>);

fn apply_law(
    format: &dyn PlanFormat,
    unit: &PlanUnit,
    request: &EditRequest<'_>,
    item: Option<usize>,
    edit: &UnitEdit,
) -> Result<LawfulTexts, LawBreach> {
    let law = EditLaw {
        touched: format.scope().touched,
        unit,
        item,
        intent: request.intent,
    };
    for text in &edit.texts {
        law.check_span(text)?;
    }
    let (texts, changed) = law.applied(edit)?;
    let mut source = unit.source.clone();
    for (at, text) in &texts {
        let path = source.documents[*at].path.clone();
        source.documents[*at] = Arc::new(PlanDocument::new(path, text.clone()));
    }
    let after = read_unit(format, source);
    law.check_reading(&after, edit.added.as_deref())?;
    Ok((texts, after, changed))
}

/// Refuses a text of a person that would be read as more than text where an edit puts it.
///
/// # Errors
/// `UnfitText` with what would be read otherwise.
pub fn refuse_unfit(
    format: &dyn PlanFormat,
    unit: &PlanUnit,
    request: &EditRequest<'_>,
    item: usize,
    edit: UnitEdit,
) -> Result<UnitEdit, EditRefusal> {
    match apply_law(format, unit, request, Some(item), &edit) {
        Ok(_) => Ok(edit),
        Err(breach) => Err(EditRefusal::UnfitText {
            why: breach.to_string(),
            path: unit.source.path.to_string(),
        }),
    }
}

/// Finds the one item with a name.
///
/// # Errors
/// `NoSuchItem`, or `Ambiguous` where several have the name.
pub fn single_item(unit: &PlanUnit, name: &str) -> Result<usize, EditRefusal> {
    let found = unit.indexes_of(name);
    let path = unit.source.path.to_string();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(EditRefusal::NoSuchItem {
            name: name.into(),
            path,
        }),
        [first, ..] => {
            let names = found.iter().map(|at| unit.items[*at].name.to_string());
            let mut names: Vec<String> = names.collect();
            if let Some(name) = names.first_mut() {
                name.push_str("~1");
            }
            let document = unit.document_of(&unit.items[*first]);
            Err(EditRefusal::Ambiguous {
                name: name.into(),
                path: document.map_or(path, |document| document.path.to_string()),
                lines: found.iter().map(|at| unit.items[*at].line).collect(),
                names,
            })
        }
    }
}

/// Checks steps with files: what is made reads as what was to be added, what is moved belongs to the unit.
fn check_files(
    format: &dyn PlanFormat,
    unit: Option<&PlanUnit>,
    request: &EditRequest<'_>,
    edit: &UnitEdit,
) -> Result<Vec<PlanFileStep>, LawBreach> {
    if edit.files.is_empty() {
        return Ok(Vec::new());
    }
    let layout = format.layout(request.settings);
    let mut made: Vec<UnitSource> = Vec::new();
    for step in &edit.files {
        match step {
            PlanFileStep::Move { from, to } => {
                let is_own = unit.is_some_and(|unit| *unit.source.path == **from);
                if !is_own || !matches!(request.intent, EditIntent::Move { .. }) {
                    return Err(LawBreach::Moves {
                        from: from.clone(),
                        to: to.clone(),
                    });
                }
            }
            PlanFileStep::Create { path, text } => {
                let fits = layout.units.iter().find_map(|pattern| {
                    let found = pattern.unit_at(path)?;
                    found.is_document.then_some((pattern.kind, found))
                });
                let Some((kind, found)) = fits else {
                    return Err(LawBreach::StrangeFile(path.clone()));
                };
                let document = Arc::new(PlanDocument::new(path.as_str(), text.as_str()));
                match made.iter_mut().find(|unit| *unit.path == *found.path) {
                    Some(unit) => unit.documents.push(document),
                    None => made.push(UnitSource {
                        kind,
                        name: found.name.into(),
                        path: found.path.into(),
                        documents: vec![document],
                    }),
                }
            }
        }
    }
    for source in made {
        let EditIntent::Add { .. } = request.intent else {
            return Err(LawBreach::NeedlessFile(source.path));
        };
        let read = read_unit(format, source);
        let name = edit.added.as_deref();
        if !read.items.iter().any(|item| Some(&*item.name) == name) {
            return Err(LawBreach::FileWithoutItem(read.source.path));
        }
        if request.taken.iter().any(|taken| Some(&**taken) == name) {
            return Err(LawBreach::TakenName(name.unwrap_or_default().to_owned()));
        }
    }
    Ok(edit.files.clone())
}
