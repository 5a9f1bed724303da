//! A commit that another machine pushed to a ref of a remote: it is fetched into quarantine, checked there, and only
//! then moved beside objects that are ours.

#![expect(
    clippy::disallowed_methods,
    reason = "the object folder of git is no document of the store"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chant_base::diagnostics::LogFailure;

use super::commit_bundle::{
    BundleLimits, IN_PIECES, SIZES, UnpackedBundle, is_object_id, refuse_large,
};
use super::index::failed;
use super::program::{GitCall, size_of_files};
use super::{GitError, Repo};

/// The time limit for reading one ref of a remote.
const LONGEST_LOOK: Duration = Duration::from_secs(60);
/// The time limit for a check of what was fetched.
const LONGEST_CHECK: Duration = Duration::from_secs(600);
/// The start of a quarantine's name in the folder of objects. Git removes what a crash leaves under such names.
const QUARANTINE: &str = "tmp_objdir-chant-";
/// The words with which the objects of one ref are fetched, and nothing else: no ref here changes.
const FETCH: [&str; 10] = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-prune",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
    "--refmap=",
    "--no-show-forced-updates",
    "--end-of-options",
];

/// The filter of a partial clone that leaves nothing out: the ref goes, so nothing can be fetched later. Without a
/// filter git would look for all files of older commits, which such a clone lacks.
const ALL: &str = "blob:limit=1024g";

/// A commit that a remote has under one ref, as another machine says.
#[derive(Debug, Clone, Copy)]
pub struct PushedCommit<'a> {
    /// The remote, by its name in the configuration.
    pub remote: &'a str,
    /// The full name of the ref there, which the caller has chosen.
    pub name: &'a str,
    /// The commit, which the other machine names.
    pub commit: &'a str,
}

/// A folder that objects lie in while they are checked.
struct Quarantine<'r> {
    repo: &'r Repo,
    folder: PathBuf,
}

impl Repo {
    /// Fetches a commit that another machine pushed, and what leads to it. Objects are taken in once git has checked
    /// all of them, none is too large, and the commit continues `start`; no ref here names them yet. This is an act.
    ///
    /// # Errors
    /// `NotTaken` with what is wrong with the commit, or a failure of git or the remote; nothing is taken in then.
    pub fn take_in_pushed(
        &self,
        pushed: &PushedCommit<'_>,
        start: &str,
        limits: &BundleLimits,
        longest: Duration,
    ) -> Result<(), GitError> {
        let _act = self.begin_act();
        let PushedCommit {
            remote,
            name,
            commit,
        } = *pushed;
        if !is_object_id(commit) {
            return Err(not_taken("that is not the id of a commit".into()));
        }
        match self.remote_ref(remote, name, longest.min(LONGEST_LOOK))? {
            Some(found) if found == commit => {}
            Some(found) => return Err(not_taken(format!("there is another commit, {found}"))),
            None => return Err(not_taken("there is no such ref".into())),
        }
        let quarantine = Quarantine::make(self)?;
        quarantine.fetch(remote, name, limits, longest)?;
        let unpacked = quarantine.check(commit, start, limits)?;
        unpacked.move_into(&self.objects())
    }

    fn objects(&self) -> PathBuf {
        self.common_dir().join("objects")
    }
}

impl<'r> Quarantine<'r> {
    fn make(repo: &'r Repo) -> Result<Self, GitError> {
        let name = format!("{QUARANTINE}{:016x}", fastrand::u64(..));
        let made = Self {
            repo,
            folder: repo.objects().join(name),
        };
        let packs = made.packs();
        fs::create_dir_all(&packs).map_err(|error| failed("make", &packs, &error))?;
        Ok(made)
    }

    fn packs(&self) -> PathBuf {
        self.folder.join("pack")
    }

    /// Fetches a ref; what the repository has is not fetched again.
    fn fetch(
        &self,
        remote: &str,
        name: &str,
        limits: &BundleLimits,
        longest: Duration,
    ) -> Result<(), GitError> {
        let mut call = self.beside_known(self.repo.acting(FETCH));
        if self.repo.is_partial()? {
            call = call.setting(&format!("remote.{remote}.partialclonefilter"), ALL);
        }
        call.arg(remote)
            .arg(name)
            .setting("fetch.fsckObjects", "true")
            .setting("fetch.unpackLimit", "1")
            .setting(IN_PIECES.0, IN_PIECES.1)
            .limited(longest)
            .filling(&self.packs(), limits.bytes)
            .output()?;
        if size_of_files(&self.packs()) > limits.bytes {
            let most = limits.bytes;
            return Err(not_taken(format!("it needs more than {most} bytes")));
        }
        Ok(())
    }

    /// Checks what was fetched.
    fn check(
        &self,
        commit: &str,
        start: &str,
        limits: &BundleLimits,
    ) -> Result<UnpackedBundle, GitError> {
        let sizes = self.repo.reading(SIZES).limited(LONGEST_CHECK);
        let sizes = sizes.env("GIT_OBJECT_DIRECTORY", &self.folder).output()?;
        let refused = refuse_large(&String::from_utf8_lossy(&sizes), limits);
        refused.map_err(|error| match error {
            GitError::Program { why, .. } => not_taken(why),
            other => other,
        })?;
        let reading = |words: &[&str]| {
            let call = self.repo.reading(words.iter().copied());
            self.beside_known(call).limited(LONGEST_CHECK)
        };
        // The remote may have moved the ref since it was read.
        let kind = reading(&["cat-file", "-t", commit]).answer()?;
        if !kind.status.success() || kind.out.trim_ascii_end() != b"commit" {
            return Err(not_taken("no such commit came from there".into()));
        }
        let words = ["merge-base", "--is-ancestor", start, commit];
        if !reading(&words).answer()?.ended_with(0) {
            let why = "it does not continue the commits that were sent";
            return Err(not_taken(why.into()));
        }
        let mut words = vec!["rev-list", "--objects", "--quiet"];
        if self.repo.is_partial()? {
            words.push("--exclude-promisor-objects");
        }
        words.extend([commit, "--not", start]);
        reading(&words).output()?;
        Ok(UnpackedBundle {
            packs: self.packs(),
        })
    }

    /// Has git write objects here, and read those of the repository, too.
    fn beside_known(&self, call: GitCall) -> GitCall {
        call.env("GIT_OBJECT_DIRECTORY", &self.folder).env(
            "GIT_ALTERNATE_OBJECT_DIRECTORIES",
            quoted(&self.repo.objects()),
        )
    }
}

impl Drop for Quarantine<'_> {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).log_failure("remove a quarantine");
    }
}

/// Returns a path as git reads one of a list.
fn quoted(path: &Path) -> std::ffi::OsString {
    match path.to_str() {
        Some(text) => {
            let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
            format!("\"{escaped}\"").into()
        }
        None => path.into(),
    }
}

fn not_taken(why: String) -> GitError {
    GitError::NotTaken { why }
}
