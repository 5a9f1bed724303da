//! Changes of a network, made beside it, to see what would be.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use indexmap::IndexSet;

use super::{Network, NetworkError, narrow};
use crate::ItemProgress;
use crate::rows::ItemRows;
use chant_base::counted::count_visited;

/// One change; items are named by their keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkChange {
    /// The item is done.
    Finish(String),
    /// A new item that waits for others, which others wait for.
    Add {
        /// Its key.
        key: String,
        /// The items that it waits for.
        before: Vec<String>,
        /// The items that wait for it.
        after: Vec<String>,
    },
    /// An item gives way to several: each waits for what it waited for, and what waited for it waits
    /// for all of them. In a row each also waits for the part before it.
    Split {
        /// The item.
        key: String,
        /// The keys of its parts.
        parts: Vec<String>,
        /// True if the parts are done one after the other.
        in_a_row: bool,
    },
    /// The item is gone; nothing waits for it any more.
    Drop(String),
    /// The item waits for these and nothing else.
    DependOn {
        /// The item.
        key: String,
        /// The items that it waits for.
        before: Vec<String>,
    },
}

/// A network and what is other in it. A change costs what it touches; the network as it would be is made when it is
/// asked for.
#[derive(Debug, Clone)]
pub struct NetworkDraft {
    network: Arc<Network>,
    /// New items by their keys, numbered behind those of the network.
    added: HashMap<Box<str>, u32>,
    /// The keys of all that were ever added, by their numbers less those of the network.
    named: Vec<Box<str>>,
    /// Numbers of items that are gone.
    gone: BTreeSet<u32>,
    /// The progress of items that are further than the network says, and of new ones.
    progress: HashMap<u32, ItemProgress>,
    /// The items that an item waits for, where that is another list than the network has.
    before: HashMap<u32, IndexSet<u32>>,
    /// By number the items that came to wait for it here.
    waiting: HashMap<u32, BTreeSet<u32>>,
}

impl NetworkDraft {
    /// No changes yet.
    pub fn of(network: Arc<Network>) -> Self {
        Self {
            network,
            added: HashMap::new(),
            named: Vec::new(),
            gone: BTreeSet::new(),
            progress: HashMap::new(),
            before: HashMap::new(),
            waiting: HashMap::new(),
        }
    }

