//! Specs and their tasks as Kiro and cc-sdd keep them below `.kiro/specs/`: read and edited where they lie.

mod add;
mod check;
mod edit;
mod fields;
mod format;
mod join;
mod order;
mod read;
mod requirements;
mod spec_file;
mod task_list;
mod waves;

pub use format::KiroSpecs;
