//! Work orders of specs and tasks.

use chant_plan_format::order::{OrderRefusal, PlanOrder, order_of, whole_document};
use chant_plan_format::snapshot::PlanSnapshot;

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
