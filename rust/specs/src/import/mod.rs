//! Imports work from other places as specs: one file a format reads it, and all or none is written.

pub mod backlog;
pub mod beads;
mod origins;
pub mod specs;
pub mod table;
pub mod write;

use super::model::SpecStatus;
pub use write::{ImportSource, bring_in};

/// The key with the origin of a spec, so that it is imported only once.
pub const ORIGIN: &str = "imported_from";

/// The key with a state that specs do not have.
pub const STATE: &str = "imported_status";

/// A spec to be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportCandidate {
    /// Its origin: the format, a colon, and its name there.
    pub origin: String,
    /// Its title.
    pub title: String,
    /// Its kind of work; a spec that gets members becomes a driver.
    pub kind: &'static str,
    /// Its state.
    pub status: SpecStatus,
    /// The time at which it was completed, in the words of the source.
    pub completed_at: Option<String>,
    /// Labels.
    pub labels: Vec<String>,
    /// Its dependencies: origins, or keys of items of other dialects.
    pub depends_on: Vec<String>,
    /// The origin of its parent.
    pub parent: Option<String>,
    /// Its number among the parts, if it had one.
    pub number: Option<u64>,
    /// Further keys of front matter, in their order.
    pub keys: Vec<(String, ExtraValue)>,
    /// The text behind the title: sections, acceptance criteria among them.
    pub body: String,
    /// The text of a spec, which is kept except for keys that must change.
    pub document: Option<String>,
}

/// The value of a further key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtraValue {
    /// A text.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
    /// Origins, which are replaced by the ids of the specs.
    Items(Vec<String>),
}

impl ImportCandidate {
    /// Returns an open spec of which nothing else is known.
    pub fn new(origin: String, title: &str) -> Self {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        Self {
            title: if title.is_empty() {
                origin.clone()
            } else {
                title
            },
            origin,
            kind: "code",
            status: SpecStatus::Pending,
            completed_at: None,
            labels: Vec::new(),
            depends_on: Vec::new(),
            parent: None,
            number: None,
            keys: Vec::new(),
            body: String::new(),
            document: None,
        }
    }

    /// Adds a section to the body, unless its text is blank.
    pub fn section(&mut self, heading: &str, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.paragraph(&format!("## {heading}\n\n{text}"));
        }
    }

    /// Adds a text to the body, unless it is blank.
    pub fn paragraph(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            if !self.body.is_empty() {
                self.body.push('\n');
            }
            self.body.push_str(text);
            self.body.push('\n');
        }
    }

    /// Adds a further key, unless its text is blank.
    pub fn text(&mut self, key: &str, value: &str) {
        let value = value.trim();
        if !value.is_empty() {
            self.keys
                .push((key.to_owned(), ExtraValue::Text(value.to_owned())));
        }
    }

    /// Adds a further key, unless its list is empty.
    pub fn list(&mut self, key: &str, values: Vec<String>) {
        if !values.is_empty() {
            self.keys.push((key.to_owned(), ExtraValue::List(values)));
        }
    }
}

/// A part of a source that has no counterpart in specs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmappedField {
    /// The name of its item there.
    pub item: String,
    /// The key or part that it concerns.
    pub key: String,
    /// The reason, and the outcome.
    pub why: String,
}

/// The content of a source.
#[derive(Debug, Default)]
pub struct ImportReading {
    /// The items, in the order of the source.
    pub candidates: Vec<ImportCandidate>,
    /// The parts that were left out or changed.
    pub unmapped: Vec<UnmappedField>,
}

impl ImportReading {
    /// Notes a part without a counterpart.
    pub fn note(&mut self, item: &str, key: &str, why: impl Into<String>) {
        self.unmapped.push(UnmappedField {
            item: item.to_owned(),
            key: key.to_owned(),
            why: why.into(),
        });
    }
}
