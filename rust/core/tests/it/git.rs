//! The git layer against real repositories, made in a sealed environment by the git program itself.

#![expect(
    clippy::disallowed_methods,
    reason = "tests make repositories, and start git to do so"
)]
#![expect(
    clippy::unwrap_used,
    reason = "the lint spares tests but not what they share"
)]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use chant_core::git::tags::Commit;
use chant_core::git::{GitError, Head, Repo, Tip};
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
                if path.is_dir() {
                    open.push(path);
                } else {
                    files.insert(path.clone(), fs::read(&path).unwrap());
                }
            }
        }
        let status = self.git(folder, "status --porcelain --ignored");
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
fn check_tagged(sandbox: &Sandbox, repo: &Repo, folder: &Path, tip: Tip<'_>, tag: &str) {
    let revision = if let Tip::Branch(branch) = tip {
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

// Opening

#[test]
fn a_folder_outside_any_repository_opens_as_none() {
    let sandbox = Sandbox::new();
    assert!(Repo::open(&sandbox.path("")).unwrap().is_none());
    assert!(
        Repo::open(&sandbox.path("missing/folder"))
            .unwrap()
            .is_none()
    );
    fs::create_dir(sandbox.path(".git")).unwrap();
    assert!(
        Repo::open(&sandbox.path("")).unwrap().is_none(),
        "an empty .git is no repository"
    );
}

#[test]
fn sub_folders_and_linked_worktrees_lead_to_one_repository() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        write(&folder, "deep/er/b.txt", "b\n");
        let linked = sandbox.path("linked");
        sandbox.git(&folder, "worktree add -q ../linked");
        for (place, top) in [
            (folder.clone(), &folder),
            (folder.join("deep/er"), &folder),
            (linked.clone(), &linked),
        ] {
            let repo = open(&place);
            assert_eq!(repo.common_dir(), folder.join(".git"), "{kind}");
            assert_eq!(repo.checkout(), Some(top.as_path()), "{kind}");
        }
    }
}

#[test]
fn a_bare_repository_has_no_checkout() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let bare = sandbox.path("bare.git");
        sandbox.git(&folder, "clone -q --bare . ../bare.git");
        let repo = open(&bare);
        assert_eq!(
            (repo.common_dir(), repo.checkout()),
            (bare.as_path(), None),
            "{kind}"
        );
        assert_eq!(repo.head().unwrap().branch(), Some("main"));
        assert_eq!(repo.file_at("main", "a.txt").unwrap().unwrap(), b"a\n");
        assert_eq!(repo.worktrees().unwrap(), []);
        assert_eq!(
            repo.is_tracked(Path::new("a.txt")),
            Err(GitError::Bare { path: bare.clone() })
        );
        assert_eq!(
            repo.uncommitted(&bare),
            Err(GitError::Bare { path: bare.clone() })
        );
        assert_eq!(repo.tagged(Tip::Head, "x").unwrap(), []);
    }
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    let inner = sandbox.init("inner", KINDS[0]);
    let tip = sandbox.commit(&inner, "chant(inner): work");
    sandbox.git_with(
        &folder,
        "submodule --quiet add",
        &[inner.to_str().unwrap(), "sub"],
    );
    let repo = open(&folder.join("sub"));
    assert_eq!(repo.checkout(), Some(folder.join("sub").as_path()));
    assert_eq!(repo.common_dir(), folder.join(".git/modules/sub"));
    assert_eq!(
        ids(&repo.tagged(Tip::Head, "inner").unwrap()),
        [tip.as_str()]
    );
    assert_eq!(repo.worktrees().unwrap()[0].path, folder.join("sub"));
    assert_eq!(open(&folder).tagged(Tip::Head, "inner").unwrap(), []);
}

#[cfg(unix)]
#[test]
fn a_repository_of_another_user_is_refused_by_naming_the_setting() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    let mut owned = vec![folder.clone(), folder.join(".git")];
    if owned
        .drain(..)
        .any(|path| std::os::unix::fs::chown(path, Some(12345), None).is_err())
    {
        return; // Only root can give a folder away.
    }
    // Unless the machine trusts every folder, which is not ours to change.
    fs::create_dir(folder.join("sub")).unwrap();
    match Repo::open(&folder.join("sub")) {
        Ok(repo) => assert!(repo.unwrap().head().is_ok()),
        Err(refused) => {
            assert_eq!(refused, GitError::Owner { path: folder });
            assert!(refused.to_string().contains("safe.directory"));
        }
    }
}

#[test]
fn a_repository_deleted_under_us_is_an_error_and_not_the_one_around_it() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let around = sandbox.repo(KINDS[0]);
        let folder = sandbox.init("project/inner", kind);
        sandbox.commit(&folder, "chant(x): inner");
        let repo = open(&folder);
        assert_eq!(repo.tagged(Tip::Head, "x").unwrap().len(), 1);
        fs::remove_dir_all(folder.join(".git")).unwrap();
        let before = sandbox.git(&around, "for-each-ref");
        let gone = GitError::Gone {
            path: folder.clone(),
        };
        assert_eq!(repo.head(), Err(gone.clone()), "{kind}");
        assert_eq!(repo.tagged(Tip::Head, "x"), Err(gone.clone()));
        assert_eq!(repo.branch_tip("main"), Err(gone.clone()));
        assert_eq!(repo.back_up("main", "x"), Err(gone.clone()));
        assert_eq!(repo.uncommitted(&folder), Err(gone.clone()));
        assert_eq!(repo.worktrees(), Err(gone.clone()));
        assert_eq!(
            repo.add_worktree(&sandbox.path("w"), "b", "main"),
            Err(gone.clone())
        );
        assert_eq!(sandbox.git(&around, "for-each-ref"), before);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(repo.head(), Err(gone.clone()), "{kind}");
        assert_eq!(repo.tagged(Tip::Branch("main"), "x"), Err(gone));
    }
}

// HEAD, branches, revisions

#[test]
fn head_is_a_branch_an_unborn_branch_or_a_commit() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.init("project", kind);
        let repo = open(&folder);
        let name = "main".to_owned();
        assert_eq!(
            repo.head().unwrap(),
            Head::Unborn { name: name.clone() },
            "{kind}"
        );
        let commit = sandbox.commit(&folder, "First");
        assert_eq!(
            repo.head().unwrap(),
            Head::Branch {
                name,
                commit: commit.clone()
            }
        );
        sandbox.git(&folder, "switch -q -c feature/deep/one.two");
        assert_eq!(repo.head().unwrap().branch(), Some("feature/deep/one.two"));
        sandbox.git(&folder, "switch -q --detach");
        assert_eq!(repo.head().unwrap(), Head::Detached { commit });
        assert_eq!(repo.head().unwrap().branch(), None);
    }
}

#[test]
fn a_branch_tip_is_seen_wherever_git_keeps_it() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let repo = open(&folder);
        assert_eq!(repo.branch_tip("chant/2026-01-22-001-x7m.1").unwrap(), None);
        sandbox.git(&folder, "branch chant/2026-01-22-001-x7m.1");
        let first = Some(sandbox.id(&folder, "main"));
        assert_eq!(
            repo.branch_tip("chant/2026-01-22-001-x7m.1").unwrap(),
            first,
            "{kind}"
        );
        assert_eq!(
            repo.branch_tip("chant").unwrap(),
            None,
            "a folder of branches is no branch"
        );
        sandbox.git(&folder, "pack-refs --all");
        assert_eq!(
            repo.branch_tip("chant/2026-01-22-001-x7m.1").unwrap(),
            first
        );
        let second = Some(sandbox.commit(&folder, "Second"));
        assert_eq!(repo.branch_tip("main").unwrap(), second);
        // A tag of the same name is another thing.
        sandbox.git(&folder, "tag other main~1");
        assert_eq!(repo.branch_tip("other").unwrap(), None);
    }
}

