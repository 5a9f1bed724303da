//! The kinds of work files; each knows the engines, none knows another.

pub mod chant;
pub mod speckit;
pub mod tickets;
pub mod vine;
