//! The signed form of a receipt: a statement of in-toto in an envelope of DSSE, with a signature of SSH.
//!
//! The receipt stays as it is. Each signature lies beside it under a ref of its own, so that another person or CI can
//! add one without replacing anything.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use serde_json::{Value, json};

use super::{CompletionReceipt, MAX_BYTES, RECEIPTS, is_name};
use chant_store::digest::{hex, sha256_bytes};
use chant_text::canonical::canonical;

/// The folder of refs of signatures.
pub const SIGNATURES: &str = "refs/chant/signatures/";
/// The namespace of signatures, so that none passes for one of a commit or of a login.
pub const NAMESPACE: &str = "chant-receipt";
/// The greatest size of an envelope in bytes.
pub const MAX_ENVELOPE: usize = 2 * MAX_BYTES;

const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
const PREDICATE_TYPE: &str = "urn:chant-mcp:completion-receipt:1";
/// The text between the name of a receipt and the key of a signature.
const BY: &str = "--";
/// The characters of a key's hash in the name of a signature.
const KEY_CHARS: usize = 16;

/// A signature over a receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptSignature {
    /// The signed statement.
    pub statement: Vec<u8>,
    /// The signature as `ssh-keygen` writes it.
    pub armored: String,
    /// The public key, as SSH keeps it.
    key: Vec<u8>,
}

/// The reasons why a text is not read as a signature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// It is no envelope.
    #[error("it cannot be read as an envelope of a signed receipt")]
    NoEnvelope,
    /// The signature in it is none of SSH.
    #[error("its signature is none that `ssh-keygen` made for receipts")]
    NoSignature,
}

/// Returns the statement about a receipt, which is what is signed: canonical JSON.
pub fn statement(receipt: &CompletionReceipt) -> String {
    canonical(&json!({
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": "commit", "digest": {"gitCommit": receipt.commit}},
            {"name": "tree", "digest": {"gitTree": receipt.tree}},
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": receipt,
    }))
}

/// Returns the bytes that a signature stands for: the type and the statement, each with its length.
pub fn signed_bytes(statement: &[u8]) -> Vec<u8> {
    let head = format!(
        "DSSEv1 {} {PAYLOAD_TYPE} {} ",
        PAYLOAD_TYPE.len(),
        statement.len()
    );
    [head.as_bytes(), statement].concat()
}

impl ReceiptSignature {
    /// Returns the signature that `ssh-keygen` made over a statement.
    ///
    /// # Errors
    /// `NoSignature`.
    pub fn of(statement: Vec<u8>, armored: String) -> Result<Self, SignatureError> {
        let key = key_of(&armored).ok_or(SignatureError::NoSignature)?;
        Ok(Self {
            statement,
            armored,
            key,
        })
    }

    /// Reads an envelope.
    ///
    /// # Errors
    /// The reason why it is none.
    pub fn parse(bytes: &[u8]) -> Result<Self, SignatureError> {
        let envelope: Value =
            serde_json::from_slice(bytes).map_err(|_| SignatureError::NoEnvelope)?;
        let text = |value: &Value| STANDARD.decode(value.as_str()?).ok();
        let (Some(PAYLOAD_TYPE), Some(statement), Some(armored)) = (
            envelope["payloadType"].as_str(),
            text(&envelope["payload"]),
            text(&envelope["signatures"][0]["sig"]),
        ) else {
            return Err(SignatureError::NoEnvelope);
        };
        let armored = String::from_utf8(armored).map_err(|_| SignatureError::NoSignature)?;
        Self::of(statement, armored)
    }

    /// Returns the envelope: canonical JSON.
    pub fn envelope(&self) -> String {
        canonical(&json!({
            "payloadType": PAYLOAD_TYPE,
            "payload": STANDARD.encode(&self.statement),
            "signatures": [{
                "keyid": self.fingerprint(),
                "sig": STANDARD.encode(&self.armored),
            }],
        }))
    }

