//! The keys of items by their numbers. Those of a changed graph are those of the one before, but for a few.

use std::sync::{Arc, OnceLock};

use indexmap::IndexSet;

use crate::key_set::KeySet;
use crate::rows::narrow;

/// The keys that a graph began with: given ones, or the numbers of its items. Numbers are written out when one is
/// first asked for as a text.
#[derive(Debug, Default)]
struct FirstKeys {
    count: usize,
    texts: OnceLock<KeySet>,
}

impl FirstKeys {
    fn len(&self) -> usize {
        self.count
    }

    fn texts(&self) -> &KeySet {
        self.texts
            .get_or_init(|| (0..self.count).map(|at| at.to_string()).collect())
    }

    fn get_index_of(&self, key: &str) -> Option<usize> {
        if let Some(texts) = self.texts.get() {
            return texts.find(key).map(|place| place as usize);
        }
        let is_canonical = key == "0" || !key.starts_with(['0', '+']);
        let place = key.parse().ok().filter(|place| *place < self.count);
        place.filter(|_| is_canonical)
    }
}

/// Keys in an order, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct ItemKeys {
    first: Arc<FirstKeys>,
    /// Places among the first of those that are gone, ascending.
    gone: Vec<usize>,
    /// Keys behind the first.
    added: IndexSet<Box<str>>,
}

impl ItemKeys {
    pub(super) fn of(keys: KeySet) -> Self {
        let first = FirstKeys {
            count: keys.len(),
            texts: OnceLock::from(keys),
        };
        Self {
            first: Arc::new(first),
            ..Self::default()
        }
    }

    /// The numbers from 0 on as keys; no text is made for them yet.
    pub(super) fn numbered(count: usize) -> Self {
        let first = FirstKeys {
            count,
            texts: OnceLock::new(),
        };
        Self {
            first: Arc::new(first),
            ..Self::default()
        }
    }

    /// The same keys without those of these items, and with others behind them.
    pub(super) fn changed(&self, gone: &[u32], added: impl Iterator<Item = Box<str>>) -> Self {
        let kept = self.kept();
        let mut changed = self.clone();
        for item in gone.iter().map(|item| *item as usize) {
            if item < kept {
                changed.gone.push(self.place(item));
            } else if let Some(key) = self.added.get_index(item - kept) {
                changed.added.shift_remove(key);
            }
        }
        changed.gone.sort_unstable();
        changed.added.extend(added);
        changed
    }

    pub(super) fn len(&self) -> usize {
        self.kept() + self.added.len()
    }

    /// The key of an item; empty where there is none.
    pub(super) fn get(&self, item: u32) -> &str {
        let (item, kept) = (item as usize, self.kept());
        let key = if item < kept {
            self.first.texts().get(self.place(item))
        } else {
            self.added.get_index(item - kept).map(AsRef::as_ref)
        };
        key.unwrap_or_default()
    }

    /// The item of a key.
    pub(super) fn find(&self, key: &str) -> Option<u32> {
        if let Some(place) = self.first.get_index_of(key)
            && let Err(before) = self.gone.binary_search(&place)
        {
            return Some(narrow(place - before));
        }
        let place = self.added.get_index_of(key)?;
        Some(narrow(self.kept() + place))
    }

    /// All keys, in the order of the items.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|item| self.get(narrow(item)))
    }

    /// Returns the number of the first that are there.
    fn kept(&self) -> usize {
        self.first.len() - self.gone.len()
    }

    /// Where among the first an item stands.
    fn place(&self, item: usize) -> usize {
        if self.gone.is_empty() {
            return item;
        }
        // So many are gone before it: the number of those whose place, less those before them, is not behind it.
        let (mut low, mut high) = (0, self.gone.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.gone[middle] - middle <= item {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        item + low
    }
}

#[cfg(test)]
mod tests {
    use super::ItemKeys;

    #[test]
    fn numbers_are_found_with_and_without_their_texts() {
        let keys = ItemKeys::numbered(12);
        for _ in 0..2 {
            for (key, expected) in [("0", Some(0)), ("11", Some(11)), ("12", None), ("01", None)] {
                assert_eq!(keys.find(key), expected, "{key}");
            }
            assert_eq!(keys.find("+1").or(keys.find("-1")).or(keys.find("")), None);
            assert_eq!(keys.get(7), "7");
        }
        assert_eq!(
            keys.changed(&[3], ["x".into()].into_iter()).find("4"),
            Some(3)
        );
    }

    #[test]
    fn keys_stay_in_their_order_whatever_is_gone() {
        let keys = ItemKeys::of("a b c d e".split(' ').collect());
        let check = |keys: &ItemKeys, expected: &str| {
            assert_eq!(keys.iter().collect::<Vec<_>>().join(" "), expected);
            for (item, key) in (0..).zip(expected.split(' ')) {
                assert_eq!(keys.find(key), Some(item), "{key}");
            }
        };
        let fewer = keys.changed(&[1, 3], ["x".into(), "b".into()].into_iter());
        check(&fewer, "a c e x b");
        let again = fewer.changed(&[0, 2, 3], ["a".into()].into_iter());
        check(&again, "c b a");
        assert_eq!(again.find("x"), None);
        check(&keys, "a b c d e");
    }
}
