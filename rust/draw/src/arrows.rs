//! Draws arrows as SVG.

use std::collections::HashSet;

use super::route::{ArrowRoute, Point, RouteLeg};
use super::scene::SceneShape;
use super::svg::{SvgDrawing, dashed, pair};
use super::theme::ColorPalette;
use chant_graph::picture::PictureArrow;

/// The styles of an arrow.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ArrowStyle {
    Plain,
    Indirect,
    Back,
    Critical,
}

impl ArrowStyle {
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Plain | Self::Indirect => "a",
            Self::Back => "k",
            Self::Critical => "c",
        }
    }

    pub(super) fn colour(self, palette: &ColorPalette) -> &'static str {
        match self {
            Self::Plain | Self::Indirect => palette.arrow,
            Self::Back => palette.back,
            Self::Critical => palette.critical,
        }
    }

    pub(super) fn look(self) -> (f64, &'static str) {
        match self {
            Self::Plain => (1.3, ""),
            Self::Indirect => (1.1, "2 4"),
            Self::Back => (1.6, "7 4"),
            Self::Critical => (2.8, ""),
        }
    }

    pub(super) fn called(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Indirect => "over items not shown",
            Self::Back => "closes a cycle",
            Self::Critical => "critical path",
        }
    }
}

impl SvgDrawing<'_> {
    /// Returns the style of each arrow.
    pub(super) fn lines(&self) -> Vec<ArrowStyle> {
        let is_critical = |place: usize| match self.view.scene.shapes[place] {
            SceneShape::Item(place) => self.look.critical.contains(&self.view.items[place]),
            _ => false,
        };
        let steps = self.look.critical.windows(2);
        let steps: HashSet<(u32, u32)> = steps.map(|pair| (pair[0], pair[1])).collect();
        let item = |place: usize| self.view.items[place];
        let of = |(arrow, route): (&PictureArrow, &ArrowRoute)| {
            let is_step = is_critical(arrow.from)
                && is_critical(arrow.to)
                && steps.contains(&(item(arrow.from), item(arrow.to)));
            match arrow {
                _ if route.is_back => ArrowStyle::Back,
                _ if is_step => ArrowStyle::Critical,
                arrow if arrow.is_indirect => ArrowStyle::Indirect,
                _ => ArrowStyle::Plain,
            }
        };
        let arrows = self.view.scene.arrows.iter();
        arrows.zip(&self.layout.routes).map(of).collect()
    }

    pub(super) fn arrow(&self, route: &ArrowRoute, kind: ArrowStyle) -> String {
        let (class, colour) = (kind.class(), kind.colour(self.palette));
        let (thick, dashes) = kind.look();
        let tip = route.end();
        let from = route
            .legs
            .iter()
            .rev()
            .nth(1)
            .map_or(route.start, RouteLeg::end);
        let mut way = format!("M{}", pair(route.start));
        for leg in &route.legs {
            match leg {
                // The head covers the last piece, which would show beside its point.
                RouteLeg::Line(end) if *end == tip => {
                    way.push_str(&format!("L{}", pair(beside(tip, from, 5.0, 0.0))));
                }
                RouteLeg::Line(end) => way.push_str(&format!("L{}", pair(*end))),
                RouteLeg::Curve(a, b, end) => {
                    way.push_str(&format!("C{} {} {}", pair(*a), pair(*b), pair(*end)));
                }
            }
        }
        let (back, half) = (7.0 + thick, 2.6 + thick * 0.7);
        let head = format!(
            "M{}L{}L{}Z",
            pair(tip),
            pair(beside(tip, from, back, half)),
            pair(beside(tip, from, back, -half))
        );
        format!(
            "<path class=\"{class}\" d=\"{way}\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"{thick}\"{}/><path class=\"{class}h\" d=\"{head}\" fill=\"{colour}\"/>",
            dashed(dashes)
        )
    }
}

/// Returns the path of a route, up to its end.
pub(super) fn path_of(route: &ArrowRoute) -> String {
    let mut way = format!("M{}", pair(route.start));
    for leg in &route.legs {
        way.push_str(&match leg {
            RouteLeg::Line(end) => format!("L{}", pair(*end)),
            RouteLeg::Curve(a, b, end) => format!("C{} {} {}", pair(*a), pair(*b), pair(*end)),
        });
    }
    way
}

/// Returns the point at a distance back from a tip on the way to it, and at a distance to its side.
fn beside(tip: Point, from: Point, back: f64, side: f64) -> Point {
    let (x, y) = (tip.0 - from.0, tip.1 - from.1);
    let long = x.hypot(y).max(0.01);
    let (x, y) = (x / long, y / long);
    (tip.0 - x * back - y * side, tip.1 - y * back + x * side)
}
