//! The proof that checks see a change: the trees on which they are run, made in the object store alone, and the one word
//! that is said of a criterion in all places.
//!
//! Nothing here runs a process.

pub mod check_square;
pub mod completion;
pub mod flaky_tests;
pub mod held_pieces;
pub mod passed_checks;
pub mod report_file;
pub mod words;
pub mod work_sides;
