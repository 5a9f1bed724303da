//! `PageRank`: how likely an item is met by a walker.

use super::{ItemRows, Network, NetworkError};

/// The settings with which `PageRank` is found.
#[derive(Debug, Clone, Copy)]
pub struct PageRank {
    /// The share of its rank that an item hands on; the rest is spread over all.
    pub damping: f64,
    /// The change of all ranks together, divided by their number, at which it ends.
    pub tolerance: f64,
    /// The number of times ranks are handed on at most.
    pub rounds: usize,
    /// True if rank flows from an item to what it waits for, not to what waits for it.
    pub reverse: bool,
}

impl Network {
    /// Returns for each item how likely a walker is there who goes on along edges at random.
    ///
    /// # Errors
    ///
    /// The ranks still change after the last round; an argument is out of bounds.
    pub fn pagerank(&self, how: PageRank) -> Result<Vec<f64>, NetworkError> {
        if !(0.0..1.0).contains(&how.damping) {
            return Err(NetworkError::Argument {
                name: "alpha",
                given: how.damping.to_string(),
                expected: "a number from 0 to less than 1",
            });
        }
        let system = RankSystem::of(self, how);
        // Ranks before they are made to sum up to 1.
        let mut ranks = vec![1.0; self.len()];
        for _ in 0..how.rounds {
            let (change, sum) = system.improve(&mut ranks);
            if change <= how.tolerance * float(self.len()) * sum {
                return Ok(ranks.iter().map(|rank| rank / sum).collect());
            }
        }
        Err(NetworkError::Argument {
            name: "max_iter",
            given: how.rounds.to_string(),
            expected: "more: the ranks still change",
        })
    }
}

/// The equations of `PageRank`: a rank is 1 and the share of those that hand theirs on to it. What those keep that have
/// none to hand it to is spread over all alike, which changes the sum of all ranks and not their relations, so that
/// it needs no equation (Langville and Meyer 2004, 8.4).
///
/// Items are gone through in an order of work, each with the ranks that those before it have already (Gauss and
/// Seidel): without cycles the first time gives the answer, and each item of a cycle is as far as it can be.
struct RankSystem<'a> {
    order: Vec<u32>,
    taken: &'a ItemRows,
    /// The share of its rank that each item hands on to each of those that it hands it to.
    shares: Vec<f64>,
}

impl<'a> RankSystem<'a> {
    fn of(network: &'a Network, how: PageRank) -> Self {
        let mut order = network.components().order().to_vec();
        let (given, taken) = if how.reverse {
            order.reverse();
            (network.rows_before(), network.after.as_ref())
        } else {
            (network.after.as_ref(), network.rows_before())
        };
        let shares = given.rows().map(|(_, row)| how.damping / float(row.len()));
        Self {
            order,
            taken,
            shares: shares.collect(),
        }
    }

    /// Hands ranks on once; returns the change of all together, and their sum.
    fn improve(&self, ranks: &mut [f64]) -> (f64, f64) {
        let (mut change, mut sum) = (0.0, 0.0);
        for item in &self.order {
            let taken = self.taken.row(*item).iter();
            let taken = taken.map(|other| ranks[*other as usize] * self.shares[*other as usize]);
            let rank = 1.0 + taken.sum::<f64>();
            change += (rank - ranks[*item as usize]).abs();
            sum += rank;
            ranks[*item as usize] = rank;
        }
        (change, sum)
    }
}

/// A count as a number to divide by.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts are below 2^32, which a float holds exactly"
)]
pub(super) fn float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::{Network, PageRank};
    use crate::ItemProgress;
    use crate::network::tests::network;

    fn shown(values: &[f64]) -> String {
        let words: Vec<_> = values.iter().map(|value| format!("{value:.3}")).collect();
        words.join(" ")
    }

    fn pagerank(network: &Network, reverse: bool) -> String {
        let how = PageRank {
            damping: 0.85,
            tolerance: 1e-10,
            rounds: 100,
            reverse,
        };
        shown(&network.pagerank(how).unwrap())
    }

    #[test]
    fn rank_flows_along_edges_or_against_them() {
        let network = network("a b<-a c<-a");
        assert_eq!(pagerank(&network, false), "0.260 0.370 0.370");
        assert_eq!(pagerank(&network, true), "0.574 0.213 0.213");
        assert_eq!(pagerank(&Network::default(), false), "");
    }

    /// Ranks handed on from all items at once, again and again.
    fn handed_on(network: &Network, damping: f64, rounds: usize) -> Vec<f64> {
        let count = super::float(network.len());
        let mut ranks = vec![1.0 / count; network.len()];
        for _ in 0..rounds {
            let mut next = vec![(1.0 - damping) / count; network.len()];
            for item in network.items() {
                let (rank, row) = (ranks[item as usize], network.after(item));
                let all: Vec<u32> = network.items().collect();
                let takers = if row.is_empty() { &all } else { row };
                for other in takers {
                    next[*other as usize] += damping * rank / super::float(takers.len());
                }
            }
            ranks = next;
        }
        ranks
    }

    #[test]
    fn ranks_are_those_that_no_longer_change_when_they_are_handed_on() {
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            let count = random.u32(1..20);
            let edges: Vec<(u32, u32)> = (0..random.usize(0..50))
                .map(|_| (random.u32(..count), random.u32(..count)))
                .collect();
            let progress = vec![ItemProgress::Open; count as usize];
            let network = Network::numbered(progress, &edges).unwrap();
            let how = PageRank {
                damping: 0.85,
                tolerance: 1e-13,
                rounds: 500,
                reverse: false,
            };
            let expected = handed_on(&network, how.damping, 300);
            for (rank, expected) in network.pagerank(how).unwrap().iter().zip(expected) {
                assert!((rank - expected).abs() < 1e-9, "{edges:?}");
            }
        }
    }
}
