//! Texts that are to be written together: documents that change, and new ones.

use std::collections::BTreeMap;

use super::journal::ChangeStep;

/// Texts by the paths of their documents, relative to the root.
#[derive(Default)]
pub struct StagedTexts(BTreeMap<Box<str>, StagedText>);

struct StagedText {
    text: Box<str>,
    is_new: bool,
    /// The text on disk, where one that is the same need not be written.
    before: Option<Box<str>>,
}

impl StagedTexts {
    /// Puts a text in the place of what was staged for its document; one that was new stays that.
    pub fn put(&mut self, path: Box<str>, text: Box<str>, is_new: bool) {
        let is_new = is_new || self.0.get(&path).is_some_and(|before| before.is_new);
        let before = None;
        let staged = StagedText {
            text,
            is_new,
            before,
        };
        self.0.insert(path, staged);
    }

    /// Puts a text in the place of a document's, or of what was staged for it; nothing is written where the document
    /// says the same in the end.
    pub fn replace(&mut self, path: &str, before: &str, text: &str) {
        let text = text.into();
        if let Some(staged) = self.0.get_mut(path) {
            staged.text = text;
            return;
        }
        let staged = StagedText {
            text,
            is_new: false,
            before: Some(before.into()),
        };
        self.0.insert(path.into(), staged);
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
        let is_other = |entry: &StagedText| entry.before.as_ref() != Some(&entry.text);
        for (path, entry) in self.0.iter().filter(|(_, entry)| is_other(entry)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_that_says_the_same_in_the_end_is_not_written() {
        let mut texts = StagedTexts::default();
        texts.replace("a", "one", "two");
        texts.replace("b", "one", "two");
        texts.replace("a", "two", "one");
        texts.put("c".into(), "new".into(), true);
        texts.put("c".into(), "newer".into(), false);
        assert_eq!(texts.replaced().collect::<Vec<_>>(), ["a", "b"]);
        let b = ChangeStep::Replace {
            path: "b".into(),
            text: "two".into(),
        };
        let c = ChangeStep::Create {
            path: "c".into(),
            text: "newer".into(),
        };
        assert_eq!(texts.steps(), [b, c]);
    }
}
