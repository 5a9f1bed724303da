//! The interface, held to by a format of one file of lines.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod edits;
mod snapshots;
mod todo_lines;
