//! The shapes of answers, key by key in the order in which the seed lists them.

pub mod agents;
pub mod confine;
pub mod doctor;
pub mod import;
pub mod list;
pub mod receipt;
pub mod report;
pub mod spec;
pub mod split;
pub mod status;
pub mod work;
