//! The folder of a run: made, worked in, brought back, made again and removed.

use chant_confine::Confinement;
use chant_git::run_repository::RunRepository;

use super::*;

const BRANCH: &str = "chant/x";
const BASE: &str = "refs/chant/base/chant/x";

/// A project with a branch for a run, and where the folder of the run is.
struct World {
    sandbox: Sandbox,
    project: PathBuf,
    repo: Repo,
    top: PathBuf,
    base: String,
}

impl World {
    fn new(kind: &str) -> Self {
        Self::of(kind, |_, _| {})
    }

    /// A project that is prepared before the branch is made.
    fn of(kind: &str, prepare: impl FnOnce(&Sandbox, &Path)) -> Self {
        let sandbox = Sandbox::new();
        let project = sandbox.repo(kind);
        prepare(&sandbox, &project);
        sandbox.git(&project, &format!("branch {BRANCH}"));
        let base = sandbox.id(&project, BRANCH);
        let repo = open(&project);
        repo.keep_base(BRANCH, Some(&base)).unwrap();
        let top = sandbox.path("runs/x");
        fs::create_dir(top.parent().unwrap()).unwrap();
        Self {
            sandbox,
            project,
            repo,
            top,
            base,
        }
    }

    fn made(kind: &str) -> Self {
        let world = Self::new(kind);
        world.folder().make(&mut |_| {}).unwrap();
        world
    }

    fn folder(&self) -> RunRepository<'_> {
        self.repo.run_folder(&self.top, BRANCH, Confinement::Off)
    }

    #[track_caller]
    fn in_run(&self, words: &str) -> String {
        self.sandbox.git(&self.top, words)
    }

    fn commit(&self, file: &str) -> String {
        write(&self.top, file, format!("{file}\n"));
        self.sandbox.commit(&self.top, &format!("chant(x): {file}"))
    }

    fn tip(&self) -> String {
        self.sandbox.id(&self.project, BRANCH)
    }

    /// All refs of the project but the run's branch, and its checkout.
    fn besides(&self) -> impl PartialEq + std::fmt::Debug + use<> {
        let refs = self.sandbox.git(&self.project, "for-each-ref");
        let others = |line: &&str| !line.ends_with("refs/heads/chant/x");
        let refs: Vec<String> = refs.lines().filter(others).map(str::to_owned).collect();
        (refs, self.sandbox.state(&self.project))
    }

    /// Fetches, and looks whether the project's branch is then where the run's is, and nothing else moved.
    #[track_caller]
    fn check_fetch(&self, what: &str) {
        let before = self.besides();
        assert_eq!(self.folder().fetch(), Ok(true), "{what}");
        assert_eq!(self.tip(), self.in_run("rev-parse HEAD"), "{what}");
        assert_eq!(self.folder().fetch(), Ok(false), "{what}, once more");
        assert_eq!(self.besides(), before, "{what}");
        self.sandbox.git(&self.project, "fsck --strict");
    }
}

/// Gives a project settings of which some are for its runs, too.
fn set_up(sandbox: &Sandbox, project: &Path) {
    for (key, value) in [
        ("core.autocrlf", "true"),
        ("filter.up.clean", "sed s/A/a/"),
        ("filter.up.smudge", "sed s/a/A/"),
        ("core.fsmonitor", "true"),
        ("core.sshCommand", "ssh -v"),
        ("commit.gpgsign", "true"),
        ("tag.gpgsign", "true"),
        ("alias.st", "status"),
        ("remote.origin.url", "https://ada:secret@example.org/a.git"),
        ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
    ] {
        sandbox.git_with(project, "config", &[key, value]);
    }
    write(project, ".gitattributes", "filtered.txt filter=up\n");
    write(project, "filtered.txt", "a\n");
    sandbox.git(project, "-c commit.gpgsign=false add -A");
    sandbox.git(project, "-c commit.gpgsign=false commit -q -m Filter");
    sandbox.git(project, "branch other");
    sandbox.git(project, "update-ref refs/tags/v1 HEAD");
    sandbox.git(project, "update-ref refs/remotes/origin/main HEAD~1");
    sandbox.git(project, "update-ref refs/notes/commits HEAD");
}

