//! Damage in a git folder, as a loss of power or a killed git leaves it: found without git, which may refuse all of it.
//!
//! Nothing that is whole is removed or replaced. What is damaged is kept beside its place where it says anything.

#![expect(
    clippy::disallowed_methods,
    reason = "what git itself keeps in a git folder is no document of the store"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha1::{Digest, Sha1};

use super::flushing::{flush_files, flush_folders};
use super::index::failed;
use super::program::{self, fields};
use super::{GitError, path_from_bytes};

/// The age from which on no git is at work any more on what it left.
const LEFT: Duration = Duration::from_secs(60 * 60);
/// The paths in one call of git: it answers while it reads, and its answers must not fill the pipe.
const AT_ONCE: usize = 500;
/// The bytes of the shortest index: a header and a checksum.
const SHORTEST_INDEX: usize = 32;
/// The bytes of a checksum.
const SUM: usize = 20;
/// The refs of receipts.
const RECEIPTS: &str = "refs/chant/receipts/";

/// The kinds of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GitDamageKind {
    /// `HEAD` names nothing.
    Head,
    /// The index cannot be read.
    Index,
    /// The file of a ref holds no commit's name.
    Ref,
    /// A ref leads to an object that is not there.
    RefWithoutObject,
    /// A receipt is gone, and its ref is there.
    ReceiptWithoutObject,
    /// The file of an object is empty.
    EmptyObject,
    /// A pack has no index.
    PackWithoutIndex,
    /// The lock of the index stayed behind.
    IndexLock,
    /// The lock of a ref stayed behind.
    RefLock,
    /// The files of a landing stayed behind.
    Landing,
    /// A part of an object stayed behind.
    PartOfObject,
}

impl GitDamageKind {
    /// The name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Index => "index",
            Self::Ref => "ref",
            Self::RefWithoutObject => "ref-without-object",
            Self::ReceiptWithoutObject => "receipt-without-object",
            Self::EmptyObject => "empty-object",
            Self::PackWithoutIndex => "pack-without-index",
            Self::IndexLock => "index-lock",
            Self::RefLock => "ref-lock",
            Self::Landing => "landing-left",
            Self::PartOfObject => "part-of-object",
        }
    }

    /// The repair, as a phrase.
    pub fn repair(self) -> &'static str {
        match self {
            Self::Head => "put HEAD on the main branch again",
            Self::Index => "make the index again from HEAD; the damaged one is kept beside it",
            Self::Ref => "write the newest whole commit of its log into the ref",
            Self::RefWithoutObject => {
                "move the ref to the newest commit of its log that is there, or remove one of our own"
            }
            Self::ReceiptWithoutObject => "remove its ref, and leave the receipt again",
            Self::EmptyObject => "make the object again from a run's folder or the checkout",
            Self::PackWithoutIndex => "make its index again",
            Self::IndexLock | Self::RefLock => "remove the lock",
            Self::Landing | Self::PartOfObject => "remove what is left",
        }
    }
}

/// One damage.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitDamage {
    /// Its kind.
    pub kind: GitDamageKind,
    /// The file in the git folder, or the ref.
    pub place: String,
}

/// The git folder of a checkout, and where copies of its objects may lie.
#[derive(Debug)]
pub struct GitDamageSearch {
    top: PathBuf,
    git_dir: PathBuf,
    common: PathBuf,
    /// Folders of objects that may have copies.
    copies: Vec<PathBuf>,
    /// The branch that `HEAD` is put on.
    main: String,
}

impl GitDamageSearch {
    /// Looks for the git folder of a folder or one above; `None` where there is none.
    pub fn of(folder: &Path, copies: Vec<PathBuf>, main: &str) -> Option<Self> {
        let top = folder.ancestors().find(|at| at.join(".git").exists())?;
        let link = top.join(".git");
        let git_dir = if link.is_dir() {
            link
        } else {
            let text = fs::read_to_string(&link).ok()?;
            top.join(text.trim_end().strip_prefix("gitdir:")?.trim())
        };
        let common = match fs::read_to_string(git_dir.join("commondir")) {
            Ok(named) => git_dir.join(named.trim_end()),
            Err(_) => git_dir.clone(),
        };
        Some(Self {
            top: top.to_owned(),
            git_dir,
            common,
            copies,
            main: main.to_owned(),
        })
    }

