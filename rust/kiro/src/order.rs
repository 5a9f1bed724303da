//! Work orders of specs and tasks.

use chant_plan_format::intent::{EditIntent, TickTarget};
use chant_plan_format::order::{OrderRefusal, PlanOrder, order_of, whole_document};
use chant_plan_format::snapshot::PlanSnapshot;
use chant_plan_format::unit::PlanUnit;

/// The order of the interface, with the design. The criteria that tasks name are its statements.
pub(super) fn order(snapshot: &PlanSnapshot, at: usize) -> Result<PlanOrder, OrderRefusal> {
    let mut order = order_of(snapshot, at)?;
    let unit = snapshot.unit(&snapshot.nodes[at]);
    for document in &unit.source.documents {
        if document.file_name() == "design.md" {
            order.parts.push(whole_document(document));
        }
        if ["design.md", "research.md"].contains(&document.file_name()) {
            order.own_paths.push(document.path.clone());
        }
    }
    Ok(order)
}

/// The ticks of tasks that only hold others, all of whose required parts are done with an item. A task that says more
/// than its title is work of its own.
pub(super) fn holders_done_with(unit: &PlanUnit, item: usize) -> Vec<(Box<str>, EditIntent)> {
    let mut done = Vec::new();
    let mut ticked = vec![item];
    let mut above = unit.items[item].parent;
    while let Some(at) = above {
        let holder = &unit.items[at];
        let is_open = |part: usize| {
            let part_item = &unit.items[part];
            !part_item.is_optional && !part_item.is_ticked && !ticked.contains(&part)
        };
        if holder.is_group || holder.has_details || unit.parts_of(at).any(is_open) {
            break;
        }
        if !holder.is_ticked {
            let which = TickTarget::Own;
            done.push((holder.name.clone(), EditIntent::Tick { which, on: true }));
        }
        ticked.push(at);
        above = holder.parent;
    }
    done
}
