//! TOML as people write it: read key by key, so that one slip costs one value and is reported.

use toml::{Table, Value};

use super::{ProjectFault, ProjectProblem};
use chant_config::schema::tickets::{DISCOVERY, PROJECT, RECORD};
use chant_text::clash;

/// The content of a configuration file: `None` where there is none, or why it cannot be read.
pub(super) type TableReading = Result<Option<ReadTable>, ProjectFault>;

/// A file as it was read.
#[derive(Debug)]
pub(super) struct ReadTable {
    /// Its content, as a table.
    pub(super) table: Table,
    /// Its text.
    pub(super) text: String,
}

/// A file's text as a table.
///
/// # Errors
/// What is wrong, with its line.
pub(super) fn parse(text: &str) -> Result<ReadTable, ProjectFault> {
    if let Some(clash) = clash::in_data(text) {
        return Err(ProjectFault::Clash(clash.to_string()));
    }
    let table = text.parse::<Table>().map_err(|error| {
        let line = error.span().map_or(1, |span| {
            1 + text[..span.start.min(text.len())].matches('\n').count()
        });
        let why = error.message().lines().next().unwrap_or_default();
        ProjectFault::NotToml {
            line,
            why: why.to_owned(),
        }
    })?;
    Ok(ReadTable {
        table,
        text: text.to_owned(),
    })
}

/// One table of a file; its values are used where they are of the right kind, and reported where they are not.
pub(super) struct TableKeys<'a> {
    /// The file, for problems.
    file: &'a str,
    /// The table's name with a dot, for problems; empty for the file's own keys.
    name: &'static str,
    /// Its keys; `None` where the file has no such table.
    table: Option<&'a Table>,
    problems: &'a mut Vec<ProjectProblem>,
}

impl<'a> TableKeys<'a> {
    /// The keys that stand in no table.
    pub(super) fn of_file(
        file: &'a str,
        table: &'a Table,
        problems: &'a mut Vec<ProjectProblem>,
    ) -> Self {
        Self {
            file,
            name: "",
            table: Some(table),
            problems,
        }
    }

    /// The keys of one of its tables, with the dot that follows the table's name.
    pub(super) fn of(
        file: &'a str,
        table: &'a Table,
        name: &'static str,
        problems: &'a mut Vec<ProjectProblem>,
    ) -> Self {
        Self {
            file,
            name,
            table: table
                .get(name.trim_end_matches('.'))
                .and_then(Value::as_table),
            problems,
        }
    }

    /// A text without blanks around it; an empty one counts as none.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        let text = self.read(key, "a text", |value| {
            Some(value.as_str()?.trim().to_owned())
        })?;
        (!text.is_empty()).then_some(text)
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, key: &str) -> Option<bool> {
        self.read(key, "`true` or `false`", Value::as_bool)
    }

    /// A whole number from 0, also where it is written as a text.
    pub(super) fn number(&mut self, key: &str) -> Option<u32> {
        self.read(key, "a whole number from 0", |value| match value {
            Value::Integer(number) => u32::try_from(*number).ok(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        })
    }

    /// A list of texts; a single text is a list of one.
    pub(super) fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        self.read(key, "a list of texts", |value| match value {
            Value::String(text) => Some(vec![text.clone()]),
            Value::Array(items) => items
                .iter()
                .map(|item| item.as_str().map(str::to_owned))
                .collect(),
            _ => None,
        })
    }

    /// A day as `YYYY-MM-DD`, of a date or of a point in time, written as either or as a text.
    pub(super) fn day(&mut self, key: &str) -> Option<String> {
        self.read(key, "a day such as `2025-10-02`", |value| {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Datetime(time) => time.to_string(),
                _ => return None,
            };
            let day = text.trim().get(..10)?;
            day.parse::<jiff::civil::Date>().ok()?;
            Some(day.to_owned())
        })
    }

    fn read<T>(
        &mut self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        debug_assert!(
            is_known(&format!("{}{key}", self.name)),
            "`{}{key}` stands in no table of keys",
            self.name
        );
        let value = self.table?.get(key)?;
        let found = read(value);
        if found.is_none() {
            self.problems.push(ProjectProblem {
                path: self.file.to_owned(),
                why: format!(
                    "`{}{key}` is left out: expected {expected}, found {}",
                    self.name,
                    value.type_str()
                ),
            });
        }
        found
    }
}

/// Returns true if a key stands in one of the tables by which files are checked.
fn is_known(key: &str) -> bool {
    [PROJECT, RECORD, DISCOVERY]
        .iter()
        .any(|schema| schema.expects(key).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_the_wrong_kind_costs_itself_and_is_told() {
        let text = "active = 'no'\n[project]\nname = ' A '\ncode = 7\nstartNumber = '12'\nactive = 'yes'\nid = ''\n[metadata]\ndateRegistered = 2025-10-02\nlastAccessed = '2025-10-02T09:20:02.492Z'\n[discovery]\nmaxDepth = -1\nscanPaths = ' A '\n";
        let table = parse(text).unwrap().table;
        let mut problems = Vec::new();
        let mut keys = TableKeys::of("file", &table, "project.", &mut problems);
        assert_eq!(keys.text("name").as_deref(), Some("A"));
        assert_eq!(keys.text("id"), None);
        assert_eq!(keys.text("code"), None);
        assert_eq!(keys.number("startNumber"), Some(12));
        assert_eq!(keys.flag("active"), None);
        let mut keys = TableKeys::of("file", &table, "metadata.", &mut problems);
        for key in ["dateRegistered", "lastAccessed"] {
            assert_eq!(keys.day(key).as_deref(), Some("2025-10-02"), "{key}");
        }
        let late = parse("[metadata]\nlastAccessed = 'soon'\n").unwrap().table;
        let mut keys = TableKeys::of("file", &late, "metadata.", &mut problems);
        assert_eq!(keys.day("lastAccessed"), None);
        let mut keys = TableKeys::of("file", &table, "discovery.", &mut problems);
        assert_eq!(keys.number("maxDepth"), None);
        assert_eq!(keys.texts("scanPaths"), Some(vec![" A ".to_owned()]));
        let messages: Vec<_> = problems
            .iter()
            .map(|problem| problem.why.as_str())
            .collect();
        assert_eq!(
            messages,
            [
                "`project.code` is left out: expected a text, found integer",
                "`project.active` is left out: expected `true` or `false`, found string",
                "`metadata.lastAccessed` is left out: expected a day such as `2025-10-02`, found string",
                "`discovery.maxDepth` is left out: expected a whole number from 0, found integer",
            ]
        );
    }

    #[test]
    fn a_file_that_is_no_toml_is_told_with_the_line() {
        let message = parse("[project]\nname = 'A'\ncode = \n").unwrap_err();
        let message = message.to_string();
        assert!(message.starts_with("line 3 is not TOML: "), "{message}");
        assert!(parse("\u{feff}[project]\r\nname = 'A'\r\n").is_ok());
    }
}
