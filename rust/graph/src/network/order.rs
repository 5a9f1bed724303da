//! The order of items: layers, and cycles that allow no order.

use super::{Network, NetworkError, narrow};

/// All items in layers: those of a layer wait only for items of earlier layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemLayers {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl ItemLayers {
    /// Returns the number of layers.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns true if there is no layer.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items of a layer, in their order.
    pub fn layer(&self, index: usize) -> Option<&[u32]> {
        let (from, to) = (self.starts.get(index)?, self.starts.get(index + 1)?);
        Some(&self.items[*from as usize..*to as usize])
    }

    /// All items, layer by layer: an order in which they can be worked on.
    pub fn order(&self) -> &[u32] {
        &self.items
    }

    /// The layer of each item.
    pub fn layer_of(&self) -> Vec<u32> {
        let mut layer_of = vec![0; self.items.len()];
        for (layer, bounds) in (0..).zip(self.starts.windows(2)) {
            for item in &self.items[bounds[0] as usize..bounds[1] as usize] {
                layer_of[*item as usize] = layer;
            }
        }
        layer_of
    }

    /// The items sorted by their layers, of which there are `count`.
    pub fn of(layer_of: &[u32], count: usize) -> Self {
        let mut starts = vec![0_u32; count + 1];
        for layer in layer_of {
            starts[*layer as usize + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut items = vec![0; layer_of.len()];
        for (item, layer) in (0..).zip(layer_of) {
            let place = &mut next[*layer as usize];
            items[*place as usize] = item;
            *place += 1;
        }
        Self { starts, items }
    }
}

impl Network {
    /// The items in layers, each in the earliest that it can be in.
    ///
    /// # Errors
    ///
    /// Items wait for one another.
    ///
    /// ```
    /// use chant_graph::network::sample::{keys_as_words, network_of_words};
    ///
    /// let network = network_of_words("ship<-test test<-build,design build design!")?;
    /// assert_eq!(keys_as_words(&network, network.layers()?.order()), "build design test ship");
    /// assert_eq!(keys_as_words(&network, &network.frontier()), "build");
    /// # Ok::<(), chant_graph::network::NetworkError>(())
    /// ```
    pub fn layers(&self) -> Result<ItemLayers, NetworkError> {
        let mut waits: Vec<u32> = self
            .rows_before()
            .rows()
            .map(|(_, row)| narrow(row.len()))
            .collect();
        let mut layer_of = vec![0_u32; self.len()];
        let free = self.items().filter(|item| waits[*item as usize] == 0);
        let mut now: Vec<u32> = free.collect();
        let mut next = Vec::new();
        let (mut seen, mut layer) = (0, 0);
        while !now.is_empty() {
            for item in now.drain(..) {
                seen += 1;
                layer_of[item as usize] = layer;
                for other in self.after(item) {
                    let left = &mut waits[*other as usize];
                    *left -= 1;
                    if *left == 0 {
                        next.push(*other);
                    }
                }
            }
            std::mem::swap(&mut now, &mut next);
            layer += 1;
        }
        if seen < self.len() {
            return Err(self.cycle_error(&waits));
        }
        Ok(ItemLayers::of(&layer_of, layer as usize))
    }

    /// Returns the error that names a cycle among the items that still wait when all others were taken away.
    fn cycle_error(&self, waits: &[u32]) -> NetworkError {
        // Each of these waits for another of these, so that going back has to meet an item again.
        let held = |item: &u32| waits[*item as usize] > 0;
        let mut met = vec![u32::MAX; self.len()];
        let mut way: Vec<u32> = Vec::new();
        let mut item = self.items().find(|item| held(item));
        while let Some(now) = item {
            if met[now as usize] != u32::MAX {
                let mut keys: Vec<String> = way[met[now as usize] as usize..]
                    .iter()
                    .rev()
                    .map(|item| self.key(*item).to_owned())
                    .collect();
                keys.insert(0, self.key(now).to_owned());
                return NetworkError::Cycle { keys };
            }
            met[now as usize] = narrow(way.len());
            way.push(now);
            item = self.before(now).iter().copied().find(|other| held(other));
        }
        NetworkError::Cycle { keys: Vec::new() }
    }

    /// Groups of items that wait for one another, each in the order of the items, by their first.
    pub fn cycles(&self) -> Vec<Vec<u32>> {
        let groups = self.components();
        let groups = (0..groups.len()).filter_map(|index| groups.layer(index).map(<[u32]>::to_vec));
        let is_cyclic =
            |group: &Vec<u32>| group.len() > 1 || self.after(group[0]).contains(&group[0]);
        let mut cyclic: Vec<Vec<u32>> = groups.filter(is_cyclic).collect();
        cyclic.sort_unstable();
        cyclic
    }
}

#[cfg(test)]
mod tests {
    use super::{Network, NetworkError};
    use crate::ItemProgress;
    use crate::network::tests::{named, network};

    #[track_caller]
    fn check(words: &str, expected: &str) {
        let network = network(words);
        let layers = network.layers().unwrap();
        let shown: Vec<_> = (0..layers.len())
            .map(|index| named(&network, layers.layer(index).unwrap()))
            .collect();
        assert_eq!(shown.join(" | "), expected);
    }

    #[test]
    fn each_item_is_in_the_earliest_layer() {
        check("a b<-a c<-a d<-b,a e", "a e | b c | d");
        check("", "");
        check("c<-b b<-a", "a | b | c");
    }

    #[test]
    fn a_loop_is_named_in_the_order_of_work() {
        let error = network("x a<-c,x b<-a c<-b d<-c").layers().unwrap_err();
        let NetworkError::Cycle { keys } = error else {
            panic!("{error}");
        };
        assert_eq!(keys.join(" "), "a b c a");
    }

    #[test]
    fn loops_are_found_with_all_their_items() {
        let network = network("a<-a b<-d,a c<-b d<-c e<-d");
        let shown: Vec<_> = network
            .cycles()
            .iter()
            .map(|group| named(&network, group))
            .collect();
        assert_eq!(shown.join(" | "), "a | b d c");
    }

    #[test]
    fn long_rows_and_large_loops_are_gone_through() {
        let count = 200_000;
        let row: Vec<(u32, u32)> = (1..count).map(|item| (item - 1, item)).collect();
        let progress = vec![ItemProgress::Open; count as usize];
        let in_a_row = Network::numbered(progress.clone(), &row).unwrap();
        assert!(in_a_row.cycles().is_empty());
        let round = [row, vec![(count - 2, 0)]].concat();
        let in_a_loop = Network::numbered(progress, &round).unwrap();
        let groups = in_a_loop.cycles();
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [199_999]);
    }
}
