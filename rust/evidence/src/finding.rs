//! Findings about a change of tests and of what judges.

use std::fmt;

/// The rules by which a change is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JudgeRule {
    /// W1: a test is gone.
    TestGone,
    /// W2: a test is skipped, or others are because only one is run.
    Skipped,
    /// W3: a kept test has fewer assertions.
    FewerAssertions,
    /// W4: an assertion asks for less.
    WeakerAssertion,
    /// W5: a tolerance or a limit is another one.
    Limit,
    /// W6: an expectation was rewritten.
    Expectation,
    /// W7: an error is swallowed.
    Swallowed,
    /// W8: success is forced.
    ForcedSuccess,
    /// W9: fewer tests are collected.
    Collection,
    /// W10: what is tested is replaced.
    SubjectReplaced,
    /// W11: limits of coverage or mutation are lower.
    Coverage,
    /// W12: types or lint are silenced.
    Silenced,
    /// W13: code knows that it is tested.
    KnowsTests,
    /// W14: literals of a test are in the code.
    LiteralsOfTests,
    /// A configuration of tests or checks is changed.
    Configuration,
    /// A program that a check runs is changed.
    CheckProgram,
    /// A lock file is changed alone, or a hash of the same version is another one.
    Lock,
    /// A judge file could be read before and cannot now.
    Unreadable,
}

impl JudgeRule {
    /// All rules.
    pub const ALL: [Self; 18] = [
        Self::TestGone,
        Self::Skipped,
        Self::FewerAssertions,
        Self::WeakerAssertion,
        Self::Limit,
        Self::Expectation,
        Self::Swallowed,
        Self::ForcedSuccess,
        Self::Collection,
        Self::SubjectReplaced,
        Self::Coverage,
        Self::Silenced,
        Self::KnowsTests,
        Self::LiteralsOfTests,
        Self::Configuration,
        Self::CheckProgram,
        Self::Lock,
        Self::Unreadable,
    ];

    /// Its name in configurations and answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::TestGone => "W1",
            Self::Skipped => "W2",
            Self::FewerAssertions => "W3",
            Self::WeakerAssertion => "W4",
            Self::Limit => "W5",
            Self::Expectation => "W6",
            Self::Swallowed => "W7",
            Self::ForcedSuccess => "W8",
            Self::Collection => "W9",
            Self::SubjectReplaced => "W10",
            Self::Coverage => "W11",
            Self::Silenced => "W12",
            Self::KnowsTests => "W13",
            Self::LiteralsOfTests => "W14",
            Self::Configuration => "config",
            Self::CheckProgram => "program",
            Self::Lock => "lock",
            Self::Unreadable => "unreadable",
        }
    }

    /// The words for it, which follow the place.
    pub fn words(self) -> &'static str {
        match self {
            Self::TestGone => "the test is gone",
            Self::Skipped => "the test is skipped",
            Self::FewerAssertions => "the test asserts less often",
            Self::WeakerAssertion => "the assertion asks for less",
            Self::Limit => "a limit is another one",
            Self::Expectation => "the expectation was rewritten",
            Self::Swallowed => "an error is swallowed",
            Self::ForcedSuccess => "success is forced",
            Self::Collection => "fewer tests are collected",
            Self::SubjectReplaced => "what is tested is replaced",
            Self::Coverage => "coverage is asked for less",
            Self::Silenced => "a finding of types or lint is silenced",
            Self::KnowsTests => "the code knows that it is tested",
            Self::LiteralsOfTests => "literals of a test are in the code",
            Self::Configuration => "what configures tests is changed",
            Self::CheckProgram => "a program that a check runs is changed",
            Self::Lock => "the lock file is not what its list asks for",
            Self::Unreadable => "the tests could be read before and cannot now",
        }
    }

    /// The weight that it has unless a project raises it.
    pub fn weight(self) -> Weight {
        match self {
            Self::Limit
            | Self::Swallowed
            | Self::Silenced
            | Self::KnowsTests
            | Self::LiteralsOfTests => Weight::Look,
            _ => Weight::Weaker,
        }
    }
}

/// The weight of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// A person has to agree before it lands.
    Weaker,
    /// It is shown, and stops nothing.
    Look,
}

impl Weight {
    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weaker => "weaker",
            Self::Look => "look",
        }
    }
}

/// One finding: what became weaker, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct JudgeFinding {
    /// The file, from the top of the checkout.
    pub path: String,
    /// The line, from 1: in the new file, or in the old one for what is gone.
    pub line: usize,
    /// The rule.
    pub rule: JudgeRule,
    /// Its weight.
    pub weight: Weight,
    /// The test, or the part of the file; empty for the file itself.
    pub of: String,
    /// The words before.
    pub old: String,
    /// The words now.
    pub new: String,
}

impl JudgeFinding {
    /// A finding of a rule with its usual weight.
    pub(crate) fn new(rule: JudgeRule, path: &str, line: usize) -> Self {
        Self {
            path: path.to_owned(),
            line,
            rule,
            weight: rule.weight(),
            of: String::new(),
            old: String::new(),
            new: String::new(),
        }
    }

    pub(crate) fn of(mut self, of: &str) -> Self {
        self.of = shortened(of);
        self
    }

    pub(crate) fn changed(mut self, old: &str, new: &str) -> Self {
        (self.old, self.new) = (shortened(old), shortened(new));
        self
    }
}

impl fmt::Display for JudgeFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{} {} {}",
            self.path,
            self.line,
            self.rule.name(),
            self.rule.words()
        )?;
        if !self.of.is_empty() {
            write!(f, ": {}", self.of)?;
        }
        match (self.old.is_empty(), self.new.is_empty()) {
            (true, true) => Ok(()),
            (false, true) => write!(f, " (was: {})", self.old),
            (true, false) => write!(f, " (now: {})", self.new),
            (false, false) => write!(f, " ({} → {})", self.old, self.new),
        }
    }
}

/// The greatest number of characters of words that a finding repeats.
const MAX_CHARS: usize = 160;

fn shortened(words: &str) -> String {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= MAX_CHARS {
        return words;
    }
    let start: String = words.chars().take(MAX_CHARS - 1).collect();
    format!("{start}…")
}
