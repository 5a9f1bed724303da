//! Refusals of edits: each says what was wrong, and what to do instead.

use chant_base::error::{CoreError, ErrorKind};

/// The reasons why an edit is refused. Nothing was changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditRefusal {
    /// The format does not take the intent.
    #[error("{noun} cannot be changed like that: {intent} is no edit of this format. {advice}")]
    NotTaken {
        /// The noun of its items.
        noun: &'static str,
        /// The word of the intent.
        intent: &'static str,
        /// The way to do it.
        advice: String,
    },
    /// No item has the name.
    #[error("no item is named '{name}' in {path}. Read the plan again for the names there are")]
    NoSuchItem {
        /// The name.
        name: String,
        /// The unit.
        path: String,
    },
    /// Several items have the name.
    #[error(
        "'{name}' stands on lines {} of {path}. Name one of them: {}",
        lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
        names.join(", ")
    )]
    Ambiguous {
        /// The name.
        name: String,
        /// The document.
        path: String,
        /// The lines on which it stands.
        lines: Vec<usize>,
        /// Names that mean one of them each.
        names: Vec<String>,
    },
    /// The word is no state of the format.
    #[error("'{word}' is no status here. Use one of: {}", allowed.join(", "))]
    UnknownStatus {
        /// The word.
        word: String,
        /// The words there are.
        allowed: Vec<String>,
    },
    /// The attribute is none that can be set.
    #[error("'{name}' is no attribute that can be set here. Use one of: {}", allowed.join(", "))]
    UnknownAttribute {
        /// The attribute.
        name: String,
        /// Those that can be set.
        allowed: Vec<String>,
    },
    /// No section has the name.
    #[error("no section is named '{name}'. Use one of: {}", available.join(", "))]
    NoSuchSection {
        /// The name.
        name: String,
        /// Those there are.
        available: Vec<String>,
    },
    /// No criterion has the number.
    #[error("there is no criterion {number}; there are {}", available.join(", "))]
    NoSuchCriterion {
        /// The number.
        number: usize,
        /// Those there are.
        available: Vec<String>,
    },
    /// The item has no box.
    #[error("'{name}' has no box of its own. {advice}")]
    NoBox {
        /// The item.
        name: String,
        /// The way to do it.
        advice: String,
    },
    /// The new text cannot stand there.
    #[error("the text cannot stand there: {why}. Leave that out, or edit {path} by hand")]
    UnfitText {
        /// The fault of the text.
        why: String,
        /// The document.
        path: String,
    },
    /// The document is not in a state in which it can be edited without harm.
    #[error("{path} cannot be edited: {why}. Mend that by hand first")]
    UnsoundDocument {
        /// The document.
        path: String,
        /// The fault of the document.
        why: String,
    },
    /// The format leaves it to its own program.
    #[error("{what} is left to the format's own program. Run `{command}`")]
    OwnProgram {
        /// The act, at the beginning of a sentence.
        what: &'static str,
        /// The command that a person runs.
        command: String,
    },
}

impl CoreError for EditRefusal {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotTaken { .. } | Self::OwnProgram { .. } | Self::NoBox { .. } => {
                ErrorKind::Refused
            }
            Self::NoSuchItem { .. } | Self::NoSuchSection { .. } | Self::NoSuchCriterion { .. } => {
                ErrorKind::NotFound
            }
            Self::Ambiguous { .. } => ErrorKind::AmbiguousId,
            Self::UnknownStatus { .. } | Self::UnknownAttribute { .. } | Self::UnfitText { .. } => {
                ErrorKind::InvalidArgument
            }
            Self::UnsoundDocument { .. } => ErrorKind::InvalidDocument,
        }
    }
}
