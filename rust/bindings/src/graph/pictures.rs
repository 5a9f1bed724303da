//! What pictures say of items, and lists of items as tables.

use crate::detached::detached;
use chant_draw::StateShares;
use chant_draw::elements::FigureTexts;
use chant_draw::table::{ListRow, html, text};
use chant_draw::theme::{DARK_PAGES, LIGHT_PAGES};
use chant_graph::network::NetworkError;
use chant_graph::picture::StatusColor;
use pyo3::prelude::*;

/// A figure of a page's picture: label, second line, text under the pointer, class, state, shares.
pub(super) type FigureOfPage = (String, String, String, String, String, Vec<(String, usize)>);

pub(super) fn read_figure(
    (label, sub, title, class, state, shares): FigureOfPage,
) -> Result<FigureTexts, NetworkError> {
    Ok(FigureTexts {
        label,
        sub,
        title,
        class,
        state,
        shares: read_share(&shares)?,
    })
}

pub(super) fn read_shares(
    given: &[Vec<(String, usize)>],
) -> Result<Vec<StateShares>, NetworkError> {
    given.iter().map(|shares| read_share(shares)).collect()
}

fn read_share(shares: &[(String, usize)]) -> Result<StateShares, NetworkError> {
    let named = shares.iter().map(|(word, count)| {
        let tone = StatusColor::named(word).ok_or_else(|| NetworkError::Argument {
            name: "shares",
            given: word.clone(),
            expected: "states, such as `done` or `open`",
        })?;
        Ok((tone, *count))
    });
    named.collect()
}

/// The selectors of what holds a dark page, and of what holds a light one, for pages that say it by no
/// `color-scheme`.
#[pyfunction]
pub(crate) fn page_themes() -> (&'static str, &'static str) {
    (DARK_PAGES, LIGHT_PAGES)
}

/// A list of items (key, title, status, keys of what it waits for) as an HTML table and as plain text. The
/// first rows are enough where `total` says how many there are.
#[pyfunction]
#[pyo3(signature = (rows, total = None))]
pub(crate) fn item_table(
    rows: Vec<(String, String, String, Vec<String>)>,
    total: Option<usize>,
) -> (String, String) {
    detached(|| {
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
