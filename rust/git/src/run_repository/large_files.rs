//! Copies Git LFS files, which lie beside the objects, for the new commits of a run.

#![expect(
    clippy::disallowed_methods,
    reason = "what git keeps in a git folder is no document of the store"
)]

use chant_base::diagnostics::LogFailure;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::RunRepository;
use crate::GitError;

/// The first line of the text that stands in a commit for such a file.
const BEGINNING: &str = "version https://git-lfs.github.com/spec/v1\n";
/// The greatest size of such a text, in bytes.
const MAX_LEN: usize = 1024;
/// The number of bytes that are copied at once.
const CHUNK_SIZE: usize = 1 << 20;

/// A file that the text in a commit names.
#[derive(Debug, PartialEq, Eq)]
struct LargeFile {
    /// The SHA-256 of its content, in hexadecimal.
    id: String,
    size: u64,
}

impl RunRepository<'_> {
    /// Copies the large files that commits after `known` name, each checked against its hash. A
    /// missing or wrong file is left out: the landing then reports it.
    ///
    /// # Errors
    /// `TooLarge`.
    pub(super) fn bring_large_files(&self, known: &str, tip: &str) -> Result<(), GitError> {
        let Ok(paths) = self.repo.differing(known, tip) else {
            return Ok(());
        };
        if self.top.join(".git/lfs").symlink_metadata().is_err() {
            return Ok(());
        }
        for path in paths {
            let Ok(Some(bytes)) = self.repo.file_at(tip, &path) else {
                continue;
            };
            if let Some(named) = named_in(&bytes) {
                let (bytes, most) = (named.size, self.largest);
                if bytes > most {
                    return Err(GitError::TooLarge { path, bytes, most });
                }
                let ours = self.repo.common_dir().join("lfs/objects");
                // A file that cannot be copied is left out, as described above.
                copy(&self.top, &ours, &named).log_failure("copy a large file");
            }
        }
        Ok(())
    }
}

fn named_in(bytes: &[u8]) -> Option<LargeFile> {
    let text = std::str::from_utf8(bytes.get(..bytes.len().min(MAX_LEN))?).ok()?;
    let lines = || {
        text.strip_prefix(BEGINNING)
            .into_iter()
            .flat_map(str::lines)
    };
    let id = lines().find_map(|line| line.strip_prefix("oid sha256:"))?;
    let size = lines().find_map(|line| line.strip_prefix("size "))?;
    let is_hash = id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then_some(LargeFile {
        id: id.to_owned(),
        size: size.parse().ok()?,
    })
}

fn place(objects: &Path, id: &str) -> PathBuf {
    objects.join(&id[..2]).join(&id[2..4]).join(id)
}

fn copy(top: &Path, ours: &Path, named: &LargeFile) -> io::Result<()> {
    let to = place(ours, &named.id);
    if to.exists() {
        return Ok(());
    }
    let mut from = open_plain(top, &named.id)?;
    if from.metadata()?.len() != named.size {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let folder = to.parent().unwrap_or(ours);
    fs::DirBuilder::new().recursive(true).create(folder)?;
    let held = folder.join(format!("{}.{:016x}.part", named.id, fastrand::u64(..)));
    let written = write_checked(&mut from, &held, named);
    let placed = written.and_then(|()| fs::rename(&held, &to));
    if placed.is_err() {
        fs::remove_file(&held).log_failure("remove a half copied large file");
    }
    placed
}

fn write_checked(from: &mut File, to: &Path, named: &LargeFile) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(to)?;
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK_SIZE];
    let mut left = named.size;
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(CHUNK_SIZE).min(CHUNK_SIZE);
        let read = from.read(&mut chunk[..most])?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        hash.update(&chunk[..read]);
        file.write_all(&chunk[..read])?;
        left -= read as u64;
    }
    let found: String = hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    if found != named.id.to_ascii_lowercase() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    file.sync_all()
}

/// Opens an object in the folder of a run step by step: it follows no link and waits for nothing
/// but a regular file.
#[cfg(unix)]
fn open_plain(top: &Path, id: &str) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open, openat};
    let folder = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    let mut at = open(top, folder, Mode::empty())?;
    for part in [".git", "lfs", "objects", &id[..2], &id[2..4]] {
        at = openat(&at, part, folder, Mode::empty())?;
    }
    let plain = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::RDONLY;
    let file = File::from(openat(&at, id, plain, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::ErrorKind::InvalidData.into())
    }
}

#[cfg(not(unix))]
fn open_plain(top: &Path, id: &str) -> io::Result<File> {
    let path = place(&top.join(".git/lfs/objects"), id);
    if path.symlink_metadata()?.is_file() {
        File::open(path)
    } else {
        Err(io::ErrorKind::InvalidData.into())
    }
}
