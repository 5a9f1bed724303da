//! Draws the legend of a picture.

use super::arrows::ArrowStyle;
use super::layout::FigureRect;
use super::svg::{LABEL_SIZE, SvgDrawing, bordered, dashed, number};
use super::symbols::symbol;
use super::theme::{BorderStyle, heat, legend_label};
use super::words::{cut, line, width};

const ROW: f64 = 22.0;

impl SvgDrawing<'_> {
    /// Returns the legend of the signs in use, in rows no wider than `room`, with its width and
    /// height.
    pub(super) fn legend(&self, lines: &[ArrowStyle], room: f64) -> (String, f64, f64) {
        let entries = self.entries(lines);
        let (mut x, mut y, mut widest) = (0.0, 0.0, 0.0_f64);
        let mut legend = String::new();
        for (entry, width) in &entries {
            if x > 0.0 && x + width > room {
                (x, y) = (0.0, y + ROW);
            }
            legend.push_str(&format!(
                "<g transform=\"translate({} {})\">{entry}</g>",
                number(x),
                number(y)
            ));
            widest = widest.max(x + width);
            x += width + 18.0;
        }
        let height = if entries.is_empty() { 0.0 } else { y + 15.0 };
        (legend, widest, height)
    }

    /// Returns the signs with their words, and the width of each.
    fn entries(&self, lines: &[ArrowStyle]) -> Vec<(String, f64)> {
        let tones = self.tones().into_iter().map(|tone| {
            let sign = symbol(tone, (7.0, 7.0), self.palette);
            let sign = format!("<g class=\"{}\">{sign}</g>", tone.word());
            self.entry(sign, 19.0, legend_label(tone))
        });
        let kinds = [ArrowStyle::Critical, ArrowStyle::Indirect, ArrowStyle::Back].into_iter();
        let used = kinds.filter(|line| lines.contains(line));
        let mut entries: Vec<(String, f64)> = tones.collect();
        entries.extend(used.map(|line| self.entry(self.sample(line), 32.0, line.called())));
        if !self.look.focus.is_empty() {
            entries.push(self.entry(self.ring(), 27.0, "in focus"));
        }
        if !self.view.said.heat.is_empty() {
            entries.push(self.scale());
        }
        entries
    }

    /// Returns a sign with its words, which start `behind` points from its start.
    fn entry(&self, sign: String, behind: f64, name: &str) -> (String, f64) {
        let words = self.text((behind, 11.0), LABEL_SIZE, "d", name);
        (sign + &words, behind + width(name, LABEL_SIZE))
    }

    fn sample(&self, line: ArrowStyle) -> String {
        let (thick, dashes) = line.look();
        let (class, colour) = (line.class(), line.colour(self.palette));
        format!(
            "<path class=\"{class}\" d=\"M0 7H26\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"{thick}\"{}/>",
            dashed(dashes)
        )
    }

    fn ring(&self) -> String {
        let border = BorderStyle {
            radius: 4.0,
            width: 2.0,
            dashes: "",
        };
        let ring = FigureRect {
            x: 1.0,
            y: 1.0,
            width: 20.0,
            height: 12.0,
        };
        bordered("r", &ring, border, "none", self.palette.focus)
    }

    /// Returns the scale of colours for values.
    fn scale(&self) -> (String, f64) {
        let name = match self.look.heat_name.as_str() {
            "" => "value".to_owned(),
            name => cut(&line(name), LABEL_SIZE, 160.0),
        };
        let (low, high) = &self.look.heat_ends;
        let end_of = |words: &str, usual: &str| match words {
            "" => usual.to_owned(),
            words => cut(&line(words), LABEL_SIZE, 80.0),
        };
        let (low, high) = (
            format!("{name}: {}", end_of(low, "low")),
            end_of(high, "high"),
        );
        let begin = width(&low, LABEL_SIZE) + 6.0;
        let mut scale = self.text((0.0, 11.0), LABEL_SIZE, "d", &low);
        for step in 0..12 {
            let (fill, _) = heat(f64::from(step) / 11.0);
            let x = number(begin + 7.0 * f64::from(step));
            scale.push_str(&format!(
                "<rect x=\"{x}\" y=\"1\" width=\"7\" height=\"12\" fill=\"{fill}\"/>"
            ));
        }
        let end = begin + 90.0;
        scale.push_str(&self.text((end, 11.0), LABEL_SIZE, "d", &high));
        (scale, end + width(&high, LABEL_SIZE))
    }
}
