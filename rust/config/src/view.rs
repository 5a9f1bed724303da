//! The shapes of answers about configuration files.

use serde::Serialize;

use super::check::{CheckedFile, ConfigFinding};

/// A finding about a configuration file.
#[derive(Debug, Clone, Serialize)]
pub struct ConfigFindingView {
    file: String,
    line: Option<usize>,
    key: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<String>,
    /// True if nothing acts until it is settled.
    blocks: bool,
    message: String,
}

impl From<&ConfigFinding> for ConfigFindingView {
    fn from(finding: &ConfigFinding) -> Self {
        Self {
            file: finding.file.clone(),
            line: finding.line,
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
            findings: findings().map(ConfigFindingView::from).collect(),
            mistakes: findings().filter(|finding| finding.is_mistake()).count(),
        }
    }
}
