//! Limits of tokens and money, for each run and for all runs of a day; and the usage that is
//! counted against them.

use std::fmt;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::event_program::EventProgramCall;
use super::run_record::{self, RunRecord, WaitEntry};
use super::run_store::RunStore;
use super::start_allowance::StartAllowance;
use super::state::RunState;
use super::usage::{DAY, UsageEntry};
use chant_agent_events::{AgentUsage, EventFormat, EventSummary, ProviderWait, TokenCount};
use chant_base::money::UsdAmount;

/// The least time between two writes of an agent's usage into its record.
const WRITE: Duration = Duration::from_secs(1);
/// The least time between two readings of other runs' usage.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// The handling of the events that an agent reports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventPlan {
    /// The format of its events.
    pub format: EventFormat,
    /// The program that reads its output and reports its events, if it is not read here.
    pub program: Option<EventProgramCall>,
    /// The limits of its usage.
    pub spending: SpendingLimits,
    /// The delay before each further try, if the cause of a failure passes.
    pub delays: Vec<Duration>,
    /// The number of starts that a rate limit halves.
    pub allowance: Option<StartAllowance>,
}

/// The limits of tokens and money.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpendingLimits {
    /// The tokens of a run.
    pub tokens: Option<u64>,
    /// The money of a run.
    pub cost: Option<UsdAmount>,
    /// The tokens of all runs of the last 24 hours.
    pub tokens_per_day: Option<u64>,
    /// The money of all runs of the last 24 hours.
    pub cost_per_day: Option<UsdAmount>,
}

/// A limit that is reached, with the usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpentLimit {
    /// `limits.tokens`.
    Tokens(u64, u64),
    /// `limits.cost_usd`.
    Cost(UsdAmount, UsdAmount),
    /// `limits.tokens_per_day`.
    TokensPerDay(u64, u64),
    /// `limits.cost_usd_per_day`.
    CostPerDay(UsdAmount, UsdAmount),
}

impl SpentLimit {
    /// Returns true if it is a limit of all runs of a day.
    pub fn is_of_day(self) -> bool {
        matches!(self, Self::TokensPerDay(..) | Self::CostPerDay(..))
    }
}

impl fmt::Display for SpentLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tokens(used, most) => write!(f, "{used} tokens of `limits.tokens` ({most})"),
            Self::Cost(used, most) => write!(f, "{used} of `limits.cost_usd` ({most})"),
            Self::TokensPerDay(used, most) => write!(
                f,
                "{used} tokens in 24 hours of `limits.tokens_per_day` ({most})"
            ),
            Self::CostPerDay(used, most) => write!(
                f,
                "{used} in 24 hours of `limits.cost_usd_per_day` ({most})"
            ),
        }
    }
}

impl SpendingLimits {
    /// Returns the first limit that is reached by a run's own usage and the recent usage of others.
    pub fn reached(&self, own: &AgentUsage, others: &AgentUsage) -> Option<SpentLimit> {
        let all = *own + *others;
        let tokens = |usage: &AgentUsage| usage.tokens.map_or(0, TokenCount::total);
        let cost = |usage: &AgentUsage| usage.cost.unwrap_or_default();
        let is_over = |used: u64, most: Option<u64>| most.filter(|most| used >= *most);
        let is_dear = |used: UsdAmount, most: Option<UsdAmount>| most.filter(|most| used >= *most);
        let of_run = is_over(tokens(own), self.tokens);
        let of_day = is_over(tokens(&all), self.tokens_per_day);
        None.or(of_run.map(|most| SpentLimit::Tokens(tokens(own), most)))
            .or(is_dear(cost(own), self.cost).map(|most| SpentLimit::Cost(cost(own), most)))
            .or(of_day.map(|most| SpentLimit::TokensPerDay(tokens(&all), most)))
            .or(is_dear(cost(&all), self.cost_per_day)
                .map(|most| SpentLimit::CostPerDay(cost(&all), most)))
    }

