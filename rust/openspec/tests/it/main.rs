//! Changes, tasks, deltas and main specs, read and edited.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod changes;
mod edits;
mod findings;
mod laws;
mod odd_inputs;
mod orders;
mod support;
