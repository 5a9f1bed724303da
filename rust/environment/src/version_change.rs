//! Tells whether a lock file changed in nothing but versions of packages from registries, and their hashes.
//!
//! What is not known to be harmless is not: an unknown key, another source, a package that is new or gone, a package with
//! a script that runs at its installation. A person looks at these first.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Keys of a package of npm that say nothing of where it comes from or what runs at its installation.
const VERSION_KEYS: [&str; 10] = [
    "version", "resolved", "integrity", "engines", "license", "funding", "deprecated",
    "dependencies", "peerDependencies", "peerDependenciesMeta",
];

/// Returns true if the change of a file, by its name, is one of versions alone.
pub(super) fn is_of_versions(path: &str, old: &[u8], new: &[u8]) -> bool {
    let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else {
        return false;
    };
    match path.rsplit('/').next().unwrap_or_default() {
        "package-lock.json" => of_npm(old, new).unwrap_or(false),
        "Cargo.lock" => of_cargo(old, new).unwrap_or(false),
        "go.sum" => go_sums(old) == go_sums(new),
        "go.mod" => go_lines(old) == go_lines(new),
        _ => false,
    }
}

fn of_npm(old: &str, new: &str) -> Option<bool> {
    let [old, new] = [old, new].map(serde_json::from_str::<Map<String, Value>>);
    let (mut old, mut new) = (old.ok()?, new.ok()?);
    let (Value::Object(before), Value::Object(after)) =
        (old.remove("packages")?, new.remove("packages")?)
    else {
        return None;
    };
    // The first layout has a second list of the same packages.
    if old != new || old.contains_key("dependencies") {
        return Some(false);
    }
    if !before.keys().eq(after.keys()) {
        return Some(false);
    }
    for (path, old) in &before {
        let (old, new) = (old.as_object()?, after.get(path)?.as_object()?);
        let runs_script = [old, new]
            .iter()
            .any(|one| one.contains_key("hasInstallScript"));
        if runs_script || old != new && !(is_other_version(old, new)?) {
            return Some(false);
        }
    }
    Some(true)
}

/// Returns true if a package of npm comes from the same place in another version.
fn is_other_version(old: &Map<String, Value>, new: &Map<String, Value>) -> Option<bool> {
    let kept = |package: &Map<String, Value>| {
        let mut kept = package.clone();
        kept.retain(|key, _| !VERSION_KEYS.contains(&key.as_str()));
        kept
    };
    let text =
        |package: &Map<String, Value>, key: &str| Some(package.get(key)?.as_str()?.to_owned());
    let (from, to) = (text(old, "resolved")?, text(new, "resolved")?);
    let (was, is) = (text(old, "version")?, text(new, "version")?);
    let is_plain = |version: &str| {
        version
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ['.', '-', '+'].contains(&c))
    };
    let same_place = from.starts_with("https://")
        && from.ends_with(&format!("-{was}.tgz"))
        && from.replace(&was, &is) == to;
    Some(kept(old) == kept(new) && is_plain(&is) && same_place && text(new, "integrity").is_some())
}

fn of_cargo(old: &str, new: &str) -> Option<bool> {
    let (old, new) = (cargo_packages(old)?, cargo_packages(new)?);
    Some(old == new)
}

/// Returns a lock file of cargo without versions and checksums: the head, and how often each package comes from each
/// source, with the names that it depends on if it comes from none; `None` if there is anything else.
fn cargo_packages(text: &str) -> Option<(String, BTreeMap<Vec<String>, usize>)> {
    let mut parts = text.split("[[package]]\n");
    let head = parts.next()?.to_owned();
    let mut packages = BTreeMap::new();
    for part in parts {
        let mut kept = Vec::new();
        let mut is_of_registry = false;
        let mut dependencies = Vec::new();
        for line in part.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match line.split_once(" = ") {
                Some(("version" | "checksum", _) | ("dependencies", "[")) => {}
                Some(("name", _)) => kept.push(line.to_owned()),
                Some(("source", source)) => {
                    is_of_registry = source.starts_with("\"registry+");
                    kept.push(line.to_owned());
                    if !is_of_registry {
                        // A commit of a repository is any code.
                        return None;
                    }
                }
                None if line == "]" => {}
                None if line.starts_with('"') => {
                    let name = line.trim_matches(['"', ',']).split(' ').next()?;
                    dependencies.push(name.to_owned());
                }
                _ => return None,
            }
        }
        if !is_of_registry {
            kept.extend(dependencies);
        }
        *packages.entry(kept).or_insert(0) += 1;
    }
    Some((head, packages))
}

/// Returns the names of the modules with how often they stand there.
fn go_sums(text: &str) -> Option<BTreeMap<(String, bool), usize>> {
    let mut names = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, version, hash] = words[..] else {
            return None;
        };
        if !hash.starts_with("h1:") {
            return None;
        }
        let is_of_file = version.ends_with("/go.mod");
        *names.entry((name.to_owned(), is_of_file)).or_insert(0) += 1;
    }
    Some(names)
}

