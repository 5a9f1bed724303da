//! Asks git which configuration and hooks of a repository it uses: it runs programs because of them.

#![expect(
    clippy::disallowed_methods,
    reason = "what git itself keeps in a git folder is no document of the store"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::program::{self, GitCall};
use super::{GitError, Repo, path_from_bytes, real};

/// The greatest number of configuration files that are read.
const MAX_FILES: usize = 200;

/// The time in which git reads configuration: a file may be a pipe, or have no end.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// The call that lists what git uses, with the files.
const LIST: [&str; 5] = ["config", "--list", "-z", "--includes", "--show-origin"];

/// The exit code of git for an option that it does not know.
const BAD_USAGE: i32 = 129;

/// The setting that names the folder of hooks.
const HOOKS_PATH: &str = "core.hookspath";

/// The file of the settings of one checkout.
const OF_CHECKOUT: &str = "config.worktree";

/// The keys that include files, as git matches them.
const INCLUDES: &str = r"^include(if\..*)?\.path$";

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
    /// The settings of the repository and of its checkouts, in the order in which git applies them.
    /// Included files and other checkouts count whether git uses them here or not.
    pub settings: Vec<LocalSetting>,
    /// The files that were read, some of which may not exist.
    pub files: Vec<PathBuf>,
    /// The files of the user's own configuration.
    pub user_files: Vec<PathBuf>,
    /// Files that git cannot read as configuration, or that were not read.
    pub unreadable: Vec<PathBuf>,
    /// The folder whose hooks git runs here.
    pub hooks: PathBuf,
    /// True if the user's own configuration names that folder, and it lies outside of the
    /// repository and its checkout.
    pub hooks_are_users: bool,
}

/// A setting as git lists it.
struct ListedSetting {
    setting: LocalSetting,
    /// The file that it is in.
    file: PathBuf,
    /// True if it is in the repository or its checkout, or is included from there.
    is_of_repository: bool,
}

