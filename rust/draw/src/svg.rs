//! Writes a scene as SVG, without scripts, links or external content. Names within the picture are
//! unique, so that several pictures can stand on one page.

use super::arrows::ArrowStyle;
use super::layout::{FigureRect, LayoutInput, PictureLayout, layout};
use super::route::Point;
use super::scene::SceneShape;
use super::symbols::symbol;
use super::theme::{
    BorderStyle, ColorPalette, ColorTheme, DARK, DARK_PAGES, LIGHT, LIGHT_PAGES, border, heat,
    legend_label,
};
use super::words::{cut, held_width_tag, is_from_right, line, safe, width};
use super::{PictureOptions, PictureView, StateShares, counted, describe_shape};
use chant_graph::picture::StatusColor;

pub(super) const KEY_SIZE: f64 = 12.0;
pub(super) const LABEL_SIZE: f64 = 11.0;
/// How much wider bold letters are.
pub(super) const BOLD: f64 = 1.06;
const SMALL: f64 = 9.5;
/// The space left of a figure's words, with its symbol.
pub(super) const SYMBOL: f64 = 27.0;
/// The space right of its words.
pub(super) const PAD: f64 = 11.0;
const NARROWEST: f64 = 84.0;
const WIDEST: f64 = 290.0;
const HIGH: f64 = 44.0;
const LOW: f64 = 30.0;
/// The margin around the picture.
pub(super) const MARGIN: f64 = 18.0;
/// The width above which a picture is scaled down.
const MAX_SHOWN: f64 = 1600.0;

/// The words of a figure.
pub(super) struct FigureWords {
    /// Its first line.
    pub(super) key: String,
    /// Its second line; empty for none.
    pub(super) label: String,
    /// Words at the end of its first line.
    pub(super) group: String,
    /// The text under the pointer.
    pub(super) title: String,
}

/// The look of a line of words.
#[derive(Clone, Copy)]
struct LetterStyle<'a> {
    size: f64,
    class: &'a str,
    ink: Option<&'a str>,
}

/// A picture while it is being written.
pub(super) struct SvgDrawing<'a> {
    pub(super) view: &'a PictureView<'a>,
    pub(super) look: &'a PictureOptions,
    pub(super) palette: &'static ColorPalette,
    pub(super) words: Vec<FigureWords>,
    pub(super) layout: PictureLayout,
}

/// Returns the picture of a view.
pub(super) fn draw_svg(view: &PictureView<'_>, look: &PictureOptions) -> String {
    let shapes = view.scene.shapes.iter();
    let is_grouped = view.said.groups.windows(2).any(|pair| pair[0] != pair[1]);
    let words: Vec<FigureWords> = shapes
        .map(|shape| words(view, *shape, is_grouped))
        .collect();
    SvgDrawing::of(view, look, words).picture()
}

fn words(view: &PictureView<'_>, shape: SceneShape, is_grouped: bool) -> FigureWords {
    let SceneShape::Item(place) = shape else {
        return FigureWords::of_group(shape);
    };
    let (key, label) = (view.key(place), view.label(place));
    let group = view.said.groups.get(place).filter(|_| is_grouped);
    let title = view.said.titles.get(place).cloned().unwrap_or_else(|| {
        let name = if label.is_empty() {
            String::new()
        } else {
            format!(": {label}")
        };
        format!("{key}{name} ({})", legend_label(view.tones[place]))
    });
    FigureWords {
        key: line(key),
        label: line(label),
        group: line(group.map_or("", String::as_str)),
        title,
    }
}

impl FigureWords {
    /// The words for items that are not shown.
    pub(super) fn of_group(shape: SceneShape) -> Self {
        let title = match shape {
            SceneShape::Earlier(_) => "Not shown: what these wait for",
            SceneShape::Later(_) => "Not shown: what waits for these",
            SceneShape::Item(_) | SceneShape::Apart(_) => "Not shown: joined to nothing here",
        };
        Self {
            key: describe_shape(shape),
            label: String::new(),
            group: String::new(),
            title: title.to_owned(),
        }
    }
}

