//! Tests of Rust: functions with an attribute whose last word is `test` or a relative, also within modules.

use super::{SourcePart, condition, on_one_line, spot};
use crate::expression::{arguments, closing, packed, split};
use crate::source::MaskedSource;
use crate::test_case::{Strength, TestAssertion, TestCase, TestFile, TextSpot};
use chant_text::lazy_pattern::LazyPattern;

static FUNCTION_HEAD: LazyPattern = LazyPattern::new(
    r"(?m)((?:^[ \t]*#\[[^\n]*\n|^[ \t]*\n|^[ \t]*#\[[^\]]*\][ \t]*\n?)*)^[ \t]*((?:#\[[^\n\]]*\][ \t]*)*)(?:pub(?:\([^)]*\))?\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?fn\s+(\w+)",
);
static MODULE_HEAD: LazyPattern = LazyPattern::new(
    r"(?m)((?:^[ \t]*#\[[^\n]*\][ \t]*\n)*)^[ \t]*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*\{",
);
static TEST_MARK: LazyPattern = LazyPattern::new(
    r"#\[\s*(?:[\w:]+::)?(?:test|rstest|quickcheck|test_case|wasm_bindgen_test|proptest)\b",
);
static NEVER_RUN: LazyPattern = LazyPattern::new(
    r"#!?\[\s*(?:ignore\b|cfg\s*\(\s*any\s*\(\s*\)\s*\)|cfg\s*\(\s*(?:FALSE|false)\s*\)|cfg_attr\s*\([^\n]*\bignore\b)[^\n]*",
);
static SHOULD_PANIC: LazyPattern = LazyPattern::new(r"#\[\s*should_panic[^\n\]]*\]");
static ASSERTION_CALL: LazyPattern = LazyPattern::new(
    r"\b((?:debug_|prop_)?assert\w*|(?:insta::)?assert_\w*snapshot|unreachable|panic|ensure)!\s*[(\[{]|\b((?:assert|check|verify|expect)_\w+)\s*\(",
);
static SWALLOWED_ERROR: LazyPattern = LazyPattern::new(r"\blet\s+_\s*=|\.ok\(\)\s*;");
static LIMIT_WORDS: LazyPattern = LazyPattern::new(
    r"(?i)\b\w*(?:epsilon|tolerance|timeout|eps|delta)\w*\s*[=:(,]\s*[^;\n]*\d[\d_.]*|<=?\s*\d[\d_.]*(?:e-?\d+)?\b",
);
static DEFINED_NAME: LazyPattern = LazyPattern::new(
    r"(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+)*(?:fn|struct|enum|trait|const|static|type|macro_rules!)\s+(\w+)",
);

pub(super) fn read(source: &MaskedSource) -> TestFile {
    let modules = modules(source);
    let mut file = TestFile::default();
    for found in NEVER_RUN.find_iter(&source.masked) {
        if found.as_str().starts_with("#!") {
            file.skips
                .push(spot(source.line_at(found.start()), found.as_str()));
        }
    }
    let functions: Vec<(String, String, (usize, usize))> = FUNCTION_HEAD
        .captures_iter(&source.masked)
        .filter_map(|found| {
            let name = found.get(3)?;
            let attributes = format!("{}{}", &found[1], &found[2]);
            let open = source.masked[name.end()..].find(['{', ';'])? + name.end();
            let end = closing(&source.masked, open)?;
            let start = found.get(0)?.start();
            Some((name.as_str().to_owned(), attributes, (start, end + 1)))
        })
        .collect();
    for found in DEFINED_NAME.captures_iter(&source.masked) {
        let Some(name) = found.get(1) else { continue };
        let is_test = functions
            .iter()
            .any(|(own, attributes, _)| own == name.as_str() && TEST_MARK.is_match(attributes));
        if !is_test {
            file.defined
                .push((name.as_str().to_owned(), super::braced(source, name.end())));
        }
    }
    for (name, attributes, (from, to)) in functions.iter().filter(|one| TEST_MARK.is_match(&one.1))
    {
        let around: Vec<&Module> = modules
            .iter()
            .filter(|one| one.from <= *from && *to <= one.to)
            .collect();
        let path = around
            .iter()
            .map(|one| one.name.as_str())
            .chain([name.as_str()]);
        let path = path.collect::<Vec<_>>().join("::");
        let mut test = body(source, (*from, *to));
        test.name = path;
        for found in NEVER_RUN.find_iter(attributes) {
            test.skips.push(spot(test.line, found.as_str()));
        }
        test.skips
            .extend(around.iter().flat_map(|one| one.skips.clone()));
        for found in SHOULD_PANIC.find_iter(&source.text[*from..*to]).take(1) {
            test.assertions.push(TestAssertion {
                line: test.line,
                text: on_one_line(found.as_str()),
                strength: if found.as_str().contains("expected") {
                    Strength::Whole
                } else {
                    Strength::Part
                },
                subject: "should_panic".into(),
                expected: Vec::new(),
            });
        }
        let cases = attributes.matches("case(").count();
        test.rows = (0..cases).map(|case| case.to_string()).collect();
        file.tests.push(test);
    }
    file
}

