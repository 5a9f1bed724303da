//! The answers of a model, whatever the protocol.

use serde_json::{Map, Value};

/// An answer of a model.
#[derive(Debug)]
pub(super) struct ModelReply {
    /// Its text, which was reported already.
    pub(super) text: String,
    /// The tools it calls, in order.
    pub(super) calls: Vec<ToolCall>,
}

/// A tool that a model calls.
#[derive(Debug)]
pub(super) struct ToolCall {
    /// The id by which the result is assigned; empty where the protocol has none.
    pub(super) id: String,
    pub(super) name: String,
    /// Its arguments, or the text that should have been these.
    pub(super) arguments: Result<Map<String, Value>, String>,
}

/// Returns the arguments in a JSON text.
pub(super) fn arguments(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_str(text).map_err(|_| text.to_owned())
}
