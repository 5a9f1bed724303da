//! Reviews of work: comments as events that never change, threads as a function of them, and the places where they
//! stand in later commits.
//!
//! It knows no runs and no formats. Who wrote an event is said by the caller's door; what a remote brought is kept
//! apart and closes nothing.

pub mod anchor;
pub mod draft;
pub mod error;
pub mod event;
pub mod event_refs;
pub mod exchange;
pub mod hunk;
pub mod journal;
pub mod line_maps;
pub mod look;
pub mod placing;
pub mod prompt_text;
mod spec_file;
pub mod spec_placing;
pub mod store;
pub mod thread;
