//! Where a branch is checked out, or not.

use chant_git::land::{LandingOutcome, LandingWait};

use super::landing::{Field, work};
use super::*;

fn done(checkouts: &[&Path]) -> LandingOutcome {
    let checkouts = checkouts.iter().map(|path| (*path).to_owned());
    LandingOutcome::Done {
        checkouts: checkouts.collect(),
    }
}

#[test]
fn a_branch_that_is_checked_out_nowhere_just_moves() {
    for kind in KINDS {
        for words in ["switch -q -c mine", "switch -q --detach"] {
            let field = Field::new(kind);
            field.sandbox.git(&field.folder, words);
            write(&field.folder, "changed.txt", "mine\n");
            fs::write(field.folder.join(".git/index.lock"), "").unwrap();
            let before = field.sandbox.state(&field.folder);
            assert_eq!(field.land(), Ok(done(&[])), "{kind}");
            assert_eq!(field.sandbox.state(&field.folder), before);
            assert_eq!(field.sandbox.id(&field.folder, "main"), field.new);
            let logged = field
                .sandbox
                .git(&field.folder, "reflog -1 --format=%gs main");
            assert_eq!(logged, "chant-mcp: x landed");
        }
    }
}

#[test]
fn in_a_bare_repository_the_branch_just_moves() {
    for kind in KINDS {
        let mut field = Field::new(kind);
        let bare = field.sandbox.path("bare.git");
        field
            .sandbox
            .git(&field.folder, "clone -q --bare . ../bare.git");
        field.sandbox.settle(&bare);
        field.repo = open(&bare);
        field.folder.clone_from(&bare);
        field.merge();
        assert_eq!(field.land(), Ok(done(&[])), "{kind}");
        assert_eq!(field.sandbox.id(&bare, "main"), field.new);
        field.sandbox.git(&bare, "fsck --strict");
        // A worktree of it that is on main comes along.
        field.sandbox.git(&bare, "worktree add -q ../linked main");
        let tree = field.sandbox.path("more");
        field.sandbox.git(&bare, "worktree add -q ../more work");
        write(&tree, "other.txt", "more\n");
        field.sandbox.commit(&tree, "More");
        field.merge();
        let linked = field.sandbox.path("linked");
        assert_eq!(field.land(), Ok(done(&[&linked])), "{kind}");
        assert_eq!(fs::read(linked.join("other.txt")).unwrap(), b"more\n");
        assert_eq!(field.sandbox.git(&linked, "status --porcelain"), "");
    }
}

#[test]
fn a_linked_worktree_on_the_branch_comes_along_and_others_stay() {
    for kind in KINDS {
        let field = Field::new(kind);
        field.sandbox.git(&field.folder, "switch -q -c mine");
        field
            .sandbox
            .git(&field.folder, "worktree add -q ../linked main");
        let linked = field.sandbox.path("linked");
        write(&field.folder, "changed.txt", "mine\n");
        write(&linked, "other.txt", "edited\n");
        let before = field.sandbox.state(&field.folder);
        let repo = open(&linked);
        // Whichever checkout it is asked from.
        let blocked = || {
            write(&linked, "changed.txt", "edited\n");
            let waits = LandingWait::Changes {
                checkout: linked.clone(),
                blocked_by: vec!["changed.txt".into()],
            };
            assert_eq!(
                repo.land(&field.landing(), &|_| Ok(())),
                Ok(LandingOutcome::Waits(waits))
            );
            write(&linked, "changed.txt", "old\n");
        };
        blocked();
        assert_eq!(field.land(), Ok(done(&[&linked])), "{kind}");
        assert_eq!(field.sandbox.state(&field.folder), before);
        assert_eq!(
            field.sandbox.git(&linked, "status --porcelain"),
            " M other.txt"
        );
        assert_eq!(fs::read(linked.join("changed.txt")).unwrap(), b"new\n");
        let logged = field.sandbox.git(&linked, "reflog -1 --format=%gs HEAD");
        assert_eq!(logged, "chant-mcp: x landed");
    }
}

#[test]
fn all_checkouts_of_a_branch_come_along_or_none() {
    for kind in KINDS {
        let field = Field::new(kind);
        field
            .sandbox
            .git(&field.folder, "worktree add -q -f ../second main");
        let second = field.sandbox.path("second");
        write(&second, "changed.txt", "mine\n");
        let before = (
            field.sandbox.state(&field.folder),
            field.sandbox.state(&second),
        );
        let waits = LandingWait::Changes {
            checkout: second.clone(),
            blocked_by: vec!["changed.txt".into()],
        };
        assert_eq!(field.land(), Ok(LandingOutcome::Waits(waits)), "{kind}");
        assert_eq!(
            (
                field.sandbox.state(&field.folder),
                field.sandbox.state(&second)
            ),
            before
        );
        write(&second, "changed.txt", "old\n");
        assert_eq!(field.land(), Ok(done(&[&field.folder, &second])));
        for folder in [&field.folder, &second] {
            assert_eq!(field.sandbox.git(folder, "status --porcelain"), "");
        }
    }
}

#[test]
fn a_worktree_whose_folder_is_gone_is_waited_for_only_if_the_user_locked_it() {
    for kind in KINDS {
        let field = Field::new(kind);
        field.sandbox.git(&field.folder, "switch -q -c mine");
        field
            .sandbox
            .git(&field.folder, "worktree add -q --lock ../linked main");
        let checkout = field.sandbox.path("linked");
        fs::remove_dir_all(&checkout).unwrap();
        assert_eq!(
            field.land(),
            Ok(LandingOutcome::Waits(LandingWait::Away { checkout })),
            "{kind}"
        );
        field
            .sandbox
            .git(&field.folder, "worktree unlock ../linked");
        assert_eq!(field.land(), Ok(done(&[])));
    }
}

