//! Lists of items as tables.

use chant_draw::table::{ListRow, html, text};
use pyo3::prelude::*;

/// A list of items (key, title, status, keys of what it waits for) as an HTML table and as plain text. The
/// first rows are enough where `total` says how many there are.
#[pyfunction]
#[pyo3(signature = (rows, total = None))]
pub(crate) fn item_table(
    py: Python<'_>,
    rows: Vec<(String, String, String, Vec<String>)>,
    total: Option<usize>,
) -> (String, String) {
    py.detach(|| {
        let row = |(key, title, status, waits_for)| ListRow {
            key,
            title,
            status,
            waits_for,
        };
        let total = total.unwrap_or(rows.len());
        let rows: Vec<ListRow> = rows.into_iter().map(row).collect();
        (html(&rows, total), text(&rows, total))
    })
}
