//! The number of runs that an account, or an agent without one, may have at once: a rate limit of its provider halves
//! it, and it grows again by one a minute.
//!
//! Only starts obey it; a run that met the limit waits inside and is not ended. Times are those of the machine's
//! clock since its start, which nobody sets; a later start of the machine counts as the time since then.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::WorkError;
use super::process::boot_id;
use super::run_store::RunStore;
use chant_store::StoreError;
use chant_store::disk;
use chant_store::files::{self, RootFolder};
use chant_store::state::{escape_name, unescape_name};

/// The folder in the state folder, a file an owner.
const FOLDER_NAME: &str = "start-allowances";
/// The greatest size of a file in bytes.
const MAX_SIZE: u64 = 4096;
/// The time in which the number grows by one.
const GROWTH: Duration = Duration::from_secs(60);
/// The time in which further rate limits are those of the same moment: many runs meet one at once.
const SAME_MOMENT: Duration = Duration::from_secs(60);

/// Whose runs are counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AllowanceOwner {
    /// An account, by its name.
    Account(String),
    /// An agent that uses no account, by its name.
    Agent(String),
}

impl AllowanceOwner {
    /// Returns its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Account(name) | Self::Agent(name) => name,
        }
    }

    fn file(&self) -> String {
        match self {
            Self::Account(name) => format!("account-{}", escape_name(name)),
            Self::Agent(name) => format!("agent-{}", escape_name(name)),
        }
    }

    fn of_file(file: &str) -> Option<Self> {
        if let Some(name) = file.strip_prefix("account-") {
            return unescape_name(name).map(Self::Account);
        }
        unescape_name(file.strip_prefix("agent-")?).map(Self::Agent)
    }
}

/// The greatest number of runs that an owner may have at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartAllowance {
    /// Whose runs are counted.
    pub owner: AllowanceOwner,
    /// So many where no rate limit was met.
    pub most: usize,
}

/// The number of runs that are allowed now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllowedRuns {
    /// So many.
    pub now: usize,
    /// The time until it is the full number again; `None` where it is.
    pub full_in: Option<Duration>,
}

/// The number behind a rate limit, as its file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct LimitedRuns {
    allowed: usize,
    /// The machine's identity since its start.
    boot: Option<String>,
    /// Seconds from that start to the rate limit.
    seconds: u64,
}

/// A moment of this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct MachineMoment {
    boot: Option<String>,
    seconds: u64,
}

impl MachineMoment {
    /// There are no runs on this system.
    #[cfg(not(unix))]
    fn now() -> Self {
        Self {
            boot: None,
            seconds: 0,
        }
    }

    #[cfg(unix)]
    fn now() -> Self {
        #[cfg(target_os = "linux")]
        let clock = rustix::time::ClockId::Boottime;
        #[cfg(not(target_os = "linux"))]
        let clock = rustix::time::ClockId::Monotonic;
        let time = rustix::time::clock_gettime(clock);
        Self {
            boot: boot_id(),
            seconds: u64::try_from(time.tv_sec).unwrap_or_default(),
        }
    }

    /// Returns the time since a rate limit, or at least so much.
    fn since(&self, limited: &LimitedRuns) -> Duration {
        let before = if self.boot == limited.boot {
            limited.seconds
        } else {
            0
        };
        Duration::from_secs(self.seconds.saturating_sub(before))
    }
}

impl LimitedRuns {
    fn allowed_at(&self, now: &MachineMoment, most: usize) -> AllowedRuns {
        let grown = now.since(self).as_secs() / GROWTH.as_secs();
        let grown = usize::try_from(grown).unwrap_or(usize::MAX);
        let allowed = self.allowed.saturating_add(grown);
        if allowed >= most {
            return AllowedRuns {
                now: most,
                full_in: None,
            };
        }
        let minutes = u32::try_from(most - self.allowed).unwrap_or(u32::MAX);
        AllowedRuns {
            now: allowed,
            full_in: Some((GROWTH * minutes).saturating_sub(now.since(self))),
        }
    }

    /// Returns what holds after one more rate limit; `None` for one of the same moment as the last.
    fn halved(last: Option<&Self>, now: MachineMoment, most: usize) -> Option<Self> {
        if last.is_some_and(|last| now.since(last) < SAME_MOMENT) {
            return None;
        }
        let allowed = last.map_or(most, |last| last.allowed_at(&now, most).now);
        Some(Self {
            allowed: (allowed / 2).max(1),
            boot: now.boot,
            seconds: now.seconds,
        })
    }
}

