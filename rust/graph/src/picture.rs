//! Graphs as pictures: Mermaid and DOT texts, and the rows of a tree.
//!
//! Figures and arrows say what is to be seen and nothing of where it comes from. An arrow leads from
//! what waits to what it waits for.

use std::collections::HashSet;
use strum::IntoStaticStr;

pub use chant_base::visible::visible_char;

/// The figures and arrows to be drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphPicture<'a> {
    /// The nodes, in the order in which they are drawn.
    pub figures: Vec<PictureFigure<'a>>,
    /// The arrows that lead from one to another; no pair of figures twice.
    pub arrows: Vec<PictureArrow>,
}

/// A node as it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureFigure<'a> {
    /// Its key among others; no two figures have the same.
    pub key: &'a str,
    /// The name that people give it.
    pub name: &'a str,
    /// Its state, in the words of its documents.
    pub state: &'a str,
    /// Its state, as it is drawn.
    pub tone: StatusColor,
}

/// One figure leads to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureArrow {
    /// Place of the figure it begins at.
    pub from: usize,
    /// Place of the figure it ends at.
    pub to: usize,
    /// True if figures that are not shown lie between.
    pub is_indirect: bool,
}

/// The state of an item, as a symbol and a colour show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum StatusColor {
    /// Done.
    Done,
    /// Its result is being reviewed.
    Reviewed,
    /// It is being worked on.
    Active,
    /// It is being planned.
    Planned,
    /// Still to be started.
    Open,
    /// It needs help.
    Blocked,
    /// It stands for something in another place.
    Elsewhere,
    /// It waits for nothing any more and can be started.
    Ready,
    /// It was worked on without success.
    Failed,
    /// It will not be done.
    Cancelled,
    /// It stands for items that are not shown.
    More,
}

impl StatusColor {
    /// All of them, in the order of a legend.
    pub const ALL: [Self; 11] = [
        Self::Done,
        Self::Reviewed,
        Self::Active,
        Self::Ready,
        Self::Planned,
        Self::Open,
        Self::Blocked,
        Self::Failed,
        Self::Cancelled,
        Self::Elsewhere,
        Self::More,
    ];

    /// The tone of that word; [`StatusColor::More`] has none.
    pub fn named(word: &str) -> Option<Self> {
        let mut tones = Self::ALL.into_iter().filter(|tone| *tone != Self::More);
        tones.find(|tone| tone.word() == word)
    }

    /// Returns one character that shows it without colours.
    pub fn symbol(self) -> char {
        match self {
            Self::Done => '●',
            Self::Reviewed => '◕',
            Self::Active => '◑',
            Self::Planned => '◔',
            Self::Open => '○',
            Self::Blocked => '⊘',
            Self::Elsewhere => '↗',
            Self::Ready => '▷',
            Self::Failed => '✗',
            Self::Cancelled => '⊖',
            Self::More => '…',
        }
    }

    /// Its name in texts.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The colour of a figure, light enough for black letters.
    fn colour(self) -> &'static str {
        match self {
            Self::Done => "#b7e4c7",
            Self::Reviewed => "#d8f3dc",
            Self::Active => "#ffe08a",
            Self::Planned => "#cfe2ff",
            Self::Open => "#f8f9fa",
            Self::Blocked => "#f5b5b5",
            Self::Elsewhere => "#e2d9f3",
            Self::Ready => "#bfe3ff",
            Self::Failed => "#ff9d9d",
            Self::Cancelled => "#dddddd",
            Self::More => "#eeeeee",
        }
    }
}

/// A line of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FigureRow {
    /// Place of the figure.
    pub figure: usize,
    /// The number of steps from where its tree begins.
    pub depth: usize,
    /// Where the figures stand that it leads to.
    pub leads: LeadDirection,
}

/// Where in a tree the figures stand that a row's figure leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadDirection {
    /// In the rows that follow, one deeper.
    Here,
    /// Below a row before, which is of the same figure.
    Above,
    /// In a tree of its own that comes later.
    Below,
}

