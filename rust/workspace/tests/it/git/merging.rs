//! Merges in memory.

use chant_git::merge::{
    ConflictKind, FileConflict, FileResolution, FileSides, MergeOutcome, MergeRequest, MergeStyle,
};

use super::*;

/// A repository whose main and whose branch `work` both went on from `before`.
fn forked(
    kind: &str,
    before: &[(&str, &str)],
    main: impl Fn(&Path),
    work: impl Fn(&Path),
) -> (Sandbox, PathBuf, Repo) {
    let sandbox = Sandbox::new();
    let folder = sandbox.init("project", kind);
    for (file, text) in before {
        write(&folder, file, text);
    }
    sandbox.commit(&folder, "Before");
    sandbox.git(&folder, "switch -q -c work");
    work(&folder);
    sandbox.commit(&folder, "Work");
    sandbox.git(&folder, "switch -q main");
    main(&folder);
    sandbox.commit(&folder, "Main");
    let repo = open(&folder);
    (sandbox, folder, repo)
}

fn merge(asked: &[String]) -> MergeRequest<'_> {
    MergeRequest {
        ours: "main",
        theirs: "work",
        asked,
        message: "Merge work",
        fast_forward: false,
        replaced: &[],
        style: MergeStyle::Merge,
        hooks: None,
    }
}

fn by_default(_: &str, _: FileSides<'_>) -> FileResolution {
    FileResolution::Default
}

#[track_caller]
fn commit_of(merged: Result<MergeOutcome, GitError>) -> String {
    match merged {
        Ok(MergeOutcome::Commit { commit, .. }) => commit,
        other => unreachable!("{other:?}"),
    }
}

fn in_conflict(files: &[(&str, ConflictKind)]) -> MergeOutcome {
    let files = files.iter().map(|(path, kind)| FileConflict {
        path: (*path).into(),
        kind: kind.clone(),
    });
    MergeOutcome::Conflicts(files.collect())
}

#[test]
fn a_merge_has_both_sides_and_two_parents_and_moves_nothing() {
    for kind in KINDS {
        let lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let (sandbox, folder, repo) = forked(
            kind,
            &[("a.txt", lines), ("gone.txt", "g\n"), ("old.txt", lines)],
            |folder| {
                write(folder, "a.txt", lines.replace('1', "one"));
                write(folder, "old.txt", lines.replace('2', "two"));
                write(folder, "main.txt", "m\n");
            },
            |folder| {
                write(folder, "a.txt", lines.replace('9', "nine"));
                fs::remove_file(folder.join("gone.txt")).unwrap();
                rename(folder, "old.txt", "new/name.txt");
                write(folder, "work.txt", "w\n");
            },
        );
        write(&folder, "a.txt", "dirty\n");
        let before = sandbox.state(&folder);
        let commit = commit_of(repo.merge(&merge(&[]), &by_default));
        assert_eq!(sandbox.state(&folder), before, "{kind}");
        let parents = sandbox.git_with(&folder, "log -1 --format=%P|%an|%s", &[&commit]);
        let (main, work) = (sandbox.id(&folder, "main"), sandbox.id(&folder, "work"));
        assert_eq!(parents, format!("{main} {work}|Grace|Merge work"));
        let listed = sandbox.git_with(&folder, "ls-tree -r --name-only", &[&commit]);
        assert_eq!(listed, "a.txt\nmain.txt\nnew/name.txt\nwork.txt", "{kind}");
        let read = |path: &str| repo.file_at(&commit, path).unwrap().unwrap();
        let both = lines.replace('1', "one").replace('9', "nine");
        assert_eq!(read("a.txt"), both.as_bytes());
        let renamed = lines.replace('2', "two");
        assert_eq!(read("new/name.txt"), renamed.as_bytes());
        sandbox.git(&folder, "fsck --strict");
    }
}

