//! What waits for what, and what can be started.

use std::collections::BTreeMap;

use chant_base::answer::PageRequest;
use chant_tickets::code::TicketCode;
use chant_tickets::model::Ticket;
use chant_tickets::ops::{graph, picture, ready, ticket};
use chant_tickets::parse;
use chant_tickets::picture::PictureExtent;
use chant_tickets::ticket_graph::TicketGraph;
use chant_tickets::ticket_store::TicketStore;
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Project, check_code, codes, told, words};

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
    let list = told(ready(&project(lines).board, PageRequest::default())).unwrap();
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
    told(graph(&project.board, PageRequest::default())).unwrap()
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

/// A tree as lines like `.DEM-002 Approved here`, a dot for each step from where it begins.
fn rows(tree: &Value) -> Vec<String> {
    let rows = tree["rows"].as_array().unwrap().iter();
    let row = |row: &Value| {
        let depth = usize::try_from(row["depth"].as_u64().unwrap()).unwrap();
        let word = |key: &str| row[key].as_str().unwrap().to_owned();
        format!(
            "{}{} {} {}",
            ".".repeat(depth),
            word("code"),
            word("status"),
            word("leads")
        )
    };
    rows.map(row).collect()
}

#[track_caller]
fn check_tree(lines: &str, extent: PictureExtent, expected: &[&str]) -> Value {
    let tree = told(picture(&project(lines).board, "tree", extent)).unwrap();
    assert_eq!(rows(&tree), expected, "{lines}");
    tree
}

#[test]
fn a_tree_shows_what_waits_and_below_it_what_it_waits_for() {
    let lines = "1 Approved\n2 Proposed <1,3,API-7\n3 Implemented <1\n4 Approved <1\n5 Approved";
    let waiting = [
        "DEM-002 Proposed here",
        ".DEM-001 Approved here",
        ".API-007 no ticket of this project here",
        "DEM-004 Approved here",
        ".DEM-001 Approved above",
    ];
    let tree = check_tree(lines, PictureExtent::Waiting, &waiting);
    assert_eq!((&tree["total"], &tree["shown"]), (&json!(5), &json!(3)));
    let all = [
        "DEM-002 Proposed here",
        ".DEM-001 Approved here",
        ".DEM-003 Implemented here",
        "..DEM-001 Approved above",
        ".API-007 no ticket of this project here",
        "DEM-004 Approved here",
        ".DEM-001 Approved above",
        "DEM-005 Approved here",
    ];
    let tree = check_tree(lines, PictureExtent::All, &all);
    assert_eq!((&tree["total"], &tree["shown"]), (&json!(5), &json!(5)));
}

#[test]
fn loops_are_drawn_and_told() {
    let lines = "1 Approved <2\n2 Approved <1\n3 Approved <3\n4 Approved";
    let rows = [
        "DEM-001 Approved here",
        ".DEM-002 Approved here",
        "..DEM-001 Approved above",
        "DEM-003 Approved here",
        ".DEM-003 Approved above",
    ];
    let tree = check_tree(lines, PictureExtent::Waiting, &rows);
    assert_eq!(tree["cycles"], json!([["DEM-001", "DEM-002"], ["DEM-003"]]));
    let drawn = picture(&project(lines).board, "dot", PictureExtent::Waiting).unwrap();
    assert_eq!(
        drawn.note.as_deref(),
        Some(
            "A cycle: DEM-001 waits for DEM-002 waits for DEM-001.\n\
             A cycle: DEM-003 waits for DEM-003."
        )
    );
}

