//! Numbers that the clones of a repository give to documents: each once.
//!
//! All numbers of a series lie in one ref. A ref for each number would be simpler to claim, but there would be
//! thousands of them, and every look at the remote would list them.

use super::record::{GivenNumber, NumberRecord};

/// The newest grants that a value keeps with their nonces: a lost answer is found again among them.
const RECENT: usize = 64;
/// The most ranges of numbers that a value keeps; what lies between the lowest two counts as given then.
const RANGES: usize = 500;

/// The numbers of a series that are wanted.
pub(super) struct NumbersWanted<'a> {
    /// Numbers that were given without asking, each with its nonce.
    pub(super) offline: &'a [GivenNumber],
    /// How many new ones are wanted, beside one for each offline number that is taken.
    pub(super) fresh: usize,
    /// New ones are above this.
    pub(super) above: u64,
    /// The nonce of the wish.
    pub(super) nonce: &'a str,
}

/// What a wish for numbers comes to.
pub(super) struct NumberGrant {
    /// Offline numbers that another clone has.
    pub(super) taken: Vec<u64>,
    /// The new numbers.
    pub(super) fresh: Vec<u64>,
    /// True if the remote has to learn of it.
    pub(super) is_change: bool,
}

impl NumberRecord {
    /// Grants numbers, and notes them here. A wish that was granted before gets the same answer, as long as its
    /// nonces are known.
    pub(super) fn grant(&mut self, wanted: &NumbersWanted<'_>) -> NumberGrant {
        let mut is_change = false;
        let mut taken = Vec::new();
        for asked in wanted.offline {
            if self.recent.contains(asked) {
                continue;
            }
            if self.has(asked.number) {
                taken.push(asked.number);
            } else {
                self.give(asked.clone());
                is_change = true;
            }
        }
        let mine = self.recent.iter().filter(|one| one.nonce == wanted.nonce);
        let mut fresh: Vec<u64> = mine.map(|one| one.number).collect();
        while fresh.len() < wanted.fresh + taken.len() {
            let number = self.highest().max(wanted.above).saturating_add(1);
            self.give(GivenNumber {
                number,
                nonce: wanted.nonce.to_owned(),
            });
            fresh.push(number);
            is_change = true;
        }
        NumberGrant {
            taken,
            fresh,
            is_change,
        }
    }

    /// Returns the highest number that was given; 0 before the first.
    pub(super) fn highest(&self) -> u64 {
        self.given.last().map_or(0, |(_, last)| *last)
    }

    fn has(&self, number: u64) -> bool {
        let holds = |(first, last): &(u64, u64)| (*first..=*last).contains(&number);
        self.given.iter().any(holds)
    }

    /// Notes a number as given.
    fn give(&mut self, given: GivenNumber) {
        self.note(given.number);
        self.recent.push(given);
        let above = self.recent.len().saturating_sub(RECENT);
        self.recent.drain(..above);
    }

    /// Notes that a number is not to be given again.
    pub(super) fn note(&mut self, number: u64) {
        let mut ranges = std::mem::take(&mut self.given);
        ranges.push((number, number));
        ranges.sort_unstable();
        for (first, last) in ranges {
            match self.given.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => self.given.push((first, last)),
            }
        }
        while self.given.len() > RANGES {
            let (first, _) = self.given.remove(0);
            self.given[0].0 = first;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(
        record: &mut NumberRecord,
        offline: &[(u64, &str)],
        nonce: &str,
    ) -> (Vec<u64>, Vec<u64>) {
        let offline: Vec<GivenNumber> = offline
            .iter()
            .map(|(number, nonce)| GivenNumber {
                number: *number,
                nonce: (*nonce).to_owned(),
            })
            .collect();
        let granted = record.grant(&NumbersWanted {
            offline: &offline,
            fresh: 1,
            above: 4,
            nonce,
        });
        (granted.taken, granted.fresh)
    }

    #[test]
    fn a_number_is_given_once_and_the_same_wish_gets_the_same() {
        let mut record = NumberRecord::default();
        assert_eq!(grant(&mut record, &[], "a"), (vec![], vec![5]));
        assert_eq!(grant(&mut record, &[], "b"), (vec![], vec![6]));
        assert_eq!(grant(&mut record, &[], "a"), (vec![], vec![5]));
        assert_eq!(record.given, [(5, 6)]);
    }

    #[test]
    fn an_offline_number_is_kept_where_it_is_free_and_replaced_where_it_is_taken() {
        let mut record = NumberRecord::default();
        assert_eq!(grant(&mut record, &[(7, "x")], "a"), (vec![], vec![8]));
        assert_eq!(grant(&mut record, &[(7, "x")], "b"), (vec![], vec![9]));
        assert_eq!(
            grant(&mut record, &[(7, "y")], "c"),
            (vec![7], vec![10, 11])
        );
        assert_eq!(grant(&mut record, &[(6, "y")], "d"), (vec![], vec![12]));
        assert_eq!(record.given, [(6, 12)]);
    }

    #[test]
    fn a_value_stays_small() {
        let mut record = NumberRecord::default();
        for number in 0..2000 {
            record.give(GivenNumber {
                number: number * 2,
                nonce: "n".into(),
            });
        }
        assert_eq!((record.given.len(), record.recent.len()), (RANGES, RECENT));
        assert!(record.has(1) && record.has(3998) && !record.has(3997));
    }
}
