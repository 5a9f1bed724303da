//! Changes and their tasks as `OpenSpec` keeps them below `openspec/`: read and edited where they lie.
//!
//! The format's own program merges deltas into main specs and moves finished changes; nothing here does.

mod change_file;
mod check;
mod delta;
mod edit;
mod format;
mod join;
mod order;
mod preview;
mod read;
mod task_list;

pub use format::OpenSpec;
pub use preview::{ArchiveStep, archive_steps};