/// Returns the size of each figure: as its words need, within bounds. All are as high as the
/// highest, and those without arrows are as wide as the widest of them.
fn sizes(view: &PictureView<'_>, words: &[FigureWords]) -> Vec<(f64, f64)> {
    let has_labels = words.iter().any(|words| !words.label.is_empty());
    let height = if has_labels { HIGH } else { LOW };
    let needed = |words: &FigureWords| {
        let group = if words.group.is_empty() {
            0.0
        } else {
            width(&words.group, SMALL) + 10.0
        };
        let text =
            (width(&words.key, KEY_SIZE * BOLD) + group).max(width(&words.label, LABEL_SIZE));
        (SYMBOL + text + PAD).ceil().clamp(NARROWEST, WIDEST)
    };
    let mut sizes: Vec<(f64, f64)> = words.iter().map(|words| (needed(words), height)).collect();
    let mut is_joined = vec![false; sizes.len()];
    for arrow in &view.scene.arrows {
        is_joined[arrow.from] = true;
        is_joined[arrow.to] = true;
    }
    let alone = sizes
        .iter()
        .zip(&is_joined)
        .filter(|(_, is_joined)| !**is_joined);
    let widest = alone.map(|(size, _)| size.0).fold(0.0, f64::max);
    for (size, is_joined) in sizes.iter_mut().zip(is_joined) {
        if !is_joined {
            size.0 = widest;
        }
    }
    sizes
}

impl<'a> SvgDrawing<'a> {
    /// Places the figures of a view, which have these words.
    pub(super) fn of(
        view: &'a PictureView<'a>,
        look: &'a PictureOptions,
        words: Vec<FigureWords>,
    ) -> Self {
        let sheet = LayoutInput {
            sizes: sizes(view, &words),
            arrows: view.scene.arrows.iter().map(|a| (a.from, a.to)).collect(),
        };
        Self {
            view,
            look,
            palette: look.theme.palette(),
            words,
            layout: layout(&sheet),
        }
    }

    fn picture(&self) -> String {
        let mut body = String::new();
        let lines: Vec<ArrowStyle> = self.lines();
        // Rings lie lowest, so that the ends of arrows are visible; bold arrows lie above others,
        // and all arrows below the figures.
        for (shape, rect) in self.view.scene.shapes.iter().zip(&self.layout.boxes) {
            body.push_str(&self.rings(*shape, rect));
        }
        for kind in [
            ArrowStyle::Plain,
            ArrowStyle::Indirect,
            ArrowStyle::Back,
            ArrowStyle::Critical,
        ] {
            let routes = self.layout.routes.iter().zip(&lines);
            for (route, _) in routes.filter(|(_, line)| **line == kind) {
                body.push_str(&self.arrow(route, kind));
            }
        }
        for (index, rect) in self.layout.boxes.iter().enumerate() {
            body.push_str(&self.figure(index, rect));
        }
        let mut width = self.layout.width;
        let mut height = self.layout.height;
        if self.words.is_empty() {
            body.push_str(&self.text((0.0, 12.0), LABEL_SIZE, "d", "No items"));
            (width, height) = (60.0, 16.0);
        }
        let (legend, legend_width, legend_height) = self.legend(&lines, width.max(320.0));
        let legend_top = height + MARGIN;
        if legend_height > 0.0 {
            body.push_str(&format!(
                "<g transform=\"translate(0 {})\">{legend}</g>",
                number(legend_top)
            ));
            width = width.max(legend_width);
            height = legend_top + legend_height;
        }
        self.framed(
            &body,
            (width + 2.0 * MARGIN).ceil(),
            (height + 2.0 * MARGIN).ceil(),
        )
    }

