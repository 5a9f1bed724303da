//! The description that a plugin gives of its format once: words, places of documents, edits.

use chant_base::format_words::find_format_word;
use chant_plan_format::intent::IntentKind;
use chant_plan_format::scope::{FormatScope, UnitForm, UnitPattern};
use serde::Deserialize;

use super::fault::{PluginFault, fault};

/// Patterns of documents, and markers.
const MAX_PATTERNS: usize = 20;
/// Letters of a word, a noun or a pattern.
const MAX_LEN: usize = 100;
/// Documents of a pattern.
const MAX_DOCUMENTS: usize = 1_000;

/// The edits that a plugin can offer.
const INTENTS: [IntentKind; 5] = [
    IntentKind::Tick,
    IntentKind::Status,
    IntentKind::Set,
    IntentKind::Title,
    IntentKind::Add,
];

/// Endings of files that machines run: no plan is kept in one.
const CODE_ENDINGS: [&str; 24] = [
    "bash", "bat", "c", "cmd", "cpp", "dll", "exe", "go", "h", "java", "js", "jsx", "mjs", "php",
    "pl", "ps1", "py", "pyc", "rb", "rs", "sh", "so", "ts", "tsx",
];

/// The description, as the plugin gives it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FormatDescription {
    word: String,
    title: String,
    noun: String,
    plural: String,
    /// Paths below the root, one of which is there where the format is used.
    markers: Vec<String>,
    /// Paths of documents below the root; `*` in the last part stands for any letters.
    documents: Vec<String>,
    #[serde(default)]
    intents: Vec<String>,
    statuses: Vec<String>,
    example: String,
}

/// A description that was checked. Its texts stay for as long as this process: a format is described once.
pub(crate) struct CheckedDescription {
    pub(crate) scope: &'static FormatScope,
    pub(crate) units: Vec<UnitPattern>,
}

impl FormatDescription {
    /// # Errors
    /// The fault, as the rest of a sentence that begins with the plugin.
    pub(crate) fn checked(self) -> Result<CheckedDescription, PluginFault> {
        self.check_words()?;
        self.check_paths()?;
        let units = self
            .documents
            .iter()
            .map(|path| unit_pattern(path))
            .collect::<Result<_, _>>()?;
        let intents = self
            .intents
            .iter()
            .map(|word| intent(word))
            .collect::<Result<Vec<_>, _>>()?;
        let example = format!("{}:{}", self.word, self.example);
        let scope = FormatScope {
            word: kept(&self.word),
            title: kept(&self.title),
            noun: kept(&self.noun),
            plural: kept(&self.plural),
            markers: kept_list(&self.markers),
            settings: &[],
            intents: Box::leak(intents.into()),
            statuses: kept_list(&self.statuses),
            touched: &[],
            example: kept(&example),
        };
        Ok(CheckedDescription {
            scope: Box::leak(Box::new(scope)),
            units,
        })
    }

    fn check_words(&self) -> Result<(), PluginFault> {
        let word = &self.word;
        let is_word = word.len() > 1
            && word.len() <= 30
            && word.starts_with(|c: char| c.is_ascii_lowercase())
            && word
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !is_word {
            return fault(format!(
                "has the word `{word}`; expected small letters, digits and hyphens"
            ));
        }
        if find_format_word(word).is_some() {
            return fault(format!("has the word `{word}`, which another format has"));
        }
        for text in [&self.title, &self.noun, &self.plural, &self.example]
            .into_iter()
            .chain(&self.statuses)
        {
            if text.is_empty() || text.len() > MAX_LEN || text.contains(char::is_control) {
                return fault(format!(
                    "has the name `{}`; expected up to {MAX_LEN} letters",
                    text.escape_debug()
                ));
            }
        }
        Ok(())
    }

    fn check_paths(&self) -> Result<(), PluginFault> {
        for (name, paths) in [("markers", &self.markers), ("documents", &self.documents)] {
            if paths.is_empty() || paths.len() > MAX_PATTERNS {
                return fault(format!(
                    "names {} {name}; expected 1 to {MAX_PATTERNS}",
                    paths.len()
                ));
            }
        }
        for path in self.markers.iter().chain(&self.documents) {
            check_path(path)?;
        }
        for marker in &self.markers {
            if marker.contains('*') {
                return fault(format!(
                    "has the marker `{marker}`; a marker is a path without `*`"
                ));
            }
        }
        Ok(())
    }
}

