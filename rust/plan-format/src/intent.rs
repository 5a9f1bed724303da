//! Intents: the edits that people and agents ask for, and the bytes that a format answers with.

use std::ops::Range;
use strum::IntoStaticStr;

use super::document::RootSettings;

/// The kinds of intents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum IntentKind {
    /// Tick or untick a box.
    Tick,
    /// Set the state.
    Status,
    /// Set an attribute.
    Set,
    /// Set the text of a section.
    Section,
    /// Set the title.
    Title,
    /// Add an item.
    Add,
    /// Add a criterion.
    AddCriterion,
    /// Move the item to another folder.
    Move,
    /// Take a sign away that somebody works on it.
    Reset,
}

impl IntentKind {
    /// Its word in answers.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The box that is ticked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TickTarget {
    /// The item's own box.
    Own,
    /// The item's own box, and those of holders all of whose required parts are ticked then.
    WithParents,
    /// The criterion with this number, of the list with this name where an item has several.
    Criterion {
        /// The name of the list; none: the first list.
        list: Option<String>,
        /// The number.
        number: usize,
    },
}

/// The value that an attribute gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeSetting {
    /// None: the attribute goes.
    Absent,
    /// One text.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
}

impl AttributeSetting {
    /// Its texts.
    pub fn values(&self) -> Vec<&str> {
        match self {
            Self::Absent => Vec::new(),
            Self::Text(text) => vec![text],
            Self::List(texts) => texts.iter().map(String::as_str).collect(),
        }
    }
}

/// An item that is to be added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemDraft {
    /// Its title.
    pub title: String,
    /// Its description.
    pub text: String,
    /// Texts of its criteria.
    pub criteria: Vec<String>,
    /// Names of the items that it waits for.
    pub depends_on: Vec<String>,
    /// Its labels.
    pub labels: Vec<String>,
}

/// An edit that somebody asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditIntent {
    /// Ticks or unticks a box.
    Tick {
        /// The box.
        which: TickTarget,
        /// True to tick it.
        on: bool,
    },
    /// Sets the state, in a word of the format.
    Status {
        /// The word.
        word: String,
    },
    /// Sets an attribute.
    Set {
        /// Its key.
        attribute: String,
        /// Its value.
        value: AttributeSetting,
    },
    /// Sets the text of a section.
    Section {
        /// The section, by its heading; a document and `#` before it where several documents have it.
        name: String,
        /// The text.
        text: String,
        /// True to put it behind what is there.
        append: bool,
    },
    /// Sets the title.
    Title {
        /// The title.
        text: String,
    },
    /// Adds an item: to the unit of the request, or as a unit of its own.
    Add {
        /// The item of which it is a part, or the heading below which it stands.
        parent: Option<String>,
        /// The item.
        draft: ItemDraft,
    },
    /// Adds a criterion.
    AddCriterion {
        /// The list; none: the first list.
        list: Option<String>,
        /// Its text.
        text: String,
    },
    /// Moves the item to another folder of the format.
    Move {
        /// The word of the folder.
        to: String,
    },
    /// Takes the sign away that somebody works on the item.
    Reset,
}

impl EditIntent {
    /// Its kind.
    pub fn kind(&self) -> IntentKind {
        match self {
            Self::Tick { .. } => IntentKind::Tick,
            Self::Status { .. } => IntentKind::Status,
            Self::Set { .. } => IntentKind::Set,
            Self::Section { .. } => IntentKind::Section,
            Self::Title { .. } => IntentKind::Title,
            Self::Add { .. } => IntentKind::Add,
            Self::AddCriterion { .. } => IntentKind::AddCriterion,
            Self::Move { .. } => IntentKind::Move,
            Self::Reset => IntentKind::Reset,
        }
    }
}

/// An intent with all that an edit may depend on.
#[derive(Debug, Clone, Copy)]
pub struct EditRequest<'a> {
    /// The name of the item, or its ID within the unit; none for the unit as a whole.
    pub item: Option<&'a str>,
    /// The intent.
    pub intent: &'a EditIntent,
    /// The settings of the root.
    pub settings: &'a RootSettings,
    /// Names that no new item may take: those of all items, and the names of entries of all places where names are
    /// used up.
    pub taken: &'a [Box<str>],
    /// The time in UTC, as `2026-01-31T14:05:09Z`.
    pub now: &'a str,
}

/// One replacement of bytes of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The document, by its index in the unit.
    pub document: usize,
    /// The bytes; empty to insert.
    pub span: Range<usize>,
    /// The new text.
    pub text: String,
}

/// A step with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanFileStep {
    /// Makes a file that is not there yet.
    Create {
        /// Its path from the root.
        path: String,
        /// Its text.
        text: String,
    },
    /// Moves a file or folder to a path that is free.
    Move {
        /// Its path from the root.
        from: String,
        /// Its new path from the root.
        to: String,
    },
}

/// The edits that an intent comes to. Empty: what was asked for is there already.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitEdit {
    /// Replacements of bytes, in any order, none across another.
    pub texts: Vec<TextEdit>,
    /// Steps with files, in their order.
    pub files: Vec<PlanFileStep>,
    /// The name of an item that was added.
    pub added: Option<Box<str>>,
    /// Sentences for the person or agent who asked.
    pub notes: Vec<String>,
}

impl UnitEdit {
    /// One replacement.
    pub fn replace(document: usize, span: Range<usize>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            texts: vec![TextEdit {
                document,
                span,
                text,
            }],
            ..Self::default()
        }
    }
}
