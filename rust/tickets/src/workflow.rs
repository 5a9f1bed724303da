//! Which state may follow which (reference tickets 3.9 and 10).

use super::model::TicketStatus;

/// The states that may follow one; from a word that is none of ours any may.
pub fn allowed(from: &str) -> &'static [TicketStatus] {
    use TicketStatus::{
        Approved, Implemented, InProgress, OnHold, PartiallyImplemented, Proposed, Rejected,
    };
    match TicketStatus::read(from) {
        Some(Proposed) => &[Approved, Rejected],
        Some(Approved) => &[InProgress, Rejected],
        Some(InProgress) => &[Implemented, Approved, OnHold, PartiallyImplemented],
        Some(Implemented) => &[InProgress],
        Some(Rejected) => &[Proposed],
        Some(OnHold) => &[InProgress, Approved],
        Some(PartiallyImplemented) => &[Implemented, InProgress],
        None => TicketStatus::ALL,
    }
}

/// Returns true if a ticket may go from a state to another one, or stay in it.
pub fn may_follow(from: &str, to: TicketStatus) -> bool {
    TicketStatus::read(from) == Some(to) || allowed(from).contains(&to)
}
