//! Takes the code of finished work back piece by piece, to find out which of it the checks hold.

use std::collections::BTreeSet;

use super::completion_check::{CompletionCheck, CompletionContext};
use super::completion_proof::SquareRun;
use super::judged_change::{UNTESTED, patterns_in};
use chant_base::error::Error;
use chant_config::proof::ProofDemand;
use chant_evidence::{HunkSearch, TakenBack, path_matcher};
use chant_proof::check_square::MAX_TESTS;
use chant_proof::completion::IncompleteReason;
use chant_proof::held_pieces;
use chant_proof::work_sides::CodePieces;
use chant_specs::model::SpecType;
use chant_work::run_record::{HeldCodeEntry, RunRecord};

/// The cell of the work without a piece, in the names of its checks.
const CELL_NAME: &str = "without a piece";

/// The outcome of the checks without some pieces.
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
        let mut entry = held_pieces::unknown(pieces);
        let reporting = self.found.iter().filter(|(_, check)| check.reports());
        let mut names: Vec<String> = reporting.map(|(name, _)| name.clone()).collect();
        let mut search = HunkSearch::new(entry.count);
        if names.is_empty() {
            entry.note = Some("no check reports its tests (`proof.reports`)".into());
        }
        // Tests that look at the text of the code would hold whatever it does.
        let commented = pieces.commit_with_comments(self.commits.repo, tip)?;
        for (name, end) in self.run_unknown("with comments", &commented, &names.clone())? {
            if end.exit != Some(0) {
                entry.note = Some(format!(
                    "check '{name}' fails where a comment is added to the code, so it holds nothing"
                ));
                names.retain(|other| *other != name);
            }
        }
        while let Some(group) = search.next_group().filter(|_| !names.is_empty()).cloned() {
            let Some(found) = self.without_group(pieces, tip, &names, &group)? else {
                entry.note = Some("not all of it was looked at: `proof.minutes` were over".into());
                break;
            };
            if let (TakenBack::Failed, [piece]) = (found.outcome, &*Vec::from_iter(&group)) {
                let piece = &mut entry.pieces[**piece];
                piece.check.clone_from(&found.check);
                piece.tests = found.tests.into_iter().take(MAX_TESTS).collect();
                let check = found.check.and_then(|name| self.found.get_mut(&name));
                if let Some(check) = check {
                    check.holds = true;
                }
            }
            search.note(found.outcome);
        }
        held_pieces::note_states(&mut entry, search.states());
        Ok(entry)
    }

    /// Runs the checks without a group of pieces. Where nothing can be built without a function, it does nothing.
    fn without_group(
        &mut self,
        pieces: &CodePieces,
        tip: &str,
        names: &[String],
        group: &BTreeSet<usize>,
    ) -> Result<Option<WithoutPieces>, Error> {
        let repo = self.commits.repo;
        let commit = pieces.commit_without(repo, tip, group)?;
        let found = self.run_without(&commit, names, group.len() == 1)?;
        let is_broken = |found: &WithoutPieces| found.outcome == TakenBack::Broken;
        let broken = found.as_ref().is_some_and(is_broken);
        let alone = group.first().filter(|_| broken && group.len() == 1);
        let emptied = alone.map(|piece| pieces.commit_with_empty_function(repo, tip, *piece));
        match emptied.transpose()?.flatten() {
            Some(commit) => self.run_without(&commit, names, true),
            None => Ok(found),
        }
    }

    /// Runs the checks on a commit, the failing one twice if its failure `counts` for a piece; `None` where the time
    /// is over.
    fn run_without(
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
            }
            if counts && !failed.is_empty() {
                let Some((_, again)) = self.run_checks(CELL_NAME, commit, alone)?.pop() else {
                    return Ok(None);
                };
                // A test that fails once may fail by chance.
                let again = self.found[name].failed_of(&again);
                failed.retain(|test| again.contains(test));
            }
            if !failed.is_empty() {
                found.outcome = TakenBack::Failed;
                (found.check, found.tests) = (Some(name.clone()), failed);
                break;
            }
        }
        Ok(Some(found))
    }
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
        let is_free = path_matcher(&named.unwrap_or_default());
        let inside = self.place.inside();
        let left = held_pieces::not_held(held, |path| {
            !is_free(path.strip_prefix(inside).unwrap_or(path))
        });
        Ok((!left.is_empty()).then_some(IncompleteReason::NotHeld(left)))
    }
}
