//! Assigns figures to layers, and stand-ins for long arrows to the layers that they cross.

/// Figures and stand-ins in layers, with the links from one layer to the next.
#[derive(Debug)]
pub(super) struct LayerGrid {
    /// The content of each layer: first figures, then stand-ins for arrows that cross it.
    pub(super) layers: Vec<Vec<usize>>,
    /// For each figure and stand-in, those of the layer before that it is linked to.
    pub(super) before: Vec<Vec<usize>>,
    /// The same for the layer behind.
    pub(super) behind: Vec<Vec<usize>>,
    /// For each arrow, the figures and stand-ins on its way, from the earlier layer to the later
    /// one, with both ends; empty for an arrow from a figure to itself.
    pub(super) chains: Vec<Vec<usize>>,
    /// For each arrow, the figure where it starts.
    pub(super) starts: Vec<usize>,
    /// For each arrow, true if it leads against the order of the layers, because it closes a cycle.
    pub(super) is_back: Vec<bool>,
    /// The number of figures; higher numbers are stand-ins.
    figures: usize,
}

impl LayerGrid {
    /// Places each figure in the earliest layer behind all figures that lead to it, or in a later
    /// one where that shortens its arrows.
    pub(super) fn new(figures: usize, arrows: &[(usize, usize)]) -> Self {
        let is_back = leading_back(figures, arrows);
        let layer_of = layered(figures, arrows, &is_back);
        let count = layer_of.iter().max().map_or(0, |last| last + 1);
        let mut grid = Self {
            layers: vec![Vec::new(); count],
            before: vec![Vec::new(); figures],
            behind: vec![Vec::new(); figures],
            chains: Vec::new(),
            starts: arrows.iter().map(|(from, _)| *from).collect(),
            is_back,
            figures,
        };
        for (figure, layer) in layer_of.iter().enumerate() {
            grid.layers[*layer].push(figure);
        }
        for (index, (from, to)) in arrows.iter().enumerate() {
            let (first, last) = if grid.is_back[index] {
                (*to, *from)
            } else {
                (*from, *to)
            };
            let chain = grid.chain(first, last, &layer_of);
            grid.chains.push(chain);
        }
        grid
    }

    /// Returns true if `index` is a stand-in for an arrow.
    pub(super) fn is_stand_in(&self, index: usize) -> bool {
        index >= self.figures
    }

    /// Returns the figures with an arrow to themselves.
    pub(super) fn bows(&self) -> impl Iterator<Item = usize> {
        let starts = self.starts.iter().zip(&self.chains);
        starts
            .filter(|(_, chain)| chain.is_empty())
            .map(|(figure, _)| *figure)
    }

    /// Returns the number of figures and stand-ins.
    pub(super) fn len(&self) -> usize {
        self.before.len()
    }

    /// Links two figures over stand-ins in the layers between.
    fn chain(&mut self, first: usize, last: usize, layer_of: &[usize]) -> Vec<usize> {
        if first == last {
            return Vec::new();
        }
        let mut chain = vec![first];
        for layer in layer_of[first] + 1..layer_of[last] {
            let stand_in = self.len();
            self.before.push(Vec::new());
            self.behind.push(Vec::new());
            self.layers[layer].push(stand_in);
            chain.push(stand_in);
        }
        chain.push(last);
        for pair in chain.windows(2) {
            self.behind[pair[0]].push(pair[1]);
            self.before[pair[1]].push(pair[0]);
        }
        chain
    }
}

/// Returns the layer of each figure.
pub(super) fn layer_of(figures: usize, arrows: &[(usize, usize)]) -> Vec<usize> {
    layered(figures, arrows, &leading_back(figures, arrows))
}

/// Returns for each figure the first figure of its part, which arrows in any direction join.
pub(super) fn part_of(figures: usize, arrows: &[(usize, usize)]) -> Vec<usize> {
    let mut joined = vec![Vec::new(); figures];
    for (from, to) in arrows {
        joined[*from].push(*to);
        joined[*to].push(*from);
    }
    let mut part_of = vec![None; figures];
    let mut open = Vec::new();
    for first in 0..figures {
        if part_of[first].is_none() {
            open.push(first);
        }
        while let Some(figure) = open.pop() {
            if part_of[figure].is_none() {
                part_of[figure] = Some(first);
                open.extend(&joined[figure]);
            }
        }
    }
    part_of.into_iter().flatten().collect()
}

