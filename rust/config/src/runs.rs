//! The settings of runs of agents: which agents work, how much of the machine they take, which checks are run.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::time::Duration;

use serde::Deserialize;

use super::accounts::AccountSettings;
use super::dispatch::DispatchOrder;
use super::pool::PoolSettings;
use super::run_environment::RunEnvironmentSettings;
use chant_base::money::UsdAmount;

/// The way an agent is started, where that differs from what is built in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct AgentSettings {
    /// Program and arguments; they may hold placeholders such as `{model}`.
    pub command: Option<Vec<ArgumentGroup>>,
    /// The way the agent is given its prompt.
    pub prompt: Option<PromptDelivery>,
    /// Arguments that stop the agent from asking for permission, for agents that are not built in.
    pub skip_arguments: Vec<ArgumentGroup>,
    /// True if the agent may do everything without asking.
    pub skip_permissions: bool,
    /// Its model, for runs whose spec names none.
    pub model: Option<String>,
    /// The format in which it reports events, or the plugin that reads them; else by its name.
    pub events: Option<String>,
    /// The arguments with which it goes on with a session, in the place of `{session}`.
    pub resume: Vec<ArgumentGroup>,
    /// Patterns of the files below its own state that hold a session.
    pub transcripts: Vec<String>,
}

/// An argument of a command line, or several that are left out together when one of their
/// placeholders has no value.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "a text, or a list of texts that belong together"
)]
pub enum ArgumentGroup {
    /// One.
    One(String),
    /// Several, in order.
    Together(Vec<String>),
}

/// The way an agent is given its prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PromptDelivery {
    /// On its standard input.
    Stdin,
    /// As a file whose path stands in its arguments.
    File,
    /// As one of its arguments.
    Argument,
}

/// An agent among which work in parallel is divided (reference chant 7).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(expecting = "`key: value` lines")]
pub struct ParallelAgent {
    /// Its name in records.
    pub name: String,
    /// The name of an agent, or a program that takes the arguments of `claude`.
    #[serde(default = "claude")]
    pub command: String,
    /// So many of its runs may go on at once.
    #[serde(default = "two")]
    pub max_concurrent: NonZeroUsize,
    /// The weight with which it is chosen, compared with the others.
    #[serde(default = "one")]
    pub weight: NonZeroU32,
}

fn claude() -> String {
    "claude".into()
}

fn two() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(1)
}

fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

/// The limits of a run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct RunLimits {
    /// A run takes no longer than this.
    pub run_minutes: NonZeroU64,
    /// A run is not silent for longer than this.
    pub idle_minutes: NonZeroU64,
    /// A check takes no longer than this.
    pub check_minutes: NonZeroU64,
    /// A run writes no more than this.
    pub output_megabytes: NonZeroU64,
    /// A file of a run's work is no larger than this.
    pub file_megabytes: NonZeroU64,
    /// No more agents than this work at once.
    pub agents_at_once: NonZeroUsize,
    /// A run uses no more tokens than this.
    pub tokens: Option<NonZeroU64>,
    /// A run costs no more US dollars than this.
    pub cost_usd: Option<UsdAmount>,
    /// All runs of 24 hours use no more tokens than this.
    pub tokens_per_day: Option<NonZeroU64>,
    /// All runs of 24 hours cost no more US dollars than this.
    pub cost_usd_per_day: Option<UsdAmount>,
    /// A run has no more processes and threads at once than this.
    pub processes: Option<NonZeroU32>,
    /// A run uses no more memory than this, where control groups enforce it.
    pub memory_megabytes: Option<NonZeroU64>,
    /// A run takes no more turns of its model than this; for agents that take such a limit.
    pub turns: Option<NonZeroU32>,
    /// No more specs than this that runs of one spec added wait for a person.
    pub added_specs: Option<NonZeroUsize>,
    /// These specs have no more kilobytes together than this.
    pub added_kilobytes: Option<NonZeroU64>,
}

/// The value of `limits.added_specs` where no file has one.
const ADDED_SPECS: usize = 50;
/// The value of `limits.added_kilobytes` where no file has one.
const ADDED_KILOBYTES: u64 = 1000;

