//! The colours of pictures on light and dark pages, and the shapes that distinguish states without
//! colours.

use chant_graph::network::NetworkError;
use chant_graph::picture::StatusColor;

/// Selectors of what holds a dark page of a notebook, its exports, and common makers of documentation: many of them do
/// not say so by `color-scheme`.
pub const DARK_PAGES: &str = "[data-jp-theme-light=false],[data-theme=dark],[data-bs-theme=dark],\
     [data-md-color-scheme=slate],.vscode-dark,.quarto-dark";
/// The same for light pages.
pub const LIGHT_PAGES: &str = "[data-jp-theme-light=true],[data-theme=light],[data-bs-theme=light],\
     [data-md-color-scheme=default],.vscode-light,.quarto-light";

/// The choices of colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ColorTheme {
    /// The colours of the page around the picture; those that the reader prefers if it stands alone.
    #[default]
    Auto,
    /// Light colours.
    Light,
    /// Dark colours.
    Dark,
}

impl ColorTheme {
    /// Returns the theme with this name.
    ///
    /// # Errors
    ///
    /// `Argument` when there is none.
    pub fn named(word: &str) -> Result<Self, NetworkError> {
        match word {
            "auto" => Ok(Self::Auto),
            "light" => Ok(Self::Light),
            "dark" => Ok(Self::Dark),
            _ => Err(NetworkError::Argument {
                name: "theme",
                given: word.to_owned(),
                expected: "`auto`, `light` or `dark`",
            }),
        }
    }

    /// Returns the colours without any style.
    pub(super) fn palette(self) -> &'static ColorPalette {
        match self {
            Self::Auto | Self::Light => &LIGHT,
            Self::Dark => &DARK,
        }
    }
}

/// Colours that go together.
pub(super) struct ColorPalette {
    /// The background. A picture has its own, because it cannot know that of the page.
    pub(super) page: &'static str,
    /// The frame around the background.
    pub(super) frame: &'static str,
    /// Letters.
    pub(super) ink: &'static str,
    /// Less important letters.
    pub(super) faint: &'static str,
    /// Arrows.
    pub(super) arrow: &'static str,
    /// Arrows that close a cycle.
    pub(super) back: &'static str,
    /// The critical path.
    pub(super) critical: &'static str,
    /// The ring around items in focus.
    pub(super) focus: &'static str,
    tones: [(StatusColor, &'static str, &'static str); 11],
}

impl ColorPalette {
    /// Returns the colour of a figure, and that of its border and symbol.
    pub(super) fn of(&self, tone: StatusColor) -> (&'static str, &'static str) {
        let found = self.tones.iter().find(|(other, _, _)| *other == tone);
        found.map_or((self.page, self.arrow), |(_, fill, line)| (fill, line))
    }
}

pub(super) const LIGHT: ColorPalette = ColorPalette {
    page: "#ffffff",
    frame: "#d0d7de",
    ink: "#1f2328",
    faint: "#525a64",
    arrow: "#6e7781",
    back: "#cf222e",
    critical: "#bc4c00",
    focus: "#8250df",
    tones: [
        (StatusColor::Done, "#dafbe1", "#1a7f37"),
        (StatusColor::Reviewed, "#d7f5f0", "#0f766e"),
        (StatusColor::Active, "#fff3c4", "#9a6700"),
        (StatusColor::Ready, "#ddf4ff", "#0969da"),
        (StatusColor::Planned, "#ece9ff", "#6941c6"),
        (StatusColor::Open, "#f6f8fa", "#6e7781"),
        (StatusColor::Blocked, "#ffece0", "#bc4c00"),
        (StatusColor::Failed, "#ffe3e6", "#cf222e"),
        (StatusColor::Cancelled, "#eaeef2", "#6e7781"),
        (StatusColor::Elsewhere, "#f3e8fd", "#8250df"),
        (StatusColor::More, "#ffffff", "#6e7781"),
    ],
};

pub(super) const DARK: ColorPalette = ColorPalette {
    page: "#0d1117",
    frame: "#30363d",
    ink: "#e6edf3",
    faint: "#9da7b3",
    arrow: "#8b949e",
    back: "#ff7b72",
    critical: "#f0883e",
    focus: "#d2a8ff",
    tones: [
        (StatusColor::Done, "#12301c", "#3fb950"),
        (StatusColor::Reviewed, "#0f2f2c", "#2dd4bf"),
        (StatusColor::Active, "#3a2d0b", "#d29922"),
        (StatusColor::Ready, "#0c2d4f", "#58a6ff"),
        (StatusColor::Planned, "#26214a", "#a399f5"),
        (StatusColor::Open, "#161b22", "#8b949e"),
        (StatusColor::Blocked, "#3b2312", "#f0883e"),
        (StatusColor::Failed, "#40181c", "#ff7b72"),
        (StatusColor::Cancelled, "#21262d", "#8b949e"),
        (StatusColor::Elsewhere, "#2d1f45", "#d2a8ff"),
        (StatusColor::More, "#0d1117", "#8b949e"),
    ],
};

/// The style of a border.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BorderStyle {
    /// The radius of its corners.
    pub(super) radius: f64,
    /// Its width.
    pub(super) width: f64,
    /// The lengths of dashes and gaps; empty for a solid line.
    pub(super) dashes: &'static str,
}

