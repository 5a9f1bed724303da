//! Filters in the folder of a run: programs that git runs on the contents of files, by settings of the user and
//! attributes of the project.

use std::collections::BTreeMap;
use std::fs;

use super::made::make_folders;
use super::settings::GitSetting;
use super::{LONGEST_LOOK, LONGEST_WALK, RunRepository};
use crate::index::failed;
use crate::{GitError, Repo, program};

/// The last parts of the keys with the command that git runs when a file is added.
const ADDING: [&str; 2] = ["clean", "process"];
/// The folder inside the common git folder where git-crypt keeps the keys of an unlocked checkout.
const KEYS_OF_GIT_CRYPT: &str = "git-crypt/keys";

/// A filter that fails in the folder of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenFilter {
    /// Its name in the attributes.
    pub name: String,
    /// Its command.
    pub command: String,
    /// The file on which it was tried.
    pub path: String,
    /// What git says.
    pub why: String,
}

/// Returns true if a recipe installs what a text names, which begins with a path from the top.
fn is_installed(installed: &[String], text: &str) -> bool {
    installed.iter().any(|pattern| {
        let path = pattern.trim_start_matches('/');
        match path.strip_prefix("**/") {
            Some(name) => text.split('/').any(|part| part == name),
            None => text.starts_with(&format!("{path}/")),
        }
    })
}

impl Repo {
    /// Returns true if a filter runs a program of the checkout that a recipe installs; `installed` are patterns of what
    /// recipes make.
    ///
    /// # Errors
    /// A failure of git.
    pub fn filters_need(&self, installed: &[String]) -> Result<bool, GitError> {
        let Some(checkout) = self.checkout().filter(|_| !installed.is_empty()) else {
            return Ok(false);
        };
        let outside = format!("{}/", checkout.display());
        let needs = |setting: &GitSetting| {
            let mut named = setting.value.split(&outside).skip(1);
            filter_key(&setting.key).is_some() && named.any(|rest| is_installed(installed, rest))
        };
        Ok(self.effective_settings()?.iter().any(needs))
    }
}

impl RunRepository<'_> {
    /// Returns a text, such as the command of a filter, with the paths of this folder for programs that a recipe installs
    /// in place of those of the user's checkout.
    pub(super) fn with_own_programs(&self, text: &str) -> String {
        let Some(checkout) = self.repo.checkout() else {
            return text.to_owned();
        };
        let outside = format!("{}/", checkout.display());
        let mut parts = text.split(&outside);
        let mut own = parts.next().unwrap_or_default().to_owned();
        for rest in parts {
            let top = if is_installed(&self.installed, rest) {
                &self.top
            } else {
                checkout
            };
            own.push_str(&format!("{}/{rest}", top.display()));
        }
        own
    }

    /// Gives the folder the keys of git-crypt if the user's checkout is unlocked: the folder has the same files.
    pub(super) fn copy_filter_keys(&self) -> Result<(), GitError> {
        let keys = self.repo.common_dir().join(KEYS_OF_GIT_CRYPT);
        let place = self.top.join(".git").join(KEYS_OF_GIT_CRYPT);
        let Ok(found) = keys.read_dir() else {
            return Ok(());
        };
        make_folders(&place)?;
        for entry in found.flatten() {
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if is_file {
                let copy = place.join(entry.file_name());
                fs::copy(entry.path(), &copy).map_err(|error| failed("copy", &copy, &error))?;
            }
        }
        Ok(())
    }

    /// Tries each filter of the folder on one file, confined as the folder is; returns those that fail.
    ///
    /// # Errors
    /// A failure of git.
    pub fn broken_filters(&self) -> Result<Vec<BrokenFilter>, GitError> {
        let settings = self.repo.effective_settings()?;
        let adding = settings.iter().filter_map(|setting| {
            let (name, last) = filter_key(&setting.key)?;
            ADDING.contains(&last).then_some((name, setting))
        });
        let filters: BTreeMap<&str, &GitSetting> = adding.collect();
        let mut broken = Vec::new();
        if filters.is_empty() || !self.has_filters()? {
            return Ok(broken);
        }
        for (name, setting) in filters {
            let Some(path) = self.first_with_filter(name)? else {
                continue;
            };
            let words = ["hash-object", "--", &path];
            let answer = self.git(words, LONGEST_WALK).answer()?;
            if !answer.ended_with(0) {
                broken.push(BrokenFilter {
                    name: name.to_owned(),
                    command: self.with_own_programs(&setting.value),
                    path,
                    why: answer.words(),
                });
            }
        }
        Ok(broken)
    }

    /// Returns true if attributes of the project name a filter.
    fn has_filters(&self) -> Result<bool, GitError> {
        let words = [
            "grep",
            "--cached",
            "--quiet",
            "--fixed-strings",
            "-e",
            "filter=",
            "--",
            ":(top,glob)**/.gitattributes",
        ];
        Ok(self.git(words, LONGEST_LOOK).answer()?.ended_with(0))
    }

    /// Returns the first regular file that goes through a filter.
    fn first_with_filter(&self, name: &str) -> Result<Option<String>, GitError> {
        // Git allows few characters in the values of this kind of pattern.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if !name.chars().all(is_plain) {
            return Ok(None);
        }
        let pattern = format!(":(top,attr:filter={name})");
        let listed = self.git(["ls-files", "-z", "--", &pattern], LONGEST_WALK);
        let listed = listed.output()?;
        let mut paths =
            program::fields(&listed).map(|path| String::from_utf8_lossy(path).into_owned());
        Ok(paths.find(|path| {
            let found = self.top.join(path).symlink_metadata();
            found.is_ok_and(|found| found.is_file())
        }))
    }
}

/// Returns the name of a filter and the last part of its setting's key.
fn filter_key(key: &str) -> Option<(&str, &str)> {
    key.strip_prefix("filter.")?.rsplit_once('.')
}