    /// Returns the picture around its body.
    fn framed(&self, body: &str, width: f64, height: f64) -> String {
        let scale = (MAX_SHOWN / width).min(1.0);
        let (shown, high) = (number(width * scale), number(height * scale));
        let palette = self.palette;
        let (id, style) = match self.look.theme {
            ColorTheme::Auto => {
                let id = format!("g{:016x}", hash(body));
                (format!(" id=\"{id}\""), self.style(&id))
            }
            ColorTheme::Light | ColorTheme::Dark => Default::default(),
        };
        let (wide, tall) = (number(width), number(height));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\"{id} role=\"img\" aria-label=\"{}\" \
             viewBox=\"0 0 {wide} {tall}\" width=\"{shown}\" height=\"{high}\" \
             style=\"max-width:100%;height:auto\" font-family=\"'Helvetica Neue',Helvetica,Arial,\
             'Noto Sans','Noto Sans CJK SC','Noto Sans Arabic','Noto Sans Hebrew',sans-serif\">{style}\
             <rect class=\"p\" x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"{}\" \
             stroke=\"{}\"/><g transform=\"translate({MARGIN} {MARGIN})\">{body}</g></svg>",
            safe(&self.describe()),
            number(width - 1.0),
            number(height - 1.0),
            palette.page,
            palette.frame
        )
    }

    /// Returns the style that takes the colours of the page's theme; a picture that stands alone takes those of the
    /// reader, and an image those of the page around it. The attributes are light, for readers that drop styles.
    fn style(&self, id: &str) -> String {
        let scheme = |pages: &str, word: &str| format!(":is({pages}) #{id}{{color-scheme:{word}}}");
        let mut rules = format!("#{id}:root{{color-scheme:light dark}}");
        rules.push_str(&scheme(LIGHT_PAGES, "light"));
        rules.push_str(&scheme(DARK_PAGES, "dark"));
        let mut rule = |of: String, properties: &[(&str, &str, &str)]| {
            let properties = properties.iter();
            let written =
                properties.map(|(name, light, dark)| format!("{name}:light-dark({light},{dark})"));
            let written: Vec<String> = written.collect();
            rules.push_str(&format!("#{id} {of}{{{}}}", written.join(";")));
        };
        rule(
            ".p".into(),
            &[
                ("fill", LIGHT.page, DARK.page),
                ("stroke", LIGHT.frame, DARK.frame),
            ],
        );
        rule(".i".into(), &[("fill", LIGHT.ink, DARK.ink)]);
        rule(".d".into(), &[("fill", LIGHT.faint, DARK.faint)]);
        rule(".r".into(), &[("stroke", LIGHT.focus, DARK.focus)]);
        for line in [ArrowStyle::Plain, ArrowStyle::Back, ArrowStyle::Critical] {
            let (class, light, dark) = (line.class(), line.colour(&LIGHT), line.colour(&DARK));
            rule(format!(".{class}"), &[("stroke", light, dark)]);
            rule(format!(".{class}h"), &[("fill", light, dark)]);
        }
        for tone in self.tones() {
            let word = tone.word();
            let ((fill, line), (dark_fill, dark_line)) = (LIGHT.of(tone), DARK.of(tone));
            let (of_fill, of_line) = (("fill", fill, dark_fill), ("stroke", line, dark_line));
            rule(format!(".{word}>.b"), &[of_fill, of_line]);
            rule(format!(".{word}>.l"), &[of_line]);
            rule(format!(".{word}>.s"), &[("fill", line, dark_line)]);
            rule(format!(".{word}>.f"), &[("stroke", fill, dark_fill)]);
        }
        format!("<style>{rules}</style>")
    }

    /// Returns the states in the picture, in the order of a legend.
    pub(super) fn tones(&self) -> Vec<StatusColor> {
        let shapes = &self.view.scene.shapes;
        let is_seen = |tone: &StatusColor| {
            shapes.iter().any(|shape| {
                let shares = self.view.shares(*shape).iter();
                self.view.tone(*shape) == *tone || shares.clone().any(|(other, _)| other == tone)
            })
        };
        StatusColor::ALL.into_iter().filter(is_seen).collect()
    }

    /// Returns a description of the picture in words, for readers who cannot see it.
    pub(super) fn describe(&self) -> String {
        let states: Vec<String> = self.count_states();
        let name = if self.look.name.is_empty() {
            "Graph"
        } else {
            &self.look.name
        };
        let count = self.count_items();
        if states.is_empty() {
            return format!("{name}: {count}");
        }
        format!("{name}: {count}; {}", states.join(", "))
    }

    /// Returns how many items there are and how many of them are shown; a cluster counts as what is in it.
    fn count_items(&self) -> String {
        let shares = &self.view.said.shares;
        let clusters = shares.iter().filter(|shares| !shares.is_empty()).count();
        let inside = shares
            .iter()
            .flatten()
            .map(|(_, count)| count)
            .sum::<usize>();
        let outside = |items: usize| items - clusters + inside;
        let shown = outside(self.view.items.len());
        let all = outside(self.view.network.len());
        let count = match all {
            1 => "1 item".to_owned(),
            all if all == shown => format!("{} items", counted(all)),
            all => format!("{} of {} items", counted(shown), counted(all)),
        };
        if clusters > 0 {
            format!("{count} as {} figures", counted(self.view.items.len()))
        } else {
            count
        }
    }

    /// Returns how many of the items shown have which state, in words.
    fn count_states(&self) -> Vec<String> {
        let states = self
            .tones()
            .into_iter()
            .filter(|tone| *tone != StatusColor::More);
        let count = |tone: StatusColor| {
            let places = self.view.tones.iter().enumerate();
            let of_each = places.map(|(place, own)| {
                let shares = self
                    .view
                    .said
                    .shares
                    .get(place)
                    .filter(|shares| !shares.is_empty());
                let inside = |shares: &StateShares| {
                    shares
                        .iter()
                        .filter(|(other, _)| *other == tone)
                        .map(|(_, count)| count)
                        .sum()
                };
                shares.map_or(usize::from(*own == tone), inside)
            });
            of_each.sum::<usize>()
        };
        let words = states.map(|tone| (count(tone), legend_label(tone)));
        words
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{} {word}", counted(count)))
            .collect()
    }

    fn figure(&self, index: usize, rect: &FigureRect) -> String {
        let shape = self.view.scene.shapes[index];
        let tone = self.view.tone(shape);
        let words = &self.words[index];
        let value = match shape {
            SceneShape::Item(place) => self.view.said.heat.get(place).copied().flatten(),
            _ => None,
        };
        let mut text = format!(
            "<g class=\"{}\"><title>{}</title>",
            tone.word(),
            safe(&words.title)
        );
        let border = border(tone);
        let (fill, line) = self.palette.of(tone);
        let shares = self.view.shares(shape);
        for rect in stack_behind(rect, shares) {
            text.push_str(&bordered("b", &rect, border, fill, line));
        }
        let colour = value.map(heat);
        let (class, fill) = match &colour {
            Some((fill, _)) => ("l", fill.as_str()),
            None => ("b", fill),
        };
        text.push_str(&bordered(class, rect, border, fill, line));
        let ink = colour.as_ref().map(|(_, ink)| *ink);
        if let Some(value) = value {
            text.push_str(&bar(rect, border, value, ink.unwrap_or_default()));
        }
        text.push_str(&self.sign(tone, rect, ink));
        text.push_str(&self.lettering(index, tone, rect, ink));
        for (tone, part) in share_parts(rect, shares) {
            text.push_str(&self.share(tone, &part));
        }
        text.push_str("</g>");
        text
    }

    /// Returns the part of a bar that says how many items have a state.
    fn share(&self, tone: StatusColor, part: &FigureRect) -> String {
        let (_, line) = self.palette.of(tone);
        format!(
            "<g class=\"{}\"><rect class=\"s\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{line}\"/></g>",
            tone.word(),
            number(part.x),
            number(part.y),
            number(part.width),
            number(part.height)
        )
    }

    /// Returns the symbol of a figure's state.
    fn sign(&self, tone: StatusColor, rect: &FigureRect, ink: Option<&str>) -> String {
        let middle = rect.y + rect.height / 2.0;
        let mut text = String::new();
        if let Some(ink) = ink {
            // A symbol on a coloured figure needs a background of its own.
            let (page, x) = (self.palette.page, number(rect.x + 14.0));
            text.push_str(&format!(
                "<circle class=\"p\" cx=\"{x}\" cy=\"{}\" r=\"8.5\" fill=\"{page}\" stroke=\"{ink}\" \
                 stroke-width=\"0\"/>",
                number(middle)
            ));
        }
        text.push_str(&symbol(tone, (rect.x + 14.0, middle), self.palette));
        text
    }

    /// Returns the words of a figure: its key, its group beside that, its label below.
    fn lettering(
        &self,
        index: usize,
        tone: StatusColor,
        rect: &FigureRect,
        ink: Option<&str>,
    ) -> String {
        let words = &self.words[index];
        let middle = rect.y + rect.height / 2.0;
        let struck = if tone == StatusColor::Cancelled {
            " text-decoration=\"line-through\""
        } else {
            ""
        };
        let room = rect.width - SYMBOL - PAD;
        let of_group = if words.group.is_empty() {
            0.0
        } else {
            width(&words.group, SMALL) + 8.0
        };
        let key_line = if words.label.is_empty() {
            middle + 4.2
        } else {
            middle - 4.0
        };
        let key = cut(&words.key, KEY_SIZE * BOLD, (room - of_group).max(20.0));
        let mut text = self.words_at(
            rect,
            key_line,
            LetterStyle {
                size: KEY_SIZE,
                class: "i",
                ink,
            },
            &key,
            &format!(" font-weight=\"600\"{struck}"),
        );
        if !words.group.is_empty() {
            let group = cut(&words.group, SMALL, room / 2.0);
            let (x, fill) = (
                number(rect.x + rect.width - PAD + 3.0),
                ink.unwrap_or(self.palette.faint),
            );
            let class = if ink.is_some() { "" } else { " class=\"d\"" };
            text.push_str(&format!(
                "<text{class} x=\"{x}\" y=\"{}\" font-size=\"{SMALL}\" fill=\"{fill}\" \
                 text-anchor=\"end\"{}>{}</text>",
                number(key_line),
                held_width_tag(&group, SMALL),
                safe(&group)
            ));
        }
        if !words.label.is_empty() {
            let label = cut(&words.label, LABEL_SIZE, room);
            text.push_str(&self.words_at(
                rect,
                middle + 12.0,
                LetterStyle {
                    size: LABEL_SIZE,
                    class: "d",
                    ink,
                },
                &label,
                struck,
            ));
        }
        text
    }

    /// Returns a line of a figure's words. On a coloured figure letters keep their own colour.
    fn words_at(
        &self,
        rect: &FigureRect,
        y: f64,
        style: LetterStyle<'_>,
        text: &str,
        more: &str,
    ) -> String {
        let LetterStyle { size, class, ink } = style;
        let of_page = if class == "i" {
            self.palette.ink
        } else {
            self.palette.faint
        };
        let weight = if class == "i" { BOLD } else { 1.0 };
        let class = match ink {
            Some(_) => String::new(),
            None => format!(" class=\"{class}\""),
        };
        let (x, side) = if is_from_right(text) {
            (rect.x + rect.width - PAD, " direction=\"rtl\"")
        } else {
            (rect.x + SYMBOL, "")
        };
        format!(
            "<text{class} x=\"{}\" y=\"{}\" font-size=\"{size}\" fill=\"{}\"{side}{more}{}>{}</text>",
            number(x),
            number(y),
            ink.unwrap_or(of_page),
            held_width_tag(text, size * weight),
            safe(text)
        )
    }

    /// Returns the rings around a figure that is critical or in focus.
    fn rings(&self, shape: SceneShape, rect: &FigureRect) -> String {
        let SceneShape::Item(place) = shape else {
            return String::new();
        };
        let item = self.view.items[place];
        let around = |by: f64| FigureRect {
            x: rect.x - by,
            y: rect.y - by,
            width: rect.width + 2.0 * by,
            height: rect.height + 2.0 * by,
        };
        let ring = |width: f64| BorderStyle {
            radius: 8.0,
            width,
            dashes: "",
        };
        let mut rings = String::new();
        if self.look.focus.contains(&item) {
            rings.push_str(&bordered(
                "r",
                &around(6.0),
                ring(2.4),
                "none",
                self.palette.focus,
            ));
        }
        if self.look.critical.contains(&item) {
            rings.push_str(&bordered(
                "c",
                &around(3.0),
                ring(2.0),
                "none",
                self.palette.critical,
            ));
        }
        rings
    }

    pub(super) fn text(&self, at: Point, size: f64, class: &str, text: &str) -> String {
        let (x, y, fill) = (number(at.0), number(at.1), self.palette.faint);
        format!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\"{}>{}</text>",
            held_width_tag(text, size),
            safe(text)
        )
    }
}

