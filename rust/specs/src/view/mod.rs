//! The shapes of answers, key by key in the order in which the seed lists them.

pub mod held_specs;
pub mod import;
pub mod list;
pub mod report;
pub mod spec;
pub mod status;
pub mod text_by_others;
pub mod work_load;
