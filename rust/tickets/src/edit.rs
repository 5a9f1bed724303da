//! A ticket's text while it is being changed: keys one by one, the body in places, each result read
//! again.

use super::code::TicketCode;
use super::model::{KEY_ORDER, Ticket};
use super::older_header;
use super::parse;
use chant_base::error::Error;
use chant_text::clash;
use chant_text::edit::{self, Edit, EditError};
use chant_text::front_matter::{self, FrontMatterEntry, FrontMatterValue};

/// Keys that hold codes of other tickets.
pub const RELATIONS: [&str; 3] = ["relatedTickets", "dependsOn", "blocks"];

/// A ticket's text while it is being changed.
pub struct TicketDraft {
    before: Ticket,
    now: Ticket,
}

impl TicketDraft {
    /// Begins with a text as it stands on disk.
    pub fn of(path: &str, text: &str) -> Self {
        let ticket = parse::ticket(path, text.to_owned());
        Self {
            before: ticket.clone(),
            now: ticket,
        }
    }

    /// The ticket as the text says now.
    pub fn ticket(&self) -> &Ticket {
        &self.now
    }

    /// Returns true if the text differs from the one at the beginning.
    pub fn is_changed(&self) -> bool {
        self.now.text != self.before.text
    }

    /// The keys of the front matter as they stand now.
    pub fn entries(&self) -> Vec<FrontMatterEntry<'_>> {
        front_matter::entries(yaml(&self.now))
    }

    /// Returns true if the front matter has a key.
    pub fn has(&self, key: &str) -> bool {
        let older = older_header::lines(&self.now.text);
        older.iter().any(|line| line.key == key)
            || self.entries().iter().any(|entry| entry.name == key)
    }

    /// Sets a key, or takes it out. Front matter that is no valid YAML is changed key by key.
    ///
    /// # Errors
    /// `EditError` when that cannot be done without risk.
    pub fn set(&mut self, key: &str, value: Option<&FrontMatterValue>) -> Result<(), EditError> {
        if self.has_older_header() {
            let value = value.map(in_one_line);
            let text = older_header::set(&self.now.text, key, value.as_deref())?;
            self.take(text);
            return Ok(());
        }
        let set = if front_matter::read_any(yaml(&self.now)).is_ok() {
            front_matter::set
        } else {
            front_matter::set_apart
        };
        let text = set(&self.now.text, key, value, &KEY_ORDER)?;
        self.take(text);
        Ok(())
    }

    /// The text of an attribute of the older header.
    pub fn older_value(&self, key: &str) -> Option<&str> {
        let lines = older_header::lines(&self.now.text);
        let line = lines.into_iter().find(|line| line.key == key)?;
        Some(&self.now.text[line.value])
    }

    /// Returns true if the attributes stand below the title in place of front matter.
    pub fn has_older_header(&self) -> bool {
        !older_header::lines(&self.now.text).is_empty()
    }

    /// Sets a key to a text; an empty one takes it out.
    ///
    /// # Errors
    /// As [`TicketDraft::set`].
    pub fn set_text(&mut self, key: &str, text: &str) -> Result<(), EditError> {
        let value = (!text.is_empty()).then(|| FrontMatterValue::Text(text.to_owned()));
        self.set(key, value.as_ref())
    }

    /// Sets a key to a list, written as one text with commas unless the file has YAML lists; an empty
    /// one takes it out.
    ///
    /// # Errors
    /// As [`TicketDraft::set`].
    pub fn set_list(&mut self, key: &str, items: &[String]) -> Result<(), EditError> {
        let value = if self.has_yaml_lists(key) {
            FrontMatterValue::List(items.to_vec())
        } else {
            FrontMatterValue::Text(items.join(","))
        };
        self.set(key, (!items.is_empty()).then_some(&value))
    }

    /// Returns true if a key holds a YAML list. For a key that is absent, returns true if one of the relations
    /// holds one.
    fn has_yaml_lists(&self, key: &str) -> bool {
        let entries = self.entries();
        let is_list = |entry: &&FrontMatterEntry<'_>| {
            let list = front_matter::read_key::<Vec<String>>(entry.yaml, &entry.name);
            matches!(list, Ok(Some(_)))
        };
        if let Some(entry) = entries.iter().rfind(|entry| entry.name == key) {
            return is_list(&entry);
        }
        let mut relations = entries
            .iter()
            .filter(|entry| RELATIONS.contains(&&*entry.name));
        relations.any(|entry| is_list(&entry))
    }

    /// Changes places of the body; ranges count from its first byte.
    ///
    /// # Errors
    /// `EditError` for edits that do not fit, or when the body would become front matter.
    pub fn edit_body(&mut self, edits: Vec<Edit>) -> Result<(), EditError> {
        let start = self.now.body_start;
        let moved =
            |edit: Edit| Edit::replace(edit.range.start + start..edit.range.end + start, edit.text);
        let edits: Vec<Edit> = edits.into_iter().map(moved).collect();
        let text = edit::apply(&self.now.text, &edits)?;
        self.take(text);
        if self.now.body_start == start {
            return Ok(());
        }
        Err(EditError::Unfaithful {
            key: "body".into(),
            why: "a body that begins with `---` would be read as front matter".into(),
        })
    }

    /// Says when the change was made. A file without front matter gets some, and its code with it.
    ///
    /// # Errors
    /// As [`TicketDraft::set`].
    pub fn stamp(&mut self, code: &TicketCode, now: &str) -> Result<(), Error> {
        let is_bare = !self.before.has_front_matter && !self.has_older_header();
        if is_bare && !self.has("code") {
            self.set_text("code", &code.to_string())?;
        }
        Ok(self.set_text("lastModified", now)?)
    }

    /// Refuses a text in which two versions stand between conflict markers.
    ///
    /// # Errors
    /// `EditError::Clashing`.
    pub fn refuse_clash(&self) -> Result<(), EditError> {
        match clash::in_document(&self.now.text) {
            Some(clash) => Err(EditError::Clashing(clash)),
            None => Ok(()),
        }
    }

    fn take(&mut self, text: String) {
        self.now = parse::ticket(&self.now.path, text);
    }

    /// The ticket before and after the change.
    pub fn finish(self) -> (Ticket, Ticket) {
        (self.before, self.now)
    }
}

/// A value as a line of the older header has it.
fn in_one_line(value: &FrontMatterValue) -> String {
    match value {
        FrontMatterValue::Text(text) => text.clone(),
        FrontMatterValue::Flag(flag) => flag.to_string(),
        FrontMatterValue::List(items) | FrontMatterValue::OneOrMany(items) => items.join(", "),
        FrontMatterValue::Map(_) => String::new(),
    }
}

/// The YAML of a ticket's front matter; empty without any.
pub fn yaml(ticket: &Ticket) -> &str {
    let layout = front_matter::layout(&ticket.text);
    let range = layout.ok().and_then(|layout| layout.yaml);
    range.map_or("", |range| &ticket.text[range])
}
