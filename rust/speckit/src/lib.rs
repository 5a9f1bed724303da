//! Spec-kit features: `specs/NNN-name/` with spec, plan and tasks, and the control plane that agents
//! report to (seed speckit, reference rstn).
//!
//! It knows no other format, no Python and no MCP.

pub mod add;
pub mod complete;
pub mod config;
mod depends;
pub mod error;
pub mod events;
pub mod feature;
pub mod files;
mod heading;
mod heading_task;
mod line;
mod mentions;
pub mod open_questions;
pub mod ops;
pub mod parse;
mod paths;
pub mod plan;
pub mod questions;
pub mod reopen;
pub mod resolve;
mod section;
pub mod staged;
pub mod task;
pub mod unread;
pub mod view;
