//! A scripted editor on a server in memory.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests end with the first thing that is not as it should be, and write files as people do"
)]

mod acts;
mod answers;
mod client;
mod disk;
mod findings;
mod protocol;
