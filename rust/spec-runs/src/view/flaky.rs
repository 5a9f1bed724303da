//! The flaky tests of checks, as an answer.

use serde::Serialize;

use chant_proof::flaky_tests::FlakyRow;

/// The tests that failed and passed on the same files.
#[derive(Debug, Serialize)]
pub struct FlakyList {
    /// The tests, by check and name.
    pub tests: Vec<FlakyRow>,
}
