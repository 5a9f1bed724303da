//! Compares a receipt with the repository: facts that commits, trees and the spec's file prove,
//! mere claims, and contradictions.

use std::collections::BTreeMap;
use std::fmt;

use super::claims::claims;
use super::finding::{FindingKind, ReceiptFinding};
use super::{CompletedBy, CompletionReceipt, CriterionAtStart, JudgedCriteria, hash};
use chant_base::answer::cut;

/// The number of characters of a git id that is shown to people.
const SHORT: usize = 10;
/// The greatest number of a receipt's characters that a line repeats.
pub(super) const MAX_SHOWN: usize = 200;
/// The greatest number of criteria in a finding.
const MAX_NAMED: usize = 5;

/// The places of a receipt's work in history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReceiptLocation {
    /// Its commit is in the named history.
    Commit {
        /// The history.
        of: String,
        /// The commit's tree.
        tree: String,
    },
    /// Another commit with the same tree is in the history.
    SameTree {
        /// The history.
        of: String,
        /// The commit with that tree.
        commit: String,
    },
    /// Neither the commit nor its tree is in the history.
    Absent {
        /// The history.
        of: String,
        /// True if the history ends early, in a shallow clone.
        is_shallow: bool,
    },
}

/// The present state of a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentSpec {
    /// Its status, unless it is `completed`.
    pub open_as: Option<String>,
    /// Its criteria.
    pub criteria: Vec<CriterionAtStart>,
}

/// The repository's facts about the objects that a receipt names.
pub struct ReceiptFacts<'a> {
    /// The name of its ref.
    pub name: &'a str,
    /// The spec.
    pub spec: &'a CurrentSpec,
    /// The place of its work in history.
    pub place: &'a ReceiptLocation,
    /// The spec's criteria in the landed files, if these contain the spec.
    pub landed_criteria: Option<&'a [CriterionAtStart]>,
    /// Returns true if some commit of the history has a tree.
    pub knows_tree: &'a dyn Fn(&str) -> bool,
    /// Returns the ref that keeps a tree of the agent's own commits, which landed as others.
    pub kept_tree: &'a dyn Fn(&str) -> Option<String>,
    /// The checks that are configured.
    pub configured: &'a BTreeMap<String, Vec<String>>,
    /// The results of checks that were run again now.
    pub again: &'a [RepeatedCheck],
}

/// A check that was run again on the landed files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedCheck {
    /// Its name.
    pub name: String,
    /// Its exit code; `None` if it did not end by itself.
    pub exit: Option<i32>,
}

impl fmt::Display for RepeatedCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "check '{}' {}", self.name, ended(self.exit))
    }
}

/// A receipt with its facts, claims and contradictions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JudgedReceipt {
    /// Facts that the repository alone proves.
    pub derived: Vec<String>,
    /// Facts that only the receipt states: a user who could push it could invent them.
    pub claimed: Vec<String>,
    /// Contradictions.
    pub findings: Vec<ReceiptFinding>,
}

impl JudgedReceipt {
    /// Returns true if it has no contradictions.
    pub fn holds(&self) -> bool {
        self.findings.is_empty()
    }

    /// Returns the result for a receipt that cannot be read.
    pub fn unreadable(why: String) -> Self {
        let mut judged = Self::default();
        judged.find(FindingKind::Unreadable, why);
        judged
    }

    fn find(&mut self, kind: FindingKind, text: impl Into<String>) {
        let text = text.into();
        self.findings.push(ReceiptFinding { kind, text });
    }

    fn derive(&mut self, text: impl Into<String>) {
        self.derived.push(text.into());
    }
}

/// Compares a receipt with the facts of the repository.
pub fn judge_receipt(receipt: &CompletionReceipt, facts: &ReceiptFacts<'_>) -> JudgedReceipt {
    let mut judged = JudgedReceipt::default();
    if receipt.name() != facts.name {
        let why = format!(
            "it says that it is {}, and lies under another name",
            cut(&receipt.name(), MAX_SHOWN)
        );
        judged.find(FindingKind::WrongName, why);
    }
    look_at_place(&mut judged, receipt, facts.place);
    look_at_spec(&mut judged, &receipt.criteria, facts.spec);
    if let Some(landed) = facts.landed_criteria
        && receipt.completed == CompletedBy::Run
    {
        look_at_landed_criteria(&mut judged, &receipt.criteria, landed);
    }
    look_at_checks(&mut judged, receipt, facts);
    judged.claimed = claims(receipt);
    judged
}