    fn has_day(&self) -> bool {
        self.tokens_per_day.is_some() || self.cost_per_day.is_some()
    }
}

/// Returns the usage of runs in the 24 hours before a moment, except one of them. A run counts as a
/// whole if it is running or its end lies in that time.
pub fn spent_lately(records: &[RunRecord], now: Timestamp, but: Option<&str>) -> AgentUsage {
    let counts = |record: &&RunRecord| {
        let is_running = record.state() == RunState::Running;
        let end = record.completed_at.as_deref();
        let end: Option<Timestamp> = end.and_then(|end| end.parse().ok());
        let is_late = end.is_some_and(|end| end >= now - DAY);
        (is_running || is_late) && Some(record.process_id.as_str()) != but
    };
    let usages = records.iter().filter(counts);
    usages
        .filter_map(|record| record.usage.as_ref())
        .fold(AgentUsage::default(), |sum, usage| sum + usage.into())
}

/// Counts the usage of an agent while it works.
pub struct UsageMeter<'a> {
    runs: &'a RunStore,
    process_id: String,
    limits: SpendingLimits,
    /// The usage of earlier tries of the same run.
    earlier: AgentUsage,
    /// The recent usage of other runs, and the time of that reading.
    others: (AgentUsage, Option<Instant>),
    /// The usage that was last written into the record, and the time of writing.
    written: (AgentUsage, Option<Instant>),
    /// The machine and its confinement that were last written into the record.
    place: [Option<String>; 3],
    /// The wait that was last written into the record.
    wait: Option<ProviderWait>,
}

impl<'a> UsageMeter<'a> {
    /// Creates a meter for a run, which may have used something already.
    pub fn of(runs: &'a RunStore, record: &RunRecord, limits: SpendingLimits) -> Self {
        Self {
            runs,
            process_id: record.process_id.clone(),
            limits,
            earlier: record.usage.as_ref().map(Into::into).unwrap_or_default(),
            others: (AgentUsage::default(), None),
            written: (AgentUsage::default(), None),
            place: [None, None, None],
            wait: None,
        }
    }

    /// Returns the usage of the run until now.
    pub fn used(&self, summary: &EventSummary) -> AgentUsage {
        self.earlier + summary.usage
    }

    /// Counts what an agent reported; returns a limit that it has reached, unless the agent has
    /// ended itself.
    pub fn note(&mut self, summary: &EventSummary) -> Option<SpentLimit> {
        self.note_place(summary);
        if summary.waits != self.wait {
            self.write_wait(summary.waits);
        }
        let used = self.used(summary);
        if used == self.written.0 {
            return None;
        }
        if self.written.1.is_none_or(|at| at.elapsed() >= WRITE) {
            self.write(used);
        }
        // An agent that reported its end has nothing more to spend.
        if summary.has_final {
            return None;
        }
        self.limit(&used)
    }

    /// Returns the limit that is reached, if any.
    pub fn limit(&mut self, used: &AgentUsage) -> Option<SpentLimit> {
        let is_due = self.others.1.is_none_or(|at| at.elapsed() >= POLL_INTERVAL);
        if self.limits.has_day() && is_due {
            // If records cannot be listed now, the last reading counts.
            if let Ok((records, _)) = self.runs.all() {
                let now = (self.runs.clock)();
                let others = spent_lately(&records, now, Some(&self.process_id));
                self.others = (others, Some(Instant::now()));
            }
        }
        self.limits.reached(used, &self.others.0)
    }

    /// Writes the machine on which the agent works, and its confinement there, into the record, if
    /// they are others than those that were written last.
    pub fn note_place(&mut self, summary: &EventSummary) {
        if place_of(summary) == self.place {
            return;
        }
        let since = run_record::stamp((self.runs.clock)());
        let written = self.runs.update(&self.process_id, |record| {
            let Some(placed) = &mut record.placed else {
                return Ok(());
            };
            if placed.worker != summary.worker {
                placed.worker.clone_from(&summary.worker);
                placed.since = Some(since.clone());
            }
            if summary.pushed.is_some() {
                placed.pushed.clone_from(&summary.pushed);
            }
            if summary.confinement.is_some() {
                record.confinement.clone_from(&summary.confinement);
            }
            Ok(())
        });
        if written.is_ok() {
            self.place = place_of(summary);
        }
    }

