//! Splits: the proposal of a run, as its record keeps it and as answers report it.

use serde::{Deserialize, Serialize};

/// The members that an agent proposes for a spec.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitProposal {
    /// Names the text of the spec that was looked at: what is written later has to be made of the same.
    pub of: String,
    /// The members, in the order in which they can be worked on.
    pub members: Vec<ProposedMember>,
    /// The parts that were left out of the agent's answer, or could not be done, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The IDs that the members were written under; empty while the proposal waits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<String>,
}

impl SplitProposal {
    /// Returns the number of specs it would make, members of members included.
    pub fn count(&self) -> usize {
        self.members.iter().map(ProposedMember::count).sum()
    }
}

/// One proposed spec.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedMember {
    /// Its title.
    pub title: String,
    /// The work to be done.
    pub description: String,
    /// The rest of what is said about it, under headings of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<ProposedSection>,
    /// Acceptance criteria.
    pub criteria: Vec<String>,
    /// Files the work touches.
    #[serde(default)]
    pub target_files: Vec<String>,
    /// The numbers of the members beside it that come first, from 1.
    #[serde(default)]
    pub depends_on: Vec<usize>,
    /// The members that it is split into itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<ProposedMember>,
}

impl ProposedMember {
    fn count(&self) -> usize {
        1 + self.members.iter().map(Self::count).sum::<usize>()
    }
}

/// A part of a member's text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedSection {
    /// Its heading.
    pub title: String,
    /// The text below it.
    pub text: String,
}

/// A run that splits a spec.
#[derive(Debug, Serialize)]
pub struct SplitRun<'a> {
    /// Its name.
    pub process_id: &'a str,
    /// The spec.
    pub spec_id: &'a str,
    /// The runner's process number.
    pub pid: u32,
    /// `running`, `completed` or `failed`.
    pub status: &'static str,
    /// RFC 3339.
    pub started_at: &'a str,
    /// `split`.
    pub mode: &'a str,
    /// The options of the split.
    pub options: SplitOptions,
    /// Its log, relative to the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<&'a str>,
    /// Why it stands as it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    /// The proposal, once that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<&'a SplitProposal>,
}

/// The options of a split.
#[derive(Debug, Serialize)]
pub struct SplitOptions {
    /// The proposal is written without a question.
    pub force: bool,
    /// Members that are still too complex are split, too.
    pub recursive: bool,
    /// So many levels of members at the most.
    pub max_depth: u32,
}