/// Returns a rectangle with a border.
pub(super) fn bordered(
    class: &str,
    rect: &FigureRect,
    border: BorderStyle,
    fill: &str,
    line: &str,
) -> String {
    let radius = number(border.radius);
    format!(
        "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{radius}\" fill=\"{fill}\" \
         stroke=\"{line}\" stroke-width=\"{}\"{}/>",
        number(rect.x),
        number(rect.y),
        number(rect.width),
        number(rect.height),
        border.width,
        dashed(border.dashes)
    )
}

/// Returns the borders that show behind a figure which stands for several items, the hindmost first.
pub(super) fn stack_behind(
    rect: &FigureRect,
    shares: &[(StatusColor, usize)],
) -> impl Iterator<Item = FigureRect> {
    let is_stack = shares.iter().map(|(_, count)| count).sum::<usize>() > 1;
    let steps = if is_stack { [6.0, 3.0].as_slice() } else { &[] };
    let moved = |by: &f64| FigureRect {
        x: rect.x + by,
        y: rect.y + by,
        ..*rect
    };
    steps.iter().map(moved).collect::<Vec<_>>().into_iter()
}

/// Returns the parts of the bar at the foot of a figure, each as long as its state has items.
pub(super) fn share_parts(
    rect: &FigureRect,
    shares: &[(StatusColor, usize)],
) -> Vec<(StatusColor, FigureRect)> {
    let all: usize = shares.iter().map(|(_, count)| count).sum();
    let room = rect.width - SYMBOL - PAD;
    let mut x = rect.x + SYMBOL;
    let part = |(tone, count): &(StatusColor, usize)| {
        let width = room * fraction(*count, all);
        let part = FigureRect {
            x,
            y: rect.y + rect.height - 5.5,
            width,
            height: 3.0,
        };
        x += width;
        (*tone, part)
    };
    shares.iter().map(part).collect()
}

fn fraction(count: usize, all: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(count) / number(all.max(1))
}

/// Returns a bar that is as long as a value is high, for readers who do not see its colour.
fn bar(rect: &FigureRect, border: BorderStyle, value: f64, ink: &str) -> String {
    let inset = border.radius.max(4.0);
    let long = (rect.width - 2.0 * inset) * value.clamp(0.0, 1.0);
    format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"2.5\" rx=\"1\" fill=\"{ink}\"/>",
        number(rect.x + inset),
        number(rect.y + rect.height - 5.0),
        number(long)
    )
}

pub(super) fn dashed(dashes: &str) -> String {
    match dashes {
        "" => String::new(),
        dashes => format!(" stroke-dasharray=\"{dashes}\""),
    }
}

pub(super) fn pair(point: Point) -> String {
    format!("{} {}", number(point.0), number(point.1))
}

/// Returns a length with at most one digit behind the point.
pub(super) fn number(length: f64) -> String {
    let rounded = (length * 10.0).round() / 10.0;
    // This turns the negative zero into the positive one.
    (rounded + 0.0).to_string()
}

/// Returns a number that hardly any other text has (FNV-1a).
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
