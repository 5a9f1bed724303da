//! Finds the landing on which checks fail, by halves.
//!
//! Landings stand on each other: the commit at position 0 is the target's, that at position `n` has the first `n`
//! of them. A check of the last position settles all of them at once if it passes.

/// The result of checks at one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckedPosition {
    Unknown,
    Passed,
    /// They failed so many times in a row.
    Failed(u32),
}

/// The step that follows from what is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TrainStep {
    /// The checks have to run on this position.
    Check(usize),
    /// The landings up to this position may land.
    Pass(usize),
    /// The landing at this position is the one on which the checks fail: they pass on the one before it.
    Blame(usize),
    /// The checks fail on the target itself, so that they say nothing about any landing.
    TargetFails,
}

/// The number of times that checks have to fail before a landing is blamed.
const ENOUGH: u32 = 2;

/// Returns the next step; `positions` begin with the target, and there is at least one landing.
///
/// With `n` landings of which one fails this asks for at most `log2(n) + 4` checks, until those before it pass and it
/// is blamed: the end, the halves, the target, and the blamed one a second time.
pub(super) fn next_step(positions: &[CheckedPosition]) -> TrainStep {
    use CheckedPosition::{Failed, Passed, Unknown};
    let end = positions.len() - 1;
    match positions[end] {
        Unknown => return TrainStep::Check(end),
        Passed => return TrainStep::Pass(end),
        Failed(_) => {}
    }
    let passed = positions.iter().rposition(|one| *one == Passed);
    let low = passed.unwrap_or(0);
    let is_failed = |at: &usize| matches!(positions[*at], Failed(_));
    let high = (low + 1..=end).find(is_failed).unwrap_or(end);
    if high - low > 1 {
        return TrainStep::Check(low.midpoint(high));
    }
    if low > 0 {
        return TrainStep::Pass(low);
    }
    match (positions[0], positions[high]) {
        (Unknown, _) => TrainStep::Check(0),
        (Failed(_), _) => TrainStep::TargetFails,
        (Passed, Failed(times)) if times >= ENOUGH => TrainStep::Blame(high),
        (Passed, _) => TrainStep::Check(high),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CheckedPosition::{Failed, Passed, Unknown};

    /// Lands a train whose checks fail wherever one of the guilty is aboard; returns who was blamed, who landed, in
    /// order, and how often checks ran.
    fn drive(count: usize, guilty: &[usize]) -> (Vec<usize>, Vec<usize>, usize) {
        let mut aboard: Vec<usize> = (1..=count).collect();
        let mut known = vec![Unknown; count + 1];
        let (mut blamed, mut landed, mut checks) = (Vec::new(), Vec::new(), 0);
        while !aboard.is_empty() {
            match next_step(&known) {
                TrainStep::Check(at) => {
                    checks += 1;
                    let is_bad = aboard[..at].iter().any(|one| guilty.contains(one));
                    known[at] = match known[at] {
                        Failed(times) if is_bad => Failed(times + 1),
                        _ if is_bad => Failed(1),
                        _ => Passed,
                    };
                }
                TrainStep::Pass(at) => {
                    landed.extend(aboard.drain(..at));
                    known.drain(..at);
                }
                TrainStep::Blame(at) => {
                    blamed.push(aboard.remove(at - 1));
                    // Those behind it merge again without it.
                    known = vec![Unknown; aboard.len() + 1];
                    known[0] = Passed;
                }
                TrainStep::TargetFails => panic!("the target is well"),
            }
        }
        (blamed, landed, checks)
    }

    #[test]
    fn one_check_settles_a_train_that_is_well() {
        for count in 1..20 {
            let all: Vec<usize> = (1..=count).collect();
            assert_eq!(drive(count, &[]), (Vec::new(), all, 1));
        }
    }

    #[test]
    fn guilty_one_is_found_by_halves_and_the_others_land() {
        for count in 1..=32_usize {
            for guilty in 1..=count {
                let (blamed, landed, checks) = drive(count, &[guilty]);
                let others: Vec<usize> = (1..=count).filter(|one| *one != guilty).collect();
                assert_eq!((blamed, landed), (vec![guilty], others));
                // The end, the halves, the target, the second look at the guilty one, and the rest of the train.
                let most = 4 + usize::try_from(count.next_power_of_two().ilog2()).unwrap();
                assert!(
                    checks <= most,
                    "{checks} checks of {count}, {guilty} guilty"
                );
            }
        }
    }

    #[test]
    fn several_guilty_ones_are_all_found() {
        let (blamed, landed, checks) = drive(8, &[2, 3, 7]);
        assert_eq!((blamed, landed), (vec![2, 3, 7], vec![1, 4, 5, 6, 8]));
        assert!(checks <= 3 * 7, "{checks}");
    }

    #[test]
    fn target_that_fails_blames_no_landing() {
        assert_eq!(next_step(&[Unknown, Failed(1)]), TrainStep::Check(0));
        assert_eq!(next_step(&[Failed(1), Failed(1)]), TrainStep::TargetFails);
        let known = [Failed(1), Failed(1), Failed(1)];
        assert_eq!(next_step(&known), TrainStep::TargetFails);
    }

    #[test]
    fn what_failed_once_and_passes_then_lands() {
        assert_eq!(next_step(&[Passed, Failed(1)]), TrainStep::Check(1));
        assert_eq!(next_step(&[Passed, Passed]), TrainStep::Pass(1));
        assert_eq!(next_step(&[Passed, Failed(2)]), TrainStep::Blame(1));
    }
}
