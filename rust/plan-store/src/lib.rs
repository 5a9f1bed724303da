//! The documents of every plan format below a project's root: found, read where they changed, and edited.
//!
//! A format only answers questions ([`chant_plan_format::PlanFormat`]); all files are opened here. No format is named.

mod folder_scan;
mod staged_plan;
mod store;
mod unit_walk;

pub use staged_plan::{AppliedEdit, EditTarget, PlanEditError, StagedPlan};
pub use store::{PlanRoot, PlanStore, is_marked};
