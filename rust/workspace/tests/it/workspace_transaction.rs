//! Changes of all dialects that are tried together and written all or none.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chant_base::error::{Error, ErrorKind};
use chant_speckit::files::CallerIdentity;
use chant_speckit::staged::CompletionRequest;
use chant_specs::ops::{self as specs, SpecUpdate};
use chant_store::disk::Disk;
use chant_tickets::ops as tickets;
use chant_vine::ops::OperationBatch;
use chant_workspace::handle;
use chant_workspace::transaction::{ItemOperation, Transaction};
use serde_json::{Map, Value, json};

use crate::workspace::{Place, SPEC};

const PLAN: &str = "vine 1.2.0\n---\n[ship] Ship it (notstarted)\n-> log\n---\n[log] Write it (notstarted) @needs(chant:2026-01-22-001-x7m)\n";
const TASKS: &str = "# Tasks\n\n- [ ] T001 Make it\n- [ ] T002 Fill it\n";

/// A project with a spec, a ticket, a task graph and a feature.
fn place() -> Place {
    filled(Place::new())
}

fn filled(place: Place) -> Place {
    place.spec(SPEC, "status: in_progress\n");
    place.ticket(7, "status: Approved\ndependsOn: chant:2026-01-22-001-x7m\n");
    place.write("plan.vine", PLAN);
    place.write(".specify/marker", "");
    place.write("specs/060-login/tasks.md", TASKS);
    place
}

fn spec(status: &str) -> ItemOperation {
    let update = SpecUpdate {
        status: Some(status.into()),
        ..SpecUpdate::default()
    };
    ItemOperation::Spec(specs::SpecOperation::Update {
        id: SPEC.into(),
        update: Box::new(update),
    })
}

fn ticket(attributes: &Value, status: Option<&str>) -> ItemOperation {
    ItemOperation::Ticket(tickets::TicketOperation::Update {
        key: "DEM-7".into(),
        attributes: object(attributes),
        seen: serde_json::Map::new(),
        status: status.map(str::to_owned),
    })
}

fn new_ticket(title: &str) -> ItemOperation {
    ItemOperation::Ticket(tickets::TicketOperation::Create {
        project: None,
        kind: "Bug Fix".into(),
        data: object(&json!({"title": title, "content": "Words."})),
        code: None,
    })
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn graph(place: &Place, file: &str, operations: &Value) -> ItemOperation {
    ItemOperation::Plan(OperationBatch {
        file: place.path(file).display().to_string(),
        operations: operations.as_array().unwrap().clone(),
        expect: None,
        expect_description: None,
    })
}

fn claim(place: &Place) -> ItemOperation {
    graph(place, "plan.vine", &json!([{"op": "claim", "id": "log"}]))
}

fn complete(id: &str) -> ItemOperation {
    ItemOperation::Feature(CompletionRequest {
        feature: "060-login".into(),
        id: id.into(),
        skips: false,
        who: CallerIdentity::default(),
    })
}

fn text(place: &Place, name: &str) -> String {
    fs::read_to_string(place.path(name)).unwrap()
}

fn events(place: &Place) -> String {
    fs::read_to_string(crate::state_part(&place.path(""), "speckit/events.jsonl"))
        .unwrap_or_default()
}

#[track_caller]
fn refused(played: Result<Value, Error>, kind: ErrorKind, told: &str) {
    let error = played.unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(told), "{error}");
}

#[test]
fn changes_of_all_dialects_follow_one_another_and_are_written_together() {
    let place = place();
    let workspace = &place.workspace;
    let mut transaction = Transaction::begin(workspace).unwrap();
    let held = transaction.apply(workspace, claim(&place));
    refused(held, ErrorKind::Refused, "needs what is not done");
    let done = transaction.apply(workspace, spec("completed")).unwrap();
    assert_eq!(done["status"], "completed");
    let waiting = transaction.item(workspace, "tickets:DEM-007").unwrap();
    assert_eq!(
        (&waiting["ready"], &waiting["waits_for"]),
        (&json!(true), &json!([]))
    );
    let claimed = transaction.apply(workspace, claim(&place)).unwrap();
    assert_eq!(claimed["status"], "started");
    let begun = ticket(&json!({"assignee": "ada"}), Some("In Progress"));
    assert_eq!(
        transaction.apply(workspace, begun).unwrap()["assignee"],
        "ada"
    );
    let new = transaction.apply(workspace, new_ticket("Mend it")).unwrap();
    assert_eq!(new["id"], "DEM-008");
    transaction.apply(workspace, complete("T001")).unwrap();
    assert_eq!(text(&place, "plan.vine"), PLAN);
    assert_eq!(text(&place, "specs/060-login/tasks.md"), TASKS);
    assert_eq!(events(&place), "");

    let done = transaction.commit(workspace).unwrap();
    let ids = [
        SPEC, "plan.vine#log", "DEM-007", "DEM-008", "060-login#T001",
    ];
    assert_eq!(
        (done.ids, done.warnings),
        (ids.map(str::to_owned).to_vec(), Vec::new())
    );
    let now = |key: &str| handle::one(workspace, key).unwrap()["status"].clone();
    assert_eq!(now(&format!("chant:{SPEC}")), "completed");
    assert_eq!(now("vine:plan.vine#log"), "started");
    assert_eq!(now("tickets:DEM-007"), "In Progress");
    assert_eq!(now("tickets:DEM-008"), "Proposed");
    assert_eq!(now("speckit:060-login#T001"), "done");
    assert!(events(&place).contains("\"task\":\"T001\""));
    assert_eq!(text(&place, ".mdt-next"), "9");
}

