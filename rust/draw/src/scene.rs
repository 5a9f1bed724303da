//! The scene of a picture: the items asked for, and groups for the others.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use super::layers::{layer_of, part_of};
use chant_graph::network::Network;
use chant_graph::picture::PictureArrow;

/// The shapes and arrows of a picture in the order of work: an arrow leads from an item to one that
/// waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureScene {
    /// The items shown, in their order, and then the groups of others.
    pub shapes: Vec<SceneShape>,
    /// The arrows between shapes.
    pub arrows: Vec<PictureArrow>,
}

/// An item, or others that are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SceneShape {
    /// An item, by its place among those shown.
    Item(usize),
    /// The number of items for which shown ones wait, directly or over others.
    Earlier(usize),
    /// The number of items that wait for shown ones, and for which no shown one waits.
    Later(usize),
    /// The number of items without a link to those shown.
    Apart(usize),
}

impl PictureScene {
    /// Returns the scene of these items, each of which is named once. If a shown item waits for
    /// another over hidden ones, an indirect arrow says so, unless a way over shown ones does.
    ///
    /// Each hidden item is counted once, in a group with those whose nearest shown item is in the
    /// same layer of the same part of the picture, so that arrows to groups are short. A shown item
    /// is linked to at most one group before it and one behind it.
    pub fn new(network: &Network, items: &[u32]) -> Self {
        let mut places = vec![None; network.len()];
        for (place, item) in items.iter().enumerate() {
            places[*item as usize] = Some(place);
        }
        let mut scene = Self {
            shapes: (0..items.len()).map(SceneShape::Item).collect(),
            arrows: Vec::new(),
        };
        for (from, item) in items.iter().enumerate() {
            let after = network.after(*item).iter();
            let shown = after.filter_map(|other| places[*other as usize]);
            scene.arrows.extend(shown.map(|to| direct(from, to)));
        }
        if items.len() < network.len() {
            HiddenItems::new(network, items, &places).add_to(&mut scene);
        }
        scene
    }
}

/// A layer of a part of the picture.
type LayerSpot = (usize, usize);

/// Hidden items that are drawn as one shape.
#[derive(Default)]
struct HiddenGroup {
    count: usize,
    /// The places of the shown items beside them.
    joined: BTreeSet<usize>,
}

fn direct(from: usize, to: usize) -> PictureArrow {
    PictureArrow {
        from,
        to,
        is_indirect: false,
    }
}

/// Items that are not shown.
struct HiddenItems<'a> {
    network: &'a Network,
    items: &'a [u32],
    places: &'a [Option<usize>],
    /// Marks the items for which a shown one waits.
    is_earlier: FixedBitSet,
    earlier: usize,
    later: usize,
    /// The items between shown ones.
    between: Vec<u32>,
}

impl<'a> HiddenItems<'a> {
    fn new(network: &'a Network, items: &'a [u32], places: &'a [Option<usize>]) -> Self {
        let mut is_earlier = FixedBitSet::with_capacity(network.len());
        let ancestors = network.ancestors(items);
        for item in &ancestors {
            is_earlier.insert(*item as usize);
        }
        let mut later = network.impact(items);
        let mut between: Vec<u32> = later.clone();
        between.retain(|item| is_earlier.contains(*item as usize));
        later.retain(|item| !is_earlier.contains(*item as usize));
        Self {
            network,
            items,
            places,
            is_earlier,
            earlier: ancestors.len(),
            later: later.len(),
            between,
        }
    }

    fn add_to(&self, scene: &mut PictureScene) {
        let indirect = self.indirect();
        scene.arrows.extend(indirect);
        self.keep_needed(scene);
        let pairs: Vec<(usize, usize)> = scene.arrows.iter().map(|a| (a.from, a.to)).collect();
        let layers = layer_of(self.items.len(), &pairs);
        let parts = part_of(self.items.len(), &pairs);
        let spots: Vec<LayerSpot> = parts.into_iter().zip(layers).collect();
        let is_earlier = |item: u32| self.is_earlier.contains(item as usize);
        let before = |item| self.network.before(item);
        let earlier = self.groups(&spots, &before, &is_earlier);
        let after = |item| self.network.after(item);
        let later = self.groups(&spots, &after, &|item| !is_earlier(item));
        for group in earlier {
            let shape = scene.shapes.len();
            scene.shapes.push(SceneShape::Earlier(group.count));
            let joined = group.joined.iter();
            scene.arrows.extend(joined.map(|to| direct(shape, *to)));
        }
        for group in later {
            let shape = scene.shapes.len();
            scene.shapes.push(SceneShape::Later(group.count));
            let joined = group.joined.iter();
            scene.arrows.extend(joined.map(|from| direct(*from, shape)));
        }
        let apart = self.network.len() - self.items.len() - self.earlier - self.later;
        if apart > 0 {
            scene.shapes.push(SceneShape::Apart(apart));
        }
    }

