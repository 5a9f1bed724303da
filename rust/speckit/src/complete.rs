//! Ticking a task: one character, under the lock of its file, after everything that speaks against it was
//! asked.

use chant_base::diagnostics::LogFailure;
use std::time::Instant;

use super::config::{CheckCommand, SpeckitConfig};
use super::error::SpeckitError;
use super::events::{CheckEvidence, FeatureEvent};
use super::files::{CallerIdentity, FeatureStore, TASKS};
use super::parse;
use super::plan::TaskPlan;
use super::resolve::{FeatureDirectory, ResolvedProject};
use super::task::{Task, TaskCriterion, TaskList, TaskMark};
use super::unread::listed;
use chant_base::error::Error;
use chant_base::external_items::StatusLookup;
use chant_store::disk;
use chant_store::files::{self, RootFolder};
use chant_text::clash;
use chant_text::edit::{self, Edit, EditError};

/// IDs that a refusal names as like the one that was meant.
const NEAREST: usize = 5;
/// Characters of an ID that is compared with others.
const MAX_LEN: usize = 100;
/// Characters of a check's output that are kept, the last ones.
const TAIL_BYTES: usize = 2_000;

/// A task that is ticked.
pub struct CompletedTask {
    /// The list as it is now.
    pub list: TaskList,
    /// The task's place in it.
    pub at: usize,
    /// True if it was ticked before.
    pub was_complete: bool,
    /// True if the configuration asks for any check.
    pub checks_configured: bool,
    /// The outcomes of the checks.
    pub checks: Vec<CheckEvidence>,
    /// Problems that did not refuse it.
    pub warnings: Vec<String>,
}

/// Which task is to be ticked.
#[derive(Debug, Clone, Copy)]
pub struct CompletionTarget<'a> {
    /// Its ID.
    pub id: &'a str,
    /// True if validation is skipped, checks included.
    pub skips: bool,
}

impl FeatureStore {
    /// Ticks a task of a feature.
    ///
    /// # Errors
    /// `NoTaskList`, `NoTask`, `Duplicate`, `Unready`, `CheckFailed`, `MisspelledKey`, or a `StoreError`; the file is
    /// then as it was.
    pub fn complete(
        &self,
        found: &ResolvedProject,
        feature: &FeatureDirectory,
        who: &CallerIdentity,
        asked: CompletionTarget<'_>,
    ) -> Result<CompletedTask, Error> {
        let CompletionTarget { id, skips } = asked;
        let document = self.tasks(found, feature)?;
        let root = in_place(found, feature)?;
        let (config, config_text) = self.config_with_text(found)?;
        let judge = TaskCompletionCheck {
            config: &config,
            root: &found.root,
            tell: &|keys| self.standings(&found.root, keys),
            asked,
        };
        let at = find_only_task(&document.list, id)?;
        if document.list.tasks[at].mark != TaskMark::Done && !skips {
            config.refuse_misspelled()?;
        }
        if document.list.tasks[at].mark != TaskMark::Done && judge.wants_checks() {
            if !self.runs_commands {
                judge.judge(&document.list, at)?;
                return Err(judge.unchecked().into());
            }
            self.refuse_untrusted(found, &config_text)?;
        }
        let checks = self.checked(found, who, &judge, &document.list, at)?;
        let mut ticked = None;
        let disk = self.disk.clone().staging_in(&found.state);
        let edited = files::edit(&disk, root, &feature.within(TASKS), |text| {
            let list = if text == document.text {
                document.list.clone()
            } else {
                refuse_clash(feature, text)?;
                parse::tasks(text)
            };
            let (changed, done) = judge.tick(text, list)?;
            if !done.was_complete && judge.wants_checks() && checks.is_empty() {
                return Err(judge.reopened().into());
            }
            ticked = Some(done);
            Ok::<_, Error>(changed)
        })?;
        let mut completed = ticked.unwrap_or_else(|| CompletedTask {
            list: parse::tasks(&edited.text),
            at,
            was_complete: true,
            checks_configured: !config.checks.is_empty(),
            checks: Vec::new(),
            warnings: Vec::new(),
        });
        completed.checks = checks;
        if edited.changed {
            self.log_completed(found, who, &mut completed, skips);
        }
        Ok(completed)
    }

