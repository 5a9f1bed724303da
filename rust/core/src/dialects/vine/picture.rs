//! A plan as a picture: an arrow leads from each node to what it depends on, as in the file.

use std::collections::HashSet;

use super::frontier::Plan;
use super::model::{Node, Status};
use crate::graph::picture::{Arrow, Figure, Picture, Tone};

/// The picture of a whole plan.
pub fn picture(plan: &Plan) -> Picture<'_> {
    let graph = &plan.graph;
    let mut arrows = Vec::new();
    for (from, node) in graph.nodes.iter().enumerate() {
        let mut drawn = HashSet::new();
        let places = node.dependencies.iter().filter_map(|id| graph.position(id));
        arrows.extend(places.filter(|to| drawn.insert(*to)).map(|to| Arrow {
            from,
            to,
            is_indirect: false,
        }));
    }
    let figures = graph.nodes.iter().map(|node| Figure {
        key: &node.id,
        name: &node.name,
        state: node.standing(),
        tone: tone(node),
    });
    Picture {
        figures: figures.collect(),
        arrows,
    }
}

fn tone(node: &Node) -> Tone {
    match node.status() {
        None => Tone::Elsewhere,
        Some(Status::Complete) => Tone::Done,
        Some(Status::Reviewing) => Tone::Reviewed,
        Some(Status::Started) => Tone::Active,
        Some(Status::Planning) => Tone::Planned,
        Some(Status::NotStarted) => Tone::Open,
        Some(Status::Blocked) => Tone::Blocked,
    }
}
