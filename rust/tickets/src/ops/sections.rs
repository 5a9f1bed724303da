//! `manage_cr_sections`: lists, reads and changes sections; answers in the words of the seed and as data.

use serde::Deserialize;

use super::criteria::tick;
use super::get::note_of_worktree;
use crate::attributes::not_one_of;
use crate::code::TicketCode;
use crate::edit::TicketDraft;
use crate::error::TicketError;
use crate::model::Ticket;
use crate::sections::{self, SectionMode, SectionRewrite};
use crate::ticket_store::TicketStore;
use crate::view::{SectionChange, SectionEntry, SectionList, SectionText};
use chant_base::answer::{Answer, DEFAULT_CHARS, MAX_CHARS, TextRange, piece};
use chant_base::error::Error;
use chant_text::fences;
use chant_text::sections::{Section, names, unique_paths};

const OPERATIONS: &str = "list, get, update, replace, append, prepend, check, uncheck";
const MODES: &str = "replace, append, prepend";

/// Characters that the words around a listed section's name and its data take at most.
const AROUND: usize = 160;

/// A call about the sections of a ticket.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SectionCall<'a> {
    /// The ticket.
    #[serde(skip)]
    pub key: &'a str,
    /// `list`, `get`, `update` with a mode, the mode itself, or `check` and `uncheck`: these are about the box that
    /// reads as the content, among the acceptance criteria or in the section.
    #[serde(skip)]
    pub operation: &'a str,
    /// The section's name.
    pub section: Option<&'a str>,
    /// `replace`, `append` or `prepend`.
    #[serde(rename = "updateMode", alias = "update_mode")]
    pub update_mode: Option<&'a str>,
    /// The text to put there.
    pub content: Option<&'a str>,
    /// The text that the section held when the change was thought of; with another one nothing is
    /// changed.
    pub expect: Option<&'a str>,
    /// Characters of a long text to pass over, or entries of a long list.
    pub offset: usize,
    /// Most characters.
    pub max_chars: usize,
}

impl Default for SectionCall<'_> {
    fn default() -> Self {
        Self {
            key: "",
            operation: "",
            section: None,
            update_mode: None,
            content: None,
            expect: None,
            offset: 0,
            max_chars: DEFAULT_CHARS,
        }
    }
}

/// `manage_cr_sections`. Every name that a list shows is understood word for word by all operations.
///
/// Content is stored as given: a backslash followed by an `n` is not taken for a line break.
///
/// # Errors
/// `Validation`, `SectionNotFound`, `AmbiguousSection`, as [`TicketStore::resolve`], `Duplicate` for a
/// change, or a `StoreError`; nothing is written then.
pub fn manage_cr_sections(store: &TicketStore, call: &SectionCall<'_>) -> Result<Answer, Error> {
    match call.operation {
        "list" => read(store, call, |code, ticket, piece| {
            Ok(list(code, ticket, piece))
        }),
        "get" => {
            let name = required("section", call.section)?;
            read(store, call, |code, ticket, piece| {
                get(code, ticket, name, piece)
            })
        }
        "check" => tick(store, call, true),
        "uncheck" => tick(store, call, false),
        _ => change(store, call),
    }
}

fn read(
    store: &TicketStore,
    call: &SectionCall<'_>,
    answer: impl Fn(&TicketCode, &Ticket, TextRange) -> Result<Answer, Error>,
) -> Result<Answer, Error> {
    let tickets = store.snapshot()?;
    let code = store.resolve(&tickets, call.key)?;
    match tickets.files(&code) {
        [ticket, ..] => {
            let piece = TextRange {
                offset: call.offset,
                max_chars: call.max_chars,
            };
            let answer = answer(&code, ticket, piece)?;
            Ok(with_notes(answer, ticket))
        }
        [] => Ok(Answer::prose("")),
    }
}

