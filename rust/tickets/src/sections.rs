//! The changes of a body that `manage_cr_sections` makes (reference tickets 4 and 10).

use super::error::{TicketError, quoted};
use super::parse::one_line;
use chant_base::ident::ResolvedId;
use chant_text::edit::{Edit, apply, line_break};
use chant_text::markdown::{self, Heading, MarkdownOutline};
use chant_text::sections::{self, Section, SectionPlace, find, names, put};
use strum::IntoStaticStr;

/// Most characters that are put into a section at once.
const MAX_CHARS: usize = 500_000;

/// The treatment of the text under a heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum SectionMode {
    /// All of it goes, sub-sections included, and the content takes its place.
    Replace,
    /// The content comes behind it.
    Append,
    /// The content comes before it, directly below the heading.
    Prepend,
}

impl SectionMode {
    /// Returns the mode that a word means; `None` for any other word.
    pub fn read(word: &str) -> Option<Self> {
        let modes = [Self::Replace, Self::Append, Self::Prepend];
        modes.into_iter().find(|mode| mode.as_str() == word)
    }

    /// Its word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A change of one section, worked out and not yet made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionRewrite {
    /// The edits of the body.
    pub edits: Vec<Edit>,
    /// The section's name before the change, which meant it and no other.
    pub name: String,
    /// Its heading's text after the change, when that is another.
    pub renamed: Option<String>,
    /// True if only the heading changes.
    pub is_only_renamed: bool,
    /// Names of the sub-sections that go.
    pub removed: Vec<String>,
}

/// The sections of a body, in the order of the document.
pub fn parse_sections(body: &str) -> Vec<Section> {
    parse_sections_of(&markdown::outline(body), body)
}

/// The sections of a body whose outline is known.
pub(super) fn parse_sections_of(outline: &MarkdownOutline, body: &str) -> Vec<Section> {
    sections::sections(outline, body.len())
}

/// The text under a heading, sub-sections included, without blank lines around it.
pub fn content<'a>(body: &'a str, section: &Section) -> &'a str {
    let text = body[section.content.clone()].trim_end();
    // Blanks at the beginning of its first line belong to it: they may make it code.
    let blank = text.len() - text.trim_start().len();
    let start = text[..blank].rfind('\n').map_or(0, |at| at + 1);
    &text[start..]
}

/// The place of the section that a name stands for.
///
/// # Errors
/// `SectionNotFound` or `AmbiguousSection`, whose choices mean one section each, word for word.
pub fn locate(sections: &[Section], name: &str, key: &str) -> Result<usize, TicketError> {
    let position = |section: &Section| {
        let mut starts = sections.iter().map(|other| other.heading.start);
        starts.position(|start| start == section.heading.start)
    };
    let not_found = || TicketError::SectionNotFound {
        section: name.to_owned(),
        key: key.to_owned(),
        available: names(sections),
    };
    match find(sections, name) {
        ResolvedId::One(section) => position(section).ok_or_else(not_found),
        ResolvedId::None => Err(not_found()),
        ResolvedId::Many(found) => {
            let names = names(sections);
            let places = found.into_iter().filter_map(position);
            Err(TicketError::AmbiguousSection {
                section: name.to_owned(),
                key: key.to_owned(),
                matches: places.map(|at| names[at].clone()).collect(),
            })
        }
    }
}

