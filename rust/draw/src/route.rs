//! The routes of arrows: straight past the boxes of a layer, and in curves from layer to layer.

use super::layers::LayerGrid;
use super::layout::FigureRect;

/// The length of the straight end of a route, so that its head points at the box.
const HEAD: f64 = 7.0;
/// The distance that an arrow from a figure to itself leads away from it.
pub(super) const BOW: f64 = 26.0;
/// The distance between the ends of arrows at a box, where there is room.
const APART: f64 = 9.0;

/// A point as distances from the left and from above.
pub type Point = (f64, f64);

/// The extent of a layer in the direction of the layers.
#[derive(Debug, Clone, Copy)]
pub(super) struct RouteLane {
    pub(super) start: f64,
    pub(super) end: f64,
}

/// The route of an arrow, from box to box.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ArrowRoute {
    /// Its start, on the side of a box.
    pub start: Point,
    /// The legs that follow; the last one ends on the side of a box.
    pub legs: Vec<RouteLeg>,
    /// True if it leads against the layers, because it closes a cycle.
    pub is_back: bool,
}

/// A leg of a route, which starts where the one before it ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RouteLeg {
    /// A straight line to a point.
    Line(Point),
    /// A cubic curve: its two control points and its end.
    Curve(Point, Point, Point),
}

impl RouteLeg {
    /// Returns its end.
    pub fn end(&self) -> Point {
        match self {
            Self::Line(end) | Self::Curve(_, _, end) => *end,
        }
    }

    fn map(self, to: impl Fn(Point) -> Point) -> Self {
        match self {
            Self::Line(end) => Self::Line(to(end)),
            Self::Curve(first, second, end) => Self::Curve(to(first), to(second), to(end)),
        }
    }
}

impl ArrowRoute {
    /// Returns its end.
    pub fn end(&self) -> Point {
        self.legs.last().map_or(self.start, RouteLeg::end)
    }

    pub(super) fn moved(&self, x: f64, y: f64) -> Self {
        self.map(|point| (point.0 + x, point.1 + y))
    }

    /// Returns the same route with the two axes exchanged.
    pub(super) fn turned(self) -> Self {
        self.map(|point| (point.1, point.0))
    }

    fn map(&self, to: impl Fn(Point) -> Point) -> Self {
        Self {
            start: to(self.start),
            legs: self.legs.iter().map(|leg| leg.map(&to)).collect(),
            is_back: self.is_back,
        }
    }

    /// Returns the route from its end to its start.
    fn reversed(self) -> Self {
        let mut points = vec![self.start];
        points.extend(self.legs.iter().map(RouteLeg::end));
        let start = self.end();
        let legs = self.legs.into_iter().zip(points).rev();
        let legs = legs.map(|(leg, begin)| match leg {
            RouteLeg::Line(_) => RouteLeg::Line(begin),
            RouteLeg::Curve(first, second, _) => RouteLeg::Curve(second, first, begin),
        });
        Self {
            start,
            legs: legs.collect(),
            is_back: self.is_back,
        }
    }
}

/// Returns the route of each arrow. Layers follow one another to the right.
pub(super) fn routes(
    grid: &LayerGrid,
    lanes: &[RouteLane],
    middles: &[f64],
    boxes: &[FigureRect],
) -> Vec<ArrowRoute> {
    let mut lane_of = vec![0; grid.len()];
    for (lane, layer) in grid.layers.iter().enumerate() {
        for vertex in layer {
            lane_of[*vertex] = lane;
        }
    }
    let leaving = ports(grid, middles, boxes, true);
    let coming = ports(grid, middles, boxes, false);
    let mut routes = Vec::new();
    for (index, chain) in grid.chains.iter().enumerate() {
        let route = if let [first, between @ .., last] = chain.as_slice() {
            let lane = |vertex: &usize| lanes[lane_of[*vertex]];
            let mut way =
                RouteBuilder::from((lane(first).end, leaving[index]), grid.is_back[index]);
            for stand_in in between {
                way.pass(lane(stand_in), middles[*stand_in]);
            }
            way.arrive((lane(last).start, coming[index]))
        } else {
            bow(&boxes[grid.starts[index]])
        };
        routes.push(route);
    }
    routes
}

