//! The shapes of answers about configuration files.

use serde::Serialize;

use super::check::{CheckedFile, ConfigFinding};

/// A finding about a configuration file.
#[derive(Debug, Clone, Serialize)]
pub struct ConfigFindingView {
    file: String,
    line: Option<usize>,
    #[serde(flatten)]
    columns: Option<ConfigColumns>,
    key: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<String>,
    /// True if nothing acts until it is settled.
    blocks: bool,
    message: String,
}

/// Where on its line a finding is, and where it ends.
#[derive(Debug, Clone, Serialize)]
struct ConfigColumns {
    column: usize,
    end_line: usize,
    end_column: usize,
}

impl ConfigFindingView {
    /// A finding, with the columns of its words if they are asked for.
    pub fn of(finding: &ConfigFinding, places: bool) -> Self {
        let place = finding.place.filter(|_| places);
        Self {
            file: finding.file.clone(),
            line: finding.line.or(place.map(|place| place.line)),
            columns: place.map(|place| ConfigColumns {
                column: place.column,
                end_line: place.end_line,
                end_column: place.end_column,
            }),
            key: finding.key.clone(),
            kind: finding.kind(),
            nearest: finding.nearest().map(str::to_owned),
            blocks: finding.is_near(),
            message: finding.to_string(),
        }
    }
}

/// A configuration file that applies.
#[derive(Debug, Serialize)]
struct ConfigFileView {
    file: String,
    findings: usize,
}

/// All configuration files that apply, and what is to be said about them.
#[derive(Debug, Serialize)]
pub struct ConfigReport {
    files: Vec<ConfigFileView>,
    findings: Vec<ConfigFindingView>,
    /// Findings that are mistakes; the others are notes.
    mistakes: usize,
}

impl From<&[CheckedFile]> for ConfigReport {
    fn from(files: &[CheckedFile]) -> Self {
        let findings = || files.iter().flat_map(|file| &file.findings);
        let entry = |file: &CheckedFile| ConfigFileView {
            file: file.path.clone(),
            findings: file.findings.len(),
        };
        Self {
            files: files.iter().map(entry).collect(),
            findings: findings()
                .map(|finding| ConfigFindingView::of(finding, false))
                .collect(),
            mistakes: findings().filter(|finding| finding.is_mistake()).count(),
        }
    }
}
