//! Texts of an interrupted change that a loss of power emptied or damaged.

use std::fs;
use std::path::PathBuf;

use chant_store::disk::Disk;

use crate::journal::{Project, after, before, dying_at};

/// The folder of the change that a crash left.
fn change_of(project: &Project) -> PathBuf {
    let mut entries = fs::read_dir(project.journal_folder()).unwrap();
    entries.next().unwrap().unwrap().path()
}

#[test]
fn an_old_text_that_was_damaged_does_not_replace_the_new_one() {
    for damaged in ["", "\0\0", "half of"] {
        let project = Project::in_memory(true);
        assert!(project.change(&dying_at("journal-step", 3)).is_err());
        fs::write(change_of(&project).join("0.text"), damaged).unwrap();
        let found = project.journal(&Disk::default()).recover().unwrap();
        assert_eq!(project.files(), after(), "{damaged:?}");
        assert_eq!(found[0].paths, ["a.md"]);
        let told = "it was finished: of `a.md` the old text was damaged and the new one whole";
        assert_eq!(found[0].why, told);
        let left = project.journal(&Disk::default()).left_changes();
        assert!(left[0].message.contains(told), "{left:?}");
        assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
    }
}

#[test]
fn a_new_text_that_was_emptied_gives_way_to_the_old_one() {
    for (name, nth) in [("a.md", 3), ("new/d.md", 3), ("b.md", 3), ("a.md", 0)] {
        let project = Project::in_memory(true);
        assert!(project.change(&dying_at("journal-step", nth)).is_err());
        fs::write(project.path(name), "").unwrap();
        let found = project.journal(&Disk::default()).recover().unwrap();
        assert_eq!(project.files(), before(), "{name} {nth}");
        assert_eq!(found[0].paths, [name]);
        assert!(
            found[0].why.starts_with("it was taken back: of"),
            "{found:?}"
        );
    }
}

#[test]
fn a_text_that_waits_damaged_is_never_put_in_place() {
    let project = Project::in_memory(true);
    assert!(project.change(&dying_at("journal-step", 0)).is_err());
    fs::write(change_of(&project).join("3.text"), "").unwrap();
    let found = project.journal(&Disk::default()).recover().unwrap();
    assert_eq!(project.files(), before());
    assert_eq!(found[0].paths, ["b.md"]);
}

#[test]
fn damage_that_speaks_for_both_ways_leaves_each_file_with_its_whole_text() {
    let project = Project::in_memory(true);
    assert!(project.change(&dying_at("journal-step", 3)).is_err());
    fs::write(change_of(&project).join("0.text"), "").unwrap();
    fs::write(project.path("b.md"), "").unwrap();
    let found = project.journal(&Disk::default()).recover().unwrap();
    let files = project.files();
    assert_eq!((&*files["a.md"], &*files["b.md"]), ("A", "b"));
    assert_eq!(found[0].paths, ["a.md", "b.md"]);
    assert!(
        found[0]
            .why
            .starts_with("each file got the text that was whole"),
        "{found:?}"
    );
}

#[test]
fn an_old_text_that_was_emptied_in_its_place_gets_the_new_one() {
    let project = Project::in_memory(true);
    assert!(project.change(&dying_at("journal-intent", 0)).is_err());
    fs::write(project.path("a.md"), "").unwrap();
    let found = project.journal(&Disk::default()).recover().unwrap();
    assert_eq!(project.files(), after());
    assert_eq!(found[0].paths, ["a.md"]);
}
