//! Which of several ready specs comes next, by the files that they are expected to touch.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use chant_config::dispatch::DispatchOrder;
use chant_spec_runs::expected_files::ExpectedFiles;
use chant_spec_runs::schedule::{AttemptCount, SpecSchedule};
use chant_spec_runs::start::{StartTarget, WorkMode};
use chant_specs::id::SpecId;
use chant_specs::specs::SpecGraph;
use proptest::prelude::*;

use crate::chant_specs::specs;

fn id(text: &str) -> SpecId {
    text.parse().unwrap()
}

fn schedule(first: &str, workers: usize, dispatch: DispatchOrder) -> SpecSchedule {
    let workers = NonZeroUsize::new(workers).unwrap();
    let work = StartTarget::Spec(id(first));
    SpecSchedule::of(&work, WorkMode::Parallel(workers), workers, dispatch)
}

/// A commit named `a-b` touched the files `a` and `b`, and its spec's own.
fn paths(commit: &str) -> Vec<String> {
    let own = ".chant/specs/x.md".to_owned();
    commit.split('-').map(str::to_owned).chain([own]).collect()
}

fn learned(specs: &SpecGraph) -> ExpectedFiles {
    let mut files = ExpectedFiles::default();
    files.look(specs, &paths);
    files
}

/// What is started beside `a`, which was asked for.
#[track_caller]
fn check(lines: &str, dispatch: DispatchOrder, started: &str) {
    let specs = specs(lines);
    let (schedule, files) = (schedule("a", 3, dispatch), learned(&specs));
    let mut running = Vec::new();
    let tried = BTreeMap::from([(id("a"), AttemptCount::default())]);
    while let Some(next) = schedule.next(&specs, &running, &tried, &files) {
        running.push(next);
    }
    let names: Vec<&str> = running.iter().map(SpecId::as_str).collect();
    assert_eq!(names.join(" "), started, "{dispatch:?}");
}

#[test]
fn what_shares_least_with_what_runs_is_preferred_and_held_back_by_spare_alone() {
    let lines = "a pending target_files:x,y,z\nb pending target_files:x,y,z\nc pending target_files:x\nd pending target_files:w";
    check(lines, DispatchOrder::Fifo, "a b c");
    check(lines, DispatchOrder::Prefer, "a d c");
    check(lines, DispatchOrder::Spare, "a d c");
    let lines =
        "a pending target_files:x,y,z\nb pending target_files:x,y,z\nc pending target_files:./x,y";
    check(lines, DispatchOrder::Prefer, "a c b");
    check(lines, DispatchOrder::Spare, "a c");
}

#[test]
fn the_critical_path_comes_before_shared_files() {
    let lines = "a pending target_files:x\nb pending target_files:x\nc pending [b]\nd pending";
    check(lines, DispatchOrder::Prefer, "a b d");
}

#[test]
fn files_are_learned_from_labels_and_from_dependencies() {
    let done = "A completed labels:io commits:x-y\nB completed labels:io commits:x\nC completed labels:io commits:x\nD completed commits:x\n";
    let lines = format!("{done}a pending target_files:x\nb pending labels:io\nc pending");
    check(&lines, DispatchOrder::Prefer, "a c b");
    let lines = format!("{done}a pending target_files:x\nb pending [D]\nc pending");
    check(&lines, DispatchOrder::Prefer, "a c b");
    // Two specs are too few to say something of their label.
    let lines = "A completed labels:io commits:x\nB completed labels:io commits:x\na pending target_files:x\nb pending labels:io\nc pending";
    check(lines, DispatchOrder::Prefer, "a b c");
}

#[test]
fn pairs_that_share_a_file_are_foreseen_to_conflict() {
    let lines = "A completed labels:io commits:x\nB completed labels:io commits:x\nC completed labels:io commits:y\na pending target_files:x,y\nb pending target_files:y\nc pending labels:io\nd pending";
    let specs = specs(lines);
    let files = learned(&specs);
    let others = [id("b"), id("c"), id("d"), id("gone")];
    assert_eq!(files.foreseen(&specs, &id("a"), &others), 2);
    assert_eq!(files.foreseen(&specs, &id("b"), &others[1..]), 0);
}

#[test]
fn nothing_is_read_again_while_specs_stay_as_they_are() {
    let specs = specs("A completed commits:x\nB completed commits:x\na pending");
    let reads = std::cell::RefCell::new(Vec::new());
    let note = |commit: &str| {
        reads.borrow_mut().push(commit.to_owned());
        paths(commit)
    };
    let mut files = ExpectedFiles::default();
    files.look(&specs, &note);
    files.look(&specs, &note);
    let later =
        crate::chant_specs::specs("A completed commits:x\nB completed commits:y\na pending");
    files.look(&later, &note);
    assert_eq!(*reads.borrow(), ["x", "y"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Each spec is started once, never more run than may, and none but `spare` leaves room unused.
    #[test]
    fn every_order_starts_each_spec_once_and_only_spare_waits(
        targets in prop::collection::vec(prop::collection::vec(0_u8..6, 0..5), 1..14),
        chains in prop::collection::vec(any::<prop::sample::Index>(), 14),
        ends in prop::collection::vec(any::<prop::sample::Index>(), 14),
        workers in 1_usize..5,
        order in prop::sample::select(vec![DispatchOrder::Fifo, DispatchOrder::Prefer, DispatchOrder::Spare]),
    ) {
        let name = |at: usize| format!("s{at:02}");
        let line = |at: usize, status: &str| {
            let files: Vec<String> = targets[at].iter().map(|file| format!("f{file}")).collect();
            // A third waits for an earlier one.
            let waits = if at % 3 == 2 { format!(" [{}]", name(chains[at].index(at))) } else { String::new() };
            format!("{} {status}{waits} target_files:{}", name(at), files.join(","))
        };
        let mut states = vec!["pending"; targets.len()];
        let schedule = schedule(&name(0), workers, order);
        let mut files = ExpectedFiles::default();
        let (mut running, mut tried) = (Vec::<SpecId>::new(), BTreeMap::new());
        let mut started = 0;
        loop {
            let lines: Vec<String> = (0..states.len()).map(|at| line(at, states[at])).collect();
            let specs = specs(&lines.join("\n"));
            files.look(&specs, &paths);
            if let Some(next) = schedule.next(&specs, &running, &tried, &files) {
                let at: usize = next.as_str()[1..].parse().unwrap();
                prop_assert_eq!(states[at], "pending");
                prop_assert!(running.len() < workers);
                tried.insert(next.clone(), AttemptCount { times: 1, retries: 0 });
                states[at] = "in_progress";
                running.push(next);
                started += 1;
                continue;
            }
            let has_room = running.len() < workers && !specs.overview().ready.is_empty();
            prop_assert!(!has_room || (order == DispatchOrder::Spare && !running.is_empty()));
            if running.is_empty() {
                break;
            }
            let ended = running.remove(ends[started % ends.len()].index(running.len()));
            states[ended.as_str()[1..].parse::<usize>().unwrap()] = "completed";
        }
        prop_assert_eq!(started, states.len());
    }
}