fn kept(text: &str) -> &'static str {
    Box::leak(text.into())
}

fn kept_list(texts: &[String]) -> &'static [&'static str] {
    let texts: Vec<&'static str> = texts.iter().map(|text| kept(text)).collect();
    Box::leak(texts.into())
}

fn intent(word: &str) -> Result<IntentKind, PluginFault> {
    let known = INTENTS.into_iter().find(|kind| kind.as_str() == word);
    known.ok_or_else(|| {
        let words: Vec<&str> = INTENTS.iter().map(|kind| kind.as_str()).collect();
        format!(
            "takes the edit `{word}`; expected some of {}",
            words.join(", ")
        )
        .into()
    })
}

/// A path that stays below the root, is nothing of git, and no program.
fn check_path(path: &str) -> Result<(), PluginFault> {
    let refused = |why: &str| {
        fault(format!(
            "names the path `{}`, which {why}",
            path.escape_debug()
        ))
    };
    if path.is_empty()
        || path.len() > MAX_LEN
        || path.contains(|c: char| c.is_control() || c == '\\' || c == ':')
    {
        return refused("is no plain path");
    }
    if path.starts_with('/') || path.split('/').any(|part| ["", ".", ".."].contains(&part)) {
        return refused("leads out of the project");
    }
    let of_git = |part: &str| part.to_lowercase().starts_with(".git");
    if path.split('/').any(of_git) {
        return refused("belongs to git");
    }
    let file = path.rsplit('/').next().unwrap_or_default();
    let ending = file
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_lowercase());
    if ending.is_some_and(|ending| CODE_ENDINGS.contains(&&*ending)) {
        return refused("is a program");
    }
    Ok(())
}

fn unit_pattern(path: &str) -> Result<UnitPattern, PluginFault> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    if folder.contains('*') || !file.contains('.') {
        return fault(format!(
            "names the documents `{path}`; `*` may stand in the last part alone, which needs an ending"
        ));
    }
    if file
        .rsplit_once('.')
        .is_some_and(|(_, ending)| ending.contains('*'))
    {
        return fault(format!(
            "names the documents `{path}`, whose ending is open"
        ));
    }
    Ok(UnitPattern {
        kind: "document",
        folder: folder.to_owned(),
        form: UnitForm::File(kept_list(&[file.to_owned()])),
        depth: 1,
        accepts: |_| true,
        limit: if file.contains('*') { MAX_DOCUMENTS } else { 1 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(key: &str, value: serde_json::Value) -> Result<CheckedDescription, PluginFault> {
        let mut described = serde_json::json!({
            "word": "todo-test", "title": "todo.txt", "noun": "task", "plural": "tasks", "markers": ["todo.txt"],
            "documents": ["todo.txt", "lists/*.txt"], "intents": ["tick"], "statuses": ["open"], "example": "paint",
        });
        described[key] = value;
        let read: FormatDescription =
            serde_json::from_value(described).map_err(|error| PluginFault(error.to_string()))?;
        read.checked()
    }

    #[test]
    fn patterns_stay_below_the_root_and_are_no_programs() {
        for path in [
            "/etc/passwd", "../x.txt", "a/../x.txt", ".git/config.txt", "a/.GIT/x.txt", "x.py",
            "X.SH", "C:\\x.txt", "", "a//b.txt", "*.*", "a*/x.txt", "x",
        ] {
            assert!(
                checked("documents", serde_json::json!([path])).is_err(),
                "{path}"
            );
        }
        assert!(checked("documents", serde_json::json!(vec!["a.txt"; 21])).is_err());
        assert_eq!(checked("noun", "task".into()).unwrap().units.len(), 2);
    }

    #[test]
    fn words_of_other_formats_are_taken() {
        for word in ["chant", "", "x", "Todo", "a:b", "a b"] {
            assert!(checked("word", word.into()).is_err(), "{word}");
        }
    }
}
