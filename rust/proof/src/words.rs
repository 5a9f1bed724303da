//! The one word that is said of a criterion in all places, by what a run's record has of its checks.

use chant_evidence::ProofWord;
use chant_receipts::CriterionAtStart;
use chant_work::run_record::RunRecord;

/// The word for a criterion of a run's spec: the strongest word of the checks that it names.
pub fn of_run(record: &RunRecord, criterion: &CriterionAtStart) -> ProofWord {
    // What counts are the checks that it named when the run started.
    let at_start = record
        .criteria_at_start
        .iter()
        .find(|one| one.text == criterion.text);
    let named = at_start.map_or(&criterion.checks, |one| &one.checks);
    let was_ticked = at_start.is_some_and(|one| one.checked);
    word_of(record, named, was_ticked)
}

/// The weakest word of all criteria of a run's spec; `None` where none names a check.
pub fn weakest_of_run(record: &RunRecord) -> Option<ProofWord> {
    let criteria = record.criteria_at_start.iter();
    let named = criteria
        .clone()
        .any(|criterion| !criterion.checks.is_empty());
    let words = criteria.map(|one| word_of(record, &one.checks, one.checked));
    words.min().filter(|_| named)
}

/// The strongest word of some checks of a run; without them, whether a person ticked the criterion.
pub fn word_of(record: &RunRecord, checks: &[String], was_ticked: bool) -> ProofWord {
    let passed = record
        .checks
        .iter()
        .filter(|check| checks.contains(&check.name) && check.exit == Some(0));
    let words = passed.map(|check| {
        let proof = check.proof.as_ref();
        proof
            .and_then(|proof| ProofWord::of_name(&proof.word))
            .unwrap_or(ProofWord::Regression)
    });
    let without = if was_ticked {
        ProofWord::ByHand
    } else {
        ProofWord::NoCheck
    };
    words.max().unwrap_or(without)
}