    /// Returns the groups of hidden items on one side, by the place of their nearest shown items;
    /// of equally near ones the first counts.
    fn groups(
        &self,
        spots: &[LayerSpot],
        step: &dyn Fn(u32) -> &'a [u32],
        belongs: &dyn Fn(u32) -> bool,
    ) -> Vec<HiddenGroup> {
        let is_hidden = |item: &&u32| self.places[**item as usize].is_none();
        let mut nearest: Vec<Option<usize>> = self.places.to_vec();
        let mut met: Vec<u32> = self.items.to_vec();
        let mut groups: BTreeMap<LayerSpot, HiddenGroup> = BTreeMap::new();
        let mut next = 0;
        while let Some(item) = met.get(next).copied() {
            next += 1;
            let Some(place) = nearest[item as usize] else {
                continue;
            };
            for other in step(item).iter().filter(is_hidden) {
                if nearest[*other as usize].is_none() {
                    nearest[*other as usize] = Some(place);
                    met.push(*other);
                    if belongs(*other) {
                        let group = groups.entry(spots[place]).or_default();
                        group.count += 1;
                        group.joined.insert(place);
                    }
                }
            }
        }
        for (place, item) in self.items.iter().enumerate() {
            let own = spots[place];
            let is_joined = |group: &HiddenGroup| group.joined.contains(&place);
            if groups.get(&own).is_some_and(is_joined) {
                continue;
            }
            let beside = step(*item).iter().filter(is_hidden);
            let beside = beside.filter(|other| belongs(**other));
            let places = beside.filter_map(|other| nearest[*other as usize]);
            let far = |spot: &LayerSpot| (spot.0 != own.0, spot.1.abs_diff(own.1), *spot);
            if let Some(spot) = places.map(|place| spots[place]).min_by_key(far) {
                groups.entry(spot).or_default().joined.insert(place);
            }
        }
        groups.into_values().collect()
    }

    /// Returns arrows between shown items that are linked only over hidden ones.
    fn indirect(&self) -> Vec<PictureArrow> {
        let (number, cycles) = self.cycles();
        // For each hidden item between shown ones, or cycle of such items, the shown ones with a
        // way over hidden ones to it.
        let mut sources: Vec<FixedBitSet> = Vec::with_capacity(cycles.len());
        for (index, items) in cycles.iter().enumerate() {
            let mut found = FixedBitSet::with_capacity(self.items.len());
            for before in items.iter().flat_map(|item| self.network.before(*item)) {
                match (self.places[*before as usize], number[*before as usize]) {
                    (Some(place), _) => found.insert(place),
                    (None, Some(other)) if other < index => found.union_with(&sources[other]),
                    (None, _) => {}
                }
            }
            sources.push(found);
        }
        let mut arrows = Vec::new();
        for (to, item) in self.items.iter().enumerate() {
            let mut found = FixedBitSet::with_capacity(self.items.len());
            let before = self.network.before(*item).iter();
            for index in before
                .clone()
                .filter_map(|other| number.get(*other as usize)?.as_ref())
            {
                found.union_with(&sources[*index]);
            }
            for direct in before.filter_map(|other| self.places[*other as usize]) {
                found.remove(direct);
            }
            arrows.extend(found.ones().map(|from| PictureArrow {
                from,
                to,
                is_indirect: true,
            }));
        }
        arrows
    }

