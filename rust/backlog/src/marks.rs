//! The body of a task: sections with the program's marks or without, and the criteria in them.

use std::ops::Range;

use chant_plan_format::document::PlanDocument;
use chant_plan_format::finding::PlanFinding;
use chant_plan_format::section_lookup::sections_of;
use chant_plan_format::unit::{PlanCriterion, PlanSection};
use chant_text::checklist::lines::{BoxGrammar, read_lines};

/// A section that the program knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KnownSection {
    /// Its heading.
    pub(super) title: &'static str,
    /// Other words by which it is asked for.
    pub(super) names: &'static [&'static str],
    /// The words of its marks, of which the first is written.
    pub(super) marks: &'static [&'static str],
    /// True if it is a list of boxes.
    pub(super) is_list: bool,
}

/// The sections that the program knows, in its order.
pub(super) const KNOWN: [KnownSection; 7] = [
    KnownSection {
        title: "Description",
        names: &["description"],
        marks: &["SECTION:DESCRIPTION"],
        is_list: false,
    },
    KnownSection {
        title: "Acceptance Criteria",
        names: &["criteria", "acceptance criteria"],
        marks: &["AC"],
        is_list: true,
    },
    KnownSection {
        title: "Definition of Done",
        names: &["definition of done"],
        marks: &["DOD"],
        is_list: true,
    },
    KnownSection {
        title: "Implementation Plan",
        names: &["plan", "implementation plan"],
        marks: &["SECTION:PLAN", "SECTION:IMPLEMENTATION_PLAN"],
        is_list: false,
    },
    KnownSection {
        title: "Implementation Notes",
        names: &["notes", "implementation notes"],
        marks: &["SECTION:NOTES", "SECTION:IMPLEMENTATION_NOTES"],
        is_list: false,
    },
    KnownSection {
        title: "Comments",
        names: &["comments"],
        marks: &["COMMENTS", "SECTION:COMMENTS"],
        is_list: false,
    },
    KnownSection {
        title: "Final Summary",
        names: &["summary", "final summary"],
        marks: &["SECTION:FINAL_SUMMARY"],
        is_list: false,
    },
];

/// The boxes that the program takes for criteria.
const CRITERIA: BoxGrammar = BoxGrammar {
    signs: " x",
    has_numbered_bullets: false,
    has_loose_boxes: false,
    has_loose_blanks: false,
};

impl KnownSection {
    /// The name of its list, as answers have it.
    pub(super) fn list(&self) -> &'static str {
        self.names.last().copied().unwrap_or_default()
    }

    /// Returns true if a heading is its own: `Notes` is that of notes, too, and `(Optional)` may stand behind it.
    pub(super) fn has_heading(&self, title: &str) -> bool {
        let title = title.trim();
        let title = title.strip_suffix("(Optional)").unwrap_or(title).trim();
        title.eq_ignore_ascii_case(self.title)
            || (self.title == "Implementation Notes" && title.eq_ignore_ascii_case("Notes"))
    }
}

/// The opening and the closing mark with a word.
pub(super) fn marks_of(word: &str) -> (String, String) {
    (
        format!("<!-- {word}:BEGIN -->"),
        format!("<!-- {word}:END -->"),
    )
}

/// Returns true if a text holds one of the program's own marks.
pub(super) fn holds_mark(text: &str) -> bool {
    let words = KNOWN.iter().flat_map(|known| known.marks);
    words.into_iter().any(|word| {
        let (open, close) = marks_of(word);
        text.contains(&open) || text.contains(&close)
    })
}

/// The marks of a section in a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MarkedBody {
    /// There are none.
    Absent,
    /// One pair, with the bytes between the lines of both.
    Pair(Range<usize>),
    /// They do not pair up; the byte of the first.
    Unsound(usize),
}

