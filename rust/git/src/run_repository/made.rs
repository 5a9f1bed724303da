//! Creates the folder of a run, rebuilds its repository from the fetched commits, and removes it.

#![expect(
    clippy::disallowed_methods,
    reason = "what git keeps in a git folder is no document of the store"
)]

use chant_base::diagnostics::LogFailure;
use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

use super::leftovers::is_folder;
use super::settings::GitSetting;
use super::{LONGEST_WALK, QUICK_WALK, RunRepository};
use crate::index::failed;
use crate::{GitError, trimmed};

/// The sections and keys of git's effective configuration in the project that also count in a run's
/// repository. The rest of the user's own configuration counts there as anywhere.
const TAKEN_OVER: [&str; 13] = [
    "core.autocrlf",
    "core.eol",
    "core.safecrlf",
    "core.ignorecase",
    "core.symlinks",
    "core.filemode",
    "core.longpaths",
    "core.precomposeunicode",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "index.sparse",
    "user.name",
    "user.email",
];
/// The last parts of the keys of filters that are copied.
const OF_FILTERS: [&str; 4] = ["clean", "smudge", "process", "required"];
/// The last parts of the keys of remotes that are copied.
const OF_REMOTES: [&str; 4] = ["url", "fetch", "promisor", "partialclonefilter"];
/// The fixed settings of a run's repository: no hook of the user's runs there, nothing is signed,
/// and no borrowed object is removed.
const FIXED: [(&str, &str); 9] = [
    ("core.bare", "false"),
    ("core.logallrefupdates", "true"),
    ("core.hookspath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("commit.gpgsign", "false"),
    ("tag.gpgsign", "false"),
    ("gc.auto", "0"),
    ("gc.pruneexpire", "never"),
    // Else each commit of the agent starts a process that finds nothing to do.
    ("maintenance.auto", "false"),
];
/// The name of the remote that is the project.
const PROJECT: &str = "project";
/// The start of the name of a git folder that was set aside, behind the name of the run's folder.
const SET_ASIDE: &str = ".git-";
/// Lock files that a killed git leaves behind, besides the lock of its branch.
const LOCKS: [&str; 4] = ["index.lock", "HEAD.lock", "packed-refs.lock", "config.lock"];
/// The greatest number of git folders that are set aside.
const MAX_SET_ASIDE: usize = 1000;
/// The end of the name of a file that exists while a folder is being created.
const UNFINISHED: &str = ".unfinished";
/// The new name of a repository inside the folder, before the folder is given to the user.
pub(super) const NESTED: &str = ".git-of-run";
/// The new name of `HEAD` in a bare repository inside the folder: without `HEAD` git sees no
/// repository.
const BARE_HEAD: &str = "HEAD-of-run";

impl RunRepository<'_> {
    /// Creates the folder with the files of its branch's newest commit. `progress` gets git's
    /// progress.
    ///
    /// # Errors
    /// `PathTaken` when something is there, `NoBranch`, or a failure of git; an unfinished folder
    /// is left for [`RunRepository::remove`].
    pub fn make(&self, progress: &mut dyn FnMut(&str)) -> Result<(), GitError> {
        let tip = self.known_tip()?;
        if self.top.symlink_metadata().is_ok() {
            let path = self.top.clone();
            return Err(GitError::PathTaken { path });
        }
        // Files that were not checked out yet must never look like files that an agent removed.
        replace(&self.unfinished(), "")?;
        make_folder(&self.top)?;
        self.make_repository(&tip)?;
        self.check_out(&tip, progress)?;
        self.make_submodules(&tip, progress)?;
        remove_tree(&self.unfinished())
    }

    /// Has git write the files of a commit that differ from its index.
    pub(super) fn check_out(
        &self,
        commit: &str,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), GitError> {
        let words = [
            "read-tree", "-v", "-u", "--reset", "--end-of-options", commit,
        ];
        self.git(words, LONGEST_WALK)
            .hear(&mut |said| files_updated(said).map_or((), |step| progress(&step)))
    }

    /// Returns true if the folder was not created completely: no agent has worked in it.
    pub fn is_unfinished(&self) -> bool {
        self.unfinished().symlink_metadata().is_ok()
    }

    /// Returns the path of the file that exists while the folder is being created.
    pub(super) fn unfinished(&self) -> PathBuf {
        let mut name = self.top.file_name().unwrap_or_default().to_owned();
        name.push(UNFINISHED);
        self.top.with_file_name(name)
    }

    /// Returns true if the folder exists, with or without a repository.
    pub fn is_there(&self) -> bool {
        self.top
            .symlink_metadata()
            .is_ok_and(|found| found.is_dir())
    }

    /// Rebuilds the folder's repository from the fetched commits, so that the user's git runs
    /// nothing there that the agent prepared. The old git folder is kept beside the folder,
    /// repositories inside are renamed so that git does not find them, and bare ones lose their
    /// `HEAD`. The files stay as they are.
    ///
    /// # Errors
    /// `NoBranch`, `File`, or a failure of git.
    pub fn make_repository_again(&self) -> Result<(), GitError> {
        if self.is_unfinished() {
            return Ok(());
        }
        let tip = self.known_tip()?;
        self.remove_spent_submodules(&tip)
            .log_failure("remove repositories of submodules that hold nothing of their own");
        self.set_repository_aside()?;
        set_nested_aside(&self.top)?;
        self.make_repository(&tip)?;
        let words = ["read-tree", "--reset", "--end-of-options", &tip];
        self.git(words, LONGEST_WALK).output()?;
        self.make_submodules_again(&tip)?;
        if self.is_sparse()? {
            self.git(["sparse-checkout", "reapply"], LONGEST_WALK)
                .output()?;
        }
        // Files that changed are no failure; callers ask for them. What is too large to be read now is compared
        // when somebody asks for it.
        let refreshed = self.git(["update-index", "-q", "--refresh"], QUICK_WALK);
        if refreshed.answer().is_err() {
            let lock = self.top.join(".git/index.lock");
            fs::remove_file(lock).log_failure("remove the lock of a git that was ended");
        }
        Ok(())
    }

    /// Returns true if only some of the project's files are checked out.
    fn is_sparse(&self) -> Result<bool, GitError> {
        let settings = self.repo.effective_settings()?;
        let named = settings
            .iter()
            .rfind(|one| one.key == "core.sparsecheckout");
        Ok(named.is_some_and(|one| one.value.eq_ignore_ascii_case("true")))
    }

    /// Removes the folder and the git folders that were set aside. The caller knows that it is the
    /// run's.
    ///
    /// # Errors
    /// `File`.
    pub fn remove(&self) -> Result<(), GitError> {
        // A partly removed folder must not look as if an agent removed its files.
        replace(&self.unfinished(), "")?;
        remove_tree(&self.top)?;
        for path in self.set_aside() {
            remove_tree(&path)?;
        }
        remove_tree(&self.unfinished())
    }

    /// Prepares the folder of an earlier run for the next: its branch moves to the project's commit
    /// if that is ahead. A broken or locked repository is rebuilt, files are written again if none
    /// is left, and an unfinished folder is created from the start.
    ///
    /// # Errors
    /// A failure of git: the two branches have diverged, or changed files block it.
    pub fn catch_up(&self, progress: &mut dyn FnMut(&str)) -> Result<(), GitError> {
        if self.is_unfinished() {
            self.remove()?;
            return self.make(progress);
        }
        if !self.is_sound() {
            self.make_repository_again()?;
        }
        if self.is_empty() {
            self.git(["reset", "--hard", "--quiet"], LONGEST_WALK)
                .output()?;
            return self.make_submodules(&self.known_tip()?, progress);
        }
        let tip = self.known_tip()?;
        self.borrow()?;
        // The user may have changed filters since.
        replace(&self.top.join(".git/config"), &self.config(&tip)?)?;
        let words = ["merge-base", "--is-ancestor", &tip, &self.full_name()?];
        if self.git(words, LONGEST_WALK).answer()?.ended_with(0) {
            return Ok(());
        }
        let words = ["merge", "--ff-only", "--quiet", "--no-verify", &tip];
        self.git(words, LONGEST_WALK).output().map(drop)
    }

    /// Puts the settings back with which the folder was made, where no process of its agent is left: from then on no git of
    /// ours runs there what it prepared.
    ///
    /// # Errors
    /// A failure of git.
    pub fn restore_settings(&self) -> Result<(), GitError> {
        let git = self.top.join(".git");
        if !is_folder(&git) {
            return Ok(());
        }
        let own = self.config(&self.known_tip()?)?;
        for name in ["commondir", "config.worktree", "config"] {
            remove_tree(&git.join(name))?;
        }
        write(&git.join("config"), &own)
    }

    /// Writes the git folder by hand, because each start of git costs more than all of it.
    pub(super) fn make_repository(&self, tip: &str) -> Result<(), GitError> {
        let git = self.top.join(".git");
        for folder in [
            "logs", "objects/info", "objects/pack", "refs/heads", "refs/tags", "info",
        ] {
            make_folders(&git.join(folder))?;
        }
        let name = self.full_name()?;
        let branch = git.join(&name);
        make_folders(branch.parent().unwrap_or(&git))?;
        write(&branch, &format!("{tip}\n"))?;
        write(&git.join("HEAD"), &format!("ref: {name}\n"))?;
        write(&git.join("config"), &self.config(tip)?)?;
        write(&git.join("packed-refs"), &self.refs()?)?;
        self.borrow()?;
        self.copy_filter_keys()?;
        let common = self.repo.common_dir();
        copy_if_there(&common.join("shallow"), &git.join("shallow"))?;
        let patterns = self.repo.git_folder()?.join("info/sparse-checkout");
        copy_if_there(&patterns, &git.join("info/sparse-checkout"))
    }

    /// Links the project's objects, at their present place.
    fn borrow(&self) -> Result<(), GitError> {
        let objects = trimmed(&self.repo.common_dir().join("objects"));
        let place = self.top.join(".git/objects/info/alternates");
        let line = objects.display().to_string();
        if line.contains('\n') {
            return Err(GitError::File {
                doing: "name a path with a line break in",
                path: place,
                why: line,
            });
        }
        replace(&place, &format!("{line}\n"))
    }

    /// Returns the configuration of the run's repository.
    fn config(&self, tip: &str) -> Result<String, GitError> {
        let mut text = String::new();
        let is_sha256 = tip.len() > 40;
        put(
            &mut text,
            "core.repositoryformatversion",
            if is_sha256 { "1" } else { "0" },
        );
        if is_sha256 {
            put(&mut text, "extensions.objectformat", "sha256");
        }
        for setting in self.repo.effective_settings()? {
            if is_taken_over(&setting.key) {
                let value = if setting.key.starts_with("filter.") {
                    self.with_own_programs(&setting.value)
                } else {
                    without_credentials(&setting)
                };
                put(&mut text, &setting.key, &value);
            }
        }
        let project = self.repo.common_dir().display().to_string();
        put(&mut text, &format!("remote.{PROJECT}.url"), &project);
        let fetched = format!("+refs/heads/*:refs/remotes/{PROJECT}/*");
        put(&mut text, &format!("remote.{PROJECT}.fetch"), &fetched);
        for (key, value) in FIXED {
            put(&mut text, key, value);
        }
        Ok(text)
    }

    /// Returns the project's refs at this moment, as a linked worktree would see them.
    fn refs(&self) -> Result<String, GitError> {
        let mut text = "# pack-refs with: \n".to_owned();
        let own = self.full_name()?;
        for (name, commit) in self.repo.shared_refs()? {
            if name != own {
                text.push_str(&format!("{commit} {name}\n"));
            }
        }
        Ok(text)
    }

    /// Returns true if an agent left nothing but the repository.
    fn is_empty(&self) -> bool {
        let entries = self.top.read_dir().into_iter().flatten().flatten();
        let mut files = entries.filter(|entry| entry.file_name() != ".git");
        files.next().is_none()
    }

    /// Returns true if there is a repository whose folders are no links and which no killed git
    /// left locked.
    fn is_sound(&self) -> bool {
        let git = self.top.join(".git");
        let is_own = |path: &Path| {
            let found = path.symlink_metadata();
            found.is_ok_and(|found| found.is_dir())
        };
        let [objects, info] = ["objects", "objects/info"].map(|path| git.join(path));
        // The path has no slash at its end: with one, a link counts as its target.
        if ![&git, &objects, &info].into_iter().all(|path| is_own(path)) {
            return false;
        }
        let is_plain = |path: &str| {
            let found = git.join(path).symlink_metadata();
            found.is_ok_and(|found| found.is_file() && found.len() > 0)
        };
        if !["HEAD", "config", "index", "objects/info/alternates"]
            .into_iter()
            .all(is_plain)
        {
            return false;
        }
        let of_branch = format!("refs/heads/{}.lock", self.branch);
        let mut locks = LOCKS.into_iter().chain([&*of_branch]);
        !locks.any(|path| git.join(path).symlink_metadata().is_ok())
    }

    /// Returns the git folders that were set aside.
    pub(super) fn set_aside(&self) -> impl Iterator<Item = PathBuf> {
        let numbered = (1..MAX_SET_ASIDE).map(|number| self.aside(number));
        numbered.take_while(|path| path.symlink_metadata().is_ok())
    }

    fn aside(&self, number: usize) -> PathBuf {
        let mut name = self.top.file_name().unwrap_or_default().to_owned();
        name.push(format!("{SET_ASIDE}{number}"));
        self.top.with_file_name(name)
    }

    fn set_repository_aside(&self) -> Result<(), GitError> {
        let git = self.top.join(".git");
        if git.symlink_metadata().is_err() {
            return Ok(());
        }
        let free = (1..MAX_SET_ASIDE).map(|number| self.aside(number));
        let mut free = free.filter(|path| path.symlink_metadata().is_err());
        let place = free.next().unwrap_or_else(|| self.aside(MAX_SET_ASIDE));
        fs::rename(&git, &place).map_err(|error| failed("set aside", &git, &error))
    }
}

