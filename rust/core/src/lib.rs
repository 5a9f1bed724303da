//! The domain of `chant_mcp`: plain-text work files read, edited and scheduled.
//!
//! Engines: [`text`] (documents as text), [`store`] (files on disk), [`graph`] (what waits for what),
//! [`git`], [`lint`], [`work`] (runs of agents), [`provider`] (an agent over HTTP), [`trust`] (what a
//! folder asks for, and whether a person said yes), [`agent_events`] (what agents tell of themselves), with
//! [`config`], [`environment`], [`ident`], [`money`], [`next_step`] (hints, worded for each door) and [`answer`] beside them. On top of them [`dialects`], each a kind of work files, and
//! above these [`workspace`], which alone knows them all. `ARCHITECTURE.md` says what each must not
//! know; `tests/it/layers.rs` checks it.
//!
//! Nothing here knows Python or MCP, prints, reads the environment, or asks where it is: roots, the
//! time and variables come in as arguments. Every failure is an [`error::Error`].

pub mod agent_events;
pub mod answer;
pub mod config;
pub mod confine;
pub mod counted;
pub mod dialects;
pub mod environment;
pub mod error;
pub mod external_items;
pub mod git;
pub mod graph;
pub mod ident;
pub mod lint;
pub mod missing_folders;
pub mod money;
pub mod next_step;
pub mod provider;
pub mod recent;
pub mod state_place;
pub mod store;
pub mod text;
pub mod trust;
pub mod work;
pub mod workspace;
