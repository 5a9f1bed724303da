//! What the tests of landings share, and landings that nothing is in the way of.

use std::io;
use std::time::Duration;

use chant_git::land::{ExemptFile, LandingOutcome, LandingRequest, LandingWait};
use chant_git::merge::{FileResolution, MergeOutcome, MergeRequest};

use super::*;

/// A repository whose main is checked out, with a merge of work that is to land there.
pub(super) struct Field {
    pub(super) sandbox: Sandbox,
    pub(super) folder: PathBuf,
    pub(super) repo: Repo,
    pub(super) old: String,
    pub(super) new: String,
    pub(super) exempt: Vec<ExemptFile>,
    pub(super) interrupted: Vec<(String, String)>,
}

pub(super) const BEFORE: [(&str, &str); 5] = [
    ("changed.txt", "old\n"),
    ("deep/er/gone.txt", "gone\n"),
    ("other.txt", "other\n"),
    ("renamed.txt", "a text of some length\n"),
    (".gitignore", "*.log\n"),
];

/// Changes, adds, deletes and renames files.
pub(super) fn work(tree: &Path) {
    write(tree, "changed.txt", "new\n");
    write(tree, "added/here.txt", "added\n");
    fs::remove_file(tree.join("deep/er/gone.txt")).unwrap();
    rename(tree, "renamed.txt", "new-name.txt");
}

impl Field {
    pub(super) fn new(kind: &str) -> Self {
        Self::with(
            kind,
            |folder| {
                for (file, text) in BEFORE {
                    write(folder, file, text);
                }
            },
            work,
        )
    }

    pub(super) fn with(kind: &str, before: impl Fn(&Path), work: impl Fn(&Path)) -> Self {
        let sandbox = Sandbox::new();
        let folder = sandbox.init("project", kind);
        before(&folder);
        let old = sandbox.commit(&folder, "Before");
        sandbox.git(&folder, "worktree add -q -b work ../tree");
        let tree = sandbox.path("tree");
        work(&tree);
        sandbox.commit(&tree, "Work");
        let repo = open(&folder);
        let mut field = Self {
            sandbox,
            folder,
            repo,
            new: old.clone(),
            old,
            exempt: Vec::new(),
            interrupted: Vec::new(),
        };
        field.merge();
        field
    }

    /// Merges again, after main or the branch went on.
    pub(super) fn merge(&mut self) {
        self.old = self.sandbox.id(&self.folder, "main");
        let merge = MergeRequest {
            ours: &self.old,
            theirs: "work",
            asked: &[],
            message: "Merge work",
            fast_forward: false,
            replaced: &[],
            style: chant_git::merge::MergeStyle::Merge,
            hooks: None,
        };
        match self.repo.merge(&merge, &|_, _| FileResolution::Default) {
            Ok(MergeOutcome::Commit { commit, .. }) => self.new = commit,
            other => unreachable!("{other:?}"),
        }
    }

