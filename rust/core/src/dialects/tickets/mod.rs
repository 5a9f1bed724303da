//! Change-request tickets: `docs/CRs/CODE-NNN-*.md` (seed tickets, reference tickets).

pub mod all;
pub mod attributes;
pub mod board;
pub mod code;
pub mod edit;
pub mod error;
pub mod model;
pub mod number;
pub mod ops;
pub mod parse;
pub mod sections;
pub mod slug;
pub mod view;
pub mod waits;
pub mod workflow;
