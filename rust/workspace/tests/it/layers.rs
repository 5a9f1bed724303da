//! Who may name whom (ARCHITECTURE.md): the arrows between the crates, and what crates alone cannot say.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of all crates.
fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The core's source files by crate and path below its `src`, with their text.
fn sources() -> Vec<(String, String)> {
    fn walk(folder: &Path, name: &str, found: &mut Vec<(String, PathBuf)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{name}/{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() {
                walk(&path, &name, found);
            } else {
                found.push((name, path));
            }
        }
    }
    let mut found = Vec::new();
    for (name, _) in ARROWS {
        walk(&crates().join(name).join("src"), name, &mut found);
    }
    found.sort();
    found
        .into_iter()
        .map(|(name, path)| (name, fs::read_to_string(path).unwrap()))
        .collect()
}

/// Each crate of the core with the crates that it may name, the lowest first.
const ARROWS: [(&str, &[&str]); 36] = [
    ("base", &[]),
    ("text", &["base"]),
    ("store", &["base"]),
    ("graph", &["base"]),
    ("draw", &["graph"]),
    ("config", &["base", "text"]),
    ("evidence", &["text"]),
    // Those who start processes hold them.
    ("confine", &["base", "store"]),
    ("broker", &["store"]),
    ("git", &["base", "confine"]),
    ("environment", &["base", "config", "git", "store", "text"]),
    ("places", &["git", "store"]),
    ("leases", &["base", "config", "git", "store"]),
    ("review", &["base", "git", "store", "text"]),
    ("drift", &["evidence", "git", "review"]),
    ("trust", &["base", "config", "git", "store", "text"]),
    ("agent-events", &["base"]),
    ("agents", &["store", "text"]),
    ("work", &["agent-events", "base", "confine", "store"]),
    ("receipts", &["base", "evidence", "store", "text", "work"]),
    (
        "proof",
        &[
            "base", "config", "evidence", "git", "receipts", "specs", "store", "work",
        ],
    ),
    ("provider", &["base", "broker", "store", "work"]),
    ("plan-format", &["base", "text"]),
    ("plan-store", &["base", "plan-format", "store"]),
    ("plan-plugin", &["base", "confine", "plan-format", "store"]),
    ("openspec", &["base", "plan-format", "text"]),
    ("signing", &["base", "store", "text"]),
    ("kiro", &["base", "plan-format", "text"]),
    ("backlog", &["base", "plan-format", "text"]),
    ("vine", &["base", "git", "graph", "places", "store", "text"]),
    (
        "speckit",
        &[
            "base", "config", "git", "graph", "places", "store", "text", "trust", "work",
        ],
    ),
    (
        "tickets",
        &["base", "config", "git", "graph", "places", "store", "text"],
    ),
    (
        "specs",
        &[
            "base", "config", "git", "graph", "places", "store", "text", "trust",
        ],
    ),
    (
        "spec-runs",
        &[
            "agent-events", "agents", "base", "broker", "config", "confine", "drift",
            "environment", "evidence", "git", "graph", "leases", "proof", "provider", "receipts",
            "review", "signing", "specs", "store", "text", "trust", "work",
        ],
    ),
    (
        "workspace",
        &[
            "backlog", "base", "config", "draw", "git", "graph", "kiro", "openspec", "plan-format",
            "plan-store", "speckit", "specs", "store", "text", "tickets", "vine", "work",
        ],
    ),
    (
        "language-server",
        &["base", "graph", "plan-format", "store", "text", "workspace"],
    ),
];

#[test]
fn each_crate_depends_on_those_that_the_table_names() {
    for (name, below) in ARROWS {
        let manifest = fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
        let dependencies = manifest
            .split("\n[")
            .find(|part| part.starts_with("dependencies]"))
            .unwrap_or_default();
        let named: Vec<&str> = dependencies
            .lines()
            .filter_map(|line| {
                line.strip_prefix("chant-")?
                    .strip_suffix(".workspace = true")
            })
            .collect();
        assert_eq!(named, below, "{name}");
    }
    let listed: usize = fs::read_dir(crates())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().join("Cargo.toml").exists())
        .count();
    assert_eq!(listed, ARROWS.len() + ["bindings", "fuzz"].len());
}

