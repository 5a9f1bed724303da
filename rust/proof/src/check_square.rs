//! The outcomes of one check in the cells of the square, by tests where it reports them.

use std::collections::BTreeSet;

use chant_evidence::{CellOutcome, ProofWord, Square, SquareCell, TestReport};
use chant_work::run_record::{CellEntry, ProofEntry};

/// The source of proofs by exit codes.
const BY_EXIT_CODE: &str = "exit code";
/// The source of proofs by tests.
const BY_REPORT: &str = "report";
/// The greatest number of tests that are named.
pub const MAX_TESTS: usize = 20;

/// The end of a check in a cell.
pub struct CellEnd {
    /// Its exit code; `None` if it did not end by itself.
    pub exit: Option<i32>,
    /// The duration in milliseconds.
    pub ms: u64,
    /// The tests that it reports.
    pub report: Option<TestReport>,
}

/// The outcomes of a check.
#[derive(Default)]
pub struct CheckSquare {
    /// The outcomes in the cells.
    pub square: Square,
    /// The reason why no more is known.
    pub note: Option<String>,
    /// True if it fails without a piece of the code.
    pub holds: bool,
    cells: Vec<CellEntry>,
    /// The tests of the work itself.
    green: Option<TestReport>,
    /// Those of them that fail without the change.
    red: BTreeSet<String>,
    /// Tests that are known to end in both ways on the same files: they prove nothing.
    flaky: BTreeSet<String>,
    /// True if it failed on the work itself, too, before it passed.
    has_wavered: bool,
}

impl CellEnd {
    /// The end of a check that passed on the same tree before.
    pub fn known() -> Self {
        Self {
            exit: Some(0),
            ms: 0,
            report: None,
        }
    }
}

impl CheckSquare {
    /// Begins with the tests of the work itself, if it reports them.
    pub fn of_green(green: Option<TestReport>, flaky: BTreeSet<String>) -> Self {
        Self {
            green,
            flaky,
            ..Self::default()
        }
    }

    /// The same for a check that failed on the work before it passed.
    #[must_use]
    pub fn wavering(mut self, has_wavered: bool) -> Self {
        self.has_wavered = has_wavered;
        self
    }

    /// True if it reports its tests.
    pub fn reports(&self) -> bool {
        self.green.is_some()
    }

    /// Notes the end of the new tests on the old code, run once more: a check that passes now, or of which other tests
    /// fail, is red by chance.
    pub fn note_again(&mut self, end: &CellEnd) {
        let red = self.failed_of(end);
        let was_red = !self.red.is_empty();
        self.red.retain(|test| red.contains(test));
        let is_other = was_red && self.red.is_empty();
        if is_other || CellOutcome::of(end.exit) != CellOutcome::Failed {
            self.square.b = Some(CellOutcome::Accident);
            self.note = Some("flaky: failed once without the change, and once not".into());
        }
    }

    /// Returns the tests that fail in a cell and pass in the work itself.
    pub fn failed_of(&self, end: &CellEnd) -> BTreeSet<String> {
        let both = self.green.as_ref().zip(end.report.as_ref());
        let mut failed = both.map_or_else(BTreeSet::new, |(green, now)| now.failed_beside(green));
        failed.retain(|test| !self.flaky.contains(test));
        failed
    }

    /// True if nothing failed but what is known to end in both ways.
    fn is_by_chance(&self, end: &CellEnd) -> bool {
        let Some(report) = &end.report else {
            return self.flaky.contains("");
        };
        let mut failed = report.failed().peekable();
        failed.peek().is_some() && failed.all(|test| self.flaky.contains(test))
    }

    /// Notes the end of the check in a cell of the tree.
    pub fn note_cell(&mut self, cell: SquareCell, tree: &str, end: &CellEnd) {
        let mut outcome = CellOutcome::of(end.exit);
        if outcome == CellOutcome::Failed && self.is_by_chance(end) {
            outcome = CellOutcome::Accident;
            self.note = Some("flaky: only tests that are known as such fail".into());
        }
        let red = self.failed_of(end);
        match cell {
            SquareCell::A => {
                self.square.a = Some(outcome);
                if self.square.b.is_none() {
                    self.red = red;
                }
            }
            SquareCell::B => {
                self.square.b = Some(outcome);
                self.red = red;
            }
            SquareCell::D => self.square.d = Some(outcome),
            SquareCell::E => {}
        }
        self.cells.push(CellEntry {
            cell: cell.name().to_owned(),
            tree: tree.to_owned(),
            exit: end.exit,
            ms: end.ms,
            known: end.ms == 0 && end.exit == Some(0),
        });
    }

    /// Returns its record.
    pub fn entry(&self) -> ProofEntry {
        let verdict = self.square.verdict();
        let is_red = verdict.word == ProofWord::RedGreen;
        let word = match verdict.word {
            _ if self.has_wavered => ProofWord::Regression,
            ProofWord::RedGreen if self.holds => ProofWord::Held,
            word => word,
        };
        let wavered = self
            .has_wavered
            .then(|| "flaky: failed on the same files before it passed".to_owned());
        // Any call of what is not there yet fails so.
        let is_of_build = is_red && self.green.is_some() && self.red.is_empty();
        let build = is_of_build.then(|| "no test of it began without the change".to_owned());
        let by = if self.red.is_empty() {
            BY_EXIT_CODE
        } else {
            BY_REPORT
        };
        ProofEntry {
            word: word.name().to_owned(),
            note: wavered
                .or_else(|| self.note.clone())
                .or(verdict.note.map(str::to_owned))
                .or(build),
            by: by.to_owned(),
            tests: self.red.iter().take(MAX_TESTS).cloned().collect(),
            changed_meaning: verdict.changed_meaning,
            cells: self.cells.clone(),
        }
    }
}
