//! Numbers of documents that several clones of a repository share: who gives them.
//!
//! The caller that knows the remote hands a document's kind a [`NumberClaims`]; so that kind asks for numbers without
//! knowing remotes.

use std::path::Path;
use std::sync::Arc;

use super::error::Error;

/// A number that was given without asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfflineNumber {
    /// The number.
    pub number: u64,
    /// A text that no other number was given with: who asks again with it has the number already.
    pub nonce: String,
}

/// The numbers of one series that are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberWish {
    /// The series, such as the code of a project.
    pub series: String,
    /// Numbers that were given without asking.
    pub offline: Vec<OfflineNumber>,
    /// The number of new numbers that are wanted; each offline number that is taken gets a further one.
    pub fresh: usize,
    /// New numbers are above this.
    pub above: u64,
}

/// The answer to a wish for numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NumberAnswer {
    /// Numbers are not shared here: the documents alone say which is the next.
    NotShared,
    /// No other clone has these numbers, or will have.
    Claimed {
        /// Offline numbers that another clone has.
        taken: Vec<u64>,
        /// The new numbers, the lowest first.
        fresh: Vec<u64>,
    },
    /// Who gives numbers was not asked, or gave no answer; says why.
    Unclaimed(String),
}

/// Gives numbers to the clones of a repository, and knows what else in it may name a document by its number.
pub trait NumberClaims: Send + Sync {
    /// Claims numbers. This may take as long as the way to a remote does, so no lock is held meanwhile.
    fn claim(&self, wish: &NumberWish) -> NumberAnswer;

    /// Returns other documents of the project that may name a document by its number, relative to its root.
    ///
    /// # Errors
    /// A failure to list them.
    fn naming_documents(&self) -> Result<Vec<String>, Error>;
}

/// Makes the [`NumberClaims`] of the project in a folder.
pub type NumberClaimsFactory = Arc<dyn Fn(&Path) -> Arc<dyn NumberClaims> + Send + Sync>;
