//! A whole graph at rest, laid out for questions about all of it.
//!
//! [`DepGraph`](super::DepGraph) grows and changes with the documents; a [`Network`] is made once and
//! then asked. An edge leads from an item to one that waits for it, so that its order is the order of
//! work. Items are numbered in the order of their making; whatever is listed stands in that order,
//! and ties go to the item made first.

mod betweenness;
pub mod change;
mod check;
pub mod compare;
mod components;
pub mod critical;
mod keys;
mod order;
mod pagerank;
mod reach;
mod reduction;
pub mod sample;
pub mod schedule;
mod spread;
mod subgraph;

use std::sync::{Arc, OnceLock};

use super::ItemProgress;
use super::key_set::KeySet;
use super::rows::{ItemRows, narrow};

pub use check::{NetworkError, ProgressWatch};
use keys::ItemKeys;
pub use order::ItemLayers;
pub use pagerank::PageRank;

/// Items by their keys, how far each is, and which wait for which.
#[derive(Debug, Clone, Default)]
pub struct Network {
    keys: ItemKeys,
    progress: Vec<ItemProgress>,
    after: Arc<ItemRows>,
    /// The same edges the other way round, made with the first question that needs them.
    before: Arc<OnceLock<ItemRows>>,
}

impl Network {
    /// A graph of these items, each so far, with edges `(before, after)` between their indices. An
    /// edge named twice counts once.
    ///
    /// # Errors
    ///
    /// More items or edges than a network numbers, or an edge that names no item.
    pub fn new(
        keys: KeySet,
        progress: Vec<ItemProgress>,
        edges: &[(u32, u32)],
    ) -> Result<Self, NetworkError> {
        Self::of_keys(ItemKeys::of(keys), progress, edges)
    }

    /// A graph of items without names: their keys are their numbers from 0 on, of which no text is made before it
    /// is asked for.
    ///
    /// # Errors
    ///
    /// As [`Network::new`].
    pub fn numbered(
        progress: Vec<ItemProgress>,
        edges: &[(u32, u32)],
    ) -> Result<Self, NetworkError> {
        Self::of_keys(ItemKeys::numbered(progress.len()), progress, edges)
    }

    fn of_keys(
        keys: ItemKeys,
        progress: Vec<ItemProgress>,
        edges: &[(u32, u32)],
    ) -> Result<Self, NetworkError> {
        let count = keys.len();
        if u32::try_from(count.max(edges.len())).is_err() {
            return Err(NetworkError::TooLarge);
        }
        if progress.len() != count {
            return Err(NetworkError::no_such_number(progress.len()));
        }
        let ends = edges.iter().flat_map(|(from, to)| [*from, *to]);
        if let Some(number) = ends.map(|end| end as usize).find(|end| *end >= count) {
            return Err(NetworkError::no_such_number(number));
        }
        Ok(Self {
            keys,
            progress,
            after: Arc::new(ItemRows::by_start(count, edges)),
            before: Arc::default(),
        })
    }

    /// The same items and edges, some of them so far.
    #[must_use]
    pub fn with_progress(&self, progress: &[(u32, ItemProgress)]) -> Self {
        let mut changed = self.clone();
        for (item, progress) in progress {
            changed.progress[*item as usize] = *progress;
        }
        changed
    }

    /// Rows of the items that each item waits for, which ascend.
    fn rows_before(&self) -> &ItemRows {
        self.before.get_or_init(|| self.after.turned())
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns true if there is no item.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of edges.
    pub fn edge_count(&self) -> usize {
        self.after.item_count()
    }

    /// The key of an item.
    pub fn key(&self, item: u32) -> &str {
        self.keys.get(item)
    }

    /// The item of a key.
    ///
    /// # Errors
    ///
    /// No item has that key; similar keys are named.
    pub fn item(&self, key: &str) -> Result<u32, NetworkError> {
        let item = self.find(key);
        item.ok_or_else(|| NetworkError::unknown(key, self.keys()))
    }

    /// The item of a key, if there is one.
    pub fn find(&self, key: &str) -> Option<u32> {
        self.keys.find(key)
    }

    /// All keys, in the order of the items.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.keys.iter()
    }

