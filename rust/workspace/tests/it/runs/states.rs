//! Which changes of a run are legal.

use chant_work::state::{RunEvent, RunState, StopReason, next_state};

const STATES: [RunState; 10] = [
    RunState::Running,
    RunState::Completed,
    RunState::AwaitingMerge,
    RunState::AwaitingApproval,
    RunState::NeedsAttention,
    RunState::Failed,
    RunState::Paused,
    RunState::TakenOver,
    RunState::Cancelled,
    RunState::Lost,
];

const EVENTS: [RunEvent; 11] = [
    RunEvent::Start,
    RunEvent::Merge,
    RunEvent::Wait,
    RunEvent::AskApproval,
    RunEvent::Doubt,
    RunEvent::Fail,
    RunEvent::Stop(StopReason::Pause),
    RunEvent::Stop(StopReason::TakeOver),
    RunEvent::Stop(StopReason::Cancel),
    RunEvent::Stop(StopReason::Reset),
    RunEvent::FindDead,
];

/// The states that an event may happen in.
fn from(event: RunEvent) -> Vec<&'static str> {
    let legal = STATES
        .iter()
        .filter(|state| next_state(**state, event).is_ok());
    legal.map(|state| state.as_str()).collect()
}

#[test]
fn each_event_happens_in_its_states_only() {
    let table: Vec<String> = EVENTS
        .iter()
        .map(|event| format!("{event}: {}", from(*event).join(", ")))
        .collect();
    insta::assert_snapshot!(table.join("\n"), @"
    started again: needs_attention, failed, paused, taken_over, lost
    merged: running, awaiting_merge, awaiting_approval, lost
    kept for a later merge: running, awaiting_approval, lost
    kept for approval: running, lost
    put up for attention: running, awaiting_merge, awaiting_approval, lost
    failed: running, lost
    paused: running
    taken over: running
    cancelled: running, awaiting_merge, awaiting_approval
    reset: running, awaiting_merge, awaiting_approval
    found dead: running
    ");
}

#[test]
fn only_a_start_leads_back_and_nothing_leaves_a_closed_run() {
    for state in STATES {
        for event in EVENTS {
            let Ok(to) = next_state(state, event) else {
                continue;
            };
            assert_eq!(
                to == RunState::Running,
                event == RunEvent::Start,
                "{state} {event}"
            );
            assert!(!state.is_closed(), "{state} {event}");
            assert_ne!(to, state, "{event}");
        }
    }
}

#[test]
fn a_refusal_names_the_state_and_the_event() {
    let error = next_state(RunState::Paused, RunEvent::Fail).unwrap_err();
    assert_eq!(
        error.to_string(),
        "A run that is paused cannot be failed; nothing was changed"
    );
}
