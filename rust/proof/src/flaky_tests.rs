//! Tests that passed and failed on the same files, as this user's runs of a project saw them.

use std::collections::{BTreeMap, BTreeSet};

use chant_base::error::Error;
use chant_store::StoreError;
use chant_store::disk;
use chant_store::files::{self, RootFolder};
use chant_work::run_record::stamp;
use chant_work::run_store::RunStore;
use serde::{Deserialize, Serialize};

/// The folder in the state folder.
const FOLDER_NAME: &str = "flaky-tests";
/// The file in it.
const FILE_NAME: &str = "tests.json";
/// The greatest size of the file in bytes.
const MAX_SIZE: u64 = 1024 * 1024;
/// The greatest number of tests of a check.
const MAX_TESTS: usize = 1000;

/// The flaky tests of each check, by name. A check that does not report its tests has one, without a name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FlakyTests {
    checks: BTreeMap<String, BTreeMap<String, FlakyTest>>,
}

/// The ends of a flaky test on files on which it also ended otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FlakyTest {
    /// The number of times that it failed.
    pub failed: u64,
    /// The number of times that it passed.
    pub passed: u64,
    /// The last time, RFC 3339, UTC.
    pub last: String,
}

impl FlakyTests {
    /// Reads what is known; a file that cannot be read says nothing.
    pub fn read(runs: &RunStore) -> Self {
        let folder = runs.state.read(&runs.state.in_project(FOLDER_NAME));
        let text =
            folder.and_then(|folder| disk::read_owned(&folder.join(FILE_NAME), MAX_SIZE).ok());
        text.and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    /// The names of the flaky tests of a check.
    pub fn of_check(&self, check: &str) -> BTreeSet<String> {
        let tests = self.checks.get(check).into_iter().flatten();
        tests.map(|(name, _)| name.clone()).collect()
    }

    /// All of them, by check and name.
    pub fn all(&self) -> impl Iterator<Item = FlakyRow> {
        self.checks.iter().flat_map(|(check, tests)| {
            tests.iter().map(|(test, ends)| FlakyRow {
                check: check.clone(),
                test: test.clone(),
                ends: ends.clone(),
            })
        })
    }

    fn note(&mut self, check: &str, tests: &BTreeMap<String, FlakyTest>) {
        let known = self.checks.entry(check.to_owned()).or_default();
        for (name, ends) in tests {
            let test = known.entry(name.clone()).or_default();
            test.failed += ends.failed;
            test.passed += ends.passed;
            test.last.clone_from(&ends.last);
        }
        while known.len() > MAX_TESTS {
            let oldest = known.iter().min_by_key(|(_, test)| &test.last);
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else {
                break;
            };
            known.remove(&oldest);
        }
    }
}

/// A flaky test with its check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FlakyRow {
    /// The check.
    pub check: String,
    /// The test; empty for a check that reports none.
    pub test: String,
    /// Its ends.
    #[serde(flatten)]
    pub ends: FlakyTest,
}

/// The ends of a check on the same files.
#[derive(Debug, Clone, Default)]
pub struct SameFiles {
    failed: BTreeMap<String, u64>,
    passed: BTreeMap<String, u64>,
}

impl SameFiles {
    /// Adds the ends of tests in one run; a check without a report is one test without a name.
    pub fn add(&mut self, end: &crate::check_square::CellEnd) {
        let Some(report) = &end.report else {
            let ends = if end.exit == Some(0) {
                &mut self.passed
            } else {
                &mut self.failed
            };
            *ends.entry(String::new()).or_default() += 1;
            return;
        };
        for name in report.failed() {
            *self.failed.entry(name.to_owned()).or_default() += 1;
        }
        for name in report.passed() {
            *self.passed.entry(name.to_owned()).or_default() += 1;
        }
    }

    /// The names of the tests that failed in any run.
    pub fn failed(&self) -> BTreeSet<String> {
        self.failed.keys().cloned().collect()
    }

    /// Returns the tests that ended in both ways, and remembers them.
    ///
    /// # Errors
    /// A failure of the disk.
    pub fn remember(&self, runs: &RunStore, check: &str) -> Result<BTreeSet<String>, Error> {
        let last = stamp((runs.clock)());
        let both = self.failed.iter().filter_map(|(name, failed)| {
            let ends = FlakyTest {
                failed: *failed,
                passed: *self.passed.get(name)?,
                last: last.clone(),
            };
            Some((name.clone(), ends))
        });
        let both: BTreeMap<String, FlakyTest> = both.collect();
        if !both.is_empty() {
            change(runs, |known| known.note(check, &both))?;
        }
        Ok(both.into_keys().collect())
    }
}

/// Forgets the flaky tests of a check, or all.
///
/// # Errors
/// A failure of the disk.
pub fn forget(runs: &RunStore, check: Option<&str>) -> Result<usize, Error> {
    let before = FlakyTests::read(runs).all().count();
    if before == 0 {
        return Ok(0);
    }
    change(runs, |known| {
        known
            .checks
            .retain(|name, _| check.is_some_and(|check| check != name));
    })?;
    Ok(before - FlakyTests::read(runs).all().count())
}

fn change(runs: &RunStore, change: impl Fn(&mut FlakyTests)) -> Result<(), Error> {
    let folder = RootFolder::open(&runs.state.ensure(&runs.state.in_project(FOLDER_NAME))?)?;
    match disk::create_owned(&folder.path().join(FILE_NAME), "") {
        Ok(()) | Err(StoreError::Exists { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    files::edit(&runs.disk, &folder, FILE_NAME, |text| {
        // A file that was damaged begins anew.
        let mut known: FlakyTests = serde_json::from_str(text).unwrap_or_default();
        change(&mut known);
        Ok::<_, Error>(serde_json::to_string(&known).unwrap_or_default() + "\n")
    })?;
    Ok(())
}