/// Returns git's progress in writing files, from its messages.
fn files_updated(said: &str) -> Option<String> {
    let numbers = said.rsplit("Updating files:").next()?;
    let numbers = numbers.split_once('(')?.1.split_once(')')?.0;
    let (done, all) = numbers.split_once('/')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(done) && is_number(all)).then(|| format!("Checking out files: {done} of {all}"))
}

fn is_taken_over(key: &str) -> bool {
    let mut parts = key.split('.');
    let (section, last) = (parts.next(), key.rsplit('.').next().unwrap_or_default());
    TAKEN_OVER.contains(&key)
        || section == Some("filter") && OF_FILTERS.contains(&last)
        || section == Some("remote") && OF_REMOTES.contains(&last)
        || key == "extensions.partialclone"
}

/// Returns the value of a setting, without user name and password if it is an address.
fn without_credentials(setting: &GitSetting) -> String {
    let parts = (
        setting.key.split('.').next(),
        setting.key.rsplit('.').next(),
    );
    let is_address = parts == (Some("remote"), Some("url"));
    let split = setting.value.split_once("://").filter(|_| is_address);
    let Some((scheme, rest)) = split.filter(|(scheme, _)| scheme.starts_with("http")) else {
        return setting.value.clone();
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}/{path}")
}