#[test]
fn names_that_git_would_not_take_are_refused_before_git_sees_them() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let repo = open(&folder);
        let tree = sandbox.path("tree");
        for name in [
            "", "-d", "--all", "a b", "a..b", "a.lock", "/a", "a/", "HEAD", "@", "a~1", "x\ny",
        ] {
            let is_invalid = |refused: GitError| {
                assert!(
                    matches!(refused, GitError::InvalidName { .. }),
                    "{name:?}: {refused}"
                );
                assert!(refused.to_string().contains(&format!("`{name}`")));
            };
            is_invalid(repo.branch_tip(name).unwrap_err());
            is_invalid(repo.tagged(Tip::Branch(name), "x").unwrap_err());
            is_invalid(repo.is_merged(name, "main").unwrap_err());
            is_invalid(repo.back_up(name, "x").unwrap_err());
            is_invalid(repo.delete_backed_up_branch(name).unwrap_err());
            is_invalid(repo.add_worktree(&tree, name, "main").unwrap_err());
            if !["HEAD", "@"].contains(&name) {
                is_invalid(repo.back_up("main", name).unwrap_err());
            }
        }
        for revision in ["", "--all", "-1"] {
            assert!(matches!(
                repo.file_at(revision, "a.txt"),
                Err(GitError::InvalidName { .. })
            ));
        }
        assert!(!tree.exists());
        assert_eq!(
            sandbox.git(&folder, "for-each-ref --format=%(refname)"),
            "refs/heads/main"
        );
    }
}

#[test]
fn a_branch_is_merged_when_the_other_reaches_its_tip() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let repo = open(&folder);
        sandbox.git(&folder, "switch -q -c side");
        assert_eq!(repo.is_merged("side", "main"), Ok(true), "{kind}");
        sandbox.commit(&folder, "Side");
        assert_eq!(repo.is_merged("side", "main"), Ok(false));
        assert_eq!(repo.is_merged("main", "side"), Ok(true));
        sandbox.git(&folder, "switch -q main");
        sandbox.commit(&folder, "Main");
        assert_eq!(repo.is_merged("side", "main"), Ok(false));
        sandbox.git(&folder, "merge -q --no-edit side");
        assert_eq!(repo.is_merged("side", "main"), Ok(true));
        assert_eq!(
            repo.is_merged("none", "main"),
            Err(GitError::NoBranch {
                branch: "none".into()
            })
        );
        assert_eq!(
            repo.is_merged("main", "none"),
            Err(GitError::NoBranch {
                branch: "none".into()
            })
        );
    }
}

#[test]
fn the_user_is_whom_the_configuration_names() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let repo = open(&folder);
        let user = |name: &str| Ok(Some((name.to_owned(), "grace@example.org".to_owned())));
        assert_eq!(repo.user(), user("Grace"), "{kind}");
        sandbox.git_with(&folder, "config user.name", &["Grace Ünal\nHopper"]);
        assert_eq!(repo.user(), user("Grace Ünal\nHopper"));
        sandbox.git_with(&folder, "config user.email", &[""]);
        assert_eq!(repo.user(), Ok(None));
    }
}

// Files

#[test]
fn a_file_is_read_as_a_commit_holds_it() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let bytes = b"\xff\x00 not text\r\n";
        write(&folder, ".chant/specs/a b [1].md", bytes);
        let first = sandbox.commit(&folder, "Second");
        write(&folder, ".chant/specs/a b [1].md", "newer\n");
        sandbox.commit(&folder, "Third");
        let repo = open(&folder);
        let at = |revision: &str, path: &str| repo.file_at(revision, path);
        assert_eq!(
            at("HEAD~1", ".chant/specs/a b [1].md").unwrap().unwrap(),
            bytes,
            "{kind}"
        );
        assert_eq!(
            at(&first, ".chant/specs/a b [1].md").unwrap().unwrap(),
            bytes
        );
        assert_eq!(
            at(&first[..12], ".chant/specs/a b [1].md")
                .unwrap()
                .unwrap(),
            bytes
        );
        assert_eq!(
            at("main", ".chant/specs/a b [1].md").unwrap().unwrap(),
            b"newer\n"
        );
        for nothing in [
            "missing",
            ".chant",
            ".chant/specs",
            "a.txt/b",
            ".chant/specs/*",
        ] {
            assert_eq!(at("main", nothing).unwrap(), None, "{nothing}");
        }
        for outside in ["/etc/passwd", "../a.txt", "", ".git/config"] {
            assert!(
                matches!(at("main", outside), Err(GitError::InvalidName { .. })),
                "{outside}"
            );
        }
        assert_eq!(
            at("none", "a.txt"),
            Err(GitError::NoCommit {
                revision: "none".into()
            })
        );
    }
}

#[test]
fn a_file_whose_folder_cannot_be_read_is_an_error_and_not_a_missing_file() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    write(&folder, "deep/b.txt", "b\n");
    sandbox.commit(&folder, "Second");
    let tree = sandbox.id(&folder, "HEAD:deep");
    let objects = folder.join(".git/objects");
    fs::remove_file(objects.join(&tree[..2]).join(&tree[2..])).unwrap();
    let refused = open(&folder).file_at("HEAD", "deep/b.txt").unwrap_err();
    assert!(matches!(refused, GitError::Program { .. }), "{refused}");
}

#[test]
fn uncommitted_paths_are_the_changed_staged_and_untracked_ones_but_not_the_ignored() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        write(&folder, ".gitignore", "*.log\n");
        write(&folder, "gone.txt", "x\n");
        write(&folder, "old name.txt", "some text to be moved\n");
        sandbox.commit(&folder, "Second");
        let repo = open(&folder);
        assert_eq!(repo.uncommitted(&folder).unwrap(), [""; 0], "{kind}");
        write(&folder, "a.txt", "changed\n");
        write(&folder, "new/deep/ünicode \".txt", "n\n");
        write(&folder, "staged.txt", "s\n");
        write(&folder, "build.log", "ignored\n");
        sandbox.git(&folder, "add staged.txt");
        sandbox.git_with(&folder, "mv", &["old name.txt", "new name.txt"]);
        fs::remove_file(folder.join("gone.txt")).unwrap();
        let before = sandbox.state(&folder);
        let changed = [
            "a.txt",
            "gone.txt",
            "new name.txt",
            "new/deep/ünicode \".txt",
            "old name.txt",
            "staged.txt",
        ];
        assert_eq!(repo.uncommitted(&folder).unwrap(), changed);
        assert_eq!(sandbox.state(&folder), before);
        let sub_folder = folder.join("new");
        assert_eq!(
            repo.uncommitted(&sub_folder),
            Err(GitError::Gone {
                path: sub_folder.clone()
            })
        );
    }
}

