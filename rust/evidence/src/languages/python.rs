//! Tests of Python: functions `test…` of modules and of classes that are collected.

use std::collections::{BTreeMap, BTreeSet};

use super::{condition, on_one_line, spot};
use crate::expression::{arguments, closing, packed, split, words};
use crate::source::MaskedSource;
use crate::test_case::{Strength, TestAssertion, TestCase, TestFile, TextSpot};
use chant_text::lazy_pattern::LazyPattern;

static BLOCK_HEAD: LazyPattern = LazyPattern::new(r"^(?:async\s+)?(def|class)\s+(\w+)\s*(\(.*)?");
static SKIP_WORDS: LazyPattern = LazyPattern::new(
    r"\bskip\w*\s*\(|\bskip(?:if|unless|If|Unless)?\b|\bxfail\b|\bimportorskip\b|\bexpectedFailure\b|\bSkipTest\b",
);
static CALLED_NAME: LazyPattern = LazyPattern::new(r"(?:^|[^\w.])((?:[\w]+\.)*\w+)\s*\(");
static HELPER_NAME: LazyPattern = LazyPattern::new(r"^_?(?:assert|check|verify|expect|ensure)\w*$");
static LIMIT_WORDS: LazyPattern = LazyPattern::new(
    r"\b(?:rel|abs|atol|rtol|delta|places|timeout|tolerance|eps|epsilon|max_\w+)\s*=\s*[\d.][\w.+-]*|<=?\s*\d[\d.]*e?-?\d*\s*$",
);
static REPLACED_PART: LazyPattern = LazyPattern::new(
    r"(?:\bpatch(?:\.object|\.dict)?\s*\(|\bmonkeypatch\.setattr\s*\(|\bsys\.modules\s*\[)",
);
static GONE_NAME: LazyPattern = LazyPattern::new(r"^(?:del\s+)?(test\w*)\s*(?:=|$)");

/// A line of Python with all lines that continue it.
struct Logical<'s> {
    indent: usize,
    line: usize,
    text: &'s str,
    masked: &'s str,
}

fn logical_lines(source: &MaskedSource) -> Vec<Logical<'_>> {
    let mut lines = Vec::new();
    let (mut from, mut depth, mut number, mut start_line) = (0, 0_usize, 1, 1);
    let bytes = source.masked.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if source.text.as_bytes()[at] == b'\n' {
            number += 1;
        }
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'\n' => {
                let continues = at > 0 && bytes[at - 1] == b'\\';
                if depth == 0 && !continues {
                    push_line(&mut lines, source, from, at, start_line);
                    (from, start_line) = (at + 1, number);
                }
            }
            _ => {}
        }
    }
    push_line(&mut lines, source, from, bytes.len(), start_line);
    lines
}

fn push_line<'s>(
    lines: &mut Vec<Logical<'s>>,
    source: &'s MaskedSource,
    from: usize,
    to: usize,
    line: usize,
) {
    let masked = &source.masked[from..to];
    let stripped = masked.trim_start();
    if stripped.trim().is_empty() {
        return;
    }
    let skipped = masked.len() - stripped.len();
    let lead = &masked[..skipped];
    let blank_lines = lead.matches('\n').count();
    let indent = lead.rsplit('\n').next().unwrap_or_default();
    lines.push(Logical {
        indent: indent.chars().map(|c| if c == '\t' { 8 } else { 1 }).sum(),
        line: line + blank_lines,
        text: source.code.get(from + skipped..to).unwrap_or_default(),
        masked: stripped,
    });
}

/// A block that is open at a line.
struct Open {
    indent: usize,
    name: Option<String>,
    is_collected: bool,
    skips: Vec<TextSpot>,
}

/// A function with its decorators and its lines.
struct Function<'s> {
    name: String,
    line: usize,
    is_test: bool,
    skips: Vec<TextSpot>,
    decorators: Vec<usize>,
    body: Vec<usize>,
    lines: &'s [Logical<'s>],
}

