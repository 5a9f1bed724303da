//! Files as commits, the checkout and the index hold them.

use super::*;

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
            "missing", ".chant", ".chant/specs", "a.txt/b", ".chant/specs/*",
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

#[test]
fn files_below_a_folder_are_those_of_the_commit() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        for file in ["specs/b.md", "specs/a.md", "specs/old/c.md", "specs.md"] {
            write(&folder, file, "text\n");
        }
        sandbox.commit(&folder, "Second");
        fs::remove_dir_all(folder.join("specs")).unwrap();
        let repo = open(&folder);
        let below = |folder: &str| repo.files_below("main", folder).unwrap();
        let expected = ["specs/a.md", "specs/b.md", "specs/old/c.md"];
        assert_eq!(below("specs"), expected, "{kind}");
        assert!(below("nothing").is_empty() && below("a.txt").is_empty());
        assert!(repo.files_below("main", "../specs").is_err());
    }
}

#[test]
fn the_last_commits_are_named_the_newest_first() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        write(&folder, "b.txt", "b\n");
        let second = sandbox.commit(&folder, "Second <b> of all");
        write(&folder, "b.txt", "c\n");
        let third = sandbox.commit(&folder, "Third");
        let found = open(&folder).recent_commits(&third, 2).unwrap();
        let named: Vec<(&str, &str)> = found
            .iter()
            .map(|commit| (commit.id.as_str(), commit.subject.as_str()))
            .collect();
        assert_eq!(
            named,
            [(third.as_str(), "Third"), (&second, "Second <b> of all")],
            "{kind}"
        );
        assert!(found.iter().all(|commit| commit.seconds > 1_000_000_000));
        assert_eq!(open(&folder).recent_commits(&third, 99).unwrap().len(), 3);
    }
}
