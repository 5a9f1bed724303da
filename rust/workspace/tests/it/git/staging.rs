//! Staging a move without touching anything else in the index.

use super::*;

/// A checkout with every kind of entry an index can hold beside the one that moves.
fn busy_checkout(sandbox: &Sandbox, kind: &str) -> PathBuf {
    let folder = sandbox.repo(kind);
    for file in [
        "spec.md", "staged.txt", "both.txt", "hidden.txt", "assumed.txt", "clash.txt",
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