#[test]
fn a_folder_has_the_files_refs_and_settings_of_the_project_and_nothing_it_acts_upon() {
    for kind in KINDS {
        let world = World::of(kind, set_up);
        world.folder().make(&mut |_| {}).unwrap();
        let text = |file: &str| fs::read_to_string(world.top.join(file)).unwrap();
        assert_eq!(text("filtered.txt"), "A\r\n", "{kind}");
        assert_eq!(world.in_run("status --porcelain"), "", "{kind}");
        assert_eq!(world.in_run("symbolic-ref HEAD"), "refs/heads/chant/x");
        assert_eq!(world.in_run("rev-parse HEAD"), world.base);
        for (key, value) in [
            ("core.autocrlf", "true"),
            ("filter.up.clean", "sed s/A/a/"),
            ("user.name", "Grace"),
            ("user.email", "grace@example.org"),
            ("remote.origin.url", "https://example.org/a.git"),
            ("core.hooksPath", "/dev/null"),
            ("core.fsmonitor", "false"),
            ("commit.gpgsign", "false"),
            ("tag.gpgsign", "false"),
            ("gc.auto", "0"),
            ("maintenance.auto", "false"),
            ("core.sshCommand", ""),
            ("alias.st", ""),
        ] {
            let found = world.sandbox.output(&world.top, "config --get", &[key]);
            let found = String::from_utf8(found.stdout).unwrap();
            assert_eq!(found.trim_end(), value, "{kind} {key}");
        }
        let refs = world.in_run("for-each-ref --format=%(refname)");
        let expected = "refs/heads/chant/x\nrefs/heads/main\nrefs/heads/other\nrefs/remotes/origin/main\nrefs/tags/v1";
        assert_eq!(refs, expected, "{kind}");
        let again = world.folder().make(&mut |_| {});
        let path = world.top.clone();
        assert_eq!(again, Err(GitError::PathTaken { path }));
        assert!(world.folder().stands_on_branch());
    }
}

#[test]
fn where_the_work_began_is_kept_as_long_as_its_branch() {
    for kind in KINDS {
        let world = World::made(kind);
        let (folder, repo) = (&world.project, &world.repo);
        assert_eq!(world.sandbox.id(folder, BASE), world.base, "{kind}");
        let next = world.sandbox.commit(folder, "Second");
        repo.keep_base(BRANCH, Some(&next)).unwrap();
        repo.keep_base(BRANCH, Some(&next)).unwrap();
        assert_eq!(world.sandbox.id(folder, BASE), next, "{kind}");
        repo.delete_backed_up_branch(BRANCH).unwrap();
        assert_eq!(
            world
                .sandbox
                .git(folder, "for-each-ref --format=%(refname)"),
            "refs/heads/main",
            "{kind}"
        );
        repo.keep_base(BRANCH, None).unwrap();
    }
}

#[test]
fn whatever_the_branch_comes_to_comes_back_and_nothing_else() {
    for kind in KINDS {
        let world = World::made(kind);
        assert_eq!(world.folder().fetch(), Ok(false), "{kind}");
        world.commit("one.txt");
        world.in_run("tag mine");
        world.in_run("branch side");
        write(&world.top, "loose.txt", "in no commit\n");
        world.check_fetch("a commit");
        world.commit("two.txt");
        world.in_run("commit -q --amend -m amended");
        world.check_fetch("an amended commit");
        world.commit("three.txt");
        world.in_run("rebase -q --force-rebase --root");
        world.check_fetch("another history");
        world.in_run("reset -q --hard HEAD~1");
        world.check_fetch("a branch that was rewound");
        for number in 0..120 {
            write(
                &world.top,
                &format!("many/{number}.txt"),
                format!("{number}\n"),
            );
        }
        world.commit("many.txt");
        world.check_fetch("a large pack");
        world.in_run("gc -q --prune=now");
        world.commit("after.txt");
        world.check_fetch("a commit after a repack");
        let tips = world.folder().elsewhere(&world.base);
        let names: Vec<_> = tips.into_iter().map(|one| one.name).collect();
        assert_eq!(names, [Some("side".into())], "{kind}");
    }
}

