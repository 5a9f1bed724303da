//! The questions that a plan format answers, and the data of its answers.
//!
//! All answers are pure: texts and data in, data out. The caller opens, locks, watches and writes files. No format
//! is named here, and no run.

pub mod box_edit;
pub mod checked_edit;
pub mod document;
mod edit_law;
pub mod finding;
pub mod format;
pub mod intent;
pub mod item_ids;
pub mod join;
pub mod order;
pub mod program_lock;
pub mod refusal;
pub mod scope;
pub mod section_edit;
pub mod section_lookup;
pub mod snapshot;
pub mod unit;

pub use format::{PlanFormat, UnitFilter};
