//! Repositories that are data: read by the library alone, within limits, with nothing of their own at work.
//!
//! No program is started and no object is fetched; no hook, filter or monitor takes part, as nothing is checked
//! out. A repository whose files could make reading hang or lead elsewhere is refused: pipes in place of files,
//! a configuration that includes others, objects borrowed from another repository.

#![expect(
    clippy::disallowed_methods,
    reason = "what git keeps in a git folder is no document of the store"
)]

use std::fs;
use std::path::{Path, PathBuf};

use super::branches::oid;
use super::kept_texts::KeptText;
use super::{GitError, complained_of, is_missing, trimmed};

/// The files of a git folder that are read when it is opened.
const READ_AT_OPENING: [&str; 6] = [
    "HEAD", "config", "config.worktree", "packed-refs", "shallow", "commondir",
];
/// The files that lead to objects elsewhere.
const BORROWING: [&str; 2] = ["objects/info/alternates", "objects/info/http-alternates"];
/// The greatest size of a file that names a commit or a folder.
const LONGEST_NAME: u64 = 4096;
/// The greatest size of a file of refs that is searched as a text.
const LARGEST_REFS: u64 = 16 * 1024 * 1024;
/// The greatest number of kept texts that are listed.
const MAX_TEXTS: usize = 10_000;

/// The greatest numbers of what is read of one commit.
#[derive(Debug, Clone, Copy)]
pub struct CommitLimits {
    /// Entries of folders that are looked at.
    pub entries: usize,
    /// Files that are read.
    pub files: usize,
    /// Bytes of these files together.
    pub bytes: usize,
    /// Files of objects of the repository.
    pub objects: usize,
}

/// The newest commit of a repository, and the texts that are kept beside its commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryTip {
    /// What only this repository has, by whatever path it is named: that of the git folder which all worktrees
    /// share.
    pub identity: String,
    /// The full ID of the commit in HEAD.
    pub commit: String,
    /// The kept texts, sorted by their names.
    pub texts: Vec<KeptText>,
}

impl RepositoryTip {
    /// Reads the tip of the repository whose top is `folder`, with the texts that are kept below a folder of
    /// refs, which ends with a slash. Folders above are not looked at. Where HEAD and its branch are plain
    /// files, these alone are read.
    ///
    /// # Errors
    /// `Unfit`, also without a repository, `Owner`, `Unborn` without a commit, `Library`.
    pub fn read(folder: &Path, texts: &str, limits: CommitLimits) -> Result<Self, GitError> {
        match Self::read_plain(folder, texts) {
            Some(tip) => Ok(tip),
            None => DataRepository::open(folder, limits)?.tip(texts),
        }
    }

    /// Reads the files that git writes itself; `None` where something is not as git usually has it.
    fn read_plain(folder: &Path, texts: &str) -> Option<Self> {
        let git = folder.join(".git");
        if !fs::symlink_metadata(&git).ok()?.is_dir() {
            return None;
        }
        let head = small_text(&git.join("HEAD"), LONGEST_NAME)?;
        let branch = head.strip_prefix("ref: ")?.trim_end();
        if !git2::Reference::is_valid_name(branch) {
            return None;
        }
        let packed = match fs::symlink_metadata(git.join("packed-refs")) {
            Ok(_) => small_text(&git.join("packed-refs"), LARGEST_REFS)?,
            Err(_) => String::new(),
        };
        let has_texts = packed.contains(texts) || git.join(texts).exists();
        let commit = small_text(&git.join(branch), LONGEST_NAME)
            .map(|text| text.trim_end().to_owned())
            .or_else(|| packed_commit(&packed, branch))?;
        let is_plain = commit.len() == 40 && oid(&commit).is_ok() && !has_texts;
        is_plain.then_some(Self {
            identity: identity_of(&git)?,
            commit,
            texts: Vec::new(),
        })
    }
}

/// A repository of which objects are read and nothing else.
pub struct DataRepository {
    repo: git2::Repository,
    folder: PathBuf,
    limits: CommitLimits,
}