/// Adds a setting in git's format.
fn put(text: &mut String, key: &str, value: &str) {
    let Some((section, name)) = key.rsplit_once('.') else {
        return;
    };
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"");
    let header = match section.split_once('.') {
        Some((section, sub)) => format!("[{section} \"{}\"]", escaped(sub)),
        None => format!("[{section}]"),
    };
    let value = escaped(value).replace('\n', "\\n").replace('\t', "\\t");
    text.push_str(&format!("{header}\n\t{name} = \"{value}\"\n"));
}

/// Renames the repositories inside a folder, even if an agent closed folders on the way.
fn set_nested_aside(folder: &Path) -> Result<(), GitError> {
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        open_folder(&folder);
        if let Some(head) = bare_head(&folder) {
            rename_aside(&head, BARE_HEAD)?;
        }
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_name().eq_ignore_ascii_case(".git") {
                rename_aside(&path, NESTED)?;
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(path);
            }
        }
    }
    Ok(())
}

/// Returns the `HEAD` of a folder whose entries make git take it for a repository.
pub(super) fn bare_head(folder: &Path) -> Option<PathBuf> {
    let is_repository = ["objects", "refs"]
        .iter()
        .all(|name| folder.join(name).is_dir());
    let head = folder.join("HEAD");
    (is_repository && head.symlink_metadata().is_ok()).then_some(head)
}

