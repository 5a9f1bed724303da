//! The texts that imports wrote: `.chant/imports/` keeps them with the project, so that every clone knows what
//! changed since, in the source and here.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use chant_store::journal::ChangeStep;

/// The folder of the records.
pub const IMPORTS: &str = ".chant/imports";

/// The texts of one source's specs as they were imported, by their origins.
#[derive(Debug, Default)]
pub(super) struct ImportRecords {
    texts: BTreeMap<String, String>,
}

impl ImportRecords {
    /// The file of a source's records. Sources whose names differ in signs alone may share one.
    pub(super) fn path(format: &str, source: &str) -> String {
        let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
        let name: String = source.chars().map(plain).collect();
        let name = name.trim_matches('-');
        let name: String = name.chars().rev().take(80).collect();
        let name: String = name.chars().rev().collect();
        format!("{IMPORTS}/{format}-{name}.jsonl")
    }

    /// Reads a file, a line each; what is no record is dropped.
    pub(super) fn read(text: &str) -> Self {
        let record = |line: &str| {
            let value: Value = serde_json::from_str(line).ok()?;
            let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
            Some((text("origin")?, text("text")?))
        };
        Self {
            texts: text.lines().filter_map(record).collect(),
        }
    }

    /// The text that was imported for an origin.
    pub(super) fn find(&self, origin: &str) -> Option<&str> {
        self.texts.get(origin).map(String::as_str)
    }

    /// Records a text.
    pub(super) fn put(&mut self, origin: &str, text: String) {
        self.texts.insert(origin.to_owned(), text);
    }

    /// The origins of a source.
    pub(super) fn of_source<'a>(
        &'a self,
        format: &str,
        source: &str,
    ) -> impl Iterator<Item = &'a str> {
        let prefix = format!("{format}:{source}#");
        let all = self.texts.keys().map(String::as_str);
        all.filter(move |origin| origin.starts_with(&prefix))
    }

    /// The step that writes the file.
    pub(super) fn step(&self, path: &str, is_there: bool) -> Option<ChangeStep> {
        if self.texts.is_empty() {
            return None;
        }
        let line = |(origin, text): (&String, &String)| {
            format!("{}\n", json!({"origin": origin, "text": text}))
        };
        let text: String = self.texts.iter().map(line).collect();
        let path = path.to_owned();
        Some(if is_there {
            ChangeStep::Replace { path, text }
        } else {
            ChangeStep::Create { path, text }
        })
    }
}