/// Returns the border of a figure.
pub(super) fn border(tone: StatusColor) -> BorderStyle {
    let (radius, width, dashes) = match tone {
        StatusColor::Done => (14.0, 1.2, ""),
        StatusColor::Reviewed => (14.0, 2.2, ""),
        StatusColor::Active => (6.0, 2.6, ""),
        StatusColor::Ready => (6.0, 1.8, ""),
        StatusColor::Planned => (6.0, 1.4, "8 3"),
        StatusColor::Open => (6.0, 1.0, ""),
        StatusColor::Blocked => (0.0, 1.8, "6 4"),
        StatusColor::Failed => (0.0, 2.6, ""),
        StatusColor::Cancelled => (6.0, 1.2, "2 3"),
        StatusColor::Elsewhere => (0.0, 1.2, "10 3 2 3"),
        StatusColor::More => (14.0, 1.2, "4 4"),
    };
    BorderStyle {
        radius,
        width,
        dashes,
    }
}

/// Returns the name of a state in a legend.
pub(super) fn legend_label(tone: StatusColor) -> &'static str {
    match tone {
        StatusColor::Done => "done",
        StatusColor::Reviewed => "in review",
        StatusColor::Active => "in progress",
        StatusColor::Ready => "ready",
        StatusColor::Planned => "planned",
        StatusColor::Open => "open",
        StatusColor::Blocked => "blocked",
        StatusColor::Failed => "failed",
        StatusColor::Cancelled => "cancelled",
        StatusColor::Elsewhere => "elsewhere",
        StatusColor::More => "not shown",
    }
}

/// Steps of a scale from low to high: the colours differ in lightness first, so that any eye can
/// distinguish them, and each fits one of the two colours of letters.
const SCALE: [(u8, u8, u8); 5] = [
    (0xf1, 0xf5, 0xf9),
    (0xfd, 0xe0, 0x9a),
    (0xf7, 0xa2, 0x55),
    (0xc0, 0x3a, 0x4b),
    (0x5b, 0x1a, 0x5e),
];

/// Returns the colour of a value from 0 to 1, and that of letters on it.
pub(super) fn heat(value: f64) -> (String, &'static str) {
    let value = value.clamp(0.0, 1.0) * 4.0;
    let pairs = (0_u32..).map(f64::from).zip(SCALE.windows(2));
    let pair = pairs.take_while(|(start, _)| *start <= value).last();
    let (part, low, high) = match pair {
        Some((start, [low, high])) => (value - start, low, high),
        _ => (0.0, &SCALE[0], &SCALE[0]),
    };
    let mix = |low: u8, high: u8| f64::from(low) + part * (f64::from(high) - f64::from(low));
    let colour = [mix(low.0, high.0), mix(low.1, high.1), mix(low.2, high.2)];
    let ink = if luminance(colour) > 0.18 {
        "#000000"
    } else {
        "#ffffff"
    };
    let [red, green, blue] = colour;
    (format!("rgb({red:.0},{green:.0},{blue:.0})"), ink)
}

/// Returns the luminance of a colour as contrasts are computed (WCAG 2).
fn luminance(colour: [f64; 3]) -> f64 {
    let linear = colour.map(|part| {
        let part = part / 255.0;
        if part <= 0.03928 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

#[cfg(test)]
mod tests {
    use super::{DARK, LIGHT, StatusColor, border, heat, legend_label, luminance};

    fn colour(text: &str) -> [f64; 3] {
        let part = |at: usize| f64::from(u8::from_str_radix(&text[at..at + 2], 16).unwrap());
        [part(1), part(3), part(5)]
    }

    fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn letters_and_lines_can_be_told_from_what_they_are_on() {
        for palette in [&LIGHT, &DARK] {
            let check = |front: &str, back: &str, least: f64| {
                let found = contrast(colour(front), colour(back));
                assert!(found >= least, "{front} on {back}: {found:.2}");
            };
            for letters in [palette.ink, palette.faint] {
                check(letters, palette.page, 4.5);
            }
            for line in [palette.arrow, palette.back, palette.critical, palette.focus] {
                check(line, palette.page, 3.0);
            }
            for tone in StatusColor::ALL {
                let (fill, line) = palette.of(tone);
                check(palette.ink, fill, 4.5);
                check(palette.faint, fill, 4.5);
                check(line, fill, 3.0);
                check(line, palette.page, 3.0);
            }
        }
    }

    #[test]
    fn letters_can_be_read_on_each_value() {
        for step in 0..=100 {
            let (fill, ink) = heat(f64::from(step) / 100.0);
            let parts = fill
                .trim_start_matches("rgb(")
                .trim_end_matches(')')
                .split(',');
            let parts: Vec<f64> = parts.map(|part| part.parse().unwrap()).collect();
            let found = contrast([parts[0], parts[1], parts[2]], colour(ink));
            assert!(found >= 4.5, "{ink} on {fill}: {found:.2}");
        }
    }

    #[test]
    fn no_two_states_have_the_same_border_and_name() {
        for (index, tone) in StatusColor::ALL.iter().enumerate() {
            for other in &StatusColor::ALL[index + 1..] {
                assert_ne!(border(*tone), border(*other), "{tone:?} {other:?}");
                assert_ne!(legend_label(*tone), legend_label(*other));
            }
        }
    }
}
