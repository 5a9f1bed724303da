//! Tasks of spec-kit features among the items of a workspace.

use std::collections::BTreeMap;
use std::fs;

use chant_base::answer::PageRequest;
use chant_speckit::files::{CallerIdentity, FeatureStore};
use chant_speckit::ops as speckit;
use chant_speckit::resolve::SearchStart;
use chant_store::disk::Disk;
use chant_workspace::external_items;
use chant_workspace::filter::ItemFilter;
use chant_workspace::ops::{self, GraphOptions};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::workspace::{Place, SPEC, data};

const TASKS: &str = "# Tasks\n\n## Phase 1: Setup\n\n- [x] T001 Make it\n- [ ] T002 [P] Try it\n\n## Phase 2: User Story 1 - Log in (Priority: P1)\n\n- [ ] T003 [US1] Build it\n  More of it.\n";

fn feature(place: &Place, name: &str, tasks: &str) {
    place.write(&format!("specs/{name}/tasks.md"), tasks);
}

fn features(place: &Place) -> FeatureStore {
    let start = SearchStart {
        folder: place.workspace.root().to_owned(),
        root: place.workspace.root().to_owned(),
        environment: BTreeMap::from([("SPECIFY_FEATURE".into(), "060-login".into())]),
    };
    FeatureStore::new(start, Disk::default(), || Timestamp::UNIX_EPOCH)
        .with_external(external_items)
}

fn keys(rows: &Value) -> Vec<&str> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["key"].as_str().unwrap()).collect()
}

#[test]
fn tasks_of_all_features_are_items() {
    let place = Place::new();
    feature(&place, "060-login", TASKS);
    feature(
        &place,
        "061-logout",
        "- [-] T001 Nothing\n- [~] T002 Begun\n",
    );
    place.write("specs/062-empty/tasks.md", "# Tasks\n");
    place.check(&[
        "speckit:060-login#T001 done!",
        "speckit:060-login#T002 open+",
        "speckit:060-login#T003 open speckit:060-login#phase-1",
        "speckit:061-logout#T001 skipped!",
        "speckit:061-logout#T002 partial+",
    ]);
    let list = |filter: ItemFilter| {
        let page = PageRequest {
            limit: 50,
            offset: 0,
        };
        data(&ops::list(&place.workspace, filter, page).unwrap())
    };
    let found = list(ItemFilter {
        statuses: vec!["skipped".into()],
        ..ItemFilter::default()
    });
    assert_eq!(keys(&found["items"]), ["speckit:061-logout#T001"]);
    let found = list(ItemFilter {
        labels: vec!["US1".into()],
        ..ItemFilter::default()
    });
    assert_eq!(keys(&found["items"]), ["speckit:060-login#T003"]);
    assert_eq!(found["items"][0]["title"], "Build it");
    assert_eq!(found["items"][0]["path"], "specs/060-login/tasks.md");
}

#[test]
fn phases_stand_between_tasks_in_pictures_alone() {
    let place = Place::new();
    feature(&place, "060-login", TASKS);
    let shown = GraphOptions {
        format: "json",
        all: true,
    };
    let graph = data(&ops::graph(&place.workspace, ItemFilter::default(), shown).unwrap());
    assert_eq!(
        keys(&graph["nodes"]),
        [
            "speckit:060-login#phase-1",
            "speckit:060-login#T001",
            "speckit:060-login#T002",
            "speckit:060-login#phase-2",
            "speckit:060-login#T003"
        ]
    );
    assert_eq!(graph["nodes"][0]["type"], "phase");
    assert_eq!(graph["nodes"][0]["title"], "Phase 1: Setup");
    let edges = graph["edges"].as_array().unwrap();
    assert!(edges.contains(&json!({"from": "speckit:060-login#T003", "to": "speckit:060-login#phase-1", "reason": "earlier_sibling", "met": false})));
    assert!(edges.contains(&json!({"from": "speckit:060-login#phase-1", "to": "speckit:060-login#T001", "reason": "member", "met": true})));
    let shown = data(&ops::show(&place.workspace, "speckit:060-login#t003").unwrap());
    assert_eq!(shown["body"], "Build it\nMore of it.");
    assert_eq!(shown["priority"], "P1");
    assert_eq!(
        data(&ops::show(&place.workspace, "speckit:060-login#phase-1").unwrap())["done"],
        false
    );
}

#[test]
fn a_task_is_found_by_its_id_where_only_one_feature_has_it() {
    let place = Place::new();
    feature(&place, "060-login", TASKS);
    feature(&place, "061-logout", "- [ ] T001 Other\n");
    let found = data(&ops::find(&place.workspace, "t003").unwrap());
    assert_eq!(found["key"], "speckit:060-login#T003");
    let found = data(&ops::find(&place.workspace, "061-logout#T001").unwrap());
    assert_eq!(found["key"], "speckit:061-logout#T001");
    let refusal = ops::find(&place.workspace, "T001").unwrap_err().to_string();
    assert!(
        refusal.contains("speckit:060-login#T001, speckit:061-logout#T001"),
        "{refusal}"
    );
}

