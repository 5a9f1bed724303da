//! Configuration of tests within files that hold other things, too: W9, W11, and the ways that a check's command
//! takes through makefiles and scripts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::added_lines::forced_lines;
use super::finding::{JudgeFinding, JudgeRule};
use chant_text::lazy_pattern::LazyPattern;

static SECTION_HEAD: LazyPattern =
    LazyPattern::new(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:[#;].*)?$");
static NUMBER_WORD: LazyPattern = LazyPattern::new(r"\d+(?:\.\d+)?");
static NARROWING_WORDS: LazyPattern = LazyPattern::new(
    r"(?:^|\s)(?:--deselect|--ignore|-k|-m)\b|\b(?:testpaths|python_files|python_classes|python_functions|norecursedirs|collect_ignore\w*|addopts|markers|testMatch|testRegex|testPathIgnorePatterns|testNamePattern|include|exclude|roots|spec|autotests|harness|test\s*=\s*false)",
);
static COVERAGE_WORDS: LazyPattern = LazyPattern::new(
    r"\b(?:fail_under|omit|exclude_lines|exclude_also|coverageThreshold|thresholds?|branches|functions|statements|lines|cov-fail-under|break|minimum)\b",
);
static RULE_HEAD: LazyPattern = LazyPattern::new(r"^([^\s:#=][^:#=]*?)\s*::?\s*([^=].*|)$");
static ASSIGNED_NAME: LazyPattern =
    LazyPattern::new(r"^\s*(?:export\s+|override\s+)?(\w+)\s*(?:[:?+!]?=)\s*(.*)$");
static USED_NAME: LazyPattern = LazyPattern::new(r"\$[({](\w+)[)}]");

/// The words of commands, as far as they can be told apart.
pub(crate) fn command_words(commands: &[Vec<String>]) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for word in commands.iter().flatten() {
        words.extend(parts(word));
    }
    words
}

fn parts(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| c.is_whitespace() || "&|;()\"'`".contains(c))
        .filter(|part| !part.is_empty())
        .map(|part| part.trim_start_matches("./").to_owned())
}

/// Adds the words that recipes and scripts bring which a command reaches.
pub(crate) fn reached_words(words: &mut BTreeSet<String>, file: &dyn Fn(&str) -> Option<String>) {
    for _ in 0..4 {
        let before = words.len();
        if uses(words, &["make", "gmake", "just"]) {
            for name in [
                "Makefile", "makefile", "GNUmakefile", "justfile", "Justfile",
            ] {
                if let Some(text) = file(name) {
                    for recipe in recipes(&text, words).into_values() {
                        words.extend(parts(&recipe));
                    }
                }
            }
        }
        if uses(words, &["npm", "pnpm", "yarn", "bun", "npx"])
            && let Some(text) = file("package.json")
        {
            for script in scripts(&text, words).into_values() {
                words.extend(parts(&script));
            }
        }
        if words.len() == before {
            return;
        }
    }
}

fn uses(words: &BTreeSet<String>, programs: &[&str]) -> bool {
    words.iter().any(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        programs.contains(&name)
    })
}

