//! The mirror of a repository on a machine that works for others: a bare repository that only ever
//! gains objects, and the checkouts that borrow them.

#![expect(
    clippy::disallowed_methods,
    reason = "what git keeps in a git folder is no document of the store"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::commit_bundle::{UnpackedBundle, init, is_object_id};
use super::index::failed;
use super::program::{self, GitCall};
use super::{GitError, branches};

/// The time limit for a fetch.
const LONGEST_FETCH: Duration = Duration::from_secs(1800);
/// The time limit for a checkout.
const LONGEST_CHECKOUT: Duration = Duration::from_secs(600);
/// The name of the mirror's remote, and of that of its checkouts.
pub(super) const REMOTE: &str = "origin";
/// The refs that name what came from elsewhere.
const KEPT: &str = "refs/chant/kept/";
/// The settings of a mirror and of its checkouts: nothing that they hold runs a program, and
/// nothing is ever removed from them.
const FIXED: [(&str, &str); 6] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("transfer.fsckObjects", "true"),
    ("gc.auto", "0"),
    ("gc.pruneExpire", "never"),
    ("maintenance.auto", "false"),
];
/// The words with which objects are fetched by their ids, and nothing else.
pub(super) const FETCH: [&str; 8] = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
    "--refmap=",
    "--filter=blob:none",
];

/// A bare repository of the commits that jobs begin at. Its caller holds its lock.
#[derive(Debug, Clone)]
pub struct RepositoryMirror {
    folder: PathBuf,
    remote: Option<String>,
}

impl RepositoryMirror {
    /// Opens the mirror in a folder, and makes it where there is none. `remote` is the address that
    /// this machine's owner accepted; without it nothing is fetched.
    ///
    /// # Errors
    /// A failure of git.
    pub fn open(folder: &Path, remote: Option<&str>, is_sha256: bool) -> Result<Self, GitError> {
        let mirror = Self {
            folder: folder.to_owned(),
            remote: remote.map(str::to_owned),
        };
        if folder.join("HEAD").exists() {
            return Ok(mirror);
        }
        // A folder without its settings is never found under its name.
        let unfinished = folder.with_extension("unfinished");
        remove_tree(&unfinished)?;
        init(&unfinished, &["--bare"], is_sha256)?;
        configure(&unfinished, remote)?;
        fs::rename(&unfinished, folder).map_err(|error| failed("move", folder, &error))?;
        Ok(mirror)
    }

    /// Its object folder.
    pub fn objects(&self) -> PathBuf {
        self.folder.join("objects")
    }

    /// Returns true if it has a remote, so that it may lack files of its commits.
    pub fn may_fetch(&self) -> bool {
        self.remote.is_some()
    }

    /// Returns true if it has a commit.
    ///
    /// # Errors
    /// A failure of git.
    pub fn has_commit(&self, commit: &str) -> Result<bool, GitError> {
        let asked = format!("{commit}^{{commit}}");
        let call = program::reading(&self.folder, ["cat-file", "-e", &asked]);
        Ok(call.answer()?.ended_with(0))
    }

    /// Fetches a commit and the files of its tree from the remote, as a partial clone where the
    /// remote answers so; returns false if the remote does not have it.
    ///
    /// # Errors
    /// A failure of git or of the remote.
    pub fn fetch(&self, commit: &str, branch: &str) -> Result<bool, GitError> {
        if self.remote.is_none() || !is_object_id(commit) {
            return Ok(false);
        }
        let asked = |what: &str| self.fetch_words().arg(REMOTE).arg(what).answer();
        if !asked(commit)?.ended_with(0) {
            // Some hosts give no commit by its id.
            asked(&branches::branch_ref(branch)?)?.success()?;
        }
        if !self.has_commit(commit)? {
            return Ok(false);
        }
        fetch_missing(&self.folder, commit)?;
        self.keep(commit)?;
        Ok(true)
    }

    fn fetch_words(&self) -> GitCall {
        let words = FETCH.into_iter().chain(["--end-of-options"]);
        program::acting(&self.folder, words).limited(LONGEST_FETCH)
    }

    /// Takes in the objects of a bundle that needs no others, and names its commit.
    ///
    /// # Errors
    /// `File`, or a failure of git.
    pub fn take_in(&self, unpacked: &UnpackedBundle, commit: &str) -> Result<(), GitError> {
        unpacked.move_into(&self.objects())?;
        self.keep(commit)
    }

