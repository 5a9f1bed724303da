//! Patterns of ours, each compiled when it is first asked.

use std::sync::OnceLock;

use regex::{Captures, Match, Regex};

/// A pattern. One that cannot be compiled matches nothing, and the tests of its rule fail.
pub(crate) struct LazyPattern {
    words: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl LazyPattern {
    pub(crate) const fn new(words: &'static str) -> Self {
        Self {
            words,
            compiled: OnceLock::new(),
        }
    }

    fn regex(&self) -> Option<&Regex> {
        let compiled = self.compiled.get_or_init(|| Regex::new(self.words).ok());
        compiled.as_ref()
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    pub(crate) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.regex()?.captures(text)
    }

    pub(crate) fn captures_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Captures<'t>> {
        let regex = self.regex().into_iter();
        regex.flat_map(move |regex| regex.captures_iter(text))
    }

    pub(crate) fn find_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Match<'t>> {
        let regex = self.regex().into_iter();
        regex.flat_map(move |regex| regex.find_iter(text))
    }
}