    /// Returns the items between shown ones in an order of work, with those of a cycle together;
    /// and for each item of the graph its place there.
    fn cycles(&self) -> (Vec<Option<usize>>, Vec<Vec<u32>>) {
        let mut number = vec![None; self.network.len()];
        let mut graph: DiGraph<u32, (), u32> = DiGraph::with_capacity(self.between.len(), 0);
        for item in &self.between {
            number[*item as usize] = Some(graph.add_node(*item));
        }
        for item in &self.between {
            let after = self.network.after(*item).iter();
            let ends =
                after.filter_map(|other| Some((number[*item as usize]?, number[*other as usize]?)));
            graph.extend_with_edges(ends);
        }
        // Cycles come after those that they lead to.
        let mut cycles: Vec<Vec<u32>> = Vec::new();
        for nodes in kosaraju_scc(&graph).into_iter().rev() {
            cycles.push(nodes.into_iter().map(|node| graph[node]).collect());
        }
        let mut places = vec![None; self.network.len()];
        for (place, items) in cycles.iter().enumerate() {
            for item in items {
                places[*item as usize] = Some(place);
            }
        }
        (places, cycles)
    }

    /// Drops, one after the other, indirect arrows beside which other arrows lead to the same item.
    fn keep_needed(&self, scene: &mut PictureScene) {
        let mut targets = vec![FixedBitSet::with_capacity(self.items.len()); self.items.len()];
        for arrow in &scene.arrows {
            targets[arrow.from].insert(arrow.to);
        }
        scene.arrows.retain(|arrow| {
            if !arrow.is_indirect {
                return true;
            }
            targets[arrow.from].remove(arrow.to);
            let is_needed = !leads(&targets, arrow.from, arrow.to);
            targets[arrow.from].set(arrow.to, is_needed);
            is_needed
        });
    }
}

/// Returns true if arrows lead from one to the other.
fn leads(targets: &[FixedBitSet], from: usize, to: usize) -> bool {
    let mut met = targets[from].clone();
    let mut open: Vec<usize> = met.ones().collect();
    while let Some(place) = open.pop() {
        if met.contains(to) {
            return true;
        }
        let mut new = targets[place].clone();
        new.difference_with(&met);
        open.extend(new.ones());
        met.union_with(&new);
    }
    false
}

#[cfg(test)]
mod tests {
    use chant_graph::network::sample::network_of_words;

    use super::{PictureScene, SceneShape};

    #[track_caller]
    fn check(words: &str, shown: &str, expected: &str) {
        let network = network_of_words(words).unwrap();
        let items: Vec<u32> = shown
            .split(' ')
            .map(|key| network.find(key).unwrap())
            .collect();
        let scene = PictureScene::new(&network, &items);
        let name = |at: usize| match scene.shapes[at] {
            SceneShape::Item(place) => network.key(items[place]).to_owned(),
            SceneShape::Earlier(count) => format!("{count}<"),
            SceneShape::Later(count) => format!("{count}>"),
            SceneShape::Apart(count) => format!("{count}|"),
        };
        let arrows = scene.arrows.iter().map(|arrow| {
            let line = if arrow.is_indirect { "~" } else { "-" };
            format!("{}{line}{}", name(arrow.from), name(arrow.to))
        });
        let joined = |at: &usize| scene.arrows.iter().any(|a| a.from == *at || a.to == *at);
        let alone = (0..scene.shapes.len()).filter(|at| !joined(at)).map(name);
        assert_eq!(arrows.chain(alone).collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn what_is_not_shown_stands_before_behind_or_apart() {
        check("a b<-a c<-b d<-c e<-d x", "c", "2<-c c-2> 1|");
        check("a b<-a c<-a d", "a b c d", "a-b a-c d");
    }

    #[test]
    fn ways_over_what_is_not_shown_are_indirect() {
        check("a h<-a b<-h", "a b", "a~b 1<-b");
        // b waits for a directly, c waits for a over b: neither needs another arrow.
        check("a h<-a b<-h,a c<-b,h", "a b c", "a-b b-c 1<-b 1<-c");
    }

    #[test]
    fn what_is_not_shown_is_counted_where_it_is_nearest() {
        // Of a, b and c in a row each has one behind it; y waits for two of them and is counted
        // once.
        check(
            "a b<-a c<-b x<-a y<-b,c z<-y",
            "a b c",
            "a-b b-c a-1> b-2> c-2>",
        );
        check(
            "a b<-a x<-a y<-b z<-y s t<-s",
            "a b s",
            "a-b a-1> b-2> s-1>",
        );
    }

    #[test]
    fn ways_in_loops_are_found_too() {
        check("a h<-a,i i<-h b<-i a2<-b", "a b", "a~b 2<-b b-1>");
        check("a<-h h<-a", "a", "a~a 1<-a");
    }
}
