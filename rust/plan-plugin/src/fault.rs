//! Faults of a plugin or of its answers.

use chant_base::error::{CoreError, ErrorKind};

/// The reason why a plugin gave no answer that can be used, as the rest of a sentence that begins with its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PluginFault(pub String);

impl From<String> for PluginFault {
    fn from(why: String) -> Self {
        Self(why)
    }
}

impl From<&str> for PluginFault {
    fn from(why: &str) -> Self {
        Self(why.to_owned())
    }
}

impl CoreError for PluginFault {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Refused
    }
}

/// An outcome that is a fault.
pub(crate) fn fault<T>(why: String) -> Result<T, PluginFault> {
    Err(PluginFault(why))
}
