//! Commits that another machine pushed to a ref of a remote.

use super::*;

use std::time::Duration;

use chant_git::commit_bundle::BundleLimits;
use chant_git::pushed_commits::PushedCommit;
use chant_git::remote_refs::{PushOutcome, RefUpdate};

const NAME: &str = "refs/chant/runs/a/1";
const LONG: Duration = Duration::from_secs(60);
const LIMITS: BundleLimits = BundleLimits {
    bytes: 1 << 20,
    unpacked: 10_000,
    object: 5_000,
};

/// A clone, its remote, and the worker that pushes there.
struct PushedWorld {
    sandbox: Sandbox,
    top: PathBuf,
    remote: PathBuf,
    worker: PathBuf,
    start: String,
}

impl PushedWorld {
    fn new(kind: &str) -> Self {
        let sandbox = Sandbox::new();
        let worker = sandbox.repo(kind);
        let start = sandbox.git(&worker, "rev-parse HEAD");
        let [remote, top] = ["remote.git", "clone"].map(|name| sandbox.path(name));
        let all = sandbox.path("");
        let from = |from: &Path| from.display().to_string();
        sandbox.git_with(&all, "clone -q --bare", &[&from(&worker), "remote.git"]);
        sandbox.git_with(&all, "clone -q", &[&from(&remote), "clone"]);
        sandbox.settle(&top);
        Self {
            sandbox,
            top,
            remote,
            worker,
            start,
        }
    }

    /// Makes the clone a partial one.
    fn clone_again(&self, filter: &str) {
        fs::remove_dir_all(&self.top).unwrap();
        for key in ["uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"] {
            self.sandbox
                .git(&self.remote, &format!("config {key} true"));
        }
        let words = format!("clone -q --no-checkout {filter}");
        let from = format!("file://{}", self.remote.display());
        self.sandbox
            .git_with(&self.sandbox.path(""), &words, &[&from, "clone"]);
        self.sandbox.settle(&self.top);
    }

    /// Commits on the worker, and has the remote have that under a name.
    fn push(&self, name: &str) -> String {
        self.sandbox
            .git(&self.worker, "commit -q --allow-empty -m Done");
        let commit = self.sandbox.git(&self.worker, "rev-parse HEAD");
        // A push would take the name for the end of one, where the remote has such.
        let from = self.worker.display().to_string();
        let to = format!("+HEAD:{name}");
        self.sandbox
            .git_with(&self.remote, "fetch -q", &[&from, &to]);
        commit
    }

    /// Takes in what a result names; whether it is there afterwards, and no trace of a quarantine.
    fn take(&self, commit: &str, limits: &BundleLimits) -> Result<(), String> {
        let repo = open(&self.top);
        let pushed = PushedCommit {
            remote: "origin",
            name: NAME,
            commit,
        };
        let refs = self.sandbox.git(&self.top, "for-each-ref");
        let taken = repo.take_in_pushed(&pushed, &self.start, limits, LONG);
        assert_eq!(
            refs,
            self.sandbox.git(&self.top, "for-each-ref"),
            "no ref changes"
        );
        let left = fs::read_dir(self.top.join(".git/objects"))
            .unwrap()
            .flatten();
        let mut left = left.map(|entry| entry.file_name().to_string_lossy().into_owned());
        assert_eq!(left.find(|name| name.starts_with("tmp")), None);
        taken.map_err(|error| error.to_string())
    }

    fn has(&self, commit: &str) -> bool {
        open(&self.top).has_object(commit).unwrap()
    }
}

#[test]
fn a_commit_is_taken_in_if_the_remote_has_it_under_that_very_ref() {
    for (kind, filter) in [
        (KINDS[0], ""),
        (KINDS[2], ""),
        (KINDS[0], "--filter=blob:none"),
    ] {
        let world = PushedWorld::new(kind);
        if !filter.is_empty() {
            world.clone_again(filter);
        }
        fs::write(world.worker.join("new.txt"), "new\n").unwrap();
        world.sandbox.git(&world.worker, "add new.txt");
        let absent = "1".repeat(world.start.len());
        assert_eq!(
            world.take(&absent, &LIMITS).unwrap_err(),
            "there is no such ref"
        );
        let elsewhere = world.push("refs/chant/runs/b/1");
        let same_end = format!("refs/heads/{NAME}");
        world.push(&same_end);
        assert_eq!(
            world.take(&elsewhere, &LIMITS).unwrap_err(),
            "there is no such ref"
        );
        let commit = world.push(NAME);
        let why = world.take(&elsewhere, &LIMITS).unwrap_err();
        assert_eq!(why, format!("there is another commit, {commit}"));
        assert!(!world.has(&elsewhere));
        world.take(&commit, &LIMITS).unwrap();
        assert!(world.has(&commit) && world.has(&elsewhere));
        let new = world.sandbox.git(&world.worker, "rev-parse HEAD:new.txt");
        assert!(world.has(&new), "of a partial clone, too, all came");
    }
}

