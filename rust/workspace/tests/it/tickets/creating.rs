//! `create_cr`: names, numbers and texts of new tickets.

use std::fs;

use chant_tickets::ops::{NewTicket, create_cr};
use chant_tickets::ticket_store::ProjectLocation;
use serde_json::{Value, json};

use super::{NOW, Project, check_code, create, open, place, told};

fn new(project: &Project, title: &str) -> Value {
    project.create("Bug Fix", json!({"title": title})).unwrap()["cr"].clone()
}

#[test]
fn a_ticket_is_written_whole_and_answers_as_the_seed_says() {
    let project = Project::empty();
    let data = json!({"title": "Add user authentication system", "priority": "high", "assignee": "senior-dev@example.com",
        "phaseEpic": "Phase 2: log in", "dependsOn": "DEM-010,11", "blocks": null});
    let answer = project.create("feature enhancement", data).unwrap();
    let file = project.path("DEM-001-add-user-authentication-system.md");
    let expected = json!({
        "cr": {"code": "DEM-001", "title": "Add user authentication system", "status": "Proposed",
            "type": "Feature Enhancement", "priority": "High", "dateCreated": NOW, "lastModified": NOW,
            "filePath": file, "assignee": "senior-dev@example.com", "phaseEpic": "Phase 2: log in"},
        "warnings": ["dependsOn names DEM-010, which does not exist", "dependsOn names DEM-011, which does not exist"],
    });
    assert_eq!(answer.to_string(), expected.to_string());
    let text = format!(
        "---\ncode: DEM-001\ntitle: Add user authentication system\nstatus: Proposed\ndateCreated: {NOW}\n\
         lastModified: {NOW}\ntype: Feature Enhancement\npriority: High\nphaseEpic: \"Phase 2: log in\"\n\
         dependsOn: DEM-010,DEM-011\nassignee: senior-dev@example.com\n---\n\n# Add user authentication system\n"
    );
    assert_eq!(fs::read_to_string(file).unwrap(), text);
    assert_eq!(
        fs::read_to_string(project.root().join(".mdt-next")).unwrap(),
        "2"
    );
}

#[test]
fn content_keeps_its_own_title_or_gets_one_and_is_stored_as_given() {
    let check = |content: &str, title: &str, body: &str| {
        let project = Project::empty();
        let data = json!({"title": "Given", "content": content});
        let answer = project.create("Research", data).unwrap();
        assert_eq!(answer["cr"]["title"], title, "{content:?}");
        assert_eq!(project.attributes("1")["title"], title);
        assert_eq!(project.full("1").unwrap(), format!("\n{body}"));
        assert_eq!(project.names(), ["DEM-001-given.md"]);
    };
    check("# Own\n\ntext", "Given", "# Given\n\n# Own\n\ntext\n");
    check("# Given\n\ntext", "Given", "# Given\n\ntext\n");
    check(
        "text\r\n\r\n```\r\n# no\r\n```\r\n",
        "Given",
        "# Given\n\ntext\n\n```\n# no\n```\n",
    );
    check(
        "```\n# no\n```\n\n# Later\n",
        "Given",
        "# Given\n\n```\n# no\n```\n\n# Later\n",
    );
    check(
        "\n\n## Section\n\na\\n\\nb $& \\\\n\n",
        "Given",
        "# Given\n\n## Section\n\na\\n\\nb $& \\\\n\n",
    );
    check("    code\n", "Given", "# Given\n\n    code\n");
    check("---\n\ntext\n", "Given", "# Given\n\n---\n\ntext\n");
    check("", "Given", "# Given\n");
}

#[test]
fn a_template_is_used_where_there_is_no_content() {
    let project = Project::empty();
    let template = |_: &str, _: &str| Ok("## 1. Description\n".to_owned());
    for data in [
        json!({"title": "A"}),
        json!({"title": "B", "content": "own"}),
    ] {
        let data = data.as_object().unwrap();
        told(create_cr(
            &project.board,
            &NewTicket {
                kind: "Bug Fix",
                data,
                template: Some(&template),
            },
        ))
        .unwrap();
    }
    assert_eq!(project.full("1").unwrap(), "\n# A\n\n## 1. Description\n");
    assert_eq!(project.full("2").unwrap(), "\n# B\n\nown\n");
}

