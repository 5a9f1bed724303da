//! Several files changed at once: all of them or none, whenever it stops.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::sync::Arc;

use chant_core::dialects::chant::ops::cancel;
use chant_core::store::StoreError;
use chant_core::store::disk::{Disk, Lock};
use chant_core::store::files::Root;
use chant_core::store::journal::{Journal, Step};
use chant_core::store::state::StateFolder;
use tempfile::TempDir;

use crate::workspace::Place;

struct Project {
    folder: TempDir,
    root: Root,
    state: StateFolder,
}

impl Project {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let root = Root::open(folder.path()).unwrap();
        for (name, text) in [("a.md", "a"), ("b.md", "b"), ("c.md", "c")] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let state = StateFolder::of(&root, None, crate::own_disk().user_state.as_ref());
        Self {
            folder,
            root,
            state,
        }
    }

    fn journal<'a>(&'a self, disk: &'a Disk) -> Journal<'a> {
        Journal {
            disk,
            root: &self.root,
            state: Some(&self.state),
            gates: &[],
        }
    }

    /// Four steps of every kind over three files.
    fn change(&self, disk: &Disk) -> Result<(), StoreError> {
        self.journal(disk)
            .change(&["c.md", "a.md", "b.md"], |texts| {
                assert_eq!(texts, ["c", "a", "b"]);
                let path = |path: &str| path.to_owned();
                Ok(Some(vec![
                    Step::Replace {
                        path: path("a.md"),
                        text: "A".into(),
                    },
                    Step::Create {
                        path: path("new/d.md"),
                        text: "D".into(),
                    },
                    Step::Move {
                        from: path("c.md"),
                        to: path("old/c.md"),
                    },
                    Step::Replace {
                        path: path("b.md"),
                        text: "B".into(),
                    },
                ]))
            })
            .map(|is_done| assert!(is_done))
    }

    fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for folder in ["", "new", "old"] {
            for entry in fs::read_dir(self.folder.path().join(folder))
                .into_iter()
                .flatten()
                .flatten()
            {
                if entry.path().is_file() {
                    let path = entry
                        .path()
                        .strip_prefix(self.folder.path())
                        .unwrap()
                        .display()
                        .to_string();
                    files.insert(path, fs::read_to_string(entry.path()).unwrap());
                }
            }
        }
        files
    }

    fn leftovers(&self) -> usize {
        fs::read_dir(self.state.place().unwrap().join("journal")).map_or(0, Iterator::count)
    }
}

fn files(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

fn before() -> BTreeMap<String, String> {
    files(&[("a.md", "a"), ("b.md", "b"), ("c.md", "c")])
}

fn after() -> BTreeMap<String, String> {
    files(&[
        ("a.md", "A"),
        ("b.md", "B"),
        ("new/d.md", "D"),
        ("old/c.md", "c"),
    ])
}

/// A disk on which the process dies the `nth` time it reaches `moment`.
fn dying_at(moment: &'static str, nth: usize) -> Disk {
    let count = std::sync::atomic::AtomicUsize::new(0);
    let reached = Arc::new(move |now: &'static str| {
        let is_it = now == moment && count.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == nth;
        if is_it {
            Err(io::Error::other("power cut"))
        } else {
            Ok(())
        }
    });
    Disk {
        reached,
        ..Disk::default()
    }
}

#[test]
fn all_steps_are_done_and_nothing_is_left_behind() {
    let project = Project::new();
    project.change(&Disk::default()).unwrap();
    assert_eq!(project.files(), after());
    assert_eq!(project.leftovers(), 0);
    assert!(!project.folder.path().join(".chant-mcp").exists());
}

// proves: store:write:crash_leaves_old_or_new
#[test]
fn a_crash_at_any_moment_leaves_all_or_nothing_after_recovery() {
    let moments = [
        ("journal-staged", 0, false),
        ("journal-intent", 0, true),
        ("journal-done", 0, true),
    ]
    .into_iter()
    .chain((0..4).map(|nth| ("journal-step", nth, true)));
    for (moment, nth, happens) in moments {
        let project = Project::new();
        assert!(
            project.change(&dying_at(moment, nth)).is_err(),
            "{moment} {nth}"
        );
        assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
        let expected = if happens { after() } else { before() };
        assert_eq!(project.files(), expected, "{moment} {nth}");
        assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
        assert_eq!(project.files(), expected, "{moment} {nth}, recovered twice");
    }
}

#[test]
fn a_step_that_cannot_be_done_takes_back_the_others() {
    let project = Project::new();
    fs::create_dir(project.folder.path().join("old")).unwrap();
    fs::write(project.folder.path().join("old/c.md"), "taken").unwrap();
    assert!(matches!(
        project.change(&Disk::default()),
        Err(StoreError::Exists { .. })
    ));
    let mut expected = before();
    expected.insert("old/c.md".into(), "taken".into());
    assert_eq!(project.files(), expected);
    assert_eq!(project.leftovers(), 0);
}

/// A disk on which the intent of a change cannot be removed.
fn keeping_intents() -> Disk {
    let reached = |moment: &'static str| match moment {
        "journal-clear" => Err(io::Error::other("disk on fire")),
        _ => Ok(()),
    };
    Disk {
        reached: Arc::new(reached),
        ..Disk::default()
    }
}

