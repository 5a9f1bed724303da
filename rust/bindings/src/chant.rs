//! `ChantProject`: the tools of the chant dialect as methods, and what its commands ask.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_spec_runs::agents::templates;
use chant_spec_runs::item_names;
use chant_spec_runs::ops as runs;
use chant_spec_runs::recorded_runs::RecordedRuns;
use chant_spec_runs::start_request::StartRequest;
use chant_specs::ops;
use chant_specs::project::{Project, ProjectOptions, ZonedClock};
use chant_specs::run_id_text::{TextForm, with_keys};
use chant_specs::work_items::{is_run_id, run_id_of};
use chant_store::disk::Disk;
use chant_workspace::work_items::FormatsAtWork;
use chant_workspace::{external_items, key, token_budget};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::PlainValue;
use crate::detached::detached;
use crate::parameters::{KeywordArguments, read};
use crate::raise::{Answered, Raised, call, door_of};
use crate::run_network::PyRunNetwork;
use crate::stop::disk_of_user;

/// The command line of a command that is held, its variables, and how it is held.
type HeldCommand = (
    Vec<String>,
    BTreeMap<String, String>,
    Option<Vec<u8>>,
    String,
);

/// A chant project: the folder that holds `.chant`. Safe to share between threads; every answer is as
/// of the moment it is asked for.
#[pyclass(frozen, module = "chant_mcp._core")]
pub(crate) struct ChantProject {
    pub(crate) project: Arc<Project>,
}

impl ChantProject {
    /// The project whose documents the runs on a name work on, and the name there: for an item of another format its
    /// order.
    fn of_run(&self, name: &str) -> Result<(Arc<Project>, String), Error> {
        let key = self.project.work_items;
        let key = key.and_then(|items| items.key_of(&self.project, name));
        match key {
            Some(key) => Ok((self.project.orders()?.clone(), run_id_of(&key))),
            None if is_run_id(name) => Ok((self.project.orders()?.clone(), name.to_owned())),
            None => Ok((self.project.clone(), name.to_owned())),
        }
    }

    /// The same for what only makes sense once a run has worked on it.
    fn of_earlier_run(&self, name: &str) -> Result<(Arc<Project>, String), Error> {
        let (project, id) = self.of_run(name)?;
        item_names::refuse_unworked(&project, &id, name)?;
        Ok((project, id))
    }

    /// The same for a name that may be left out.
    fn of_some_run(&self, name: Option<&str>) -> Result<(Arc<Project>, Option<String>), Error> {
        match name {
            Some(name) => self.of_run(name).map(|(project, id)| (project, Some(id))),
            None => Ok((self.with_runs()?.clone(), None)),
        }
    }

    /// An answer in which items of other formats have the keys that everybody else calls them by.
    fn answer(&self, work: impl FnOnce() -> Result<Answer, Error> + Send) -> Answered {
        let key_of = |id: &str| item_names::key_of_run(&self.project, id);
        let named = |text, form| with_keys(text, form, key_of);
        match call(work) {
            Ok(answer) => Ok(named_answer(answer, named).into()),
            Err(Raised::Refused(error)) => Err(Raised::refused_in_words(&error, named)),
            Err(other) => Err(other),
        }
    }

    /// The project where its runs are looked at: where it has no specs, that of the orders for other items.
    fn with_runs(&self) -> Result<&Arc<Project>, Error> {
        if !self.project.has_orders() || self.project.is_initialized() {
            return Ok(&self.project);
        }
        self.project.orders()
    }
}