#[test]
fn everything_wrong_is_refused_at_once_and_nothing_is_written() {
    let project = Project::empty();
    let refused = project.create("InvalidType", json!({"priority": "P1", "slug": "a"}));
    check_code(&refused, "VALIDATION_ERROR", "Validation failed");
    let details = refused.unwrap_err()["details"].clone();
    assert_eq!(details["title"], "Title is required");
    assert!(
        details["type"]
            .as_str()
            .unwrap()
            .starts_with("Invalid CR type: 'InvalidType'"),
        "{details}"
    );
    assert!(
        details["priority"]
            .as_str()
            .unwrap()
            .starts_with("Invalid priority 'P1'")
    );
    assert!(
        details["slug"]
            .as_str()
            .unwrap()
            .contains("allowed are: title, priority")
    );
    for (data, words) in [
        (json!({"title": " "}), "Title is required"),
        (json!({"title": "a\nstatus: Rejected"}), "one line"),
        (json!({"title": "C #"}), "hashes"),
        (json!({"title": "a", "assignee": "x\r\ny"}), "one line"),
        (
            json!({"title": "a", "content": "x".repeat(1_000_001)}),
            "at most 1000000 characters, got 1000001",
        ),
        (
            json!({"title": "a", "content": "---\ncode: DEM-9\n---\n# b"}),
            "begins with front matter",
        ),
        (json!({"title": "a", "content": 1}), "got number"),
        (
            json!({"title": "a", "dependsOn": "DEM-001"}),
            "cannot name itself",
        ),
        (
            json!({"title": "a", "slug": "../../x"}),
            "Unknown attribute",
        ),
    ] {
        check_code(
            &project.create("Bug Fix", data.clone()),
            "VALIDATION_ERROR",
            words,
        );
    }
    let left = fs::read_dir(project.path("")).map_or(0, Iterator::count);
    assert_eq!(left, 0);
}

/// Reference 2.7: whatever is named like a ticket takes its number, and no number comes twice.
#[test]
fn numbers_are_above_everything_that_ever_had_one() {
    let project = Project::with(&[
        ("DEM-003-x.md", ""),
        ("dem-1600.md", ""),
        ("odd.md", "---\ncode: DEM-1700\n---\n"),
        ("API-9000-x.md", "---\ncode: API-9000\n---\n"),
    ]);
    assert_eq!(new(&project, "a")["code"], "DEM-1701");
    fs::write(project.path("DEM-1800_backup.txt"), "").unwrap();
    assert_eq!(new(&project, "b")["code"], "DEM-1801");
    fs::create_dir(project.path("DEM-1900")).unwrap();
    assert_eq!(new(&project, "c")["code"], "DEM-1901");
    fs::write(project.path("DEM-1950-x.md"), b"\xff").unwrap();
    assert_eq!(new(&project, "d")["code"], "DEM-1951");
    project.delete("1951").unwrap();
    assert_eq!(new(&project, "e")["code"], "DEM-1952");
    assert_eq!(
        fs::read_to_string(project.root().join(".mdt-next")).unwrap(),
        "1953"
    );
    fs::write(project.root().join(".mdt-next"), "3000\n").unwrap();
    assert_eq!(new(&project, "f")["code"], "DEM-3000");
}

#[test]
fn the_number_of_a_ticket_that_another_program_made_does_not_come_again_either() {
    let project = Project::with(&[("DEM-007-x.md", "")]);
    project.delete("7").unwrap();
    assert_eq!(new(&project, "a")["code"], "DEM-008");
}

#[test]
fn a_counter_file_that_holds_no_number_is_left_alone_and_told() {
    let project = Project::empty();
    fs::write(project.root().join(".mdt-next"), "my notes").unwrap();
    let answer = project.create("Bug Fix", json!({"title": "a"})).unwrap();
    assert_eq!(answer["cr"]["code"], "DEM-001");
    assert!(
        answer["warnings"][0]
            .as_str()
            .unwrap()
            .contains("`.mdt-next` holds no number")
    );
    assert_eq!(
        fs::read_to_string(project.root().join(".mdt-next")).unwrap(),
        "my notes"
    );
}

#[test]
fn projects_number_and_lie_as_they_say() {
    let folder = tempfile::TempDir::new().unwrap();
    let place = ProjectLocation {
        code: "p2".into(),
        tickets: "./".into(),
        start_number: 100,
        counter_file: "next.txt".into(),
        ..place(folder.path())
    };
    let board = open(place.clone()).unwrap();
    let answer = create(&board, "Bug Fix", json!({"title": "Привет мир"})).unwrap();
    assert_eq!(answer["cr"]["code"], "P2-100");
    assert!(folder.path().join("P2-100-privet-mir.md").exists());
    assert_eq!(
        fs::read_to_string(folder.path().join("next.txt")).unwrap(),
        "101"
    );
    let again = create(&board, "Bug Fix", json!({"title": "???"})).unwrap();
    assert!(
        again["cr"]["filePath"]
            .as_str()
            .unwrap()
            .ends_with("/P2-101-bug-fix.md")
    );
    for tickets in ["../outside", "/tmp", "docs/../../x"] {
        let place = ProjectLocation {
            tickets: tickets.into(),
            ..place.clone()
        };
        assert!(open(place).is_err(), "{tickets}");
    }
}

/// Defect B9: a folder that is a link must not lead out either.
#[test]
fn nothing_is_written_outside_of_the_project() {
    let outside = tempfile::TempDir::new().unwrap();
    let project = Project::empty();
    std::os::unix::fs::symlink(outside.path(), project.root().join("docs")).unwrap();
    check_code(
        &project.create("Bug Fix", json!({"title": "a"})),
        "FILE_SYSTEM_ERROR",
        "leads out of the project",
    );
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}
