//! Tests as a reader of a language finds them.

use super::expression::packed;

/// The strength of an assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// It holds whatever the code does.
    Always,
    /// Something is there, true, or not one value.
    Presence,
    /// Part of a value: a member, a bound, a kind.
    Part,
    /// The whole value.
    Whole,
}

/// One assertion of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TestAssertion {
    /// Its line, from 1.
    pub line: usize,
    /// Its words, on one line.
    pub text: String,
    /// Its strength.
    pub strength: Strength,
    /// Its subject, without white space.
    pub subject: String,
    /// The literals of what it expects.
    pub expected: Vec<String>,
}

impl TestAssertion {
    /// The same words in any layout.
    pub(crate) fn key(&self) -> String {
        packed(&self.text)
    }
}

/// A place in a file with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextSpot {
    /// Its line, from 1.
    pub line: usize,
    /// Its words.
    pub text: String,
}

/// One test.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TestCase {
    /// Its name within the file: of its class or group, and its own.
    pub name: String,
    /// Its line, from 1.
    pub line: usize,
    /// All of it, with what stands before it.
    pub text: String,
    /// The marks by which it is skipped.
    pub skips: Vec<TextSpot>,
    /// Marks by which only some tests are run.
    pub only: Vec<TextSpot>,
    /// Its assertions, those of helpers of the file that it calls among them.
    pub assertions: Vec<TestAssertion>,
    /// Errors that are swallowed.
    pub swallowed: Vec<TextSpot>,
    /// Numbers that say how exact a comparison is, or how long something may take.
    pub limits: Vec<TextSpot>,
    /// Parts of the code that are replaced while it runs.
    pub replaced: Vec<TextSpot>,
    /// The rows of data with which it is run.
    pub rows: Vec<String>,
}

/// The tests of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TestFile {
    /// The tests, in their order.
    pub tests: Vec<TestCase>,
    /// Marks that skip all that is in the file.
    pub skips: Vec<TextSpot>,
    /// The names that the file defines, with the words that define them.
    pub defined: Vec<(String, String)>,
}
