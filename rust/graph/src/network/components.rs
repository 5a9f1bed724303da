//! Strongly connected components: which items wait for one another.

use std::slice::Iter;

use super::{ItemLayers, Network, narrow};

impl Network {
    /// The strongly connected components: items that wait for one another, directly or over others, are one group,
    /// and an item for itself is one, too. Each group waits only for earlier ones.
    ///
    /// ```
    /// use chant_graph::network::sample::{keys_as_words, network_of_words};
    ///
    /// let network = network_of_words("b<-c c<-b ship<-c a b<-a")?;
    /// let groups = network.components();
    /// assert_eq!(keys_as_words(&network, groups.order()), "a b c ship");
    /// assert_eq!(groups.len(), 3);
    /// # Ok::<(), chant_graph::network::NetworkError>(())
    /// ```
    pub fn components(&self) -> ItemLayers {
        let mut sorter = ComponentSorter::of(self);
        sorter.take_first();
        sorter.take_last();
        sorter.search();
        sorter.groups()
    }
}

/// An item that is on no way yet.
const UNSEEN: u32 = 0;

/// Finds the group of each item: what stands before all cycles, and behind them, is a group for itself, and only what is
/// left needs a search in depth (Pearce 2016, with a stack of its own: rows can be long).
struct ComponentSorter<'a> {
    network: &'a Network,
    /// The group of an item, once it is known. Groups of the search are numbered from the last one back.
    group: Vec<u32>,
    is_known: Vec<bool>,
    /// The next group from the first one on.
    first: u32,
    /// How many groups are left before those that are known at the end.
    last: u32,
}

/// An item on the way, the items behind it that are not looked at yet, and whether none of them leads back further.
struct SearchStep<'a> {
    item: u32,
    rest: Iter<'a, u32>,
    is_root: bool,
}

impl<'a> ComponentSorter<'a> {
    fn of(network: &'a Network) -> Self {
        let count = network.len();
        Self {
            network,
            group: vec![UNSEEN; count],
            is_known: vec![false; count],
            first: 0,
            last: narrow(count),
        }
    }

    /// Takes the items that no cycle leads to, in an order of work.
    fn take_first(&mut self) {
        let rows = self.network.rows_before().rows();
        let mut waits: Vec<u32> = rows.map(|(_, row)| narrow(row.len())).collect();
        let free = self.network.items();
        let mut order: Vec<u32> = free.filter(|item| waits[*item as usize] == 0).collect();
        let mut next = 0;
        while let Some(item) = order.get(next).copied() {
            self.group[item as usize] = narrow(next);
            self.is_known[item as usize] = true;
            next += 1;
            for other in self.network.after(item) {
                let left = &mut waits[*other as usize];
                *left -= 1;
                if *left == 0 {
                    order.push(*other);
                }
            }
        }
        self.first = narrow(order.len());
    }

    /// Takes the items that lead to no cycle, from the last one back.
    fn take_last(&mut self) {
        if self.first == self.last {
            return;
        }
        // What waits for an item that is not known is not known itself.
        let mut leads: Vec<u32> = vec![0; self.network.len()];
        let mut order: Vec<u32> = Vec::new();
        for item in self
            .network
            .items()
            .filter(|item| !self.is_known[*item as usize])
        {
            leads[item as usize] = narrow(self.network.after(item).len());
            if leads[item as usize] == 0 {
                order.push(item);
            }
        }
        let mut next = 0;
        while let Some(item) = order.get(next).copied() {
            next += 1;
            self.last -= 1;
            self.group[item as usize] = self.last;
            self.is_known[item as usize] = true;
            for other in self.network.before(item) {
                let left = &mut leads[*other as usize];
                // What is known already leads nowhere that is counted.
                if *left > 0 {
                    *left -= 1;
                    if *left == 0 {
                        order.push(*other);
                    }
                }
            }
        }
    }