#[test]
fn a_branch_that_the_user_checked_out_is_not_moved() {
    for kind in KINDS {
        let world = World::made(kind);
        world.commit("one.txt");
        world
            .sandbox
            .git(&world.project, &format!("switch -q {BRANCH}"));
        let in_use = GitError::InUse {
            branch: BRANCH.into(),
            path: world.project.clone(),
        };
        assert_eq!(world.folder().fetch(), Err(in_use), "{kind}");
        assert_eq!(world.tip(), world.base, "{kind}");
        world.sandbox.git(&world.project, "switch -q main");
        world.check_fetch(kind);
    }
}

#[test]
fn a_repository_that_is_made_again_has_the_files_as_they_were_and_nothing_of_the_old_one() {
    for kind in KINDS {
        let world = World::made(kind);
        let tip = world.commit("one.txt");
        world.check_fetch(kind);
        write(&world.top, "a.txt", "changed\n");
        write(&world.top, "new.txt", "new\n");
        world.in_run("add new.txt");
        world.in_run("config alias.st status");
        for lock in ["index.lock", "HEAD.lock", "refs/heads/chant/x.lock"] {
            write(&world.top.join(".git"), lock, "");
        }
        for nested in [
            "deep/er/.git", "deep/.GIT", "twice/.git", "twice/.git-of-run",
        ] {
            write(&world.top.join(nested), "config", "[alias]\n");
        }
        write(&world.top, "linked/.git", "gitdir: /nowhere\n");
        world.in_run("init -q --bare bare");
        world.in_run("-C bare config alias.st status");
        world.folder().make_repository_again().unwrap();
        let status = world.in_run("status --porcelain --untracked-files=normal");
        assert_eq!(
            status, " M a.txt\n?? bare/\n?? deep/\n?? linked/\n?? new.txt\n?? twice/",
            "{kind}"
        );
        assert_eq!(world.in_run("rev-parse HEAD"), tip);
        for folder in [&world.top, &world.top.join("bare")] {
            assert!(world.sandbox.fails(folder, "config alias.st"), "{kind}");
        }
        for (gone, kept) in [
            ("deep/er/.git", "deep/er/.git-of-run/config"),
            ("deep/.GIT", "deep/.git-of-run/config"),
            ("twice/.git", "twice/.git-of-run/config"),
            ("linked/.git", "linked/.git-of-run"),
            ("bare/HEAD", "bare/HEAD-of-run"),
        ] {
            assert!(!world.top.join(gone).exists(), "{kind} {gone}");
            assert!(world.top.join(kept).exists(), "{kind} {kept}");
        }
        assert_eq!(fs::read_dir(world.top.join("twice")).unwrap().count(), 2);
        assert!(world.sandbox.path("runs/x.git-1/index.lock").exists());
        let third = world.commit("two.txt");
        world.check_fetch(kind);
        assert_eq!(world.tip(), third);
        world.folder().remove().unwrap();
        let left = fs::read_dir(world.sandbox.path("runs")).unwrap().count();
        assert_eq!(left, 0, "{kind}");
    }
}

