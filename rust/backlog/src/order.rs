//! Work orders of tasks.

use chant_plan_format::order::{OrderPart, OrderRefusal, PlanOrder, order_of, order_part};
use chant_plan_format::snapshot::PlanSnapshot;

use super::front_matter::attribute;
use super::marks::KNOWN;

/// The headings whose texts a run is given.
const ENCLOSED: [&str; 2] = ["Description", "Implementation Plan"];

/// Keys whose values are names of documents.
const NAMED: [&str; 2] = ["references", "documentation"];

/// The order of the interface, with description and plan in place of the whole file, and references by their names.
/// Parts of a task are tasks of their own.
pub(super) fn order(snapshot: &PlanSnapshot, at: usize) -> Result<PlanOrder, OrderRefusal> {
    let mut order = order_of(snapshot, at)?;
    let node = &snapshot.nodes[at];
    let (unit, item) = (snapshot.unit(node), snapshot.item(node));
    let document = &unit.source.documents[0];
    order
        .criteria
        .retain(|criterion| criterion.item == item.name);
    order.own_paths.retain(|path| *path == document.path);
    order.parts.clear();
    for section in unit.sections.iter().filter(|section| section.level == 2) {
        let known = KNOWN.iter().find(|known| known.has_heading(&section.title));
        if known.is_some_and(|known| ENCLOSED.contains(&known.title)) {
            order
                .parts
                .push(order_part(document, section.content.clone()));
        }
    }
    for attribute in NAMED.iter().filter_map(|name| attribute(item, name)) {
        let line = document.line_at(attribute.span.start);
        order.parts.push(OrderPart {
            path: document.path.clone(),
            lines: (line, line),
            text: format!("{}: {}", attribute.name, attribute.values.join(", ")),
        });
    }
    Ok(order)
}
