//! A branch for work: its first commit, and what counts as work done since.

use chant_git::bookkeeping::{BranchStart, DiffStat, NewBranch, WorkQuery};

use super::*;

const SPEC: &str = ".chant/specs/x.md";

fn begin(repo: &Repo, files: &[(String, Vec<u8>)]) -> Result<BranchStart, GitError> {
    repo.begin_branch(&NewBranch {
        branch: "chant/x",
        target: "main",
        start: None,
        message: "Begin x\n",
        files,
    })
}

fn spec(text: &str) -> Vec<(String, Vec<u8>)> {
    vec![(SPEC.into(), text.into())]
}

#[test]
fn a_branch_begins_with_a_commit_of_the_runtime_and_no_checkout_notices() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        write(&folder, "a.txt", "dirty\n");
        write(&folder, SPEC, "draft\n");
        sandbox.git_with(&folder, "add", &[SPEC]);
        let before = sandbox.state(&folder);
        let target = sandbox.id(&folder, "main");
        let begun = begin(&open(&folder), &spec("at the start\n")).unwrap();
        assert_eq!(sandbox.state(&folder), before, "{kind}");
        assert_eq!(begun.target, target);
        assert_eq!(begun.commit, sandbox.id(&folder, "chant/x"));
        assert_eq!(sandbox.id(&folder, "chant/x^"), target);
        let said = sandbox.git(&folder, "log -1 --format=%an|%ae|%cn|%ce|%B chant/x");
        assert_eq!(
            said,
            "chant-mcp|chant-mcp@localhost|chant-mcp|chant-mcp@localhost|Begin x\n\nChant-Bookkeeping: true"
        );
        let changed = sandbox.git(&folder, "diff-tree -r --name-status main chant/x");
        assert_eq!(changed, format!("A\t{SPEC}"));
        let shown = sandbox.git_with(&folder, "show", &[&format!("chant/x:{SPEC}")]);
        assert_eq!(shown, "at the start");
        let logged = sandbox.git(&folder, "reflog show --format=%gs chant/x");
        assert_eq!(logged, "chant-mcp: work begins at main");
        sandbox.git(&folder, "fsck --strict");
    }
}

#[test]
fn the_first_commit_keeps_modes_and_stores_line_ends_as_git_would() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        write(&folder, "tools/run.sh", "one\n");
        write(&folder, ".gitattributes", "*.md text eol=crlf\n");
        sandbox.git(&folder, "add -A");
        sandbox.git(&folder, "update-index --chmod=+x tools/run.sh");
        sandbox.git(&folder, "commit -q -m modes");
        let mut files = spec("one\r\ntwo\r\n");
        files.push(("tools/run.sh".into(), b"two\n".to_vec()));
        begin(&open(&folder), &files).unwrap();
        let listed = sandbox.git(&folder, "ls-tree -r chant/x -- tools");
        assert!(listed.starts_with("100755 blob"), "{kind}: {listed}");
        let shown = sandbox.git_with(&folder, "cat-file -s", &[&format!("chant/x:{SPEC}")]);
        assert_eq!(shown, "8", "{kind}: line feeds only");
    }
}

#[test]
fn a_branch_without_files_begins_too() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let begun = begin(&open(&folder), &[]).unwrap();
        assert_eq!(sandbox.git(&folder, "diff main chant/x"), "");
        assert_ne!(begun.commit, begun.target, "{kind}");
    }
}

#[test]
fn what_a_branch_cannot_begin_at_is_named() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.init("project", kind);
        let repo = open(&folder);
        let unborn = begin(&repo, &[]).unwrap_err();
        let branch = "main".to_owned();
        assert_eq!(unborn, GitError::Unborn { branch }, "{kind}");
        assert!(unborn.to_string().contains("git commit"), "{unborn}");
        sandbox.commit(&folder, "First");
        sandbox.git(&folder, "branch chant/x");
        let tip = sandbox.id(&folder, "chant/x");
        let branch = "chant/x".to_owned();
        assert_eq!(begin(&repo, &[]), Err(GitError::BranchExists { branch }));
        assert_eq!(sandbox.id(&folder, "chant/x"), tip);
        sandbox.git(&folder, "branch -D chant/x");
        sandbox.git(&folder, "branch -m trunk");
        let branch = "main".to_owned();
        assert_eq!(begin(&repo, &[]), Err(GitError::NoBranch { branch }));
        assert_eq!(repo.branch_tip("chant/x"), Ok(None));
    }
}

