//! Pictures of whole graphs: as SVG in layers, and as texts for Mermaid and Graphviz.
//!
//! [`clip::clip`] chooses the items of a large graph that are
//! shown, [`clusters::divide`] puts items together instead, a [`PictureScene`] groups the others, [`layout::layout`] places everything. Arrows lead from an
//! item to one that waits for it. The same graph and words give the same picture, byte for byte.
//!
//! It knows no documents and no files.

mod arrows;
pub mod clip;
pub mod clusters;
mod coordinates;
mod crossings;
pub mod elements;
mod layers;
pub mod layout;
mod legend;
pub mod route;
pub mod scene;
mod svg;
mod symbols;
pub mod table;
pub mod theme;
mod words;

use self::clip::MOST;
use self::scene::{PictureScene, SceneShape};
use self::theme::ColorTheme;
use chant_graph::network::{Network, NetworkError};
use chant_graph::picture::{GraphPicture, PictureFigure, StatusColor};

/// Texts and values for the items shown: each list is empty or has one entry for each item.
#[derive(Debug, Clone, Default)]
pub struct ItemTexts {
    /// Their titles for people.
    pub labels: Vec<String>,
    /// Their states, as words of [`StatusColor::named`]. Without states items are done, ready or open, as
    /// the graph has it.
    pub states: Vec<String>,
    /// Their groups, shown if the items belong to more than one.
    pub groups: Vec<String>,
    /// Texts that are shown under the pointer.
    pub titles: Vec<String>,
    /// Values from 0 to 1 that determine the colour instead of the state; items without a value
    /// keep the colour of their state.
    pub heat: Vec<Option<f64>>,
    /// How many items of which state each stands for; empty for one that stands for itself.
    pub shares: Vec<StateShares>,
}

/// Numbers of items by their states.
pub type StateShares = Vec<(StatusColor, usize)>;

/// The other settings of a picture.
#[derive(Debug, Clone, Default)]
pub struct PictureOptions {
    /// The name of the whole.
    pub name: String,
    /// The name of the values that colours show.
    pub heat_name: String,
    /// The words for the values 0 and 1; `low` and `high` if they are empty.
    pub heat_ends: (String, String),
    /// Items with a ring.
    pub focus: Vec<u32>,
    /// Items of a chain that is drawn bold.
    pub critical: Vec<u32>,
    /// The choice of colours.
    pub theme: ColorTheme,
}

/// The languages that draw pictures from texts.
#[derive(Debug, Clone, Copy)]
enum PictureLanguage {
    Mermaid,
    Dot,
}

/// The items of a graph that are shown, with their texts and values.
struct PictureView<'a> {
    network: &'a Network,
    items: &'a [u32],
    said: &'a ItemTexts,
    tones: Vec<StatusColor>,
    scene: PictureScene,
}

/// Returns an SVG picture of these items; the others are shown as numbers.
///
/// # Errors
///
/// `Argument` for more items than [`MOST`], a repeated one, or texts that do not fit the items;
/// `NoSuchItem`.
pub fn svg(
    network: &Network,
    items: &[u32],
    said: &ItemTexts,
    look: &PictureOptions,
) -> Result<String, NetworkError> {
    if items.len() > MOST {
        return Err(too_many(items));
    }
    Ok(svg::draw_svg(
        &PictureView::new(network, items, said)?,
        look,
    ))
}

/// Returns the same as a Mermaid flowchart, which may have more items than an SVG picture.
///
/// # Errors
///
/// As for [`fn@svg`].
pub fn mermaid(network: &Network, items: &[u32], said: &ItemTexts) -> Result<String, NetworkError> {
    PictureView::new(network, items, said).map(|view| view.text(PictureLanguage::Mermaid))
}

/// Returns the same in the DOT language of Graphviz.
///
/// # Errors
///
/// As for [`fn@svg`].
pub fn dot(network: &Network, items: &[u32], said: &ItemTexts) -> Result<String, NetworkError> {
    PictureView::new(network, items, said).map(|view| view.text(PictureLanguage::Dot))
}

fn too_many(items: &[u32]) -> NetworkError {
    NetworkError::Argument {
        name: "items",
        given: format!("{} items", items.len()),
        expected: "at most 500 for a picture; `clip` chooses them",
    }
}

impl<'a> PictureView<'a> {
    fn new(
        network: &'a Network,
        items: &'a [u32],
        said: &'a ItemTexts,
    ) -> Result<Self, NetworkError> {
        let mut is_named = vec![false; network.len()];
        for item in items {
            let index = *item as usize;
            let is_named = is_named.get_mut(index);
            let is_named = is_named.ok_or_else(|| NetworkError::no_such_number(index))?;
            if std::mem::replace(is_named, true) {
                return Err(NetworkError::Argument {
                    name: "items",
                    given: format!("`{}` twice", network.key(*item)),
                    expected: "each item once",
                });
            }
        }
        if items.len() > MOST && items.len() < network.len() {
            return Err(too_many(items));
        }
        said.check(items.len())?;
        Ok(Self {
            network,
            items,
            said,
            tones: said.tones(network, items)?,
            scene: PictureScene::new(network, items),
        })
    }