    pub(super) fn landing(&self) -> LandingRequest<'_> {
        LandingRequest {
            branch: "main",
            old: &self.old,
            new: &self.new,
            run: "x-1",
            reason: "chant-mcp: x landed",
            exempt: &self.exempt,
            interrupted: &self.interrupted,
            lock_timeout: Duration::from_millis(50),
        }
    }

    pub(super) fn land(&self) -> Result<LandingOutcome, GitError> {
        self.repo.land(&self.landing(), &|_| Ok(()))
    }

    /// Lands up to a moment for the `times`th time, and stops there.
    pub(super) fn stop_at(&self, moment: &'static str, times: usize) {
        let passed = Cell::new(0);
        let reached = |now: &'static str| {
            passed.set(passed.get() + usize::from(now == moment));
            if passed.get() == times {
                Err(io::Error::other("power cut"))
            } else {
                Ok(())
            }
        };
        let stopped = self.repo.land(&self.landing(), &reached);
        let why = "power cut".to_owned();
        assert_eq!(stopped, Err(GitError::Stopped { moment, why }));
    }

    /// Nothing of ours is left in the git folder.
    #[track_caller]
    pub(super) fn check_clean(&self) {
        let git = self.folder.join(".git");
        let names = git
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let ours: Vec<_> = names
            .filter(|name| {
                let name = name.to_string_lossy();
                // The settings for flushes stay.
                let stays = name == "chant-mcp-flush.config";
                (name.contains("chant") && !stays) || name.ends_with(".lock")
            })
            .collect();
        assert!(ours.is_empty(), "{ours:?}");
    }

    /// Lands, and the user's changes, of paths that did not land, are as they were.
    #[track_caller]
    pub(super) fn lands(&self) {
        let (before, _, _, files) = self.sandbox.state(&self.folder);
        let checkouts = vec![self.folder.clone()];
        assert_eq!(self.land(), Ok(LandingOutcome::Done { checkouts }));
        self.landed(&before, &files);
    }

    #[track_caller]
    pub(super) fn landed(&self, before: &str, files: &BTreeMap<PathBuf, Vec<u8>>) {
        let (status, _, head, now) = self.sandbox.state(&self.folder);
        assert_eq!(status, before);
        assert_eq!(head, format!("{}\nrefs/heads/main", self.new));
        let words = "diff-tree -r --no-renames --name-only";
        let landed = self
            .sandbox
            .git_with(&self.folder, words, &[&self.old, &self.new]);
        let landed: Vec<PathBuf> = landed.lines().map(|path| self.folder.join(path)).collect();
        let unlanded = |files: &BTreeMap<PathBuf, Vec<u8>>| {
            let mut files = files.clone();
            files.retain(|path, _| !landed.contains(path));
            files
        };
        assert_eq!(unlanded(&now), unlanded(files));
        for path in &landed {
            let name = path.strip_prefix(&self.folder).unwrap().to_str().unwrap();
            let held = self.repo.file_at(&self.new, name).unwrap();
            let is_file = path.symlink_metadata().is_ok_and(|found| !found.is_dir());
            assert_eq!(is_file, held.is_some(), "{name}");
        }
        self.check_clean();
        self.sandbox.git(&self.folder, "fsck --strict");
    }

    /// Does not land, and nothing at all changed.
    #[track_caller]
    pub(super) fn waits(&self, blocked_by: &[&str]) {
        let before = self.sandbox.state(&self.folder);
        let waits = LandingWait::Changes {
            checkout: self.folder.clone(),
            blocked_by: blocked_by.iter().map(|path| (*path).into()).collect(),
        };
        assert_eq!(self.land(), Ok(LandingOutcome::Waits(waits)));
        assert_eq!(self.sandbox.state(&self.folder), before);
        assert_eq!(self.sandbox.id(&self.folder, "main"), self.old);
        self.check_clean();
    }
}

#[test]
fn a_clean_checkout_comes_along() {
    for kind in KINDS {
        let field = Field::new(kind);
        field.lands();
        assert_eq!(field.sandbox.git(&field.folder, "status --porcelain"), "");
        assert_eq!(
            fs::read(field.folder.join("changed.txt")).unwrap(),
            b"new\n"
        );
        let emptied = field.folder.join("deep");
        assert!(
            !emptied.exists(),
            "{kind}: an empty folder goes as git lets it go"
        );
        for name in ["HEAD", "main"] {
            let logged = field
                .sandbox
                .git_with(&field.folder, "reflog -1 --format=%gs", &[name]);
            assert_eq!(logged, "chant-mcp: x landed", "{kind} {name}");
        }
        // Git need not read the new files again to know that they are unchanged.
        assert_eq!(
            field.sandbox.git(&field.folder, "diff-files --name-only"),
            ""
        );
        // Once more is no harm.
        field.lands();
    }
}

#[test]
fn changes_of_the_users_elsewhere_survive() {
    for kind in KINDS {
        let field = Field::new(kind);
        let folder = &field.folder;
        write(folder, "other.txt", "edited\n");
        write(folder, "staged.txt", "staged\n");
        field.sandbox.git(folder, "add staged.txt");
        write(folder, "staged.txt", "staged and edited\n");
        write(folder, "announced.txt", "n\n");
        field.sandbox.git(folder, "add -N announced.txt");
        write(folder, "deep/er/untracked.txt", "u\n");
        write(folder, "added/beside.log", "ignored\n");
        let index = field.sandbox.index(folder);
        field.lands();
        let kept = |index: &str| {
            let mut lines = index.lines();
            let mut kept = Vec::new();
            while let (Some(line), Some(flags)) = (lines.next(), lines.next()) {
                if ["other", "staged", "announced", "ignore"]
                    .iter()
                    .any(|name| line.contains(name))
                {
                    kept.push(format!("{line}{flags}"));
                }
            }
            kept
        };
        assert_eq!(kept(&field.sandbox.index(folder)), kept(&index), "{kind}");
        assert_eq!(kept(&index).len(), 4);
    }
}

#[test]
fn a_change_made_in_the_instant_of_an_add_is_still_seen() {
    for kind in KINDS {
        let field = Field::new(kind);
        field
            .sandbox
            .git(&field.folder, "config core.trustctime false");
        let instant = std::time::SystemTime::now() - Duration::from_secs(60);
        let stamp = |file: &str| {
            let file = fs::File::options()
                .write(true)
                .open(field.folder.join(file));
            let times = fs::FileTimes::new().set_modified(instant);
            file.unwrap().set_times(times).unwrap();
        };
        write(&field.folder, "other.txt", "OTHER\n");
        stamp("other.txt");
        field.sandbox.git(&field.folder, "add other.txt");
        stamp(".git/index");
        // As long as what was added and as old: only the time of the index tells.
        write(&field.folder, "other.txt", "AGAIN\n");
        stamp("other.txt");
        assert!(matches!(field.land(), Ok(LandingOutcome::Done { .. })));
        let status = field.sandbox.git(&field.folder, "status --porcelain");
        assert_eq!(status, "MM other.txt", "{kind}");
    }
}

