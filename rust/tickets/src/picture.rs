//! The dependencies as a picture: an arrow leads from each ticket to what it waits for.

use super::model::TicketStatus;
use super::ticket_graph::TicketGraph;
use super::ticket_index::TicketIndex;
use chant_base::external_items::ExternalStatus;
use chant_graph::picture::{GraphPicture, PictureArrow, PictureFigure, StatusColor};
use chant_graph::{ItemProgress, Node};

/// The text in place of the title and the state of an item that is no ticket of the project.
const ELSEWHERE: &str = "no ticket of this project";

/// Which tickets are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureExtent {
    /// Those that wait for something, and what they wait for.
    Waiting,
    /// All, with what they waited for before it was done.
    All,
}

/// The tickets of a project as a picture, the lowest number first, then what they name elsewhere.
pub fn picture(tickets: &TicketIndex, extent: PictureExtent) -> GraphPicture<'_> {
    let waits = tickets.waits();
    let graph = waits.graph();
    let edges = edges(waits, extent);
    let mut is_drawn = vec![false; graph.len()];
    for (from, to) in &edges {
        is_drawn[from.index()] = true;
        is_drawn[to.index()] = true;
    }
    let (mut figures, mut places) = (Vec::new(), vec![0; graph.len()]);
    let own = tickets.firsts().filter_map(|(code, ticket)| {
        let node = graph.find(&code.to_string())?;
        Some((
            node,
            &*ticket.title,
            ticket.status(),
            tone(ticket.meant.status),
        ))
    });
    let absent =
        |node: &Node| graph.progress(*node) == ItemProgress::Absent || waits.is_outside(*node);
    let others = waits.nodes().into_iter().filter(absent);
    let others = others.map(|node| {
        let (name, state) = elsewhere(waits, graph.key(node));
        (node, name, state, StatusColor::Elsewhere)
    });
    for (node, name, state, tone) in own.chain(others) {
        let is_alone = extent == PictureExtent::All && tone != StatusColor::Elsewhere;
        if is_drawn[node.index()] || is_alone {
            places[node.index()] = figures.len();
            let key = graph.key(node);
            figures.push(PictureFigure {
                key,
                name,
                state,
                tone,
            });
        }
    }
    let arrow = |(from, to): (Node, Node)| PictureArrow {
        from: places[from.index()],
        to: places[to.index()],
        is_indirect: false,
    };
    GraphPicture {
        figures,
        arrows: edges.into_iter().map(arrow).collect(),
    }
}

/// The name and the state of an item that is no ticket of the project.
fn elsewhere<'a>(waits: &'a TicketGraph, key: &str) -> (&'a str, &'a str) {
    match waits.outside(key) {
        Some(ExternalStatus::Found { status, place, .. }) => (place, status),
        _ => (ELSEWHERE, ELSEWHERE),
    }
}

/// Returns the arrows: pairs of the waiting node and the one that it waits for.
fn edges(waits: &TicketGraph, extent: PictureExtent) -> Vec<(Node, Node)> {
    let graph = waits.graph();
    let is_open = |node| graph.progress(node) != ItemProgress::Done;
    let is_wanted = |from, to| extent == PictureExtent::All || (is_open(from) && is_open(to));
    let pairs = waits.nodes().into_iter().flat_map(|from| {
        let targets = graph.edges(from).iter().map(|edge| edge.to);
        targets.map(move |to| (from, to))
    });
    pairs.filter(|(from, to)| is_wanted(*from, *to)).collect()
}

fn tone(status: Option<TicketStatus>) -> StatusColor {
    match status {
        Some(TicketStatus::Implemented | TicketStatus::Rejected) => StatusColor::Done,
        Some(TicketStatus::InProgress | TicketStatus::PartiallyImplemented) => StatusColor::Active,
        Some(TicketStatus::Approved) => StatusColor::Open,
        Some(TicketStatus::Proposed) => StatusColor::Planned,
        Some(TicketStatus::OnHold) | None => StatusColor::Blocked,
    }
}
