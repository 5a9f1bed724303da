//! Files as they are found in the wild (reference tickets 2.2 to 2.9): all read, all editable in place.

use chant_tickets::edit::TicketDraft;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{NOW, Project, check_code};

/// Reads a file, then changes its priority: what it says of itself, and the exact text afterwards,
/// where `changed` has `NOW` in the place of the moment.
#[track_caller]
fn check(name: &str, text: &str, says: Value, changed: &str) {
    let project = Project::with(&[(name, text)]);
    let code = says["code"].as_str().unwrap();
    let shown = project.attributes(code);
    for (key, value) in says.as_object().unwrap() {
        assert_eq!(&shown[key], value, "{key} of {text:?}");
    }
    assert_eq!(project.codes(json!({})), code);
    project
        .update(code, json!({"priority": "Critical"}))
        .unwrap();
    assert_eq!(project.text(name), changed.replace("NOW", NOW));
    assert_eq!(project.attributes(code)["priority"], "Critical");
    assert_eq!(project.attributes(code)["status"], shown["status"]);
}

#[test]
fn plain_front_matter_keeps_everything_else() {
    check(
        "DEM-001-x.md",
        "---\ncode: DEM-001\ntitle: Other\nstatus: Approved\npriority: High   # why\ncustom: 007\n---\n# Title\n",
        json!({"code": "DEM-001", "title": "Title", "status": "Approved", "priority": "High",
            "type": "Feature Enhancement", "assignee": null, "dependsOn": [], "custom": "007"}),
        "---\ncode: DEM-001\ntitle: Other\nstatus: Approved\nlastModified: NOW\npriority: Critical   # why\ncustom: 007\n---\n# Title\n",
    );
}

#[test]
fn a_file_without_front_matter_is_known_by_its_name() {
    check(
        "DEM-004-my-own-words.md",
        "Just text\n",
        json!({"code": "DEM-004", "title": "my own words", "status": "Proposed"}),
        "---\ncode: DEM-004\nlastModified: NOW\npriority: Critical\n---\nJust text\n",
    );
    check(
        "dem-4.md",
        "---\n---\n# T\n",
        json!({"code": "DEM-004", "title": "T"}),
        "---\nlastModified: NOW\npriority: Critical\n---\n# T\n",
    );
}

#[test]
fn byte_order_marks_line_ends_and_blanks_behind_fences_stay() {
    check(
        "DEM-001-x.md",
        "\u{feff}---\ncode: DEM-001\nstatus: Approved\n---\n# T\n",
        json!({"code": "DEM-001", "status": "Approved"}),
        "\u{feff}---\ncode: DEM-001\nstatus: Approved\nlastModified: NOW\npriority: Critical\n---\n# T\n",
    );
    check(
        "DEM-001-x.md",
        "---  \r\ncode: DEM-001\r\nstatus: Approved\r\n--- \r\n# T\r\n",
        json!({"code": "DEM-001", "status": "Approved", "title": "T"}),
        "---  \r\ncode: DEM-001\r\nstatus: Approved\r\nlastModified: NOW\r\npriority: Critical\r\n--- \r\n# T\r\n",
    );
}

#[test]
fn quotes_comments_and_block_scalars_are_yaml() {
    check(
        "DEM-001-x.md",
        "---\ncode: 'DEM-001'\nstatus: \"Approved\" # since May\npriority: 'High'\nassignee: |\n  ann\n# note\nphaseEpic: >-\n  a: b\n  c\n---\nBody",
        json!({"code": "DEM-001", "status": "Approved", "priority": "High", "assignee": "ann", "phaseEpic": "a: b c"}),
        "---\ncode: 'DEM-001'\nstatus: \"Approved\" # since May\nlastModified: NOW\npriority: 'Critical'\nassignee: |\n  ann\n# note\nphaseEpic: >-\n  a: b\n  c\n---\nBody",
    );
}

#[test]
fn codes_are_found_however_they_are_written() {
    for (written, name) in [
        ("DEM-5", "five.md"),
        ("dem-005", "DEM-005-x.md"),
        ("DEM-0005", "DEM-9-x.md"),
    ] {
        check(
            name,
            &format!("---\ncode: {written}\npriority: Low\n---\n"),
            json!({"code": "DEM-005"}),
            &format!("---\ncode: {written}\nlastModified: NOW\npriority: Critical\n---\n"),
        );
    }
    check(
        "DEM-006-x.md",
        "---\nkey: DEM-006\npriority: Low\n---\n",
        json!({"code": "DEM-006"}),
        "---\nkey: DEM-006\nlastModified: NOW\npriority: Critical\n---\n",
    );
}

