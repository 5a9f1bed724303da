//! Small readers of tests, one for each language.

mod go;
mod javascript;
mod python;
mod rust;

use super::expression::{is_constant, literals, split};
use super::source::{MaskedSource, TestLanguage};
use super::test_case::{Strength, TestFile, TextSpot};
use chant_text::lazy_pattern::LazyPattern;

/// Reads the tests of a file.
pub(crate) fn read(text: &str, language: TestLanguage) -> TestFile {
    let source = MaskedSource::new(text, language);
    match language {
        TestLanguage::Python => python::read(&source),
        TestLanguage::JavaScript => javascript::read(&source),
        TestLanguage::Rust => rust::read(&source),
        TestLanguage::Go => go::read(&source),
    }
}

/// A part of a source, such as a test from its head to its end.
struct SourcePart<'s> {
    source: &'s MaskedSource,
    from: usize,
    to: usize,
    text: &'s str,
    masked: &'s str,
}

impl<'s> SourcePart<'s> {
    fn of(source: &'s MaskedSource, (from, to): (usize, usize)) -> Self {
        Self {
            source,
            from,
            to,
            text: &source.text[from..to],
            masked: &source.masked[from..to],
        }
    }

    /// Its words without comments.
    fn code(&self) -> String {
        self.source.code[self.from..self.to].to_owned()
    }

    /// The number of the line of a byte of it.
    fn line_at(&self, at: usize) -> usize {
        self.source.line_at(self.from + at)
    }

    fn spot(&self, at: usize) -> TextSpot {
        spot(self.line_at(at), line_around(self.text, at))
    }

    /// The lines of code in which a pattern is found.
    fn spots(&self, pattern: &LazyPattern) -> Vec<TextSpot> {
        let found = pattern.find_iter(self.masked);
        found.map(|found| self.spot(found.start())).collect()
    }
}

/// The demand of a condition, its subject, and the literals that it expects.
struct Condition {
    strength: Strength,
    subject: String,
    expected: Vec<String>,
}

/// Reads a condition of a language whose words for *and* and *or* are given.
fn condition(text: &str, masked: &str, either: &str) -> Condition {
    let (text, masked) = unwrapped(text, masked);
    let alternatives = split(masked, either);
    if alternatives.len() > 1 {
        let of =
            |(from, to): &(usize, usize)| condition(&text[*from..*to], &masked[*from..*to], either);
        let mut each: Vec<Condition> = alternatives.iter().map(of).collect();
        let strength = each.iter().map(|one| one.strength).min();
        let strength = strength.unwrap_or(Strength::Presence).min(Strength::Part);
        let first = each.swap_remove(0);
        return Condition { strength, ..first };
    }
    let whole = |strength| Condition {
        strength,
        subject: subject_of(text),
        expected: Vec::new(),
    };
    if is_constant(text, masked) {
        return whole(Strength::Always);
    }
    for (sign, strength) in [
        ("===", Strength::Whole),
        ("!==", Strength::Presence),
        ("==", Strength::Whole),
        ("!=", Strength::Presence),
        (" is not ", Strength::Presence),
        (" is ", Strength::Whole),
        (" not in ", Strength::Part),
        (" in ", Strength::Part),
        ("<=", Strength::Part),
        (">=", Strength::Part),
        ("<", Strength::Part),
        (">", Strength::Part),
    ] {
        let parts = split(masked, sign);
        if parts.len() < 2 {
            continue;
        }
        let (left, right) = (parts[0], (parts[1].0, masked.len()));
        return compared(text, masked, left, right, strength);
    }
    let is_part = [
        ".startswith(", ".endswith(", ".starts_with(", ".ends_with(", ".contains(", "isinstance(",
        "matches!(",
    ];
    whole(if is_part.iter().any(|words| masked.contains(words)) {
        Strength::Part
    } else {
        Strength::Presence
    })
}

/// The demand of a comparison, by both its sides.
fn compared(
    text: &str,
    masked: &str,
    left: (usize, usize),
    right: (usize, usize),
    strength: Strength,
) -> Condition {
    let side = |(from, to): (usize, usize)| (text[from..to].trim(), masked[from..to].trim());
    let (mut subject, mut expected) = (side(left), side(right));
    if is_constant(subject.0, subject.1) && !is_constant(expected.0, expected.1) {
        std::mem::swap(&mut subject, &mut expected);
    }
    Condition {
        strength: strength_of(subject, expected, strength),
        subject: subject_of(subject.0),
        expected: literals(expected.0, expected.1),
    }
}

