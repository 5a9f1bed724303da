//! `SpeckitFeatures`: the four tools of the speckit dialect as methods, and what its commands ask.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_config::seconds_of;
use chant_speckit::files::{CallerIdentity, FeatureStore};
use chant_speckit::ops::{self, CompletionOptions, StatusReport};
use chant_speckit::questions::QuestionListener;
use chant_speckit::resolve::SearchStart;
use chant_workspace::external_items;
use jiff::Timestamp;
use pyo3::prelude::*;

use crate::parameters::{KeywordArguments, read};
use crate::raise::{Answered, Raised, answer, door_of};
use crate::stop::{disk_of_user, of_run_in};

/// The spec-kit features of the project around a folder, and the questions and statuses of agents there.
/// Safe to share between threads; every answer is as of the moment it is asked for.
#[pyclass(frozen, module = "chant_mcp._core")]
pub(crate) struct SpeckitFeatures {
    pub(crate) features: Arc<FeatureStore>,
    session: String,
}

impl SpeckitFeatures {
    fn who(&self, agent: Option<String>) -> CallerIdentity {
        CallerIdentity {
            session: self.session.clone(),
            agent,
        }
    }
}

#[pymethods]
impl SpeckitFeatures {
    #[new]
    #[pyo3(signature = (folder, *, root = None, environment = BTreeMap::new(), session = String::new(), user_config = None,
                        trust = None, state_home = None, stop_at = None, of_run = false, door = "agents"))]
    #[expect(clippy::too_many_arguments, reason = "the arguments of features")]
    fn new(
        py: Python<'_>,
        folder: PathBuf,
        root: Option<PathBuf>,
        environment: BTreeMap<String, String>,
        session: String,
        user_config: Option<PathBuf>,
        trust: Option<String>,
        state_home: Option<PathBuf>,
        stop_at: Option<String>,
        of_run: bool,
        door: &str,
    ) -> Result<Self, Raised> {
        let door = door_of(door)?;
        let disk = disk_of_user(py, stop_at, state_home, &environment);
        let disk = of_run_in(disk, of_run.then_some(&folder));
        let start = SearchStart {
            root: root.unwrap_or_else(|| folder.clone()),
            folder,
            environment,
        };
        let features = FeatureStore::new(start, disk, Timestamp::now)
            .trusted_by(user_config, trust)
            .with_external(external_items)
            .at_door(door);
        let features = if of_run { features.of_run() } else { features };
        Ok(Self {
            features: Arc::new(features),
            session,
        })
    }

    /// Which feature is current, or of the one asked for, all that is known of it.
    #[pyo3(signature = (feature = None))]
    fn context(&self, feature: Option<&str>) -> Answered {
        answer(|| ops::context(&self.features, feature))
    }

    /// One document of a feature.
    ///
    /// Further keywords: those of `chant_mcp.parameters.TextRange`.
    #[pyo3(signature = (artifact, *, feature = None, **range))]
    fn read(
        &self,
        artifact: &str,
        feature: Option<&str>,
        range: Option<KeywordArguments>,
    ) -> Answered {
        let range = read(range.as_ref())?;
        answer(|| ops::read(&self.features, feature, artifact, range))
    }

    /// The whole text of one document of a feature.
    #[pyo3(signature = (artifact, *, feature = None))]
    fn document(&self, artifact: &str, feature: Option<&str>) -> Answered {
        answer(|| ops::document(&self.features, feature, artifact))
    }

    /// Ticks a task, when nothing speaks against it.
    ///
    /// Further keywords: those of `chant_mcp.parameters.CompletionOptionsOfCaller`.
    #[pyo3(signature = (task_id, *, feature = None, **options))]
    fn complete(
        &self,
        task_id: &str,
        feature: Option<&str>,
        options: Option<KeywordArguments>,
    ) -> Answered {
        let options: CompletionOptions = read(options.as_ref())?;
        let (who, skips) = (self.who(options.agent), options.skip_validation);
        answer(|| ops::complete(&self.features, &who, feature, task_id, skips))
    }

    /// Takes the tick of a task back.
    #[pyo3(signature = (task_id, *, feature = None, agent = None))]
    fn reopen(&self, task_id: &str, feature: Option<&str>, agent: Option<String>) -> Answered {
        let who = self.who(agent);
        answer(|| ops::reopen(&self.features, &who, feature, task_id))
    }

    /// Adds a task behind the last one of the phase of `beside`, or of the list.
    #[pyo3(signature = (title, *, feature = None, beside = None))]
    fn add_task(&self, title: &str, feature: Option<&str>, beside: Option<&str>) -> Answered {
        answer(|| ops::add_task(&self.features, feature, title, beside))
    }

    /// Records a status; with `needs_input` it asks and waits, reports to `progress` that it does, and ends
    /// when `has_left` says that the caller has left.
    ///
    /// Further keywords: those of `chant_mcp.parameters.StatusReport`.
    #[pyo3(signature = (status, *, agent = None, progress = None, has_left = None, **report))]
    fn report_status(
        &self,
        status: &str,
        agent: Option<String>,
        progress: Option<Py<PyAny>>,
        has_left: Option<Py<PyAny>>,
        report: Option<KeywordArguments>,
    ) -> Answered {
        let report = StatusReport {
            status,
            ..read(report.as_ref())?
        };
        let who = self.who(agent);
        listening(progress, has_left, |listener| {
            ops::report_status(&self.features, &who, &report, listener)
        })
    }

    /// Asks a question, or comes back to one, without waiting for the answer.
    #[pyo3(signature = (prompt = None, *, question = None, agent = None))]
    fn ask(&self, prompt: Option<&str>, question: Option<&str>, agent: Option<String>) -> Answered {
        let who = self.who(agent);
        answer(|| ops::ask(&self.features, &who, prompt, question))
    }

    /// Waits until a question is answered, cancelled or expired, at most so many seconds.
    #[pyo3(signature = (question, seconds, *, progress = None, has_left = None))]
    fn wait(
        &self,
        question: &str,
        seconds: f64,
        progress: Option<Py<PyAny>>,
        has_left: Option<Py<PyAny>>,
    ) -> Answered {
        let most = seconds_of(seconds);
        listening(progress, has_left, |listener| {
            ops::wait(&self.features, question, most, listener)
        })
    }

    /// Answers a question; with no text it is cancelled.
    #[pyo3(signature = (question, text = None, *, by = None))]
    fn answer(&self, question: &str, text: Option<&str>, by: Option<String>) -> Answered {
        let who = CallerIdentity {
            session: by.unwrap_or_else(|| self.session.clone()),
            agent: None,
        };
        answer(|| ops::answer(&self.features, &who, question, text))
    }

    /// The questions that wait, or all that are kept, without answers.
    #[pyo3(signature = (*, all = false))]
    fn questions(&self, all: bool) -> Answered {
        answer(|| ops::questions(&self.features, all))
    }

    /// The last events, the newest last.
    #[pyo3(signature = (*, limit = 50))]
    fn events(&self, limit: usize) -> Answered {
        answer(|| ops::events(&self.features, limit))
    }

    /// The tasks of the current feature or the one asked for.
    #[pyo3(signature = (feature = None))]
    fn tasks(&self, feature: Option<&str>) -> Answered {
        answer(|| ops::tasks(&self.features, feature))
    }

    /// The tasks that can be done now, all at once, and what the others wait for.
    #[pyo3(signature = (feature = None))]
    fn next(&self, feature: Option<&str>) -> Answered {
        answer(|| ops::next(&self.features, feature))
    }

    /// All features of the project.
    fn features(&self) -> Answered {
        answer(|| ops::all(&self.features))
    }
}

/// Makes a call that waits: it reports steps to `progress` and asks `has_left` if the caller is gone.
fn listening(
    progress: Option<Py<PyAny>>,
    has_left: Option<Py<PyAny>>,
    ask: impl FnOnce(&mut QuestionListener<'_>) -> Result<Answer, Error> + Send,
) -> Answered {
    answer(|| {
        let tell = &mut |step: &str| report_step(progress.as_ref(), step);
        let has_left = &|| is_true(has_left.as_ref());
        ask(&mut QuestionListener { tell, has_left })
    })
}

/// Reports a step to a function of Python's; one that fails is heard no more of.
fn report_step(progress: Option<&Py<PyAny>>, step: &str) {
    if let Some(progress) = progress {
        // No one listens any more: the question stays open.
        let _ = Python::attach(|py| progress.call1(py, (step,)).map(drop));
    }
}

/// Asks a function of Python's; none, or one that fails, says no.
fn is_true(asked: Option<&Py<PyAny>>) -> bool {
    asked.is_some_and(|asked| {
        Python::attach(|py| asked.call0(py).and_then(|said| said.is_truthy(py))).unwrap_or(false)
    })
}
