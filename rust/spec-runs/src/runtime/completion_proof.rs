//! Shows that the checks of finished work see the change: they are run with its tests on the code as it was, and with
//! the tests as they were on its code. Nothing here keeps work from landing.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::completion_check::{CompletionCheck, CompletionContext};
use super::environment::CommitOrigin;
use super::passed_cells::{self, CellInputs};
use super::rerun::{CommitChecks, exit_of, start_logged};
use crate::evidence::IncompleteReason;
use crate::proof_words;
use chant_base::answer::cut;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::proof::ProofDemand;
use chant_config::run_environment::RouteUser;
use chant_evidence::{
    CellOutcome, FileClass, ProofWord, Square, SquareCell, TestLanguage, class_of, path_matcher,
    text_of, with_tests_of,
};
use chant_git::Repo;
use chant_git::changed_files::{ChangedFile, CommittedFile};
use chant_git::exchanged_files::{ExchangedFile, ExchangedVersion};
use chant_specs::model::SpecType;
use chant_work::WorkError;
use chant_work::run_record::{CellEntry, ProofEntry, RunRecord};

/// The source of proofs.
const BY_EXIT_CODE: &str = "exit code";
/// The greatest number of characters of a reason why a cell was not run.
const MAX_REASON: usize = 200;

/// The commits of the cells beside the work itself.
#[derive(Default)]
struct CellCommits {
    /// The code and the tests as they were.
    a: String,
    /// The code as it was, with the new tests; `None` where that is one of the others.
    b: Option<String>,
    /// The new code, with the tests as they were.
    d: Option<String>,
}

/// The exit code of a check in a cell, with its duration.
type Ended = (Option<i32>, u64);

/// One judging of the square.
struct SquareRun<'a> {
    commits: CommitChecks<'a>,
    judge: &'a CompletionCheck<'a>,
    base: &'a str,
    deadline: Instant,
    /// The checks by name, with what is known of them.
    found: BTreeMap<String, CheckSquare>,
}

/// The outcomes of a check.
#[derive(Default)]
struct CheckSquare {
    square: Square,
    cells: Vec<CellEntry>,
    note: Option<String>,
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
    ) -> Result<Option<IncompleteReason>, Error> {
        let record = self.runs.get(&self.process_id)?;
        let passed = record.checks.iter().filter(|check| check.exit == Some(0));
        let names: Vec<String> = passed.map(|check| check.name.clone()).collect();
        if names.is_empty() {
            return Ok(None);
        }
        let found = self
            .squares(context, &record, &names)
            .unwrap_or_else(|error| {
                let note = cut(&format!("not run: {error}"), MAX_REASON);
                let of = |name: &String| {
                    let square = CheckSquare {
                        note: Some(note.clone()),
                        ..CheckSquare::default()
                    };
                    (name.clone(), square)
                };
                names.iter().map(of).collect()
            });
        let record = self.update(|record| {
            for check in &mut record.checks {
                check.proof = found.get(&check.name).map(CheckSquare::entry);
            }
        })?;
        Ok(not_red(context, &record))
    }

    fn squares(
        &self,
        context: &CompletionContext,
        record: &RunRecord,
        names: &[String],
    ) -> Result<BTreeMap<String, CheckSquare>, Error> {
        let mut found: BTreeMap<String, CheckSquare> = BTreeMap::new();
        for name in names {
            found.insert(name.clone(), CheckSquare::default());
        }
        let Some(interruption) = self.interruption else {
            return Ok(found);
        };
        let repo = &context.repo;
        let tip = self.place.branch_tip(repo)?;
        let target = repo.branch_tip(&self.place.target)?;
        let base = target
            .map(|target| repo.merge_base(&target, &tip))
            .transpose()?
            .flatten();
        let base = base.unwrap_or_else(|| self.place.base.clone());
        let time = context.config.proof.time();
        let changes = ChangedSides::of(context, repo, &base, &tip)?;
        let Some(commits) = changes.commits(repo, &base, &tip)? else {
            return Ok(found);
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
            deadline: Instant::now() + time,
            found,
        };
        run.fill(&commits)?;
        Ok(run.found)
    }
}

/// The criteria that no check proves, where the project asks that one does.
fn not_red(context: &CompletionContext, record: &RunRecord) -> Option<IncompleteReason> {
    let is_asked = context.config.proof.require == ProofDemand::Red
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
        ran && proof_words::word_of(record, &one.checks, one.checked) < ProofWord::RedGreen
    });
    let texts: Vec<String> = unproven.map(|one| one.text.clone()).collect();
    (!texts.is_empty()).then_some(IncompleteReason::NotRed(texts))
}

/// The changed files, by the side that they belong to.
struct ChangedSides {
    /// Tests, their data and their configuration.
    judge: Vec<ChangedFile>,
    /// Code with tests of its own: the path, and the old and the new bytes.
    mixed: Vec<(String, Vec<u8>, Vec<u8>)>,
    has_code: bool,
}

