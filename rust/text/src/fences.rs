//! Fences that take in more than was meant: never closed, or closed by a fence inside them.
//!
//! What is code is for `CommonMark` to say, and stays so. This says where that is likely not what the author
//! meant, because headings or boxes of the document stand in there.

use std::fmt;
use std::ops::Range;

use super::markdown::{MarkdownOutline, outline};

/// Why a fence takes in what was not meant for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FenceFault {
    /// No line closes it.
    Unclosed,
    /// A fence begins inside of it, so that the end of that one closes it.
    Nested,
    /// It begins where an earlier one should have ended.
    Shifted,
}

/// A fence with headings or boxes that the document does not have because of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwallowingFence {
    /// The line of the fence, counted from 1.
    pub line: usize,
    /// The fault of the fence.
    pub fault: FenceFault,
    /// Headings of the second to sixth level inside; a single `#` begins remarks in too many languages.
    pub headings: usize,
    /// List items with a box inside.
    pub boxes: usize,
}

impl SwallowingFence {
    /// Returns the advice to fix it.
    pub fn advice(&self) -> &'static str {
        match self.fault {
            FenceFault::Unclosed => "Close it with a line of the same characters",
            FenceFault::Nested | FenceFault::Shifted => {
                "Give a fence that holds other fences more characters than these have, four for three, where it begins and where it ends"
            }
        }
    }
}

impl fmt::Display for SwallowingFence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let inside = [
            count(self.headings, "heading", "headings"),
            count(self.boxes, "box", "boxes"),
        ];
        let inside: Vec<String> = inside.into_iter().flatten().collect();
        let fault = match self.fault {
            FenceFault::Unclosed => "is never closed",
            FenceFault::Nested => "is closed by a fence that begins inside it",
            FenceFault::Shifted => "begins where an earlier fence was meant to end",
        };
        let verb = match self.headings + self.boxes {
            1 => "counts as code",
            _ => "count as code",
        };
        write!(
            f,
            "the fence on line {} {fault}: {} in it {verb}",
            self.line,
            inside.join(" and ")
        )
    }
}

/// The line of a fence, taken apart.
struct Fence<'a> {
    sign: char,
    length: usize,
    info: &'a str,
}

/// Reads a line that is a fence; `None` for any other.
fn fence(line: &str) -> Option<Fence<'_>> {
    let line = line.trim_start_matches([' ', '\t', '>']);
    let sign = line.chars().next().filter(|sign| "`~".contains(*sign))?;
    let info = line.trim_start_matches(sign);
    let length = line.len() - info.len();
    let is_fence = length >= 3 && !(sign == '`' && info.contains('`'));
    is_fence.then(|| Fence {
        sign,
        length,
        info: info.trim(),
    })
}

/// [`swallowing`] of a body whose outline is not known. Where no fence can be at fault nothing but its lines is
/// looked at.
pub fn found(body: &str) -> Vec<SwallowingFence> {
    if may_swallow(body) {
        swallowing(body, &outline(body))
    } else {
        Vec::new()
    }
}

/// Returns true if a fence may be at fault, as far as lines alone say.
fn may_swallow(body: &str) -> bool {
    if !body.contains("```") && !body.contains("~~~") {
        return false;
    }
    let mut open: Option<Fence<'_>> = None;
    for other in body.lines().filter_map(fence) {
        match &open {
            None if shows_markdown(other.info) => return true,
            None => open = Some(other),
            Some(around) if other.sign != around.sign || other.length < around.length => {}
            Some(_) if other.info.is_empty() => open = None,
            Some(_) => return true,
        }
    }
    open.is_some()
}

/// Returns true if the language of a fence is markdown, in which fences are shown.
fn shows_markdown(info: &str) -> bool {
    let language = info.split_whitespace().next().unwrap_or_default();
    ["markdown", "md", "mdx"].contains(&language)
}

/// The fences of a body that take in headings or boxes which are likely the document's own; lines count from
/// the first one of the body.
pub fn swallowing(body: &str, outline: &MarkdownOutline) -> Vec<SwallowingFence> {
    let mut found = Vec::new();
    if !may_swallow(body) {
        return found;
    }
    let (mut is_shifted, mut has_markdown) = (false, false);
    let mut lines = Lines {
        body,
        at: 0,
        line: 1,
    };
    for range in &outline.code {
        let code = body.get(range.clone()).unwrap_or_default();
        let Some(first) = code.lines().next().and_then(fence) else {
            continue;
        };
        let inside = Inside::of(code, &first);
        let is_bare = first.info.is_empty();
        let fault = if inside.has_fence {
            Some(FenceFault::Nested)
        } else if !inside.is_closed {
            Some(FenceFault::Unclosed)
        } else if is_bare
            && (is_shifted || (has_markdown && inside.headings > 0 && inside.boxes > 0))
        {
            Some(FenceFault::Shifted)
        } else {
            None
        };
        is_shifted |= inside.has_fence;
        has_markdown |= shows_markdown(first.info);
        if let Some(fault) = fault
            && inside.headings + inside.boxes > 0
        {
            found.push(SwallowingFence {
                line: lines.of(range),
                fault,
                headings: inside.headings,
                boxes: inside.boxes,
            });
        }
    }
    found
}