pub(super) fn read(source: &MaskedSource) -> TestFile {
    let lines = logical_lines(source);
    let mut file = TestFile::default();
    let functions = functions(&lines, &mut file);
    let helpers: BTreeMap<String, usize> = functions
        .iter()
        .filter(|function| !function.is_test)
        .map(|function| {
            let asserts = function.body.iter().flat_map(|at| assertions(&lines[*at]));
            let name = function.name.rsplit("::").next().unwrap_or_default();
            (name.to_owned(), asserts.count())
        })
        .filter(|(_, count)| *count > 0)
        .collect();
    let mut tests: Vec<TestCase> = Vec::new();
    for function in functions.iter().filter(|function| function.is_test) {
        // A later definition of the name takes the place of an earlier one.
        tests.retain(|test| test.name != function.name);
        tests.push(function.test(&helpers));
    }
    for line in lines.iter().filter(|line| line.indent == 0) {
        if let Some(gone) = GONE_NAME.captures(line.masked.trim_end()) {
            tests.retain(|test| test.name != gone[1]);
        }
    }
    file.tests = tests;
    file
}

fn functions<'s>(lines: &'s [Logical<'s>], file: &mut TestFile) -> Vec<Function<'s>> {
    let mut open: Vec<Open> = Vec::new();
    let mut functions: Vec<Function<'s>> = Vec::new();
    // A class that another one takes its tests from is collected with that.
    let bases: BTreeSet<&str> = lines
        .iter()
        .filter_map(|line| BLOCK_HEAD.captures(line.masked)?.get(3))
        .flat_map(|bases| words(bases.as_str()))
        .collect();
    // The function whose body is read, with its indent.
    let mut inside: Option<(usize, usize)> = None;
    let mut decorators: Vec<usize> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some((function, indent)) = inside {
            if line.indent > indent {
                functions[function].body.push(at);
                continue;
            }
            inside = None;
        }
        while open.last().is_some_and(|block| line.indent <= block.indent) {
            open.pop();
        }
        if line.masked.starts_with('@') {
            decorators.push(at);
            continue;
        }
        let own: Vec<usize> = std::mem::take(&mut decorators);
        let Some(block) = BLOCK_HEAD.captures(line.masked) else {
            module_line(line, &mut open, file);
            continue;
        };
        let skips = own
            .iter()
            .filter_map(|at| skip_of(&lines[*at]))
            .collect::<Vec<_>>();
        let path: Vec<&str> = open
            .iter()
            .filter_map(|block| block.name.as_deref())
            .collect();
        let name = path
            .iter()
            .copied()
            .chain([&block[2]])
            .collect::<Vec<_>>()
            .join("::");
        file.defined
            .push((block[2].to_owned(), definition(lines, at)));
        if &block[1] == "class" {
            let given = block.get(3).map_or("", |given| given.as_str());
            open.push(Open {
                indent: line.indent,
                is_collected: block[2].starts_with("Test")
                    || given.contains("Test")
                    || bases.contains(&block[2]),
                name: Some(block[2].to_owned()),
                skips,
            });
            continue;
        }
        let is_collected = open.iter().all(|block| block.is_collected);
        let mut all_skips: Vec<TextSpot> =
            open.iter().flat_map(|block| block.skips.clone()).collect();
        all_skips.extend(skips);
        functions.push(Function {
            name,
            line: line.line,
            is_test: is_collected && block[2].starts_with("test"),
            skips: all_skips,
            decorators: own,
            body: vec![at],
            lines,
        });
        inside = Some((functions.len() - 1, line.indent));
    }
    functions
}

/// Reads a line outside of functions.
fn module_line(line: &Logical<'_>, open: &mut Vec<Open>, file: &mut TestFile) {
    let masked = line.masked.trim_end();
    if masked.ends_with(':') {
        // Tests may stand in a condition; one that never holds skips them.
        let is_never = ["if False:", "if 0:"].contains(&masked);
        open.push(Open {
            indent: line.indent,
            name: None,
            is_collected: true,
            skips: is_never
                .then(|| spot(line.line, line.text))
                .into_iter()
                .collect(),
        });
        return;
    }
    let marks = masked.starts_with("pytestmark") || masked.starts_with("pytest.");
    let is_import = ["importorskip", "allow_module_level", "skip("].iter();
    let is_import = is_import.clone().any(|words| masked.contains(words));
    let is_off = packed(masked) == "__test__=False";
    if ((marks || is_import) && SKIP_WORDS.is_match(masked)) || is_off {
        let spot = spot(line.line, line.text);
        match open.iter_mut().rev().find(|block| block.name.is_some()) {
            Some(block) => block.skips.push(spot),
            None => file.skips.push(spot),
        }
    }
}

