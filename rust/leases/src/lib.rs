//! Who works on what among the clones of a repository, decided by its remote.
//!
//! The remote alone says who holds a spec: by the refs below one folder of names, and by the target
//! branch. Every change of them is one atomic push, each ref only from the value that was looked at.
//! Clocks of machines are never compared: a holder without a sign of life only permits a try to take
//! over, and the push decides.
//!
//! Owns: the values of these refs, the rules by which they change, and how often a clone pushes. Must
//! not know: formats of specs and records of runs; it asks for both by the trait `RunLedger`.
//!
//! Refs of others may stop or delay work here. They never cause a landing, an execution or a removal.

pub mod answer;
mod batch;
mod claim;
pub mod client;
mod due_values;
mod error;
mod given_back;
pub mod known_remote;
pub mod landing_right;
mod leader;
mod lease_values;
mod machine;
mod numbers;
mod own_name;
pub mod probe;
mod proposals;
mod push_pace;
mod queue;
pub mod record;
pub mod ref_names;
mod sights;
pub mod train;
pub mod view;
mod wishes;

pub use error::LeaseError;
