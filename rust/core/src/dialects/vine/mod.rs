//! VINE task graphs: one text file, one graph of tasks that many agents share (seed vine).

pub mod error;
pub mod frontier;
pub mod model;
pub mod parse;
pub mod validate;
