//! Findings about the keys of configurations in TOML.

use serde_json::{Value as Json, json};
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::table::{ReadTable, TableReading, parse};
use chant_config::check::{CheckedFile, ConfigFinding, in_value, placed_in};
use chant_config::schema::ConfigSchema;
use chant_config::schema::tickets::{MOMENT, PROJECT};
use chant_text::front_matter::KeyStep;

/// A file with the findings about it; `None` where there is none.
pub(super) fn file(name: &str, read: &TableReading, schema: &ConfigSchema) -> Option<CheckedFile> {
    let findings = match read {
        Ok(read) => findings(name, read.as_ref()?, schema)
            .into_iter()
            .map(ConfigFinding::without_blocking)
            .collect(),
        Err(why) => vec![ConfigFinding::unreadable(name, None, why.to_string())],
    };
    Some(CheckedFile {
        path: name.to_owned(),
        findings,
    })
}

/// The findings about a text as a project's own file.
pub fn check_own_file(name: &str, text: &str) -> Vec<ConfigFinding> {
    let read = parse(text).map(Some);
    let checked = file(name, &read, &PROJECT);
    placed_in(text, checked.map(|file| file.findings).unwrap_or_default())
}

/// The findings about what a file says.
fn findings(file: &str, read: &ReadTable, schema: &ConfigSchema) -> Vec<ConfigFinding> {
    let value = Json::Object(json_of(&read.table));
    let found = in_value(file, &value, schema, |steps| line_of(&read.text, steps));
    placed_in(&read.text, found)
}

fn json_of(table: &Table) -> serde_json::Map<String, Json> {
    let entries = table.iter();
    entries
        .map(|(key, value)| (key.clone(), json_of_value(value)))
        .collect()
}

fn json_of_value(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::String(text.clone()),
        Value::Integer(number) => json!(number),
        Value::Float(number) => json!(number),
        Value::Boolean(flag) => Json::Bool(*flag),
        Value::Datetime(moment) => json!({ MOMENT: moment.to_string() }),
        Value::Array(items) => items.iter().map(json_of_value).collect(),
        Value::Table(table) => Json::Object(json_of(table)),
    }
}

/// The line, counted from 1, of the key that steps lead to.
fn line_of(text: &str, steps: &[KeyStep]) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let mut value: Option<&Spanned<DeValue<'_>>> = None;
    let mut at = 0;
    for step in steps {
        match step {
            KeyStep::Key(name) => {
                let within = match value {
                    None => table.get_ref(),
                    Some(value) => value.get_ref().as_table()?,
                };
                let is_it = |(key, _): &(&Spanned<_>, _)| {
                    let key: &std::borrow::Cow<'_, str> = key.get_ref();
                    key == name
                };
                let (key, found) = within.iter().find(is_it)?;
                at = key.span().start;
                value = Some(found);
            }
            KeyStep::Item(number) => {
                let found = value?.get_ref().as_array()?.get(*number)?;
                at = found.span().start;
                value = Some(found);
            }
        }
    }
    let before = text.get(..at)?;
    Some(1 + before.matches('\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projects::definition::{ProjectDefinition, RegistryRecord};
    use crate::projects::settings::discovery_read;
    use crate::projects::table::parse;
    use chant_config::schema::KeyShape;
    use chant_config::schema::tickets::{DISCOVERY, PROJECT, RECORD};

    fn findings_of(text: &str, schema: &ConfigSchema) -> Vec<String> {
        let found = findings("f", &parse(text).unwrap(), schema).into_iter();
        found
            .map(|finding| format!("{}: {finding}", finding.line.unwrap_or_default()))
            .collect()
    }

    #[test]
    fn keys_of_toml_are_found_with_their_lines() {
        let text = "# a\nactive = true\n[project]\nname = 'a'\nstartNumbr = 5\nlead.x = 1\n[project.document]\npaths = ['a']\n[worktree]\nenabled = true\n[extra]\na = 2025-10-02\n";
        assert_eq!(
            findings_of(text, &PROJECT),
            [
                "5: unknown key `project.startNumbr`: did you mean `project.startNumber`?",
                "6: unknown key `project.lead`",
                "7: `project.document` has no effect: other programs know this key; it does nothing here",
                "11: unknown key `extra`",
            ]
        );
        let text = "[discovery]\nscanPath = 'a'\nmaxDepth = '3'\n[server]\nlogLevel = 'x'\n";
        assert_eq!(findings_of(text, &DISCOVERY).len(), 2);
        assert!(
            findings_of(
                "projectPath = 'a'\n[metadata]\ndateRegistered = 2025-10-02\n",
                &RECORD
            )
            .is_empty()
        );
    }

    #[test]
    fn each_known_key_is_read_and_what_is_read_is_known() {
        for (schema, reads) in [
            (&PROJECT, project as fn(&Table) -> usize),
            (&RECORD, record),
            (&DISCOVERY, discovery),
        ] {
            for (key, shape) in schema.used_keys() {
                if matches!(shape, KeyShape::Table(_)) || key == "project.projectPath" {
                    continue;
                }
                // The reader of a value reports one that no key may have.
                let text = format!("{key} = [{{}}]\n");
                let read = parse(&text).unwrap();
                assert_eq!(reads(&read.table), 1, "{key}");
                let found = findings("f", &read, schema);
                assert!(
                    found.len() == 1 && found[0].kind() == "wrong_value",
                    "{key}"
                );
            }
        }
    }

    fn project(table: &Table) -> usize {
        let mut problems = Vec::new();
        ProjectDefinition::of_project("f", table, &mut problems);
        problems.len()
    }

    fn record(table: &Table) -> usize {
        let mut problems = Vec::new();
        RegistryRecord::read("f", table, &mut problems);
        problems.len()
    }

    fn discovery(table: &Table) -> usize {
        let mut problems = Vec::new();
        discovery_read("f", table, &mut problems);
        problems.len()
    }
}