    /// Finds all damage, in the order in which it is repaired.
    pub fn find(&self) -> Vec<GitDamage> {
        let mut found = BTreeSet::new();
        let mut add = |kind, place: String| found.insert(GitDamage { kind, place });
        if !fs::read(self.git_dir.join("HEAD")).is_ok_and(|text| names_something(&text)) {
            add(GitDamageKind::Head, "HEAD".into());
        }
        if fs::read(self.git_dir.join("index")).is_ok_and(|index| !is_index(&index)) {
            add(GitDamageKind::Index, "index".into());
        }
        for path in self.ref_files() {
            if !is_lock(&path) && !fs::read(&path).is_ok_and(|text| names_something(&text)) {
                add(GitDamageKind::Ref, self.name_of(&path));
            }
        }
        let refs = self.refs();
        let missing = self.missing_objects(refs.values());
        for (name, _) in refs
            .into_iter()
            .filter(|(_, object)| missing.contains(object))
        {
            let is_receipt = name.starts_with(RECEIPTS);
            let kind = if is_receipt {
                GitDamageKind::ReceiptWithoutObject
            } else {
                GitDamageKind::RefWithoutObject
            };
            add(kind, name);
        }
        let objects = files_below(&self.common.join("objects"));
        for path in &objects {
            let name = self.name_of(path);
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let is_empty = path.metadata().is_ok_and(|facts| facts.len() == 0);
            if file.starts_with("tmp_") && is_left(path) {
                add(GitDamageKind::PartOfObject, name);
            } else if is_empty && is_object_name(&name) {
                add(GitDamageKind::EmptyObject, name);
            } else if file.ends_with(".pack") && !path.with_extension("idx").exists() {
                add(GitDamageKind::PackWithoutIndex, name);
            }
        }
        let index_lock = self.git_dir.join("index.lock");
        if is_left(&index_lock) {
            add(GitDamageKind::IndexLock, "index.lock".into());
        }
        let landing = self.git_dir.join("chant-mcp-landing");
        if is_left(&landing) && !index_lock.exists() {
            add(GitDamageKind::Landing, "chant-mcp-landing".into());
        }
        let locks =
            ["HEAD.lock", "packed-refs.lock", "config.lock"].map(|name| self.common.join(name));
        let locks = locks.into_iter().chain(self.ref_files());
        for path in locks {
            if is_lock(&path) && is_left(&path) {
                add(GitDamageKind::RefLock, self.name_of(&path));
            }
        }
        found.into_iter().collect()
    }

    /// Repairs a damage; returns false where that is not possible.
    ///
    /// # Errors
    /// A failure to write.
    pub fn repair(&self, damage: &GitDamage) -> Result<bool, GitError> {
        let place = self.common.join(&damage.place);
        let done = match damage.kind {
            GitDamageKind::Head => {
                let text = format!("ref: refs/heads/{}\n", self.main);
                return write(&self.git_dir.join("HEAD"), text.as_bytes()).map(|()| true);
            }
            GitDamageKind::Index => {
                let index = self.git_dir.join("index");
                let aside = self
                    .git_dir
                    .join(format!("index.damaged-{}", std::process::id()));
                fs::rename(&index, &aside).map_err(|error| failed("keep", &index, &error))?;
                program::acting(&self.top, ["read-tree", "HEAD"]).output()?;
                return Ok(true);
            }
            GitDamageKind::ReceiptWithoutObject => return self.remove_ref(&damage.place),
            GitDamageKind::RefWithoutObject if damage.place.starts_with("refs/chant/") => {
                return self.remove_ref(&damage.place);
            }
            GitDamageKind::Ref | GitDamageKind::RefWithoutObject => {
                return self.repair_ref(&damage.place, &place);
            }
            GitDamageKind::EmptyObject => return self.repair_object(&place),
            GitDamageKind::PackWithoutIndex => {
                let words = ["index-pack", "--strict"];
                let made = program::acting(&self.common, words).arg(&place).answer()?;
                return Ok(made.status.success());
            }
            GitDamageKind::IndexLock => fs::remove_file(self.git_dir.join(&damage.place)),
            GitDamageKind::Landing => fs::remove_dir_all(self.git_dir.join(&damage.place)),
            GitDamageKind::RefLock | GitDamageKind::PartOfObject => fs::remove_file(&place),
        };
        done.map(|()| true)
            .map_err(|error| failed("remove", &place, &error))
    }

