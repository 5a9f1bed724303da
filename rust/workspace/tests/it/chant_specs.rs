//! Specs and their graph: what is blocked and what is ready, and the same whatever way it was reached.

use std::collections::BTreeMap;

use chant_specs::model::SpecStatus;
use chant_specs::parse;
use chant_specs::specs::{SpecGraph, SpecWait, describe_cycle};
use chant_specs::view::spec::describe_wait;
use chant_store::index::{DocumentChange, FileSource};
use proptest::prelude::*;

fn change(id: &str, text: Option<String>) -> DocumentChange<parse::ParsedSpec> {
    let path = format!(".chant/specs/{id}.md");
    let document = text.map(|text| parse::document(&path, FileSource::Text(text)));
    DocumentChange {
        path: path.into(),
        document,
    }
}

/// Specs from lines like `D.1 completed [a b] group`: an ID, a status, dependencies in brackets where
/// there are any, words `group`, `driver`, `approval`, `approved`, `criteria`, and one each of `labels:a,b`,
/// `target_files:a,b`, `commits:a,b`.
pub(crate) fn specs(lines: &str) -> SpecGraph {
    let mut specs = SpecGraph::default();
    specs.apply(
        lines
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(spec)
            .collect(),
    );
    specs
}

fn spec(line: &str) -> DocumentChange<parse::ParsedSpec> {
    let (head, deps) = match line.split_once('[') {
        Some((head, rest)) => (
            head.to_owned() + rest.split_once(']').unwrap().1,
            Some(rest.split(']').next().unwrap()),
        ),
        None => (line.to_owned(), None),
    };
    let mut words = head.split_whitespace();
    let (id, status) = (words.next().unwrap(), words.next().unwrap());
    let mut yaml = format!("status: {status}\n");
    if let Some(deps) = deps {
        yaml.push_str(&format!(
            "depends_on: [{}]\n",
            deps.split_whitespace().collect::<Vec<_>>().join(", ")
        ));
    }
    let mut body = "# T\n";
    for word in words {
        match word {
            "approval" => yaml.push_str("approval: {required: true}\n"),
            "approved" => yaml.push_str("approval: {required: true, status: approved}\n"),
            "criteria" => body = "# T\n\n## Acceptance Criteria\n\n- [ ] a\n",
            list if list.contains(':') => {
                let (key, items) = list.split_once(':').unwrap();
                yaml.push_str(&format!("{key}: [{items}]\n"));
            }
            kind => yaml.push_str(&format!("type: {kind}\n")),
        }
    }
    change(id, Some(format!("---\n{yaml}---\n{body}")))
}

#[track_caller]
fn check(lines: &str, blocked: &str, ready: &str) {
    let specs = specs(lines);
    let overview = specs.overview();
    let of = |at: usize| specs.all()[at].id.as_str();
    let is_blocked = |at: &usize| overview.statuses[*at] == SpecStatus::Blocked;
    let found: Vec<&str> = (0..specs.all().len()).filter(is_blocked).map(of).collect();
    assert_eq!(found.join(" "), blocked, "blocked");
    assert_eq!(
        overview
            .ready
            .iter()
            .map(|at| of(*at))
            .collect::<Vec<_>>()
            .join(" "),
        ready,
        "ready"
    );
    for spec in specs.all() {
        let waits = specs.waits(spec);
        let is_ready = specs.is_ready(spec);
        assert_eq!(
            waits.is_empty() && !spec.kind.is_container(),
            is_ready || !may_start(spec.status),
            "{}",
            spec.id
        );
        assert_eq!(
            waits.iter().any(SpecWait::blocks),
            specs.status(spec) == SpecStatus::Blocked
                || !is_derived(spec.status) && waits.iter().any(SpecWait::blocks)
        );
    }
}

fn may_start(status: SpecStatus) -> bool {
    matches!(
        status,
        SpecStatus::Pending | SpecStatus::Blocked | SpecStatus::Failed
    )
}

fn is_derived(status: SpecStatus) -> bool {
    matches!(status, SpecStatus::Pending | SpecStatus::Blocked)
}

/// Reference chant 10.7, archived and other repositories left to the tests of the tools.
#[test]
fn blocking_follows_the_documented_vectors() {
    check("a pending\nb pending [a]", "b", "a");
    check("a completed\nb pending [a]", "", "b");
    check("a cancelled\nb pending [a]", "", "b");
    check("b pending [gone]", "b", "");
    check("b pending approval", "b", "");
    check("b pending approved", "", "b");
    check("b failed approval", "", "");
    check("x pending\nD pending driver [x]\nD.1 pending", "D D.1", "x");
    check(
        "D pending driver [D.1 D.2]\nD.1 pending\nD.2 pending",
        "D",
        "D.1",
    );
    check("D.1 pending\nD.2 pending", "", "D.1");
    check("D.1 pending\nD.10 pending []", "", "D.1 D.10");
    check("D.2 pending\nD.4 pending", "", "D.2");
    check("b blocked", "", "b");
    check("b ready", "", "");
    check("b failed", "", "b");
}

