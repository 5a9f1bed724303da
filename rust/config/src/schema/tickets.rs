//! The keys of configurations for tickets (reference tickets 1.2 to 1.4): a project's own file, the registry's
//! records, and where projects are looked for.

use serde_json::Value;

use super::KeyShape::{self, Plain, Table};
use super::{ConfigSchema, FLAG, KnownKey, PlainShape, unused, used};

/// The message about keys that only other programs use.
const ELSEWHERE: &str = "other programs know this key; it does nothing here";

/// A text, and no number.
const WORDS: KeyShape = Plain(&PlainShape {
    expected: "a text",
    fits: Value::is_string,
});
/// A number from 0, also as a text.
const COUNT: KeyShape = Plain(&PlainShape {
    expected: "a whole number from 0",
    fits: |value| {
        value.is_u64()
            || value
                .as_str()
                .is_some_and(|text| text.trim().parse::<u32>().is_ok())
    },
});
/// A list of texts, or one text.
const PATHS: KeyShape = Plain(&PlainShape {
    expected: "a list of texts",
    fits: |value| {
        let all = |items: &Vec<Value>| items.iter().all(Value::is_string);
        value.is_string() || value.as_array().is_some_and(all)
    },
});
/// A day, also as a text or as a moment.
const DAY: KeyShape = Plain(&PlainShape {
    expected: "a day such as `2025-10-02`",
    fits: |value| value.is_string() || value.get(MOMENT).is_some(),
});

/// The one key of what stands for a date or a time of TOML.
pub const MOMENT: &str = "a date or a time";

/// `.mdt-config.toml`, the file of a project.
pub const PROJECT: ConfigSchema = ConfigSchema {
    keys: &[
        used("project", Table(PROJECT_KEYS)),
        used("active", FLAG),
        used("worktree", Table(&[used("enabled", FLAG)])),
        unused("document", ELSEWHERE),
    ],
    in_vain: |path, _| {
        let is_records = path == ["project", "projectPath"];
        is_records.then_some("only a record of the registry names a project's folder")
    },
};

/// A record of the registry: as old releases wrote it, or as new ones do.
pub const RECORD: ConfigSchema = ConfigSchema {
    keys: &[
        used("project", Table(PROJECT_KEYS)),
        used("projectPath", WORDS),
        used("dateRegistered", DAY),
        used("active", FLAG),
        used(
            "metadata",
            Table(&[
                used("dateRegistered", DAY),
                used("lastAccessed", DAY),
                used("version", WORDS),
                used("globalOnly", FLAG),
            ]),
        ),
        used("worktree", Table(&[used("enabled", FLAG)])),
        unused("document", ELSEWHERE),
    ],
    in_vain: |_, _| None,
};

/// `mcp-server.toml` and `config.toml`, the user's own.
pub const DISCOVERY: ConfigSchema = ConfigSchema {
    keys: &[
        used(
            "discovery",
            Table(&[
                used("scanPaths", PATHS),
                used("searchPaths", PATHS),
                used("autoDiscover", FLAG),
                used("maxDepth", COUNT),
                used("excludePaths", PATHS),
            ]),
        ),
        unused("server", ELSEWHERE),
        unused("templates", ELSEWHERE),
    ],
    in_vain: |_, _| None,
};

const PROJECT_KEYS: &[KnownKey] = &[
    used("id", WORDS),
    used("name", WORDS),
    used("code", WORDS),
    used("path", WORDS),
    used("projectPath", WORDS),
    used("ticketsPath", WORDS),
    used("startNumber", COUNT),
    used("counterFile", WORDS),
    used("description", WORDS),
    used("repository", WORDS),
    used("active", FLAG),
    unused("document", ELSEWHERE),
];
