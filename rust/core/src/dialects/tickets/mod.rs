//! Change-request tickets: `docs/CRs/CODE-NNN-*.md` (seed tickets, reference tickets).

pub mod advice;
pub mod all;
pub mod attributes;
pub mod board;
pub mod code;
pub mod desk;
pub mod edit;
pub mod error;
pub mod listing;
pub mod model;
pub mod number;
pub mod ops;
pub mod parse;
pub mod picture;
pub mod projects;
pub mod sections;
pub mod slug;
pub mod templates;
pub mod view;
pub mod waits;
pub mod worked_on;
pub mod workflow;
