//! Errors of the core as exceptions of `chant_mcp.errors`, one class a kind.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use chant_base::answer::{MAX_CHARS, cut};
use chant_base::error::{Error, ErrorKind};
use chant_base::next_step::DoorKind;
use chant_specs::run_id_text::TextForm;
use chant_store::disk::take_weak_promises;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::answer::PyAnswer;
use crate::detached::detached;

mod errors {
    pyo3::import_exception!(chant_mcp.errors, AmbiguousIdError);
    pyo3::import_exception!(chant_mcp.errors, ConfigError);
    pyo3::import_exception!(chant_mcp.errors, ConflictError);
    pyo3::import_exception!(chant_mcp.errors, CycleError);
    pyo3::import_exception!(chant_mcp.errors, GitError);
    pyo3::import_exception!(chant_mcp.errors, IllegalTransitionError);
    pyo3::import_exception!(chant_mcp.errors, InvalidArgumentError);
    pyo3::import_exception!(chant_mcp.errors, InvalidDocumentError);
    pyo3::import_exception!(chant_mcp.errors, NotFoundError);
    pyo3::import_exception!(chant_mcp.errors, NotInitializedError);
    pyo3::import_exception!(chant_mcp.errors, NotTrustedError);
    pyo3::import_exception!(chant_mcp.errors, RefusedError);
    pyo3::import_exception!(chant_mcp.errors, StorageError);
}

/// Codes of all kinds of errors, so that tests can prove that each has a class.
#[pyfunction]
pub(crate) fn error_codes() -> Vec<&'static str> {
    ErrorKind::ALL.iter().map(|kind| kind.code()).collect()
}

/// The answer of a call, or what is raised in its place.
pub(crate) type Answered = Result<PyAnswer, Raised>;

/// Why a call ended without an answer.
pub(crate) enum Raised {
    /// The core refused.
    Refused(Error),
    /// The tickets dialect refused; its clients see an object.
    OfTickets(Error),
    /// The core crashed: a fault of ours, reported as such.
    Crashed(String),
    /// Python itself raised.
    Python(PyErr),
}

impl Raised {
    /// A refusal of the core, each of whose texts is put into other words.
    pub(crate) fn refused_in_words(
        error: &Error,
        words: impl Fn(String, TextForm) -> String,
    ) -> Self {
        let (message, details, object, hint) = arguments_of(error, None);
        let args = (
            words(message, TextForm::Words),
            words(details, TextForm::Json),
            object,
            hint.map(|hint| words(hint, TextForm::Json)),
        );
        Self::Python(exception_of(error.kind(), args))
    }
}

impl From<Error> for Raised {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<PyErr> for Raised {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

/// Runs a call of the core without the interpreter; a panic becomes an ordinary exception, so that it
/// ends one call and not the process.
pub(crate) fn call<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Raised> {
    let done = detached(|| catch_unwind(AssertUnwindSafe(work)));
    for line in take_weak_promises() {
        // A log that fails refuses no call.
        let _ = Python::attach(|py| log_warning(py, &line));
    }
    match done {
        Ok(outcome) => outcome.map_err(Raised::Refused),
        Err(payload) => Err(Raised::Crashed(words(payload.as_ref()))),
    }
}

/// Has Python's log say something, once.
fn log_warning(py: Python<'_>, line: &str) -> PyResult<()> {
    let logger = py
        .import("logging")?
        .call_method1("getLogger", ("chant_mcp.store",))?;
    logger.call_method1("warning", ("%s", line)).map(drop)
}

/// The door of a word that Python gives.
pub(crate) fn door_of(word: &str) -> Result<DoorKind, Raised> {
    DoorKind::named(word).ok_or_else(|| {
        let words = DoorKind::ALL.map(DoorKind::word).join(", ");
        Raised::Python(PyValueError::new_err(format!(
            "a door is one of {words}, not {word}"
        )))
    })
}

/// [`call`] for a function of the core that answers a tool.
pub(crate) fn answer(
    work: impl FnOnce() -> Result<chant_base::answer::Answer, Error> + Send,
) -> Answered {
    call(work).map(PyAnswer::from)
}

/// [`answer`] for a tool of tickets, whose refusals are objects.
pub(crate) fn ticket_answer(
    work: impl FnOnce() -> Result<chant_base::answer::Answer, Error> + Send,
) -> Answered {
    answer(work).map_err(|raised| match raised {
        Raised::Refused(error) => Raised::OfTickets(error),
        other => other,
    })
}

fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("panic")
        .to_owned()
}

impl From<Raised> for PyErr {
    fn from(raised: Raised) -> Self {
        let (error, object) = match raised {
            Raised::Refused(error) => (error, None),
            Raised::OfTickets(error) => {
                let object = chant_tickets::error::object(&error).to_string();
                (error, Some(object))
            }
            Raised::Crashed(words) => {
                return PyRuntimeError::new_err(format!("the core crashed: {words}"));
            }
            Raised::Python(error) => return error,
        };
        exception_of(error.kind(), arguments_of(&error, object))
    }
}

fn arguments_of(error: &Error, object: Option<String>) -> ExceptionArguments {
    let details = serde_json::Value::Object(error.details()).to_string();
    let message = cut(&error.to_string(), MAX_CHARS / 2);
    let hint = Some(error.hint()).filter(|hint| !hint.is_empty());
    let hint = hint.map(|hint| hint.data().to_string());
    (message, details, object, hint)
}

/// The message, details as JSON, the object that clients of tickets see, and what may help.
type ExceptionArguments = (String, String, Option<String>, Option<String>);

fn exception_of(kind: ErrorKind, args: ExceptionArguments) -> PyErr {
    match kind {
        ErrorKind::NotInitialized => errors::NotInitializedError::new_err(args),
        ErrorKind::NotFound => errors::NotFoundError::new_err(args),
        ErrorKind::AmbiguousId => errors::AmbiguousIdError::new_err(args),
        ErrorKind::InvalidArgument => errors::InvalidArgumentError::new_err(args),
        ErrorKind::InvalidDocument => errors::InvalidDocumentError::new_err(args),
        ErrorKind::IllegalTransition => errors::IllegalTransitionError::new_err(args),
        ErrorKind::Refused => errors::RefusedError::new_err(args),
        ErrorKind::Cycle => errors::CycleError::new_err(args),
        ErrorKind::Conflict => errors::ConflictError::new_err(args),
        ErrorKind::Storage => errors::StorageError::new_err(args),
        ErrorKind::Git => errors::GitError::new_err(args),
        ErrorKind::Config => errors::ConfigError::new_err(args),
        ErrorKind::NotTrusted => errors::NotTrustedError::new_err(args),
    }
}
