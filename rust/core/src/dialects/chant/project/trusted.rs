//! Whether a person trusts the project's folder.

use super::Project;
use crate::error::Error;

impl Project {
    /// Refuses an act in a folder that no person trusts; `what` is the name of a tool, or of an act.
    ///
    /// # Errors
    /// None yet: every folder is trusted.
    #[expect(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "trust is not asked for yet"
    )]
    pub fn refuse_untrusted(&self, _what: &str) -> Result<(), Error> {
        Ok(())
    }

    /// Whether a person trusts the folder as it is now.
    #[expect(clippy::unused_self, reason = "trust is not asked for yet")]
    pub fn is_trusted(&self) -> bool {
        true
    }
}
