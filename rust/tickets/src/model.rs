//! Tickets and their attributes (reference tickets 2.2 to 2.6).

use super::code::TicketCode;
use chant_base::document_problem::DocumentProblem;

/// An enumeration of documented words, read in any case of letters.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$about])* $variant,)+
        }

        impl $name {
            /// All, in the documented order.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The word, as files have it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }

            /// Returns the meaning of a word, in any case of letters; `None` for one that is not documented.
            pub fn read(word: &str) -> Option<Self> {
                let is_it = |one: &&Self| one.as_str().eq_ignore_ascii_case(word.trim());
                Self::ALL.iter().find(is_it).copied()
            }

            /// All words, as messages list them.
            pub fn listed() -> String {
                let words: Vec<&str> = Self::ALL.iter().map(|one| one.as_str()).collect();
                words.join(", ")
            }
        }
    };
}

words! {
    /// Where a ticket stands.
    TicketStatus {
        /// Written down; not agreed to yet.
        Proposed = "Proposed",
        /// Agreed to; can be started.
        Approved = "Approved",
        /// Being worked on.
        InProgress = "In Progress",
        /// Done.
        Implemented = "Implemented",
        /// Will not be done.
        Rejected = "Rejected",
        /// Started and set aside.
        OnHold = "On Hold",
        /// Done in part.
        PartiallyImplemented = "Partially Implemented",
    }
}

impl TicketStatus {
    /// Returns true if nothing needs to wait for the ticket any more.
    pub fn is_done(self) -> bool {
        matches!(self, Self::Implemented | Self::Rejected)
    }
}

words! {
    /// The kind of change a ticket asks for.
    TicketType {
        /// A decision about the whole.
        Architecture = "Architecture",
        /// Something new.
        FeatureEnhancement = "Feature Enhancement",
        /// Something wrong.
        BugFix = "Bug Fix",
        /// Something that holds others up.
        TechnicalDebt = "Technical Debt",
        /// Something to be written down.
        Documentation = "Documentation",
        /// Something to be found out.
        Research = "Research",
    }
}

words! {
    /// The urgency of a ticket.
    TicketPriority {
        /// Can wait.
        Low = "Low",
        /// The usual.
        Medium = "Medium",
        /// Soon.
        High = "High",
        /// Now.
        Critical = "Critical",
    }
}

/// The key of the parts of the product that a ticket touches, a list of free texts.
pub const IMPACT_AREAS: &str = "impactAreas";

/// Documented keys of front matter, in the order in which they are written; an absent one is put in
/// its place in it.
pub const KEY_ORDER: [&str; 15] = [
    "code", "title", "status", "dateCreated", "lastModified", "type", "priority", "phaseEpic",
    "relatedTickets", "dependsOn", "blocks", "assignee", IMPACT_AREAS, "implementationDate",
    "implementationNotes",
];

/// One ticket's file. Words of front matter are as the file has them, documented or not; what is
/// absent is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    /// The file, relative to the project's root.
    pub path: Box<str>,
    /// Its whole text.
    pub text: Box<str>,
    /// First byte of the body in the text.
    pub body_start: usize,
    /// True if it has front matter that is closed.
    pub has_front_matter: bool,
    /// The code that the front matter says.
    pub code: Option<TicketCode>,
    /// The first H1's text, else the title of the front matter, else the words of the file's name.
    pub title: Box<str>,
    /// Its state.
    pub status: Option<Box<str>>,
    /// Its type.
    pub kind: Option<Box<str>>,
    /// Its priority.
    pub priority: Option<Box<str>>,
    /// The meanings of the words of these three, also where they are absent.
    pub meant: DocumentedWords,
    /// When it was written.
    pub date_created: Option<Box<str>>,
    /// When it was last changed.
    pub last_modified: Option<Box<str>>,
    /// Phase or epic it belongs to.
    pub phase_epic: Option<Box<str>>,
    /// The person who works on it.
    pub assignee: Option<Box<str>>,
    /// Tickets that have to do with it.
    pub related_tickets: Vec<Box<str>>,
    /// Tickets it waits for.
    pub depends_on: Vec<Box<str>>,
    /// Tickets that wait for it.
    pub blocks: Vec<Box<str>>,
    /// The parts that could not be read as they stand.
    pub problems: Vec<DocumentProblem>,
}

/// The documented words that a ticket has; `None` for others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DocumentedWords {
    /// Its state.
    pub status: Option<TicketStatus>,
    /// Its type.
    pub kind: Option<TicketType>,
    /// Its priority.
    pub priority: Option<TicketPriority>,
}

impl DocumentedWords {
    /// Returns the meanings of words.
    pub fn of(status: &str, kind: &str, priority: &str) -> Self {
        Self {
            status: TicketStatus::read(status),
            kind: TicketType::read(kind),
            priority: TicketPriority::read(priority),
        }
    }
}

impl Ticket {
    /// Everything behind the front matter, byte for byte.
    pub fn body(&self) -> &str {
        &self.text[self.body_start..]
    }

    /// Its state, or the one that an absent one stands for.
    pub fn status(&self) -> &str {
        self.status
            .as_deref()
            .unwrap_or(TicketStatus::Proposed.as_str())
    }

    /// Its type, or the one that an absent one stands for.
    pub fn kind(&self) -> &str {
        let absent = TicketType::FeatureEnhancement.as_str();
        self.kind.as_deref().unwrap_or(absent)
    }

    /// Its priority, or the one that an absent one stands for.
    pub fn priority(&self) -> &str {
        self.priority
            .as_deref()
            .unwrap_or(TicketPriority::Medium.as_str())
    }
}

/// A file that cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenTicket {
    /// The file and what is wrong with it.
    pub problem: DocumentProblem,
}
