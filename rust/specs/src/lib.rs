//! Chant specs: `.chant/specs/*.md` (seed chant, reference chant).
//!
//! It knows no other format, no Python and no MCP.

pub mod agents;
pub mod approval;
pub mod derive;
pub mod error;
pub mod evidence;
pub mod from_run;
pub mod id;
pub mod import;
pub mod merge;
pub mod model;
pub mod ops;
pub mod output;
pub mod parse;
pub mod project;
pub mod prompt;
pub mod receipt;
pub mod rules;
#[cfg(unix)]
mod runtime;
pub mod schedule;
pub mod scores;
pub mod specs;
pub mod split;
pub mod start;
pub mod view;
