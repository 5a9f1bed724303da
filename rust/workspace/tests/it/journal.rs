//! Several files changed at once: all of them or none, whenever it stops.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::sync::Arc;

use chant_spec_runs::ops::cancel;
use chant_store::StoreError;
use chant_store::disk::{Disk, Lock};
use chant_store::files::{self, RootFolder};
use chant_store::journal::{ChangeJournal, ChangeStep};
use chant_store::state::{CheckoutName, GitLocation, StateFolder, UserState};
use tempfile::TempDir;

use crate::workspace::Place;

pub(crate) struct Project {
    folder: TempDir,
    pub(crate) root: RootFolder,
    state: StateFolder,
    /// Where the state lies, if it is the project's own.
    _home: Option<TempDir>,
}

impl Project {
    pub(crate) fn new() -> Self {
        let user = crate::own_disk().user_state.unwrap();
        Self::filled(TempDir::new().unwrap(), &user, None)
    }

    /// A project in memory, where there is that; its state lies there, too, or on another file system.
    pub(crate) fn in_memory(has_state_near: bool) -> Self {
        let memory = std::path::Path::new("/dev/shm");
        let target = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
        let near = if memory.is_dir() { memory } else { target };
        let home = TempDir::new_in(if has_state_near { near } else { target }).unwrap();
        let user = UserState::at(home.path().join("state"));
        Self::filled(TempDir::new_in(near).unwrap(), &user, Some(home))
    }

    fn filled(folder: TempDir, user: &UserState, home: Option<TempDir>) -> Self {
        let root = RootFolder::open(folder.path()).unwrap();
        for (name, text) in [("a.md", "a"), ("b.md", "b"), ("c.md", "c")] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let state = StateFolder::of(&root, None, Some(user));
        Self {
            folder,
            root,
            state,
            _home: home,
        }
    }

    pub(crate) fn journal<'a>(&'a self, disk: &'a Disk) -> ChangeJournal<'a> {
        ChangeJournal {
            disk,
            root: &self.root,
            state: Some(&self.state),
            gates: &[],
        }
    }