/// Deeper than this no tree goes, so that its lines fit a terminal; what would follow gets a tree of its
/// own.
const MAX_DEPTH: usize = 9;

impl GraphPicture<'_> {
    /// The picture of some of the figures. Where a way from one to another leads over figures that are
    /// left out, an indirect arrow stands for it.
    #[must_use]
    pub fn only(&self, is_shown: &[bool]) -> Self {
        let shown = |at: &usize| is_shown.get(*at).copied().unwrap_or_default();
        let kept: Vec<usize> = (0..self.figures.len()).filter(shown).collect();
        let mut places = vec![0; self.figures.len()];
        for (place, at) in kept.iter().enumerate() {
            places[*at] = place;
        }
        let targets = self.targets();
        let mut arrows = Vec::new();
        for (from, at) in kept.iter().enumerate() {
            let mut reached: HashSet<usize> = targets[*at].iter().copied().collect();
            let mut arrow = |to: usize, is_indirect| {
                let to = places[to];
                arrows.push(PictureArrow {
                    from,
                    to,
                    is_indirect,
                });
            };
            let direct = targets[*at].iter().filter(|to| shown(to));
            direct.for_each(|to| arrow(*to, false));
            let mut between: Vec<usize> = targets[*at].clone();
            between.retain(|to| !shown(to));
            between.reverse();
            while let Some(hidden) = between.pop() {
                for to in &targets[hidden] {
                    match (reached.insert(*to), shown(to)) {
                        (true, true) => arrow(*to, true),
                        (true, false) => between.push(*to),
                        (false, _) => {}
                    }
                }
            }
        }
        let figures = kept.iter().map(|at| self.figures[*at]).collect();
        Self { figures, arrows }
    }

    /// For each figure the places of those it leads to.
    fn targets(&self) -> Vec<Vec<usize>> {
        let mut targets = vec![Vec::new(); self.figures.len()];
        for arrow in &self.arrows {
            targets[arrow.from].push(arrow.to);
        }
        targets
    }

    /// The rows of a tree for each figure that no other leads to, then for what is left. A figure that is
    /// met again has a row each time, and what it leads to stands below one of them.
    pub fn rows(&self) -> Vec<FigureRow> {
        let targets = self.targets();
        let mut is_target = vec![false; self.figures.len()];
        for arrow in &self.arrows {
            is_target[arrow.to] = true;
        }
        let mut tops: Vec<usize> = (0..self.figures.len()).collect();
        // An arrow leads to each item of a cycle; the first one left starts a tree.
        tops.sort_by_key(|at| is_target[*at]);
        let mut rows = Vec::new();
        let mut met = vec![false; self.figures.len()];
        for top in tops {
            if met[top] {
                continue;
            }
            let mut later = vec![top];
            while let Some(top) = later.pop() {
                let too_deep = tree(top, &targets, &mut met, &mut rows);
                later.extend(too_deep.into_iter().rev());
            }
        }
        rows
    }

    /// The picture as a Mermaid flowchart.
    pub fn mermaid(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        for (at, figure) in self.figures.iter().enumerate() {
            let (open, close) = match figure.tone {
                StatusColor::Elsewhere => ("[[", "]]"),
                _ => ("[", "]"),
            };
            let (symbol, class) = (figure.tone.symbol(), figure.tone.word());
            let (key, name) = (for_mermaid(figure.key), for_mermaid(figure.name));
            let line = if name.is_empty() { "" } else { "<br/>" };
            text.push_str(&format!(
                "  n{at}{open}\"{symbol} {key}{line}{name}\"{close}:::{class}\n"
            ));
        }
        for arrow in &self.arrows {
            let line = if arrow.is_indirect { "-.->" } else { "-->" };
            text.push_str(&format!("  n{} {line} n{}\n", arrow.from, arrow.to));
        }
        let is_used = |tone: &StatusColor| self.figures.iter().any(|figure| figure.tone == *tone);
        for tone in StatusColor::ALL.into_iter().filter(is_used) {
            let (class, colour) = (tone.word(), tone.colour());
            text.push_str(&format!(
                "  classDef {class} fill:{colour},stroke:#555,color:#000\n"
            ));
        }
        text
    }

    /// The picture in the DOT language of Graphviz; figures are called by their keys.
    pub fn dot(&self) -> String {
        let mut text = String::from(
            "digraph {\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"]\n",
        );
        for figure in &self.figures {
            let (symbol, colour) = (figure.tone.symbol(), figure.tone.colour());
            let (key, name) = (for_dot_label(figure.key), for_dot_label(figure.name));
            let shape = match figure.tone {
                StatusColor::Elsewhere => ", shape=folder, style=filled",
                _ => "",
            };
            let (id, state) = (dot_id(figure.key), for_dot_label(figure.state));
            let line = if name.is_empty() { "" } else { "\\n" };
            text.push_str(&format!(
                "  {id} [label=\"{symbol} {key}{line}{name}\", tooltip=\"{state}\", fillcolor=\"{colour}\"{shape}]\n"
            ));
        }
        for arrow in &self.arrows {
            let (from, to) = (&self.figures[arrow.from], &self.figures[arrow.to]);
            let style = if arrow.is_indirect {
                " [style=dashed]"
            } else {
                ""
            };
            let (from, to) = (dot_id(from.key), dot_id(to.key));
            text.push_str(&format!("  {from} -> {to}{style}\n"));
        }
        text.push_str("}\n");
        text
    }
}

