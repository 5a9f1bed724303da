//! Texts of a forge's issues that no person approved: agents are given them apart from what we say.
//!
//! The graph that agents ask has such specs without their words, so that no list, prime, finding, lens or hint has
//! them; what reads one spec adds them as `text_by_others`. Edits read the file.

use std::sync::Arc;

use serde::Serialize;

use super::model::{Spec, WITHHELD};
use super::parse;
use chant_base::next_step::DoorKind;
use chant_store::index::FileSource;

/// Characters of the longest name of an issue that is shown.
const MAX_NAME: usize = 160;

/// A spec as those at a door may see it.
pub fn shown_at(door: DoorKind, spec: Arc<Spec>) -> Arc<Spec> {
    let is_withheld = spec.issue.is_some() && !spec.is_approved() && door == DoorKind::Agents;
    if !is_withheld {
        return spec;
    }
    let mut shown = Arc::unwrap_or_clone(spec);
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "._/#-".contains(sign);
    let name = shown.issue.as_deref().unwrap_or_default();
    let is_name = name.len() <= MAX_NAME && name.chars().all(is_plain);
    shown.title = Some(format!("Issue {}", if is_name { name } else { WITHHELD }).into());
    shown.labels = None;
    shown.is_withheld = true;
    Arc::new(shown)
}

/// The words of a spec that are withheld, for who reads that spec.
#[derive(Debug, Serialize)]
pub struct TextByOthers {
    title: Option<Box<str>>,
    labels: Vec<Box<str>>,
    criteria: Vec<String>,
    /// The body, or the piece of it that was asked for.
    pub body: String,
}

impl TextByOthers {
    /// Those of a spec; `None` where nothing is withheld.
    pub fn of(spec: &Spec) -> Option<Self> {
        let text = FileSource::Text(spec.text.to_string());
        let is_withheld = spec.is_withheld.then_some(text);
        let written = parse::document(&spec.path, is_withheld?).ok()?;
        let criteria = written.criteria.iter();
        Some(Self {
            title: written.title.clone(),
            labels: written.labels.clone().unwrap_or_default(),
            criteria: criteria.map(|one| written.criterion_text(one)).collect(),
            body: written.body().trim().to_owned(),
        })
    }
}
