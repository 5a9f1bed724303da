//! What can be done at once, and what waits for what.

use chant_speckit::ops;
use chant_speckit::parse::tasks;
use chant_speckit::plan::TaskPlan;

use super::{Project, data};

#[track_caller]
fn ready(text: &str, expected: &[&str]) {
    let list = tasks(text);
    let plan = TaskPlan::with_statuses(&list, &[]);
    let ready: Vec<&str> = plan.ready().iter().map(|task| &*task.id).collect();
    assert_eq!(ready, expected);
}

#[test]
fn tasks_marked_parallel_come_together_and_the_others_in_turn() {
    let list = "## A\n- [ ] T1 a\n- [ ] T2 [P] b\n- [ ] T3 [P] c\n- [ ] T4 d\n";
    ready(list, &["T1"]);
    ready(&list.replace("[ ] T1", "[x] T1"), &["T2", "T3"]);
    ready(
        &list.replace("[ ] T1", "[-] T1").replace("[ ] T2", "[x] T2"),
        &["T3"],
    );
    ready(
        "- [ ] T1 [P] a\n- [ ] T2 [P] b (depends on T1)\n- [ ] T3 [P] c\n",
        &["T1", "T3"],
    );
}

#[test]
fn stories_wait_for_setup_but_not_for_each_other_and_polish_for_all() {
    let list = "## Phase 1: Setup\n- [x] T1 a\n## Phase 2: Foundational\n- [ ] T2 b\n## Phase 3: User Story 1 - X\n- [ ] T3 [US1] c\n## Phase 4: User Story 2 - Y\n- [ ] T4 [US2] d\n## Phase 5: Polish\n- [ ] T5 e\n";
    ready(list, &["T2"]);
    let founded = list.replace("[ ] T2", "[x] T2");
    ready(&founded, &["T3", "T4"]);
    ready(&founded.replace("[ ] T3", "[x] T3"), &["T4"]);
    ready(
        &founded
            .replace("[ ] T3", "[x] T3")
            .replace("[ ] T4", "[-] T4"),
        &["T5"],
    );
}

#[test]
fn parts_come_before_the_whole_and_wait_their_turn_with_it() {
    let list = "- [ ] T1 a\n- [ ] T2 b\n  - [ ] T2a c\n  - [ ] T2b d\n";
    ready(list, &["T1"]);
    let begun = list.replace("[ ] T1", "[x] T1");
    ready(&begun, &["T2a"]);
    ready(
        &begun
            .replace("[ ] T2a", "[x] T2a")
            .replace("[ ] T2b", "[x] T2b"),
        &["T2"],
    );
}

#[test]
fn what_waits_says_for_what() {
    let project =
        Project::of_tasks("## Setup\n- [ ] T001 a\n## Work\n- [ ] T002 b (depends on T009)\n");
    let next = data(&ops::next(&project.features(), None).unwrap());
    assert_eq!(next["ready"][0]["id"], "T001");
    assert_eq!(
        next["waiting"][0]["waits_for"],
        serde_json::json!(["T009", "Setup"])
    );
    let features = data(&ops::all(&project.features()).unwrap());
    assert_eq!(features[0]["progress"]["progress"], "0/2");
    assert_eq!(features[0]["current"], true);
}
