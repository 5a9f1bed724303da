//! The domain of `chant_mcp`.
pub mod store;
pub mod text;
