//! `update_cr_attrs`, `update_cr_status` and `delete_cr`.

use chant_tickets::model::TicketStatus;
use serde_json::json;

use super::{NOW, Project, check_code};

const TEXT: &str = "---\ncode: DEM-001\ntitle: Old\nstatus: Proposed # yet\npriority: Low\nlastModified: 2025-01-01\n---\n\n# Old\n\n## A\n\nphaseEpic: x\nlastModified: y\n";

fn project() -> Project {
    Project::with(&[
        ("DEM-001-old.md", TEXT),
        (
            "DEM-002-b.md",
            "---\ndependsOn: DEM-1\nrelatedTickets: 1\n---\n",
        ),
        ("DEM-003-c.md", ""),
    ])
}

#[test]
fn attributes_change_in_place_and_say_what_changed() {
    let project = project();
    let answer = project
        .update("1", json!({"priority": "critical", "assignee": "lead: dev", "blocks": "DEM-003, none", "phaseEpic": null}))
        .unwrap();
    assert_eq!(
        answer["changed"],
        json!({"priority": {"from": "Low", "to": "Critical"}, "assignee": {"from": null, "to": "lead: dev"},
            "blocks": {"from": [], "to": ["DEM-003"]}})
    );
    assert_eq!(answer["cr"]["lastModified"], NOW);
    assert_eq!(answer["cr"], project.attributes("1"));
    let expected = TEXT
        .replace(
            "priority: Low",
            "priority: Critical\nblocks: DEM-003\nassignee: \"lead: dev\"",
        )
        .replace("2025-01-01", NOW);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&project.text("DEM-001-old.md")), sorted(&expected));
    assert!(
        project
            .text("DEM-001-old.md")
            .ends_with(&TEXT[TEXT.find("\n# Old").unwrap()..])
    );
}

/// Defect B16: a change of nothing is none, any other one is dated.
#[test]
fn what_is_so_already_is_not_written() {
    let project = project();
    for given in [
        json!({}),
        json!({"priority": "low", "assignee": "", "title": "Old", "dependsOn": []}),
    ] {
        let answer = project.update("1", given).unwrap();
        assert_eq!(answer["changed"], json!({}));
        assert_eq!(project.text("DEM-001-old.md"), TEXT);
    }
    let answer = project.status("1", "proposed").unwrap();
    assert_eq!(
        (&answer["changed"], &answer["cr"]["status"]),
        (&json!({}), &json!("Proposed"))
    );
    assert_eq!(project.text("DEM-001-old.md"), TEXT);
}

#[test]
fn an_empty_text_or_list_takes_an_attribute_out() {
    let project = project();
    let answer = project
        .update("2", json!({"dependsOn": "", "relatedTickets": []}))
        .unwrap();
    assert_eq!(
        answer["changed"]["dependsOn"],
        json!({"from": ["DEM-1"], "to": []})
    );
    assert_eq!(
        project.text("DEM-002-b.md"),
        format!("---\nlastModified: {NOW}\n---\n")
    );
}

#[test]
fn a_title_changes_in_every_place_that_holds_it_and_the_file_keeps_its_name() {
    let project = project();
    let answer = project.update("1", json!({"title": "New: one"})).unwrap();
    assert_eq!(
        answer["changed"]["title"],
        json!({"from": "Old", "to": "New: one"})
    );
    let text = project.text("DEM-001-old.md");
    assert!(
        text.contains("title: \"New: one\"\n") && text.contains("\n# New: one\n"),
        "{text}"
    );
    let answer = project.update("3", json!({"title": "Named"})).unwrap();
    assert_eq!(answer["changed"]["title"]["from"], "c");
    assert_eq!(
        project.text("DEM-003-c.md"),
        format!("---\ncode: DEM-003\ntitle: Named\nlastModified: {NOW}\n---\n")
    );
    check_code(
        &project.update("1", json!({"title": "Learn C #"})),
        "VALIDATION_ERROR",
        "does not end in hashes",
    );
    check_code(
        &project.update("1", json!({"title": "  "})),
        "VALIDATION_ERROR",
        "Title is required",
    );
}

/// Defects B8, B15 and B26; reference 3.8.
#[test]
fn values_that_may_not_be_are_refused_all_at_once() {
    let project = project();
    let refused = project.update(
        "1",
        json!({"priority": "Urgent", "phaseEpic": "x\nstatus: Rejected", "assignee": 5, "status": "Approved",
            "code": "DEM-9", "asignee": "a", "implementationDate": "soon", "implementationNotes": "a".repeat(2_001),
            "dependsOn": "see DEM-2", "title": null}),
    );
    check_code(
        &refused,
        "VALIDATION_ERROR",
        "Must be one of: Low, Medium, High, Critical",
    );
    let details = refused.unwrap_err()["details"].clone();
    let keys: Vec<&String> = details.as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 9, "{keys:?}");
    for (key, words) in [
        ("status", "use update_cr_status"),
        ("code", "does not change"),
        ("asignee", "did you mean assignee?"),
        ("phaseEpic", "one line"),
        ("assignee", "got number"),
        ("implementationDate", "'soon' is no date"),
        ("implementationNotes", "at most 2000 characters, got 2001"),
        ("dependsOn", "'see DEM-2' is no key"),
    ] {
        assert!(details[key].as_str().unwrap().contains(words), "{details}");
    }
    for text in ["a\rb", "a\u{2028}b", "a\0b", "a\u{85}b"] {
        check_code(
            &project.update("1", json!({"assignee": text})),
            "VALIDATION_ERROR",
            "one line",
        );
    }
    assert_eq!(project.text("DEM-001-old.md"), TEXT);
    for date in [
        "2025-10-02",
        "2025-10-02T09:20:02.492Z",
        "2025-10-02T09:20:02+02:00",
    ] {
        let answer = project
            .update("1", json!({"implementationDate": date}))
            .unwrap();
        assert_eq!(answer["cr"]["implementationDate"], date);
    }
}

