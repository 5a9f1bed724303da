//! Changes, tasks, deltas and main specs, read and edited.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod changes;
#[path = "../../../plan-format/tests/shared/damaged.rs"]
mod damaged;
mod edits;
mod findings;
mod laws;
mod odd_inputs;
mod orders;
#[path = "../../../plan-format/tests/shared/plans.rs"]
mod support;

const FORMAT: chant_openspec::OpenSpec = chant_openspec::OpenSpec;
const TASKS: &str = "openspec/changes/auth/tasks.md";