    /// Four steps of every kind over three files.
    pub(crate) fn change(&self, disk: &Disk) -> Result<(), StoreError> {
        self.journal(disk)
            .change(&["c.md", "a.md", "b.md"], |texts| {
                assert_eq!(texts, ["c", "a", "b"]);
                let path = |path: &str| path.to_owned();
                Ok(Some(vec![
                    ChangeStep::Replace {
                        path: path("a.md"),
                        text: "A".into(),
                    },
                    ChangeStep::Create {
                        path: path("new/d.md"),
                        text: "D".into(),
                    },
                    ChangeStep::Move {
                        from: path("c.md"),
                        to: path("old/c.md"),
                    },
                    ChangeStep::Replace {
                        path: path("b.md"),
                        text: "B".into(),
                    },
                ]))
            })
            .map(|is_done| assert!(is_done))
    }

    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for folder in ["", "new", "old"] {
            for entry in fs::read_dir(self.folder.path().join(folder))
                .into_iter()
                .flatten()
                .flatten()
            {
                let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
                if entry.path().is_file() && !is_hidden {
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

    /// Hidden files and empty folders that are ours.
    pub(crate) fn debris(&self) -> usize {
        let hidden = |folder: &std::path::Path| {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries
                .filter(|entry| entry.file_name().to_string_lossy().starts_with('.'))
                .count()
        };
        let folders = ["new", "old"].map(|name| self.folder.path().join(name));
        let empty = |folder: &&std::path::PathBuf| {
            folder.is_dir() && fs::read_dir(folder).unwrap().next().is_none()
        };
        hidden(self.folder.path())
            + folders.iter().map(|it| hidden(it)).sum::<usize>()
            + folders.iter().filter(empty).count()
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn journal_folder(&self) -> std::path::PathBuf {
        self.state.place().unwrap().join("journal")
    }

    pub(crate) fn leftovers(&self) -> usize {
        fs::read_dir(self.state.place().unwrap().join("journal")).map_or(0, Iterator::count)
    }
}

fn files(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

pub(crate) fn before() -> BTreeMap<String, String> {
    files(&[("a.md", "a"), ("b.md", "b"), ("c.md", "c")])
}

pub(crate) fn after() -> BTreeMap<String, String> {
    files(&[
        ("a.md", "A"),
        ("b.md", "B"),
        ("new/d.md", "D"),
        ("old/c.md", "c"),
    ])
}

/// A disk on which the process dies the `nth` time it reaches `moment`.
pub(crate) fn dying_at(moment: &'static str, nth: usize) -> Disk {
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

#[test]
fn a_crash_at_any_moment_leaves_all_or_nothing_after_recovery() {
    let moments = [
        ("journal-staged", 0, false),
        ("journal-intent", 0, false),
        ("journal-done", 0, true),
    ]
    .into_iter()
    .chain((0..4).map(|nth| ("journal-step", nth, false)));
    let cases = moments.flat_map(|case| [(true, case), (false, case)]);
    // One step is like the other where the state lies far.
    for (is_near, (moment, nth, happens)) in cases.filter(|(is_near, case)| *is_near || case.1 < 2)
    {
        let project = Project::in_memory(is_near);
        assert!(
            project.change(&dying_at(moment, nth)).is_err(),
            "{moment} {nth}"
        );
        assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
        let expected = if happens { after() } else { before() };
        assert_eq!(project.files(), expected, "{moment} {nth}");
        assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
        assert_eq!(project.files(), expected, "{moment} {nth}, recovered twice");
        assert_eq!(project.leftovers(), 0, "{moment} {nth}");
        assert_eq!(project.debris(), 0, "{moment} {nth}");
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
fn an_edit_between_crash_and_recovery_is_kept_and_told_and_the_others_stay_together() {
    let names = [
        ("a.md", "a.md"),
        ("new/d.md", ""),
        ("old/c.md", "c.md"),
        ("b.md", "b.md"),
    ];
    let moments = ["journal-intent"].into_iter().map(|it| (it, 0));
    for (moment, nth) in moments.chain((0..4).map(|nth| ("journal-step", nth))) {
        for (new, old) in names {
            let project = Project::new();
            assert!(project.change(&dying_at(moment, nth)).is_err());
            let is_there =
                |name: &&&str| !name.is_empty() && project.folder.path().join(name).exists();
            let Some(name) = [new, old].iter().find(is_there).copied() else {
                continue;
            };
            let path = project.folder.path().join(name);
            let text = fs::read_to_string(&path).unwrap() + " by a person";
            fs::write(&path, &text).unwrap();
            let left = project.files();
            let unfinished = project.journal(&Disk::default()).recover().unwrap();
            let at = format!("{moment} {nth} {name}: {left:?} {unfinished:?}");
            let mut found = project.files();
            // A file that only moved takes its edit along.
            let is_moved = new == "old/c.md";
            let edited = if is_moved { "c.md" } else { name };
            assert_eq!(found.remove(edited), Some(text.clone()), "{at}");
            let without = |mut files: BTreeMap<String, String>| {
                files.remove(edited);
                files
            };
            let is_new = text.starts_with(|first: char| first.is_uppercase());
            let expected = if is_new { after() } else { before() };
            assert_eq!(found, without(expected), "{at}");
            if is_moved {
                assert_eq!(unfinished, [], "{at}");
            } else {
                assert_eq!(unfinished[0].paths, [name], "{at}");
                assert!(unfinished[0].kept.is_dir());
            }
            assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
        }
    }
}

#[test]
fn two_edits_that_speak_for_both_ways_leave_everything_as_it_is() {
    let project = Project::new();
    assert!(project.change(&dying_at("journal-step", 0)).is_err());
    fs::write(project.folder.path().join("a.md"), "A by a person").unwrap();
    fs::write(project.folder.path().join("b.md"), "b by a person").unwrap();
    let left = project.files();
    let unfinished = project.journal(&Disk::default()).recover().unwrap();
    assert_eq!(unfinished[0].paths, ["a.md", "b.md"]);
    assert!(unfinished[0].kept.join("0.text").exists());
    assert_eq!(project.files(), left);
}

#[test]
fn no_file_changes_before_all_is_written_and_asked() {
    let project = Project::new();
    let root = project.root.path().to_owned();
    let is_as_it_was = move || {
        let read = |name: &str| fs::read_to_string(root.join(name)).ok();
        let texts = ["a.md", "b.md", "c.md", "new/d.md", "old/c.md"].map(read);
        texts
            == [
                Some("a".into()),
                Some("b".into()),
                Some("c".into()),
                None,
                None,
            ]
    };
    let (writes, moments) = (is_as_it_was.clone(), is_as_it_was);
    let disk = Disk {
        write: Arc::new(move |file, bytes| {
            assert!(writes());
            io::Write::write_all(file, bytes)
        }),
        reached: Arc::new(move |moment| {
            assert!(moment != "journal-intent" || moments());
            Ok(())
        }),
        ..Disk::default()
    };
    project.change(&disk).unwrap();
}

#[test]
fn a_change_that_had_not_begun_needs_no_folder_of_its_files() {
    for is_near in [true, false] {
        let project = Project::in_memory(is_near);
        assert!(project.change(&dying_at("journal-staged", 0)).is_err());
        fs::remove_dir_all(project.root.path().join("new")).unwrap();
        assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
        assert_eq!((project.files(), project.leftovers()), (before(), 0));
    }
}

/// What the four steps leave when their record was damaged: nothing is done.
#[test]
fn a_damaged_change_is_set_aside_and_told() {
    type Damage = fn(&std::path::Path);
    let damages: [(Damage, &str); 2] = [
        (
            |it| fs::write(it.join("intent.json"), "{").unwrap(),
            "record",
        ),
        (
            |it| fs::write(it.join("intent.json"), "").unwrap(),
            "record",
        ),
    ];
    for (damage, word) in damages {
        let project = Project::in_memory(true);
        assert!(project.change(&dying_at("journal-intent", 0)).is_err());
        let journal = project.state.ensure("journal").unwrap();
        let change = fs::read_dir(&journal).unwrap().next().unwrap().unwrap();
        damage(&change.path());
        let unfinished = project.journal(&Disk::default()).recover().unwrap();
        assert_eq!(unfinished.len(), 1);
        assert!(unfinished[0].why.contains(word), "{}", unfinished[0].why);
        assert!(unfinished[0].kept.join("0.text").exists());
        assert_eq!(project.files(), before());
        assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
    }
}

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
fn in_a_repository_that_has_our_state_nothing_lies_beside_documents_while_they_are_written() {
    let project = Project::new();
    let common = project.folder.path().join("repository");
    fs::create_dir(&common).unwrap();
    let place = GitLocation {
        common: common.clone(),
        top: Some(project.folder.path().to_owned()),
        checkout: Some(CheckoutName::Main),
    };
    let user = crate::own_disk().user_state;
    let state = StateFolder::of(&project.root, Some(&place), user.as_ref());
    let folder = project.folder.path().to_owned();
    let writes = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = Arc::clone(&writes);
    let disk = Disk {
        write: Arc::new(move |file, bytes| {
            let names = fs::read_dir(&folder)?.map(|entry| entry.unwrap().file_name());
            let ours: Vec<_> = names
                .filter(|name| name.to_string_lossy().starts_with('.'))
                .collect();
            assert_eq!(ours, Vec::<std::ffi::OsString>::new());
            count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            io::Write::write_all(file, bytes)
        }),
        ..Disk::default()
    }
    .staging_in(&state);
    state.ensure("journal").unwrap();
    let edit = |text: &str| Ok::<_, StoreError>(text.to_owned() + "!");
    files::edit(&disk, &project.root, "a.md", edit).unwrap();
    files::create(&disk, &project.root, "e.md", "e").unwrap();
    let text = |path: &str, text: &str| ChangeStep::Replace {
        path: path.into(),
        text: text.into(),
    };
    let journal = ChangeJournal {
        state: Some(&state),
        ..project.journal(&disk)
    };
    let both = |_: &[&str]| Ok::<_, StoreError>(Some(vec![text("b.md", "B"), text("c.md", "C")]));
    assert!(journal.change(&["b.md", "c.md"], both).unwrap());
    let expected = [("a.md", "a!"), ("b.md", "B"), ("c.md", "C"), ("e.md", "e")];
    assert_eq!(project.files(), self::files(&expected));
    assert_eq!(writes.load(std::sync::atomic::Ordering::SeqCst), 5);
    assert_eq!(
        fs::read_dir(common.join("chant-mcp/staged"))
            .unwrap()
            .count(),
        0
    );
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
                ChangeJournal {
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
    let journal = ChangeJournal {
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