    /// Runs the checks that an open task has to pass, after all else was asked; a failure is logged.
    fn checked(
        &self,
        found: &ResolvedProject,
        who: &CallerIdentity,
        judge: &TaskCompletionCheck<'_>,
        list: &TaskList,
        at: usize,
    ) -> Result<Vec<CheckEvidence>, Error> {
        let mut checks = Vec::new();
        let task = &list.tasks[at];
        if task.mark == TaskMark::Done || !judge.wants_checks() {
            return Ok(checks);
        }
        judge.judge(list, at)?;
        let Some(failure) = self.check(found, judge.config, task, &mut checks)? else {
            return Ok(checks);
        };
        let event = FeatureEvent::Task {
            task: &task.id,
            completed: false,
            progress: &list.progress().to_string(),
            skipped_validation: false,
            checks: &checks,
            warnings: &[],
        };
        // The failed check is what has to be reported, whatever became of the log.
        self.log(found, who, event)
            .log_failure("log the failed check");
        Err(failure.into())
    }

    /// Logs that a task was ticked; a failure becomes a warning, because the task is ticked.
    pub(super) fn log_completed(
        &self,
        found: &ResolvedProject,
        who: &CallerIdentity,
        completed: &mut CompletedTask,
        skips: bool,
    ) {
        let task = &completed.list.tasks[completed.at];
        let event = FeatureEvent::Task {
            task: &task.id,
            completed: true,
            progress: &completed.list.progress().to_string(),
            skipped_validation: skips,
            checks: &completed.checks,
            warnings: &completed.warnings,
        };
        if let Err(error) = self.log(found, who, event) {
            completed
                .warnings
                .push(format!("the event was not recorded: {error}"));
        }
    }

    /// Runs the configured checks, by name, until one fails.
    fn check(
        &self,
        found: &ResolvedProject,
        config: &SpeckitConfig,
        task: &Task,
        evidence: &mut Vec<CheckEvidence>,
    ) -> Result<Option<SpeckitError>, Error> {
        for (name, check) in &config.checks {
            let one = self.evidence(found, name, check, &config.env.pass)?;
            let failure = (one.exit != Some(0)).then(|| SpeckitError::CheckFailed {
                id: task.id.to_string(),
                check: name.clone(),
                how: one.how.clone(),
                tail: one.output.clone(),
            });
            evidence.push(one);
            if failure.is_some() {
                return Ok(failure);
            }
        }
        Ok(None)
    }

    #[cfg(unix)]
    fn evidence(
        &self,
        found: &ResolvedProject,
        name: &str,
        check: &CheckCommand,
        configured: &[String],
    ) -> Result<CheckEvidence, Error> {
        use chant_base::environment::{PassedNames, filter_environment};
        use chant_work::WorkError;
        use chant_work::command::{CommandLimits, CommandRunner};
        use chant_work::run_log::{SecretMask, secrets};
        let beside = PassedNames {
            configured,
            ..PassedNames::default()
        };
        let mut environment = filter_environment(self.environment(), beside).variables;
        let more = check.variables();
        environment.extend(more.map(|(name, value)| (name.clone(), value.clone())));
        // A check may find a secret elsewhere than in its environment.
        let mut known = self.environment().clone();
        known.extend(environment.clone());
        let folder = found.root.path().join(check.folder());
        let (time, kept) = (check.limit(), 2 * TAIL_BYTES);
        let began = Instant::now();
        let run = CommandRunner::default().run(
            check.argv(),
            &folder,
            &environment,
            CommandLimits { time, kept },
            &mut || (),
        );
        let (exit, how, output) = match run {
            Ok(ended) => {
                let tail = [ended.beginning.as_slice(), &ended.end].concat();
                let text =
                    SecretMask::new(&secrets(&known))?.apply(&String::from_utf8_lossy(&tail));
                let how = if ended.is_too_long {
                    format!("took longer than {} s", time.as_secs_f64())
                } else {
                    ended.to_string()
                };
                (ended.exit_code, how, last(&text))
            }
            Err(WorkError::System { source, .. }) => {
                let program = check.argv().first().map_or("", String::as_str);
                (
                    None,
                    format!("cannot be run: `{program}`: {source}"),
                    String::new(),
                )
            }
            Err(error) => return Err(error.into()),
        };
        Ok(CheckEvidence {
            name: name.to_owned(),
            exit,
            how,
            seconds: (began.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
            output,
        })
    }

    #[cfg(not(unix))]
    fn evidence(
        &self,
        _: &ResolvedProject,
        name: &str,
        _: &CheckCommand,
        _: &[String],
    ) -> Result<CheckEvidence, Error> {
        Ok(CheckEvidence {
            name: name.to_owned(),
            exit: None,
            how: "cannot be run: checks run on Unix only".into(),
            seconds: 0.0,
            output: String::new(),
        })
    }
}

/// The last characters of what a check wrote.
#[cfg(unix)]
fn last(text: &str) -> String {
    let text = text.trim_end();
    let skipped = text.chars().count().saturating_sub(TAIL_BYTES);
    text.chars().skip(skipped).collect()
}

/// Refuses a list of which a merge left two versions.
pub(super) fn refuse_clash(feature: &FeatureDirectory, text: &str) -> Result<(), SpeckitError> {
    let path = || format!("{}/{TASKS}", feature.directory);
    match clash::in_document(text) {
        None => Ok(()),
        Some(clash) => Err(SpeckitError::Clashing {
            path: path(),
            clash,
        }),
    }
}

/// The folder that a feature's files stay in.
///
/// # Errors
/// `NoFeature` where its directory is not there.
pub(super) fn in_place<'a>(
    found: &ResolvedProject,
    feature: &'a FeatureDirectory,
) -> Result<&'a RootFolder, SpeckitError> {
    let root = feature.root.as_ref();
    root.ok_or_else(|| found.without_feature())
}

