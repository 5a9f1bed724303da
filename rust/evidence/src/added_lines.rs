//! Lines that a change adds, and the rules that look at one line alone: W8, W11 to W14.

use std::collections::{BTreeMap, BTreeSet};

use super::expression::literals;
use super::file_class::FileClass;
use super::finding::{JudgeFinding, JudgeRule, Weight};
use super::source::{MaskedSource, TestLanguage};
use super::test_case::TestCase;
use chant_text::lazy_pattern::LazyPattern;

static EXITS_IN_TESTS: LazyPattern = LazyPattern::new(
    r#"\bsys\.exit\(\s*0?\s*\)|\bos\._exit\(|\bSystemExit\(\s*0\s*\)|\bprocess\.exit\(\s*0?\s*\)|\bprocess::exit\(\s*0\s*\)|\bos\.Exit\(\s*0\s*\)|\bexitstatus\s*=\s*0|\boutcome\s*=\s*["']passed|\bpytest_(?:runtest_makereport|sessionfinish|collection_modifyitems)\b"#,
);
static EXITS_IN_CODE: LazyPattern = LazyPattern::new(
    r"\bos\._exit\(\s*0\s*\)|^(?:sys\.exit|raise SystemExit|process\.exit)\b\s*\(\s*0\s*\)",
);
static EXITS_IN_SCRIPTS: LazyPattern = LazyPattern::new(
    r"\|\|\s*(?:true|:|exit 0|echo)\b?|;\s*(?:exit 0|true)\s*$|^\t-|^\s*exit 0\s*$|continue-on-error:\s*true|^\s*set \+e\b|^\s*\.IGNORE\b",
);
static SILENCING_MARK: LazyPattern = LazyPattern::new(
    r"#\s*type:\s*ignore|#\s*noqa|#\s*pyright:\s*(?:ignore|basic)|#\s*mypy:\s*ignore|@ts-(?:ignore|expect-error|nocheck)|\beslint-disable|\bbiome-ignore|#!?\[(?:allow|expect)\(|//\s*nolint",
);
static UNCOVERED_MARK: LazyPattern = LazyPattern::new(
    r"#\s*pragma:\s*no\s*(?:cover|branch|mutate)|\b(?:istanbul|c8|v8)\s+ignore|coverage\(off\)|\bstryker\s+disable",
);
/// Names that only a tool of tests sets.
static KNOWS_TESTS: LazyPattern = LazyPattern::new(
    r#"PYTEST_CURRENT_TEST|PYTEST_VERSION|sys\.modules(?:\.get\()?\[?\(?\s*["'](?:_?pytest|unittest)|["'](?:_?pytest|unittest)["']\s+in\s+sys\.modules|JEST_WORKER_ID|VITEST(?:_WORKER_ID|_POOL_ID)?\b|NODE_ENV\b.{0,6}===?\s*["']test["']|\bcfg!\(\s*test\s*\)|\btesting\.Testing\(\)|NEXTEST\b"#,
);
/// Names that other things set, too.
static MAY_KNOW_TESTS: LazyPattern = LazyPattern::new(
    r#"(?:environ(?:\.get\(|\[)|getenv\(|env::var\(|Getenv\(|process\.env\.|process\.env\[)\s*["']?(?:CI|TEST|TESTING|GITHUB_ACTIONS|TOX_ENV_NAME)\b"#,
);

/// The lines of a text that an older one does not have as often, with their numbers from 1.
pub(crate) fn added_lines<'t>(old: &str, new: &'t str) -> Vec<(usize, &'t str)> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for line in old.lines() {
        *known.entry(line.trim()).or_default() += 1;
    }
    let is_new = |line: &&str| match known.get_mut(line.trim()).filter(|count| **count > 0) {
        Some(count) => {
            *count -= 1;
            false
        }
        None => !line.trim().is_empty(),
    };
    let mut is_new = is_new;
    new.lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line))
        .filter(|(_, line)| is_new(line))
        .collect()
}

