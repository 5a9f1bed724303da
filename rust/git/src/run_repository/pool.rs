//! Folders of runs that are created before a run needs one, with the files and index of a commit.
//!
//! A folder with its final name is complete. It is taken, renewed or removed by renaming it, which
//! only one process can do; a second process finds nothing, so a taker never waits. A process that
//! creates folders holds a lock, and removes what an interrupted one left. A folder that a run took
//! never comes back.

#![expect(
    clippy::disallowed_methods,
    reason = "what git keeps in the folders of runs is no document of the store"
)]

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::RunRepository;
use super::attributes::is_attributes;
use super::made::{make_folder, remove_tree, replace};
use super::settings::GitSetting;
use crate::index::failed;
use crate::{GitError, Repo, blob};
use chant_base::diagnostics::LogFailure;
use chant_confine::Confinement;

/// The end of the name of the file that describes a folder's content.
const MADE: &str = ".made";
/// The end of the name of a folder that is being created.
const NEW: &str = ".new";
/// The end of the name of a folder that is being removed.
const OLD: &str = ".old";
/// The file that is locked while a process creates folders.
const LOCK_FILE: &str = "filling.lock";
/// The time to wait for the lock: a process that checks the lock, or starts another process, holds
/// it for an instant.
const INSTANT: Duration = Duration::from_millis(200);
/// The time between two attempts to take the lock.
const RETRY_DELAY: Duration = Duration::from_millis(5);
/// The branch of such a folder, in its own repository only.
const BRANCH: &str = "chant/none";
/// The greatest size of the file that describes a folder's content, in bytes.
const MAX_LEN: u64 = 1024;
/// The unit in which a file system allocates space for files, in bytes.
const BLOCK_SIZE: u64 = 4096;
/// The average size of an entry in git's index, in bytes.
const ENTRY: u64 = 100;
/// The bytes in the header of git's index that hold the number of files.
const COUNT: std::ops::Range<usize> = 8..12;
/// Sections of settings that do not affect files.
const ELSEWHERE: [&str; 2] = ["branch.", "remote."];
/// The time by which a folder's index is stamped later than its files: git reads files again that
/// are as young as their index, and nothing else writes these files.
const LATER: Duration = Duration::from_secs(2);

/// The limits of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolBounds {
    /// The greatest number of folders.
    pub folders: usize,
    /// The greatest size of all folders, in bytes.
    pub bytes: u64,
    /// The fewest files for which a pool is used: for fewer files, creating a folder takes no
    /// longer than taking one.
    pub least_files: u64,
}

/// The influences on a folder's content from outside the repository.
#[derive(Debug, Clone, Default)]
pub struct PoolSurroundings {
    /// The user's attributes for all repositories, which decide how files are checked out.
    pub attributes: String,
    /// The time of the machine's start: earlier writes may not have reached the disk.
    pub boot: String,
}

/// The folders of a repository that were created in advance.
#[derive(Debug)]
pub struct FolderPool<'a> {
    repo: &'a Repo,
    /// The parent folder, on the same file system as the folders of runs.
    folder: PathBuf,
    bounds: PoolBounds,
    surroundings: PoolSurroundings,
}

/// A folder that was created in advance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PooledFolder {
    /// Its top.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// The commit of its files.
    commit: String,
    /// The hash of the settings that decided how they were checked out.
    settings: String,
    /// The time of its creation.
    made: SystemTime,
}

/// The intended content of a folder.
struct FolderContents<'a> {
    /// The commit of the files.
    commit: &'a str,
    /// The hash of the settings that decide how they are checked out.
    settings: &'a str,
    /// Their size in bytes.
    bytes: u64,
}

/// The lock of the process that creates folders; released when dropped, and by the kernel when its
/// holder dies.
#[derive(Debug)]
struct FillLock {
    file: File,
}