impl DataRepository {
    /// Opens the repository whose top is `folder`: a checkout, a worktree or a bare repository.
    ///
    /// # Errors
    /// `Unfit`, also when no repository is there, `Owner`, `Library`.
    pub fn open(folder: &Path, limits: CommitLimits) -> Result<Self, GitError> {
        refuse_unfit(folder, limits)?;
        let none: [&Path; 0] = [];
        git2::opts::enable_caching(false);
        let flags = git2::RepositoryOpenFlags::NO_SEARCH;
        let repo = git2::Repository::open_ext(folder, flags, none);
        let repo = repo.map_err(|error| match error.code() {
            git2::ErrorCode::Owner => GitError::Owner {
                path: complained_of(error.message(), folder),
            },
            _ => refused("open the repository", folder, &error),
        })?;
        Ok(Self {
            repo,
            folder: folder.to_owned(),
            limits,
        })
    }

    /// Returns the newest commit, and the texts that are kept below a folder of refs.
    ///
    /// # Errors
    /// `Unborn` without a commit, `Library`.
    pub fn tip(&self, texts: &str) -> Result<RepositoryTip, GitError> {
        let commit = match self.repo.head().and_then(|head| head.peel_to_commit()) {
            Ok(commit) => commit.id().to_string(),
            Err(error) if error.code() == git2::ErrorCode::UnbornBranch => {
                return Err(GitError::Unborn {
                    branch: "HEAD".to_owned(),
                });
            }
            Err(error) => return Err(self.refused("read HEAD", &error)),
        };
        let common_dir = trimmed(self.repo.commondir());
        Ok(RepositoryTip {
            identity: identity_of(&common_dir)
                .unwrap_or_else(|| common_dir.to_string_lossy().into_owned()),
            commit,
            texts: self.kept_texts(texts)?,
        })
    }

    /// Returns the folders in which the repository lies: those that its files lead to, with all links followed.
    ///
    /// # Errors
    /// `Unfit` for one that is not there.
    pub fn own_folders(&self) -> Result<Vec<PathBuf>, GitError> {
        let common = self.repo.commondir();
        let places = [self.repo.path(), common, &common.join("objects")];
        let real = places.map(|place| {
            place.canonicalize().map_err(|error| GitError::Unfit {
                path: self.folder.clone(),
                why: format!("one of its folders cannot be found ({error})"),
            })
        });
        real.into_iter().collect()
    }

