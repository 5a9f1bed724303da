//! Lists of pinned dependencies: what changes in them alone, and hashes of the same version that are others.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::finding::{Finding, Rule};

/// The pinned packages of a list: by name and version, their hashes.
type Pinned = BTreeMap<String, BTreeSet<String>>;

/// Returns the findings about a lock file; `is_alone` if no list of dependencies changed with it.
pub(crate) fn lock_findings(path: &str, old: &str, new: &str, is_alone: bool) -> Vec<Finding> {
    let mut found = Vec::new();
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    if let (Some(before), Some(now)) = (pinned(&name, old), pinned(&name, new)) {
        for (package, hashes) in &before {
            let Some(other) = now.get(package) else {
                continue;
            };
            if !hashes.is_empty() && hashes.is_disjoint(other) {
                let text = |hashes: &BTreeSet<String>| hashes.first().cloned().unwrap_or_default();
                let line = new
                    .lines()
                    .position(|line| other.iter().any(|hash| line.contains(hash.as_str())));
                let line = line.map_or(1, |at| at + 1);
                found.push(
                    Finding::new(Rule::Lock, path, line)
                        .of(package)
                        .changed(&text(hashes), &text(other)),
                );
            }
        }
    }
    if found.is_empty() && is_alone {
        found.push(Finding::new(Rule::Lock, path, 1));
    }
    found
}

fn pinned(name: &str, text: &str) -> Option<Pinned> {
    match name {
        "cargo.lock" | "poetry.lock" | "uv.lock" | "pdm.lock" => Some(pinned_in_toml(text)),
        "package-lock.json" | "npm-shrinkwrap.json" => {
            let value: Value = serde_json::from_str(text).ok()?;
            let mut found = Pinned::new();
            for (name, package) in value["packages"].as_object()? {
                let version = package["version"].as_str().unwrap_or_default();
                let hash = package["integrity"].as_str();
                found
                    .entry(format!("{name} {version}"))
                    .or_default()
                    .extend(hash.map(str::to_owned));
            }
            Some(found)
        }
        "go.sum" => {
            let mut found = Pinned::new();
            for line in text.lines() {
                let mut words = line.split_whitespace();
                if let (Some(name), Some(version), Some(hash)) =
                    (words.next(), words.next(), words.next())
                {
                    found
                        .entry(format!("{name} {version}"))
                        .or_default()
                        .insert(hash.to_owned());
                }
            }
            Some(found)
        }
        _ => None,
    }
}

/// The packages of a list in TOML, whose tools write one key a line.
fn pinned_in_toml(text: &str) -> Pinned {
    let value = |line: &str, key: &str| {
        let rest = line
            .trim()
            .strip_prefix(key)?
            .trim_start()
            .strip_prefix('=')?;
        Some(rest.trim().trim_matches('"').to_owned())
    };
    let mut found = Pinned::new();
    let (mut name, mut version) = (String::new(), String::new());
    for line in text.lines() {
        if line.trim() == "[[package]]" {
            (name, version) = (String::new(), String::new());
        } else if let Some(own) = value(line, "name") {
            name = own;
        } else if let Some(own) = value(line, "version") {
            version = own;
        }
        let mut hashes: Vec<String> = value(line, "checksum").into_iter().collect();
        for part in line.split("hash = \"").skip(1) {
            hashes.extend(part.split('"').next().map(str::to_owned));
        }
        if !hashes.is_empty() && !name.is_empty() {
            found
                .entry(format!("{name} {version}"))
                .or_default()
                .extend(hashes);
        }
    }
    found
}
