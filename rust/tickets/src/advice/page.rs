//! A ticket's text as its author filled it: what is the author's own and what is still the template's.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use crate::templates::BUILT_IN;
use chant_text::markdown::{self, MarkdownOutline, TaskItem};
use chant_text::sections::{self, Section, without_number};

/// Phrases that stand for a text that is to be written later.
const LATER: [&str; 4] = [
    "to be filled", "to be determined", "to be defined", "lorem ipsum",
];

/// Lines of the built-in templates, in small letters.
static OF_TEMPLATES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let lines = BUILT_IN.iter().flat_map(|template| template.text.lines());
    lines.map(folded).filter(|line| !line.is_empty()).collect()
});

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageLineKind {
    /// Its author's text.
    Own,
    /// A request of a template to write something.
    Prompt,
    /// A heading, a rule, the head of a table, a comment or nothing.
    Frame,
}

/// A ticket's text, read once for all checks.
pub(super) struct TicketPage<'a> {
    body: &'a str,
    outline: MarkdownOutline,
    pub(super) sections: Vec<Section>,
    lines: Vec<(Range<usize>, PageLineKind)>,
}

impl<'a> TicketPage<'a> {
    pub(super) fn of(body: &'a str) -> Self {
        let outline = markdown::outline(body);
        let comments = comments(body, &outline);
        let mut start = 0;
        let mut lines = Vec::new();
        for line in body.split_inclusive('\n') {
            let range = start..start + line.len();
            start = range.end;
            lines.push((range.clone(), kind(body, range, &outline, &comments)));
        }
        Self {
            sections: sections::sections(&outline, body.len()),
            body,
            outline,
            lines,
        }
    }

    /// Sections whose heading begins with a name, in any case of letters, a number before it or not.
    pub(super) fn named(&self, name: &str) -> Vec<&Section> {
        let is_named = |section: &&Section| begins_with(&section.title, name);
        self.sections.iter().filter(is_named).collect()
    }

    /// Returns true if a section, those below it included, has text of the author's own.
    pub(super) fn is_filled(&self, section: &Section) -> bool {
        self.has(PageLineKind::Own, &section.content)
    }

    /// Sections in which a template's request stands directly below the heading.
    pub(super) fn with_prompts(&self) -> Vec<&Section> {
        let end = |at: usize, section: &Section| {
            let next = self.sections.get(at + 1);
            next.map_or(section.content.end, |next| next.heading.start)
        };
        self.sections
            .iter()
            .enumerate()
            .filter(|(at, section)| {
                self.has(
                    PageLineKind::Prompt,
                    &(section.content.start..end(*at, section)),
                )
            })
            .map(|(_, section)| section)
            .collect()
    }

    /// Characters of the author's own text.
    pub(super) fn length(&self) -> usize {
        let own = self
            .lines
            .iter()
            .filter(|(_, kind)| *kind == PageLineKind::Own);
        own.map(|(range, _)| self.body[range.clone()].trim().chars().count())
            .sum()
    }

    /// Task items in some sections, each once.
    pub(super) fn tasks_in(&self, sections: &[&Section]) -> Vec<&TaskItem> {
        let is_in = |task: &&TaskItem| {
            let mut contents = sections.iter().map(|section| &section.content);
            contents.any(|content| content.contains(&task.marker.start))
        };
        self.outline.tasks.iter().filter(is_in).collect()
    }

    /// Returns true if a task item is the author's own.
    pub(super) fn is_own(&self, task: &TaskItem) -> bool {
        let mut lines = self.lines.iter();
        lines.any(|(range, kind)| *kind == PageLineKind::Own && range.contains(&task.marker.start))
    }

    /// A task item's text on one line.
    pub(super) fn text_of(&self, task: &TaskItem) -> String {
        chant_text::checklist::text(self.body, task)
    }

    fn has(&self, wanted: PageLineKind, within: &Range<usize>) -> bool {
        self.lines
            .iter()
            .any(|(range, kind)| *kind == wanted && within.contains(&range.start))
    }
}

