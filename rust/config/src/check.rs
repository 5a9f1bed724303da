//! Findings about the keys of configuration files, each with its line.

use std::fmt;
use std::ops::Range;

use serde_json::{Value, json};

use super::schema::{ConfigSchema, KeyProblem, joined};
use chant_base::error::{CoreError, ErrorKind};
use chant_base::next_step::{HintText, NextStep, hint};
use chant_base::text_place::TextPlace;
use chant_text::clash::{self, LeftClash};
use chant_text::front_matter::{self, KeyStep};

/// Something to be said about a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFinding {
    /// The file as shown to people.
    pub file: String,
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// The key, its parts joined by dots; empty for the whole file.
    pub key: String,
    /// The problem of the key.
    pub problem: KeyProblem,
    /// The words that it is about; `None` where no text was read.
    pub place: Option<TextPlace>,
}

/// A configuration file that applies, with what is to be said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedFile {
    /// The file as shown to people.
    pub path: String,
    /// The findings, in the order in which they stand there.
    pub findings: Vec<ConfigFinding>,
}

/// A key that nearly is a known one: nothing acts by a configuration that has such a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{key}` in {file}{} is an unknown key, nearly `{nearest}`. Nothing was done, since a setting with this key would have no effect.\nCorrect the key or remove it{}.",
    line.map(|line| format!(":{line}")).unwrap_or_default(),
    match further { 0 => String::new(), further => format!(" ({further} more like it)") }
)]
pub struct MisspelledKey {
    /// The file as shown to people.
    pub file: String,
    /// Its line.
    pub line: Option<usize>,
    /// The key as it stands there.
    pub key: String,
    /// The known key.
    pub nearest: String,
    /// The number of further keys like it.
    pub further: usize,
}

impl ConfigFinding {
    /// Returns true if it keeps what acts from acting.
    pub fn is_near(&self) -> bool {
        matches!(self.problem, KeyProblem::Unknown { is_near: true, .. })
    }

    /// Returns true if it is a mistake; what is known and has no effect is none.
    pub fn is_mistake(&self) -> bool {
        !matches!(self.problem, KeyProblem::NoEffect(_))
    }

    /// Returns the kind of the finding, for programs.
    pub fn kind(&self) -> &'static str {
        match self.problem {
            KeyProblem::Unknown { .. } => "unknown_key",
            KeyProblem::WrongValue(_) => "wrong_value",
            KeyProblem::Unreadable(_) => "unreadable",
            KeyProblem::NoEffect(_) => "no_effect",
        }
    }

    /// The key that may have been meant.
    pub fn nearest(&self) -> Option<&str> {
        match &self.problem {
            KeyProblem::Unknown { nearest, .. } => nearest.as_deref(),
            _ => None,
        }
    }

    /// A finding about a file of which a merge left two versions.
    pub fn clashing(file: &str, clash: LeftClash) -> Self {
        Self::unreadable(file, Some(clash.begins), clash.to_string())
    }

    /// The same finding about a file by which nothing is run: nothing waits for it to be settled.
    #[must_use]
    pub fn without_blocking(mut self) -> Self {
        if let KeyProblem::Unknown { is_near, .. } = &mut self.problem {
            *is_near = false;
        }
        self
    }

    /// A finding about a file as a whole; without a line it is that which the sentence names.
    pub fn unreadable(file: &str, line: Option<usize>, why: String) -> Self {
        Self {
            file: file.into(),
            line: line.or_else(|| line_in(&why)),
            key: String::new(),
            problem: KeyProblem::Unreadable(why),
            place: None,
        }
    }

    /// The same finding with the words of a text that it is about: its key on its line, else the line.
    fn placed(mut self, text: &str) -> Self {
        let name = self.key.rsplit('.').next().unwrap_or_default();
        let name = name.split('[').next().unwrap_or_default();
        let found = || match self.line {
            Some(line) => TextPlace::within_line(text, line, name),
            None => TextPlace::of_first_line(text),
        };
        self.place = self.place.or_else(|| Some(found()));
        self
    }
}

