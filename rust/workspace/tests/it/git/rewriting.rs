//! Branches that are squashed, or rewritten on top of their target, in memory; and what says later that they landed.

use chant_git::merge::{FileResolution, FileSides, MergeOutcome, MergeRequest, MergeStyle};

use super::*;

/// The trailer of the runtime's own commits.
const OWN: &str = "Chant-Bookkeeping: true";

/// A repository whose branch `work` has commits of several kinds, and whose main went on.
fn worked(kind: &str) -> (Sandbox, PathBuf, Repo) {
    let sandbox = Sandbox::new();
    let folder = sandbox.init("project", kind);
    write(&folder, "spec.md", "begun\n");
    write(&folder, "a.txt", "1\n2\n3\n4\n5\n6\n7\n");
    sandbox.commit(&folder, "Before");
    sandbox.git(&folder, "switch -q -c work");
    write(&folder, "kept.txt", "by the runtime\n");
    sandbox.commit(&folder, &format!("Begin\n\n{OWN}"));
    write(&folder, "a.txt", "one\n2\n3\n4\n5\n6\n7\n");
    sandbox.git(&folder, "add -A");
    let author = [
        "--author=Robo <robo@example.org>",
        "--date=@1767319445 -0330",
    ];
    let message = ["-m", "First", "-m", "With a body."];
    sandbox.git_with(&folder, "commit -q", &[&author[..], &message].concat());
    write(&folder, "spec.md", "ticked\n");
    sandbox.commit(&folder, "Ticked alone");
    write(&folder, "b.txt", "b\n");
    sandbox.commit(&folder, "Second");
    sandbox.git(&folder, "switch -q main");
    write(&folder, "a.txt", "1\n2\n3\n4\n5\n6\nseven\n");
    sandbox.commit(&folder, "Main");
    let repo = open(&folder);
    (sandbox, folder, repo)
}

fn request(asked: &[String], style: MergeStyle) -> MergeRequest<'_> {
    MergeRequest {
        ours: "main",
        theirs: "work",
        asked,
        message: "Land work",
        fast_forward: false,
        replaced: &[],
        style,
        hooks: None,
    }
}

/// Resolves the spec to a text that says how many commits were rewritten.
fn completed(path: &str, sides: FileSides<'_>) -> FileResolution {
    assert_eq!(path, "spec.md");
    FileResolution::Bytes(format!("done by {}\n", sides.rewritten.len()).into_bytes())
}