/// An answer about a ticket's sections with what else has to be known of the ticket.
fn with_notes(answer: Answer, ticket: &Ticket) -> Answer {
    let own = answer.note.clone().into_iter();
    let fences = fences::found(ticket.body()).into_iter();
    let fences = fences.map(|fence| format!("In the body, {fence}. {}", fence.advice()));
    let notes: Vec<String> = own.chain(note_of_worktree(ticket)).chain(fences).collect();
    Answer {
        note: (!notes.is_empty()).then(|| notes.join("\n")),
        ..answer
    }
}

pub(super) fn required<'a>(name: &str, value: Option<&'a str>) -> Result<&'a str, TicketError> {
    let value = value.filter(|value| !value.trim().is_empty());
    value
        .ok_or_else(|| TicketError::invalid(name, format!("{name} is required for this operation")))
}

fn mode(call: &SectionCall<'_>) -> Result<SectionMode, TicketError> {
    let given = call.update_mode;
    let read = |word: &str| {
        let why = || TicketError::invalid("updateMode", not_one_of("updateMode", word, MODES));
        SectionMode::read(word).ok_or_else(why)
    };
    if call.operation == "update" {
        let why = format!("updateMode is required for operation update. Must be one of: {MODES}");
        return read(given.ok_or_else(|| TicketError::invalid("updateMode", why))?);
    }
    let mode = SectionMode::read(call.operation).ok_or_else(|| {
        let why = not_one_of("operation", call.operation, OPERATIONS);
        TicketError::invalid("operation", why)
    })?;
    match given.map(read).transpose()? {
        Some(other) if other != mode => {
            let why = format!(
                "it says {}, the operation says {}; give one of them",
                other.as_str(),
                mode.as_str()
            );
            Err(TicketError::invalid("updateMode", why))
        }
        _ => Ok(mode),
    }
}

fn list(code: &TicketCode, ticket: &Ticket, piece: TextRange) -> Answer {
    let body = ticket.body();
    let sections = sections::parse_sections(body);
    let tree = SectionTree::of(&sections);
    let found = match tree.top() {
        0 => "Found 0 sections: there are no headings outside of code.".to_owned(),
        1 => "Found 1 section:".to_owned(),
        top => format!("Found {top} sections:"),
    };
    let title = &ticket.title;
    let mut text = format!("📑 **Sections in CR {code}** - {title}\n\n{found}\n\n");
    let (names, paths) = (names(&sections), unique_paths(&sections));
    let mut entries = Vec::new();
    let mut room = MAX_CHARS / 2;
    for at in piece.offset..sections.len() {
        let takes = 2 * names[at].len() + paths[at].len() + AROUND;
        if takes > room && !entries.is_empty() {
            break;
        }
        room = room.saturating_sub(takes);
        let entry = entry(body, &sections[at], &paths[at]);
        if tree.is_shown(at) {
            text.push_str(&tree.line(at, &names[at], entry.chars));
        }
        entries.push(entry);
    }
    let next = piece.offset + entries.len();
    let next_offset = (next < sections.len() && !entries.is_empty()).then_some(next);
    if let Some(next) = next_offset {
        let more = sections.len() - next;
        text.push_str(&format!("\n[{more} more; call again with offset {next}.]"));
    }
    let view = SectionList {
        code: code.to_string(),
        title,
        total: sections.len(),
        sections: entries,
        next_offset,
    };
    Answer::text_with_data(text.trim_end().to_owned(), &view)
}

fn entry(body: &str, section: &Section, path: &str) -> SectionEntry {
    let chars = sections::content(body, section).chars().count();
    let header = format!("{} {}", "#".repeat(section.level.into()), section.title);
    SectionEntry {
        header: header.trim_end().to_owned(),
        level: section.level,
        path: path.to_owned(),
        chars,
        empty: chars == 0,
    }
}

/// Sections as the lines of a tree. A first H1 that is the only one is the title, which stands above
/// the tree already.
struct SectionTree<'a> {
    sections: &'a [Section],
    has_title: bool,
    /// The level that is not indented.
    base: u8,
}