#[test]
fn submodules_move_as_links_only() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let library = sandbox.init("library", kind);
        write(&library, "lib.txt", "one\n");
        let first = sandbox.commit(&library, "One");
        write(&library, "lib.txt", "two\n");
        let second = sandbox.commit(&library, "Two");
        let add = |folder: &Path, name: &str, commit: &str| {
            sandbox.git(
                folder,
                &format!("submodule add -q {} {name}", library.display()),
            );
            sandbox.git(&folder.join(name), &format!("checkout -q {commit}"));
        };
        let mut field = Field::with(
            kind,
            |folder| {
                add(folder, "moved", &first);
                add(folder, "gone", &first);
            },
            |tree| {
                let cacheinfo = |name: &str, id: &str| {
                    sandbox.git(
                        tree,
                        &format!("update-index --add --cacheinfo 160000,{id},{name}"),
                    );
                };
                cacheinfo("moved", &second);
                cacheinfo("new", &second);
                sandbox.git(tree, "rm -q --cached gone");
                fs::remove_dir_all(tree.join("gone")).unwrap();
                fs::create_dir_all(tree.join("moved")).unwrap();
                fs::create_dir_all(tree.join("new")).unwrap();
                sandbox.git(tree, "commit -q -m Submodules");
                // What follows adds all.
                sandbox.git(tree, "config core.excludesFile /dev/null");
            },
        );
        field.merge();
        write(&field.folder, "moved/lib.txt", "mine\n");
        sandbox.git(&field.folder, "submodule --quiet deinit -f gone");
        let status = sandbox.git(&field.folder, "status --porcelain");
        let tree = sandbox.git(&field.folder, "write-tree");
        let moved = sandbox.git(
            &field.folder,
            &format!("commit-tree -p main -m moved {tree}"),
        );
        let go_on = |moment: &'static str| {
            if moment == "after-index" {
                sandbox.git(
                    &field.folder,
                    &format!("update-ref refs/heads/main {moved}"),
                );
            }
            Ok(())
        };
        let landed = field.repo.land(&field.landing(), &go_on);
        assert!(matches!(landed, Ok(LandingOutcome::Moved { .. })), "{kind}");
        assert_eq!(sandbox.git(&field.folder, "status --porcelain"), status);
        sandbox.git(
            &field.folder,
            &format!("update-ref refs/heads/main {}", field.old),
        );
        sandbox.git(&field.folder, "submodule --quiet update --init gone");
        let before = fs::read(field.folder.join("gone/lib.txt")).unwrap();
        assert_eq!(field.land(), Ok(done(&[&field.folder])), "{kind}");
        assert_eq!(
            fs::read(field.folder.join("moved/lib.txt")).unwrap(),
            b"mine\n"
        );
        assert_eq!(fs::read(field.folder.join("gone/lib.txt")).unwrap(), before);
        assert!(field.folder.join("new").is_dir());
        let entries = sandbox.git(&field.folder, "ls-files --stage moved new gone");
        assert_eq!(
            entries,
            format!("160000 {second} 0\tmoved\n160000 {second} 0\tnew")
        );
        assert_eq!(sandbox.id(&field.folder.join("moved"), "HEAD"), first);
    }
}

#[test]
fn a_checkout_on_another_disk_lands_too() {
    let elsewhere = Path::new("/dev/shm");
    let field = Field::new(KINDS[0]);
    let is_other = |path: &Path| {
        use std::os::unix::fs::MetadataExt as _;
        path.metadata().map(|metadata| metadata.dev()).ok()
    };
    if !elsewhere.is_dir() || is_other(elsewhere) == is_other(&field.folder) {
        return;
    }
    let folder = TempDir::new_in(elsewhere).unwrap();
    let linked = folder.path().join("linked");
    field.sandbox.git(&field.folder, "switch -q -c mine");
    field.sandbox.git(
        &field.folder,
        &format!("worktree add -q {} main", linked.display()),
    );
    write(&linked, "other.txt", "mine\n");
    assert_eq!(field.land(), Ok(done(&[&linked])));
    assert_eq!(
        field.sandbox.git(&linked, "status --porcelain"),
        " M other.txt"
    );
    let names = fs::read_dir(&linked)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    assert!(
        !names
            .into_iter()
            .any(|name| name.to_string_lossy().starts_with(".chant-"))
    );
}

#[test]
fn caches_in_the_index_do_not_mislead() {
    for switch in ["--untracked-cache", "--split-index"] {
        let field = Field::with(
            KINDS[0],
            |folder| {
                for (file, text) in super::landing::BEFORE {
                    write(folder, file, text);
                }
            },
            work,
        );
        field
            .sandbox
            .git_with(&field.folder, "update-index", &[switch]);
        write(&field.folder, "other.txt", "mine\n");
        write(&field.folder, "untracked.txt", "u\n");
        field.lands();
    }
}

#[test]
fn a_partial_clone_fetches_what_lands() {
    let mut field = Field::new(KINDS[0]);
    for setting in ["allowFilter", "allowAnySHA1InWant"] {
        field
            .sandbox
            .git(&field.folder, &format!("config uploadpack.{setting} true"));
    }
    let clone = field.sandbox.path("clone");
    let words = format!(
        "clone -q --filter=blob:none file://{} clone",
        field.folder.display()
    );
    field.sandbox.git(&field.sandbox.path(""), &words);
    field.sandbox.settle(&clone);
    field.sandbox.git(&clone, "branch -q work origin/work");
    field.repo = open(&clone);
    field.folder = clone;
    field.merge();
    write(&field.folder, "other.txt", "mine\n");
    field.lands();
}