/// The place of the one task with an ID.
///
/// # Errors
/// `NoTask` or `Duplicate`.
pub(super) fn find_only_task(list: &TaskList, id: &str) -> Result<usize, SpeckitError> {
    match list.named(id).as_slice() {
        [at] => Ok(*at),
        [] => Err(SpeckitError::NoTask {
            id: id.trim().to_owned(),
            nearest: nearest(list, id.trim()),
        }),
        several => Err(SpeckitError::Duplicate {
            id: list.tasks[several[0]].id.to_string(),
            lines: several.iter().map(|at| list.tasks[*at].line).collect(),
        }),
    }
}

/// The IDs most like one, the most alike first.
fn nearest(list: &TaskList, id: &str) -> Vec<String> {
    if id.chars().count() > MAX_LEN {
        return Vec::new();
    }
    let likeness = |task: &Task| {
        let (own, given) = (task.id.to_ascii_uppercase(), id.to_ascii_uppercase());
        strsim::normalized_damerau_levenshtein(&own, &given)
    };
    let mut scored: Vec<(f64, &Task)> = list.tasks.iter().map(|t| (likeness(t), t)).collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let like = scored.into_iter().filter(|(score, _)| *score > 0.0);
    like.take(NEAREST)
        .map(|(_, task)| task.id.to_string())
        .collect()
}

/// The text with one box ticked, and what it says: it is read again to prove that nothing else changed.
fn ticked(text: &str, list: TaskList, at: usize) -> Result<(String, TaskList), Error> {
    let tick = parse::tick(text, &list).to_string();
    let mut expected = list;
    let box_at = mark_done(&mut expected.tasks[at])?;
    let changed = edit::apply(text, &[Edit::replace(box_at..box_at + 1, tick)])?;
    if parse::tasks(&changed) == expected {
        return Ok((changed, expected));
    }
    Err(EditError::Unfaithful {
        key: expected.tasks[at].id.to_string(),
        why: "the list would read otherwise".into(),
    }
    .into())
}

/// Marks a task as done; gives the byte of its box. A task without one has the only open box below it.
///
/// # Errors
/// `Unready` where several boxes would have to be ticked.
fn mark_done(task: &mut Task) -> Result<usize, SpeckitError> {
    task.mark = TaskMark::Done;
    if let Some(box_at) = task.box_at {
        return Ok(box_at);
    }
    let open = task
        .criteria
        .iter_mut()
        .filter(|one| !one.mark.is_settled());
    let mut open: Vec<&mut TaskCriterion> = open.collect();
    if let [one] = open.as_mut_slice() {
        one.mark = TaskMark::Done;
        return Ok(one.box_at);
    }
    let lines: Vec<usize> = open.iter().map(|one| one.line).collect();
    Err(SpeckitError::Unready {
        id: task.id.to_string(),
        reasons: vec![format!(
            "it has no box of its own, and {} of the boxes below it are open (lines {}); tick those, or write `[ ]` before {} in its heading",
            lines.len(),
            listed(&lines),
            task.id
        )],
    })
}

