//! The user's own events: a journal in the user's own state, each line signed together with the one before.
//!
//! It lists all that is this user's, whatever a ref says; what is in it happened, whether a ref has it yet or not. It is
//! replaced as a whole, so a crash leaves the old one or the new one.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chant_store::StoreError;
use chant_store::disk::{self, Lock};
use chant_store::state::{StateFolder, escape_name, unescape_name};
use serde::{Deserialize, Serialize};

use crate::error::ReviewError;
use crate::event::{EventFault, ReviewEvent};

/// The part of the state of reviews.
pub(crate) const PART: &str = "review";
/// The folder of journals in it.
const EVENTS: &str = "events";
/// The end of a journal's name.
const ENDING: &str = ".jsonl";
/// The file with this clone's name.
const WRITER: &str = "writer.json";
/// The greatest size of a journal, in bytes.
const MAX_SIZE: u64 = 256 * 1024 * 1024;
/// The greatest number of events of this user on one spec.
const MAX_EVENTS: usize = 20_000;
/// The time that another process may write.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The journals of a project.
#[derive(Debug, Clone, Copy)]
pub struct OwnJournal<'a> {
    state: &'a StateFolder,
}

/// The lines of one journal.
#[derive(Debug, Clone, Default)]
pub struct JournalContent {
    /// The events, the oldest first.
    pub events: Vec<ReviewEvent>,
    /// Lines that are not believed, each with the reason.
    pub set_aside: Vec<String>,
    last: String,
}

#[derive(Serialize, Deserialize)]
struct JournalLine {
    mac: String,
    event: String,
}

#[derive(Serialize, Deserialize)]
struct WriterName {
    name: String,
}

/// Held while events of a project are decided and written.
pub struct JournalLock(#[expect(dead_code, reason = "it is held, not read")] Lock);

impl<'a> OwnJournal<'a> {
    /// The journals in a state folder.
    pub fn of(state: &'a StateFolder) -> Self {
        Self { state }
    }

    /// Returns the part of the state in which reviews of the project lie, for a file or folder in it.
    pub(crate) fn part(state: &StateFolder, inner: &str) -> String {
        format!("{}/{inner}", state.in_project(PART))
    }

    /// Waits until no other process writes events of the project.
    ///
    /// # Errors
    /// A `StoreError`, `Busy` among them.
    pub fn lock(&self) -> Result<JournalLock, ReviewError> {
        let folder = self.folder()?;
        Ok(JournalLock(Lock::acquire(
            &folder,
            Instant::now() + TIMEOUT,
        )?))
    }

    fn folder(self) -> Result<PathBuf, StoreError> {
        self.state.ensure(&Self::part(self.state, EVENTS))
    }

    /// Returns the name of this clone as a writer, which it chooses at its first event; `None` before.
    pub fn known_writer(&self) -> Option<String> {
        let path = self.state.read(&Self::part(self.state, WRITER))?;
        let text = disk::read_owned(&path, 1024).ok()?;
        Some(serde_json::from_str::<WriterName>(&text).ok()?.name)
    }

    /// Returns the name of this clone as a writer, chosen now if it has none. The lock is held.
    ///
    /// # Errors
    /// A `StoreError`.
    pub fn writer(&self, _: &JournalLock) -> Result<String, ReviewError> {
        if let Some(name) = self.known_writer() {
            return Ok(name);
        }
        let name = format!("w-{:012x}", fastrand::u64(..) >> 16);
        let folder = self.state.ensure(&self.state.in_project(PART))?;
        let text = serde_json::to_string(&WriterName { name: name.clone() }).unwrap_or_default();
        disk::write_private(&folder.join(WRITER), text + "\n")?;
        Ok(name)
    }

    /// Returns the specs of which there is a journal.
    pub fn specs(&self) -> Vec<String> {
        let folder = self.state.read(&Self::part(self.state, EVENTS));
        let names = folder
            .and_then(|folder| disk::names(&folder).ok())
            .unwrap_or_default();
        let specs = names
            .iter()
            .filter_map(|entry| unescape_name(entry.name.strip_suffix(ENDING)?));
        specs.collect()
    }

    fn path(folder: &Path, spec: &str) -> PathBuf {
        folder.join(format!("{}{ENDING}", escape_name(spec)))
    }

    /// Reads the journal of a spec.
    ///
    /// # Errors
    /// `Unreadable` for a file that is not this user's alone.
    pub fn read(&self, spec: &str) -> Result<JournalContent, ReviewError> {
        let Some(folder) = self.state.read(&Self::part(self.state, EVENTS)) else {
            return Ok(JournalContent::default());
        };
        let text = match disk::read_owned(&Self::path(&folder, spec), MAX_SIZE) {
            Ok(text) => text,
            Err(StoreError::Missing { .. }) => return Ok(JournalContent::default()),
            Err(error) => return Err(error.into()),
        };
        let mut content = JournalContent::default();
        for (at, line) in text.lines().enumerate() {
            let set_aside =
                |why: &str| format!("line {} of your journal is not believed: {why}", at + 1);
            let Ok(line) = serde_json::from_str::<JournalLine>(line) else {
                content.set_aside.push(set_aside("it is no line of one"));
                continue;
            };
            let signed = signed_part(spec, &content.last, &line.event);
            let is_own = self.state.has_signed(&signed, &line.mac);
            content.last.clone_from(&line.mac);
            let event = ReviewEvent::read(line.event.as_bytes());
            match event {
                Ok(event) if is_own && event.spec == spec => content.events.push(event),
                Ok(_) if is_own => content
                    .set_aside
                    .push(set_aside(&EventFault::Misplaced.to_string())),
                Ok(_) => content.set_aside.push(set_aside("you did not sign it")),
                Err(fault) => content.set_aside.push(set_aside(&fault.to_string())),
            }
        }
        Ok(content)
    }

    /// Adds events to the journal of a spec: from here on they happened.
    ///
    /// # Errors
    /// A `StoreError`; `Refused` above the limit.
    pub fn add(&self, spec: &str, new: &[ReviewEvent], _: &JournalLock) -> Result<(), ReviewError> {
        let folder = self.folder()?;
        let path = Self::path(&folder, spec);
        let mut content = self.read(spec)?;
        if content.events.len() + new.len() > MAX_EVENTS {
            let message = format!(
                "Spec '{spec}' has {} events of its review, and {MAX_EVENTS} are the most. Go on in a spec of its own.",
                content.events.len()
            );
            return Err(ReviewError::Refused(message));
        }
        let mut text = match disk::read_owned(&path, MAX_SIZE) {
            Ok(text) => text,
            Err(StoreError::Missing { .. }) => String::new(),
            Err(error) => return Err(error.into()),
        };
        for event in new {
            let event = event.text();
            let mac = self
                .state
                .signature(&signed_part(spec, &content.last, &event))?;
            content.last.clone_from(&mac);
            let line = JournalLine { mac, event };
            text.push_str(&serde_json::to_string(&line).unwrap_or_default());
            text.push('\n');
        }
        disk::write_private(&path, text)?;
        Ok(())
    }
}

/// The part of a line that is signed. No other signature of the user's is over such a text.
fn signed_part(spec: &str, before: &str, event: &str) -> String {
    serde_json::to_string(&("review event", spec, before, event)).unwrap_or_default()
}