impl Default for RunLimits {
    fn default() -> Self {
        let number = |number: u64| NonZeroU64::MIN.saturating_add(number - 1);
        Self {
            run_minutes: number(60),
            idle_minutes: number(15),
            check_minutes: number(10),
            output_megabytes: number(50),
            file_megabytes: number(1000),
            agents_at_once: NonZeroUsize::MIN.saturating_add(7),
            tokens: None,
            cost_usd: None,
            tokens_per_day: None,
            cost_usd_per_day: None,
            processes: None,
            memory_megabytes: None,
            turns: None,
            added_specs: None,
            added_kilobytes: None,
        }
    }
}

impl RunLimits {
    /// The longest run.
    pub fn run(&self) -> Duration {
        minutes(self.run_minutes)
    }

    /// The longest silence.
    pub fn idle(&self) -> Duration {
        minutes(self.idle_minutes)
    }

    /// The longest check.
    pub fn check(&self) -> Duration {
        minutes(self.check_minutes)
    }

    /// Takes over what another file says. What may be used up, or added, is the smaller of both: a project does
    /// not spend more than its user wants, nor the other way round.
    pub(super) fn take(&mut self, other: Self) {
        *self = Self {
            tokens: smaller(self.tokens, other.tokens),
            cost_usd: smaller(self.cost_usd, other.cost_usd),
            tokens_per_day: smaller(self.tokens_per_day, other.tokens_per_day),
            cost_usd_per_day: smaller(self.cost_usd_per_day, other.cost_usd_per_day),
            added_specs: smaller(self.added_specs, other.added_specs),
            added_kilobytes: smaller(self.added_kilobytes, other.added_kilobytes),
            processes: smaller(self.processes, other.processes),
            memory_megabytes: smaller(self.memory_megabytes, other.memory_megabytes),
            ..other
        };
    }

    /// Returns the fault of a limit; the first one.
    pub(super) fn wrong_limit(&self) -> Option<String> {
        let amounts = [
            ("cost_usd", self.cost_usd),
            ("cost_usd_per_day", self.cost_usd_per_day),
        ];
        let is_nothing = |amount: Option<UsdAmount>| amount == Some(UsdAmount::default());
        let wrong = amounts.into_iter().find(|(_, amount)| is_nothing(*amount));
        wrong.map(|(key, _)| format!("limits.{key}: expected an amount above 0, got 0"))
    }

    /// The greatest number of processes and threads at once: more than builds of large projects have.
    pub fn processes(&self) -> u32 {
        self.processes.map_or(4096, NonZeroU32::get)
    }

    /// The greatest number of bytes of memory. By default there is none but that of the group of a run.
    pub fn memory(&self) -> Option<u64> {
        let megabytes = self.memory_megabytes.map(NonZeroU64::get);
        megabytes.map(|megabytes| megabytes.saturating_mul(1_000_000))
    }

    /// The most turns.
    pub fn turns(&self) -> Option<u32> {
        self.turns.map(NonZeroU32::get)
    }

    /// The most specs that runs of one spec added and that wait for a person.
    pub fn added_specs(&self) -> usize {
        self.added_specs.map_or(ADDED_SPECS, NonZeroUsize::get)
    }

    /// The most bytes that these specs have together.
    pub fn added_bytes(&self) -> usize {
        let kilobytes = self
            .added_kilobytes
            .map_or(ADDED_KILOBYTES, NonZeroU64::get);
        usize::try_from(kilobytes.saturating_mul(1000)).unwrap_or(usize::MAX)
    }

    /// The most bytes of a file of a run's work.
    pub fn file(&self) -> u64 {
        self.file_megabytes.get().saturating_mul(1_000_000)
    }

    /// The most bytes that a run writes.
    pub fn output(&self) -> u64 {
        self.output_megabytes.get().saturating_mul(1_000_000)
    }
}

fn smaller<T: PartialOrd>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) if other < one => Some(other),
        (one, other) => one.or(other),
    }
}

fn minutes(minutes: NonZeroU64) -> Duration {
    Duration::from_secs(minutes.get().saturating_mul(60))
}

/// Milliseconds that are waited at most before another try.
const LONGEST_DELAY: u64 = 60 * 60 * 1000;
/// Tries of an agent within one run, at the most.
const MAX_TRIES: u32 = 100;

/// When failed work is tried again (reference chant 6.10 and 7).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct RetrySettings {
    /// So many tries after the first.
    pub max_retries: u32,
    /// The wait before the first of them, in milliseconds.
    pub retry_delay_ms: u64,
    /// The factor by which each wait is longer than the one before; at least 1.
    pub backoff_multiplier: f64,
    /// Pieces of a log that mark a failure worth another try; without any none is.
    pub retryable_patterns: Vec<String>,
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self {
            max_retries: 3,
            retry_delay_ms: 60_000,
            backoff_multiplier: 2.0,
            retryable_patterns: Vec::new(),
        }
    }
}

