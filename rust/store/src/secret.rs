//! Secrets that cannot be guessed.

use super::StoreError;
use super::digest::hex;

/// The number of random bytes.
const MAX_BYTES: usize = 32;

/// Returns a new secret: 64 hexadecimal digits.
///
/// # Errors
/// `Unreadable` when the system gives no random bytes.
pub fn new_secret() -> Result<String, StoreError> {
    let mut bytes = [0; MAX_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::Unreadable {
        path: "random bytes".into(),
        why: error.to_string(),
    })?;
    Ok(hex(&bytes))
}