/// The recipes of a makefile that some words reach, with the variables that they use, by their names.
fn recipes(text: &str, words: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut all: Vec<(String, String, String)> = Vec::new();
    let mut assigned: BTreeMap<String, String> = BTreeMap::new();
    for line in text.lines() {
        if line.starts_with(['\t', ' ']) {
            if let Some((_, _, body)) = all.last_mut() {
                body.push_str(line);
                body.push('\n');
            }
        } else if let Some(found) = ASSIGNED_NAME.captures(line) {
            let value = assigned.entry(found[1].to_owned()).or_default();
            value.push_str(&found[2]);
            value.push('\n');
        } else if let Some(found) = RULE_HEAD.captures(line) {
            for name in found[1].split_whitespace() {
                all.push((name.to_owned(), found[2].to_owned(), String::new()));
            }
        }
    }
    let first = all
        .iter()
        .find(|(name, ..)| !name.starts_with('.'))
        .map(|one| one.0.clone());
    let named = |name: &String| words.contains(name);
    let mut asked: Vec<String> = all
        .iter()
        .map(|one| one.0.clone())
        .filter(|name| named(name))
        .collect();
    if asked.is_empty() {
        asked.extend(first);
    }
    // What holds for all recipes.
    asked.extend([".IGNORE", ".SHELLFLAGS", ".DEFAULT_GOAL"].map(str::to_owned));
    let mut found = BTreeMap::new();
    while let Some(name) = asked.pop() {
        if found.contains_key(&name) {
            continue;
        }
        let own: Vec<&(String, String, String)> = all.iter().filter(|one| one.0 == name).collect();
        if own.is_empty() {
            continue;
        }
        let mut body = String::new();
        for (_, needs, recipe) in own {
            body.push_str(needs);
            body.push('\n');
            body.push_str(recipe);
            asked.extend(needs.split_whitespace().map(str::to_owned));
        }
        let mut variables: Vec<String> = vec!["SHELL".into(), "MAKEFLAGS".into()];
        variables.extend(
            USED_NAME
                .captures_iter(&body)
                .map(|used| used[1].to_owned()),
        );
        for variable in variables {
            if let Some(value) = assigned.get(&variable) {
                found.insert(format!("{variable} ="), value.clone());
            }
        }
        found.insert(name, body);
    }
    found
}

/// The scripts of a `package.json` that some words reach, with those around them, by their names.
fn scripts(text: &str, words: &BTreeSet<String>) -> BTreeMap<String, String> {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return BTreeMap::new();
    };
    let all = value["scripts"].as_object().cloned().unwrap_or_default();
    let is_test = words.contains("t") || words.contains("tst");
    let mut found = BTreeMap::new();
    for (name, script) in &all {
        let own = name.trim_start_matches("pre").trim_start_matches("post");
        let is_named = |name: &str| words.contains(name) || (name == "test" && is_test);
        if is_named(name) || is_named(own) {
            found.insert(name.clone(), script.as_str().unwrap_or_default().to_owned());
        }
    }
    found
}

/// The parts of a file that configure tests, by their names; all of it for a file that does nothing else.
pub(crate) fn judging_parts(
    path: &str,
    text: &str,
    words: &BTreeSet<String>,
) -> BTreeMap<String, String> {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    match &*name {
        "pyproject.toml" | "setup.cfg" | "cargo.toml" => sections(&name, text),
        "package.json" => {
            let mut parts = BTreeMap::new();
            if let Ok(value) = serde_json::from_str::<Value>(text) {
                for key in ["jest", "vitest", "mocha", "ava", "nyc", "c8", "tap"] {
                    if !value[key].is_null() {
                        let own = serde_json::to_string_pretty(&value[key]).unwrap_or_default();
                        parts.insert(key.to_owned(), own);
                    }
                }
            }
            if uses(words, &["npm", "pnpm", "yarn", "bun", "npx"]) {
                let scripts = scripts(text, words).into_iter();
                parts.extend(scripts.map(|(name, script)| (format!("script {name}"), script)));
            }
            parts
        }
        "makefile" | "gnumakefile" | "justfile" if uses(words, &["make", "gmake", "just"]) => {
            let recipes = recipes(text, words).into_iter();
            recipes
                .map(|(name, recipe)| (format!("target {name}"), recipe))
                .collect()
        }
        _ if name.rsplit('.').next() == Some("mk") && uses(words, &["make", "gmake"]) => {
            [(String::new(), text.to_owned())].into()
        }
        "setup.py" => {
            let own = text
                .lines()
                .filter(|line| line.contains("pytest11"))
                .collect::<Vec<_>>()
                .join("\n");
            if own.is_empty() {
                BTreeMap::new()
            } else {
                [("pytest11".to_owned(), own)].into()
            }
        }
        _ if name.starts_with("vite.config") => {
            let is_of_tests = text.contains("vitest") || text.contains("test:");
            if is_of_tests {
                [(String::new(), text.to_owned())].into()
            } else {
                BTreeMap::new()
            }
        }
        _ => BTreeMap::new(),
    }
}