    /// All items.
    pub fn items(&self) -> std::ops::Range<u32> {
        0..narrow(self.len())
    }

    /// Returns the progress of an item.
    pub fn progress(&self, item: u32) -> ItemProgress {
        self.progress[item as usize]
    }

    /// Returns true if nothing needs to wait for an item any more.
    pub fn is_done(&self, item: u32) -> bool {
        self.progress(item) == ItemProgress::Done
    }

    /// Returns true if an item is to be worked on here, at once or later. One that is only named is not: what
    /// waits for it waits on.
    pub fn is_open(&self, item: u32) -> bool {
        self.progress(item) == ItemProgress::Open
    }

    /// Returns the items that an item waits for, done or not.
    pub fn before(&self, item: u32) -> &[u32] {
        self.rows_before().row(item)
    }

    /// Returns the items that wait for an item.
    pub fn after(&self, item: u32) -> &[u32] {
        self.after.row(item)
    }

    /// All edges, from an item to one that waits for it.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> {
        let rows = self.after.rows();
        rows.flat_map(|(from, row)| row.iter().map(move |to| (from, *to)))
    }

    /// Open items that wait for nothing open.
    pub fn frontier(&self) -> Vec<u32> {
        let rows = self.rows_before().rows();
        let free = rows.filter(|(item, row)| self.is_open(*item) && self.all_done(row));
        free.map(|(item, _)| item).collect()
    }

    /// Open items that wait for something open.
    pub fn blocked(&self) -> Vec<u32> {
        let rows = self.rows_before().rows();
        let held = rows.filter(|(item, row)| self.is_open(*item) && !self.all_done(row));
        held.map(|(item, _)| item).collect()
    }

    /// Returns the items that an item still waits for.
    pub fn unmet(&self, item: u32) -> Vec<u32> {
        let row = self.before(item).iter().copied();
        row.filter(|other| !self.is_done(*other)).collect()
    }

    fn all_done(&self, row: &[u32]) -> bool {
        row.iter().all(|other| self.is_done(*other))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) use super::sample::keys_as_words as named;

    pub(crate) fn network(words: &str) -> Network {
        super::sample::network_of_words(words).unwrap()
    }

    #[test]
    fn an_item_is_free_when_all_it_waits_for_is_done() {
        let network = network("a! b c<-a,b d<-a");
        assert_eq!(named(&network, &network.frontier()), "b d");
        assert_eq!(named(&network, &network.blocked()), "c");
        assert_eq!(
            named(&network, &network.unmet(network.find("c").unwrap())),
            "b"
        );
    }

    #[test]
    fn what_is_only_named_holds_up_and_is_nobodys_work() {
        let network = network("far? a<-far b<-a c");
        assert_eq!(named(&network, &network.frontier()), "c");
        assert_eq!(named(&network, &network.blocked()), "a b");
        let unmet = network.unmet(network.find("a").unwrap());
        assert_eq!(named(&network, &unmet), "far");
    }

    #[test]
    fn edges_stand_in_the_order_of_items_and_each_once() {
        let network = network("a b c<-b,a,b d<-c,c,a");
        let edges: Vec<_> = network.edges().collect();
        assert_eq!(edges, [(0, 2), (0, 3), (1, 2), (2, 3)]);
        assert_eq!(network.before(3), [0, 2]);
        assert_eq!(network.edge_count(), 4);
    }

    #[test]
    fn an_edge_without_item_is_refused() {
        let keys: KeySet = ["a"].into_iter().collect();
        let error = Network::new(keys, vec![ItemProgress::Open], &[(0, 3)]).unwrap_err();
        assert!(matches!(error, NetworkError::NoSuchItem { index: 3 }));
    }
}
