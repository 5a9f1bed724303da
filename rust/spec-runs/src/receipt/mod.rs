//! Receipts and their signatures.

pub mod signature;

pub use chant_receipts::*;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    pub(super) fn receipt() -> CompletionReceipt {
        let receipt = json!({
            "format": FORMAT, "spec": "001", "completed": "run", "token": "3",
            "criteria": {"hash": "", "count": 0, "ticked": 0},
            "commit": "a".repeat(40), "tree": "b".repeat(40), "ended_at": "2026-01-22T10:05:00Z",
        });
        serde_json::from_value(receipt).expect("a receipt")
    }
}
