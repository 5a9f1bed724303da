//! Making the folder of a run, making its repository again from what came back, and removing it.

#![expect(
    clippy::disallowed_methods,
    reason = "what git keeps in a git folder is no document of the store"
)]

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

use super::super::index::failed;
use super::super::{GitError, trimmed};
use super::settings::Setting;
use super::{LONGEST_WALK, RunFolder};

/// What of git's effective configuration in the project counts in a run's repository, too: sections, and
/// single keys. All else of the user's own configuration counts there as it does anywhere.
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
/// The last parts of keys of filters that are taken over.
const OF_FILTERS: [&str; 4] = ["clean", "smudge", "process", "required"];
/// The last parts of keys of remotes that are taken over.
const OF_REMOTES: [&str; 4] = ["url", "fetch", "promisor", "partialclonefilter"];
/// What always holds in a run's repository: nothing of the user's is run there by a hook or asked for a
/// signature, and nothing that was borrowed is cleared away.
const FIXED: [(&str, &str); 8] = [
    ("core.bare", "false"),
    ("core.logallrefupdates", "true"),
    ("core.hookspath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("commit.gpgsign", "false"),
    ("tag.gpgsign", "false"),
    ("gc.auto", "0"),
    ("gc.pruneexpire", "never"),
];
/// The remote by which a run's repository names the project.
const PROJECT: &str = "project";
/// What the name of a git folder that was set aside begins with, after the name of the run's folder.
const SET_ASIDE: &str = ".git-";
/// What a git that is killed leaves behind of itself, besides the lock of its branch.
const LOCKS: [&str; 4] = ["index.lock", "HEAD.lock", "packed-refs.lock", "config.lock"];
/// So many of them are kept.
const MOST_SET_ASIDE: usize = 1000;
/// What the name of the file ends with that is there while a folder is made.
const UNFINISHED: &str = ".unfinished";
/// What a repository inside the folder is renamed to before the folder is a person's.
const NESTED: &str = ".git-of-run";
/// What the `HEAD` of a repository without the name `.git` is renamed to then: without it git sees none.
const BARE_HEAD: &str = "HEAD-of-run";

impl RunFolder<'_> {
    /// Makes the folder, with the files of its branch's newest commit. `progress` hears how far git is.
    ///
    /// # Errors
    /// `PathTaken` when something is there, `NoBranch`, or a failure of git; what was made is left for
    /// [`RunFolder::remove`].
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
        remove_tree(&self.unfinished())
    }

    /// Has git write the files of a commit, as far as they are not what its index knows.
    pub(super) fn check_out(
        &self,
        commit: &str,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), GitError> {
        let words = [
            "read-tree",
            "-v",
            "-u",
            "--reset",
            "--end-of-options",
            commit,
        ];
        self.git(words, LONGEST_WALK)
            .hear(&mut |said| files_updated(said).map_or((), |step| progress(&step)))
    }

    /// Whether the making of the folder was cut off: no agent has worked in it.
    pub fn is_unfinished(&self) -> bool {
        self.unfinished().symlink_metadata().is_ok()
    }

    /// The file that is there while the folder is made.
    pub(super) fn unfinished(&self) -> PathBuf {
        let mut name = self.top.file_name().unwrap_or_default().to_owned();
        name.push(UNFINISHED);
        self.top.with_file_name(name)
    }

    /// Whether there is a folder, with a repository of its own or without one.
    pub fn is_there(&self) -> bool {
        self.top
            .symlink_metadata()
            .is_ok_and(|found| found.is_dir())
    }

    /// Makes the folder's repository again from the commits that came back, so that a person's git runs nothing
    /// there that the agent planned: what its own git held is kept beside the folder, repositories inside of it
    /// under a name that git does not look for, bare ones without their `HEAD`. The files stay as they are.
    ///
    /// # Errors
    /// `NoBranch`, `File`, or a failure of git.
    pub fn make_repository_again(&self) -> Result<(), GitError> {
        if self.is_unfinished() {
            return Ok(());
        }
        let tip = self.known_tip()?;
        self.set_repository_aside()?;
        set_nested_aside(&self.top)?;
        self.make_repository(&tip)?;
        let words = ["read-tree", "--reset", "--end-of-options", &tip];
        self.git(words, LONGEST_WALK).output()?;
        if self.is_sparse()? {
            self.git(["sparse-checkout", "reapply"], LONGEST_WALK)
                .output()?;
        }
        // Files that changed are no failure; they are named by whoever asks.
        let refreshed = self.git(["update-index", "-q", "--refresh"], LONGEST_WALK);
        refreshed.answer().map(drop)
    }

    /// Whether only some of the project's files are checked out.
    fn is_sparse(&self) -> Result<bool, GitError> {
        let settings = self.repo.effective_settings()?;
        let named = settings
            .iter()
            .rfind(|one| one.key == "core.sparsecheckout");
        Ok(named.is_some_and(|one| one.value.eq_ignore_ascii_case("true")))
    }

    /// Removes the folder, and what was set aside of it. The caller knows that it is the run's.
    ///
    /// # Errors
    /// `File`.
    pub fn remove(&self) -> Result<(), GitError> {
        // One that is removed in part must not be taken for one whose files an agent removed.
        replace(&self.unfinished(), "")?;
        remove_tree(&self.top)?;
        for number in 1..MOST_SET_ASIDE {
            let path = self.aside(number);
            if path.symlink_metadata().is_err() {
                break;
            }
            remove_tree(&path)?;
        }
        remove_tree(&self.unfinished())
    }

    /// Makes the folder of an earlier run ready for the next: its branch goes on where the project's is ahead of
    /// it. A repository that was left broken or locked is made again, and files where none is left; a folder
    /// that was not finished is made from the beginning.
    ///
    /// # Errors
    /// A failure of git: the two went different ways, or files that were changed are in the way.
    pub fn catch_up(&self, progress: &mut dyn FnMut(&str)) -> Result<(), GitError> {
        if self.is_unfinished() {
            self.remove()?;
            return self.make(progress);
        }
        if !self.is_sound() {
            self.make_repository_again()?;
        }
        if self.is_empty() {
            return self
                .git(["reset", "--hard", "--quiet"], LONGEST_WALK)
                .output()
                .map(drop);
        }
        let tip = self.known_tip()?;
        self.borrow()?;
        let words = ["merge-base", "--is-ancestor", &tip, &self.full_name()?];
        if self.git(words, LONGEST_WALK).answer()?.ended_with(0) {
            return Ok(());
        }
        let words = ["merge", "--ff-only", "--quiet", "--no-verify", &tip];
        self.git(words, LONGEST_WALK).output().map(drop)
    }

    /// Writes the git folder: by hand, because each git that is started for it costs more than all of it.
    pub(super) fn make_repository(&self, tip: &str) -> Result<(), GitError> {
        let git = self.top.join(".git");
        for folder in [
            "logs",
            "objects/info",
            "objects/pack",
            "refs/heads",
            "refs/tags",
            "info",
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
        let common = self.repo.common_dir();
        copy_if_there(&common.join("shallow"), &git.join("shallow"))?;
        let patterns = self.repo.git_folder()?.join("info/sparse-checkout");
        copy_if_there(&patterns, &git.join("info/sparse-checkout"))
    }

    /// Borrows the project's objects, wherever they lie now.
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

    /// The configuration of the run's repository.
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
                put(&mut text, &setting.key, &without_credentials(&setting));
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

    /// The refs of the project as they are now, as a linked worktree would see them.
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

    /// Whether an agent left nothing but the repository.
    fn is_empty(&self) -> bool {
        let entries = self.top.read_dir().into_iter().flatten().flatten();
        let mut files = entries.filter(|entry| entry.file_name() != ".git");
        files.next().is_none()
    }

    /// Whether there is a repository whose folders are its own, and that no git which was killed holds.
    fn is_sound(&self) -> bool {
        let git = self.top.join(".git");
        let is_own = |path: &Path| {
            let found = path.symlink_metadata();
            found.is_ok_and(|found| found.is_dir())
        };
        let [objects, info] = ["objects", "objects/info"].map(|path| git.join(path));
        // Nothing is joined to the first: a slash at the end of a link is what the link leads to.
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
        let free = (1..MOST_SET_ASIDE).map(|number| self.aside(number));
        let mut free = free.filter(|path| path.symlink_metadata().is_err());
        let place = free.next().unwrap_or_else(|| self.aside(MOST_SET_ASIDE));
        fs::rename(&git, &place).map_err(|error| failed("set aside", &git, &error))
    }
}

