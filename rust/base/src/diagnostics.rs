//! Events of what goes on inside, for people who look for a fault: off unless `CHANT_MCP_LOG` turns them on.

use std::fmt;

use tracing::level_filters::LevelFilter;

/// Returns true if events are written at all.
pub fn is_on() -> bool {
    LevelFilter::current() != LevelFilter::OFF
}

/// A result on which nothing depends.
pub trait LogFailure {
    /// Leaves an event if it failed; `action` is what was tried, such as `remove the temporary file`.
    fn log_failure(self, action: &str);
}

impl<T, E: fmt::Display> LogFailure for Result<T, E> {
    fn log_failure(self, action: &str) {
        if let Err(error) = self {
            tracing::debug!(%error, "failed to {action}");
        }
    }
}