    /// Returns true if there would be an item of a key.
    pub fn contains(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// Makes one more change.
    ///
    /// # Errors
    ///
    /// It names an item that is not there, or adds one that is; the draft is of no use then.
    pub fn apply(&mut self, change: &NetworkChange) -> Result<(), NetworkError> {
        count_visited(1);
        match change {
            NetworkChange::Finish(key) => {
                let item = self.item(key)?;
                self.progress.insert(item, ItemProgress::Done);
            }
            NetworkChange::Add { key, before, after } => {
                let (before, after) = (self.items(before)?, self.items(after)?);
                let item = self.insert(key, before)?;
                for other in after {
                    self.wait(other, item);
                }
            }
            NetworkChange::Split {
                key,
                parts,
                in_a_row,
            } => self.split(key, parts, *in_a_row)?,
            NetworkChange::Drop(key) => {
                let item = self.item(key)?;
                self.remove(item);
            }
            NetworkChange::DependOn { key, before } => {
                let before = self.items(before)?;
                let item = self.item(key)?;
                self.set_before(item, before);
            }
        }
        Ok(())
    }

    fn split(&mut self, key: &str, parts: &[String], in_a_row: bool) -> Result<(), NetworkError> {
        if parts.is_empty() {
            return Err(NetworkError::Change {
                key: key.to_owned(),
                why: "cannot be split into nothing; drop it",
            });
        }
        let item = self.item(key)?;
        let before = self.before(item);
        let waiting = self.remove(item);
        let mut made: Vec<u32> = Vec::with_capacity(parts.len());
        for part in parts {
            let mut before = before.clone();
            if in_a_row {
                before.extend(made.last());
            }
            made.push(self.insert(part, before)?);
        }
        for other in waiting {
            for part in &made {
                self.wait(other, *part);
            }
        }
        Ok(())
    }

    fn insert(&mut self, key: &str, before: IndexSet<u32>) -> Result<u32, NetworkError> {
        if self.contains(key) {
            return Err(NetworkError::Change {
                key: key.to_owned(),
                why: "exists already",
            });
        }
        let item = narrow(self.network.len() + self.named.len());
        self.named.push(key.into());
        self.added.insert(key.into(), item);
        self.progress.insert(item, ItemProgress::Open);
        self.set_before(item, before);
        Ok(item)
    }

    /// Lets an item wait for one more.
    fn wait(&mut self, item: u32, on: u32) {
        let mut before = self.before(item);
        before.insert(on);
        self.set_before(item, before);
    }

    fn set_before(&mut self, item: u32, before: IndexSet<u32>) {
        count_visited(before.len());
        for other in &before {
            self.waiting.entry(*other).or_default().insert(item);
        }
        self.before.insert(item, before);
    }

    /// Returns the items that an item waits for; of a new one in the order in which that was said.
    fn before(&self, item: u32) -> IndexSet<u32> {
        match self.before.get(&item) {
            Some(before) => before.clone(),
            None => self.network.before(item).iter().copied().collect(),
        }
    }

    /// Takes an item out; answers those that waited for it.
    fn remove(&mut self, item: u32) -> Vec<u32> {
        let known = self.is_known(item).then(|| self.network.after(item));
        let mut waiting: BTreeSet<u32> = known.into_iter().flatten().copied().collect();
        waiting.extend(self.waiting.remove(&item).into_iter().flatten());
        waiting.retain(|other| !self.gone.contains(other));
        let mut waited = Vec::new();
        for other in waiting {
            let mut before = self.before(other);
            if before.shift_remove(&item) {
                self.set_before(other, before);
                waited.push(other);
            }
        }
        let key = self.key(item).to_owned();
        self.added.remove(&*key);
        self.gone.insert(item);
        self.before.insert(item, IndexSet::new());
        waited
    }

    fn is_known(&self, item: u32) -> bool {
        (item as usize) < self.network.len()
    }

    fn key(&self, item: u32) -> &str {
        match (item as usize).checked_sub(self.network.len()) {
            Some(place) => self.named.get(place).map_or("", AsRef::as_ref),
            None => self.network.key(item),
        }
    }

    fn find(&self, key: &str) -> Option<u32> {
        let known = || {
            let item = self.network.find(key)?;
            (!self.gone.contains(&item)).then_some(item)
        };
        self.added.get(key).copied().or_else(known)
    }

    fn item(&self, key: &str) -> Result<u32, NetworkError> {
        let unknown = || {
            let there = self.network.keys().filter(|key| self.contains(key));
            NetworkError::unknown(key, there.chain(self.added.keys().map(AsRef::as_ref)))
        };
        self.find(key).ok_or_else(unknown)
    }

    fn items(&self, keys: &[String]) -> Result<IndexSet<u32>, NetworkError> {
        keys.iter().map(|key| self.item(key)).collect()
    }

    /// The network as it would be. It shares with the one before what did not change: its keys, and where only
    /// items are done, its edges.
    pub fn network(&self) -> Network {
        let there = |item: &u32| !self.gone.contains(item);
        let known: Vec<u32> = self.network.items().filter(there).collect();
        let behind = narrow(self.network.len())..narrow(self.network.len() + self.named.len());
        let new: Vec<u32> = behind.filter(there).collect();
        let items = || known.iter().chain(&new).copied();
        let progress = |item: u32| {
            let changed = self.progress.get(&item).copied();
            changed.unwrap_or_else(|| self.network.progress(item))
        };
        let gone: Vec<u32> = self
            .gone
            .iter()
            .copied()
            .filter(|item| self.is_known(*item))
            .collect();
        let names = new.iter().map(|item| self.key(*item).into());
        let mut network = Network {
            keys: self.network.keys.changed(&gone, names),
            progress: items().map(progress).collect(),
            before: Arc::clone(&self.network.before),
            after: Arc::clone(&self.network.after),
        };
        if !self.before.is_empty() {
            let mut now = vec![0; self.network.len() + self.named.len()];
            for (place, item) in (0..).zip(items()) {
                now[item as usize] = place;
            }
            let row = |item: u32| {
                let changed = self.before.get(&item);
                let known = changed.is_none().then(|| self.network.before(item));
                let row = known
                    .into_iter()
                    .flatten()
                    .chain(changed.into_iter().flatten());
                row.map(|other| now[*other as usize])
            };
            // Turned twice, the rows ascend on both sides without a sort.
            let before = ItemRows::of(items().map(row));
            network.after = Arc::new(before.turned());
            network.before = Arc::default();
        }
        network
    }
}

#[cfg(test)]
mod tests {
    use super::{Arc, NetworkChange, NetworkDraft};
    use crate::network::tests::{named, network};
    use crate::network::{Network, NetworkError};

