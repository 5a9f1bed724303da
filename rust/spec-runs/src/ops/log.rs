//! Shows the logs of runs.

use jiff::Timestamp;
use serde::Deserialize;

#[cfg(unix)]
use crate::cluster::watchers::note_reader;
use crate::project::ProjectRuns;
use crate::project::logs::log_name;
use crate::view::work::LogView;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_store::StoreError;
use chant_work::log::{self, LogQuery};

/// Which lines of a log are wanted.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogRange {
    /// Most lines.
    pub lines: usize,
    /// The byte to start at; without it the last lines are given.
    pub offset: Option<u64>,
    /// A moment: only lines after it are given.
    pub since: Option<String>,
}

impl LogRange {
    /// The same with at most so many lines.
    #[must_use]
    pub fn with_lines(&self, lines: usize) -> Self {
        Self {
            lines,
            ..self.clone()
        }
    }
}

impl Default for LogRange {
    fn default() -> Self {
        Self {
            lines: 100,
            offset: None,
            since: None,
        }
    }
}

/// `chant_log`: the last lines of a spec's log, or lines from a byte on.
///
/// A `note` says so when the log is shorter than `offset`, because it was started again.
///
/// # Errors
/// As [`Project::resolve`], `NoLog`, or `InvalidArgument` for a `since` that is no moment.
pub fn log(project: &Project, id: &str, range: &LogRange) -> Result<Answer, Error> {
    let offset = range.offset;
    let since = range.since.as_deref().map(moment).transpose()?;
    let snapshot = project.snapshot()?;
    let spec = project.resolve(&snapshot, id)?;
    #[cfg(unix)]
    note_reader(project, spec.id.as_str());
    let path = log_name(spec.id.as_str());
    let shown = project.shown_log(spec.id.as_str());
    let opened = shown.and_then(|(real, name)| project.disk.open(&real, &name));
    let (file, length) = opened.map_err(|error| match error {
        StoreError::Missing { .. } => ChantError::NoLog {
            id: spec.id.to_string(),
        }
        .into(),
        error => Error::from(error),
    })?;
    let unreadable = |e: std::io::Error| StoreError::Unreadable {
        path: path.clone(),
        why: e.to_string(),
    };
    let is_beyond = offset.filter(|offset| *offset > length);
    let read = log::read(
        file,
        length,
        LogQuery {
            lines: range.lines,
            offset,
            since,
        },
    )
    .map_err(unreadable)?;
    Ok(Answer::data(&LogView {
        content: read.content,
        byte_offset: read.byte_offset,
        line_count: read.line_count,
        has_more: read.has_more,
        start_offset: read.start_offset,
        note: is_beyond.map(|offset| {
            format!(
                "offset {offset} is beyond the log's {length} bytes, because the log was started again; \
                 offset 0 reads it from its beginning"
            )
        }),
    }))
}

fn moment(text: &str) -> Result<Timestamp, ChantError> {
    log::moment(text).ok_or_else(|| ChantError::InvalidArgument {
        name: "since",
        why: format!("expected an ISO timestamp such as 2026-02-02T10:00:00Z, got '{text}'"),
    })
}
