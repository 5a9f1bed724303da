//! The words that stand before the colon of keys, one for each format.
//!
//! It is a closed list, no pattern: a text such as `note: x` must not become a key.

use std::sync::{PoisonError, RwLock};

/// The words of all built-in formats, in the order of lists.
pub const FORMAT_WORDS: [&str; 7] = [
    "chant", "vine", "speckit", "tickets", "openspec", "kiro", "backlog",
];

/// Words that this process takes besides.
static ADMITTED: RwLock<Vec<&str>> = RwLock::new(Vec::new());

/// All words, in the order of lists.
pub fn format_words() -> Vec<&'static str> {
    let admitted = ADMITTED.read().unwrap_or_else(PoisonError::into_inner);
    FORMAT_WORDS
        .iter()
        .chain(admitted.iter())
        .copied()
        .collect()
}

/// The word that a text is, if it is one.
pub fn find_format_word(text: &str) -> Option<&'static str> {
    let known = FORMAT_WORDS.into_iter().find(|known| *known == text);
    known.or_else(|| {
        let admitted = ADMITTED.read().unwrap_or_else(PoisonError::into_inner);
        admitted.iter().find(|known| **known == text).copied()
    })
}

/// Takes a further word in this process; a built-in one wins.
pub fn admit_format_word(word: &'static str) {
    if find_format_word(word).is_none() {
        let mut admitted = ADMITTED.write().unwrap_or_else(PoisonError::into_inner);
        admitted.push(word);
    }
}
