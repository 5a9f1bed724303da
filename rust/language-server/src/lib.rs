//! Answers editors about plans: findings, completion, hover and the like, for texts that nobody saved yet, too.
//!
//! A server has a reader, a writer, an opener of projects and what performs acts as arguments: it knows no environment.
//! What an editor holds is read in place of files by handles of its own, which write nothing; nobody else sees it.

mod actions;
mod acts;
mod capabilities;
mod completion;
mod disk_side;
mod document_items;
mod drafts;
mod files;
mod findings;
mod frames;
mod hints;
mod hover;
mod incoming;
mod key_words;
mod markdown_text;
mod navigation;
mod new_specs;
mod positions;
mod projects;
mod pulled;
mod references;
mod rename;
mod requests;
mod server;
mod symbols;

pub use acts::{ActOutcome, ActPerformer, ActRefusal, ActRequest};
pub use disk_side::SpecMerger;
pub use frames::FrameError;
pub use projects::ProjectOpener;
pub use server::{ServerOptions, serve};
