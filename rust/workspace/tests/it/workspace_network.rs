//! The workspace's graph laid out for analytics: the same as lists say, and what runs teach.

use std::fs;

use chant_workspace::Workspace;
use chant_workspace::analytics_graph::{AnalyticsGraph, ItemColumn};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::workspace::{Place, SPEC, opened};

/// The values of a column as JSON.
pub(crate) fn column(layout: &AnalyticsGraph, name: &str) -> Vec<Value> {
    match layout.column(name).unwrap() {
        ItemColumn::Texts(texts) => texts.into_iter().map(|text| json!(text)).collect(),
        ItemColumn::Flags(flags) => flags.into_iter().map(Value::from).collect(),
        ItemColumn::Numbers(numbers) => numbers.into_iter().map(|number| json!(number)).collect(),
    }
}

fn keys(layout: &AnalyticsGraph) -> Vec<&str> {
    layout.network.keys().collect()
}

/// Whether the network says of every item what lists say.
#[track_caller]
fn check_as_listed(place: &Place) -> AnalyticsGraph {
    let layout = AnalyticsGraph::of(&place.workspace).unwrap();
    let joined = place.workspace.snapshot().unwrap();
    let network = &layout.network;
    for item in joined.nodes().filter_map(|node| joined.item(node)) {
        let at = network.item(item.key()).unwrap();
        assert_eq!(network.is_done(at), item.is_done(), "{}", item.key());
        let unmet = network.unmet(at).into_iter().filter(|_| !item.is_done());
        let mut unmet: Vec<&str> = unmet.map(|at| network.key(at)).collect();
        let mut listed = item.waits_for();
        unmet.sort_unstable();
        listed.sort_unstable();
        assert_eq!(unmet, listed, "{}", item.key());
    }
    layout
}

fn run(place: &Place, pid: u32, spec: &str, (status, mode): (&str, &str), seconds: u32) {
    let name = format!("{spec}-{pid}");
    let (hour, minute, second) = (10 + pid, seconds / 60, seconds % 60);
    let end = format!("2026-01-23T{hour}:{minute:02}:{second:02}.000Z");
    let record = json!({
        "schema": 1, "process_id": name, "spec_id": spec, "pid": 1, "status": status,
        "mode": mode, "generation": 1, "started_at": format!("2026-01-23T{hour}:00:00.000Z"),
        "updated_at": end, "completed_at": end,
    });
    let path = crate::state_part(&place.path(""), &format!("processes/main/_/{name}.json"));
    fs::write(path, record.to_string()).unwrap();
}

#[test]
fn the_network_holds_all_items_and_what_is_only_named() {
    let place = Place::new();
    let yaml = "depends_on: [\"vine:plan.vine#build\", nowhere]\npriority: high\nassignee: ada\n";
    place.spec(SPEC, yaml);
    place.write(
        "plan.vine",
        "vine 1.2.0\n---\n[root] Root (notstarted)\n-> build\n---\n[build] Build (reviewing)\n",
    );
    place.write(
        "docs/CRs/DEM-002.md",
        "---\ncode: DEM-002\nstatus: Implemented\npriority: Low\n---\n\n# Two\n",
    );
    let layout = check_as_listed(&place);
    assert_eq!(
        keys(&layout),
        [
            "chant:2026-01-22-001-x7m",
            "vine:plan.vine#root",
            "vine:plan.vine#build",
            "tickets:DEM-002",
            "chant:nowhere"
        ]
    );
    for (name, expected) in [
        (
            "dialect",
            json!(["chant", "vine", "vine", "tickets", "chant"]),
        ),
        (
            "title",
            json!([format!("Spec {SPEC}"), "Root", "Build", "Two", null]),
        ),
        (
            "status",
            json!([
                "blocked", "notstarted", "reviewing", "Implemented", "not in this workspace"
            ]),
        ),
        (
            "kind",
            json!(["code", "task", "task", "Feature Enhancement", null]),
        ),
        ("ready", json!([false, true, false, false, false])),
        ("priority", json!(["high", null, null, "Low", null])),
        ("assignee", json!(["ada", null, null, null, null])),
        ("weight", json!([1.0, 1.0, 1.0, 1.0, 0.0])),
        ("duration", json!([null, null, null, null, null])),
    ] {
        assert_eq!(json!(column(&layout, name)), expected, "{name}");
    }
    let path = column(&layout, "path");
    assert_eq!(path[0], json!(format!(".chant/specs/{SPEC}.md")));
    assert_eq!(path[4], Value::Null);
    let free = layout.network.frontier();
    let free: Vec<&str> = free.into_iter().map(|at| layout.network.key(at)).collect();
    // A task under review holds up who needs it from outside, but no one in its own file; what is only
    // named is no one's work.
    assert_eq!(free, ["vine:plan.vine#root", "vine:plan.vine#build"]);
}

