//! Divides graphs that are too large for a picture into clusters, which can be divided again.

use std::collections::{HashMap, HashSet};

use chant_graph::ItemProgress;
use chant_graph::key_set::KeySet;
use chant_graph::network::{Network, NetworkError};

use super::layers::{layer_of, part_of};

/// The least number of clusters that can be asked for.
const MIN_COUNT: usize = 16;

/// Divides items into at most `most` clusters; items in one of them are divided by another call.
///
/// `units` is empty or has a text for each item: items with the same one belong together, such as the tasks of a
/// plan, and an empty one is of an item alone. If there are at most `most` units, each is a cluster. Otherwise units
/// are put together that are joined by edges and stand in neighbouring layers of the order of work, so that the
/// clusters of a graph without cycles wait for one another in no cycle, unless units do. The cost is a few visits to
/// each item and edge.
///
/// # Errors
/// `Argument` for a number of clusters below 16, or units that do not fit the items.
pub fn divide(
    network: &Network,
    items: &[u32],
    units: &[String],
    most: usize,
) -> Result<Vec<Vec<u32>>, NetworkError> {
    if most < MIN_COUNT {
        return Err(NetworkError::Argument {
            name: "most",
            given: most.to_string(),
            expected: "at least 16 clusters",
        });
    }
    if !units.is_empty() && units.len() != items.len() {
        return Err(NetworkError::Argument {
            name: "units",
            given: format!("{} long for {} items", units.len(), items.len()),
            expected: "none, or one for each item",
        });
    }
    let mut units = gather_units(items, units);
    if units.len() == 1 {
        units = items.iter().map(|item| vec![*item]).collect();
    }
    if units.len() <= most {
        return Ok(units);
    }
    let arrows = arrows_between(network, &units);
    let bins = pack(units.len(), &arrows, most);
    let merged = bins.into_iter().map(|bin| {
        let mut items: Vec<u32> = bin.iter().flat_map(|unit| &units[*unit]).copied().collect();
        items.sort_unstable();
        items
    });
    Ok(merged.collect())
}

/// Returns a network in which each of these clusters is one item with a name; all others stay what they are. The
/// clusters come first. A name that is taken gets a number. Edges to and from clusters that a way over other clusters
/// says, too, are left out.
///
/// # Errors
/// `Argument` if there is not one name for each cluster, or an item is in two of them; `NoSuchItem`.
pub fn merge(
    network: &Network,
    clusters: &[Vec<u32>],
    names: &[String],
) -> Result<Network, NetworkError> {
    if names.len() != clusters.len() {
        return Err(NetworkError::Argument {
            name: "names",
            given: format!("{} for {} clusters", names.len(), clusters.len()),
            expected: "one for each cluster",
        });
    }
    let place_of = places(network, clusters)?;
    let mut keys = KeySet::new();
    let mut progress = Vec::new();
    for (name, items) in names.iter().zip(clusters) {
        keys.insert(&free_name(name, items, network, &keys));
        progress.push(progress_of(network, items));
    }
    let mut place_of_item = Vec::with_capacity(network.len());
    for (item, place) in network.items().zip(place_of) {
        place_of_item.push(place.unwrap_or_else(|| {
            progress.push(network.progress(item));
            keys.insert(network.key(item))
        }));
    }
    let number = |item: u32| place_of_item[item as usize];
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for (from, to) in network.edges() {
        let ends = (number(from), number(to));
        if ends.0 != ends.1 || from == to {
            edges.push(ends);
        }
    }
    let implied = implied_edges(clusters, &edges)?;
    edges.retain(|edge| !implied.contains(edge));
    Network::new(keys, progress, &edges)
}

/// Returns the edges from or to a cluster of several items that a way over other clusters says, too: thousands of edges
/// between some tens of clusters hide what they show. Where clusters wait for one another in a cycle, there are none.
fn implied_edges(
    clusters: &[Vec<u32>],
    edges: &[(u32, u32)],
) -> Result<HashSet<(u32, u32)>, NetworkError> {
    let cluster = |end: u32| clusters.get(end as usize);
    let between = edges
        .iter()
        .filter(|(from, to)| cluster(*from).is_some() && cluster(*to).is_some());
    let between: Vec<(u32, u32)> = between.copied().collect();
    let keys = (0..clusters.len()).map(|place| place.to_string());
    let alone = Network::new(
        keys.collect(),
        vec![ItemProgress::Open; clusters.len()],
        &between,
    )?;
    let implied = alone.redundant_edges(&|_, _| true).unwrap_or_default();
    let is_of_several = |end: u32| cluster(end).is_some_and(|items| items.len() > 1);
    let implied = implied.into_iter();
    Ok(implied
        .filter(|(from, to)| is_of_several(*from) || is_of_several(*to))
        .collect())
}

