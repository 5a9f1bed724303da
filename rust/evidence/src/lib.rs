//! The effects of a change on its own judge: the classes of files, tests by their identity, and the rules by which
//! tests, or what configures them, become weaker.
//!
//! Nothing here touches git, the disk or a process: texts before and after a change go in, findings come out. What
//! a reader of a language cannot read is counted, and never taken as fine.

mod added_lines;
mod changed_file;
mod code_hunks;
mod compare;
mod decode;
mod expression;
mod file_class;
mod finding;
mod hunk_search;
mod judge_configuration;
mod languages;
mod lock_files;
mod report;
mod source;
mod square;
mod test_case;
mod test_files;

use std::collections::BTreeSet;

use globset::{Glob, GlobSet, GlobSetBuilder};

pub use self::code_hunks::{CodeChange, CodeHunk, CodeHunks, TakenBackFile};
pub use self::decode::text_of;
pub use self::file_class::{FileClass, class_of};
pub use self::finding::{JudgeFinding, JudgeRule, Weight};
pub use self::hunk_search::{HunkSearch, PieceState, TakenBack};
pub use self::report::{TestOutcome, TestReport};
pub use self::source::TestLanguage;
pub use self::square::{CellOutcome, ProofWord, Square, SquareCell, SquareVerdict, with_tests_of};

use self::changed_file::ReadFile;
use self::test_files::TestFiles;

/// The greatest size of a file that is read, in bytes; a larger one counts as not read.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;
/// The greatest number of findings about one change; more are counted.
pub const MAX_FINDINGS: usize = 200;

/// A file before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedText {
    /// Its path, from the top of the project.
    pub path: String,
    /// Its bytes before; `None` for a new file.
    pub old: Option<Vec<u8>>,
    /// Its bytes now; `None` for one that is gone.
    pub new: Option<Vec<u8>>,
}

/// The terms by which a change is judged. They come from the target, never from the change.
#[derive(Clone, Copy)]
pub struct JudgeTerms<'a> {
    /// Patterns of further files of tests.
    pub tests: &'a [String],
    /// Patterns of further files that configure tests.
    pub config: &'a [String],
    /// Command lines of the checks.
    pub checks: &'a [Vec<String>],
    /// Rules whose findings need a person though they are only shown otherwise.
    pub stricter: &'a [JudgeRule],
    /// Returns true for a file that may be changed without a person: its findings are only shown.
    pub may_change: &'a dyn Fn(&str) -> bool,
    /// Returns the bytes of a file before the change.
    pub before: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

/// The effects of a change on its judge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JudgedChange {
    /// The findings, by place.
    pub findings: Vec<JudgeFinding>,
    /// The number of findings beyond [`MAX_FINDINGS`].
    pub more: usize,
    /// Files of tests that nothing here can read.
    pub not_read: Vec<String>,
    /// The files that belong to the judge, of those that changed.
    pub judge_files: Vec<String>,
}

impl JudgedChange {
    /// Returns the findings for which a person has to agree.
    pub fn weaker(&self) -> impl Iterator<Item = &JudgeFinding> {
        let findings = self.findings.iter();
        findings.filter(|finding| finding.weight == Weight::Weaker)
    }
}

/// Looks at a change by all rules.
///
/// ```
/// use chant_evidence::{ChangedText, JudgeTerms, JudgeRule, judge_change};
/// let changed = [ChangedText {
///     path: "tests/test_sum.py".into(),
///     old: Some(b"def test_sum():\n    assert sum([1, 2]) == 3\n".to_vec()),
///     new: Some(b"def test_sum():\n    assert sum([1, 2])\n".to_vec()),
/// }];
/// let terms = JudgeTerms {
///     tests: &[],
///     config: &[],
///     checks: &[],
///     stricter: &[],
///     may_change: &|_| false,
///     before: &|_| None,
/// };
/// let judged = judge_change(&changed, &terms);
/// assert_eq!(judged.findings[0].rule, JudgeRule::WeakerAssertion);
/// ```
pub fn judge_change(changed: &[ChangedText], terms: &JudgeTerms<'_>) -> JudgedChange {
    let (tests, config) = (patterns_of(terms.tests), patterns_of(terms.config));
    let class = |path: &str| {
        if config.is_match(path) {
            FileClass::Configuration
        } else if tests.is_match(path) {
            FileClass::Test
        } else {
            class_of(path)
        }
    };
    let read: Vec<ReadFile<'_>> = changed
        .iter()
        .map(|one| ReadFile::of(one, class(&one.path)))
        .collect();
    let mut judged = JudgedChange::default();
    let mut words_of_checks = judge_configuration::command_words(terms.checks);
    let before = |path: &str| text_of(&(terms.before)(path)?);
    judge_configuration::reached_words(&mut words_of_checks, &before);
    let mut found = Vec::new();
    let list_changed = changed
        .iter()
        .any(|one| file_class::lists_dependencies(&one.path));
    for file in &read {
        let is_program =
            words_of_checks.contains(file.path) || is_module(&words_of_checks, file.path);
        if file.class.is_judge() || (is_program && file.class == FileClass::Code) {
            judged.judge_files.push(file.path.to_owned());
        }
        if file.is_unread && file.class == FileClass::Test {
            judged.not_read.push(file.path.to_owned());
        }
        found.extend(file.findings(is_program, &words_of_checks, list_changed));
    }
    let tests = TestFiles::of(&read);
    judged.not_read.extend(tests.not_read.iter().cloned());
    found.extend(tests.findings(&read));
    for finding in &mut found {
        if (terms.may_change)(&finding.path) {
            finding.weight = Weight::Look;
        } else if terms.stricter.contains(&finding.rule) {
            finding.weight = Weight::Weaker;
        }
    }
    found.sort_by(|one, other| (one.weight, one).cmp(&(other.weight, other)));
    found.dedup();
    judged.more = found.len().saturating_sub(MAX_FINDINGS);
    found.truncate(MAX_FINDINGS);
    judged.findings = found;
    judged
}

/// True for the file of a module that a command names after `-m`.
fn is_module(words: &BTreeSet<String>, path: &str) -> bool {
    let Some(module) = path.strip_suffix(".py").filter(|_| words.contains("-m")) else {
        return false;
    };
    words.contains(&module.trim_end_matches("/__main__").replace('/', "."))
}

/// Returns a matcher of patterns of paths, as `tests/**` or `*.snap`; one that is no pattern matches nothing.
pub fn path_matcher(patterns: &[String]) -> impl Fn(&str) -> bool + use<> {
    let all = patterns_of(patterns);
    move |path| all.is_match(path)
}

fn patterns_of(patterns: &[String]) -> GlobSet {
    let mut all = GlobSetBuilder::new();
    for pattern in patterns {
        if let Ok(glob) = Glob::new(pattern) {
            all.add(glob);
        }
    }
    all.build().unwrap_or_default()
}
