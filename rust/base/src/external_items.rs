//! Items of documents of another kind that a document may name: how far they are.
//!
//! The caller that knows all kinds hands a document's kind an [`ExternalItems`]; so each asks about the others
//! without knowing them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::format_words::find_format_word;

/// The signs in a key behind which the name of a part begins.
const PART_SIGNS: [char; 3] = ['#', '.', '/'];

/// Returns true if an item is a part of another one, by their keys.
pub fn is_part_of(key: &str, holder: &str) -> bool {
    let rest = key.strip_prefix(holder);
    rest.is_some_and(|rest| rest.starts_with(PART_SIGNS))
}

/// Returns the keys of all items that an item is a part of, by its key.
pub fn holders_of(key: &str) -> impl Iterator<Item = &str> {
    let ends = key.match_indices(PART_SIGNS);
    ends.map(|(at, _)| &key[..at])
}

/// The kind that a key begins with and what follows, for a key such as `tickets:MDT-012`.
pub fn split_key(key: &str) -> Option<(&'static str, &str)> {
    let (prefix, rest) = key.split_once(':')?;
    let known = find_format_word(prefix)?;
    (!rest.is_empty()).then_some((known, rest))
}

/// The repository that a key begins with and the key there, for a key such as `app/tickets:MDT-012`.
///
/// Names of repositories have no colon and may have a `/`.
pub fn split_repository(key: &str) -> Option<(&str, &str)> {
    let (repository, _) = key.split_once(':')?.0.rsplit_once('/')?;
    let rest = &key[repository.len() + 1..];
    (!repository.is_empty() && split_key(rest).is_some()).then_some((repository, rest))
}

/// Returns true if a text names an item by its whole key, here or in another repository.
pub fn is_key(text: &str) -> bool {
    split_key(text).is_some() || split_repository(text).is_some()
}

/// The status of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExternalStatus {
    /// It is there.
    Found {
        /// Its state, in the word of its documents.
        status: String,
        /// True if nothing waits for it any more.
        is_done: bool,
        /// Where it lies, as a person would say it.
        place: String,
    },
    /// It could not be found or looked up; the text says why.
    Unknown(String),
}

impl ExternalStatus {
    /// Returns true if nothing waits for it any more.
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Found { is_done: true, .. })
    }
}

type StatusFunction = dyn Fn(&[String]) -> Vec<ExternalStatus> + Send + Sync;

/// Reports how far items are, by their whole keys, as of the moment it is asked.
#[derive(Clone)]
pub struct ExternalItems(Arc<StatusFunction>);

/// Reports how far items are while something is decided, one answer for each key in their order.
pub type StatusLookup<'a> = &'a dyn Fn(&[String]) -> Vec<ExternalStatus>;

/// Makes the [`ExternalItems`] of the documents below a folder.
pub type ExternalItemsFactory = fn(&Path) -> ExternalItems;

/// The [`ExternalItems`] that report on other kinds of documents below each of several folders, made when they
/// are first asked. By default nothing is known.
#[derive(Default)]
pub struct ExternalItemsCache {
    around: Option<ExternalItemsFactory>,
    made: Mutex<HashMap<PathBuf, ExternalItems>>,
}

impl ExternalItemsCache {
    /// Those that are made so.
    pub fn of(around: ExternalItemsFactory) -> Self {
        Self {
            around: Some(around),
            made: Mutex::default(),
        }
    }

    /// Returns how far the items of some keys are, seen from a folder, in the order of the keys.
    pub fn standings(&self, folder: &Path, keys: &[String]) -> Vec<ExternalStatus> {
        if keys.is_empty() {
            return Vec::new();
        }
        let outside = self.around.map_or_else(ExternalItems::default, |around| {
            let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            let outside = made.entry(folder.to_owned());
            outside.or_insert_with(|| around(folder)).clone()
        });
        outside.standings(keys)
    }
}

impl ExternalItems {
    /// Creates one from a function, which gives one answer for each key in their order.
    pub fn new(ask: impl Fn(&[String]) -> Vec<ExternalStatus> + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }

    /// Returns how far the items of some keys are, in the order of the keys.
    pub fn standings(&self, keys: &[String]) -> Vec<ExternalStatus> {
        if keys.is_empty() {
            Vec::new()
        } else {
            (self.0)(keys)
        }
    }
}

impl Default for ExternalItems {
    /// Knows nothing.
    fn default() -> Self {
        let unknown = |key: &String| {
            let kind = split_key(key).map_or("other", |(kind, _)| kind);
            ExternalStatus::Unknown(format!(
                "items of {kind} documents cannot be looked up here"
            ))
        };
        Self::new(move |keys| keys.iter().map(unknown).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_may_begin_with_a_repository() {
        for (key, expected) in [
            ("app/chant:a", Some(("app", "chant:a"))),
            (
                "owner/app/vine:a/b.vine#c",
                Some(("owner/app", "vine:a/b.vine#c")),
            ),
            ("vine:a/chant:b", None),
            ("/chant:a", None),
            ("app/other:a", None),
            ("app/chant:", None),
            ("chant:a", None),
            ("a/b", None),
        ] {
            assert_eq!(split_repository(key), expected, "{key}");
        }
    }
}
