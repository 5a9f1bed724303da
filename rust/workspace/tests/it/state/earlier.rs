//! State of a release that signed nothing.

use super::*;

fn old(user: &User) -> (PathBuf, PathBuf) {
    let top = user.repository("a");
    let folder = top.join(".git/chant-mcp");
    for part in ["tokens", "speckit/questions", "journal", "locks"] {
        fs::create_dir_all(folder.join(part)).unwrap();
    }
    fs::write(folder.join("tokens/x"), "3\n").unwrap();
    fs::write(folder.join("speckit/events.jsonl"), "{}\n").unwrap();
    mode(&folder, 0o775);
    (top, folder)
}

#[test]
fn it_waits_and_is_taken_over_once() {
    let user = User::new();
    let (top, folder) = old(&user);
    let state = user.state(&top);
    assert_eq!(state.ownership(), StateOwnership::OfEarlierRelease);
    assert_eq!(state.read("tokens"), None);
    assert!(state.has_earlier() && state.problem().unwrap().contains("trusts"));
    let tokens = state.take_over_earlier().unwrap().unwrap();
    assert_eq!(fs::read_to_string(tokens.join("x")).unwrap(), "3\n");
    assert_eq!(state.ownership(), StateOwnership::Own);
    assert!(state.read("speckit/events.jsonl").unwrap().exists());
    assert_eq!(
        fs::metadata(&folder).unwrap().permissions().mode() & 0o777,
        0o700
    );
    let owner = fs::read(folder.join("owner.json")).unwrap();
    assert!(state.take_over_earlier().unwrap().is_some());
    assert_eq!(fs::read(folder.join("owner.json")).unwrap(), owner);
}

#[test]
fn what_is_written_before_that_is_written_beside_it() {
    let user = User::new();
    let (top, folder) = old(&user);
    let state = user.state(&top);
    fs::write(
        state.ensure("speckit").unwrap().join("events.jsonl"),
        "new\n",
    )
    .unwrap();
    assert_eq!(beside(&folder), ["chant-mcp.earlier-release"]);
    assert!(state.has_earlier());
    let tokens = state.take_over_earlier().unwrap().unwrap();
    assert_eq!(fs::read_to_string(tokens.join("x")).unwrap(), "3\n");
    let events = |name: &str| fs::read_to_string(folder.join("speckit").join(name)).unwrap();
    assert_eq!(
        (events("events.jsonl"), events("events.old.jsonl")),
        ("new\n".into(), "{}\n".into())
    );
    assert_eq!(beside(&folder), ["chant-mcp.earlier-release.set-aside-1"]);
}

#[test]
fn links_in_it_and_a_merge_under_way_are_refused() {
    let user = User::new();
    let (top, folder) = old(&user);
    symlink(user.path("home"), folder.join("tokens/link")).unwrap();
    let refused = user
        .state(&top)
        .take_over_earlier()
        .unwrap_err()
        .to_string();
    assert!(refused.contains("is a link"), "{refused}");
    fs::remove_file(folder.join("tokens/link")).unwrap();
    fs::write(folder.join("locks/merge.lock"), "").unwrap();
    let held = fs::File::open(folder.join("locks/merge.lock")).unwrap();
    held.lock().unwrap();
    assert!(user.state(&top).take_over_earlier().is_err());
    drop(held);
    assert!(user.state(&top).take_over_earlier().unwrap().is_some());
}

#[test]
fn without_any_nothing_happens() {
    let user = User::new();
    let top = user.repository("a");
    assert_eq!(user.state(&top).take_over_earlier().unwrap(), None);
    assert!(!top.join(".git/chant-mcp").exists());
}