struct Module {
    name: String,
    from: usize,
    to: usize,
    skips: Vec<TextSpot>,
}

fn modules(source: &MaskedSource) -> Vec<Module> {
    let modules = MODULE_HEAD
        .captures_iter(&source.masked)
        .filter_map(|found| {
            let open = found.get(0)?.end() - 1;
            let skips = NEVER_RUN.find_iter(found.get(1)?.as_str());
            let line = source.line_at(open);
            Some(Module {
                name: found[2].to_owned(),
                from: open,
                to: closing(&source.masked, open)?,
                skips: skips.map(|skip| spot(line, skip.as_str())).collect(),
            })
        });
    modules.collect()
}

fn body(source: &MaskedSource, range: (usize, usize)) -> TestCase {
    let part = SourcePart::of(source, range);
    TestCase {
        line: part.line_at(part.masked.find("fn ").unwrap_or(0)),
        text: part.code(),
        assertions: assertions(source, range),
        swallowed: part.spots(&SWALLOWED_ERROR),
        limits: part.spots(&LIMIT_WORDS),
        ..TestCase::default()
    }
}

fn assertions(source: &MaskedSource, (from, to): (usize, usize)) -> Vec<TestAssertion> {
    let (text, masked) = (&source.text[from..to], &source.masked[from..to]);
    let mut found = Vec::new();
    for call in ASSERTION_CALL.captures_iter(masked) {
        let (Some(all), Some(name)) = (call.get(0), call.get(1).or(call.get(2))) else {
            continue;
        };
        let open = all.end() - 1;
        let Some(end) = closing(masked, open) else {
            continue;
        };
        let inside = (&text[open + 1..end], &masked[open + 1..end]);
        let short = name
            .as_str()
            .trim_start_matches("debug_")
            .trim_start_matches("prop_");
        let asked = match short {
            "assert" | "ensure" => {
                let (from, to) = split(inside.1, ",")[0];
                condition(&inside.0[from..to], &inside.1[from..to], "||")
            }
            "assert_eq" | "assert_ne" => {
                let parts = split(inside.1, ",");
                let side = |(from, to): (usize, usize)| {
                    (inside.0[from..to].trim(), inside.1[from..to].trim())
                };
                let (mut left, mut right) = (
                    side(parts[0]),
                    parts.get(1).map_or(("", ""), |part| side(*part)),
                );
                if crate::expression::is_constant(left.0, left.1) {
                    std::mem::swap(&mut left, &mut right);
                }
                let own = if short == "assert_eq" {
                    Strength::Whole
                } else {
                    Strength::Presence
                };
                super::Condition {
                    strength: super::strength_of(left, right, own),
                    subject: packed(left.0),
                    expected: crate::expression::literals(right.0, right.1),
                }
            }
            _ => {
                let first = arguments(inside.0, inside.1)
                    .first()
                    .map_or(String::new(), |first| packed(first));
                let strength = if short == "assert_matches" {
                    Strength::Part
                } else {
                    Strength::Whole
                };
                super::Condition {
                    strength,
                    subject: first,
                    expected: Vec::new(),
                }
            }
        };
        found.push(TestAssertion {
            line: source.line_at(from + name.start()),
            text: on_one_line(&text[name.start()..=end]),
            strength: asked.strength,
            subject: asked.subject,
            expected: asked.expected,
        });
    }
    found
}
