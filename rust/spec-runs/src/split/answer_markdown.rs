//! Reads the answer as Markdown, the form that earlier programs ask for (reference chant 6.11).

use std::sync::LazyLock;

use regex::Regex;

use crate::view::split::{ProposedMember, ProposedSection};
use chant_specs::parse::CRITERIA;
use chant_text::markdown::{self, Heading, MarkdownOutline};

static MEMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)^member\s+(\d+)\s*:\s*(.*)$").ok());
static NAMED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\bmember\s+(\d+)\b").ok());
/// A line that starts a block, with the text behind it on the line.
static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^\*\*(affected files|dependencies)\s*:?\*\*\s*:?\s*(.*)$").ok()
});
static REMARK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\s*\([^()]*\)\s*$").ok());

/// Returns the members that a text describes under headings `## Member N: <title>`, in the order of
/// the text. Numbers that members name are those of the headings, and come out as places in that
/// order.
pub(super) fn members(text: &str) -> Vec<ProposedMember> {
    let outline = markdown::outline(text);
    let mut numbers = Vec::new();
    let mut found = Vec::new();
    for (at, heading) in outline.headings.iter().enumerate() {
        let Some((number, title)) = of_member(heading) else {
            continue;
        };
        let inner: Vec<&Heading> = outline.headings[at + 1..]
            .iter()
            .take_while(|inner| inner.level > heading.level)
            .collect();
        let next = outline.headings.get(at + 1 + inner.len());
        let end = next.map_or(text.len(), |next| next.range.start);
        numbers.push(number);
        found.push(MemberReader::new(text, &outline).member(title, heading.range.end, &inner, end));
    }
    for member in &mut found {
        for named in &mut member.depends_on {
            let place = numbers.iter().position(|number| number == named);
            *named = place.map_or(usize::MAX, |at| at + 1);
        }
    }
    found
}

fn of_member(heading: &Heading) -> Option<(usize, String)> {
    let found = MEMBER.as_ref()?.captures(&heading.text)?;
    let number = found[1].parse().ok()?;
    (heading.level == 2).then(|| (number, found[2].trim().to_owned()))
}

struct MemberReader<'a> {
    text: &'a str,
    outline: &'a MarkdownOutline,
    member: ProposedMember,
}

impl<'a> MemberReader<'a> {
    fn new(text: &'a str, outline: &'a MarkdownOutline) -> Self {
        Self {
            text,
            outline,
            member: ProposedMember::default(),
        }
    }

    fn member(
        mut self,
        title: String,
        start: usize,
        inner: &[&Heading],
        end: usize,
    ) -> ProposedMember {
        let first = inner.first().map_or(end, |heading| heading.range.start);
        let description = self.without_blocks(start, first);
        for (at, heading) in inner.iter().enumerate() {
            let until = inner.get(at + 1).map_or(end, |next| next.range.start);
            self.part(&heading.text, heading.range.end, until);
        }
        ProposedMember {
            title,
            description,
            ..self.member
        }
    }

    fn part(&mut self, title: &str, start: usize, end: usize) {
        let is_criteria = title.eq_ignore_ascii_case(CRITERIA);
        if is_criteria {
            let boxes = self.outline.tasks.iter();
            let own = boxes.filter(|task| (start..end).contains(&task.marker.start));
            let words = own.map(|task| self.text[task.text.clone()].to_owned());
            self.member.criteria.extend(words);
        }
        let text = self.without_blocks(start, end);
        if title.eq_ignore_ascii_case("Requires") {
            self.name(&text);
        }
        if !text.is_empty() {
            let title = if is_criteria { "Notes" } else { title };
            self.member.sections.push(ProposedSection {
                title: title.to_owned(),
                text,
            });
        }
    }

