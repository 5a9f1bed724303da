//! Patterns that are made when they are first used.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A pattern of ours. One that does not compile finds nothing, and the tests would show it.
pub(super) struct LazyPattern(pub(super) LazyLock<Option<Regex>>);

impl LazyPattern {
    pub(super) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.0.as_ref()?.captures(text)
    }

    pub(super) fn all<'t>(&self, text: &'t str) -> Vec<Captures<'t>> {
        let pattern = self.0.as_ref();
        pattern.map_or_else(Vec::new, |pattern| pattern.captures_iter(text).collect())
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.captures(text).is_some()
    }

    /// A text without what the pattern finds at its beginning.
    pub(super) fn stripped<'t>(&self, text: &'t str) -> &'t str {
        let found = self.0.as_ref().and_then(|pattern| pattern.find(text));
        &text[found.map_or(0, |found| found.end())..]
    }

    /// A text with a space in the place of everything that the pattern finds.
    pub(super) fn without<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let pattern = self.0.as_ref();
        pattern.map_or(Cow::Borrowed(text), |pattern| {
            pattern.replace_all(text, " ")
        })
    }
}

macro_rules! pattern {
    ($text:expr) => {
        $crate::pattern::LazyPattern(std::sync::LazyLock::new(|| regex::Regex::new($text).ok()))
    };
}

pub(super) use pattern;
