//! Finds the edges that say nothing new: another way leads from the one item to the other.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::{ItemLayers, ItemRows, Network, NetworkError, ProgressWatch};
use chant_base::counted::count_visited;

/// An edge `(before, after)`.
type NetworkEdge = (u32, u32);

impl Network {
    /// Edges `(before, after)` that could be left out: the one waits for the other also by way of a third.
    ///
    /// Of long edges most have another way over one of some hubs, of which it is known what leads to them and what
    /// they lead to. Other edges are decided by a search from both ends, which stays between their layers. A search
    /// that takes long is given up, and all of them together look at no more edges than the last way would: there,
    /// items are gone through in blocks of some hundreds, each with one bit, and a pass over the edges behind a
    /// block finds out which of its items lead to which.
    ///
    /// # Errors
    ///
    /// Items wait for one another; the watch stopped it.
    pub fn redundant_edges(
        &self,
        watch: ProgressWatch<'_>,
    ) -> Result<Vec<NetworkEdge>, NetworkError> {
        let layers = self.layers()?;
        let (mut found, undecided) = self.search_redundant(&layers, watch)?;
        if !undecided.is_empty() {
            let placed = Placed::of(self, layers.order());
            found.extend(placed.redundant_from(&undecided, watch)?);
            found.sort_unstable();
            found.dedup();
        }
        Ok(found)
    }

    /// Searches for other ways; returns redundant edges, and the items of which not all edges were decided.
    fn search_redundant(
        &self,
        layers: &ItemLayers,
        watch: ProgressWatch<'_>,
    ) -> Result<(Vec<NetworkEdge>, Vec<u32>), NetworkError> {
        let layer_of = layers.layer_of();
        let hubs = ReachedHubs::of(self, layers.order());
        let left = AtomicUsize::new(self.mask_cost());
        let done = AtomicUsize::new(0);
        let items: Vec<u32> = self.items().collect();
        let search = |search: &mut EdgeSearch<'_>, items: &[u32]| {
            if !watch(done.fetch_add(items.len(), Ordering::Relaxed), self.len()) {
                return Err(NetworkError::Stopped);
            }
            Ok(search.redundant(items, &left))
        };
        let parts = items.par_chunks(MAX_SEARCHED);
        let parts = parts.map_init(|| EdgeSearch::of(self, &layer_of, &hubs), search);
        let parts = parts.collect::<Result<Vec<_>, NetworkError>>()?;
        let (found, undecided): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Ok((found.concat(), undecided.concat()))
    }

    /// So many edges all passes with masks look at, about: one pass a block, over half of them.
    fn mask_cost(&self) -> usize {
        self.len().div_ceil(BLOCK_SIZE) * self.edge_count()
    }
}

/// Some items in the middle of much, one for each bit of a mask: what leads to them, and what they lead to. Two passes
/// over all edges find that out (as of landmarks: Cohen et al. 2003, 2-hop labels).
struct ReachedHubs {
    /// For each item the hubs that it leads to or is.
    after: Vec<u128>,
    /// For each item the hubs that lead to it or that it is.
    before: Vec<u128>,
}

impl ReachedHubs {
    fn of(network: &Network, order: &[u32]) -> Self {
        let ways = |item: &&u32| network.before(**item).len() * network.after(**item).len();
        let mut after = vec![0; order.len()];
        let part = order.len().div_ceil(128).max(1);
        for (bit, part) in order.chunks(part).enumerate() {
            if let Some(hub) = part.iter().max_by_key(ways) {
                after[*hub as usize] = 1_u128 << bit;
            }
        }
        let mut before = after.clone();
        let take = |masks: &mut [u128], item: u32, row: &[u32]| {
            let taken = row
                .iter()
                .fold(0, |mask, other| mask | masks[*other as usize]);
            masks[item as usize] |= taken;
        };
        for item in order {
            take(&mut before, *item, network.before(*item));
        }
        for item in order.iter().rev() {
            take(&mut after, *item, network.after(*item));
        }
        Self { after, before }
    }

    /// The hubs that some of these items lead to, and those that several do.
    fn reached_by(&self, items: &[u32]) -> (u128, u128) {
        items.iter().fold((0, 0), |(one, several), item| {
            let mask = self.after[*item as usize];
            (one | mask, several | (one & mask))
        })
    }

