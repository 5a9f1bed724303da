//! The shapes of answers about runs, key by key in the order in which the seed lists them.

pub mod agents;
pub mod confine;
pub mod diagnosis;
pub mod doctor;
pub mod drift;
pub mod environment;
pub mod fence;
pub mod flaky;
pub mod leases;
pub mod receipt;
pub mod review;
pub mod split;
pub mod work;