/// The subject of a condition: the value itself where it is its size, its kind, its start or its negation.
fn subject_of(text: &str) -> String {
    let packed = super::expression::packed(text);
    let mut subject = packed.trim_start_matches('!');
    for start in [
        "not", "len(", "type(", "isinstance(", "typeof", "bool(", "any(", "all(",
    ] {
        let Some(rest) = subject
            .strip_prefix(start)
            .filter(|_| text.trim_start().starts_with(start))
        else {
            continue;
        };
        if !start.ends_with('(') {
            subject = rest;
            continue;
        }
        let open = start.len() - 1;
        if let Some(end) = super::expression::closing(subject, open) {
            let (from, to) = split(&subject[open + 1..end], ",")[0];
            subject = &subject[open + 1..end][from..to];
        }
    }
    for end in [
        ".startswith(", ".endswith(", ".starts_with(", ".ends_with(", ".contains(", ".is_ok()",
        ".is_some()", ".is_empty()", ".length", ".len()",
    ] {
        if let Some(at) = subject.find(end) {
            subject = &subject[..at];
        }
    }
    subject.to_owned()
}

/// The strength of a comparison of a subject with what is expected, by its own sign.
fn strength_of(subject: (&str, &str), expected: (&str, &str), strength: Strength) -> Strength {
    let plain = expected.0.trim();
    let is_flag = ["True", "False", "true", "false"].contains(&plain);
    let is_size = ["len(", "type(", "typeof ", "isinstance("]
        .iter()
        .any(|words| subject.0.starts_with(words))
        || [".length", ".len()", ".size"]
            .iter()
            .any(|end| subject.0.ends_with(end));
    let accepts_all = ["mock.ANY", "ANY", "expect.anything()"].contains(&plain);
    if super::expression::packed(subject.0) == super::expression::packed(plain)
        || (is_constant(subject.0, subject.1) && is_constant(expected.0, expected.1))
    {
        Strength::Always
    } else if is_flag || accepts_all {
        strength.min(Strength::Presence)
    } else if is_size {
        strength.min(Strength::Part)
    } else {
        strength
    }
}

/// An expression without brackets and white space around all of it.
fn unwrapped<'t>(text: &'t str, masked: &'t str) -> (&'t str, &'t str) {
    let start = masked.len() - masked.trim_start().len();
    let end = masked.trim_end().len().max(start);
    let (Some(text), masked) = (text.get(start..end), &masked[start..end]) else {
        return (text, masked);
    };
    if masked.starts_with('(')
        && super::expression::closing(masked, 0) == Some(masked.len() - 1)
        && super::expression::at_top_level(&masked[1..masked.len() - 1], ",").is_empty()
    {
        let last = text.len() - 1;
        return unwrapped(&text[1..last], &masked[1..last]);
    }
    (text, masked)
}

/// The words of a text on one line, at most so many characters.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A place with its line on one line.
fn spot(line: usize, text: &str) -> TextSpot {
    TextSpot {
        line,
        text: on_one_line(text),
    }
}

/// The words between the next braces after a place, or up to the end of its line.
fn braced(source: &MaskedSource, from: usize) -> String {
    let rest = &source.masked[from..];
    let open = rest.find(['{', ';']).map(|at| at + from);
    let end = match open {
        Some(open) if source.masked.as_bytes()[open] == b'{' => {
            super::expression::closing(&source.masked, open)
        }
        Some(open) => Some(open),
        None => None,
    };
    let end = end.unwrap_or_else(|| rest.find('\n').map_or(source.masked.len(), |at| at + from));
    source.text.get(from..end).unwrap_or_default().to_owned()
}

/// The line of a text around a byte.
fn line_around(text: &str, at: usize) -> &str {
    let bytes = text.as_bytes();
    let at = at.min(bytes.len());
    let start = bytes[..at]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |before| before + 1);
    let end = bytes[at..]
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(bytes.len(), |length| at + length);
    text.get(start..end).unwrap_or_default()
}
