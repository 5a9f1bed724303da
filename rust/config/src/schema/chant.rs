//! The keys of the user's `config.md`, the project's `.chant/config.md` and `.chant/agents.md` (reference chant 7).

use serde_json::Value;

use super::KeyShape::{Either, Items, Named, Table};
use super::{ConfigSchema, FLAG, KnownKey, NUMBER, TEXT, TEXTS, unused, used};
use crate::confine;

/// The message about keys that only other programs use.
const ELSEWHERE: &str = "other programs know this key; it does nothing here";
/// The message about keys of earlier releases of chant, which many projects still have.
const FORMERLY: &str = "earlier releases of chant knew this key; it does nothing here";
/// The message about the place of caches.
const ALWAYS_PRIVATE: &str =
    "each run and each check has caches that are removed with it; the key does nothing any more";
/// The message about what a project may not say.
const USERS_OWN: &str = "only your own configuration can say this";
/// The message about what a user may not say for all projects.
const PROJECTS_OWN: &str = "only a project's own configuration can say this";
/// The message about what the list of agents may not say.
const NO_LIST: &str = "this file gives `parallel.agents` alone";

/// The user's own configuration.
pub const USERS: ConfigSchema = ConfigSchema {
    keys: KEYS,
    in_vain: |path, _| matches!(path, ["project" | "receipts" | "proof"]).then_some(PROJECTS_OWN),
};

/// A project's configuration.
pub const PROJECTS: ConfigSchema = ConfigSchema {
    keys: KEYS,
    in_vain: in_vain_in_project,
};

/// A project's list of agents.
pub const AGENTS: ConfigSchema = ConfigSchema {
    keys: KEYS,
    in_vain: |path, _| match path {
        ["parallel"] | ["parallel", "agents", ..] => None,
        _ => Some(NO_LIST),
    },
};

fn in_vain_in_project(path: &[&str], value: &Value) -> Option<&'static str> {
    let counts = match path {
        // The block itself says nothing; its keys are asked one by one.
        ["confine" | "landing"] | ["landing", "message" | "style"] => true,
        ["environment", "files" | "secrets" | "routes", ..]
        | ["trust" | "landing" | "cluster" | "accounts" | "plugins", ..] => false,
        path => confine::counts_in_project(path, value.as_str().unwrap_or_default()),
    };
    (!counts).then_some(USERS_OWN)
}

