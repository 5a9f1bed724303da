//! Measures how much goes through an item: betweenness.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::pagerank::float;
use super::{Network, NetworkError, ProgressWatch, narrow};

impl Network {
    /// For each item the share of shortest ways between two others that lead over it (Brandes 2001),
    /// divided by the number of such pairs where `normalized`. With `sources` only the ways that begin
    /// there are counted, and the sum is raised to what all would give on average.
    ///
    /// # Errors
    ///
    /// The watch stopped it.
    pub fn betweenness(
        &self,
        sources: Option<&[u32]>,
        normalized: bool,
        watch: ProgressWatch<'_>,
    ) -> Result<Vec<f64>, NetworkError> {
        let all: Vec<u32> = self.items().collect();
        let sources = sources.unwrap_or(&all);
        let (done, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let tell = || {
            let now = done.fetch_add(1, Ordering::Relaxed);
            if now % 64 == 0 && !watch(now, sources.len()) {
                stopped.store(true, Ordering::Relaxed);
            }
            !stopped.load(Ordering::Relaxed)
        };
        let part = |sources: &[u32]| {
            let mut ways = ShortestPaths::new(self);
            for source in sources.iter().take_while(|_| tell()) {
                ways.add(*source);
            }
            ways.sums
        };
        // The parts depend on the graph alone and are added in their order, so that sums of fractions
        // do not depend on the number of threads.
        let size = sources.len().div_ceil(parts(self.len())).max(1);
        let sums: Vec<Vec<f64>> = sources.par_chunks(size).map(part).collect();
        if stopped.into_inner() {
            return Err(NetworkError::Stopped);
        }
        let factor = self.betweenness_factor(sources.len(), normalized);
        let mut result = vec![0.0; self.len()];
        for part in sums {
            for (sum, value) in result.iter_mut().zip(part) {
                *sum += value * factor;
            }
        }
        Ok(result)
    }

    /// So many items drawn at random, each at most once, in their order.
    ///
    /// # Errors
    ///
    /// None or more than there are.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Vec<u32>, NetworkError> {
        if count == 0 || count > self.len() {
            return Err(NetworkError::Argument {
                name: "k",
                given: count.to_string(),
                expected: "at least 1 and at most the number of items",
            });
        }
        let mut items = fastrand::Rng::with_seed(seed).choose_multiple(self.items(), count);
        items.sort_unstable();
        Ok(items)
    }

    fn betweenness_factor(&self, sources: usize, normalized: bool) -> f64 {
        let count = float(self.len());
        let sampled = if sources == 0 {
            0.0
        } else {
            count / float(sources)
        };
        if normalized && self.len() > 2 {
            sampled / ((count - 1.0) * (count - 2.0))
        } else {
            sampled
        }
    }
}

/// In how many parts the sources are gone through: enough for many cores, few enough for memory.
fn parts(count: usize) -> usize {
    (8 * 1024 * 1024 / count.max(1)).clamp(8, 64)
}

/// Shortest ways from one item after the other, and what they add to the items on them.
struct ShortestPaths<'a> {
    network: &'a Network,
    sums: Vec<f64>,
    /// The number of steps to each item; [`FAR`] when not met.
    steps: Vec<u32>,
    /// The number of shortest ways that lead to each.
    counts: Vec<f64>,
    /// The share of the ways that go on from an item that falls to each way that comes to it.
    shares: Vec<f64>,
    /// Items in the order in which they were met.
    met: Vec<u32>,
    /// For each of these where the items one step farther that it leads to end in `onward`.
    ends: Vec<u32>,
    onward: Vec<u32>,
}

const FAR: u32 = u32::MAX;

impl<'a> ShortestPaths<'a> {
    fn new(network: &'a Network) -> Self {
        let count = network.len();
        Self {
            network,
            sums: vec![0.0; count],
            steps: vec![FAR; count],
            counts: vec![0.0; count],
            shares: vec![0.0; count],
            met: Vec::with_capacity(count),
            ends: Vec::with_capacity(count),
            onward: Vec::with_capacity(network.edge_count()),
        }
    }

    fn add(&mut self, source: u32) {
        self.count(source);
        self.hand_back(source);
        for item in self.met.drain(..) {
            self.steps[item as usize] = FAR;
            self.counts[item as usize] = 0.0;
        }
        self.ends.clear();
        self.onward.clear();
    }

    /// Counts the shortest ways from the source, nearest items first.
    fn count(&mut self, source: u32) {
        self.steps[source as usize] = 0;
        self.counts[source as usize] = 1.0;
        self.met.push(source);
        let mut next = 0;
        while let Some(item) = self.met.get(next).copied() {
            next += 1;
            let (step, count) = (self.steps[item as usize] + 1, self.counts[item as usize]);
            for other in self.network.after(item) {
                let known = &mut self.steps[*other as usize];
                if *known == FAR {
                    *known = step;
                    self.met.push(*other);
                }
                if *known == step {
                    self.counts[*other as usize] += count;
                    self.onward.push(*other);
                }
            }
            self.ends.push(narrow(self.onward.len()));
        }
    }

    /// Adds up, farthest items first, how many ways lead on from each item.
    fn hand_back(&mut self, source: u32) {
        let mut onward = self.onward.as_slice();
        for (place, item) in self.met.iter().enumerate().rev() {
            let begin = place.checked_sub(1).map_or(0, |before| self.ends[before]);
            let row = onward.split_off(begin as usize..).unwrap_or_default();
            let share: f64 = row.iter().map(|other| self.shares[*other as usize]).sum();
            let index = *item as usize;
            let beyond = share * self.counts[index];
            self.shares[index] = (1.0 + beyond) / self.counts[index];
            if *item != source {
                self.sums[index] += beyond;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NetworkError;
    use crate::network::tests::network;

    fn shown(values: &[f64]) -> String {
        let words: Vec<_> = values.iter().map(|value| format!("{value:.3}")).collect();
        words.join(" ")
    }

    #[test]
    fn betweenness_counts_shortest_ways_over_an_item() {
        // a → b → d and a → c → d are equally short; d → e goes over d alone.
        let network = network("a b<-a c<-a d<-b,c e<-d");
        let plain = network.betweenness(None, false, &|_, _| true).unwrap();
        assert_eq!(shown(&plain), "0.000 1.000 1.000 3.000 0.000");
        let normalized = network.betweenness(None, true, &|_, _| true).unwrap();
        assert_eq!(shown(&normalized), "0.000 0.083 0.083 0.250 0.000");
    }

    #[test]
    fn a_sample_of_all_sources_is_exact_and_a_stopped_one_an_error() {
        let network = network("a b<-a c<-b d<-c");
        let all: Vec<u32> = network.items().collect();
        let sampled = network.betweenness(Some(&all), true, &|_, _| true);
        assert_eq!(sampled, network.betweenness(None, true, &|_, _| true));
        let stopped = network.betweenness(None, true, &|_, _| false);
        assert_eq!(stopped, Err(NetworkError::Stopped));
    }
}
