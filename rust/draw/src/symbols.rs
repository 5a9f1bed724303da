//! A small drawing for each state, so that readers need neither the colours nor a font with the
//! signs.

use super::theme::ColorPalette;
use chant_graph::picture::StatusColor;

/// Returns the drawing of a state around a point, six points to each side.
pub(super) fn symbol(tone: StatusColor, (x, y): (f64, f64), palette: &ColorPalette) -> String {
    let (fill, line) = palette.of(tone);
    let ring = format!(
        "<circle r=\"5.2\" fill=\"none\" stroke=\"{line}\" stroke-width=\"1.5\" class=\"l\"/>"
    );
    let solid = |path: &str| format!("<path d=\"{path}\" fill=\"{line}\" class=\"s\"/>");
    let stroke = |path: &str, width: f64| {
        format!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{line}\" stroke-width=\"{width}\" \
             stroke-linecap=\"round\" stroke-linejoin=\"round\" class=\"l\"/>"
        )
    };
    let drawing = match tone {
        StatusColor::Done => format!(
            "<circle r=\"6\" fill=\"{line}\" class=\"s\"/><path d=\"M-2.8 .2-.8 2.3 2.9-2\" \
             fill=\"none\" stroke=\"{fill}\" stroke-width=\"1.6\" class=\"f\"/>"
        ),
        StatusColor::Reviewed => ring + &solid("M0 0V-5.2A5.2 5.2 0 1 1-5.2 0Z"),
        StatusColor::Active => ring + &solid("M0-5.2A5.2 5.2 0 0 1 0 5.2Z"),
        StatusColor::Planned => ring + &solid("M0 0V-5.2A5.2 5.2 0 0 1 5.2 0Z"),
        StatusColor::Open => ring,
        StatusColor::Ready => solid("M-3.8-5.6 5.8 0-3.8 5.6Z"),
        StatusColor::Blocked => ring + &stroke("M-2.6 0H2.6", 2.2),
        StatusColor::Failed => stroke("M-4.2-4.2 4.2 4.2M4.2-4.2-4.2 4.2", 2.4),
        StatusColor::Cancelled => ring + &stroke("M-3.6 3.6 3.6-3.6", 1.5),
        StatusColor::Elsewhere => stroke("M-4 4 4-4M-1.5-4H4V1.5", 1.7),
        StatusColor::More => {
            "<path d=\"M-5.5 0h.01M0 0h.01M5.5 0h.01\" stroke=\"".to_owned()
                + line
                + "\" stroke-width=\"2.6\" stroke-linecap=\"round\" class=\"l\"/>"
        }
    };
    format!(
        "<g transform=\"translate({x} {y})\" class=\"{}\">{drawing}</g>",
        tone.word()
    )
}
