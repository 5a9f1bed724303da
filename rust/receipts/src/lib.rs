//! The receipt of a completion: the judged criteria, the commit and tree, and the results of
//! checks. It is one file of canonical JSON under a ref of its own
//! (`refs/chant/receipts/<spec>/<token>`).
//!
//! A receipt is a claim: a user who can write the ref can write anything. [`judgement`] decides
//! which parts the repository itself proves. Nothing here touches git or the disk.

mod claims;
mod criterion;
pub mod finding;
pub mod judgement;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use chant_base::answer::cut;
use chant_evidence::ProofWord;
use chant_store::digest::sha256;
use chant_store::state::escape_name;
use chant_text::canonical::canonical;
use chant_work::run_record::{CheckEntry, HeldCodeEntry, JudgedEntry};

pub use criterion::CriterionAtStart;

/// The folder of refs of receipts.
pub const RECEIPTS: &str = "refs/chant/receipts/";
/// The version of the layout in which receipts are written.
pub const FORMAT: u64 = 1;
/// The greatest size of a receipt in bytes; a larger file is no receipt.
pub const MAX_BYTES: usize = 64 * 1024;

/// The greatest number of criteria, checks and commits in a receipt; the hash covers all criteria.
const MAX_LISTED: usize = 100;
/// The characters that are kept of a criterion, of a name, and of a word of a command line.
const MAX_CHARS: usize = 300;
/// The number of words of a command line that are kept.
const MAX_WORDS: usize = 30;

/// A receipt, key by key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletionReceipt {
    /// The format, [`FORMAT`].
    pub format: u64,
    /// The spec.
    pub spec: String,
    /// The way in which it was completed.
    pub completed: CompletedBy,
    /// The part of its ref's name that differs between receipts of the spec: the number of the run,
    /// or a time for a completion by hand.
    pub token: String,
    /// The judged criteria.
    pub criteria: JudgedCriteria,
    /// The commit with which the work landed, or that was checked out.
    pub commit: String,
    /// The tree of that commit.
    pub tree: String,
    /// The branch on which it landed, or that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The commit of that branch before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The commits of the work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    /// True if these landed in place of the agent's own, which were squashed or rewritten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rewritten: bool,
    /// The checks that were run.
    #[serde(default)]
    pub checks: Vec<CheckEntry>,
    /// The changes to the tests that judge the work, and whether a person agreed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedEntry>,
    /// The code that the checks hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldCodeEntry>,
    /// The agent, by its name in the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The confinement of the run, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confinement: Option<String>,
    /// The layers that its checks ran with: recipe, key and hash of the content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// The start of the run, RFC 3339, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// The time at which the spec was completed, RFC 3339, UTC.
    pub ended_at: String,
    /// The reason why a person accepted that its work was done already: the words of the agent of its newest run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub already_done: Option<String>,
    /// The cost of the run: whole numbers by their units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<BTreeMap<String, u64>>,
}

/// The ways in which a spec is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompletedBy {
    /// By a run, which was judged.
    Run,
    /// By hand: no check was run.
    Hand,
}

/// The criteria of a spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedCriteria {
    /// The hash of the texts of all of them, in their order.
    pub hash: String,
    /// Their number.
    pub count: usize,
    /// The number of ticked ones.
    pub ticked: usize,
    /// The first of them; empty if they would not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<JudgedCriterion>,
}

/// One criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedCriterion {
    /// The start of its text.
    pub text: String,
    /// True if it was ticked.
    pub ticked: bool,
    /// The checks that it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// The word for it: `red→green`, `regression`, `by hand` or `no check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
}

impl JudgedCriteria {
    /// Returns the record of criteria in a receipt.
    pub fn of(criteria: &[CriterionAtStart]) -> Self {
        let item = |criterion: &CriterionAtStart| JudgedCriterion {
            text: cut(&criterion.text, MAX_CHARS),
            ticked: criterion.checked,
            checks: short(&criterion.checks),
            word: None,
        };
        Self {
            hash: hash(criteria),
            count: criteria.len(),
            ticked: criteria
                .iter()
                .filter(|criterion| criterion.checked)
                .count(),
            items: criteria.iter().take(MAX_LISTED).map(item).collect(),
        }
    }

    /// The same criteria, each with what is known of it by its place.
    #[must_use]
    pub fn with_words(mut self, word: impl Fn(usize) -> Option<ProofWord>) -> Self {
        for (at, item) in self.items.iter_mut().enumerate() {
            item.word = word(at).map(|word| word.name().to_owned());
        }
        self
    }
}

/// Shortens the claimed result of a check to the limits of a receipt.
fn shortened(check: CheckEntry) -> CheckEntry {
    let words = check.command.iter().take(MAX_WORDS);
    CheckEntry {
        name: cut(&check.name, MAX_CHARS),
        command: words.map(|word| cut(word, MAX_CHARS)).collect(),
        flaky: short(&check.flaky),
        ..check
    }
}

