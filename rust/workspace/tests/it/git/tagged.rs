//! Commits that carry a tag.

use super::*;

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
            "2026-01-22-001-x7m.1", "2026-01-22-001-x7m", "other", "inner", "none", "", "open",
        ] {
            check_tagged(&sandbox, &repo, &folder, HistoryStart::Head, tag);
            check_tagged(&sandbox, &repo, &folder, HistoryStart::Branch("main"), tag);
        }
        let found = repo
            .tagged(HistoryStart::Head, "2026-01-22-001-x7m.1")
            .unwrap();
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
            repo.tagged(HistoryStart::Head, "open, chant(inner")
                .unwrap()
                .len(),
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
        assert_eq!(
            repo.tagged(HistoryStart::Head, "x"),
            Ok(Vec::new()),
            "{kind}"
        );
        sandbox.commit(&folder, "chant(x): first");
        assert_eq!(repo.tagged(HistoryStart::Head, "x").unwrap().len(), 1);
        assert_eq!(
            repo.tagged(HistoryStart::Branch("none"), "x"),
            Ok(Vec::new())
        );
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
                check_tagged(&sandbox, &repo, &folder, HistoryStart::Head, tag);
                check_tagged(&sandbox, &repo, &folder, HistoryStart::Branch("main"), tag);
            }
            let found = repo.tagged(HistoryStart::Head, "x").unwrap();
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
            subjects(&repo.tagged(HistoryStart::Branch("main"), "x").unwrap()),
            ["chant(x): side"]
        );
        sandbox.git(&folder, "gc -q --prune=now");
        assert_eq!(check("gc"), "gc: chant(x): side");
        sandbox.git(&folder, "worktree add -q -b third ../linked");
        sandbox.commit(&linked, "chant(x): in another checkout");
        check_tagged(&sandbox, &repo, &folder, HistoryStart::Branch("third"), "x");
        sandbox.git(&folder, "merge -q --no-ff -m Merge third");
        assert_eq!(
            check("merge"),
            "merge: chant(x): side, chant(x): in another checkout"
        );
        sandbox.git(&folder, "switch -q --detach HEAD~1");
        assert_eq!(check("detached"), "detached: chant(x): side");
        check_tagged(&sandbox, &open(&linked), &linked, HistoryStart::Head, "x");
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
            check_tagged(&sandbox, &repo, &folder, HistoryStart::Head, tag);
        }
        assert_eq!(
            repo.tagged(HistoryStart::Head, "every").unwrap().len(),
            300,
            "{kind}"
        );
        // More tips than are kept, forth and back.
        for back in [0, 50, 100, 150, 200, 250, 0, 100, 250] {
            sandbox.git_with(&folder, "branch -q -f moving", &[&format!("main~{back}")]);
            check_tagged(
                &sandbox,
                &repo,
                &folder,
                HistoryStart::Branch("moving"),
                "tag-3",
            );
        }
        let tip = sandbox.id(&folder, "HEAD");
        import(&sandbox, &folder, &tip, 300..350);
        check_tagged(&sandbox, &repo, &folder, HistoryStart::Head, "tag-3");
        assert_eq!(
            repo.tagged(HistoryStart::Head, "every"),
            open(&folder).tagged(HistoryStart::Head, "every")
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
        let found = open(&folder).tagged(HistoryStart::Head, "x").unwrap();
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
        let found = open(&folder).tagged(HistoryStart::Head, "x").unwrap();
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
            subjects(&repo.tagged(HistoryStart::Head, "x").unwrap()),
            ["chant(x): 4", "chant(x): 5"],
            "{kind}"
        );
        sandbox.git(&folder, "fetch -q --deepen=1");
        assert_eq!(repo.tagged(HistoryStart::Head, "x").unwrap().len(), 3);
        sandbox.git(&folder, "fetch -q --unshallow");
        assert_eq!(repo.tagged(HistoryStart::Head, "x").unwrap().len(), 5);
        check_tagged(&sandbox, &repo, &folder, HistoryStart::Head, "x");
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
        subjects(&repo.tagged(HistoryStart::Head, "x").unwrap()),
        ["chant(x): kept"]
    );
    fs::rename(sandbox.path("object"), &object).unwrap();
    assert_eq!(repo.tagged(HistoryStart::Head, "x").unwrap().len(), 2);
}

#[test]
fn threads_may_share_a_repository() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    sandbox.commit(&folder, "chant(x): one");
    let repo = open(&folder);
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| repo.tagged(HistoryStart::Head, "x").unwrap().len()))
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

/// A partial clone lacks the blobs of older commits until somebody who acts asks for one: a look fetches
/// nothing.
#[test]
fn a_partial_clone_answers_and_an_act_fetches_what_it_lacks() {
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
        check_tagged(&sandbox, &repo, &folder, HistoryStart::Head, "x");
        assert_eq!(repo.uncommitted(&folder).unwrap(), [""; 0]);
        assert_eq!(repo.is_merged("main", "main"), Ok(true));
        assert!(repo.is_tracked(Path::new("a.txt")).unwrap());
        assert!(repo.file_at("HEAD~1", "a.txt").is_err(), "{filter}");
        let _act = repo.begin_act();
        assert_eq!(
            repo.file_at("HEAD~1", "a.txt").unwrap().unwrap(),
            b"a\n",
            "{filter}"
        );
        assert_eq!(repo.file_at("HEAD~1", "none").unwrap(), None);
        rename(&folder, "a.txt", "b.txt");
        repo.stage_move(Path::new("a.txt"), Path::new("b.txt"))
            .unwrap();
        assert_eq!(
            sandbox.git(&folder, "status --porcelain"),
            "R  a.txt -> b.txt"
        );
    }
}
