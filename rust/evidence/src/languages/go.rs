//! Tests of Go: functions `Test…`, `Fuzz…` and `Example…` of a file.

use super::{Condition, SourcePart, condition, on_one_line, spot};
use crate::expression::{arguments, closing, packed, split};
use crate::source::MaskedSource;
use crate::test_case::{Strength, TestAssertion, TestCase, TestFile};
use chant_text::lazy_pattern::LazyPattern;

static FUNCTION_HEAD: LazyPattern =
    LazyPattern::new(r"(?m)^func\s+((?:Test|Fuzz|Example)(?:[A-Z_0-9]\w*)?)\s*\(");
static DEFINED_NAME: LazyPattern =
    LazyPattern::new(r"(?m)^(?:func\s+(?:\([^)]*\)\s*)?|type\s+|const\s+|var\s+)(\w+)");
static FAIL_CALL: LazyPattern =
    LazyPattern::new(r"\b\w+\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(");
static LIBRARY_CALL: LazyPattern = LazyPattern::new(
    r"\b(?:assert|require)\.(\w+)\s*\(|\b(?:is|c|qt)\.(Assert|Check|Equal|True|False|NoErr|IsNil|DeepEquals)\s*\(",
);
static HELPER_CALL: LazyPattern =
    LazyPattern::new(r"(?:^|[^\w.])([a-z]\w*)\s*\(\s*(?:t|tb)\s*[,)]");
static SKIP_CALL: LazyPattern = LazyPattern::new(r"\b\w+\.(?:Skip|Skipf|SkipNow)\s*\(");
static BUILD_TAG: LazyPattern = LazyPattern::new(r"(?m)^//\s*(?:go:build|\+build)\s+.*$");
static ENCLOSING_CONDITION: LazyPattern =
    LazyPattern::new(r"(?s)(?:^|[^\w])(if|case)\s+([^{}]*)\{[^{}]*$");
static SWALLOWED_ERROR: LazyPattern =
    LazyPattern::new(r"(?m)^\s*(?:\w+\s*,\s*)*_\s*:?=\s*[\w.]+\(|,\s*_\s*:?=\s*[\w.]+\(");
