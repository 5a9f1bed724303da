//! Change-request tickets: `docs/CRs/CODE-NNN-*.md` (seed tickets, reference tickets).
//!
//! It knows no other format, no run of an agent, no Python and no MCP.

pub mod advice;
pub mod attributes;
pub mod code;
pub mod criteria;
pub mod edit;
pub mod error;
pub mod listing;
pub mod model;
pub mod number;
pub mod older_header;
pub mod ops;
pub mod parse;
pub mod picture;
pub mod project_registry;
pub mod projects;
mod renumber;
pub mod sections;
mod shared_numbers;
pub mod slug;
pub mod templates;
mod ticket_change;
pub mod ticket_graph;
pub mod ticket_index;
pub mod ticket_store;
pub mod view;
pub mod worked_on;
pub mod workflow;