#[track_caller]
fn landed(repo: &Repo, style: MergeStyle) -> String {
    let asked = ["spec.md".to_owned()];
    match repo.merge(&request(&asked, style), &completed) {
        Ok(MergeOutcome::Commit { commit, .. }) => commit,
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn a_squashed_branch_is_one_commit_on_its_target() {
    for kind in KINDS {
        let (sandbox, folder, repo) = worked(kind);
        let commit = landed(&repo, MergeStyle::Squash);
        let show = |form: &str| sandbox.git_with(&folder, "log -1", &[form, &commit]);
        assert_eq!(show("--format=%P"), sandbox.id(&folder, "main"), "{kind}");
        assert_eq!(show("--format=%B"), "Land work");
        let file = |name: &str| sandbox.git(&folder, &format!("show {commit}:{name}"));
        assert_eq!(file("a.txt"), "one\n2\n3\n4\n5\n6\nseven");
        assert_eq!((&*file("b.txt"), &*file("spec.md")), ("b", "done by 0"));
        sandbox.git(&folder, &format!("update-ref refs/heads/main {commit}"));
        let again = repo.merge(&request(&[], MergeStyle::Squash), &|_, _| {
            FileResolution::Default
        });
        assert!(
            matches!(again, Ok(MergeOutcome::Conflicts(_))),
            "{kind}: the spec says something else there: {again:?}"
        );
    }
}

#[test]
fn a_rewritten_branch_has_its_commits_one_by_one_and_a_last_one() {
    for kind in KINDS {
        let (sandbox, folder, repo) = worked(kind);
        let commit = landed(&repo, MergeStyle::Rebase);
        let range = format!("main..{commit}");
        let log = |form: &str| sandbox.git_with(&folder, "log --reverse", &[form, &range]);
        assert_eq!(log("--format=%s"), "First\nSecond\nLand work", "{kind}");
        let first = log("--format=%an|%ae|%ad|%b")
            .lines()
            .next()
            .map(str::to_owned);
        let date = "Thu Jan 1 22:34:05 2026 -0330";
        assert_eq!(
            first,
            Some(format!("Robo|robo@example.org|{date}|With a body.")),
            "{kind}"
        );
        assert!(!log("--format=%cn").contains("Robo"));
        let changed =
            |at: &str| sandbox.git(&folder, &format!("show --format= --name-only {commit}{at}"));
        // What the runtime's own commit held goes along with the next one.
        assert_eq!(changed("~2"), "a.txt\nkept.txt", "{kind}");
        assert_eq!((&*changed("~1"), &*changed("")), ("b.txt", "spec.md"));
        let spec = sandbox.git(&folder, &format!("show {commit}:spec.md"));
        assert_eq!(spec, "done by 2");
    }
}

#[test]
fn a_commit_that_is_in_conflict_alone_is_named() {
    for kind in KINDS {
        let (sandbox, folder, repo) = worked(kind);
        sandbox.git(&folder, "switch -q work");
        write(&folder, "a.txt", "one\n2\n3\n4\n5\n6\n7 and\n");
        sandbox.commit(&folder, "There");
        write(&folder, "a.txt", "one\n2\n3\n4\n5\n6\n7\n");
        sandbox.commit(&folder, "And back");
        sandbox.git(&folder, "switch -q main");
        let refused = repo.merge(&request(&[], MergeStyle::Rebase), &completed);
        let Err(GitError::NotRewritten { subject, paths, .. }) = refused else {
            panic!("{kind}: {refused:?}");
        };
        assert_eq!((&*subject, &*paths), ("There", &["a.txt".to_owned()][..]));
    }
}

#[test]
fn a_branch_that_landed_as_others_counts_as_merged_as_far_as_it_did() {
    for kind in KINDS {
        let (sandbox, folder, repo) = worked(kind);
        let tip = sandbox.id(&folder, "work");
        let draft = landed(&repo, MergeStyle::Squash);
        let name = repo.keep_landed_branch("work", "main", &draft).unwrap();
        assert_eq!(name.as_deref(), Some("refs/chant/landed/work/1"), "{kind}");
        assert!(
            !repo.is_merged("work", "main").unwrap(),
            "it did not land yet"
        );
        // What did not come about is no second ref.
        let commit = landed(&repo, MergeStyle::Rebase);
        for _ in 0..2 {
            let again = repo.keep_landed_branch("work", "main", &commit).unwrap();
            assert_eq!(again, name, "{kind}");
        }
        sandbox.git(&folder, &format!("update-ref refs/heads/main {commit}"));
        assert!(repo.is_merged("work", "main").unwrap(), "{kind}");
        let found = repo.landed_as("work", &tip, &commit).unwrap().unwrap();
        assert_eq!((found.commit, found.tip), (commit.clone(), tip.clone()));
        assert_eq!(repo.commits_beyond(&draft, &draft).unwrap(), [""; 0]);
        let before = sandbox.id(&folder, "main~3");
        assert_eq!(repo.commits_beyond(&before, &commit).unwrap().len(), 3);
        sandbox.git(&folder, "reset -q --hard");
        sandbox.git(&folder, "switch -q work");
        let more = sandbox.commit(&folder, "More");
        sandbox.git(&folder, "switch -q main");
        assert!(!repo.is_merged("work", "main").unwrap(), "{kind}: {more}");
        sandbox.git(&folder, &format!("update-ref refs/heads/work {tip}"));
        repo.delete_backed_up_branch("work").unwrap();
        assert_eq!(
            sandbox.id(&folder, "refs/chant/landed/work/1^2"),
            tip,
            "{kind}"
        );
    }
}