fn look_at_place(judged: &mut JudgedReceipt, receipt: &CompletionReceipt, place: &ReceiptLocation) {
    let (commit, tree) = (short(&receipt.commit), short(&receipt.tree));
    match place {
        ReceiptLocation::Commit { of, tree: own } if *own == receipt.tree => {
            judged.derive(format!("commit {commit} with tree {tree} is in the history of {of}"));
        }
        ReceiptLocation::Commit { tree: own, .. } => judged.find(
            FindingKind::TreeDiffers,
            format!(
                "commit {commit} has tree {}, and the receipt says {tree}: it was not left by that commit",
                short(own)
            ),
        ),
        ReceiptLocation::SameTree { of, commit: same } => judged.derive(format!(
            "commit {} in the history of {of} has the same tree {tree}; commit {commit} itself was squashed, rebased or reworded",
            short(same)
        )),
        ReceiptLocation::Absent { of, is_shallow } => {
            let why = if *is_shallow {
                "; history ends early here: `git fetch --unshallow` brings the rest"
            } else {
                ": it was rewritten, or never landed there"
            };
            judged.find(
                FindingKind::NotInHistory,
                format!("neither commit {commit} nor one with its tree {tree} is in the history of {of}{why}"),
            );
        }
    }
}

fn look_at_spec(judged: &mut JudgedReceipt, then: &JudgedCriteria, today: &CurrentSpec) {
    if let Some(status) = &today.open_as {
        let why = format!("the spec is {status}, not completed");
        judged.find(FindingKind::NotCompleted, why);
    }
    if hash(&today.criteria) == then.hash {
        judged.derive(format!(
            "the spec's criteria ({}) are word for word those that were judged",
            today.criteria.len()
        ));
    } else {
        judged.find(
            FindingKind::CriteriaChanged,
            difference(then, &today.criteria),
        );
    }
    let open = today.criteria.iter().filter(|one| !one.checked);
    let open: Vec<&str> = open.map(|one| &*one.text).collect();
    if open.is_empty() {
        judged.derive("all of them are ticked");
    } else {
        let why = format!("criteria are not ticked: {}", named(&open));
        judged.find(FindingKind::NotTicked, why);
    }
}

/// Describes how criteria differ from those that were judged.
fn difference(then: &JudgedCriteria, now: &[CriterionAtStart]) -> String {
    let texts: Vec<String> = now
        .iter()
        .map(|one| cut(&one.text, super::MAX_CHARS))
        .collect();
    let gone = then.items.iter().filter(|item| !texts.contains(&item.text));
    let gone: Vec<&str> = gone.map(|item| &*item.text).collect();
    let is_known = |text: &&str| then.items.iter().any(|item| item.text == **text);
    let new: Vec<&str> = texts
        .iter()
        .map(String::as_str)
        .filter(|text| !is_known(text))
        .collect();
    let mut parts = Vec::new();
    if then.items.is_empty() {
        parts.push(format!(
            "{} were judged, and {} are there",
            then.count,
            now.len()
        ));
    } else {
        if !gone.is_empty() {
            parts.push(format!("reworded or removed: {}", named(&gone)));
        }
        if !new.is_empty() {
            parts.push(format!("not judged: {}", named(&new)));
        }
        if parts.is_empty() {
            parts.push("their number or their order changed".into());
        }
    }
    format!(
        "the spec's criteria are not those that were judged; {}",
        parts.join("; ")
    )
}

fn look_at_landed_criteria(
    judged: &mut JudgedReceipt,
    then: &JudgedCriteria,
    landed: &[CriterionAtStart],
) {
    let is_ticked = landed.iter().all(|one| one.checked);
    if hash(landed) == then.hash && is_ticked {
        judged.derive("the landed tree holds the spec with these criteria, all ticked");
        return;
    }
    let why = "in the landed tree the spec has other criteria than the receipt says, or open ones";
    judged.find(FindingKind::CriteriaOfTree, why);
}

