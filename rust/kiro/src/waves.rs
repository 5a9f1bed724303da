//! The graph of waves that a list may hold, as JSON in a fence.

use std::ops::Range;

use serde_json::Value;

/// The waves of a list.
#[derive(Debug, Default)]
pub(super) struct TaskWaves {
    /// The numbers of tasks of each wave.
    pub(super) waves: Vec<Vec<String>>,
    /// For each wave the ones that it waits for, by their indexes.
    pub(super) waits: Vec<Vec<usize>>,
    /// Waves that wait for themselves, by their indexes.
    pub(super) own: Vec<usize>,
    /// The bytes of the fence in which they stand.
    pub(super) fence: Range<usize>,
}

/// Reads the text of a fence; `None` for one that is no JSON with waves.
pub(super) fn waves(document: &str, fence: Range<usize>) -> Option<TaskWaves> {
    let text = document.get(fence.clone())?;
    if !text.contains("waves") {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let waves = value.get("waves")?.as_array()?;
    let mut found = TaskWaves {
        fence,
        ..TaskWaves::default()
    };
    let names: Vec<Vec<String>> = waves
        .iter()
        .enumerate()
        .map(|(at, wave)| names_of(at, wave))
        .collect();
    let has_depends = waves.iter().any(|wave| wave.get("depends_on").is_some());
    for (at, wave) in waves.iter().enumerate() {
        let tasks = if wave.is_array() {
            Some(wave)
        } else {
            wave.get("tasks")
        };
        found.waves.push(texts(tasks));
        let mut waits: Vec<usize> = if has_depends {
            let named = texts(wave.get("depends_on"));
            let places = named
                .iter()
                .filter_map(|name| names.iter().position(|names| names.contains(name)));
            places.collect()
        } else {
            at.checked_sub(1).into_iter().collect()
        };
        if waits.contains(&at) {
            found.own.push(at);
            waits.retain(|wait| *wait != at);
        }
        found.waits.push(waits);
    }
    Some(found)
}

/// The names that other waves may give a wave: its own, or its number.
fn names_of(at: usize, wave: &Value) -> Vec<String> {
    let keys = ["id", "wave", "name"];
    let own: Vec<String> = keys.iter().filter_map(|key| text(wave.get(key)?)).collect();
    if own.is_empty() {
        vec![(at + 1).to_string()]
    } else {
        own
    }
}

fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(values)) => values.iter().filter_map(text).collect(),
        Some(value) => text(value).into_iter().collect(),
        None => Vec::new(),
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().trim_end_matches('.').to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
