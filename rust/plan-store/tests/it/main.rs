//! The generic store on a format as small as can be.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests play people and their editors"
)]

#[path = "../../../plan-format/tests/it/todo_lines.rs"]
#[expect(dead_code, reason = "its faults are tried elsewhere")]
mod todo_lines;

mod discovery;
mod staged;
