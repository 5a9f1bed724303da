//! Tests of JavaScript and TypeScript: calls of `it`, `test` and their relatives, within groups.

use super::{Condition, SourcePart, condition, on_one_line, spot};
use crate::expression::{arguments, at_top_level, closing, packed, split};
use crate::source::MaskedSource;
use crate::test_case::{Strength, TestAssertion, TestCase, TestFile};
use chant_text::lazy_pattern::LazyPattern;

static TEST_CALL: LazyPattern = LazyPattern::new(
    r"(?m)(?:^|[^\w.$])((?:[xf]?(?:describe|it)|x?(?:test|context|specify)|suite)(?:\.\w+)*|Deno\.test(?:\.\w+)*)\s*\(",
);
static ASSERTION_CALL: LazyPattern =
    LazyPattern::new(r"(?:^|[^\w.$])(expect|expectTypeOf|assert|t|should)((?:\.\w+)*)\s*\(");
static MATCHER_LINK: LazyPattern = LazyPattern::new(r"^\s*\.\s*(\w+)");
static SWALLOWED_ERROR: LazyPattern = LazyPattern::new(
    r"\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}|\.catch\s*\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*(?:\{\s*\}|undefined|null)\s*\)",
);
static LIMIT_WORDS: LazyPattern = LazyPattern::new(
    r"\b(?:toBeCloseTo|closeTo|approximately)\s*\([^;\n]*|\b(?:timeout|setTimeout|tolerance|epsilon|delta)\w*\s*[(:=]\s*\d[\d_.]*",
);
static REPLACED_PART: LazyPattern = LazyPattern::new(
    r"\b(?:jest|vi|vitest)\.(?:mock|doMock|unstable_mockModule)\s*\(|\bproxyquire\s*\(|\bmock\.module\s*\(",
);
static DEFINED_NAME: LazyPattern = LazyPattern::new(
    r"(?m)^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\*?|class|const|let|var|enum|interface|type)\s+([\w$]+)|^\s+(?:static\s+|async\s+|get\s+|set\s+)*([\w$]+)\s*\([^;\n]*\)\s*(?::[^;\n{]+)?\{",
);

/// A call of a test or of a group.
struct Call {
    from: usize,
    to: usize,
    words: String,
    name: String,
    rows: Vec<String>,
    is_test: bool,
}

pub(super) fn read(source: &MaskedSource) -> TestFile {
    let calls = calls(source);
    let mut file = TestFile {
        defined: definitions(source),
        ..TestFile::default()
    };
    for (at, call) in calls.iter().enumerate().filter(|(_, call)| call.is_test) {
        let groups: Vec<&Call> = calls[..at]
            .iter()
            .filter(|group| !group.is_test && group.from < call.from && call.to <= group.to)
            .collect();
        let name = groups
            .iter()
            .copied()
            .chain([call])
            .map(|one| one.name.as_str());
        let name = name.collect::<Vec<_>>().join(" > ");
        let around = groups.iter().copied().chain([call]);
        let marked = |is: fn(&str) -> bool| {
            let marked = around.clone().filter(move |one| is(&one.words));
            let spots = marked.map(|one| {
                spot(
                    source.line_at(one.from),
                    &format!("{}({:?}", one.words, one.name),
                )
            });
            spots.collect::<Vec<_>>()
        };
        let mut test = body(source, (call.from, call.to));
        test.name = name;
        test.skips.extend(marked(is_skip));
        test.only = marked(is_only);
        test.rows.clone_from(&call.rows);
        // Two tests of one name are two tests.
        let same = file
            .tests
            .iter()
            .filter(|other| other.name == test.name)
            .count();
        if same > 0 {
            test.name = format!("{} ({})", test.name, same + 1);
        }
        file.tests.push(test);
    }
    // What is replaced for the whole file is replaced for each test of it.
    let all = REPLACED_PART.find_iter(&source.masked);
    for found in all.filter(|found| {
        !calls
            .iter()
            .any(|call| call.from <= found.start() && found.start() < call.to)
    }) {
        let line = source.text[found.start()..]
            .lines()
            .next()
            .unwrap_or_default();
        for test in &mut file.tests {
            test.replaced
                .push(spot(source.line_at(found.start()), line));
        }
    }
    file
}

fn is_skip(words: &str) -> bool {
    words.starts_with('x')
        || words
            .split('.')
            .skip(1)
            .any(|word| ["skip", "todo", "fails", "failing", "skipIf", "ignore"].contains(&word))
}

fn is_only(words: &str) -> bool {
    ["fit", "fdescribe"].contains(&words) || words.split('.').skip(1).any(|word| word == "only")
}

