//! Names of repositories in keys: that of the folder, and as much of the way to it as tells it from others.

use std::collections::HashMap;

use crate::key::composed;

/// The names of repositories whose places are these, each a path or an address, in their order; no two are the
/// same.
pub fn name_repositories(places: &[&str]) -> Vec<String> {
    let parts: Vec<Vec<String>> = places.iter().map(|place| parts(place)).collect();
    let mut lengths = vec![1; parts.len()];
    loop {
        let names = parts.iter().zip(&lengths);
        let names: Vec<String> = names
            .map(|(parts, length)| ending(parts, *length))
            .collect();
        let mut same: HashMap<&str, usize> = HashMap::new();
        for name in &names {
            *same.entry(name).or_default() += 1;
        }
        let mut is_longer = false;
        for (at, name) in names.iter().enumerate() {
            if same[name.as_str()] > 1 && lengths[at] < parts[at].len() {
                lengths[at] += 1;
                is_longer = true;
            }
        }
        if !is_longer {
            return numbered(names);
        }
    }
}

/// The parts of a place that may stand in a name.
fn parts(place: &str) -> Vec<String> {
    let way = place.split_once("://").map_or(place, |(_, way)| way);
    let parts = way.split(['/', '\\', ':']).filter(|part| !part.is_empty());
    let mut parts: Vec<String> = parts.map(plain).collect();
    if parts.last().is_some_and(|last| last == ".git") {
        parts.pop();
    }
    if let Some(last) = parts.last_mut()
        && let Some(bare) = last.strip_suffix(".git")
    {
        *last = bare.to_owned();
    }
    if parts.is_empty() {
        parts.push("repository".to_owned());
    }
    parts
}

/// A part of a path as keys have it: composed letters, and nothing that a line or a table would show otherwise.
fn plain(part: &str) -> String {
    let letters = composed(part);
    letters
        .chars()
        .map(|letter| if letter.is_control() { '-' } else { letter })
        .collect()
}

fn ending(parts: &[String], length: usize) -> String {
    parts[parts.len() - length..].join("/")
}

/// Names that are the same even with the whole way get a number.
fn numbered(names: Vec<String>) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let named = names.into_iter().map(|name| {
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        match *count {
            1 => name,
            more => format!("{name}-{more}"),
        }
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_short_as_tells_them_apart() {
        for (places, expected) in [
            (vec!["/src/app", "/src/lib"], vec!["app", "lib"]),
            (vec!["/a/app", "/b/app"], vec!["a/app", "b/app"]),
            (vec!["/app", "/b/app"], vec!["app", "b/app"]),
            (
                vec!["https://host/me/app.git", "git@host:you/app.git"],
                vec!["me/app", "you/app"],
            ),
            (vec!["/src/app/.git", "/"], vec!["app", "repository"]),
            (vec!["/a\nb", "/a-b"], vec!["a-b", "a-b-2"]),
        ] {
            assert_eq!(name_repositories(&places), expected, "{places:?}");
        }
    }
}
