//! What waits for what, and what can be begun.

use chant_core::answer::Page;
use chant_core::dialects::tickets::ops::{graph, ready};
use serde_json::{Value, json};

use super::{Project, codes, told};

/// Tickets from lines like `2 Approved <1 >3`: a number, a state, what it depends on and what it blocks.
fn project(lines: &str) -> Project {
    let files: Vec<(String, String)> = lines
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(file)
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    Project::with(&files)
}

fn file(line: &str) -> (String, String) {
    let mut words = line.split_whitespace();
    let (number, status) = (
        words.next().unwrap(),
        words.next().unwrap().replace('_', " "),
    );
    let mut text = format!("---\nstatus: {status}\n");
    for word in words {
        let key = if word.starts_with('<') {
            "dependsOn"
        } else {
            "blocks"
        };
        text.push_str(&format!("{key}: {}\n", &word[1..]));
    }
    (format!("DEM-{number:0>3}.md"), text + "---\n")
}

#[track_caller]
fn check(lines: &str, expected: &str) {
    let list = told(ready(&project(lines).board, Page::default())).unwrap();
    let shown = codes(&list["crs"]).replace("DEM-00", "");
    assert_eq!(shown, expected, "{lines}");
}

#[test]
fn approved_tickets_are_ready_once_all_they_wait_for_is_done() {
    check(
        "1 Approved\n2 Approved <1\n3 Proposed\n4 In_Progress\n5 On_Hold\n6 Odd",
        "1",
    );
    check(
        "1 Implemented\n2 Approved <DEM-1\n3 Rejected\n4 Approved <3,2",
        "2",
    );
    check("1 Approved >2,3\n2 Approved\n3 Approved", "1");
    check("1 Implemented >2\n2 Approved", "2");
    check(
        "1 Approved <99\n2 Approved <API-1\n3 Approved <chant:x\n4 Approved <tickets:DEM-5\n5 Approved <none",
        "5",
    );
    check("1 Approved <2\n2 Approved <1\n3 Approved <3", "");
}

fn nodes(project: &Project) -> Value {
    told(graph(&project.board, Page::default())).unwrap()
}

#[test]
fn a_graph_says_what_each_ticket_waits_for_and_where_it_runs_in_circles() {
    let project = project(
        "1 Proposed >2\n2 Approved <1,3,API-7\n3 Implemented\n4 On_Hold <5\n5 Approved <4\n6 Odd",
    );
    let shown = nodes(&project);
    let expected = json!({
        "code": "DEM-002", "title": "DEM-002", "status": "Approved", "dependsOn": ["DEM-001", "DEM-003", "API-007"],
        "ready": false,
        "waitingFor": [{"reason": "ticket", "code": "DEM-001", "status": "Proposed"},
            {"reason": "ticket", "code": "API-007", "status": null}],
    });
    assert_eq!(shown["nodes"][1].to_string(), expected.to_string());
    assert_eq!(
        shown["nodes"][0]["waitingFor"],
        json!([{"reason": "approval"}])
    );
    assert_eq!(shown["nodes"][2]["waitingFor"], json!([]));
    assert_eq!(
        shown["nodes"][3]["waitingFor"],
        json!([{"reason": "hold"}, {"reason": "ticket", "code": "DEM-005", "status": "Approved"}])
    );
    assert_eq!(
        shown["nodes"][5]["waitingFor"],
        json!([{"reason": "unknown_status"}])
    );
    assert_eq!(
        (&shown["total"], &shown["cycles"]),
        (&json!(6), &json!([["DEM-004", "DEM-005"]]))
    );
}

#[test]
fn the_graph_follows_the_files() {
    let project = project("1 Approved\n2 Approved <1");
    assert_eq!(nodes(&project)["nodes"][1]["ready"], false);
    project.status("1", "In Progress").unwrap();
    project.status("1", "Implemented").unwrap();
    assert_eq!(nodes(&project)["nodes"][1]["ready"], true);
    project.delete("1").unwrap();
    let waits = json!([{"reason": "ticket", "code": "DEM-001", "status": null}]);
    assert_eq!(nodes(&project)["nodes"][0]["waitingFor"], waits);
}
