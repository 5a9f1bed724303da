//! Writing VINE graphs: the vectors of reference vine 12.5, and that only the lines change that are
//! meant. Changed on purpose: a claim of what is started or held up is refused (decisions), fields the
//! format cannot carry are refused by name (W1).

use chant_vine::apply::{apply, create};
use chant_vine::document::VineDocument;
use chant_vine::error::VineError;
use chant_vine::expand::expand;
use chant_vine::frontier::GraphPlan;
use chant_vine::model::Graph;
use chant_vine::operation::operations;
use chant_vine::parse;
use chant_vine::validate::validate;
use chant_vine::write::render_canonical;
use serde_json::{Value, json};

const PLAN: &str = "\
vine 1.2.0
---
[root] Root (planning)
-> mid
-> ext
---
[mid] Mid (notstarted)
-> leaf
---
ref [ext] Ext (./ext.vine)
-> leaf
---
[leaf] Leaf (complete)
";

/// A text after a change of its graph.
pub(super) fn edited(
    text: &str,
    change: impl FnOnce(&GraphPlan) -> Result<Graph, VineError>,
) -> Result<String, VineError> {
    let document = VineDocument::read(text.to_owned())?;
    let graph = change(&document.plan)?;
    let changed = document.changed(document.plan.renewed(graph)?)?;
    let read = VineDocument::read(changed.text.clone())?;
    assert_eq!(
        (&read.plan.graph, &read.plan.frontier, read.plan.progress),
        (
            &changed.plan.graph, &changed.plan.frontier, changed.plan.progress
        ),
        "read in parts it says the same as read whole"
    );
    Ok(changed.text)
}

/// The text after operations, or the first line of the refusal.
fn after(text: &str, given: Value) -> Result<String, String> {
    let write = || {
        let operations = operations(given.as_array().unwrap())?;
        edited(text, |plan| {
            apply(plan, &operations).map(|(graph, _)| graph)
        })
    };
    write().map_err(|error: VineError| {
        let told = error.to_string();
        told.lines().next().unwrap_or_default().to_owned()
    })
}

#[track_caller]
fn refused(given: Value, expected: &str) {
    assert_eq!(after(PLAN, given).unwrap_err(), expected);
}

