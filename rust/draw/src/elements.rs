//! Writes a picture as a tree of elements with a closed list of tags and attributes, for pages that make nodes of it.
//!
//! There are no colours and no styles: classes say what a page shows in its own. The texts of a tree are texts.

use serde_json::{Map, Value, json};

use super::PictureView;
use super::arrows::{ArrowStyle, path_of};
use super::layout::FigureRect;
use super::scene::SceneShape;
use super::svg::{
    BOLD, FigureWords, KEY_SIZE, LABEL_SIZE, MARGIN, PAD, SYMBOL, SvgDrawing, number, share_parts,
    stack_behind,
};
use super::symbols::{SymbolPart, symbol_parts};
use super::words::{cut, held_width, is_from_right, line};
use super::{ItemTexts, PictureOptions, StateShares};
use chant_graph::network::{Network, NetworkError};
use chant_graph::picture::{PictureArrow, StatusColor, visible_char};

/// The tags of elements.
pub const TAGS: [&str; 9] = [
    "svg", "defs", "marker", "g", "title", "rect", "circle", "path", "text",
];

/// The attributes of elements.
pub const ATTRIBUTES: [&str; 29] = [
    "viewBox", "role", "aria-label", "id", "refX", "refY", "markerWidth", "markerHeight",
    "markerUnits", "orient", "class", "transform", "d", "x", "y", "cx", "cy", "r", "rx", "width",
    "height", "font-size", "text-anchor", "textLength", "lengthAdjust", "marker-end", "data-key",
    "data-from", "data-to",
];

/// The name of the arrow head in each picture.
const HEAD: &str = "arrow";

/// An element of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureElement {
    /// One of [`TAGS`].
    pub tag: &'static str,
    /// Attributes, each one of [`ATTRIBUTES`], and their values.
    pub attributes: Vec<(&'static str, String)>,
    /// Its contents.
    pub children: Vec<ElementContent>,
}

/// Something in an element.
#[derive(Debug, Clone, PartialEq)]
pub enum ElementContent {
    /// An element.
    Element(PictureElement),
    /// A text.
    Text(String),
}

/// The words and the class of an item.
#[derive(Debug, Clone, Default)]
pub struct FigureTexts {
    /// Its first line.
    pub label: String,
    /// Its second line; empty for none.
    pub sub: String,
    /// The text under the pointer.
    pub title: String,
    /// The class by which a page gives it a colour.
    pub class: String,
    /// Its state, as a word of `StatusColor::named`, for its symbol.
    pub state: String,
    /// How many items of which state it stands for; empty for one that stands for itself.
    pub shares: StateShares,
}

/// The settings of a picture that is made of elements.
#[derive(Debug, Clone, Default)]
pub struct ElementOptions {
    /// The name of the whole.
    pub name: String,
    /// Items with a ring.
    pub focus: Vec<u32>,
    /// Items of a chain that is marked.
    pub critical: Vec<u32>,
}

/// Returns these items as a tree of elements, with the texts of each; the others are shown as numbers.
///
/// # Errors
/// As [`fn@super::svg`].
pub fn draw_elements(
    network: &Network,
    items: &[u32],
    figures: &[FigureTexts],
    options: &ElementOptions,
) -> Result<PictureElement, NetworkError> {
    if items.len() > super::MOST {
        return Err(super::too_many(items));
    }
    if figures.len() != items.len() {
        return Err(NetworkError::Argument {
            name: "figures",
            given: format!("{} for {} items", figures.len(), items.len()),
            expected: "one for each item",
        });
    }
    let said = ItemTexts {
        states: figures.iter().map(|texts| texts.state.clone()).collect(),
        shares: figures.iter().map(|texts| texts.shares.clone()).collect(),
        ..ItemTexts::default()
    };
    let view = PictureView::new(network, items, &said)?;
    let look = PictureOptions {
        name: options.name.clone(),
        focus: options.focus.clone(),
        critical: options.critical.clone(),
        ..PictureOptions::default()
    };
    let words = view.scene.shapes.iter().map(|shape| match shape {
        SceneShape::Item(place) => words_of(&figures[*place]),
        group => FigureWords::of_group(*group),
    });
    let drawing = SvgDrawing::of(&view, &look, words.collect());
    Ok(ElementDrawing { drawing, figures }.picture())
}