    fn key(&self, place: usize) -> &'a str {
        self.network.key(self.items[place])
    }

    /// Returns the title of an item, or an empty text if it is its key.
    fn label(&self, place: usize) -> &'a str {
        let label = self.said.labels.get(place).map_or("", String::as_str);
        if label == self.key(place) { "" } else { label }
    }

    /// Returns the items that a shape stands for, by their states.
    fn shares(&self, shape: SceneShape) -> &'a [(StatusColor, usize)] {
        let SceneShape::Item(place) = shape else {
            return &[];
        };
        self.said.shares.get(place).map_or(&[], Vec::as_slice)
    }

    fn tone(&self, shape: SceneShape) -> StatusColor {
        match shape {
            SceneShape::Item(place) => self.tones[place],
            SceneShape::Earlier(_) | SceneShape::Later(_) | SceneShape::Apart(_) => {
                StatusColor::More
            }
        }
    }

    /// Returns the scene as text in a language.
    fn text(&self, language: PictureLanguage) -> String {
        let shapes = &self.scene.shapes;
        let keys = shapes.iter().enumerate();
        let keys: Vec<String> = keys
            .map(|(place, shape)| self.text_key(place, *shape))
            .collect();
        let figures = shapes.iter().zip(&keys).map(|(shape, key)| {
            let tone = self.tone(*shape);
            PictureFigure {
                key,
                name: match shape {
                    SceneShape::Item(place) => self.label(*place),
                    SceneShape::Earlier(_) | SceneShape::Later(_) | SceneShape::Apart(_) => "",
                },
                state: tone.word(),
                tone,
            }
        });
        let picture = GraphPicture {
            figures: figures.collect(),
            arrows: self.scene.arrows.clone(),
        };
        match language {
            PictureLanguage::Mermaid => picture.mermaid(),
            PictureLanguage::Dot => picture.dot(),
        }
    }

    /// Returns a key that no other shape has.
    fn text_key(&self, place: usize, shape: SceneShape) -> String {
        let SceneShape::Item(item) = shape else {
            let mut key = format!(
                "{} ({})",
                describe_shape(shape),
                place + 1 - self.items.len()
            );
            while self.network.find(&key).is_some() {
                key.push('…');
            }
            return key;
        };
        self.key(item).to_owned()
    }
}

/// Returns the words for items that are not shown.
fn describe_shape(shape: SceneShape) -> String {
    match shape {
        SceneShape::Item(_) => String::new(),
        SceneShape::Earlier(count) | SceneShape::Later(count) | SceneShape::Apart(count) => {
            format!("+{} more", counted(count))
        }
    }
}

/// Returns a number with commas between thousands.
fn counted(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl ItemTexts {
    /// Checks that each list is empty or has one entry for each item.
    fn check(&self, items: usize) -> Result<(), NetworkError> {
        let lengths = [
            ("labels", self.labels.len()),
            ("states", self.states.len()),
            ("groups", self.groups.len()),
            ("titles", self.titles.len()),
            ("heat", self.heat.len()),
            ("shares", self.shares.len()),
        ];
        if let Some((name, length)) = lengths.into_iter().find(|(_, n)| *n != 0 && *n != items) {
            return Err(NetworkError::Argument {
                name,
                given: format!("{length} long for {items} items"),
                expected: "none, or one for each item",
            });
        }
        let fits = |value: &&f64| !(0.0..=1.0).contains(*value);
        match self.heat.iter().flatten().find(fits) {
            Some(value) => Err(NetworkError::Argument {
                name: "heat",
                given: value.to_string(),
                expected: "numbers from 0 to 1",
            }),
            None => Ok(()),
        }
    }

    /// Returns the state of each item.
    fn tones(&self, network: &Network, items: &[u32]) -> Result<Vec<StatusColor>, NetworkError> {
        if self.states.is_empty() {
            let tone = |item: &u32| {
                if network.is_done(*item) {
                    StatusColor::Done
                } else if network.unmet(*item).is_empty() {
                    StatusColor::Ready
                } else {
                    StatusColor::Open
                }
            };
            return Ok(items.iter().map(tone).collect());
        }
        let tone = |word: &String| {
            StatusColor::named(word).ok_or_else(|| NetworkError::Argument {
                name: "states",
                given: word.clone(),
                expected: "`done`, `reviewed`, `active`, `ready`, `planned`, `open`, `blocked`, `failed`, \
                           `cancelled` or `elsewhere`",
            })
        };
        self.states.iter().map(tone).collect()
    }
}
