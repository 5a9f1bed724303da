//! Finds what depends on an item, what it depends on, and which edges say nothing new.

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

use super::{ItemRows, Network, NetworkError, ProgressWatch, narrow};
use chant_base::counted::count_visited;

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
    /// Items are gone through in blocks of some hundreds, each with one bit: a pass over the edges behind a block
    /// finds out which of its items lead to which. So there are as many passes as blocks, over edges, and not as
    /// many walks as items.
    ///
    /// # Errors
    ///
    /// Items wait for one another; the watch stopped it.
    pub fn redundant_edges(
        &self,
        watch: ProgressWatch<'_>,
    ) -> Result<Vec<(u32, u32)>, NetworkError> {
        let layers = self.layers()?;
        let placed = Placed::of(self, layers.order());
        // An item for which only one waits leads nowhere by way of another.
        let sources = (0..).zip(placed.order);
        let sources = sources.filter(|(_, item)| self.after(**item).len() > 1);
        let sources: Vec<u32> = sources.map(|(place, _)| place).collect();
        let mut found = Vec::new();
        let at_once = rayon::current_num_threads() * 2;
        for (round, blocks) in sources.chunks(BLOCK * at_once).enumerate() {
            let done = round * BLOCK * at_once;
            if !watch(done * self.len() / sources.len(), self.len()) {
                return Err(NetworkError::Stopped);
            }
            let edges = blocks.par_chunks(BLOCK);
            let edges = edges.map_init(Vec::new, |masks, block| placed.redundant(block, masks));
            found.extend(edges.collect::<Vec<_>>().into_iter().flatten());
        }
        found.sort_unstable();
        Ok(found)
    }
}

/// All items that rows lead to from `starts`, ascending, without these.
fn reached(rows: &ItemRows, count: usize, starts: &[u32]) -> Vec<u32> {
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

/// Bits of a mask, in words.
const WORDS: usize = 8;

/// Items of a block: one for each bit of a mask.
const BLOCK: usize = WORDS * 64;

/// Which items of a block lead to an item.
type Mask = [u64; WORDS];

/// A network by the places of its items in an order of work.
struct Placed<'a> {
    order: &'a [u32],
    /// The items that each waits for, by places.
    before: ItemRows,
    /// The last place of what waits for each.
    last: Vec<u32>,
}

impl<'a> Placed<'a> {
    fn of(network: &Network, order: &'a [u32]) -> Self {
        let mut place = vec![0_u32; order.len()];
        for (index, item) in (0..).zip(order) {
            place[*item as usize] = index;
        }
        let places = |items: &'a [u32], rows: fn(&Network, u32) -> &[u32]| {
            let place = &place;
            let rows = items.iter().map(move |item| rows(network, *item).iter());
            rows.map(move |row| row.map(move |other| place[*other as usize]))
        };
        Self {
            order,
            before: ItemRows::of(places(order, Network::before)),
            last: places(order, Network::after)
                .map(|row| row.max().unwrap_or(0))
                .collect(),
        }
    }

    /// The edges from the items at some places, in their order, that are redundant.
    fn redundant(&self, block: &[u32], masks: &mut Vec<Mask>) -> Vec<(u32, u32)> {
        let (Some(first), last) = (
            block.first(),
            block.iter().map(|at| self.last[*at as usize]).max(),
        ) else {
            return Vec::new();
        };
        let last = last.unwrap_or(*first);
        let mut bits = vec![u32::MAX; (last - first + 1) as usize];
        for (bit, at) in (0..).zip(block) {
            bits[(at - first) as usize] = bit;
        }
        masks.clear();
        let mut found = Vec::new();
        for at in *first..=last {
            let row = self.before.row(at).iter().filter(|other| *other >= first);
            count_visited(1);
            // Who leads here over another one, and who also by an edge of its own.
            let mut over = [0; WORDS];
            let mut direct = [0; WORDS];
            for other in row.clone() {
                let place = (other - first) as usize;
                let mask: &Mask = &masks[place];
                for (word, other) in over.iter_mut().zip(mask) {
                    *word |= other;
                }
                set(&mut direct, bits[place]);
            }
            if direct
                .iter()
                .zip(&over)
                .any(|(direct, over)| direct & over != 0)
            {
                let is_redundant = |other: &&u32| has(&over, bits[(**other - first) as usize]);
                let edge = |other: &u32| (self.order[*other as usize], self.order[at as usize]);
                found.extend(row.filter(is_redundant).map(edge));
            }
            for (word, direct) in over.iter_mut().zip(direct) {
                *word |= direct;
            }
            masks.push(over);
        }
        found
    }
}

/// Sets a bit; none for an item of no block.
fn set(mask: &mut Mask, bit: u32) {
    if let Some(word) = mask.get_mut(bit as usize / 64) {
        *word |= 1 << (bit % 64);
    }
}

fn has(mask: &Mask, bit: u32) -> bool {
    let word = mask.get(bit as usize / 64);
    word.is_some_and(|word| word >> (bit % 64) & 1 == 1)
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
