//! Places each figure across its layer: close to those that it is linked to, and without overlaps.

use super::layers::LayerGrid;

/// The distance between two figures of a layer.
const GAP: f64 = 18.0;
/// The distance between an arrow that crosses the layer and its neighbour.
const GAP_OF_ARROWS: f64 = 11.0;
/// The number of rounds in which figures move towards those that they are linked to.
const MAX_ROUNDS: usize = 28;

/// The sides whose figures attract a figure.
#[derive(Clone, Copy, PartialEq)]
enum AlignmentSide {
    Before,
    Behind,
    Both,
}

/// Returns the middle of each figure and stand-in across its layer. `breadth` gives the sizes of
/// figures; stand-ins are thin.
pub(super) fn assign_coordinates(grid: &LayerGrid, breadth: &[f64]) -> Vec<f64> {
    let breadth = |figure: usize| breadth.get(figure).copied().unwrap_or_default();
    let offsets: Vec<Vec<f64>> = grid
        .layers
        .iter()
        .map(|layer| offsets(grid, layer, &breadth))
        .collect();
    let mut middles = vec![0.0; grid.len()];
    for (layer, offsets) in grid.layers.iter().zip(&offsets) {
        let extent = offsets.last().copied().unwrap_or_default();
        for (figure, offset) in layer.iter().zip(offsets) {
            middles[*figure] = offset - extent / 2.0;
        }
    }
    let count = grid.layers.len();
    for round in 0..MAX_ROUNDS {
        let (side, is_forward) = match round {
            round if round + 14 >= MAX_ROUNDS => (AlignmentSide::Both, round % 2 == 0),
            round if round % 2 == 0 => (AlignmentSide::Before, true),
            _ => (AlignmentSide::Behind, false),
        };
        for index in 0..count {
            let index = if is_forward { index } else { count - 1 - index };
            draw_in(grid, index, &offsets[index], side, &mut middles);
        }
    }
    middles
}

/// Returns the least distance of each middle from that of the first in the layer.
fn offsets(grid: &LayerGrid, layer: &[usize], breadth: &impl Fn(usize) -> f64) -> Vec<f64> {
    let mut offset = 0.0;
    let mut offsets = Vec::with_capacity(layer.len());
    for (place, figure) in layer.iter().enumerate() {
        if let Some(last) = place.checked_sub(1).map(|last| layer[last]) {
            let is_thin = grid.is_stand_in(last) || grid.is_stand_in(*figure);
            let gap = if is_thin { GAP_OF_ARROWS } else { GAP };
            offset += f64::midpoint(breadth(last), breadth(*figure)) + gap;
        }
        offsets.push(offset);
    }
    offsets
}

/// Moves the figures of a layer as close as possible to the mean of those that they are linked to,
/// and keeps their order.
fn draw_in(
    grid: &LayerGrid,
    index: usize,
    offsets: &[f64],
    side: AlignmentSide,
    middles: &mut [f64],
) {
    let layer = &grid.layers[index];
    let wishes: Vec<(f64, f64)> = layer
        .iter()
        .zip(offsets)
        .map(|(figure, offset)| {
            let (mean, weight) = wish(grid, *figure, side, middles);
            (mean - offset, weight)
        })
        .collect();
    for ((figure, offset), place) in layer.iter().zip(offsets).zip(ascending(&wishes)) {
        middles[*figure] = place + offset;
    }
}

/// Returns the best place of a figure, and its weight.
fn wish(grid: &LayerGrid, figure: usize, side: AlignmentSide, middles: &[f64]) -> (f64, f64) {
    let before = Some(&grid.before[figure]).filter(|_| side != AlignmentSide::Behind);
    let behind = Some(&grid.behind[figure]).filter(|_| side != AlignmentSide::Before);
    let (mut sum, mut weight) = (0.0, 0.0);
    for other in before.into_iter().chain(behind).flatten() {
        // A long arrow is bent last, an arrow between figures first.
        let pull = match (grid.is_stand_in(figure), grid.is_stand_in(*other)) {
            (true, true) => 8.0,
            (true, false) | (false, true) => 2.0,
            (false, false) => 1.0,
        };
        sum += pull * middles[*other];
        weight += pull;
    }
    if weight > 0.0 {
        (sum / weight, weight)
    } else {
        (middles[figure], 0.2)
    }
}

/// Returns the ascending row of numbers with the least weighted squares of distance from the best
/// places: neighbours that would change places share their mean.
fn ascending(wishes: &[(f64, f64)]) -> Vec<f64> {
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (wish, weight) in wishes {
        let mut block = (*wish, *weight, 1);
        while let Some((mean, weight, count)) = blocks.pop_if(|last| last.0 > block.0) {
            let sum = weight + block.1;
            block = (
                (mean * weight + block.0 * block.1) / sum,
                sum,
                count + block.2,
            );
        }
        blocks.push(block);
    }
    let places = blocks.into_iter();
    places
        .flat_map(|(mean, _, count)| std::iter::repeat_n(mean, count))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{ascending, assign_coordinates};
    use crate::layers::LayerGrid;

    #[test]
    fn neighbours_that_want_to_change_places_share_their_mean() {
        let wishes = [(0.0, 1.0), (4.0, 1.0), (2.0, 1.0), (5.0, 1.0)];
        assert_eq!(ascending(&wishes), [0.0, 3.0, 3.0, 5.0]);
        assert_eq!(ascending(&[(4.0, 3.0), (0.0, 1.0)]), [3.0, 3.0]);
    }

    #[test]
    fn a_chain_is_straight_and_a_fork_even() {
        let grid = LayerGrid::new(5, &[(0, 1), (1, 2), (2, 3), (2, 4)]);
        let middles = assign_coordinates(&grid, &[40.0; 5]);
        assert!((middles[0] - middles[2]).abs() < 0.5, "{middles:?}");
        assert!((middles[3] + middles[4] - 2.0 * middles[2]).abs() < 1.0);
        assert!((middles[4] - middles[3] - 58.0).abs() < 1e-9);
    }
}