impl<'a> SectionTree<'a> {
    fn of(sections: &'a [Section]) -> Self {
        let titles = sections.iter().filter(|section| section.level == 1).count();
        let has_title = titles == 1 && sections.first().is_some_and(|first| first.level == 1);
        let mut tree = Self {
            sections,
            has_title,
            base: 1,
        };
        let levels = tree.shown().map(|at| sections[at].level);
        tree.base = levels.min().unwrap_or(1);
        tree
    }

    fn is_shown(&self, at: usize) -> bool {
        at > 0 || !self.has_title
    }

    fn shown(&self) -> impl Iterator<Item = usize> {
        (0..self.sections.len()).filter(|at| self.is_shown(*at))
    }

    /// Returns the number of sections that stand in no other that is shown.
    fn top(&self) -> usize {
        let (mut count, mut end) = (0, 0);
        for section in self.shown().map(|at| &self.sections[at]) {
            if section.heading.start >= end {
                count += 1;
                end = section.content.end;
            }
        }
        count
    }

    fn line(&self, at: usize, name: &str, chars: usize) -> String {
        let indent = self.sections[at].level.saturating_sub(self.base);
        let size = match chars {
            0 => "empty".to_owned(),
            chars => format!("{chars} chars"),
        };
        format!("{}- {name} ({size})\n", "  ".repeat(indent.into()))
    }
}

fn get(code: &TicketCode, ticket: &Ticket, name: &str, wanted: TextRange) -> Result<Answer, Error> {
    let body = ticket.body();
    let sections = sections::parse_sections(body);
    let at = sections::locate(&sections, name, &code.to_string())?;
    let section = &sections[at];
    let content = sections::content(body, section);
    let chars = content.chars().count();
    let name = names(&sections).swap_remove(at);
    let path = unique_paths(&sections).swap_remove(at);
    let shown = piece(
        content,
        wanted.offset,
        wanted.max_chars,
        name.len() + path.len(),
    );
    let more = shown.next.map_or_else(String::new, |next| {
        format!("[Characters {} to {next} of {chars}; call again with offset {next} for what follows.]\n\n", wanted.offset)
    });
    let text = format!(
        "📖 **Section Content from CR {code}**\n\n\
         **Section:** {name}\n\
         **Content Length:** {chars} characters\n\n\
         ---\n\n{}\n\n---\n\n{more}\
         Use `manage_cr_sections` with operation=\"update\" to modify this section.",
        shown.text
    );
    let view = SectionText {
        code: code.to_string(),
        section: name,
        level: section.level,
        path,
        chars,
        content: shown.text,
        next_offset: shown.next,
    };
    Ok(Answer::text_with_data(text, &view))
}

/// A change of one section, its words read.
#[derive(Clone, Copy)]
pub(super) struct SectionEdit<'a> {
    name: &'a str,
    mode: SectionMode,
    content: &'a str,
    expect: Option<&'a str>,
}

impl<'a> SectionEdit<'a> {
    /// Reads what is asked for.
    ///
    /// # Errors
    /// `Validation` for a word that is no operation, or something that is missing.
    pub(super) fn of(call: &SectionCall<'a>) -> Result<Self, TicketError> {
        Ok(Self {
            mode: mode(call)?,
            name: required("section", call.section)?,
            content: required("content", call.content)?,
            expect: call.expect,
        })
    }

    /// Changes the section; what was done, its edits made.
    ///
    /// # Errors
    /// `SectionChanged`, as [`sections::rewrite`], or an `EditError`.
    pub(super) fn into(
        self,
        draft: &mut TicketDraft,
        code: &TicketCode,
    ) -> Result<SectionRewrite, Error> {
        let body = draft.ticket().body();
        refuse_changed(body, self.name, self.expect, code)?;
        let key = code.to_string();
        let mut rewrite = sections::rewrite(body, self.name, self.mode, self.content, &key)?;
        let title = draft.ticket().title.clone();
        draft.edit_body(std::mem::take(&mut rewrite.edits))?;
        let now = draft.ticket().title.clone();
        if now != title && draft.has("title") {
            draft.set_text("title", &now)?;
        }
        Ok(rewrite)
    }
}

