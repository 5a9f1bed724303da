//! Who may name whom (ARCHITECTURE.md): the arrows, checked over the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// Source files by their path below `src`, with their text.
fn sources() -> Vec<(String, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    walk(&root, &mut found);
    found.sort();
    let name = |path: &Path| {
        path.strip_prefix(&root)
            .unwrap()
            .display()
            .to_string()
            .replace('\\', "/")
    };
    found
        .iter()
        .map(|path| (name(path), fs::read_to_string(path).unwrap()))
        .collect()
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
    only("petgraph::", &["graph/"]);
    only("diffy", &["text/merge.rs"]);
    only("csv::", &["workspace/csv_table.rs"]);
    only("unicode_normalization", &["workspace/key.rs"]);
    only("toml::", &["dialects/tickets/projects/"]);
    only("std::fs", &["store/disk/", "git/"]);
    only(
        "Command::new",
        &[
            "git/program.rs",
            "work/agent.rs",
            "work/connections.rs",
            "work/command.rs",
            "work/launch.rs",
        ],
    );
    only("std::env", &["git/program.rs"]);
    only("landlock::", &["confine/"]);
    only("seccompiler::", &["confine/seccomp.rs"]);
    only("ureq::", &["provider/endpoint.rs", "provider/http.rs"]);
    only("pyo3", &[]);
    only("println!", &[]);
}

#[test]
fn engines_know_no_dialect_and_dialects_not_each_other() {
    for engine in [
        "answer.rs",
        "ident.rs",
        "external_items.rs",
        "text/",
        "store/",
        "graph/",
        "git/",
        "work/",
        "provider/",
        "trust/",
        "confine/",
        "agent_events/",
        "money.rs",
        "next_step/",
        "lint.rs",
        "config.rs",
        "config/",
    ] {
        for (path, text) in sources()
            .into_iter()
            .filter(|(path, _)| path.starts_with(engine))
        {
            assert!(!code(&text).contains("dialects"), "{path} knows a dialect");
        }
    }
    let dialects = ["chant", "vine", "speckit", "tickets"];
    for (path, text) in sources() {
        let Some(own) = dialects
            .iter()
            .find(|own| path.starts_with(&format!("dialects/{own}/")))
        else {
            continue;
        };
        for other in dialects.iter().filter(|other| *other != own) {
            let knows = code(&text).contains(&format!("dialects::{other}"));
            assert!(!knows, "{path} knows {other}");
        }
    }
}

#[test]
fn the_workspace_lies_above_all_dialects() {
    only("workspace::", &["workspace/", "error.rs"]);
}

/// What every engine may name: it knows nothing itself.
const GROUND: [&str; 2] = ["crate::counted", "crate::recent"];

#[test]
fn engines_know_only_what_lies_below_them() {
    let below = [
        ("text/", vec!["crate::ident", "crate::text"]),
        ("store/", vec!["crate::store"]),
        ("graph/", vec!["crate::graph"]),
        // Those who start processes hold them.
        ("git/", vec!["crate::git", "crate::confine"]),
        ("confine/", vec!["crate::confine", "crate::store"]),
        ("lint.rs", vec![]),
        ("ident.rs", vec![]),
        ("external_items.rs", vec![]),
        ("environment.rs", vec![]),
        ("money.rs", vec![]),
        (
            "agent_events/",
            vec!["crate::agent_events", "crate::money", "crate::next_step"],
        ),
        ("next_step/", vec!["crate::next_step"]),
        (
            "config.rs",
            vec!["crate::environment", "crate::text", "crate::money"],
        ),
        (
            "config/",
            vec!["crate::ident", "crate::money", "crate::text"],
        ),
        (
            "trust/",
            vec![
                "crate::trust",
                "crate::text",
                "crate::store",
                "crate::git",
                "crate::config",
            ],
        ),
        (
            "work/",
            vec![
                "crate::work",
                "crate::agent_events",
                "crate::confine",
                "crate::environment",
                "crate::money",
                "crate::store",
                "crate::answer",
            ],
        ),
        (
            "provider/",
            vec![
                "crate::provider",
                "crate::work",
                "crate::store",
                "crate::error",
            ],
        ),
    ];
    for (place, allowed) in below {
        for (path, text) in sources()
            .into_iter()
            .filter(|(path, _)| path.starts_with(place))
        {
            let text = code(&text);
            for (at, _) in text.match_indices("crate::") {
                let named: String = text[at..]
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
                    .collect();
                assert!(
                    allowed.iter().chain(&GROUND).any(|a| named.starts_with(a)),
                    "{path} names {named}"
                );
            }
        }
    }
}

#[test]
fn of_the_engines_those_that_start_processes_alone_know_how_to_hold_them() {
    only(
        "crate::confine",
        &["confine/", "git/", "work/", "dialects/"],
    );
}

#[test]
fn only_shapes_of_answers_and_records_are_serialized() {
    only(
        "Serialize)]",
        &[
            "dialects/chant/receipt/",
            "dialects/chant/view/",
            "dialects/speckit/events.rs",
            "dialects/speckit/questions.rs",
            "dialects/speckit/view.rs",
            "dialects/tickets/view.rs",
            "dialects/vine/view.rs",
            "dialects/tickets/advice/view.rs",
            "dialects/tickets/projects/view.rs",
            "store/journal.rs",
            "work/run_record.rs",
            "work/state.rs",
            "work/usage.rs",
            "answer.rs",
            "config/view.rs",
            "workspace/handle.rs",
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
        "chant_",
        "vine_",
        "rstn_",
        "list_crs",
        "create_cr",
        "get_cr",
    ];
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    line.contains(' ') && words.any(|word| tools.iter().any(|tool| word.starts_with(tool)))
}

// What may help is data, which each door words.
#[test]
fn only_tables_of_doors_and_what_agents_in_runs_are_given_name_tools() {
    let of_agents = [
        "next_step/",
        "trust/effects.rs",
        "dialects/chant/project/caller_run.rs",
        "dialects/chant/ops/update.rs",
        // Answers of tools that no command prints.
        "dialects/tickets/",
        "dialects/speckit/ops.rs",
    ];
    let others = ["chant_core", "chant_mcp", "vine_ref"];
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
