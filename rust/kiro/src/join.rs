//! States of specs and tasks.

use std::borrow::Cow;
use std::sync::Arc;

use chant_plan_format::join::{JoinInput, OwnState, PartsRule, join_by_name, state_of_marks};
use chant_plan_format::snapshot::{PersonAct, PlanMeaning, PlanSnapshot};
use chant_plan_format::unit::{PlanItem, PlanUnit};

use super::format::SCOPE;
use super::read::NOT_APPROVED;

fn state_of(unit: &PlanUnit, item: &PlanItem) -> OwnState {
    let state = state_of_marks(unit, item);
    if item.is_group {
        // A spec is done with its required leaves, whatever the boxes of their holders say.
        return OwnState {
            word: Cow::Borrowed("not_started"),
            needs: PartsRule::Leaves,
            ..state
        };
    }
    state
}

pub(super) fn join(input: &JoinInput<'_>) -> PlanSnapshot {
    let mut snapshot = join_by_name(&SCOPE, input, &state_of);
    let (mut unit_at, mut spec) = (usize::MAX, 0);
    for at in 0..snapshot.nodes.len() {
        let node = &snapshot.nodes[at];
        if node.unit != unit_at {
            (unit_at, spec) = (node.unit, at);
        }
        let is_group = snapshot.item(node).is_group;
        let is_unapproved = &*snapshot.item(&snapshot.nodes[spec]).mark == NOT_APPROVED;
        let is_begun = is_group
            && node.parts.iter().any(|part| {
                let part = &snapshot.nodes[*part];
                part.is_done || part.meaning == PlanMeaning::BeingWorkedOn
            });
        // With the last part of a holder without details nothing is left to do.
        let is_mere_holder =
            !is_group && !node.parts.is_empty() && !snapshot.item(node).has_details;
        let node = &mut Arc::make_mut(&mut snapshot.nodes)[at];
        if is_group && (node.is_done || is_begun) {
            node.status = if node.is_done {
                "completed"
            } else {
                "in_progress"
            }
            .into();
        }
        if node.is_ready && is_mere_holder {
            node.is_ready = false;
            node.meaning = PlanMeaning::Waits;
        }
        if node.is_ready && is_unapproved {
            node.is_ready = false;
            node.meaning = PlanMeaning::WaitsForYou(PersonAct::Approve);
        }
    }
    snapshot
}
