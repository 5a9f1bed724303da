//! The mirrors of a worker machine: one for each accepted remote, and one for each project without.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::job_file::JobFile;
use super::job_folder::{WorkerFolder, within};
use chant_store::StoreError;
use chant_store::disk::{self, Lock};

/// The seconds that a job waits for another one that fills the same mirror.
const LONGEST_FILLING: u64 = 1800;
/// The time after which a mirror that no job used is removed.
const LONGEST_UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);
/// The endings of the names of a mirror's folder and of its lock.
const FOLDER_NAME: &str = "git";
const LOCK: &str = "lock";

/// The place of a mirror.
pub(super) struct MirrorPlace {
    folders: PathBuf,
    name: String,
}

impl MirrorPlace {
    /// Returns the place for a remote that was accepted, or else for a project.
    pub(super) fn of(
        worker: &WorkerFolder,
        remote: Option<&str>,
        project: &str,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            folders: worker.mirrors()?,
            name: remote.map_or_else(|| name_of_project(project), chant_git::blob),
        })
    }

    /// Returns the folder of the mirror.
    pub(super) fn folder(&self) -> PathBuf {
        self.file(FOLDER_NAME)
    }

    /// Waits until no other job fills the mirror, and notes that it is used.
    pub(super) fn claim(&self) -> Result<Lock, StoreError> {
        let gate = self.file(LOCK);
        match disk::create_owned(&gate, "") {
            Err(StoreError::Exists { .. }) | Ok(()) => {}
            Err(error) => return Err(error),
        }
        let lock = Lock::acquire(&gate, within(LONGEST_FILLING))?;
        disk::set_modified(&gate, SystemTime::now())?;
        Ok(lock)
    }

    fn file(&self, ending: &str) -> PathBuf {
        self.folders.join(format!("{}.{ending}", self.name))
    }

    /// Removes the mirror, if no job used it for long.
    fn remove_unused(&self, now: SystemTime) -> Result<bool, StoreError> {
        let gate = self.file(LOCK);
        let stamp = disk::stamp(&gate);
        if stamp.is_none_or(|used| !used.is_older_than(LONGEST_UNUSED, now)) {
            return Ok(false);
        }
        let Some(_lock) = Lock::try_take(&gate)? else {
            return Ok(false);
        };
        disk::remove_tree(&self.folder())?;
        disk::remove(&gate)?;
        Ok(true)
    }
}

fn name_of_project(project: &str) -> String {
    chant_git::blob(&format!("project {project}"))
}

/// Removes the mirrors that no job used for 30 days, and from which no folder of a job borrows. No job may be
/// at work. Returns their names.
pub(super) fn prune_mirrors(
    worker: &WorkerFolder,
    now: SystemTime,
) -> Result<Vec<String>, StoreError> {
    let borrowed = borrowed(worker);
    let folders = worker.mirrors()?;
    let mut removed = Vec::new();
    for entry in disk::names(&folders)? {
        let Some(name) = entry.name.strip_suffix(&format!(".{LOCK}")) else {
            continue;
        };
        let place = MirrorPlace {
            folders: folders.clone(),
            name: name.to_owned(),
        };
        if !borrowed.contains(name) && place.remove_unused(now)? {
            removed.push(name.to_owned());
        }
    }
    Ok(removed)
}

/// Returns the names of all mirrors that a job's folder may borrow from.
fn borrowed(worker: &WorkerFolder) -> BTreeSet<String> {
    let places = [worker.jobs(), worker.kept()];
    let folders = places.iter().flat_map(|place| WorkerFolder::folders(place));
    let jobs = folders.filter_map(|folder| {
        let text = folder.job().ok()?;
        let value: serde_json::Value = serde_json::from_str(&text).ok()?;
        // A folder that is kept may have another name than its job.
        JobFile::parse(&text, value["key"].as_str()?).ok()
    });
    jobs.flat_map(|job| {
        let of_remote = job.remote.as_deref().map(chant_git::blob);
        of_remote.into_iter().chain([name_of_project(&job.project)])
    })
    .collect()
}
