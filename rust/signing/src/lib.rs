//! Statements signed with SSH keys: a statement of in-toto, in an envelope of DSSE, whose signature `ssh-keygen` makes
//! and checks. Nothing here knows receipts, or git.

mod envelope;
mod ssh_keygen;

pub use envelope::{SignatureError, SignedStatement, StatementSubject, signed_bytes, statement};
pub use ssh_keygen::{AllowedSigners, SigningError, SigningKey, sign, signer};