static LIMIT_WORDS: LazyPattern = LazyPattern::new(
    r"(?i)\b(?:InDelta|InEpsilon|WithTimeout)\s*\([^\n]*|\b\w*(?:epsilon|tolerance|timeout|delta)\w*\s*:?=\s*[\d.]+[^\n]*|\d+\s*\*\s*time\.\w+",
);
static SUBTEST_NAME: LazyPattern = LazyPattern::new(r#"\.Run\(\s*"([^"]*)""#);

pub(super) fn read(source: &MaskedSource) -> TestFile {
    let mut file = TestFile::default();
    file.skips.extend(
        BUILD_TAG
            .find_iter(&source.text)
            .map(|tag| spot(source.line_at(tag.start()), tag.as_str())),
    );
    for defined in DEFINED_NAME.captures_iter(&source.masked) {
        let Some(name) = defined.get(1) else { continue };
        if !name.as_str().starts_with("Test") {
            file.defined
                .push((name.as_str().to_owned(), super::braced(source, name.end())));
        }
    }
    for found in FUNCTION_HEAD.captures_iter(&source.masked) {
        let (Some(all), Some(name)) = (found.get(0), found.get(1)) else {
            continue;
        };
        let Some(parameters) = closing(&source.masked, all.end() - 1) else {
            continue;
        };
        let open = source.masked[parameters..]
            .find('{')
            .map(|at| at + parameters);
        let Some(end) = open.and_then(|open| closing(&source.masked, open)) else {
            continue;
        };
        let mut test = body(source, (all.start(), end + 1));
        name.as_str().clone_into(&mut test.name);
        file.tests.push(test);
    }
    file
}

fn body(source: &MaskedSource, range: (usize, usize)) -> TestCase {
    let part = SourcePart::of(source, range);
    let rows = SUBTEST_NAME.captures_iter(part.text);
    TestCase {
        line: part.line_at(0),
        text: part.code(),
        skips: part.spots(&SKIP_CALL),
        assertions: assertions(source, range),
        swallowed: part.spots(&SWALLOWED_ERROR),
        limits: part.spots(&LIMIT_WORDS),
        rows: rows.map(|row| row[1].to_owned()).collect(),
        ..TestCase::default()
    }
}

fn assertions(source: &MaskedSource, (from, to): (usize, usize)) -> Vec<TestAssertion> {
    let (text, masked) = (&source.text[from..to], &source.masked[from..to]);
    let mut found = Vec::new();
    for call in FAIL_CALL.find_iter(masked) {
        let before = &masked[..call.start()];
        let asked = ENCLOSING_CONDITION
            .captures(before)
            .and_then(|inner| inner.get(2))
            .map(|range| {
                // What is set before the condition is no part of it.
                let start = masked[range.start()..range.end()]
                    .rfind(';')
                    .map_or(range.start(), |at| range.start() + at + 1);
                let asked = condition(&text[start..range.end()], &masked[start..range.end()], "||");
                (on_one_line(&text[start..range.end()]), asked)
            });
        // A failure under `a != b` asks that both are equal; under `a == b` that they differ.
        let (words, asked) = asked.unwrap_or_else(|| {
            (
                String::new(),
                Condition {
                    strength: Strength::Whole,
                    subject: String::new(),
                    expected: Vec::new(),
                },
            )
        });
        let is_flag =
            crate::expression::words(&words).any(|word| ["true", "false"].contains(&word));
        let strength = if is_flag && words.contains('=') {
            Strength::Presence
        } else if words.contains("!=") && !words.contains("nil") {
            Strength::Whole
        } else if words.contains("==") && !words.contains("nil") {
            Strength::Presence
        } else if words.contains("nil") || words.starts_with('!') {
            Strength::Presence.min(asked.strength.max(Strength::Presence))
        } else if words.contains("false") {
            Strength::Always
        } else {
            asked.strength.max(Strength::Part)
        };
        found.push(TestAssertion {
            line: source.line_at(from + call.start()),
            text: if words.is_empty() {
                on_one_line(call.as_str())
            } else {
                format!("if {words}")
            },
            strength,
            subject: asked.subject,
            expected: asked.expected,
        });
    }
    for call in LIBRARY_CALL.captures_iter(masked) {
        let (Some(all), Some(name)) = (call.get(0), call.get(1).or(call.get(2))) else {
            continue;
        };
        let open = all.end() - 1;
        let Some(end) = closing(masked, open) else {
            continue;
        };
        let inside = (&text[open + 1..end], &masked[open + 1..end]);
        found.push(TestAssertion {
            line: source.line_at(from + all.start()),
            text: on_one_line(&text[all.start()..=end]),
            ..of_library(name.as_str(), inside)
        });
    }
    // A helper that gets the test's own object asserts for it.
    for call in HELPER_CALL.captures_iter(masked) {
        let Some(name) = call.get(1).filter(|name| name.as_str() != "func") else {
            continue;
        };
        let end = masked[name.end()..].find('(').map(|at| at + name.end());
        let Some((open, end)) = end.and_then(|open| Some((open, closing(masked, open)?))) else {
            continue;
        };
        let inside = (&text[open + 1..end], &masked[open + 1..end]);
        let given = arguments(inside.0, inside.1);
        found.push(TestAssertion {
            line: source.line_at(from + name.start()),
            text: on_one_line(&text[name.start()..=end]),
            strength: Strength::Whole,
            subject: given
                .get(1)
                .map_or_else(|| packed(name.as_str()), |given| packed(given)),
            expected: crate::expression::literals(inside.0, inside.1),
        });
    }
    found
}

fn of_library(name: &str, inside: (&str, &str)) -> TestAssertion {
    let strength = match name.trim_end_matches('f') {
        "NotNil" | "NoError" | "Error" | "True" | "False" | "NotEmpty" | "NotEqual" | "NotZero" => {
            Strength::Presence
        }
        "Contains" | "Len" | "Greater" | "Less" | "IsType" | "Regexp" | "ErrorContains"
        | "Subset" => Strength::Part,
        _ => Strength::Whole,
    };
    let parts = split(inside.1, ",");
    let side = |at: usize| {
        parts.get(at).map_or(("", ""), |(from, to)| {
            (inside.0[*from..*to].trim(), inside.1[*from..*to].trim())
        })
    };
    // The test's own object comes first, then what is expected, then what is there.
    let (expected, subject) = (side(1), side(2));
    let (expected, subject) = if subject.0.is_empty() {
        (("", ""), expected)
    } else {
        (expected, subject)
    };
    let asked = if ["True", "False"].contains(&name) {
        condition(subject.0, subject.1, "||").strength
    } else {
        strength
    };
    let first = arguments(inside.0, inside.1)
        .first()
        .map_or("", |first| *first);
    TestAssertion {
        line: 0,
        text: String::new(),
        strength: asked,
        subject: packed(if subject.0.is_empty() {
            first
        } else {
            subject.0
        }),
        expected: crate::expression::literals(expected.0, expected.1),
    }
}
