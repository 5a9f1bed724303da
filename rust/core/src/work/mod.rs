//! Runs of agents: their records and their logs.

pub mod log;
pub mod process;
pub mod record;
