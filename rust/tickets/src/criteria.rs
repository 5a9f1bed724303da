//! The acceptance criteria of a ticket: boxes below headings of that name, with or without a number before it.

use super::model::Ticket;
use super::sections::parse_sections_of;
use chant_text::checklist;
use chant_text::markdown::{self, TaskItem};
use chant_text::sections::{Section, without_number};

/// How the headings begin, in any case of letters.
pub(super) const CRITERIA: &str = "Acceptance Criteria";

/// A box of a ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TicketCriterion {
    /// Its text on one line.
    pub text: String,
    /// True if it is ticked.
    pub is_met: bool,
    /// Its line in the file, counted from 1.
    pub line: usize,
    /// The box itself, its places counted from the first byte of the body.
    pub item: TaskItem,
}

/// The acceptance criteria of a ticket, in the order of the document.
pub fn criteria(ticket: &Ticket) -> Vec<TicketCriterion> {
    boxes(ticket, |section| is_about_criteria(&section.title))
}

/// The boxes below the sections that are wanted, each once.
pub(super) fn boxes(ticket: &Ticket, is_wanted: impl Fn(&Section) -> bool) -> Vec<TicketCriterion> {
    let body = ticket.body();
    let outline = markdown::outline(body);
    let sections = parse_sections_of(&outline, body);
    let wanted: Vec<&Section> = sections.iter().filter(|one| is_wanted(one)).collect();
    let is_in = |item: &TaskItem| {
        let mut contents = wanted.iter().map(|section| &section.content);
        contents.any(|content| content.contains(&item.marker.start))
    };
    let (mut line, mut counted) = (1, 0);
    let items = outline.tasks.into_iter().filter(is_in);
    let found = items.map(|item| {
        let at = ticket.body_start + item.marker.start;
        line += ticket.text[counted..at].matches('\n').count();
        counted = at;
        TicketCriterion {
            text: checklist::text(body, &item),
            is_met: item.checked,
            line,
            item,
        }
    });
    found.collect()
}

/// Returns true if a heading begins the acceptance criteria.
pub(super) fn is_about_criteria(title: &str) -> bool {
    checklist::starts_with_ignoring_case(without_number(title), CRITERIA)
}
