//! Plans which agent could do which item and when: list scheduling, and how sure its end is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU32;

use rayon::prelude::*;

use super::spread::RatioSource;
use super::{Network, NetworkError, ProgressWatch};

pub use super::spread::DurationSpread;

/// The durations of the items.
#[derive(Debug, Clone, Copy)]
pub struct DurationEstimates<'a> {
    /// For each item how long it is expected to take: about as long in half of all cases.
    pub median: &'a [f64],
    /// How far durations may lie from that.
    pub spread: DurationSpread<'a>,
}

/// The settings for which a plan is made.
#[derive(Debug, Clone, Copy)]
pub struct ScheduleOptions {
    /// The number of agents that work at the same time.
    pub agents: NonZeroU32,
    /// The number of times the plan is tried with durations drawn at random.
    pub rounds: u32,
    /// Where drawing begins: the same number, the same answer.
    pub seed: u64,
}

/// One item of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScheduleSlot {
    /// The item.
    pub item: u32,
    /// The agent that does it, counted from 0.
    pub agent: u32,
    /// When it begins, in the unit of the durations.
    pub start: f64,
    /// When it ends.
    pub end: f64,
}

/// The agent and the times of each item, in the order of beginning.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkSchedule {
    /// The open items but for those of `unplanned`.
    pub slots: Vec<ScheduleSlot>,
    /// Open items whose beginning is not known: they wait for something that is only named, directly or over
    /// others.
    pub unplanned: Vec<u32>,
    /// When the last one ends.
    pub finish: f64,
    /// The share of the agents' time until then in which they work, from 0 to 1.
    pub utilisation: f64,
    /// The end that half of the rounds kept; none without rounds.
    pub p50: Option<f64>,
    /// The end that nine of ten rounds kept; none without rounds.
    pub p90: Option<f64>,
    /// The end of each round, the earliest first.
    pub ends: Vec<f64>,
}

impl Network {
    /// Gives each agent that becomes free the free item with the longest row of work behind it; of
    /// equal ones that made first.
    ///
    /// # Errors
    ///
    /// Items wait for one another; a duration is missing, negative or not finite; the watch stopped it.
    pub fn schedule(
        &self,
        durations: DurationEstimates<'_>,
        options: ScheduleOptions,
        watch: ProgressWatch<'_>,
    ) -> Result<WorkSchedule, NetworkError> {
        let ratios = RatioSource::of(durations.spread)?;
        let heights = self.heights(durations.median)?;
        let plan = ScheduleInputs {
            network: self,
            places: places(&heights),
            agents: options.agents,
        };
        let slots = plan.slots(durations.median);
        let finish = end(&slots);
        let ends = plan.ends(durations.median, &ratios, options, watch)?;
        Ok(WorkSchedule {
            utilisation: utilisation(&slots, finish, options.agents),
            finish,
            p50: quantile(&ends, 0.5),
            p90: quantile(&ends, 0.9),
            ends,
            unplanned: self.all_but(&slots),
            slots,
        })
    }

    /// The open items that have no slot.
    fn all_but(&self, slots: &[ScheduleSlot]) -> Vec<u32> {
        let mut has_slot = vec![false; self.len()];
        for slot in slots {
            has_slot[slot.item as usize] = true;
        }
        let open = self.items().filter(|item| self.is_open(*item));
        open.filter(|item| !has_slot[*item as usize]).collect()
    }

    /// For each open item the weight of the heaviest row of open items that begins with it.
    fn heights(&self, weights: &[f64]) -> Result<Vec<f64>, NetworkError> {
        self.check_weights(weights)?;
        let layers = self.layers()?;
        let mut heights = vec![0.0_f64; self.len()];
        for item in layers.order().iter().rev() {
            let open = self
                .after(*item)
                .iter()
                .filter(|other| self.is_open(**other));
            let beyond = open
                .map(|other| heights[*other as usize])
                .fold(0.0, f64::max);
            heights[*item as usize] = beyond + self.left(*item, weights);
        }
        Ok(heights)
    }
}

/// For each item its place in the order in which free ones are taken.
fn places(heights: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..).take(heights.len()).collect();
    order.sort_by(|a, b| heights[*b as usize].total_cmp(&heights[*a as usize]));
    let mut places = vec![0; heights.len()];
    for (place, item) in (0..).zip(&order) {
        places[*item as usize] = place;
    }
    places
}

/// The inputs that stay the same however long items take.
struct ScheduleInputs<'a> {
    network: &'a Network,
    places: Vec<u32>,
    agents: NonZeroU32,
}

/// A time on a heap that gives the earliest first.
#[derive(PartialEq, PartialOrd)]
struct HeapTime(f64);

impl Eq for HeapTime {}

#[expect(clippy::derive_ord_xor_partial_ord, reason = "times are finite")]
impl Ord for HeapTime {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl ScheduleInputs<'_> {
    /// Returns the agent and the times of each item when it takes as long as `durations` says.
    fn slots(&self, durations: &[f64]) -> Vec<ScheduleSlot> {
        let network = self.network;
        let mut waits: Vec<usize> = network
            .items()
            .map(|item| network.unmet(item).len())
            .collect();
        let place = |item: u32| Reverse((self.places[item as usize], item));
        let mut free: BinaryHeap<_> = network.frontier().into_iter().map(place).collect();
        let mut idle: BinaryHeap<Reverse<u32>> = (0..self.agents.get()).map(Reverse).collect();
        let mut busy: BinaryHeap<Reverse<(HeapTime, u32, u32)>> = BinaryHeap::new();
        let mut slots = Vec::new();
        let mut now = 0.0;
        loop {
            while !free.is_empty() && !idle.is_empty() {
                let (Some(Reverse((_, item))), Some(Reverse(agent))) = (free.pop(), idle.pop())
                else {
                    break;
                };
                let end = now + durations[item as usize];
                slots.push(ScheduleSlot {
                    item,
                    agent,
                    start: now,
                    end,
                });
                busy.push(Reverse((HeapTime(end), agent, item)));
            }
            let Some(Reverse((HeapTime(end), agent, item))) = busy.pop() else {
                return slots;
            };
            now = end;
            idle.push(Reverse(agent));
            let after = network
                .after(item)
                .iter()
                .filter(|other| network.is_open(**other));
            for other in after {
                let left = &mut waits[*other as usize];
                *left -= 1;
                if *left == 0 {
                    free.push(place(*other));
                }
            }
        }
    }