#[test]
fn tracked_files_are_those_of_the_index() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        write(&folder, "deep/tracked.txt", "t\n");
        write(&folder, "deep/announced.txt", "t\n");
        write(&folder, "deep/untracked.txt", "t\n");
        sandbox.git(&folder, "add deep/tracked.txt");
        sandbox.git(&folder, "add -N deep/announced.txt");
        let repo = open(&folder.join("deep"));
        let is_tracked = |path: &str| repo.is_tracked(Path::new(path)).unwrap();
        assert!(is_tracked("a.txt"), "{kind}");
        assert!(is_tracked("deep/tracked.txt") && is_tracked("deep/announced.txt"));
        assert!(repo.is_tracked(&folder.join("deep/tracked.txt")).unwrap());
        assert!(
            !is_tracked("deep/untracked.txt") && !is_tracked("deep") && !is_tracked("missing/file")
        );
        for outside in [
            sandbox.path("other.txt"),
            "../x".into(),
            folder.clone(),
            ".git/config".into(),
        ] {
            let refused = repo.is_tracked(&outside).unwrap_err();
            assert!(
                matches!(refused, GitError::Outside { .. }),
                "{}: {refused}",
                outside.display()
            );
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(sandbox.path(""), folder.join("out")).unwrap();
            std::os::unix::fs::symlink(folder.join("deep"), sandbox.path("in")).unwrap();
            let leaving = repo.is_tracked(Path::new("out/a.txt")).unwrap_err();
            assert!(matches!(leaving, GitError::Outside { .. }), "{leaving}");
            assert!(repo.is_tracked(&sandbox.path("in/tracked.txt")).unwrap());
        }
    }
}

// Staging a move

/// A checkout with every kind of entry an index can hold beside the one that moves.
fn busy_checkout(sandbox: &Sandbox, kind: &str) -> PathBuf {
    let folder = sandbox.repo(kind);
    for file in [
        "spec.md",
        "staged.txt",
        "both.txt",
        "hidden.txt",
        "assumed.txt",
        "clash.txt",
        "removed.txt",
    ] {
        write(&folder, file, format!("{file} one\n"));
    }
    sandbox.commit(&folder, "Base");
    sandbox.git(&folder, "switch -q -c side");
    write(&folder, "clash.txt", "theirs\n");
    sandbox.commit(&folder, "Theirs");
    sandbox.git(&folder, "switch -q main");
    write(&folder, "clash.txt", "ours\n");
    sandbox.commit(&folder, "Ours");
    assert!(sandbox.fails(&folder, "merge -q side"));
    write(&folder, "staged.txt", "staged two\n");
    write(&folder, "both.txt", "both two\n");
    write(&folder, "announced.txt", "announced\n");
    write(&folder, "untracked.txt", "untracked\n");
    sandbox.git(&folder, "add staged.txt both.txt");
    sandbox.git(&folder, "add -N announced.txt");
    sandbox.git(&folder, "rm -q --cached removed.txt");
    sandbox.git(&folder, "update-index --assume-unchanged assumed.txt");
    sandbox.git(&folder, "update-index --skip-worktree hidden.txt");
    write(&folder, "both.txt", "both three, not staged\n");
    write(&folder, "a.txt", "changed, not staged\n");
    folder
}

fn rename(folder: &Path, from: &str, to: &str) {
    fs::create_dir_all(folder.join(to).parent().unwrap()).unwrap();
    fs::rename(folder.join(from), folder.join(to)).unwrap();
}

#[test]
fn a_staged_move_changes_one_entry_and_no_other() {
    for kind in KINDS {
        for version in ["2", "4"] {
            let sandbox = Sandbox::new();
            let folder = busy_checkout(&sandbox, kind);
            sandbox.git_with(&folder, "update-index --index-version", &[version]);
            let repo = open(&folder);
            let moves = [
                ("spec.md", "archive/2026/spec.md"),
                ("hidden.txt", "z/hidden.txt"),
                ("assumed.txt", "z/assumed.txt"),
                ("announced.txt", "z/announced.txt"),
                ("clash.txt", "z/clash.txt"),
                ("both.txt", "z/both.txt"),
            ];
            let mut expected: Vec<String> = entries(&sandbox.index(&folder));
            for (from, to) in moves {
                let staged = repo.is_tracked(Path::new(from)).unwrap();
                rename(&folder, from, to);
                let before = sandbox.state(&folder).3;
                repo.stage_move(Path::new(from), &folder.join(to)).unwrap();
                expected = expected
                    .iter()
                    .map(|entry| entry.replace(&format!("\t{from}\n"), &format!("\t{to}\n")))
                    .collect();
                assert!(staged);
                assert_eq!(
                    sorted(&entries(&sandbox.index(&folder))),
                    sorted(&expected),
                    "{kind} {from}"
                );
                assert_eq!(sandbox.state(&folder).3, before, "no file on disk changes");
                // Again, as a replayed journal would.
                repo.stage_move(Path::new(from), Path::new(to)).unwrap();
                assert_eq!(sorted(&entries(&sandbox.index(&folder))), sorted(&expected));
            }
            assert!(!folder.join(".git/index.lock").exists());
        }
    }
}

/// The entries of an index as `Sandbox::index` prints it, flags after each.
fn entries(index: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in index.lines() {
        match found.last_mut() {
            Some(entry) if line.starts_with("  ") => *entry += line,
            _ => found.push(format!("{line}\n")),
        }
    }
    found
}

fn sorted(lines: &[String]) -> Vec<String> {
    let mut lines = lines.to_vec();
    lines.sort();
    lines
}

#[test]
fn a_staged_move_shows_as_a_rename_and_hides_no_change_made_meanwhile() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        write(&folder, "spec.md", "a specification\n");
        sandbox.commit(&folder, "Second");
        // Changed in the instant in which it was staged, to the same size: no stamp tells.
        sandbox.git(&folder, "config core.trustctime false");
        let set_time = |file: &str| {
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
            let file = fs::File::options()
                .write(true)
                .open(folder.join(file))
                .unwrap();
            file.set_modified(time).unwrap();
        };
        write(&folder, "a.txt", "b\n");
        set_time("a.txt");
        sandbox.git(&folder, "add a.txt");
        write(&folder, "a.txt", "c\n");
        set_time("a.txt");
        set_time(".git/index");
        rename(&folder, "spec.md", "archive/spec.md");
        open(&folder)
            .stage_move(Path::new("spec.md"), Path::new("archive/spec.md"))
            .unwrap();
        let status = sandbox.git(&folder, "status --porcelain");
        assert_eq!(status, "MM a.txt\nR  spec.md -> archive/spec.md", "{kind}");
        sandbox.git(&folder, "fsck --strict");
    }
}

#[test]
fn a_move_that_cannot_be_staged_leaves_the_index_as_it_was() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = busy_checkout(&sandbox, kind);
        let repo = open(&folder);
        let before = sandbox.state(&folder);
        let untracked = repo.stage_move(Path::new("untracked.txt"), Path::new("new.txt"));
        assert_eq!(
            untracked,
            Err(GitError::NotTracked {
                path: "untracked.txt".into()
            }),
            "{kind}"
        );
        let taken = repo.stage_move(Path::new("spec.md"), Path::new("staged.txt"));
        assert_eq!(
            taken,
            Err(GitError::AlreadyTracked {
                path: "staged.txt".into()
            })
        );
        let outside = repo.stage_move(Path::new("spec.md"), &sandbox.path("spec.md"));
        assert!(matches!(outside, Err(GitError::Outside { .. })));
        assert_eq!(sandbox.state(&folder), before);
    }
}

