//! What is in the way of a landing.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::Duration;

use chant_git::land::{LandingOutcome, LandingRequest, LandingWait};

use super::landing::{Field, work};
use super::*;

/// Changes a checkout, and what should then be in the way.
#[track_caller]
fn check(change: impl Fn(&Field), blocked_by: &[&str]) {
    check_in(KINDS[0], change, blocked_by);
}

#[track_caller]
fn check_in(kind: &str, change: impl Fn(&Field), blocked_by: &[&str]) {
    let field = Field::new(kind);
    change(&field);
    field.waits(blocked_by);
}

#[test]
fn an_edited_file_is_in_the_way() {
    for kind in KINDS {
        let edit = |field: &Field| write(&field.folder, "changed.txt", "mine\n");
        check_in(kind, edit, &["changed.txt"]);
    }
    check(
        |field| write(&field.folder, "deep/er/gone.txt", "mine\n"),
        &["deep/er/gone.txt"],
    );
    check(
        |field| {
            write(&field.folder, "changed.txt", "mine\n");
            fs::remove_file(field.folder.join("renamed.txt")).unwrap();
        },
        &["changed.txt"],
    );
    check(
        |field| fs::remove_file(field.folder.join("changed.txt")).unwrap(),
        &["changed.txt"],
    );
}

#[test]
fn a_staged_change_is_in_the_way_also_if_the_file_is_as_before() {
    check(
        |field| {
            write(&field.folder, "changed.txt", "mine\n");
            field.sandbox.git(&field.folder, "add changed.txt");
            write(&field.folder, "changed.txt", "old\n");
        },
        &["changed.txt"],
    );
    check(
        |field| {
            field
                .sandbox
                .git(&field.folder, "rm -q --cached changed.txt");
        },
        &["changed.txt"],
    );
    check(
        |field| {
            write(&field.folder, "added", "a file where a folder lands\n");
            field.sandbox.git(&field.folder, "add added");
            fs::remove_file(field.folder.join("added")).unwrap();
        },
        &["added"],
    );
    check(
        |field| {
            write(&field.folder, "new-name.txt/inside", "x\n");
            field.sandbox.git(&field.folder, "add new-name.txt");
            fs::remove_dir_all(field.folder.join("new-name.txt")).unwrap();
        },
        &["new-name.txt/inside"],
    );
}

#[test]
fn untracked_and_ignored_files_are_in_the_way() {
    check(
        |field| write(&field.folder, "added/here.txt", "mine\n"),
        &["added/here.txt"],
    );
    check(|field| write(&field.folder, "added", "mine\n"), &["added"]);
    check(
        |field| {
            write(&field.folder, ".git/info/exclude", "new-name.txt\nadded/\n");
            write(&field.folder, "new-name.txt", "ignored\n");
            write(&field.folder, "added/here.txt", "ignored\n");
        },
        &["added/here.txt", "new-name.txt"],
    );
    check(
        |field| {
            write(&field.folder, "new-name.txt/a.log", "ignored\n");
            write(&field.folder, "new-name.txt/deep/b", "untracked\n");
        },
        &["new-name.txt/a.log", "new-name.txt/deep/b"],
    );
    // The same bytes with the same mode are no difference, and an empty folder holds nothing.
    for kind in KINDS {
        let field = Field::new(kind);
        write(&field.folder, "added/here.txt", "added\n");
        fs::create_dir_all(field.folder.join("new-name.txt/empty")).unwrap();
        assert!(
            matches!(field.land(), Ok(LandingOutcome::Done { .. })),
            "{kind}"
        );
        assert_eq!(field.sandbox.git(&field.folder, "status --porcelain"), "");
    }
}

#[test]
fn links_folders_and_modes_of_the_users_are_in_the_way() {
    check(
        |field| {
            let rights = fs::Permissions::from_mode(0o755);
            fs::set_permissions(field.folder.join("changed.txt"), rights).unwrap();
        },
        &["changed.txt"],
    );
    check(
        |field| {
            fs::remove_file(field.folder.join("changed.txt")).unwrap();
            write(&field.folder, "changed.txt/file", "x\n");
        },
        &["changed.txt"],
    );
    check(
        |field| {
            fs::remove_file(field.folder.join("changed.txt")).unwrap();
            symlink("other.txt", field.folder.join("changed.txt")).unwrap();
        },
        &["changed.txt"],
    );
    // A folder that is a link now leads to the very same files, which are not ours to change.
    check(
        |field| {
            rename(&field.folder, "deep", ".git/elsewhere");
            symlink(".git/elsewhere", field.folder.join("deep")).unwrap();
        },
        &["deep"],
    );
    check(
        |field| symlink("/nowhere", field.folder.join("added")).unwrap(),
        &["added"],
    );
}

