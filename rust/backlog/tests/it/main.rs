//! Tasks, drafts and completed tasks, read and edited.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

#[path = "../../../plan-format/tests/shared/damaged.rs"]
mod damaged;
mod edits;
mod laws;
mod odd_inputs;
mod support;
mod tasks;
