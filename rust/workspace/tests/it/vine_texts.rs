//! The texts that teach agents the VINE format: every sample in them is read, refused or carried out
//! as the remarks above it say, and nothing that callers may use goes unnamed.

use std::collections::{HashMap, HashSet};

use chant_base::answer::PageRequest;
use chant_vine::apply::{ChildGraph, apply, create};
use chant_vine::document::VineDocument;
use chant_vine::error::VineError;
use chant_vine::expand::expand;
use chant_vine::frontier::GraphPlan;
use chant_vine::graph_violation::GraphViolation;
use chant_vine::model::{Graph, TaskStatus};
use chant_vine::operation::operations;
use chant_vine::validate::validate;
use chant_vine::view::FrontierView;
use chant_vine::write::render_canonical;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use serde_json::{Value, json};

const BRIEF: &str = include_str!("../../../../python/chant_mcp/resources/vine/brief.md");
const FULL: &str = include_str!("../../../../python/chant_mcp/resources/vine/full.md");

const TOOLS: [&str; 4] = ["vine_read", "vine_next", "vine_write", "vine_expand"];
const PARAMETERS: [&str; 12] = [
    "file", "action", "id", "status", "query", "limit", "offset", "operations", "dry_run",
    "expect", "ref_id", "child_file",
];
const OPERATIONS: [&str; 14] = [
    "create", "add_task", "remove_task", "set_status", "update", "claim", "extract_to_ref",
    "add_dep", "remove_dep", "add_ref", "update_ref_uri", "rename_task", "move_task", "set_meta",
];

/// A fenced block with the remarks (`<!-- key: value -->`) directly above it.
struct Fence {
    info: String,
    remarks: HashMap<String, String>,
    body: String,
}

impl Fence {
    fn remark(&self, key: &str) -> Option<&str> {
        self.remarks.get(key).map(String::as_str)
    }
}

fn fences(text: &str) -> Vec<Fence> {
    let mut fences: Vec<Fence> = Vec::new();
    let mut remarks = HashMap::new();
    let mut is_inside = false;
    for event in Parser::new(text) {
        match event {
            Event::Html(html) => remarks.extend(remark(&html)),
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                is_inside = true;
                fences.push(Fence {
                    info: info.to_string(),
                    remarks: std::mem::take(&mut remarks),
                    body: String::new(),
                });
            }
            Event::End(TagEnd::CodeBlock) => is_inside = false,
            Event::Text(text) if is_inside => fences.last_mut().unwrap().body.push_str(&text),
            _ => assert!(remarks.is_empty(), "no block below {remarks:?}"),
        }
    }
    fences
}

fn remark(html: &str) -> Option<(String, String)> {
    let inside = html.trim().strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    let (key, value) = inside.split_once(": ").unwrap_or((inside, ""));
    Some((key.to_owned(), value.to_owned()))
}

/// The files that have a name, by it.
fn samples(fences: &[Fence]) -> HashMap<&str, &str> {
    let named = |fence: &Fence| fence.remark("sample").is_some();
    let named: Vec<&Fence> = fences.iter().filter(|fence| named(fence)).collect();
    let samples: HashMap<&str, &str> = named
        .iter()
        .map(|fence| (fence.remark("sample").unwrap(), fence.body.as_str()))
        .collect();
    assert_eq!(samples.len(), named.len(), "a name is used twice");
    samples
}