impl CompletionReceipt {
    /// Returns the receipt's text: canonical JSON of at most [`MAX_BYTES`] bytes. Parts that do
    /// not fit are left out, the command lines of checks last; the hash of the criteria covers all
    /// of them in any case.
    pub fn text(&self) -> String {
        let mut own = self.clone();
        own.commits.truncate(MAX_LISTED);
        own.checks.truncate(MAX_LISTED);
        own.environment = short(&own.environment);
        if let Some(judged) = &mut own.judged {
            for lines in [&mut judged.weaker, &mut judged.look, &mut judged.not_read] {
                *lines = short(lines);
            }
        }
        if let Some(held) = &mut own.held {
            held.pieces.truncate(MAX_LISTED);
        }
        own.checks = own.checks.into_iter().map(shortened).collect();
        for said in [
            &mut own.agent, &mut own.model, &mut own.confinement, &mut own.already_done,
        ] {
            *said = said.take().map(|said| cut(&said, MAX_CHARS));
        }
        let leave_out: [fn(&mut Self); 4] = [
            |_| (),
            |own| {
                if let Some(judged) = &mut own.judged {
                    judged.look.clear();
                    judged.not_read.clear();
                }
                if let Some(held) = &mut own.held {
                    held.pieces.clear();
                }
            },
            |own| own.criteria.items.clear(),
            |own| {
                for check in &mut own.checks {
                    check.command.clear();
                }
            },
        ];
        let mut text = String::new();
        for leave_out in leave_out {
            leave_out(&mut own);
            text = canonical(&serde_json::to_value(&own).unwrap_or_default());
            if text.len() <= MAX_BYTES {
                break;
            }
        }
        text
    }

    /// Returns the name of its ref.
    pub fn name(&self) -> String {
        format!("{}{}", folder_of(&self.spec), self.token)
    }

    /// Returns true if another receipt belongs to the same completion.
    pub fn is_of_same(&self, other: &Self) -> bool {
        let identity = |one: &Self| {
            (
                one.spec.clone(),
                one.completed,
                one.started_at.clone(),
                one.commit.clone(),
            )
        };
        self.completed == CompletedBy::Run && identity(self) == identity(other)
    }
}

/// The reasons why a file is not read as a receipt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptError {
    /// It is not a receipt.
    #[error("it cannot be read as a receipt: {0}")]
    Unreadable(String),
    /// It comes from a later release.
    #[error("its format {0} needs a later release; install that and try again")]
    LaterFormat(u64),
    /// It is not written in our way.
    #[error("it is not canonical JSON, so no completion wrote it")]
    NotCanonical,
}

/// Reads a kept text as a receipt.
///
/// # Errors
/// The reason why it is no receipt.
pub fn parse(bytes: &[u8]) -> Result<CompletionReceipt, ReceiptError> {
    let unreadable = |error: serde_json::Error| ReceiptError::Unreadable(error.to_string());
    let value: Value = serde_json::from_slice(bytes).map_err(unreadable)?;
    match value["format"].as_u64() {
        Some(FORMAT) => {}
        Some(format) if format > FORMAT => return Err(ReceiptError::LaterFormat(format)),
        _ => {
            let why = format!("expected `format` {FORMAT}");
            return Err(ReceiptError::Unreadable(why));
        }
    }
    if canonical(&value).as_bytes() != bytes {
        return Err(ReceiptError::NotCanonical);
    }
    let receipt: CompletionReceipt = serde_json::from_value(value).map_err(unreadable)?;
    let ids = [&receipt.commit, &receipt.tree].into_iter();
    let ids = ids.chain(receipt.checks.iter().map(|check| &check.tree));
    if let Some(wrong) = ids.into_iter().find(|id| !is_object(id)) {
        let why = format!("`{}` is no id of git", cut(wrong, 80));
        return Err(ReceiptError::Unreadable(why));
    }
    Ok(receipt)
}

/// Returns the folder of refs of a spec's receipts.
pub fn folder_of(spec_id: &str) -> String {
    format!("{RECEIPTS}{}/", escape_name(spec_id))
}

/// Returns true if a name below [`RECEIPTS`] can be that of a receipt: the name of a spec, and a
/// token.
pub fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_spec = |text: &str| {
        (1..=200).contains(&text.len()) && text.bytes().all(|b| is_plain(b) || b"%.-".contains(&b))
    };
    let is_token = |text: &str| {
        let first = text.bytes().next();
        text.len() <= 64
            && first.is_some_and(is_plain)
            && text.bytes().all(|byte| is_plain(byte) || byte == b'-')
    };
    name.split_once('/')
        .is_some_and(|(spec, token)| is_spec(spec) && is_token(token))
}

/// Returns the hash of the texts of criteria, in their order.
pub fn hash(criteria: &[CriterionAtStart]) -> String {
    let texts = criteria.iter().map(|criterion| &*criterion.text).collect();
    let texts: Vec<&str> = texts;
    sha256(canonical(&Value::from(texts)).as_bytes())
}