/// Adds the rows of one tree, and gives those of its figures that need one of their own.
fn tree(
    top: usize,
    targets: &[Vec<usize>],
    met: &mut [bool],
    rows: &mut Vec<FigureRow>,
) -> Vec<usize> {
    let mut too_deep = Vec::new();
    let mut open = vec![(top, 0)];
    while let Some((figure, depth)) = open.pop() {
        let is_top = depth == 0;
        let leads = if met[figure] && !is_top {
            LeadDirection::Above
        } else if depth == MAX_DEPTH && !targets[figure].is_empty() {
            too_deep.push(figure);
            LeadDirection::Below
        } else {
            let next = targets[figure].iter().rev();
            open.extend(next.map(|to| (*to, depth + 1)));
            LeadDirection::Here
        };
        met[figure] = true;
        rows.push(FigureRow {
            figure,
            depth,
            leads,
        });
    }
    too_deep
}

/// A text for a quoted label of Mermaid. Beside the quote, much has a meaning in labels there: entities,
/// tags, directives, Markdown, icons. So all but letters, digits and harmless marks become entities; a
/// mark that makes a list at the beginning of a line is harmless behind a letter.
fn for_mermaid(text: &str) -> String {
    let mut safe = String::new();
    let mut before = ' ';
    for c in text.chars().map(visible_char) {
        let is_harmless = c.is_alphanumeric()
            || matches!(c, ' ' | ',' | '\'' | '/' | '!' | '?' | '(')
            || (matches!(c, '-' | ')') && before.is_alphabetic());
        if is_harmless {
            safe.push(c);
        } else {
            safe.push_str(&format!("#{};", u32::from(c)));
        }
        before = c;
    }
    safe
}

/// A text for a quoted label of DOT, in which there are escapes and HTML's entities.
fn for_dot_label(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars().map(visible_char) {
        match c {
            '"' | '\\' => safe.extend(['\\', c]),
            '&' => safe.push_str("&amp;"),
            c => safe.push(c),
        }
    }
    safe
}

/// A quoted name of DOT, in which the quote alone has a meaning.
fn dot_id(key: &str) -> String {
    let key: String = key.chars().map(visible_char).collect();
    format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""))
}