impl ChangedSides {
    fn of(context: &CompletionContext, repo: &Repo, base: &str, tip: &str) -> Result<Self, Error> {
        let proof = &context.config.proof;
        let (tests, config) = (path_matcher(&proof.tests), path_matcher(&proof.config));
        let mut sides = Self {
            judge: Vec::new(),
            mixed: Vec::new(),
            has_code: false,
        };
        for file in repo.changed_files(base, tip)? {
            let class = class_of(&file.path);
            if tests(&file.path) || config(&file.path) || class.is_judge() {
                sides.judge.push(file);
                continue;
            }
            if class == FileClass::Words {
                continue;
            }
            sides.has_code = true;
            if let (Some(old), Some(new)) = (&file.old, &file.new)
                && class == FileClass::Code
                && TestLanguage::of(&file.path) == Some(TestLanguage::Rust)
            {
                let bytes = |file: &CommittedFile| repo.content_of(file);
                sides
                    .mixed
                    .push((file.path.clone(), bytes(old)?, bytes(new)?));
            }
        }
        Ok(sides)
    }

    /// Makes the commits of the cells; `None` where the work changes no code: nothing can be shown then.
    fn commits(&self, repo: &Repo, base: &str, tip: &str) -> Result<Option<CellCommits>, Error> {
        if !self.has_code {
            return Ok(None);
        }
        let version =
            |version: &Option<CommittedFile>| version.clone().map(ExchangedVersion::Committed);
        let exchanged = |side: fn(&ChangedFile) -> &Option<CommittedFile>| -> Vec<ExchangedFile> {
            let files = self.judge.iter().map(|file| ExchangedFile {
                path: file.path.clone(),
                version: version(side(file)),
            });
            files.collect()
        };
        let (mut newer, mut older) = (exchanged(|file| &file.new), exchanged(|file| &file.old));
        let mut has_old_tests = self.judge.iter().any(|file| file.old.is_some());
        for (path, old, new) in &self.mixed {
            let (Some(old), Some(new)) = (text_of(old), text_of(new)) else {
                continue;
            };
            let (Some(with_new), Some(with_old)) = (
                with_tests_of(path, &old, &new),
                with_tests_of(path, &new, &old),
            ) else {
                continue;
            };
            let file = |text: String| ExchangedFile {
                path: path.clone(),
                version: Some(ExchangedVersion::Bytes(text.into_bytes())),
            };
            has_old_tests |= with_tests_of(path, "", &old).is_some();
            newer.push(file(with_new));
            older.push(file(with_old));
        }
        let has_tests = !newer.is_empty();
        Ok(Some(CellCommits {
            a: base.to_owned(),
            b: has_tests
                .then(|| repo.commit_with(base, &newer))
                .transpose()?,
            d: (has_tests && has_old_tests)
                .then(|| repo.commit_with(tip, &older))
                .transpose()?,
        }))
    }
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
        let (mut left, mut keys) = (Vec::new(), BTreeMap::new());
        for name in names {
            let key = self.key(name, &tree);
            if key
                .as_deref()
                .is_some_and(|key| passed_cells::has_passed(self.judge.runs, key))
            {
                self.note(cell, name, &tree, (Some(0), 0), true);
            } else {
                keys.insert(name.clone(), key);
                left.push(name.clone());
            }
        }
        for (name, ended) in self.run_checks(cell, commit, &left)? {
            if ended.0 == Some(0)
                && let Some(Some(key)) = keys.get(&name)
            {
                passed_cells::remember(self.judge.runs, key)
                    .log_failure("remember a check that passed");
            }
            self.note(cell, &name, &tree, ended, false);
        }
        Ok(())
    }

    /// Runs the new tests on the old code once more: a check that passes now or cannot end is red by chance.
    fn run_again(&mut self, commit: &str, names: &[String]) -> Result<(), Error> {
        for (name, (exit, _)) in self.run_checks(SquareCell::B, commit, names)? {
            let Some(one) = self.found.get_mut(&name) else {
                continue;
            };
            if CellOutcome::of(exit) != CellOutcome::Failed {
                one.square.b = Some(CellOutcome::Accident);
                one.note = Some("flaky: failed once without the change, and once not".into());
            }
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

    fn note(&mut self, cell: SquareCell, name: &str, tree: &str, (exit, ms): Ended, known: bool) {
        let Some(one) = self.found.get_mut(name) else {
            return;
        };
        let outcome = Some(CellOutcome::of(exit));
        match cell {
            SquareCell::A => one.square.a = outcome,
            SquareCell::B => one.square.b = outcome,
            SquareCell::D => one.square.d = outcome,
            SquareCell::E => {}
        }
        one.cells.push(CellEntry {
            cell: cell.name().to_owned(),
            tree: tree.to_owned(),
            exit,
            ms,
            known,
        });
    }

    /// Runs checks in a fresh folder with the files of a commit; what is not run has a note that says why.
    fn run_checks(
        &mut self,
        cell: SquareCell,
        commit: &str,
        names: &[String],
    ) -> Result<Vec<(String, Ended)>, Error> {
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
            job.name = format!("check {name} (cell {})", cell.name());
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
            let ms = u64::try_from(ms).unwrap_or(u64::MAX);
            ended.push((name.clone(), (exit_of(outcome.as_ref()), ms)));
        }
        Ok(ended)
    }

    fn time_left(&self) -> Option<Duration> {
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

impl CheckSquare {
    fn entry(&self) -> ProofEntry {
        let verdict = self.square.verdict();
        ProofEntry {
            word: verdict.word.name().to_owned(),
            note: self.note.clone().or(verdict.note.map(str::to_owned)),
            by: BY_EXIT_CODE.to_owned(),
            changed_meaning: verdict.changed_meaning,
            cells: self.cells.clone(),
        }
    }
}
