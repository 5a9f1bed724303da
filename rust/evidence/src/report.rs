//! The outcomes of tests by their names, as tools report them: those of `JUnit`, TAP, the events of `go test -json`, and the
//! lines of Rust's tests.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::{Document, Node, ParsingOptions};
use serde::Deserialize;

/// The greatest number of elements of a report that are read.
const MAX_ELEMENTS: u32 = 2_000_000;

/// The end of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestOutcome {
    /// It was not run, or its failure is expected.
    Skipped,
    /// It passed.
    Passed,
    /// It failed, or ended with an error.
    Failed,
}

/// The tests of one run of a check. A test that is reported twice has failed if it did so once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestReport {
    outcomes: BTreeMap<String, TestOutcome>,
}

impl TestReport {
    /// Reads a report; `None` for a text that names no test in a form that is known.
    ///
    /// ```
    /// use chant_evidence::TestReport;
    /// let report = TestReport::read("ok 1 - adds\nnot ok 2 - divides\n1..2\n").unwrap();
    /// assert_eq!(report.failed().collect::<Vec<_>>(), ["divides"]);
    /// ```
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let mut report = Self::default();
        if text.starts_with('<') {
            report.read_junit(text)?;
        } else if text.starts_with('{') {
            text.lines().for_each(|line| report.read_go(line));
        } else {
            text.lines().for_each(|line| report.read_line(line.trim()));
        }
        (!report.outcomes.is_empty()).then_some(report)
    }

    /// The names of the tests that passed.
    pub fn passed(&self) -> impl Iterator<Item = &str> {
        self.with(TestOutcome::Passed)
    }

    /// The names of the tests that failed.
    pub fn failed(&self) -> impl Iterator<Item = &str> {
        self.with(TestOutcome::Failed)
    }

    /// Returns the tests that failed here and passed in another run.
    pub fn failed_beside(&self, passed: &Self) -> BTreeSet<String> {
        let has_passed = |name: &&str| passed.outcomes.get(*name) == Some(&TestOutcome::Passed);
        self.failed()
            .filter(has_passed)
            .map(str::to_owned)
            .collect()
    }

    fn with(&self, outcome: TestOutcome) -> impl Iterator<Item = &str> {
        let tests = self
            .outcomes
            .iter()
            .filter(move |(_, end)| **end == outcome);
        tests.map(|(name, _)| name.as_str())
    }

    fn note(&mut self, name: String, outcome: TestOutcome) {
        let known = self.outcomes.entry(name).or_insert(outcome);
        *known = outcome.max(*known);
    }

    fn read_junit(&mut self, text: &str) -> Option<()> {
        let options = ParsingOptions {
            nodes_limit: MAX_ELEMENTS,
            ..ParsingOptions::default()
        };
        let document = Document::parse_with_options(text, options).ok()?;
        let is_test = |node: &Node<'_, '_>| node.has_tag_name("testcase");
        for test in document.descendants().filter(is_test) {
            let has = |name: &str| test.children().any(|child| child.has_tag_name(name));
            let outcome = if has("failure") || has("error") {
                TestOutcome::Failed
            } else if has("skipped") {
                TestOutcome::Skipped
            } else {
                TestOutcome::Passed
            };
            let part = |name: &str| test.attribute(name).filter(|text| !text.is_empty());
            let parts = [part("classname").or(part("file")), part("name")];
            let name: Vec<&str> = parts.into_iter().flatten().collect();
            self.note(name.join("::"), outcome);
        }
        Some(())
    }

    fn read_go(&mut self, line: &str) {
        #[derive(Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct TestEvent {
            action: String,
            package: Option<String>,
            test: Option<String>,
        }
        let Ok(event) = serde_json::from_str::<TestEvent>(line) else {
            return;
        };
        let outcome = match event.action.as_str() {
            "pass" => TestOutcome::Passed,
            "fail" => TestOutcome::Failed,
            "skip" => TestOutcome::Skipped,
            _ => return,
        };
        // Events without a test are about a whole package.
        if let Some(test) = event.test {
            let package = event.package.unwrap_or_default();
            self.note(format!("{package}::{test}"), outcome);
        }
    }

    /// Reads a line of TAP, or of Rust's tests.
    fn read_line(&mut self, line: &str) {
        let of_rust = line
            .strip_prefix("test ")
            .and_then(|test| test.rsplit_once(" ... "));
        if let Some((name, end)) = of_rust {
            let outcome = match end.split([',', ' ']).next() {
                Some("ok") => TestOutcome::Passed,
                Some("FAILED") => TestOutcome::Failed,
                Some("ignored") => TestOutcome::Skipped,
                _ => return,
            };
            return self.note(name.to_owned(), outcome);
        }
        let (rest, outcome) = match (line.strip_prefix("not ok "), line.strip_prefix("ok ")) {
            (Some(rest), _) => (rest, TestOutcome::Failed),
            (None, Some(rest)) => (rest, TestOutcome::Passed),
            (None, None) => return,
        };
        let (name, directive) = rest.split_once('#').unwrap_or((rest, ""));
        let directive = directive.trim_start().to_ascii_lowercase();
        let is_left = directive.starts_with("skip") || directive.starts_with("todo");
        let outcome = if is_left {
            TestOutcome::Skipped
        } else {
            outcome
        };
        let number = name.trim_start_matches(|sign: char| sign.is_ascii_digit());
        let named = number.trim_start_matches([' ', '-']).trim();
        let name = if named.is_empty() { name.trim() } else { named };
        self.note(name.to_owned(), outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_say_the_same() {
        let junit = r#"<?xml version="1.0"?><testsuites><testsuite>
            <testcase classname="a" name="passes"/>
            <testcase classname="a" name="fails"><failure message="1 is 2"/></testcase>
            <testcase classname="a" name="waits"><skipped/></testcase>
            </testsuite></testsuites>"#;
        let go = r#"{"Action":"run","Package":"a","Test":"passes"}
            {"Action":"pass","Package":"a","Test":"passes"}
            {"Action":"fail","Package":"a","Test":"fails"}
            {"Action":"skip","Package":"a","Test":"waits"}
            {"Action":"fail","Package":"a"}"#;
        let rust = "running 3 tests\ntest a::passes ... ok\ntest a::fails ... FAILED\n\
            test a::waits ... ignored, for a reason\n\ntest result: FAILED. 1 passed; 1 failed\n";
        let tap = "TAP version 13\nok 1 - a::passes\nnot ok 2 - a::fails\nok 3 - a::waits # SKIP later\n1..3\n";
        for text in [junit, go, rust, tap] {
            let report = TestReport::read(text).unwrap();
            assert_eq!(report.passed().collect::<Vec<_>>(), ["a::passes"], "{text}");
            assert_eq!(report.failed().collect::<Vec<_>>(), ["a::fails"], "{text}");
            assert_eq!(report.outcomes.len(), 3, "{text}");
        }
    }

    #[test]
    fn what_is_no_report_is_none() {
        for text in [
            "", "<a/>", "<testcase", "{}", "ok", "all fine\n", "\u{feff}",
        ] {
            assert_eq!(TestReport::read(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_test_that_failed_once_has_failed() {
        let report = TestReport::read("not ok 1 - a\nok 2 - a\n").unwrap();
        assert_eq!(report.failed().collect::<Vec<_>>(), ["a"]);
        let passed = TestReport::read("ok 1 - a\nok 2 - b\n").unwrap();
        assert_eq!(report.failed_beside(&passed), ["a".to_owned()].into());
        assert!(passed.failed_beside(&report).is_empty());
    }
}
