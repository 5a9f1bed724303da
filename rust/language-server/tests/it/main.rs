//! A scripted editor on a server in memory.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests end with the first thing that is not as it should be"
)]

mod answers;
mod client;
mod findings;
mod protocol;
