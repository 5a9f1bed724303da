//! What this machine says of itself: its name, and a clock that is comparable among its processes.

use std::time::Duration;

use chant_store::disk;

/// The longest name of a machine that is published.
const LONGEST_NAME: usize = 64;

/// A moment of this machine since it was started, suspended time included.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub(super) struct MachineTime(u64);

impl MachineTime {
    /// Returns the present moment.
    pub(super) fn now() -> Self {
        #[cfg(target_os = "linux")]
        let clock = rustix::time::ClockId::Boottime;
        #[cfg(not(target_os = "linux"))]
        let clock = rustix::time::ClockId::Monotonic;
        let time = rustix::time::clock_gettime(clock);
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        let millis = u64::try_from(time.tv_nsec / 1_000_000).unwrap_or_default();
        Self(seconds * 1000 + millis)
    }

    /// Returns it as a number that grows with time.
    pub(super) fn number(self) -> u64 {
        self.0
    }

    /// Returns the moment of a number.
    pub(super) fn of_number(number: u64) -> Self {
        Self(number)
    }

    /// Returns the time since an earlier moment; nothing for a later one.
    pub(super) fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// Returns what tells this start of the machine from every other; empty where nothing does.
pub(super) fn boot_id() -> String {
    let id = disk::read_made_up("/proc/sys/kernel/random/boot_id");
    id.unwrap_or_default().trim().to_owned()
}

/// Returns the name of the machine, for people.
pub(super) fn host_name() -> String {
    let name = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    let shown = name.chars().filter(|letter| !letter.is_control());
    shown.take(LONGEST_NAME).collect()
}

/// Returns the time, for people.
pub(super) fn now() -> String {
    jiff::Timestamp::now().strftime("%FT%TZ").to_string()
}