#[test]
fn durations_are_those_of_runs_that_completed_their_specs() {
    let place = Place::new();
    place.spec(SPEC, "status: completed\n");
    place.spec("2026-01-22-002-k3f", "status: completed\n");
    let learned = AnalyticsGraph::of(&place.workspace)
        .unwrap()
        .learned
        .duration;
    assert_eq!(
        (learned.runs, learned.median, learned.spread),
        (0, None, None)
    );
    run(&place, 1, SPEC, ("completed", "single"), 60);
    run(&place, 2, SPEC, ("completed", "single"), 120);
    run(&place, 1, "2026-01-22-002-k3f", ("failed", "single"), 30);
    run(&place, 2, "2026-01-22-002-k3f", ("completed", "chain"), 900);
    run(&place, 1, "gone", ("completed", "single"), 60);
    // What lies in the project teaches nothing.
    let forged = json!({"schema": 1, "process_id": "gone-9", "spec_id": "gone", "pid": 1, "status": "completed",
        "mode": "single", "generation": 1, "started_at": "2026-01-23T10:00:00.000Z",
        "updated_at": "", "completed_at": "2026-01-24T10:00:00.000Z"});
    place.write(".chant/processes/gone-9.json", &forged.to_string());
    let broken = crate::state_part(&place.path(""), "processes/main/_/broken.json");
    fs::write(broken, "{").unwrap();
    let layout = AnalyticsGraph::of(&place.workspace).unwrap();
    assert_eq!(column(&layout, "duration"), [json!(90.0), Value::Null]);
    assert_eq!(
        (layout.learned.duration.runs, layout.learned.duration.median),
        (3, Some(60.0))
    );
    assert_eq!(layout.learned.duration.ratios, [1.0, 2.0, 1.0]);
    let expected = std::f64::consts::LN_2 / 3_f64.sqrt();
    assert!((layout.learned.duration.spread.unwrap() - expected).abs() < 1e-12);
    fs::remove_dir_all(crate::state_part(&place.path(""), "processes/main/_")).unwrap();
    assert_eq!(
        AnalyticsGraph::of(&place.workspace)
            .unwrap()
            .learned
            .duration
            .runs,
        0
    );
}

#[test]
fn attempts_count_with_the_run_that_completed_their_spec() {
    let place = Place::new();
    for spec in ["tried", "given-up", "waiting"] {
        place.spec(spec, "");
    }
    run(&place, 1, "tried", ("failed", "single"), 600);
    run(&place, 2, "tried", ("failed", "single"), 300);
    run(&place, 3, "tried", ("completed", "single"), 60);
    run(&place, 4, "tried", ("completed", "single"), 70);
    let learned = || AnalyticsGraph::of(&place.workspace).unwrap().learned;
    let duration = learned().duration;
    assert_eq!((duration.runs, duration.of("tried")), (2, Some(515.0)));
    run(&place, 1, "given-up", ("failed", "single"), 2000);
    let record = crate::state_part(&place.path(""), "processes/main/_/given-up-1.json");
    let text = fs::read_to_string(&record).unwrap();
    let cancelled = text.replacen('{', "{\"end_state\": \"cancelled\",", 1);
    fs::write(record, cancelled).unwrap();
    assert_eq!(learned().duration.median, Some(515.0));
    run(&place, 1, "waiting", ("failed", "single"), 700);
    run(&place, 2, "waiting", ("failed", "single"), 100);
    let duration = learned().duration;
    assert_eq!((duration.runs, duration.median), (2, Some(960.0)));
    assert_eq!(duration.ratios.len(), 3);
}

