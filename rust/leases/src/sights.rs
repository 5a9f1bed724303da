//! Since when each value on the remote has been as it is, by this machine's own clock.
//!
//! That is the only measure of whether a holder lives: times that others write are never compared.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::machine::{MachineTime, boot_id};

/// The values that were seen, by their refs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ValueSights {
    /// The start of the machine that these times count from.
    boot: String,
    seen: BTreeMap<String, ValueSight>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ValueSight {
    object: String,
    since: MachineTime,
}

impl ValueSights {
    /// Takes in what a look found: a value that is still the same keeps its time.
    pub(super) fn take_in<'a>(&mut self, found: impl Iterator<Item = (String, &'a str)>) {
        let now = MachineTime::now();
        let boot = boot_id();
        if boot != self.boot {
            self.seen.clear();
            self.boot = boot;
        }
        let mut seen = BTreeMap::new();
        for (name, object) in found {
            let known = self.seen.remove(&name);
            let since = match known {
                Some(sight) if sight.object == object && sight.since <= now => sight.since,
                _ => now,
            };
            let object = object.to_owned();
            seen.insert(name, ValueSight { object, since });
        }
        self.seen = seen;
    }

    /// Returns how long a value has been as it is; nothing for one that was not seen.
    pub(super) fn age(&self, name: &str) -> Duration {
        let sight = self.seen.get(name).filter(|_| self.boot == boot_id());
        sight.map_or(Duration::ZERO, |sight| {
            MachineTime::now().since(sight.since)
        })
    }
}
