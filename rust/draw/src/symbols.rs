//! A small drawing for each state, so that readers need neither the colours nor a font with the
//! signs.

use super::theme::ColorPalette;
use chant_graph::picture::StatusColor;

/// A part of the drawing of a state, six points to each side of the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum SymbolPart {
    /// A circle without a filling.
    Ring,
    /// A filled circle.
    Disc,
    /// A filled shape.
    Solid(&'static str),
    /// A line, and its width.
    Stroke(&'static str, f64),
    /// A line in the colour of the figure, over a filled shape.
    Knockout(&'static str),
    /// Points, as lines of no length.
    Dots(&'static str),
}

/// Returns the drawing of a state, part by part from the lowest.
pub(super) fn symbol_parts(tone: StatusColor) -> Vec<SymbolPart> {
    use SymbolPart::{Disc, Dots, Knockout, Ring, Solid, Stroke};
    match tone {
        StatusColor::Done => vec![Disc, Knockout("M-2.8 .2-.8 2.3 2.9-2")],
        StatusColor::Reviewed => vec![Ring, Solid("M0 0V-5.2A5.2 5.2 0 1 1-5.2 0Z")],
        StatusColor::Active => vec![Ring, Solid("M0-5.2A5.2 5.2 0 0 1 0 5.2Z")],
        StatusColor::Planned => vec![Ring, Solid("M0 0V-5.2A5.2 5.2 0 0 1 5.2 0Z")],
        StatusColor::Open => vec![Ring],
        StatusColor::Ready => vec![Solid("M-3.8-5.6 5.8 0-3.8 5.6Z")],
        StatusColor::Blocked => vec![Ring, Stroke("M-2.6 0H2.6", 2.2)],
        StatusColor::Failed => vec![Stroke("M-4.2-4.2 4.2 4.2M4.2-4.2-4.2 4.2", 2.4)],
        StatusColor::Cancelled => vec![Ring, Stroke("M-3.6 3.6 3.6-3.6", 1.5)],
        StatusColor::Elsewhere => vec![Stroke("M-4 4 4-4M-1.5-4H4V1.5", 1.7)],
        StatusColor::More => vec![Dots("M-5.5 0h.01M0 0h.01M5.5 0h.01")],
    }
}

/// Returns the drawing of a state around a point, six points to each side.
pub(super) fn symbol(tone: StatusColor, (x, y): (f64, f64), palette: &ColorPalette) -> String {
    let (fill, line) = palette.of(tone);
    let parts = symbol_parts(tone).into_iter().map(|part| match part {
        SymbolPart::Ring => format!(
            "<circle r=\"5.2\" fill=\"none\" stroke=\"{line}\" stroke-width=\"1.5\" class=\"l\"/>"
        ),
        SymbolPart::Disc => format!("<circle r=\"6\" fill=\"{line}\" class=\"s\"/>"),
        SymbolPart::Solid(path) => format!("<path d=\"{path}\" fill=\"{line}\" class=\"s\"/>"),
        SymbolPart::Stroke(path, width) => format!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{line}\" stroke-width=\"{width}\" \
             stroke-linecap=\"round\" stroke-linejoin=\"round\" class=\"l\"/>"
        ),
        SymbolPart::Knockout(path) => format!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{fill}\" stroke-width=\"1.6\" class=\"f\"/>"
        ),
        SymbolPart::Dots(path) => format!(
            "<path d=\"{path}\" stroke=\"{line}\" stroke-width=\"2.6\" stroke-linecap=\"round\" class=\"l\"/>"
        ),
    });
    let drawing: String = parts.collect();
    format!(
        "<g transform=\"translate({x} {y})\" class=\"{}\">{drawing}</g>",
        tone.word()
    )
}