/// Returns the findings about the single lines that a change adds to a file.
pub(crate) fn line_findings(
    path: &str,
    class: FileClass,
    old: &str,
    new: &str,
) -> Vec<JudgeFinding> {
    let mut found = Vec::new();
    let language = TestLanguage::of(path);
    let is_script =
        language.is_none() && matches!(class, FileClass::Test | FileClass::Configuration);
    // Tests in a file of code are told by the language.
    let in_file = in_file_tests(language, class, new);
    for (number, line) in added_lines(old, new) {
        let is_test = class.is_judge() || in_file.is_some_and(|from| number >= from);
        let mut find = |rule: JudgeRule, weight: Weight| {
            let finding = JudgeFinding::new(rule, path, number).changed("", line);
            found.push(JudgeFinding { weight, ..finding });
        };
        if language.is_some() && is_test && EXITS_IN_TESTS.is_match(line)
            || language.is_some() && !is_test && EXITS_IN_CODE.is_match(line)
            || is_script && EXITS_IN_SCRIPTS.is_match(line)
        {
            find(JudgeRule::ForcedSuccess, Weight::Weaker);
        }
        if language.is_none() {
            continue;
        }
        if SILENCING_MARK.is_match(line) {
            find(JudgeRule::Silenced, Weight::Look);
        }
        if UNCOVERED_MARK.is_match(line) {
            find(JudgeRule::Coverage, Weight::Look);
        }
        if !is_test && KNOWS_TESTS.is_match(line) {
            find(JudgeRule::KnowsTests, Weight::Weaker);
        } else if !is_test && MAY_KNOW_TESTS.is_match(line) {
            find(JudgeRule::KnowsTests, Weight::Look);
        }
    }
    found
}

/// The lines of a script or recipe that let it succeed whatever happens.
pub(crate) fn forced_lines<'t>(old: &str, new: &'t str) -> Vec<(usize, &'t str)> {
    let added = added_lines(old, new).into_iter();
    added
        .filter(|(_, line)| EXITS_IN_SCRIPTS.is_match(line))
        .collect()
}

/// The line from which a file of code holds its own tests.
fn in_file_tests(language: Option<TestLanguage>, class: FileClass, text: &str) -> Option<usize> {
    if language != Some(TestLanguage::Rust) || class != FileClass::Code {
        return None;
    }
    let at = text.find("#[cfg(test)]")?;
    Some(1 + text[..at].matches('\n').count())
}

/// The number of literals of one test in new code from which a person may want to look.
const TELLING_COUNT: usize = 3;

/// W14: literals of a test that are new in the code.
pub(crate) fn literals_in_code(
    path: &str,
    old: &str,
    new: &str,
    language: TestLanguage,
    tests: &[(&str, &TestCase)],
) -> Option<JudgeFinding> {
    let telling = |literal: &String| {
        literal.chars().count() >= 3
            && !["test", "utf-8", "true", "false"].contains(&literal.as_str())
    };
    let of = |text: &str| {
        let source = MaskedSource::new(text, language);
        literals(&source.text, &source.masked)
            .into_iter()
            .filter(telling)
            .collect::<BTreeSet<_>>()
    };
    let (known, now) = (of(old), of(new));
    let fresh: BTreeSet<&String> = now.difference(&known).collect();
    if fresh.len() < TELLING_COUNT {
        return None;
    }
    for (_, test) in tests {
        let own = of(&format!("{}\n{}", test.text, test.rows.join("\n")));
        let shared: Vec<&str> = fresh
            .iter()
            .filter(|literal| own.contains(**literal))
            .map(|literal| literal.as_str())
            .collect();
        if shared.len() >= TELLING_COUNT {
            let line = new
                .lines()
                .position(|line| line.contains(shared[0]))
                .map_or(1, |at| at + 1);
            return Some(
                JudgeFinding::new(JudgeRule::LiteralsOfTests, path, line)
                    .of(&test.name)
                    .changed("", &shared.join(", ")),
            );
        }
    }
    None
}