/// Renames a part of a nested repository to a free name beside it.
fn rename_aside(path: &Path, name: &str) -> Result<(), GitError> {
    let mut place = path.with_file_name(name);
    while place.symlink_metadata().is_ok() {
        place = path.with_file_name(format!("{name}-{:08x}", fastrand::u32(..)));
    }
    fs::rename(path, place).map_err(|error| failed("set aside", path, &error))
}

/// Creates a folder that only its owner may read.
pub(super) fn make_folder(path: &Path) -> Result<(), GitError> {
    make_private(path, false)
}

pub(super) fn make_folders(path: &Path) -> Result<(), GitError> {
    make_private(path, true)
}

fn make_private(path: &Path, with_those_above: bool) -> Result<(), GitError> {
    let mut builder = DirBuilder::new();
    builder.recursive(with_those_above);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(path);
    made.map_err(|error| failed("make", path, &error))
}

/// Writes a new file; never writes to an existing file or through a link.
fn write(path: &Path, text: &str) -> Result<(), GitError> {
    let written = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| io::Write::write_all(&mut file, text.as_bytes()));
    written.map_err(|error| failed("write", path, &error))
}

/// Replaces a file that an agent may have written with a new one.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), GitError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(failed("replace", path, &error));
        }
        _ => {}
    }
    write(path, text)
}