// proves: store:write:taken_back_stays_so
#[test]
fn what_was_taken_back_is_not_carried_out_when_its_record_stays() {
    let project = Project::new();
    fs::create_dir(project.folder.path().join("old")).unwrap();
    fs::write(project.folder.path().join("old/c.md"), "taken").unwrap();
    assert!(matches!(
        project.change(&keeping_intents()),
        Err(StoreError::Exists { .. })
    ));
    assert_eq!(project.leftovers(), 1);
    fs::remove_dir_all(project.folder.path().join("old")).unwrap();
    assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
    assert_eq!(project.files(), before());
    assert_eq!(project.leftovers(), 0);
}

// proves: store:write:taken_back_stays_so
#[test]
fn what_was_done_is_not_done_again_when_its_record_stays() {
    let project = Project::new();
    project.change(&keeping_intents()).unwrap();
    assert_eq!(project.leftovers(), 1);
    fs::remove_file(project.folder.path().join("new/d.md")).unwrap();
    assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
    let mut expected = after();
    expected.remove("new/d.md");
    assert_eq!(project.files(), expected);
    assert_eq!(project.leftovers(), 0);
}

#[test]
fn an_edit_between_crash_and_recovery_is_kept_and_reported() {
    let project = Project::new();
    assert!(project.change(&dying_at("journal-step", 0)).is_err());
    fs::write(project.folder.path().join("b.md"), "by a person").unwrap();
    let unfinished = project.journal(&Disk::default()).recover().unwrap();
    assert_eq!(unfinished.len(), 1);
    assert_eq!(unfinished[0].paths, ["b.md"]);
    assert!(unfinished[0].kept.join("3.new").exists());
    assert_eq!(project.files()["b.md"], "by a person");
    assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
}

/// What the four steps leave when their record or a staged text was damaged: nothing is done.
#[test]
fn a_damaged_change_is_set_aside_and_told() {
    type Damage = fn(&std::path::Path);
    let damages: [(Damage, &str); 3] = [
        (
            |it| fs::write(it.join("intent.json"), "{").unwrap(),
            "record",
        ),
        (
            |it| fs::write(it.join("intent.json"), "").unwrap(),
            "record",
        ),
        (|it| fs::remove_file(it.join("3.new")).unwrap(), "`3.new`"),
    ];
    for (damage, word) in damages {
        let project = Project::new();
        assert!(project.change(&dying_at("journal-intent", 0)).is_err());
        let journal = project.state.ensure("journal").unwrap();
        let change = fs::read_dir(&journal).unwrap().next().unwrap().unwrap();
        damage(&change.path());
        let unfinished = project.journal(&Disk::default()).recover().unwrap();
        assert_eq!(unfinished.len(), 1);
        assert!(unfinished[0].why.contains(word), "{}", unfinished[0].why);
        assert!(unfinished[0].kept.join("0.new").exists());
        assert_eq!(project.files(), before());
        assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
    }
}

// proves: store:write:crash_leaves_old_or_new
#[test]
fn what_stays_unfinished_is_told_once_however_many_changes_follow() {
    let place = Place::new();
    // A record that can be neither read nor moved.
    let change = "journal/1-1-0";
    let intent = crate::state_part(&place.path(""), &format!("{change}/intent.json"));
    fs::create_dir_all(intent).unwrap();
    let told = || {
        let snapshot = place.chant.snapshot().unwrap();
        place.chant.problems(&snapshot)
    };
    for number in 1..4 {
        let id = format!("2026-01-22-00{number}-x7m");
        place.spec(&id, "status: pending\n");
        cancel(&place.chant, &id).unwrap();
        assert_eq!(told().len(), 1, "{:?}", told());
    }
    assert!(told()[0].path.contains(change));
}

#[test]
fn a_plan_that_needs_other_documents_lets_go_and_changes_nothing() {
    let project = Project::new();
    let disk = Disk::default();
    let done = project
        .journal(&disk)
        .change(&["a.md"], |_| Ok::<_, StoreError>(None));
    assert!(!done.unwrap());
    assert_eq!(project.files(), before());
    project.change(&disk).unwrap();
}

#[test]
fn a_change_under_way_is_left_alone_by_recovery() {
    let project = Project::new();
    let (root, state) = (project.root.clone(), project.state.clone());
    let reached = Arc::new(move |moment: &'static str| {
        if moment == "journal-intent" {
            let disk = Disk::default();
            assert_eq!(
                Journal {
                    disk: &disk,
                    root: &root,
                    state: Some(&state),
                    gates: &[],
                }
                .recover()
                .unwrap(),
                []
            );
            assert_eq!(fs::read_to_string(root.path().join("a.md")).unwrap(), "a");
        }
        Ok(())
    });
    project
        .change(&Disk {
            reached,
            ..Disk::default()
        })
        .unwrap();
    assert_eq!(project.files(), after());
}

#[test]
fn all_gates_are_held_while_a_change_is_decided() {
    let project = Project::new();
    let disk = Disk::default();
    let gates = ["z", "y", "z"].map(|name| {
        let gate = project.folder.path().join(name);
        fs::create_dir_all(&gate).unwrap();
        gate
    });
    let journal = Journal {
        gates: &gates,
        ..project.journal(&disk)
    };
    let done = journal.change(&["a.md"], |_| {
        for gate in &gates {
            assert!(Lock::try_take(gate)?.is_none());
        }
        Ok::<_, StoreError>(Some(Vec::new()))
    });
    assert!(done.unwrap());
    assert!(Lock::try_take(&gates[0]).unwrap().is_some());
}