/// Values written raw by other programs: no YAML, yet clear.
#[test]
fn lines_that_are_no_yaml_hide_no_other_line() {
    check(
        "DEM-001-x.md",
        "---\ncode: DEM-001\ntitle: Fix: the thing\nassignee: @bob\nstatus: Approved\npriority: Low\nphaseEpic: [A\n---\nBody\n",
        json!({"code": "DEM-001", "title": "Fix: the thing", "assignee": "@bob", "status": "Approved", "phaseEpic": "[A"}),
        "---\ncode: DEM-001\ntitle: Fix: the thing\nassignee: @bob\nstatus: Approved\nlastModified: NOW\npriority: Critical\nphaseEpic: [A\n---\nBody\n",
    );
    check(
        "DEM-001-x.md",
        "---\ncode: DEM-001\npriority: Low\nstatus: Proposed\npriority: High\nstatus: Approved\n---\n",
        json!({"code": "DEM-001", "priority": "High", "status": "Approved"}),
        "---\ncode: DEM-001\npriority: Low\nstatus: Proposed\nlastModified: NOW\npriority: Critical\nstatus: Approved\n---\n",
    );
    let project = Project::with(&[(
        "DEM-001-x.md",
        "---\nassignee: @bob\nstatus: Approved\n---\n",
    )]);
    let problems = &project.attributes("1")["problems"];
    assert_eq!(problems[0]["path"], "docs/CRs/DEM-001-x.md");
    assert_eq!(problems[0]["line"], 2);
}

#[test]
fn lists_are_read_in_every_spelling_and_written_as_they_were() {
    let check = |lines: &str, items: Value, after: &str| {
        let text = format!("---\ncode: DEM-001\n{lines}---\n");
        let project = Project::with(&[
            ("DEM-001-x.md", &text),
            ("DEM-002-x.md", ""),
            ("DEM-003-x.md", ""),
        ]);
        assert_eq!(project.attributes("1")["dependsOn"], items, "{lines}");
        project
            .update("1", json!({"dependsOn": ["DEM-002", 3]}))
            .unwrap();
        let text = project.text("DEM-001-x.md");
        assert!(text.contains(after), "{text}");
        assert_eq!(
            project.attributes("1")["dependsOn"],
            json!(["DEM-002", "DEM-003"])
        );
    };
    let comma = "dependsOn: DEM-002,DEM-003\n";
    check("dependsOn: A-1, B-2,,none\n", json!(["A-1", "B-2"]), comma);
    check("dependsOn: n/a\n", json!([]), comma);
    check("dependsOn:\n", json!([]), comma);
    check("status: Approved\n", json!([]), comma);
    check(
        "dependsOn: [A-1, B-2]\n",
        json!(["A-1", "B-2"]),
        "dependsOn: [DEM-002, DEM-003]\n",
    );
    let block = "dependsOn:\n  - DEM-002\n  - DEM-003\n";
    check(
        "dependsOn:\n  - A-1\n  - undefined\n",
        json!(["A-1"]),
        block,
    );
    check("blocks:\n  - A-1\n", json!([]), block);
}

#[test]
fn the_title_is_the_first_heading_outside_of_code() {
    for (yaml, body, title) in [
        (
            "title: Yaml\n",
            "```sh\n# comment\n```\n\n# Real **title**\n",
            "Real **title**",
        ),
        ("title: Yaml\n", "~~~\n# comment\n~~~\n## Section\n", "Yaml"),
        ("", "Under\nlined\n===\n", "Under lined"),
        ("", "<!--\n# no\n-->\n#\n\n# Second # \n", "Second"),
        ("title: 'A, B'\n", "    # code\n", "A, B"),
        ("", "\n \n    # code\n\n# First\n# Second\n", "First"),
        ("", "- # listed\n\n# First", "First"),
        ("", "\r\n# First\r\n===\r\n", "First"),
        ("", "text", "the name"),
    ] {
        let text = format!("---\ncode: DEM-001\n{yaml}---\n{body}");
        let project = Project::with(&[("DEM-001-the-name.md", &text)]);
        assert_eq!(project.attributes("1")["title"], title, "{body:?}");
        assert_eq!(project.full("1").unwrap(), body, "byte for byte");
    }
}

#[test]
fn dates_are_as_the_file_has_them_or_those_of_the_file() {
    let dates = "dateCreated: 2025-09-07\nlastModified: '2025-10-02T09:20:02.492Z'\n";
    let text = format!("---\ncode: DEM-001\n{dates}---\n");
    let project = Project::with(&[
        ("a.md", &text),
        ("DEM-002-x.md", "# T"),
        ("DEM-003-x.md", "---\ndateCreated: soon\n---\n"),
    ]);
    let shown = project.attributes("1");
    assert_eq!(
        (&shown["dateCreated"], &shown["lastModified"]),
        (&json!("2025-09-07"), &json!(NOW))
    );
    let shown = project.attributes("2");
    for key in ["dateCreated", "lastModified"] {
        let date = shown[key].as_str().unwrap();
        assert!(
            date.len() == 24 && date.ends_with('Z') && date > "2025",
            "{date}"
        );
    }
    let shown = project.attributes("3");
    assert_eq!(shown["dateCreated"], "soon");
    assert!(
        shown["problems"][0]["message"]
            .as_str()
            .unwrap()
            .contains("`dateCreated: soon` is no date")
    );
}

