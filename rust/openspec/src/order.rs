//! Work orders of changes and tasks.

use chant_plan_format::order::{
    OrderRefusal, OrderStatement, PlanOrder, order_of, order_part, whole_document,
};
use chant_plan_format::snapshot::PlanSnapshot;
use chant_plan_format::unit::PlanUnit;

use super::format::TASKS;
use super::read::capability_of;
use super::task_list::task_lines;

/// The order of the interface, with the group of a task, the proposal and the deltas; for a change with the design.
pub(super) fn order(snapshot: &PlanSnapshot, at: usize) -> Result<PlanOrder, OrderRefusal> {
    let mut order = order_of(snapshot, at)?;
    let node = &snapshot.nodes[at];
    let (unit, item) = (snapshot.unit(node), snapshot.item(node));
    if !item.is_group {
        add_group(&mut order, unit, item.line);
    }
    for document in &unit.source.documents {
        let name = document.file_name();
        let is_delta = capability_of(&unit.source, document).is_some();
        if name == "proposal.md" || is_delta || (name == "design.md" && item.is_group) {
            order.parts.push(whole_document(document));
        }
        if name == "design.md" && !is_delta {
            order.own_paths.push(document.path.clone());
        }
    }
    let statement = |one: &chant_plan_format::unit::PlanStatement| OrderStatement {
        number: one.number.clone(),
        text: one.text.clone(),
    };
    order.statements = unit.statements.iter().map(statement).collect();
    Ok(order)
}

/// Puts the heading above a task before it.
fn add_group(order: &mut PlanOrder, unit: &PlanUnit, line: usize) {
    let Some(list) = unit.source.index_of(TASKS) else {
        return;
    };
    let document = &unit.source.documents[list];
    let lines = task_lines(document);
    let task = lines.tasks.iter().find(|task| task.line == line);
    if let Some(group) = task.and_then(|task| task.group) {
        let heading = order_part(document, lines.groups[group].title.clone());
        order.parts.insert(0, heading);
    }
}