    /// Finds the groups of all others.
    fn search(&mut self) {
        // Where an item leads back to among those of its way; a group, which counts more, once that is known.
        let mut found = FoundItems {
            reach: std::mem::take(&mut self.group),
            waiting: Vec::new(),
            seen: self.first,
            last: self.last,
        };
        let mut way: Vec<SearchStep<'a>> = Vec::new();
        for start in self.network.items() {
            if self.is_known[start as usize] || found.reach[start as usize] != UNSEEN {
                continue;
            }
            way.push(found.enter(self.network, start));
            while let Some(step) = way.last_mut() {
                let item = step.item as usize;
                let Some(other) = step.rest.next() else {
                    let item = step.item;
                    let is_root = step.is_root;
                    way.pop();
                    found.leave(item, is_root);
                    if let Some(before) = way.last_mut() {
                        found.hand_back(before, item);
                    }
                    continue;
                };
                if self.is_known[*other as usize] {
                    continue;
                }
                if found.reach[*other as usize] == UNSEEN {
                    way.push(found.enter(self.network, *other));
                } else if found.reach[*other as usize] < found.reach[item] {
                    found.reach[item] = found.reach[*other as usize];
                    step.is_root = false;
                }
            }
        }
        self.last = found.last;
        self.group = found.reach;
    }

    /// The groups, without the numbers that none has.
    fn groups(mut self) -> ItemLayers {
        let gap = self.last - self.first;
        if gap > 0 {
            for group in &mut self.group {
                if *group >= self.last {
                    *group -= gap;
                }
            }
        }
        let count = self.network.len() - gap as usize;
        ItemLayers::of(&self.group, count)
    }
}

/// What the search knows of items.
struct FoundItems {
    reach: Vec<u32>,
    /// Items that were left and belong to a group whose first item is still on the way.
    waiting: Vec<u32>,
    /// The number of items that were entered, and are in no group yet, behind those before all cycles.
    seen: u32,
    last: u32,
}

impl FoundItems {
    fn enter<'a>(&mut self, network: &'a Network, item: u32) -> SearchStep<'a> {
        self.seen += 1;
        self.reach[item as usize] = self.seen;
        SearchStep {
            item,
            rest: network.after(item).iter(),
            is_root: true,
        }
    }

    /// Leaves an item; the first of its group takes with it those that lead back to it.
    fn leave(&mut self, item: u32, is_root: bool) {
        if !is_root {
            self.waiting.push(item);
            return;
        }
        self.last -= 1;
        self.seen -= 1;
        let reach = self.reach[item as usize];
        while let Some(other) = self
            .waiting
            .pop_if(|other| self.reach[*other as usize] >= reach)
        {
            self.reach[other as usize] = self.last;
            self.seen -= 1;
        }
        self.reach[item as usize] = self.last;
    }

    fn hand_back(&mut self, before: &mut SearchStep<'_>, item: u32) {
        let reach = self.reach[item as usize];
        let own = &mut self.reach[before.item as usize];
        if reach < *own {
            *own = reach;
            before.is_root = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Network;
    use crate::ItemProgress;
    use crate::network::tests::{named, network};

    #[track_caller]
    fn check(words: &str, expected: &str) {
        let network = network(words);
        let groups = network.components();
        let groups = (0..groups.len()).filter_map(|index| groups.layer(index));
        let shown: Vec<_> = groups.map(|group| named(&network, group)).collect();
        assert_eq!(shown.join(" | "), expected);
    }

    #[test]
    fn what_waits_for_one_another_is_one_group() {
        check("", "");
        check("a b<-a c<-b", "a | b | c");
        check("a<-c b<-a c<-b d<-c", "a c b | d");
        check("a<-a b<-a", "a | b");
        check(
            "x a<-b,x b<-a c<-b d<-c,e e<-d f<-e",
            "x | a b | c | d e | f",
        );
    }

    #[test]
    fn groups_are_those_that_lead_to_each_other_and_stand_in_order() {
        for seed in 0..300 {
            let mut random = fastrand::Rng::with_seed(seed);
            let count = random.u32(1..25);
            let size = random.usize(0..60);
            let edges: Vec<(u32, u32)> = (0..size)
                .map(|_| (random.u32(..count), random.u32(..count)))
                .collect();
            let progress = vec![ItemProgress::Open; count as usize];
            let network = Network::numbered(progress, &edges).unwrap();
            let group = network.components().layer_of();
            let reached: Vec<Vec<u32>> = (0..count).map(|item| network.impact(&[item])).collect();
            let leads = |from: u32, to: u32| reached[from as usize].contains(&to);
            for from in 0..count {
                for to in (0..count).filter(|to| *to != from) {
                    let (of_from, of_to) = (group[from as usize], group[to as usize]);
                    assert_eq!(
                        of_from == of_to,
                        leads(from, to) && leads(to, from),
                        "{edges:?}"
                    );
                    assert!(!leads(from, to) || of_from <= of_to, "{edges:?}");
                }
            }
        }
    }
}