#[test]
fn modes_links_and_kinds_change() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    for kind in KINDS {
        let field = Field::with(
            kind,
            |folder| {
                for file in [
                    "run.sh", "plain.sh", "file-to-link", "file-to-folder", "folder/x", "folder/y",
                ] {
                    write(folder, file, format!("{file}\n"));
                }
                symlink("run.sh", folder.join("link-to-file")).unwrap();
                symlink("run.sh", folder.join("link")).unwrap();
                symlink("folder", folder.join("link-to-folder")).unwrap();
                fs::set_permissions(folder.join("plain.sh"), fs::Permissions::from_mode(0o755))
                    .unwrap();
            },
            |tree| {
                fs::set_permissions(tree.join("run.sh"), fs::Permissions::from_mode(0o755))
                    .unwrap();
                fs::set_permissions(tree.join("plain.sh"), fs::Permissions::from_mode(0o644))
                    .unwrap();
                for file in [
                    "file-to-link", "file-to-folder", "link-to-file", "link", "link-to-folder",
                ] {
                    fs::remove_file(tree.join(file)).unwrap();
                }
                fs::remove_dir_all(tree.join("folder")).unwrap();
                symlink("nowhere", tree.join("file-to-link")).unwrap();
                symlink("plain.sh", tree.join("link")).unwrap();
                write(tree, "link-to-file", "f\n");
                write(tree, "file-to-folder/in/side", "s\n");
                write(tree, "link-to-folder/side", "s\n");
                write(tree, "folder", "a file now\n");
            },
        );
        field.lands();
        let mode = |file: &str| {
            field
                .folder
                .join(file)
                .metadata()
                .unwrap()
                .permissions()
                .mode()
                & 0o111
        };
        assert_ne!(mode("run.sh"), 0, "{kind}");
        assert_eq!(mode("plain.sh"), 0);
        let says = |file: &str| field.folder.join(file).read_link().unwrap();
        assert_eq!(says("file-to-link"), Path::new("nowhere"));
        assert_eq!(says("link"), Path::new("plain.sh"));
        assert!(field.folder.join("folder").is_file());
        assert_eq!(field.sandbox.git(&field.folder, "status --porcelain"), "");
    }
}

#[test]
fn names_that_need_care_land() {
    let names = [
        "with space", "quo\"te", "back\\slash", "new\nline", "*", "ümlaut", ":(top)x", "-dash",
    ];
    for kind in KINDS {
        let all = |text: &'static str| {
            move |folder: &Path| {
                for name in names {
                    write(folder, name, text);
                }
            }
        };
        let mut field = Field::with(kind, all("old\n"), all("new\n"));
        let (_, _, _, files) = field.sandbox.state(&field.folder);
        assert!(
            matches!(field.land(), Ok(LandingOutcome::Done { .. })),
            "{kind}"
        );
        assert_eq!(field.sandbox.git(&field.folder, "status --porcelain"), "");
        assert_eq!(files.len(), names.len());
        for name in names {
            assert_eq!(
                fs::read(field.folder.join(name)).unwrap(),
                b"new\n",
                "{name}"
            );
        }
        write(&field.sandbox.path("tree"), "new\nline", "newer\n");
        field.sandbox.commit(&field.sandbox.path("tree"), "More");
        field.merge();
        write(&field.folder, "new\nline", "mine\n");
        field.waits(&["new\nline"]);
    }
}