fn words_of(texts: &FigureTexts) -> FigureWords {
    FigureWords {
        key: line(&texts.label),
        label: line(&texts.sub),
        group: String::new(),
        title: texts.title.clone(),
    }
}

struct ElementDrawing<'a> {
    drawing: SvgDrawing<'a>,
    figures: &'a [FigureTexts],
}

impl ElementDrawing<'_> {
    fn picture(&self) -> PictureElement {
        let drawing = &self.drawing;
        let styles = drawing.lines();
        let routes = drawing.layout.routes.iter().zip(&drawing.view.scene.arrows);
        let edges = routes.zip(&styles).map(|((route, arrow), style)| {
            let d = path_of(route);
            self.edge(arrow, *style, d)
        });
        let edges = element("g", [("class", "edges".into())]).with(edges.collect());
        let figures = drawing.layout.boxes.iter().enumerate();
        let figures = figures.map(|(index, rect)| self.figure(index, rect));
        let figures = element("g", [("class", "figures".into())]).with(figures.collect());
        let by = number(MARGIN);
        let body = element("g", [("transform", format!("translate({by} {by})"))]);
        let width = number((drawing.layout.width + 2.0 * MARGIN).ceil());
        let height = number((drawing.layout.height + 2.0 * MARGIN).ceil());
        let svg = element(
            "svg",
            [
                ("viewBox", format!("0 0 {width} {height}")),
                ("role", "img".into()),
                ("aria-label", shown(&drawing.describe())),
            ],
        );
        svg.with(vec![arrow_head(), body.with(vec![edges, figures])])
    }

    fn edge(&self, arrow: &PictureArrow, style: ArrowStyle, d: String) -> PictureElement {
        let view = self.drawing.view;
        let item = |place: usize| match view.scene.shapes[place] {
            SceneShape::Item(place) => Some(view.items[place]),
            SceneShape::Earlier(_) | SceneShape::Later(_) | SceneShape::Apart(_) => None,
        };
        let mut class = String::from("edge");
        if item(arrow.from).is_some_and(|from| view.network.is_done(from)) {
            class.push_str(" edge-met");
        }
        class.push_str(match style {
            ArrowStyle::Plain => "",
            ArrowStyle::Indirect => " edge-indirect",
            ArrowStyle::Back => " edge-back",
            ArrowStyle::Critical => " critical",
        });
        let mut path = element(
            "path",
            [
                ("class", class),
                ("d", d),
                ("marker-end", format!("url(#{HEAD})")),
            ],
        );
        if let (Some(from), Some(to)) = (item(arrow.from), item(arrow.to)) {
            path = path.and("data-from", shown(view.network.key(from)));
            path = path.and("data-to", shown(view.network.key(to)));
        }
        path
    }

    fn figure(&self, index: usize, rect: &FigureRect) -> PictureElement {
        let drawing = &self.drawing;
        let shape = drawing.view.scene.shapes[index];
        let words = &drawing.words[index];
        let mut figure = match shape {
            SceneShape::Item(place) => {
                let key = shown(drawing.view.key(place));
                element("g", [("class", self.class(place)), ("data-key", key)])
            }
            SceneShape::Earlier(_) | SceneShape::Later(_) | SceneShape::Apart(_) => {
                element("g", [("class", "figure more".into())])
            }
        };
        let title = PictureElement {
            children: vec![ElementContent::Text(shown(&words.title))],
            ..element("title", [])
        };
        let tone = drawing.view.tone(shape);
        let middle = rect.y + rect.height / 2.0;
        let place = format!("translate({} {})", number(rect.x + 14.0), number(middle));
        let parts = symbol_parts(tone).into_iter().map(symbol_element).collect();
        let symbol = element("g", [("class", "symbol".into()), ("transform", place)]).with(parts);
        let shares = drawing.view.shares(shape);
        let mut inside = vec![title];
        inside.extend(stack_behind(rect, shares).map(|rect| boxed(&rect)));
        inside.extend([boxed(rect), symbol]);
        inside.extend(lettering(words, rect));
        inside.extend(share_parts(rect, shares).into_iter().map(shared));
        figure.children = inside.into_iter().map(ElementContent::Element).collect();
        figure
    }

    /// The classes of an item.
    fn class(&self, place: usize) -> String {
        let item = self.drawing.view.items[place];
        let mut class = format!("figure {}", self.figures[place].class);
        if self.drawing.look.critical.contains(&item) {
            class.push_str(" critical");
        }
        if self.drawing.look.focus.contains(&item) {
            class.push_str(" focus");
        }
        class
    }
}

