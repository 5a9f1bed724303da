//! Lists of pinned dependencies: what changes in them alone, and hashes of the same version that are others.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::finding::{JudgeFinding, JudgeRule};

/// The pinned packages of a list: by name and version, their hashes.
type Pinned = BTreeMap<String, BTreeSet<String>>;

/// Returns the findings about a lock file; `is_alone` if no list of dependencies changed with it.
pub(crate) fn lock_findings(path: &str, old: &str, new: &str, is_alone: bool) -> Vec<JudgeFinding> {
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
                    JudgeFinding::new(JudgeRule::Lock, path, line)
                        .of(package)
                        .changed(&text(hashes), &text(other)),
                );
            }
        }
    }
    if found.is_empty() && is_alone {
        found.push(JudgeFinding::new(JudgeRule::Lock, path, 1));
    }
    found
}

fn pinned(name: &str, text: &str) -> Option<Pinned> {
    match name {
        "cargo.lock" | "poetry.lock" | "uv.lock" | "pdm.lock" => pinned_in_toml(text),
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

/// The packages of a list in TOML.
fn pinned_in_toml(text: &str) -> Option<Pinned> {
    let list: toml::Table = toml::from_str(text).ok()?;
    let mut found = Pinned::new();
    for package in list.get("package")?.as_array()? {
        let word = |key: &str| package.get(key).and_then(toml::Value::as_str);
        let name = format!("{} {}", word("name")?, word("version").unwrap_or_default());
        add_hashes(package, found.entry(name).or_default());
    }
    Some(found)
}

/// Adds the hashes of a package, those of its single files among them.
fn add_hashes(value: &toml::Value, found: &mut BTreeSet<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                match value
                    .as_str()
                    .filter(|_| key == "checksum" || key == "hash")
                {
                    Some(hash) => {
                        found.insert(hash.to_owned());
                    }
                    None => add_hashes(value, found),
                }
            }
        }
        toml::Value::Array(values) => values.iter().for_each(|value| add_hashes(value, found)),
        _ => {}
    }
}