    /// Returns a piece of the text without its boxes, and without the blocks of files and
    /// dependencies, which go into the member.
    fn without_blocks(&mut self, start: usize, end: usize) -> String {
        let text = self.text;
        let mut kept = String::new();
        let mut block: Option<MemberBlock> = None;
        let mut at = start;
        for line in text[start..end].split_inclusive('\n') {
            let (begin, words) = (at, line.trim());
            at += line.len();
            let is_code = self.outline.code.iter().any(|code| code.contains(&begin));
            let mut boxes = self.outline.tasks.iter();
            if boxes.any(|task| task.marker.start < at && begin < task.text.end) {
                continue;
            }
            if let Some((label_of, rest)) = label(words).filter(|_| !is_code) {
                self.take(label_of, rest);
                block = Some(label_of);
                continue;
            }
            match (block, bullet(words).filter(|_| !is_code)) {
                (Some(open), Some(item)) => self.take(open, item),
                (Some(_), None) if words.is_empty() => {}
                _ => {
                    block = None;
                    kept.push_str(line);
                }
            }
        }
        kept.trim().to_owned()
    }

    fn take(&mut self, block: MemberBlock, words: &str) {
        match block {
            MemberBlock::Dependencies => self.name(words),
            MemberBlock::Files => self.member.target_files.extend(file(words)),
        }
    }

    fn name(&mut self, words: &str) {
        let Some(named) = NAMED.as_ref() else { return };
        for found in named.captures_iter(words) {
            let number = found[1].parse().unwrap_or(usize::MAX);
            if !self.member.depends_on.contains(&number) {
                self.member.depends_on.push(number);
            }
        }
    }
}

/// The kinds of blocks about a member besides its text.
#[derive(Debug, Clone, Copy)]
enum MemberBlock {
    Files,
    Dependencies,
}

fn label(line: &str) -> Option<(MemberBlock, &str)> {
    let found = LABEL.as_ref()?.captures(line)?;
    let block = if found[1].eq_ignore_ascii_case("dependencies") {
        MemberBlock::Dependencies
    } else {
        MemberBlock::Files
    };
    Some((block, found.get(2).map_or("", |rest| rest.as_str())))
}

fn bullet(line: &str) -> Option<&str> {
    let mut marks = ["- ", "* ", "+ "].into_iter();
    marks.find_map(|mark| line.strip_prefix(mark))
}

/// Returns a file without marks of code and without a remark in brackets behind it.
fn file(words: &str) -> Option<String> {
    let plain = REMARK
        .as_ref()
        .map_or(words.into(), |remark| remark.replace(words, ""));
    let name = plain.trim().trim_matches('`').trim();
    let is_none = name.is_empty() || name.eq_ignore_ascii_case("none");
    (!is_none).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "\
# Dependency Analysis

## Dependency Graph

```
## Member 9: not one
Member 1 -> Member 2
```

## Member 1: Schema: tables

First words.

### Acceptance Criteria

- [ ] Tables are there,
  with their keys
- [x] Tested

Beside them.

### Provides

- A table

**Affected Files:**
- `src/a.rs` (new)

- src/b.rs

More to say.

**Dependencies:** None

## Member 2: Use it

### Requires

- The table of Member 1

**Dependencies:** Member 3
";

    #[test]
    fn members_are_read_whole() {
        let found = members(ANSWER);
        assert_eq!(found.len(), 2);
        let [one, two] = &found[..] else { return };
        assert_eq!(one.title, "Schema: tables");
        assert_eq!(one.description, "First words.");
        assert_eq!(
            one.criteria,
            ["Tables are there,\n  with their keys", "Tested"]
        );
        assert_eq!(one.target_files, ["src/a.rs", "src/b.rs"]);
        let sections: Vec<_> = one.sections.iter().map(|s| (&*s.title, &*s.text)).collect();
        let provides = "- A table\n\nMore to say.";
        assert_eq!(
            sections,
            [("Notes", "Beside them."), ("Provides", provides)]
        );
        assert_eq!(one.depends_on, [0_usize; 0]);
        assert_eq!(two.depends_on, [usize::MAX, 1], "there is no member 3");
        assert_eq!(two.sections[0].text, "- The table of Member 1");
    }

    #[test]
    fn other_texts_hold_no_members() {
        assert_eq!(
            members("# Member 1: no\n\n### Member 2: no\n\nMember 3: no\n"),
            []
        );
    }
}