#[test]
fn a_held_index_lock_is_waited_for_and_then_named() {
    let wait_for_it = |kind: &str| {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        rename(&folder, "a.txt", "b.txt");
        let lock = folder.join(".git/index.lock");
        write(&folder, ".git/index.lock", "somebody's");
        let repo = open(&folder);
        let stage = || repo.stage_move(Path::new("a.txt"), Path::new("b.txt"));
        let held = GitError::IndexLocked { path: lock.clone() };
        assert_eq!(stage(), Err(held), "{kind}");
        assert_eq!(
            fs::read(&lock).unwrap(),
            b"somebody's",
            "the lock of another is never removed"
        );
        std::thread::scope(|scope| {
            let staged = scope.spawn(stage);
            fs::remove_file(&lock).unwrap();
            assert_eq!(staged.join().unwrap(), Ok(()));
        });
        assert_eq!(
            sandbox.git(&folder, "status --porcelain"),
            "R  a.txt -> b.txt"
        );
    };
    // Side by side, because each waits as long as a user's git may need.
    std::thread::scope(|scope| {
        scope.spawn(|| wait_for_it(KINDS[0]));
        scope.spawn(|| wait_for_it(KINDS[1]));
    });
}

#[test]
fn a_move_is_staged_in_the_checkout_that_the_repository_was_opened_in() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        sandbox.git(&folder, "worktree add -q ../linked");
        let linked = sandbox.path("linked");
        rename(&linked, "a.txt", "b.txt");
        let repo = open(&linked);
        let (from, to) = (linked.join("a.txt"), linked.join("b.txt"));
        let elsewhere = open(&folder).stage_move(&from, &to).unwrap_err();
        assert!(
            matches!(elsewhere, GitError::Outside { .. }),
            "{kind}: {elsewhere}"
        );
        repo.stage_move(&from, &to).unwrap();
        assert_eq!(
            sandbox.git(&linked, "status --porcelain"),
            "R  a.txt -> b.txt"
        );
        assert_eq!(sandbox.git(&folder, "status --porcelain"), "");
    }
}

#[cfg(unix)]
#[test]
fn a_staged_move_keeps_who_may_read_the_index() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    let index = folder.join(".git/index");
    fs::set_permissions(&index, fs::Permissions::from_mode(0o660)).unwrap();
    rename(&folder, "a.txt", "b.txt");
    let repo = open(&folder);
    repo.stage_move(Path::new("a.txt"), Path::new("b.txt"))
        .unwrap();
    assert_eq!(
        index.metadata().unwrap().permissions().mode() & 0o777,
        0o660
    );
}

#[test]
fn caches_in_the_index_survive_a_staged_move() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    write(&folder, "spec.md", "a specification\n");
    sandbox.commit(&folder, "Second");
    for (switch, cache) in [("--untracked-cache", "UNTR"), ("--split-index", "link")] {
        sandbox.git_with(&folder, "update-index", &[switch]);
        rename(&folder, "spec.md", "moved.md");
        open(&folder)
            .stage_move(Path::new("spec.md"), Path::new("moved.md"))
            .unwrap();
        assert_eq!(
            sandbox.git(&folder, "status --porcelain"),
            "R  spec.md -> moved.md"
        );
        let index = fs::read(folder.join(".git/index")).unwrap();
        assert!(
            index.windows(4).any(|part| part == cache.as_bytes()),
            "{cache}"
        );
        sandbox.git(&folder, "mv moved.md spec.md");
    }
}

// Tagged commits

#[test]
fn tagged_commits_are_found_in_subject_and_body_oldest_first() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let repo = open(&folder);
        sandbox.commit(&folder, "chant(2026-01-22-001-x7m.1): one\nmore\n\nBody é");
        sandbox.commit(
            &folder,
            "Body only\n\nSee chant(2026-01-22-001-x7m.1) and chant(other), chant(other).",
        );
        sandbox.commit(&folder, "chant(2026-01-22-001-x7m): its driver");
        sandbox.commit(
            &folder,
            "no chant(open, chant(inner) nor Chant(2026-01-22-001-x7m.1)",
        );
        sandbox.commit(&folder, "");
        let before = sandbox.state(&folder);
        for tag in [
            "2026-01-22-001-x7m.1",
            "2026-01-22-001-x7m",
            "other",
            "inner",
            "none",
            "",
            "open",
        ] {
            check_tagged(&sandbox, &repo, &folder, Tip::Head, tag);
            check_tagged(&sandbox, &repo, &folder, Tip::Branch("main"), tag);
        }
        let found = repo.tagged(Tip::Head, "2026-01-22-001-x7m.1").unwrap();
        assert_eq!(
            subjects(&found),
            ["chant(2026-01-22-001-x7m.1): one more", "Body only"],
            "{kind}"
        );
        assert_eq!(
            found[0].message,
            "chant(2026-01-22-001-x7m.1): one\nmore\n\nBody é\n"
        );
        assert_eq!(found[0].time, 1_700_000_120);
        assert_eq!(
            repo.tagged(Tip::Head, "open, chant(inner").unwrap().len(),
            1
        );
        assert_eq!(sandbox.state(&folder), before);
    }
}

#[test]
fn nothing_is_tagged_where_there_is_no_commit_or_no_such_branch() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.init("project", kind);
        let repo = open(&folder);
        assert_eq!(repo.tagged(Tip::Head, "x"), Ok(Vec::new()), "{kind}");
        sandbox.commit(&folder, "chant(x): first");
        assert_eq!(repo.tagged(Tip::Head, "x").unwrap().len(), 1);
        assert_eq!(repo.tagged(Tip::Branch("none"), "x"), Ok(Vec::new()));
    }
}

/// Every change of history that happened before a call is seen by it.
#[test]
fn tagged_is_never_stale() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let linked = sandbox.path("linked");
        let repo = open(&folder);
        let check = |what: &str| {
            for tag in ["x", "y", "amended"] {
                check_tagged(&sandbox, &repo, &folder, Tip::Head, tag);
                check_tagged(&sandbox, &repo, &folder, Tip::Branch("main"), tag);
            }
            let found = repo.tagged(Tip::Head, "x").unwrap();
            format!("{what}: {}", subjects(&found).join(", "))
        };
        sandbox.commit(&folder, "chant(x): one");
        assert_eq!(check("commit"), "commit: chant(x): one", "{kind}");
        sandbox.commit(&folder, "chant(x): two");
        assert_eq!(check("forward"), "forward: chant(x): one, chant(x): two");
        sandbox.git_with(
            &folder,
            "commit -q --amend --allow-empty -m",
            &["chant(amended): two"],
        );
        assert_eq!(check("amend"), "amend: chant(x): one");
        sandbox.git(&folder, "reset -q --hard HEAD~2");
        assert_eq!(check("reset"), "reset: ");
        sandbox.git(&folder, "reset -q --hard ORIG_HEAD");
        assert_eq!(check("reset back"), "reset back: chant(x): one");
        sandbox.git(&folder, "switch -q -c side main~2");
        sandbox.commit(&folder, "chant(x): side");
        assert_eq!(check("switch"), "switch: chant(x): side");
        sandbox.git(&folder, "pack-refs --all --prune");
        assert_eq!(check("packed"), "packed: chant(x): side");
        sandbox.git(&folder, "branch -q -f main side");
        sandbox.git(&folder, "pack-refs --all --prune");
        assert_eq!(
            subjects(&repo.tagged(Tip::Branch("main"), "x").unwrap()),
            ["chant(x): side"]
        );
        sandbox.git(&folder, "gc -q --prune=now");
        assert_eq!(check("gc"), "gc: chant(x): side");
        sandbox.git(&folder, "worktree add -q -b third ../linked");
        sandbox.commit(&linked, "chant(x): in another checkout");
        check_tagged(&sandbox, &repo, &folder, Tip::Branch("third"), "x");
        sandbox.git(&folder, "merge -q --no-ff -m Merge third");
        assert_eq!(
            check("merge"),
            "merge: chant(x): side, chant(x): in another checkout"
        );
        sandbox.git(&folder, "switch -q --detach HEAD~1");
        assert_eq!(check("detached"), "detached: chant(x): side");
        check_tagged(&sandbox, &open(&linked), &linked, Tip::Head, "x");
    }
}