    fn kept_texts(&self, folder: &str) -> Result<Vec<KeptText>, GitError> {
        let read = || {
            let mut found = Vec::new();
            let references = self.repo.references_glob(&format!("{folder}*"))?;
            for reference in references.take(MAX_TEXTS) {
                let reference = reference?;
                let name = String::from_utf8_lossy(reference.name_bytes());
                let name = name.strip_prefix(folder).unwrap_or(&name).to_owned();
                let object = reference.target().map(|id| id.to_string());
                found.extend(object.map(|object| KeptText { name, object }));
            }
            Ok(found)
        };
        let mut found = read().map_err(|error| self.refused("list kept texts", &error))?;
        found.sort_unstable_by(|a: &KeptText, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// Reads a kept text of at most so many bytes; `None` for what is no such text.
    ///
    /// # Errors
    /// `Library`.
    pub fn kept_text(&self, object: &str, most: usize) -> Result<Option<Vec<u8>>, GitError> {
        let read = || {
            let id = oid(object)?;
            let (size, kind) = self.repo.odb()?.read_header(id)?;
            if kind != git2::ObjectType::Blob || size > most {
                return Ok(None);
            }
            Ok(Some(self.repo.find_blob(id)?.content().to_vec()))
        };
        read().map_err(|error| self.refused("read a kept text", &error))
    }

    /// Returns the content of a file of a commit; `None` when the commit has no such file.
    ///
    /// # Errors
    /// `Unfit` for one above the limit of bytes, `Library`.
    pub fn file_at(&self, commit: &str, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        let find = || {
            let entry = self.tree(commit)?.get_path(Path::new(path));
            match entry {
                Ok(entry) if entry.kind() == Some(git2::ObjectType::Blob) => Ok(Some(entry.id())),
                Ok(_) => Ok(None),
                Err(error) if is_missing(&error) => Ok(None),
                Err(error) => Err(error),
            }
        };
        let found = find().map_err(|error| self.refused("find a file of a commit", &error))?;
        let Some(id) = found else { return Ok(None) };
        let mut left = self.limits.bytes;
        self.content(id, &mut left).map(Some)
    }

    /// Returns the wanted files of a commit with their content, in the order of their paths, as
    /// [`Repo::files_at`](super::Repo::files_at) does.
    ///
    /// # Errors
    /// `Unfit` for a commit above the limits, `Library`.
    pub fn files_at(
        &self,
        commit: &str,
        enters: &dyn Fn(&str) -> bool,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        let mut found = self.wanted_files(commit, enters, wanted)?;
        found.sort_unstable();
        let mut left = self.limits.bytes;
        let files = found.into_iter();
        files
            .map(|(path, id)| Ok((path, self.content(id, &mut left)?)))
            .collect()
    }

    /// Returns the wanted files that a commit has and this repository lacks, as a partial clone may.
    ///
    /// # Errors
    /// `Unfit`, `Library`.
    pub fn missing_files(
        &self,
        commit: &str,
        enters: &dyn Fn(&str) -> bool,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>, GitError> {
        let found = self.wanted_files(commit, enters, wanted)?;
        let objects = self.repo.odb();
        let objects = objects.map_err(|error| self.refused("read objects", &error))?;
        let missing = found.iter().filter(|(_, id)| !objects.exists(*id));
        Ok(missing.map(|(_, id)| id.to_string()).collect())
    }

    fn wanted_files(
        &self,
        commit: &str,
        enters: &dyn Fn(&str) -> bool,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<(String, git2::Oid)>, GitError> {
        let (mut seen, mut found) = (0, Vec::new());
        let walk = |above: &str, entry: &git2::TreeEntry<'_>| {
            seen += 1;
            if seen > self.limits.entries || found.len() >= self.limits.files {
                return git2::TreeWalkResult::Abort;
            }
            let path = format!("{above}{}", String::from_utf8_lossy(entry.name_bytes()));
            let is_file = entry.filemode() & 0o170_000 == 0o100_000;
            match entry.kind() {
                Some(git2::ObjectType::Tree) if !enters(&path) => {
                    return git2::TreeWalkResult::Skip;
                }
                Some(git2::ObjectType::Blob) if is_file && wanted(&path) => {
                    found.push((path, entry.id()));
                }
                _ => {}
            }
            git2::TreeWalkResult::Ok
        };
        let tree = self.tree(commit);
        let walked = tree.and_then(|tree| tree.walk(git2::TreeWalkMode::PreOrder, walk));
        if seen > self.limits.entries || found.len() >= self.limits.files {
            return Err(self.too_large(format!(
                "commit {commit} has more than {} files to read, or {} to look at",
                self.limits.files, self.limits.entries
            )));
        }
        walked.map_err(|error| self.refused("list files of a commit", &error))?;
        Ok(found)
    }

    fn tree(&self, commit: &str) -> Result<git2::Tree<'_>, git2::Error> {
        self.repo.find_commit(oid(commit)?)?.tree()
    }

    /// The content of a file, whose size is taken off what may still be read.
    fn content(&self, id: git2::Oid, left: &mut usize) -> Result<Vec<u8>, GitError> {
        let header = self.repo.odb().and_then(|objects| objects.read_header(id));
        let (size, _) = header.map_err(|error| self.refused("read a file", &error))?;
        let Some(rest) = left.checked_sub(size) else {
            let most = self.limits.bytes;
            return Err(self.too_large(format!("its work files have more than {most} bytes")));
        };
        *left = rest;
        let blob = self.repo.find_blob(id);
        let blob = blob.map_err(|error| self.refused("read a file", &error))?;
        Ok(blob.content().to_vec())
    }

    fn too_large(&self, why: String) -> GitError {
        GitError::Unfit {
            path: self.folder.clone(),
            why,
        }
    }

    fn refused(&self, doing: &'static str, error: &git2::Error) -> GitError {
        refused(doing, &self.folder, error)
    }
}

/// The number of a folder on its disk.
#[cfg(unix)]
fn identity_of(folder: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(folder).ok()?;
    Some(format!("{}:{}", found.dev(), found.ino()))
}

/// The real path of a folder.
#[cfg(not(unix))]
fn identity_of(folder: &Path) -> Option<String> {
    Some(folder.canonicalize().ok()?.to_string_lossy().into_owned())
}

fn refused(doing: &'static str, folder: &Path, error: &git2::Error) -> GitError {
    GitError::Library {
        doing,
        path: folder.to_owned(),
        why: error.message().to_owned(),
    }
}

/// Refuses a repository that cannot be read as data.
fn refuse_unfit(folder: &Path, limits: CommitLimits) -> Result<(), GitError> {
    let unfit = |why: String| GitError::Unfit {
        path: folder.to_owned(),
        why,
    };
    let git = git_folder(folder).map_err(unfit)?;
    let git = git.ok_or_else(|| unfit("it is no git repository".to_owned()))?;
    let common = small_text(&git.join("commondir"), LONGEST_NAME);
    let common = common.map(|named| git.join(named.trim_end()));
    for place in [Some(git), common].into_iter().flatten() {
        refuse_unfit_folder(&place, limits).map_err(unfit)?;
    }
    Ok(())
}

/// The git folder of a top: itself, its `.git`, or what the file `.git` names; `None` without any.
fn git_folder(folder: &Path) -> Result<Option<PathBuf>, String> {
    let git = folder.join(".git");
    match fs::metadata(&git) {
        Ok(found) if found.is_dir() => Ok(Some(git)),
        Ok(found) if found.is_file() => {
            let named = small_text(&git, LONGEST_NAME).unwrap_or_default();
            let named = named.strip_prefix("gitdir: ");
            let named = named.ok_or("its file `.git` names no folder")?;
            Ok(Some(folder.join(named.trim_end())))
        }
        Ok(_) => Err("its `.git` is neither a folder nor a file".to_owned()),
        Err(_) => Ok(folder.join("HEAD").exists().then(|| folder.to_owned())),
    }
}

fn refuse_unfit_folder(git: &Path, limits: CommitLimits) -> Result<(), String> {
    for name in READ_AT_OPENING {
        if fs::metadata(git.join(name)).is_ok_and(|found| !found.is_file()) {
            return Err(format!("its `{name}` is no file"));
        }
    }
    if BORROWING.iter().any(|name| git.join(name).exists()) {
        return Err("it borrows objects of another repository (objects/info/alternates)".into());
    }
    let config = small_text(&git.join("config"), LARGEST_REFS).unwrap_or_default();
    if config.to_ascii_lowercase().contains("[include") {
        return Err("its configuration includes other files".into());
    }
    refuse_unfit_objects(&git.join("objects"), limits.objects)
}

/// Refuses objects that are no files: one that is a pipe would never be read to its end.
fn refuse_unfit_objects(objects: &Path, most: usize) -> Result<(), String> {
    let mut count = 0;
    for folder in fs::read_dir(objects).into_iter().flatten().flatten() {
        if folder.file_type().is_ok_and(|kind| kind.is_symlink()) {
            return Err("its objects lie elsewhere".into());
        }
        for object in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
            count += 1;
            if count > most {
                return Err(format!("it has more than {most} files of objects"));
            }
            let kind = object.file_type();
            if kind.is_ok_and(|kind| !kind.is_file() && !kind.is_dir()) {
                return Err("one of its objects is no file".into());
            }
        }
    }
    Ok(())
}

/// The commit that a file of packed refs names for a ref.
fn packed_commit(packed: &str, name: &str) -> Option<String> {
    let line = packed.lines().find(|line| {
        let named = line.strip_suffix(name);
        named.is_some_and(|rest| rest.ends_with(' '))
    })?;
    Some(line.split(' ').next()?.to_owned())
}

/// The text of a regular file up to a size; `None` for everything else.
fn small_text(path: &Path, most: u64) -> Option<String> {
    let found = fs::symlink_metadata(path).ok()?;
    (found.is_file() && found.len() <= most).then(|| fs::read_to_string(path).ok())?
}