fn calls(source: &MaskedSource) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for found in TEST_CALL.captures_iter(&source.masked) {
        let (Some(all), Some(words)) = (found.get(0), found.get(1)) else {
            continue;
        };
        let mut open = all.end() - 1;
        let Some(mut end) = closing(&source.masked, open) else {
            continue;
        };
        let mut rows = Vec::new();
        let last = words.as_str().rsplit('.').next().unwrap_or_default();
        let is_repeated = ["each", "skipIf", "runIf"].contains(&last);
        if is_repeated {
            let given = (&source.text[open + 1..end], &source.masked[open + 1..end]);
            rows = rows_of(given);
            let rest = &source.masked[end + 1..];
            let next = rest.len() - rest.trim_start().len();
            if !rest.trim_start().starts_with('(') {
                continue;
            }
            open = end + 1 + next;
            let Some(last) = closing(&source.masked, open) else {
                continue;
            };
            end = last;
        }
        let inside = (&source.text[open + 1..end], &source.masked[open + 1..end]);
        let parts = arguments(inside.0, inside.1);
        let Some(name) = parts
            .first()
            .filter(|name| name.starts_with(['"', '\'', '`']) || parts.len() > 1)
        else {
            continue;
        };
        let first = words.as_str().split('.').next().unwrap_or_default();
        let is_group = ["describe", "context", "suite"]
            .iter()
            .any(|group| first.ends_with(group))
            || words.as_str().contains(".describe");
        calls.push(Call {
            from: words.start(),
            to: end + 1,
            words: words.as_str().to_owned(),
            name: name.trim_matches(['"', '\'', '`']).replace('\'', "\""),
            rows,
            is_test: !is_group,
        });
    }
    calls
}

fn rows_of((text, masked): (&str, &str)) -> Vec<String> {
    let (text, masked) = (text.trim(), masked.trim());
    if !masked.starts_with('[') || masked.len() < 2 {
        return Vec::new();
    }
    let last = masked.len() - 1;
    let rows = arguments(&text[1..last], &masked[1..last]);
    rows.into_iter().map(packed).collect()
}

fn body(source: &MaskedSource, range: (usize, usize)) -> TestCase {
    let part = SourcePart::of(source, range);
    let skips = ["this.skip(", "t.skip(", "ctx.skip("].into_iter();
    let skips = skips.filter_map(|words| part.masked.find(words));
    TestCase {
        line: part.line_at(0),
        text: part.code(),
        skips: skips.map(|at| part.spot(at)).collect(),
        assertions: assertions(part.text, part.masked, &|at| part.line_at(at)),
        swallowed: part.spots(&SWALLOWED_ERROR),
        limits: part.spots(&LIMIT_WORDS),
        replaced: part.spots(&REPLACED_PART),
        ..TestCase::default()
    }
}

fn assertions(text: &str, masked: &str, line_at: &dyn Fn(usize) -> usize) -> Vec<TestAssertion> {
    let mut found = Vec::new();
    for call in ASSERTION_CALL.captures_iter(masked) {
        let (Some(all), Some(name), Some(method)) = (call.get(0), call.get(1), call.get(2)) else {
            continue;
        };
        let open = all.end() - 1;
        let Some(end) = closing(masked, open) else {
            continue;
        };
        let inside = (&text[open + 1..end], &masked[open + 1..end]);
        let method = method.as_str().trim_start_matches('.');
        let (asked, last) = match name.as_str() {
            "expect" | "expectTypeOf" | "should"
                if method.is_empty() || method == "soft" || method == "poll" =>
            {
                let (links, last) = chain(text, masked, end + 1);
                if links.is_empty() {
                    continue;
                }
                (expected(inside, &links), last)
            }
            "expect" if ["fail", "unreachable"].contains(&method) => {
                (whole(inside, Strength::Whole), end)
            }
            "assert" if method.is_empty() || method == "ok" => (condition_of_first(inside), end),
            "assert" => (compared(method, inside), end),
            "t" if ![
                "plan", "end", "log", "comment", "skip", "context", "teardown", "test", "timeout",
            ]
            .contains(&method)
                && !method.is_empty() =>
            {
                (compared(method, inside), end)
            }
            _ => continue,
        };
        found.push(TestAssertion {
            line: line_at(name.start()),
            text: on_one_line(&text[name.start()..=last]),
            strength: asked.strength,
            subject: asked.subject,
            expected: asked.expected,
        });
    }
    found
}

/// A link of a chain of matchers, with its arguments as written and masked.
struct Link<'t> {
    name: &'t str,
    arguments: Option<(&'t str, &'t str)>,
}

fn chain<'t>(text: &'t str, masked: &'t str, mut at: usize) -> (Vec<Link<'t>>, usize) {
    let mut links = Vec::new();
    while let Some(found) = MATCHER_LINK.captures(&masked[at..]) {
        let (Some(all), Some(name)) = (found.get(0), found.get(1)) else {
            break;
        };
        let name = &masked[at + name.start()..at + name.end()];
        at += all.end();
        let open = masked[at..].starts_with('(').then_some(at);
        let end = open.and_then(|open| closing(masked, open));
        let arguments = open
            .zip(end)
            .map(|(open, end)| (&text[open + 1..end], &masked[open + 1..end]));
        if let Some(end) = end {
            at = end + 1;
        }
        links.push(Link { name, arguments });
    }
    (links, at.saturating_sub(1))
}

