//! Branches kept and deleted.

use super::*;

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
fn the_lock_of_a_killed_process_keeps_no_backup_from_its_place() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    write(&folder, ".git/refs/chant/backup/x/1.lock", "");
    let kept = open(&folder).back_up("main", "x").unwrap();
    assert_eq!(kept.as_deref(), Some("refs/chant/backup/x/2"));
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
fn a_branch_in_use_is_not_deleted() {
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
            assert_eq!(repo.delete_backed_up_branch(branch), Err(in_use), "{kind}");
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
