//! The graphs of several repositories as one: keys begin with the repository, and what one names of another is
//! the item there.

use std::collections::HashSet;

use chant_base::external_items::{split_key, split_repository};
use chant_graph::ItemProgress;
use chant_graph::key_set::KeySet;
use chant_graph::network::{Network, NetworkError};

/// A graph that is put together with others.
pub struct UnionPart<'a> {
    /// The name of its repository, which its keys get; without one they stay.
    pub name: Option<&'a str>,
    /// The keys of its items.
    pub keys: Vec<&'a str>,
    /// How far each is.
    pub progress: Vec<ItemProgress>,
    /// Its edges `(before, after)` between numbers of items.
    pub edges: Vec<(u32, u32)>,
}

impl<'a> UnionPart<'a> {
    /// A graph and its name.
    pub fn of(name: Option<&'a str>, network: &'a Network) -> Self {
        Self {
            name,
            keys: network.keys().collect(),
            progress: network.items().map(|item| network.progress(item)).collect(),
            edges: network.edges().collect(),
        }
    }
}

/// The graph of several repositories.
pub struct NetworkUnion {
    /// The graph.
    pub network: Network,
    /// Where each of its items comes from: the number of a graph, and its item there.
    pub origins: Vec<(usize, u32)>,
}

/// An item that is put together: how far it is, where that is said, and whether its own repository says so.
struct UnitedItem {
    progress: ItemProgress,
    origin: (usize, u32),
    is_own: bool,
}

impl NetworkUnion {
    /// Puts graphs together, item by item in their order. An item that several graphs name is what its own
    /// repository says of it.
    ///
    /// # Errors
    /// More items or edges than a network numbers.
    pub fn of(parts: &[UnionPart<'_>]) -> Result<Self, NetworkError> {
        let names: HashSet<&str> = parts.iter().filter_map(|part| part.name).collect();
        let mut keys = KeySet::new();
        let mut items: Vec<UnitedItem> = Vec::new();
        let mut edges = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let mut places = Vec::with_capacity(part.keys.len());
            for ((item, key), progress) in (0..).zip(&part.keys).zip(&part.progress) {
                let (key, is_own) = qualified(part.name, key, &names);
                let united = UnitedItem {
                    progress: *progress,
                    origin: (number, item),
                    is_own,
                };
                let place = keys.insert(&key);
                match items.get_mut(place as usize) {
                    None => items.push(united),
                    Some(known) if is_own && !known.is_own => *known = united,
                    Some(_) => {}
                }
                places.push(place);
            }
            let own = part.edges.iter();
            edges.extend(own.map(|(from, to)| (places[*from as usize], places[*to as usize])));
        }
        let progress = items.iter().map(|item| item.progress).collect();
        Ok(Self {
            network: Network::new(keys, progress, &edges)?,
            origins: items.into_iter().map(|item| item.origin).collect(),
        })
    }
}

/// The key of an item among several repositories, and whether it is one of its own.
fn qualified(repository: Option<&str>, key: &str, names: &HashSet<&str>) -> (String, bool) {
    if split_repository(key).is_some() {
        return (key.to_owned(), false);
    }
    if let Some(named) = spec_elsewhere(key).filter(|(other, _)| names.contains(other)) {
        return (format!("{}/chant:{}", named.0, named.1), false);
    }
    match repository {
        Some(repository) => (format!("{repository}/{key}"), true),
        None => (key.to_owned(), true),
    }
}

/// The repository and the ID of a spec that another spec names as `repository:id`.
fn spec_elsewhere(key: &str) -> Option<(&str, &str)> {
    match split_key(key)? {
        ("chant", named) => named.split_once(':'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chant_graph::network::sample::network_of_words;

    fn union(graphs: &[(Option<&str>, &str)]) -> NetworkUnion {
        let read = graphs
            .iter()
            .map(|(name, words)| (*name, network_of_words(words).unwrap()));
        let read: Vec<(Option<&str>, Network)> = read.collect();
        let parts = read
            .iter()
            .map(|(name, network)| UnionPart::of(*name, network));
        NetworkUnion::of(&parts.collect::<Vec<_>>()).unwrap()
    }

    fn edges(union: &NetworkUnion) -> Vec<String> {
        let network = &union.network;
        let named = network.edges();
        named
            .map(|(from, to)| format!("{} {}", network.key(from), network.key(to)))
            .collect()
    }

    #[test]
    fn what_one_repository_names_of_another_is_the_item_there() {
        for named in ["lib/chant:x", "chant:lib:x"] {
            let app = format!("{named}? chant:a<-{named}");
            let both = union(&[(Some("app"), &app), (Some("lib"), "chant:x!")]);
            assert_eq!(edges(&both), ["lib/chant:x app/chant:a"], "{named}");
            let item = both.network.find("lib/chant:x").unwrap();
            assert!(both.network.is_done(item));
            assert_eq!(both.origins[item as usize], (1, 0));
        }
    }

    #[test]
    fn what_no_repository_has_is_missing_under_its_name() {
        let both = union(&[
            (Some("app"), "far/chant:x? chant:a<-far/chant:x"),
            (Some("lib"), "chant:x"),
        ]);
        let item = both.network.find("far/chant:x").unwrap();
        assert_eq!(both.network.progress(item), ItemProgress::Absent);
        assert_eq!(both.network.len(), 3);
    }

    #[test]
    fn a_graph_without_a_name_keeps_its_keys() {
        let both = union(&[(None, "a b<-a"), (Some("lib"), "a")]);
        assert_eq!(both.network.keys().collect::<Vec<_>>(), ["a", "b", "lib/a"]);
    }
}
