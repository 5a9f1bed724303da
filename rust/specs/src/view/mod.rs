//! The shapes of answers, key by key in the order in which the seed lists them.

pub mod import;
pub mod list;
pub mod report;
pub mod spec;
pub mod status;
