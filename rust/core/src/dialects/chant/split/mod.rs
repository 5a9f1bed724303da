//! Splitting a spec into members, as far as it needs no process: what an agent answered, whether that is
//! a proposal, and the texts that come of it (reference chant 6.11).
//!
//! [`answer_json`] and [`answer_markdown`] read an answer, [`proposal`] decides whether it will do and
//! mends what can be mended, and [`write`] makes files of it.

mod answer_json;
mod answer_markdown;
pub mod proposal;
pub mod write;

use super::model::Spec;
use super::output;
use super::scores::{Grade, Scores, Size};
use super::view::split::Member;
use crate::config::Config;

/// How many levels of members a split makes when nothing is said about it (seed chant, `chant_split`).
pub const DEPTH: u32 = 3;
/// More levels than any spec needs.
pub const DEEPEST: u32 = 9;

/// What a split is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wish<'a> {
    /// The proposal is written without a question.
    pub force: bool,
    /// Members that are still too complex are split, too.
    pub recursive: bool,
    /// So many levels of members at the most; [`DEPTH`] when not given.
    pub max_depth: Option<i64>,
    /// A proposal that waits is passed over.
    pub fresh: bool,
    /// The run whose proposal somebody saw and agreed to: that one is written, or nothing.
    pub agreed: Option<&'a str>,
}

/// What a person is asked about a proposal that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The run whose proposal it is; who agrees, agrees to this one.
    pub process_id: String,
    /// The question, with the proposal.
    pub text: String,
}

/// Whether a spec is more than one agent should be given at once: by its grade, or by the thresholds that
/// lint goes by.
pub fn is_complex(spec: &Spec, config: &Config) -> bool {
    let size = Size::of(spec);
    let most = &config.thresholds;
    let measures = [
        (
            "complexity_criteria",
            size.criteria,
            most.complexity_criteria,
        ),
        ("complexity_files", size.files, most.complexity_files),
        ("complexity_words", size.words, most.complexity_words),
    ];
    let is_over =
        |(name, count, most): (&str, usize, usize)| count > most && !config.disables(name);
    Scores::of(spec, size, &[]).complexity == Grade::D || measures.into_iter().any(is_over)
}

/// Why an agent's answer is no proposal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAnswer {
    /// It holds no members in either form.
    #[error("No member specs found in agent output")]
    NoMembers,
    /// Its JSON is not of the form that was asked for.
    #[error("The agent's JSON is not of the form that was asked for: {}", .0.join("; "))]
    Form(Vec<String>),
    /// Members cannot be written as they are.
    #[error("The agent's proposal will not do: {}", .0.join("; "))]
    Unfit(Vec<String>),
}

/// The members in what an agent said: JSON in a fenced block, or else headings of markdown.
///
/// # Errors
/// `NoMembers`, or `Form` for JSON of another form.
pub fn members_in(said: &str) -> Result<Vec<Member>, BadAnswer> {
    let blocks = output::fenced(said);
    let texts = blocks.iter().map(|(_, text)| text.as_str());
    // An agent that thinks aloud says last what it means.
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
