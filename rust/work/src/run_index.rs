//! The runs of a project in brief, read again only where records changed: for boards, which ask often.

use std::collections::HashMap;
use std::path::Path;

use jiff::Timestamp;

use super::process::ProcessIdentity;
use super::run_record::{ItemEntry, RunRecord, SPLIT};
use super::state::RunState;
use chant_base::money::UsdAmount;
use chant_store::StoreError;
use chant_store::disk::Disk;
use chant_store::index::FileSource;
use chant_store::record_index::RecordIndex;

/// A run in brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunBrief {
    /// Its name.
    pub process_id: String,
    /// The spec it works on, or the order for an item of another format.
    pub spec_id: String,
    /// That item; `None` for a spec.
    pub item: Option<Box<ItemEntry>>,
    /// Its state.
    pub state: RunState,
    /// The reason of that state.
    pub reason: Option<String>,
    /// True if it works on the spec itself.
    pub works_on_spec: bool,
    /// True if it only proposes how to split the spec.
    pub is_split: bool,
    /// True if its work could not be merged because others changed the same.
    pub is_in_conflict: bool,
    /// The branch that carries its work.
    pub branch: Option<String>,
    /// The commit behind which its own work starts.
    pub base: Option<String>,
    /// The branch that its work is merged into.
    pub target: Option<String>,
    /// What its agent reported to have cost, in dollars.
    pub cost_usd: Option<UsdAmount>,
    /// When it began; `None` where its record does not say so.
    pub started: Option<Timestamp>,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// The process that runs it.
    pub runner: ProcessIdentity,
    token: u64,
}

impl RunBrief {
    fn of(record: &RunRecord) -> Self {
        let moment = |text: &str| text.parse().ok();
        Self {
            process_id: record.process_id.clone(),
            spec_id: record.spec_id.clone(),
            item: record.item.clone(),
            state: record.state(),
            reason: record.reason.clone(),
            works_on_spec: record.works_on_spec(),
            is_split: record.mode == SPLIT,
            is_in_conflict: record.merge.tried.is_some(),
            branch: record.branch.clone(),
            base: record.base.clone(),
            target: record.target.clone(),
            cost_usd: record.usage.as_ref().and_then(|usage| usage.cost_usd),
            started: moment(&record.started_at),
            ended: record.completed_at.as_deref().and_then(moment),
            runner: record.runner(),
            token: record.token,
        }
    }

    /// Returns true if it runs, and its process lives.
    pub fn is_live(&self) -> bool {
        self.state == RunState::Running && self.runner.is_alive()
    }

    /// The key that orders the runs of a spec by age.
    fn age(&self) -> (u64, Option<Timestamp>, &str) {
        (self.token, self.started, &self.process_id)
    }
}

/// The runs whose records lie in a folder.
pub struct RunIndex {
    runs: RecordIndex<RunBrief>,
}

impl Default for RunIndex {
    fn default() -> Self {
        Self {
            runs: RecordIndex::new(brief),
        }
    }
}

impl RunIndex {
    /// Takes in what changed in the folder of the records; unreadable ones are left out.
    ///
    /// # Errors
    /// As [`RecordIndex::refresh`].
    pub fn refresh(&mut self, disk: &Disk, folder: Option<&Path>) -> Result<(), StoreError> {
        self.runs.refresh(disk, folder).map(drop)
    }

    /// All runs, in the order of the names of their records.
    pub fn runs(&self) -> impl Iterator<Item = &RunBrief> {
        self.runs.records()
    }

    /// The newest run of each spec that works on it.
    pub fn newest(&self) -> HashMap<&str, &RunBrief> {
        let mut newest: HashMap<&str, &RunBrief> = HashMap::new();
        for run in self.runs().filter(|run| run.works_on_spec) {
            let known = newest.entry(&run.spec_id).or_insert(run);
            if known.age() < run.age() {
                *known = run;
            }
        }
        newest
    }
}

fn brief(path: &str, source: FileSource) -> Option<RunBrief> {
    let FileSource::Text(text) = source else {
        return None;
    };
    let name = path.rsplit('/').next().unwrap_or_default();
    Some(RunBrief::of(&RunRecord::believed(name, &text).ok()?))
}