#[test]
fn what_has_not_ended_in_the_checkout_is_waited_for() {
    // Where refs lie in files, and where they lie in tables.
    for kind in [KINDS[0], KINDS[1]] {
        let check = |begin: &dyn Fn(&Sandbox, &Path), what: &'static str| {
            let field = Field::new(kind);
            begin(&field.sandbox, &field.folder);
            let before = field.sandbox.state(&field.folder);
            let checkout = field.folder.clone();
            let mut landing = field.landing();
            let tip = field.sandbox.id(&field.folder, "main");
            // What is started may have committed.
            landing.old = &tip;
            let merged = field.sandbox.git_with(
                &field.folder,
                "commit-tree -p main -p work -m merged",
                &[&format!("{}^{{tree}}", field.new)],
            );
            landing.new = &merged;
            let waits = LandingOutcome::Waits(LandingWait::UnderWay { checkout, what });
            assert_eq!(field.repo.land(&landing, &|_| Ok(())), Ok(waits), "{kind}");
            assert_eq!(field.sandbox.state(&field.folder), before);
        };
        let side = |sandbox: &Sandbox, folder: &Path| {
            sandbox.git(folder, "switch -q -c side");
            write(folder, "other.txt", "side\n");
            sandbox.commit(folder, "Side");
            sandbox.git(folder, "switch -q main");
            write(folder, "other.txt", "main\n");
            sandbox.commit(folder, "Main");
        };
        check(
            &|sandbox, folder| {
                side(sandbox, folder);
                assert!(sandbox.fails(folder, "merge -q side"));
            },
            "merge",
        );
        check(
            &|sandbox, folder| {
                side(sandbox, folder);
                assert!(sandbox.fails(folder, "cherry-pick side"));
            },
            "cherry-pick",
        );
        check(
            &|sandbox, folder| {
                side(sandbox, folder);
                write(folder, "other.txt", "more\n");
                sandbox.commit(folder, "More");
                assert!(sandbox.fails(folder, "revert --no-edit HEAD~1"));
            },
            "revert",
        );
        check(
            &|sandbox, folder| {
                side(sandbox, folder);
                assert!(sandbox.fails(folder, "rebase -q side"));
            },
            "rebase or bisection",
        );
        check(
            &|sandbox, folder| {
                sandbox.git(folder, "bisect start -q");
            },
            "bisection",
        );
    }
}

#[test]
fn a_lock_of_somebody_else_is_waited_for_and_then_told() {
    for kind in KINDS {
        let field = Field::new(kind);
        let lock = field.folder.join(".git/index.lock");
        let before = field.sandbox.state(&field.folder);
        for (text, run) in [("", None), ("chant-mcp run y-7\n", Some("y-7".to_owned()))] {
            fs::write(&lock, text).unwrap();
            let waits = LandingWait::Locked {
                lock: lock.clone(),
                run,
            };
            assert_eq!(field.land(), Ok(LandingOutcome::Waits(waits)), "{kind}");
            assert_eq!(fs::read_to_string(&lock).unwrap(), text);
        }
        let locks = field.repo.landing_locks().unwrap();
        assert_eq!(locks, [(lock.clone(), "y-7".to_owned())]);
        assert_eq!(field.repo.free_landing_lock(&lock, "x-1"), Ok(false));
        assert!(lock.exists());
        let patient = LandingRequest {
            lock_timeout: Duration::from_secs(20),
            ..field.landing()
        };
        std::thread::scope(|scope| {
            let landed = scope.spawn(|| open(&field.folder).land(&patient, &|_| Ok(())));
            assert_eq!(field.repo.free_landing_lock(&lock, "y-7"), Ok(true));
            assert!(matches!(
                landed.join().unwrap(),
                Ok(LandingOutcome::Done { .. })
            ));
        });
        assert_eq!(field.repo.landing_locks(), Ok(vec![]));
        assert_ne!(field.sandbox.state(&field.folder), before);
    }
}

