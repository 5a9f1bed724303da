//! Whether a person trusts a folder: what in it acts, who said yes to that, and what needs it.
//!
//! Pure functions: paths, variables and the time come in as arguments. Knows no dialect and no run.

pub mod acting;
pub mod effects;
pub mod folder;
mod harmless;
pub mod look;
pub mod places;
pub mod store;

use std::path::{Path, PathBuf};

use acting::{ActingConfiguration, listing_difference};
use store::{TrustStore, TrustedHash, TrustedPlace};

/// Why a folder is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustGround {
    /// A person looked at this very configuration and said yes.
    Hash,
    /// The user's own configuration names the folder or one above it.
    UserRoots,
    /// Whoever opened the project named the hash of this very configuration.
    Caller,
}

/// Whether a folder is trusted as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustVerdict {
    /// It is.
    Trusted(TrustGround),
    /// It is not.
    Untrusted(Box<UntrustedFolder>),
}

/// What a folder asks for that nobody said yes to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "This folder is not trusted: {summary}. Nothing was run or changed; documents can be read and edited as ever.{}",
    storable(*can_be_given)
)]
pub struct UntrustedFolder {
    /// The folder.
    pub root: PathBuf,
    /// How much of what it asks for.
    pub summary: String,
    /// Every line of what it asks for.
    pub listing: Vec<String>,
    /// What is another than when it was trusted last; `None` when it never was.
    pub difference: Option<Vec<String>>,
    /// What stands for all that.
    pub hash: String,
    /// Whether there is a place where trust can be kept.
    pub can_be_given: bool,
    /// Whether something cannot be looked through, so that no hash stands for the folder.
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
    /// What is shown to a person: what is another, or all of it.
    pub fn shown(&self) -> &[String] {
        self.difference.as_deref().unwrap_or(&self.listing)
    }
}

/// Everything that a verdict depends on beside what the folder asks for.
#[derive(Debug, Clone)]
pub struct TrustQuestion<'a> {
    /// Where the folder lies.
    pub place: &'a TrustedPlace,
    /// What people said.
    pub store: Option<&'a TrustStore>,
    /// Folders that the user's own configuration trusts with all in them.
    pub roots: &'a [PathBuf],
    /// The hash that whoever opened the project named.
    pub named: Option<&'a str>,
}

impl TrustQuestion<'_> {
    /// Whether the folder is trusted with what it asks for.
    pub fn verdict(&self, acting: &ActingConfiguration) -> TrustVerdict {
        if self
            .roots
            .iter()
            .any(|root| self.place.root.starts_with(root))
        {
            return TrustVerdict::Trusted(TrustGround::UserRoots);
        }
        let hash = acting.hash();
        let trusted = self.store.map(|store| store.trusted(self.place));
        let trusted = trusted.unwrap_or_default();
        let has_gaps = !acting.gaps().is_empty();
        if !has_gaps && trusted.iter().any(|trusted| trusted.hash == hash) {
            return TrustVerdict::Trusted(TrustGround::Hash);
        }
        if !has_gaps && self.named == Some(hash.as_str()) {
            return TrustVerdict::Trusted(TrustGround::Caller);
        }
        let listing = acting.listing();
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

/// The folders that a user's configuration trusts, real; `~` stands for the home folder.
pub fn trusted_roots(named: &[String], home: Option<&Path>) -> Vec<PathBuf> {
    let full = |name: &String| match (name.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            Some(home.join(rest.trim_start_matches('/')))
        }
        (Some(_), _) => None,
        (None, _) => Some(PathBuf::from(name)).filter(|path| path.is_absolute()),
    };
    let real = |path: PathBuf| crate::store::disk::real(&path).ok();
    named.iter().filter_map(full).filter_map(real).collect()
}

/// What is remembered when a person says yes.
pub fn given(acting: &ActingConfiguration, moment: String) -> TrustedHash {
    TrustedHash {
        hash: acting.hash(),
        given_at: moment,
        shown: acting.listing(),
    }
}