#[test]
fn conflicts_are_named_with_their_kinds_and_nothing_is_made() {
    for kind in KINDS {
        let before = [
            ("both", "0\n"),
            ("ours-gone", "0\n"),
            ("theirs-gone", "0\n"),
        ];
        let (sandbox, folder, repo) = forked(
            kind,
            &before,
            |folder| {
                write(folder, "both", "main\n");
                write(folder, "added", "main\n");
                fs::remove_file(folder.join("ours-gone")).unwrap();
                write(folder, "theirs-gone", "main\n");
            },
            |folder| {
                write(folder, "both", "work\n");
                write(folder, "added", "work\n");
                write(folder, "ours-gone", "work\n");
                fs::remove_file(folder.join("theirs-gone")).unwrap();
            },
        );
        let before = sandbox.state(&folder);
        let expected = in_conflict(&[
            ("added", ConflictKind::BothAdded),
            ("both", ConflictKind::BothModified),
            ("ours-gone", ConflictKind::DeletedByTarget),
            ("theirs-gone", ConflictKind::DeletedByBranch),
        ]);
        assert_eq!(repo.merge(&merge(&[]), &by_default), Ok(expected), "{kind}");
        assert_eq!(sandbox.state(&folder), before);
    }
}

#[test]
fn the_caller_is_asked_for_its_files_also_where_git_sees_no_conflict() {
    for kind in KINDS {
        let before = [
            ("spec.md", "base\n"),
            ("quiet.md", "base\n"),
            ("same", "0\n"),
        ];
        let (_sandbox, _folder, repo) = forked(
            kind,
            &before,
            |folder| write(folder, "spec.md", "main\n"),
            |folder| {
                write(folder, "spec.md", "work\n");
                write(folder, "quiet.md", "work\n");
                write(folder, "new.md", "work\n");
            },
        );
        let asked = ["spec.md", "quiet.md", "new.md", "nowhere.md"].map(str::to_owned);
        let told = std::cell::RefCell::new(Vec::new());
        let text = |side: Option<&[u8]>| {
            side.map_or("-".into(), |text| {
                String::from_utf8_lossy(text).trim().to_owned()
            })
        };
        let resolve = |path: &str, sides: FileSides<'_>| {
            let sides = [sides.base, sides.ours, sides.theirs].map(text).join(" ");
            told.borrow_mut().push(format!("{path} {sides}"));
            match path {
                "new.md" => FileResolution::Default,
                _ => FileResolution::Bytes(format!("merged {path}\n").into()),
            }
        };
        let commit = commit_of(repo.merge(&merge(&asked), &resolve));
        let expected = [
            "spec.md base main work",
            "quiet.md base base work",
            "new.md - - work",
        ];
        assert_eq!(*told.borrow(), expected, "{kind}");
        let read = |path: &str| repo.file_at(&commit, path).unwrap().unwrap();
        assert_eq!(read("spec.md"), b"merged spec.md\n");
        assert_eq!(read("quiet.md"), b"merged quiet.md\n");
        assert_eq!(read("new.md"), b"work\n");
        let refuse = |path: &str, _: FileSides<'_>| match path {
            "quiet.md" => FileResolution::Conflict("two titles".into()),
            _ => FileResolution::Default,
        };
        let expected = in_conflict(&[
            ("quiet.md", ConflictKind::Refused("two titles".into())),
            ("spec.md", ConflictKind::BothModified),
        ]);
        assert_eq!(repo.merge(&merge(&asked), &refuse), Ok(expected), "{kind}");
    }
}

#[test]
fn a_target_that_did_not_move_is_fast_forwarded_only_if_allowed_and_unchanged() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        sandbox.git(&folder, "switch -q -c work");
        write(&folder, "spec.md", "work\n");
        let commit = sandbox.commit(&folder, "Work");
        sandbox.git(&folder, "switch -q main");
        let repo = open(&folder);
        let asked = ["spec.md".to_owned()];
        let forward = MergeRequest {
            fast_forward: true,
            replaced: &[],
            ..merge(&asked)
        };
        let forwarded = Ok(MergeOutcome::FastForward { commit });
        assert_eq!(repo.merge(&forward, &by_default), forwarded, "{kind}");
        let same = |_: &str, _: FileSides<'_>| FileResolution::Bytes(b"work\n".to_vec());
        assert_eq!(repo.merge(&forward, &same), forwarded);
        let other = |_: &str, _: FileSides<'_>| FileResolution::Bytes(b"done\n".to_vec());
        commit_of(repo.merge(&forward, &other));
        commit_of(repo.merge(&merge(&asked), &by_default));
        sandbox.git(&folder, "merge -q --ff-only work");
        sandbox.commit(&folder, "More");
        assert_eq!(repo.merge(&forward, &other), Ok(MergeOutcome::Nothing));
    }
}

