//! Work of other places brought in as specs: read by one file a format, then written all or none.

pub mod backlog;
pub mod beads;
mod origins;
pub mod specs;
pub mod table;
pub mod write;

use super::model::Status;
pub use write::{Source, bring_in};

/// The key that says where a spec came from, so that it is brought in only once.
pub const ORIGIN: &str = "imported_from";

/// The key that keeps a state which specs do not know.
pub const STATE: &str = "imported_status";

/// A spec as it is to become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Where it comes from: the format, a colon, and what it is called there.
    pub origin: String,
    /// Its title.
    pub title: String,
    /// Kind of work; one that gets members becomes a driver.
    pub kind: &'static str,
    /// Its state.
    pub status: Status,
    /// When it was completed, as the source has it.
    pub completed_at: Option<String>,
    /// Labels.
    pub labels: Vec<String>,
    /// What it waits for: origins, or keys of items of other dialects.
    pub depends_on: Vec<String>,
    /// The origin of what it is a part of.
    pub parent: Option<String>,
    /// Its number among the parts, where it had one.
    pub number: Option<u64>,
    /// Further keys of front matter, in their order.
    pub keys: Vec<(String, Extra)>,
    /// What follows the title: sections, acceptance criteria among them.
    pub body: String,
    /// The text of a spec, which is kept but for the keys that have to change.
    pub document: Option<String>,
}

/// The value of a further key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extra {
    /// A text.
    Text(String),
    /// Texts.
    List(Vec<String>),
    /// Origins, which become the IDs of the specs.
    Items(Vec<String>),
}

impl Candidate {
    /// A spec to be done of which nothing else is known.
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
            status: Status::Pending,
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
                .push((key.to_owned(), Extra::Text(value.to_owned())));
        }
    }

    /// Adds a further key, unless its list is empty.
    pub fn list(&mut self, key: &str, values: Vec<String>) {
        if !values.is_empty() {
            self.keys.push((key.to_owned(), Extra::List(values)));
        }
    }
}

/// Something of a source that has no counterpart in specs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmapped {
    /// What its item is called there.
    pub item: String,
    /// The key or part that it is about.
    pub key: String,
    /// Why, and what became of it.
    pub why: String,
}

/// What a source holds.
#[derive(Debug, Default)]
pub struct Reading {
    /// The items, in the order of the source.
    pub candidates: Vec<Candidate>,
    /// What was left out or became something else.
    pub unmapped: Vec<Unmapped>,
}

impl Reading {
    /// Notes that something has no counterpart.
    pub fn note(&mut self, item: &str, key: &str, why: impl Into<String>) {
        self.unmapped.push(Unmapped {
            item: item.to_owned(),
            key: key.to_owned(),
            why: why.into(),
        });
    }
}
