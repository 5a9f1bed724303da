//! One function for each tool: asked with plain values, answered with an [`crate::answer::Answer`].
//!
//! Reading functions never change a file. Writing functions read afresh under the document's lock,
//! decide on that text, check what they are about to write, and write only then.

mod add;
mod archive;
mod diagnose;
mod edit;
mod finalize;
mod lint;
mod read;
mod search;
mod state;
mod update;
mod work;

pub use add::{Add, add};
pub use archive::archive;
pub use diagnose::diagnose;
pub use finalize::{Finalize, finalize};
pub use lint::lint;
pub use read::{Piece, get, list, log, ready, status, verify};
pub use search::search;
pub use state::{cancel, reset};
pub use update::{Update, update};
pub use work::work_list;