#[test]
fn words_that_are_not_documented_are_passed_through() {
    let text = "---\ncode: DEM-001\nstatus: Superseded\ntype: Tech Debt\npriority: P1\nweird: {a: [1, x]}\nno: yes\n---\n";
    let project = Project::with(&[("a.md", text)]);
    let shown = project.attributes("1");
    assert_eq!(
        [
            &shown["status"], &shown["type"], &shown["priority"], &shown["no"]
        ],
        ["Superseded", "Tech Debt", "P1", "yes"]
    );
    assert_eq!(shown["weird"], json!({"a": [1, "x"]}));
    let keys: Vec<&String> = shown.as_object().unwrap().keys().collect();
    assert_eq!(
        keys[12..],
        ["weird", "no", "problems"],
        "behind the seed's twelve"
    );
}

#[test]
fn files_that_are_no_tickets_are_left_alone_or_told() {
    let project = Project::with(&[
        ("README.md", "# Read me\n"),
        ("notes-2024.md", "no ticket"),
        ("DEM-001-x.txt", "no markdown"),
        ("lost.md", "---\nstatus: Approved\n---\n"),
        ("odd.md", "---\ncode: none yet\n---\n"),
        ("DEM-002-x.md", ""),
    ]);
    std::fs::write(project.path("DEM-003-x.md"), b"\xff\xfe").unwrap();
    std::fs::create_dir(project.path("DEM-002")).unwrap();
    std::fs::write(project.path("DEM-002/DEM-009-inner.md"), "").unwrap();
    let list = project.list(json!({})).unwrap();
    assert_eq!(
        (super::codes(&list["crs"]).as_str(), &list["total"]),
        ("DEM-002", &json!(1))
    );
    let problems: Vec<&str> = list["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        problems,
        [
            "docs/CRs/DEM-003-x.md", "docs/CRs/lost.md", "docs/CRs/odd.md", "docs/CRs/odd.md"
        ]
    );
    check_code(
        &project.full("3").map(Value::from),
        "FILE_SYSTEM_ERROR",
        "not UTF-8",
    );
    check_code(
        &project.full("9").map(Value::from),
        "CR_NOT_FOUND",
        "\"availableKeys\":[\"DEM-002\"]",
    );
}

/// What cannot be edited without risk is refused, and stays as it is.
#[test]
fn front_matter_that_is_none_is_not_edited() {
    for (text, why) in [
        ("---\ncode: DEM-001\nnever closed\n", "never closed"),
        ("---\nonly words\n---\n# T\n", "key: value"),
    ] {
        let project = Project::with(&[("DEM-001-x.md", text)]);
        assert_eq!(
            project.attributes("1")["problems"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
        check_code(&project.status("1", "Approved"), "VALIDATION_ERROR", why);
        assert_eq!(project.text("DEM-001-x.md"), text);
    }
}

/// Lines as people and programs leave them, some of them no YAML.
fn lines() -> impl Strategy<Value = Vec<&'static str>> {
    let line = prop::sample::select(vec![
        "code: DEM-001",
        "status: Approved",
        "priority: Low",
        "priority: High # why",
        "title: Fix: it",
        "title: 'a'",
        "assignee: @bob",
        "dependsOn: [A-1,",
        "  B-2]",
        "blocks:",
        "  - A-1",
        "- B-2",
        "phaseEpic: \"open",
        "x: |",
        "  block",
        "",
        "# note",
        "status: \"In Progress\"",
        "\"quoted key\": 1",
        "words",
        "  indented: x",
        "y: {a: b}",
        "lastModified: 2025-01-01",
        "é: ü",
        "k: &a b",
        "l: *a",
        "m: *b",
        "? odd",
        "\t tab",
        "...",
    ]);
    prop::collection::vec(line, 0..12)
}

proptest! {
    /// Whatever the front matter looks like: a change is refused, or it changes its own lines only.
    #[test]
    fn one_key_never_costs_another_line(lines in lines(), crlf in any::<bool>()) {
        let eol = if crlf { "\r\n" } else { "\n" };
        let yaml: String = lines.iter().map(|line| format!("{line}{eol}")).collect();
        let body = format!("# T{eol}{eol}## A{eol}");
        let text = format!("---{eol}{yaml}---{eol}{body}");
        let mut draft = TicketDraft::of("DEM-001-x.md", &text);
        draft.entries();
        if draft.set_text("priority", "Critical").is_err() {
            prop_assert!(!draft.is_changed());
            return Ok(());
        }
        let (before, after) = draft.finish();
        prop_assert_eq!(after.priority(), "Critical");
        prop_assert_eq!((after.body(), after.status(), &after.title), (before.body(), before.status(), &before.title));
        let others = |text: &str| -> Vec<String> {
            let all = text.split_inclusive('\n');
            all.filter(|line| !line.starts_with("priority:")).map(str::to_owned).collect()
        };
        let (old, new) = (others(&before.text), others(&after.text));
        // A value of several lines goes with its key.
        let kept = new.iter().all(|line| old.contains(line));
        prop_assert!(kept, "{:?}", after.text);
        prop_assert!(old.len() == new.len() || yaml.contains("priority"), "{:?}", after.text);
    }
}
