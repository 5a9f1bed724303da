//! Patterns of ours, each compiled when it is first asked.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::{Captures, Match, Regex};

/// A pattern of a program. One that cannot be compiled matches nothing, and the tests of its rule fail.
#[derive(Debug)]
pub struct LazyPattern {
    words: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl LazyPattern {
    /// A pattern with these words.
    pub const fn new(words: &'static str) -> Self {
        Self {
            words,
            compiled: OnceLock::new(),
        }
    }

    fn regex(&self) -> Option<&Regex> {
        let compiled = self.compiled.get_or_init(|| Regex::new(self.words).ok());
        compiled.as_ref()
    }

    /// Returns true if it is found in a text.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    /// Returns the groups of the first place where it is found.
    pub fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.regex()?.captures(text)
    }

    /// Returns the groups of each place where it is found.
    pub fn captures_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Captures<'t>> {
        let regex = self.regex().into_iter();
        regex.flat_map(move |regex| regex.captures_iter(text))
    }

    /// Returns the places where it is found.
    pub fn find_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Match<'t>> {
        let regex = self.regex().into_iter();
        regex.flat_map(move |regex| regex.find_iter(text))
    }
    /// Returns a text without what is found at its beginning.
    pub fn strip_from<'t>(&self, text: &'t str) -> &'t str {
        let found = self.regex().and_then(|regex| regex.find(text));
        &text[found.map_or(0, |found| found.end())..]
    }

    /// Returns a text with a space in the place of everything that is found.
    pub fn remove_from<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let regex = self.regex();
        regex.map_or(Cow::Borrowed(text), |regex| regex.replace_all(text, " "))
    }
}
