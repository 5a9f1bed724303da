//! The confinement that this machine can hold runs to.

use serde::Serialize;

/// The protections that hold, and those that do not.
#[derive(Debug, Serialize)]
pub struct ConfinementView {
    /// The confinement of runs here, in a sentence.
    pub confinement: String,
    /// The version of Landlock; 0 without.
    pub landlock_abi: u8,
    /// Each thing that runs could do, and whether it is kept from them.
    pub held: Vec<ConfinementItem>,
    /// Why nothing can be started, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// One thing that runs could do.
#[derive(Debug, Serialize)]
pub struct ConfinementItem {
    /// The thing, in words.
    pub what: &'static str,
    /// True if it is kept from them.
    pub holds: bool,
    /// Why not, or what changes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'static str>,
}
