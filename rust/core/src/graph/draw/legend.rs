//! What the signs of a picture mean.

use super::arrows::Line;
use super::layout::Rect;
use super::svg::{Drawing, LABEL_SIZE, bordered, dashed, number};
use super::symbols::symbol;
use super::theme::{Border, called, heat};
use super::words::{cut, line, width};

const ROW: f64 = 22.0;

impl Drawing<'_> {
    /// What the signs mean that are used, in rows no wider than that; and how large it is.
    pub(super) fn legend(&self, lines: &[Line], room: f64) -> (String, f64, f64) {
        let mut entries: Vec<(String, f64)> = Vec::new();
        for tone in self.tones() {
            let sign = format!(
                "<g class=\"{}\">{}</g>",
                tone.word(),
                symbol(tone, (7.0, 7.0), self.palette)
            );
            let name = called(tone);
            entries.push((
                sign + &self.text((19.0, 11.0), LABEL_SIZE, "d", name),
                19.0 + width(name, LABEL_SIZE),
            ));
        }
        for line in [Line::Critical, Line::Indirect, Line::Back] {
            if lines.contains(&line) {
                let (thick, dashes) = line.look();
                let (class, colour, name) =
                    (line.class(), line.colour(self.palette), line.called());
                let sign = format!(
                    "<path class=\"{class}\" d=\"M0 7H26\" fill=\"none\" stroke=\"{colour}\" \
                     stroke-width=\"{thick}\"{}/>",
                    dashed(dashes)
                );
                entries.push((
                    sign + &self.text((32.0, 11.0), LABEL_SIZE, "d", name),
                    32.0 + width(name, LABEL_SIZE),
                ));
            }
        }
        if !self.look.focus.is_empty() {
            let border = Border {
                radius: 4.0,
                width: 2.0,
                dashes: "",
            };
            let ring = Rect {
                x: 1.0,
                y: 1.0,
                width: 20.0,
                height: 12.0,
            };
            let sign = bordered("r", &ring, border, "none", self.palette.focus);
            let name = "in focus";
            entries.push((
                sign + &self.text((27.0, 11.0), LABEL_SIZE, "d", name),
                27.0 + width(name, LABEL_SIZE),
            ));
        }
        if !self.view.said.heat.is_empty() {
            entries.push(self.scale());
        }
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

    /// What the colours of values mean.
    fn scale(&self) -> (String, f64) {
        let name = match self.look.heat_name.as_str() {
            "" => "value".to_owned(),
            name => cut(&line(name), LABEL_SIZE, 160.0),
        };
        let low = format!("{name}: low");
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
        scale.push_str(&self.text((end, 11.0), LABEL_SIZE, "d", "high"));
        (scale, end + width("high", LABEL_SIZE))
    }
}