#[test]
fn a_change_that_is_refused_at_the_end_leaves_every_file_as_it_was() {
    let place = place();
    let workspace = &place.workspace;
    let mut transaction = Transaction::begin(workspace).unwrap();
    for operation in [spec("completed"), claim(&place), complete("T002")] {
        transaction.apply(workspace, operation).unwrap();
    }
    let theirs = TASKS.replace("T002", "T003");
    place.write("specs/060-login/tasks.md", &theirs);
    let error = transaction.commit(workspace).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(text(&place, &format!(".chant/specs/{SPEC}.md")).contains("status: in_progress"));
    assert_eq!(text(&place, "plan.vine"), PLAN);
    assert_eq!(text(&place, "specs/060-login/tasks.md"), theirs);
    assert_eq!(events(&place), "");
}

#[test]
fn a_number_that_was_given_to_others_meanwhile_refuses_all() {
    let place = place();
    let workspace = &place.workspace;
    let mut transaction = Transaction::begin(workspace).unwrap();
    transaction.apply(workspace, new_ticket("Mine")).unwrap();
    place.ticket(8, "");
    let error = transaction.commit(workspace).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.to_string().contains("DEM-008"), "{error}");
    // A ticket that came and went has had its number, too.
    fs::remove_file(place.path("docs/CRs/DEM-008.md")).unwrap();
    place.write(".mdt-next", "9");
    assert_eq!(
        transaction.commit(workspace).unwrap_err().kind(),
        ErrorKind::Conflict
    );
    place.write(".mdt-next", "8");
    assert_eq!(transaction.commit(workspace).unwrap().ids, ["DEM-008"]);
}

#[test]
fn what_cannot_take_part_is_refused_and_leaves_the_rest() {
    let place = place();
    let workspace = &place.workspace;
    let mut transaction = Transaction::begin(workspace).unwrap();
    let new_file = json!([{"op": "extract_to_ref", "id": "log", "vine": "log.vine"}]);
    let made = transaction.apply(workspace, graph(&place, "plan.vine", &new_file));
    refused(made, ErrorKind::Refused, "only task graphs that are there");
    place.write(".specify/chant-mcp.yml", "checks:\n  tests: ['true']\n");
    let checked = transaction.apply(workspace, complete("T001"));
    refused(checked, ErrorKind::Refused, "check 'tests' would run");
    let both = ticket(&json!({"assignee": "ada"}), Some("Proposed"));
    refused(
        transaction.apply(workspace, both),
        ErrorKind::IllegalTransition,
        "Proposed",
    );
    let unchanged = transaction.item(workspace, "tickets:DEM-007").unwrap();
    assert_eq!(unchanged["assignee"], Value::Null);
    assert!(transaction.is_empty());
    assert_eq!(
        transaction.commit(workspace).unwrap().ids,
        Vec::<String>::new()
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_is_called_by_two_names_is_changed_once() {
    let place = place();
    std::os::unix::fs::symlink("plan.vine", place.path("linked.vine")).unwrap();
    let workspace = &place.workspace;
    let mut transaction = Transaction::begin(workspace).unwrap();
    for (file, id) in [("plan.vine", "ship"), ("linked.vine", "log")] {
        let update = json!([{"op": "update", "id": id, "name": "Mine"}]);
        transaction
            .apply(workspace, graph(&place, file, &update))
            .unwrap();
    }
    transaction.commit(workspace).unwrap();
    assert_eq!(text(&place, "plan.vine").matches("] Mine (").count(), 2);
    assert!(
        fs::symlink_metadata(place.path("linked.vine"))
            .unwrap()
            .is_symlink()
    );
}

#[test]
fn what_a_failing_disk_leaves_undecided_is_told_in_all_dialects_until_it_works() {
    let fails = Arc::new(AtomicBool::new(false));
    let is_broken = Arc::clone(&fails);
    let disk = Disk {
        reached: Arc::new(move |moment| {
            let is_meant = matches!(moment, "journal-flush" | "journal-back");
            if is_meant && is_broken.load(Ordering::SeqCst) {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            Ok(())
        }),
        ..crate::own_disk()
    };
    let place = filled(Place::on(&disk));
    let workspace = &place.workspace;
    let told = || {
        let problems = handle::problems(workspace).unwrap().to_string();
        problems.matches("it is undecided whether").count()
    };
    let names = [
        ".chant/specs/2026-01-22-001-x7m.md",
        "docs/CRs/DEM-007.md",
        "plan.vine",
        "specs/060-login/tasks.md",
    ];
    let texts = || names.map(|name| text(&place, name));
    let before = texts();
    let mut transaction = Transaction::begin(workspace).unwrap();
    transaction.apply(workspace, spec("completed")).unwrap();
    transaction.apply(workspace, claim(&place)).unwrap();
    let assigned = ticket(&json!({"assignee": "ada"}), None);
    transaction.apply(workspace, assigned).unwrap();
    transaction.apply(workspace, complete("T001")).unwrap();
    fails.store(true, Ordering::SeqCst);
    let error = transaction.commit(workspace).unwrap_err();
    let words = error.to_string();
    assert_eq!(error.kind(), ErrorKind::Storage);
    assert!(words.contains("undecided") && names.iter().all(|name| words.contains(name)));
    assert!(told() >= 4, "{}", handle::problems(workspace).unwrap());
    let other = Transaction::begin(workspace).and_then(|mut other| {
        other.apply(workspace, spec("completed"))?;
        other.commit(workspace).map(drop)
    });
    assert!(other.unwrap_err().to_string().contains("undecided"));
    assert_ne!(texts(), before);
    fails.store(false, Ordering::SeqCst);
    assert_eq!(told(), 0, "{}", handle::problems(workspace).unwrap());
    assert_eq!(texts(), before);
    transaction.commit(workspace).unwrap();
}
