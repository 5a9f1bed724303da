//! Shows that the checks of finished work see the change: they are run with its tests on the code as it was, and with
//! the tests as they were on its code. Nothing here keeps work from landing.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::completion_check::{CompletionCheck, CompletionContext};
use super::environment::CommitOrigin;
use super::rerun::{CommitChecks, exit_of, start_logged};
use chant_base::answer::cut;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::proof::ProofDemand;
use chant_config::run_environment::RouteUser;
use chant_evidence::{CellOutcome, ProofWord, Square, SquareCell};
use chant_proof::check_square::{CellEnd, CheckSquare};
use chant_proof::completion::{CheckResult, IncompleteReason};
use chant_proof::flaky_tests::FlakyTests;
use chant_proof::passed_checks::{self, CellInputs};
use chant_proof::words;
use chant_proof::work_sides::{CellCommits, WorkSides};
use chant_specs::model::SpecType;
use chant_work::WorkError;
use chant_work::run_record::{HeldCodeEntry, RunRecord};

/// The greatest number of characters of a reason why a cell was not run.
const MAX_REASON: usize = 200;

/// One judging of the square.
pub(super) struct SquareRun<'a> {
    pub commits: CommitChecks<'a>,
    pub judge: &'a CompletionCheck<'a>,
    pub base: &'a str,
    pub deadline: Instant,
    /// The checks by name, with what is known of them.
    pub found: BTreeMap<String, CheckSquare>,
}

/// The knowledge about the checks of some work, and about its code.
#[derive(Default)]
struct FoundProof {
    checks: BTreeMap<String, CheckSquare>,
    held: Option<HeldCodeEntry>,
}

impl CompletionCheck<'_> {
    /// Runs the checks that passed in the further cells, and notes their words in the record; returns why that does
    /// not suffice, where the project asks for more.
    ///
    /// # Errors
    /// A failure to write the record; whatever else fails is a note of the check.
    pub(super) fn prove(
        &self,
        context: &CompletionContext,
        results: &[CheckResult],
    ) -> Result<Vec<IncompleteReason>, Error> {
        let record = self.runs.get(&self.process_id)?;
        let passed = results.iter().filter(|check| check.exit == Some(0));
        let known = FlakyTests::read(self.runs);
        let green = |check: &CheckResult| {
            let flaky = known.of_check(&check.name);
            CheckSquare::of_green(check.report.clone(), flaky).wavering(check.flaky.is_some())
        };
        let checks: BTreeMap<String, CheckSquare> = passed
            .map(|check| (check.name.clone(), green(check)))
            .collect();
        if checks.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<String> = checks.keys().cloned().collect();
        let found = self
            .find_proof(context, &record, checks)
            .unwrap_or_else(|error| {
                let note = cut(&format!("not run: {error}"), MAX_REASON);
                let of = |name| {
                    let mut square = CheckSquare::default();
                    square.note = Some(note.clone());
                    (name, square)
                };
                FoundProof {
                    checks: names.into_iter().map(of).collect(),
                    held: context.config.proof.takes_back().then(|| HeldCodeEntry {
                        note: Some(note.clone()),
                        ..HeldCodeEntry::default()
                    }),
                }
            });
        let record = self.update(|record| {
            for check in &mut record.checks {
                check.proof = found.checks.get(&check.name).map(CheckSquare::entry);
            }
            record.held = found.held.clone().map(Box::new);
        })?;
        let reasons = not_red(context, &record).into_iter();
        Ok(reasons.chain(self.not_held(context, &record)?).collect())
    }

    fn find_proof(
        &self,
        context: &CompletionContext,
        record: &RunRecord,
        checks: BTreeMap<String, CheckSquare>,
    ) -> Result<FoundProof, Error> {
        let without = |checks| FoundProof { checks, held: None };
        let Some(interruption) = self.interruption else {
            return Ok(without(checks));
        };
        let repo = &context.repo;
        let tip = self.place.branch_tip(repo)?;
        let target = repo.branch_tip(&self.place.target)?;
        let base = target
            .map(|target| repo.merge_base(&target, &tip))
            .transpose()?
            .flatten();
        let base = base.unwrap_or_else(|| self.place.base.clone());
        let sides = WorkSides::of(repo, &context.config.proof, &base, &tip)?;
        let Some(commits) = sides.commits(repo, &base, &tip)? else {
            return Ok(without(checks));
        };
        let mut run = SquareRun {
            commits: CommitChecks {
                project: self.project,
                repo,
                config: &context.config,
                spec: &context.spec,
                record,
                interruption,
            },
            judge: self,
            base: &base,
            deadline: Instant::now() + context.config.proof.time(),
            found: checks,
        };
        run.fill(&commits)?;
        let takes_back = context.config.proof.takes_back();
        let held = takes_back
            .then(|| run.take_back(&sides.pieces(repo)?, &tip))
            .transpose()?;
        Ok(FoundProof {
            checks: run.found,
            held,
        })
    }
}