/// The lines that a change took out and put in.
fn difference(old: &str, new: &str) -> (Vec<String>, Vec<String>) {
    let lines = |text: &str| {
        text.split_inclusive('\n')
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (old, new) = (lines(old), lines(new));
    let only = |of: &[String], not: &[String]| {
        of.iter()
            .filter(|line| !not.contains(line))
            .cloned()
            .collect()
    };
    (only(&old, &new), only(&new, &old))
}

#[test]
fn operations_do_what_the_vectors_say() {
    let islands = "Validation error [no-islands]: Found 1 island task(s) not reachable from root: ";
    let add = json!({"op": "add_task", "id": "n", "name": "N"});
    refused(json!([add]), &format!("{islands}n."));
    let text = after(
        PLAN,
        json!([add, {"op": "add_dep", "taskId": "root", "depId": "n"}]),
    )
    .unwrap();
    assert!(
        text.ends_with("[leaf] Leaf (complete)\n---\n[n] N (notstarted)\n"),
        "{text}"
    );
    refused(
        json!([{"op": "add_task", "id": "mid", "name": "M"}]),
        "Task \"mid\" already exists.",
    );
    let remove = |id: &str| json!({"op": "remove_task", "id": id});
    assert!(after(PLAN, json!([remove("mid")])).is_ok());
    refused(
        json!([remove("mid"), remove("ext")]),
        &format!("{islands}leaf."),
    );
    refused(json!([remove("root")]), "Cannot remove the root task.");
    let edge = |op: &str, task: &str, dep: &str| json!({"op": op, "taskId": task, "depId": dep});
    refused(
        json!([edge("remove_dep", "root", "mid")]),
        &format!("{islands}mid."),
    );
    let moved = json!([
        edge("remove_dep", "root", "mid"),
        edge("add_dep", "ext", "mid")
    ]);
    assert!(after(PLAN, moved).is_ok());
    let there_and_back = json!([
        edge("add_dep", "leaf", "root"),
        edge("remove_dep", "leaf", "root")
    ]);
    assert_eq!(after(PLAN, there_and_back).as_deref(), Ok(PLAN));
    refused(
        json!([edge("add_dep", "leaf", "root")]),
        "Validation error [no-cycles]: Cycle detected: root → mid → leaf → root.",
    );
    let status = |id: &str, status: &str| json!({"op": "set_status", "id": id, "status": status});
    refused(
        json!([status("nope", "started"), {"op": "bogus"}]),
        "Operation 1: unknown op \"bogus\".",
    );
    refused(
        json!([status("mid", "started"), status("nope", "started")]),
        "Task not found: nope",
    );
    refused(
        json!([status("ext", "started")]),
        "Cannot set status on reference node \"ext\".",
    );
}

#[test]
fn a_claim_is_one() {
    let claim = |id: &str| json!([{"op": "claim", "id": id}]);
    let text = after(PLAN, claim("mid")).unwrap();
    assert_eq!(text, PLAN.replace("Mid (notstarted)", "Mid (started)"));
    assert!(
        after(&text, claim("mid"))
            .unwrap_err()
            .starts_with("Cannot claim \"mid\": it is started.")
    );
    refused(claim("ext"), "Cannot claim reference node \"ext\".");
    let held = after(PLAN, claim("root")).unwrap_err();
    assert!(held.starts_with("Cannot claim \"root\": it depends on what is not done: mid, ext."));
    assert!(after(&text, json!([{"op": "claim", "id": "mid", "force": true}])).is_ok());
}

/// Whom a free task is meant for stays in the file; who held a task that is taken over does not.
#[test]
fn an_owner_goes_when_somebody_else_has_the_task() {
    let meant = PLAN.replace("(notstarted)", "(notstarted) @z(1) @owner(ada)");
    let claim = |more: Value| {
        let mut operation = json!({"op": "claim", "id": "mid"});
        let more = more.as_object().unwrap().clone();
        operation.as_object_mut().unwrap().extend(more);
        json!([operation])
    };
    let header = |text: &str| text.lines().nth(6).unwrap().to_owned();
    let text = after(&meant, claim(json!({}))).unwrap();
    assert_eq!(header(&text), "[mid] Mid (started) @z(1) @owner(ada)");
    let told = after(&text, claim(json!({}))).unwrap_err();
    assert!(told.starts_with("Cannot claim \"mid\": it is started, held by ada."));
    let taken = after(&text, claim(json!({"force": true}))).unwrap();
    assert_eq!(header(&taken), "[mid] Mid (started) @z(1)");
    let taken = after(&text, claim(json!({"force": true, "owner": "bo"}))).unwrap();
    assert_eq!(header(&taken), "[mid] Mid (started) @owner(bo) @z(1)");
    for owner in ["", "a,b", "a)", " a", "a\nb"] {
        let told = after(PLAN, claim(json!({ "owner": owner }))).unwrap_err();
        assert!(told.starts_with("\"owner\" must not be empty"), "{told}");
    }
}

#[test]
fn shapes_are_checked_before_anything_else() {
    for (operation, expected) in [
        (json!({}), "missing \"op\" field."),
        (json!({"op": 5}), "missing \"op\" field."),
        (
            json!({"op": "add_task", "id": "a"}),
            "add_task requires \"name\".",
        ),
        (
            json!({"op": "add_task", "id": "a", "name": "A", "status": 5}),
            "status must be a string.",
        ),
        (
            json!({"op": "set_status", "id": "a", "status": "done"}),
            "invalid status \"done\". Valid: complete, started, reviewing, planning, notstarted, blocked",
        ),
        (
            json!({"op": "add_task", "id": "a", "name": "A", "dependsOn": [1]}),
            "add_task \"dependsOn\" must be an array of strings.",
        ),
        (
            json!({"op": "update", "id": "a", "attachments": [{"class": "file"}]}),
            "update \"attachments\" elements must have class, mime, and uri as strings.",
        ),
        (
            json!({"op": "update", "id": "a", "annotations": []}),
            "update \"annotations\" must be an object.",
        ),
        (
            json!({"op": "update", "id": "a", "annotations": {"k": "v"}}),
            "update \"annotations\" values must be arrays of strings.",
        ),
        (
            json!({"op": "update", "id": "a", "status": "complete"}),
            "update has no field \"status\". Its fields: id, name, description, decisions, attachments, annotations, addDecisions, addAttachments, removeAttachments.",
        ),
        (
            json!({"op": "update", "id": "a", "name": 5}),
            "update \"name\" must be a string.",
        ),
    ] {
        refused(json!([operation]), &format!("Operation 0: {expected}"));
    }
    let filled_in =
        json!([{"op": "update", "id": "mid", "name": "M", "status": null, "taskId": null}]);
    assert!(
        after(PLAN, filled_in)
            .unwrap()
            .contains("[mid] M (notstarted)")
    );
}

#[test]
fn what_the_format_cannot_carry_is_refused_by_its_field() {
    let add = |fields: Value| {
        let mut operation = json!({"op": "add_task", "id": "n", "name": "N"});
        operation
            .as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        json!([operation, {"op": "add_dep", "taskId": "root", "depId": "n"}])
    };
    for (fields, word) in [
        (json!({"id": "has space"}), "\"id\""),
        (json!({"id": ""}), "\"id\""),
        (json!({"name": " "}), "\"name\""),
        (json!({"name": "a\nb"}), "\"name\""),
        (
            json!({"description": "fine\n-> root"}),
            "\"description\" line 2",
        ),
        (json!({"description": "---"}), "\"description\" line 1"),
        (
            json!({"description": "@file text/plain x"}),
            "\"description\" line 1",
        ),
        (
            json!({"annotations": {"my-key": []}}),
            "\"annotations\" keys",
        ),
        (
            json!({"annotations": {"k": ["f(x)"]}}),
            "\"annotations\" values",
        ),
        (
            json!({"annotations": {"k": ["a,b"]}}),
            "\"annotations\" values",
        ),
    ] {
        let told = after(PLAN, add(fields.clone())).unwrap_err();
        assert!(told.starts_with(word), "{fields}: {told}");
    }
    let decision = json!([{"op": "update", "id": "mid", "decisions": ["x\n-> root"]}]);
    assert!(
        after(PLAN, decision)
            .unwrap_err()
            .starts_with("\"decisions\"")
    );
    let uri = json!([{"op": "update_ref_uri", "id": "ext", "uri": "my file.vine"}]);
    assert!(after(PLAN, uri).unwrap_err().starts_with("\"uri\""));
    let attachment = json!([{"op": "update", "id": "mid", "attachments":
        [{"class": "file", "mime": "text plain", "uri": "x"}]}]);
    assert!(
        after(PLAN, attachment)
            .unwrap_err()
            .starts_with("\"attachments\" mime")
    );
}

#[test]
fn a_change_touches_the_lines_it_means_and_no_other() {
    let odd = "\u{FEFF}vine 1.1.0\r\nTitle : Odd\r\n# remark\r\nowner: ada\r\ndelimiter: ***\r\n---\r\n\
               ***\r\n\r\n  [root] Root (planning)  \r\nText \r\n-> leaf\r\n> first\r\nmore\r\n@file a/b c\r\n\
               ***\r\n***\r\n[leaf] Leaf (notstarted)\r\n\r\n***";
    let check = |given: Value, out: &[&str], put: &[&str]| {
        let new = after(odd, given).unwrap();
        let (taken, added) = difference(odd, &new);
        assert_eq!(
            (taken.as_slice(), added.as_slice()),
            (
                out.iter()
                    .map(|l| (*l).to_owned())
                    .collect::<Vec<_>>()
                    .as_slice(),
                put.iter()
                    .map(|l| (*l).to_owned())
                    .collect::<Vec<_>>()
                    .as_slice(),
            )
        );
    };
    check(
        json!([{"op": "set_status", "id": "leaf", "status": "started"}]),
        &["[leaf] Leaf (notstarted)\r\n"],
        &["[leaf] Leaf (started)\r\n"],
    );
    check(
        json!([{"op": "set_status", "id": "root", "status": "started"}]),
        &["  [root] Root (planning)  \r\n"],
        &["  [root] Root (started)  \r\n"],
    );
    check(
        json!([{"op": "update", "id": "root", "decisions": ["first", "second"]}]),
        &[],
        &["> second\r\n"],
    );
    check(
        json!([{"op": "update", "id": "root", "description": "Text \nmore\nand more"}]),
        &[],
        &["and more\r\n"],
    );
    check(
        json!([{"op": "update", "id": "root", "addAttachments":
            [{"class": "artifact", "mime": "a/b", "uri": "d"}]}]),
        &[],
        &["@artifact a/b d\r\n"],
    );
    check(
        json!([{"op": "update", "id": "leaf", "decisions": []}]),
        &[],
        &[],
    );
    let unchanged = after(odd, json!([{"op": "update", "id": "leaf"}])).unwrap();
    assert_eq!(unchanged, odd);
}

#[test]
fn a_new_graph_has_the_first_task_as_its_root() {
    let make = |given: Value| {
        let operations = operations(given.as_array().unwrap()).unwrap();
        let (graph, _) = create(&operations).map_err(|e| e.to_string())?;
        validate(&graph).map_err(|e| e.to_string())?;
        render_canonical(&graph).map_err(|e| e.to_string())
    };
    let task = |id: &str| json!({"op": "add_task", "id": id, "name": "Root"});
    assert_eq!(
        make(json!([{"op": "create"}, task("root")])).unwrap(),
        "vine 1.2.0\n---\n[root] Root (notstarted)\n"
    );
    let text = make(json!([
        {"op": "create"},
        {"op": "add_ref", "id": "x", "name": "X", "vine": "./x.vine"},
        {"op": "add_task", "id": "root", "name": "R", "dependsOn": ["a", "x"]},
        task("a"),
    ]))
    .unwrap();
    let headers: Vec<&str> = text.lines().filter(|l| l.contains('[')).collect();
    assert_eq!(
        headers,
        [
            "[root] R (notstarted)", "ref [x] X (./x.vine)", "[a] Root (notstarted)"
        ]
    );
    let told = make(json!([{"op": "create"}])).unwrap_err();
    assert!(told.starts_with("create requires at least one add_task operation"));
}

#[test]
fn an_extracted_task_leaves_a_reference() {
    let given = json!([{"op": "extract_to_ref", "id": "mid", "vine": "./mid.vine"}]);
    let operations = operations(given.as_array().unwrap()).unwrap();
    let mut child = None;
    let text = edited(PLAN, |plan| {
        let (graph, made) = apply(plan, &operations)?;
        child = made;
        Ok(graph)
    });
    let child = child.unwrap();
    assert_eq!(
        text.unwrap(),
        PLAN.replace("[mid] Mid (notstarted)", "ref [mid] Mid (./mid.vine)")
    );
    assert_eq!(
        render_canonical(&child.graph).unwrap(),
        "vine 1.2.0\ntitle: Mid\n---\n[mid] Mid (notstarted)\n"
    );
    refused(
        json!([{"op": "extract_to_ref", "id": "mid", "vine": "https://e.x/mid.vine"}]),
        "\"vine\" must be the path of the new file, got \"https://e.x/mid.vine\".",
    );
}

#[test]
fn an_extracted_description_may_hold_the_usual_delimiter() {
    let text = PLAN.replace("\n---\n", "\n***\n");
    let text = text.replacen("1.2.0\n***", "1.2.0\ndelimiter: ***\n---", 1);
    let text = text.replace("(notstarted)\n", "(notstarted)\nbefore\n---\nafter\n");
    let given = json!([{"op": "extract_to_ref", "id": "mid", "vine": "mid"}]);
    let operations = operations(given.as_array().unwrap()).unwrap();
    let mut child = None;
    let change = |plan: &GraphPlan| {
        let (graph, made) = apply(plan, &operations)?;
        child = made;
        Ok(graph)
    };
    edited(&text, change).unwrap();
    assert_eq!(
        render_canonical(&child.unwrap().graph).unwrap(),
        "vine 1.2.0\ndelimiter: ===\ntitle: Mid\n---\n[mid] Mid (notstarted)\nbefore\n---\nafter\n"
    );
}

const PARENT: &str = "\
vine 1.0.0
title: Par
---
[root] Root (notstarted)
-> ext
-> other
---
ref [ext] External name (./child.vine) @sprite(./ref.svg)
Reference description.
-> leaf
> ref decision
---
[other] Other (notstarted)
---
[leaf] Leaf (complete)
";

const CHILD: &str = "\
vine 1.2.0
prefix: ch
---
[top] Child Top (planning) @sprite(./top.svg) @owner(ada)
Top description.
-> b
-> a
> child decision
@artifact text/plain ./art.txt
---
[a] A (notstarted) @tags(x)
-> b
---
ref [b] Nested (./nested.vine)
nested desc
";

/// The parent after an expansion, or the refusal.
fn expanded(child: &str, folder: &str) -> Result<String, String> {
    let child = parse::graph(child).unwrap();
    let text = edited(PARENT, |plan| {
        let mut parent = plan.graph.clone();
        expand(&mut parent, "ext", &child, folder)?;
        Ok(parent)
    });
    text.map_err(|error| error.to_string())
}

/// Reference vine 12.4; the version is raised, annotations are united, places are rebased (decisions).
#[test]
fn a_reference_becomes_the_graph_it_stands_for() {
    let text = expanded(CHILD, "sub").unwrap();
    let graph = parse::graph(&text).unwrap();
    let expected = "\
vine 1.2.0
title: Par
---
[root] Root (notstarted)
-> ext
-> other
---
[ext] Child Top (planning) @owner(ada) @sprite(./ref.svg)
Top description.
-> ch/a
-> ch/b
-> leaf
> child decision
> ref decision
@artifact text/plain ./sub/art.txt
---
[ch/a] A (notstarted) @tags(x)
-> ch/b
---
ref [ch/b] Nested (./sub/nested.vine)
nested desc
---
[other] Other (notstarted)
---
[leaf] Leaf (complete)
";
    assert_eq!(render_canonical(&graph).unwrap(), expected);
    assert!(
        expanded(&CHILD.replace("prefix: ch\n", ""), "")
            .unwrap()
            .contains("[ext/a] A")
    );
    assert!(
        expanded(&CHILD.replace("prefix: ch", "prefix:"), "")
            .unwrap()
            .contains("[a] A")
    );
}

#[test]
fn what_cannot_be_expanded_is_said_with_its_reason() {
    let collides = CHILD
        .replace("prefix: ch", "prefix:")
        .replace("[a]", "[leaf]")
        .replace("-> a", "-> leaf");
    let told = expanded(&collides, "").unwrap_err();
    assert!(
        told.starts_with("ID collision: \"leaf\" already exists in the parent graph."),
        "{told}"
    );
    let root_named_leaf = CHILD.replace("[top]", "[leaf]");
    assert!(expanded(&root_named_leaf, "").is_ok());
    let told = expanded("vine 1.1.0\n---\nref [x] X (./x.vine)\n", "").unwrap_err();
    assert_eq!(told, "Child graph root must be a concrete task.");
    let mut parent = parse::graph(PARENT).unwrap();
    let child = parse::graph(CHILD).unwrap();
    let told = |parent: &mut _, id| expand(parent, id, &child, "").unwrap_err().to_string();
    assert_eq!(
        told(&mut parent, "nope"),
        "Task \"nope\" does not exist in the parent graph."
    );
    assert_eq!(
        told(&mut parent, "leaf"),
        "Task \"leaf\" is not a reference node."
    );
}
