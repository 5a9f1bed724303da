//! Answers the calls of git's merge driver.

use chant_spec_runs::merge::driver::{MergedFile, merge_file};
use chant_text::merge::ConflictMarkers;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::raise::{Raised, call};

/// Three versions of a spec file merged: what the file shall hold, and what is left to a person, a sentence
/// each.
#[pyfunction]
#[pyo3(signature = (base, ours, theirs, *, our_name = "ours", their_name = "theirs", marker_size = 7))]
pub(crate) fn merge_specs<'py>(
    py: Python<'py>,
    base: &[u8],
    ours: &[u8],
    theirs: &[u8],
    our_name: &str,
    their_name: &str,
    marker_size: usize,
) -> Result<(Bound<'py, PyBytes>, Vec<String>), Raised> {
    let markers = ConflictMarkers {
        length: marker_size,
        ours: our_name,
        theirs: their_name,
    };
    let MergedFile { bytes, conflicts } = call(|| Ok(merge_file(base, ours, theirs, &markers)))?;
    Ok((PyBytes::new(py, &bytes), conflicts))
}
