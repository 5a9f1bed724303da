//! The documents of a feature as texts, its checklists among them.

use std::path::Path;

use super::ARTIFACTS;
use crate::error::{SpeckitError, to_tool_error};
use crate::files::FeatureStore;
use crate::resolve::{FeatureDirectory, ResolvedProject};
use crate::view::BoxesView;
use chant_base::answer::{Answer, TextRange, piece};
use chant_base::error::{CoreError, Error};
use chant_base::next_step::hint;
use chant_store::StoreError;
use chant_store::disk;
use chant_text::clash;

/// The folder of checklists, beside the documents.
const CHECKLISTS: &str = "checklists";

/// The boxes of all checklists of a feature; `None` without any. Of one with two versions none counts.
pub(super) fn boxes(
    features: &FeatureStore,
    feature: &FeatureDirectory,
) -> Result<Option<BoxesView>, Error> {
    let texts = checklists(features, feature)?;
    let boxes: Vec<bool> = texts
        .iter()
        .filter(|(_, text)| clash::in_document(text).is_none())
        .flat_map(|(_, text)| chant_text::markdown::outline(text).tasks)
        .map(|task| task.checked)
        .collect();
    Ok((!texts.is_empty()).then(|| BoxesView {
        open: boxes.iter().filter(|checked| !**checked).count(),
        total: boxes.len(),
    }))
}

/// `rstn_read_spec`: the text of one of the feature's documents.
///
/// # Errors
/// `Artifact`, `NoArtifact`, or what the disk says.
pub fn read(
    features: &FeatureStore,
    asked: Option<&str>,
    artifact: &str,
    wanted: TextRange,
) -> Result<Answer, Error> {
    let text = text_of(features, asked, artifact).map_err(to_tool_error)?;
    Ok(answer_in_pieces(&text, wanted))
}

/// The whole text of one of the feature's documents, however long.
///
/// # Errors
/// As [`read`].
pub fn document(
    features: &FeatureStore,
    asked: Option<&str>,
    artifact: &str,
) -> Result<Answer, Error> {
    let text = text_of(features, asked, artifact).map_err(to_tool_error)?;
    Ok(Answer::prose(text))
}

fn text_of(features: &FeatureStore, asked: Option<&str>, artifact: &str) -> Result<String, Error> {
    let known = ARTIFACTS.into_iter().find(|known| *known == artifact);
    let artifact = known.ok_or_else(|| SpeckitError::Artifact {
        given: artifact.to_owned(),
    })?;
    let found = features.find(asked)?;
    let Some(feature) = &found.feature else {
        return Err(SpeckitError::NoArtifact {
            artifact,
            feature: None,
            hint: found.without_feature().hint(),
        }
        .into());
    };
    let mut text = raw(features, feature, &format!("{artifact}.md"))?;
    if text.is_none() && artifact == "checklist" {
        text = joined(&checklists(features, feature)?);
    }
    text.ok_or_else(|| missing(features, &found, feature, artifact))
}

fn missing(
    features: &FeatureStore,
    found: &ResolvedProject,
    feature: &FeatureDirectory,
    artifact: &'static str,
) -> Error {
    let command = |name: &str| features.command(found, name);
    let directory = &feature.directory;
    let hint = match artifact {
        "spec" => format!("{} writes {directory}/spec.md.", command("specify")),
        "analysis" => format!(
            "{} only reports: today's spec-kit writes no analysis.md.",
            command("analyze")
        ),
        "checklist" => format!("{} writes {directory}/checklists/.", command("checklist")),
        name => format!("{} writes {directory}/{name}.md.", command(name)),
    };
    SpeckitError::NoArtifact {
        artifact,
        feature: Some(feature.label.clone()),
        hint: hint!["\n", hint],
    }
    .into()
}

/// A document's text whatever its bytes are, without the mark at its beginning; `None` when there is none.
fn raw(
    features: &FeatureStore,
    feature: &FeatureDirectory,
    name: &str,
) -> Result<Option<String>, Error> {
    let Some(root) = &feature.root else {
        return Ok(None);
    };
    let path = feature.within(name);
    let real = match root.locate(&path) {
        Err(StoreError::Missing { .. }) => return Ok(None),
        real => real?,
    };
    let disk = features.disk.clone().within(root.path());
    let text = match disk.read_text(&real, &path) {
        Ok((text, _)) => text,
        // Not UTF-8: what can be shown is; anything else fails again.
        Err(StoreError::Unreadable { why, .. }) => match disk.read_content(&real) {
            Ok(content) => String::from_utf8_lossy(&content.bytes).into_owned(),
            Err(_) => return Err(StoreError::Unreadable { path, why }.into()),
        },
        Err(error) => return Err(error.into()),
    };
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    Ok(Some(text))
}

/// The checklists of a feature, by name.
fn checklists(
    features: &FeatureStore,
    feature: &FeatureDirectory,
) -> Result<Vec<(String, String)>, Error> {
    let Some(root) = &feature.root else {
        return Ok(Vec::new());
    };
    if let Some(text) = raw(features, feature, "checklist.md")? {
        return Ok(vec![("checklist.md".into(), text)]);
    }
    let names = match root.locate(&feature.within(CHECKLISTS)) {
        Ok(folder) => disk::names(&folder)?,
        Err(StoreError::Missing { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let mut texts = Vec::new();
    for named in names.iter().filter(|named| !named.is_folder) {
        let is_markdown = Path::new(&named.name)
            .extension()
            .is_some_and(|ending| ending == "md");
        if is_markdown && !named.name.starts_with('.') {
            let name = format!("{CHECKLISTS}/{}", named.name);
            let text = raw(features, feature, &name)?;
            texts.extend(text.map(|text| (name, text)));
        }
    }
    Ok(texts)
}

/// Several texts as one, each under its name; one alone as it is.
fn joined(texts: &[(String, String)]) -> Option<String> {
    match texts {
        [] => None,
        [(_, text)] => Some(text.clone()),
        texts => {
            let named = |(name, text): &(String, String)| format!("<!-- {name} -->\n{text}");
            Some(texts.iter().map(named).collect::<Vec<_>>().join("\n"))
        }
    }
}

fn answer_in_pieces(text: &str, wanted: TextRange) -> Answer {
    let piece = piece(text, wanted.offset, wanted.max_chars, 0);
    let total = text.chars().count();
    let end = wanted.offset + piece.text.chars().count();
    let note = piece.next.map(|next| {
        format!(
            "Characters {} to {end} of {total}; offset={next} gives the next ones.",
            wanted.offset
        )
    });
    Answer {
        note: note.or_else(|| {
            (wanted.offset > 0).then(|| {
                let from = wanted.offset.min(total);
                format!("Characters {from} to {total} of {total}.")
            })
        }),
        ..Answer::prose(piece.text)
    }
}
