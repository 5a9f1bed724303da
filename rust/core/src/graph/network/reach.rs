//! What hangs on an item, what it hangs on, and which edges say nothing new.

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

use super::order::Layers;
use super::{Network, NetworkError, Rows, Watch, narrow};

impl Network {
    /// All items that wait for one of these, directly or over others, without these themselves.
    pub fn impact(&self, items: &[u32]) -> Vec<u32> {
        reached(&self.after, self.len(), items)
    }

    /// All items that one of these waits for, directly or over others, without these themselves.
    pub fn ancestors(&self, items: &[u32]) -> Vec<u32> {
        reached(&self.before, self.len(), items)
    }

    /// Edges `(before, after)` that could be left out: the one waits for the other also by way of a third.
    ///
    /// # Errors
    ///
    /// Items wait for one another; the watch stopped it.
    pub fn redundant_edges(&self, watch: Watch<'_>) -> Result<Vec<(u32, u32)>, NetworkError> {
        let layers = self.layers()?;
        let mut place = vec![0_u32; self.len()];
        for (index, item) in (0..).zip(layers.order()) {
            place[*item as usize] = index;
        }
        let search = Search {
            network: self,
            place: &place,
        };
        let mut found = Vec::new();
        for (index, part) in split(self.len(), &layers) {
            if !watch(index, self.len()) {
                return Err(NetworkError::Stopped);
            }
            let edges = part.par_iter().map_init(
                || Seen::new(self.len()),
                |seen, item| search.redundant(*item, seen),
            );
            found.extend(edges.collect::<Vec<_>>().into_iter().flatten());
        }
        found.sort_unstable();
        Ok(found)
    }
}

/// All items that rows lead to from `starts`, ascending, without these.
fn reached(rows: &Rows, count: usize, starts: &[u32]) -> Vec<u32> {
    let mut seen = FixedBitSet::with_capacity(count);
    let mut open: Vec<u32> = starts.to_vec();
    for start in starts {
        seen.insert(*start as usize);
    }
    while let Some(item) = open.pop() {
        for other in rows.row(item) {
            if !seen.put(*other as usize) {
                open.push(*other);
            }
        }
    }
    for start in starts {
        seen.remove(*start as usize);
    }
    seen.ones().map(narrow).collect()
}

/// The items in parts that are gone through at once, with the place where each begins.
fn split(count: usize, layers: &Layers) -> impl Iterator<Item = (usize, &[u32])> {
    let size = (count / 64).max(1024);
    let parts = layers.order().chunks(size).enumerate();
    parts.map(move |(index, part)| (index * size, part))
}

/// Items that were met, which are forgotten all at once.
struct Seen {
    round: u32,
    met: Vec<u32>,
    open: Vec<u32>,
}

impl Seen {
    fn new(count: usize) -> Self {
        Self {
            round: 0,
            met: vec![0; count],
            open: Vec::new(),
        }
    }

    fn forget(&mut self) {
        self.round += 1;
    }

    /// Whether an item was met before; it is now.
    fn put(&mut self, item: u32) -> bool {
        std::mem::replace(&mut self.met[item as usize], self.round) == self.round
    }
}

/// Looks for other ways to what waits for an item.
struct Search<'a> {
    network: &'a Network,
    /// The place of each item in an order of work.
    place: &'a [u32],
}

impl Search<'_> {
    fn place(&self, item: u32) -> u32 {
        self.place[item as usize]
    }

    /// The edges from `item` that are redundant. Those that wait for it are looked at in the order of
    /// work: one that an earlier one leads to is waiting anyway.
    fn redundant(&self, item: u32, seen: &mut Seen) -> Vec<(u32, u32)> {
        let mut row = self.network.after(item).to_vec();
        if row.len() < 2 {
            return Vec::new();
        }
        row.sort_unstable_by_key(|other| self.place(*other));
        let last = row.last().map_or(0, |other| self.place(*other));
        seen.forget();
        let mut found = Vec::new();
        for other in row {
            if seen.put(other) {
                found.push((item, other));
            } else {
                self.walk(other, last, seen);
            }
        }
        found
    }

    /// Meets all that waits for an item and stands not behind `last` in the order.
    fn walk(&self, from: u32, last: u32, seen: &mut Seen) {
        seen.open.push(from);
        while let Some(item) = seen.open.pop() {
            for other in self.network.after(item) {
                if self.place(*other) <= last && !seen.put(*other) {
                    seen.open.push(*other);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{named, network};
    use super::NetworkError;

    #[test]
    fn impact_is_what_hangs_on_an_item() {
        let network = network("a b<-a c<-b d<-c,a e f<-e");
        let of = |key: &str| [network.find(key).unwrap()];
        assert_eq!(named(&network, &network.impact(&of("b"))), "c d");
        assert_eq!(named(&network, &network.ancestors(&of("d"))), "a b c");
        assert_eq!(named(&network, &network.impact(&[0, 4])), "b c d f");
    }

    #[test]
    fn items_in_a_loop_reach_one_another() {
        let network = network("a<-c b<-a c<-b");
        assert_eq!(named(&network, &network.impact(&[0])), "c b");
    }

    #[test]
    fn an_edge_that_another_way_implies_is_redundant() {
        let network = network("a b<-a c<-b,a d<-c,b,a e<-d");
        let edges = network.redundant_edges(&|_, _| true).unwrap();
        assert_eq!(edges, [(0, 2), (0, 3), (1, 3)]);
        let stopped = network.redundant_edges(&|_, _| false);
        assert_eq!(stopped, Err(NetworkError::Stopped));
    }
}
