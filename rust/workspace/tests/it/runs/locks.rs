//! Locks of specs and of merges.

use std::fs;
use std::time::{Duration, Instant};

use chant_work::WorkError;
use chant_work::lock::{MergeLock, SpecLock};
use rustix::process::Signal;

use super::{Other, Project, SPEC, Task, until};

fn holder(project: &Project) -> Other {
    let other = Other::start(
        project,
        Task {
            what: "hold",
            process_id: "",
            script: "",
            moment: "",
            refusal: "",
        },
    );
    other.handshake().unwrap();
    other
}

#[test]
fn a_held_lock_is_refused_at_once_naming_its_holder() {
    let project = Project::new();
    let mut other = holder(&project);
    let before = Instant::now();
    let error = SpecLock::acquire(&project.runs, SPEC).unwrap_err();
    assert!(before.elapsed() < Duration::from_secs(2));
    let said = error.to_string();
    let begins = format!("Spec '{SPEC}' is locked by process {} since 2", other.pid());
    assert!(said.starts_with(&begins), "{said}");
    assert!(project.runs.create_run(project.draft()).is_err());
    other.signal(Signal::TERM);
    other.ends();
    assert!(!project.lock_file().exists());
    drop(SpecLock::acquire(&project.runs, SPEC).unwrap());
}

#[test]
fn the_lock_of_a_process_that_was_killed_is_free() {
    let project = Project::new();
    let mut other = holder(&project);
    other.signal(Signal::KILL);
    other.ends();
    assert!(project.lock_file().exists());
    let lock = SpecLock::acquire(&project.runs, SPEC).unwrap();
    let text = fs::read_to_string(project.lock_file()).unwrap();
    assert!(
        text.starts_with(&format!("{} ", std::process::id())),
        "{text}"
    );
    drop(lock);
    assert!(!project.lock_file().exists());
}

#[test]
fn a_look_at_a_free_lock_does_not_make_a_start_fail() {
    let project = Project::new();
    fs::write(project.lock_file(), "").unwrap();
    let file = fs::File::open(project.lock_file()).unwrap();
    file.lock().unwrap();
    let frees = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        drop(file);
    });
    drop(SpecLock::acquire(&project.runs, SPEC).unwrap());
    frees.join().unwrap();
}

#[test]
fn a_link_in_the_place_of_a_lock_is_not_written_through() {
    let project = Project::new();
    let precious = project.path("precious");
    fs::write(&precious, "kept").unwrap();
    std::os::unix::fs::symlink(&precious, project.lock_file()).unwrap();
    let error = SpecLock::acquire(&project.runs, SPEC).unwrap_err();
    assert!(error.to_string().contains("not a file of ours"), "{error}");
    assert_eq!(fs::read_to_string(precious).unwrap(), "kept");
}

#[test]
fn merges_take_turns_and_wait_so_long_only() {
    let project = Project::new();
    let [a, b] = ["a", "b"].map(|spec| SpecLock::acquire(&project.runs, spec).unwrap());
    let first = MergeLock::acquire(&project.runs, &a, Duration::ZERO).unwrap();
    let error = MergeLock::acquire(&project.runs, &b, Duration::from_millis(50)).unwrap_err();
    assert!(matches!(error, WorkError::Merging { .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains(&format!("process {}", std::process::id()))
    );
    let runs = project.runs.clone();
    let waits = std::thread::spawn(move || {
        MergeLock::acquire(&runs, &b, Duration::from_secs(30)).map(drop)
    });
    until(|| !waits.is_finished());
    drop(first);
    waits.join().unwrap().unwrap();
}