fn change(store: &TicketStore, call: &SectionCall<'_>) -> Result<Answer, Error> {
    let put = SectionEdit::of(call)?;
    let SectionEdit { mode, content, .. } = put;
    let mut done = None;
    let changed = store.change(call.key, |_, code, draft| {
        done = Some(put.into(draft, code)?);
        Ok(())
    })?;
    let rewrite = done.ok_or_else(|| TicketError::invalid("section", "it was not looked at"))?;
    let view = SectionChange {
        code: changed.code.to_string(),
        title: &changed.after.title,
        section: rewrite.name.clone(),
        operation: mode.as_str(),
        content_length: content.chars().count(),
        changed: changed.before.text != changed.after.text,
        last_modified: store.last_modified(&changed.after),
        file_path: store.absolute(&changed.after.path),
        renamed_to: rewrite.renamed.clone(),
        removed_sections: rewrite.removed.clone(),
    };
    let text = format!(
        "✅ **Updated Section in CR {}**\n\n\
         **Section:** {}\n\
         **Operation:** {}\n\
         **Content Length:** {} characters\n\n\
         - Title: {}\n\
         - Updated: {}\n\
         - File: {}\n\n{}",
        view.code,
        view.section,
        view.operation,
        view.content_length,
        view.title,
        view.last_modified.as_deref().unwrap_or("unknown"),
        view.file_path,
        outcome(&rewrite, mode, view.changed)
    );
    Ok(with_notes(
        Answer::text_with_data(text, &view),
        &changed.after,
    ))
}

/// One section of a body as scripts see it.
///
/// # Errors
/// `SectionNotFound` or `AmbiguousSection`.
pub fn section<'a>(body: &'a str, name: &str, key: &str) -> Result<(String, &'a str), TicketError> {
    let sections = sections::parse_sections(body);
    let at = sections::locate(&sections, name, key)?;
    let text = sections::content(body, &sections[at]);
    Ok((names(&sections).swap_remove(at), text))
}

fn refuse_changed(
    body: &str,
    name: &str,
    expect: Option<&str>,
    code: &TicketCode,
) -> Result<(), TicketError> {
    let Some(expect) = expect else {
        return Ok(());
    };
    let key = code.to_string();
    let (section, is) = section(body, name, &key)?;
    if is == expect {
        return Ok(());
    }
    Err(TicketError::SectionChanged { section, key })
}

/// Returns the outcome for the section, in words.
fn outcome(rewrite: &SectionRewrite, mode: SectionMode, is_changed: bool) -> String {
    let renamed = rewrite.renamed.as_ref();
    let renamed = renamed.map(|title| format!("The section is now called {title}."));
    let mut notes: Vec<String> = renamed.into_iter().collect();
    if !is_changed {
        notes.push("Nothing changed: the section reads like that already.".into());
    } else if !rewrite.is_only_renamed {
        let what = match mode {
            SectionMode::Replace => "The section content has been completely replaced.",
            SectionMode::Append => "Content has been added to the end of the section.",
            SectionMode::Prepend => "Content has been added to the beginning of the section.",
        };
        notes.push(what.into());
    }
    match rewrite.removed.as_slice() {
        [] => {}
        [one] => notes.push(format!("1 sub-section was removed with it: {one}.")),
        many => notes.push(format!(
            "{} sub-sections were removed with it: {}.",
            many.len(),
            shortened(many)
        )),
    }
    notes.join(" ")
}

fn shortened(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
    let more = names.len().saturating_sub(shown.len());
    let more = if more > 0 { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