    /// Writes the newest commit of a ref's log that is there, or lets a packed one count again.
    fn repair_ref(&self, name: &str, place: &Path) -> Result<bool, GitError> {
        let log = fs::read_to_string(self.common.join("logs").join(name)).unwrap_or_default();
        let entries = log.lines().rev();
        let mut commits = entries.filter_map(|line| line.split(' ').nth(1));
        if let Some(commit) = commits.find(|commit| is_id(commit) && self.has_object(commit)) {
            return write(place, format!("{commit}\n").as_bytes()).map(|()| true);
        }
        let is_packed = self.packed_refs().contains_key(name);
        if !is_packed && !name.starts_with("refs/chant/") {
            return Ok(false);
        }
        fs::remove_file(place).map_err(|error| failed("remove", place, &error))?;
        Ok(true)
    }

    fn remove_ref(&self, name: &str) -> Result<bool, GitError> {
        let words = ["update-ref", "--no-deref", "-d", "--end-of-options", name];
        let removed = program::acting(&self.common, words).answer()?;
        Ok(removed.status.success())
    }

    /// Makes an object again: from a folder that has a copy, else from the files of the checkout.
    fn repair_object(&self, place: &Path) -> Result<bool, GitError> {
        let inside = place.strip_prefix(self.common.join("objects"));
        let inside = inside.map(Path::to_owned).unwrap_or_default();
        let copies = self.copies.iter().map(|folder| folder.join(&inside));
        let mut whole = copies.filter_map(|copy| fs::read(copy).ok());
        if let Some(bytes) = whole.find(|bytes| !bytes.is_empty()) {
            fs::remove_file(place).map_err(|error| failed("remove", place, &error))?;
            return write(place, &bytes).map(|()| true);
        }
        fs::remove_file(place).map_err(|error| failed("remove", place, &error))?;
        let id: String = inside.to_string_lossy().replace(['/', '\\'], "");
        let listed = program::acting(&self.top, ["ls-files", "-z"]).answer()?;
        let mut names = Vec::new();
        for path in fields(&listed.out) {
            let file = self.top.join(path_from_bytes(path));
            if !path.contains(&b'\n') && file.symlink_metadata().is_ok_and(|it| it.is_file()) {
                names.push([path, b"\n"].concat());
            }
        }
        for some in names.chunks(AT_ONCE) {
            let hashed = program::acting(&self.top, ["hash-object", "--stdin-paths"]);
            let out = hashed.answer_to(&some.concat())?.out;
            let ids = String::from_utf8_lossy(&out).into_owned();
            if let Some((name, _)) = some.iter().zip(ids.lines()).find(|(_, known)| *known == id) {
                let words = ["hash-object", "-w", "--stdin-paths"];
                program::acting(&self.top, words)
                    .answer_to(name)?
                    .success()?;
                break;
            }
        }
        Ok(place.exists() || self.has_object(&id))
    }

