//! Runs checks that failed on finished work again, on the same files: what ends in both ways is flaky.

use std::collections::BTreeMap;
use std::time::Instant;

use super::completion_check::{CompletionCheck, CompletionContext};
use super::completion_proof::SquareRun;
use super::rerun::CommitChecks;
use chant_base::error::Error;
use chant_config::proof::ProofSettings;
use chant_evidence::{CellOutcome, SquareCell};
use chant_proof::check_square::CellEnd;
use chant_proof::completion::CheckResult;
use chant_proof::flaky_tests::{FlakyTests, SameFiles};
use chant_work::run_record::RunRecord;

/// The greatest number of further runs of a check.
const MORE_RUNS: usize = 2;

impl CompletionCheck<'_> {
    /// Runs each check that failed by itself again, until it failed twice or was run three times. One that passed more
    /// often than it failed, or of which only known flaky tests fail, passes if the project allows that.
    ///
    /// # Errors
    /// A failure of git, of the disk, or to run the checks.
    pub(super) fn run_failed_again(
        &self,
        context: &CompletionContext,
        record: &RunRecord,
        mut results: Vec<CheckResult>,
    ) -> Result<Vec<CheckResult>, Error> {
        let settings = &context.config.proof;
        let Some(interruption) = self.interruption.filter(|_| !settings.time().is_zero()) else {
            return Ok(results);
        };
        let failed = |check: &&mut CheckResult| {
            check.refused.is_none() && CellOutcome::of(check.exit) == CellOutcome::Failed
        };
        let tip = self.place.branch_tip(&context.repo)?;
        for check in results.iter_mut().filter(failed) {
            let mut run = SquareRun {
                commits: CommitChecks {
                    project: self.project,
                    repo: &context.repo,
                    config: &context.config,
                    spec: &context.spec,
                    record,
                    interruption,
                },
                judge: self,
                base: &self.place.base,
                deadline: Instant::now() + settings.time(),
                found: BTreeMap::new(),
            };
            self.run_again(&mut run, check, &tip, settings)?;
        }
        let flaky = results.iter().filter(|check| check.flaky.is_some());
        let flaky: BTreeMap<&str, &CheckResult> =
            flaky.map(|check| (check.name.as_str(), check)).collect();
        if !flaky.is_empty() {
            self.update(|record| {
                for entry in &mut record.checks {
                    if let Some(check) = flaky.get(entry.name.as_str()) {
                        entry.exit = check.exit;
                        entry.flaky = check.flaky.clone().unwrap_or_default();
                    }
                }
            })?;
        }
        Ok(results)
    }

    fn run_again(
        &self,
        run: &mut SquareRun<'_>,
        check: &mut CheckResult,
        tip: &str,
        settings: &ProofSettings,
    ) -> Result<(), Error> {
        let names = [check.name.clone()];
        let mut ends = vec![CellEnd {
            exit: check.exit,
            ms: 0,
            report: check.report.take(),
        }];
        let failures = |ends: &[CellEnd]| ends.iter().filter(|end| end.exit != Some(0)).count();
        while ends.len() <= MORE_RUNS && failures(&ends) < 2 {
            let Some((_, end)) = run.run_checks(SquareCell::E.name(), tip, &names)?.pop() else {
                break;
            };
            ends.push(end);
        }
        let mut same = SameFiles::default();
        for end in &ends {
            same.add(end);
        }
        let flaky = same.remember(self.runs, &check.name)?;
        let known = FlakyTests::read(self.runs).of_check(&check.name);
        let failed = same.failed();
        let has_passed_mostly = failures(&ends) * 2 < ends.len();
        let is_known = !failed.is_empty() && failed.is_subset(&known);
        if !has_passed_mostly && !is_known {
            return Ok(());
        }
        let both = if flaky.is_empty() { &failed } else { &flaky };
        let named = both.iter().map(|test| match test.as_str() {
            "" => check.name.clone(),
            test => test.to_owned(),
        });
        check.flaky = Some(named.collect());
        let allows = |name: &String| settings.allow_flaky.contains(name);
        if allows(&check.name) || (!failed.is_empty() && failed.iter().all(allows)) {
            check.exit = Some(0);
            let passed = ends.into_iter().find(|end| end.exit == Some(0));
            check.report = passed.and_then(|end| end.report);
        }
        Ok(())
    }
}
