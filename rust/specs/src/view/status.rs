//! Counts by state.

use std::collections::BTreeMap;

use serde::Serialize;

use super::held_specs::RemoteCounts;
use super::list::problems;
use super::work_load::WorkLoad;
use crate::model::SpecStatus;
use crate::specs::SpecGraph;
use chant_base::counted_list::CountedList;
use chant_base::document_problem::ProblemRow;

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
    /// The number of open specs that other clones hold or completed, whatever their state here.
    #[serde(flatten)]
    pub remote: RemoteCounts,
    /// The number of completed specs by how well they are proven, where checks say so: by their weakest criteria.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    proofs: BTreeMap<Box<str>, usize>,
    /// The load of accounts and machines.
    #[serde(flatten)]
    pub load: WorkLoad,
    /// Present when asked for.
    #[serde(flatten)]
    pub in_progress_activity: Option<CountedList<SpecActivity>>,
    /// The sentence about a folder that is not trusted, where it asks for something or has runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<&'static str>,
    /// Files that cannot be read as specs, or only in part.
    #[serde(flatten)]
    pub problems: CountedList<ProblemRow>,
}

impl StatusCounts {
    /// Counts all specs; a stored `ready` counts as pending, `paused` as in progress.
    pub fn of(specs: &SpecGraph) -> Self {
        let overview = specs.overview();
        let count = |status: SpecStatus| overview.counts[status as usize];
        Self {
            total: specs.len(),
            pending: count(SpecStatus::Pending) + count(SpecStatus::Ready),
            in_progress: count(SpecStatus::InProgress) + count(SpecStatus::Paused),
            completed: count(SpecStatus::Completed),
            failed: count(SpecStatus::Failed),
            blocked: count(SpecStatus::Blocked),
            cancelled: count(SpecStatus::Cancelled),
            needs_attention: count(SpecStatus::NeedsAttention),
            remote: RemoteCounts::default(),
            proofs: overview.proofs.clone(),
            load: WorkLoad::default(),
            in_progress_activity: None,
            trust: None,
            problems: problems(&[]),
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
            (self.remote.held_elsewhere, "held elsewhere"),
            (self.remote.completed_on_remote, "completed on the remote"),
            (self.remote.doubtful_leases, "with doubtful leases"),
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
pub struct SpecActivity {
    /// The spec.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// Last change of its file, local time.
    pub spec_modified: Option<String>,
    /// Last change of its log, local time.
    pub log_modified: Option<String>,
    /// True if it has a log.
    pub has_log: bool,
    /// Last change of its file, RFC 3339, UTC.
    pub spec_modified_utc: Option<String>,
    /// Last change of its log, RFC 3339, UTC.
    pub log_modified_utc: Option<String>,
}
