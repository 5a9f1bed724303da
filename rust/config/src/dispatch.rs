//! Which of several ready specs is started next.

use serde::Deserialize;

/// The choice among ready specs, behind the critical path.
///
/// `bench/README.md` has the measurement that supports the default: on real histories `prefer` wastes less
/// work than `fifo` in the same time, while `spare` wastes least and takes much longer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DispatchOrder {
    /// The first by ID.
    Fifo,
    /// The one that is expected to share least files with what runs; never idle for it.
    #[default]
    Prefer,
    /// The same, and one that shares too many waits while anything else runs.
    Spare,
}