#[test]
fn long_histories_with_merges_are_read_as_git_reads_them() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let tip = sandbox.id(&folder, "HEAD");
        import(&sandbox, &folder, &tip, 0..300);
        let repo = open(&folder);
        let before = sandbox.state(&folder);
        for tag in ["tag-0", "tag-3", "tag-6", "every"] {
            check_tagged(&sandbox, &repo, &folder, Tip::Head, tag);
        }
        assert_eq!(
            repo.tagged(Tip::Head, "every").unwrap().len(),
            300,
            "{kind}"
        );
        // More tips than are kept, forth and back.
        for back in [0, 50, 100, 150, 200, 250, 0, 100, 250] {
            sandbox.git_with(&folder, "branch -q -f moving", &[&format!("main~{back}")]);
            check_tagged(&sandbox, &repo, &folder, Tip::Branch("moving"), "tag-3");
        }
        let tip = sandbox.id(&folder, "HEAD");
        import(&sandbox, &folder, &tip, 300..350);
        check_tagged(&sandbox, &repo, &folder, Tip::Head, "tag-3");
        assert_eq!(
            repo.tagged(Tip::Head, "every"),
            open(&folder).tagged(Tip::Head, "every")
        );
        assert_eq!(sandbox.state(&folder).3, before.3);
    }
}

/// Adds commits to `main`, every seventh of them a merge with a branch of one commit.
fn import(sandbox: &Sandbox, folder: &Path, tip: &str, numbers: std::ops::Range<i64>) {
    let mut last = tip.to_owned();
    for number in numbers {
        sandbox.clock.set(1_700_100_000 + number * 60);
        let message = format!("chant(tag-{}): work {number}\n\nchant(every)", number % 9);
        let commit = |parents: &[&str], message: &str| {
            let parents = parents
                .iter()
                .map(|parent| format!("-p {parent} "))
                .collect::<String>();
            let words = format!("commit-tree {parents} HEAD^{{tree}} -m");
            sandbox.git_with(folder, &words, &[message])
        };
        last = if number % 7 == 3 {
            let side = commit(&[&last], "Side");
            sandbox.clock.set(sandbox.clock.get() + 1);
            commit(&[&last, &side], &message)
        } else {
            commit(&[&last], &message)
        };
    }
    sandbox.git_with(folder, "update-ref refs/heads/main", &[&last]);
}

#[test]
fn parents_come_before_children_even_if_their_clocks_were_wrong() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let mut expected = Vec::new();
        for time in [1_800_000_000, 1_600_000_000, 1_700_000_000, 1_700_000_000] {
            sandbox.clock.set(time);
            expected.push(sandbox.commit(&folder, "chant(x): work"));
        }
        let found = open(&folder).tagged(Tip::Head, "x").unwrap();
        assert_eq!(ids(&found), expected, "{kind}");
        assert_eq!(
            found[1].time, 1_600_000_060,
            "the time itself is what the commit says"
        );
    }
}

#[test]
fn a_message_that_is_not_utf_8_is_read_lossily() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let mut bytes = sandbox.git(&folder, "cat-file commit HEAD").into_bytes();
        bytes.extend(b"\n\nchant(x): caf\xe9\n");
        fs::write(sandbox.path("commit"), bytes).unwrap();
        let commit = sandbox.git(&folder, "hash-object -t commit -w ../commit");
        sandbox.git_with(&folder, "update-ref refs/heads/main", &[&commit]);
        let found = open(&folder).tagged(Tip::Head, "x").unwrap();
        assert_eq!(
            found[0].message, "First\n\nchant(x): caf\u{fffd}\n",
            "{kind}"
        );
    }
}

#[test]
fn a_shallow_clone_has_the_commits_it_has_and_more_once_it_is_deepened() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let source = sandbox.repo(kind);
        for number in 1..=5 {
            sandbox.commit(&source, &format!("chant(x): {number}"));
        }
        let folder = sandbox.path("shallow");
        let url = format!("file://{}", source.display());
        sandbox.git_with(&source, "clone -q --depth=2", &[&url, "../shallow"]);
        let repo = open(&folder);
        assert_eq!(
            subjects(&repo.tagged(Tip::Head, "x").unwrap()),
            ["chant(x): 4", "chant(x): 5"],
            "{kind}"
        );
        sandbox.git(&folder, "fetch -q --deepen=1");
        assert_eq!(repo.tagged(Tip::Head, "x").unwrap().len(), 3);
        sandbox.git(&folder, "fetch -q --unshallow");
        assert_eq!(repo.tagged(Tip::Head, "x").unwrap().len(), 5);
        check_tagged(&sandbox, &repo, &folder, Tip::Head, "x");
    }
}

#[test]
fn a_parent_that_is_missing_ends_the_walk_until_it_arrives() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    let lost = sandbox.commit(&folder, "chant(x): lost");
    sandbox.commit(&folder, "chant(x): kept");
    let object = folder
        .join(".git/objects")
        .join(&lost[..2])
        .join(&lost[2..]);
    fs::rename(&object, sandbox.path("object")).unwrap();
    let repo = open(&folder);
    assert_eq!(
        subjects(&repo.tagged(Tip::Head, "x").unwrap()),
        ["chant(x): kept"]
    );
    fs::rename(sandbox.path("object"), &object).unwrap();
    assert_eq!(repo.tagged(Tip::Head, "x").unwrap().len(), 2);
}

#[test]
fn threads_may_share_a_repository() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    sandbox.commit(&folder, "chant(x): one");
    let repo = open(&folder);
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| repo.tagged(Tip::Head, "x").unwrap().len()))
            .collect();
        assert!(calls.into_iter().all(|call| call.join().unwrap() == 1));
        let kept: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| repo.back_up("main", "x").unwrap()))
            .collect();
        for backup in kept {
            assert!(
                backup
                    .join()
                    .unwrap()
                    .is_some_and(|name| name.starts_with("refs/chant/backup/x/"))
            );
        }
    });
    let tips = sandbox.git(&folder, "for-each-ref --format=%(objectname) refs/chant");
    assert!(tips.lines().all(|tip| tip == sandbox.id(&folder, "main")));
}