#[test]
fn containers_wait_for_their_members_and_are_not_worked_themselves() {
    check("D pending\nD.1 pending", "", "D.1");
    check("D pending criteria\nD.1 completed\nD.2 cancelled", "", "D");
    check("D pending group\nD.1 completed", "", "");
    check("D pending driver", "", "");
}

#[test]
fn nested_members_wait_for_the_siblings_of_what_contains_them() {
    check(
        "D.1 pending\nD.2 pending\nD.2.1 pending\nD.2.2 pending",
        "",
        "D.1",
    );
    check(
        "D.1 completed\nD.2 pending\nD.2.1 pending\nD.2.2 pending",
        "",
        "D.2.1",
    );
    check(
        "D.1 pending\nD.2 pending []\nD.2.1 pending\nD.2.2 pending",
        "",
        "D.1 D.2.1",
    );
    check(
        "x pending\nD pending [x]\nD.1 pending []\nD.1.1 pending []",
        "D D.1 D.1.1",
        "x",
    );
}

#[test]
fn what_a_spec_waits_for_is_told_with_its_reason() {
    let specs = specs(
        "x in_progress\nD pending driver [x D.1]\nD.1 failed\nD.2 pending approval\ny pending [gone]",
    );
    let told = |id: &str| {
        let waits = specs.waits(specs.find(id).unwrap());
        waits
            .iter()
            .map(describe_wait)
            .collect::<Vec<_>>()
            .join("; ")
    };
    assert_eq!(
        told("D.2"),
        "approval; x (in_progress), named by D; D.1 (failed), an earlier sibling"
    );
    assert_eq!(
        told("D"),
        "x (in_progress); D.1 (failed); D.1 (failed), a member; D.2 (blocked), a member"
    );
    assert_eq!(told("y"), "gone (no such spec)");
}

#[test]
fn a_loop_through_implied_steps_reads_as_a_path() {
    let specs = specs(
        "D pending driver\nD.1 pending [x]\nD.2 pending\nx pending [D]\na pending [b]\nb pending [a]",
    );
    let graph = specs.graph();
    let paths: Vec<String> = graph
        .cycles()
        .iter()
        .map(|cycle| describe_cycle(graph, cycle).join(" -> "))
        .collect();
    assert_eq!(paths, ["D -> D.1 (member of D) -> x", "a -> b"]);
}

#[test]
fn of_a_long_loop_the_middle_is_left_out() {
    let ring = |count: usize| {
        let lines: Vec<String> = (0..count)
            .map(|n| format!("s{n:03} pending [s{:03}]", (n + 1) % count))
            .collect();
        let specs = specs(&lines.join("\n"));
        let cycles = specs.graph().cycles();
        describe_cycle(specs.graph(), &cycles[0])
    };
    assert_eq!(ring(21).len(), 21);
    let told = ring(300);
    assert_eq!(told.len(), 21);
    assert_eq!(
        (&*told[9], &*told[10], &*told[11], &*told[20]),
        ("s009", "… 280 more …", "s290", "s299")
    );
}

#[test]
fn of_several_files_of_one_id_the_nearest_counts_and_the_others_are_told() {
    let mut specs = SpecGraph::default();
    let at = |path: &str, status: &str| DocumentChange {
        path: path.into(),
        document: Some(parse::document(
            path,
            FileSource::Text(format!("---\nstatus: {status}\n---\n# T\n")),
        )),
    };
    let gone = |path: &str| DocumentChange {
        path: path.into(),
        document: None,
    };
    specs.apply(vec![
        at(".chant/specs/team/a.md", "pending"),
        at(".chant/specs/a.md", "completed"),
    ]);
    let status = |specs: &SpecGraph| specs.find("a").map(|spec| spec.status);
    assert_eq!(status(&specs), Some(SpecStatus::Completed));
    assert_eq!(specs.problems().len(), 1);
    specs.apply(vec![gone(".chant/specs/a.md")]);
    assert_eq!(
        (status(&specs), specs.problems().len()),
        (Some(SpecStatus::Pending), 0)
    );
    specs.apply(vec![gone(".chant/specs/team/a.md")]);
    assert_eq!((status(&specs), specs.all().len()), (None, 0));
}

/// What a file may say, and what it may turn into.
#[derive(Debug, Clone)]
struct File {
    status: &'static str,
    deps: Option<Vec<&'static str>>,
    kind: &'static str,
    needs_approval: bool,
    is_broken: bool,
}

const IDS: [&str; 10] = [
    "D", "D.1", "D.2", "D.2.1", "D.2.2", "D.3", "E.1", "E.2", "a", "b",
];

fn file() -> impl Strategy<Value = File> {
    let status = prop::sample::select(vec![
        "pending", "blocked", "in_progress", "completed", "failed", "cancelled", "ready",
    ]);
    let deps = prop::option::of(prop::collection::vec(
        prop::sample::select(vec!["a", "b", "D", "D.1", "D.2", "E.1", "gone"]),
        0..3,
    ));
    let kind = prop::sample::select(vec!["code", "code", "code", "driver", "group"]);
    (
        status,
        deps,
        kind,
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.1),
    )
        .prop_map(|(status, deps, kind, needs_approval, is_broken)| File {
            status,
            deps,
            kind,
            needs_approval,
            is_broken,
        })
}