fn look_at_checks(
    judged: &mut JudgedReceipt,
    receipt: &CompletionReceipt,
    facts: &ReceiptFacts<'_>,
) {
    for check in &receipt.checks {
        let name = cut(&check.name, MAX_SHOWN);
        if check.exit != Some(0) {
            let how = ended(check.exit);
            let why = format!("check '{name}' {how}, by the receipt's own words");
            judged.find(FindingKind::CheckFailed, why);
        }
        if !facts.configured.contains_key(&check.name) {
            let why = format!("check '{name}' is not configured any more");
            judged.find(FindingKind::CheckGone, why);
        }
        let is_there = matches!(facts.place, ReceiptLocation::Commit { .. });
        if (facts.knows_tree)(&check.tree) {
            let tree = short(&check.tree);
            judged.derive(format!("tree {tree}, which check '{name}' is said to have looked at, is that of a commit there"));
        } else if receipt.rewritten {
            // The check looked at commits that are in no history; whether they are kept is seen here alone.
            if let Some(kept) = (facts.kept_tree)(&check.tree) {
                let tree = short(&check.tree);
                judged.derive(format!("tree {tree}, which check '{name}' is said to have looked at, is that of the agent's own commits, which {kept} keeps"));
            }
        } else if is_there {
            let why = format!(
                "check '{name}' looked at tree {}, which no commit of the history has",
                short(&check.tree)
            );
            judged.find(FindingKind::CheckTree, why);
        }
    }
    for check in facts.again.iter().filter(|check| check.exit != Some(0)) {
        judged.find(FindingKind::CheckFailed, format!("run again now, {check}"));
    }
    let is_known = |name: &String| {
        receipt.checks.iter().any(|check| check.name == *name)
            || facts.again.iter().any(|check| check.name == *name)
    };
    let named = facts.spec.criteria.iter().flat_map(|one| &one.checks);
    let mut missing: Vec<&String> = named.filter(|name| !is_known(name)).collect();
    missing.sort_unstable();
    missing.dedup();
    for name in missing {
        let why = format!(
            "check '{}', which a criterion names, was not run; --rerun runs it now",
            cut(name, MAX_SHOWN)
        );
        judged.find(FindingKind::CheckNotRun, why);
    }
}

fn ended(exit: Option<i32>) -> String {
    exit.map_or_else(
        || "did not end by itself".to_owned(),
        |exit| format!("ended with exit code {exit}"),
    )
}

fn named(texts: &[&str]) -> String {
    let mut shown: Vec<String> = texts
        .iter()
        .take(MAX_NAMED)
        .map(|text| format!("'{}'", cut(text, MAX_SHOWN)))
        .collect();
    if texts.len() > MAX_NAMED {
        shown.push(format!("{} more", texts.len() - MAX_NAMED));
    }
    shown.join(", ")
}

