//! What this machine can hold runs to.

use serde::Serialize;

/// What holds, and what does not.
#[derive(Debug, Serialize)]
pub struct ConfinementView {
    /// How runs are held here, in a sentence.
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
    /// What it is.
    pub what: &'static str,
    /// Whether it is kept from them.
    pub holds: bool,
    /// Why not, or what changes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'static str>,
}
