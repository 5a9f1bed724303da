//! Reads a Markdown body in one pass of a `CommonMark` parser.
//!
//! Titles, sections and criteria all come from this one outline, so that answers agree about
//! headings, fences and task items.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A heading at the top level of the document (not in a list or a quote).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The level, 1 to 6.
    pub level: u8,
    /// Its text as written, without the markers around it.
    pub text: String,
    /// The bytes of the heading itself, with its line break if it has one.
    pub range: Range<usize>,
}

/// A list item that starts with `[ ]`, `[x]` or `[X]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskItem {
    /// The bytes of the marker, brackets included: always three.
    pub marker: Range<usize>,
    /// The bytes of the item's own first paragraph, without the marker; empty for an item without
    /// text.
    pub text: Range<usize>,
    /// True if the box is ticked.
    pub checked: bool,
}

/// The parts of a Markdown body, in document order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkdownOutline {
    /// Top-level headings.
    pub headings: Vec<Heading>,
    /// Task items at any depth, none of them inside a code block or HTML.
    pub tasks: Vec<TaskItem>,
    /// Bytes of code blocks, fences included.
    pub code: Vec<Range<usize>>,
    /// Bytes of pieces of HTML, comments among them, none of them inside a code block.
    pub html: Vec<Range<usize>>,
}

/// Reads the outline of a markdown body.
pub fn outline(body: &str) -> MarkdownOutline {
    let mut reader = OutlineReader {
        body,
        outline: MarkdownOutline::default(),
        depth: 0,
        open_task: false,
        heading: None,
    };
    for (event, range) in Parser::new_ext(body, Options::ENABLE_TASKLISTS).into_offset_iter() {
        reader.take(&event, range);
    }
    reader.outline
}

/// Returns the bytes of fenced code and of comments, which are no text of the document.
pub fn set_aside(body: &str, outline: &MarkdownOutline) -> Vec<Range<usize>> {
    let is_fence = |range: &&Range<usize>| {
        let code = body.get((*range).clone()).unwrap_or_default().trim_start();
        code.starts_with("```") || code.starts_with("~~~")
    };
    let mut aside: Vec<Range<usize>> = outline.code.iter().filter(is_fence).cloned().collect();
    let mut open: Option<usize> = None;
    for piece in &outline.html {
        let mut at = piece.start;
        while at < piece.end {
            let rest = body.get(at..piece.end).unwrap_or_default();
            let sought = if open.is_some() { "-->" } else { "<!--" };
            let Some(found) = rest.find(sought) else {
                break;
            };
            let end = at + found + sought.len();
            match open.take() {
                Some(start) => aside.push(start..end),
                None => open = Some(at + found),
            }
            at = end;
        }
    }
    aside.extend(open.map(|start| start..body.len()));
    aside
}

struct OutlineReader<'a> {
    body: &'a str,
    outline: MarkdownOutline,
    /// The number of open lists and quotes.
    depth: usize,
    /// True if the last task item still collects its text.
    open_task: bool,
    /// The open heading and the span of its inline content so far.
    heading: Option<(u8, Range<usize>, Option<Range<usize>>)>,
}

impl OutlineReader<'_> {
    fn take(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.open_task = false;
                self.heading = Some((number(*level), range, None));
            }
            Event::End(TagEnd::Heading(_)) => self.close_heading(),
            Event::TaskListMarker(checked) => {
                let end = range.end;
                self.outline.tasks.push(TaskItem {
                    marker: range,
                    text: end..end,
                    checked: *checked,
                });
                self.open_task = true;
            }
            Event::Start(Tag::CodeBlock(_)) => {
                self.open_task = false;
                self.outline.code.push(range);
            }
            Event::Start(Tag::List(_) | Tag::BlockQuote(_)) => {
                self.open_task = false;
                self.depth += 1;
            }
            Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_)) => {
                self.open_task = false;
                self.depth = self.depth.saturating_sub(1);
            }
            Event::End(TagEnd::Paragraph | TagEnd::Item)
            | Event::Start(Tag::HtmlBlock | Tag::Item)
            | Event::Rule => {
                self.open_task = false;
            }
            Event::Html(_) | Event::InlineHtml(_) => {
                self.outline.html.push(range.clone());
                self.inline(range);
            }
            _ => self.inline(range),
        }
    }

    /// Widens the open heading or task by one piece of inline content.
    fn inline(&mut self, range: Range<usize>) {
        if let Some((_, _, content)) = &mut self.heading {
            *content = Some(match content.take() {
                Some(seen) => seen.start.min(range.start)..seen.end.max(range.end),
                None => range,
            });
        } else if self.open_task
            && let Some(task) = self.outline.tasks.last_mut()
        {
            if task.text.is_empty() {
                task.text.start = range.start;
            }
            task.text.end = task.text.end.max(range.end);
        }
    }

    fn close_heading(&mut self) {
        let Some((level, range, content)) = self.heading.take() else {
            return;
        };
        if self.depth == 0 {
            let text = content
                .and_then(|span| self.body.get(span))
                .unwrap_or_default();
            self.outline.headings.push(Heading {
                level,
                text: text.trim().to_owned(),
                range,
            });
        }
    }
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headings(body: &str) -> Vec<(u8, String)> {
        outline(body)
            .headings
            .into_iter()
            .map(|h| (h.level, h.text))
            .collect()
    }

    fn tasks(body: &str) -> Vec<(bool, String)> {
        outline(body)
            .tasks
            .into_iter()
            .map(|t| (t.checked, body[t.text].to_owned()))
            .collect()
    }

    #[test]
    fn headings_of_code_lists_and_quotes_are_not_headings_of_the_document() {
        let body = "# A `b` **c** #\n\n```\n# no\n```\n> # no\n\n- # no\n\nTwo\n---\n\n##\n";
        assert_eq!(
            headings(body),
            [
                (1, "A `b` **c**".into()),
                (2, "Two".into()),
                (2, String::new())
            ]
        );
    }

    #[test]
    fn comments_are_found_in_text_and_on_lines_of_their_own_but_not_in_code() {
        let body = "- [ ] a <!-- one -->\n  <!-- two -->\n\n`<!-- no -->`\n\n    <!-- no -->\n\n<!-- three -->\n";
        let found = outline(body)
            .html
            .into_iter()
            .map(|range| body[range].trim());
        let expected = ["<!-- one -->", "<!-- two -->", "<!-- three -->"];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn task_items_are_found_with_any_bullet_at_any_depth_but_not_in_code() {
        let body = "- [ ] a\n  wrapped\n\n  more\n* [x] b\n  - [X] *nested*\n1. [ ] n\n~~~\n- [ ] no\n~~~\n- x - [ ] no\n- [ ]\n";
        let found = [
            (false, "a\n  wrapped".into()),
            (true, "b".into()),
            (true, "*nested*".into()),
            (false, "n".into()),
            (false, String::new()),
        ];
        assert_eq!(tasks(body), found);
    }
}
