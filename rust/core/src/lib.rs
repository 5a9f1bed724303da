//! The domain of `chant_mcp`.
pub mod answer;
pub mod config;
pub mod dialects;
pub mod error;
pub mod git;
pub mod graph;
pub mod ident;
pub mod lint;
pub mod store;
pub mod text;
pub mod work;