#[test]
fn modes_links_and_submodules_are_merged_as_git_merges_them() {
    for kind in KINDS {
        let (sandbox, folder, repo) = forked(
            kind,
            &[("run.sh", "1\n2\n3\n"), ("spec.md", "s\n")],
            |folder| write(folder, "run.sh", "one\n2\n3\n"),
            |folder| {
                use std::os::unix::fs::PermissionsExt as _;
                for file in ["run.sh", "spec.md"] {
                    let rights = fs::Permissions::from_mode(0o755);
                    fs::set_permissions(folder.join(file), rights).unwrap();
                }
                std::os::unix::fs::symlink("run.sh", folder.join("link")).unwrap();
            },
        );
        let asked = ["spec.md".to_owned()];
        let done = |_: &str, _: FileSides<'_>| FileResolution::Bytes(b"done\n".to_vec());
        let commit = commit_of(repo.merge(&merge(&asked), &done));
        let listed = sandbox.git_with(
            &folder,
            "ls-tree -r --format=%(objectmode)|%(path)",
            &[&commit],
        );
        assert_eq!(
            listed, "120000|link\n100755|run.sh\n100755|spec.md",
            "{kind}"
        );
    }
}

#[test]
fn the_users_merge_drivers_are_heeded() {
    let (sandbox, folder, repo) = forked(
        KINDS[0],
        &[
            ("list.txt", "0\n"),
            (".gitattributes", "list.txt merge=mine\n"),
        ],
        |folder| write(folder, "list.txt", "main\n"),
        |folder| write(folder, "list.txt", "work\n"),
    );
    let driver = "cat %A %B > merged.tmp && mv merged.tmp %A";
    sandbox.git_with(&folder, "config merge.mine.driver", &[driver]);
    let commit = commit_of(repo.merge(&merge(&[]), &by_default));
    let text = repo.file_at(&commit, "list.txt").unwrap().unwrap();
    assert_eq!(String::from_utf8_lossy(&text), "main\nwork\n");
}

#[test]
fn a_partial_clone_fetches_what_a_merge_needs() {
    let (sandbox, folder, _) = forked(
        KINDS[0],
        &[("a.txt", "1\n2\n3\n4\n5\n"), ("spec.md", "base\n")],
        |folder| write(folder, "a.txt", "one\n2\n3\n4\n5\n"),
        |folder| {
            write(folder, "a.txt", "1\n2\n3\n4\nfive\n");
            write(folder, "spec.md", "work\n");
        },
    );
    sandbox.git(&folder, "config uploadpack.allowFilter true");
    sandbox.git(&folder, "config uploadpack.allowAnySHA1InWant true");
    let url = format!("file://{}", folder.display());
    sandbox.git(
        &sandbox.path(""),
        &format!("clone -q --no-checkout --filter=blob:none {url} clone"),
    );
    let clone = sandbox.path("clone");
    sandbox.settle(&clone);
    sandbox.git(&clone, "branch -q work origin/work");
    let asked = ["spec.md".to_owned()];
    let done = |_: &str, _: FileSides<'_>| FileResolution::Bytes(b"done\n".to_vec());
    let repo = open(&clone);
    let commit = commit_of(repo.merge(&merge(&asked), &done));
    let read = |path: &str| repo.file_at(&commit, path).unwrap().unwrap();
    assert_eq!(read("a.txt"), b"one\n2\n3\n4\nfive\n");
    assert_eq!(read("spec.md"), b"done\n");
}

