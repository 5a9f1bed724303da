//! VINE task graphs: one text file, one graph of tasks that many agents share (seed vine).
//!
//! It knows no other format, no run of an agent, no Python and no MCP.

pub mod apply;
mod by_id;
pub mod document;
mod draft;
pub mod error;
pub mod expand;
mod field;
pub mod files;
pub mod frontier;
pub mod graph_violation;
mod header;
pub mod model;
pub mod moves;
mod network;
pub mod operation;
pub mod ops;
pub mod parse;
pub mod picture;
pub mod source_span;
mod uri;
pub mod validate;
pub mod view;
mod violation_spans;
mod whitespace;
pub mod write;
