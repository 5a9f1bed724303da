//! The bytes of a text that a finding is about, worked out here alone where the finding does not say them.

use std::ops::Range;

use chant_text::front_matter;

use super::findings::DocumentFinding;

/// The bytes that a finding is about: its own ones, else a name in its message that stands in its line or in the
/// front matter, else its line, else the key that its rule is called after, else the first line.
pub(crate) fn range_of(text: &str, finding: &DocumentFinding) -> Range<usize> {
    let line = finding.line.or_else(|| named_line(&finding.message));
    let line = line.map(|line| line_range(text, line));
    let is_there = |range: &Range<usize>| {
        text.get(range.clone())
            .is_some_and(|found| !found.is_empty())
    };
    if let Some(known) = finding.span.clone().filter(is_there) {
        return known;
    }
    let front = front_matter::layout(text)
        .ok()
        .and_then(|layout| layout.yaml)
        .unwrap_or(0..0);
    let within = line.clone().unwrap_or_else(|| front.clone());
    let names = quoted(&finding.message);
    let mut found = names
        .iter()
        .filter_map(|name| find_name(text, within.clone(), name));
    if let Some(found) = found.next() {
        return found;
    }
    if let Some(line) = line {
        return trimmed(text, line);
    }
    key_line(text, &front, &finding.rule).unwrap_or_else(|| first_line(text))
}

/// The line of a key of front matter.
fn key_line(text: &str, front: &Range<usize>, key: &str) -> Option<Range<usize>> {
    let yaml = text.get(front.clone())?;
    let keys = front_matter::keys(yaml);
    let known = keys.iter().find(|one| one.name == key)?;
    let before = text[..front.start].matches('\n').count();
    Some(trimmed(text, line_range(text, before + known.line)))
}

/// The line of the title, else the first one that says something.
fn first_line(text: &str) -> Range<usize> {
    let said = text.trim_start_matches('\u{feff}').trim_start();
    let start = text.len() - said.len();
    let title = said.find("\n# ").map(|at| start + at + 1);
    let start = title.unwrap_or(start);
    let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    trimmed(text, start..end)
}

/// The bytes of a line, counted from 1, without its end.
pub(crate) fn line_range(text: &str, line: usize) -> Range<usize> {
    let mut start = 0;
    for (number, content) in text.split_inclusive('\n').enumerate() {
        if number + 1 == line {
            return start..start + content.trim_end_matches(['\n', '\r']).len();
        }
        start += content.len();
    }
    text.len()..text.len()
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let line = &text[range.clone()];
    let start = range.end - line.trim_start().len();
    start..start.max(range.start + line.trim_end().len())
}

/// The line that a message names.
fn named_line(message: &str) -> Option<usize> {
    let first = message.lines().next()?;
    let rest = first
        .split_once("line ")
        .or_else(|| first.split_once("lines "))?
        .1;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..digits].parse().ok()
}

/// Names in a message, in the marks in which messages put them.
fn quoted(message: &str) -> Vec<&str> {
    let first = message.lines().next().unwrap_or_default();
    let mut names = Vec::new();
    for mark in ['\'', '`', '"'] {
        let parts = first.split(mark).skip(1).step_by(2);
        names.extend(parts.filter(|name| !name.is_empty()));
    }
    // Dependencies are named without marks.
    let behind = first.split_once("depends on ").map(|(_, rest)| rest);
    names.extend(behind.and_then(|rest| rest.split([',', ' ']).next()));
    names
}

/// Where a name stands as a word of its own.
fn find_name(text: &str, within: Range<usize>, name: &str) -> Option<Range<usize>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let inside = text.get(within.clone())?;
    let mut found = inside.match_indices(name).map(|(at, _)| within.start + at);
    let start = found.find(|at| {
        let is_free = |c: Option<char>| !c.is_some_and(is_word);
        is_free(text[..*at].chars().next_back()) && is_free(text[at + name.len()..].chars().next())
    })?;
    Some(start..start + name.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lsp_types::DiagnosticSeverity;

    const SPEC: &str = "---\r\ntype: code\r\nstatus: pendign\r\ndepends_on: [a-b, b]\r\n---\r\n# Title\r\n\r\ntext\r\n";

    #[test]
    fn a_finding_covers_the_words_that_it_is_about() {
        for (rule, message, line, covered) in [
            (
                "parse",
                "Invalid status: pendign",
                Some(3),
                "status: pendign",
            ),
            ("dependency", "Unknown dependency 'b'", None, "b"),
            ("type", "Missing something", None, "type: code"),
            ("title", "No such thing", None, "# Title"),
            ("fence", "it begins in line 8", None, "text"),
            (
                "dependencies",
                "depends on a-b, which is not there",
                Some(4),
                "a-b",
            ),
        ] {
            let finding = DocumentFinding {
                rule: rule.into(),
                severity: DiagnosticSeverity::ERROR,
                message: message.into(),
                line,
                span: None,
            };
            assert_eq!(&SPEC[range_of(SPEC, &finding)], covered, "{message}");
        }
    }

    #[test]
    fn every_text_has_a_place_for_a_finding() {
        for text in ["", "\n", "\u{feff}---\n", "---\na: 'x\n", "é"] {
            for line in [None, Some(1), Some(99)] {
                let finding = DocumentFinding {
                    rule: "a".into(),
                    severity: DiagnosticSeverity::ERROR,
                    message: "x 'é' line 7".into(),
                    line,
                    span: Some(1..5),
                };
                assert!(text.get(range_of(text, &finding)).is_some(), "{text:?}");
            }
        }
    }
}