impl StartAllowance {
    /// Halves the number, because the provider said that it was asked too often.
    ///
    /// # Errors
    /// A `StoreError`.
    pub fn note_rate_limit(&self, runs: &RunStore) -> Result<(), WorkError> {
        let folder = RootFolder::open(&runs.state.ensure(&runs.state.in_project(FOLDER_NAME))?)?;
        let file = self.owner.file();
        match disk::create_owned(&folder.path().join(&file), "") {
            Ok(()) | Err(StoreError::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        files::edit(&runs.disk, &folder, &file, |text| {
            let last = serde_json::from_str(text).ok();
            let halved = LimitedRuns::halved(last.as_ref(), MachineMoment::now(), self.most);
            let written = halved.and_then(|halved| serde_json::to_string(&halved).ok());
            Ok::<_, WorkError>(written.unwrap_or_else(|| text.to_owned()))
        })?;
        tracing::info!(owner = ?self.owner, most = self.most, "a rate limit halves the number of starts");
        Ok(())
    }
}

/// The rate limits that were met, as they are at one moment.
#[derive(Debug, Clone, Default)]
pub struct RateLimits {
    limited: BTreeMap<AllowanceOwner, LimitedRuns>,
    now: MachineMoment,
}

impl RateLimits {
    /// Reads them. A file that cannot be believed says nothing.
    pub fn read(runs: &RunStore) -> Self {
        let folder = runs.state.read(&runs.state.in_project(FOLDER_NAME));
        let folder = folder.unwrap_or_default();
        let names = disk::names(&folder).unwrap_or_default().into_iter();
        let limited = names.filter_map(|entry| {
            let owner = AllowanceOwner::of_file(&entry.name)?;
            let text = disk::read_owned(&folder.join(&entry.name), MAX_SIZE).ok()?;
            Some((owner, serde_json::from_str(&text).ok()?))
        });
        Self {
            limited: limited.collect(),
            now: MachineMoment::now(),
        }
    }

    /// Returns the number of runs that are allowed.
    pub fn allowed(&self, allowance: &StartAllowance) -> AllowedRuns {
        let full = AllowedRuns {
            now: allowance.most,
            full_in: None,
        };
        let limited = self.limited.get(&allowance.owner);
        limited.map_or(full, |limited| {
            limited.allowed_at(&self.now, allowance.most)
        })
    }

    /// Returns those that ever met one, in the order of their names.
    pub fn owners(&self) -> impl Iterator<Item = &AllowanceOwner> {
        self.limited.keys()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(boot: &str, minutes: u64) -> MachineMoment {
        MachineMoment {
            boot: Some(boot.to_owned()),
            seconds: minutes * 60,
        }
    }

    /// The number after rate limits and looks at minutes since the start, of 20 at most.
    #[track_caller]
    fn check(events: &[(u64, &str)], expected: &[usize]) {
        let mut limited = None;
        let mut seen = Vec::new();
        for (minutes, event) in events {
            let (boot, now) = match event.strip_prefix("later ") {
                Some(event) => ("b", event),
                None => ("a", *event),
            };
            let at = moment(boot, *minutes);
            if now == "limit" {
                limited = LimitedRuns::halved(limited.as_ref(), at, 20).or(limited);
            } else {
                let allowed = limited
                    .as_ref()
                    .map(|limited: &LimitedRuns| limited.allowed_at(&at, 20));
                seen.push(allowed.map_or(20, |allowed| allowed.now));
            }
        }
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_rate_limit_halves_and_each_minute_gives_one_back() {
        let events = [
            (5, "look"),
            (5, "limit"),
            (5, "look"),
            (8, "look"),
            (30, "look"),
        ];
        check(&events, &[20, 10, 13, 20]);
        check(&[(5, "limit"), (7, "limit"), (7, "look")], &[6]);
        // Runs that meet the limit at the same moment halve it once.
        check(
            &[(5, "limit"), (5, "limit"), (5, "limit"), (5, "look")],
            &[10],
        );
        let often: Vec<_> = (1..9)
            .map(|at| (at, "limit"))
            .chain([(9, "look")])
            .collect();
        check(&often, &[2]);
    }

    #[test]
    fn a_new_start_of_the_machine_counts_from_there() {
        check(&[(500, "limit"), (3, "later look")], &[13]);
        check(&[(5, "limit"), (3, "look")], &[10]);
    }

    #[test]
    fn the_time_until_all_is_allowed_is_known() {
        let limited = LimitedRuns::halved(None, moment("a", 5), 20).unwrap();
        let at = |minutes| limited.allowed_at(&moment("a", minutes), 20).full_in;
        assert_eq!(at(5), Some(Duration::from_secs(600)));
        assert_eq!(at(14), Some(Duration::from_secs(60)));
        assert_eq!(at(15), None);
    }

    #[test]
    fn names_of_owners_survive_their_files() {
        for owner in [
            AllowanceOwner::Account("team-a".into()),
            AllowanceOwner::Agent("Claude Ä/..".into()),
        ] {
            assert_eq!(AllowanceOwner::of_file(&owner.file()), Some(owner));
        }
    }
}