/// A partial clone lacks the blobs of older commits until somebody asks for one.
#[test]
fn a_partial_clone_answers_and_fetches_what_it_lacks() {
    let sandbox = Sandbox::new();
    let source = sandbox.repo(KINDS[0]);
    sandbox.git(&source, "config uploadpack.allowFilter true");
    sandbox.git(&source, "config uploadpack.allowAnySHA1InWant true");
    write(&source, "a.txt", "two\n");
    sandbox.commit(&source, "chant(x): two");
    for filter in ["--filter=blob:none", "--filter=tree:0"] {
        let folder = sandbox.path(filter);
        let url = format!("file://{}", source.display());
        sandbox.git_with(
            &source,
            "clone -q",
            &[filter, &url, folder.to_str().unwrap()],
        );
        sandbox.settle(&folder);
        let missing = sandbox.git(&folder, "rev-list --objects --all --missing=print");
        assert!(
            missing.lines().any(|line| line.starts_with('?')),
            "the clone is not partial"
        );
        let repo = open(&folder);
        check_tagged(&sandbox, &repo, &folder, Tip::Head, "x");
        assert_eq!(repo.uncommitted(&folder).unwrap(), [""; 0]);
        assert_eq!(repo.is_merged("main", "main"), Ok(true));
        assert!(repo.is_tracked(Path::new("a.txt")).unwrap());
        assert_eq!(
            repo.file_at("HEAD~1", "a.txt").unwrap().unwrap(),
            b"a\n",
            "{filter}"
        );
        assert_eq!(repo.file_at("HEAD~1", "none").unwrap(), None);
        let tree = repo
            .add_worktree(&sandbox.path(&format!("{filter}-tree")), "old", "HEAD~1")
            .unwrap();
        assert_eq!(fs::read(tree.path.join("a.txt")).unwrap(), b"a\n");
        rename(&folder, "a.txt", "b.txt");
        repo.stage_move(Path::new("a.txt"), Path::new("b.txt"))
            .unwrap();
        assert_eq!(
            sandbox.git(&folder, "status --porcelain"),
            "R  a.txt -> b.txt"
        );
    }
}

// Backups and deletion

#[test]
fn backups_are_numbered_and_a_tip_is_kept_once() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        write(&folder, "a.txt", "dirty\n");
        let before = sandbox.state(&folder);
        let repo = open(&folder);
        let back_up = |branch: &str| repo.back_up(branch, "2026-01-22-001-x7m.1").unwrap();
        let numbered =
            |number: u32| Some(format!("refs/chant/backup/2026-01-22-001-x7m.1/{number}"));
        assert_eq!(back_up("none"), None);
        assert_eq!(back_up("main"), numbered(1), "{kind}");
        assert_eq!(back_up("main"), numbered(1));
        assert_eq!(sandbox.state(&folder), before);
        let refs = |number: u32| sandbox.id(&folder, &numbered(number).unwrap());
        assert_eq!(refs(1), sandbox.id(&folder, "main"));
        let reflog = sandbox.git_with(
            &folder,
            "reflog show --format=%gs",
            &[&numbered(1).unwrap()],
        );
        assert!(reflog.contains("backup of main"), "{reflog}");
        sandbox.commit(&folder, "Second");
        assert_eq!(back_up("main"), numbered(2));
        // Numbers are compared as numbers, a gap is not filled, and packed refs count.
        sandbox.git_with(&folder, "update-ref", &[&numbered(10).unwrap(), "main~1"]);
        sandbox.git(
            &folder,
            "update-ref refs/chant/backup/2026-01-22-001-x7m.1/x main",
        );
        sandbox.git(
            &folder,
            "update-ref refs/chant/backup/2026-01-22-001-x7m.10/99 main",
        );
        sandbox.git(&folder, "pack-refs --all");
        assert_eq!(back_up("main"), numbered(11));
        assert_eq!(refs(11), sandbox.id(&folder, "main"));
    }
}

#[test]
fn a_branch_with_commits_of_its_own_is_not_deleted_until_they_are_kept() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        sandbox.git(&folder, "switch -q -c chant/x");
        sandbox.commit(&folder, "chant(x): one");
        let tip = sandbox.commit(&folder, "chant(x): two");
        sandbox.git(&folder, "switch -q main");
        write(&folder, "a.txt", "dirty\n");
        let before = sandbox.state(&folder);
        let repo = open(&folder);
        let unmerged = GitError::Unmerged {
            of: "chant/x".into(),
            commit: tip.clone(),
        };
        assert_eq!(
            repo.delete_backed_up_branch("chant/x"),
            Err(unmerged.clone()),
            "{kind}"
        );
        // Half of it is not all of it, and a remote's copy may go at any time.
        sandbox.git(&folder, "branch half chant/x~1");
        sandbox.git(&folder, "update-ref refs/remotes/origin/chant/x chant/x");
        assert_eq!(repo.delete_backed_up_branch("chant/x"), Err(unmerged));
        assert_eq!(repo.branch_tip("chant/x").unwrap(), Some(tip.clone()));
        repo.back_up("chant/x", "x").unwrap();
        repo.delete_backed_up_branch("chant/x").unwrap();
        assert_eq!(repo.branch_tip("chant/x").unwrap(), None);
        assert_eq!(sandbox.id(&folder, "refs/chant/backup/x/1"), tip);
        repo.delete_backed_up_branch("chant/x").unwrap();
        assert_eq!(sandbox.state(&folder), before);
    }
}

#[test]
fn another_branch_a_tag_or_a_detached_checkout_keeps_the_commits_of_a_branch() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let repo = open(&folder);
        let make = || {
            sandbox.git(&folder, "switch -q -c gone");
            sandbox.commit(&folder, "Work");
        };
        let deleted = |what: &str| {
            sandbox.git(&folder, "pack-refs --all");
            repo.delete_backed_up_branch("gone")
                .unwrap_or_else(|refused| panic!("{what}: {refused}"));
            assert_eq!(repo.branch_tip("gone"), Ok(None), "{kind} {what}");
        };
        make();
        sandbox.git(&folder, "switch -q main");
        sandbox.git(&folder, "merge -q --no-ff --no-edit gone");
        deleted("merged");
        make();
        sandbox.git(&folder, "tag -a -m kept kept");
        sandbox.git(&folder, "switch -q main");
        deleted("tag");
        make();
        sandbox.git(&folder, "worktree add -q --detach ../linked");
        sandbox.git(&folder, "switch -q main");
        deleted("detached");
    }
}

#[test]
fn a_branch_in_use_is_neither_deleted_nor_checked_out_again() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let linked = sandbox.path("linked");
        sandbox.git(&folder, "branch copy");
        sandbox.git(&folder, "worktree add -q -b busy ../linked");
        let repo = open(&folder);
        let check = |branch: &str, path: &Path| {
            let in_use = GitError::InUse {
                branch: branch.into(),
                path: path.to_owned(),
            };
            assert_eq!(
                repo.delete_backed_up_branch(branch),
                Err(in_use.clone()),
                "{kind}"
            );
            assert_eq!(
                repo.add_worktree(&sandbox.path("more"), branch, "main"),
                Err(in_use)
            );
            assert!(!sandbox.path("more").exists());
        };
        check("main", &folder);
        check("busy", &linked);
        // A rebase stands on no branch, but will move one when it ends.
        sandbox.commit(&linked, "To be stopped at");
        assert!(sandbox.fails(&linked, "rebase -q --exec false --no-ff --root"));
        sandbox.git(&folder, "branch busy-copy busy");
        check("busy", &linked);
        sandbox.git(&linked, "rebase --abort");
        fs::remove_dir_all(&linked).unwrap();
        check("busy", &linked);
        sandbox.git(&folder, "switch -q copy");
        assert!(sandbox.fails(&folder, "rebase -q --exec false --no-ff --root"));
        check("copy", &folder);
    }
}

// Worktrees

