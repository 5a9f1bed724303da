//! The folder for our own state: whose it is, what is believed in it, and what is done with a strange one.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests lay out files and start git themselves, and stop at the first surprise"
)]

mod forged;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use chant_git::Repo;
use chant_places::state_place::state_of;
use chant_store::StoreError;
use chant_store::disk::Disk;
use chant_store::files::RootFolder;
use chant_store::state::{StateFolder, StateOwnership, UserState};
use tempfile::TempDir;

/// A user with a home, and folders that they have.
struct User {
    folder: TempDir,
}

impl User {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn disk(&self) -> Disk {
        Disk {
            user_state: Some(UserState::at(self.path("home/chant-mcp"))),
            ..Disk::default()
        }
    }

    /// A repository with one commit.
    fn repository(&self, name: &str) -> PathBuf {
        let top = self.path(name);
        fs::create_dir_all(&top).unwrap();
        git(&top, &["init", "--quiet", "-b", "main"]);
        git(&top, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
        top
    }

    fn state(&self, folder: &Path) -> StateFolder {
        let root = RootFolder::open(folder).unwrap();
        let repo = Repo::open(root.path()).unwrap();
        state_of(&root, repo.as_ref(), &self.disk())
    }
}

#[track_caller]
fn git(folder: &Path, words: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.com"])
        .args(words)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

/// Copies a folder as an archive that keeps everything would.
#[track_caller]
fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp")
        .arg("-a")
        .arg(from)
        .arg(to)
        .status()
        .unwrap();
    assert!(done.success());
}

#[track_caller]
fn check_foreign(state: &StateFolder, why: &str) {
    let ownership = state.ownership();
    assert!(
        matches!(&ownership, StateOwnership::Foreign(told) if told.contains(why)),
        "{ownership:?}"
    );
    assert_eq!(state.read("journal"), None);
    assert!(state.problem().unwrap().contains(why));
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// What lies beside a folder under its name and more.
fn beside(folder: &Path) -> Vec<String> {
    let name = format!("{}.", folder.file_name().unwrap().to_string_lossy());
    let entries = fs::read_dir(folder.parent().unwrap()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut found: Vec<String> = names.filter(|one| one.starts_with(&name)).collect();
    found.sort();
    found
}

#[test]
fn a_repositorys_state_lies_in_its_common_folder_for_its_owner_alone() {
    let user = User::new();
    let top = user.repository("a");
    let state = user.state(&top);
    assert_eq!(state.ownership(), StateOwnership::New);
    assert_eq!(state.read("journal"), None);
    assert!(!top.join(".git/chant-mcp").exists(), "asking makes nothing");
    let journal = state.ensure("journal").unwrap();
    assert_eq!(journal, top.join(".git/chant-mcp/journal"));
    assert_eq!(state.ownership(), StateOwnership::Own);
    assert_eq!(state.read("journal"), Some(journal.clone()));
    for (path, rights) in [
        (journal.as_path(), 0o700),
        (&top.join(".git/chant-mcp"), 0o700),
        (&top.join(".git/chant-mcp/owner.json"), 0o600),
        (&user.path("home/chant-mcp/key"), 0o600),
    ] {
        let found = fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(found, rights, "{}", path.display());
    }
    assert_eq!(state.problem(), None);
}

#[test]
fn without_git_it_lies_with_the_user_and_the_folders_own_is_not_looked_at() {
    let user = User::new();
    let root = user.path("plain");
    fs::create_dir_all(root.join(".chant-mcp/journal")).unwrap();
    fs::write(root.join(".chant-mcp/owner.json"), "{}").unwrap();
    let state = user.state(&root);
    assert_eq!(state.ownership(), StateOwnership::New);
    let folder = state.ensure("journal").unwrap();
    assert!(folder.starts_with(user.path("home/chant-mcp/projects")));
    assert_ne!(user.state(&user.path("")).place(), state.place());
    // Another folder that takes its place has nothing of it.
    fs::rename(&root, user.path("moved")).unwrap();
    fs::create_dir(&root).unwrap();
    check_foreign(&user.state(&root), "another place");
}

#[test]
fn a_user_without_a_home_has_no_state_and_is_told_what_to_set() {
    let user = User::new();
    let top = user.repository("a");
    let root = RootFolder::open(&top).unwrap();
    let repo = Repo::open(&top).unwrap();
    for repo in [None, repo.as_ref()] {
        let state = state_of(&root, repo, &Disk::default());
        assert_eq!(state.ownership(), StateOwnership::Nowhere);
        assert_eq!((state.read("journal"), state.place()), (None, None));
        let told = state.ensure("journal").unwrap_err().to_string();
        assert!(
            told.contains("XDG_STATE_HOME") && told.contains("HOME"),
            "{told}"
        );
    }
}

#[test]
fn a_copy_of_a_repository_is_foreign_and_the_original_and_a_moved_one_stay_own() {
    let user = User::new();
    let top = user.repository("a");
    user.state(&top).ensure("journal/x").unwrap();
    copy(&top, &user.path("b"));
    check_foreign(&user.state(&user.path("b")), "another place");
    assert_eq!(user.state(&top).ownership(), StateOwnership::Own);
    fs::rename(&top, user.path("c")).unwrap();
    let moved = user.state(&user.path("c"));
    assert_eq!(moved.ownership(), StateOwnership::Own);
    assert!(moved.read("journal/x").unwrap().exists());
    // What the copy holds is kept when something is written there.
    let copied = user.state(&user.path("b"));
    let folder = copied.ensure("journal").unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    let aside = user.path("b/.git/chant-mcp.set-aside-1/journal/x");
    assert!(aside.exists());
    assert_eq!(copied.ownership(), StateOwnership::Own);
}

#[test]
fn another_users_signature_is_foreign_and_so_is_a_forged_one() {
    let (user, other) = (User::new(), User::new());
    let top = user.repository("a");
    user.state(&top).ensure("journal").unwrap();
    let root = RootFolder::open(&top).unwrap();
    let repo = Repo::open(&top).unwrap();
    let seen = state_of(&root, repo.as_ref(), &other.disk());
    check_foreign(&seen, "another user, or another machine");
    let record = top.join(".git/chant-mcp/owner.json");
    let text = fs::read_to_string(&record).unwrap();
    for (from, to) in [
        ("\"id\": \"", "\"id\": \"0"),
        ("\"schema\": 1", "\"schema\": 2"),
        ("\"inode\": ", "\"inode\": 1"),
    ] {
        assert!(text.contains(from));
        fs::write(&record, text.replacen(from, to, 1)).unwrap();
        assert!(
            matches!(user.state(&top).ownership(), StateOwnership::Foreign(_)),
            "{to}"
        );
    }
    fs::write(&record, "{").unwrap();
    check_foreign(&user.state(&top), "cannot be read");
    fs::write(&record, &text).unwrap();
    assert_eq!(user.state(&top).ownership(), StateOwnership::Own);
    mode(&record, 0o666);
    check_foreign(&user.state(&top), "may write it");
}

#[test]
fn links_are_foreign_and_rights_of_others_are_told() {
    let user = User::new();
    let (top, other) = (user.repository("a"), user.repository("b"));
    let folder = top.join(".git/chant-mcp");
    user.state(&other).ensure("journal").unwrap();
    symlink(other.join(".git/chant-mcp"), &folder).unwrap();
    check_foreign(&user.state(&top), "a link");
    user.state(&top).ensure("journal").unwrap();
    assert_eq!(user.state(&top).ownership(), StateOwnership::Own);
    assert_eq!(user.state(&other).ownership(), StateOwnership::Own);
    symlink(user.path("b"), folder.join("logs")).unwrap();
    check_foreign(&user.state(&top), "a part of it is a link");
    fs::remove_file(folder.join("logs")).unwrap();
    mode(&folder, 0o777);
    let state = user.state(&top);
    assert!(matches!(state.ownership(), StateOwnership::OtherUser(_)));
    let refused = state.ensure("journal").unwrap_err();
    assert!(matches!(refused, StoreError::NoState { .. }), "{refused}");
    assert!(refused.to_string().contains("chmod go-w"), "{refused}");
    mode(&folder, 0o700);
    mode(&folder.join("journal"), 0o777);
    assert_eq!(user.state(&top).read("journal/x"), None);
    assert!(user.state(&top).ensure("journal").is_err());
}

#[test]
fn a_key_that_others_can_read_signs_nothing() {
    let user = User::new();
    let top = user.repository("a");
    user.state(&top).ensure("journal").unwrap();
    mode(&user.path("home/chant-mcp/key"), 0o644);
    let state = user.state(&top);
    assert!(matches!(state.ownership(), StateOwnership::OtherUser(_)));
    assert!(state.ensure("journal").is_err());
    assert_eq!(beside(&top.join(".git/chant-mcp")), Vec::<String>::new());
    mode(&user.path("home/chant-mcp/key"), 0o600);
    assert_eq!(user.state(&top).ownership(), StateOwnership::Own);
}

#[test]
fn a_file_that_points_at_a_repository_has_nothing_of_its_state() {
    let user = User::new();
    let top = user.repository("a");
    user.state(&top).ensure("journal").unwrap();
    git(&top, &["worktree", "add", "--quiet", "-b", "w", "../w"]);
    let linked = user.state(&user.path("w"));
    assert_eq!(linked.place(), user.state(&top).place());
    assert_eq!(linked.in_checkout("processes"), "processes/worktree-w/_");
    assert_eq!(
        user.state(&top).in_checkout("processes"),
        "processes/main/_"
    );
    for (name, says) in [
        (
            "to-main",
            format!("gitdir: {}\n", top.join(".git").display()),
        ),
        (
            "to-linked",
            format!("gitdir: {}\n", top.join(".git/worktrees/w").display()),
        ),
    ] {
        let thief = user.path(name);
        fs::create_dir(&thief).unwrap();
        fs::write(thief.join(".git"), says).unwrap();
        let state = user.state(&thief);
        assert_eq!(state.ownership(), StateOwnership::New, "{name}");
        assert!(
            state.place().unwrap().starts_with(user.path("home")),
            "{name}"
        );
    }
    let thief = user.path("by-link");
    fs::create_dir(&thief).unwrap();
    symlink(top.join(".git"), thief.join(".git")).unwrap();
    assert!(
        user.state(&thief)
            .place()
            .unwrap()
            .starts_with(user.path("home"))
    );
}

#[test]
fn projects_in_one_checkout_have_parts_of_their_own() {
    let user = User::new();
    let top = user.repository("a");
    for (inside, part) in [("x", "x"), ("x/y", "x%2fy"), ("X", "%58")] {
        fs::create_dir_all(top.join(inside)).unwrap();
        let state = user.state(&top.join(inside));
        assert_eq!(state.place(), user.state(&top).place());
        assert_eq!(state.in_project("tokens"), format!("tokens/{part}"));
        assert_eq!(state.in_checkout("logs"), format!("logs/main/{part}"));
    }
}

#[test]
fn a_folder_whose_lock_is_held_is_not_set_aside() {
    let user = User::new();
    let top = user.repository("a");
    let locks = user.state(&top).ensure("locks/_").unwrap();
    fs::write(locks.join("x.lock"), "").unwrap();
    let held = fs::File::open(locks.join("x.lock")).unwrap();
    held.lock().unwrap();
    fs::write(top.join(".git/chant-mcp/owner.json"), "{").unwrap();
    let refused = user.state(&top).ensure("journal").unwrap_err().to_string();
    assert!(refused.contains("x.lock"), "{refused}");
    // A process that another test starts just now has the same file open until it is another program.
    held.unlock().unwrap();
    user.state(&top).ensure("journal").unwrap();
    assert_eq!(
        beside(&top.join(".git/chant-mcp")),
        ["chant-mcp.set-aside-1"]
    );
}

#[test]
fn of_many_who_make_it_one_does() {
    let user = User::new();
    let top = user.repository("a");
    let ids: Vec<String> = std::thread::scope(|scope| {
        let make = || {
            user.state(&top).ensure("journal").unwrap();
            fs::read_to_string(top.join(".git/chant-mcp/owner.json")).unwrap()
        };
        let all: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|id| *id == ids[0]));
    assert_eq!(beside(&top.join(".git/chant-mcp")), Vec::<String>::new());
}
