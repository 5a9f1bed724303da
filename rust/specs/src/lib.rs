//! Chant specs: `.chant/specs/*.md` (seed chant, reference chant).
//!
//! It knows no runs: what it has to ask about them is [`run_lookup`]. It knows no other format, no Python and no MCP.

pub mod approval;
pub mod checks;
pub mod derive;
pub mod error;
pub mod from_run;
pub mod id;
pub mod import;
pub mod model;
pub mod ops;
pub mod others_text;
pub mod parse;
pub mod project;
pub mod rules;
pub mod run_id_text;
pub mod run_lookup;
pub mod scores;
pub mod specs;
pub mod view;
pub mod work_items;
