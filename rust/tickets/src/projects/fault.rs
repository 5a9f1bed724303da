//! Faults of projects with tickets, and of the files that name them.

use std::path::PathBuf;

/// A fault of a project or of a file that names one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProjectFault {
    /// A record has no path.
    #[error("it names no folder; expected `path` in `[project]`")]
    NoPath,
    /// A record names a folder that is not there.
    #[error("the project's folder `{0}` does not exist; fix `path` or remove this file")]
    NoFolder(String),
    /// A path begins with `~`, and there is no home.
    #[error("`{0}` has no meaning without a home folder; write the whole path")]
    NoHome(String),
    /// A path leaves the project.
    #[error("`{given}` {how}; expected a path inside of the project `{}`", root.display())]
    Outside {
        /// The path as it is written.
        given: String,
        /// The way in which it leaves.
        how: String,
        /// The project.
        root: PathBuf,
    },
    /// The folder of tickets is a file.
    #[error("`{0}` is a file, not a folder of tickets")]
    NotFolder(String),
    /// The code cannot begin a file's name.
    #[error(
        "the code `{}` cannot begin the name of a file; expected letters and digits such as `MDT`",
        .0.escape_debug()
    )]
    Code(String),
    /// No ticket says the code.
    #[error("no file in its folder of tickets says its code")]
    NoCode,
    /// Tickets have several codes.
    #[error("its tickets carry several codes: {}", .0.join(", "))]
    SeveralCodes(Vec<String>),
    /// Nothing says the code.
    #[error("{why}; write `[project]` and `code = \"…\"` into `{}`", file.display())]
    Underived {
        /// The reason in the names of its tickets.
        why: Box<Self>,
        /// The project's own file.
        file: PathBuf,
    },
    /// A file cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// A merge left two versions in a file.
    #[error("{0}; nothing in the file is used until then")]
    Clash(String),
    /// A file is no TOML.
    #[error("line {line} is not TOML: {why}; fix it: nothing in the file is used until then")]
    NotToml {
        /// The line, counted from 1.
        line: usize,
        /// The parser's reason.
        why: String,
    },
}