#[test]
fn what_is_named_is_never_an_option_and_never_more_than_may_come() {
    let world = PushedWorld::new(KINDS[0]);
    let trace = world.sandbox.path("trace");
    let option = format!("--upload-pack=touch {}", trace.display());
    for named in [&*option, "HEAD", NAME, "", &"a".repeat(100_000)] {
        let why = world.take(named, &LIMITS).unwrap_err();
        assert_eq!(why, "that is not the id of a commit");
    }
    assert!(!trace.exists());
    fs::write(world.worker.join("large.txt"), noise(4_000)).unwrap();
    world.sandbox.git(&world.worker, "add large.txt");
    let commit = world.push(NAME);
    for (small, named) in [
        (
            BundleLimits {
                object: 1_000,
                ..LIMITS
            },
            "one of its objects",
        ),
        (
            BundleLimits {
                unpacked: 2_000,
                ..LIMITS
            },
            "its objects have",
        ),
        (
            BundleLimits {
                bytes: 1_000,
                ..LIMITS
            },
            "more than 1000 bytes",
        ),
    ] {
        let why = world.take(&commit, &small).unwrap_err();
        assert!(why.contains(named), "{why}");
        assert!(!world.has(&commit));
    }
    world.take(&commit, &LIMITS).unwrap();
}

#[test]
fn strange_history_and_broken_objects_are_not_taken_in() {
    let world = PushedWorld::new(KINDS[0]);
    let (sandbox, worker) = (&world.sandbox, &world.worker);
    sandbox.git(worker, "checkout -q --orphan strange");
    let strange = world.push(NAME);
    let why = world.take(&strange, &LIMITS).unwrap_err();
    assert_eq!(why, "it does not continue the commits that were sent");
    assert!(!world.has(&strange));
    // A tree with an entry that git itself would take for a repository.
    sandbox.git(worker, "checkout -q -f main");
    let blob = sandbox.git(worker, "rev-parse HEAD:a.txt");
    let entry: Vec<u8> = (0..blob.len() / 2)
        .map(|at| u8::from_str_radix(&blob[2 * at..2 * at + 2], 16).unwrap())
        .collect();
    let tree = worker.join("tree");
    fs::write(&tree, [&b"100644 .git\0"[..], &entry].concat()).unwrap();
    let tree = sandbox.git(worker, "hash-object -t tree -w --literally tree");
    let words = format!("commit-tree -p {} -m Bad {tree}", world.start);
    let broken = sandbox.git(worker, &words);
    sandbox.git(worker, &format!("update-ref refs/heads/main {broken}"));
    let remote = world.remote.display().to_string();
    let to = format!("{broken}:{NAME}");
    sandbox.git_with(worker, "push -q -f", &[&remote, &to]);
    let why = world.take(&broken, &LIMITS).unwrap_err();
    assert!(why.contains("git fetch"), "{why}");
    assert!(!world.has(&broken));
}

#[test]
fn a_ref_is_pushed_where_there_is_none_and_removed_where_it_is_ours() {
    let world = PushedWorld::new(KINDS[0]);
    let worker = open(&world.worker);
    let remote = world.remote.display().to_string();
    let push = |old: Option<&str>, new: Option<&str>| {
        let update = RefUpdate {
            name: NAME.to_owned(),
            old: old.map(str::to_owned),
            new: new.map(str::to_owned),
        };
        worker.push_update(&remote, update, LONG).unwrap()
    };
    let found = || worker.remote_ref(&remote, NAME, LONG).unwrap();
    assert_eq!(push(None, Some(&world.start)), PushOutcome::Applied);
    assert_eq!(
        push(None, Some(&world.start)),
        PushOutcome::Applied,
        "the same commit"
    );
    world
        .sandbox
        .git(&world.worker, "commit -q --allow-empty -m More");
    let later = world.sandbox.git(&world.worker, "rev-parse HEAD");
    assert_ne!(push(None, Some(&later)), PushOutcome::Applied);
    assert_ne!(push(Some(&later), None), PushOutcome::Applied);
    assert_eq!(found(), Some(world.start.clone()));
    assert_eq!(push(Some(&world.start), None), PushOutcome::Applied);
    assert_eq!(found(), None);
    // Git would take the name for the end of that of a branch.
    let same_end = format!("refs/heads/{NAME}");
    world.push(&same_end);
    let branch = || worker.remote_ref(&remote, &same_end, LONG).unwrap();
    let before = branch();
    assert_ne!(push(None, Some(&later)), PushOutcome::Applied);
    assert_eq!((found(), branch()), (None, before));
}

/// Returns text that does not compress well.
fn noise(length: usize) -> String {
    let mut state = 1_u32;
    let letters = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (state >> 24) as u8 % 26)
    });
    letters.take(length).collect()
}