impl Repo {
    /// Returns the pool of folders in `folder`, which only this user can write.
    pub fn folder_pool(
        &self,
        folder: &Path,
        bounds: PoolBounds,
        surroundings: PoolSurroundings,
    ) -> FolderPool<'_> {
        FolderPool {
            repo: self,
            folder: folder.to_owned(),
            bounds,
            surroundings,
        }
    }

    /// Returns the number of files in the checkout's index; 0 if it cannot be read from the header.
    fn indexed_files(&self) -> u64 {
        let mut head = [0; COUNT.end];
        let index = self.git_folder().map(|git| git.join("index"));
        let read = index
            .ok()
            .and_then(|index| File::open(index).ok())
            .and_then(|mut file| file.read_exact(&mut head).ok());
        let count = read.and_then(|()| head[COUNT].try_into().ok());
        count.map_or(0, |count| u64::from(u32::from_be_bytes(count)))
    }
}

impl PooledFolder {
    /// Removes the folder, unless a run took it first.
    fn put_away(&self) -> Result<(), GitError> {
        let old = with_ending(&self.path, OLD);
        if fs::rename(&self.path, &old).is_err() {
            return Ok(());
        }
        remove_tree(&with_ending(&self.path, MADE))?;
        remove_tree(&old)
    }
}