impl RetrySettings {
    /// Returns the wait after so many tries; an hour at most.
    pub fn delay(&self, tries: u32) -> Duration {
        let tries = i32::try_from(tries.saturating_sub(1)).unwrap_or(i32::MAX);
        let factor = self.backoff_multiplier.powi(tries).min(1e9);
        let delay = Duration::from_millis(self.retry_delay_ms.min(LONGEST_DELAY)).mul_f64(factor);
        delay.min(Duration::from_millis(LONGEST_DELAY))
    }

    /// Returns the waits before each try after the first.
    pub fn delays(&self) -> Vec<Duration> {
        let tries = 1..=self.max_retries.min(MAX_TRIES);
        tries.map(|tries| self.delay(tries)).collect()
    }

    /// Returns the number of times that work whose log reads like this is tried again.
    pub fn after(&self, log: &str) -> u32 {
        let mut patterns = self.retryable_patterns.iter();
        if patterns.any(|pattern| !pattern.is_empty() && log.contains(pattern)) {
            self.max_retries
        } else {
            0
        }
    }
}

/// Where a model is asked over HTTP; what is not said is the default of its protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct ProviderSettings {
    /// Its address.
    pub endpoint: Option<String>,
    /// So many tries after the first for what may pass.
    pub max_retries: Option<u32>,
    /// Milliseconds before the first of them; doubled each time.
    pub retry_delay_ms: Option<u64>,
}

impl ProviderSettings {
    /// Takes over what another file says.
    pub(super) fn take(&mut self, other: Self) {
        self.endpoint = other.endpoint.or(self.endpoint.take());
        self.max_retries = other.max_retries.or(self.max_retries);
        self.retry_delay_ms = other.retry_delay_ms.or(self.retry_delay_ms);
    }
}

/// The providers that are asked over HTTP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct HttpProviders {
    /// Ollama.
    pub ollama: ProviderSettings,
    /// OpenAI, or what speaks its protocol.
    pub openai: ProviderSettings,
}

/// The way the agent is chosen for a run that names none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentRotation {
    /// It is the provider's.
    #[default]
    None,
    /// By chance, by weight.
    Random,
    /// In turn, by weight.
    #[serde(alias = "round-robin")]
    RoundRobin,
}

/// The wait between the starts of work in parallel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartStagger {
    /// Milliseconds.
    pub delay: u64,
    /// Milliseconds by which that is more or less.
    pub jitter: u64,
}

impl Default for StartStagger {
    fn default() -> Self {
        Self {
            delay: 1000,
            jitter: 200,
        }
    }
}

impl StartStagger {
    /// A wait; `chance` is from 0 to 1. An hour at most.
    pub fn wait(self, chance: f64) -> Duration {
        let least = self.delay.saturating_sub(self.jitter).min(LONGEST_DELAY);
        let most = self.delay.saturating_add(self.jitter).min(LONGEST_DELAY);
        let span = Duration::from_millis(most - least);
        Duration::from_millis(least) + span.mul_f64(chance.clamp(0.0, 1.0))
    }
}

/// Everything configured about runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSettings {
    /// The prompt of specs that name none.
    pub prompt: String,
    /// Names of texts that are put behind every prompt.
    pub prompt_extensions: Vec<String>,
    /// The agent that works when none is named, if the configuration says which.
    pub named_provider: Option<String>,
    /// The one that was found on this machine otherwise.
    pub found_provider: Option<String>,
    /// Settings of agents, by name.
    pub agents: BTreeMap<String, AgentSettings>,
    /// Where models are asked over HTTP.
    pub providers: HttpProviders,
    /// Agents among which work in parallel is divided; without any it is the provider's.
    pub parallel: Vec<ParallelAgent>,
    /// The way one of them is chosen for a run that is not one of several.
    pub rotation: AgentRotation,
    /// Accounts among which runs are divided, by name.
    pub accounts: BTreeMap<String, AccountSettings>,
    /// The choice among ready specs.
    pub dispatch: DispatchOrder,
    /// The wait between the starts of work in parallel.
    pub stagger: StartStagger,
    /// Commands that criteria name, by name: program and arguments.
    pub checks: BTreeMap<String, Vec<String>>,
    /// The environment: what folders of runs and checks hold beside the files of a commit.
    pub environment: RunEnvironmentSettings,
    /// The limits of a run.
    pub limits: RunLimits,
    /// When failed work is tried again.
    pub retries: RetrySettings,
    /// The settings with which the daemon watches.
    pub watch: WatchSettings,
    /// True if a run's work may change other specs than its own.
    pub may_change_other_specs: bool,
    /// Variables that agents and checks get beside those that are always passed.
    pub passed: Vec<String>,
    /// The number of folders that are made in advance.
    pub pool: PoolSettings,
    /// So long is the session of an agent kept after its run.
    pub sessions_kept: Duration,
}

