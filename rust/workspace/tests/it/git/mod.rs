//! The git layer against real repositories, made in a sealed environment by the git program itself.

#![expect(
    clippy::disallowed_methods,
    reason = "tests make repositories, and start git to do so"
)]
#![expect(
    clippy::unwrap_used,
    reason = "the lint spares tests but not what they share"
)]

mod backups;
mod bookkeeping;
mod branches;
mod bundles;
mod export;
mod files;
#[cfg(unix)]
mod hostile;
mod landing;
mod landing_blocked;
mod landing_crashes;
mod landing_places;
mod merging;
mod names;
mod opening;
mod process;
mod pushed_commits;
mod rewriting;
#[cfg(unix)]
mod run_folder_pool;
mod run_folders;
#[cfg(target_os = "linux")]
mod run_folders_hostile;
mod staging;
mod tagged;
mod worktrees;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use chant_git::tags::Commit;
use chant_git::{CheckoutHead, GitError, HistoryStart, Repo};
use tempfile::TempDir;

/// How `git init` is asked for each kind of repository; git2 reads the first only.
const KINDS: [&str; 3] = ["", "--ref-format=reftable", "--object-format=sha256"];

/// A folder of repositories whose git knows nothing of the machine it runs on.
struct Sandbox {
    folder: TempDir,
    clock: Cell<i64>,
}

impl Sandbox {
    fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
            clock: Cell::new(1_700_000_000),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn output(&self, folder: &Path, words: &str, more: &[&str]) -> Output {
        let date = format!("{} +0000", self.clock.get());
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_") {
                command.env_remove(name);
            }
        }
        command.args([
            "-c",
            "init.defaultBranch=main",
            "-c",
            "protocol.file.allow=always",
        ]);
        command
            .arg("-C")
            .arg(folder)
            .args(words.split_whitespace())
            .args(more);
        command
            .env("HOME", self.folder.path())
            .env_remove("XDG_CONFIG_HOME")
            .env("LC_ALL", "C");
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null");
        command
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_EDITOR", "true");
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "Ada")
                .env(format!("GIT_{role}_EMAIL"), "ada@example.org");
            command.env(format!("GIT_{role}_DATE"), &date);
        }
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// Runs git with arguments that have no spaces.
    #[track_caller]
    fn git(&self, folder: &Path, words: &str) -> String {
        self.git_with(folder, words, &[])
    }

    /// Runs git with more arguments than those that have no spaces.
    #[track_caller]
    fn git_with(&self, folder: &Path, words: &str, more: &[&str]) -> String {
        let output = self.output(folder, words, more);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {words} {more:?}: {complaint}");
        String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned()
    }

    fn fails(&self, folder: &Path, words: &str) -> bool {
        !self.output(folder, words, &[]).status.success()
    }

    /// Makes a repository without a commit.
    fn init(&self, name: &str, kind: &str) -> PathBuf {
        let folder = self.path(name);
        self.git(&self.path(""), &format!("init -q -b main {kind} {name}"));
        self.settle(&folder);
        folder
    }

    /// Gives a repository what the code under test would else take from the machine's configuration.
    fn settle(&self, folder: &Path) {
        for (key, value) in [
            ("user.name", "Grace"),
            ("user.email", "grace@example.org"),
            ("core.excludesFile", "/dev/null"),
            ("core.autocrlf", "false"),
            ("core.hooksPath", "hooks-of-the-test"),
        ] {
            self.git_with(folder, "config", &[key, value]);
        }
    }

    /// Makes a repository of a kind with one commit that holds `a.txt`.
    fn repo(&self, kind: &str) -> PathBuf {
        let folder = self.init("project", kind);
        write(&folder, "a.txt", "a\n");
        self.commit(&folder, "First");
        folder
    }

    /// Commits all changes a minute after the commit before, and gives the commit's id.
    fn commit(&self, folder: &Path, message: &str) -> String {
        self.clock.set(self.clock.get() + 60);
        self.git(folder, "add -A");
        self.git_with(
            folder,
            "commit -q --allow-empty --allow-empty-message -m",
            &[message],
        );
        self.git(folder, "rev-parse HEAD")
    }

    /// Checks a branch out beside a checkout, one that is made if there is none.
    #[track_caller]
    fn worktree(&self, folder: &Path, path: &Path, branch: &str) {
        let path = path.to_str().unwrap();
        if self.fails(
            folder,
            &format!("rev-parse --verify -q refs/heads/{branch}"),
        ) {
            self.git(folder, &format!("branch {branch}"));
        }
        self.git_with(folder, "worktree add -q", &[path, branch]);
    }

    fn id(&self, folder: &Path, revision: &str) -> String {
        self.git_with(folder, "rev-parse --verify", &[revision])
    }

    /// All that a checkout shows: its status, its index, its branch, and every file's bytes.
    fn state(&self, folder: &Path) -> (String, String, String, BTreeMap<PathBuf, Vec<u8>>) {
        let mut files = BTreeMap::new();
        let mut open = vec![folder.to_owned()];
        while let Some(folder) = open.pop() {
            for entry in folder.read_dir().unwrap() {
                let path = entry.unwrap().path();
                if path.file_name() == Some(OsStr::new(".git")) {
                    continue;
                }
                if let Ok(says) = path.read_link() {
                    files.insert(path, says.into_os_string().into_encoded_bytes());
                } else if path.is_dir() {
                    open.push(path);
                } else {
                    files.insert(path.clone(), fs::read(&path).unwrap());
                }
            }
        }
        let status = self.git(folder, "status --porcelain --ignored --untracked-files=all");
        (
            status,
            self.index(folder),
            self.git(folder, "rev-parse HEAD --symbolic-full-name HEAD"),
            files,
        )
    }

    /// Every entry of the index with its flags, without its stamps.
    fn index(&self, folder: &Path) -> String {
        let text = self.git(folder, "ls-files --stage --debug -v");
        let wanted = |line: &&str| !line.starts_with("  ") || line.contains("flags:");
        let of_line = |line: &str| match line.split_once("flags: ") {
            Some((_, flags)) => format!("  {flags}\n"),
            None => format!("{line}\n"),
        };
        text.lines().filter(wanted).map(of_line).collect()
    }

    /// What git itself finds for a tag: id, short id and subject, oldest first.
    fn logged(&self, folder: &Path, tip: &str, tag: &str) -> Vec<[String; 3]> {
        let grep = format!("--grep=chant({tag})");
        let words = "log --date-order --reverse -F --format=%H%x09%h%x09%s";
        let of_line = |line: &str| {
            let mut parts = line.split('\t').map(str::to_owned);
            [(); 3].map(|()| parts.next().unwrap_or_default())
        };
        self.git_with(folder, words, &[&grep, tip, "--"])
            .lines()
            .map(of_line)
            .collect()
    }
}