#[pymethods]
impl ChantProject {
    #[new]
    #[pyo3(signature = (root, *, user_config = None, searched = Vec::new(), environment = BTreeMap::new(),
                        program = Vec::new(), prompts = None, trust = None, state_home = None, events = true,
                        stop_at = None, door = "agents"))]
    #[expect(clippy::too_many_arguments, reason = "the arguments of a project")]
    fn new(
        py: Python<'_>,
        root: PathBuf,
        user_config: Option<PathBuf>,
        searched: Vec<String>,
        environment: BTreeMap<String, String>,
        program: Vec<String>,
        prompts: Option<PathBuf>,
        trust: Option<String>,
        state_home: Option<PathBuf>,
        events: bool,
        stop_at: Option<String>,
        door: &str,
    ) -> Result<Self, Raised> {
        let door = door_of(door)?;
        let clock = ZonedClock {
            now: Timestamp::now,
            zone: TimeZone::system(),
        };
        let disk = Disk {
            listens: events,
            ..disk_of_user(py, stop_at, state_home, &environment)
        };
        let around = external_items(&root);
        let options = ProjectOptions {
            root,
            user_config,
            searched,
            environment,
            program,
            prompts,
            trust,
            runs: &RecordedRuns,
            clock,
            disk,
        };
        Ok(Self {
            project: Arc::new(
                call(|| Project::open(options))?
                    .with_external(around)
                    .with_work_items(&FormatsAtWork)
                    .at_door(door),
            ),
        })
    }

    /// Returns the folder for our own state of the project; it need not be there. `None` where no place for
    /// the state of programs is set.
    #[getter]
    fn state_folder(&self) -> Result<Option<PathBuf>, Raised> {
        call(|| Ok(self.project.state()?.place().map(PathBuf::from)))
    }

    /// The folder of a part of that, made where it is missing: a part of this checkout, such as `processes` or
    /// `logs`, or with `shared` one of all checkouts of the repository, such as `locks` or `tokens`.
    #[pyo3(signature = (part, *, shared = false))]
    fn state_part(&self, part: &str, shared: bool) -> Result<PathBuf, Raised> {
        call(|| {
            let state = self.project.state()?;
            let part = if shared {
                state.in_project(part)
            } else {
                state.in_checkout(part)
            };
            Ok(state.ensure(&part)?)
        })
    }

    /// Returns the project's folder in that of the run that the environment names; `None` where no run asks.
    fn folder_of_run(&self) -> Result<Option<PathBuf>, Raised> {
        call(|| self.project.folder_of_run())
    }

    /// The project's folder.
    #[getter]
    fn root(&self) -> PathBuf {
        self.project.root().to_path_buf()
    }

    /// Specs in the order of their IDs, and how many there are of each status.
    ///
    /// Further keywords: those of `chant_mcp.parameters.SpecFilter`.
    #[pyo3(signature = (status = None, **filter))]
    fn spec_list(&self, status: Option<&str>, filter: Option<KeywordArguments>) -> Answered {
        let filter = read(filter.as_ref())?;
        self.answer(|| ops::list(&self.project, status, &filter))
    }

    /// One spec with its text, criteria and what it waits for.
    ///
    /// Further keywords: those of `chant_mcp.parameters.TextRange`.
    #[pyo3(signature = (id, **range))]
    fn spec_get(&self, id: &str, range: Option<KeywordArguments>) -> Answered {
        let range = read(range.as_ref())?;
        self.answer(|| ops::get(&self.project, id, range))
    }

    /// The whole text of a spec's file.
    fn document(&self, id: &str) -> Answered {
        self.answer(|| ops::document(&self.project, id))
    }

    /// Specs that can be worked on now.
    ///
    /// Further keywords: those of `chant_mcp.parameters.ReadyFilter`.
    #[pyo3(signature = (**filter))]
    fn ready(&self, filter: Option<KeywordArguments>) -> Answered {
        let filter = read(filter.as_ref())?;
        self.answer(|| ops::ready(&self.project, filter))
    }

    /// Returns the number of specs in each state.
    #[pyo3(signature = (*, brief = false, include_activity = false))]
    fn status(&self, brief: bool, include_activity: bool) -> Answered {
        self.answer(|| ops::status(&self.project, brief, include_activity))
    }

    /// Returns the output of a spec's agent.
    ///
    /// Further keywords: those of `chant_mcp.parameters.LogRange`.
    #[pyo3(signature = (id, *, max_tokens = None, **range))]
    fn log(
        &self,
        id: &str,
        max_tokens: Option<usize>,
        range: Option<KeywordArguments>,
    ) -> Answered {
        let range: runs::LogRange = read(range.as_ref())?;
        self.answer(|| {
            let (project, id) = self.of_earlier_run(id)?;
            let ask = |lines| runs::log(&project, &id, &range.with_lines(lines));
            match max_tokens {
                Some(tokens) => token_budget::within_lines(tokens, range.lines, ask),
                None => ask(range.lines),
            }
        })
    }

    /// Specs with words in title or text.
    ///
    /// Further keywords: those of `chant_mcp.parameters.PageRequest`.
    #[pyo3(signature = (query, status = None, **page))]
    fn search(
        &self,
        query: &str,
        status: Option<&str>,
        page: Option<KeywordArguments>,
    ) -> Answered {
        let page = read(page.as_ref())?;
        self.answer(|| ops::search(&self.project, query, status, page))
    }

    /// The archived specs whose texts hold a query.
    fn search_archived(&self, query: &str) -> Answered {
        self.answer(|| ops::search_archived(&self.project, query))
    }

    /// Why a spec is stuck: its file, log, locks, commits and criteria.
    fn diagnose(&self, id: &str) -> Answered {
        self.answer(|| {
            let (project, id) = self.of_earlier_run(id)?;
            runs::diagnose(&project, &id)
        })
    }

    /// Returns what runs would find here: git, agents, and what these get of the environment. With `live` the
    /// models of the agents that would work are asked once.
    #[pyo3(signature = (*, live = false))]
    fn doctor(&self, live: bool) -> Answered {
        self.answer(|| runs::doctor(&self.project, live))
    }

    /// Returns the damage in what is kept of the project; with `repair` what can be repaired is.
    #[pyo3(signature = (*, repair = false))]
    fn deep_look(&self, repair: bool) -> Answered {
        self.answer(|| runs::deep_look(&self.project, repair))
    }

    /// The agents that are known, and what is here of them; nothing is started when `quick`.
    #[pyo3(signature = (*, quick = false))]
    fn agents_list(&self, quick: bool) -> Answered {
        self.answer(|| runs::agents_list(&self.project, quick))
    }

    /// All that is known of an agent.
    fn agent_show(&self, name: &str) -> Answered {
        self.answer(|| runs::agent_show(&self.project, name))
    }

    /// Returns what runs can be held to on this machine.
    fn confine_check(&self) -> Answered {
        self.answer(|| runs::confine_check(&self.project))
    }

    /// The user's clusters by name, with their settings.
    fn clusters(&self) -> Answered {
        self.answer(|| runs::clusters(&self.project))
    }

    /// Where a cluster is spoken to: the address of its scheduler, and the folder of certificates.
    fn cluster_target(&self, name: &str) -> Result<(String, PathBuf), Raised> {
        call(|| runs::cluster_target(&self.project, name))
    }

    /// Confines the calling thread, for good, to two folders that it writes and the certificates of a cluster.
    fn confine_engine(&self, folders: [PathBuf; 2], certificates: PathBuf) -> Result<(), Raised> {
        call(|| runs::confine_engine(&self.project, folders, &certificates))
    }

    /// Gives the command line to replace this process by, so that a command is held as runs are in a folder, the
    /// variables that it gets, the order that it reads if it is a launcher, and how it is held. Without an order
    /// the calling thread is held, for good.
    fn confine_command(&self, folder: PathBuf, argv: Vec<String>) -> Result<HeldCommand, Raised> {
        call(|| {
            let held = runs::confine_command(&self.project, &folder, &argv)?;
            Ok((held.argv, held.variables, held.order, held.confinement))
        })
    }

    /// Checks that specs, or one, are good tasks.
    ///
    /// `plugins` are findings of others, with `diagnostics` and `failures`; with `places` each finding says where in
    /// which file it is. Further keywords: those of `chant_mcp.parameters.PageRequest`.
    #[pyo3(signature = (id = None, *, plugins = None, places = false, **page))]
    fn lint(
        &self,
        id: Option<&str>,
        plugins: Option<KeywordArguments>,
        places: bool,
        page: Option<KeywordArguments>,
    ) -> Answered {
        let (plugins, page) = (read(plugins.as_ref())?, read(page.as_ref())?);
        self.answer(|| ops::lint(&self.project, id, page, plugins, places))
    }

    /// The user's choice of plugins, as `chant_config::plugins::PluginSettings` has it.
    fn plugin_settings(&self) -> Result<PlainValue, Raised> {
        let settings = call(|| {
            let config = self.project.configuration_without_specs()?;
            Ok(serde_json::json!(config.plugins))
        })?;
        Ok(PlainValue(settings))
    }

    /// Returns true if a person trusts the folder as it is now.
    fn is_trusted(&self) -> bool {
        detached(|| self.project.is_trusted())
    }

    /// Checks that a spec meets its criteria.
    fn verify(&self, id: &str) -> Answered {
        self.answer(|| ops::verify(&self.project, id))
    }

    /// The receipts of a spec, or all, oldest first.
    #[pyo3(signature = (id = None))]
    fn receipt_show(&self, id: Option<&str>) -> Answered {
        self.answer(|| {
            let (project, own) = self.of_some_run(id)?;
            let found = runs::receipt_show(&project, own.as_deref());
            found.map_err(|error| why_no_receipts(&project, own.as_deref().zip(id), error))
        })
    }

    /// Holds receipts of a spec, or of all completed ones, against the repository.
    #[pyo3(signature = (id = None, *, target = None, reruns = false))]
    fn receipt_verify(&self, id: Option<&str>, target: Option<&str>, reruns: bool) -> Answered {
        self.answer(|| {
            let (project, own) = self.of_some_run(id)?;
            let query = runs::ReceiptQuery {
                id: own.as_deref(),
                target,
                reruns,
            };
            let found = runs::receipt_verify(&project, query);
            found.map_err(|error| why_no_receipts(&project, own.as_deref().zip(id), error))
        })
    }

    /// Compares the lines of completed work with the target's tip.
    #[pyo3(signature = (id = None, *, target = None))]
    fn receipt_drift(&self, id: Option<&str>, target: Option<&str>) -> Answered {
        self.answer(|| {
            let (project, own) = self.of_some_run(id)?;
            let query = runs::DriftQuery {
                id: own.as_deref(),
                target,
            };
            let found = runs::receipt_drift(&project, query);
            found.map_err(|error| why_no_receipts(&project, own.as_deref().zip(id), error))
        })
    }

    /// Checks that what a commit completes is the newest work on its specs, as the remote knows it.
    #[pyo3(signature = (reference = "HEAD", *, remote = None, target = None, merge_group = false))]
    fn fence(
        &self,
        reference: &str,
        remote: Option<&str>,
        target: Option<&str>,
        merge_group: bool,
    ) -> Answered {
        let query = runs::FenceQuery {
            reference,
            remote,
            target,
            is_merge_group: merge_group,
        };
        self.answer(|| runs::fence(&self.project, query))
    }

    /// Signs the newest receipt that holds, of a spec or of all completed ones.
    #[pyo3(signature = (id = None, *, key, target = None, reruns = false))]
    fn receipt_sign(
        &self,
        id: Option<&str>,
        key: PathBuf,
        target: Option<&str>,
        reruns: bool,
    ) -> Answered {
        self.answer(|| {
            let (project, own) = self.of_some_run(id)?;
            let query = runs::ReceiptQuery {
                id: own.as_deref(),
                target,
                reruns,
            };
            runs::receipt_sign(&project, query, &key)
        })
    }

    /// Brings all receipts to a remote.
    #[pyo3(signature = (remote = None))]
    fn receipt_push(&self, remote: Option<&str>) -> Answered {
        self.answer(|| runs::receipt_push(&self.project, remote))
    }

    /// Takes the receipts that are missing here from a remote.
    #[pyo3(signature = (remote = None))]
    fn receipt_fetch(&self, remote: Option<&str>) -> Answered {
        self.answer(|| runs::receipt_fetch(&self.project, remote))
    }

    /// Changes keys, criteria and text of a spec in one edit.
    ///
    /// Further keywords: those of `chant_mcp.parameters.SpecUpdateOfHandle`.
    #[pyo3(signature = (id, *, from_run = false, **changes))]
    fn spec_update(&self, id: &str, from_run: bool, changes: Option<KeywordArguments>) -> Answered {
        let update = read(changes.as_ref())?;
        self.answer(|| {
            if from_run {
                ops::update_from_run(&self.project, id, &update)
            } else {
                ops::update(&self.project, id, &update)
            }
        })
    }

    /// Makes a new spec.
    ///
    /// Further keywords: those of `chant_mcp.parameters.NewSpecOfPerson`.
    #[pyo3(signature = (description, **content))]
    fn add(&self, description: String, content: Option<KeywordArguments>) -> Answered {
        let new = ops::NewSpec {
            description,
            ..read(content.as_ref())?
        };
        self.answer(|| ops::add(&self.project, &new))
    }

    /// Completes a spec whose criteria are all ticked.
    #[pyo3(signature = (id, *, force = false, already_done = false))]
    fn finalize(&self, id: &str, force: bool, already_done: bool) -> Answered {
        let how = runs::FinalizeOptions {
            force,
            already_done,
        };
        self.answer(|| runs::finalize(&self.project, id, how))
    }

    /// Makes a failed spec pending, so that it can be worked on again.
    fn reset(&self, id: &str) -> Answered {
        self.answer(|| {
            let (project, id) = self.of_earlier_run(id)?;
            runs::reset(&project, &id)
        })
    }

    /// Cancels a spec, and the work on it.
    fn cancel(&self, id: &str) -> Answered {
        self.answer(|| {
            let (project, id) = self.of_earlier_run(id)?;
            runs::cancel(&project, &id)
        })
    }

    /// Records that a person approves of a spec.
    #[pyo3(signature = (id, *, by = None, reason = None))]
    fn approve(&self, id: &str, by: Option<String>, reason: Option<String>) -> Answered {
        let judgement = runs::ApprovalInput { by, reason };
        self.answer(|| {
            let (project, id) = self.of_earlier_run(id)?;
            runs::approve(&project, &id, &judgement)
        })
    }

    /// Records that a person rejects a spec, and why.
    #[pyo3(signature = (id, reason, *, by = None))]
    fn reject(&self, id: &str, reason: String, by: Option<String>) -> Answered {
        let reason = Some(reason);
        let judgement = runs::ApprovalInput { by, reason };
        self.answer(|| {
            let (project, id) = self.of_earlier_run(id)?;
            runs::reject(&project, &id, &judgement)
        })
    }

    /// Says something about the work on a spec, in the name of the person at this door.
    ///
    /// Further keywords: those of `chant_mcp.parameters.CommentInput`.
    #[pyo3(signature = (id, text, **comment))]
    fn comment(&self, id: &str, text: &str, comment: Option<KeywordArguments>) -> Answered {
        let comment: runs::CommentInput = read(comment.as_ref())?;
        self.answer(|| {
            let (project, id) = self.of_earlier_run(id)?;
            runs::comment(&project, &id, text, &comment)
        })
    }

    /// Returns the review of a spec: its hunks, criteria and threads. `since` is `all`, `look` or `turn`.
    #[pyo3(signature = (id, *, since = "all"))]
    fn review_show(&self, id: &str, since: &str) -> Answered {
        self.answer(|| {
            let (project, id) = self.of_earlier_run(id)?;
            let scope = runs::ReviewScope::named(since)?;
            runs::review_show(&project, &id, scope)
        })
    }

    /// Returns the specs whose work waits to be read, first what is to be read first.
    fn review_queue(&self) -> Answered {
        self.answer(|| runs::review_queue(self.with_runs()?))
    }

    /// Returns the tests that failed and passed on the same files.
    fn flaky(&self) -> Answered {
        self.answer(|| runs::flaky(&self.project))
    }

    /// Forgets those of a check, or all.
    #[pyo3(signature = (check=None))]
    fn forget_flaky(&self, check: Option<&str>) -> Answered {
        self.answer(|| runs::forget_flaky(&self.project, check))
    }

    /// Returns the sessions of agents that are kept for their next turn.
    fn sessions(&self) -> Answered {
        self.answer(|| runs::sessions(&self.project))
    }

    /// Removes the kept session of a spec, or all.
    #[pyo3(signature = (id = None))]
    fn clear_sessions(&self, id: Option<&str>) -> Answered {
        self.answer(|| runs::clear_sessions(&self.project, id))
    }

    /// Takes what other clones said in reviews from a remote, and brings there what was said here.
    #[pyo3(signature = (remote = None))]
    fn review_exchange(&self, remote: Option<&str>) -> Answered {
        self.answer(|| runs::review_exchange(self.with_runs()?, remote))
    }

    /// Does what the person at this door decided about threads and work.
    ///
    /// Further keywords: those of `chant_mcp.parameters.ReviewAct`.
    #[pyo3(signature = (id, *, progress = None, **act))]
    fn review_act(
        &self,
        id: &str,
        progress: Option<Py<PyAny>>,
        act: Option<KeywordArguments>,
    ) -> Answered {
        let act: runs::ReviewAct = read(act.as_ref())?;
        report_steps(self, progress.as_ref(), |tell| {
            let (project, id) = self.of_earlier_run(id)?;
            runs::review_act(&project, &id, &act, tell)
        })
    }

    /// Moves a completed spec to the archive.
    fn archive(&self, id: &str) -> Answered {
        self.answer(|| runs::archive(&self.project, id))
    }

    /// Moves an archived spec back among the active ones.
    fn unarchive(&self, id: &str) -> Answered {
        self.answer(|| ops::unarchive(&self.project, id))
    }

    /// Runs that are at work; on request those that ended, too.
    ///
    /// Further keywords: those of `chant_mcp.parameters.RunFilter`.
    #[pyo3(signature = (**filter))]
    fn work_list(&self, filter: Option<KeywordArguments>) -> Answered {
        let filter = read(filter.as_ref())?;
        self.answer(|| runs::work_list(self.with_runs()?, &filter))
    }

    /// Starts an agent on a spec, or on several, and returns once it is at work.
    ///
    /// Further keywords: those of `chant_mcp.parameters.StartRequestOfPerson`.
    #[pyo3(signature = (id, *, progress = None, **start))]
    fn work_start(
        &self,
        id: &str,
        progress: Option<Py<PyAny>>,
        start: Option<KeywordArguments>,
    ) -> Answered {
        let start: StartRequest = read(start.as_ref())?;
        report_steps(self, progress.as_ref(), |tell| {
            let (project, own) = self.of_run(id)?;
            let start = start.try_into()?;
            if project.holds_orders() {
                return runs::work_start_item(&self.project, id, &start, tell);
            }
            runs::work_start(&project, &own, &start, tell)
        })
    }

    /// Returns the keys of the items of a format that agents can work on now, each alone.
    fn ready_items(&self, word: &str) -> Result<Vec<String>, Raised> {
        call(|| {
            let items = self.project.work_items;
            let ready = items.map(|items| items.ready(&self.project, &format!("{word}:*")));
            Ok(ready.unwrap_or_default())
        })
    }

    /// Returns the key of the spec, or of the item of another format, whose runs have an ID.
    fn key_of_run(&self, id: &str) -> Result<String, Raised> {
        call(|| {
            let of_item = item_names::key_of_run(&self.project, id);
            Ok(of_item.unwrap_or_else(|| key::of_spec(id)))
        })
    }

    /// Returns the name that runs on a spec or on an item of another format have in lists: its ID, or its key.
    fn run_name(&self, name: &str) -> Result<String, Raised> {
        call(|| {
            let items = self.project.work_items;
            let key = items.and_then(|items| items.key_of(&self.project, name));
            // Lists of runs name an item by the ID of its runs, too.
            if let Some(key) = key.or_else(|| item_names::key_of_run(&self.project, name)) {
                return Ok(key);
            }
            let snapshot = self.project.snapshot()?;
            Ok(self.project.resolve(&snapshot, name)?.id.to_string())
        })
    }

    /// Returns what a start would work on, take and cost; nothing is started.
    ///
    /// Further keywords: those of `chant_mcp.parameters.StartRequestOfPerson`.
    #[pyo3(signature = (id, **start))]
    fn work_forecast(&self, id: &str, start: Option<KeywordArguments>) -> Answered {
        let start: StartRequest = read(start.as_ref())?;
        self.answer(|| {
            let (project, own) = self.of_run(id)?;
            let start = start.try_into()?;
            if project.holds_orders() {
                return runs::work_forecast_item(&self.project, id, &start);
            }
            runs::work_forecast(&project, &own, &start)
        })
    }

    /// Has an agent propose members of a spec, or writes the proposal that waits: `agreed` names the run
    /// whose proposal it has to be.
    ///
    /// Further keywords: those of `chant_mcp.parameters.SplitRequestOfPerson`.
    #[pyo3(signature = (id, *, progress = None, **wish))]
    fn split(
        &self,
        id: &str,
        progress: Option<Py<PyAny>>,
        wish: Option<KeywordArguments>,
    ) -> Answered {
        let wish = read(wish.as_ref())?;
        report_steps(self, progress.as_ref(), |tell| {
            runs::split(&self.project, id, wish, tell)
        })
    }

    /// Returns the question to a person before a proposal that waits is written, behind the run whose proposal
    /// it is; none where there is none.
    ///
    /// Further keywords: those of `chant_mcp.parameters.SplitRequestOfPerson`.
    #[pyo3(signature = (id, **wish))]
    fn split_question(
        &self,
        id: &str,
        wish: Option<KeywordArguments>,
    ) -> Result<Option<(String, String)>, Raised> {
        let wish = read(wish.as_ref())?;
        let question = call(|| runs::split_question(&self.project, id, wish))?;
        Ok(question.map(|question| (question.process_id, question.text)))
    }

    /// Stops work on a spec, to go on with it later.
    fn pause(&self, id: &str) -> Answered {
        self.answer(|| {
            let (project, id) = self.of_earlier_run(id)?;
            runs::pause(&project, &id)
        })
    }

    /// Stops work on a spec and says how far it is, to go on by hand; with `from_clone` it is taken at once from
    /// another clone that works on it.
    #[pyo3(signature = (id, *, force = false, from_clone = false))]
    fn takeover(&self, id: &str, force: bool, from_clone: bool) -> Answered {
        let how = runs::TakeoverOptions { force, from_clone };
        self.answer(|| {
            let (project, id) = self.of_earlier_run(id)?;
            runs::takeover(&project, &id, how)
        })
    }

    /// Returns which clone holds which spec, by the last look at the remote that they share.
    ///
    /// Further keywords: those of `chant_mcp.parameters.LeaseQuery`.
    #[pyo3(signature = (**query))]
    fn leases(&self, query: Option<KeywordArguments>) -> Answered {
        let query = read(query.as_ref())?;
        self.answer(|| runs::leases(self.with_runs()?, query))
    }

    /// Gives back the lease of a spec whose holder a person knows to be dead.
    fn free_lease(&self, id: &str) -> Answered {
        self.answer(|| {
            let (project, id) = self.of_earlier_run(id)?;
            runs::free_lease(&project, &id)
        })
    }

    /// Returns true if clones share the specs and a person trusts the folder; nothing is read for that.
    fn may_look_at_leases(&self) -> Result<bool, Raised> {
        call(|| Ok(runs::may_look_at_leases(self.with_runs()?)))
    }

    /// Looks at the remote that clones share, for later reads.
    fn look_at_leases(&self) -> Result<(), Raised> {
        call(|| runs::look_at_leases(self.with_runs()?))
    }

    /// Brings the checkout up to that remote's target, as far as nothing of the user's is in its way.
    fn follow_remote(&self) -> Answered {
        self.answer(|| runs::follow_remote(self.with_runs()?))
    }

    /// Has that remote say what the records of runs say by now.
    fn settle_leases(&self) -> Result<(), Raised> {
        call(|| runs::settle_leases(self.with_runs()?))
    }

    /// Judges and merges work that waits, of one spec or of all.
    #[pyo3(signature = (id = None, *, agreed = None))]
    fn merge(&self, id: Option<&str>, agreed: Option<&str>) -> Answered {
        self.answer(|| {
            let (project, id) = self.of_some_run(id)?;
            runs::merge(&project, id.as_deref(), agreed)
        })
    }

    /// Returns what the folder asks for, and whether its user said yes to that.
    fn trust_report<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>, PyErr> {
        let report = detached(|| self.project.trust_report());
        crate::trust::report(py, &report)
    }

    /// Returns what is said of the folder when it is not trusted, where it asks for something or has runs.
    fn untrusted_line(&self) -> Result<Option<&'static str>, Raised> {
        call(|| Ok(self.project.untrusted_line()))
    }

    /// Remembers that a person trusts the folder with what the hash stands for.
    fn give_trust(&self, hash: &str) -> Result<(), Raised> {
        call(|| self.project.give_trust(hash))
    }

    /// Forgets that; says whether there was anything to forget.
    fn revoke_trust(&self) -> Result<bool, Raised> {
        call(|| self.project.revoke_trust())
    }

    /// The recipes of the environment of runs, and their layers.
    fn environment_show(&self) -> Answered {
        self.answer(|| runs::environment_show(&self.project))
    }

    /// Builds the layers that runs need; those of one recipe, or all.
    #[pyo3(signature = (recipe = None, *, progress = None))]
    fn environment_build(&self, recipe: Option<&str>, progress: Option<Py<PyAny>>) -> Answered {
        report_steps(self, progress.as_ref(), |tell| {
            runs::environment_build(&self.project, recipe, tell)
        })
    }

    /// Has `run` start a command in the environment that an agent would have: it gets the command line, variables, the
    /// order that the line reads if it is a launcher, the folder, and how it is held. Returns the exit code that `run` gives.
    #[pyo3(signature = (argv, run, *, progress = None))]
    fn environment_enter(
        &self,
        argv: Vec<String>,
        run: &Bound<'_, PyAny>,
        progress: Option<Py<PyAny>>,
    ) -> Result<i32, Raised> {
        let run = run.clone().unbind();
        let mut raised = None;
        let mut tell = |step: &str| {
            let Some(progress) = &progress else { return };
            let called = Python::attach(|py| progress.call1(py, (step,)).map(drop));
            raised = raised.take().or(called.err());
        };
        let mut failed = None;
        let code = call(|| {
            runs::environment_enter(&self.project, &argv, &mut tell, &mut |held| {
                let started = Python::attach(|py| {
                    let held = (
                        held.argv, held.variables, held.order, held.folder, held.confinement,
                    );
                    run.call1(py, held)?.extract::<i32>(py)
                });
                Ok(started.unwrap_or_else(|error| {
                    failed = Some(error);
                    1
                }))
            })
        })?;
        match failed.or(raised) {
            Some(error) => Err(error.into()),
            None => Ok(code),
        }
    }

    /// The ports of the run that works on a spec.
    fn environment_ports(&self, id: &str) -> Answered {
        self.answer(|| runs::environment_ports(&self.project, id))
    }

    /// The loopback that the processes of the run see which works on a spec.
    fn environment_network(&self, id: &str) -> Result<PyRunNetwork, Raised> {
        let found = call(|| runs::environment_network(&self.project, id))?;
        Ok(PyRunNetwork(found))
    }

    /// Compares the layers with what they were when they were sealed.
    fn environment_verify(&self) -> Answered {
        self.answer(|| runs::environment_verify(&self.project))
    }

    /// What the steps of recipes wrote that were built in advance.
    fn environment_log(&self) -> Answered {
        self.answer(|| runs::environment_log(&self.project))
    }

    /// Removes layers that no recipe needs any more, or all.
    #[pyo3(signature = (*, all = false))]
    fn environment_prune(&self, all: bool) -> Answered {
        self.answer(|| runs::environment_prune(&self.project, all))
    }

    /// The worktrees of runs.
    fn worktrees(&self) -> Answered {
        self.answer(|| runs::worktrees(&self.project))
    }

    /// Makes folders for runs to come, in this process, which does nothing else; says how many.
    fn prepare_worktrees(&self) -> Result<usize, Raised> {
        call(|| runs::prepare_worktrees(&self.project))
    }

    /// Removes worktrees that nothing needs any more.
    fn prune_worktrees(&self) -> Answered {
        self.answer(|| runs::prune_worktrees(&self.project))
    }

    /// Returns whether a process watches over runs, and the worktrees in use.
    fn watch_status(&self) -> Answered {
        self.answer(|| runs::watch_status(&self.project))
    }

    /// Starts watching in a process of its own, unless one watches.
    fn watch_start(&self) -> Answered {
        self.answer(|| runs::watch_start(&self.project))
    }

    /// Ends that process.
    fn watch_stop(&self) -> Answered {
        self.answer(|| runs::watch_stop(&self.project))
    }

    /// Watches over runs in this process until asked to end, or idle. `started` says that another process waits
    /// for the report that it watches.
    #[pyo3(signature = (*, once = false, started = false, tell = None))]
    fn watch(&self, once: bool, started: bool, tell: Option<Py<PyAny>>) -> Result<(), Raised> {
        let mut say = |what: &str| {
            if let Some(tell) = &tell {
                // No one listens any more: watching goes on.
                let _ = Python::attach(|py| tell.call1(py, (what,)).map(drop));
            }
        };
        call(|| runs::watch(&self.project, once, started, &mut say))
    }

    /// Does what runs that died left undone, and says what it did.
    fn recover(&self) -> Result<Vec<String>, Raised> {
        call(|| runs::recover(self.with_runs()?))
    }

    /// Runs, in this process, the run that standard input names.
    fn run_work(&self) -> Result<&'static str, Raised> {
        call(|| runs::run_work(&self.project))
    }
}

