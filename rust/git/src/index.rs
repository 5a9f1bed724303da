//! Stages the move of one file and leaves every other entry of the index as it is.

#![expect(
    clippy::disallowed_methods,
    reason = "git's index and its lock are no documents of the store"
)]

use chant_base::diagnostics::LogFailure;
use std::fs::{self, FileTimes, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::backend::GitBackend;
use super::{GitError, Repo, flushing};

/// The lock timeout: how long this waits while another process holds the index.
const LOCK_TIMEOUT: Duration = Duration::from_secs(3);

/// The time between two attempts to take a lock.
const RETRY_DELAY: Duration = Duration::from_millis(10);

/// Parts of an index that git2 would drop: caches that the user switched on.
const ONLY_GIT_KEEPS: [&[u8]; 2] = [b"UNTR", b"FSMN"];

/// Flags of an entry as `git ls-files --debug` prints them.
const INTENT_TO_ADD: u32 = 1 << 29;
const SKIP_WORKTREE: u32 = 1 << 30;
const ASSUME_UNCHANGED: u32 = 1 << 15;

impl Repo {
    /// Stages the move of one file that was renamed on disk: its entry, with flags and conflicts,
    /// gets the new path, and every other entry stays as it is. A move that is already staged is
    /// left alone.
    ///
    /// The paths are absolute or start at the top of the checkout. If another process holds the
    /// lock of the index, this waits for up to three seconds.
    ///
    /// # Errors
    /// `NotTracked` for a file that git does not track, `AlreadyTracked` when the new path is taken in
    /// the index, `IndexLocked`, `Bare`, `Outside`, or a failure of git; nothing is staged then.
    pub fn stage_move(&self, from: &Path, to: &Path) -> Result<(), GitError> {
        let (from, to) = (self.path_in_checkout(from)?, self.path_in_checkout(to)?);
        if from == to {
            return Ok(());
        }
        if self.backend == GitBackend::Program {
            return self.move_by_program(&from, &to);
        }
        let index = self.library("find the index", |repo| Ok(repo.path().join("index")))?;
        if only_git_keeps(&index) {
            match self.move_by_program(&from, &to) {
                Err(GitError::NoGit { .. }) => {}
                moved => return moved,
            }
        }
        match self.move_by_library(&index, &from, &to) {
            Err(refused @ GitError::Library { .. }) => match self.move_by_program(&from, &to) {
                Err(GitError::NoGit { .. }) => Err(refused),
                moved => moved,
            },
            moved => moved,
        }
    }

    fn move_by_library(&self, index: &Path, from: &str, to: &str) -> Result<(), GitError> {
        let lock = IndexLock::take(index, LOCK_TIMEOUT)?;
        if !lock.copy_index()? {
            return Err(GitError::NotTracked {
                path: from.to_owned(),
            });
        }
        let mut copy = git2::Index::open(&lock.path)
            .map_err(|error| self.refused("read the index", &error))?;
        let (old, new) = (Path::new(from), Path::new(to));
        let entries: Vec<git2::IndexEntry> = (0..=3)
            .filter_map(|stage| copy.get_path(old, stage))
            .collect();
        let is_taken = |path: &Path| (0..=3).any(|stage| copy.get_path(path, stage).is_some());
        if entries.is_empty() {
            return if is_taken(new) {
                Ok(())
            } else {
                Err(GitError::NotTracked {
                    path: from.to_owned(),
                })
            };
        }
        let above = new
            .ancestors()
            .find(|path| !path.as_os_str().is_empty() && is_taken(path));
        if above.is_some() || copy.find_prefix(format!("{to}/")).is_ok() {
            return Err(GitError::AlreadyTracked {
                path: to.to_owned(),
            });
        }
        let written = entries.into_iter().try_for_each(|mut entry| {
            copy.remove(old, stage_of(&entry))?;
            entry.path = to.into();
            copy.add(&entry)
        });
        written
            .and_then(|()| copy.write())
            .map_err(|error| self.refused("write the index", &error))?;
        lock.put_into_place()
    }

    fn move_by_program(&self, from: &str, to: &str) -> Result<(), GitError> {
        let listed = |path: &str| {
            let words = [
                "--literal-pathspecs", "ls-files", "-z", "--stage", "--debug", "--", path,
            ];
            self.reading(words).output()
        };
        let entries = entries_in(&listed(from)?, from);
        let taken = listed(to)?;
        if entries.is_empty() {
            return if taken.is_empty() {
                Err(GitError::NotTracked {
                    path: from.to_owned(),
                })
            } else {
                Ok(())
            };
        }
        if !taken.is_empty() {
            return Err(GitError::AlreadyTracked {
                path: to.to_owned(),
            });
        }
        let is_announced = entries.iter().any(|entry| entry.flags & INTENT_TO_ADD != 0);
        let nothing = "0".repeat(entries[0].id.len());
        let mut orders = format!("0 {nothing}\t{from}\0");
        if !is_announced {
            for ListedIndexEntry {
                mode, id, stage, ..
            } in &entries
            {
                orders += &format!("{mode} {id} {stage}\t{to}\0");
            }
        }
        self.change_index(&["update-index", "-z", "--index-info"], orders.as_bytes())?;
        if is_announced {
            let add = [
                "--literal-pathspecs", "add", "--intent-to-add", "--force", "--", to,
            ];
            self.change_index(&add, b"")?;
        }
        for (flag, option) in [
            (SKIP_WORKTREE, "--skip-worktree"),
            (ASSUME_UNCHANGED, "--assume-unchanged"),
        ] {
            if entries.iter().any(|entry| entry.flags & flag != 0) {
                self.change_index(&["update-index", option, "--", to], b"")?;
            }
        }
        Ok(())
    }

    /// Changes the index with the git program, and retries while another process holds the lock.
    fn change_index(&self, words: &[&str], input: &[u8]) -> Result<(), GitError> {
        let started = Instant::now();
        loop {
            let answer = self.acting(words.iter().copied()).answer_to(input)?;
            let complaint = answer.complaint();
            let held = complaint
                .split('\'')
                .find(|word| word.ends_with("index.lock"));
            match held {
                Some(lock) if complaint.contains("File exists") => {
                    if started.elapsed() > LOCK_TIMEOUT {
                        return Err(GitError::IndexLocked { path: lock.into() });
                    }
                    wait_for_lock();
                }
                _ => return answer.success().map(drop),
            }
        }
    }
}

/// Sleeps before the next attempt to take a lock; callers limit the number of attempts.
pub(super) fn wait_for_lock() {
    thread::sleep(RETRY_DELAY);
}

/// Git's own lock for a change of the index; released when dropped.
#[derive(Debug)]
pub(super) struct IndexLock<'a> {
    index: &'a Path,
    /// The lock file, which becomes the new index.
    path: PathBuf,
    is_held: bool,
}