/// The words of a definition with its body.
fn definition(lines: &[Logical<'_>], at: usize) -> String {
    let indent = lines[at].indent;
    let body = lines[at + 1..]
        .iter()
        .take_while(|line| line.indent > indent);
    body.map(|line| line.text.trim_end())
        .collect::<Vec<_>>()
        .join("\n")
}

fn skip_of(line: &Logical<'_>) -> Option<TextSpot> {
    SKIP_WORDS
        .is_match(line.masked)
        .then(|| spot(line.line, line.text))
}

impl Function<'_> {
    fn test(&self, helpers: &BTreeMap<String, usize>) -> TestCase {
        let mut test = TestCase {
            name: self.name.clone(),
            line: self.line,
            skips: self.skips.clone(),
            ..TestCase::default()
        };
        for at in &self.decorators {
            let line = &self.lines[*at];
            test.rows.extend(rows(line));
            if REPLACED_PART.is_match(line.masked) {
                test.replaced.push(spot(line.line, line.text));
            }
        }
        for (position, at) in self.body.iter().enumerate() {
            let line = &self.lines[*at];
            test.text.push_str(line.text.trim_end());
            test.text.push('\n');
            if position == 0 {
                continue;
            }
            test.assertions.extend(assertions(line));
            for called in CALLED_NAME.captures_iter(line.masked) {
                let name = called[1].rsplit('.').next().unwrap_or_default();
                if let Some(count) = helpers.get(name).filter(|_| !HELPER_NAME.is_match(name)) {
                    let one = TestAssertion {
                        line: line.line,
                        text: on_one_line(line.text),
                        strength: Strength::Whole,
                        subject: packed(line.text),
                        expected: Vec::new(),
                    };
                    test.assertions.extend(vec![one; *count]);
                }
            }
            let begins = line.masked.trim_start();
            if [
                "pytest.skip(",
                "pytest.xfail(",
                "self.skipTest(",
                "raise unittest.SkipTest",
                "raise SkipTest",
                "pytest.importorskip(",
            ]
            .iter()
            .any(|words| begins.contains(words))
            {
                test.skips.push(spot(line.line, line.text));
            }
            // What stands after a return at the top of the body is never run.
            let is_top = self
                .body
                .get(1)
                .is_some_and(|first| self.lines[*first].indent == line.indent);
            if is_top && begins.starts_with("return") && position + 1 < self.body.len() {
                test.skips.push(spot(line.line, line.text));
            }
            let is_empty = |next: Option<&usize>| {
                next.is_some_and(|next| {
                    let next = self.lines[*next].masked.trim();
                    ["pass", "...", "return", "continue"].contains(&next)
                })
            };
            let catches = begins.starts_with("except") && is_empty(self.body.get(position + 1));
            if catches || begins.contains("suppress(") {
                test.swallowed.push(spot(line.line, line.text));
            }
            if LIMIT_WORDS.is_match(line.masked.trim_end()) {
                test.limits.push(spot(line.line, line.text));
            }
            if REPLACED_PART.is_match(line.masked) {
                test.replaced.push(spot(line.line, line.text));
            }
        }
        test
    }
}

/// The rows of a decorator that repeats a test.
fn rows(line: &Logical<'_>) -> Vec<String> {
    let Some(at) = line.masked.find("parametrize(") else {
        return Vec::new();
    };
    let open = at + "parametrize".len();
    let Some(end) = closing(line.masked, open) else {
        return Vec::new();
    };
    let (text, masked) = (&line.text[open + 1..end], &line.masked[open + 1..end]);
    let parts = split(masked, ",");
    let Some((from, to)) = parts.get(1).copied() else {
        return Vec::new();
    };
    let (lead, list) = (
        masked[from..to].len() - masked[from..to].trim_start().len(),
        masked[from..to].trim(),
    );
    if !list.starts_with(['[', '(']) || list.len() < 2 {
        return Vec::new();
    }
    let start = from + lead;
    let inside = (start + 1, start + list.len() - 1);
    let rows = arguments(&text[inside.0..inside.1], &masked[inside.0..inside.1]);
    rows.into_iter().map(packed).collect()
}

