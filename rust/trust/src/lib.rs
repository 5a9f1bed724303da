//! Decides whether a person trusts a folder: its acting configuration, the recorded consent, and
//! the acts that need it.
//!
//! Pure functions: paths, variables and the time are arguments. They know no dialect and no run.

pub mod acting;
pub mod effects;
pub mod folder;
mod harmless;
pub mod place_table;
pub mod places;
pub mod store;
pub mod survey;

use chant_base::error::{CoreError, ErrorKind};
use chant_base::next_step::{HintText, NextStep, hint};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

use acting::{ActingConfiguration, listing_difference};
use store::{TrustStore, TrustedHash, TrustedPlace};

/// The reasons why a folder is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustReason {
    /// A person saw exactly this configuration and consented.
    Hash,
    /// The user's own configuration names the folder or one above it.
    UserRoots,
    /// The caller that opened the project named the hash of exactly this configuration.
    Caller,
}

/// The verdicts about a folder in its present state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustVerdict {
    /// The folder is trusted.
    Trusted(TrustReason),
    /// The folder is not trusted.
    Untrusted(Box<UntrustedFolder>),
}

/// The acting configuration of a folder without consent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "This folder is not trusted: {summary}. Nothing was run or changed; documents can still be read and edited.{}",
    storable(*can_be_given)
)]
pub struct UntrustedFolder {
    /// The folder.
    pub root: PathBuf,
    /// The number of its entries of each kind.
    pub summary: String,
    /// Every line for a person: what it asks for, and the words that agents obey.
    pub listing: Vec<String>,
    /// The difference since it was trusted last; `None` if it never was.
    pub difference: Option<Vec<String>>,
    /// The hash that stands for all of it.
    pub hash: String,
    /// True if there is a store in which trust can be kept.
    pub can_be_given: bool,
    /// True if a part could not be read, so that no hash stands for the folder.
    pub has_gaps: bool,
}

fn storable(can_be_given: bool) -> &'static str {
    if can_be_given {
        ""
    } else {
        " Neither XDG_STATE_HOME nor HOME says where trust may be kept; set one of them."
    }
}

impl UntrustedFolder {
    /// Returns the lines for a person: the difference, or all of them.
    pub fn entries_to_show(&self) -> &[String] {
        self.difference.as_deref().unwrap_or(&self.listing)
    }
}

/// The facts besides the acting configuration that decide a verdict.
#[derive(Debug, Clone)]
pub struct TrustQuestion<'a> {
    /// The place of the folder.
    pub place: &'a TrustedPlace,
    /// The recorded consents.
    pub store: Option<&'a TrustStore>,
    /// Folders that the user's own configuration trusts with all their content.
    pub roots: &'a [PathBuf],
    /// The hash that the caller who opened the project named.
    pub named: Option<&'a str>,
}

impl TrustQuestion<'_> {
    /// Returns the verdict about the folder with its acting configuration.
    pub fn verdict(&self, acting: &ActingConfiguration) -> TrustVerdict {
        if is_in_one(self.roots, &self.place.root) {
            return TrustVerdict::Trusted(TrustReason::UserRoots);
        }
        let hash = acting.hash();
        let trusted = self.store.map(|store| store.trusted(self.place));
        let trusted = trusted.unwrap_or_default();
        let has_gaps = !acting.gaps().is_empty();
        if !has_gaps && trusted.iter().any(|trusted| trusted.hash == hash) {
            return TrustVerdict::Trusted(TrustReason::Hash);
        }
        if !has_gaps && self.named == Some(hash.as_str()) {
            return TrustVerdict::Trusted(TrustReason::Caller);
        }
        let listing = acting.shown();
        let before = trusted.first();
        TrustVerdict::Untrusted(Box::new(UntrustedFolder {
            root: self.place.root.clone(),
            summary: acting.summary(),
            difference: before.map(|before| listing_difference(&before.shown, &listing)),
            listing,
            hash,
            can_be_given: self.store.is_some(),
            has_gaps,
        }))
    }
}

/// Returns true if a folder lies in one of the folders that the user trusts with all their content.
fn is_in_one(roots: &[PathBuf], folder: &Path) -> bool {
    roots.iter().any(|root| folder.starts_with(root))
}

/// Returns the folders that a user's configuration trusts, resolved; `~` stands for the home
/// folder.
pub fn trusted_roots(named: &[String], home: Option<&Path>) -> Vec<PathBuf> {
    let full = |name: &String| match (name.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            Some(home.join(rest.trim_start_matches('/')))
        }
        (Some(_), _) => None,
        (None, _) => Some(PathBuf::from(name)).filter(|path| path.is_absolute()),
    };
    let real = |path: PathBuf| chant_store::disk::real(&path).ok();
    named.iter().filter_map(full).filter_map(real).collect()
}

/// Returns the record of a person's consent.
pub fn grant_now(acting: &ActingConfiguration, moment: String) -> TrustedHash {
    TrustedHash {
        hash: acting.hash(),
        given_at: moment,
        shown: acting.shown(),
    }
}

impl CoreError for UntrustedFolder {
    fn kind(&self) -> ErrorKind {
        ErrorKind::NotTrusted
    }

    fn hint(&self) -> HintText {
        hint![
            "\nA person has to look at what it asks for: ",
            NextStep::ShowTrust,
            ", then ",
            NextStep::Trust,
            ".",
        ]
    }

    fn details(&self) -> Value {
        json!({
            "needs": "trust",
            "shown": self.entries_to_show(),
            "folder": self.root.display().to_string(),
            "is_difference": self.difference.is_some(),
            "hash": self.hash,
        })
    }
}