/// Returns the lines of a module's file, without the versions of what it requires.
fn go_lines(text: &str) -> Vec<String> {
    let mut is_in_list = false;
    let line = |line: &str| {
        let plain = line.trim();
        if plain == "require (" {
            is_in_list = true;
        } else if plain == ")" {
            is_in_list = false;
        }
        let words: Vec<&str> = plain.split_whitespace().collect();
        match words[..] {
            ["require", name, version, ..] if is_go_version(version) => without(&words, name, 2),
            [name, version, ..] if is_in_list && is_go_version(version) => without(&words, name, 1),
            _ => plain.to_owned(),
        }
    };
    text.lines().map(line).collect()
}

fn without(words: &[&str], name: &str, at: usize) -> String {
    let rest = words.get(at + 1..).unwrap_or_default().join(" ");
    format!("require {name} {rest}")
}

fn is_go_version(word: &str) -> bool {
    word.strip_prefix('v')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::is_of_versions;

    fn npm(packages: &str) -> String {
        format!(
            r#"{{"name": "a", "lockfileVersion": 3, "packages": {{"": {{"name": "a"}}, {packages}}}}}"#
        )
    }

    fn package(version: &str, more: &str) -> String {
        format!(
            r#""node_modules/b": {{"version": "{version}", "resolved": "https://example.org/b/-/b-{version}.tgz", "integrity": "sha512-{version}"{more}}}"#
        )
    }

    #[test]
    fn versions_of_npm() {
        let old = npm(&package("1.0.0", ""));
        let is =
            |new: &str| is_of_versions("web/package-lock.json", old.as_bytes(), new.as_bytes());
        assert!(is(&npm(&package("1.2.0", ""))));
        assert!(is(&npm(&package(
            "1.2.0",
            r#", "dependencies": {"c": "^1"}"#
        ))));
        let other = package("1.2.0", "").replace("example.org", "elsewhere.org");
        let added = format!(
            "{}, {}",
            package("1.2.0", ""),
            package("1.0.0", "").replace('b', "c")
        );
        let link = r#""node_modules/b": {"resolved": "packages/b", "link": true}"#;
        for wrong in [
            npm(&package("1.2.0", r#", "hasInstallScript": true"#)),
            npm(&package("1.2.0", r#", "bin": {"vitest": "b.js"}"#)),
            npm(&package("1.2.0", r#", "of_a_later_release": 1"#)),
            npm(&other),
            npm(&added),
            npm(link),
            npm(&package("../../evil", "")),
            npm(&package("1.2.0", "")).replace(r#""name": "a""#, r#""name": "z""#),
            "{".to_owned(),
        ] {
            assert!(!is(&wrong), "{wrong}");
        }
    }

    const CARGO: &str = "# made\nversion = 4\n\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\ndependencies = [\n \"b\",\n]\n\n[[package]]\nname = \"b\"\nversion = \"1.0.0\"\nsource = \"registry+https://example.org/index\"\nchecksum = \"00\"\n";

    #[test]
    fn versions_of_cargo() {
        let is = |new: &str| is_of_versions("Cargo.lock", CARGO.as_bytes(), new.as_bytes());
        let newer = CARGO.replace("1.0.0", "1.1.0").replace("\"00\"", "\"11\"");
        assert!(is(&newer));
        for (was, becomes) in [
            (
                "registry+https://example.org",
                "registry+https://elsewhere.org",
            ),
            (
                "registry+https://example.org/index",
                "git+https://example.org/b#1",
            ),
            ("\n[[package]]\nname = \"b\"", "\n[[package]]\nname = \"c\""),
            (" \"b\",\n", " \"b\",\n \"c\",\n"),
            ("version = 4", "version = 3"),
            ("checksum", "script"),
        ] {
            assert!(!is(&newer.replace(was, becomes)), "{becomes}");
        }
    }

    #[test]
    fn versions_of_go() {
        let module = "module a\n\ngo 1.22\n\nrequire (\n\texample.org/b v1.0.0\n\texample.org/c v0.1.0 // indirect\n)\n";
        let is = |new: &str| is_of_versions("go.mod", module.as_bytes(), new.as_bytes());
        assert!(is(&module.replace("v1.0.0", "v1.1.0")));
        assert!(!is(&module.replace("example.org/b", "example.org/d")));
        assert!(!is(&format!("{module}replace example.org/b => ../b\n")));
        assert!(!is(&module.replace("go 1.22", "go 1.23")));
        assert!(!is(&module.replace("v1.0.0", "./here")));
        let sums = "example.org/b v1.0.0 h1:a=\nexample.org/b v1.0.0/go.mod h1:b=\n";
        let is = |new: &str| is_of_versions("go.sum", sums.as_bytes(), new.as_bytes());
        assert!(is(&sums.replace("v1.0.0", "v1.1.0")));
        assert!(!is(&format!("{sums}example.org/d v1.0.0 h1:c=\n")));
    }

    #[test]
    fn other_files_are_looked_at_by_a_person() {
        assert!(!is_of_versions(
            "pom.xml", b"<version>1</version>", b"<version>2</version>"
        ));
        assert!(!is_of_versions("Cargo.lock", b"\xff", b"\xff"));
    }
}