impl Repo {
    /// Asks git which settings of the repository it uses and which hooks it runs. It runs nothing.
    ///
    /// Every later call of this repository that acts runs the hooks of that folder and no others,
    /// also in other checkouts, where a relative path would lead to other files.
    ///
    /// # Errors
    /// `Gone` when the checkout's link to its git folder cannot be read; a failure of git.
    pub fn local_settings(&self) -> Result<LocalSettings, GitError> {
        let listed = match self.listed_settings() {
            // Without the program nothing runs what the configuration names.
            Err(GitError::NoGit { .. }) => Vec::new(),
            listed => listed?,
        };
        let hooks_by = listed
            .iter()
            .rfind(|one| one.setting.key == HOOKS_PATH)
            .map(|one| one.is_of_repository);
        let mut found = LocalSettings {
            hooks: match hooks_by {
                Some(_) => self.ask_hooks_folder()?,
                None => self.common_dir.join("hooks"),
            },
            ..LocalSettings::default()
        };
        found.hooks_are_users = hooks_by == Some(false) && !self.holds(&found.hooks)?;
        let mut by_file: Vec<(PathBuf, Vec<LocalSetting>)> = Vec::new();
        for one in listed {
            if !one.is_of_repository {
                found.user_files.push(one.file);
                continue;
            }
            match by_file.iter_mut().find(|(file, _)| *file == one.file) {
                Some((_, settings)) => settings.push(one.setting.clone()),
                None => by_file.push((one.file, vec![one.setting.clone()])),
            }
            found.settings.push(one.setting);
        }
        // What git uses here is known; the files that it uses under another condition, or in
        // another checkout, are asked for one by one.
        let mut waiting = self.setting_files()?;
        for (file, settings) in by_file {
            self.add_included(&settings, &file, &mut waiting, &mut found);
            found.files.push(file);
        }
        found.user_files.dedup();
        while let Some(file) = waiting.pop() {
            if found.files.iter().any(|known| real(known) == real(&file)) {
                continue;
            }
            if found.files.len() >= MAX_FILES {
                found.unreadable.push(file);
                break;
            }
            found.files.push(file.clone());
            if !file.exists() {
                continue;
            }
            match self.settings_in(&file) {
                Ok(settings) => {
                    self.add_included(&settings, &file, &mut waiting, &mut found);
                    found.settings.extend(settings);
                }
                Err(_) => found.unreadable.push(file),
            }
        }
        let names_hooks =
            hooks_by.is_some() || found.settings.iter().any(|one| one.key == HOOKS_PATH);
        self.pin_hooks(names_hooks.then(|| found.hooks.clone()));
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

    /// Asks git for the folder of its hooks. The call is one that acts, as one that reads names
    /// another folder; it prints a path and runs nothing.
    pub(super) fn ask_hooks_folder(&self) -> Result<PathBuf, GitError> {
        let asked = program::acting(self.folder(), ["rev-parse", "--git-path", "hooks"]);
        let out = asked.output()?;
        let path = path_from_bytes(out.strip_suffix(b"\n").unwrap_or(&out));
        Ok(self.folder().join(path))
    }

    /// Returns every setting that git uses here, in its order, without those of this call.
    fn listed_settings(&self) -> Result<Vec<ListedSetting>, GitError> {
        let ask = |more: &[&'static str]| {
            let words = LIST.iter().chain(more).copied();
            self.reading(words).limited(MAX_WAIT).answer()
        };
        let scoped = ask(&["--show-scope"])?;
        // Git before 2.26 names no scopes. The files that the repository itself includes from
        // outside are then read one by one.
        let (out, has_scopes) = if scoped.ended_with(BAD_USAGE) {
            (ask(&[])?.success()?, false)
        } else {
            (scoped.success()?, true)
        };
        let mut listed = Vec::new();
        let mut fields = program::fields(&out);
        loop {
            let scope = if has_scopes { fields.next() } else { None };
            let (Some(origin), Some(setting)) = (fields.next(), fields.next()) else {
                return Ok(listed);
            };
            // What comes from no file comes from this call.
            let Some(file) = origin.strip_prefix(b"file:") else {
                continue;
            };
            let file = self.folder().join(path_from_bytes(file));
            let is_local = matches!(scope, Some(b"local" | b"worktree"));
            listed.push(ListedSetting {
                setting: setting_of(setting),
                is_of_repository: is_local || self.holds(&file)?,
                file,
            });
        }
    }

    /// Returns true if a file or folder really lies in the repository or its checkout.
    fn holds(&self, path: &Path) -> Result<bool, GitError> {
        let path = real(path);
        let git_folder = self.git_folder()?;
        let own = [
            Some(&self.common_dir),
            Some(&git_folder),
            self.checkout.as_ref(),
        ];
        Ok(own
            .into_iter()
            .flatten()
            .any(|folder| path.starts_with(real(folder))))
    }

    /// Returns the files of settings of the repository and of all its checkouts.
    fn setting_files(&self) -> Result<Vec<PathBuf>, GitError> {
        let mut files = vec![
            self.common_dir.join("config"),
            self.common_dir.join(OF_CHECKOUT),
            self.git_folder()?.join(OF_CHECKOUT),
        ];
        let others = self.common_dir.join("worktrees").read_dir();
        let others = others.into_iter().flatten().flatten();
        let mut others: Vec<PathBuf> = others.map(|one| one.path().join(OF_CHECKOUT)).collect();
        others.sort();
        others.retain(|file| file.exists());
        files.extend(others);
        Ok(files)
    }

    /// Returns the settings of one file, without those that it includes.
    fn settings_in(&self, file: &Path) -> Result<Vec<LocalSetting>, GitError> {
        let out = self.ask_file(file, &["--list"])?;
        Ok(program::fields(&out).map(setting_of).collect())
    }

    /// Asks git about one file of settings.
    fn ask_file(&self, file: &Path, words: &[&str]) -> Result<Vec<u8>, GitError> {
        let call = self.reading(["config", "-z", "--file"]).arg(file);
        let call = words.iter().fold(call, GitCall::arg);
        call.limited(MAX_WAIT).output()
    }

    /// Adds the files that settings of a file include. Conditions are ignored, so that nothing hides
    /// behind one.
    fn add_included(
        &self,
        settings: &[LocalSetting],
        file: &Path,
        waiting: &mut Vec<PathBuf>,
        found: &mut LocalSettings,
    ) {
        let folder = file.parent().unwrap_or(file);
        let included = settings.iter().filter(|one| one.is_include());
        let mut is_special = false;
        for one in included {
            is_special |= one.value.starts_with(['~', '%', ':']);
            // A form that the installed git does not know is a name.
            waiting.push(folder.join(&one.value));
        }
        if !is_special {
            return;
        }
        match self.ask_file(file, &["--path", "--get-regexp", INCLUDES]) {
            Ok(out) => {
                let paths = program::fields(&out).map(setting_of);
                waiting.extend(paths.map(|one| folder.join(one.value)));
            }
            Err(_) => found.unreadable.push(file.to_owned()),
        }
    }
}

impl LocalSetting {
    fn is_include(&self) -> bool {
        let is_path = self.key.rsplit('.').next() == Some("path");
        is_path && (self.key == "include.path" || self.key.starts_with("includeif."))
    }
}

/// Returns a setting that git printed: its key, and its value on the lines below.
fn setting_of(field: &[u8]) -> LocalSetting {
    let text = String::from_utf8_lossy(field);
    let (key, value) = text.split_once('\n').unwrap_or((&text, "true"));
    LocalSetting {
        key: key.to_owned(),
        value: value.to_owned(),
    }
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
                let call = program::reading(self.folder(), words);
                let out = call.arg(commit).output()?;
                let fields = program::fields(&out).map(String::from_utf8_lossy);
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
        path: &str,
        says: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        let Some(target) = link_target(folder, path, says) else {
            return Ok(Vec::new());
        };
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

/// Returns the path from the top of the checkout to which a link below a folder leads; `None` if that is not inside.
pub fn link_target(folder: &str, path: &str, says: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').chain(path.split('/')).collect();
    parts.retain(|part| !part.is_empty());
    parts.pop();
    if says.starts_with('/') {
        return None;
    }
    for part in says.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/")).filter(|target| !target.is_empty())
}