#[test]
fn an_earlier_folder_catches_up_with_the_branch_whatever_became_of_it() {
    for kind in KINDS {
        let world = World::made(kind);
        world.commit("one.txt");
        world.check_fetch(kind);
        let ahead = |file: &str| {
            let (sandbox, project) = (&world.sandbox, &world.project);
            sandbox.git(project, &format!("switch -q {BRANCH}"));
            write(project, file, "ours\n");
            let tip = sandbox.commit(project, file);
            sandbox.git(project, "switch -q main");
            tip
        };
        let check = |what: &str, tip: &str| {
            world.folder().catch_up(&mut |_| ()).unwrap();
            assert_eq!(world.in_run("rev-parse HEAD"), tip, "{kind} {what}");
            assert_eq!(world.in_run("status --porcelain"), "", "{kind} {what}");
        };
        check("nothing new", &world.tip());
        check("a commit of the user's", &ahead("two.txt"));
        let own = world.commit("three.txt");
        check("a commit that did not come back", &own);
        world.check_fetch(kind);
        for lock in ["index.lock", "refs/heads/chant/x.lock"] {
            write(&world.top.join(".git"), lock, "");
            check(lock, &own);
        }
        fs::remove_dir_all(world.top.join(".git/objects")).unwrap();
        check("objects that are gone", &own);
        fs::remove_dir_all(&world.top).unwrap();
        fs::create_dir(&world.top).unwrap();
        check("an empty folder", &own);
        // What is not committed is not written over.
        let tip = ahead("four.txt");
        write(&world.top, "four.txt", "theirs\n");
        assert!(world.folder().catch_up(&mut |_| ()).is_err(), "{kind}");
        assert_eq!(fs::read(world.top.join("four.txt")).unwrap(), b"theirs\n");
        fs::remove_file(world.top.join("four.txt")).unwrap();
        check("a file out of the way", &tip);
    }
}

#[test]
fn what_lies_there_uncommitted_is_named_and_can_be_committed() {
    for kind in KINDS {
        let world = World::made(kind);
        let folder = world.folder();
        folder.commit_everything("Nothing").unwrap();
        assert_eq!(world.in_run("rev-parse HEAD"), world.base, "{kind}");
        write(&world.top, ".gitignore", "*.log\n");
        write(&world.top, "build.log", "ignored\n");
        write(&world.top, "b.txt", "b\n");
        write(&world.top, "a.txt", "changed\n");
        let expected = [".gitignore", "a.txt", "b.txt"];
        assert_eq!(folder.uncommitted().unwrap(), expected, "{kind}");
        folder.commit_everything("The rest").unwrap();
        assert_eq!(folder.uncommitted().unwrap(), [""; 0]);
        world.check_fetch(kind);
        let written = world.in_run("show --name-only --format=%s HEAD");
        assert_eq!(written, format!("The rest\n\n{}", expected.join("\n")));
    }
}

#[cfg(unix)]
#[test]
fn a_folder_is_removed_that_an_agent_closed() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::made(KINDS[0]);
    write(&world.top, "closed/inside/a.txt", "a\n");
    write(&world.top, "closed/.git/config", "");
    for folder in ["closed/inside", "closed", ".git/objects"] {
        let mode = fs::Permissions::from_mode(0o000);
        fs::set_permissions(world.top.join(folder), mode).unwrap();
    }
    world.folder().make_repository_again().unwrap();
    assert!(!world.top.join("closed/.git").exists());
    let closed = fs::Permissions::from_mode(0o500);
    fs::set_permissions(world.top.join("closed"), closed).unwrap();
    world.folder().remove().unwrap();
    let left = fs::read_dir(world.sandbox.path("runs")).unwrap().count();
    assert_eq!(left, 0);
}

