//! Reads a repository's own configuration and hooks: git runs programs because of them.

#![expect(
    clippy::disallowed_methods,
    reason = "what git itself keeps in a git folder is no document of the store"
)]

use std::fs;
use std::path::{Path, PathBuf};

use super::{GitError, Repo};

/// The greatest number of configuration files that are followed through includes.
const MOST_FILES: usize = 50;

/// One setting of a repository itself, rather than of its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalSetting {
    /// Its key as git writes it, section and name in small letters.
    pub key: String,
    /// Its value; a key without a value means `true`.
    pub value: String,
}

/// The settings and hooks of a repository that git may act upon.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalSettings {
    /// The settings of the repository and of the checkout, in the order of the files. Included
    /// files count whether their condition holds or not.
    pub settings: Vec<LocalSetting>,
    /// The files that were read, some of which may not exist.
    pub files: Vec<PathBuf>,
    /// Files that this reader cannot parse as configuration; git may read them differently.
    pub unreadable: Vec<PathBuf>,
    /// The folder whose hooks git runs here, unless the user's own configuration names another.
    pub hooks: PathBuf,
}

impl Repo {
    /// Reads the settings that lie in the repository and finds its hooks. It runs nothing.
    ///
    /// # Errors
    /// `Gone` when the checkout's link to its git folder cannot be read.
    pub fn local_settings(&self) -> Result<LocalSettings, GitError> {
        let git_folder = self.git_folder()?;
        let mut found = LocalSettings::default();
        let mut waiting = vec![
            self.common_dir.join("config"),
            git_folder.join("config.worktree"),
        ];
        while let Some(file) = waiting.pop() {
            if found.files.contains(&file) {
                continue;
            }
            if found.files.len() >= MOST_FILES {
                found.unreadable.push(file);
                break;
            }
            found.files.push(file.clone());
            if !file.exists() {
                continue;
            }
            match settings_in(&file) {
                Ok(settings) => {
                    waiting.extend(settings.iter().filter_map(|one| included(one, &file)));
                    found.settings.extend(settings);
                }
                Err(_) => found.unreadable.push(file),
            }
        }
        found.hooks = self.hooks_named_in(&found.settings);
        Ok(found)
    }

    /// Returns the git folder of this checkout.
    pub(super) fn git_folder(&self) -> Result<PathBuf, GitError> {
        let Some(checkout) = &self.checkout else {
            return Ok(self.common_dir.clone());
        };
        let link = checkout.join(".git");
        if link.is_dir() {
            return Ok(link);
        }
        let text = fs::read_to_string(&link).map_err(|_| GitError::Gone {
            path: checkout.clone(),
        })?;
        let named = text.trim_end().strip_prefix("gitdir:").map(str::trim);
        Ok(named.map_or_else(|| self.common_dir.clone(), |named| checkout.join(named)))
    }

    fn hooks_named_in(&self, settings: &[LocalSetting]) -> PathBuf {
        let named = settings.iter().rfind(|one| one.key == "core.hookspath");
        match named {
            Some(named) => self.folder().join(&named.value),
            None => self.common_dir.join("hooks"),
        }
    }
}

/// Returns the settings of a file and of the files that it includes without condition.
fn settings_in(file: &Path) -> Result<Vec<LocalSetting>, git2::Error> {
    let config = git2::Config::open(file)?;
    let mut settings = Vec::new();
    let mut entries = config.entries(None)?;
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let value = if entry.has_value() {
            String::from_utf8_lossy(entry.value_bytes()).into_owned()
        } else {
            "true".to_owned()
        };
        settings.push(LocalSetting {
            key: String::from_utf8_lossy(entry.name_bytes()).into_owned(),
            value,
        });
    }
    Ok(settings)
}

/// Returns the file that a setting includes. Conditions are ignored, so that nothing hides behind
/// one.
fn included(setting: &LocalSetting, file: &Path) -> Option<PathBuf> {
    let is_conditional = setting.key.starts_with("includeif.");
    let is_path = setting.key.rsplit('.').next() == Some("path");
    let is_include = setting.key == "include.path" || (is_conditional && is_path);
    let is_plain = is_include && !setting.value.starts_with('~');
    is_plain.then(|| file.parent().map(|folder| folder.join(&setting.value)))?
}

type SettingFilter<'a> = &'a dyn Fn(&str) -> bool;

impl Repo {
    /// Returns the links that a commit holds below a folder, each with its target: those that are
    /// wanted, and those of folders in which something may be wanted. Paths start in that folder.
    ///
    /// # Errors
    /// `NoCommit`, or a failure to read the repository.
    pub fn links_at(
        &self,
        commit: &str,
        folder: &str,
        enters: SettingFilter<'_>,
        wanted: SettingFilter<'_>,
    ) -> Result<Vec<(String, String)>, GitError> {
        let below = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        let words = ["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree"];
        let listed = self.read(
            "list links of a commit",
            |repo| {
                let mut links = Vec::new();
                let tree = repo.revparse_single(commit)?.peel_to_tree()?;
                tree.walk(git2::TreeWalkMode::PreOrder, |above, entry| {
                    let name = String::from_utf8_lossy(entry.name_bytes()).into_owned();
                    let path = format!("{above}{name}");
                    if entry.filemode() == 0o120_000 {
                        links.push(path);
                        return git2::TreeWalkResult::Skip;
                    }
                    let is_above = below.starts_with(&format!("{path}/"));
                    let may_hold = path.strip_prefix(&below).is_some_and(enters);
                    if is_above || may_hold {
                        git2::TreeWalkResult::Ok
                    } else {
                        git2::TreeWalkResult::Skip
                    }
                })?;
                Ok(links)
            },
            || {
                let call = super::program::reading(self.folder(), words);
                let out = call.arg(commit).output()?;
                let fields = super::program::fields(&out).map(String::from_utf8_lossy);
                let links = fields.filter_map(|entry| {
                    let (head, path) = entry.split_once('\t')?;
                    head.starts_with("120000").then(|| path.to_owned())
                });
                Ok(links.collect())
            },
        )?;
        let mut links = Vec::new();
        for path in listed {
            let Some(inside) = path.strip_prefix(&below) else {
                continue;
            };
            if wanted(inside) || enters(inside) {
                let says = self.file_at(commit, &path)?.unwrap_or_default();
                links.push((
                    inside.to_owned(),
                    String::from_utf8_lossy(&says).into_owned(),
                ));
            }
        }
        Ok(links)
    }

    /// Returns the files that a link of a commit leads to in the same commit, each with the rest of
    /// its path behind the link.
    ///
    /// # Errors
    /// As [`Repo::links_at`].
    pub fn behind_link(
        &self,
        commit: &str,
        folder: &str,
        (path, says): (&str, &str),
    ) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        let mut parts: Vec<&str> = folder.split('/').chain(path.split('/')).collect();
        parts.retain(|part| !part.is_empty());
        parts.pop();
        if says.starts_with('/') {
            return Ok(Vec::new());
        }
        for part in says.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.is_empty() => return Ok(Vec::new()),
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let target = parts.join("/");
        if target.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(bytes) = self.file_at(commit, &target)? {
            return Ok(vec![(String::new(), bytes)]);
        }
        let all = |_: &str| true;
        let files = self.files_at(commit, &target, &all, &all)?;
        let named = files
            .into_iter()
            .map(|(path, bytes)| (format!("/{path}"), bytes));
        Ok(named.collect())
    }
}
