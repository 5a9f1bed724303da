//! The name of this clone's orchestrator on the remote, and the signs of life that it gave.

use serde::{Deserialize, Serialize};

use super::LeaseError;
use super::queue::WishQueue;

/// The file of the name.
const FILE_NAME: &str = "orchestrator.json";
/// The signs of life that are remembered: a push whose answer was lost may have written any of them.
const REMEMBERED: usize = 16;

/// The name of this clone, and what it wrote under it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OwnName {
    pub(super) name: String,
    /// Names that it had before; what is held under them is its own, too.
    former: Vec<String>,
    pub(super) counter: u64,
    /// Objects that were to be its sign of life, the newest last.
    written: Vec<String>,
}

impl OwnName {
    /// Reads the name, or chooses one.
    pub(super) fn of(queue: &WishQueue) -> Result<Self, LeaseError> {
        if let Some(known) = Self::known(queue)? {
            return Ok(known);
        }
        let chosen = Self {
            name: new_name(),
            former: Vec::new(),
            counter: 0,
            written: Vec::new(),
        };
        queue.write_own(FILE_NAME, &chosen)?;
        Ok(chosen)
    }

    /// Reads the name; `None` before one was chosen.
    pub(super) fn known(queue: &WishQueue) -> Result<Option<Self>, LeaseError> {
        queue.read_own(FILE_NAME)
    }

    /// Returns true for a name of this clone.
    pub(super) fn is_own(&self, name: &str) -> bool {
        self.name == name || self.former.iter().any(|former| former == name)
    }

    /// Takes another name if the remote has a sign of life under this one that this clone did not give: a
    /// copy of its disk has the same name.
    pub(super) fn settle(
        &mut self,
        queue: &WishQueue,
        found: Option<&str>,
    ) -> Result<(), LeaseError> {
        let is_foreign = found.is_some_and(|object| !self.written.iter().any(|own| own == object));
        if !is_foreign {
            return Ok(());
        }
        tracing::warn!(name = %self.name, "another clone has this name; a new one is taken");
        let former = std::mem::replace(&mut self.name, new_name());
        self.former.push(former);
        self.written.clear();
        self.counter = 0;
        queue.write_own(FILE_NAME, self)
    }

    /// Notes a sign of life before it is pushed.
    pub(super) fn note_beat(&mut self, queue: &WishQueue, object: &str) -> Result<(), LeaseError> {
        self.counter += 1;
        self.written.push(object.to_owned());
        let above = self.written.len().saturating_sub(REMEMBERED);
        self.written.drain(..above);
        queue.write_own(FILE_NAME, self)
    }
}

fn new_name() -> String {
    format!("o-{:08x}", fastrand::u32(..))
}