#[test]
fn a_partial_clone_takes_commits_and_checks_them() {
    let sandbox = Sandbox::new();
    let origin = sandbox.repo(KINDS[0]);
    sandbox.git(&origin, "config uploadpack.allowFilter true");
    write(&origin, "a.txt", "second\n");
    sandbox.commit(&origin, "Second");
    let project = sandbox.path("clone");
    let address = format!("file://{}", origin.display());
    let folder = project.to_str().unwrap();
    let words = "clone -q --filter=blob:none";
    sandbox.git_with(&origin, words, &[&address, folder]);
    sandbox.settle(&project);
    sandbox.git(&project, &format!("branch {BRANCH}"));
    let (repo, top) = (open(&project), sandbox.path("run"));
    let folder = repo.run_folder(&top, BRANCH, Confinement::Off);
    folder.make(&mut |_| {}).unwrap();
    write(&top, "b.txt", "b\n");
    let tip = sandbox.commit(&top, "chant(x): b");
    assert_eq!(folder.fetch(), Ok(true));
    assert_eq!(sandbox.id(&project, BRANCH), tip);
    let bad = commit_of_tree(&sandbox, &top, b"100644 .git\0");
    sandbox.git_with(&top, "update-ref refs/heads/chant/x", &[&bad]);
    assert!(folder.fetch().is_err());
    assert_eq!(sandbox.id(&project, BRANCH), tip);
}

/// A commit, on top of HEAD, of a tree with one entry, which leads to what `a.txt` holds: git itself would
/// write no such tree.
pub(super) fn commit_of_tree(sandbox: &Sandbox, top: &Path, entry: &[u8]) -> String {
    let blob = sandbox.git(top, "rev-parse HEAD:a.txt");
    let byte = |at: usize| u8::from_str_radix(&blob[at..at + 2], 16).unwrap();
    let mut bytes = entry.to_vec();
    bytes.extend((0..blob.len()).step_by(2).map(byte));
    let file = sandbox.path("tree-of-one-entry");
    fs::write(&file, bytes).unwrap();
    let words = "hash-object -w --literally -t tree --";
    let tree = sandbox.git_with(top, words, &[file.to_str().unwrap()]);
    sandbox.git_with(top, "commit-tree -p HEAD -m Bad", &[&tree])
}

#[test]
fn a_file_that_is_too_large_does_not_come_back_and_is_named() {
    for (kind, later) in [(KINDS[0], false), (KINDS[1], true)] {
        let world = World::made(kind);
        world.commit("small.txt");
        write(&world.top, "big.bin", "x".repeat(5001));
        world.sandbox.commit(&world.top, "chant(x): big");
        if later {
            world.in_run("rm -q big.bin");
            world.sandbox.commit(&world.top, "chant(x): gone");
        }
        let folder = |most| world.folder().with_largest_file(most);
        let refused = folder(5000).fetch().unwrap_err();
        let GitError::TooLarge { path, bytes, most } = &refused else {
            panic!("{refused}");
        };
        assert_eq!((*bytes, *most), (5001, 5000));
        assert_eq!(path == "big.bin", !later, "{path}");
        assert_eq!(world.tip(), world.base, "nothing came");
        assert_eq!(folder(5001).fetch(), Ok(true));
    }
}

/// Git reads what it does not know the times of: here all files, after the index was made anew.
#[test]
fn a_giant_in_place_of_a_file_is_named_and_not_read() {
    let world = World::made(KINDS[0]);
    let giant = fs::File::create(world.top.join("a.txt")).unwrap();
    giant.set_len(1 << 36).unwrap();
    let folder = world.folder();
    folder.make_repository_again().unwrap();
    assert!(!world.top.join(".git/index.lock").exists());
    assert_eq!(folder.uncommitted().unwrap(), ["a.txt"]);
    let refused = folder.commit_everything("All").unwrap_err();
    assert!(matches!(refused, GitError::TooLarge { .. }), "{refused}");
}

#[test]
fn a_document_of_a_commit_is_as_large_as_one_on_disk_may_be() {
    let world = World::made(KINDS[0]);
    write(&world.top, "big.bin", vec![0; (32 << 20) + 1]);
    world.sandbox.commit(&world.top, "chant(x): big");
    assert_eq!(world.folder().fetch(), Ok(true));
    let refused = world.repo.file_at(BRANCH, "big.bin").unwrap_err();
    assert!(matches!(refused, GitError::TooLarge { .. }), "{refused}");
}