/// The sections of a configuration that belong to tools of tests.
fn sections(file: &str, text: &str) -> BTreeMap<String, String> {
    let belongs = |section: &str| {
        let section = section.replace(['"', '\''], "");
        let starts = |names: &[&str]| names.iter().any(|name| section.starts_with(name));
        match file {
            "cargo.toml" => starts(&["profile.test", "test", "bench", "package.metadata.nextest"]),
            "setup.cfg" => starts(&["tool:pytest", "coverage:"]),
            _ => starts(&[
                "tool.pytest",
                "tool.coverage",
                "tool.tox",
                "tool.nox",
                "tool.mutmut",
                "project.entry-points.pytest11",
                "tool.poetry.plugins.pytest11",
            ]),
        }
    };
    // Keys of other sections that say which tests there are.
    let is_key = |line: &str| {
        let key = line.split('=').next().unwrap_or_default().trim();
        (file == "cargo.toml"
            && ["autotests", "harness", "test", "doctest", "build"].contains(&key))
            || line.contains("pytest11")
    };
    let mut parts: BTreeMap<String, String> = BTreeMap::new();
    let mut section = String::new();
    for line in text.lines() {
        if let Some(found) = SECTION_HEAD.captures(line) {
            found[2].clone_into(&mut section);
            if belongs(&section) {
                parts.entry(section.clone()).or_default();
            }
            continue;
        }
        let line = line.trim_end();
        if line.is_empty() || line.trim_start().starts_with(['#', ';']) {
            continue;
        }
        if belongs(&section) || is_key(line) {
            let part = parts.entry(section.clone()).or_default();
            part.push_str(line);
            part.push('\n');
        }
    }
    parts
}

/// Returns the findings about parts that differ.
pub(crate) fn part_findings(
    path: &str,
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
) -> Vec<JudgeFinding> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let mut found = Vec::new();
    for name in names {
        let empty = String::new();
        let (old, new) = (
            old.get(name).unwrap_or(&empty),
            new.get(name).unwrap_or(&empty),
        );
        if old != new {
            found.extend(text_findings(path, name, (old, new)));
        }
    }
    found
}

/// Returns the findings about a text that configures tests: that it changed, and by which rules it asks for less.
pub(crate) fn text_findings(path: &str, part: &str, (old, new): (&str, &str)) -> Vec<JudgeFinding> {
    let added = super::added_lines::added_lines(old, new);
    let gone = super::added_lines::added_lines(new, old);
    if added.is_empty() && gone.is_empty() {
        return Vec::new();
    }
    let words = |lines: &[(usize, &str)]| {
        lines
            .iter()
            .map(|(_, line)| line.trim())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let (before, now) = (words(&gone), words(&added));
    // Lines of a part are counted from its start, so its file has no line to name.
    let line = if part.is_empty() {
        added.first().or(gone.first()).map_or(1, |line| line.0)
    } else {
        1
    };
    let finding = |rule| {
        JudgeFinding::new(rule, path, line)
            .of(part)
            .changed(&before, &now)
    };
    let mut found = vec![finding(JudgeRule::Configuration)];
    let both = || gone.iter().chain(&added).map(|(_, line)| *line);
    if both().any(|line| NARROWING_WORDS.is_match(line)) {
        found.push(finding(JudgeRule::Collection));
    }
    let numbers = |lines: &[(usize, &str)]| {
        let covering = lines
            .iter()
            .filter(|(_, line)| COVERAGE_WORDS.is_match(line));
        covering
            .flat_map(|(_, line)| {
                NUMBER_WORD
                    .find_iter(line)
                    .filter_map(|number| number.as_str().parse::<f64>().ok())
                    .collect::<Vec<_>>()
            })
            .sum::<f64>()
    };
    let is_lower = numbers(&added) < numbers(&gone);
    let leaves_out = added
        .iter()
        .any(|(_, line)| line.contains("omit") || line.contains("exclude_"));
    if both().any(|line| COVERAGE_WORDS.is_match(line)) && (is_lower || leaves_out) {
        found.push(finding(JudgeRule::Coverage));
    }
    if !forced_lines(old, new).is_empty() {
        found.push(finding(JudgeRule::ForcedSuccess));
    }
    found
}