/// The words in code spans.
fn words(text: &str) -> HashSet<String> {
    let spans = Parser::new(text).filter_map(|event| match event {
        Event::Code(code) => Some(code.to_string()),
        _ => None,
    });
    let is_between = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-');
    spans
        .flat_map(|span| {
            span.split(is_between)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect()
}

#[track_caller]
fn refused(error: &VineError, expected: &str) {
    let told = error.to_string();
    let headline = told.lines().next().unwrap_or_default();
    let is_told = headline == expected || headline.ends_with(&format!(": {expected}"));
    assert!(is_told, "{headline}\nis not\n{expected}");
}

fn read(text: &str) -> Result<VineDocument, VineError> {
    VineDocument::read(text.to_owned())
}

/// A file after a change of its graph.
fn changed(
    text: &str,
    change: impl FnOnce(&GraphPlan) -> Result<Graph, VineError>,
) -> Result<String, VineError> {
    let document = read(text)?;
    let graph = change(&document.plan)?;
    let changed = document.changed(document.plan.renewed(graph)?)?;
    Ok(changed.text)
}

/// The file after operations, and the one that they make beside it.
fn carried_out(text: Option<&str>, given: &[Value]) -> Result<(String, Option<String>), VineError> {
    let operations = operations(given)?;
    let mut child: Option<ChildGraph> = None;
    let text = if let Some(text) = text {
        changed(text, |plan| {
            let (graph, made) = apply(plan, &operations)?;
            child = made;
            Ok(graph)
        })?
    } else {
        let (graph, made) = create(&operations)?;
        validate(&graph)?;
        child = made;
        render_canonical(&graph)?
    };
    let child = child
        .map(|child| render_canonical(&child.graph))
        .transpose()?;
    Ok((text, child))
}

/// The answer of `vine_next` for a file.
fn next(text: &str) -> Value {
    let plan = read(text).unwrap().plan;
    serde_json::to_value(FrontierView::of(&plan, PageRequest::default())).unwrap()
}

/// The fields that an operation takes, as its refusal of another one tells.
fn fields(op: &str) -> Vec<String> {
    let mut given = json!({"op": op, "another": true});
    loop {
        let told = operations(&[given.clone()]).unwrap_err().to_string();
        if let Some((_, fields)) = told.split_once("Its fields: ") {
            let fields = fields.trim_end_matches('.').split(", ");
            return fields.map(str::to_owned).collect();
        }
        let (_, required) = told.split_once(" requires \"").unwrap();
        given[required.trim_end_matches("\".")] = "x".into();
    }
}

#[test]
fn every_file_is_read_or_refused_as_the_texts_say() {
    for text in [BRIEF, FULL] {
        for Fence {
            info,
            remarks,
            body,
        } in fences(text)
        {
            match info.as_str() {
                "vine" => {
                    let read = read(&body);
                    assert!(read.is_ok(), "{}\n{body}", read.unwrap_err());
                }
                "vine-invalid" => refused(&read(&body).unwrap_err(), &remarks["error"]),
                "vine-fragment" | "json" | "abnf" => {}
                other => panic!("`{other}` is no kind of block in the texts"),
            }
        }
    }
}

#[test]
fn every_batch_does_what_the_texts_say() {
    for text in [BRIEF, FULL] {
        let fences = fences(text);
        let samples = samples(&fences);
        let batches = fences
            .iter()
            .enumerate()
            .filter_map(|(at, fence)| Some((at, fence, fence.remark("applies to")?)));
        let mut results = 0;
        for (at, fence, to) in batches {
            let file = (to != "no file").then(|| samples[to]);
            let given: Vec<Value> = serde_json::from_str(&fence.body).unwrap();
            let outcome = carried_out(file, &given);
            if let Some(expected) = fence.remark("error") {
                refused(&outcome.unwrap_err(), expected);
                continue;
            }
            let (after, made) = outcome.unwrap();
            for below in &fences[at + 1..] {
                let expected = match (below.remark("result"), below.remark("new file")) {
                    (Some(_), _) => Some(&after),
                    (_, Some(_)) => made.as_ref(),
                    _ => break,
                };
                assert_eq!(Some(&below.body), expected);
                results += 1;
            }
        }
        let is_result =
            |fence: &&Fence| fence.remark("result").is_some() || fence.remark("new file").is_some();
        let all = fences.iter().filter(is_result).count();
        assert_eq!(results, all, "a result stands below no batch");
    }
}

#[test]
fn the_worked_expansion_comes_out_as_shown() {
    let fences = fences(FULL);
    let samples = samples(&fences);
    let shown = fences
        .iter()
        .find(|fence| fence.remark("expands").is_some());
    let shown = shown.unwrap();
    let names: Vec<&str> = shown.remark("expands").unwrap().split(' ').collect();
    let [parent, id, child] = names[..] else {
        panic!("parent, reference and child are named, not {names:?}")
    };
    let child = read(samples[child]).unwrap().plan.graph;
    let text = changed(samples[parent], |plan| {
        let mut graph = plan.graph.clone();
        expand(&mut graph, id, &child, "parts")?;
        Ok(graph)
    });
    assert_eq!(text.unwrap(), shown.body);
}

#[test]
fn answers_are_those_that_are_shown() {
    for text in [BRIEF, FULL] {
        let fences = fences(text);
        let samples = samples(&fences);
        for fence in fences.iter().filter(|fence| fence.info == "json") {
            let Some(name) = fence.remark("answer of next") else {
                assert!(fence.remark("applies to").is_some(), "{}", fence.body);
                continue;
            };
            let shown: Value = serde_json::from_str(&fence.body).unwrap();
            assert_eq!(next(samples[name]), shown);
        }
    }
}

#[test]
fn both_texts_name_everything_that_callers_may_use() {
    let told = VineError::Action {
        action: String::new(),
    };
    let told = told.to_string();
    let (_, actions) = told.split_once("Valid values: ").unwrap();
    let sample = next("vine 1.2.0\n---\n[a] A (complete)\n");
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let names: Vec<String> = [
        owned(&TOOLS),
        owned(&PARAMETERS),
        owned(&actions.split(", ").collect::<Vec<_>>()),
        owned(&OPERATIONS),
        OPERATIONS.into_iter().flat_map(fields).collect(),
        owned(&TaskStatus::ALL.map(TaskStatus::as_str)),
        owned(&["waiting", "waits_for", "summary", "claimed"]),
        owned(&["resolved_dependencies", "dependant_tasks"]),
        keys(&sample),
        keys(&sample["progress"]),
    ]
    .concat();
    for (name, text) in [("brief", BRIEF), ("full", FULL)] {
        let words = words(text);
        let missing: Vec<&String> = names.iter().filter(|name| !words.contains(*name)).collect();
        assert_eq!(missing, Vec::<&String>::new(), "the {name} text");
    }
}

#[test]
fn the_full_text_names_every_constraint() {
    let words = words(FULL);
    for violation in [
        GraphViolation::NoTask,
        GraphViolation::UnknownDependency {
            task: "a".into(),
            missing: "b".into(),
        },
        GraphViolation::Cycle(Vec::new()),
        GraphViolation::Islands(Vec::new()),
        GraphViolation::NoUri("a".into()),
    ] {
        let constraint = violation.constraint();
        assert!(words.contains(constraint), "{constraint}");
    }
}

#[test]
fn the_brief_is_brief() {
    let lines = BRIEF.lines().count();
    assert!((150..=230).contains(&lines), "{lines} lines");
    let characters = BRIEF.chars().count();
    assert!(characters <= 11_000, "{characters} characters");
}