/// Makes a call that reports its steps to `progress`.
fn report_steps(
    project: &ChantProject,
    progress: Option<&Py<PyAny>>,
    ask: impl FnOnce(&mut dyn FnMut(&str)) -> Result<Answer, Error> + Send,
) -> Answered {
    let mut raised = None;
    let mut tell = |step: &str| {
        let Some(progress) = progress else { return };
        let called = Python::attach(|py| progress.call1(py, (step,)).map(drop));
        // Reported after the call: the started work goes on.
        raised = raised.take().or(called.err());
    };
    let started = project.answer(|| ask(&mut tell))?;
    match raised {
        Some(error) => Err(error.into()),
        None => Ok(started),
    }
}

/// Why there are no receipts for a name: where no run has worked on the item, that.
fn why_no_receipts(project: &Project, named: Option<(&str, &str)>, error: Error) -> Error {
    let refused = named.map(|(own, name)| item_names::refuse_unworked(project, own, name));
    refused.and_then(Result::err).unwrap_or(error)
}

/// An answer with other words in its texts.
fn named_answer(answer: Answer, named: impl Fn(String, TextForm) -> String) -> Answer {
    let is_data = answer.json.is_some() && answer.text.starts_with(['{', '[']);
    let form = if is_data {
        TextForm::Json
    } else {
        TextForm::Words
    };
    Answer {
        text: named(answer.text, form),
        json: answer.json.map(|json| named(json, TextForm::Json)),
        note: answer.note.map(|note| named(note, TextForm::Words)),
    }
}

/// The built-in agents by all their names, each with the name that configurations keep.
#[pyfunction]
pub(crate) fn agent_names() -> Vec<(&'static str, &'static str)> {
    let names = templates().flat_map(|template| {
        let names = std::iter::once(template.name).chain(template.aliases.iter().copied());
        names.map(|name| (name, template.name))
    });
    names.collect()
}
