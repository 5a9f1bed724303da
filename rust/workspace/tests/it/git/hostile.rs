//! Repositories whose configuration names programs: reading them runs none.

use std::os::unix::fs::PermissionsExt;

use chant_git::bookkeeping::WorkQuery;

use super::*;

/// A program that leaves a trace, and fails.
struct Trap {
    program: PathBuf,
    trace: PathBuf,
}

impl Trap {
    fn set(sandbox: &Sandbox) -> Self {
        let (program, trace) = (sandbox.path("trap"), sandbox.path("trace"));
        let text = format!("#!/bin/sh\necho \"$0 $*\" >> {}\nexit 1\n", trace.display());
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { program, trace }
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.trace).unwrap_or_default()
    }

    fn clear(&self) {
        let _ = fs::remove_file(&self.trace);
    }
}

/// Has a repository name the trap wherever git runs a program, hooks that lie in the tree included.
fn arm(sandbox: &Sandbox, folder: &Path, trap: &Trap) {
    let program = trap.program.to_str().unwrap();
    for key in [
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.askPass",
        "core.alternateRefsCommand",
        "core.gitProxy",
        "credential.helper",
        "diff.external",
        "diff.trap.command",
        "diff.trap.textconv",
        "filter.trap.clean",
        "filter.trap.smudge",
        "filter.trap.process",
        "gpg.program",
        "gpg.ssh.program",
        "interactive.diffFilter",
        "merge.trap.driver",
        "pager.log",
        "pager.config",
        "pager.diff",
        "sequence.editor",
        "uploadpack.packObjectsHook",
        "remote.origin.uploadpack",
        "remote.origin.vcs",
    ] {
        sandbox.git_with(folder, "config", &[key, program]);
    }
    for (key, value) in [
        ("core.hooksPath", "hooks".to_owned()),
        ("log.showSignature", "true".into()),
        ("core.untrackedCache", "true".into()),
        ("alias.log", format!("!{program}")),
        ("alias.rev-list", format!("!{program}")),
        ("remote.origin.url", format!("ext::{program}")),
        ("remote.origin.promisor", "true".into()),
        ("remote.origin.partialCloneFilter", "blob:none".into()),
        ("protocol.ext.allow", "always".into()),
    ] {
        sandbox.git_with(folder, "config", &[key, &value]);
    }
    for hook in [
        "post-index-change", "post-checkout", "reference-transaction", "pre-commit",
    ] {
        let path = folder.join("hooks").join(hook);
        write(
            folder,
            &format!("hooks/{hook}"),
            fs::read(&trap.program).unwrap(),
        );
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    // The stamp of the file is another one than the index knows: a comparison has to run the filter.
    write(folder, "a.txt", "b\n");
}

/// Everything that the rest of the program reads of a repository.
fn read_all(repo: &Repo, folder: &Path) {
    let commit = repo.commit("HEAD").unwrap();
    let _ = (
        repo.head(),
        repo.user(),
        repo.excludes_file(),
        repo.worktrees(),
    );
    let _ = (
        repo.tagged(HistoryStart::Head, "x"),
        repo.tagged(HistoryStart::Branch("side"), "x"),
    );
    let _ = (repo.branch_tip("main"), repo.is_merged("side", "main"));
    let _ = (
        repo.file_at("HEAD", "a.txt"),
        repo.file_at("HEAD", "lost.txt"),
    );
    let _ = (repo.files_below("HEAD", "docs"), repo.tree_of(&commit));
    let _ = repo.files_at("HEAD", "", &|_| true, &|_| true);
    let _ = (repo.is_tracked(Path::new("a.txt")), repo.knows("Nobody"));
    let _ = (
        repo.diff_stat("HEAD~1", "HEAD"),
        repo.differing("HEAD~1", "HEAD"),
    );
    let _ = repo.evidence(&WorkQuery {
        branch: "side",
        base: "main",
        target: None,
        besides: &[],
    });
    let _ = repo.uncommitted_unfiltered(folder);
}

#[test]
fn reading_runs_nothing_that_a_repository_names() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let trap = Trap::set(&sandbox);
        write(
            &folder,
            ".gitattributes",
            "* diff=trap filter=trap merge=trap\n",
        );
        write(&folder, "docs/b.txt", "b\n");
        write(&folder, "lost.txt", "lost\n");
        sandbox.commit(&folder, "chant(x): two");
        sandbox.git(&folder, "checkout -q -b side");
        write(&folder, "c.txt", "c\n");
        sandbox.commit(&folder, "chant(x): three");
        sandbox.git(&folder, "checkout -q main");
        let lost = sandbox.git(&folder, "rev-parse HEAD:lost.txt");
        let _ = fs::remove_file(
            folder
                .join(".git/objects")
                .join(&lost[..2])
                .join(&lost[2..]),
        );
        arm(&sandbox, &folder, &trap);
        let repo = open(&folder);
        read_all(&repo, &folder);
        assert_eq!(trap.said(), "", "{kind}");
        // The trap is set: the same questions as an act, and git as a person types it, run into it.
        let _ = repo.uncommitted(&folder);
        assert!(trap.said().contains("trap"), "{kind}: no filter was run");
        trap.clear();
        let act = repo.begin_act();
        let _ = repo.file_at("HEAD", "lost.txt");
        drop(act);
        assert!(trap.said().contains("trap"), "{kind}: nothing was fetched");
    }
}
