//! What other programs, and earlier releases of ours, leave in a project of a spec that they work on: a lock, and
//! a file with a process number. A clone can carry both, so they only ever forbid: nothing is signalled by them.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::super::error::ChantError;
use super::super::id::SpecId;
use super::Project;
use crate::error::Error;
use crate::store::disk::{self, Lock};
use crate::work::process;

/// The folders of such files, with their ending.
const PLACES: [(&str, &str); 2] = [(".chant/.locks", "lock"), (".chant/pids", "pid")];

impl Project {
    /// Refuses what would meet another program at work on a spec; `what` would have been done.
    ///
    /// # Errors
    /// `Refused`, naming its process.
    pub(in super::super) fn refuse_worked_by_others(
        &self,
        id: &SpecId,
        what: &str,
    ) -> Result<(), Error> {
        let mut files = PLACES.iter().filter_map(|place| self.left_file(*place, id));
        let Some((name, pid)) =
            files.find_map(|(name, path)| Some((name, self.living_process(&path)?)))
        else {
            return Ok(());
        };
        let message = format!(
            "Spec '{id}' is being worked by another program: {name} (PID {pid}). Stop that first; nothing was {what}."
        );
        Err(ChantError::Refused(message).into())
    }

    /// Removes what a program that is dead by now left of a spec.
    ///
    /// # Errors
    /// A `StoreError` when a file cannot be removed.
    pub(in super::super) fn remove_left_by_others(&self, id: &SpecId) -> Result<(), Error> {
        let files = PLACES.iter().filter_map(|place| self.left_file(*place, id));
        for (_, path) in files.filter(|(_, path)| self.living_process(path).is_none()) {
            disk::remove(&path)?;
        }
        Ok(())
    }

    /// The lock that another program left of a spec, and the process that holds it, if one does.
    pub(in super::super) fn lock_of_others(&self, id: &SpecId) -> Option<(PathBuf, Option<u32>)> {
        let (_, path) = self.left_file(PLACES[0], id)?;
        let pid = self.living_process(&path);
        Some((path, pid))
    }

    /// Such a file, if it is a file of its own: nothing that a link leads to is meant.
    fn left_file(&self, (folder, ending): (&str, &str), id: &SpecId) -> Option<(String, PathBuf)> {
        let name = format!("{folder}/{id}.{ending}");
        let path = self.root.place(&name).ok()?;
        let is_here = path == self.root.path().join(&name);
        let is_file = disk::owned(&path).is_some_and(|facts| facts.is_file);
        (is_here && is_file).then_some((name, path))
    }

    /// The process that a file names, if it holds the file's lock, or lives and is older than the file.
    fn living_process(&self, path: &std::path::Path) -> Option<u32> {
        let content = (self.disk.read)(path).ok()?;
        let text = String::from_utf8_lossy(&content.bytes);
        let pid = text.split_whitespace().next()?.parse().ok()?;
        let nanos = u64::try_from(content.stamp.modified).unwrap_or(0);
        let written = SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos);
        let is_held = matches!(Lock::try_take(path), Ok(None));
        (is_held || process::is_writer_alive(pid, written)).then_some(pid)
    }
}
