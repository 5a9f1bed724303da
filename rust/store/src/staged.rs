//! Texts that are to be written together: documents that change, and new ones.

use std::collections::BTreeMap;

use super::journal::ChangeStep;

/// Texts by the paths of their documents, relative to the root.
#[derive(Default)]
pub struct StagedTexts(BTreeMap<Box<str>, StagedText>);

struct StagedText {
    text: Box<str>,
    is_new: bool,
}

impl StagedTexts {
    /// Puts a text in the place of what was staged for its document; one that was new stays that.
    pub fn put(&mut self, path: Box<str>, text: Box<str>, is_new: bool) {
        let is_new = is_new || self.0.get(&path).is_some_and(|before| before.is_new);
        self.0.insert(path, StagedText { text, is_new });
    }

    /// Returns true if nothing is to be written.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The documents on disk that change, in the order of their paths.
    pub fn replaced(&self) -> impl Iterator<Item = &str> {
        let old = self.0.iter().filter(|(_, entry)| !entry.is_new);
        old.map(|(path, _)| &**path)
    }

    /// Returns the steps to be done.
    pub fn steps(&self) -> Vec<ChangeStep> {
        let mut steps = Vec::with_capacity(self.0.len());
        for (path, entry) in &self.0 {
            let (path, text) = (path.to_string(), entry.text.to_string());
            steps.push(if entry.is_new {
                ChangeStep::Create { path, text }
            } else {
                ChangeStep::Replace { path, text }
            });
        }
        steps
    }
}
