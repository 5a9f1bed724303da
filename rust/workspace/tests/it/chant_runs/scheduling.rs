//! Which spec comes next in a chain and in parallel.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use chant_config::dispatch::DispatchOrder;
use chant_spec_runs::expected_files::ExpectedFiles;
use chant_spec_runs::schedule::{AttemptCount, SpecSchedule};
use chant_spec_runs::start::{StartTarget, WorkMode};
use chant_specs::id::SpecId;
use chant_specs::model::SpecStatus;

use crate::chant_specs::specs;

fn id(text: &str) -> SpecId {
    text.parse().unwrap()
}

fn ids(text: &str) -> Vec<SpecId> {
    text.split_whitespace().map(id).collect()
}

fn number(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap()
}

fn work(text: &str) -> StartTarget {
    match text.split_once(": ") {
        None => StartTarget::Spec(id(text)),
        Some((driver, members)) => StartTarget::Members {
            driver: id(driver),
            members: ids(members),
        },
    }
}

/// Plays a schedule: all that fit are started, then the one started first ends, as `ends` says of it, until
/// nothing is left. Gives what ran at once after each beginning.
fn played(
    lines: &str,
    wanted: &str,
    mode: WorkMode,
    ends: impl Fn(&str, u32) -> (SpecStatus, u32),
) -> String {
    let mut states: BTreeMap<String, String> = BTreeMap::new();
    for line in lines.lines() {
        let (name, rest) = line.split_once(' ').unwrap();
        states.insert(name.into(), rest.into());
    }
    let schedule = SpecSchedule::of(&work(wanted), mode, number(3), DispatchOrder::Fifo);
    let files = ExpectedFiles::default();
    let (mut running, mut tried, mut told) = (Vec::new(), BTreeMap::new(), Vec::new());
    for _ in 0..30 {
        let lines: Vec<String> = states
            .iter()
            .map(|(name, rest)| format!("{name} {rest}"))
            .collect();
        let specs = specs(&lines.join("\n"));
        if let Some(next) = schedule.next(&specs, &running, &tried, &files) {
            set(&mut states, &next, SpecStatus::InProgress);
            tried
                .entry(next.clone())
                .or_insert(AttemptCount::default())
                .times += 1;
            running.push(next);
            let names: Vec<&str> = running.iter().map(SpecId::as_str).collect();
            told.push(names.join("+"));
        } else if running.is_empty() {
            return told.join(" ");
        } else {
            let ended = running.remove(0);
            let (status, retries) = ends(ended.as_str(), tried[&ended].times);
            set(&mut states, &ended, status);
            tried.get_mut(&ended).unwrap().retries = retries;
        }
    }
    format!("{} and never ends", told.join(" "))
}

fn set(states: &mut BTreeMap<String, String>, id: &SpecId, status: SpecStatus) {
    let rest = &states[id.as_str()];
    let behind = rest.split_once(' ').map_or("", |(_, behind)| behind);
    states.insert(id.to_string(), format!("{status} {behind}"));
}

fn done(_: &str, _: u32) -> (SpecStatus, u32) {
    (SpecStatus::Completed, 0)
}

#[test]
fn one_spec_is_that_one_and_a_driver_its_members_in_order() {
    let lines = "a pending\nb pending\nD pending driver\nD.1 pending\nD.2 pending\nD.10 pending";
    assert_eq!(played(lines, "b", WorkMode::Single, done), "b");
    assert_eq!(
        played(lines, "D: D.1 D.2 D.10", WorkMode::Single, done),
        "D.1 D.2 D.10"
    );
    // What was asked for is started whatever its state, but once.
    let stopped = "b in_progress\na pending";
    assert_eq!(played(stopped, "b", WorkMode::Single, done), "b");
    let failing = |_: &str, _: u32| (SpecStatus::NeedsAttention, 3);
    assert_eq!(played(stopped, "b", WorkMode::Single, failing), "b");
}

#[test]
fn a_chain_goes_on_with_what_became_ready_and_begins_with_what_was_asked_for() {
    let lines = "a pending [c]\nb pending\nc pending\nd pending approval";
    assert_eq!(played(lines, "b", WorkMode::Chain, done), "b c a");
    let failing = |name: &str, _: u32| match name {
        "c" => (SpecStatus::Failed, 0),
        _ => (SpecStatus::Completed, 0),
    };
    assert_eq!(played(lines, "c", WorkMode::Chain, failing), "c b");
}

#[test]
fn what_most_waits_for_in_a_row_comes_first_then_the_order_of_ids() {
    let lines = "a pending\nb pending\nc pending [b]\nd pending [c]\ne pending\nf pending [e]";
    assert_eq!(played(lines, "a", WorkMode::Chain, done), "a b c e d f");
}

/// Weakness W11: a spec that fails was started again at once and for ever.
#[test]
fn a_failing_spec_is_tried_as_often_as_it_is_worth_and_after_the_others() {
    let lines = "a pending\nb pending\nc pending";
    let flaky = |name: &str, times: u32| match (name, times) {
        ("a", 3) => (SpecStatus::Completed, 2),
        ("a", _) => (SpecStatus::Failed, 2),
        _ => (SpecStatus::Completed, 0),
    };
    assert_eq!(played(lines, "a", WorkMode::Chain, flaky), "a a a b c");
    let lines = "0 pending\na pending\nb pending\nc pending";
    assert_eq!(played(lines, "0", WorkMode::Chain, flaky), "0 a b c a a");
    let hopeless = |name: &str, _: u32| match name {
        "a" => (SpecStatus::Failed, 1),
        _ => (SpecStatus::Completed, 0),
    };
    assert_eq!(played(lines, "0", WorkMode::Chain, hopeless), "0 a b c a");
}

#[test]
fn in_parallel_no_more_run_than_asked_for_and_than_configured() {
    let lines = "a pending\nb pending\nc pending [a]\nd pending\ne pending";
    let two = played(lines, "a", WorkMode::Parallel(number(2)), done);
    assert_eq!(two, "a a+b b+c c+d d+e");
    let nine = played(lines, "a", WorkMode::Parallel(number(9)), done);
    assert_eq!(nine, "a a+b a+b+d b+d+c d+c+e");
}

#[test]
fn specs_in_a_circle_are_never_begun() {
    let lines = "a pending [b]\nb pending [a]\nc pending\nd pending [a]";
    assert_eq!(played(lines, "c", WorkMode::Chain, done), "c");
}
