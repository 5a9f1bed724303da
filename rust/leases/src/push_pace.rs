//! How often this clone pushes, over all its processes.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::LeaseError;
use super::machine::{MachineTime, boot_id};
use super::queue::WishQueue;

/// The file of the times of pushes.
const FILE_NAME: &str = "pushes.json";
/// The time in which pushes are counted.
const MINUTE: Duration = Duration::from_secs(60);
/// The longest time between two pushes where the remote does not keep up.
const MAX_DURATION: Duration = Duration::from_secs(60);

/// The pushes of the last minute, and whether the remote keeps up with them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct PushPace {
    boot: String,
    pushes: Vec<MachineTime>,
    /// The last push that was not a repetition.
    last: Option<MachineTime>,
    /// The last look.
    looked: Option<MachineTime>,
    /// Failures of the remote, one after the other.
    failures: u32,
}

impl PushPace {
    /// Reads the pace.
    pub(super) fn of(queue: &WishQueue) -> Result<Self, LeaseError> {
        let known: Self = queue.read_own(FILE_NAME)?.unwrap_or_default();
        if known.boot == boot_id() {
            return Ok(known);
        }
        Ok(Self {
            boot: boot_id(),
            ..Self::default()
        })
    }

    /// Returns how long the next push has to wait.
    pub(super) fn wait(&self, interval: Duration, repeats: bool) -> Duration {
        let now = MachineTime::now();
        let interval = self.slowed(interval);
        let of_interval = self
            .last
            .filter(|_| !repeats)
            .map_or(Duration::ZERO, |last| {
                interval.saturating_sub(now.since(last))
            });
        let recent = self.pushes.iter().filter(|push| now.since(**push) < MINUTE);
        let recent: Vec<&MachineTime> = recent.collect();
        let most = most_a_minute(interval);
        let of_minute = match recent.len().checked_sub(most) {
            Some(above) => MINUTE.saturating_sub(now.since(*recent[above])),
            None => Duration::ZERO,
        };
        of_interval.max(of_minute)
    }

    /// Returns the interval, longer while the remote does not keep up.
    pub(super) fn slowed(&self, interval: Duration) -> Duration {
        let longer = interval.saturating_mul(1 << self.failures.min(6));
        longer.min(MAX_DURATION.max(interval))
    }

    /// Returns true if the last look was so long ago that another one is due.
    pub(super) fn is_look_due(&self, interval: Duration) -> bool {
        let age = self.looked.map(|looked| MachineTime::now().since(looked));
        age.is_none_or(|age| age >= self.slowed(interval))
    }

    /// Notes a look, and whether the remote answered.
    pub(super) fn note_look(&mut self, queue: &WishQueue, is_well: bool) -> Result<(), LeaseError> {
        self.looked = Some(MachineTime::now());
        self.failures = if is_well {
            0
        } else {
            self.failures.saturating_add(1)
        };
        queue.write_own(FILE_NAME, self)
    }

    /// Notes a push before it is made.
    pub(super) fn note_push(&mut self, queue: &WishQueue, repeats: bool) -> Result<(), LeaseError> {
        let now = MachineTime::now();
        self.pushes.retain(|push| now.since(*push) < MINUTE);
        self.pushes.push(now);
        if !repeats {
            self.last = Some(now);
        }
        queue.write_own(FILE_NAME, self)
    }

    /// Notes whether the remote answered.
    pub(super) fn note_answer(
        &mut self,
        queue: &WishQueue,
        is_well: bool,
    ) -> Result<(), LeaseError> {
        let failures = if is_well {
            0
        } else {
            self.failures.saturating_add(1)
        };
        if failures == self.failures {
            return Ok(());
        }
        self.failures = failures;
        queue.write_own(FILE_NAME, self)
    }
}

/// Returns the most pushes in a minute: one an interval, and half as many again for repetitions.
fn most_a_minute(interval: Duration) -> usize {
    let intervals = MINUTE.as_millis() / interval.as_millis().max(1);
    usize::try_from(intervals.max(1) * 3 / 2)
        .unwrap_or(usize::MAX)
        .max(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_pushes_a_minute_are_the_most_by_default() {
        assert_eq!(most_a_minute(Duration::from_secs(15)), 6);
    }

    #[test]
    fn the_first_push_does_not_wait_and_the_second_does() {
        let mut pace = PushPace::default();
        let interval = Duration::from_secs(15);
        assert_eq!(pace.wait(interval, false), Duration::ZERO);
        let now = MachineTime::now();
        pace.last = Some(now);
        pace.pushes = vec![now];
        assert!(pace.wait(interval, false) > Duration::from_secs(14));
        assert_eq!(pace.wait(interval, true), Duration::ZERO);
        pace.pushes = vec![now; 6];
        assert!(pace.wait(interval, true) > Duration::from_secs(59));
    }

    #[test]
    fn a_remote_that_does_not_keep_up_is_asked_less_often() {
        let mut pace = PushPace::default();
        let interval = Duration::from_secs(15);
        pace.failures = 1;
        assert_eq!(pace.slowed(interval), Duration::from_secs(30));
        pace.failures = 9;
        assert_eq!(pace.slowed(interval), Duration::from_secs(60));
    }
}
