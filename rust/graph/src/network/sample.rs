//! Small networks written as words, for tests and examples of what works on networks.

use super::{Network, NetworkError};
use crate::ItemProgress;
use crate::key_set::KeySet;

/// Builds a network from words like `c<-a,b` (c waits for a and b), `d!` (done) and `e?` (only named).
///
/// # Errors
/// As [`Network::new`].
pub fn network_of_words(words: &str) -> Result<Network, NetworkError> {
    let mut keys = KeySet::new();
    let mut progress = Vec::new();
    let mut edges = Vec::new();
    let mut intern = |key: &str, progress: &mut Vec<ItemProgress>| {
        let item = keys.insert(key);
        progress.resize(keys.len(), ItemProgress::Open);
        item
    };
    for word in words.split_whitespace() {
        let (name, rest) = word.split_once("<-").unwrap_or((word, ""));
        let item = intern(name.trim_end_matches(['!', '?']), &mut progress);
        progress[item as usize] = match name.chars().last() {
            Some('!') => ItemProgress::Done,
            Some('?') => ItemProgress::Absent,
            _ => ItemProgress::Open,
        };
        for other in rest.split(',').filter(|other| !other.is_empty()) {
            edges.push((intern(other, &mut progress), item));
        }
    }
    Network::new(keys, progress, &edges)
}

/// Returns the keys of items, with a blank between two.
pub fn keys_as_words(network: &Network, items: &[u32]) -> String {
    let keys: Vec<_> = items.iter().map(|item| network.key(*item)).collect();
    keys.join(" ")
}