fn copy_if_there(from: &Path, to: &Path) -> Result<(), GitError> {
    match fs::read(from) {
        Ok(bytes) => write(to, &String::from_utf8_lossy(&bytes)),
        Err(_) => Ok(()),
    }
}

/// Removes a folder with all its content; folders that an agent closed are opened first.
pub(super) fn remove_tree(path: &Path) -> Result<(), GitError> {
    let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
    // An agent's git folder may be a file or a link.
    let remove = || {
        if is_folder {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        }
    };
    if remove().is_ok() || path.symlink_metadata().is_err() {
        return Ok(());
    }
    let mut waiting = vec![path.to_owned()];
    while let Some(folder) = waiting.pop().filter(|_| is_folder) {
        open_folder(&folder);
        let entries = folder.read_dir().into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        waiting.extend(folders.map(|entry| entry.path()));
    }
    remove().map_err(|error| failed("remove", path, &error))
}

/// Gives the owner all rights to a folder, as far as possible.
#[cfg(unix)]
pub(super) fn open_folder(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    const ALL: u32 = 0o700;
    let mode = folder
        .symlink_metadata()
        .map(|found| found.permissions().mode());
    if let Ok(mode) = mode
        && mode & ALL != ALL
    {
        // If this fails, the next step reports the error.
        fs::set_permissions(folder, fs::Permissions::from_mode(mode | ALL))
            .log_failure("make a folder writable");
    }
}

#[cfg(not(unix))]
pub(super) fn open_folder(_: &Path) {}
