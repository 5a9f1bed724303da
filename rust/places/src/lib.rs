//! Where the state of a project lies, and which of its folders are gone, by what git and the disk say. Knows no
//! formats.

pub mod missing_folders;
pub mod state_place;