fn write(folder: &Path, file: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[track_caller]
fn open(folder: &Path) -> Repo {
    Repo::open(folder).unwrap().unwrap()
}

fn ids(commits: &[Commit]) -> Vec<&str> {
    commits.iter().map(|commit| commit.id.as_str()).collect()
}

fn subjects(commits: &[Commit]) -> Vec<&str> {
    commits
        .iter()
        .map(|commit| commit.subject.as_str())
        .collect()
}

#[track_caller]
fn check_tagged(sandbox: &Sandbox, repo: &Repo, folder: &Path, tip: HistoryStart<'_>, tag: &str) {
    let revision = if let HistoryStart::Branch(branch) = tip {
        branch
    } else {
        "HEAD"
    };
    let found = repo.tagged(tip, tag).unwrap();
    let found: Vec<[String; 3]> = found
        .into_iter()
        .map(|c| [c.id, c.short, c.subject])
        .collect();
    assert_eq!(
        found,
        sandbox.logged(folder, revision, tag),
        "chant({tag}) from {revision}"
    );
}

fn rename(folder: &Path, from: &str, to: &str) {
    fs::create_dir_all(folder.join(to).parent().unwrap()).unwrap();
    fs::rename(folder.join(from), folder.join(to)).unwrap();
}

/// What `git worktree list` says, in the words of `Worktree`.
fn listed(repo: &Repo) -> Vec<String> {
    let of_tree = |tree: chant_git::worktree::Worktree| {
        let name = tree
            .path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let marks = [
            (tree.is_main, "main"),
            (tree.locked, "locked"),
            (tree.prunable, "prunable"),
        ];
        let marks: Vec<&str> = marks
            .into_iter()
            .filter_map(|(is_so, mark)| is_so.then_some(mark))
            .collect();
        let head = if tree.head.is_some() {
            "commit"
        } else {
            "unborn"
        };
        format!(
            "{name} {} {head} [{}]",
            tree.branch.as_deref().unwrap_or("-"),
            marks.join(" ")
        )
    };
    repo.worktrees().unwrap().into_iter().map(of_tree).collect()
}
