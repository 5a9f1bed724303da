//! Changes of specs that are tried one after the other and written all at once.

use std::sync::Arc;

use serde_json::Value;

use super::Workspace;
use super::handle::whole;
use super::joined::Joined;
use super::key;
use crate::dialects::chant::ops::{Operation, Stage, commit};
use crate::error::Error;

/// Changes so far, and everything as it would be.
pub struct Transaction {
    joined: Joined,
    stage: Stage,
    operations: Vec<Operation>,
}

impl Transaction {
    /// Begins with what is true now.
    ///
    /// # Errors
    /// That there is no chant project, or as [`Workspace::snapshot`].
    pub fn begin(workspace: &Workspace) -> Result<Self, Error> {
        let joined = Joined::clone(&*workspace.snapshot()?);
        let stage = Stage::begin(workspace.parts.chant.snapshot()?);
        Ok(Self {
            joined,
            stage,
            operations: Vec::new(),
        })
    }

    /// Tries one more change; gives its spec as it would be.
    ///
    /// # Errors
    /// As [`Stage::play`]; the changes before it stay.
    pub fn play(
        &mut self,
        workspace: &Workspace,
        mut operation: Operation,
    ) -> Result<Value, Error> {
        let id = self.stage.play(&workspace.parts.chant, &mut operation)?;
        self.operations.push(operation);
        self.joined.take_specs(Arc::clone(self.stage.specs()));
        Ok(self.spec(&id))
    }

    /// A spec as it would be; null when there is none of exactly this ID.
    pub fn spec(&self, id: &str) -> Value {
        let node = self.joined.graph().find(&key::of_spec(id));
        let item = node.and_then(|node| self.joined.item(node));
        item.map(|item| whole(&item)).unwrap_or_default()
    }

    /// How many changes there are.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Writes all changes, each decided once more on what is true then; nothing where one is refused.
    ///
    /// # Errors
    /// As [`commit`].
    pub fn commit(&self, workspace: &Workspace) -> Result<Vec<String>, Error> {
        commit(&workspace.parts.chant, &self.operations)
    }
}
