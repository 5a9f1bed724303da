//! One function for each tool: asked with plain values, answered with an [`chant_base::answer::Answer`].
//!
//! Reading functions never change a file. Writing functions read afresh under the document's lock,
//! decide on that text, check what they are about to write, and write only then.

pub mod add;
mod archive;
pub mod edit;
pub mod lint;
mod linter;
pub mod read;
mod run_addition;
mod search;
mod staged;
mod update;
mod wording;

pub use add::{NewSpec, add};
pub use archive::{archive, unarchive};
pub use lint::lint;
pub use linter::{LintMemory, lint_draft};
pub use read::{ReadyFilter, SpecFilter, document, get, list, ready, status, verify};
pub use search::{search, search_archived};
pub use staged::{SpecOperation, StagedSpecs};
pub use update::{SpecUpdate, update, update_from_run};
