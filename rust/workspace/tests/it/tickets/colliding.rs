//! Several servers at once, and several files of one code (defects B1, B2, B18).

use std::collections::BTreeSet;

use chant_base::answer::TextRange;
use chant_tickets::ops::{
    DetailLevel, SectionCall, delete_cr, get_cr, manage_cr_sections, update_cr_attrs,
};
use serde_json::{Value, json};

use super::{Project, check_code, create};

#[test]
fn twenty_creates_at_once_give_twenty_numbers() {
    let project = Project::empty();
    let made: Vec<Value> = std::thread::scope(|scope| {
        let create = |_| {
            let board = project.again();
            scope.spawn(move || create(&board, "Bug Fix", json!({"title": "Same"})).unwrap())
        };
        let threads: Vec<_> = (0..20).map(create).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let codes: BTreeSet<String> = made
        .iter()
        .map(|one| one["cr"]["code"].to_string())
        .collect();
    assert_eq!(codes.len(), 20);
    assert_eq!(project.names().len(), 20);
    let last = std::fs::read_to_string(project.root().join(".mdt-next")).unwrap();
    assert_eq!(last, "21");
}

#[test]
fn twenty_changes_of_one_ticket_at_once_all_arrive() {
    let project = Project::with(&[(
        "DEM-001-x.md",
        "---\ncode: DEM-001\n---\n\n# T\n\n## Log\n\n## End\n",
    )]);
    std::thread::scope(|scope| {
        for number in 0..20 {
            let board = project.again();
            scope.spawn(move || {
                let content = format!("entry {number}.");
                let call = SectionCall {
                    key: "1",
                    operation: "append",
                    section: Some("Log"),
                    content: Some(&content),
                    ..SectionCall::default()
                };
                manage_cr_sections(&board, &call).unwrap();
                let attribute = if number % 2 == 0 {
                    "assignee"
                } else {
                    "phaseEpic"
                };
                let given = json!({attribute: content});
                update_cr_attrs(
                    &board,
                    "1",
                    given.as_object().unwrap(),
                    &serde_json::Map::new(),
                )
                .unwrap();
            });
        }
    });
    let text = project.text("DEM-001-x.md");
    for number in 0..20 {
        assert!(text.contains(&format!("\nentry {number}.\n")), "{text}");
    }
    assert!(text.ends_with("\n\n## End\n"));
    let shown = project.attributes("1");
    assert!(shown["assignee"].is_string() && shown["phaseEpic"].is_string());
}

#[test]
fn of_many_deletions_at_once_one_succeeds_and_the_others_find_nothing() {
    let project = Project::with(&[("DEM-001-x.md", "")]);
    let answers: Vec<Result<Value, Value>> = std::thread::scope(|scope| {
        let delete = |_| {
            let board = project.again();
            scope.spawn(move || super::told(delete_cr(&board, "1")))
        };
        let threads: Vec<_> = (0..8).map(delete).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    for answer in answers.iter().filter(|answer| answer.is_err()) {
        check_code(answer, "CR_NOT_FOUND", "DEM-001");
    }
}

/// An editor that takes no lock replaces the file while a change is decided on: both are kept.
#[test]
fn an_edit_by_another_program_is_not_lost() {
    let project = Project::with(&[("DEM-001-x.md", "---\ncode: DEM-001\n---\n\n## A\n")]);
    project.list(json!({})).unwrap();
    std::fs::write(
        project.path("DEM-001-x.md"),
        "---\ncode: DEM-001\nstatus: Approved\n---\n\n## A\n\ntheirs\n",
    )
    .unwrap();
    let refused = project.put("Nowhere", "append", "x").map(Value::from);
    check_code(&refused, "SECTION_NOT_FOUND", "## A");
    project.status("1", "Rejected").unwrap();
    project.put("A", "append", "ours").unwrap();
    let text = project.text("DEM-001-x.md");
    assert!(
        text.contains("status: Rejected") && text.ends_with("theirs\n\nours\n"),
        "{text}"
    );
}

#[test]
fn two_files_of_one_code_are_both_shown_and_neither_is_changed() {
    let files = [
        ("DEM-001-a.md", "---\nstatus: Approved\n---\n# A\n"),
        ("b.md", "---\ncode: dem-1\n---\n# B\n"),
        ("DEM-002.md", ""),
    ];
    let project = Project::with(&files);
    let list = project.list(json!({})).unwrap();
    assert_eq!(super::codes(&list["crs"]), "DEM-002 DEM-001 DEM-001");
    let paths = [project.path("DEM-001-a.md"), project.path("b.md")];
    assert_eq!(list["crs"][1]["filePath"], json!(paths[0]));
    assert_eq!(list["crs"][2]["filePath"], json!(paths[1]));
    assert!(
        list["problems"][0]["message"]
            .as_str()
            .unwrap()
            .contains("Several files have the code")
    );
    let shown = project.attributes("1");
    assert_eq!(
        (&shown["title"], &shown["files"]),
        (&json!("A"), &json!(paths))
    );
    let answer = get_cr(&project.board, "1", DetailLevel::Full, TextRange::default()).unwrap();
    assert!(answer.note.unwrap().contains("Several files"));
    for refused in [
        project.update("1", json!({"priority": "High"})),
        project.status("1", "Rejected"),
        project.delete("1"),
        project.put("# A", "append", "x").map(Value::from),
    ] {
        check_code(&refused, "DUPLICATE_CR", "Nothing was changed");
        assert_eq!(refused.unwrap_err()["details"]["files"], json!(paths));
    }
    for (name, text) in files {
        assert_eq!(project.text(name), text);
    }
    std::fs::remove_file(&paths[1]).unwrap();
    project.update("1", json!({"priority": "High"})).unwrap();
}