/// Says whether a task may be ticked.
pub(super) struct TaskCompletionCheck<'a> {
    /// The configuration.
    pub(super) config: &'a SpeckitConfig,
    /// The project.
    pub(super) root: &'a RootFolder,
    /// Looks up the states of items of other dialects.
    pub(super) tell: StatusLookup<'a>,
    /// The task that is asked for.
    pub(super) asked: CompletionTarget<'a>,
}

impl TaskCompletionCheck<'_> {
    /// Returns true if an open task has to pass checks.
    fn wants_checks(&self) -> bool {
        !self.config.checks.is_empty() && !self.asked.skips
    }

    /// The refusal of a task that was ticked when it was looked at, so that no check was run, and is open
    /// now.
    fn reopened(&self) -> SpeckitError {
        SpeckitError::Unready {
            id: self.asked.id.to_owned(),
            reasons: vec!["its box was opened meanwhile; complete it again for its checks".into()],
        }
    }

    /// The refusal of a task whose checks are not run here.
    fn unchecked(&self) -> SpeckitError {
        let names: Vec<&str> = self.config.checks.keys().map(String::as_str).collect();
        SpeckitError::Unready {
            id: self.asked.id.to_owned(),
            reasons: vec![format!(
                "from inside a run its checks ({}) are yours to run; run them in your folder, then complete it with skip_validation",
                names.join(", ")
            )],
        }
    }

    /// Ticks the task in a text that says this list; gives the text then. No check is run here.
    ///
    /// # Errors
    /// `NoTask`, `Duplicate`, `Unready`, or an `EditError`.
    pub(super) fn tick(
        &self,
        text: &str,
        list: TaskList,
    ) -> Result<(String, CompletedTask), Error> {
        let at = find_only_task(&list, self.asked.id)?;
        let completed = |list, was_complete, warnings| CompletedTask {
            list,
            at,
            was_complete,
            checks_configured: !self.config.checks.is_empty(),
            checks: Vec::new(),
            warnings,
        };
        if list.tasks[at].mark == TaskMark::Done {
            return Ok((text.to_owned(), completed(list, true, Vec::new())));
        }
        let warnings = self.judge(&list, at)?;
        let (changed, list) = ticked(text, list, at)?;
        Ok((changed, completed(list, false, warnings)))
    }

    /// Refuses, or gives what is to be warned of.
    fn judge(&self, list: &TaskList, at: usize) -> Result<Vec<String>, SpeckitError> {
        let mut warnings = Vec::new();
        if self.asked.skips {
            return Ok(warnings);
        }
        let mut reasons = Vec::new();
        let plan = TaskPlan::with_statuses(list, &(self.tell)(&list.needs()));
        let blockers = plan.blockers(at);
        if !blockers.parts.is_empty() {
            reasons.push(format!("its parts are open: {}", blockers.parts.join(", ")));
        }
        for id in &blockers.dependencies {
            reasons.push(if plan.knows(id) {
                format!("it depends on {id}, which is open")
            } else {
                format!("it depends on {id}, which the list does not have")
            });
        }
        if !blockers.needs.is_empty() {
            let needs = blockers.needs.join(", ");
            reasons.push(format!("it depends on what is not done: {needs}"));
        }
        if !blockers.phases.is_empty() {
            let phases = blockers.phases.join(", ");
            let what = format!("phases before its own have open tasks: {phases}");
            sort(self.config.strict.phases, what, &mut reasons, &mut warnings);
        }
        let is_missing = |path: &&String| !self.is_there(path);
        let missing: Vec<&str> = list.tasks[at]
            .paths
            .iter()
            .filter(is_missing)
            .map(String::as_str)
            .collect();
        if !missing.is_empty() {
            let what = format!("files it names are not there: {}", missing.join(", "));
            sort(self.config.strict.files, what, &mut reasons, &mut warnings);
        }
        if reasons.is_empty() {
            return Ok(warnings);
        }
        let id = list.tasks[at].id.to_string();
        Err(SpeckitError::Unready { id, reasons })
    }

    /// Returns true if a file that a task names exists, or lies outside of the project.
    fn is_there(&self, path: &str) -> bool {
        let is_inside = !path.starts_with('/') && !path.split('/').any(|part| part == "..");
        !is_inside || disk::exists(&self.root.path().join(path.trim_start_matches("./")))
    }
}

fn sort(is_strict: bool, what: String, reasons: &mut Vec<String>, warnings: &mut Vec<String>) {
    if is_strict {
        reasons.push(what);
    } else {
        warnings.push(what);
    }
}