    /// Returns commits that were taken in or fetched, the newest first.
    ///
    /// # Errors
    /// A failure of git.
    pub fn kept_commits(&self, most: usize) -> Result<Vec<String>, GitError> {
        let count = format!("--count={most}");
        let words = [
            "for-each-ref", "--sort=-creatordate", &count, "--format=%(objectname)", KEPT,
        ];
        let listed = program::reading(&self.folder, words).output()?;
        let listed = String::from_utf8_lossy(&listed);
        Ok(listed.lines().map(str::to_owned).collect())
    }

    /// Names a commit that it has, so that it stays.
    ///
    /// # Errors
    /// A failure of git.
    pub fn keep(&self, commit: &str) -> Result<(), GitError> {
        let name = format!("{KEPT}{commit}");
        let words = ["update-ref", "--end-of-options", &name, commit];
        program::acting(&self.folder, words).output().map(drop)
    }

    /// Makes a repository in the new folder `top` that borrows the mirror's objects, with `commit`
    /// checked out as `target`, and a branch of its own for the work. The objects that the mirror lacks are in `unpacked`. No hook, no
    /// filter and no setting of others takes part.
    ///
    /// # Errors
    /// `InvalidName`, `File`, or a failure of git.
    pub fn check_out(
        &self,
        top: &Path,
        commit: &str,
        target: &str,
        branch: &str,
        unpacked: Option<&UnpackedBundle>,
    ) -> Result<(), GitError> {
        let names = [branches::branch_ref(target)?, branches::branch_ref(branch)?];
        let initial = format!("--initial-branch={target}");
        init(top, &[&initial], commit.len() > 40)?;
        let git = top.join(".git");
        let alternates = git.join("objects/info/alternates");
        let line = format!("{}\n", self.objects().display());
        fs::write(&alternates, line).map_err(|error| failed("write", &alternates, &error))?;
        if let Some(unpacked) = unpacked {
            unpacked.move_into(&git.join("objects"))?;
        }
        configure(top, self.remote.as_deref())?;
        if self.may_fetch() {
            fetch_missing(top, commit)?;
        }
        let alone = |words: &[&str]| {
            program::acting(top, words.iter().copied())
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .limited(LONGEST_CHECKOUT)
                .output()
                .map(drop)
        };
        for name in &names {
            alone(&["update-ref", "--end-of-options", name, commit])?;
        }
        alone(&["reset", "--hard", "--quiet"])
    }
}

/// Fetches the files of a commit that a partial clone lacks.
fn fetch_missing(folder: &Path, commit: &str) -> Result<(), GitError> {
    let words = [
        "rev-list", "--objects", "--missing=print", "--no-walk", "--no-object-names", commit,
    ];
    let listed = program::reading(folder, words).output()?;
    let listed = String::from_utf8_lossy(&listed);
    let missing: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.strip_prefix('?'))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    // As git itself fetches what a partial clone lacks.
    let words = FETCH.into_iter().chain(["--stdin", REMOTE]);
    let call = program::acting(folder, words)
        .setting("fetch.negotiationAlgorithm", "noop")
        .limited(LONGEST_FETCH);
    let ids = missing.join("\n") + "\n";
    call.answer_to(ids.as_bytes())?.success().map(drop)
}

/// Writes the settings of a repository of ours.
fn configure(folder: &Path, remote: Option<&str>) -> Result<(), GitError> {
    let mut settings: Vec<(String, &str)> = FIXED
        .iter()
        .map(|(key, value)| ((*key).to_owned(), *value))
        .collect();
    if let Some(address) = remote {
        let of_remote = |key: &str| format!("remote.{REMOTE}.{key}");
        settings.push((of_remote("url"), address));
        settings.push((of_remote("promisor"), "true"));
        settings.push((of_remote("partialclonefilter"), "blob:none"));
    }
    for (key, value) in settings {
        let words = ["config", "--local", &key, value];
        program::acting(folder, words).output()?;
    }
    Ok(())
}

fn remove_tree(path: &Path) -> Result<(), GitError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(failed("remove", path, &error))
        }
        _ => Ok(()),
    }
}