    /// Returns true if another of the items of [`Self::reached_by`] leads to `to` by way of a hub.
    fn has_other_way(&self, (one, several): (u128, u128), to: u32) -> bool {
        let of_others = several | (one & !self.after[to as usize]);
        of_others & self.before[to as usize] != 0
    }
}

/// So many items are searched from by a thread before the next ones are given out.
const MAX_SEARCHED: usize = 512;

/// So many edges one search looks at before it is given up.
const MAX_LEN: usize = 1 << 14;

/// Searches for other ways than an edge, from both of its ends at once.
struct EdgeSearch<'a> {
    network: &'a Network,
    layer_of: &'a [u32],
    hubs: &'a ReachedHubs,
    /// In which search an item was last met from the first end, and from the second.
    met: [Vec<u32>; 2],
    round: u32,
    open: [Vec<u32>; 2],
}

impl<'a> EdgeSearch<'a> {
    fn of(network: &'a Network, layer_of: &'a [u32], hubs: &'a ReachedHubs) -> Self {
        Self {
            network,
            layer_of,
            hubs,
            met: [vec![0; network.len()], vec![0; network.len()]],
            round: 0,
            open: [Vec::new(), Vec::new()],
        }
    }

    /// The redundant edges from some items, and those of the items that have an edge which was given up.
    fn redundant(&mut self, items: &[u32], left: &AtomicUsize) -> (Vec<NetworkEdge>, Vec<u32>) {
        let (mut found, mut undecided) = (Vec::new(), Vec::new());
        let mut looked = 0;
        for from in items {
            let row = self.network.after(*from);
            if row.len() < 2 {
                continue;
            }
            let reached = self.hubs.reached_by(row);
            for to in row {
                if self.network.before(*to).len() < 2 {
                    continue;
                }
                if self.hubs.has_other_way(reached, *to) {
                    found.push((*from, *to));
                    continue;
                }
                let budget = MAX_LEN.min(left.load(Ordering::Relaxed).saturating_sub(looked));
                let (has_other_way, cost) = self.has_other_way((*from, *to), budget);
                looked += cost;
                match has_other_way {
                    Some(true) => found.push((*from, *to)),
                    Some(false) => {}
                    None => undecided.push(*from),
                }
            }
        }
        undecided.dedup();
        count_visited(looked);
        let spend = |left: usize| Some(left.saturating_sub(looked));
        // The closure always gives a value.
        let _ = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend);
        (found, undecided)
    }

    /// Whether a second way leads from one end to the other, if that is found out in time, and how many edges were
    /// looked at.
    fn has_other_way(&mut self, (from, to): NetworkEdge, budget: usize) -> (Option<bool>, usize) {
        self.round += 1;
        self.open.iter_mut().for_each(Vec::clear);
        let network = self.network;
        let between = [from, to].map(|item| self.layer_of[item as usize]);
        let (after, before) = (network.after(from), network.before(to));
        let mut looked = after.len() + before.len();
        if self.meets(0, after.iter().filter(|item| **item != to), between)
            || self.meets(1, before.iter().filter(|item| **item != from), between)
        {
            return (Some(true), looked);
        }
        let mut next = [0, 0];
        while looked <= budget {
            // The end that has less to look at goes on; where one has nothing, there is no other way.
            let ahead = [0, 1].map(|end: usize| self.open[end].len() - next[end]);
            let end = usize::from(ahead[1] < ahead[0]);
            let Some(item) = self.open[end].get(next[end]).copied() else {
                return (Some(false), looked);
            };
            next[end] += 1;
            let row = [Network::after, Network::before][end](network, item);
            looked += row.len();
            if self.meets(end, row.iter(), between) {
                return (Some(true), looked);
            }
        }
        (None, looked)
    }

    /// Takes in items that are met from one end; returns true if one was met from the other end, too. Ways stay
    /// between the layers of both ends.
    fn meets<'b>(
        &mut self,
        end: usize,
        items: impl Iterator<Item = &'b u32>,
        [first, last]: [u32; 2],
    ) -> bool {
        for item in items {
            let place = *item as usize;
            if self.met[1 - end][place] == self.round {
                return true;
            }
            let layer = self.layer_of[place];
            if layer > first && layer < last && self.met[end][place] != self.round {
                self.met[end][place] = self.round;
                self.open[end].push(*item);
            }
        }
        false
    }
}

/// Bits of a mask, in words.
const MAX_WORDS: usize = 8;

