//! States of tasks by the project's own list of them.

use std::borrow::Cow;

use chant_plan_format::finding::PlanProblem;
use chant_plan_format::join::{JoinInput, OwnState, PartsRule, join_by_name};
use chant_plan_format::snapshot::{PersonAct, PlanMeaning, PlanSnapshot};
use chant_plan_format::unit::{PlanItem, PlanUnit};

use super::config::BacklogConfig;
use super::format::{ARCHIVED, COMPLETED, DRAFT, SCOPE, config_of};

/// The word of a draft.
const DRAFT_WORD: &str = "Draft";

fn state_of(config: &BacklogConfig, unit: &PlanUnit, item: &PlanItem) -> OwnState {
    let place = config.place_of(&item.mark);
    let word = match place {
        _ if unit.source.kind == DRAFT => DRAFT_WORD.to_owned(),
        Some(place) => config.statuses[place].clone(),
        None => item.mark.to_string(),
    };
    let is_last = config.is_last(&item.mark);
    let is_done = unit.source.kind == COMPLETED || (is_last && unit.source.kind != DRAFT);
    let is_between = place.is_some_and(|place| place > 0) && !is_last;
    OwnState {
        word: Cow::Owned(word),
        is_done,
        is_begun: is_between && !is_done && unit.source.kind != DRAFT,
        needs: PartsRule::Nothing,
        is_left_out: unit.source.kind == ARCHIVED,
    }
}

pub(super) fn join(input: &JoinInput<'_>) -> PlanSnapshot {
    let config = config_of(input.settings);
    let mut snapshot = join_by_name(&SCOPE, input, &|unit, item| state_of(&config, unit, item));
    snapshot.statuses = config
        .statuses
        .iter()
        .map(|word| word.as_str().into())
        .collect();
    snapshot.statuses.push(DRAFT_WORD.into());
    let mut problems = Vec::new();
    for at in 0..snapshot.nodes.len() {
        let node = &snapshot.nodes[at];
        let kind = snapshot.unit(node).source.kind;
        let item = snapshot.item(node);
        let is_known = config.place_of(&item.mark).is_some();
        if kind != DRAFT && !is_known && !node.is_done {
            let path = &snapshot.unit(node).source.path;
            let words = config.statuses.join(", ");
            let message = match &*item.mark {
                "" => format!("has no status; it is one of: {words}"),
                mark => format!("has the status '{mark}', which is none of: {words}"),
            };
            problems.push(PlanProblem::warning(path, item.line, message));
        }
        let node = &mut snapshot.nodes[at];
        if kind == DRAFT {
            node.is_ready = false;
            node.meaning = PlanMeaning::WaitsForYou(PersonAct::Promote);
        } else if !is_known && !node.is_done {
            node.is_ready = false;
            node.meaning = PlanMeaning::Waits;
        }
    }
    snapshot.problems.extend(problems);
    snapshot
}
