//! Finds sections of a unit's documents by their headings.

use chant_base::ident::ResolvedId;
use chant_text::markdown::outline;
use chant_text::sections::{self, Section};

use super::document::PlanDocument;
use super::refusal::EditRefusal;
use super::unit::{PlanSection, PlanUnit};

/// The sections of a document, whose text begins at a byte behind its front matter.
pub fn sections_of(document: usize, text: &str, start: usize) -> Vec<PlanSection> {
    let body = &text[start..];
    let found = sections::sections(&outline(body), body.len());
    let section = |section: Section| PlanSection {
        document,
        level: section.level,
        title: section.title.into(),
        path: section.path.into(),
        heading: section.heading.start + start..section.heading.end + start,
        content: section.content.start + start..section.content.end + start,
    };
    found.into_iter().map(section).collect()
}

/// The first byte of a text behind a byte order mark.
pub fn start_of(document: &PlanDocument) -> usize {
    if document.text.starts_with('\u{feff}') {
        3
    } else {
        0
    }
}

/// Finds the one section with a name: a heading, a path of headings, or either behind the name of its document and a
/// `#`, as in `design.md#Goals`.
///
/// # Errors
/// `NoSuchSection` with the names there are, `Ambiguous` where several have the name.
pub fn find_section(unit: &PlanUnit, name: &str) -> Result<usize, EditRefusal> {
    let of_document = |at: usize| {
        let document = unit.source.documents.get(at);
        let path = document.map_or("", |document| &*document.path);
        path.strip_prefix(&*unit.source.path)
            .and_then(|rest| rest.strip_prefix('/'))
            .unwrap_or(path)
    };
    let named_document = name.split_once('#').and_then(|(document, rest)| {
        let mut documents = 0..unit.source.documents.len();
        let at = documents.find(|at| of_document(*at) == document)?;
        Some((at, rest))
    });
    let (only, heading) = named_document.map_or((None, name), |(at, rest)| (Some(at), rest));
    let numbered = unit.sections.iter().enumerate();
    let (places, wanted): (Vec<usize>, Vec<Section>) = numbered
        .filter(|(_, section)| only.is_none_or(|only| section.document == only))
        .map(|(at, section)| (at, plain(section)))
        .unzip();
    let place_of = |found: &Section| {
        let at = wanted
            .iter()
            .position(|section| std::ptr::eq(section, found));
        at.map(|at| places[at])
    };
    let full_name = |at: usize| {
        let section = &unit.sections[at];
        format!("{}#{}", of_document(section.document), section.title)
    };
    match sections::find(&wanted, heading) {
        ResolvedId::One(found) => place_of(found),
        ResolvedId::None => None,
        ResolvedId::Many(found) => {
            let places: Vec<usize> = found.into_iter().filter_map(place_of).collect();
            let line = |at: &usize| {
                let section = &unit.sections[*at];
                let document = unit.source.documents.get(section.document);
                document.map_or(0, |document| document.line_at(section.heading.start))
            };
            return Err(EditRefusal::Ambiguous {
                name: name.into(),
                path: unit.source.path.to_string(),
                lines: places.iter().map(line).collect(),
                names: places.iter().map(|at| full_name(*at)).collect(),
            });
        }
    }
    .ok_or_else(|| EditRefusal::NoSuchSection {
        name: name.into(),
        available: places.iter().map(|at| full_name(*at)).collect(),
    })
}

fn plain(section: &PlanSection) -> Section {
    Section {
        level: section.level,
        title: section.title.to_string(),
        path: section.path.to_string(),
        heading: section.heading.clone(),
        content: section.content.clone(),
    }
}