impl FolderPool<'_> {
    /// Returns all complete folders, the newest first.
    pub fn folders(&self) -> Vec<PooledFolder> {
        if !is_own_folder(&self.folder) {
            return Vec::new();
        }
        let entries = self.folder.read_dir().into_iter().flatten().flatten();
        let mut found: Vec<PooledFolder> = entries
            .filter(|entry| !entry.file_name().to_string_lossy().contains('.'))
            .filter_map(|entry| pooled(&entry.path()))
            .collect();
        found.sort_by_key(|one| std::cmp::Reverse(one.made));
        found
    }

    /// Returns true if another folder may be created, by a quick check; false while a process
    /// creates one.
    pub fn has_room(&self) -> bool {
        if self.bounds.folders == 0 || self.repo.indexed_files() < self.bounds.least_files {
            return false;
        }
        let now = self.folders();
        let largest = now.iter().map(|one| one.bytes).max().unwrap_or_default();
        now.len() < self.bounds.folders
            && self.is_within(&now, largest)
            && !is_locked(&self.folder.join(LOCK_FILE))
    }

    fn is_within(&self, now: &[PooledFolder], more: u64) -> bool {
        let used: u64 = now.iter().map(|one| one.bytes).sum();
        used.saturating_add(more) <= self.bounds.bytes
    }

    /// Creates folders with the files of a commit up to the limit, and brings folders of other
    /// commits to it. `hold` gives the confinement of git in a folder. Does nothing while another
    /// process does this, if files depend on more than commit and settings, and for small projects.
    ///
    /// Returns the number of folders that were created or renewed.
    ///
    /// # Errors
    /// A failure of git or of the disk, or the error of `hold`; the next call removes unfinished
    /// folders.
    pub fn fill<E: From<GitError>>(
        &self,
        commit: &str,
        hold: &dyn Fn(&Path) -> Result<Confinement, E>,
    ) -> Result<usize, E> {
        if !self.folder.is_dir() {
            make_folder(&self.folder)?;
        }
        if !is_own_folder(&self.folder) {
            return Ok(0);
        }
        let Some(_lock) = FillLock::take(&self.folder.join(LOCK_FILE))? else {
            return Ok(0);
        };
        self.put_unfinished_away()?;
        let settings = self.settings()?;
        let Some(bytes) = self.size_of(commit)? else {
            self.clear(|_| true)?;
            return Ok(0);
        };
        self.clear(|one| one.settings != settings)?;
        let holds = FolderContents {
            commit,
            settings: &settings,
            bytes,
        };
        let mut done = 0;
        for one in self.folders() {
            if one.commit != commit && self.renew(&one, &holds, hold)? {
                done += 1;
            }
        }
        self.clear_beyond_bounds()?;
        loop {
            let now = self.folders();
            if now.len() >= self.bounds.folders || !self.is_within(&now, bytes) {
                return Ok(done);
            }
            let place = self.folder.join(format!("{:016x}", fastrand::u64(..)));
            let new = with_ending(&place, NEW);
            make_folder(&new).map_err(E::from)?;
            let folder = self.repo.run_folder(&new, BRANCH, hold(&new)?);
            folder.make_repository(commit)?;
            folder.finish(&place, &holds)?;
            done += 1;
        }
    }

    /// Brings a folder to the intended content; returns false if a run took it first.
    fn renew<E: From<GitError>>(
        &self,
        one: &PooledFolder,
        holds: &FolderContents<'_>,
        hold: &dyn Fn(&Path) -> Result<Confinement, E>,
    ) -> Result<bool, E> {
        if !self.is_like(one, holds.commit) {
            one.put_away()?;
            return Ok(false);
        }
        let new = with_ending(&one.path, NEW);
        if fs::rename(&one.path, &new).is_err() {
            return Ok(false);
        }
        let folder = self.repo.run_folder(&new, BRANCH, hold(&new)?);
        folder.finish(&one.path, holds)?;
        Ok(true)
    }

    /// Returns a hash of everything besides the commit that decides the content of files.
    fn settings(&self) -> Result<String, GitError> {
        let mut text = String::new();
        for GitSetting { key, value } in self.repo.effective_settings()? {
            if !ELSEWHERE.iter().any(|section| key.starts_with(section)) {
                text.push_str(&format!("{key}={value}\n"));
            }
        }
        let PoolSurroundings { attributes, boot } = &self.surroundings;
        Ok(blob(&format!("{text}\n{attributes}\n{boot}")))
    }

    /// Returns the size of a commit's files in bytes. `None` if no folder is created in advance:
    /// the project is small, is checked out in part, or has programs that change files.
    fn size_of(&self, commit: &str) -> Result<Option<u64>, GitError> {
        let settings = self.repo.effective_settings()?;
        let has = |name: &str| settings.iter().any(|one| one.key == name);
        let is_sparse = has("core.sparsecheckout") || has("index.sparse");
        if is_sparse || has("core.attributesfile") || self.repo.is_partial()? {
            return Ok(None);
        }
        let (mut files, mut bytes, mut attributes) = (0, 0_u64, Vec::new());
        let words = ["ls-tree", "-r", "-l", "-z", commit];
        self.repo.reading(words).each_field(|field| {
            let field = String::from_utf8_lossy(field);
            let (facts, path) = field.split_once('\t').unwrap_or_default();
            let size = facts.rsplit(' ').next().and_then(|size| size.parse().ok());
            files += 1;
            bytes += size.unwrap_or(0_u64).next_multiple_of(BLOCK_SIZE) + ENTRY;
            if is_attributes(path) {
                attributes.push(path.to_owned());
            }
        })?;
        if files < self.bounds.least_files {
            return Ok(None);
        }
        let of_programs: Vec<&str> = settings.iter().filter_map(|one| driver(&one.key)).collect();
        let names_one = |text: &str| {
            of_programs
                .iter()
                .any(|driver| text.contains(&format!("filter={driver}")))
        };
        if names_one(&self.surroundings.attributes) {
            return Ok(None);
        }
        for path in attributes {
            let text = self.repo.file_at(commit, &path)?.unwrap_or_default();
            if names_one(&String::from_utf8_lossy(&text)) {
                return Ok(None);
            }
        }
        Ok(Some(bytes))
    }

    /// Returns true if files that are equal in a folder's commit and another one are checked out
    /// alike there.
    fn is_like(&self, one: &PooledFolder, commit: &str) -> bool {
        // A missing commit is no reason to fail.
        let alike = self.repo.has_same_attributes(&one.commit, commit);
        alike.unwrap_or_default()
    }

    /// Takes a folder for a run with its branch at `tip` by renaming it to the free path `top`.
    /// `new` is a file that was created there just now.
    fn take(&self, tip: &str, top: &Path, new: &Path) -> Result<bool, GitError> {
        let folders = self.folders();
        if folders.is_empty() {
            return Ok(false);
        }
        let settings = self.settings()?;
        let fits = |one: &&PooledFolder| {
            one.settings == settings
                && has_same_rights(&one.path.join(".git/HEAD"), new)
                && self.is_like(one, tip)
        };
        for one in folders.iter().filter(fits) {
            if fs::rename(&one.path, top).is_ok() {
                remove_tree(&with_ending(&one.path, MADE))?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes folders that are older than this, that no run would take, and that are above the
    /// limit.
    ///
    /// # Errors
    /// A failure to read the configuration, or of the disk.
    pub fn clear_old(&self, oldest: Duration) -> Result<Vec<PathBuf>, GitError> {
        let before = self.folders();
        let settings = self.settings()?;
        let is_old = |one: &PooledFolder| one.made.elapsed().is_ok_and(|age| age > oldest);
        self.clear(|one| one.settings != settings || is_old(one))?;
        self.clear_beyond_bounds()?;
        let Some(_lock) = self.lock_where_there()? else {
            return Ok(gone(before));
        };
        self.put_unfinished_away()?;
        Ok(gone(before))
    }

    fn lock_where_there(&self) -> Result<Option<FillLock>, GitError> {
        if !is_own_folder(&self.folder) {
            return Ok(None);
        }
        FillLock::take(&self.folder.join(LOCK_FILE))
    }

    fn clear(&self, is_meant: impl Fn(&PooledFolder) -> bool) -> Result<(), GitError> {
        let folders = self.folders();
        let mut meant = folders.iter().filter(|one| is_meant(one));
        meant.try_for_each(PooledFolder::put_away)
    }

    fn clear_beyond_bounds(&self) -> Result<(), GitError> {
        let mut used = 0_u64;
        for (number, one) in self.folders().into_iter().enumerate() {
            used = used.saturating_add(one.bytes);
            if number >= self.bounds.folders || used > self.bounds.bytes {
                one.put_away()?;
            }
        }
        Ok(())
    }

    /// Removes the folders that interrupted processes left; the caller holds the lock.
    fn put_unfinished_away(&self) -> Result<(), GitError> {
        for entry in self.folder.read_dir().into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_left = name.ends_with(NEW)
                || name.ends_with(OLD)
                || name.ends_with(MADE) && !path.with_extension("").is_dir();
            if is_left {
                remove_tree(&path)?;
            }
        }
        Ok(())
    }
}

impl RunRepository<'_> {
    /// Works as [`RunRepository::make`] from a folder of the pool, at the cost of the changes since;
    /// returns false, with nothing created, if no folder fits.
    ///
    /// # Errors
    /// As [`RunRepository::make`]; a folder that git cannot bring to the branch's commit does not fit.
    pub fn make_from(
        &self,
        pool: &FolderPool<'_>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<bool, GitError> {
        let tip = self.known_tip()?;
        if self.top.symlink_metadata().is_ok() {
            let path = self.top.clone();
            return Err(GitError::PathTaken { path });
        }
        // As with a new folder: until it is complete, no agent has worked in it.
        replace(&self.unfinished(), "")?;
        if !pool.take(&tip, &self.top, &self.unfinished())? {
            remove_tree(&self.unfinished())?;
            return Ok(false);
        }
        let made = self
            .keep_index_only()
            .and_then(|()| self.make_repository(&tip))
            .and_then(|()| self.check_out(&tip, progress))
            .and_then(|()| self.make_submodules(&tip, progress));
        match made {
            Ok(()) => remove_tree(&self.unfinished()).map(|()| true),
            Err(_) => self.remove().map(|()| false),
        }
    }

    /// Checks out the intended content, describes it in a file, and gives the folder its final
    /// name.
    fn finish(&self, place: &Path, holds: &FolderContents<'_>) -> Result<(), GitError> {
        self.check_out(holds.commit, &mut |_| ())?;
        let index = self.top.join(".git/index");
        let stamped = OpenOptions::new()
            .write(true)
            .open(&index)
            .and_then(|file| file.set_modified(SystemTime::now() + LATER));
        stamped.map_err(|error| failed("stamp", &index, &error))?;
        let FolderContents {
            commit,
            settings,
            bytes,
        } = holds;
        let text = format!("{commit}\n{settings}\n{bytes}\n");
        replace(&with_ending(place, MADE), &text)?;
        fs::rename(&self.top, place).map_err(|error| failed("rename", &self.top, &error))
    }

    /// Removes everything in the repository except the index, which knows the files.
    fn keep_index_only(&self) -> Result<(), GitError> {
        let git = self.top.join(".git");
        let entries = git
            .read_dir()
            .map_err(|error| failed("read", &git, &error))?;
        let others = entries
            .flatten()
            .filter(|entry| entry.file_name() != "index");
        for other in others {
            remove_tree(&other.path())?;
        }
        Ok(())
    }
}

