//! Behaviour of the core, in one binary.
#![expect(clippy::disallowed_methods, reason = "tests lay out files themselves")]

mod files;
mod front_matter;
mod index;
mod journal;