pub(super) fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{criteria, receipt};

    struct Scene {
        receipt: CompletionReceipt,
        spec: CurrentSpec,
        place: ReceiptLocation,
        landed: Option<Vec<CriterionAtStart>>,
        trees: Vec<String>,
        configured: BTreeMap<String, Vec<String>>,
        again: Vec<RepeatedCheck>,
    }

    /// Creates the facts as a run left them.
    fn scene() -> Scene {
        let receipt = receipt();
        Scene {
            spec: CurrentSpec {
                open_as: None,
                criteria: criteria(&["Works", "Tested"]),
            },
            place: ReceiptLocation::Commit {
                of: "main".into(),
                tree: receipt.tree.clone(),
            },
            landed: Some(criteria(&["Works", "Tested"])),
            trees: vec![receipt.tree.clone()],
            configured: [("unit".to_owned(), Vec::new())].into(),
            again: Vec::new(),
            receipt,
        }
    }

    fn judge(scene: &Scene) -> JudgedReceipt {
        judge_receipt(
            &scene.receipt,
            &ReceiptFacts {
                name: "refs/chant/receipts/001/3",
                spec: &scene.spec,
                place: &scene.place,
                landed_criteria: scene.landed.as_deref(),
                knows_tree: &|tree| scene.trees.iter().any(|known| known == tree),
                kept_tree: &|tree| (tree == "e".repeat(40)).then(|| "refs/chant/landed/x/1".into()),
                configured: &scene.configured,
                again: &scene.again,
            },
        )
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut Scene), kinds: &[FindingKind], words: &str) {
        let mut scene = scene();
        change(&mut scene);
        let findings = judge(&scene).findings;
        let found: Vec<FindingKind> = findings.iter().map(|one| one.kind).collect();
        assert_eq!(found, kinds, "{findings:?}");
        let said: Vec<&str> = findings.iter().map(|one| &*one.text).collect();
        assert!(said.join("\n").contains(words), "{said:?}");
    }

    #[test]
    fn a_check_of_commits_that_were_rewritten_is_derived_where_they_are_kept() {
        let check_on = |scene: &mut Scene, tree: &str| {
            scene.receipt.checks[0].tree = tree.repeat(40);
        };
        let other_tree = "which no commit of the history has";
        check(
            |scene| check_on(scene, "e"),
            &[FindingKind::CheckTree],
            other_tree,
        );
        for (tree, derived) in [("e", true), ("f", false)] {
            let mut scene = scene();
            check_on(&mut scene, tree);
            scene.receipt.rewritten = true;
            let judged = judge(&scene);
            assert!(judged.holds(), "{judged:?}");
            let said = judged.derived.join("\n");
            assert_eq!(said.contains("refs/chant/landed/x/1 keeps"), derived);
        }
    }

    #[test]
    fn what_a_run_left_holds_and_says_what_is_only_claimed() {
        let judged = judge(&scene());
        assert!(judged.holds(), "{judged:?}");
        assert_eq!(judged.derived.len(), 5);
        let claimed = judged.claimed.join("\n");
        assert!(
            claimed.contains("check 'unit' (`make test`): exit code 0 after 12 ms on tree bbbb")
        );
        assert!(claimed.contains("agent: claude"));
    }

    #[test]
    fn each_thing_that_changed_is_named() {
        use FindingKind::{
            CheckFailed, CheckGone, CheckNotRun, CheckTree, CriteriaChanged, CriteriaOfTree,
            NotCompleted, NotInHistory, NotTicked, TreeDiffers, WrongName,
        };
        let absent = |is_shallow| ReceiptLocation::Absent {
            of: "main".into(),
            is_shallow,
        };
        check(
            |s| s.receipt.token = "4".into(),
            &[WrongName],
            "refs/chant/receipts/001/4",
        );
        check(
            |s| s.spec.open_as = Some("pending".into()),
            &[NotCompleted],
            "is pending",
        );
        check(
            |s| s.receipt.tree = "d".repeat(40),
            &[TreeDiffers],
            "has tree bbbbbbbbbb",
        );
        check(|s| s.place = absent(false), &[NotInHistory], "rewritten");
        check(|s| s.place = absent(true), &[NotInHistory], "--unshallow");
        check(
            |s| s.spec.criteria[0].text = "Works well".into(),
            &[CriteriaChanged],
            "reworded or removed: 'Works'; not judged: 'Works well'",
        );
        check(|s| s.spec.criteria.reverse(), &[CriteriaChanged], "order");
        check(
            |s| s.spec.criteria[1].checked = false,
            &[NotTicked],
            "'Tested'",
        );
        check(
            |s| s.landed = Some(criteria(&["Else"])),
            &[CriteriaOfTree],
            "landed tree",
        );
        check(
            |s| s.configured.clear(),
            &[CheckGone],
            "not configured any more",
        );
        check(
            |s| s.receipt.checks[0].exit = Some(2),
            &[CheckFailed],
            "exit code 2",
        );
        check(
            |s| s.receipt.checks[0].exit = None,
            &[CheckFailed],
            "by itself",
        );
        check(
            |s| s.trees.clear(),
            &[CheckTree],
            "no commit of the history",
        );
        check(
            |s| s.spec.criteria[0].checks = vec!["lint".into()],
            &[CheckNotRun],
            "'lint'",
        );
    }

    #[test]
    fn a_squash_keeps_a_receipt_by_its_tree() {
        let mut squashed = scene();
        squashed.place = ReceiptLocation::SameTree {
            of: "main".into(),
            commit: "e".repeat(40),
        };
        // The commits that the checks used are gone.
        squashed.trees.clear();
        let judged = judge(&squashed);
        assert!(judged.holds(), "{judged:?}");
        assert!(judged.derived[0].contains("eeeeeeeeee in the history of main has the same tree"));
    }

    #[test]
    fn a_completion_by_hand_holds_where_no_check_is_asked_for() {
        let mut by_hand = scene();
        by_hand.receipt.completed = CompletedBy::Hand;
        by_hand.receipt.checks.clear();
        // The tick was not committed yet when the spec was completed.
        by_hand.landed = Some(criteria(&["Else"]));
        let judged = judge(&by_hand);
        assert!(judged.holds(), "{judged:?}");
        assert!(
            judged
                .claimed
                .contains(&"completed by hand: no check was run".to_owned())
        );
    }
}
