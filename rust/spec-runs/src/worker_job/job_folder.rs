//! The folder of a job on the machine that does it, and the folders beside it.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;

use chant_base::error::Error;
use chant_specs::error::ChantError;
use chant_store::StoreError;
use chant_store::disk::{self, Lock};

/// The greatest number of bytes of a job.
const LARGEST_JOB: u64 = 256 * 1024;
/// The bytes of a long log that are kept of its beginning, and of its end.
const KEPT_OF_LOG: [u64; 2] = [4 * 1024 * 1024, 12 * 1024 * 1024 - 4096];

/// The folder with all that a machine keeps for the jobs of others.
#[derive(Debug, Clone)]
pub(super) struct WorkerFolder(PathBuf);

impl WorkerFolder {
    /// Returns the handle of a folder, which need not be there.
    pub(super) fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Returns its path.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the folder of the mirrors and makes it.
    pub(super) fn mirrors(&self) -> Result<PathBuf, StoreError> {
        made(self.0.join("mirrors"))
    }

    /// Returns the folder of the jobs.
    pub(super) fn jobs(&self) -> PathBuf {
        self.0.join("jobs")
    }

    /// Returns the folder of work that could not be returned.
    pub(super) fn kept(&self) -> PathBuf {
        self.0.join("kept")
    }

    /// Returns the folders of jobs in one of the two.
    pub(super) fn folders(folder: &Path) -> Vec<JobFolder> {
        let entries = disk::names(folder).unwrap_or_default().into_iter();
        let folders = entries.filter(|entry| entry.is_folder);
        folders
            .map(|entry| JobFolder(folder.join(entry.name)))
            .collect()
    }
}

fn made(path: PathBuf) -> Result<PathBuf, StoreError> {
    disk::make_folders(&path)?;
    Ok(path)
}

/// The folder of one job.
#[derive(Debug, Clone)]
pub(super) struct JobFolder(PathBuf);

impl JobFolder {
    /// Returns the handle of a job's folder: `jobs/<key>` below the folder of the worker.
    ///
    /// # Errors
    /// `Refused` for any other folder.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let path = disk::real(path)?;
        let is_of_jobs = path.parent().is_some_and(|above| above.ends_with("jobs"));
        if !is_of_jobs {
            let why = format!("{} is not the folder of a job", path.display());
            return Err(ChantError::Refused(why).into());
        }
        disk::keep_private(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns its name, which is the key of the job.
    pub(super) fn name(&self) -> String {
        let name = self.0.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Returns the folder of the worker that it lies in.
    pub(super) fn worker(&self) -> WorkerFolder {
        let above = self.0.parent().and_then(Path::parent);
        WorkerFolder::at(above.unwrap_or(&self.0))
    }

    pub(super) fn start_bundle(&self) -> PathBuf {
        self.0.join("start.bundle")
    }

    pub(super) fn checkout(&self) -> PathBuf {
        self.0.join("checkout")
    }

    pub(super) fn quarantine(&self) -> PathBuf {
        self.0.join("quarantine.git")
    }

    /// Returns the home of the state of programs during the job, which ends with it.
    pub(super) fn state(&self) -> PathBuf {
        self.0.join("state")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.0.join("log")
    }

    pub(super) fn result_bundle(&self) -> PathBuf {
        self.0.join("result.bundle")
    }

    /// Returns the text of the job.
    pub(super) fn job(&self) -> Result<String, StoreError> {
        disk::read_owned(&self.0.join("job.json"), LARGEST_JOB)
    }

    /// Takes the lock that shows that its job is being done; `None` if another process has it.
    pub(super) fn lock(&self) -> Result<Option<Lock>, StoreError> {
        let path = self.0.join("lock");
        match disk::create_owned(&path, "") {
            Err(StoreError::Exists { .. }) | Ok(()) => Lock::try_take(&path),
            Err(error) => Err(error),
        }
    }

    /// Returns true if the machine that placed the job has its result.
    pub(super) fn is_acknowledged(&self) -> bool {
        disk::exists(&self.0.join("acknowledged"))
    }

    /// Returns the result, if the job has one.
    pub(super) fn result(&self) -> Option<Value> {
        let text = disk::read_owned(&self.0.join("result.json"), LARGEST_JOB).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Writes the result: the last thing that a job does.
    pub(super) fn write_result(&self, result: &Value) -> Result<(), StoreError> {
        disk::create_owned(&self.0.join("result.json"), &format!("{result}\n"))
    }

    /// Lets readers of the job's log see that of its run while it grows.
    pub(super) fn show_log(&self, log: &Path) -> Result<(), StoreError> {
        disk::remove(&self.log())?;
        disk::make_link(log, &self.log())
    }

    /// Writes the log as it is sent back: one that is too long without its middle.
    pub(super) fn write_log(&self, log: Option<&Path>) -> Result<(), Error> {
        let text = log.map_or_else(|| Ok(String::new()), |log| shortened(log, KEPT_OF_LOG))?;
        disk::remove(&self.log())?;
        Ok(disk::create_owned(&self.log(), &text)?)
    }

    /// Moves the folder to the work that could not be returned.
    pub(super) fn keep(&self) -> Result<Self, StoreError> {
        let kept = made(self.worker().kept())?;
        let name = self.name();
        let free = (0..).map(|number| match number {
            0 => kept.join(&name),
            number => kept.join(format!("{name}-{number}")),
        });
        let mut free = free.take(1000).filter(|path| !disk::exists(path));
        let place = free.next().unwrap_or_else(|| kept.join(&name));
        disk::move_folder(&self.0, &place)?;
        Ok(Self(place))
    }
}

/// Returns the text of a log; of one that is too long the beginning and the end.
fn shortened(log: &Path, [head, tail]: [u64; 2]) -> Result<String, Error> {
    let shown = log.display().to_string();
    let (mut file, length) = disk::open(log, &shown)?;
    let mut read = |from: u64, most: u64| -> Result<String, Error> {
        let mut bytes = Vec::new();
        let done = file
            .seek(SeekFrom::Start(from))
            .and_then(|_| (&file).take(most).read_to_end(&mut bytes));
        done.map_err(|error| ChantError::Refused(format!("{shown} cannot be read: {error}")))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    if length <= head + tail {
        return read(0, length);
    }
    let (head_text, tail_text) = (read(0, head)?, read(length - tail, tail)?);
    let left_out = length - head - tail;
    let tail_text = tail_text.split_once('\n').map_or("", |(_, rest)| rest);
    Ok(format!(
        "{head_text}\n# {left_out} bytes of the log are left out here.\n{tail_text}"
    ))
}

/// The deadline of a wait for a lock of ours.
pub(super) fn within(seconds: u64) -> Instant {
    Instant::now() + std::time::Duration::from_secs(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_loses_its_middle_and_says_so() {
        let path = std::env::temp_dir().join(format!("job-log-{}", fastrand::u64(..)));
        let lines: Vec<String> = (0..10).map(|number| format!("line {number}\n")).collect();
        disk::create_owned(&path, &lines.concat()).unwrap();
        assert_eq!(shortened(&path, [35, 35]).unwrap(), lines.concat());
        let short = shortened(&path, [14, 20]).unwrap();
        assert_eq!(
            short,
            "line 0\nline 1\n\n# 36 bytes of the log are left out here.\nline 8\nline 9\n"
        );
        disk::remove(&path).unwrap();
    }
}