/// Finds the marks of a section behind a byte.
pub(super) fn marked(text: &str, start: usize, known: &KnownSection) -> MarkedBody {
    let body = &text[start..];
    let mut found = MarkedBody::Absent;
    for word in known.marks {
        let (open, close) = marks_of(word);
        let places = |mark: &str| -> Vec<usize> {
            body.match_indices(mark).map(|(at, _)| at + start).collect()
        };
        let (opens, closes) = (places(&open), places(&close));
        let one = match (opens.as_slice(), closes.as_slice()) {
            ([], []) => continue,
            ([begin], [end]) if begin < end => {
                let behind = begin + open.len();
                let line_end = text[behind..*end].find('\n').map(|at| behind + at + 1);
                let line_start = text[..*end].rfind('\n').map_or(behind, |at| at + 1);
                MarkedBody::Pair(
                    line_end.unwrap_or(behind)..line_start.max(line_end.unwrap_or(behind)),
                )
            }
            (opens, closes) => {
                let first = opens.iter().chain(closes).min();
                MarkedBody::Unsound(first.copied().unwrap_or(start))
            }
        };
        found = match found {
            MarkedBody::Absent => one,
            MarkedBody::Pair(range) => MarkedBody::Unsound(range.start),
            MarkedBody::Unsound(at) => MarkedBody::Unsound(at),
        };
    }
    found
}

/// The sections of a body; where marks enclose the text of one, its content is what stands between them.
pub(super) fn sections(document: usize, text: &str, start: usize) -> Vec<PlanSection> {
    let mut found = sections_of(document, text, start);
    for known in &KNOWN {
        let MarkedBody::Pair(content) = marked(text, start, known) else {
            continue;
        };
        // The nearest heading of that name above the marks.
        let mut above = found.iter_mut().rev();
        let heading = above.find(|section| {
            section.heading.end <= content.start && known.has_heading(&section.title)
        });
        if let Some(section) = heading {
            section.content = content;
        }
    }
    found
}

/// The criteria of a body and the faults of their marks.
pub(super) fn criteria(
    document: &PlanDocument,
    start: usize,
    sections: &[PlanSection],
) -> (Vec<PlanCriterion>, Vec<PlanFinding>) {
    let text = &document.text;
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for known in KNOWN.iter().filter(|known| known.is_list) {
        match marked(text, start, known) {
            MarkedBody::Pair(range) => found.extend(criteria_in(text, range, known, true)),
            MarkedBody::Unsound(at) => {
                let message = format!(
                    "the marks of {} do not pair up, so its boxes are not read",
                    known.list()
                );
                let place = document.line_place(document.line_at(at));
                problems.push(PlanFinding::warning(&document.path, place, message));
            }
            MarkedBody::Absent => {
                let section = sections
                    .iter()
                    .find(|section| section.level == 2 && known.has_heading(&section.title));
                let content = section.map(|section| section.content.clone());
                found.extend(
                    content
                        .into_iter()
                        .flat_map(|range| criteria_in(text, range, known, false)),
                );
            }
        }
    }
    (found, problems)
}

/// The criteria in a part of a body. Within marks the number counts that is written; without marks, and for a line
/// without one, its place.
fn criteria_in(
    text: &str,
    range: Range<usize>,
    known: &KnownSection,
    is_marked: bool,
) -> Vec<PlanCriterion> {
    let part = &text[..range.end];
    let mut found: Vec<PlanCriterion> = Vec::new();
    let mut unnumbered = Vec::new();
    for line in read_lines(part, range.start, &CRITERIA) {
        let Some(parts) = line.parts() else {
            continue;
        };
        let is_own = !line.is_fenced && line.column == 0 && &text[parts.bullet.clone()] == "-";
        // The program wants exactly one blank between bullet and box.
        if !is_own || parts.mark.start != parts.bullet.end + 2 {
            continue;
        }
        let words = &text[parts.text.clone()];
        let written = words.strip_prefix('#').and_then(|rest| {
            let (number, words) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            Some((number.parse::<usize>().ok()?, words.trim_start()))
        });
        let (number, words) = written.filter(|_| is_marked).unwrap_or_else(|| {
            unnumbered.push(found.len());
            (found.len() + 1, words)
        });
        found.push(PlanCriterion {
            text: words.into(),
            number,
            list: known.list(),
            is_ticked: parts.sign == 'x',
            mark: parts.mark.clone(),
            span: line.range,
        });
    }
    // A number that another line has written is not given by a place.
    for at in unnumbered {
        let is_taken = |number: usize| {
            let others = found.iter().enumerate();
            others
                .clone()
                .any(|(other, one)| other != at && one.number == number)
        };
        let mut number = found[at].number;
        while is_taken(number) {
            number += 1;
        }
        found[at].number = number;
    }
    found
}