const KEYS: &[KnownKey] = &[
    used(
        "project",
        Table(&[
            used("name", TEXT),
            unused("prefix", ELSEWHERE),
            unused("silent", ELSEWHERE),
        ]),
    ),
    used(
        "defaults",
        Table(&[
            used("branch_prefix", TEXT),
            used("main_branch", TEXT),
            used("model", TEXT),
            used("split_model", TEXT),
            used("prompt", TEXT),
            used("prompt_extensions", TEXTS),
            used("provider", TEXT),
            used("rotation_strategy", TEXT),
            used("worktree_root", TEXT),
            used("allow_other_specs", FLAG),
            unused("branch", FORMERLY),
            unused("create_branch", ELSEWHERE),
            unused("pr", FORMERLY),
        ]),
    ),
    used(
        "providers",
        Table(&[used("ollama", PROVIDER), used("openai", PROVIDER)]),
    ),
    used(
        "parallel",
        Table(&[
            used(
                "agents",
                Items(&Table(&[
                    used("name", TEXT),
                    used("command", TEXT),
                    used("max_concurrent", NUMBER),
                    used("weight", NUMBER),
                ])),
            ),
            used("stagger_delay_ms", NUMBER),
            used("stagger_jitter_ms", NUMBER),
            unused("cleanup", ELSEWHERE),
            unused("total_max", FORMERLY),
        ]),
    ),
    used(
        "repos",
        Items(&Table(&[used("name", TEXT), used("path", TEXT)])),
    ),
    used(
        "enterprise",
        Table(&[used("derived", Named(&DERIVED)), used("required", TEXTS)]),
    ),
    used(
        "approval",
        Table(&[
            used("require_approval_for_agent_work", FLAG),
            used("rejection_action", TEXT),
        ]),
    ),
    used(
        "lint",
        Table(&[used("thresholds", THRESHOLDS), used("disable", TEXTS)]),
    ),
    used("agents", Named(&AGENT)),
    used("checks", Named(&TEXTS)),
    used("limits", LIMITS),
    used(
        "runs",
        Table(&[used(
            "pool",
            Table(&[
                used("folders", NUMBER),
                used("megabytes", NUMBER),
                used("files", NUMBER),
            ]),
        )]),
    ),
    used(
        "review",
        Table(&[used("sessions", Table(&[used("days", NUMBER)]))]),
    ),
    used(
        "watch",
        Table(&[
            used("poll_interval_ms", NUMBER),
            used("idle_timeout_minutes", NUMBER),
            used("failure", FAILURE),
        ]),
    ),
    used("env", Table(&[used("pass", TEXTS)])),
    used(
        "environment",
        Table(&[
            used("recipes", Named(&RECIPE)),
            used("ports", TEXTS),
            used("variables", Named(&TEXT)),
            used("services", Named(&SERVICE)),
            used("items", Items(&ITEM)),
            used("files", Named(&TEXTS)),
            used("routes", Named(&ROUTE)),
            used(
                "secrets",
                Table(&[
                    used("setup", TEXTS),
                    used("agents", TEXTS),
                    used("checks", TEXTS),
                    used("services", TEXTS),
                ]),
            ),
        ]),
    ),
    used(
        "confine",
        Table(&[
            used("mode", TEXT),
            used("read", TEXTS),
            used("write", TEXTS),
            used("deny", TEXTS),
            used("unix_sockets", FLAG),
            used("network", TEXT),
            used("hosts", TEXTS),
            used("ipc", TEXT),
            used("pty", FLAG),
            used("backend", TEXT),
        ]),
    ),
    unused("caches", ALWAYS_PRIVATE),
    used("trust", Table(&[used("roots", TEXTS)])),
    used(
        "landing",
        Table(&[
            used("allow", TEXTS),
            used("hooks", TEXT),
            used("largest_megabytes", NUMBER),
            used("message", TEXT),
            used("signing_key", TEXT),
            used("style", TEXT),
        ]),
    ),
    used("receipts", Either(&[TEXT, super::KeyShape::Anything])),
    used(
        "proof",
        Table(&[
            used("require", TEXT),
            used("minutes", NUMBER),
            used("held", FLAG),
            used("reports", Named(&TEXT)),
            used("allow_flaky", TEXTS),
            used("tests", TEXTS),
            used("config", TEXTS),
            used("rules", TEXTS),
        ]),
    ),
    used(
        "leases",
        Table(&[
            used("remote", TEXT),
            used("namespace", TEXT),
            used("beat", TEXT),
            used("ttl", TEXT),
            used("push_interval", TEXT),
            used("landing", TEXT),
            used("checks", TEXT),
            used("propose", TEXTS),
            used("look", TEXTS),
        ]),
    ),
    used("cluster", Named(&CLUSTER)),
    used("dispatch", TEXT),
    used("accounts", Named(&ACCOUNT)),
    unused("git", FORMERLY),
    unused("silent", FORMERLY),
    used(
        "plugins",
        Table(&[
            used("off", TEXTS),
            used("evidence_checks", TEXTS),
            used("formats", TEXTS),
            used("notifiers", Named(&Named(&TEXT))),
            used("seconds", NUMBER),
        ]),
    ),
    unused("validation", ELSEWHERE),
    unused("site", ELSEWHERE),
    unused("schema", ELSEWHERE),
    unused("lifecycle", ELSEWHERE),
    unused("scale", ELSEWHERE),
];

const PROVIDER: super::KeyShape = Table(&[
    used("endpoint", TEXT),
    used("max_retries", NUMBER),
    used("retry_delay_ms", NUMBER),
]);

const DERIVED: super::KeyShape = Table(&[
    used("from", TEXT),
    used("pattern", TEXT),
    used(
        "validate",
        Table(&[
            used("values", TEXTS),
            unused("type", "values are always those of a list"),
        ]),
    ),
]);

