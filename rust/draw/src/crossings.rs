//! Orders the figures in their layers so that few arrows cross.

use super::layers::LayerGrid;

/// The greatest number of sweeps over the layers.
const SWEEPS: usize = 16;
/// The number of sweeps without gain after which it ends.
const MAX_ROUNDS_IN_VAIN: usize = 4;

/// Moves the figures of each layer close to the middle of those that they are linked to in the
/// layer before, then in the layer behind, and keeps the order with the fewest crossings.
pub(super) fn reduce_crossings(grid: &mut LayerGrid) {
    let mut places = vec![0_u32; grid.len()];
    for layer in &grid.layers {
        number(layer, &mut places);
    }
    let mut fewest = crossings(grid, &places);
    let mut best = grid.layers.clone();
    let mut in_vain = 0;
    for sweep in 0..SWEEPS {
        if fewest == 0 || in_vain == MAX_ROUNDS_IN_VAIN {
            break;
        }
        let is_forward = sweep % 2 == 0;
        let joined = if is_forward {
            &grid.before
        } else {
            &grid.behind
        };
        let count = grid.layers.len();
        for index in 0..count {
            let index = if is_forward { index } else { count - 1 - index };
            let layer = &mut grid.layers[index];
            layer.sort_by_cached_key(|figure| middle(&joined[*figure], places[*figure], &places));
            number(layer, &mut places);
        }
        let now = crossings(grid, &places);
        in_vain += 1;
        if now < fewest {
            (fewest, in_vain) = (now, 0);
            best.clone_from(&grid.layers);
        }
    }
    grid.layers = best;
}

/// Records the place of each figure in its layer.
fn number(layer: &[usize], places: &mut [u32]) {
    for (place, figure) in (0..).zip(layer) {
        places[*figure] = place;
    }
}

/// Returns the mean place of those that a figure is linked to, in thousandths; its own if there are
/// none.
fn middle(joined: &[usize], own: u32, places: &[u32]) -> u64 {
    let sum: u64 = joined.iter().map(|other| u64::from(places[*other])).sum();
    let count = joined.len() as u64;
    (1000 * sum)
        .checked_div(count)
        .unwrap_or(1000 * u64::from(own))
}

/// Returns the number of crossing pairs of arrows between neighbouring layers.
fn crossings(grid: &LayerGrid, places: &[u32]) -> usize {
    let pairs = grid.layers.windows(2);
    pairs
        .map(|pair| {
            let ends = pair[0].iter().flat_map(|figure| {
                let mut ends: Vec<u32> = grid.behind[*figure]
                    .iter()
                    .map(|next| places[*next])
                    .collect();
                ends.sort_unstable();
                ends
            });
            inversions(ends, pair[1].len())
        })
        .sum()
}

/// Returns the number of pairs of numbers below `count` that stand in the wrong order.
fn inversions(numbers: impl Iterator<Item = u32>, count: usize) -> usize {
    // Sums over ranges of powers of two (Fenwick 1994).
    let mut sums = vec![0_usize; count + 1];
    let (mut found, mut total) = (0, 0);
    for number in numbers {
        let mut at = number as usize + 1;
        let mut not_above = 0;
        while at > 0 {
            not_above += sums[at];
            at &= at - 1;
        }
        found += total - not_above;
        total += 1;
        let mut at = number as usize + 1;
        while at <= count {
            sums[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{crossings, inversions, number, reduce_crossings};
    use crate::layers::LayerGrid;

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions([0, 1, 2].into_iter(), 3), 0);
        assert_eq!(inversions([2, 1, 0].into_iter(), 3), 3);
        assert_eq!(inversions([1, 1, 0, 2].into_iter(), 3), 2);
    }

    #[test]
    fn what_can_be_drawn_without_crossings_is() {
        // Two rows whose figures alternate in the order of creation.
        let arrows = [
            (0, 5),
            (1, 4),
            (2, 3),
            (5, 6),
            (4, 7),
            (3, 8),
            (9, 0),
            (9, 1),
            (9, 2),
        ];
        let mut grid = LayerGrid::new(10, &arrows);
        reduce_crossings(&mut grid);
        let mut places = vec![0; grid.len()];
        for layer in &grid.layers {
            number(layer, &mut places);
        }
        assert_eq!(crossings(&grid, &places), 0);
    }
}
