//! The claims of a receipt, line by line: a user who could push it could invent all of it.

use super::judgement::{MAX_SHOWN, short};
use super::{CompletedBy, CompletionReceipt, JudgedCriterion};
use chant_base::answer::cut;
use chant_base::plural::first_of;
use chant_work::run_record::{CheckEntry, HeldCodeEntry, JudgedEntry, ProofEntry};

/// The number of lines about tests in what a receipt claims.
const MAX_JUDGED: usize = 20;
/// The number of tests that are named of a check.
const SHOWN_TESTS: usize = 5;
/// The number of layers in what a receipt claims.
const SHOWN_LAYERS: usize = 10;

/// Returns the claims of a receipt, line by line.
pub(super) fn claims(receipt: &CompletionReceipt) -> Vec<String> {
    let mut claims: Vec<String> = receipt.checks.iter().map(claimed_check).collect();
    match receipt.completed {
        CompletedBy::Hand => claims.push("completed by hand: no check was run".into()),
        CompletedBy::Run if receipt.checks.is_empty() => {
            claims.push("no criterion named a check: none was run".into());
        }
        CompletedBy::Run => {}
    }
    if !receipt.checks.is_empty() {
        claims.extend(receipt.criteria.items.iter().filter_map(worded));
    }
    claims.extend(receipt.judged.iter().flat_map(judged_claims));
    claims.extend(receipt.held.iter().flat_map(held_claims));
    let said = [
        ("agent", &receipt.agent),
        ("model", &receipt.model),
        ("held", &receipt.confinement),
        ("began", &receipt.started_at),
        ("done already", &receipt.already_done),
    ];
    let said = said.into_iter().filter_map(|(what, said)| {
        let said = cut(said.as_ref()?, MAX_SHOWN);
        Some(format!("{what}: {said}"))
    });
    claims.extend(said);
    let layers = receipt.environment.iter().take(SHOWN_LAYERS);
    claims.extend(layers.map(|layer| format!("environment: {}", cut(layer, MAX_SHOWN))));
    claims.push(format!("completed: {}", cut(&receipt.ended_at, MAX_SHOWN)));
    for (what, number) in receipt.cost.iter().flatten() {
        claims.push(format!("cost, {}: {number}", cut(what, MAX_SHOWN)));
    }
    claims
}

/// The claims about the tests that judge.
fn judged_claims(judged: &JudgedEntry) -> Vec<String> {
    let by = if judged.agreed {
        ", and a person agreed"
    } else {
        ""
    };
    let weaker = judged
        .weaker
        .iter()
        .map(|line| format!("changed what judges it{by}: {line}"));
    let look = judged.look.iter().map(|line| format!("look at {line}"));
    let unread = judged
        .not_read
        .iter()
        .map(|path| format!("tests that nothing could read: {path}"));
    let lines = weaker.chain(look).chain(unread).take(MAX_JUDGED);
    lines.map(|line| cut(&line, MAX_SHOWN)).collect()
}

/// The claims about the code that checks hold: how much of it, and what they do not.
fn held_claims(held: &HeldCodeEntry) -> Vec<String> {
    let note = held.note.as_ref().map(|note| format!("; {note}"));
    let all = format!(
        "code: tests fail without {} of {} pieces{}",
        held.held,
        held.count,
        note.unwrap_or_default()
    );
    let open = held.pieces.iter().filter(|piece| !piece.is_held());
    let open = open.map(|piece| format!("code {}: {}", piece.place(), piece.state));
    let lines = std::iter::once(all).chain(open.take(MAX_JUDGED));
    lines.map(|line| cut(&line, MAX_SHOWN)).collect()
}

/// The claim about a criterion, in a word.
fn worded(criterion: &JudgedCriterion) -> Option<String> {
    // What checks it names stands in a comment of its text.
    let text = criterion.text.split("<!--").next().unwrap_or_default();
    let (text, word) = (cut(text.trim(), MAX_SHOWN), criterion.word.as_ref()?);
    Some(format!("criterion '{text}': {}", cut(word, MAX_SHOWN)))
}

/// The claim about a check beside its end on the work.
fn proven(proof: &ProofEntry) -> String {
    let cells = proof.cells.iter().map(|cell| {
        let ended = cell
            .exit
            .map_or_else(|| "none".to_owned(), |exit| exit.to_string());
        format!("{} {ended}", cell.cell)
    });
    let cells = cells.collect::<Vec<_>>().join(", ");
    let mut text = format!(
        "; {} by {}",
        cut(&proof.word, MAX_SHOWN),
        cut(&proof.by, MAX_SHOWN)
    );
    if !proof.tests.is_empty() {
        let tests = first_of(&proof.tests, SHOWN_TESTS, ", ");
        text.push_str(&format!(" ({})", cut(&tests, MAX_SHOWN)));
    }
    if let Some(note) = &proof.note {
        text.push_str(&format!(", {}", cut(note, MAX_SHOWN)));
    }
    if proof.changed_meaning {
        text.push_str(", old tests changed in meaning");
    }
    if !cells.is_empty() {
        text.push_str(&format!(" (cells: {})", cut(&cells, MAX_SHOWN)));
    }
    text
}

fn claimed_check(check: &CheckEntry) -> String {
    let flaky = match &*check.flaky {
        [] => String::new(),
        tests => format!(
            "; flaky, which the project allows: {}",
            cut(&first_of(tests, SHOWN_TESTS, ", "), MAX_SHOWN)
        ),
    };
    let exit = check
        .exit
        .map_or_else(|| "none".to_owned(), |exit| exit.to_string());
    let command = check.command.join(" ");
    let command = if command.is_empty() {
        String::new()
    } else {
        format!(" (`{}`)", cut(&command, MAX_SHOWN))
    };
    format!(
        "check '{}'{command}: exit code {exit} after {} ms on tree {}{}",
        cut(&check.name, MAX_SHOWN),
        check.ms,
        short(&check.tree),
        check.proof.as_ref().map(proven).unwrap_or_default()
    ) + &flaky
}