#[test]
fn the_users_git_cannot_come_between() {
    let field = Field::new(KINDS[0]);
    write(&field.folder, "other.txt", "mine\n");
    let reached = |moment: &'static str| {
        if moment == "mid-files" {
            assert!(field.sandbox.fails(&field.folder, "add other.txt"));
            assert!(field.sandbox.fails(&field.folder, "switch work"));
        }
        Ok(())
    };
    let landed = field.repo.land(&field.landing(), &reached);
    assert!(matches!(landed, Ok(LandingOutcome::Done { .. })));
    assert_eq!(
        field.sandbox.git(&field.folder, "status --porcelain"),
        " M other.txt"
    );
}

#[test]
fn a_branch_that_moved_is_told_and_nothing_stays_changed() {
    for kind in KINDS {
        for moment in ["nothing", "index-locked", "mid-files", "after-index"] {
            let field = Field::new(kind);
            write(&field.folder, "other.txt", "mine\n");
            let tree = field.sandbox.git(&field.folder, "write-tree");
            let moved = field.sandbox.git(
                &field.folder,
                &format!("commit-tree -p main -m moved {tree}"),
            );
            let go_on = || {
                field.sandbox.git(
                    &field.folder,
                    &format!("update-ref refs/heads/main {moved}"),
                )
            };
            if moment == "nothing" {
                go_on();
            }
            let before = field.sandbox.state(&field.folder);
            let reached = |now: &'static str| {
                if now == moment {
                    go_on();
                }
                Ok(())
            };
            let landed = field.repo.land(&field.landing(), &reached);
            let now = Some(moved.clone());
            assert_eq!(landed, Ok(LandingOutcome::Moved { now }), "{kind} {moment}");
            let after = field.sandbox.state(&field.folder);
            assert_eq!(
                (&after.0, &after.1, &after.3),
                (&before.0, &before.1, &before.3)
            );
            assert_eq!(field.sandbox.id(&field.folder, "main"), moved);
            field.check_clean();
        }
    }
}

#[test]
fn history_is_never_taken_away() {
    for kind in KINDS {
        let field = Field::new(kind);
        let landing = LandingRequest {
            old: "work",
            new: "main",
            ..field.landing()
        };
        let refused = field.repo.land(&landing, &|_| Ok(())).unwrap_err();
        assert!(
            matches!(refused, GitError::NotAhead { .. }),
            "{kind}: {refused}"
        );
        assert_eq!(field.sandbox.id(&field.folder, "main"), field.old);
    }
}

#[test]
fn files_that_git_was_told_not_to_look_at_are_looked_at() {
    for kind in KINDS {
        let field = Field::new(kind);
        field
            .sandbox
            .git(&field.folder, "update-index --assume-unchanged changed.txt");
        write(&field.folder, "changed.txt", "a secret of mine\n");
        field.waits(&["changed.txt"]);
        write(&field.folder, "changed.txt", "old\n");
        field.lands();
        let listed = field.sandbox.git(&field.folder, "ls-files -v changed.txt");
        assert_eq!(listed, "h changed.txt", "{kind}: the user's flag stays");
    }
}

#[test]
fn a_sparse_checkout_stays_sparse() {
    for kind in KINDS {
        let before = |folder: &Path| {
            for (file, text) in super::landing::BEFORE {
                write(folder, file, text);
            }
            write(folder, "side/a.txt", "old\n");
        };
        let field = Field::with(kind, before, |tree| {
            work(tree);
            write(tree, "side/a.txt", "new\n");
        });
        field
            .sandbox
            .git(&field.folder, "sparse-checkout set --no-cone /* !/side/");
        assert!(!field.folder.join("side").exists());
        assert!(
            matches!(field.land(), Ok(LandingOutcome::Done { .. })),
            "{kind}"
        );
        assert!(!field.folder.join("side").exists());
        assert_eq!(field.sandbox.git(&field.folder, "status --porcelain"), "");
        assert_eq!(
            field.sandbox.git(&field.folder, "ls-files -t side"),
            "S side/a.txt"
        );
    }
}

#[test]
fn a_worktree_that_is_just_being_removed_hides_no_lock() {
    let field = Field::new(KINDS[0]);
    let (folder, sandbox) = (&field.folder, &field.sandbox);
    sandbox.git(folder, "worktree add -q -b side ../linked");
    fs::remove_file(sandbox.path("linked").join(".git")).unwrap();
    let lock = folder.join(".git/index.lock");
    fs::write(&lock, "chant-mcp run y-7\n").unwrap();
    let locks = field.repo.landing_locks().unwrap();
    assert_eq!(locks, [(lock, "y-7".to_owned())]);
}
