//! One error for everything the core can refuse, with a closed list of kinds.

use serde_json::{Map, Value, json};

use crate::config::ConfigError;
use crate::config::check::MisspelledKey;
use crate::dialects::chant::error::ChantError;
use crate::dialects::speckit::error::SpeckitError;
use crate::dialects::tickets::error::TicketError;
use crate::dialects::vine::error::VineError;
use crate::git::GitError;
use crate::graph::network::NetworkError;
use crate::next_step::{HintText, NextStep, hint};
use crate::provider::ProviderError;
use crate::store::StoreError;
use crate::text::edit::EditError;
use crate::trust::UntrustedFolder;
use crate::work::WorkError;
use crate::workspace::error::WorkspaceError;

/// Any refusal or failure of the core; its `Display` is the sentence a client sees, [`Error::hint`] what may help.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The chant dialect refused.
    #[error(transparent)]
    Chant(#[from] ChantError),
    /// The speckit dialect refused.
    #[error(transparent)]
    Speckit(#[from] SpeckitError),
    /// The tickets dialect refused.
    #[error(transparent)]
    Ticket(#[from] TicketError),
    /// The vine dialect refused.
    #[error(transparent)]
    Vine(#[from] VineError),
    /// The workspace above the dialects refused.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// A file could not be read, written or moved.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A document could not be edited without risk.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The configuration cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A key of the configuration is nearly a known one, and something was to be done by it.
    #[error(transparent)]
    Misspelled(#[from] MisspelledKey),
    /// Git refused or failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A run could not be started, gone on with, or stopped.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// A question about a graph has no answer.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A model over HTTP could not work.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The folder asks for something that no person said yes to.
    #[error(transparent)]
    NotTrusted(#[from] Box<UntrustedFolder>),
    /// A change cannot be decided at the end of a transaction.
    #[error(
        "{what} cannot be part of a transaction: {why}. Do it before the transaction or behind it."
    )]
    Apart {
        /// The change, at the beginning of a sentence.
        what: &'static str,
        /// Why not.
        why: String,
    },
    /// What was being done when another error came up.
    #[error("{action}: {source}")]
    During {
        /// `Failed to update spec`, …
        action: &'static str,
        /// The error.
        source: Box<Error>,
    },
}

/// What kind of refusal an error is; callers tell errors apart by it, never by their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is no project of that dialect here.
    NotInitialized,
    /// Nothing of that name.
    NotFound,
    /// Several things of that name.
    AmbiguousId,
    /// An argument is not what it should be.
    InvalidArgument,
    /// A document cannot be read, or not be edited without risk.
    InvalidDocument,
    /// The item may not change from its state to the one wanted.
    IllegalTransition,
    /// Something that has to be true first is not.
    Refused,
    /// Items wait for one another.
    Cycle,
    /// Somebody else holds or changed it.
    Conflict,
    /// The disk or the system refused.
    Storage,
    /// Git refused or failed.
    Git,
    /// The configuration cannot be read.
    Config,
    /// A person has to trust the folder first.
    NotTrusted,
}

impl ErrorKind {
    /// All kinds, so that tests can prove that each has an exception.
    pub const ALL: [Self; 13] = [
        Self::NotInitialized,
        Self::NotFound,
        Self::AmbiguousId,
        Self::InvalidArgument,
        Self::InvalidDocument,
        Self::IllegalTransition,
        Self::Refused,
        Self::Cycle,
        Self::Conflict,
        Self::Storage,
        Self::Git,
        Self::Config,
        Self::NotTrusted,
    ];

    /// Its name, as exceptions carry it in `code`.
    pub fn code(self) -> &'static str {
        match self {
            Self::NotInitialized => "NOT_INITIALIZED",
            Self::NotFound => "NOT_FOUND",
            Self::AmbiguousId => "AMBIGUOUS_ID",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::InvalidDocument => "INVALID_DOCUMENT",
            Self::IllegalTransition => "ILLEGAL_TRANSITION",
            Self::Refused => "REFUSED",
            Self::Cycle => "CYCLE",
            Self::Conflict => "CONFLICT",
            Self::Storage => "STORAGE",
            Self::Git => "GIT",
            Self::Config => "CONFIG",
            Self::NotTrusted => "NOT_TRUSTED",
        }
    }
}

impl Error {
    /// Says what was being done.
    #[must_use]
    pub fn during(self, action: &'static str) -> Self {
        Self::During {
            action,
            source: Box::new(self),
        }
    }

    /// What kind of refusal it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Chant(error) => error.kind(),
            Self::Speckit(error) => error.kind(),
            Self::Ticket(error) => error.kind(),
            Self::Vine(error) => error.kind(),
            Self::Workspace(error) => error.kind(),
            Self::Store(error) | Self::Provider(ProviderError::Store(error)) => kind_of(error),
            Self::Edit(_) => ErrorKind::InvalidDocument,
            Self::Config(_) | Self::Misspelled(_) => ErrorKind::Config,
            Self::Git(_) => ErrorKind::Git,
            Self::Work(error) => kind_of_work(error),
            Self::Network(error) => kind_of_network(error),
            Self::NotTrusted(_) => ErrorKind::NotTrusted,
            Self::Provider(ProviderError::Unknown { .. } | ProviderError::Endpoint { .. }) => {
                ErrorKind::InvalidArgument
            }
            Self::Provider(_) | Self::Apart { .. } => ErrorKind::Refused,
            Self::During { source, .. } => source.kind(),
        }
    }

    /// What may help, behind the sentence.
    pub fn hint(&self) -> HintText {
        match self {
            Self::Chant(error) => error.hint(),
            Self::Speckit(error) => error.hint(),
            Self::Ticket(error) => error.hint(),
            Self::Vine(error) => error.hint(),
            Self::Workspace(error) => error.hint(),
            Self::NotTrusted(_) => hint![
                "\nA person has to look at what it asks for: ",
                NextStep::ShowTrust,
                ", then ",
                NextStep::Trust,
                ".",
            ],
            Self::Misspelled(_) => hint![" ", NextStep::CheckConfig, " lists all findings."],
            Self::During { source, .. } => source.hint(),
            Self::Store(_)
            | Self::Edit(_)
            | Self::Config(_)
            | Self::Git(_)
            | Self::Work(_)
            | Self::Network(_)
            | Self::Provider(_)
            | Self::Apart { .. } => HintText::default(),
        }
    }

    /// The values in the sentence, by name, for programs.
    pub fn details(&self) -> Map<String, Value> {
        let pairs = match self {
            Self::Chant(error) => error.details(),
            Self::Speckit(error) => error.details(),
            Self::Ticket(error) => error.details(),
            Self::Vine(error) => error.details(),
            Self::Workspace(error) => error.details(),
            Self::Config(error) => json!({"file": error.file}),
            Self::Misspelled(error) => json!({
                "file": error.file,
                "line": error.line,
                "key": error.key,
                "nearest": error.nearest,
            }),
            Self::Network(error) => details_of_network(error),
            Self::NotTrusted(folder) => json!({
                "needs": "trust",
                "shown": folder.entries_to_show(),
                "folder": folder.root.display().to_string(),
                "is_difference": folder.difference.is_some(),
                "hash": folder.hash,
            }),
            Self::During { source, .. } => return source.details(),
            Self::Store(_)
            | Self::Edit(_)
            | Self::Git(_)
            | Self::Work(_)
            | Self::Provider(_)
            | Self::Apart { .. } => Value::Null,
        };
        match pairs {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}

fn kind_of(error: &StoreError) -> ErrorKind {
    match error {
        StoreError::Missing { .. } => ErrorKind::NotFound,
        StoreError::Unreadable { .. } | StoreError::Denied { .. } => ErrorKind::InvalidDocument,
        StoreError::Outside { .. } | StoreError::TooLarge { .. } => ErrorKind::Refused,
        StoreError::Busy { .. } | StoreError::HalfSaved { .. } | StoreError::Exists { .. } => {
            ErrorKind::Conflict
        }
        StoreError::ReadOnly { .. }
        | StoreError::NotWritten { .. }
        | StoreError::NoJournal
        | StoreError::NoState { .. }
        | StoreError::Undecided { .. }
        | StoreError::Stopped { .. }
        | StoreError::Io { .. } => ErrorKind::Storage,
    }
}

fn kind_of_work(error: &WorkError) -> ErrorKind {
    match error {
        WorkError::Store(error) => kind_of(error),
        WorkError::Broken { .. } => ErrorKind::InvalidDocument,
        WorkError::Name { .. } => ErrorKind::InvalidArgument,
        WorkError::Illegal(_) | WorkError::NotRunning { .. } => ErrorKind::IllegalTransition,
        WorkError::Changed { .. }
        | WorkError::Running { .. }
        | WorkError::Held { .. }
        | WorkError::Merging { .. } => ErrorKind::Conflict,
        WorkError::Unrecovered { .. }
        | WorkError::Waiting { .. }
        | WorkError::Stopped { .. }
        | WorkError::NoAgent { .. }
        | WorkError::Step(_) => ErrorKind::Refused,
        WorkError::Unending { .. } | WorkError::System { .. } => ErrorKind::Storage,
    }
}

fn kind_of_network(error: &NetworkError) -> ErrorKind {
    match error {
        NetworkError::Unknown { .. } => ErrorKind::NotFound,
        NetworkError::Cycle { .. } => ErrorKind::Cycle,
        NetworkError::Stopped => ErrorKind::Refused,
        NetworkError::NoSuchItem { .. }
        | NetworkError::Weight { .. }
        | NetworkError::WeightCount { .. }
        | NetworkError::Argument { .. }
        | NetworkError::Change { .. }
        | NetworkError::TooLarge => ErrorKind::InvalidArgument,
    }
}

fn details_of_network(error: &NetworkError) -> Value {
    match error {
        NetworkError::Unknown { key, similar } => json!({"key": key, "similar": similar}),
        NetworkError::Cycle { keys } => json!({"cycle": keys}),
        NetworkError::Weight { key, weight } => json!({"key": key, "weight": weight.to_string()}),
        NetworkError::Argument { name, given, .. } => json!({"argument": name, "given": given}),
        NetworkError::Change { key, .. } => json!({"key": key}),
        NetworkError::NoSuchItem { .. }
        | NetworkError::WeightCount { .. }
        | NetworkError::TooLarge
        | NetworkError::Stopped => Value::Null,
    }
}
