//! The keys of `.specify/chant-mcp.yml`.

use super::KeyShape::{Either, Named, Table};
use super::{ConfigSchema, FLAG, NUMBER, TEXT, TEXTS, used};

/// The keys for what a project asks for before a task is ticked, and of questions.
pub const FEATURES: ConfigSchema = ConfigSchema {
    keys: &[
        used(
            "checks",
            Named(&Either(&[
                TEXTS,
                Table(&[
                    used("command", TEXTS),
                    used("timeout_secs", NUMBER),
                    used("cwd", TEXT),
                    used("env", Named(&TEXT)),
                ]),
            ])),
        ),
        used(
            "strict",
            Table(&[used("phases", FLAG), used("files", FLAG)]),
        ),
        used(
            "questions",
            Table(&[used("wait_secs", NUMBER), used("expire_hours", NUMBER)]),
        ),
        used("env", Table(&[used("pass", TEXTS)])),
    ],
    in_vain: |_, _| None,
};