/// Returns for each arrow true if it leads back on the way from the first figures; the others form
/// no cycle.
fn leading_back(figures: usize, arrows: &[(usize, usize)]) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        Open,
        Closed,
    }
    let mut targets = vec![Vec::new(); figures];
    let mut is_target = vec![false; figures];
    for (index, (from, to)) in arrows.iter().enumerate() {
        targets[*from].push((*to, index));
        is_target[*to] |= from != to;
    }
    let mut tops: Vec<usize> = (0..figures).collect();
    // A cycle is entered where something leads into it.
    tops.sort_by_key(|figure| is_target[*figure]);
    let mut seen = vec![Seen::Not; figures];
    let mut is_back = vec![false; arrows.len()];
    for top in tops {
        if seen[top] != Seen::Not {
            continue;
        }
        seen[top] = Seen::Open;
        let mut way = vec![(top, targets[top].iter())];
        while let Some((figure, left)) = way.last_mut() {
            let Some((to, index)) = left.next() else {
                seen[*figure] = Seen::Closed;
                way.pop();
                continue;
            };
            match seen[*to] {
                Seen::Open => is_back[*index] = true,
                Seen::Closed => {}
                Seen::Not => {
                    seen[*to] = Seen::Open;
                    way.push((*to, targets[*to].iter()));
                }
            }
        }
    }
    is_back
}

/// Returns the layer of each figure; arrows that lead back are reversed.
fn layered(figures: usize, arrows: &[(usize, usize)], is_back: &[bool]) -> Vec<usize> {
    let mut behind = vec![Vec::new(); figures];
    let mut ins = vec![0_usize; figures];
    for ((from, to), is_back) in arrows.iter().zip(is_back) {
        if from != to {
            let (first, last) = if *is_back { (*to, *from) } else { (*from, *to) };
            behind[first].push(last);
            ins[last] += 1;
        }
    }
    let mut waits = ins.clone();
    let mut order: Vec<usize> = (0..figures).filter(|figure| ins[*figure] == 0).collect();
    let mut layer_of = vec![0; figures];
    let mut next = 0;
    while let Some(figure) = order.get(next).copied() {
        next += 1;
        for other in &behind[figure] {
            layer_of[*other] = layer_of[*other].max(layer_of[figure] + 1);
            waits[*other] -= 1;
            if waits[*other] == 0 {
                order.push(*other);
            }
        }
    }
    for figure in order.iter().rev() {
        let latest = behind[*figure].iter().map(|next| layer_of[*next] - 1).min();
        if let Some(latest) = latest.filter(|_| behind[*figure].len() > ins[*figure]) {
            layer_of[*figure] = latest;
        }
    }
    layer_of
}

#[cfg(test)]
mod tests {
    use super::LayerGrid;

    #[track_caller]
    fn check(arrows: &[(usize, usize)], layers: &str, back: &[usize]) {
        let figures = arrows.iter().map(|(from, to)| from.max(to) + 1).max();
        let grid = LayerGrid::new(figures.unwrap_or(1), arrows);
        let shown: Vec<String> = grid
            .layers
            .iter()
            .map(|layer| {
                let mut figures: Vec<_> = layer.iter().filter(|v| !grid.is_stand_in(**v)).collect();
                figures.sort_unstable();
                let words: Vec<String> = figures.iter().map(ToString::to_string).collect();
                words.join(" ")
            })
            .collect();
        assert_eq!(shown.join(" | "), layers);
        let is_back = grid.is_back.iter().enumerate();
        let found: Vec<usize> = is_back
            .filter(|(_, b)| **b)
            .map(|(index, _)| index)
            .collect();
        assert_eq!(found, back);
    }

    #[test]
    fn figures_stand_behind_all_that_lead_to_them() {
        check(&[(0, 1), (1, 2), (0, 2)], "0 | 1 | 2", &[]);
        check(&[], "0", &[]);
    }

    #[test]
    fn what_only_leads_on_stands_close_to_where_it_leads() {
        check(&[(0, 1), (1, 2), (3, 2)], "0 | 1 3 | 2", &[]);
    }

    #[test]
    fn one_arrow_of_a_loop_leads_back() {
        check(&[(0, 1), (1, 2), (2, 1), (2, 3)], "0 | 1 | 2 | 3", &[2]);
        check(&[(0, 0), (0, 1)], "0 | 1", &[0]);
        check(&[(0, 1), (1, 2), (2, 0)], "0 | 1 | 2", &[2]);
    }

    #[test]
    fn long_arrows_lead_over_each_layer() {
        let grid = LayerGrid::new(4, &[(0, 1), (1, 2), (2, 3), (0, 3)]);
        assert_eq!(grid.chains[3], [0, 4, 5, 3]);
        assert_eq!(grid.layers, [vec![0], vec![1, 4], vec![2, 5], vec![3]]);
    }
}