/// What `git worktree list` says, in the words of `Worktree`.
fn listed(repo: &Repo) -> Vec<String> {
    let of_tree = |tree: chant_core::git::worktree::Worktree| {
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

#[test]
fn worktrees_are_listed_with_what_they_stand_on() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.init("project", kind);
        assert_eq!(
            listed(&open(&folder)),
            ["project main unborn [main]"],
            "{kind}"
        );
        sandbox.commit(&folder, "First");
        for options in [
            "--lock -b chant/locked ../b-locked",
            "--detach ../a-detached",
            "-b gone ../c-gone",
            "--lock --detach ../d-gone-but-locked",
        ] {
            sandbox.git(&folder, &format!("worktree add -q {options}"));
        }
        fs::remove_dir_all(sandbox.path("c-gone")).unwrap();
        fs::remove_dir_all(sandbox.path("d-gone-but-locked")).unwrap();
        let expected = [
            "project main commit [main]",
            "a-detached - commit []",
            "b-locked chant/locked commit [locked]",
            "c-gone gone commit [prunable]",
            "d-gone-but-locked - commit [locked]",
        ];
        assert_eq!(listed(&open(&folder)), expected, "{kind}");
        assert_eq!(listed(&open(&sandbox.path("a-detached"))), expected);
    }
}

#[test]
fn a_worktree_is_made_on_a_new_branch_at_the_base() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let first = sandbox.id(&folder, "main");
        write(&folder, "a.txt", "second\n");
        sandbox.commit(&folder, "Second");
        write(&folder, "a.txt", "dirty\n");
        write(&folder, "untracked.txt", "u\n");
        sandbox.git(&folder, "update-ref refs/remotes/origin/base main~1");
        let before = sandbox.state(&folder);
        let repo = open(&folder);
        let path = sandbox.path("state/-trees of mine/x");
        let made = repo
            .add_worktree(&path, "chant/x.1", "origin/base")
            .unwrap();
        assert_eq!(
            (made.path.as_path(), made.branch.as_deref()),
            (path.as_path(), Some("chant/x.1")),
            "{kind}"
        );
        assert_eq!(made.head.as_deref(), Some(first.as_str()));
        assert!(!made.is_main && !made.locked && !made.prunable);
        assert_eq!(fs::read(path.join("a.txt")).unwrap(), b"a\n");
        assert_eq!(sandbox.state(&folder), before);
        let has_no_upstream = sandbox.fails(&folder, "rev-parse chant/x.1@{upstream}");
        assert!(has_no_upstream, "a branch of ours follows nobody");
        // From the new worktree the same, at an empty folder that is there.
        let second = sandbox.path("second");
        fs::create_dir(&second).unwrap();
        let made = open(&path).add_worktree(&second, "y", "HEAD").unwrap();
        assert_eq!(made.head.as_deref(), Some(first.as_str()));
        assert!(sandbox.git(&second, "status --porcelain").is_empty());
    }
}

#[test]
fn a_branch_that_exists_is_used_as_it_is() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        sandbox.git(&folder, "switch -q -c x");
        let tip = sandbox.commit(&folder, "chant(x): kept");
        sandbox.git(&folder, "switch -q main");
        sandbox.git(&folder, "tag x main");
        let repo = open(&folder);
        let path = sandbox.path("tree");
        let made = repo.add_worktree(&path, "x", "main").unwrap();
        assert_eq!(
            (made.branch.as_deref(), made.head.as_deref()),
            (Some("x"), Some(tip.as_str())),
            "{kind}"
        );
        // Its folder deleted by hand: the entry left behind is in nobody's way.
        fs::remove_dir_all(&path).unwrap();
        let made = repo.add_worktree(&path, "x", "main").unwrap();
        assert_eq!(made.head.as_deref(), Some(tip.as_str()));
        fs::remove_dir_all(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(repo.add_worktree(&path, "x", "main").unwrap(), made);
        // Unless the user locked it: then the folder is expected to come back.
        sandbox.git(&folder, "worktree lock ../tree");
        fs::remove_dir_all(&path).unwrap();
        assert_eq!(
            repo.add_worktree(&path, "x", "main"),
            Err(GitError::Locked { path: path.clone() })
        );
        assert_eq!(repo.branch_tip("x").unwrap(), Some(tip));
    }
}

#[test]
fn a_worktree_is_not_made_over_something_or_from_nothing() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.init("project", kind);
        let repo = open(&folder);
        let path = sandbox.path("tree");
        let no_base = repo.add_worktree(&path, "x", "main");
        assert_eq!(
            no_base,
            Err(GitError::NoCommit {
                revision: "main".into()
            }),
            "{kind}"
        );
        sandbox.commit(&folder, "First");
        write(&sandbox.path(""), "tree/file", "mine\n");
        for taken in [path.clone(), path.join("file"), folder.clone()] {
            assert_eq!(
                repo.add_worktree(&taken, "x", "main"),
                Err(GitError::PathTaken {
                    path: taken.clone()
                })
            );
        }
        assert_eq!(fs::read(path.join("file")).unwrap(), b"mine\n");
        assert_eq!(repo.branch_tip("x").unwrap(), None);
        assert_eq!(listed(&repo).len(), 1);
    }
}

#[test]
fn the_base_may_be_any_revision_and_a_branch_goes_before_a_tag() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let first = sandbox.id(&folder, "main");
        let second = sandbox.commit(&folder, "Second");
        sandbox.git(&folder, "tag main main~1");
        sandbox.git(&folder, "tag -a -m kept old main");
        let repo = open(&folder);
        for (branch, base, expected) in [
            ("a", "main", &second),
            ("b", "old", &first),
            ("c", "heads/main~1", &first),
            ("d", &second[..10], &second),
            ("e", &first, &first),
        ] {
            let made = repo
                .add_worktree(&sandbox.path(branch), branch, base)
                .unwrap();
            assert_eq!(made.head.as_ref(), Some(expected), "{kind} {base}");
        }
    }
}

#[test]
fn an_entry_that_alone_names_a_commit_is_not_dropped() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let path = sandbox.path("tree");
        sandbox.git(&folder, "worktree add -q --detach ../tree");
        let commit = sandbox.commit(&path, "On no branch");
        fs::remove_dir_all(&path).unwrap();
        let repo = open(&folder);
        let of = path.display().to_string();
        let unmerged = GitError::Unmerged { of, commit };
        assert_eq!(
            repo.add_worktree(&path, "x", "main"),
            Err(unmerged.clone()),
            "{kind}"
        );
        assert_eq!(repo.remove_worktree(&path), Err(unmerged));
        assert_eq!(listed(&repo).len(), 2);
    }
}

#[cfg(unix)]
#[test]
fn a_failing_hook_of_the_user_does_not_undo_a_worktree() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    let hooks = sandbox.path("hooks");
    write(&hooks, "post-checkout", "#!/bin/sh\nexit 7\n");
    fs::set_permissions(
        hooks.join("post-checkout"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    sandbox.git_with(&folder, "config core.hooksPath", &[hooks.to_str().unwrap()]);
    let made = open(&folder)
        .add_worktree(&sandbox.path("tree"), "x", "main")
        .unwrap();
    assert!(sandbox.git(&made.path, "status --porcelain").is_empty());
}

#[test]
fn a_clean_worktree_is_removed_and_its_branch_stays() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        write(&folder, ".gitignore", "*.log\n");
        sandbox.commit(&folder, "Ignore");
        write(&folder, "a.txt", "dirty\n");
        let before = sandbox.state(&folder);
        let repo = open(&folder);
        for from_itself in [false, true] {
            let path = sandbox.path("tree");
            repo.add_worktree(&path, "x", "main").unwrap();
            write(&path, "build.log", "ignored\n");
            let remover = if from_itself {
                open(&path)
            } else {
                open(&folder)
            };
            remover.remove_worktree(&path).unwrap();
            assert!(!path.exists(), "{kind}");
            assert_eq!(listed(&repo).len(), 1);
            assert!(repo.branch_tip("x").unwrap().is_some());
            assert_eq!(
                repo.remove_worktree(&path),
                Err(GitError::NoWorktree { path: path.clone() })
            );
        }
        let path = sandbox.path("tree");
        repo.add_worktree(&path, "x", "main").unwrap();
        fs::remove_dir_all(&path).unwrap();
        repo.remove_worktree(&path).unwrap();
        assert_eq!(listed(&repo).len(), 1);
        assert_eq!(sandbox.state(&folder), before);
    }
}