    /// The network as it would be after these changes, made in their order.
    fn changed(network: &Network, changes: &[NetworkChange]) -> Result<Network, NetworkError> {
        let mut draft = NetworkDraft::of(Arc::new(network.clone()));
        for change in changes {
            draft.apply(change)?;
        }
        Ok(draft.network())
    }

    fn strings(words: &str) -> Vec<String> {
        words.split_whitespace().map(str::to_owned).collect()
    }

    fn shown(network: &Network) -> String {
        let word = |item: u32| {
            let done = if network.is_done(item) { "!" } else { "" };
            let before = named(network, network.before(item)).replace(' ', ",");
            format!("{}{done}<-{before}", network.key(item))
        };
        network.items().map(word).collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(change: NetworkChange, expected: &str) {
        let changed = changed(&network("a b<-a c<-b"), &[change]).unwrap();
        assert_eq!(shown(&changed), expected);
    }

    #[test]
    fn each_change_does_what_it_says() {
        check(NetworkChange::Finish("a".into()), "a!<- b<-a c<-b");
        check(NetworkChange::Drop("b".into()), "a<- c<-");
        let (key, before) = ("c".to_owned(), strings("a"));
        check(NetworkChange::DependOn { key, before }, "a<- b<-a c<-a");
        let (key, before, after) = ("x".to_owned(), strings("a"), strings("c"));
        check(
            NetworkChange::Add { key, before, after },
            "a<- b<-a c<-b,x x<-a",
        );
    }

    #[test]
    fn parts_stand_where_the_whole_stood() {
        let split = |in_a_row| NetworkChange::Split {
            key: "b".into(),
            parts: strings("b1 b2"),
            in_a_row,
        };
        check(split(false), "a<- c<-b1,b2 b1<-a b2<-a");
        check(split(true), "a<- c<-b1,b2 b1<-a b2<-a,b1");
    }

    #[test]
    fn changes_build_on_one_another() {
        let changes = [
            NetworkChange::Split {
                key: "b".into(),
                parts: strings("p q"),
                in_a_row: true,
            },
            NetworkChange::Drop("p".into()),
            NetworkChange::Finish("q".into()),
            NetworkChange::Add {
                key: "b".into(),
                before: strings("q"),
                after: strings("c"),
            },
        ];
        let once = changed(&network("a b<-a c<-b"), &changes).unwrap();
        assert_eq!(shown(&once), "a<- c<-q,b q!<-a b<-q");
        let again = changed(&once, &[NetworkChange::Drop("q".into())]).unwrap();
        assert_eq!(shown(&again), "a<- c<-b b<-");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let network = network("alpha beta");
        let error = changed(&network, &[NetworkChange::Finish("alpah".into())]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "No item `alpah` in the graph. Did you mean `alpha`?"
        );
        let (key, before, after) = ("beta".to_owned(), Vec::new(), Vec::new());
        let error = changed(&network, &[NetworkChange::Add { key, before, after }]).unwrap_err();
        assert!(matches!(error, NetworkError::Change { ref key, .. } if key == "beta"));
    }
}
