//! Removes logs of runs that ended, where all of them together become too large or too many.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::Path;

use super::WorkError;
use super::mirror::LOGS;
use super::run_record::RunRecord;
use super::run_store::{RunStore, log_of};
use super::state::RunState;
use chant_store::StoreError;
use chant_store::disk;
use chant_store::state::unescape_name;

/// The bytes that the logs of a checkout's specs may have together.
const MAX_BYTES: u64 = 512 * 1024 * 1024;
/// The number of these logs.
const MAX_COUNT: usize = 1000;

/// What the logs of a checkout may come to.
#[derive(Debug, Clone, Copy)]
pub struct LogRetention {
    /// Their bytes.
    pub bytes: u64,
    /// Their number.
    pub count: usize,
}

impl Default for LogRetention {
    fn default() -> Self {
        Self {
            bytes: MAX_BYTES,
            count: MAX_COUNT,
        }
    }
}

impl RunStore {
    /// Removes the logs that were written longest ago, until the others are few and small enough; none of a spec with a
    /// run that works or waits. Their copies in the project go with them. Returns the number of removed logs.
    ///
    /// # Errors
    /// A `StoreError` when the logs cannot be listed, or one cannot be removed.
    pub fn prune_logs(
        &self,
        records: &[RunRecord],
        retention: LogRetention,
    ) -> Result<usize, WorkError> {
        let Some(folder) = self.log_folder() else {
            return Ok(0);
        };
        let names = match disk::names(&folder) {
            Err(StoreError::Missing { .. }) => return Ok(0),
            names => names?,
        };
        let in_use = |record: &&RunRecord| {
            let state = record.state();
            state == RunState::Running || state.waits()
        };
        let in_use: BTreeSet<String> = records
            .iter()
            .filter(in_use)
            .map(|record| log_of(&record.spec_id))
            .collect();
        let mut logs: Vec<_> = names
            .into_iter()
            .filter(|one| !one.is_folder && !one.is_link)
            .filter_map(|one| {
                let stamp = disk::stamp_of_itself(&folder.join(&one.name))?;
                Some((
                    !in_use.contains(&one.name),
                    Reverse(stamp.modified),
                    one.name,
                    stamp.size,
                ))
            })
            .collect();
        logs.sort_unstable();
        let (mut bytes, mut gone) = (0, 0);
        for (number, (may_go, _, name, size)) in logs.into_iter().enumerate() {
            bytes += size;
            if may_go && (bytes > retention.bytes || number >= retention.count) {
                self.remove_log_copy(&name, size);
                disk::remove(&folder.join(&name))?;
                bytes -= size;
                gone += 1;
            }
        }
        Ok(gone)
    }

    /// Removes the copy of a log, but not another file of the same name.
    fn remove_log_copy(&self, name: &str, size: u64) {
        let spec = name.strip_suffix(".log").and_then(unescape_name);
        let (Some(spec), Ok(folder)) = (spec, self.root.locate(LOGS)) else {
            return;
        };
        let copy = folder.join(format!("{spec}.log"));
        let is_plain = folder == self.root.path().join(LOGS) && is_file_of(&copy, size);
        if is_plain && let Ok(Some(place)) = self.root.open_real(&copy) {
            // A copy that stays is shown as history.
            let _ = place.remove();
        }
    }
}

fn is_file_of(path: &Path, size: u64) -> bool {
    let is_file = disk::owned(path).is_some_and(|facts| facts.is_file);
    is_file && disk::stamp_of_itself(path).is_some_and(|stamp| stamp.size == size)
}
