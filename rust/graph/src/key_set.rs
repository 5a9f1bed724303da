//! Keys in an order, each once, all in one piece of memory.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use indexmap::IndexSet;

use super::rows::narrow;

/// A key in the table: half of its hash, which tells nearly all others apart, and its place.
#[derive(Debug, Clone, Copy)]
struct KeyEntry {
    hash: u32,
    place: u32,
}

/// Texts in an order, each once. A million of them are a handful of allocations, so that making and dropping them
/// costs little.
#[derive(Debug, Clone, Default)]
pub struct KeySet {
    texts: String,
    /// Where each text ends.
    ends: Vec<usize>,
    entries: HashTable<KeyEntry>,
    hasher: DefaultHashBuilder,
}

impl KeySet {
    /// No keys yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there is no key.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The key at a place.
    pub fn get(&self, place: usize) -> Option<&str> {
        let end = *self.ends.get(place)?;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.texts.get(start..end)
    }

    /// The place of a key.
    pub fn find(&self, key: &str) -> Option<u32> {
        self.find_hashed(key, self.hash(key))
    }

    /// The place of a key, which is added behind the others where it is new. Of more keys than a `u32` counts
    /// those behind it have no place of their own; [`Network::new`](super::network::Network::new) refuses so many.
    pub fn insert(&mut self, key: &str) -> u32 {
        let hash = self.hash(key);
        if let Some(place) = self.find_hashed(key, hash) {
            return place;
        }
        let place = narrow(self.len());
        self.texts.push_str(key);
        self.ends.push(self.texts.len());
        let entry = KeyEntry { hash, place };
        self.entries
            .insert_unique(spread(hash), entry, |entry| spread(entry.hash));
        place
    }

    /// All keys, in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|place| self.get(place).unwrap_or_default())
    }

    fn find_hashed(&self, key: &str, hash: u32) -> Option<u32> {
        let is_it =
            |entry: &KeyEntry| entry.hash == hash && self.get(entry.place as usize) == Some(key);
        let entry = self.entries.find(spread(hash), is_it)?;
        Some(entry.place)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "half of a hash is a hash, too"
    )]
    fn hash(&self, key: &str) -> u32 {
        self.hasher.hash_one(key) as u32
    }
}

/// A hash of as many bits as a table looks at, of which it takes the lowest and the highest (Fibonacci hashing).
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl<T: AsRef<str>> FromIterator<T> for KeySet {
    fn from_iter<I: IntoIterator<Item = T>>(keys: I) -> Self {
        let mut set = Self::new();
        for key in keys {
            set.insert(key.as_ref());
        }
        set
    }
}

impl From<IndexSet<Box<str>>> for KeySet {
    fn from(keys: IndexSet<Box<str>>) -> Self {
        keys.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::KeySet;

    #[test]
    fn keys_keep_their_order_and_stand_once() {
        let mut keys: KeySet = ["b", "", "a", "b", "é"].into_iter().collect();
        assert_eq!(keys.iter().collect::<Vec<_>>(), ["b", "", "a", "é"]);
        assert_eq!(keys.find("a"), Some(2));
        assert_eq!(keys.find("c"), None);
        assert_eq!(keys.insert(""), 1);
        assert_eq!(keys.insert("c"), 4);
        assert_eq!((keys.get(3), keys.get(5)), (Some("é"), None));
    }

    #[test]
    fn many_keys_are_told_apart() {
        let names: Vec<String> = (0..10_000).map(|item| format!("item-{item}")).collect();
        let keys: KeySet = names.iter().collect();
        assert!(
            (0..)
                .zip(&names)
                .all(|(place, name)| keys.find(name) == Some(place))
        );
    }
}
