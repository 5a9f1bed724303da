//! Reads specs of another project.

use super::{ExtraValue, ImportCandidate, ImportReading};
use crate::model::SpecStatus;
use crate::parse;
use chant_base::external_items;
use chant_store::index::FileSource;

/// Reads a spec's file; an unreadable one is reported and skipped.
pub fn read(path: &str, text: String, reading: &mut ImportReading) {
    let spec = match parse::document(path, FileSource::Text(text)) {
        Ok(spec) => spec,
        Err(broken) => {
            let why = format!("left out: {}", broken.problem.message);
            return reading.note(&broken.id, "file", why);
        }
    };
    let id = spec.id.as_str();
    let mut candidate = ImportCandidate::new(origin(id), spec.title.as_deref().unwrap_or_default());
    candidate.status = match spec.status {
        SpecStatus::InProgress => {
            let why = "`in_progress` became `pending`: no one works on it here";
            reading.note(id, "status", why);
            SpecStatus::Pending
        }
        status => status,
    };
    for name in spec.depends_on.iter().flatten() {
        let name = name.strip_prefix("chant:").unwrap_or(name);
        if name.contains(':') {
            let why = format!("`{name}` was kept; see to it that it means the same here");
            reading.note(id, "depends_on", why);
        }
        candidate
            .depends_on
            .push(match external_items::split_key(name) {
                None if !name.contains(':') => origin(name),
                _ => name.to_owned(),
            });
    }
    if let Some(members) = &spec.members {
        let members = members.iter().map(|id| origin(id)).collect();
        candidate
            .keys
            .push(("members".into(), ExtraValue::Items(members)));
    }
    if let Some(branch) = &spec.branch {
        let why = format!("`{branch}` is a branch of the other repository; it was kept as it is");
        reading.note(id, "branch", why);
    }
    candidate.parent = spec.id.parent().map(origin);
    candidate.number = spec.id.numbers().last();
    candidate.file = Some(path.to_owned());
    candidate.document = Some(spec.text.to_string());
    reading.candidates.push(candidate);
}

fn origin(id: &str) -> String {
    format!("chant:{id}")
}
