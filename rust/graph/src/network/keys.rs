//! The keys of items by their numbers. Those of a changed graph are those of the one before, but for a few.

use std::sync::Arc;

use indexmap::IndexSet;

use super::super::rows::narrow;

/// Keys in an order, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct ItemKeys {
    first: Arc<IndexSet<Box<str>>>,
    /// Places among the first of those that are gone, ascending.
    gone: Vec<usize>,
    /// Keys behind the first.
    added: IndexSet<Box<str>>,
}

impl ItemKeys {
    pub(super) fn of(keys: IndexSet<Box<str>>) -> Self {
        Self {
            first: Arc::new(keys),
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
            self.first.get_index(self.place(item))
        } else {
            self.added.get_index(item - kept)
        };
        key.map_or("", AsRef::as_ref)
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
    fn keys_stay_in_their_order_whatever_is_gone() {
        let keys = ItemKeys::of("a b c d e".split(' ').map(Box::from).collect());
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