/// How far git is with the files, from what it says meanwhile.
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

/// The value of a setting; of an address without who logs in there, and with what.
fn without_credentials(setting: &Setting) -> String {
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

/// Adds a setting as git writes it.
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

/// Renames the repositories that lie inside a folder, also where an agent closed the way to them.
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

/// The `HEAD` of a folder that git takes for a repository because of what is in it.
fn bare_head(folder: &Path) -> Option<PathBuf> {
    let is_repository = ["objects", "refs"]
        .iter()
        .all(|name| folder.join(name).is_dir());
    let head = folder.join("HEAD");
    (is_repository && head.symlink_metadata().is_ok()).then_some(head)
}

/// Gives a part of a nested repository a name beside it that nothing has.
fn rename_aside(path: &Path, name: &str) -> Result<(), GitError> {
    let mut place = path.with_file_name(name);
    while place.symlink_metadata().is_ok() {
        place = path.with_file_name(format!("{name}-{:08x}", fastrand::u32(..)));
    }
    fs::rename(path, place).map_err(|error| failed("set aside", path, &error))
}

/// Makes a folder that only its owner may look into.
pub(super) fn make_folder(path: &Path) -> Result<(), GitError> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(path)
        .map_err(|error| failed("make", path, &error))
}

fn make_folders(path: &Path) -> Result<(), GitError> {
    DirBuilder::new()
        .recursive(true)
        .create(path)
        .map_err(|error| failed("make", path, &error))
}

/// Writes a new file; what is there, or a link that leads away, is not written to.
fn write(path: &Path, text: &str) -> Result<(), GitError> {
    let written = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| io::Write::write_all(&mut file, text.as_bytes()));
    written.map_err(|error| failed("write", path, &error))
}

/// Puts a new file into the place of one that an agent may have written.
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

/// Removes a folder with all that is in it; folders that an agent closed are opened before.
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

/// Lets its owner do everything in a folder, as far as that can be.
#[cfg(unix)]
fn open_folder(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    const ALL: u32 = 0o700;
    let mode = folder
        .symlink_metadata()
        .map(|found| found.permissions().mode());
    if let Ok(mode) = mode
        && mode & ALL != ALL
    {
        // Who cannot open it hears that from what comes next.
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(mode | ALL));
    }
}

#[cfg(not(unix))]
fn open_folder(_: &Path) {}
