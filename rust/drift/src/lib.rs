//! Compares the lines of completed work with the tip of a branch: do they still stand, and which commit changed them?
//!
//! Nothing of this is kept in receipts. A receipt names the commit that landed, the commit before it and the commits of
//! the work; git has the rest: blobs, lines and words follow from these commits, the same in every clone. So receipts of
//! earlier releases and signed ones are compared as well, their format stays what it is, and a receipt cannot claim lines
//! that its commits do not have. Where the commits are gone, there is nothing to compare, and that is said.
//!
//! The state of lines follows from the text that landed and the text of the tip alone, so what comes back is untouched
//! again. History is walked once for all work, and only says where lines went and which commit changed them.

mod branch_line;
mod compare;
mod history;
mod landing;
mod lines;
mod roles;

pub use branch_line::BranchLine;
pub use compare::{HunkDrift, HunkState, LinePlace, PathVersion, TargetHistory, compare_file};
pub use landing::{LandedFile, LandedWork, LandingClaim, NoLanding};
pub use lines::{LineRange, written_lines};
pub use roles::{FileRole, FileRoles};
