//! The tests of all changed files, and what the code that they test became.

use std::collections::{BTreeMap, BTreeSet};

use super::added_lines::literals_in_code;
use super::changed_file::ReadFile;
use super::compare::{PlacedTest, Tests};
use super::expression::{packed, words};
use super::file_class::{self, FileClass};
use super::finding::{JudgeFinding, JudgeRule, Weight};
use super::languages;
use super::source::TestLanguage;
use super::test_case::{TestCase, TestFile, TextSpot};

/// A file with its tests.
type Parsed<'c> = (&'c ReadFile<'c>, TestFile);

/// The tests of all changed files.
pub(crate) struct TestFiles<'c> {
    old: Vec<Parsed<'c>>,
    new: Vec<Parsed<'c>>,
    /// Files of tests in languages that are not read.
    pub not_read: Vec<String>,
}

impl<'c> TestFiles<'c> {
    pub(crate) fn of(read: &'c [ReadFile<'c>]) -> Self {
        let mut files = Self {
            old: Vec::new(),
            new: Vec::new(),
            not_read: Vec::new(),
        };
        for file in read {
            let is_data = matches!(
                file.class,
                FileClass::Words | FileClass::Fixture | FileClass::Snapshot | FileClass::Lock
            );
            if is_data {
                continue;
            }
            let Some(language) = TestLanguage::of(file.path) else {
                if file.class == FileClass::Test && !file.is_unread {
                    files.not_read.push(file.path.to_owned());
                }
                continue;
            };
            let parsed =
                |text: &Option<String>| text.as_ref().map(|text| languages::read(text, language));
            files
                .old
                .extend(parsed(&file.old).map(|tests| (file, tests)));
            files
                .new
                .extend(parsed(&file.new).map(|tests| (file, tests)));
        }
        files
    }

    /// Returns the findings about tests, wherever they moved.
    pub(crate) fn findings(&self, read: &[ReadFile<'_>]) -> Vec<JudgeFinding> {
        let gone_names = self.gone_names(read);
        let (old, new) = (placed(&self.old), placed(&self.new));
        let fresh: Vec<PlacedTest<'_>> = new.clone();
        let mut found = Tests {
            old,
            new,
            gone_names: &gone_names,
        }
        .findings();
        found.extend(self.skipped_files());
        found.extend(gone_files(read));
        found.extend(self.literals(&fresh));
        found.extend(self.replaced(&fresh));
        found
    }

    /// The names that code defined before and nothing defines or uses now, unless their words have another name.
    fn gone_names(&self, read: &[ReadFile<'_>]) -> BTreeSet<String> {
        let is_code = |file: &ReadFile<'_>| file.class == FileClass::Code;
        let texts = read
            .iter()
            .filter(|file| is_code(file))
            .filter_map(|file| file.new.as_deref());
        let used: BTreeSet<&str> = texts.clone().flat_map(words).collect();
        let lines: BTreeSet<String> = texts.flat_map(|text| text.lines().map(packed)).collect();
        let defined = self
            .old
            .iter()
            .filter(|(file, _)| is_code(file))
            .flat_map(|(_, tests)| &tests.defined);
        let mut gone = BTreeSet::new();
        for (name, body) in defined {
            if name.len() < 3 || used.contains(name.as_str()) {
                continue;
            }
            let own: Vec<String> = body
                .lines()
                .map(packed)
                .filter(|line| line.len() > 3)
                .collect();
            let kept = own.iter().filter(|line| lines.contains(*line)).count();
            if own.is_empty() || kept * 2 < own.len() {
                gone.insert(name.clone());
            }
        }
        gone
    }

    /// W2 for whole files.
    fn skipped_files(&self) -> Vec<JudgeFinding> {
        let mut found = Vec::new();
        for (file, tests) in &self.new {
            let before = self.old.iter().find(|(other, _)| other.path == file.path);
            let Some((_, before)) =
                before.filter(|(file, tests)| may_hold_tests(file) && !tests.tests.is_empty())
            else {
                continue;
            };
            let is_known = |spot: &TextSpot| {
                before
                    .skips
                    .iter()
                    .any(|other| packed(&other.text) == packed(&spot.text))
            };
            for skip in tests.skips.iter().filter(|spot| !is_known(spot)) {
                found.push(
                    JudgeFinding::new(JudgeRule::Skipped, file.path, skip.line)
                        .changed("", &skip.text),
                );
            }
        }
        found
    }

    /// W14: new code with the literals of tests.
    fn literals(&self, tests: &[PlacedTest<'_>]) -> Vec<JudgeFinding> {
        let tests: Vec<(&str, &TestCase)> = tests.iter().map(|one| (one.path, one.test)).collect();
        let code = self
            .new
            .iter()
            .filter(|(file, _)| file.class == FileClass::Code && file.old.is_some());
        code.filter_map(|(file, _)| {
            let (old, new) = (file.old.as_deref()?, file.new.as_deref()?);
            let others: Vec<_> = tests
                .iter()
                .copied()
                .filter(|(path, _)| *path != file.path)
                .collect();
            literals_in_code(file.path, old, new, TestLanguage::of(file.path)?, &others)
        })
        .collect()
    }

    /// W10: tests that replace what the same change touches.
    fn replaced(&self, tests: &[PlacedTest<'_>]) -> Vec<JudgeFinding> {
        let changed: Vec<(&str, &TestFile)> = self
            .new
            .iter()
            .filter(|(file, _)| file.class == FileClass::Code)
            .map(|(file, tests)| (file.path, tests))
            .collect();
        let before: BTreeMap<(&str, &str), &TestCase> = placed(&self.old)
            .into_iter()
            .map(|one| ((one.path, &*one.test.name), one.test))
            .collect();
        let mut found = Vec::new();
        for one in tests {
            let old = before.get(&(one.path, &*one.test.name));
            let is_known = |spot: &TextSpot| {
                old.is_some_and(|old| {
                    old.replaced
                        .iter()
                        .any(|other| packed(&other.text) == packed(&spot.text))
                })
            };
            for spot in one.test.replaced.iter().filter(|spot| !is_known(spot)) {
                if !changed
                    .iter()
                    .any(|(path, file)| names_part_of(&spot.text, path, file))
                {
                    continue;
                }
                let finding = JudgeFinding::new(JudgeRule::SubjectReplaced, one.path, spot.line)
                    .of(&one.test.name)
                    .changed("", &spot.text);
                // A new test may replace a neighbour of what it tests.
                let weight = if old.is_some() {
                    Weight::Weaker
                } else {
                    Weight::Look
                };
                found.push(JudgeFinding { weight, ..finding });
            }
        }
        found
    }
}

/// The tests of some files.
fn placed<'t>(files: &'t [Parsed<'_>]) -> Vec<PlacedTest<'t>> {
    let mut all = Vec::new();
    for (file, tests) in files.iter().filter(|(file, _)| may_hold_tests(file)) {
        let is_collected = file_class::is_collected(file.path);
        all.extend(tests.tests.iter().map(|test| PlacedTest {
            path: file.path,
            is_collected,
            test,
        }));
    }
    all
}

/// True for a file whose functions count as tests: one of tests, or code with tests of its own.
fn may_hold_tests(file: &ReadFile<'_>) -> bool {
    match TestLanguage::of(file.path) {
        Some(TestLanguage::Rust | TestLanguage::JavaScript) => true,
        Some(TestLanguage::Go) => file.path.ends_with("_test.go"),
        _ => matches!(file.class, FileClass::Test | FileClass::Configuration),
    }
}

/// W1 for files of tests that nothing here can read: that they are gone is known all the same.
fn gone_files(read: &[ReadFile<'_>]) -> Vec<JudgeFinding> {
    let is_read = |file: &ReadFile<'_>| TestLanguage::of(file.path).is_some();
    let gone = read.iter().filter(|file| {
        file.class == FileClass::Test && !is_read(file) && file.new.is_none() && file.old.is_some()
    });
    let moved = |gone: &ReadFile<'_>| {
        read.iter()
            .any(|file| file.class == FileClass::Test && file.old.is_none() && file.new == gone.old)
    };
    gone.filter(|file| !moved(file))
        .map(|file| JudgeFinding::new(JudgeRule::TestGone, file.path, 1))
        .collect()
}

/// True if words name a module, or a name that it defines.
fn names_part_of(text: &str, path: &str, file: &TestFile) -> bool {
    let stem = path
        .rsplit('/')
        .next()
        .and_then(|name| name.split('.').next())
        .unwrap_or_default();
    if stem.is_empty() {
        return false;
    }
    let parts: Vec<&str> = words(text).collect();
    let Some(at) = parts.iter().position(|part| *part == stem) else {
        return false;
    };
    match TestLanguage::of(path) {
        // A whole module is replaced.
        Some(TestLanguage::JavaScript) => true,
        _ => parts[at + 1..]
            .iter()
            .any(|part| file.defined.iter().any(|(name, _)| name == part)),
    }
}