/// The criteria that no check proves, where the project asks that one does.
fn not_red(context: &CompletionContext, record: &RunRecord) -> Option<IncompleteReason> {
    let is_asked = context.config.proof.require >= ProofDemand::Red
        && matches!(context.spec.kind, SpecType::Code | SpecType::Other(_));
    let criteria = record
        .criteria_at_start
        .iter()
        .filter(|one| is_asked && !one.without_red);
    let unproven = criteria.filter(|one| {
        let ran = record
            .checks
            .iter()
            .any(|check| one.checks.contains(&check.name));
        ran && words::word_of(record, &one.checks, one.checked) < ProofWord::RedGreen
    });
    let texts: Vec<String> = unproven.map(|one| one.text.clone()).collect();
    (!texts.is_empty()).then_some(IncompleteReason::NotRed(texts))
}

impl SquareRun<'_> {
    /// Runs the cells that can change a word: the new tests on the old code first.
    fn fill(&mut self, commits: &CellCommits) -> Result<(), Error> {
        let all: Vec<String> = self.found.keys().cloned().collect();
        if let Some(commit) = &commits.b {
            self.run_cell(SquareCell::B, commit, &all)?;
            let red = self.names(|square| square.b == Some(CellOutcome::Failed));
            // What fails once may fail by chance.
            self.run_again(commit, &red)?;
        }
        if let Some(commit) = &commits.d {
            self.run_cell(SquareCell::D, commit, &all)?;
        }
        let open = self.names(|square| {
            square.b != Some(CellOutcome::Failed) || square.d == Some(CellOutcome::Failed)
        });
        self.run_cell(SquareCell::A, &commits.a, &open)
    }

    fn names(&self, is_asked: impl Fn(&Square) -> bool) -> Vec<String> {
        let asked = self.found.iter().filter(|(_, one)| is_asked(&one.square));
        asked.map(|(name, _)| name.clone()).collect()
    }

    fn run_cell(&mut self, cell: SquareCell, commit: &str, names: &[String]) -> Result<(), Error> {
        let tree = self.commits.repo.tree_of(commit)?;
        for (name, end) in self.run_unknown(cell.name(), commit, names)? {
            if let Some(one) = self.found.get_mut(&name) {
                one.note_cell(cell, &tree, &end);
            }
        }
        Ok(())
    }

    /// Runs those checks that are not known to pass on the tree; those that are have no time.
    pub(super) fn run_unknown(
        &mut self,
        cell: &str,
        commit: &str,
        names: &[String],
    ) -> Result<Vec<(String, CellEnd)>, Error> {
        let tree = self.commits.repo.tree_of(commit)?;
        let (mut ends, mut left, mut keys) = (Vec::new(), Vec::new(), BTreeMap::new());
        for name in names {
            let key = self.key(name, &tree);
            let is_known = key
                .as_deref()
                .is_some_and(|key| passed_checks::has_passed(self.judge.runs, key));
            if is_known {
                ends.push((name.clone(), CellEnd::known()));
            } else {
                keys.insert(name.clone(), key);
                left.push(name.clone());
            }
        }
        for (name, end) in self.run_checks(cell, commit, &left)? {
            if end.exit == Some(0)
                && let Some(Some(key)) = keys.get(&name)
            {
                passed_checks::remember(self.judge.runs, key)
                    .log_failure("remember a check that passed");
            }
            ends.push((name, end));
        }
        Ok(ends)
    }

    /// Runs the new tests on the old code once more: a check that passes now or cannot end is red by chance.
    fn run_again(&mut self, commit: &str, names: &[String]) -> Result<(), Error> {
        for (name, end) in self.run_checks(SquareCell::B.name(), commit, names)? {
            let Some(one) = self.found.get_mut(&name) else {
                continue;
            };
            one.note_again(&end);
        }
        Ok(())
    }

    fn key(&self, name: &str, tree: &str) -> Option<String> {
        let CommitChecks {
            project,
            config,
            record,
            ..
        } = self.commits;
        let argv = config.runs.checks.get(name)?;
        CellInputs {
            project,
            config,
            environment: &record.environment,
            argv,
            tree,
        }
        .key()
    }

    /// Runs checks in a fresh folder with the files of a commit; what is not run has a note that says why.
    pub(super) fn run_checks(
        &mut self,
        cell: &str,
        commit: &str,
        names: &[String],
    ) -> Result<Vec<(String, CellEnd)>, Error> {
        let mut ended = Vec::new();
        if names.is_empty() {
            return Ok(ended);
        }
        if self.time_left().is_none() {
            self.not_run(names, "time");
            return Ok(ended);
        }
        let commits = self.commits;
        let mut folder = commits.open(commit)?;
        if !commits.record.asked.bare
            && let Some(why) = folder.set_up(commit, CommitOrigin::BranchOf(self.base))?
        {
            self.not_run(names, &why);
            return Ok(ended);
        }
        if commits.record.asked.bare {
            folder.hold_namespaces(RouteUser::Checks)?;
        }
        for name in names {
            let Some(argv) = commits.config.runs.checks.get(name) else {
                continue;
            };
            let Some(left) = self.time_left() else {
                self.not_run(std::slice::from_ref(name), "time");
                continue;
            };
            let mut job = folder.command(argv)?;
            job.name = format!("check {name} (cell {cell})");
            let report = commits.report_of(name, &folder.place().root);
            job.limits.run = Some(job.limits.run.map_or(left, |own| own.min(left)));
            let spec = commits.spec.id.as_str();
            let outcome = match start_logged(self.judge.runs, commits.record, spec, job) {
                Ok(agent) => Some(agent.wait(commits.interruption)?),
                Err(WorkError::NoAgent { .. }) => None,
                Err(error) => return Err(error.into()),
            };
            if commits.interruption.is_cancelled() {
                self.not_run(names, "interrupted");
                return Ok(ended);
            }
            let ms = outcome
                .as_ref()
                .map_or(0, |outcome| outcome.duration.as_millis());
            let end = CellEnd {
                exit: exit_of(outcome.as_ref()),
                ms: u64::try_from(ms).unwrap_or(u64::MAX),
                report: report.and_then(|report| report.read()),
            };
            ended.push((name.clone(), end));
        }
        Ok(ended)
    }

    pub(super) fn time_left(&self) -> Option<Duration> {
        let left = self.deadline.checked_duration_since(Instant::now())?;
        (!left.is_zero()).then_some(left)
    }

    fn not_run(&mut self, names: &[String], why: &str) {
        for name in names {
            if let Some(one) = self.found.get_mut(name) {
                one.note = Some(cut(&format!("not run: {why}"), MAX_REASON));
            }
        }
    }
}
