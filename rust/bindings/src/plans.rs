//! The formats of plans, as Python sees them.

use std::ffi::OsString;
use std::path::PathBuf;

use chant_base::error::Error;
use chant_plan_plugin::{PluginCall, PluginFormat};
use chant_workspace::formats as all_formats;
use pyo3::prelude::*;

use crate::answer::PlainValue;
use crate::detached::detached;
use crate::raise::Raised;

/// All formats, those with tools of their own first: rows of word, title, nouns, markers, intents, statuses, whether it
/// has tools of its own, and an example of a key.
#[pyfunction]
pub(crate) fn formats() -> PlainValue {
    PlainValue(serde_json::to_value(all_formats::rows()).unwrap_or_default())
}

/// Takes the format of a plugin in this process, for as long as it lives; gives the word of its keys.
#[pyfunction]
pub(crate) fn admit_plugin_format(
    name: &str,
    argv: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    folder: PathBuf,
    read: Vec<PathBuf>,
) -> Result<&'static str, Raised> {
    let call = PluginCall {
        argv,
        environment,
        folder,
        read,
    };
    let described = detached(|| PluginFormat::describe(name, call)).map_err(Error::from)?;
    Ok(all_formats::admit(Box::leak(Box::new(described))))
}