/// Begins a branch in a repository and checks it out beside it.
fn begun(sandbox: &Sandbox, kind: &str) -> (PathBuf, PathBuf, Repo, BranchStart) {
    let folder = sandbox.repo(kind);
    let repo = open(&folder);
    let begun = begin(&repo, &spec("- [ ] it works\n")).unwrap();
    let tree = sandbox.path("tree");
    sandbox.worktree(&folder, &tree, "chant/x");
    (folder, tree, repo, begun)
}

#[track_caller]
fn check_evidence(
    repo: &Repo,
    begun: &BranchStart,
    target: Option<&str>,
    expected: &[&str],
    work: bool,
) {
    let besides = [SPEC.to_owned()];
    let since = WorkQuery {
        branch: "chant/x",
        base: &begun.commit,
        target,
        besides: &besides,
    };
    let evidence = repo.evidence(&since).unwrap();
    let commits = evidence.commits.iter();
    let told: Vec<String> = commits
        .map(|commit| format!("{}: {}", commit.subject, commit.paths.join(" ")))
        .collect();
    assert_eq!(told, expected);
    assert_eq!(evidence.is_work, work);
}

#[test]
fn only_commits_of_somebodys_own_are_evidence_and_the_spec_alone_is_no_work() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let (folder, tree, repo, begun) = begun(&sandbox, kind);
        check_evidence(&repo, &begun, None, &[], false);
        write(&tree, SPEC, "- [x] it works\n");
        sandbox.commit(&tree, "Tick");
        let tick = format!("Tick: {SPEC}");
        check_evidence(&repo, &begun, None, &[&tick], false);
        sandbox.commit(&tree, "Books\n\nChant-Bookkeeping: true");
        sandbox.commit(&tree, "Nothing");
        check_evidence(&repo, &begun, None, &[&tick, "Nothing: "], false);
        write(&tree, "deep/file with ümlaut", "work\n");
        fs::remove_file(tree.join("a.txt")).unwrap();
        sandbox.commit(&tree, "Work\non two lines\n\nChant-Bookkeeping: false");
        let work = "Work on two lines: a.txt deep/file with ümlaut";
        check_evidence(&repo, &begun, None, &[&tick, "Nothing: ", work], true);
        let stat = repo.diff_stat(&begun.commit, "chant/x").unwrap();
        let expected = DiffStat {
            files: 3,
            insertions: 2,
            deletions: 2,
        };
        assert_eq!(stat, expected, "{kind}");
        assert_eq!(sandbox.git(&folder, "status --porcelain"), "");
    }
}

#[test]
fn what_a_branch_merged_from_its_target_is_not_its_work() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let (folder, tree, repo, begun) = begun(&sandbox, kind);
        write(&folder, "theirs.txt", "t\n");
        sandbox.commit(&folder, "On main");
        sandbox.clock.set(sandbox.clock.get() + 60);
        sandbox.git(&tree, "merge -q --no-edit main");
        let merged = ["Merge branch 'main' into chant/x: "];
        check_evidence(&repo, &begun, Some("main"), &merged, false);
        // What a merge adds to both sides is somebody's work.
        write(&tree, "mine.txt", "m\n");
        sandbox.git(&tree, "add mine.txt");
        sandbox.git(&tree, "commit -q --amend --no-edit");
        let merged = ["Merge branch 'main' into chant/x: mine.txt"];
        check_evidence(&repo, &begun, Some("main"), &merged, true);
        // A branch that was rebased carries a copy of the first commit.
        sandbox.git(&tree, "reset -q --hard");
        sandbox.git_with(&tree, "reset -q --hard", &[&begun.commit]);
        write(&tree, "work.txt", "w\n");
        sandbox.commit(&tree, "Work");
        sandbox.git(&tree, "rebase -q main");
        check_evidence(&repo, &begun, Some("main"), &["Work: work.txt"], true);
    }
}