fn text(file: &File) -> String {
    let status = if file.is_broken {
        "nonsense"
    } else {
        file.status
    };
    let deps = file
        .deps
        .as_ref()
        .map(|deps| format!("depends_on: [{}]\n", deps.join(", ")))
        .unwrap_or_default();
    let approval = if file.needs_approval {
        "approval: {required: true}\n"
    } else {
        ""
    };
    format!(
        "---\ntype: {}\nstatus: {status}\n{deps}{approval}---\n# T\n",
        file.kind
    )
}

/// The rules of reference chant 4 written down once more, without a graph.
struct Naive<'a>(&'a BTreeMap<&'static str, File>);

impl Naive<'_> {
    fn get(&self, id: &str) -> Option<&File> {
        self.0.get(id).filter(|file| !file.is_broken)
    }

    fn is_done(&self, id: &str) -> bool {
        self.get(id)
            .is_some_and(|file| matches!(file.status, "completed" | "cancelled"))
    }

    fn containers(id: &str) -> Vec<&str> {
        id.match_indices('.').map(|(at, _)| &id[..at]).collect()
    }

    fn is_blocked(&self, id: &str) -> bool {
        let file = self.get(id).unwrap();
        let own = file.deps.iter().flatten().any(|dep| !self.is_done(dep));
        let inherited = Self::containers(id).into_iter().any(|container| {
            let deps = self.get(container).and_then(|file| file.deps.as_ref());
            let inside = format!("{container}.");
            deps.into_iter()
                .flatten()
                .any(|dep| !dep.starts_with(&inside) && *dep != id && !self.is_done(dep))
        });
        own || inherited || file.needs_approval
    }

    fn waits_for_siblings(&self, id: &str) -> bool {
        let mut level = id;
        loop {
            if self.get(level).is_some_and(|file| file.deps.is_some()) {
                return false;
            }
            let Some((parent, number)) = level.rsplit_once('.') else {
                return false;
            };
            let number: u32 = number.parse().unwrap();
            let is_open = |n: u32| {
                let sibling = format!("{parent}.{n}");
                self.get(&sibling).is_some() && !self.is_done(&sibling)
            };
            if (0..number).any(is_open) {
                return true;
            }
            level = parent;
        }
    }

    fn is_ready(&self, id: &str) -> bool {
        let file = self.get(id).unwrap();
        let inside = format!("{id}.");
        let is_open = |other: &&str| {
            other.starts_with(&inside) && self.get(other).is_some() && !self.is_done(other)
        };
        matches!(file.status, "pending" | "blocked" | "failed")
            && file.kind == "code"
            && !self.is_blocked(id)
            && !self.waits_for_siblings(id)
            && !self.0.keys().any(is_open)
    }

    fn status(&self, id: &str) -> &str {
        match self.get(id).unwrap().status {
            "pending" | "blocked" if self.is_blocked(id) => "blocked",
            "blocked" => "pending",
            stored => stored,
        }
    }
}

proptest! {
    #[test]
    fn after_any_changes_the_answers_are_those_of_the_rules(
        rounds in prop::collection::vec(prop::collection::vec((prop::sample::select(IDS.to_vec()), prop::option::weighted(0.8, file())), 0..8), 1..6),
    ) {
        let mut files: BTreeMap<&'static str, File> = BTreeMap::new();
        let mut specs = SpecGraph::default();
        for round in rounds {
            let round: BTreeMap<&'static str, Option<File>> = round.into_iter().collect();
            specs.apply(round.iter().map(|(id, file)| change(id, file.as_ref().map(text))).collect());
            for (id, file) in round {
                match file {
                    Some(file) => files.insert(id, file),
                    None => files.remove(id),
                };
            }
            let naive = Naive(&files);
            let expected: Vec<(&str, &str, bool)> = IDS.iter().filter(|id| naive.get(id).is_some())
                .map(|id| (*id, naive.status(id), naive.is_ready(id))).collect();
            let found: Vec<(&str, &str, bool)> = specs.all().iter()
                .map(|spec| (spec.id.as_str(), specs.status(spec).as_str(), specs.is_ready(spec))).collect();
            prop_assert_eq!(&found, &expected);
            let overview = specs.overview();
            prop_assert_eq!(overview.statuses.iter().map(|s| s.as_str()).collect::<Vec<_>>(), expected.iter().map(|e| e.1).collect::<Vec<_>>());
            prop_assert_eq!(overview.ready.clone(), (0..expected.len()).filter(|at| expected[*at].2).collect::<Vec<_>>());
            let counts = SpecStatus::ALL.map(|status| expected.iter().filter(|e| e.1 == status.as_str()).count());
            prop_assert_eq!(overview.counts, counts);
            prop_assert_eq!(specs.broken().len(), files.values().filter(|file| file.is_broken).count());
        }
    }
}
