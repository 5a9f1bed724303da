//! States of tasks by the project's own list of them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use chant_base::plural::counted;
use chant_plan_format::finding::PlanFinding;
use chant_plan_format::join::{JoinInput, OwnState, PartsRule, join_by_name};
use chant_plan_format::snapshot::{PersonAct, PlanMeaning, PlanSnapshot};
use chant_plan_format::unit::{PlanItem, PlanUnit};

use super::config::BacklogConfig;
use super::format::{ARCHIVED, COMPLETED, DRAFT, SCOPE, TASK, config_of};
use super::front_matter::attribute_place;

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
    let is_stranger = is_stranger(config, unit, item);
    OwnState {
        word: Cow::Owned(word),
        is_done: is_done && !is_stranger,
        is_begun: is_between && !is_done && unit.source.kind != DRAFT,
        needs: PartsRule::Nothing,
        is_left_out: unit.source.kind == ARCHIVED || is_stranger,
    }
}

/// Returns true for a file whose name begins with another prefix than the configured one: its program finds no ID.
fn is_stranger(config: &BacklogConfig, unit: &PlanUnit, item: &PlanItem) -> bool {
    let prefix = item.name.rsplit_once('-').map_or("", |(prefix, _)| prefix);
    [TASK, COMPLETED].contains(&unit.source.kind) && !prefix.eq_ignore_ascii_case(&config.prefix)
}

/// One problem for each folder with such files.
fn stranger_problems(config: &BacklogConfig, units: &[Arc<PlanUnit>]) -> Vec<PlanFinding> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for unit in units {
        let is_stranger = |item: &PlanItem| is_stranger(config, unit, item);
        if unit.items.iter().any(is_stranger) {
            let folder = unit
                .source
                .path
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder);
            *counts.entry(folder).or_default() += 1;
        }
    }
    let problem = |(folder, count): (&str, usize)| {
        let message = format!(
            "holds {} whose names do not begin with `{}-`; the format's own program does not read them",
            counted(count, "file"),
            config.prefix
        );
        PlanFinding::warning(folder, None, message)
    };
    counts.into_iter().map(problem).collect()
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
    let mut problems = stranger_problems(&config, input.units);
    for at in 0..snapshot.nodes.len() {
        let node = &snapshot.nodes[at];
        let kind = snapshot.unit(node).source.kind;
        let item = snapshot.item(node);
        let is_known = config.place_of(&item.mark).is_some();
        if kind != DRAFT && !is_known && !node.is_done {
            let path = &snapshot.unit(node).source.path;
            let place = attribute_place(snapshot.unit(node), item, "status", &item.mark);
            let words = config.statuses.join(", ");
            let message = match &*item.mark {
                "" => format!("has no status; it is one of: {words}"),
                mark => format!("has the status '{mark}', which is none of: {words}"),
            };
            problems.push(PlanFinding::warning(path, place, message));
        }
        let node = &mut Arc::make_mut(&mut snapshot.nodes)[at];
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
