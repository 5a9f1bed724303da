//! Differences between two networks.

use super::Network;

/// The parts that another network has and this one has not, and the other way round; by keys, in the order of
/// the items that they belong to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NetworkDifference {
    /// Items that only the newer one has.
    pub added: Vec<String>,
    /// Items that only the older one has.
    pub removed: Vec<String>,
    /// Items of both that are done only in the newer one.
    pub finished: Vec<String>,
    /// Items of both that are done only in the older one.
    pub reopened: Vec<String>,
    /// Edges `(before, after)` that only the newer one has.
    pub added_edges: Vec<(String, String)>,
    /// Edges that only the older one has.
    pub removed_edges: Vec<(String, String)>,
}

impl NetworkDifference {
    /// Returns the changes from an older network to a newer one.
    pub fn between(older: &Network, newer: &Network) -> Self {
        Self {
            added: only(newer, older),
            removed: only(older, newer),
            finished: done_only(newer, older),
            reopened: done_only(older, newer),
            added_edges: edges_only(newer, older),
            removed_edges: edges_only(older, newer),
        }
    }

    /// Returns true if nothing is different.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Keys that one network has and the other has not.
fn only(one: &Network, other: &Network) -> Vec<String> {
    let keys = one.keys().filter(|key| other.find(key).is_none());
    keys.map(str::to_owned).collect()
}

/// Keys of both that are done in one and open in the other.
fn done_only(one: &Network, other: &Network) -> Vec<String> {
    let done = one
        .items()
        .filter(|item| one.is_done(*item))
        .map(|item| one.key(item));
    let open = |key: &&str| other.find(key).is_some_and(|item| !other.is_done(item));
    done.filter(open).map(str::to_owned).collect()
}

/// Edges that one network has and the other has not.
fn edges_only(one: &Network, other: &Network) -> Vec<(String, String)> {
    let known = |(from, to): &(u32, u32)| {
        let (from, to) = (other.find(one.key(*from)), other.find(one.key(*to)));
        from.zip(to)
            .is_some_and(|(from, to)| other.after(from).binary_search(&to).is_ok())
    };
    let edges = one.edges().filter(|edge| !known(edge));
    edges
        .map(|(from, to)| (one.key(from).to_owned(), one.key(to).to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::NetworkDifference;
    use crate::network::tests::network;

    #[test]
    fn what_is_new_gone_done_and_undone_is_told() {
        let (older, newer) = (network("a b<-a c<-b x!"), network("a! b<-a c<-a d<-c x"));
        let difference = NetworkDifference::between(&older, &newer);
        assert_eq!(difference.added, ["d"]);
        assert!(difference.removed.is_empty());
        assert_eq!(difference.finished, ["a"]);
        assert_eq!(difference.reopened, ["x"]);
        let edge = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        assert_eq!(difference.added_edges, [edge("a", "c"), edge("c", "d")]);
        assert_eq!(difference.removed_edges, [edge("b", "c")]);
        assert!(NetworkDifference::between(&older, &older).is_empty());
    }
}