impl Drop for FillLock {
    fn drop(&mut self) {
        // A process that was forked meanwhile has a copy of the file, which would keep the lock.
        self.file.unlock().log_failure("release a lock");
    }
}

impl FillLock {
    /// Takes the lock; `None` if another process holds it.
    fn take(path: &Path) -> Result<Option<Self>, GitError> {
        let opened = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path);
        let file = opened.map_err(|error| failed("open", path, &error))?;
        let until = Instant::now() + INSTANT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { file })),
                Err(fs::TryLockError::Error(error)) => return Err(failed("lock", path, &error)),
                Err(fs::TryLockError::WouldBlock) if Instant::now() >= until => return Ok(None),
                Err(fs::TryLockError::WouldBlock) => thread::sleep(RETRY_DELAY),
            }
        }
    }
}

fn is_locked(path: &Path) -> bool {
    File::open(path)
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock)))
}

/// Returns the description of a complete folder.
fn pooled(path: &Path) -> Option<PooledFolder> {
    let mark = with_ending(path, MADE);
    let found = mark.symlink_metadata().ok()?;
    let is_mark = found.is_file() && found.len() <= MAX_LEN && is_own(&found);
    if !is_mark || !is_own_folder(path) {
        return None;
    }
    let text = fs::read_to_string(&mark).ok()?;
    let mut lines = text.lines();
    Some(PooledFolder {
        path: path.to_owned(),
        commit: lines.next()?.to_owned(),
        settings: lines.next()?.to_owned(),
        bytes: lines.next()?.parse().ok()?,
        made: found.modified().ok()?,
    })
}

