//! Worktrees made, listed and removed.

use super::*;

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
