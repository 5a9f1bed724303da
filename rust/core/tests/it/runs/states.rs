//! Which changes of a run are legal.

use chant_core::work::state::{Event, State, Stop, change};

const STATES: [State; 10] = [
    State::Running,
    State::Completed,
    State::AwaitingMerge,
    State::AwaitingApproval,
    State::NeedsAttention,
    State::Failed,
    State::Paused,
    State::TakenOver,
    State::Cancelled,
    State::Lost,
];

const EVENTS: [Event; 11] = [
    Event::Start,
    Event::Merge,
    Event::Wait,
    Event::AskApproval,
    Event::Doubt,
    Event::Fail,
    Event::Stop(Stop::Pause),
    Event::Stop(Stop::TakeOver),
    Event::Stop(Stop::Cancel),
    Event::Stop(Stop::Reset),
    Event::FindDead,
];

/// The states that an event may happen in.
fn from(event: Event) -> Vec<&'static str> {
    let legal = STATES.iter().filter(|state| change(**state, event).is_ok());
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
            let Ok(to) = change(state, event) else {
                continue;
            };
            assert_eq!(
                to == State::Running,
                event == Event::Start,
                "{state} {event}"
            );
            assert!(!state.is_closed(), "{state} {event}");
            assert_ne!(to, state, "{event}");
        }
    }
}

#[test]
fn a_refusal_names_the_state_and_the_event() {
    let error = change(State::Paused, Event::Fail).unwrap_err();
    assert_eq!(
        error.to_string(),
        "A run that is paused cannot be failed; nothing was changed"
    );
}
