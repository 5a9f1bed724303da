//! What would be if: changes of a network, made on a copy.

use indexmap::{IndexMap, IndexSet};

use super::super::Progress;
use super::{Network, NetworkError, narrow};

/// One change; items are named by their keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The item is done.
    Finish(String),
    /// A new item that waits for others, which others wait for.
    Add {
        /// Its key.
        key: String,
        /// What it waits for.
        before: Vec<String>,
        /// What waits for it.
        after: Vec<String>,
    },
    /// An item gives way to several: each waits for what it waited for, and what waited for it waits
    /// for all of them. In a row each also waits for the part before it.
    Split {
        /// The item.
        key: String,
        /// The keys of its parts.
        parts: Vec<String>,
        /// Whether the parts are done one after the other.
        in_a_row: bool,
    },
    /// The item is gone; nothing waits for it any more.
    Drop(String),
    /// The item waits for these and nothing else.
    DependOn {
        /// The item.
        key: String,
        /// What it waits for.
        before: Vec<String>,
    },
}

/// Items by their keys, with what each waits for: a form that is easy to change.
struct Draft {
    items: IndexMap<Box<str>, Entry>,
}

#[derive(Clone)]
struct Entry {
    progress: Progress,
    before: IndexSet<Box<str>>,
}

impl Network {
    /// The network as it would be after these changes, made in their order. Items keep their order;
    /// new ones come last.
    ///
    /// # Errors
    ///
    /// A change names an item that is not there, or adds one that is.
    pub fn changed(&self, changes: &[Change]) -> Result<Self, NetworkError> {
        let mut draft = Draft::of(self);
        for change in changes {
            draft.apply(change)?;
        }
        draft.network()
    }
}

impl Draft {
    fn of(network: &Network) -> Self {
        let entry = |item: u32| {
            let before = network.before(item).iter();
            let before = before.map(|other| Box::from(network.key(*other))).collect();
            let progress = network.progress(item);
            (Box::from(network.key(item)), Entry { progress, before })
        };
        Self {
            items: network.items().map(entry).collect(),
        }
    }

    fn apply(&mut self, change: &Change) -> Result<(), NetworkError> {
        match change {
            Change::Finish(key) => self.entry(key)?.progress = Progress::Done,
            Change::Add { key, before, after } => self.add(key, before, after)?,
            Change::Split {
                key,
                parts,
                in_a_row,
            } => self.split(key, parts, *in_a_row)?,
            Change::Drop(key) => {
                self.entry(key)?;
                self.remove(key);
            }
            Change::DependOn { key, before } => {
                let before = self.known(before)?;
                self.entry(key)?.before = before;
            }
        }
        Ok(())
    }

    fn add(&mut self, key: &str, before: &[String], after: &[String]) -> Result<(), NetworkError> {
        let before = self.known(before)?;
        self.known(after)?;
        self.insert(key, before)?;
        for other in after {
            self.entry(other)?.before.insert(key.into());
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
        let before = self.entry(key)?.before.clone();
        let waiting = self.remove(key);
        for (index, part) in parts.iter().enumerate() {
            let mut before = before.clone();
            if in_a_row && index > 0 {
                before.insert(parts[index - 1].as_str().into());
            }
            self.insert(part, before)?;
        }
        for other in waiting {
            let parts = parts.iter().map(|part| Box::from(part.as_str()));
            self.entry(&other)?.before.extend(parts);
        }
        Ok(())
    }

    fn insert(&mut self, key: &str, before: IndexSet<Box<str>>) -> Result<(), NetworkError> {
        if self.items.contains_key(key) {
            return Err(NetworkError::Change {
                key: key.to_owned(),
                why: "exists already",
            });
        }
        let entry = Entry {
            progress: Progress::Open,
            before,
        };
        self.items.insert(key.into(), entry);
        Ok(())
    }

    /// Takes an item out; answers those that waited for it.
    fn remove(&mut self, key: &str) -> Vec<Box<str>> {
        self.items.shift_remove(key);
        let waiting = self.items.iter_mut();
        let waiting = waiting
            .filter_map(|(other, entry)| entry.before.shift_remove(key).then(|| other.clone()));
        waiting.collect()
    }

    fn entry(&mut self, key: &str) -> Result<&mut Entry, NetworkError> {
        if !self.items.contains_key(key) {
            return Err(NetworkError::unknown(
                key,
                self.items.keys().map(AsRef::as_ref),
            ));
        }
        let entry = self.items.get_mut(key);
        entry.ok_or_else(|| NetworkError::unknown(key, std::iter::empty()))
    }

    fn known(&self, keys: &[String]) -> Result<IndexSet<Box<str>>, NetworkError> {
        match keys
            .iter()
            .find(|key| !self.items.contains_key(key.as_str()))
        {
            Some(key) => Err(NetworkError::unknown(
                key,
                self.items.keys().map(AsRef::as_ref),
            )),
            None => Ok(keys.iter().map(|key| Box::from(key.as_str())).collect()),
        }
    }

    fn network(self) -> Result<Network, NetworkError> {
        let mut edges = Vec::new();
        for (to, entry) in self.items.values().enumerate() {
            let before = entry
                .before
                .iter()
                .filter_map(|key| self.items.get_index_of(key));
            edges.extend(before.map(|from| (narrow(from), narrow(to))));
        }
        let progress = self.items.values().map(|entry| entry.progress).collect();
        Network::new(self.items.into_keys().collect(), progress, &edges)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{named, network};
    use super::super::{Network, NetworkError};
    use super::Change;

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
    fn check(change: Change, expected: &str) {
        let changed = network("a b<-a c<-b").changed(&[change]).unwrap();
        assert_eq!(shown(&changed), expected);
    }

    #[test]
    fn each_change_does_what_it_says() {
        check(Change::Finish("a".into()), "a!<- b<-a c<-b");
        check(Change::Drop("b".into()), "a<- c<-");
        let (key, before) = ("c".to_owned(), strings("a"));
        check(Change::DependOn { key, before }, "a<- b<-a c<-a");
        let (key, before, after) = ("x".to_owned(), strings("a"), strings("c"));
        check(Change::Add { key, before, after }, "a<- b<-a c<-b,x x<-a");
    }

    #[test]
    fn parts_stand_where_the_whole_stood() {
        let split = |in_a_row| Change::Split {
            key: "b".into(),
            parts: strings("b1 b2"),
            in_a_row,
        };
        check(split(false), "a<- c<-b1,b2 b1<-a b2<-a");
        check(split(true), "a<- c<-b1,b2 b1<-a b2<-a,b1");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let network = network("alpha beta");
        let error = network
            .changed(&[Change::Finish("alpah".into())])
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "No item `alpah` in the graph. Did you mean `alpha`?"
        );
        let (key, before, after) = ("beta".to_owned(), Vec::new(), Vec::new());
        let error = network
            .changed(&[Change::Add { key, before, after }])
            .unwrap_err();
        assert!(matches!(error, NetworkError::Change { ref key, .. } if key == "beta"));
    }
}