#[test]
fn a_worktree_with_something_to_lose_is_kept() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let repo = open(&folder);
        let path = sandbox.path("tree");
        repo.add_worktree(&path, "x", "main").unwrap();
        assert_eq!(
            repo.remove_worktree(&folder),
            Err(GitError::MainCheckout {
                path: folder.clone()
            })
        );
        let outside = sandbox.path("other");
        assert_eq!(
            repo.remove_worktree(&outside),
            Err(GitError::NoWorktree {
                path: outside.clone()
            })
        );
        sandbox.git(&folder, "worktree lock ../tree");
        assert_eq!(
            repo.remove_worktree(&path),
            Err(GitError::Locked { path: path.clone() })
        );
        sandbox.git(&folder, "worktree unlock ../tree");
        for name in ["1", "2", "3", "4", "5", "6"] {
            write(&path, &format!("new/{name}.txt"), "untracked\n");
        }
        write(&path, "a.txt", "changed\n");
        let before = sandbox.state(&path);
        let refused = repo.remove_worktree(&path).unwrap_err();
        let shown = ["a.txt", "new/1.txt", "new/2.txt", "new/3.txt", "new/4.txt"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(
            refused,
            GitError::Dirty {
                path: path.clone(),
                count: 7,
                shown
            },
            "{kind}"
        );
        assert!(
            refused
                .to_string()
                .contains("7 uncommitted change(s) (a.txt, new/1.txt,"),
            "{refused}"
        );
        assert_eq!(sandbox.state(&path), before);
        // Commits on no branch would go with the worktree.
        sandbox.git(&path, "switch -q --detach");
        let commit = sandbox.commit(&path, "On no branch");
        let refused = repo.remove_worktree(&path).unwrap_err();
        assert_eq!(
            refused,
            GitError::Unmerged {
                of: path.display().to_string(),
                commit: commit.clone()
            }
        );
        sandbox.git_with(&folder, "branch rescue", &[&commit]);
        repo.remove_worktree(&path).unwrap();
        assert!(!path.exists());
    }
}

// The process around us

/// Runs one test of this file in a process of its own with other variables.
#[track_caller]
fn run_in_a_process(name: &str, variables: &[(&str, &OsStr)]) {
    let module = module_path!().split_once("::").unwrap().1;
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("{module}::{name}"), "--nocapture"]);
    command.envs(variables.iter().copied()).stdin(Stdio::null());
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

#[test]
fn variables_that_would_redirect_git_have_no_effect() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.repo(KINDS[0]);
    let (git, index) = (elsewhere.join(".git"), elsewhere.join(".git/other-index"));
    let variables: [(&str, &OsStr); 9] = [
        ("GIT_DIR", git.as_os_str()),
        ("GIT_WORK_TREE", elsewhere.as_os_str()),
        ("GIT_INDEX_FILE", index.as_os_str()),
        ("GIT_COMMON_DIR", git.as_os_str()),
        ("GIT_OBJECT_DIRECTORY", git.as_os_str()),
        ("GIT_CONFIG_COUNT", OsStr::new("1")),
        ("GIT_CONFIG_KEY_0", OsStr::new("core.bare")),
        ("GIT_CONFIG_VALUE_0", OsStr::new("true")),
        ("GIT_TRACE", OsStr::new("1")),
    ];
    let before = sandbox.state(&elsewhere);
    for test in [
        "a_staged_move_shows_as_a_rename_and_hides_no_change_made_meanwhile",
        "a_worktree_with_something_to_lose_is_kept",
        "a_branch_with_commits_of_its_own_is_not_deleted_until_they_are_kept",
        "tagged_is_never_stale",
    ] {
        run_in_a_process(test, &variables);
    }
    assert_eq!(sandbox.state(&elsewhere), before);
}

const FOLDER_WITHOUT_GIT: &str = "CHANT_TEST_FOLDER_WITHOUT_GIT";

#[test]
fn without_the_git_program_git2_does_what_it_can() {
    if let Some(folder) = std::env::var_os(FOLDER_WITHOUT_GIT) {
        return in_a_process_without_git(Path::new(&folder));
    }
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    sandbox.commit(&folder, "chant(x): one");
    sandbox.init("reftable", KINDS[1]);
    sandbox.git(&folder, "update-index --untracked-cache");
    let empty = sandbox.path("empty");
    fs::create_dir(&empty).unwrap();
    let variables = [
        ("PATH", empty.as_os_str()),
        (FOLDER_WITHOUT_GIT, sandbox.folder.path().as_os_str()),
    ];
    let test = "without_the_git_program_git2_does_what_it_can";
    run_in_a_process(test, &variables);
    assert_eq!(
        sandbox.git(&folder, "status --porcelain"),
        "R  a.txt -> b.txt"
    );
    assert_eq!(
        sandbox.git(&folder, "branch --format=%(refname:short)"),
        "main\nx"
    );
    sandbox.git(&folder, "fsck --strict");
}

fn in_a_process_without_git(folder: &Path) {
    let (project, tree) = (
        folder.join("project"),
        folder.canonicalize().unwrap().join("new/tree"),
    );
    assert!(Repo::open(folder).unwrap().is_none());
    let refused = Repo::open(&folder.join("reftable")).unwrap_err();
    assert!(
        matches!(&refused, GitError::NoGit { why } if why.contains("refstorage")),
        "{refused}"
    );
    let repo = open(&project);
    assert_eq!(
        subjects(&repo.tagged(Tip::Head, "x").unwrap()),
        ["chant(x): one"]
    );
    assert_eq!(repo.user().unwrap().unwrap().0, "Grace");
    rename(&project, "a.txt", "b.txt");
    repo.stage_move(Path::new("a.txt"), Path::new("b.txt"))
        .unwrap();
    write(&project, "c.txt", "c\n");
    assert_eq!(
        repo.uncommitted(&project).unwrap(),
        ["a.txt", "b.txt", "c.txt"]
    );
    fs::remove_file(project.join("c.txt")).unwrap();
    for _ in 0..2 {
        let made = repo.add_worktree(&tree, "x", "main").unwrap();
        assert_eq!(
            (made.path.as_path(), made.branch.as_deref()),
            (tree.as_path(), Some("x"))
        );
        assert_eq!(fs::read(tree.join("a.txt")).unwrap(), b"a\n");
        write(&tree, "untracked.txt", "u\n");
        assert!(matches!(
            repo.remove_worktree(&tree),
            Err(GitError::Dirty { count: 1, .. })
        ));
        fs::remove_file(tree.join("untracked.txt")).unwrap();
        fs::remove_dir_all(&tree).unwrap();
    }
    let made = repo.add_worktree(&tree, "x", "main").unwrap();
    repo.remove_worktree(&made.path).unwrap();
    assert!(!tree.exists());
    assert_eq!(listed(&repo).len(), 1);
    repo.back_up("x", "x").unwrap().unwrap();
    assert_eq!(repo.is_merged("x", "main"), Ok(true));
}
