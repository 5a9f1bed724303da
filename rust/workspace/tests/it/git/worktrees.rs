//! Worktrees listed and removed.

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
        assert_eq!(repo.remove_worktree(&path), Err(unmerged), "{kind}");
        assert_eq!(listed(&repo).len(), 2);
    }
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
            sandbox.worktree(&folder, &path, "x");
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
        sandbox.worktree(&folder, &path, "x");
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
        sandbox.worktree(&folder, &path, "x");
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
                .contains("7 uncommitted changes (a.txt, new/1.txt,"),
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
