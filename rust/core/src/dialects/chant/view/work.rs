//! Logs and runs.

use serde::Serialize;

use super::list::ProblemEntry;

/// Lines of a log.
#[derive(Debug, Serialize)]
pub struct Log {
    /// The lines, joined by line feeds.
    pub content: String,
    /// Byte after the last whole line looked at: where to go on.
    pub byte_offset: u64,
    /// How many lines.
    pub line_count: usize,
    /// With `offset`: whole lines follow. Without: older lines were left out.
    pub has_more: bool,
    /// Byte at which the first line begins.
    pub start_offset: u64,
    /// What is odd about the offset that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Runs of agents.
#[derive(Debug, Serialize)]
pub struct WorkList {
    /// The runs.
    pub processes: Vec<RunEntry>,
    /// All runs that are kept, whatever was asked for.
    pub summary: RunCounts,
    /// How many runs match, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes_total: Option<usize>,
    /// Where the next page begins, when there is one: call again with this `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// Records that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemEntry>,
}

/// One run.
#[derive(Debug, Serialize)]
pub struct RunEntry {
    /// Its name.
    pub process_id: String,
    /// The spec.
    pub spec_id: String,
    /// The runner's process number.
    pub pid: Option<u32>,
    /// `running`, `completed` or `failed`.
    pub status: &'static str,
    /// RFC 3339.
    pub started_at: Option<String>,
    /// RFC 3339; null while it runs.
    pub completed_at: Option<String>,
    /// `single`, `chain` or `parallel(N)`.
    pub mode: String,
    /// Its record says it runs, but no such process lives.
    pub stale: bool,
    /// When its log was last written, RFC 3339; null without a log.
    pub log_modified: Option<String>,
    /// The branch that carries its work.
    pub branch: Option<String>,
    /// How it ended, in one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_state: Option<String>,
    /// Why it ended so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Runs by state.
#[derive(Debug, Default, Serialize)]
pub struct RunCounts {
    /// Runners that live.
    pub running: usize,
    /// Ended with the spec completed.
    pub completed: usize,
    /// Ended otherwise.
    pub failed: usize,
}
