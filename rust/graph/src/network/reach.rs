//! Finds what depends on an item, and what it depends on.

use fixedbitset::FixedBitSet;

use super::{ItemRows, Network, narrow};

impl Network {
    /// All items that wait for one of these, directly or over others, without these themselves.
    pub fn impact(&self, items: &[u32]) -> Vec<u32> {
        reached(&self.after, self.len(), items)
    }

    /// All items that one of these waits for, directly or over others, without these themselves.
    pub fn ancestors(&self, items: &[u32]) -> Vec<u32> {
        reached(self.rows_before(), self.len(), items)
    }
}

/// All items that rows lead to from `starts`, ascending, without these.
fn reached(rows: &ItemRows, count: usize, starts: &[u32]) -> Vec<u32> {
    let mut seen = FixedBitSet::with_capacity(count);
    let mut open: Vec<u32> = starts.to_vec();
    for start in starts {
        seen.insert(*start as usize);
    }
    while let Some(item) = open.pop() {
        for other in rows.row(item) {
            if !seen.put(*other as usize) {
                open.push(*other);
            }
        }
    }
    for start in starts {
        seen.remove(*start as usize);
    }
    seen.ones().map(narrow).collect()
}

#[cfg(test)]
mod tests {
    use crate::network::tests::{named, network};

    #[test]
    fn impact_is_what_hangs_on_an_item() {
        let network = network("a b<-a c<-b d<-c,a e f<-e");
        let of = |key: &str| [network.find(key).unwrap()];
        assert_eq!(named(&network, &network.impact(&of("b"))), "c d");
        assert_eq!(named(&network, &network.ancestors(&of("d"))), "a b c");
        assert_eq!(named(&network, &network.impact(&[0, 4])), "b c d f");
    }

    #[test]
    fn items_in_a_loop_reach_one_another() {
        let network = network("a<-c b<-a c<-b");
        assert_eq!(named(&network, &network.impact(&[0])), "c b");
    }
}