/// Returns true if a text is the full id of a git object.
pub fn is_object(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn short(names: &[String]) -> Vec<String> {
    let names = names.iter().take(MAX_LISTED);
    names.map(|name| cut(name, MAX_CHARS)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn criteria(texts: &[&str]) -> Vec<CriterionAtStart> {
        let criterion = |text: &&str| CriterionAtStart {
            text: (*text).to_owned(),
            checked: true,
            checks: Vec::new(),
        };
        texts.iter().map(criterion).collect()
    }

    pub(super) fn receipt() -> CompletionReceipt {
        CompletionReceipt {
            format: FORMAT,
            spec: "001".into(),
            completed: CompletedBy::Run,
            token: "3".into(),
            criteria: JudgedCriteria::of(&criteria(&["Works", "Tested"])),
            commit: "a".repeat(40),
            tree: "b".repeat(40),
            target: Some("main".into()),
            base: None,
            commits: Vec::new(),
            rewritten: false,
            checks: vec![CheckEntry {
                name: "unit".into(),
                command: vec!["make".into(), "test".into()],
                exit: Some(0),
                ms: 12,
                tree: "b".repeat(40),
                flaky: Vec::new(),
                proof: None,
            }],
            agent: Some("claude".into()),
            model: None,
            confinement: None,
            started_at: Some("2026-01-22T10:00:00.000Z".into()),
            ended_at: "2026-01-22T10:05:00Z".into(),
            environment: Vec::new(),
            judged: None,
            held: None,
            already_done: None,
            cost: None,
        }
    }

    #[test]
    fn a_receipt_is_one_text_and_reads_back() {
        let text = receipt().text();
        assert!(text.starts_with(r#"{"agent":"claude","checks":[{"command":["make","test"],"#));
        assert!(text.contains(r#""format":1,"spec":"001","started_at":"#));
        assert_eq!(parse(text.as_bytes()), Ok(receipt()));
        assert_eq!(receipt().name(), "refs/chant/receipts/001/3");
    }

    #[test]
    fn what_is_no_receipt_of_ours_is_named() {
        let text = receipt().text();
        let with = |from: &str, to: &str| parse(text.replace(from, to).as_bytes());
        assert_eq!(
            with("\"agent\":", "\"agent\": "),
            Err(ReceiptError::NotCanonical)
        );
        assert_eq!(
            with("\"format\":1", "\"format\":2"),
            Err(ReceiptError::LaterFormat(2))
        );
        for (from, to) in [
            ("\"format\":1", "\"format\":\"1\""),
            (&*"a".repeat(40), "HEAD"),
            (&*"a".repeat(40), &*"A".repeat(40)),
            ("\"spec\":\"001\",", ""),
        ] {
            let read = with(from, to);
            assert!(
                matches!(read, Err(ReceiptError::Unreadable(_))),
                "{to}: {read:?}"
            );
        }
        assert!(matches!(parse(b"\xff"), Err(ReceiptError::Unreadable(_))));
    }

    #[test]
    fn the_hash_counts_words_and_their_order_and_no_ticks() {
        let mut open = criteria(&["Works", "Tested"]);
        open[1].checked = false;
        assert_eq!(hash(&open), hash(&criteria(&["Works", "Tested"])));
        for other in [
            &["Works", "Tested well"][..],
            &["Tested", "Works"],
            &["Works"],
            &["Works\",\"Tested"],
        ] {
            assert_ne!(hash(&open), hash(&criteria(other)), "{other:?}");
        }
    }

    #[test]
    fn a_receipt_is_bounded_whatever_it_tells_of() {
        let mut large = receipt();
        let long = "\u{e9}".repeat(400);
        large.criteria = JudgedCriteria::of(&criteria(&vec![&*long; 150]));
        large.commits = vec!["c".repeat(40); 500];
        large.checks[0].command = vec![long.clone(); 40];
        large.checks = vec![large.checks[0].clone(); 150];
        (large.agent, large.confinement) = (Some(long.clone()), Some(long));
        let text = large.text();
        assert!(text.len() <= MAX_BYTES, "{}", text.len());
        let read = parse(text.as_bytes()).unwrap();
        assert_eq!((read.criteria.count, read.criteria.ticked), (150, 150));
        assert_eq!(read.criteria.hash, large.criteria.hash);
        assert_eq!(read.checks.len(), MAX_LISTED);
    }

    #[test]
    fn names_of_refs_are_made_of_a_spec_and_a_token() {
        for name in [
            "001/3",
            "2026-01-22-001-x7m.1/hand-20260122t100000z-2",
            "%41/1",
        ] {
            assert!(is_name(name), "{name}");
        }
        for name in [
            "001", "001/", "/1", "001/3/4", "001/..", "A/1", "001/-x", "a b/1", "001/A",
        ] {
            assert!(!is_name(name), "{name}");
        }
    }
}
