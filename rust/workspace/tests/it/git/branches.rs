//! HEAD, branches and revisions.

use super::*;

#[test]
fn head_is_a_branch_an_unborn_branch_or_a_commit() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.init("project", kind);
        let repo = open(&folder);
        let name = "main".to_owned();
        assert_eq!(
            repo.head().unwrap(),
            CheckoutHead::Unborn { name: name.clone() },
            "{kind}"
        );
        let commit = sandbox.commit(&folder, "First");
        assert_eq!(
            repo.head().unwrap(),
            CheckoutHead::Branch {
                name,
                commit: commit.clone()
            }
        );
        sandbox.git(&folder, "switch -q -c feature/deep/one.two");
        assert_eq!(repo.head().unwrap().branch(), Some("feature/deep/one.two"));
        sandbox.git(&folder, "switch -q --detach");
        assert_eq!(repo.head().unwrap(), CheckoutHead::Detached { commit });
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
            is_invalid(repo.tagged(HistoryStart::Branch(name), "x").unwrap_err());
            is_invalid(repo.is_merged(name, "main").unwrap_err());
            is_invalid(repo.back_up(name, "x").unwrap_err());
            is_invalid(repo.delete_backed_up_branch(name).unwrap_err());
            is_invalid(repo.keep_base(name, Some("main")).unwrap_err());
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

#[test]
fn a_commit_may_be_named_by_any_revision_and_a_branch_goes_before_a_tag() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let first = sandbox.id(&folder, "main");
        let second = sandbox.commit(&folder, "Second");
        sandbox.git(&folder, "tag main main~1");
        sandbox.git(&folder, "tag -a -m kept old main");
        let repo = open(&folder);
        for (revision, expected) in [
            ("main", &second),
            ("old", &first),
            ("heads/main~1", &first),
            (&second[..10], &second),
            (&first, &first),
        ] {
            assert_eq!(
                &repo.commit(revision).unwrap(),
                expected,
                "{kind} {revision}"
            );
        }
    }
}

#[test]
fn a_ref_is_written_though_its_folder_goes_with_the_last_ref_of_others() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    let repo = open(&folder);
    let commit = sandbox.id(&folder, "main");
    let places = ["refs/heads/chant", "logs/refs/heads/chant"];
    let places = places.map(|place| folder.join(".git").join(place));
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                for place in &places {
                    // It goes while it is empty, as git removes it.
                    let _ = std::fs::remove_dir(place);
                }
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
        });
        let written: Result<Vec<()>, GitError> = (0..300)
            .map(|_| {
                repo.restore_branch("chant/x", &commit)?;
                for place in &places {
                    let _ = std::fs::remove_file(place.join("x"));
                }
                Ok(())
            })
            .collect();
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        written.unwrap();
    });
}
