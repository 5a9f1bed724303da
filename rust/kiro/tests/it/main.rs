//! Specs, their tasks and requirements, read and edited.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

#[path = "../../../plan-format/tests/shared/damaged.rs"]
mod damaged;
mod edits;
mod findings;
mod laws;
mod odd_inputs;
mod orders;
mod specs;
#[path = "../../../plan-format/tests/shared/plans.rs"]
mod support;

const FORMAT: chant_kiro::KiroSpecs = chant_kiro::KiroSpecs;
const TASKS: &str = ".kiro/specs/auth/tasks.md";