const THRESHOLDS: super::KeyShape = Table(&[
    used("complexity_criteria", NUMBER),
    used("complexity_files", NUMBER),
    used("complexity_words", NUMBER),
    used("simple_criteria", NUMBER),
    used("simple_files", NUMBER),
    used("simple_words", NUMBER),
]);

const AGENT: super::KeyShape = Table(&[
    used("command", ARGUMENTS),
    used("prompt", TEXT),
    used("skip_arguments", ARGUMENTS),
    used("skip_permissions", FLAG),
    used("model", TEXT),
    used("events", TEXT),
    used("resume", ARGUMENTS),
    used("transcripts", TEXTS),
]);

const RECIPE: super::KeyShape = Table(&[
    used("in", TEXT),
    used("inputs", TEXTS),
    used("stand_ins", TEXTS),
    used("steps", Items(&TEXTS)),
    used("outputs", TEXTS),
    used("caches", TEXTS),
    used("tools", Items(&TEXTS)),
    used("variables", Named(&TEXT)),
]);

const ROUTE: super::KeyShape = Table(&[
    used("to", TEXT),
    used(
        "secret",
        Table(&[used("variable", TEXT), used("file", TEXT)]),
    ),
    used("header", TEXT),
    used("value", TEXT),
    used("methods", TEXTS),
    used("paths", TEXTS),
    used("for", TEXTS),
    used("variables", Named(&TEXT)),
]);

const ITEM: super::KeyShape = Table(&[
    used(
        "match",
        Table(&[used("labels", TEXTS), used("folders", TEXTS)]),
    ),
    used("folder", TEXT),
    used("recipes", TEXTS),
    used("services", TEXTS),
]);

const SERVICE: super::KeyShape = Table(&[
    used("in", TEXT),
    used("before", Items(&TEXTS)),
    used("start", TEXTS),
    used(
        "ready",
        Table(&[
            used("tcp", TEXT),
            used("http", TEXT),
            used("command", TEXTS),
            used("seconds", NUMBER),
        ]),
    ),
    used("stop", TEXTS),
    used("variables", Named(&TEXT)),
]);

const ARGUMENTS: super::KeyShape = Items(&Either(&[TEXT, TEXTS]));

const ACCOUNT: super::KeyShape = Table(&[
    used("max", NUMBER),
    used("agents", TEXTS),
    used("variables", Named(&TEXT)),
]);

const LIMITS: super::KeyShape = Table(&[
    used("run_minutes", NUMBER),
    used("idle_minutes", NUMBER),
    used("check_minutes", NUMBER),
    used("output_megabytes", NUMBER),
    used("file_megabytes", NUMBER),
    used("agents_at_once", NUMBER),
    used("tokens", NUMBER),
    used("cost_usd", NUMBER),
    used("tokens_per_day", NUMBER),
    used("cost_usd_per_day", NUMBER),
    used("processes", NUMBER),
    used("memory_megabytes", NUMBER),
    used("turns", NUMBER),
    used("added_specs", NUMBER),
    used("added_kilobytes", NUMBER),
]);

const CLUSTER: super::KeyShape = Table(&[
    used("kind", TEXT),
    used("address", TEXT),
    used("tls", TEXT),
    used("workers", NUMBER),
    used("slots", Named(&NUMBER)),
    used("reads", TEXTS),
    used("trust", TEXTS),
    used("remote", TEXTS),
    used("labels", TEXTS),
    used("accounts", TEXTS),
    used("largest_bundle", NUMBER),
    used("hosts", TEXTS),
    used("queue", TEXT),
    used("time", TEXT),
    used("options", TEXTS),
    used("namespace", TEXT),
    used("image", TEXT),
    used("service", TEXT),
    used("program", TEXT),
]);

const FAILURE: super::KeyShape = Table(&[
    used("max_retries", NUMBER),
    used("retry_delay_ms", NUMBER),
    used("backoff_multiplier", NUMBER),
    used("retryable_patterns", TEXTS),
    unused("on_permanent_failure", ELSEWHERE),
]);