/// Returns for each item the place of its cluster.
fn places(network: &Network, clusters: &[Vec<u32>]) -> Result<Vec<Option<u32>>, NetworkError> {
    let mut places = vec![None; network.len()];
    for (place, items) in (0..).zip(clusters) {
        for item in items {
            let known = places.get_mut(*item as usize);
            let known = known.ok_or(NetworkError::NoSuchItem {
                index: i64::from(*item),
            })?;
            if known.replace(place).is_some() {
                return Err(NetworkError::Argument {
                    name: "clusters",
                    given: format!("`{}` twice", network.key(*item)),
                    expected: "each item once",
                });
            }
        }
    }
    Ok(places)
}

/// Returns a key for a cluster that no other item has; a cluster of one item may have the key of that.
fn free_name(name: &str, items: &[u32], network: &Network, taken: &KeySet) -> String {
    let is_free = |key: &str| {
        let of_other = network.find(key).is_some_and(|item| items != [item]);
        !of_other && taken.find(key).is_none()
    };
    let mut key = name.to_owned();
    let mut number = 1;
    while !is_free(&key) {
        number += 1;
        key = format!("{name} ({number})");
    }
    key
}

/// Returns how far a cluster is: done if all of its items are that are work here.
fn progress_of(network: &Network, items: &[u32]) -> ItemProgress {
    let of_all = |wanted| items.iter().all(|item| network.progress(*item) == wanted);
    if of_all(ItemProgress::Absent) {
        ItemProgress::Absent
    } else if items.iter().any(|item| network.is_open(*item)) {
        ItemProgress::Open
    } else {
        ItemProgress::Done
    }
}

/// Returns items that belong together, in the order of their first ones.
fn gather_units(items: &[u32], names: &[String]) -> Vec<Vec<u32>> {
    let mut units: Vec<Vec<u32>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (place, item) in items.iter().enumerate() {
        let name = names.get(place).map_or("", String::as_str);
        match known.get(name) {
            Some(unit) if !name.is_empty() => units[*unit].push(*item),
            _ => {
                known.insert(name, units.len());
                units.push(vec![*item]);
            }
        }
    }
    units
}

fn arrows_between(network: &Network, units: &[Vec<u32>]) -> Vec<(usize, usize)> {
    let mut unit_of = vec![None; network.len()];
    for (unit, items) in units.iter().enumerate() {
        for item in items {
            unit_of[*item as usize] = Some(unit);
        }
    }
    let ends = network.edges().filter_map(|(from, to)| {
        let ends = (unit_of[from as usize]?, unit_of[to as usize]?);
        (ends.0 != ends.1).then_some(ends)
    });
    let mut arrows: Vec<(usize, usize)> = ends.collect();
    arrows.sort_unstable();
    arrows.dedup();
    arrows
}

/// Returns the units of each cluster. The size that clusters may have grows until there are few enough.
fn pack(units: usize, arrows: &[(usize, usize)], most: usize) -> Vec<Vec<usize>> {
    let packing = UnitPacking {
        layers: layer_of(units, arrows),
        parts: gather_parts(&part_of(units, arrows)),
        arrows,
    };
    let mut room = units.div_ceil(most);
    while room < units {
        let bins = packing.bins(room);
        if bins.len() <= most {
            return bins;
        }
        room += room.div_ceil(2);
    }
    let all: Vec<usize> = (0..units).collect();
    all.chunks(units.div_ceil(most))
        .map(<[usize]>::to_vec)
        .collect()
}

/// Returns the members of each part, by the first member of each.
fn gather_parts(part_of: &[usize]) -> Vec<Vec<usize>> {
    let mut place_of: HashMap<usize, usize> = HashMap::new();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for (member, first) in part_of.iter().enumerate() {
        let place = *place_of.entry(*first).or_insert_with(|| {
            parts.push(Vec::new());
            parts.len() - 1
        });
        parts[place].push(member);
    }
    parts
}

/// Units with their layers, and the parts that no arrow joins.
struct UnitPacking<'a> {
    layers: Vec<usize>,
    parts: Vec<Vec<usize>>,
    arrows: &'a [(usize, usize)],
}

