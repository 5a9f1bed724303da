//! Takes the code of finished work back piece by piece, to find out which of it the checks hold.

use std::collections::BTreeSet;

use super::completion_check::{CompletionCheck, CompletionContext};
use super::completion_proof::{MAX_TESTS, SquareRun};
use super::judged_change::{UNTESTED, patterns_in};
use crate::evidence::IncompleteReason;
use chant_base::error::Error;
use chant_config::proof::ProofDemand;
use chant_evidence::{CodeHunk, HunkSearch, HunkState, TakenBack, path_matcher};
use chant_proof::work_sides::CodePieces;
use chant_specs::model::SpecType;
use chant_work::run_record::{HeldCodeEntry, HeldPieceEntry, RunRecord};

/// The greatest number of pieces in a record.
const MAX_PIECES: usize = 200;
/// The cell of the work without a piece, in the names of its checks.
const CELL_NAME: &str = "without a piece";

/// What the checks say without some pieces.
struct WithoutPieces {
    outcome: TakenBack,
    /// The check that fails, and its tests that do.
    check: Option<String>,
    tests: BTreeSet<String>,
}

impl SquareRun<'_> {
    /// Runs the checks that report their tests on the work without its pieces.
    ///
    /// # Errors
    /// A failure of git, of the disk, or to run the checks.
    pub(super) fn take_back(
        &mut self,
        pieces: &CodePieces,
        tip: &str,
    ) -> Result<HeldCodeEntry, Error> {
        let hunks = pieces.hunks.hunks();
        let mut entry = HeldCodeEntry {
            pieces: hunks.iter().map(piece_entry).collect(),
            count: hunks.len(),
            unread: pieces.unread,
            ..HeldCodeEntry::default()
        };
        let reporting = self.found.iter().filter(|(_, check)| check.green.is_some());
        let names: Vec<String> = reporting.map(|(name, _)| name.clone()).collect();
        if names.is_empty() {
            entry.note = Some("no check reports its tests (`checks.NAME.report`)".into());
            return Ok(shortened(entry));
        }
        let mut search = HunkSearch::new(hunks.len());
        while let Some(group) = search.next_group().cloned() {
            let commit = pieces.commit_without(self.commits.repo, tip, &group)?;
            let found = self.without(&commit, &names, group.len() == 1)?;
            let found = match (found, &*Vec::from_iter(&group)) {
                (Some(found), [hunk]) if found.outcome == TakenBack::Broken => {
                    let commit =
                        pieces.commit_with_empty_function(self.commits.repo, tip, **hunk)?;
                    let emptied = commit.map(|commit| self.without(&commit, &names, true));
                    emptied.unwrap_or(Ok(Some(found)))?
                }
                (found, _) => found,
            };
            let Some(found) = found else {
                entry.note = Some("not all of it was looked at: `proof.minutes` were over".into());
                break;
            };
            if let (TakenBack::Failed, [hunk]) = (found.outcome, &*Vec::from_iter(&group)) {
                let piece = &mut entry.pieces[**hunk];
                piece.check.clone_from(&found.check);
                piece.tests = found.tests.into_iter().take(MAX_TESTS).collect();
                let check = found.check.and_then(|name| self.found.get_mut(&name));
                check.into_iter().for_each(|check| check.holds = true);
            }
            search.note(found.outcome);
        }
        for (piece, state) in entry.pieces.iter_mut().zip(search.states()) {
            piece.state = state.name().to_owned();
        }
        entry.held = search.states().iter().filter(|one| one.is_held()).count();
        Ok(shortened(entry))
    }

    /// Runs the checks without some pieces, the failing one twice if its failure `counts` for a piece; `None` where the
    /// time is over.
    fn without(
        &mut self,
        commit: &str,
        names: &[String],
        counts: bool,
    ) -> Result<Option<WithoutPieces>, Error> {
        let mut found = WithoutPieces {
            outcome: TakenBack::Passed,
            check: None,
            tests: BTreeSet::new(),
        };
        for name in names {
            let alone = std::slice::from_ref(name);
            let Some((_, end)) = self.run_unknown(CELL_NAME, commit, alone)?.pop() else {
                return Ok(None);
            };
            let mut failed = self.found[name].failed_of(&end);
            if end.exit != Some(0) && failed.is_empty() {
                found.outcome = TakenBack::Broken;
                continue;
            }
            if counts && !failed.is_empty() {
                let Some((_, again)) = self.run_checks(CELL_NAME, commit, alone)?.pop() else {
                    return Ok(None);
                };
                // What fails once may fail by chance.
                let again = self.found[name].failed_of(&again);
                failed.retain(|test| again.contains(test));
            }
            if !failed.is_empty() {
                return Ok(Some(WithoutPieces {
                    outcome: TakenBack::Failed,
                    check: Some(name.clone()),
                    tests: failed,
                }));
            }
        }
        Ok(Some(found))
    }
}

fn piece_entry(hunk: &CodeHunk) -> HeldPieceEntry {
    HeldPieceEntry {
        path: hunk.path.clone(),
        first: hunk.first,
        last: hunk.last,
        state: HunkState::Unknown.name().to_owned(),
        ..HeldPieceEntry::default()
    }
}

/// Bounds the number of pieces; those that no test holds are kept first.
fn shortened(mut entry: HeldCodeEntry) -> HeldCodeEntry {
    if entry.pieces.len() > MAX_PIECES {
        entry.pieces.sort_by_key(|piece| is_held(piece));
        entry.pieces.truncate(MAX_PIECES);
    }
    entry
}

fn is_held(piece: &HeldPieceEntry) -> bool {
    [HunkState::Held, HunkState::HeldWithOthers]
        .iter()
        .any(|state| state.name() == piece.state)
}

impl CompletionCheck<'_> {
    /// Returns the code that no check holds, where the project asks that all is held.
    ///
    /// # Errors
    /// A failure of git or the disk.
    pub(super) fn not_held(
        &self,
        context: &CompletionContext,
        record: &RunRecord,
    ) -> Result<Option<IncompleteReason>, Error> {
        let is_asked = context.config.proof.require == ProofDemand::Held
            && matches!(context.spec.kind, SpecType::Code | SpecType::Other(_));
        let Some(held) = record.held.as_ref().filter(|_| is_asked) else {
            return Ok(None);
        };
        let text = self.place.base_text(self.project, &context.repo)?;
        let named = text.as_deref().map(|text| patterns_in(text, UNTESTED));
        let may_be = path_matcher(&named.unwrap_or_default());
        let inside = self.place.inside();
        let is_free = |path: &str| may_be(path.strip_prefix(inside).unwrap_or(path));
        let left = held
            .pieces
            .iter()
            .filter(|piece| !is_held(piece) && !is_free(&piece.path));
        let mut left: Vec<String> = left.map(named_piece).collect();
        let is_cut = held.pieces.len() < held.count;
        if let Some(note) = held
            .note
            .as_ref()
            .filter(|_| !left.is_empty() || is_cut || held.pieces.is_empty())
        {
            left.push(note.clone());
        }
        Ok((!left.is_empty()).then_some(IncompleteReason::NotHeld(left)))
    }
}

fn named_piece(piece: &HeldPieceEntry) -> String {
    format!(
        "{}:{}-{} ({})",
        piece.path, piece.first, piece.last, piece.state
    )
}
