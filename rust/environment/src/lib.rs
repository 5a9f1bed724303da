//! What the folders of runs and checks hold beside the files of a commit: dependencies, by recipes.
//!
//! A recipe's steps run in a folder that has its inputs and nothing else. What they make is sealed as a *layer*, which
//! is named by a key over everything that decides it, is never written again, and is mounted in each folder, or copied
//! into it. Nothing that a run or a check wrote becomes part of a layer. This crate starts no process: who builds runs the steps.

#![expect(
    clippy::disallowed_methods,
    reason = "layers and the folders that they are copied into are no documents of the store"
)]

mod copy;
mod layer;
mod ports;
mod readiness;
mod recipe;
mod seal;
mod version_change;
mod view;

use std::io;
use std::path::{Path, PathBuf};

use chant_base::error::{CoreError, ErrorKind};

pub use layer::{LayerFacts, LayerOutput, LayerPin, LayerStore, OwnLock, SealedLayer};
pub use ports::PortSlot;
pub use readiness::{ConnectToPort, answers_over_http, connect_here, is_listening};
pub use recipe::{
    LayerInputs, RecipeCaches, changed_inputs, differ_in_versions, platform, with_caches,
};
pub use seal::{BuiltFolder, seal};
pub use view::{CacheFolder, FolderMounts, LayerMount, LayerTarget, place_layer};

/// The reasons why there is no environment.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// A step made something that the recipe does not name.
    #[error("the steps of recipe '{recipe}' also made {}; name it in its `outputs`, or have the steps remove it", .paths.join(", "))]
    Unnamed {
        /// The recipe.
        recipe: String,
        /// The first of what was made.
        paths: Vec<String>,
    },
    /// The steps did not make what the recipe names.
    #[error("the steps of recipe '{recipe}' made nothing that fits `{pattern}` of its `outputs`")]
    NothingMade {
        /// The recipe.
        recipe: String,
        /// The pattern.
        pattern: String,
    },
    /// The commit has no such inputs.
    #[error("the commit has no file that fits the `inputs` of recipe '{recipe}': {}", .patterns.join(", "))]
    NoInputs {
        /// The recipe.
        recipe: String,
        /// Its patterns.
        patterns: Vec<String>,
    },
    /// A pattern is none.
    #[error("`{pattern}` of recipe '{recipe}' is no pattern of paths: {why}")]
    Pattern {
        /// The recipe.
        recipe: String,
        /// The pattern.
        pattern: String,
        /// The fault.
        why: String,
    },
    /// There is something that is no file, folder or link.
    #[error("`{path}`, which a step of recipe '{recipe}' made, is no file, folder or link")]
    Special {
        /// The recipe.
        recipe: String,
        /// Its path.
        path: String,
    },
    /// All ports are taken.
    #[error("all ports from {first} to {last} are taken; end runs that are not needed any more")]
    NoPorts {
        /// The first port of all slots.
        first: u16,
        /// The last one.
        last: u16,
    },
    /// The disk refused.
    #[error("cannot {doing} `{path}`: {why}")]
    File {
        /// The operation, as a verb phrase.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        why: String,
    },
}

impl CoreError for EnvironmentError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::File { .. } | Self::NoPorts { .. } => ErrorKind::Storage,
            Self::Pattern { .. } => ErrorKind::Config,
            _ => ErrorKind::Refused,
        }
    }
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> EnvironmentError {
    move |error| EnvironmentError::File {
        doing,
        path: path.to_owned(),
        why: error.to_string(),
    }
}
