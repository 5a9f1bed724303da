//! Imports work from other places as specs: one file a format reads it, and all or none is written.

pub mod beads;
mod free_ids;
pub mod github;
mod origins;
mod record;
mod records;
mod report;
pub mod specs;
pub mod table;
pub mod taskmaster;
pub mod taskwarrior;
mod three_way;
mod update;
pub mod write;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::model::SpecStatus;
pub use records::IMPORTS;
pub use three_way::ImportConflict;
pub use update::ImportUpdate;
pub use write::{ImportMode, ImportSource, bring_in};

/// The key with the origin of a spec, so that it is imported only once.
pub const ORIGIN: &str = "imported_from";

/// The key with a state that specs do not have.
pub const STATE: &str = "imported_status";

/// A spec to be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportCandidate {
    /// Its origin: the format, a colon, the source and, behind a `#`, its name there. Readers know no source:
    /// [`ImportReading::name_source`] adds it.
    pub origin: String,
    /// The file that it was read from, if its source is a folder of files.
    pub file: Option<String>,
    /// Its title.
    pub title: String,
    /// Its kind of work; a spec that gets members becomes a driver.
    pub kind: Cow<'static, str>,
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
            file: None,
            kind: "code".into(),
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
    /// The beginning of all origins, once the source is named.
    pub(super) prefix: Option<String>,
}

impl ImportReading {
    /// Adds the source to all origins, so that equal names of two sources are different items: `beads:bd-1`
    /// becomes `beads:../other#bd-1`.
    pub fn name_source(&mut self, format: &str, source: &str) {
        let own: HashSet<String> = self
            .candidates
            .iter()
            .map(|one| one.origin.clone())
            .collect();
        let prefix = format!("{format}:");
        // In all other formats every name with the prefix is one of the source, whether it is there or not.
        let is_closed = !["chant", "vine", "csv", "json"].contains(&format);
        let rename = |name: &mut String| {
            let is_own = own.contains(name.as_str()) || (is_closed && name.starts_with(&prefix));
            if let Some(id) = name.strip_prefix(&prefix).filter(|_| is_own) {
                *name = format!("{prefix}{source}#{id}");
            }
        };
        self.prefix = Some(format!("{prefix}{source}#"));
        for candidate in &mut self.candidates {
            rename(&mut candidate.origin);
            candidate.depends_on.iter_mut().for_each(rename);
            candidate.parent.iter_mut().for_each(rename);
            for (_, value) in &mut candidate.keys {
                if let ExtraValue::Items(names) = value {
                    names.iter_mut().for_each(rename);
                }
            }
        }
    }

    /// Gives words that specs do not have the states that a person chose for them.
    pub fn map_statuses(&mut self, chosen: &HashMap<String, SpecStatus>) {
        let mut mapped = HashSet::new();
        for candidate in &mut self.candidates {
            let word = candidate.keys.iter().find_map(|(key, value)| match value {
                ExtraValue::Text(word) if key == STATE => Some(word.to_lowercase()),
                _ => None,
            });
            if let Some(status) = word.and_then(|word| chosen.get(&word)) {
                candidate.status = *status;
                candidate.keys.retain(|(key, _)| key != STATE);
                let origin = &candidate.origin;
                let name = origin
                    .split_once(':')
                    .map_or(origin.as_str(), |(_, name)| name);
                mapped.insert(name.rsplit('#').next().unwrap_or(name).to_lowercase());
            }
        }
        self.unmapped
            .retain(|field| field.key != "status" || !mapped.contains(&field.item.to_lowercase()));
    }

    /// Returns the state for a word that is not known: one that no agent begins. The word is kept with the spec.
    pub fn unknown_status(
        &mut self,
        spec: &mut ImportCandidate,
        id: &str,
        word: &str,
    ) -> SpecStatus {
        spec.text(STATE, word);
        let status = SpecStatus::NeedsAttention;
        let why =
            format!("`{word}` is not known and became `{status}`; the word is kept as `{STATE}`");
        self.note(id, "status", why);
        status
    }

    /// Notes a part without a counterpart.
    pub fn note(&mut self, item: &str, key: &str, why: impl Into<String>) {
        self.unmapped.push(UnmappedField {
            item: item.to_owned(),
            key: key.to_owned(),
            why: why.into(),
        });
    }
}