/// The code of a file, without its comments and its own tests.
fn code(text: &str) -> String {
    let product = text.split("#[cfg(test)]").next().unwrap_or_default();
    product
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[track_caller]
fn only(word: &str, places: &[&str]) {
    let strangers: Vec<String> = sources()
        .into_iter()
        .filter(|(path, text)| {
            !places.iter().any(|place| path.starts_with(place)) && code(text).contains(word)
        })
        .map(|(path, _)| path)
        .collect();
    assert_eq!(
        strangers,
        Vec::<String>::new(),
        "`{word}` belongs to {places:?}"
    );
}

#[test]
fn each_library_has_one_place() {
    only("serde_yaml", &["text/front_matter/mod.rs"]);
    only("git2::", &["git/"]);
    only("petgraph::", &["draw/", "graph/"]);
    only("diffy", &["text/line_diff.rs", "text/merge.rs"]);
    only("csv::", &["workspace/csv_table.rs"]);
    only(
        "unicode_normalization",
        &["trust/places.rs", "workspace/key.rs"],
    );
    only("toml::", &["evidence/lock_files.rs", "tickets/projects/"]);
    only("std::fs", &["store/disk/", "git/", "environment/"]);
    only(
        "Command::new",
        &[
            "base/inherited_environment.rs",
            "confine/sandbox/start.rs",
            "confine/start.rs",
            "git/program.rs",
            "work/connections.rs",
            "work/event_program.rs",
        ],
    );
    only("std::env", &["base/inherited_environment.rs"]);
    only("landlock::", &["confine/"]);
    only("seccompiler::", &["confine/seccomp.rs"]);
    only(
        "ureq::",
        &["broker/", "provider/endpoint.rs", "provider/http.rs"],
    );
    only("rustls::", &["broker/tunnel.rs"]);
    only("lsp_", &["language-server/"]);
    only("pyo3", &[]);
    only("println!", &[]);
}

#[test]
fn only_shapes_of_answers_and_records_are_serialized() {
    only(
        "Serialize)]",
        &[
            "agents/kept_session.rs",
            "base/document_problem.rs",
            "base/text_place.rs",
            "spec-runs/cluster/",
            "receipts/",
            "proof/flaky_tests.rs",
            "spec-runs/view/",
            "specs/view/",
            "speckit/events.rs",
            "speckit/questions.rs",
            "speckit/view.rs",
            "tickets/view.rs",
            "vine/view.rs",
            "tickets/advice/view.rs",
            "tickets/projects/view.rs",
            "store/journal/",
            "work/run_record.rs",
            "work/state.rs",
            "work/usage.rs",
            "base/answer.rs",
            "config/cluster.rs",
            "config/view.rs",
            "workspace/board_shapes.rs",
            "workspace/formats.rs",
            "workspace/handle.rs",
            "workspace/plan_view.rs",
            "workspace/since.rs",
            "workspace/view.rs",
        ],
    );
}

#[test]
fn every_test_file_is_part_of_this_binary() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let main = fs::read_to_string(folder.join("main.rs")).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            ["main", "snapshots"].contains(&name) || main.contains(&format!("mod {name};")),
            "{name} is not in main.rs"
        );
    }
}

/// Tools, as sentences would name them.
fn names_a_tool(line: &str) -> bool {
    let tools = [
        "chant_", "vine_", "rstn_", "list_crs", "create_cr", "get_cr",
    ];
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    line.contains(' ') && words.any(|word| tools.iter().any(|tool| word.starts_with(tool)))
}

// What may help is data, which each door words.
#[test]
fn only_tables_of_doors_and_what_agents_in_runs_are_given_name_tools() {
    let of_agents = [
        "base/next_step/",
        "trust/effects.rs",
        "specs/project/caller_run.rs",
        "specs/ops/run_addition.rs",
        "specs/ops/update.rs",
        // Answers of tools that no command prints.
        "tickets/",
        "speckit/ops.rs",
    ];
    let others = ["chant_mcp", "vine_ref"];
    for (path, text) in sources() {
        if of_agents.iter().any(|place| path.starts_with(place)) {
            continue;
        }
        let code = code(&text);
        let strings = code.split('"').skip(1).step_by(2);
        let named: Vec<&str> = strings
            .filter(|words| words.contains(' ') && names_a_tool(words))
            .filter(|words| !others.iter().any(|other| words.contains(other)))
            .collect();
        assert_eq!(named, Vec::<&str>::new(), "{path}");
    }
}