    /// Writes into the record until when the agent waits for its provider.
    fn write_wait(&mut self, wait: Option<ProviderWait>) {
        let entry = wait.and_then(|wait| {
            let time = Duration::from_secs(wait.seconds);
            let until = (self.runs.clock)().checked_add(time).ok()?;
            Some(WaitEntry {
                until: run_record::stamp(until),
                cause: wait.cause.map(|cause| cause.as_str().to_owned()),
            })
        });
        let written = self.runs.update(&self.process_id, |record| {
            record.provider_wait.clone_from(&entry);
            Ok(())
        });
        if written.is_ok() {
            self.wait = wait;
        }
    }

    /// Writes the usage into the record; a write that fails now is repeated at the end.
    fn write(&mut self, used: AgentUsage) {
        let _ = self.runs.update(&self.process_id, |record| {
            record.usage = Some(UsageEntry::from(used));
            Ok(())
        });
        self.written = (used, Some(Instant::now()));
    }
}

/// Returns what a summary says about an agent on another machine.
fn place_of(summary: &EventSummary) -> [Option<String>; 3] {
    [&summary.worker, &summary.confinement, &summary.pushed].map(Clone::clone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::ProcessIdentity;
    use crate::run_record::SINGLE;
    use crate::state::RunEvent;

    fn usage(tokens: u64, dollars: f64) -> AgentUsage {
        AgentUsage {
            turns: None,
            tokens: Some(TokenCount {
                input: tokens,
                ..TokenCount::default()
            }),
            cost: UsdAmount::new(dollars),
        }
    }

    #[test]
    fn the_first_limit_that_is_reached_is_named() {
        let limits = SpendingLimits {
            tokens: Some(100),
            cost: UsdAmount::new(1.0),
            tokens_per_day: Some(150),
            cost_per_day: UsdAmount::new(1.5),
        };
        let nothing = AgentUsage::default();
        assert_eq!(limits.reached(&nothing, &nothing), None);
        assert_eq!(limits.reached(&usage(99, 0.9), &nothing), None);
        let named = |own, others| limits.reached(&own, &others).unwrap().to_string();
        assert_eq!(
            named(usage(120, 0.0), nothing),
            "120 tokens of `limits.tokens` (100)"
        );
        assert_eq!(
            named(usage(1, 2.0), nothing),
            "$2.00 of `limits.cost_usd` ($1.00)"
        );
        assert_eq!(
            named(usage(50, 0.0), usage(100, 0.0)),
            "150 tokens in 24 hours of `limits.tokens_per_day` (150)"
        );
        assert!(
            limits
                .reached(&usage(1, 0.5), &usage(1, 1.0))
                .unwrap()
                .is_of_day()
        );
        assert_eq!(
            SpendingLimits::default().reached(&usage(9, 9.0), &nothing),
            None
        );
    }

    #[test]
    fn runs_count_for_24_hours_after_their_end() {
        let runner = ProcessIdentity {
            pid: 7,
            pid_start: None,
            boot_id: None,
        };
        let now = Timestamp::UNIX_EPOCH + 100 * DAY;
        let mut running = RunRecord::new("a", SINGLE, runner.clone(), now - 3 * DAY);
        running.usage = Some(usage(1, 1.0).into());
        let mut late = running.clone();
        late.process_id = "a-8".into();
        late.change(RunEvent::Fail, None, now - DAY / 2).unwrap();
        let mut old = running.clone();
        old.change(RunEvent::Fail, None, now - 2 * DAY).unwrap();
        let records = [running, late, old];
        assert_eq!(spent_lately(&records, now, None), usage(2, 2.0));
        assert_eq!(spent_lately(&records, now, Some("a-8")), usage(1, 1.0));
    }
}
