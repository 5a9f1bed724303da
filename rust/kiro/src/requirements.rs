//! Numbered requirements and their criteria: `requirements.md`, and the statements of `bugfix.md`.

use std::ops::Range;

use chant_plan_format::document::PlanDocument;
use chant_plan_format::section_lookup::start_of;
use chant_plan_format::unit::PlanStatement;
use chant_text::checklist::lines::{BoxGrammar, ListLine, ListLineKind, read_lines};

use super::fields::is_number;

const NO_BOXES: BoxGrammar = BoxGrammar {
    signs: "",
    has_numbered_bullets: false,
    has_loose_boxes: false,
    has_loose_blanks: false,
};

/// Reads the requirements of a document with their criteria: `1`, `1.1`, `1.2`.
pub(super) fn statements(at: usize, document: &PlanDocument) -> Vec<PlanStatement> {
    let text = &document.text;
    let mut found: Vec<PlanStatement> = Vec::new();
    let mut requirement: Option<String> = None;
    // The statement that lines still go on with, and the column of its list.
    let mut open = None;
    let mut list_column = None;
    for line in read_lines(text, start_of(document), &NO_BOXES) {
        match &line.kind {
            ListLineKind::Heading { level, text: title } if !line.is_fenced => {
                (open, list_column) = (None, None);
                if *level <= 2 {
                    requirement = None;
                } else if *level == 3 {
                    let title = &text[title.clone()];
                    requirement = number_in(title);
                    if let Some(number) = &requirement {
                        found.push(statement(at, number, title, line.range.clone()));
                    }
                }
            }
            ListLineKind::Blank => open = None,
            _ => {
                let is_nested = list_column.is_some_and(|column| line.column > column + 1);
                let numbered = criterion(text, &line, requirement.as_deref());
                if let Some((number, words)) = numbered.filter(|_| !is_nested) {
                    open = Some(found.len());
                    list_column = list_column.or(Some(line.column));
                    found.push(statement(at, &number, &text[words], line.range.clone()));
                } else if let Some(last) = open.and_then(|last: usize| found.get_mut(last)) {
                    let more = text[line.range.clone()].trim();
                    last.text = format!("{}\n{more}", last.text).into();
                    last.span.end = line.range.end;
                }
            }
        }
    }
    found
}

fn statement(document: usize, number: &str, text: &str, span: Range<usize>) -> PlanStatement {
    PlanStatement {
        number: number.into(),
        text: text.trim().into(),
        document,
        span,
    }
}

/// The first number in a heading, in whatever language its word is.
fn number_in(title: &str) -> Option<String> {
    let digits = title.find(|c: char| c.is_ascii_digit())?;
    let number: String = title[digits..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    // A title that only happens to have a number: `Login with OAuth 2`.
    let before = title[..digits].split_whitespace().count();
    (before <= 1).then_some(number)
}

/// The number of a criterion and its text: `2.` of requirement 1 is `1.2`; a number with a dot in it counts as it is.
fn criterion(
    text: &str,
    line: &ListLine,
    requirement: Option<&str>,
) -> Option<(String, Range<usize>)> {
    let words = &text[line.range.clone()];
    let item = words
        .trim_start()
        .trim_start_matches("- ")
        .trim_start_matches('*');
    let digits = item
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
        .count();
    let written = &item[..digits];
    let number = written.trim_end_matches('.');
    let behind = &item[digits..];
    let is_marked = written.ends_with('.') || behind.starts_with(')');
    let rest = behind.trim_start_matches([')', '*', ':']);
    if !is_number(number) || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let is_whole = number.contains('.');
    if !is_whole && !is_marked {
        return None;
    }
    let start = line.range.end - rest.trim_start().len();
    let number = if is_whole {
        number.to_owned()
    } else {
        format!("{}.{number}", requirement?)
    };
    Some((number, start..line.range.end))
}
