//! What a completion leaves behind: which criteria were judged, on which commit and tree, what the checks
//! said. One file of canonical JSON under a ref of its own (`refs/chant/receipts/<spec>/<token>`).
//!
//! A receipt is a claim. It is signed by no one, so who can write the ref can write what they like; [`judged`]
//! says what of it the repository itself bears out. Nothing here touches git or the disk.

pub mod judged;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::evidence::CriterionAtStart;
use crate::answer::cut;
use crate::store::digest::sha256;
use crate::store::state::escaped;
use crate::text::canonical::canonical;

/// The folder of refs that receipts have.
pub const RECEIPTS: &str = "refs/chant/receipts/";
/// The layout that is written here.
pub const FORMAT: u64 = 1;
/// Bytes of a receipt at the most; a larger file is none.
pub const MOST_BYTES: usize = 64 * 1024;

/// Criteria, checks and commits that are listed at the most; the hash counts all criteria.
const MOST_LISTED: usize = 100;
/// Characters of a criterion, of a name, and of a word of a command line that are kept.
const MOST_CHARS: usize = 300;
/// Words of a command line that are kept.
const MOST_WORDS: usize = 30;

/// A receipt, key by key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletionReceipt {
    /// [`FORMAT`].
    pub format: u64,
    /// The spec.
    pub spec: String,
    /// How it was completed.
    pub completed: CompletedBy,
    /// What distinguishes it from other receipts of the spec, and names its ref: the number of the run, or for a
    /// completion by hand a moment.
    pub token: String,
    /// The criteria as they were judged.
    pub criteria: JudgedCriteria,
    /// The commit that the work landed with, or that was checked out.
    pub commit: String,
    /// The files of that commit.
    pub tree: String,
    /// The branch that it landed on, or that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Where that branch stood before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The commits of the work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    /// The checks that were run.
    #[serde(default)]
    pub checks: Vec<CheckClaim>,
    /// The agent, by its name in the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How the run was held, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confinement: Option<String>,
    /// When the run began, RFC 3339, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// When the spec was completed, RFC 3339, UTC.
    pub ended_at: String,
    /// What the run cost: whole numbers by what they count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<BTreeMap<String, u64>>,
}

/// How a spec was completed.
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
    /// What stands for the texts of all of them, in their order.
    pub hash: String,
    /// How many there are.
    pub count: usize,
    /// How many were ticked.
    pub ticked: usize,
    /// The first of them; none where they would not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<JudgedCriterion>,
}

/// One criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedCriterion {
    /// How its text begins.
    pub text: String,
    /// Whether it was ticked.
    pub ticked: bool,
    /// The checks that it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
}

/// What is claimed of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckClaim {
    /// Its name in the configuration.
    pub name: String,
    /// Its command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Its exit code; `None` when it did not end by itself.
    pub exit: Option<i32>,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The tree that it looked at.
    pub tree: String,
}

impl JudgedCriteria {
    /// What a receipt says of criteria.
    pub fn of(criteria: &[CriterionAtStart]) -> Self {
        let item = |criterion: &CriterionAtStart| JudgedCriterion {
            text: cut(&criterion.text, MOST_CHARS),
            ticked: criterion.checked,
            checks: short(&criterion.checks),
        };
        Self {
            hash: hash(criteria),
            count: criteria.len(),
            ticked: criteria
                .iter()
                .filter(|criterion| criterion.checked)
                .count(),
            items: criteria.iter().take(MOST_LISTED).map(item).collect(),
        }
    }
}

impl CheckClaim {
    /// The same, in the room that a receipt has.
    #[must_use]
    pub fn shortened(self) -> Self {
        let words = self.command.iter().take(MOST_WORDS);
        Self {
            name: cut(&self.name, MOST_CHARS),
            command: words.map(|word| cut(word, MOST_CHARS)).collect(),
            ..self
        }
    }
}

impl CompletionReceipt {
    /// The receipt as it is written: canonical JSON of at most [`MOST_BYTES`] bytes. What does not fit is left
    /// out, the command lines of checks last; the hash of the criteria stands for all of them in any case.
    pub fn text(&self) -> String {
        let mut own = self.clone();
        own.commits.truncate(MOST_LISTED);
        own.checks.truncate(MOST_LISTED);
        own.checks = own.checks.into_iter().map(CheckClaim::shortened).collect();
        for said in [&mut own.agent, &mut own.model, &mut own.confinement] {
            *said = said.take().map(|said| cut(&said, MOST_CHARS));
        }
        let leave_out: [fn(&mut Self); 3] = [
            |_| (),
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
            if text.len() <= MOST_BYTES {
                break;
            }
        }
        text
    }

    /// The ref that keeps it.
    pub fn name(&self) -> String {
        format!("{}{}", folder_of(&self.spec), self.token)
    }

    /// Whether another one is of the same completion.
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

/// Why a file is not read as a receipt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptError {
    /// It is no receipt.
    #[error("it cannot be read as a receipt: {0}")]
    Unreadable(String),
    /// It is of a later release.
    #[error("it is of format {0}, which a later release reads; install that and try again")]
    LaterFormat(u64),
    /// It is written in another way than ours.
    #[error("it is not written as canonical JSON, so that it is not what was left by a completion")]
    NotCanonical,
}

/// Reads what is kept under a ref as a receipt.
///
/// # Errors
/// Why it is none.
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

/// The folder of refs of a spec's receipts.
pub fn folder_of(spec_id: &str) -> String {
    format!("{RECEIPTS}{}/", escaped(spec_id))
}

/// Whether a name below [`RECEIPTS`] can be that of a receipt: what stands for a spec, and a token.
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

/// What stands for the texts of criteria, in their order.
pub fn hash(criteria: &[CriterionAtStart]) -> String {
    let texts = criteria.iter().map(|criterion| &*criterion.text).collect();
    let texts: Vec<&str> = texts;
    sha256(canonical(&Value::from(texts)).as_bytes())
}

/// Whether a text is the full id of something in git.
pub fn is_object(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn short(names: &[String]) -> Vec<String> {
    let names = names.iter().take(MOST_LISTED);
    names.map(|name| cut(name, MOST_CHARS)).collect()
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
            checks: vec![CheckClaim {
                name: "unit".into(),
                command: vec!["make".into(), "test".into()],
                exit: Some(0),
                ms: 12,
                tree: "b".repeat(40),
            }],
            agent: Some("claude".into()),
            model: None,
            confinement: None,
            started_at: Some("2026-01-22T10:00:00.000Z".into()),
            ended_at: "2026-01-22T10:05:00Z".into(),
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
        assert!(text.len() <= MOST_BYTES, "{}", text.len());
        let read = parse(text.as_bytes()).unwrap();
        assert_eq!((read.criteria.count, read.criteria.ticked), (150, 150));
        assert_eq!(read.criteria.hash, large.criteria.hash);
        assert_eq!(read.checks.len(), MOST_LISTED);
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