#[test]
fn tasks_wait_for_items_of_other_dialects_and_the_other_way_round() {
    let place = Place::new();
    place.spec(
        SPEC,
        "status: pending\ndepends_on: [\"speckit:060-login#t001\"]\n",
    );
    place.ticket(
        7,
        "status: Approved\ndependsOn: speckit:060-login#phase-1\n",
    );
    place.write(
        "plan.vine",
        "vine 1.2.0\n---\n[t] T (notstarted) @needs(speckit:061-logout#T001)\n",
    );
    let list = format!(
        "## Phase 1: A\n- [x] T001 a\n- [ ] T002 b (depends on `chant:{SPEC}`, T001)\n  - [ ] T003 c\n"
    );
    feature(&place, "060-login", &list);
    place.check(&[
        "chant:2026-01-22-001-x7m pending+",
        "vine:plan.vine#t notstarted speckit:061-logout#T001",
        "speckit:060-login#T001 done!",
        "speckit:060-login#T002 open speckit:060-login#T003 chant:2026-01-22-001-x7m",
        "speckit:060-login#T003 open chant:2026-01-22-001-x7m",
        "tickets:DEM-007 Approved speckit:060-login#phase-1",
    ]);
    place.spec(SPEC, "status: completed\n");
    feature(&place, "061-logout", "- [-] T001 a\n");
    feature(&place, "060-login", &list.replace("[ ]", "[x]"));
    place.check(&[
        "chant:2026-01-22-001-x7m completed!",
        "vine:plan.vine#t notstarted+",
        "speckit:060-login#T001 done!",
        "speckit:060-login#T002 done!",
        "speckit:060-login#T003 done!",
        "speckit:061-logout#T001 skipped!",
        "tickets:DEM-007 Approved+",
    ]);
}

#[test]
fn a_task_is_not_ticked_before_what_it_depends_on() {
    let place = Place::new();
    place.spec(SPEC, "status: in_progress\n");
    feature(
        &place,
        "060-login",
        &format!(
            "- [ ] T001 a (depends on chant:{SPEC})\n- [ ] T002 [P] b (depends on chant:nowhere, vine:plan.vine#x)\n"
        ),
    );
    let features = features(&place);
    let complete = |id| speckit::complete(&features, &CallerIdentity::default(), None, id, false);
    let next = data(&speckit::next(&features, None).unwrap());
    assert_eq!(next["ready"], json!([]));
    assert_eq!(
        next["waiting"][0]["waits_for"],
        json!([format!("chant:{SPEC}")])
    );
    let refusal = complete("T001").unwrap_err().to_string();
    assert!(
        refusal.contains(&format!(
            "it depends on what is not done: chant:{SPEC} (in_progress)"
        )),
        "{refusal}"
    );
    let refusal = complete("T002").unwrap_err().to_string();
    assert!(
        refusal.contains("chant:nowhere (no such spec), vine:plan.vine#x ("),
        "{refusal}"
    );
    place.spec(SPEC, "status: completed\n");
    let next = data(&speckit::next(&features, None).unwrap());
    assert_eq!(next["ready"][0]["id"], "T001");
    complete("T001").unwrap();
    place.check(&[
        "chant:2026-01-22-001-x7m completed!",
        "speckit:060-login#T001 done!",
        "speckit:060-login#T002 open chant:nowhere vine:plan.vine#x",
    ]);
}

#[test]
fn features_and_tasks_that_are_not_there_are_told() {
    let place = Place::new();
    feature(&place, "060-login", TASKS);
    let asked = [
        "speckit:060-login", "speckit:061-x#T001", "speckit:060-login#T009",
    ];
    let keys = asked.map(str::to_owned);
    let told = external_items(place.workspace.root())
        .standings(&keys)
        .into_iter();
    let told: Vec<String> = told.map(|standing| format!("{standing:?}")).collect();
    assert!(
        told[0].contains("expected a key such as speckit:060-name#T001"),
        "{told:?}"
    );
    assert!(told[1].contains("no feature specs/061-x"), "{told:?}");
    assert!(
        told[2].contains("no task T009 in specs/060-login/tasks.md"),
        "{told:?}"
    );
}

#[test]
fn a_list_that_cannot_be_read_hides_no_other() {
    let place = Place::new();
    feature(&place, "060-login", "- [ ] T001 a\n");
    fs::create_dir_all(place.path("specs/061-x")).unwrap();
    fs::write(place.path("specs/061-x/tasks.md"), b"- [ ] T001 \xff\n").unwrap();
    place.check(&["speckit:060-login#T001 open+"]);
    let joined = place.workspace.snapshot().unwrap();
    assert_eq!(&*joined.problems()[0].path, "specs/061-x/tasks.md");
}