fn whole((text, _): (&str, &str), strength: Strength) -> Condition {
    Condition {
        strength,
        subject: packed(text),
        expected: Vec::new(),
    }
}

fn condition_of_first((text, masked): (&str, &str)) -> Condition {
    let (from, to) = split(masked, ",")[0];
    condition(&text[from..to], &masked[from..to], "||")
}

/// The demand of `expect(…)` with matchers.
fn expected(inside: (&str, &str), links: &[Link<'_>]) -> Condition {
    let is_not = links
        .iter()
        .any(|link| ["not", "never"].contains(&link.name));
    let matcher = links.iter().rev().find(|link| link.arguments.is_some());
    let name = matcher.or(links.last()).map_or("", |link| link.name);
    let given = matcher.and_then(|link| link.arguments).unwrap_or_default();
    let mut strength = match name {
        "toBe"
        | "toEqual"
        | "toStrictEqual"
        | "toBeNull"
        | "toBeUndefined"
        | "toBeNaN"
        | "equal"
        | "equals"
        | "eql"
        | "eq"
        | "deep"
        | "null"
        | "undefined"
        | "toMatchSnapshot"
        | "toMatchInlineSnapshot"
        | "toHaveBeenCalledWith"
        | "toHaveBeenNthCalledWith"
        | "toHaveBeenLastCalledWith"
        | "toHaveText"
        | "toHaveProperty" => Strength::Whole,
        "toBeTruthy" | "toBeFalsy" | "toBeDefined" | "ok" | "exist" | "true" | "false"
        | "toHaveBeenCalled" | "called" | "toBeVisible" | "toBeInTheDocument" | "toExist" => {
            Strength::Presence
        }
        "toThrow" | "toThrowError" | "throw" | "throws" | "rejectedWith" => {
            if given.0.trim().is_empty() {
                Strength::Presence
            } else {
                Strength::Whole
            }
        }
        _ => Strength::Part,
    };
    if is_not {
        strength = strength.min(Strength::Presence);
    }
    let strength = if given.0.trim().is_empty() {
        if crate::expression::is_constant(inside.0, inside.1) {
            Strength::Always
        } else {
            strength
        }
    } else if given.0.contains("expect.any") || given.0.contains("objectContaining") {
        super::strength_of(inside, given, strength.min(Strength::Part))
    } else {
        super::strength_of(
            (inside.0.trim(), inside.1.trim()),
            (given.0.trim(), given.1.trim()),
            strength,
        )
    };
    let (subject, wanted) = if crate::expression::is_constant(inside.0, inside.1) {
        (given, inside)
    } else {
        (inside, given)
    };
    Condition {
        strength,
        subject: packed(subject.0),
        expected: crate::expression::literals(wanted.0, wanted.1),
    }
}

/// The demand of a method of `assert` or of a test's own object.
fn compared(method: &str, inside: (&str, &str)) -> Condition {
    let last = method.rsplit('.').next().unwrap_or_default();
    let strength = match last {
        "truthy" | "ok" | "true" | "assert" | "isOk" | "isTrue" | "falsy" | "false" | "notOk" => {
            return condition_of_first(inside);
        }
        "exists" | "isDefined" | "isNotNull" | "not" | "notEqual" | "notStrictEqual"
        | "notDeepEqual" | "isNot" => Strength::Presence,
        "throws" | "rejects" | "throwsAsync" => {
            if at_top_level(inside.1, ",").is_empty() {
                Strength::Presence
            } else {
                Strength::Whole
            }
        }
        "match" | "include" | "includes" | "like" | "isAbove" | "isBelow" | "typeOf"
        | "instanceOf" | "isAtLeast" | "isAtMost" => Strength::Part,
        _ => Strength::Whole,
    };
    let parts = split(inside.1, ",");
    let side = |(from, to): (usize, usize)| (inside.0[from..to].trim(), inside.1[from..to].trim());
    let left = side(parts[0]);
    let Some(right) = parts.get(1).map(|part| side(*part)) else {
        return whole(left, strength);
    };
    Condition {
        strength: super::strength_of(left, right, strength),
        subject: packed(left.0),
        expected: crate::expression::literals(right.0, right.1),
    }
}

fn definitions(source: &MaskedSource) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for defined in DEFINED_NAME.captures_iter(&source.masked) {
        let Some(name) = defined.get(1).or(defined.get(2)) else {
            continue;
        };
        if [
            "if", "for", "while", "switch", "catch", "function", "return",
        ]
        .contains(&name.as_str())
        {
            continue;
        }
        found.push((name.as_str().to_owned(), super::braced(source, name.end())));
    }
    found
}
