//! Documents as text: where their parts lie, and edits that spare every other byte.
//!
//! Nothing here knows a dialect, touches the disk or asks what time it is.

pub mod canonical;
pub mod checklist;
pub mod clash;
pub mod edit;
pub mod front_matter;
pub mod markdown;
pub mod merge;
pub mod scalar;
pub mod sections;
pub mod signature;
