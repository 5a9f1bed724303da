//! Statements, and the envelopes that carry them with a signature.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use serde_json::{Value, json};

use chant_store::digest::{hex, sha256_bytes};
use chant_text::canonical::canonical;

const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";

/// An object that a statement is about.
#[derive(Debug, Clone, Copy)]
pub struct StatementSubject<'a> {
    /// Its name.
    pub name: &'a str,
    /// The kind of its digest, such as `gitCommit`.
    pub algorithm: &'a str,
    /// Its digest in hexadecimal digits.
    pub digest: &'a str,
}

/// A statement with a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedStatement {
    /// The signed statement.
    pub statement: Vec<u8>,
    /// The signature as `ssh-keygen` writes it.
    pub armored: String,
    /// The public key, as SSH keeps it.
    key: Vec<u8>,
}

/// The reasons why a text is not read as a signed statement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// It is no envelope.
    #[error("it cannot be read as an envelope of a signed statement")]
    NoEnvelope,
    /// The signature in it is none of SSH, or one for something else.
    #[error("its signature is none that `ssh-keygen` made for this")]
    NoSignature,
}

/// Returns a statement, which is what is signed: canonical JSON.
pub fn statement(
    subjects: &[StatementSubject<'_>],
    predicate_type: &str,
    predicate: &Value,
) -> String {
    let subject = |one: &StatementSubject<'_>| json!({"name": one.name, "digest": {one.algorithm: one.digest}});
    canonical(&json!({
        "_type": STATEMENT_TYPE,
        "subject": subjects.iter().map(subject).collect::<Vec<_>>(),
        "predicateType": predicate_type,
        "predicate": predicate,
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

impl SignedStatement {
    /// Returns a statement with the signature that `ssh-keygen` made over it in a namespace.
    ///
    /// # Errors
    /// `NoSignature`.
    pub fn new(
        namespace: &str,
        statement: Vec<u8>,
        armored: String,
    ) -> Result<Self, SignatureError> {
        let key = key_of(namespace, &armored).ok_or(SignatureError::NoSignature)?;
        Ok(Self {
            statement,
            armored,
            key,
        })
    }

    /// Reads an envelope with a signature in a namespace.
    ///
    /// # Errors
    /// The reason why it is none.
    pub fn parse(namespace: &str, bytes: &[u8]) -> Result<Self, SignatureError> {
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
        Self::new(namespace, statement, armored)
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

    /// Returns the hash of the key in hexadecimal digits.
    pub fn key_hash(&self) -> String {
        hex(&sha256_bytes(&self.key))
    }
}

/// Returns the public key that an armored signature of SSH holds, if it is one in the namespace.
fn key_of(namespace: &str, armored: &str) -> Option<Vec<u8>> {
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
    let (own, _) = field(rest)?;
    (own == namespace.as_bytes()).then(|| key.to_vec())
}

/// Splits a field with its length before it from the rest.
fn field(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_be_bytes(*length) as usize)
}

#[cfg(test)]
mod tests {
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
        let commit = StatementSubject {
            name: "commit",
            algorithm: "gitCommit",
            digest: "ab",
        };
        let statement = statement(&[commit], "urn:test", &json!({"b": 1, "a": 2}));
        assert_eq!(
            statement,
            r#"{"_type":"https://in-toto.io/Statement/v1","predicate":{"a":2,"b":1},"predicateType":"urn:test","subject":[{"digest":{"gitCommit":"ab"},"name":"commit"}]}"#
        );
        let made = SignedStatement::new("test", statement.into_bytes(), armored("test"));
        let signed = made.expect("one");
        let read = SignedStatement::parse("test", signed.envelope().as_bytes());
        assert_eq!(read, Ok(signed));
    }

    #[test]
    fn signatures_for_something_else_are_none() {
        for text in [armored("git"), "-----BEGIN SSH SIGNATURE-----".to_owned()] {
            let made = SignedStatement::new("test", Vec::new(), text);
            assert_eq!(made, Err(SignatureError::NoSignature));
        }
        for bytes in [b"{}".as_slice(), b"[", b"{\"payloadType\": \"text/plain\"}"] {
            let read = SignedStatement::parse("test", bytes);
            assert_eq!(read, Err(SignatureError::NoEnvelope));
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
}