/// Items of a block: one for each bit of a mask.
const BLOCK_SIZE: usize = MAX_WORDS * 64;

/// Which items of a block lead to an item.
type Mask = [u64; MAX_WORDS];

/// A network by the places of its items in an order of work.
struct Placed<'a> {
    order: &'a [u32],
    /// The place of each item.
    place: Vec<u32>,
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
        let places = |rows: fn(&Network, u32) -> &[u32]| {
            let place = &place;
            let rows = order.iter().map(move |item| rows(network, *item).iter());
            rows.map(move |row| row.map(move |other| place[*other as usize]))
        };
        let before = ItemRows::of(places(Network::before));
        let last = places(Network::after).map(|row| row.max().unwrap_or(0));
        let last = last.collect();
        Self {
            order,
            place,
            before,
            last,
        }
    }

    /// The redundant edges from these items.
    ///
    /// # Errors
    ///
    /// The watch stopped it.
    fn redundant_from(
        &self,
        items: &[u32],
        watch: ProgressWatch<'_>,
    ) -> Result<Vec<NetworkEdge>, NetworkError> {
        let mut sources: Vec<u32> = items
            .iter()
            .map(|item| self.place[*item as usize])
            .collect();
        sources.sort_unstable();
        let mut found = Vec::new();
        let at_once = rayon::current_num_threads() * 2;
        for (round, blocks) in sources.chunks(BLOCK_SIZE * at_once).enumerate() {
            let done = round * BLOCK_SIZE * at_once;
            if !watch(done * self.order.len() / sources.len(), self.order.len()) {
                return Err(NetworkError::Stopped);
            }
            let edges = blocks.par_chunks(BLOCK_SIZE);
            let edges = edges.map_init(Vec::new, |masks, block| self.redundant(block, masks));
            found.extend(edges.collect::<Vec<_>>().into_iter().flatten());
        }
        Ok(found)
    }

    /// The edges from the items at some places, in their order, that are redundant.
    fn redundant(&self, block: &[u32], masks: &mut Vec<Mask>) -> Vec<NetworkEdge> {
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
            let mut over = [0; MAX_WORDS];
            let mut direct = [0; MAX_WORDS];
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
    use std::sync::atomic::AtomicUsize;

    use super::{EdgeSearch, Network, NetworkEdge, NetworkError, Placed, ReachedHubs};
    use crate::ItemProgress;
    use crate::network::tests::network;

    /// Edges of which some lead far and the others near, in an order that is not that of work.
    fn random(seed: u64) -> Network {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut items: Vec<u32> = (0..60).collect();
        random.shuffle(&mut items);
        let mut edge = || {
            let from = random.usize(..59);
            let furthest = if random.f64() < 0.8 {
                60.min(from + 6)
            } else {
                60
            };
            (items[from], items[random.usize(from + 1..furthest)])
        };
        let edges: Vec<NetworkEdge> = (0..150).map(|_| edge()).collect();
        Network::numbered(vec![ItemProgress::Open; 60], &edges).unwrap()
    }

    #[test]
    fn searches_and_masks_find_the_same() {
        for seed in 0..200 {
            let network = random(seed);
            let layers = network.layers().unwrap();
            let items: Vec<u32> = network.items().collect();
            let placed = Placed::of(&network, layers.order());
            let mut expected = placed.redundant_from(&items, &|_, _| true).unwrap();
            expected.sort_unstable();
            assert_eq!(network.redundant_edges(&|_, _| true), Ok(expected.clone()));
            // Hubs decide much where there are so few items, so that searches are asked without them.
            let layer_of = layers.layer_of();
            let hubs = ReachedHubs {
                after: vec![0; network.len()],
                before: vec![0; network.len()],
            };
            let mut search = EdgeSearch::of(&network, &layer_of, &hubs);
            let (found, undecided) = search.redundant(&items, &AtomicUsize::new(usize::MAX));
            assert_eq!((&found, undecided), (&expected, Vec::new()));
            // Without a budget nearly all is given up, and what is not is true.
            let (found, undecided) = search.redundant(&items, &AtomicUsize::new(0));
            let is_decided = |edge: &&NetworkEdge| !undecided.contains(&edge.0);
            assert!(!undecided.is_empty());
            assert!(
                expected
                    .iter()
                    .filter(is_decided)
                    .eq(found.iter().filter(is_decided))
            );
        }
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