#[test]
fn a_file_is_written_as_git_would_check_it_out() {
    for kind in KINDS {
        let mut field = Field::with(
            kind,
            |folder| {
                write(
                    folder,
                    ".gitattributes",
                    "*.txt text eol=crlf\n*.up filter=up\n",
                );
                write(folder, "a.txt", "one\n");
                write(folder, "b.up", "quiet\n");
            },
            |tree| {
                write(tree, "a.txt", "two\n");
                write(tree, "b.up", "loud\n");
                write(tree, "c.dos", "new\n");
                write(
                    tree,
                    ".gitattributes",
                    "*.txt text eol=crlf\n*.up filter=up\n*.dos text eol=crlf\n",
                );
            },
        );
        for (key, value) in [("smudge", "tr a-z A-Z"), ("clean", "tr A-Z a-z")] {
            field
                .sandbox
                .git_with(&field.folder, &format!("config filter.up.{key}"), &[value]);
        }
        fs::remove_file(field.folder.join("a.txt")).unwrap();
        fs::remove_file(field.folder.join("b.up")).unwrap();
        field.sandbox.git(&field.folder, "checkout -q -- .");
        assert_eq!(fs::read(field.folder.join("a.txt")).unwrap(), b"one\r\n");
        assert_eq!(fs::read(field.folder.join("b.up")).unwrap(), b"QUIET\n");
        field.lands();
        let read = |file: &str| fs::read(field.folder.join(file)).unwrap();
        assert_eq!(read("a.txt"), b"two\r\n", "{kind}");
        assert_eq!(read("b.up"), b"LOUD\n");
        assert_eq!(
            read("c.dos"),
            b"new\r\n",
            "by the attributes that land with it"
        );
        assert_eq!(field.sandbox.git(&field.folder, "status --porcelain"), "");
        write(&field.sandbox.path("tree"), "a.txt", "three\n");
        field.sandbox.commit(&field.sandbox.path("tree"), "More");
        field.merge();
        write(&field.folder, "a.txt", "mine\r\n");
        field.waits(&["a.txt"]);
    }
}

#[test]
fn line_ends_that_the_users_configuration_converts_are_no_change() {
    for kind in KINDS {
        let field = Field::with(
            kind,
            |folder| write(folder, "a.txt", "one\n"),
            |tree| write(tree, "a.txt", "two\n"),
        );
        field
            .sandbox
            .git(&field.folder, "config core.autocrlf true");
        fs::remove_file(field.folder.join("a.txt")).unwrap();
        field.sandbox.git(&field.folder, "checkout -q -- a.txt");
        assert_eq!(fs::read(field.folder.join("a.txt")).unwrap(), b"one\r\n");
        field.lands();
        assert_eq!(
            fs::read(field.folder.join("a.txt")).unwrap(),
            b"two\r\n",
            "{kind}"
        );
    }
}

#[test]
fn the_file_that_went_into_the_commit_is_replaced_though_it_was_changed() {
    for kind in KINDS {
        let exempt = |was: Option<&str>, bytes: Option<&str>| ExemptFile {
            path: "changed.txt".into(),
            was: was.map(Into::into),
            bytes: bytes.map(Into::into),
        };
        let mut field = Field::new(kind);
        let file = field.folder.join("changed.txt");
        write(&field.folder, "changed.txt", "staged\n");
        field.sandbox.git(&field.folder, "add changed.txt");
        write(&field.folder, "changed.txt", "in work\n");
        // Edited since it went into the commit.
        field.exempt = vec![exempt(Some("earlier\n"), None)];
        field.waits(&["changed.txt"]);
        field.exempt = vec![exempt(None, None)];
        field.waits(&["changed.txt"]);
        field.exempt = vec![exempt(Some("in work\n"), None)];
        assert!(
            matches!(field.land(), Ok(LandingOutcome::Done { .. })),
            "{kind}"
        );
        assert_eq!(fs::read(&file).unwrap(), b"new\n");
        assert_eq!(field.sandbox.git(&field.folder, "status --porcelain"), "");

        // Not tracked by git: only the working copy changes.
        let mut field = Field::new(kind);
        write(&field.folder, "spec.log", "in work\n");
        field.exempt = vec![ExemptFile {
            path: "spec.log".into(),
            was: Some(b"in work\n".to_vec()),
            bytes: Some(b"completed\n".to_vec()),
        }];
        assert!(
            matches!(field.land(), Ok(LandingOutcome::Done { .. })),
            "{kind}"
        );
        assert_eq!(
            fs::read(field.folder.join("spec.log")).unwrap(),
            b"completed\n"
        );
        assert_eq!(field.sandbox.git(&field.folder, "status --porcelain"), "");
    }
}

#[test]
fn an_edit_made_at_the_last_moment_is_never_overwritten() {
    for (path, text) in [
        ("changed.txt", "mine\n"),
        ("deep/er/gone.txt", "mine\n"),
        ("added/here.txt", "mine\n"),
    ] {
        let field = Field::new(KINDS[0]);
        let reached = |moment: &'static str| {
            if moment == "index-locked" {
                write(&field.folder, path, text);
            }
            Ok(())
        };
        let waits = LandingWait::Changes {
            checkout: field.folder.clone(),
            blocked_by: vec![path.into()],
        };
        assert_eq!(
            field.repo.land(&field.landing(), &reached),
            Ok(LandingOutcome::Waits(waits))
        );
        assert_eq!(fs::read(field.folder.join(path)).unwrap(), text.as_bytes());
        field.check_clean();
        for (file, text) in BEFORE.iter().filter(|(file, _)| *file != path) {
            assert_eq!(fs::read(field.folder.join(file)).unwrap(), text.as_bytes());
        }
        assert_eq!(field.sandbox.id(&field.folder, "main"), field.old);
    }
}