impl fmt::Display for ConfigFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = &self.key;
        match &self.problem {
            KeyProblem::Unknown { nearest, .. } => {
                write!(f, "unknown key `{key}`")?;
                match nearest {
                    Some(nearest) => write!(f, ": did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
            KeyProblem::WrongValue(expected) => write!(f, "`{key}`: {expected}"),
            KeyProblem::Unreadable(why) => f.write_str(why),
            KeyProblem::NoEffect(why) => write!(f, "`{key}` has no effect: {why}"),
        }
    }
}

/// Refuses the first key that is nearly a known one.
///
/// # Errors
/// `MisspelledKey`.
pub fn refuse_misspelled(findings: &[ConfigFinding]) -> Result<(), MisspelledKey> {
    let mut near = findings.iter().filter(|finding| finding.is_near());
    let Some(first) = near.next() else {
        return Ok(());
    };
    Err(MisspelledKey {
        file: first.file.clone(),
        line: first.line,
        key: first.key.clone(),
        nearest: first.nearest().unwrap_or_default().to_owned(),
        further: near.count(),
    })
}

/// The findings about a document whose front matter is a configuration.
pub fn in_front_matter(file: &str, text: &str, schema: &ConfigSchema) -> Vec<ConfigFinding> {
    placed_in(text, front_matter_findings(file, text, schema))
}

/// Findings with their places in the text that they are about.
pub fn placed_in(text: &str, findings: Vec<ConfigFinding>) -> Vec<ConfigFinding> {
    let findings = findings.into_iter();
    findings.map(|finding| finding.placed(text)).collect()
}

fn front_matter_findings(file: &str, text: &str, schema: &ConfigSchema) -> Vec<ConfigFinding> {
    if let Some(clash) = clash::in_document(text) {
        return vec![ConfigFinding::clashing(file, clash)];
    }
    match front_matter::layout(text) {
        Err(error) => vec![ConfigFinding::unreadable(file, None, error.to_string())],
        Ok(layout) => layout
            .yaml
            .map_or_else(Vec::new, |yaml| in_yaml_part(file, text, yaml, schema)),
    }
}

/// The findings about a text that is YAML as a whole.
pub fn in_yaml(file: &str, text: &str, schema: &ConfigSchema) -> Vec<ConfigFinding> {
    let found = match clash::in_data(text) {
        Some(clash) => vec![ConfigFinding::clashing(file, clash)],
        None => in_yaml_part(file, text, 0..text.len(), schema),
    };
    placed_in(text, found)
}

fn in_yaml_part(
    file: &str,
    text: &str,
    part: Range<usize>,
    schema: &ConfigSchema,
) -> Vec<ConfigFinding> {
    let before = text[..part.start].matches('\n').count();
    let yaml = &text[part.clone()];
    match front_matter::read::<Option<Value>>(yaml) {
        Err(problem) => {
            let line = problem.line.map(|line| line + before);
            let mut found = ConfigFinding::unreadable(file, line, problem.below(before));
            found.place = Some(problem.place(text, part));
            vec![found]
        }
        Ok(read) => in_value(file, &read.unwrap_or_default(), schema, |steps| {
            front_matter::line_of(yaml, steps).map(|line| line + before)
        }),
    }
}

/// The findings about what a file says, in whatever notation, by line; `line_of` says where steps lead to.
pub fn in_value(
    file: &str,
    value: &Value,
    schema: &ConfigSchema,
    line_of: impl Fn(&[KeyStep]) -> Option<usize>,
) -> Vec<ConfigFinding> {
    let remarks = schema.remarks(value).into_iter();
    let finding = |remark: super::schema::KeyRemark| ConfigFinding {
        file: file.into(),
        line: line_of(&remark.steps),
        key: joined(&remark.steps),
        problem: remark.problem,
        place: None,
    };
    let mut findings: Vec<ConfigFinding> = remarks.map(finding).collect();
    // Not every notation is read in the order of its lines.
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// The findings, and why what reads the file refuses it, where no finding says that already.
pub fn with_refusal(
    mut findings: Vec<ConfigFinding>,
    file: &str,
    refusal: Option<String>,
) -> Vec<ConfigFinding> {
    let says_why = |finding: &ConfigFinding| {
        matches!(
            finding.problem,
            KeyProblem::WrongValue(_) | KeyProblem::Unreadable(_)
        )
    };
    if let Some(why) = refusal
        && !findings.iter().any(says_why)
    {
        findings.insert(0, ConfigFinding::unreadable(file, None, why));
    }
    findings
}

/// The first line that a sentence names.
fn line_in(why: &str) -> Option<usize> {
    let behind = |word: &str| why.split_once(word).map(|(_, behind)| behind);
    let digits = behind("line ").or_else(|| behind("lines "))?;
    let end = digits.find(|c: char| !c.is_ascii_digit());
    digits[..end.unwrap_or(digits.len())].parse().ok()
}

impl CoreError for MisspelledKey {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Config
    }

    fn hint(&self) -> HintText {
        hint![" ", NextStep::CheckConfig, " lists all findings."]
    }

    fn details(&self) -> Value {
        json!({
            "file": self.file,
            "line": self.line,
            "key": self.key,
            "nearest": self.nearest,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{chant, speckit};

    #[test]
    fn findings_name_their_lines_in_every_layout() {
        let text = "\u{feff}\n---\n# a\nproject: {name: x}\nlimts:\n  a: 1\nagents:\n  own: {command: [a],\n    modle: b}\nrepos:\n- name: a\n  pth: b\n---\nbody\n";
        let lines: Vec<_> = in_front_matter("f", text, &chant::PROJECTS)
            .into_iter()
            .map(|finding| (finding.line, finding.key))
            .collect();
        let expected = [(5, "limts"), (9, "agents.own.modle"), (12, "repos[0].pth")];
        let expected = expected.map(|(line, key)| (Some(line), key.to_owned()));
        assert_eq!(lines, expected);
    }

    #[test]
    fn what_cannot_be_read_is_one_finding_with_its_line() {
        for (text, line) in [("a: 1\nb: [\n", Some(3)), ("- a\n", None)] {
            let found = in_yaml("f", text, &speckit::FEATURES);
            assert_eq!(found.len(), 1, "{text}");
            assert!(line.is_none() || found[0].line == line, "{found:?}");
            assert!(found[0].is_mistake() && !found[0].is_near());
        }
        let found = in_front_matter("f", "---\na: 1\n", &chant::PROJECTS);
        assert_eq!((found[0].kind(), found[0].line), ("unreadable", Some(1)));
    }

    #[test]
    fn a_key_that_is_nearly_known_is_refused_with_all_that_helps() {
        let text = "checks: {}\nchek: {}\nstrct: {}\nother: 1\n";
        let found = in_yaml(".specify/chant-mcp.yml", text, &speckit::FEATURES);
        let refusal = refuse_misspelled(&found).unwrap_err().to_string();
        for part in [
            "`chek` in .specify/chant-mcp.yml:2",
            "nearly `checks`",
            "1 more",
        ] {
            assert!(refusal.contains(part), "{refusal}");
        }
        let found = in_yaml("f", "other: 1\n", &speckit::FEATURES);
        assert_eq!((found.len(), refuse_misspelled(&found)), (1, Ok(())));
    }
}