fn element<const COUNT: usize>(
    tag: &'static str,
    attributes: [(&'static str, String); COUNT],
) -> PictureElement {
    PictureElement {
        tag,
        attributes: attributes.into(),
        children: Vec::new(),
    }
}

impl PictureElement {
    /// Returns the element as pages take it: its tag, its attributes, and its contents.
    pub fn to_json(&self) -> Value {
        let attributes = self.attributes.iter();
        let attributes: Map<String, Value> = attributes
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect();
        let children = self.children.iter().map(|child| match child {
            ElementContent::Element(child) => child.to_json(),
            ElementContent::Text(text) => json!(text),
        });
        let children: Vec<Value> = children.collect();
        json!([self.tag, attributes, children])
    }

    fn with(mut self, children: Vec<Self>) -> Self {
        self.children = children.into_iter().map(ElementContent::Element).collect();
        self
    }

    fn and(mut self, name: &'static str, value: String) -> Self {
        self.attributes.push((name, value));
        self
    }
}

fn arrow_head() -> PictureElement {
    let head = element(
        "path",
        [("class", "head".into()), ("d", "M0 0L9 4 0 8Z".into())],
    );
    let marker = element(
        "marker",
        [
            ("id", HEAD.into()),
            ("viewBox", "0 0 9 8".into()),
            ("refX", "9".into()),
            ("refY", "4".into()),
            ("markerWidth", "9".into()),
            ("markerHeight", "8".into()),
            ("markerUnits", "userSpaceOnUse".into()),
            ("orient", "auto".into()),
        ],
    );
    element("defs", []).with(vec![marker.with(vec![head])])
}

fn boxed(rect: &FigureRect) -> PictureElement {
    element(
        "rect",
        [
            ("class", "box".into()),
            ("x", number(rect.x)),
            ("y", number(rect.y)),
            ("width", number(rect.width)),
            ("height", number(rect.height)),
            ("rx", "6".into()),
        ],
    )
}

/// A part of a bar that says how many items have a state.
fn shared((tone, part): (StatusColor, FigureRect)) -> PictureElement {
    element(
        "rect",
        [
            ("class", format!("share tone-{}", tone.word())),
            ("x", number(part.x)),
            ("y", number(part.y)),
            ("width", number(part.width)),
            ("height", number(part.height)),
        ],
    )
}

fn symbol_element(part: SymbolPart) -> PictureElement {
    let circle = |class: &str, r: &str| {
        element(
            "circle",
            [
                ("class", class.into()),
                ("cx", "0".into()),
                ("cy", "0".into()),
                ("r", r.into()),
            ],
        )
    };
    let path = |class: &str, d: &str| element("path", [("class", class.into()), ("d", d.into())]);
    match part {
        SymbolPart::Ring => circle("ring", "5.2"),
        SymbolPart::Disc => circle("disc", "6"),
        SymbolPart::Solid(d) => path("solid", d),
        SymbolPart::Stroke(d, _) => path("stroke", d),
        SymbolPart::Knockout(d) => path("knockout", d),
        SymbolPart::Dots(d) => path("dots", d),
    }
}

/// The lines of a figure.
fn lettering(words: &FigureWords, rect: &FigureRect) -> Vec<PictureElement> {
    let middle = rect.y + rect.height / 2.0;
    if words.label.is_empty() {
        return vec![text_at(rect, middle + 4.2, ("label", KEY_SIZE), &words.key)];
    }
    vec![
        text_at(rect, middle - 4.0, ("label", KEY_SIZE), &words.key),
        text_at(rect, middle + 12.0, ("sub", LABEL_SIZE), &words.label),
    ]
}

/// A line of a figure's words; one that is read from the right begins there.
fn text_at(rect: &FigureRect, y: f64, (class, size): (&str, f64), text: &str) -> PictureElement {
    let (x, anchor) = if is_from_right(text) {
        (rect.x + rect.width - PAD, "end")
    } else {
        (rect.x + SYMBOL, "start")
    };
    let room = rect.width - SYMBOL - PAD;
    let measured = if class == "label" { size * BOLD } else { size };
    let text = cut(text, measured, room);
    let mut line = element(
        "text",
        [
            ("class", class.into()),
            ("x", number(x)),
            ("y", number(y)),
            ("font-size", number(size)),
            ("text-anchor", anchor.into()),
        ],
    );
    line.attributes.extend(held_width(&text, measured));
    line.children.push(ElementContent::Text(shown(&text)));
    line
}

/// A text as it may be shown; line ends stay.
fn shown(text: &str) -> String {
    let shown = text.chars().map(|c| match c {
        '\n' => c,
        c => visible_char(c),
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use chant_graph::network::sample::network_of_words;

    use super::*;

    fn all<'a>(one: &'a PictureElement, found: &mut Vec<&'a PictureElement>) {
        found.push(one);
        for child in &one.children {
            if let ElementContent::Element(child) = child {
                all(child, found);
            }
        }
    }

    fn value<'a>(one: &'a PictureElement, name: &str) -> Option<&'a str> {
        let mut attributes = one.attributes.iter();
        let found = attributes.find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_str())
    }

    fn drawn(words: &str, shown: &[u32], critical: &[u32]) -> PictureElement {
        let network = network_of_words(words).unwrap();
        let texts = |item: &u32| FigureTexts {
            label: format!("<script>\"{}\"\u{202e}", network.key(*item)),
            sub: "שלום".into(),
            title: "a\nb\u{1b}".into(),
            class: "meaning-waits".into(),
            state: "open".into(),
            shares: vec![(StatusColor::Done, 2), (StatusColor::Open, 1)],
        };
        let figures: Vec<FigureTexts> = shown.iter().map(texts).collect();
        let options = ElementOptions {
            critical: critical.to_vec(),
            focus: shown[..1].to_vec(),
            ..ElementOptions::default()
        };
        draw_elements(&network, shown, &figures, &options).unwrap()
    }

    #[test]
    fn only_listed_tags_and_attributes_are_written_and_texts_are_texts() {
        let picture = drawn("a! b<-a c<-b,d d<-c e f<-e", &[0, 1, 2, 3], &[1, 2]);
        let mut found = Vec::new();
        all(&picture, &mut found);
        for one in &found {
            assert!(TAGS.contains(&one.tag), "{}", one.tag);
            for (name, value) in &one.attributes {
                assert!(ATTRIBUTES.contains(name), "{name}");
                assert!(!value.chars().any(|c| visible_char(c) != c), "{value}");
            }
            let texts = one.children.iter().filter_map(|child| match child {
                ElementContent::Text(text) => Some(text),
                ElementContent::Element(_) => None,
            });
            for text in texts {
                assert!(["title", "text"].contains(&one.tag), "{text}");
                assert!(!text.contains(['\u{202e}', '\u{1b}']), "{text}");
            }
        }
    }

    #[test]
    fn figures_and_edges_say_which_items_they_are() {
        let picture = drawn("a! b<-a c<-b d", &[0, 1, 2], &[1, 2]);
        let mut found = Vec::new();
        all(&picture, &mut found);
        let keys: Vec<&str> = found
            .iter()
            .filter_map(|one| value(one, "data-key"))
            .collect();
        assert_eq!(keys, ["a", "b", "c"]);
        let classes: Vec<&str> = found.iter().filter_map(|one| value(one, "class")).collect();
        for class in [
            "figure meaning-waits focus",
            "figure meaning-waits critical",
            "figure more",
            "edge edge-met",
            "edge critical",
        ] {
            assert!(classes.contains(&class), "{class}: {classes:?}");
        }
        let edges = found.iter().filter(|one| value(one, "data-from").is_some());
        let edges: Vec<_> = edges
            .map(|one| (value(one, "data-from"), value(one, "data-to")))
            .collect();
        assert_eq!(edges, [(Some("a"), Some("b")), (Some("b"), Some("c"))]);
    }
}
