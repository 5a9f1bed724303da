//! An agent's own name of a session, as its events report it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The greatest number of characters.
const MAX_LENGTH: usize = 128;

/// A name that can be no option, no path and no pattern, whatever an agent reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionId(String);

/// Why a text is no name of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the name of its session is none: expected up to 128 letters, digits, `-` and `_`")]
pub struct InvalidSessionId;

impl SessionId {
    /// Reads a name: a letter or digit, and up to 127 letters, digits, `-` and `_` behind it.
    ///
    /// # Errors
    /// `InvalidSessionId`.
    pub fn parse(text: &str) -> Result<Self, InvalidSessionId> {
        let is_inner = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let is_valid = text.len() <= MAX_LENGTH
            && text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.chars().all(is_inner);
        if is_valid {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSessionId)
        }
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SessionId {
    type Error = InvalidSessionId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> Self {
        id.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_option_path_or_pattern_is_a_name() {
        let uuid = "0195e1c2-7b1e-7c30-b0d4-0c9d4e2f7a11";
        for good in [uuid, "s", "ses_1", &"a".repeat(128)] {
            assert!(SessionId::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "-s",
            "_s",
            "a/b",
            "..",
            "a*",
            "a b",
            "ä",
            "a\n",
            &"a".repeat(129),
        ] {
            assert_eq!(SessionId::parse(bad), Err(InvalidSessionId), "{bad:?}");
        }
        assert!(serde_json::from_str::<SessionId>("\"--help\"").is_err());
    }
}