#[test]
fn a_merge_of_a_user_without_a_name_is_the_runtimes() {
    for kind in KINDS {
        let (sandbox, folder, repo) = forked(
            kind,
            &[],
            |folder| write(folder, "main.txt", "m\n"),
            |folder| write(folder, "work.txt", "w\n"),
        );
        sandbox.git(&folder, "config user.name ");
        sandbox.git(&folder, "config --unset user.email");
        sandbox.git_with(&folder, "config user.name", &[""]);
        let commit = commit_of(repo.merge(&merge(&[]), &by_default));
        let by = sandbox.git_with(&folder, "log -1 --format=%an|%ce", &[&commit]);
        assert_eq!(by, "chant-mcp|chant-mcp@localhost", "{kind}");
    }
}

#[test]
fn what_names_no_commit_is_refused() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    let refused = open(&folder).merge(&merge(&[]), &by_default).unwrap_err();
    let revision = "work".to_owned();
    assert_eq!(refused, GitError::NoCommit { revision });
}

fn write_program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_users_hooks_see_a_merge_beside_the_checkout_before_it_is_committed() {
    for kind in KINDS {
        let (sandbox, folder, repo) = forked(
            kind,
            &[],
            |folder| write(folder, "main.txt", "m\n"),
            |folder| write(folder, "work.txt", "w\n"),
        );
        let hook = |name: &str, text: &str| {
            write_program(&sandbox.path(&format!("hooks/{name}")), text);
        };
        let hooks = sandbox.path("hooks");
        sandbox.git_with(&folder, "config core.hooksPath", &[hooks.to_str().unwrap()]);
        let merge = || repo.merge(&merge(&[]), &by_default);
        hook("post-checkout", "touch seen.txt");
        commit_of(merge());
        write(&folder, "main.txt", "dirty\n");
        let before = sandbox.state(&folder);
        hook(
            "pre-merge-commit",
            "! git rev-parse -q --verify MERGE_HEAD && grep -q m main.txt && grep -q w work.txt",
        );
        hook(
            "prepare-commit-msg",
            r#"[ "$2" = merge ] && git rev-parse -q --verify MERGE_HEAD && echo "Reviewed: yes" >> "$1""#,
        );
        let commit = commit_of(merge());
        let said = sandbox.git_with(&folder, "log -1 --format=%B", &[&commit]);
        assert_eq!(said, "Merge work\nReviewed: yes", "{kind}");
        hook(
            "commit-msg",
            r#"echo "no number in: $(head -n 1 "$1")"; exit 3"#,
        );
        let refused = merge().unwrap_err();
        let why = "no number in: Merge work".to_owned();
        assert_eq!(
            refused,
            GitError::Hook {
                hook: "commit-msg",
                why
            },
            "{kind}"
        );
        assert_eq!(sandbox.state(&folder), before);
        assert_eq!(listed(&repo), ["project main commit [main]"]);
        assert!(!folder.join("seen.txt").exists());
    }
}

#[test]
fn a_merge_is_signed_where_the_user_signs() {
    for kind in KINDS {
        let (sandbox, folder, repo) = forked(
            kind,
            &[],
            |folder| write(folder, "main.txt", "m\n"),
            |folder| write(folder, "work.txt", "w\n"),
        );
        let signer = sandbox.path("signer");
        let signature = r"cat > /dev/null; printf '\n[GNUPG:] SIG_CREATED x\n' >&2
printf -- '-----BEGIN PGP SIGNATURE-----\n\nsigned\n-----END PGP SIGNATURE-----\n'";
        write_program(&signer, signature);
        sandbox.git_with(&folder, "config gpg.program", &[signer.to_str().unwrap()]);
        sandbox.git(&folder, "config commit.gpgSign true");
        let commit = commit_of(repo.merge(&merge(&[]), &by_default));
        let raw = sandbox.git_with(&folder, "cat-file commit", &[&commit]);
        assert!(raw.contains("BEGIN PGP SIGNATURE"), "{kind}: {raw}");
        write_program(&signer, "echo 'error: no key' >&2; exit 2");
        let refused = repo.merge(&merge(&[]), &by_default).unwrap_err();
        let GitError::Signing { why } = refused else {
            panic!("{kind}: {refused}");
        };
        assert!(why.contains("error: no key"), "{why}");
    }
}
