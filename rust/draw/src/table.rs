//! A list of items as an HTML table and as plain text.

use super::counted;
use super::words::{columns, cut_columns, line, safe};
use chant_graph::picture::visible_char;

/// The greatest number of rows in a table.
pub const MAX_ROWS: usize = 50;

/// An item of a list.
#[derive(Debug, Clone)]
pub struct ListRow {
    /// Its key in the documents.
    pub key: String,
    /// Its title for people.
    pub title: String,
    /// Its status, in the words of its documents.
    pub status: String,
    /// The keys of the items for which it still waits.
    pub waits_for: Vec<String>,
}

const HEADS: [&str; 4] = ["Key", "Title", "Status", "Waits for"];
/// The width of the widest column in plain text.
const MAX_WIDTH: usize = 48;
/// The greatest number of keys in a cell.
const MAX_KEYS: usize = 6;

/// Returns the table of the first rows of a list that has `total`; a last line counts the missing
/// ones. Only the side of texts is styled, so that it looks like the tables around it.
pub fn html(rows: &[ListRow], total: usize) -> String {
    let shown = &rows[..rows.len().min(MAX_ROWS)];
    let head: String = HEADS
        .iter()
        .map(|head| format!("<th{LEFT}>{head}</th>"))
        .collect();
    let body: String = shown.iter().map(html_row).collect();
    let foot = match total.saturating_sub(shown.len()) {
        0 => String::new(),
        more => format!(
            "<tfoot><tr><td colspan=\"4\"{LEFT}>{} more</td></tr></tfoot>",
            counted(more)
        ),
    };
    format!("<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody>{foot}</table>")
}

const LEFT: &str = " style=\"text-align:left\"";

fn html_row(row: &ListRow) -> String {
    let cells = [
        format!("<code>{}</code>", safe(&row.key)),
        // The direction of a text does not affect its surroundings.
        format!("<bdi>{}</bdi>", safe(&row.title)),
        safe(&row.status),
        safe(&waits(row)),
    ];
    let cells: String = cells
        .iter()
        .map(|cell| format!("<td{LEFT}>{cell}</td>"))
        .collect();
    format!("<tr>{cells}</tr>")
}

/// Returns the same as lines of text in columns.
pub fn text(rows: &[ListRow], total: usize) -> String {
    let shown = &rows[..rows.len().min(MAX_ROWS)];
    let mut cells: Vec<[String; 4]> = vec![HEADS.map(str::to_owned)];
    cells.extend(shown.iter().map(|row| {
        let plain = |text: &str| {
            let text: String = line(text).chars().map(visible_char).collect();
            cut_columns(&text, MAX_WIDTH)
        };
        [
            plain(&row.key),
            plain(&row.title),
            plain(&row.status),
            plain(&waits(row)),
        ]
    }));
    let wide = |column: usize| cells.iter().map(|row| columns(&row[column])).max();
    let wide: Vec<usize> = (0..4)
        .map(|column| wide(column).unwrap_or_default())
        .collect();
    let mut text = String::new();
    for row in &cells {
        let padded = row
            .iter()
            .zip(&wide)
            .map(|(cell, wide)| cell.clone() + &" ".repeat(wide - columns(cell)));
        let padded: Vec<String> = padded.collect();
        text.push_str(padded.join("  ").trim_end());
        text.push('\n');
    }
    if let more @ 1.. = total.saturating_sub(shown.len()) {
        text.push_str(&format!("{} more\n", counted(more)));
    }
    text
}

fn waits(row: &ListRow) -> String {
    let shown = row.waits_for.iter().take(MAX_KEYS);
    let shown: Vec<&str> = shown.map(String::as_str).collect();
    match row.waits_for.len().saturating_sub(MAX_KEYS) {
        0 => shown.join(", "),
        more => format!("{} and {} more", shown.join(", "), counted(more)),
    }
}
