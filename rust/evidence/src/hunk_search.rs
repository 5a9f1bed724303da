//! The search for the pieces of code that a check holds: they are taken back in groups, and those groups divided whose checks fail.

use std::collections::BTreeSet;

/// The outcome of the checks on the work without some pieces of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakenBack {
    /// All of them pass.
    Passed,
    /// A test fails that passes with the pieces.
    Failed,
    /// They fail, and no test that passes with the pieces: nothing can be built, or no test begins.
    Broken,
}

/// The knowledge about a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PieceState {
    /// A test fails without it.
    Held,
    /// Other pieces need it, and a test fails without it and them.
    HeldWithOthers,
    /// Checks pass without it.
    NotHeld,
    /// Other pieces need it, and no test fails without it and them.
    Inseparable,
    /// It was not looked at.
    Unknown,
}

impl PieceState {
    /// The words for it, the same in all places.
    ///
    /// ```
    /// use chant_evidence::PieceState;
    /// assert_eq!(PieceState::NotHeld.name(), "not held");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::HeldWithOthers => "held with others",
            Self::NotHeld => "not held",
            Self::Inseparable => "cannot be taken back",
            Self::Unknown => "not looked at",
        }
    }

    /// True if a test fails without it, be it with others.
    pub fn is_held(self) -> bool {
        matches!(self, Self::Held | Self::HeldWithOthers)
    }
}

/// A group that is still to be taken back.
#[derive(Debug, Clone)]
struct HunkGroup {
    hunks: BTreeSet<usize>,
    /// True if a test fails without a group around it.
    is_held: bool,
}

/// The search for the pieces that are held. All of them are taken back first, then halves of what fails.
///
/// ```
/// use chant_evidence::{HunkSearch, PieceState, TakenBack};
/// let mut search = HunkSearch::new(2);
/// while let Some(group) = search.next_group().cloned() {
///     // A test looks at the second piece alone.
///     search.note(if group.contains(&1) { TakenBack::Failed } else { TakenBack::Passed });
/// }
/// assert_eq!(search.states(), [PieceState::NotHeld, PieceState::Held]);
/// ```
#[derive(Debug, Clone)]
pub struct HunkSearch {
    states: Vec<PieceState>,
    /// The groups that are left; the last one is next.
    left: Vec<HunkGroup>,
}

impl HunkSearch {
    /// Begins with so many pieces.
    pub fn new(count: usize) -> Self {
        let all = HunkGroup {
            hunks: (0..count).collect(),
            is_held: false,
        };
        Self {
            states: vec![PieceState::Unknown; count],
            left: if count == 0 { Vec::new() } else { vec![all] },
        }
    }

    /// Returns the pieces that are to be taken back next.
    pub fn next_group(&self) -> Option<&BTreeSet<usize>> {
        self.left.last().map(|group| &group.hunks)
    }

    /// Notes what the checks say without the group that was next.
    pub fn note(&mut self, outcome: TakenBack) {
        let Some(group) = self.left.pop() else {
            return;
        };
        let is_held = group.is_held || outcome == TakenBack::Failed;
        let state = match outcome {
            TakenBack::Passed => PieceState::NotHeld,
            _ if group.hunks.len() > 1 => return self.divide(&group.hunks, is_held),
            TakenBack::Failed => PieceState::Held,
            TakenBack::Broken if is_held => PieceState::HeldWithOthers,
            TakenBack::Broken => PieceState::Inseparable,
        };
        for hunk in group.hunks {
            self.states[hunk] = state;
        }
    }

    /// The state of each piece.
    pub fn states(&self) -> &[PieceState] {
        &self.states
    }

    fn divide(&mut self, hunks: &BTreeSet<usize>, is_held: bool) {
        let half = hunks.len().div_ceil(2);
        let (first, second): (Vec<_>, Vec<_>) = hunks
            .iter()
            .copied()
            .enumerate()
            .partition(|(at, _)| *at < half);
        for part in [second, first] {
            self.left.push(HunkGroup {
                hunks: part.into_iter().map(|(_, hunk)| hunk).collect(),
                is_held,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn searched(
        count: usize,
        of: impl Fn(&BTreeSet<usize>) -> TakenBack,
    ) -> (Vec<PieceState>, usize) {
        let (mut search, mut steps) = (HunkSearch::new(count), 0);
        while let Some(group) = search.next_group().cloned() {
            search.note(of(&group));
            steps += 1;
        }
        (search.states().to_vec(), steps)
    }

    #[test]
    fn what_nothing_tests_is_found_in_one_step() {
        assert_eq!(
            searched(64, |_| TakenBack::Passed),
            (vec![PieceState::NotHeld; 64], 1)
        );
        assert_eq!(searched(0, |_| TakenBack::Passed), (vec![], 0));
    }

    #[test]
    fn one_held_piece_costs_the_logarithm() {
        let (states, steps) = searched(64, |group| {
            if group.contains(&40) {
                TakenBack::Failed
            } else {
                TakenBack::Passed
            }
        });
        let held: Vec<usize> = (0..64)
            .filter(|at| states[*at] == PieceState::Held)
            .collect();
        assert_eq!((held, steps), (vec![40], 13));
    }

    #[test]
    fn what_others_need_is_held_with_them() {
        // The first defines what the second calls; a test looks at the second.
        let (states, _) = searched(3, |group| match (group.contains(&0), group.contains(&1)) {
            (true, false) => TakenBack::Broken,
            (_, true) => TakenBack::Failed,
            (false, false) => TakenBack::Passed,
        });
        let wanted = [
            PieceState::HeldWithOthers,
            PieceState::Held,
            PieceState::NotHeld,
        ];
        assert_eq!(states, wanted);
        let (states, _) = searched(2, |_| TakenBack::Broken);
        assert_eq!(states, [PieceState::Inseparable; 2]);
    }
}
