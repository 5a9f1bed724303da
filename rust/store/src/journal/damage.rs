//! Texts of an interrupted change that a loss of power emptied or damaged: the better of the old and the new one wins.

use super::ChangeJournal;
use super::intent::{ChangePhase, PlacedStep, StepRecord};
use super::recovery::StepState;
use crate::StoreError;
use crate::digest::sha256;
use crate::disk::{self, ExpectedContent, ExpectedFile, FileStamp};

/// The damage of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    /// Nothing.
    None,
    /// The old text; the new one is in its place.
    Old,
    /// The new text is empty in its place; the old one is whole.
    NewInPlace,
    /// The new text where it waits; the old one is in its place.
    NewWaiting,
    /// The old text is empty in its place; the new one waits whole.
    OldInPlace,
    /// Both.
    Both,
}

impl Damage {
    /// Returns true if only the new text is whole.
    fn leaves_new(self) -> bool {
        matches!(self, Self::Old | Self::OldInPlace)
    }

    /// Returns what was found, of a file.
    fn told(self, path: &str) -> Option<String> {
        let found = match self {
            Self::None => return None,
            Self::Old | Self::OldInPlace => "the old text was damaged and the new one whole",
            Self::NewInPlace | Self::NewWaiting => "the new text was damaged and the old one whole",
            Self::Both => "neither the old nor the new text was whole, and it was left as it is",
        };
        Some(format!("of `{path}` {found}"))
    }
}

impl ChangeJournal<'_> {
    /// Brings a change to an end some of whose texts are damaged; `None` where none is.
    ///
    /// # Errors
    /// A `StoreError` for a file that cannot be written.
    pub(super) fn settle_damaged(
        &self,
        phase: ChangePhase,
        placed: &[PlacedStep],
    ) -> Result<Option<(Vec<String>, String)>, StoreError> {
        let damages: Result<Vec<Damage>, _> = placed.iter().map(|one| self.damage(one)).collect();
        // What cannot be read is taken back by who comes next.
        let Ok(damages) = damages else {
            return Ok(None);
        };
        if damages.iter().all(|damage| *damage == Damage::None) {
            return Ok(None);
        }
        let is_mixed = damages.contains(&Damage::Both)
            || (damages.iter().any(|damage| damage.leaves_new())
                && (phase == ChangePhase::Refused
                    || damages
                        .iter()
                        .any(|damage| matches!(damage, Damage::NewInPlace | Damage::NewWaiting))));
        let goes_on = !is_mixed && damages.iter().any(|damage| damage.leaves_new());
        for (one, damage) in placed.iter().zip(&damages).rev() {
            match damage {
                Damage::Old | Damage::NewWaiting | Damage::Both => {}
                Damage::NewInPlace | Damage::OldInPlace => self.replace_empty(one)?,
                Damage::None => self.bring(one, goes_on)?,
            }
        }
        self.flush(placed)?;
        let with_damage = placed.iter().zip(&damages);
        let told: Vec<String> = with_damage
            .clone()
            .filter_map(|(one, damage)| damage.told(one.record.path()))
            .collect();
        let paths = with_damage
            .filter(|(_, damage)| **damage != Damage::None)
            .map(|(one, _)| one.record.path().to_owned());
        let end = match (is_mixed, goes_on) {
            (true, _) => "each file got the text that was whole",
            (false, true) => "it was finished",
            (false, false) => "it was taken back",
        };
        Ok(Some((
            paths.collect(),
            format!("{end}: {}", told.join("; ")),
        )))
    }

    /// Does a step that is whole, or takes it back; one that somebody edited stays.
    fn bring(&self, one: &PlacedStep, goes_on: bool) -> Result<(), StoreError> {
        let look = self.look(one)?;
        match (&look, goes_on) {
            (StepState::Before { untouched, .. }, true) => {
                self.put(one, untouched.as_ref()).map(drop)
            }
            (StepState::After(_), false) => self.take_back(one, &look).map_err(|why| {
                let path = one.target.path();
                StoreError::io("take back", path, std::io::Error::other(why))
            }),
            _ => Ok(()),
        }
    }

    /// Puts the whole text of a step in the place of the empty one.
    fn replace_empty(&self, one: &PlacedStep) -> Result<(), StoreError> {
        let Some((_, stamp)) = self.content(one.target.path())? else {
            return Ok(());
        };
        let nothing = sha256(b"");
        let content = ExpectedContent::Digest(&nothing);
        let expected = ExpectedFile {
            stamp: &stamp,
            content,
        };
        match &one.record {
            StepRecord::Replace { .. } => {
                disk::swap_back(&one.slot, &one.target, &expected).map(drop)
            }
            StepRecord::Create { .. } => disk::rename_new(&one.target, &one.slot),
            StepRecord::Move { .. } => Ok(()),
        }
    }

    fn damage(&self, one: &PlacedStep) -> Result<Damage, StoreError> {
        let nothing = sha256(b"");
        let hash = |found: Option<(String, FileStamp)>| found.map(|(hash, _)| hash);
        let here = hash(self.content(one.target.path())?);
        Ok(match &one.record {
            StepRecord::Replace { old, new, .. } => {
                let waits = if disk::is_kept_apart(&one.slot) {
                    hash(self.content(disk::kept_beside(&one.slot).path())?)
                } else {
                    hash(self.content(one.slot.path())?)
                };
                let (Some(here), Some(waits)) = (here, waits) else {
                    return Ok(Damage::None);
                };
                let is_empty = here == nothing && ![old, new].contains(&&nothing);
                let is_whole = [old, new].contains(&&waits);
                match is_whole {
                    true if !is_empty => Damage::None,
                    true if waits == *old => Damage::NewInPlace,
                    true => Damage::OldInPlace,
                    false if is_empty => Damage::Both,
                    false if here == *new => Damage::Old,
                    false if here == *old => Damage::NewWaiting,
                    // Somebody edited it; that is looked at elsewhere.
                    false => Damage::None,
                }
            }
            StepRecord::Create { new, .. } if *new != nothing && !one.slot.exists() => {
                if here.as_ref() == Some(&nothing) {
                    Damage::NewInPlace
                } else {
                    Damage::None
                }
            }
            StepRecord::Create { new, .. } => {
                let waits = hash(self.content(one.slot.path())?);
                if here.is_none() && waits.is_some_and(|waits| waits != *new) {
                    Damage::NewWaiting
                } else {
                    Damage::None
                }
            }
            StepRecord::Move { .. } => Damage::None,
        })
    }
}