/// Works out what putting content into a section does.
///
/// Content is stored as given but for blank lines around it and the line ends of the document; a
/// backslash and an `n` stay what they are. A heading at its very beginning that is the section's own
/// is left out; another one of the same level renames the section (replace only). Nothing but such
/// a heading renames the section and leaves all else. Headings further on are ordinary content.
///
/// # Errors
/// As [`locate`], or `Validation`: no content, too much, or such that the sections behind would no
/// longer be sections, as with a code fence that is never closed.
pub fn rewrite(
    body: &str,
    name: &str,
    mode: SectionMode,
    content: &str,
    key: &str,
) -> Result<SectionRewrite, TicketError> {
    check_content(content)?;
    let sections = parse_sections(body);
    let at = locate(&sections, name, key)?;
    let (section, names) = (&sections[at], names(&sections));
    let leading = leading_heading(content, section.level);
    let is_own = leading
        .as_ref()
        .is_some_and(|heading| one_line(&heading.text) == one_line(&section.title));
    let mut rewrite = SectionRewrite {
        edits: Vec::new(),
        name: names[at].clone(),
        renamed: None,
        is_only_renamed: false,
        removed: Vec::new(),
    };
    let mut rest = content;
    if let Some(heading) = leading.filter(|_| is_own || mode == SectionMode::Replace) {
        rest = &content[heading.range.end..];
        if !is_own {
            let title = one_line(&heading.text);
            rewrite.edits.push(rename(body, section, &title));
            rewrite.renamed = Some(title);
        }
    }
    if rest.trim().is_empty() {
        if mode != SectionMode::Replace {
            let why = "expected text to add, got only the section's own heading";
            return Err(TicketError::invalid("content", why));
        }
        rewrite.is_only_renamed = true;
        return Ok(rewrite);
    }
    let place = match mode {
        SectionMode::Replace => SectionPlace::Whole,
        SectionMode::Append => SectionPlace::End,
        SectionMode::Prepend => SectionPlace::Start,
    };
    if mode == SectionMode::Replace {
        let inside = sections[at + 1..].iter();
        let inside = inside.take_while(|inner| inner.heading.start < section.content.end);
        rewrite.removed = names[at + 1..]
            .iter()
            .take(inside.count())
            .cloned()
            .collect();
    }
    rewrite.edits.push(put(body, section, rest, place));
    let mut behind = sections[at + 1..].iter();
    let next = behind.find(|next| next.heading.start >= section.content.end);
    check_what_follows(body, section, next, &rewrite.edits)?;
    Ok(rewrite)
}

fn check_content(content: &str) -> Result<(), TicketError> {
    let length = content.chars().count();
    let why = if content.trim().is_empty() {
        "expected text, got none".to_owned()
    } else if length > MAX_CHARS {
        format!("expected at most {MAX_CHARS} characters, got {length}")
    } else if content.contains('\0') {
        "expected text without NUL characters".to_owned()
    } else {
        return Ok(());
    };
    Err(TicketError::invalid("content", why))
}

/// The heading that a text begins with, if it is of this level and says something.
fn leading_heading(text: &str, level: u8) -> Option<Heading> {
    let first = markdown::outline(text).headings.into_iter().next()?;
    let is_first = text[..first.range.start].trim().is_empty();
    (is_first && first.level == level && !first.text.is_empty()).then_some(first)
}

/// The edit that gives a section another heading.
pub fn rename(body: &str, section: &Section, title: &str) -> Edit {
    let marks = "#".repeat(section.level.into());
    let old = &body[section.heading.clone()];
    let end = if old.ends_with('\n') {
        line_break(body)
    } else {
        ""
    };
    Edit::replace(section.heading.clone(), format!("{marks} {title}{end}"))
}

/// The headings behind the section have to be headings still. Where the next one is, all others are: a
/// heading ends whatever came before it. So no more is read than from the section to that heading.
fn check_what_follows(
    body: &str,
    section: &Section,
    next: Option<&Section>,
    edits: &[Edit],
) -> Result<(), TicketError> {
    let Some(next) = next else {
        return Ok(());
    };
    let changed =
        apply(body, edits).map_err(|error| TicketError::invalid("content", error.to_string()))?;
    let moved = |at: usize| at + changed.len() - body.len();
    let (start, end) = (section.heading.start, moved(next.heading.end));
    let headings = markdown::outline(&changed[start..end]).headings;
    let is_next = |heading: &Heading| {
        let range = heading.range.start + start..heading.range.end + start;
        range == (moved(next.heading.start)..end) && heading.level == next.level
    };
    let lost = (!headings.last().is_some_and(is_next)).then_some(&next.title);
    match lost {
        None => Ok(()),
        Some(title) => Err(TicketError::invalid(
            "content",
            format!(
                "it leaves a code fence or a comment open, which would swallow the section {} behind it; close it",
                quoted(title)
            ),
        )),
    }
}
