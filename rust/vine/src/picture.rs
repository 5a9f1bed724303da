//! A plan as a picture: an arrow leads from each node to what it depends on, as in the file.

use std::collections::HashSet;

use super::frontier::GraphPlan;
use super::model::{TaskStatus, VineNode};
use chant_graph::picture::{GraphPicture, PictureArrow, PictureFigure, StatusColor};

/// The picture of a whole plan.
pub fn picture(plan: &GraphPlan) -> GraphPicture<'_> {
    let graph = &plan.graph;
    let mut arrows = Vec::new();
    for (from, node) in graph.nodes.iter().enumerate() {
        let mut drawn = HashSet::new();
        let places = node.dependencies.iter().filter_map(|id| graph.position(id));
        arrows.extend(
            places
                .filter(|to| drawn.insert(*to))
                .map(|to| PictureArrow {
                    from,
                    to,
                    is_indirect: false,
                }),
        );
    }
    let figures = graph.nodes.iter().map(|node| PictureFigure {
        key: &node.id,
        name: &node.name,
        state: node.standing(),
        tone: tone(node),
    });
    GraphPicture {
        figures: figures.collect(),
        arrows,
    }
}

fn tone(node: &VineNode) -> StatusColor {
    match node.status() {
        None => StatusColor::Elsewhere,
        Some(TaskStatus::Complete) => StatusColor::Done,
        Some(TaskStatus::Reviewing) => StatusColor::Reviewed,
        Some(TaskStatus::Started) => StatusColor::Active,
        Some(TaskStatus::Planning) => StatusColor::Planned,
        Some(TaskStatus::NotStarted) => StatusColor::Open,
        Some(TaskStatus::Blocked) => StatusColor::Blocked,
    }
}
