//! The files in the folder of a run that are in no commit.

#![expect(
    clippy::disallowed_methods,
    reason = "what lies in the folder of a run is no document of the store"
)]

use chant_base::diagnostics::LogFailure;
use std::fs;
use std::time::Duration;

use super::{LONGEST_LOOK, LONGEST_WALK, QUICK_WALK, RunRepository};
use crate::bookkeeping::own_commit;
use crate::program::GitCall;
use crate::{GitError, program};

impl RunRepository<'_> {
    /// Returns the paths that differ from the folder's HEAD: changed, staged, in conflict, or
    /// untracked and not ignored; sorted, from the top, with `/`. Empty if the folder was not
    /// created completely.
    ///
    /// # Errors
    /// `Gone` when the repository no longer exists, or a failure of git.
    pub fn uncommitted(&self) -> Result<Vec<String>, GitError> {
        if self.is_unfinished() {
            return Ok(Vec::new());
        }
        self.show_hidden_changes()?;
        // A file that is too large is looked for only when git does not come to an end soon.
        let installed = self.installed_paths()?;
        let (out, large) = if let Ok(out) = self.status(QUICK_WALK, &installed) {
            (out, Vec::new())
        } else {
            let large = self.large_files();
            let without = [&*installed, &large].concat();
            (self.status(LONGEST_WALK, &without)?, large)
        };
        let fields = program::fields(&out).filter_map(|field| field.get(3..));
        let mut paths: Vec<String> = fields
            .map(|path| String::from_utf8_lossy(path).into_owned())
            .chain(large)
            .collect();
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }

    /// Asks git for the paths that differ, without those that are too large to be read.
    fn status(&self, longest: Duration, without: &[String]) -> Result<Vec<u8>, GitError> {
        let words = [
            "status",
            "--porcelain",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=none",
            "--",
            ".",
        ];
        excluding(self.git(words, longest), without).output()
    }

    /// Takes the flags away by which git looks for no changes in a file that is there.
    fn show_hidden_changes(&self) -> Result<(), GitError> {
        let listed = self.git(["ls-files", "-v", "-z"], LONGEST_WALK).output()?;
        let flagged: Vec<(u8, &[u8])> = program::fields(&listed)
            .filter_map(|field| Some((*field.first()?, field.get(2..)?)))
            .collect();
        let is_there = |path: &[u8]| {
            let path = String::from_utf8_lossy(path).into_owned();
            self.top.join(path).symlink_metadata().is_ok()
        };
        for option in ["--no-assume-unchanged", "--no-skip-worktree"] {
            let mut paths = Vec::new();
            for (flag, path) in &flagged {
                // A small letter is for the first flag, whichever other one there is.
                let has_flag = if option == "--no-skip-worktree" {
                    flag.eq_ignore_ascii_case(&b'S')
                } else {
                    flag.is_ascii_lowercase()
                };
                if has_flag && is_there(path) {
                    paths.extend_from_slice(path);
                    paths.push(0);
                }
            }
            if !paths.is_empty() {
                let call = self.git(["update-index", option, "-z", "--stdin"], LONGEST_WALK);
                call.answer_to(&paths)?.success()?;
            }
        }
        Ok(())
    }

    /// Returns the files and folders that recipes installed and git does not track.
    pub(super) fn installed_paths(&self) -> Result<Vec<String>, GitError> {
        if self.installed.is_empty() {
            return Ok(Vec::new());
        }
        let of_recipes = self.installed.iter().map(|one| format!("--exclude={one}"));
        let mut paths = self.ignored_by(&of_recipes.collect::<Vec<String>>())?;
        for path in &mut paths {
            path.truncate(path.trim_end_matches('/').len());
        }
        Ok(paths)
    }

    /// Returns the files and folders that git ignores by some rules; folders end with `/`.
    pub(super) fn ignored_by(&self, rules: &[String]) -> Result<Vec<String>, GitError> {
        let words = ["ls-files", "--others", "--ignored", "--directory", "-z"];
        let call = self.git(words, LONGEST_WALK);
        let listed = rules.iter().fold(call, GitCall::arg).output()?;
        let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
        Ok(program::fields(&listed).map(text).collect())
    }

    /// Removes a pipe, a socket or a device, which git cannot keep and which has no content.
    fn remove_special(&self, path: &str) {
        let place = self.top.join(path);
        let kind = place.symlink_metadata().map(|found| found.file_type());
        if kind.is_ok_and(|kind| !(kind.is_file() || kind.is_dir() || kind.is_symlink())) {
            // If this fails, git reports the path.
            fs::remove_file(place).log_failure("remove what is no file");
        }
    }

    /// Returns true if its HEAD is its branch.
    pub fn stands_on_branch(&self) -> bool {
        let asked = self.git(["symbolic-ref", "--quiet", "HEAD"], LONGEST_LOOK);
        let named = asked.output().map(|out| program::first_line(&out));
        named.ok() == self.full_name().ok()
    }

    /// Commits everything that lies there and git does not ignore, as the runtime's own. Does
    /// nothing if there is nothing to commit.
    ///
    /// # Errors
    /// A failure of git.
    pub fn commit_everything(&self, message: &str) -> Result<(), GitError> {
        let changed = self.uncommitted()?;
        if changed.is_empty() {
            return Ok(());
        }
        if let Some(path) = self
            .large_files()
            .into_iter()
            .find(|path| changed.contains(path))
        {
            let bytes = fs::metadata(self.top.join(&path)).map_or(0, |facts| facts.len());
            let most = self.largest;
            return Err(GitError::TooLarge { path, bytes, most });
        }
        for path in changed {
            self.remove_special(&path);
        }
        let adding = self.git(["add", "--all", "--", "."], LONGEST_WALK);
        let installed = self.installed_paths()?;
        excluding(adding, &installed).output()?;
        own_commit(message, |words| self.git(words, LONGEST_WALK))
            .output()
            .map(drop)
    }
}

/// Has a call leave some paths out; it names the folder that it is about.
fn excluding(call: GitCall, paths: &[String]) -> GitCall {
    let excluded = paths
        .iter()
        .map(|path| format!(":(exclude,top,literal){path}"));
    excluded.fold(call, GitCall::arg)
}