    /// Returns the fingerprint of the key, as SSH writes it.
    pub fn fingerprint(&self) -> String {
        format!("SHA256:{}", STANDARD_NO_PAD.encode(sha256_bytes(&self.key)))
    }

    /// Returns the name of the ref that keeps it, for the ref of its receipt.
    pub fn name(&self, receipt: &str) -> String {
        let short = receipt.strip_prefix(RECEIPTS).unwrap_or(receipt);
        let key = hex(&sha256_bytes(&self.key));
        format!("{SIGNATURES}{short}{BY}{}", &key[..KEY_CHARS])
    }
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

/// Returns the public key that an armored signature of SSH holds, if it is one for receipts.
fn key_of(armored: &str) -> Option<Vec<u8>> {
    let inside = armored
        .trim()
        .strip_prefix("-----BEGIN SSH SIGNATURE-----")?
        .strip_suffix("-----END SSH SIGNATURE-----")?;
    let blob = STANDARD
        .decode(inside.split_whitespace().collect::<String>())
        .ok()?;
    let rest = blob.strip_prefix(b"SSHSIG")?;
    let (_version, rest) = rest.split_first_chunk::<4>()?;
    let (key, rest) = field(rest)?;
    let (namespace, _) = field(rest)?;
    (namespace == NAMESPACE.as_bytes()).then(|| key.to_vec())
}

/// Splits a field with its length before it from the rest.
fn field(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_be_bytes(*length) as usize)
}

#[cfg(test)]
mod tests {
    use super::super::tests::receipt;
    use super::*;

    /// Returns an armored signature with a key, without a signature worth the name.
    fn armored(namespace: &str) -> String {
        let mut blob = b"SSHSIG\0\0\0\x01".to_vec();
        for text in [b"some key".as_slice(), namespace.as_bytes()] {
            blob.extend(u32::try_from(text.len()).unwrap_or_default().to_be_bytes());
            blob.extend(text);
        }
        format!(
            "-----BEGIN SSH SIGNATURE-----\n{}\n-----END SSH SIGNATURE-----\n",
            STANDARD.encode(blob)
        )
    }

    #[test]
    fn an_envelope_is_one_text_and_reads_back() {
        let statement = statement(&receipt()).into_bytes();
        let signed = ReceiptSignature::of(statement.clone(), armored(NAMESPACE)).expect("one");
        let read = ReceiptSignature::parse(signed.envelope().as_bytes()).expect("reads back");
        assert_eq!(read, signed);
        assert_eq!(read.statement, statement);
        let name = signed.name(&receipt().name());
        let short = name.strip_prefix(SIGNATURES).expect("below its folder");
        assert_eq!(receipt_name(short), receipt().name().strip_prefix(RECEIPTS));
    }

    #[test]
    fn a_statement_names_commit_and_tree_and_holds_the_receipt() {
        let value: Value = serde_json::from_str(&statement(&receipt())).expect("JSON");
        assert_eq!(value["subject"][0]["digest"]["gitCommit"], receipt().commit);
        assert_eq!(value["subject"][1]["digest"]["gitTree"], receipt().tree);
        assert_eq!(value["predicate"]["spec"], receipt().spec);
    }

    #[test]
    fn signatures_for_something_else_are_none() {
        for text in [armored("git"), "-----BEGIN SSH SIGNATURE-----".to_owned()] {
            let made = ReceiptSignature::of(Vec::new(), text);
            assert_eq!(made, Err(SignatureError::NoSignature));
        }
        for bytes in [b"{}".as_slice(), b"[", b"{\"payloadType\": \"text/plain\"}"] {
            assert_eq!(
                ReceiptSignature::parse(bytes),
                Err(SignatureError::NoEnvelope)
            );
        }
    }

    #[test]
    fn the_signed_bytes_are_those_of_the_specification() {
        let bytes = signed_bytes(b"hello world");
        assert_eq!(
            String::from_utf8_lossy(&bytes),
            "DSSEv1 28 application/vnd.in-toto+json 11 hello world"
        );
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
