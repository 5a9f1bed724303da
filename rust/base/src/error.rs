//! Describes the errors of each layer, and carries any of them in one type.
//!
//! A layer has an enumeration of its own and implements [`CoreError`] for it. No place lists them all: a new
//! layer adds nothing here.

use std::error::Error as StdError;
use std::fmt;

use serde_json::{Map, Value};
use strum::{IntoStaticStr, VariantArray};

use crate::next_step::HintText;

/// An error of one layer; its `Display` is the sentence a client sees.
pub trait CoreError: StdError + Send + Sync + 'static {
    /// Returns the kind of the refusal.
    fn kind(&self) -> ErrorKind;

    /// Returns the hint that may help, behind the sentence.
    fn hint(&self) -> HintText {
        HintText::default()
    }

    /// The values in the sentence, by name, for programs: an object, or null without any.
    fn details(&self) -> Value {
        Value::Null
    }
}

impl<E: CoreError> CoreError for Box<E> {
    fn kind(&self) -> ErrorKind {
        (**self).kind()
    }

    fn hint(&self) -> HintText {
        (**self).hint()
    }

    fn details(&self) -> Value {
        (**self).details()
    }
}

/// Any refusal or failure of the core.
pub struct Error(Box<dyn CoreError>);

impl Error {
    /// Says what was being done.
    #[must_use]
    pub fn during(self, action: &'static str) -> Self {
        FailedAction {
            action,
            error: self,
        }
        .into()
    }

    /// Returns the kind of the refusal.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind()
    }

    /// Returns the hint that may help, behind the sentence.
    pub fn hint(&self) -> HintText {
        self.0.hint()
    }

    /// The values in the sentence, by name, for programs.
    pub fn details(&self) -> Map<String, Value> {
        match self.0.details() {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }

    /// The error of one layer, if it is of that one.
    pub fn downcast_ref<E: CoreError>(&self) -> Option<&E> {
        let error: &(dyn StdError + 'static) = &*self.0;
        error.downcast_ref()
    }

    /// Returns true if it is an error of that layer.
    pub fn is<E: CoreError>(&self) -> bool {
        self.downcast_ref::<E>().is_some()
    }

    /// Without what was being done, if that was said.
    pub fn root(&self) -> &Self {
        match self.downcast_ref::<FailedAction>() {
            Some(failed) => failed.error.root(),
            None => self,
        }
    }
}

impl<E: CoreError> From<E> for Error {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// The action during which another error came up.
#[derive(Debug, thiserror::Error)]
#[error("{action}: {error}")]
pub struct FailedAction {
    /// `Failed to update spec`, …
    action: &'static str,
    error: Error,
}

impl CoreError for FailedAction {
    fn kind(&self) -> ErrorKind {
        self.error.kind()
    }

    fn hint(&self) -> HintText {
        self.error.hint()
    }

    fn details(&self) -> Value {
        self.error.0.details()
    }
}

/// A change cannot be decided at the end of a transaction.
#[derive(Debug, thiserror::Error)]
#[error("{what} cannot be part of a transaction: {why}. Do it before or after the transaction.")]
pub struct NotTransactional {
    /// The change, at the beginning of a sentence.
    pub what: &'static str,
    /// Why not.
    pub why: String,
}

impl CoreError for NotTransactional {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Refused
    }
}

/// The kind of refusal that an error is; callers distinguish errors by it, never by their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
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
    /// Another process or person holds or changed it.
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
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Its name, as exceptions carry it in `code`.
    pub fn code(self) -> &'static str {
        self.into()
    }
}
