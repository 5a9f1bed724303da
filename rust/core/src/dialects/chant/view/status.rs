//! Counts by state.

use serde::Serialize;

use super::super::model::Status;
use super::super::specs::Specs;
use super::list::ProblemEntry;

/// Counts of specs by state.
#[derive(Debug, Serialize)]
pub struct StatusCounts {
    total: usize,
    pending: usize,
    in_progress: usize,
    completed: usize,
    failed: usize,
    blocked: usize,
    cancelled: usize,
    needs_attention: usize,
    /// Present when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_progress_activity: Option<Vec<Activity>>,
    /// How many specs are in progress, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_progress_activity_total: Option<usize>,
    /// That nobody trusts the folder, where it asks for something or has runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<&'static str>,
    /// Files that cannot be read as specs, or only in part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemEntry>,
    /// How many problems there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems_total: Option<usize>,
}

impl StatusCounts {
    /// Counts all specs; a stored `ready` counts as pending, `paused` as in progress.
    pub fn of(specs: &Specs) -> Self {
        let overview = specs.overview();
        let count = |status: Status| overview.counts[status as usize];
        Self {
            total: specs.len(),
            pending: count(Status::Pending) + count(Status::Ready),
            in_progress: count(Status::InProgress) + count(Status::Paused),
            completed: count(Status::Completed),
            failed: count(Status::Failed),
            blocked: count(Status::Blocked),
            cancelled: count(Status::Cancelled),
            needs_attention: count(Status::NeedsAttention),
            in_progress_activity: None,
            in_progress_activity_total: None,
            trust: None,
            problems: Vec::new(),
            problems_total: None,
        }
    }

    /// The counts on one line, zero ones left out.
    pub fn brief(&self) -> String {
        let parts = [
            (self.pending, "pending"),
            (self.in_progress, "in_progress"),
            (self.completed, "completed"),
            (self.failed, "failed"),
            (self.blocked, "blocked"),
            (self.cancelled, "cancelled"),
            (self.needs_attention, "needs_attention"),
        ];
        let shown: Vec<String> = parts
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, name)| format!("{n} {name}"))
            .collect();
        if shown.is_empty() {
            "No specs".into()
        } else {
            shown.join(" | ")
        }
    }
}

/// When something last happened to a spec that is being worked.
#[derive(Debug, Serialize)]
pub struct Activity {
    /// The spec.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// Last change of its file, local time.
    pub spec_modified: Option<String>,
    /// Last change of its log, local time.
    pub log_modified: Option<String>,
    /// Whether it has a log.
    pub has_log: bool,
    /// Last change of its file, RFC 3339, UTC.
    pub spec_modified_utc: Option<String>,
    /// Last change of its log, RFC 3339, UTC.
    pub log_modified_utc: Option<String>,
}