/// Returns true if a heading begins with a name and does not go on within a word.
pub(super) fn begins_with(title: &str, name: &str) -> bool {
    let title = folded(without_number(title));
    title
        .strip_prefix(&folded(name))
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

fn kind(
    body: &str,
    range: Range<usize>,
    outline: &MarkdownOutline,
    comments: &[Range<usize>],
) -> PageLineKind {
    let is_in = |ranges: &[Range<usize>]| ranges.iter().any(|r| r.contains(&range.start));
    let mut headings = outline.headings.iter();
    if headings.any(|heading| heading.range.contains(&range.start)) {
        return PageLineKind::Frame;
    }
    let line = without(body, range.clone(), comments);
    if !line.contains(char::is_alphanumeric) {
        return PageLineKind::Frame;
    }
    if is_in(&outline.code) {
        return PageLineKind::Own;
    }
    let line = folded(&line);
    match (OF_TEMPLATES.contains(&line), line.contains('*')) {
        (true, true) => PageLineKind::Prompt,
        (true, false) => PageLineKind::Frame,
        (false, _) if is_for_later(&line) => PageLineKind::Prompt,
        (false, _) => PageLineKind::Own,
    }
}

/// A line's text without the comments in it.
fn without(body: &str, range: Range<usize>, comments: &[Range<usize>]) -> String {
    let mut text = String::new();
    let mut at = range.start;
    for comment in comments {
        if comment.end > at && comment.start < range.end {
            text.push_str(&body[at..comment.start.max(at)]);
            at = comment.end.min(range.end);
        }
    }
    text.push_str(&body[at..range.end]);
    text
}

/// `<!-- … -->` outside of code.
fn comments(body: &str, outline: &MarkdownOutline) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = body[from..].find("<!--").map(|at| from + at) {
        if let Some(code) = outline.code.iter().find(|code| code.contains(&start)) {
            from = code.end;
            continue;
        }
        let line = body[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = match body[start..].find("-->") {
            Some(at) => start + at + 3,
            None if body[line..start].trim().is_empty() => body.len(),
            // Within a line it is text as long as nothing ends it.
            None => break,
        };
        found.push(start..end);
        from = end;
    }
    found
}

fn is_for_later(line: &str) -> bool {
    let text = line.trim_matches(|c: char| !c.is_alphanumeric());
    let text = text.strip_prefix("x] ").unwrap_or(text);
    LATER.iter().any(|words| text.starts_with(words))
        || ["todo", "tbd"].iter().any(|word| {
            text.strip_prefix(word)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        })
}

fn folded(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(body: &str) -> Vec<PageLineKind> {
        TicketPage::of(body)
            .lines
            .iter()
            .map(|(_, kind)| *kind)
            .collect()
    }

    #[test]
    fn lines_of_a_template_are_told_from_own_ones_in_any_case_of_letters() {
        use PageLineKind::{Frame, Own, Prompt};
        for (line, expected) in [
            ("*What goes wrong, where, and since when?*", Prompt),
            ("  *WHAT GOES WRONG, where,  and since when?*  ", Prompt),
            ("*What goes wrong?* It crashes.", Own),
            (
                "- [ ] A regression test fails without the fix and passes with it",
                Frame,
            ),
            (
                "- [x] A regression test fails without the fix and passes with it",
                Own,
            ),
            ("| ID | Question | Success criteria | Priority |", Frame),
            ("TODO", Prompt),
            ("- [ ] TBD: ask Ada", Prompt),
            ("*To be filled by the team*", Prompt),
            ("Todoist is broken", Own),
            ("---", Frame),
            ("<!-- say more -->", Frame),
            ("<!-- say --> more", Own),
            ("", Frame),
        ] {
            let body = format!("{line}\n");
            assert_eq!(kinds(&body), [expected], "{line}");
        }
    }

    #[test]
    fn what_stands_in_code_is_own_and_opens_no_comment_and_no_section() {
        let body = "## A\n\n```\n# TODO: x\n<!--\n```\n\ntext\n";
        let page = TicketPage::of(body);
        assert_eq!(page.sections.len(), 1);
        assert_eq!(page.length(), "# TODO: x".len() + "text".len());
    }

    #[test]
    fn a_comment_may_span_lines_and_never_end() {
        let page = TicketPage::of("a <!-- b\nc\n--> d\n<!-- e\nf");
        assert_eq!(page.length(), "a <!-- b".len() + "--> d".len());
        assert_eq!(
            kinds("<!-- a\nb\n"),
            [PageLineKind::Frame, PageLineKind::Frame]
        );
        assert_eq!(
            kinds("a `<!--` b\nc\n"),
            [PageLineKind::Own, PageLineKind::Own]
        );
    }

    #[test]
    fn a_heading_is_known_by_its_beginning_and_not_within_a_word() {
        assert!(begins_with("2.1 Trade-offs Analysis", "Trade-offs"));
        assert!(begins_with("CURRENT BEHAVIOR (Wrong)", "Current Behavior"));
        assert!(!begins_with("Scopes", "Scope"));
        assert!(!begins_with("Out of Scope", "Scope"));
    }
}