/// The value of `review.sessions.days` where no file has one.
const SESSIONS_KEPT: Duration = Duration::from_secs(14 * SECONDS_OF_A_DAY);
const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

impl RunSettings {
    /// Takes over for how many days sessions are kept; a project can only ask for less.
    pub(super) fn keep_sessions_for(&mut self, days: u32, is_users: bool) {
        let asked = Duration::from_secs(u64::from(days) * SECONDS_OF_A_DAY);
        self.sessions_kept = if is_users {
            asked
        } else {
            asked.min(self.sessions_kept)
        };
    }

    /// The agent that works when none is named: the configured one, else the one that was found.
    pub fn provider(&self) -> Option<&str> {
        self.named_provider
            .as_deref()
            .or(self.found_provider.as_deref())
    }
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            prompt: "standard".into(),
            prompt_extensions: Vec::new(),
            named_provider: None,
            found_provider: None,
            agents: BTreeMap::new(),
            providers: HttpProviders::default(),
            parallel: Vec::new(),
            rotation: AgentRotation::default(),
            accounts: BTreeMap::new(),
            dispatch: DispatchOrder::default(),
            stagger: StartStagger::default(),
            checks: BTreeMap::new(),
            environment: RunEnvironmentSettings::default(),
            limits: RunLimits::default(),
            retries: RetrySettings::default(),
            watch: WatchSettings::default(),
            may_change_other_specs: false,
            passed: Vec::new(),
            pool: PoolSettings::default(),
            sessions_kept: SESSIONS_KEPT,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub(super) struct ParallelBlock {
    pub(super) agents: Option<Vec<ParallelAgent>>,
    pub(super) stagger_delay_ms: Option<u64>,
    pub(super) stagger_jitter_ms: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub(super) struct WatchBlock {
    poll_interval_ms: Option<u64>,
    idle_timeout_minutes: Option<u64>,
    failure: Option<RetrySettings>,
}

impl WatchBlock {
    /// Returns the block's settings of watching, and its retries, if they can be followed.
    pub(super) fn taken(self) -> Result<(WatchSettings, RetrySettings), String> {
        let usual = WatchSettings::default();
        let poll = self.poll_interval_ms.map(Duration::from_millis);
        let idle = self
            .idle_timeout_minutes
            .map(|minutes| Duration::from_secs(minutes.saturating_mul(60)));
        let settings = WatchSettings {
            poll: poll.unwrap_or(usual.poll),
            idle: idle.unwrap_or(usual.idle),
        };
        if settings.poll.is_zero() {
            return Err("watch.poll_interval_ms: expected a number above 0, got 0".into());
        }
        let failure = self.failure.unwrap_or_default();
        if failure.backoff_multiplier >= 1.0 {
            return Ok((settings, failure));
        }
        Err(format!(
            "watch.failure.backoff_multiplier: expected a number of at least 1, got {}",
            failure.backoff_multiplier
        ))
    }
}

/// The settings with which the daemon watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchSettings {
    /// It looks at least this often, whatever wakes it up.
    pub poll: Duration,
    /// It ends when nothing was to be done for so long.
    pub idle: Duration,
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self {
            poll: Duration::from_secs(5),
            idle: Duration::from_secs(5 * 60),
        }
    }
}

/// Returns the fault of a check; the first one.
pub(super) fn wrong_check(checks: &BTreeMap<String, Vec<String>>) -> Option<String> {
    let is_wrong = |argv: &Vec<String>| argv.first().is_none_or(String::is_empty);
    let name = checks.iter().find(|(_, argv)| is_wrong(argv))?.0;
    Some(format!(
        "checks.{name}: expected a list of a program and its arguments"
    ))
}
