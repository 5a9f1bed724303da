//! Recent changes among many items, for those who keep something made of them and want to look only at that.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Steps that are remembered.
const MAX_STEPS: usize = 64;

/// Items that one step names at most; after one of more everything has to be looked at.
const MAX_ITEMS: usize = 64;

/// The version of some items, and which of them were others in the versions before.
#[derive(Debug, Clone)]
pub struct RecentChanges<K> {
    version: u64,
    /// The version before each step, and what it changed.
    steps: VecDeque<(u64, Vec<K>)>,
}

impl<K> Default for RecentChanges<K> {
    fn default() -> Self {
        Self {
            version: 0,
            steps: VecDeque::new(),
        }
    }
}

impl<K> RecentChanges<K> {
    /// A number that no other state of any items has in this process; 0 before the first change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Takes in that these items are others now.
    pub fn note(&mut self, items: Vec<K>) {
        static VERSIONS: AtomicU64 = AtomicU64::new(1);
        if items.len() > MAX_ITEMS {
            self.steps.clear();
        } else {
            self.steps.push_back((self.version, items));
        }
        if self.steps.len() > MAX_STEPS {
            self.steps.pop_front();
        }
        self.version = VERSIONS.fetch_add(1, Relaxed);
    }

    /// The items that were changed after a version, some perhaps several times; `None` where that is not known.
    pub fn since(&self, version: u64) -> Option<impl Iterator<Item = &K>> {
        let place = if version == self.version {
            self.steps.len()
        } else {
            self.steps
                .iter()
                .position(|(before, _)| *before == version)?
        };
        Some(self.steps.iter().skip(place).flat_map(|(_, items)| items))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_since_a_version_is_known_for_a_while() {
        let mut recent = RecentChanges::default();
        let since = |recent: &RecentChanges<u32>, version| {
            recent
                .since(version)
                .map(|items| items.copied().collect::<Vec<_>>())
        };
        recent.note(vec![1]);
        let first = recent.version();
        recent.note(vec![2, 3]);
        recent.note(vec![2]);
        assert_eq!(since(&recent, first), Some(vec![2, 3, 2]));
        assert_eq!(since(&recent, recent.version()), Some(vec![]));
        assert_eq!(since(&recent, 0), Some(vec![1, 2, 3, 2]));
        let other = recent.clone();
        recent.note((0..100).collect());
        assert_eq!(since(&recent, first), None);
        assert_eq!(since(&other, recent.version()), None);
        for item in 0..100 {
            recent.note(vec![item]);
        }
        assert_eq!(since(&recent, 0), None);
    }
}
