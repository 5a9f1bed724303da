//! Places of front matter, its keys and their values in a document.

use std::ops::Range;

use chant_base::text_place::TextPlace;

use super::entries::keys_apart;
use super::keys::FrontMatterKey;
use super::layout;

/// The keys of a document's front matter with their places.
#[derive(Debug)]
pub struct FrontMatterPlaces<'a> {
    text: &'a str,
    /// The first byte of the YAML.
    start: usize,
    keys: Vec<FrontMatterKey<'a>>,
}

impl<'a> FrontMatterPlaces<'a> {
    /// The places in a document; one whose front matter is not closed has no keys.
    pub fn of(text: &'a str) -> Self {
        let layout = layout(text).ok();
        Self::of_yaml(text, layout.and_then(|layout| layout.yaml).unwrap_or(0..0))
    }

    /// The places in the part of a text that is YAML.
    pub fn of_yaml(text: &'a str, yaml: Range<usize>) -> Self {
        Self {
            text,
            start: yaml.start,
            keys: keys_apart(&text[yaml]),
        }
    }

    /// Returns true if a key stands there.
    pub fn has(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key.name == name)
    }

    /// A key with its value, the last one of that name; else the place where it should stand.
    pub fn key(&self, name: &str) -> TextPlace {
        let found = self.keys.iter().rfind(|key| key.name == name);
        found.map_or(self.opening(), |key| self.place(key.block.clone()))
    }

    /// Words in the value of a key; the key with its value where they do not stand there.
    pub fn value(&self, name: &str, words: &str) -> TextPlace {
        let Some(key) = self.keys.iter().rfind(|key| key.name == name) else {
            return self.opening();
        };
        let value = key.rest.start + self.start..key.block.end + self.start;
        if self.text[value.clone()].contains(words) && !words.is_empty() {
            TextPlace::within(self.text, value, words)
        } else {
            self.place(key.block.clone())
        }
    }

    /// The key on a line of the YAML, counted from 1, with its value; the words of the line where none begins.
    pub fn on_line(&self, line: usize) -> TextPlace {
        if let Some(key) = self.keys.iter().find(|key| key.line == line) {
            return self.place(key.block.clone());
        }
        let before = self.text[..self.start].matches('\n').count();
        TextPlace::of_line(self.text, line + before)
    }

    /// The place of what is missing: the line that opens front matter, else the first one that says something.
    pub fn opening(&self) -> TextPlace {
        TextPlace::of_first_line(self.text)
    }

    fn place(&self, block: Range<usize>) -> TextPlace {
        TextPlace::of_words(self.text, block.start + self.start..block.end + self.start)
    }
}
