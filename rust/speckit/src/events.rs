//! The log of what agents report and do: lines of JSON that are only added. Answers to questions are
//! not in it.

use std::time::Instant;

use serde::Serialize;
use serde_json::Value;

use super::error::SpeckitError;
use super::files::{CallerIdentity, FeatureStore};
use super::resolve::ResolvedProject;
use chant_base::error::Error;
use chant_store::StoreError;
use chant_store::disk::{self, AppendFile, LOCK_TIMEOUT, Lock};

/// Our part of the state folder.
const PART: &str = "speckit";
const LOG_FILE: &str = "events.jsonl";
/// The name of the old log after a new one was started.
const OLD: &str = "events.old.jsonl";
/// Bytes after which a new log is started; the one before is kept.
const LARGE: u64 = 4 * 1024 * 1024;

/// The most events of one run that the logs hold, so that it does not push out those of others.
const MAX_OF_RUN: usize = 1000;
/// The bytes that these events have together at most.
const MAX_BYTES_OF_RUN: usize = 1024 * 1024;

/// An event of a feature.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum FeatureEvent<'a> {
    /// An agent reported a status.
    Status {
        /// `needs_input`, `completed` or `error`.
        status: &'a str,
        /// The message about an error.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<&'a str>,
    },
    /// A question was asked.
    Question {
        /// Its ID.
        question: &'a str,
        /// The text of the question.
        prompt: &'a str,
    },
    /// A question was answered, cancelled or expired.
    Closed {
        /// Its ID.
        question: &'a str,
        /// Its state.
        state: &'a str,
        /// By whom.
        by: &'a str,
    },
    /// A task was ticked, or was refused to be.
    Task {
        /// Its ID.
        task: &'a str,
        /// True if it was ticked.
        completed: bool,
        /// The progress of the list.
        progress: &'a str,
        /// True if validation was skipped.
        skipped_validation: bool,
        /// The outcomes of the checks.
        checks: &'a [CheckEvidence],
        /// The warnings.
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        warnings: &'a [String],
    },
}

/// The outcome of a check.
#[derive(Debug, Clone, Serialize)]
pub struct CheckEvidence {
    /// Its name.
    pub name: String,
    /// Its exit code; null when it was ended or could not be started.
    pub exit: Option<i32>,
    /// The outcome, for people.
    pub how: String,
    /// The seconds it took.
    pub seconds: f64,
    /// The last of what it wrote.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// A line of the log.
#[derive(Serialize)]
struct EventLine<'a> {
    at: String,
    #[serde(flatten)]
    what: FeatureEvent<'a>,
    session: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    feature: Option<&'a str>,
    worktree: String,
}

impl FeatureStore {
    /// Adds to the log.
    ///
    /// # Errors
    /// `TooManyReports`, or a `StoreError`.
    pub(super) fn log(
        &self,
        found: &ResolvedProject,
        who: &CallerIdentity,
        what: FeatureEvent<'_>,
    ) -> Result<(), Error> {
        let line = EventLine {
            at: self.now().to_string(),
            what,
            session: &who.session,
            agent: who.agent.as_deref(),
            run: self.run(),
            feature: found
                .feature
                .as_ref()
                .map(|feature| feature.directory.as_str()),
            worktree: found.root.path().display().to_string(),
        };
        let mut text = serde_json::to_string(&line).unwrap_or_default();
        text.push('\n');
        let folder = found.state.ensure(PART)?;
        let path = folder.join(LOG_FILE);
        let _lock = Lock::acquire(&folder, Instant::now() + LOCK_TIMEOUT)?;
        if let Some(run) = &line.run {
            let (count, bytes) = self.events_of_run(found, run)?;
            if count >= MAX_OF_RUN || bytes + text.len() > MAX_BYTES_OF_RUN {
                let bytes = bytes + text.len();
                return Err(SpeckitError::TooManyReports { count, bytes }.into());
            }
        }
        if disk::stamp(&path).is_some_and(|stamp| stamp.size > LARGE) {
            let old = folder.join(OLD);
            disk::remove(&old)?;
            disk::rename_new(&path, &old)?;
        }
        let mut log = AppendFile::open_owned(&path)?;
        if log.is_torn() {
            text.insert(0, '\n');
        }
        let added = log.add(text.as_bytes()).and_then(|()| log.flush());
        added.map_err(|source| StoreError::io("write", &path, source).into())
    }

    /// Returns the number of a run's events in the logs, and their bytes together.
    fn events_of_run(&self, found: &ResolvedProject, run: &str) -> Result<(usize, usize), Error> {
        // Nothing that an agent reports looks like this: there the quotes are escaped.
        let mark = format!("\"run\":{}", serde_json::Value::from(run));
        let (mut count, mut bytes) = (0, 0);
        for text in self.logs(found)? {
            for line in text.lines().filter(|line| line.contains(&mark)) {
                (count, bytes) = (count + 1, bytes + line.len());
            }
        }
        Ok((count, bytes))
    }

    /// The texts of the logs that are there, the old one first.
    fn logs(&self, found: &ResolvedProject) -> Result<Vec<String>, Error> {
        let mut texts = Vec::new();
        for name in [OLD, LOG_FILE] {
            let Some(path) = found.state.read(&format!("{PART}/{name}")) else {
                continue;
            };
            match self.disk.read_text(&path, name) {
                Ok((text, _)) => texts.push(text),
                Err(StoreError::Missing { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(texts)
    }

    /// The last events, the newest last; what is no event is left out.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(super) fn events(&self, found: &ResolvedProject, most: usize) -> Result<Vec<Value>, Error> {
        let mut events = Vec::new();
        for text in self.logs(found)? {
            let read = |line: &str| serde_json::from_str(line).ok();
            events.extend(text.lines().filter_map(read));
        }
        let skipped = events.len().saturating_sub(most);
        Ok(events.split_off(skipped))
    }
}
