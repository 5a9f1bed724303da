//! Splits a spec into members, as far as it needs no process: reads an agent's answer, decides
//! whether it is a proposal, and writes the texts (reference chant 6.11).
//!
//! `answer_json` and `answer_markdown` read an answer, [`proposal`] decides whether it is good
//! enough and repairs small faults, and [`mod@write`] creates files from it.

mod answer_json;
mod answer_markdown;
pub mod proposal;
pub mod write;

use serde::Deserialize;

use super::output;
use super::view::split::ProposedMember;
use chant_config::Config;
use chant_specs::model::Spec;
use chant_specs::scores::{QualityGrade, SpecScores, SpecSize};

/// The number of levels of members in a split without an explicit depth (seed chant,
/// `chant_split`).
pub const DEPTH: u32 = 3;
/// The greatest number of levels.
pub const DEEPEST: u32 = 9;

/// The options of a split.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SplitRequest<'a> {
    /// True if the proposal is written without a question.
    pub force: bool,
    /// True if members that are still too complex are split, too.
    pub recursive: bool,
    /// The greatest number of levels of members; [`DEPTH`] if not given.
    pub max_depth: Option<i64>,
    /// True if a waiting proposal is ignored.
    pub fresh: bool,
    /// The run whose proposal a person saw and agreed to: only that one is written.
    pub agreed: Option<&'a str>,
}

/// The question to a person about a waiting proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitQuestion {
    /// The run of the proposal; consent applies to this one.
    pub process_id: String,
    /// The question, with the proposal.
    pub text: String,
}

/// Returns true if a spec is too much for one agent at once, by its grade or by the thresholds of
/// lint.
pub fn is_complex(spec: &Spec, config: &Config) -> bool {
    let size = SpecSize::of(spec);
    let most = &config.thresholds;
    let measures = [
        (
            "complexity_criteria", size.criteria, most.complexity_criteria,
        ),
        ("complexity_files", size.files, most.complexity_files),
        ("complexity_words", size.words, most.complexity_words),
    ];
    let is_over =
        |(name, count, most): (&str, usize, usize)| count > most && !config.disables(name);
    SpecScores::of(spec, size, &[]).complexity == QualityGrade::D
        || measures.into_iter().any(is_over)
}

/// The reasons why an agent's answer is no proposal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAnswer {
    /// It has no members in either form.
    #[error("No member specs found in agent output")]
    NoMembers,
    /// Its JSON does not have the requested form.
    #[error("The agent's JSON does not have the requested form: {}", .0.join("; "))]
    Form(Vec<String>),
    /// Its members cannot be written as they are.
    #[error("The agent's proposal cannot be used: {}", .0.join("; "))]
    Unfit(Vec<String>),
}

/// Returns the members in an agent's output: JSON in a fenced block, or else headings of Markdown.
///
/// # Errors
/// `NoMembers`, or `Form` for JSON of another form.
pub fn members_in(said: &str) -> Result<Vec<ProposedMember>, BadAnswer> {
    let blocks = output::fenced_blocks(said);
    let texts = blocks.iter().map(|(_, text)| text.as_str());
    // An agent that thinks aloud gives its result last.
    if let Some(members) = texts.rev().chain([said]).find_map(answer_json::members) {
        return members;
    }
    let texts = blocks.iter().map(|(_, text)| text.as_str());
    let found = [said]
        .into_iter()
        .chain(texts.rev())
        .map(answer_markdown::members)
        .find(|members| !members.is_empty());
    found.ok_or(BadAnswer::NoMembers)
}
