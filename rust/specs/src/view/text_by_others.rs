//! The words of an issue that no person approved, as agents are given them.

use serde::Serialize;

use crate::model::Spec;
use crate::parse;
use chant_store::index::FileSource;

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
