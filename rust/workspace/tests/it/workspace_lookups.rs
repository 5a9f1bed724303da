//! How far items of other dialects are, found as of now wherever they went, and what of a large folder
//! is looked at.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use chant_graph::ItemProgress;
use chant_speckit::files::FeatureStore;
use chant_speckit::resolve::{SearchStart, in_specs};
use chant_store::changes::StopSignal;
use chant_store::disk::Disk;
use chant_store::files::RootFolder;
use chant_workspace::change_feed::ChangeKind;
use chant_workspace::changes::{ChangeInterest, ItemChanges, ItemDifference};
use chant_workspace::filter::ItemFilter;
use chant_workspace::ops::{self, GraphOptions};

use jiff::Timestamp;

use crate::workspace::{Place, SPEC, data};

#[test]
fn a_ticket_is_found_where_its_project_moved() {
    let place = Place::new();
    place.spec(SPEC, "depends_on: [\"tickets:DEM-1\"]\n");
    place.ticket(1, "status: Approved\n");
    place.check(&[
        "chant:2026-01-22-001-x7m blocked tickets:DEM-001",
        "tickets:DEM-001 Approved+",
    ]);
    let config = "[project]\nname = \"Demo\"\ncode = \"DEM\"\nticketsPath = \"requests\"\n";
    place.write(".mdt-config.toml", config);
    fs::rename(place.path("docs/CRs"), place.path("requests")).unwrap();
    place.write(
        "requests/DEM-001.md",
        "---\ncode: DEM-001\nstatus: Implemented\n---\n\n# Ticket 1\n",
    );
    place.check(&[
        "chant:2026-01-22-001-x7m pending+",
        "tickets:DEM-001 Implemented!",
    ]);
}

#[test]
fn what_a_task_graph_names_is_done_in_the_graph_of_all_when_it_is() {
    let place = Place::new();
    let archived = ".chant/archive/2026-01-21/2026-01-21-001-old.md";
    place.write(archived, "---\nstatus: completed\n---\n# Old\n");
    let needs = "@needs(chant:2026-01-21-001-old, chant:gone)";
    let text = format!("vine 1.2.0\n---\n[a] A (notstarted) {needs}\n");
    place.write("plan.vine", &text);
    let joined = place.workspace.snapshot().unwrap();
    let progress = |key| joined.graph().progress(joined.graph().find(key).unwrap());
    assert_eq!(progress("chant:2026-01-21-001-old"), ItemProgress::Done);
    assert_eq!(progress("chant:gone"), ItemProgress::Absent);
}

#[test]
fn a_feature_is_found_however_its_letters_lie_on_the_disk() {
    let place = Place::new();
    for name in ["060-caf\u{e9}", "061-cafe\u{301}"] {
        place.write(&format!("specs/{name}/tasks.md"), "- [x] T001 Do it\n");
    }
    let depends = "depends_on: [\"speckit:060-caf\u{e9}#T001\", \"speckit:061-caf\u{e9}#T001\"]\n";
    place.spec(SPEC, depends);
    let joined = place.workspace.snapshot().unwrap();
    let spec = joined.graph().find(&format!("chant:{SPEC}")).unwrap();
    assert!(joined.item(spec).unwrap().is_ready());
}

/// A task graph that is moved, put away or replaced is seen, though where it lies is remembered.
#[test]
fn task_graphs_are_read_where_they_lie_now() {
    let place = Place::new();
    let text = |status: &str| format!("vine 1.2.0\n---\n[a] A ({status})\n");
    place.write("plans/one.vine", &text("notstarted"));
    place.check(&["vine:plans/one.vine#a notstarted+"]);
    fs::rename(place.path("plans"), place.path("old")).unwrap();
    place.check(&["vine:old/one.vine#a notstarted+"]);
    place.write("next.vine", &text("complete"));
    fs::rename(place.path("next.vine"), place.path("old/one.vine")).unwrap();
    place.check(&["vine:old/one.vine#a complete!"]);
    fs::remove_file(place.path("old/one.vine")).unwrap();
    place.check(&[]);
}

#[test]
fn what_is_only_named_is_drawn_for_those_that_wait_for_it() {
    let place = Place::new();
    place.spec(SPEC, "depends_on: [\"other:2026-01-01-001-abc\"]\n");
    place.ticket(1, "status: Approved\n");
    place.ticket(2, "status: Approved\ndependsOn: DEM-001\n");
    let shown = |dialects: &[&str], all| {
        let filter = ItemFilter {
            dialects: dialects.iter().map(|one| (*one).to_owned()).collect(),
            ..ItemFilter::default()
        };
        let format = "tree";
        let answer = ops::graph(&place.workspace, filter, GraphOptions { format, all }).unwrap();
        let tree = data(&answer);
        let rows = tree["rows"].as_array().unwrap().iter();
        let keys = rows.map(|row| row["key"].as_str().unwrap().to_owned());
        keys.collect::<Vec<_>>()
    };
    assert_eq!(
        shown(&["tickets"], false),
        ["tickets:DEM-002", "tickets:DEM-001"]
    );
    assert_eq!(
        shown(&["tickets"], true),
        ["tickets:DEM-002", "tickets:DEM-001"]
    );
    let with_named = [&*format!("chant:{SPEC}"), "chant:other:2026-01-01-001-abc"];
    assert_eq!(shown(&["chant"], false), with_named);
}