    fn name_of(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.common).unwrap_or(path);
        inside.to_string_lossy().replace('\\', "/")
    }

    /// The files of refs; where refs lie in tables there are none, but one that says so to earlier gits.
    fn ref_files(&self) -> Vec<PathBuf> {
        if self.has_tables() {
            return Vec::new();
        }
        files_below(&self.common.join("refs"))
    }

    fn has_tables(&self) -> bool {
        self.common.join("reftable").is_dir()
    }

    /// The refs with whole names, and their objects.
    fn refs(&self) -> BTreeMap<String, String> {
        if self.has_tables() {
            return self.refs_in_tables();
        }
        let mut refs = self.packed_refs();
        for path in self.ref_files() {
            let text = fs::read_to_string(&path).unwrap_or_default();
            if is_id(text.trim_end()) {
                refs.insert(self.name_of(&path), text.trim_end().to_owned());
            }
        }
        refs
    }

    fn packed_refs(&self) -> BTreeMap<String, String> {
        let text = fs::read_to_string(self.common.join("packed-refs")).unwrap_or_default();
        refs_of_lines(&text)
    }

    fn refs_in_tables(&self) -> BTreeMap<String, String> {
        let words = ["for-each-ref", "--format=%(objectname) %(refname)"];
        let listed = program::reading(&self.common, words).answer();
        listed.map_or_else(
            |_| BTreeMap::new(),
            |listed| refs_of_lines(&String::from_utf8_lossy(&listed.out)),
        )
    }

    /// Returns those of some objects that are not there, by a call of git for many of them.
    fn missing_objects<'a>(&self, ids: impl Iterator<Item = &'a String>) -> BTreeSet<String> {
        let packed = ids.filter(|id| !self.has_loose_object(id));
        let asked: Vec<&String> = packed.collect::<BTreeSet<_>>().into_iter().collect();
        let mut missing = BTreeSet::new();
        for some in asked.chunks(AT_ONCE) {
            let input: String = some.iter().map(|id| format!("{id}\n")).collect();
            let words = ["cat-file", "--batch-check=%(objectname)"];
            let answered = program::reading(&self.common, words).answer_to(input.as_bytes());
            let out = answered.map(|answer| answer.out).unwrap_or_default();
            let out = String::from_utf8_lossy(&out).into_owned();
            let found: BTreeSet<&str> = out.lines().collect();
            let gone = some.iter().filter(|id| !found.contains(id.as_str()));
            missing.extend(gone.map(|id| (*id).clone()));
        }
        missing
    }

    fn has_object(&self, id: &str) -> bool {
        self.missing_objects(std::iter::once(&id.to_owned()))
            .is_empty()
    }

    fn has_loose_object(&self, id: &str) -> bool {
        let loose = self.common.join("objects").join(&id[..2]).join(&id[2..]);
        loose.metadata().is_ok_and(|facts| facts.len() > 0)
    }
}

/// Puts a file in place, durably.
fn write(place: &Path, bytes: &[u8]) -> Result<(), GitError> {
    let beside = place.with_extension(format!("chant-mcp-{}", std::process::id()));
    fs::write(&beside, bytes).map_err(|error| failed("write", &beside, &error))?;
    flush_files(std::slice::from_ref(&beside))?;
    fs::rename(&beside, place).map_err(|error| failed("write", place, &error))?;
    flush_folders(&place.parent().map(Path::to_owned).into_iter().collect())
}

/// The refs that lines name behind their objects.
fn refs_of_lines(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines
        .filter(|(id, _)| is_id(id))
        .map(|(id, name)| (name.to_owned(), id.to_owned()))
        .collect()
}

fn is_lock(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "lock")
}

fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns true for the text of a ref: a commit's name, or another ref.
fn names_something(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let text = text.trim_end();
    is_id(text)
        || text
            .strip_prefix("ref: ")
            .is_some_and(|name| name.starts_with("refs/"))
}

fn is_object_name(name: &str) -> bool {
    let id = name.strip_prefix("objects/").unwrap_or_default();
    is_id(&id.replacen('/', "", 1))
}

/// Returns true for a whole index; one whose checksum is switched off counts as whole.
fn is_index(bytes: &[u8]) -> bool {
    if !bytes.starts_with(b"DIRC") || bytes.len() < SHORTEST_INDEX {
        return false;
    }
    let (body, sum) = bytes.split_at(bytes.len() - SUM);
    // In repositories of the longer ids it is another sum, which is as long as this one and twelve bytes more.
    sum.iter().all(|byte| *byte == 0) || Sha1::digest(body)[..] == *sum || is_sha256_index(bytes)
}

fn is_sha256_index(bytes: &[u8]) -> bool {
    use sha2::Sha256;
    let (body, sum) = bytes.split_at(bytes.len().saturating_sub(SUM + 12));
    Sha256::digest(body)[..] == *sum
}

/// Returns true for something that nobody changed for long.
fn is_left(path: &Path) -> bool {
    let changed = path.symlink_metadata().and_then(|facts| facts.modified());
    changed.is_ok_and(|changed| {
        SystemTime::now()
            .duration_since(changed)
            .is_ok_and(|age| age > LEFT)
    })
}

/// Returns all files below a folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found
}
