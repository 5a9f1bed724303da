//! What waits for what as a picture: an arrow leads from each ticket to what it waits for.

use super::all::Tickets;
use super::model::Status;
use super::waits::Waits;
use crate::graph::picture::{Arrow, Figure, Picture, Tone};
use crate::graph::{Node, Progress};
use crate::outside::Standing;

/// What stands for the title and the state of an item that is no ticket of the project.
const ELSEWHERE: &str = "no ticket of this project";

/// Which tickets are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Those that wait for something, and what they wait for.
    Waiting,
    /// All, with what they waited for before it was done.
    All,
}

/// The tickets of a project as a picture, the lowest number first, then what they name elsewhere.
pub fn picture(tickets: &Tickets, extent: Extent) -> Picture<'_> {
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
    let absent = |node: &Node| graph.progress(*node) == Progress::Absent || waits.is_outside(*node);
    let others = waits.nodes().into_iter().filter(absent);
    let others = others.map(|node| {
        let (name, state) = elsewhere(waits, graph.key(node));
        (node, name, state, Tone::Elsewhere)
    });
    for (node, name, state, tone) in own.chain(others) {
        let is_alone = extent == Extent::All && tone != Tone::Elsewhere;
        if is_drawn[node.index()] || is_alone {
            places[node.index()] = figures.len();
            let key = graph.key(node);
            figures.push(Figure {
                key,
                name,
                state,
                tone,
            });
        }
    }
    let arrow = |(from, to): (Node, Node)| Arrow {
        from: places[from.index()],
        to: places[to.index()],
        is_indirect: false,
    };
    Picture {
        figures,
        arrows: edges.into_iter().map(arrow).collect(),
    }
}

/// The name and the state of an item that is no ticket of the project.
fn elsewhere<'a>(waits: &'a Waits, key: &str) -> (&'a str, &'a str) {
    match waits.outside(key) {
        Some(Standing::Found { status, place, .. }) => (place, status),
        _ => (ELSEWHERE, ELSEWHERE),
    }
}

/// What leads from where to where.
fn edges(waits: &Waits, extent: Extent) -> Vec<(Node, Node)> {
    let graph = waits.graph();
    let is_open = |node| graph.progress(node) != Progress::Done;
    let is_wanted = |from, to| extent == Extent::All || (is_open(from) && is_open(to));
    let pairs = waits.nodes().into_iter().flat_map(|from| {
        let targets = graph.edges(from).iter().map(|edge| edge.to);
        targets.map(move |to| (from, to))
    });
    pairs.filter(|(from, to)| is_wanted(*from, *to)).collect()
}

fn tone(status: Option<Status>) -> Tone {
    match status {
        Some(Status::Implemented | Status::Rejected) => Tone::Done,
        Some(Status::InProgress | Status::PartiallyImplemented) => Tone::Active,
        Some(Status::Approved) => Tone::Open,
        Some(Status::Proposed) => Tone::Planned,
        Some(Status::OnHold) | None => Tone::Blocked,
    }
}