/// The assertions of a line.
fn assertions(line: &Logical<'_>) -> Vec<TestAssertion> {
    let masked = line.masked.trim_end();
    let text = line.text.get(..masked.len()).unwrap_or(line.text);
    let make = |strength, subject: String, expected| TestAssertion {
        line: line.line,
        text: on_one_line(text),
        strength,
        subject,
        expected,
    };
    if let Some(rest) = masked
        .strip_prefix("assert")
        .filter(|rest| rest.starts_with([' ', '(', '\\']))
    {
        let from = masked.len() - rest.len();
        let (_, to) = split(rest, ",")[0];
        let (whole, whole_masked) = super::unwrapped(&text[from..from + to], &rest[..to]);
        return split(whole_masked, " and ")
            .into_iter()
            .map(|(from, to)| {
                let found = condition(&whole[from..to], &whole_masked[from..to], " or ");
                let parts = split(whole_masked, " and ").len();
                let text = if parts == 1 {
                    on_one_line(text)
                } else {
                    format!("assert {}", on_one_line(&whole[from..to]))
                };
                TestAssertion {
                    text,
                    ..make(found.strength, found.subject, found.expected)
                }
            })
            .collect();
    }
    let mut found = Vec::new();
    for called in CALLED_NAME.captures_iter(masked) {
        let Some(name) = called.get(1) else { continue };
        let Some(open) = masked[name.end()..].find('(').map(|at| at + name.end()) else {
            continue;
        };
        let Some(end) = closing(masked, open) else {
            continue;
        };
        let inside = (&text[open + 1..end], &masked[open + 1..end]);
        let arguments = arguments(inside.0, inside.1);
        let last = name.as_str().rsplit('.').next().unwrap_or_default();
        if let Some(one) = unittest_assertion(last, inside, &arguments) {
            found.push(make(one.strength, one.subject, one.expected));
        }
    }
    found
}

fn unittest_assertion(
    name: &str,
    inside: (&str, &str),
    arguments: &[&str],
) -> Option<super::Condition> {
    let is_raised = [
        "raises", "assertRaises", "assertRaisesRegex", "assertWarns", "warns",
    ]
    .contains(&name);
    if is_raised {
        let kind = arguments.first().copied().unwrap_or_default();
        let is_any = kind.is_empty() || ["Exception", "BaseException", "Warning"].contains(&kind);
        let has_text = inside.1.contains("match=") || name.ends_with("Regex");
        let strength = match (is_any, has_text) {
            (true, false) => Strength::Presence,
            (false, true) => Strength::Whole,
            _ => Strength::Part,
        };
        return Some(super::Condition {
            strength,
            subject: "raises".into(),
            expected: vec![kind.to_owned()],
        });
    }
    let own = name
        .strip_prefix("assert")
        .filter(|_| name.len() > "assert".len());
    if own.is_none() && !HELPER_NAME.is_match(name) && name != "fail" {
        return None;
    }
    let first = arguments.first().copied().unwrap_or_default();
    let masked_first = &inside.1[..first.len().min(inside.1.len())];
    if ["True", "False", "_"].contains(&own.unwrap_or_default()) {
        let start = inside.0.len() - inside.0.trim_start().len();
        let masked = inside
            .1
            .get(start..start + first.len())
            .unwrap_or(masked_first);
        return Some(condition(first, masked, " or "));
    }
    let mut strength = match own.unwrap_or_default() {
        "NotEqual" | "IsNotNone" | "IsNot" | "_called" | "_not_called" => Strength::Presence,
        "In" | "NotIn" | "Greater" | "GreaterEqual" | "Less" | "LessEqual" | "Regex"
        | "IsInstance" | "_called_once" => Strength::Part,
        _ => Strength::Whole,
    };
    let mut expected = Vec::new();
    let mut subject = packed(first);
    if own.is_some_and(|own| own.ends_with("Equal") || own == "Is") && arguments.len() >= 2 {
        let parts = split(inside.1, ",");
        let side =
            |(from, to): (usize, usize)| (inside.0[from..to].trim(), inside.1[from..to].trim());
        let (mut left, mut right) = (side(parts[0]), side(parts[1]));
        if crate::expression::is_constant(left.0, left.1) {
            std::mem::swap(&mut left, &mut right);
        }
        strength = super::strength_of(left, right, strength);
        subject = packed(left.0);
        expected = crate::expression::literals(right.0, right.1);
    }
    Some(super::Condition {
        strength,
        subject,
        expected,
    })
}