#[test]
fn relations_name_neither_the_ticket_itself_nor_close_a_cycle() {
    let project = project();
    check_code(
        &project.update("1", json!({"relatedTickets": "DEM-1"})),
        "VALIDATION_ERROR",
        "cannot name itself",
    );
    let refused = project.update("1", json!({"dependsOn": "DEM-002"}));
    check_code(
        &refused,
        "VALIDATION_ERROR",
        "DEM-001 waits for DEM-002 waits for DEM-001",
    );
    project.update("2", json!({"blocks": "DEM-003"})).unwrap();
    check_code(
        &project.update("1", json!({"dependsOn": "DEM-003"})),
        "VALIDATION_ERROR",
        "cycle",
    );
    check_code(
        &project.update("3", json!({"blocks": "DEM-001"})),
        "VALIDATION_ERROR",
        "cycle",
    );
    assert_eq!(project.text("DEM-001-old.md"), TEXT);
    let answer = project
        .update(
            "1",
            json!({"dependsOn": "DEM-077, API-1, chant:2025-01-01-001-abc"}),
        )
        .unwrap();
    assert_eq!(
        answer["warnings"],
        json!(["dependsOn names DEM-077, which does not exist"])
    );
}

/// Every pair of states, reference 3.9 with section 10.
#[test]
fn the_workflow_is_the_documented_one() {
    let table = [
        ("Proposed", "Approved Rejected"),
        ("Approved", "In_Progress Rejected"),
        (
            "In Progress",
            "Implemented Approved On_Hold Partially_Implemented",
        ),
        ("Implemented", "In_Progress"),
        ("Rejected", "Proposed"),
        ("On Hold", "In_Progress Approved"),
        ("Partially Implemented", "Implemented In_Progress"),
        (
            "Superseded",
            "Proposed Approved In_Progress Implemented Rejected On_Hold Partially_Implemented",
        ),
        (
            "\"In Progress\"",
            "Implemented Approved On_Hold Partially_Implemented",
        ),
    ];
    for (from, allowed) in table {
        let allowed = allowed.replace('_', "-");
        for to in TicketStatus::ALL {
            let text = format!("---\ncode: DEM-001\nstatus: {from}\n---\n");
            let project = Project::with(&[("a.md", &text)]);
            let answer = project.status("1", to.as_str());
            let plain = from.trim_matches('"');
            let is_allowed = allowed
                .split(' ')
                .any(|word| word == to.as_str().replace(' ', "-"));
            if plain == to.as_str() {
                assert_eq!(answer.unwrap()["changed"], json!({}));
            } else if is_allowed {
                let changed = json!({"status": {"from": plain, "to": to.as_str()}});
                assert_eq!(answer.unwrap()["changed"], changed);
                assert_eq!(project.attributes("1")["status"], to.as_str());
                assert_eq!(project.attributes("1")["lastModified"], NOW);
            } else {
                let refused = answer.unwrap_err();
                assert_eq!(refused["code"], "INVALID_TRANSITION", "{from} to {to:?}");
                let choices: Vec<String> = refused["details"]["allowed"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|word| word.as_str().unwrap().replace(' ', "-"))
                    .collect();
                assert_eq!(choices.join(" "), allowed);
                assert_eq!(project.text("a.md"), text);
            }
        }
    }
    check_code(
        &project().status("1", "Done"),
        "VALIDATION_ERROR",
        "Invalid status 'Done'. Must be one of: Proposed",
    );
}

#[test]
fn a_deleted_ticket_is_gone_and_what_it_leaves_is_told() {
    let project = project();
    std::fs::create_dir(project.path("DEM-001")).unwrap();
    let file = project.path("DEM-001-old.md");
    let answer = project.delete("dem-1").unwrap();
    let expected = json!({
        "message": "CR DEM-001 deleted successfully",
        "deletedFile": file,
        "warnings": ["DEM-001 is still named in relatedTickets of DEM-002", "DEM-001 is still named in dependsOn of DEM-002",
            format!("its folder {} was left as it is", project.path("DEM-001").display())],
    });
    assert_eq!(answer.to_string(), expected.to_string());
    assert!(!file.exists() && project.path("DEM-001").exists());
    check_code(&project.delete("1"), "CR_NOT_FOUND", "DEM-003");
    check_code(&project.delete("DEM"), "VALIDATION_ERROR", "no key");
    assert_eq!(project.delete("3").unwrap().get("warnings"), None);
}