fn gone(folders: Vec<PooledFolder>) -> Vec<PathBuf> {
    let paths = folders.into_iter().map(|one| one.path);
    paths
        .filter(|path| path.symlink_metadata().is_err())
        .collect()
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

/// Returns the name of a filter whose program writes files when they are checked out.
fn driver(key: &str) -> Option<&str> {
    let (name, last) = key.strip_prefix("filter.")?.rsplit_once('.')?;
    ["smudge", "process"].contains(&last).then_some(name)
}

/// Returns true if a path is a folder of this user's, no link, and closed to other users.
fn is_own_folder(path: &Path) -> bool {
    let found = path.symlink_metadata();
    found.is_ok_and(|found| found.is_dir() && is_own(&found) && is_private(&found))
}

#[cfg(unix)]
fn is_own(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    found.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(unix)]
fn is_private(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    found.mode().trailing_zeros() >= 6
}

#[cfg(not(unix))]
fn is_private(_: &Metadata) -> bool {
    true
}

/// Returns true: on other systems the place of a folder makes it the user's own.
#[cfg(not(unix))]
fn is_own(_: &Metadata) -> bool {
    true
}

/// Returns true if two files have the same rights: the rights of new files may change.
#[cfg(unix)]
fn has_same_rights(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let rights = |path: &Path| path.symlink_metadata().map(|found| found.mode());
    matches!((rights(one), rights(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(not(unix))]
fn has_same_rights(_: &Path, _: &Path) -> bool {
    true
}
