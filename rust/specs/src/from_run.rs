//! Specs that come from a run: who adds one writes what the next agent is given. So they wait for a
//! person's approval, and choose nothing about the agent that is to work on them.

use std::collections::BTreeMap;

use super::approval;
use super::model::SpecStatus;
use super::ops::edit::SpecDraft;
use super::parse;
use chant_base::error::Error;
use chant_store::index::FileSource;
use chant_text::front_matter::{self, yaml_of};

/// Keys that a run may give a spec, and change in another one. All others are for people: those that choose
/// agent, prompt, context or limits, whatever later versions add to them.
pub const FREE: [&str; 9] = [
    "type", "depends_on", "labels", "target_files", "tracks", "informed_by", "origin", "found_by",
    "derived_fields",
];

/// A new spec as it may come from a run: pending, waiting for a person's approval, with no other keys than
/// those that are free.
///
/// # Errors
/// `EditError` when that cannot be done without risk.
pub fn prepare_for_approval(path: &str, text: &str) -> Result<String, Error> {
    let names: Vec<String> = front_matter::entries(yaml_of(text)?)
        .into_iter()
        .map(|entry| entry.name.into_owned())
        .collect();
    let mut draft = SpecDraft::of(path, text)?;
    let kept = ["status", "approval"];
    for name in names {
        if !FREE.contains(&name.as_str()) && !kept.contains(&name.as_str()) {
            draft.set(&name, None)?;
        }
    }
    draft.set_text("status", SpecStatus::Pending.as_str())?;
    draft.set("approval", Some(approval::request_value()))?;
    Ok(draft.finish())
}

/// The parts of a spec that people decide about: keys that are not free, and criteria with their ticks;
/// `None` when it cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct ProtectedFields {
    keys: BTreeMap<String, String>,
    criteria: Vec<(String, bool)>,
}

impl ProtectedFields {
    /// Reads them from a spec's text.
    pub fn of(path: &str, text: &str) -> Option<Self> {
        let spec = parse::document(path, FileSource::Text(text.to_owned())).ok()?;
        let entries = front_matter::entries(yaml_of(text).ok()?).into_iter();
        let keys = entries
            .filter(|entry| !FREE.contains(&&*entry.name))
            .map(|entry| (entry.name.into_owned(), entry.yaml.trim().to_owned()))
            .collect();
        let criteria = spec.criteria.iter();
        let criteria = criteria
            .map(|criterion| (spec.criterion_text(criterion), criterion.checked))
            .collect();
        Some(Self { keys, criteria })
    }
}