#[test]
fn pictures_are_texts_for_other_programs() {
    let project = project("1 On_Hold\n2 In_Progress <1,API-7");
    let text = |format| words(picture(&project.board, format, PictureExtent::Waiting));
    assert_snapshot!(text("mermaid").unwrap(), @r##"
    flowchart TD
      n0["⊘ DEM-001<br/>DEM-001"]:::blocked
      n1["◑ DEM-002<br/>DEM-002"]:::active
      n2[["↗ API-007<br/>no ticket of this project"]]:::elsewhere
      n1 --> n0
      n1 --> n2
      classDef active fill:#ffe08a,stroke:#555,color:#000
      classDef blocked fill:#f5b5b5,stroke:#555,color:#000
      classDef elsewhere fill:#e2d9f3,stroke:#555,color:#000
    "##);
    assert_snapshot!(text("dot").unwrap(), @r##"
    digraph {
      node [shape=box, style="rounded,filled", fontname="sans-serif"]
      "DEM-001" [label="⊘ DEM-001\nDEM-001", tooltip="On Hold", fillcolor="#f5b5b5"]
      "DEM-002" [label="◑ DEM-002\nDEM-002", tooltip="In Progress", fillcolor="#ffe08a"]
      "API-007" [label="↗ API-007\nno ticket of this project", tooltip="no ticket of this project", fillcolor="#e2d9f3", shape=folder, style=filled]
      "DEM-002" -> "DEM-001"
      "DEM-002" -> "API-007"
    }
    "##);
    check_code(
        &told(picture(&project.board, "svg", PictureExtent::Waiting)),
        "VALIDATION_ERROR",
        "Invalid format 'svg'. Must be one of: tree, mermaid, dot",
    );
}

#[test]
fn a_ticket_is_told_whole_with_what_it_waits_for_and_who_waits_for_it() {
    let body = "x".repeat(60_000);
    let text = format!("---\nstatus: Approved\ndependsOn: 2\nteam: core\n---\n{body}");
    let project = Project::with(&[
        ("DEM-001.md", &text),
        ("DEM-002.md", "---\nstatus: On Hold\n---\n"),
        ("DEM-003.md", "---\ndependsOn: 1\n---\n"),
        ("DEM-004.md", "---\nstatus: Rejected\ndependsOn: 1\n---\n"),
    ]);
    let whole = told(ticket(&project.board, "1")).unwrap();
    assert_eq!(whole["content"], body);
    assert_eq!(whole["cr"], project.attributes("1"));
    assert_eq!(whole["filePath"], json!(project.path("DEM-001.md")));
    let waits = json!([{"reason": "ticket", "code": "DEM-002", "status": "On Hold"}]);
    assert_eq!(
        (&whole["waitingFor"], &whole["ready"]),
        (&waits, &json!(false))
    );
    assert_eq!(whole["neededBy"], json!(["DEM-003"]));
    check_code(
        &told(ticket(&project.board, "9")),
        "CR_NOT_FOUND",
        "DEM-009",
    );
}

/// Everything that is said of what waits for what.
fn said(board: &TicketStore) -> Vec<Value> {
    let tree = told(picture(board, "tree", PictureExtent::All));
    let whole = (1..=5).map(|number| told(ticket(board, &number.to_string())));
    let all = [
        told(graph(board, PageRequest::default())),
        told(ready(board, PageRequest::default())),
        tree,
    ];
    all.into_iter()
        .chain(whole)
        .map(|told| told.unwrap_or_else(|refused| refused))
        .collect()
}

fn relations() -> impl Strategy<Value = Vec<&'static str>> {
    let names = vec!["1", "2", "DEM-3", "4", "5", "API-2", "chant:x"];
    prop::sample::subsequence(names, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    /// Whatever was known before, what is said is what the files say.
    #[test]
    fn the_graph_is_that_of_the_files_whatever_came_before(
        changes in prop::collection::vec(
            (1..=5_u8, any::<bool>(), any::<bool>(), relations(), relations(),
             prop::sample::select(vec!["Approved", "Proposed", "Implemented"])),
            1..12,
        ),
    ) {
        let project = Project::with(&[]);
        for (number, is_second, is_gone, depends_on, blocks, status) in changes {
            let name = if is_second { "again" } else { "" };
            let path = project.path(&format!("DEM-00{number}{name}.md"));
            if is_gone {
                let _ = std::fs::remove_file(path);
            } else {
                let text = format!(
                    "---\ncode: DEM-{number}\nstatus: {status}\ndependsOn: {}\nblocks: {}\n---\n",
                    depends_on.join(","),
                    blocks.join(","),
                );
                std::fs::write(path, text).unwrap();
            }
            prop_assert_eq!(said(&project.board), said(&project.again()));
        }
    }
}

proptest! {
    /// What a change would close is known beforehand.
    #[test]
    fn a_loop_is_seen_before_it_is_closed(
        tickets in prop::collection::vec((1..=5_u64, relations(), relations()), 0..6),
        last in (1..=6_u64, relations(), relations()),
    ) {
        let mut waits = TicketGraph::new("DEM");
        let mut known: BTreeMap<TicketCode, Ticket> = BTreeMap::new();
        let mut read = |waits: &mut TicketGraph, (number, depends_on, blocks): (u64, Vec<&str>, Vec<&str>), is_last| {
            let code = TicketCode::new("DEM", number);
            let relations = [("dependsOn", depends_on), ("blocks", blocks)];
            let lines = relations.map(|(key, names)| format!("{key}: {}\n", names.join(",")));
            let ticket = parse::ticket("", format!("---\n{}---\n", lines.concat()));
            let before = known.insert(code.clone(), ticket.clone());
            let is_free = waits.loop_through(&code).is_none();
            let seen = waits.loop_with(&code, &ticket);
            waits.replace(&code, before.as_ref(), Some(&ticket));
            (is_last && is_free).then(|| (seen, waits.loop_through(&code)))
        };
        for ticket in tickets {
            read(&mut waits, ticket, false);
        }
        if let Some((seen, closed)) = read(&mut waits, last, true) {
            prop_assert_eq!(seen.as_ref().map(Vec::len), closed.as_ref().map(Vec::len));
            prop_assert_eq!(seen.map(|way| way[0].clone()), closed.map(|way| way[0].clone()));
        }
    }
}
