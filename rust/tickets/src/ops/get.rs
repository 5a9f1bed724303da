//! One ticket.

use std::sync::Arc;

use serde::Deserialize;

use super::{shown, waits};
use crate::attributes::not_one_of;
use crate::error::TicketError;
use crate::model::Ticket;
use crate::ticket_store::{TicketStore, is_elsewhere};
use crate::view::{TicketWaitView, WholeTicketView};
use chant_base::answer::{Answer, DEFAULT_CHARS, TextRange, piece};
use chant_base::error::Error;

/// The amount of a ticket that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetailLevel {
    /// Its body.
    Full,
    /// The content of its front matter.
    Attributes,
    /// The most important of that, and its file.
    Metadata,
}

impl DetailLevel {
    /// Returns the level that a word means.
    ///
    /// # Errors
    /// `Validation` naming the words there are.
    pub fn read(word: &str) -> Result<Self, TicketError> {
        match word {
            "full" => Ok(Self::Full),
            "attributes" => Ok(Self::Attributes),
            "metadata" => Ok(Self::Metadata),
            word => {
                let why = not_one_of("mode", word, "full, attributes, metadata");
                Err(TicketError::invalid("mode", why))
            }
        }
    }
}

/// What of a ticket is wanted.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DetailRequest {
    /// The word of a [`DetailLevel`].
    pub mode: String,
    /// Characters to pass over.
    pub offset: usize,
    /// Most characters.
    pub max_chars: usize,
}

impl Default for DetailRequest {
    fn default() -> Self {
        Self {
            mode: "full".into(),
            offset: 0,
            max_chars: DEFAULT_CHARS,
        }
    }
}

impl DetailRequest {
    /// Returns the level and the piece of the text.
    ///
    /// # Errors
    /// As [`DetailLevel::read`].
    pub fn parts(&self) -> Result<(DetailLevel, TextRange), TicketError> {
        let range = TextRange {
            offset: self.offset,
            max_chars: self.max_chars,
        };
        Ok((DetailLevel::read(&self.mode)?, range))
    }
}

/// `get_cr`: the body byte for byte, or the attributes. Of several files of one code the first by path
/// is shown, and all of them are named.
///
/// # Errors
/// As [`TicketStore::resolve`], or a `StoreError`.
pub fn get_cr(
    store: &TicketStore,
    key: &str,
    mode: DetailLevel,
    wanted: TextRange,
) -> Result<Answer, Error> {
    let tickets = store.snapshot()?;
    let code = store.resolve(&tickets, key)?;
    let files = tickets.files(&code);
    let Some(ticket) = files.first() else {
        return Ok(Answer::prose(""));
    };
    let paths = paths(store, files);
    let shown = shown(store, &code, ticket);
    Ok(match mode {
        DetailLevel::Full => body(ticket, &paths, wanted),
        DetailLevel::Attributes => Answer::data(&shown.attributes(&paths)),
        DetailLevel::Metadata => {
            let mut metadata = shown.metadata();
            if !paths.is_empty() {
                metadata.insert("files".into(), paths.into());
            }
            Answer::data(&metadata)
        }
    })
}

/// The whole text of a ticket's file, however long; of several files of one code the first by path.
///
/// # Errors
/// As [`get_cr`].
pub fn document(store: &TicketStore, key: &str) -> Result<Answer, Error> {
    let tickets = store.snapshot()?;
    let code = store.resolve(&tickets, key)?;
    let first = tickets.files(&code).first();
    Ok(Answer::prose(first.map_or("", |ticket| &ticket.text)))
}

/// All that is known of a ticket, however long, with what it waits for and who waits for it.
///
/// # Errors
/// As [`TicketStore::resolve`], or a `StoreError`.
pub fn ticket(store: &TicketStore, key: &str) -> Result<Answer, Error> {
    let tickets = store.snapshot()?;
    let code = store.resolve(&tickets, key)?;
    let files = tickets.files(&code);
    let Some(ticket) = files.first() else {
        return Ok(Answer::prose(""));
    };
    let unmet = tickets
        .waits()
        .waits(&code, ticket, |key| waits::status_of(&tickets, key));
    let shown = shown(store, &code, ticket);
    Ok(Answer::whole(&WholeTicketView {
        cr: shown.front_matter(),
        file_path: &shown.file_path,
        in_worktree: is_elsewhere(&ticket.path),
        files: paths(store, files),
        problems: shown.problems(),
        ready: tickets.waits().is_ready(&code, ticket.meant.status),
        waiting_for: unmet.into_iter().map(TicketWaitView::from).collect(),
        needed_by: tickets.waits().needed_by(&code),
        content: ticket.body(),
    }))
}

/// The files of a code, absolute, where there are several.
fn paths(store: &TicketStore, files: &[Arc<Ticket>]) -> Vec<String> {
    match files {
        [_] => Vec::new(),
        files => files
            .iter()
            .map(|file| store.absolute(&file.path))
            .collect(),
    }
}

/// Returns the note beside the text of a ticket that is worked on in a worktree; `None` for any other.
pub(super) fn note_of_worktree(ticket: &Ticket) -> Option<String> {
    is_elsewhere(&ticket.path).then(|| {
        format!(
            "This CR is worked on in a worktree (inWorktree: true): {}",
            ticket.path
        )
    })
}

/// The piece of a body, and beside it what else the caller has to know.
fn body(ticket: &Ticket, paths: &[String], wanted: TextRange) -> Answer {
    let body = ticket.body();
    let piece = piece(body, wanted.offset, wanted.max_chars, 0);
    let mut notes = Vec::new();
    if let Some(next) = piece.next {
        let total = body.chars().count();
        notes.push(format!(
            "Characters {} to {next} of {total}; offset={next} gives what follows.",
            wanted.offset
        ));
    }
    if !paths.is_empty() {
        notes.push(format!(
            "Several files have this code; the first is shown: {}.",
            paths.join(", ")
        ));
    }
    notes.extend(note_of_worktree(ticket));
    Answer {
        note: (!notes.is_empty()).then(|| notes.join("\n")),
        ..Answer::prose(piece.text)
    }
}
