//! Documents as text: the places of their parts, and edits that keep every other byte.
//!
//! Nothing here knows a dialect, touches the disk or reads the time.

pub mod canonical;
pub mod checklist;
pub mod clash;
pub mod edit;
pub mod enclosed;
pub mod fences;
pub mod front_matter;
pub mod lazy_pattern;
pub mod line_diff;
pub mod markdown;
pub mod markdown_tree;
pub mod merge;
pub mod scalar;
pub mod sections;
pub mod signature;