#[test]
fn features_beyond_the_most_that_are_looked_at_are_told() {
    let place = Place::new();
    let tasks = "- [ ] T001 Do it\n";
    for number in 0..=1000 {
        place.write(&format!("specs/{number:04}-name/tasks.md"), tasks);
    }
    let joined = place.workspace.snapshot().unwrap();
    assert_eq!(joined.len(), 1000);
    let [problem] = joined.problems() else {
        panic!("expected one problem: {:?}", joined.problems());
    };
    assert_eq!(&*problem.path, "specs/1000-name");
    assert!(problem.message.contains("more than 1000 features"));
    fs::remove_dir_all(place.path("specs/0000-name")).unwrap();
    assert!(place.workspace.snapshot().unwrap().problems().is_empty());
}

#[test]
fn a_line_with_another_sign_in_its_box_is_told() {
    let place = Place::new();
    place.write(
        "specs/060-login/tasks.md",
        "- [x] T001 Begin\n- [/] T002 Go on\n",
    );
    let joined = place.workspace.snapshot().unwrap();
    let [problem] = joined.problems() else {
        panic!("expected one problem: {:?}", joined.problems());
    };
    assert_eq!(problem.line, Some(2));
    assert!(problem.message.contains("`[/]` is no box"));
}

/// Reading one document again forgets none of the others, however many there are.
#[test]
fn documents_stay_known_when_as_many_are_known_as_are_kept() {
    let place = Place::new();
    let root = RootFolder::open(place.workspace.root()).unwrap();
    let names = ["tasks.md", "spec.md", "plan.md", "notes.md"];
    for number in 0..1024 {
        for name in names {
            place.write(&format!("specs/{number:04}-name/{name}"), "# Text\n");
        }
    }
    let start = SearchStart {
        folder: root.path().to_owned(),
        root: root.path().to_owned(),
        environment: BTreeMap::new(),
    };
    let features = FeatureStore::new(start, Disk::default(), || Timestamp::UNIX_EPOCH);
    let all: Vec<_> = in_specs(&root).collect();
    let read = |feature, name| features.document(feature, name).unwrap().unwrap();
    let mut documents = Vec::new();
    for feature in &all {
        documents.extend(names.map(|name| read(feature, name)));
    }
    place.write("specs/0000-name/tasks.md", "# Another text\n");
    assert!(!Arc::ptr_eq(&read(&all[0], names[0]), &documents[0]));
    assert!(Arc::ptr_eq(&read(&all[0], names[1]), &documents[1]));
}

#[test]
fn every_word_of_a_task_is_a_change() {
    let place = Place::new();
    let list = |phase: &str, group: &str, line: &str| {
        format!("# Tasks\n\n## Phase 1: {phase}\n\n### {group}\n\n- [ ] T001 Begin\n{line}\n")
    };
    let file = "specs/060-login/tasks.md";
    place.write(file, &list("Setup", "All", "- [ ] T002 Build src/a.rs"));
    let mut changes = ItemChanges::begin(&place.workspace).unwrap();
    for (phase, group, line) in [
        ("Setup", "All", "- [ ] T002 [P] Build src/a.rs"),
        ("Setup", "All", "- [ ] T002 [P] [US1] Build src/a.rs"),
        ("Setup", "All", "- [ ] T002 [P] [US1] [api] Build src/a.rs"),
        ("Setup", "Some", "- [ ] T002 [P] [US1] [api] Build src/a.rs"),
        ("Start", "Some", "- [ ] T002 [P] [US1] [api] Build src/a.rs"),
        (
            "Start (Priority: P1)",
            "Some",
            "- [ ] T002 [P] [US1] [api] Build src/a.rs",
        ),
        (
            "Start (Priority: P1)",
            "Some",
            "  - [ ] T002 [P] [US1] [api] Build src/a.rs",
        ),
    ] {
        place.write(file, &list(phase, group, line));
        let found = waited(&mut changes, &place);
        let found = found.unwrap_or_else(|| panic!("{phase} {group} {line}"));
        let changed = found.keys(ChangeKind::Changed);
        assert!(
            changed.contains(&"speckit:060-login#T002"),
            "{phase} {group} {line}"
        );
    }
    // Another line is no other word.
    let text = fs::read_to_string(place.path(file)).unwrap();
    place.write(file, &format!("{text}- [ ] T003 [P] New\n"));
    let found = waited(&mut changes, &place).unwrap();
    assert_eq!(found.keys(ChangeKind::Added), ["speckit:060-login#T003"]);
    assert_eq!(found.keys(ChangeKind::Changed), [""; 0]);
    place.write(file, &format!("\n\n{text}- [ ] T003 [P] New\n"));
    assert_eq!(waited(&mut changes, &place), None);
}

/// The changes until now.
fn waited(changes: &mut ItemChanges, place: &Place) -> Option<ItemDifference> {
    let (interest, signal) = (ChangeInterest::Items, StopSignal::default());
    changes
        .wait(&place.workspace, Duration::ZERO, interest, &signal)
        .unwrap()
}

#[test]
fn a_root_under_review_that_needs_something_waits_for_it() {
    let place = Place::new();
    place.spec(SPEC, "");
    let text = format!("vine 1.2.0\n---\n[root] Root (reviewing) @needs(chant:{SPEC})\n");
    place.write("plan.vine", &text);
    let files = chant_vine::files::VineStore::new(
        crate::own_disk(),
        place.workspace.root().to_owned(),
        Vec::new(),
        false,
    )
    .with_external(chant_workspace::external_items);
    let ready = || {
        let document = files.read(&files.existing("plan.vine").unwrap()).unwrap();
        let waiting = document.plan.waiting().count();
        (document.plan.frontier.ready_to_complete.clone(), waiting)
    };
    assert_eq!(ready(), (vec![], 1));
    place.spec(SPEC, "status: completed\n");
    assert_eq!(ready(), (vec![0], 0));
}