impl UnitPacking<'_> {
    /// Returns clusters with at most `room` units each.
    fn bins(&self, room: usize) -> Vec<Vec<usize>> {
        let (small, large): (Vec<&Vec<usize>>, Vec<&Vec<usize>>) =
            self.parts.iter().partition(|part| part.len() <= room);
        let mut bins = Vec::new();
        let mut band_of = vec![None; self.layers.len()];
        let mut bands = 0;
        for part in large {
            for band in self.bands(part, room) {
                for unit in band {
                    band_of[unit] = Some(bands);
                }
                bands += 1;
            }
        }
        for members in self.connected_in_bands(&band_of, bands) {
            fill_bins(&mut bins, members.iter(), room);
        }
        fill_bins(&mut bins, small.into_iter(), room);
        bins
    }

    /// Divides a part into bands of neighbouring layers; one with more than `room` units is a single layer.
    fn bands(&self, part: &[usize], room: usize) -> Vec<Vec<usize>> {
        let mut sorted = part.to_vec();
        sorted.sort_by_key(|unit| self.layers[*unit]);
        let mut bands: Vec<Vec<usize>> = Vec::new();
        for layer in sorted.chunk_by(|a, b| self.layers[*a] == self.layers[*b]) {
            match bands.last_mut() {
                Some(band) if band.len() + layer.len() <= room => band.extend(layer),
                _ => bands.push(layer.to_vec()),
            }
        }
        bands
    }

    /// Returns for each band what arrows within it join.
    fn connected_in_bands(&self, band_of: &[Option<usize>], bands: usize) -> Vec<Vec<Vec<usize>>> {
        let is_within = |arrow: &&(usize, usize)| {
            band_of[arrow.0].is_some() && band_of[arrow.0] == band_of[arrow.1]
        };
        let within: Vec<(usize, usize)> = self.arrows.iter().filter(is_within).copied().collect();
        let mut connected = vec![Vec::new(); bands];
        for members in gather_parts(&part_of(band_of.len(), &within)) {
            if let Some(band) = band_of[members[0]] {
                connected[band].push(members);
            }
        }
        connected
    }
}

/// Adds clusters of whole groups, in their order, each with as many as there is room for.
fn fill_bins<'a>(
    bins: &mut Vec<Vec<usize>>,
    groups: impl Iterator<Item = &'a Vec<usize>>,
    room: usize,
) {
    let mut bin: Vec<usize> = Vec::new();
    for group in groups {
        if !bin.is_empty() && bin.len() + group.len() > room {
            bins.push(std::mem::take(&mut bin));
        }
        bin.extend(group);
    }
    if !bin.is_empty() {
        bins.push(bin);
    }
}

#[cfg(test)]
mod tests {
    use chant_graph::network::sample::{keys_as_words, network_of_words};

    use super::{divide, merge};

    /// A chain of `length` items, each of which has `leaves` items that wait for it alone.
    fn comb(length: usize, leaves: usize) -> String {
        let mut words = String::from("c0");
        for at in 1..length {
            words.push_str(&format!(" c{at}<-c{}", at - 1));
            for leaf in 0..leaves {
                words.push_str(&format!(" l{at}.{leaf}<-c{at}"));
            }
        }
        words
    }

    #[test]
    fn each_item_is_in_one_cluster_and_clusters_can_be_divided_until_items_are_alone() {
        for words in [
            comb(3000, 0),
            comb(40, 60),
            comb(2, 2999),
            "a ".to_owned() + &comb(1, 0),
        ] {
            let network = network_of_words(&words).unwrap();
            let mut open = vec![network.items().collect::<Vec<u32>>()];
            let mut levels = 0;
            while !open.is_empty() {
                levels += 1;
                assert!(levels < 6, "clusters stay as large as they are");
                let mut next = Vec::new();
                for items in open {
                    let clusters = divide(&network, &items, &[], 40).unwrap();
                    assert!((2..=40).contains(&clusters.len()), "{}", clusters.len());
                    let mut found = clusters.concat();
                    found.sort_unstable();
                    assert_eq!(found, items);
                    next.extend(clusters.into_iter().filter(|items| items.len() > 1));
                }
                open = next;
            }
        }
    }

    #[test]
    fn clusters_of_a_graph_without_cycles_wait_in_no_cycle() {
        for words in [comb(500, 1), comb(30, 40)] {
            let network = network_of_words(&words).unwrap();
            let items: Vec<u32> = network.items().collect();
            let clusters = divide(&network, &items, &[], 40).unwrap();
            let names: Vec<String> = (0..clusters.len()).map(|at| format!("#{at}")).collect();
            let merged = merge(&network, &clusters, &names).unwrap();
            assert_eq!(merged.len(), clusters.len());
            assert!(merged.cycles().is_empty());
        }
    }

    #[test]
    fn what_belongs_together_stays_together() {
        let network = network_of_words("a! b<-a c<-b d x").unwrap();
        let units = ["p", "p", "", "", "q"].map(str::to_owned);
        let clusters = divide(&network, &[0, 1, 2, 3, 4], &units, 16).unwrap();
        let words: Vec<String> = clusters
            .iter()
            .map(|items| keys_as_words(&network, items))
            .collect();
        assert_eq!(words, ["a b", "c", "d", "x"]);
        let names = ["x", "c", "d", "x"].map(str::to_owned);
        let merged = merge(&network, &clusters, &names).unwrap();
        assert_eq!(merged.keys().collect::<Vec<_>>(), ["x (2)", "c", "d", "x"]);
        assert_eq!(merged.after(0), [1]);
        assert!(merged.is_open(0));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let network = network_of_words("a b").unwrap();
        let error = divide(&network, &[0, 1], &[], 3).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`most` is 3, expected at least 16 clusters"
        );
        let twice = merge(&network, &[vec![0], vec![0, 1]], &["p".into(), "q".into()]);
        assert_eq!(
            twice.unwrap_err().to_string(),
            "`clusters` is `a` twice, expected each item once"
        );
    }
}
