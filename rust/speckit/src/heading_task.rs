//! Headings that name a task: which of them are one, and which only stand above one.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::line::{HeadingLine, TaskHead, box_line, heading_line, named};
use super::section::Sections;
use super::task::TaskMark;
use chant_text::markdown::Heading;

/// The kind of a heading with an ID.
pub(super) enum NamedHeading {
    /// A task; the byte of the body at which its box says how far it is, if it has one.
    Task(TaskHead, TaskMark, Option<usize>),
    /// A remark on a task that stands in a list, by its ID.
    About(Box<str>),
    /// A task by its looks, with a sign in its box that says nothing.
    Sign(Box<str>),
    /// A task by its looks, without a box.
    NoBox(Box<str>),
}

/// The headings of a body that name a task, by the places where they begin.
pub(super) fn named_headings(
    body: &str,
    headings: &[Heading],
    is_ignored: impl Fn(usize) -> bool,
) -> HashMap<usize, NamedHeading> {
    let line_of = |heading: &Heading| {
        let text = body.get(heading.range.clone()).unwrap_or_default();
        text.lines().next().unwrap_or_default()
    };
    let lines: Vec<Option<HeadingLine>> = headings
        .iter()
        .map(|heading| heading_line(line_of(heading)))
        .collect();
    if lines.iter().all(Option::is_none) {
        return HashMap::new();
    }
    let boxes = Boxes::of(body, headings, is_ignored);
    let with_box = lines.iter().flatten().filter(|line| line.sign.is_some());
    let with_box: HashSet<String> = with_box.map(|line| upper(&line.head.id)).collect();
    let ends: Vec<usize> = (0..headings.len())
        .map(|at| {
            let own = headings[at].level;
            let after = headings.iter().zip(&lines).skip(at + 1);
            let next = after
                .into_iter()
                .find(|(heading, line)| heading.level <= own || line.is_some());
            next.map_or(body.len(), |(heading, _)| heading.range.start)
        })
        .collect();
    let kind = |(at, line): (usize, Option<HeadingLine>)| {
        let HeadingLine { head, sign, emoji } = line?;
        let start = headings[at].range.start;
        let id = upper(&head.id);
        let kind = match sign {
            Some((sign, column)) => match TaskMark::of(sign) {
                Some(mark) => NamedHeading::Task(head, mark, Some(start + column)),
                None => NamedHeading::Sign(sign.to_string().into()),
            },
            None if with_box.contains(&id) || boxes.has(&id, start) => NamedHeading::About(head.id),
            None if boxes.begin_plain(start..ends[at]) => {
                NamedHeading::Task(head, TaskMark::Open, None)
            }
            None => match emoji {
                Some(sign) => NamedHeading::Sign(sign),
                None if boxes.has(&id, body.len()) => NamedHeading::About(head.id),
                None => NamedHeading::NoBox(head.id),
            },
        };
        Some((start, kind))
    };
    lines.into_iter().enumerate().filter_map(kind).collect()
}

fn upper(id: &str) -> String {
    id.to_ascii_uppercase()
}

/// The list items with a box.
#[derive(Default)]
struct Boxes {
    /// By place in the body, whether each has an ID.
    items: Vec<(usize, bool)>,
    /// By ID in capitals, where it is first listed; a place in a summary only without another one.
    listed: HashMap<String, MentionPlace>,
}

/// Where an ID stands in a list.
#[derive(Clone, Copy)]
enum MentionPlace {
    Anywhere,
    InSummary(usize),
}

impl Boxes {
    fn of(body: &str, headings: &[Heading], is_ignored: impl Fn(usize) -> bool) -> Self {
        let mut boxes = Self::default();
        let mut sections = Sections::default();
        let mut headings = headings.iter().peekable();
        let mut at = 0;
        for line in body.split_inclusive('\n') {
            let start = at;
            at += line.len();
            if let Some(heading) = headings.next_if(|heading| heading.range.start < at) {
                sections.enter(heading.level, &heading.text);
                continue;
            }
            let line = line.trim_end_matches(['\n', '\r']);
            let indented = line.len() - line.trim_start().len();
            if let Some(found) = box_line(line).filter(|found| found.mark().is_some())
                && !is_ignored(start + indented)
            {
                let id = named(found.rest).map(|head| upper(&head.id));
                boxes.items.push((start, id.is_some()));
                boxes.list(id, start, sections.is_recap());
            }
        }
        boxes
    }

    fn list(&mut self, id: Option<String>, at: usize, is_recap: bool) {
        let Some(id) = id else {
            return;
        };
        if is_recap {
            self.listed.entry(id).or_insert(MentionPlace::InSummary(at));
        } else {
            self.listed.insert(id, MentionPlace::Anywhere);
        }
    }

    /// Returns true if a list has an ID; a summary counts where it begins before a place.
    fn has(&self, id: &str, before: usize) -> bool {
        match self.listed.get(id) {
            Some(MentionPlace::Anywhere) => true,
            Some(MentionPlace::InSummary(at)) => *at < before,
            None => false,
        }
    }

    /// Returns true if a part of the body has boxes, and the first one has no ID.
    fn begin_plain(&self, part: Range<usize>) -> bool {
        let first = self.items.partition_point(|(at, _)| *at < part.start);
        let first = self.items.get(first);
        first.is_some_and(|(at, is_named)| *at < part.end && !is_named)
    }
}
