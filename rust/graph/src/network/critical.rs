//! Computes how long all takes, and which items leave no time to lose.

use super::{Network, NetworkError};

/// When items can begin and when they have to, in the unit of the weights, with as many hands as needed.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemTimes {
    /// For each item when it can begin.
    pub earliest: Vec<f64>,
    /// For each item when it has to begin, so that the end of all is not later.
    pub latest: Vec<f64>,
    /// When the last item ends.
    pub finish: f64,
}

/// Items one after the other, of which none can be late.
#[derive(Debug, Clone, PartialEq)]
pub struct CriticalPath {
    /// The items, in the order of work.
    pub items: Vec<u32>,
    /// The sum of their weights.
    pub length: f64,
}

impl Network {
    /// The row of open items, each waiting for the one before it, that weighs most. Items that are done
    /// or only named weigh nothing and are not part of it; of rows that weigh the same it is the one whose last item was
    /// made first, and before it the first at each step.
    ///
    /// # Errors
    ///
    /// Items wait for one another; a weight is missing, negative or not finite.
    ///
    /// ```
    /// use chant_graph::network::sample::{keys_as_words, network_of_words};
    ///
    /// let network = network_of_words("ship<-test,docs test docs")?;
    /// let path = network.critical_path(&[1.0, 3.0, 2.0])?;
    /// assert_eq!((keys_as_words(&network, &path.items), path.length), ("test ship".into(), 4.0));
    /// # Ok::<(), chant_graph::network::NetworkError>(())
    /// ```
    pub fn critical_path(&self, weights: &[f64]) -> Result<CriticalPath, NetworkError> {
        self.check_weights(weights)?;
        let layers = self.layers()?;
        let mut ends = vec![0.0_f64; self.len()];
        for item in layers.order() {
            let begin = self.ready_at(*item, &ends);
            ends[*item as usize] = begin + self.left(*item, weights);
        }
        let open = self.items().filter(|item| self.is_open(*item));
        let last = open.fold(None, |best: Option<u32>, item| match best {
            Some(best) if ends[best as usize] >= ends[item as usize] => Some(best),
            _ => Some(item),
        });
        let length = last.map_or(0.0, |last| ends[last as usize]);
        let step = |item: &u32| {
            let begin = ends[*item as usize] - self.left(*item, weights);
            let mut open = self
                .before(*item)
                .iter()
                .filter(|other| self.is_open(**other));
            open.find(|other| reaches(ends[**other as usize], begin))
                .copied()
        };
        let mut items: Vec<u32> = std::iter::successors(last, step).collect();
        items.reverse();
        Ok(CriticalPath { items, length })
    }

    /// When each item can and when it has to begin. Items that are done or only named take no time.
    ///
    /// # Errors
    ///
    /// As for [`Network::critical_path`].
    pub fn times(&self, weights: &[f64]) -> Result<ItemTimes, NetworkError> {
        self.check_weights(weights)?;
        let layers = self.layers()?;
        let mut ends = vec![0.0_f64; self.len()];
        let mut earliest = vec![0.0_f64; self.len()];
        for item in layers.order() {
            let begin = self.ready_at(*item, &ends);
            earliest[*item as usize] = begin;
            ends[*item as usize] = begin + self.left(*item, weights);
        }
        let finish = ends.iter().copied().fold(0.0, f64::max);
        let mut latest = vec![0.0_f64; self.len()];
        for item in layers.order().iter().rev() {
            let after = self.after(*item).iter();
            let open = after.filter(|other| self.is_open(**other));
            let due = open
                .map(|other| latest[*other as usize])
                .fold(finish, f64::min);
            latest[*item as usize] = due - self.left(*item, weights);
        }
        Ok(ItemTimes {
            earliest,
            latest,
            finish,
        })
    }

    /// When all that an item waits for has ended; only open items wait.
    fn ready_at(&self, item: u32, ends: &[f64]) -> f64 {
        if !self.is_open(item) {
            return 0.0;
        }
        let before = self.before(item).iter();
        before
            .map(|other| ends[*other as usize])
            .fold(0.0, f64::max)
    }

    /// Returns the weight that an item still has.
    pub(super) fn left(&self, item: u32, weights: &[f64]) -> f64 {
        if self.is_open(item) {
            weights[item as usize]
        } else {
            0.0
        }
    }

    /// Checks that there is a weight for each item, and each is a time.
    pub(super) fn check_weights(&self, weights: &[f64]) -> Result<(), NetworkError> {
        if weights.len() != self.len() {
            return Err(NetworkError::WeightCount {
                given: weights.len(),
                items: self.len(),
            });
        }
        let fits = |weight: &f64| weight.is_finite() && *weight >= 0.0;
        match (0..).zip(weights).find(|(_, weight)| !fits(weight)) {
            Some((item, weight)) => Err(NetworkError::Weight {
                key: self.key(item).to_owned(),
                weight: *weight,
            }),
            None => Ok(()),
        }
    }
}

impl ItemTimes {
    /// Returns how much later than it can each item may begin.
    pub fn slack(&self) -> Vec<f64> {
        let pairs = self.latest.iter().zip(&self.earliest);
        pairs
            .map(|(latest, earliest)| (latest - earliest).max(0.0))
            .collect()
    }
}

/// Returns true if an end is the time at which another item begins, but for what sums of fractions lose.
fn reaches(end: f64, begin: f64) -> bool {
    (end - begin).abs() <= 1e-9 * begin.abs().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::NetworkError;
    use crate::network::tests::{named, network};

    #[track_caller]
    fn check(words: &str, weights: &[f64], expected: &str) {
        let network = network(words);
        let path = network.critical_path(weights).unwrap();
        assert_eq!(
            format!("{} = {}", named(&network, &path.items), path.length),
            expected
        );
    }

    #[test]
    fn the_heaviest_row_is_critical() {
        check("a b<-a c<-a d<-b,c", &[1.0, 5.0, 1.0, 1.0], "a b d = 7");
        check("a b<-a c<-a d<-b,c", &[1.0, 1.0, 1.0, 1.0], "a b d = 3");
        check("", &[], " = 0");
    }

    #[test]
    fn what_is_done_weighs_nothing() {
        check("a! b<-a c d<-b,c", &[9.0, 1.0, 2.0, 1.0], "c d = 3");
        check("a! b!", &[1.0, 1.0], " = 0");
        check("a? b<-a", &[9.0, 1.0], "b = 1");
        check("a b!<-a c<-b", &[5.0, 1.0, 1.0], "a = 5");
    }

    #[test]
    fn slack_is_what_an_item_may_be_late() {
        let network = network("a b<-a c<-a d<-b,c e");
        let times = network.times(&[1.0, 5.0, 2.0, 1.0, 1.0]).unwrap();
        assert_eq!(times.slack(), [0.0, 0.0, 3.0, 0.0, 6.0]);
        assert_eq!(times.finish.to_bits(), 7.0_f64.to_bits());
    }

    #[test]
    fn a_weight_that_is_no_time_is_refused() {
        let error = network("a b").times(&[1.0, f64::NAN]).unwrap_err();
        assert!(matches!(error, NetworkError::Weight { ref key, .. } if key == "b"));
        assert!(network("a").times(&[]).is_err());
    }
}