impl<'a> IndexLock<'a> {
    pub(super) fn take(index: &'a Path, timeout: Duration) -> Result<Self, GitError> {
        let path = index.with_extension("lock");
        let started = Instant::now();
        loop {
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(_) => {
                    return Ok(Self {
                        index,
                        path,
                        is_held: true,
                    });
                }
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(failed("lock the index with", &path, &error));
                }
                Err(_) if started.elapsed() >= timeout => {
                    return Err(GitError::IndexLocked { path });
                }
                Err(_) => wait_for_lock(),
            }
        }
    }

    /// Copies the index into the lock file; returns false if there is no index.
    fn copy_index(&self) -> Result<bool, GitError> {
        match fs::copy(self.index, &self.path) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(failed("copy the index to", &self.path, &error)),
        }
    }

    /// Writes another index into the lock file.
    pub(super) fn write(&self, index: &[u8]) -> Result<(), GitError> {
        fs::write(&self.path, index).map_err(|error| failed("write the index", &self.path, &error))
    }

    /// Renames the lock file to the index.
    ///
    /// The new index keeps the time of the old one: git takes a file for unchanged when its stamp
    /// equals that of the entry and is older than the index. A younger index would hide a change
    /// made in the same instant as an earlier `git add`.
    pub(super) fn put_into_place(mut self) -> Result<(), GitError> {
        let place = || -> io::Result<()> {
            let old = fs::metadata(self.index)?;
            let file = OpenOptions::new().write(true).open(&self.path)?;
            file.set_permissions(old.permissions())?;
            file.set_times(FileTimes::new().set_modified(old.modified()?))?;
            file.sync_all()?;
            fs::rename(&self.path, self.index)
        };
        place().map_err(|error| failed("write the index", self.index, &error))?;
        self.is_held = false;
        let folder = self.index.parent().map(Path::to_owned);
        flushing::flush_folders(&folder.into_iter().collect())
    }
}

impl Drop for IndexLock<'_> {
    fn drop(&mut self) {
        if self.is_held {
            fs::remove_file(&self.path).log_failure("remove the temporary index");
        }
    }
}

/// An entry of the index, as the git program lists it.
struct ListedIndexEntry {
    mode: String,
    id: String,
    stage: String,
    flags: u32,
}

/// Reads `<mode> <id> <stage>\t<path>\0` followed by lines of details, the flags among them, per entry.
fn entries_in(listed: &[u8], path: &str) -> Vec<ListedIndexEntry> {
    let text = String::from_utf8_lossy(listed);
    let mut entries: Vec<ListedIndexEntry> = Vec::new();
    for part in text.split('\0') {
        let flags = part
            .split_once("flags: ")
            .and_then(|(_, flags)| flags.split_whitespace().next());
        if let (Some(flags), Some(entry)) = (flags, entries.last_mut()) {
            entry.flags = u32::from_str_radix(flags, 16).unwrap_or(0);
        }
        let Some((head, listed)) = part.lines().last().unwrap_or_default().split_once('\t') else {
            continue;
        };
        if let [mode, id, stage] = head.split(' ').collect::<Vec<_>>()[..]
            && listed == path
        {
            entries.push(ListedIndexEntry {
                mode: mode.into(),
                id: id.into(),
                stage: stage.into(),
                flags: 0,
            });
        }
    }
    entries
}

fn only_git_keeps(index: &Path) -> bool {
    let bytes = fs::read(index).unwrap_or_default();
    bytes.windows(4).any(|part| ONLY_GIT_KEEPS.contains(&part))
}

/// Returns the side of a conflict that an entry belongs to, 0 for none.
fn stage_of(entry: &git2::IndexEntry) -> i32 {
    i32::from(entry.flags >> 12 & 3)
}

pub(super) fn failed(doing: &'static str, path: &Path, error: &io::Error) -> GitError {
    GitError::File {
        doing,
        path: path.to_owned(),
        why: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_held_by_another_process_is_waited_for_and_then_named() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("index");
        let held = IndexLock::take(&index, Duration::ZERO).unwrap();
        let refused = IndexLock::take(&index, Duration::from_millis(30)).unwrap_err();
        assert_eq!(
            refused,
            GitError::IndexLocked {
                path: folder.path().join("index.lock")
            }
        );
        drop(held);
        assert!(IndexLock::take(&index, Duration::ZERO).is_ok());
    }
}
