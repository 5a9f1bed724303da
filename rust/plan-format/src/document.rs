//! Documents of a plan: texts with their paths.

use std::ops::Range;
use std::sync::Arc;

use chant_base::text_place::TextPlace;
use chant_text::clash;
use chant_text::edit::line_break;

/// A text and where it lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanDocument {
    /// Its path below the root, with `/`.
    pub path: Box<str>,
    /// All of it, a byte order mark included.
    pub text: String,
    /// The line break that it uses.
    pub line_end: &'static str,
    /// The line, counted from 1, on which two versions of something begin; none in a sound text.
    pub clash: Option<usize>,
}

impl PlanDocument {
    /// Takes in a text.
    pub fn new(path: impl Into<Box<str>>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            path: path.into(),
            line_end: line_break(&text),
            clash: clash::in_document(&text).map(|clash| clash.begins),
            text,
        }
    }

    /// The last part of its path.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The line, counted from 1, in which a byte of the text stands.
    pub fn line_at(&self, byte: usize) -> usize {
        line_at(&self.text, byte)
    }

    /// The place of bytes, blanks around them left out.
    pub fn place(&self, bytes: Range<usize>) -> TextPlace {
        TextPlace::of_words(&self.text, bytes)
    }

    /// The place of words among bytes; that of the bytes where they do not hold them.
    pub fn words(&self, bytes: Range<usize>, words: &str) -> TextPlace {
        TextPlace::within(&self.text, bytes, words)
    }

    /// The place of a line, counted from 1.
    pub fn line_place(&self, line: usize) -> TextPlace {
        TextPlace::of_line(&self.text, line)
    }

    /// The place of something that is missing: the first line that says something.
    pub fn first_line(&self) -> TextPlace {
        TextPlace::of_first_line(&self.text)
    }
}

/// The line, counted from 1, in which a byte of a text stands.
pub fn line_at(text: &str, byte: usize) -> usize {
    let before = &text.as_bytes()[..byte.min(text.len())];
    memchr::memchr_iter(b'\n', before).count() + 1
}

/// The documents of a root that no unit owns: configuration that all units share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RootSettings(pub Vec<Arc<PlanDocument>>);

impl RootSettings {
    /// The document at a path below the root.
    pub fn get(&self, path: &str) -> Option<&PlanDocument> {
        self.0
            .iter()
            .map(|one| &**one)
            .find(|one| *one.path == *path)
    }
}