    /// When all ends in each round, the earliest first.
    fn ends(
        &self,
        expected: &[f64],
        ratios: &RatioSource,
        options: ScheduleOptions,
        watch: ProgressWatch<'_>,
    ) -> Result<Vec<f64>, NetworkError> {
        let rounds: Vec<u32> = (0..options.rounds).collect();
        let mut ends = Vec::with_capacity(rounds.len());
        for part in rounds.chunks(16) {
            if !watch(ends.len(), rounds.len()) {
                return Err(NetworkError::Stopped);
            }
            let round = |round: &u32| {
                let mut random =
                    fastrand::Rng::with_seed(options.seed.wrapping_add(u64::from(*round)));
                let ratios = ratios.round(&mut random);
                let drawn = expected.iter();
                let drawn: Vec<f64> = drawn.map(|one| one * ratios.draw(&mut random)).collect();
                end(&self.slots(&drawn))
            };
            ends.extend(part.par_iter().map(round).collect::<Vec<_>>());
        }
        ends.sort_by(f64::total_cmp);
        Ok(ends)
    }
}

fn end(slots: &[ScheduleSlot]) -> f64 {
    slots.iter().map(|slot| slot.end).fold(0.0, f64::max)
}

fn utilisation(slots: &[ScheduleSlot], finish: f64, agents: NonZeroU32) -> f64 {
    let worked: f64 = slots.iter().map(|slot| slot.end - slot.start).sum();
    if finish > 0.0 {
        worked / (finish * f64::from(agents.get()))
    } else {
        0.0
    }
}

/// The least value that a share of the sorted values does not exceed.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count of rounds, which is small"
)]
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::{DurationEstimates, DurationSpread, ScheduleOptions, WorkSchedule};
    use crate::network::tests::{named, network};

    fn schedule(words: &str, agents: u32, median: &[f64], spread: f64) -> WorkSchedule {
        let options = ScheduleOptions {
            agents: NonZeroU32::new(agents).unwrap(),
            rounds: if spread > 0.0 { 200 } else { 0 },
            seed: 1,
        };
        let durations = DurationEstimates {
            median,
            spread: DurationSpread::Known(spread),
        };
        network(words)
            .schedule(durations, options, &|_, _| true)
            .unwrap()
    }

    #[track_caller]
    fn check(words: &str, agents: u32, median: &[f64], expected: &str) {
        let (network, plan) = (network(words), schedule(words, agents, median, 0.0));
        let slots = plan.slots.iter();
        let shown: Vec<_> = slots
            .map(|slot| {
                format!(
                    "{}@{}:{}-{}",
                    network.key(slot.item),
                    slot.agent,
                    slot.start,
                    slot.end
                )
            })
            .collect();
        assert_eq!(format!("{} = {}", shown.join(" "), plan.finish), expected);
    }

    #[test]
    fn the_longest_row_of_work_goes_first() {
        check("a b c<-b", 1, &[1.0; 3], "b@0:0-1 a@0:1-2 c@0:2-3 = 3");
        check("a b c<-b", 2, &[1.0; 3], "b@0:0-1 a@1:0-1 c@0:1-2 = 2");
        check("a! b<-a c", 1, &[9.0, 1.0, 1.0], "b@0:0-1 c@0:1-2 = 2");
        check("", 3, &[], " = 0");
    }

    #[test]
    fn what_waits_for_something_only_named_is_not_planned() {
        let words = "far? a<-far b<-a c d<-c";
        check(words, 1, &[5.0, 1.0, 1.0, 1.0, 1.0], "c@0:0-1 d@0:1-2 = 2");
        let plan = schedule(words, 1, &[1.0; 5], 0.0);
        assert_eq!(named(&network(words), &plan.unplanned), "a b");
        assert_eq!(plan.utilisation.to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn no_agent_does_two_items_at_once_and_nothing_begins_too_early() {
        let words = "a b c<-a d<-a,b e<-c f g<-d,f h";
        let plan = schedule(words, 2, &[2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 1.0, 4.0], 0.0);
        let network = network(words);
        let of = |item: u32| plan.slots.iter().find(|slot| slot.item == item).unwrap();
        for slot in &plan.slots {
            for before in network.before(slot.item) {
                assert!(of(*before).end <= slot.start);
            }
            let others = plan.slots.iter().filter(|other| other.item != slot.item);
            let mut beside = others.filter(|other| other.agent == slot.agent);
            assert!(beside.all(|other| other.end <= slot.start || slot.end <= other.start));
        }
        assert!(plan.utilisation > 0.9, "{}", plan.utilisation);
    }

    #[test]
    fn rounds_say_how_sure_the_end_is_and_repeat_themselves() {
        let plan = schedule("a b<-a c<-b", 1, &[1.0; 3], 0.5);
        let (p50, p90) = (plan.p50.unwrap(), plan.p90.unwrap());
        assert!(3.0 < p50 && p50 < p90 && p90 < 7.0, "{p50} {p90}");
        assert_eq!(plan, schedule("a b<-a c<-b", 1, &[1.0; 3], 0.5));
    }
}
