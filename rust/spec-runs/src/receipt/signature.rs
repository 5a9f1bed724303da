//! The signed form of a receipt: its statement, and the refs of signatures.
//!
//! The receipt stays as it is. Each signature lies beside it under a ref of its own, so that another person or CI can
//! add one without replacing anything.

use chant_signing::{SignedStatement, StatementSubject};

use super::{CompletionReceipt, MAX_BYTES, RECEIPTS, is_name};

/// The folder of refs of signatures.
pub const SIGNATURES: &str = "refs/chant/signatures/";
/// The namespace of signatures, so that none passes for one of a commit or of a login.
pub const NAMESPACE: &str = "chant-receipt";
/// The greatest size of an envelope in bytes.
pub const MAX_ENVELOPE: usize = 2 * MAX_BYTES;

const PREDICATE_TYPE: &str = "urn:chant-mcp:completion-receipt:1";
/// The text between the name of a receipt and the key of a signature.
const BY: &str = "--";
/// The characters of a key's hash in the name of a signature.
const KEY_CHARS: usize = 16;

/// Returns the statement about a receipt, which is what is signed.
pub fn statement_of(receipt: &CompletionReceipt) -> String {
    let subject = |name, algorithm, digest| StatementSubject {
        name,
        algorithm,
        digest,
    };
    let subjects = [
        subject("commit", "gitCommit", &receipt.commit),
        subject("tree", "gitTree", &receipt.tree),
    ];
    let predicate = serde_json::to_value(receipt).unwrap_or_default();
    chant_signing::statement(&subjects, PREDICATE_TYPE, &predicate)
}

/// Returns the name of the ref that keeps a signature, for the ref of its receipt.
pub fn signature_name(signed: &SignedStatement, receipt: &str) -> String {
    let short = receipt.strip_prefix(RECEIPTS).unwrap_or(receipt);
    format!("{SIGNATURES}{short}{BY}{}", &signed.key_hash()[..KEY_CHARS])
}

/// Returns the part of a signature's name that is the name of its receipt, both without the folder of refs.
pub fn receipt_name(name: &str) -> Option<&str> {
    let (receipt, key) = name.rsplit_once(BY)?;
    let is_key = key.len() == KEY_CHARS && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_key && is_name(receipt)).then_some(receipt)
}

/// Returns true for a name below [`SIGNATURES`] that a signature can have.
pub fn is_signature_name(name: &str) -> bool {
    receipt_name(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receipt::tests::receipt;
    use serde_json::Value;

    #[test]
    fn a_statement_names_commit_and_tree_and_holds_the_receipt() {
        let value: Value = serde_json::from_str(&statement_of(&receipt())).expect("JSON");
        assert_eq!(value["subject"][0]["digest"]["gitCommit"], receipt().commit);
        assert_eq!(value["subject"][1]["digest"]["gitTree"], receipt().tree);
        assert_eq!(value["predicate"]["spec"], receipt().spec);
    }

    #[test]
    fn names_that_no_signature_has_are_known() {
        for name in [
            "a/1", "a/1--0123", "a--0123456789abcdef", "A/1--0123456789abcdef",
        ] {
            assert!(!is_signature_name(name), "{name}");
        }
        assert!(is_signature_name("a/1--0123456789abcdef"));
    }
}