/// A route that grows to the right; one that leads back is reversed when it is complete.
struct RouteBuilder {
    route: ArrowRoute,
}

impl RouteBuilder {
    fn from(start: Point, is_back: bool) -> Self {
        let mut way = Self {
            route: ArrowRoute {
                start,
                legs: Vec::new(),
                is_back,
            },
        };
        if is_back {
            way.route
                .legs
                .push(RouteLeg::Line((start.0 + HEAD, start.1)));
        }
        way
    }

    /// Adds a curve that starts and ends in the direction of the layers.
    fn bend(&mut self, to: Point) {
        let from = self.route.end();
        let half = (to.0 - from.0) / 2.0;
        let bend = RouteLeg::Curve((from.0 + half, from.1), (to.0 - half, to.1), to);
        self.route.legs.push(bend);
    }

    fn pass(&mut self, lane: RouteLane, middle: f64) {
        self.bend((lane.start, middle));
        if lane.end > lane.start {
            self.route.legs.push(RouteLeg::Line((lane.end, middle)));
        }
    }

    fn arrive(mut self, end: Point) -> ArrowRoute {
        if self.route.is_back {
            self.bend(end);
            return self.route.reversed();
        }
        self.bend((end.0 - HEAD, end.1));
        self.route.legs.push(RouteLeg::Line(end));
        self.route
    }
}

/// Returns a route from a box to itself, behind it.
fn bow(rect: &FigureRect) -> ArrowRoute {
    // It starts beside the other arrows.
    let (x, y) = (rect.x + rect.width, rect.y + rect.height - 12.0);
    // A curve turns at three quarters of the distance to its control points.
    let out = (BOW - 1.0) * 4.0 / 3.0;
    ArrowRoute {
        start: (x, y - 7.0),
        legs: vec![
            RouteLeg::Curve((x + out, y - 12.0), (x + out, y + 7.0), (x + HEAD, y + 7.0)),
            RouteLeg::Line((x, y + 7.0)),
        ],
        is_back: true,
    }
}

/// Returns for each arrow the place on the side of its earlier box, or of its later one: side by
/// side, in the order of their next figures.
fn ports(grid: &LayerGrid, middles: &[f64], boxes: &[FigureRect], is_leaving: bool) -> Vec<f64> {
    let mut at_box: Vec<Vec<usize>> = vec![Vec::new(); boxes.len()];
    let ends = |chain: &[usize]| match chain {
        [first, second, ..] if is_leaving => Some((*first, *second)),
        [.., second, last] => Some((*last, *second)),
        _ => None,
    };
    for (arrow, chain) in grid.chains.iter().enumerate() {
        if let Some((figure, _)) = ends(chain) {
            at_box[figure].push(arrow);
        }
    }
    let mut ports = vec![0.0; grid.chains.len()];
    for (rect, mut arrows) in boxes.iter().zip(at_box) {
        let next =
            |arrow: &usize| ends(&grid.chains[*arrow]).map_or(0.0, |(_, next)| middles[next]);
        arrows.sort_by(|a, b| next(a).total_cmp(&next(b)));
        let gaps = float(arrows.len().saturating_sub(1));
        let apart = APART.min((rect.height - 14.0).max(0.0) / gaps.max(1.0));
        let first = rect.y + rect.height / 2.0 - apart * gaps / 2.0;
        for (place, arrow) in arrows.iter().enumerate() {
            ports[*arrow] = first + apart * float(place);
        }
    }
    ports
}

/// Returns the number of arrows at a box as a floating-point number.
fn float(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}
