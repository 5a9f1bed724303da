//! Places figures and arrows in layers: an arrow leads to a later layer, unless it closes a cycle.

use std::collections::BTreeMap;

use super::coordinates::assign_coordinates;
use super::crossings::reduce_crossings;
use super::layers::{LayerGrid, part_of};
use super::route::{ArrowRoute, BOW, RouteLane, routes};

/// The distance between separate parts.
const GAP_OF_PARTS: f64 = 30.0;
/// The distance between figures without arrows.
const GAP_OF_SINGLES: f64 = 14.0;
/// The width that a picture exceeds only where it must.
const WIDE: f64 = 1150.0;

/// The figures and arrows to be placed, in points.
#[derive(Debug, Clone, Default)]
pub struct LayoutInput {
    /// The width and the height of each figure.
    pub sizes: Vec<(f64, f64)>,
    /// The arrows, as the numbers of their two figures.
    pub arrows: Vec<(usize, usize)>,
}

/// The places of all figures and arrows, measured from the upper left corner.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PictureLayout {
    /// The place of each figure.
    pub boxes: Vec<FigureRect>,
    /// The route of each arrow.
    pub routes: Vec<ArrowRoute>,
    /// The width of the whole.
    pub width: f64,
    /// The height of the whole.
    pub height: f64,
    /// True if layers follow one another downwards, not to the right.
    pub is_down: bool,
}

/// A rectangle on the sheet.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FigureRect {
    /// Its left side.
    pub x: f64,
    /// Its upper side.
    pub y: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// A part of the sheet without arrows to other parts.
#[derive(Debug, Default)]
struct SheetPart {
    figures: Vec<usize>,
    arrows: Vec<usize>,
}

/// A part with its own layout.
struct PlacedPart<'a> {
    part: &'a SheetPart,
    layout: PictureLayout,
}

/// Places all figures and arrows. Layers follow one another to the right, or downwards where that
/// is narrower and the other direction would be too wide to read.
pub fn layout(sheet: &LayoutInput) -> PictureLayout {
    let (singles, parts): (Vec<SheetPart>, Vec<SheetPart>) = split(sheet)
        .into_iter()
        .partition(|part| part.figures.len() == 1 && part.arrows.is_empty());
    let grids: Vec<LayerGrid> = parts
        .iter()
        .map(|part| {
            let place = |figure: &usize| part.figures.binary_search(figure).unwrap_or_default();
            let ends = part.arrows.iter().map(|arrow| &sheet.arrows[*arrow]);
            let arrows: Vec<_> = ends.map(|(from, to)| (place(from), place(to))).collect();
            LayerGrid::new(part.figures.len(), &arrows)
        })
        .collect();
    let is_down = goes_down(sheet, &parts, &grids);
    let mut placed: Vec<PlacedPart> = Vec::new();
    for (part, mut grid) in parts.iter().zip(grids) {
        reduce_crossings(&mut grid);
        let sizes: Vec<_> = part
            .figures
            .iter()
            .map(|figure| sheet.sizes[*figure])
            .collect();
        let layout = laid(&grid, &sizes, is_down);
        placed.push(PlacedPart { part, layout });
    }
    let largest = |placed: &PlacedPart| std::cmp::Reverse(placed.part.figures.len());
    placed.sort_by_key(largest);
    let mut page = ShelfPage::new(sheet, is_down, widest(&placed));
    for placed in &placed {
        let (x, y) = page.room(placed.layout.width, placed.layout.height, GAP_OF_PARTS);
        page.put(placed, x, y);
    }
    page.next_shelf(GAP_OF_PARTS);
    let singles: Vec<usize> = singles
        .iter()
        .flat_map(|part| part.figures.clone())
        .collect();
    for single in singles {
        let (width, height) = sheet.sizes[single];
        let (x, y) = page.room(width, height, GAP_OF_SINGLES);
        page.layout.boxes[single] = FigureRect {
            x,
            y,
            width,
            height,
        };
    }
    page.layout
}

fn widest(placed: &[PlacedPart]) -> f64 {
    let widths = placed.iter().map(|placed| placed.layout.width);
    widths.fold(0.0, f64::max)
}

/// Returns the separate parts, ordered by their first figures.
fn split(sheet: &LayoutInput) -> Vec<SheetPart> {
    let part_of = part_of(sheet.sizes.len(), &sheet.arrows);
    let mut parts: BTreeMap<usize, SheetPart> = BTreeMap::new();
    for (figure, first) in part_of.iter().enumerate() {
        parts.entry(*first).or_default().figures.push(figure);
    }
    for (arrow, (from, _)) in sheet.arrows.iter().enumerate() {
        parts.entry(part_of[*from]).or_default().arrows.push(arrow);
    }
    parts.into_values().collect()
}

/// Returns true if the layers follow one another downwards.
fn goes_down(sheet: &LayoutInput, parts: &[SheetPart], grids: &[LayerGrid]) -> bool {
    let (mut to_the_right, mut downwards) = (0.0_f64, 0.0_f64);
    for (part, grid) in parts.iter().zip(grids) {
        let width = |vertex: &usize| match part.figures.get(*vertex) {
            Some(figure) => sheet.sizes[*figure].0,
            None => 0.0,
        };
        let widths = grid.layers.iter().map(|layer| layer.iter().map(width));
        let right = widths
            .clone()
            .map(|layer| layer.fold(0.0, f64::max) + 64.0)
            .sum();
        let down = widths
            .map(|layer| layer.map(|width| width + 16.0).sum())
            .fold(0.0, f64::max);
        to_the_right = to_the_right.max(right);
        downwards = downwards.max(down);
    }
    to_the_right > WIDE && downwards < to_the_right
}

