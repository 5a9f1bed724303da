//! Ports that one run or check has for itself.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::Path;

use super::EnvironmentError;
use super::layer::OwnLock;

/// The first port of all slots: above those of common servers, below those that systems give out themselves.
const FIRST: u16 = 20_000;
/// The number of slots.
const SLOTS: u16 = 800;
/// The ports of a slot.
const LINE_WIDTH: u16 = 10;

/// Ten ports in a row, which no other run of this user has while this is held.
#[derive(Debug)]
pub struct PortSlot {
    first: u16,
    _lock: OwnLock,
}

impl PortSlot {
    /// Takes a slot whose ports nobody listens on; the locks of all slots lie in a folder.
    ///
    /// # Errors
    /// `NoPorts`, or `File`.
    pub fn take(folder: &Path) -> Result<Self, EnvironmentError> {
        // Locks of another user are not seen: two users rarely begin at one slot.
        let start = fastrand::u16(0..SLOTS);
        for slot in 0..SLOTS {
            let first = FIRST + (start + slot) % SLOTS * LINE_WIDTH;
            if let Some(lock) = OwnLock::try_take(folder, &first.to_string())?
                && (first..first + LINE_WIDTH).all(is_free)
            {
                return Ok(Self { first, _lock: lock });
            }
        }
        Err(EnvironmentError::NoPorts {
            first: FIRST,
            last: FIRST + SLOTS * LINE_WIDTH - 1,
        })
    }

    /// Returns the port with a number below ten.
    pub fn port(&self, number: usize) -> u16 {
        self.first + u16::try_from(number).unwrap_or(0).min(LINE_WIDTH - 1)
    }
}

/// Returns true if nobody listens on a port of this machine's loopbacks.
fn is_free(port: u16) -> bool {
    let places = [
        SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        SocketAddr::from((Ipv6Addr::LOCALHOST, port)),
    ];
    places
        .into_iter()
        .all(|place| match TcpListener::bind(place) {
            Ok(_) => true,
            // A system without IPv6 has nobody there.
            Err(error) => error.kind() == std::io::ErrorKind::AddrNotAvailable,
        })
}
