//! Remembers the hosts that were reached or refused.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The greatest number of names of each kind: more are counted only.
const MAX_NAMES: usize = 100;

/// The hosts and routes that processes asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostTraffic {
    /// The bytes that went through, in both directions, by host or route.
    pub reached: BTreeMap<String, u64>,
    /// The reasons of refusals, by host and port, or by route.
    pub refused: BTreeMap<String, String>,
    /// The number of requests for names that have no place in the two.
    pub others: u64,
}

impl HostTraffic {
    /// Returns true if nothing was asked for.
    pub fn is_empty(&self) -> bool {
        self.reached.is_empty() && self.refused.is_empty()
    }
}

/// The traffic that several threads see.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrafficLog(Arc<Mutex<HostTraffic>>);

impl TrafficLog {
    pub(crate) fn now(&self) -> HostTraffic {
        self.with(|traffic| traffic.clone())
    }

    pub(crate) fn add_reached(&self, name: &str, bytes: u64) {
        self.with(|traffic| {
            if let Some(count) = traffic.reached.get_mut(name) {
                *count = count.saturating_add(bytes);
            } else if traffic.reached.len() < MAX_NAMES {
                traffic.reached.insert(name.to_owned(), bytes);
            } else {
                traffic.others += 1;
            }
        });
    }

    pub(crate) fn add_refused(&self, name: &str, why: &str) {
        self.with(|traffic| {
            let is_known = traffic.refused.contains_key(name);
            if is_known || traffic.refused.len() < MAX_NAMES {
                traffic.refused.insert(name.to_owned(), why.to_owned());
            } else {
                traffic.others += 1;
            }
        });
    }

    fn with<T>(&self, act: impl FnOnce(&mut HostTraffic) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
