//! Tasks as Backlog.md keeps them, one file each: read and edited where they lie.
//!
//! Commands that the format can name (`onStatusChange`) are never run here.

mod add;
mod check;
mod config;
mod edit;
mod format;
mod front_matter;
mod join;
mod marks;
mod order;
mod program_locks;
mod read;
mod task_ids;

pub use format::BacklogTasks;