/// Returns the layout of one part, which is computed along and across the layers and turned at the
/// end.
fn laid(grid: &LayerGrid, sizes: &[(f64, f64)], is_down: bool) -> PictureLayout {
    let turned = |(width, height): (f64, f64)| {
        if is_down {
            (height, width)
        } else {
            (width, height)
        }
    };
    let turned_sizes: Vec<_> = sizes.iter().map(|size| turned(*size)).collect();
    let breadths: Vec<f64> = turned_sizes.iter().map(|(_, breadth)| *breadth).collect();
    let mut middles = assign_coordinates(grid, &breadths);
    let reach = |figure: usize| breadths.get(figure).copied().unwrap_or_default() / 2.0;
    let first = middles.iter().enumerate();
    let first = first.map(|(figure, middle)| middle - reach(figure));
    let first = first.fold(f64::INFINITY, f64::min);
    for middle in &mut middles {
        *middle -= first;
    }
    let last = middles.iter().enumerate();
    let last = last.map(|(figure, middle)| middle + reach(figure));
    let breadth = last.fold(0.0, f64::max);
    let lengths: Vec<f64> = turned_sizes.iter().map(|(length, _)| *length).collect();
    let lanes = lanes(grid, &lengths, &middles);
    let length = lanes.last().map_or(0.0, |lane| lane.end);
    let mut boxes = vec![FigureRect::default(); sizes.len()];
    for (lane, layer) in lanes.iter().zip(&grid.layers) {
        for figure in layer.iter().filter(|figure| !grid.is_stand_in(**figure)) {
            boxes[*figure] = FigureRect {
                x: lane.start,
                y: middles[*figure] - reach(*figure),
                // All boxes of a layer have the same length, so that arrows pass between them.
                width: lane.end - lane.start,
                height: 2.0 * reach(*figure),
            };
        }
    }
    let routes = routes(grid, &lanes, &middles, &boxes);
    let has_bow = |figure: &usize| grid.bows().any(|other| other == *figure);
    let beyond = match grid.layers.last() {
        Some(layer) if layer.iter().any(has_bow) => BOW,
        _ => 0.0,
    };
    let layout = PictureLayout {
        boxes,
        routes,
        width: length + beyond,
        height: breadth,
        is_down,
    };
    if is_down { layout.turned() } else { layout }
}

/// Returns the start and end of each layer. The distance between two layers grows with the distance
/// that arrows lead across.
fn lanes(grid: &LayerGrid, lengths: &[f64], middles: &[f64]) -> Vec<RouteLane> {
    let mut lanes: Vec<RouteLane> = Vec::new();
    let mut start = 0.0;
    for layer in &grid.layers {
        let lengths = layer.iter().filter_map(|figure| lengths.get(*figure));
        let end = start + lengths.copied().fold(0.0, f64::max);
        lanes.push(RouteLane { start, end });
        let across = layer.iter().flat_map(|figure| {
            let joined = grid.behind[*figure].iter();
            joined.map(|other| (middles[*other] - middles[*figure]).abs())
        });
        start = end + (46.0 + 0.1 * across.fold(0.0, f64::max)).min(130.0);
    }
    lanes
}

impl PictureLayout {
    /// Returns the same layout with the two axes exchanged.
    fn turned(self) -> Self {
        let boxes = self.boxes.into_iter().map(|rect| FigureRect {
            x: rect.y,
            y: rect.x,
            width: rect.height,
            height: rect.width,
        });
        Self {
            boxes: boxes.collect(),
            routes: self.routes.into_iter().map(ArrowRoute::turned).collect(),
            width: self.height,
            height: self.width,
            is_down: self.is_down,
        }
    }
}

/// Parts on shelves, from left to right and then downwards.
struct ShelfPage {
    layout: PictureLayout,
    widest: f64,
    /// The left side of the next part.
    x: f64,
    /// The upper side of the shelf.
    y: f64,
    /// True if the shelf is empty.
    is_empty: bool,
}

impl ShelfPage {
    fn new(sheet: &LayoutInput, is_down: bool, widest: f64) -> Self {
        Self {
            layout: PictureLayout {
                boxes: vec![FigureRect::default(); sheet.sizes.len()],
                routes: vec![ArrowRoute::default(); sheet.arrows.len()],
                is_down,
                ..PictureLayout::default()
            },
            widest: widest.max(WIDE),
            x: 0.0,
            y: 0.0,
            is_empty: true,
        }
    }

    /// Returns the upper left corner of free room of a size.
    fn room(&mut self, width: f64, height: f64, gap: f64) -> (f64, f64) {
        if !self.is_empty && self.x + width > self.widest {
            self.next_shelf(gap);
        }
        let place = (self.x, self.y);
        self.x += width + gap;
        self.is_empty = false;
        self.layout.width = self.layout.width.max(place.0 + width);
        self.layout.height = self.layout.height.max(place.1 + height);
        place
    }

    fn next_shelf(&mut self, gap: f64) {
        if !self.is_empty {
            (self.x, self.y) = (0.0, self.layout.height + gap);
            self.is_empty = true;
        }
    }

    fn put(&mut self, placed: &PlacedPart, x: f64, y: f64) {
        for (figure, rect) in placed.part.figures.iter().zip(&placed.layout.boxes) {
            self.layout.boxes[*figure] = FigureRect {
                x: rect.x + x,
                y: rect.y + y,
                ..*rect
            };
        }
        for (arrow, route) in placed.part.arrows.iter().zip(&placed.layout.routes) {
            self.layout.routes[*arrow] = route.moved(x, y);
        }
    }
}