#[test]
fn work_is_expected_to_take_as_long_as_work_of_its_label() {
    let place = Place::new();
    for number in 0..8 {
        let (label, seconds) = [("docs", 60), ("engine", 2400)][number % 2];
        let spec = format!("done-{number}");
        place.spec(&spec, &format!("status: completed\nlabels: [{label}]\n"));
        run(&place, 1, &spec, ("completed", "single"), seconds);
    }
    for label in ["docs", "engine", "other"] {
        place.spec(&format!("open-{label}"), &format!("labels: [{label}]\n"));
    }
    let layout = AnalyticsGraph::of(&place.workspace).unwrap();
    let ItemColumn::Numbers(expected) = layout.column("expected").unwrap() else {
        panic!("seconds are numbers");
    };
    let of = |label: &str| {
        let item = layout.network.item(&format!("chant:open-{label}")).unwrap();
        expected[item as usize].unwrap()
    };
    assert!(of("docs") < 800.0 && of("engine") > 1800.0);
    assert!((of("other") - 1230.0).abs() < 1e-6, "{}", of("other"));
    let done = layout.network.item("chant:done-0").unwrap();
    assert_eq!(expected[done as usize], Some(60.0));
}

/// Puts one document of several formats into another state: what it says, what it waits for, whether and where it is.
fn change(place: &Place, (what, one, other): (u8, u32, u32)) {
    let id = |number: u32| format!("2026-01-22-00{number}-x7m");
    let path = format!(".chant/specs/{}.md", id(one));
    let spec = |yaml: &str| place.spec(&id(one), yaml);
    match what {
        0 => spec(&format!("status: pending\ndepends_on: [{}]\n", id(other))),
        1 => spec("status: completed\n"),
        2 => fs::remove_file(place.path(&path)).unwrap_or_default(),
        3 => spec(&format!("status: cancelled\nlabels: [words{other}]\n")),
        4 => spec(&format!(
            "depends_on: [\"vine:plan.vine#t{other}\", nowhere{other}]\n"
        )),
        5 => place.ticket(
            one + 1,
            &format!("status: Proposed\ndependsOn: DEM-00{}\n", other + 1),
        ),
        6 => place.ticket(one + 1, "status: Implemented\n"),
        7 => {
            let task = |number: u32| {
                let status =
                    ["notstarted", "reviewing", "complete"][((number + other) % 3) as usize];
                let last = (number + 1 - one % 2) % 4;
                format!("---\n[t{number}] Task ({status})\n-> t{last}\n").replace("-> t0\n", "")
            };
            let tasks: String = (0..4).map(|number| task((number + one) % 4)).collect();
            place.write("plan.vine", &format!("vine 1.2.0\n{tasks}"));
        }
        _ => {
            let task = |number: u32| {
                format!(
                    "- [{}] T00{number} Do it\n",
                    [' ', 'x'][(other % 2) as usize]
                )
            };
            let tasks: String = (0..4).map(|number| task((number + one) % 4)).collect();
            place.write("specs/001-login/tasks.md", &format!("# Tasks\n\n{tasks}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A layout that is renewed where little changed is the one that is made of everything.
    #[test]
    fn a_graph_after_changes_is_that_of_a_first_look(
        steps in proptest::collection::vec((0_u8..9, 0_u32..4, 0_u32..4), 1..12),
    ) {
        let place = Place::new();
        for step in steps {
            change(&place, step);
            let laid = |workspace: &Workspace| {
                let layout = AnalyticsGraph::of(workspace).unwrap();
                let network = &layout.network;
                let items = network.items().map(|at| (network.key(at).to_owned(), network.progress(at)));
                let edges: Vec<(u32, u32)> = network.edges().collect();
                (items.collect::<Vec<_>>(), edges, column(&layout, "status"))
            };
            let (anew, _) = opened(place.workspace.root());
            prop_assert_eq!(laid(&place.workspace), laid(&anew), "{:?}", step);
        }
    }
}