/// The content between the ends of a fence.
#[derive(Default)]
struct Inside {
    headings: usize,
    boxes: usize,
    /// True if another fence begins there that is not shorter than the one around it.
    has_fence: bool,
    is_closed: bool,
}

impl Inside {
    fn of(code: &str, around: &Fence<'_>) -> Self {
        let mut inside = Self::default();
        for line in code.lines().skip(1) {
            let other = fence(line);
            let ends =
                |other: &Fence<'_>| other.sign == around.sign && other.length >= around.length;
            match other.filter(ends) {
                Some(other) if other.info.is_empty() => inside.is_closed = true,
                Some(_) => inside.has_fence = true,
                None => {
                    let line = line.trim_start_matches([' ', '\t', '>']);
                    inside.headings += usize::from(is_heading(line));
                    inside.boxes += usize::from(has_box(line));
                }
            }
        }
        inside
    }
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (2..=6).contains(&(line.len() - text.len())) && text.starts_with([' ', '\t'])
}

fn has_box(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = match line.strip_prefix(['-', '*', '+']) {
        Some(text) => text,
        None if digits.len() < line.len() => digits.strip_prefix(['.', ')']).unwrap_or_default(),
        None => return false,
    };
    let Some(text) = text.trim_start().strip_prefix('[') else {
        return false;
    };
    let mut rest = text.chars();
    matches!(
        (rest.next(), rest.next()),
        (Some(' ' | 'x' | 'X' | '~' | '-'), Some(']'))
    )
}

/// Line numbers of places that come in order.
struct Lines<'a> {
    body: &'a str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    fn of(&mut self, range: &Range<usize>) -> usize {
        let between = self.body.get(self.at..range.start).unwrap_or_default();
        self.line += between.matches('\n').count();
        self.at = self.at.max(range.start);
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Vec<(usize, FenceFault, usize, usize)> {
        let found = super::found(body).into_iter();
        let row = |one: SwallowingFence| (one.line, one.fault, one.headings, one.boxes);
        found.map(row).collect()
    }

    const CRITERIA: &str = "## Acceptance Criteria\n\n- [ ] a\n- [x] b\n";

    #[test]
    fn a_fence_that_nothing_closes_is_named_with_what_it_takes_in() {
        let body = format!("# T\n\n```rust\nfn a() {{}}\n\n{CRITERIA}");
        assert_eq!(found(&body), [(3, FenceFault::Unclosed, 1, 2)]);
        assert_eq!(found(&body.replace("```", "~~~")).len(), 1);
    }

    #[test]
    fn a_fence_inside_a_fence_shifts_all_that_come_after() {
        let nested = "```markdown\n## Example\n```bash\nmake\n```\nmore\n```\n";
        let body = format!("{nested}\n{CRITERIA}\n```bash\nls\n```\n");
        let expected = [(1, FenceFault::Nested, 1, 0), (7, FenceFault::Nested, 1, 2)];
        assert_eq!(found(&body), expected);
        let body = format!("{nested}\n{CRITERIA}");
        assert_eq!(found(&body)[1], (7, FenceFault::Unclosed, 1, 2));
        let body = format!("{nested}\n{CRITERIA}\n```\n");
        assert_eq!(found(&body)[1], (7, FenceFault::Shifted, 1, 2));
        let longer = format!("`{}````\n{CRITERIA}", nested.trim_end_matches("```\n"));
        assert_eq!(found(&longer), []);
    }

    #[test]
    fn bare_fences_inside_one_of_markdown_are_seen_by_what_stands_behind() {
        let body = format!("```md\n# T\n```\ncode\n```\n{CRITERIA}```\n");
        assert_eq!(found(&body), [(5, FenceFault::Shifted, 1, 2)]);
    }

    #[test]
    fn examples_that_are_closed_and_code_without_boxes_are_left_alone() {
        for body in [
            "```text\n## H\n- [ ] a\n```\n",
            "```\n- [ ] a\n```\n",
            "```sh\n# remark\necho\n",
            "    ## indented\n    - [ ] a\n",
            "````markdown\n## H\n```rust\n```\n- [ ] a\n````\n",
            "~~~\n```rust\n- [ ] a\n~~~\n",
        ] {
            assert_eq!(found(body), [], "{body}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_line_and_counts() {
        let body = format!("```rust\n\n{CRITERIA}");
        let said = swallowing(&body, &outline(&body))[0].to_string();
        assert_eq!(
            said,
            "the fence on line 1 is never closed: 1 heading and 2 boxes in it count as code"
        );
    }
}
