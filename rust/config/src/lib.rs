//! Configuration: the user's, then the project's, with defaults (reference chant 7).
//!
//! A configuration file is markdown whose front matter holds the keys; the body is free text. Keys of
//! `project`, `defaults`, `providers` and `parallel` are merged one by one, every other block is taken whole
//! from the last file that has it, but for what runs may use up: of that the smaller counts. Unknown keys change
//! nothing and are kept as findings; while one of them is nearly a known key, nothing acts.
//!
//! It knows no disk: files come as texts.

pub mod accounts;
mod blocks;
pub mod check;
pub mod cluster;
pub mod confine;
pub mod dispatch;
pub mod leases;
pub mod plugins;
pub mod pool;
pub mod proof;
pub mod receipts;
pub mod run_environment;
pub mod runs;
pub mod schema;
pub mod view;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use self::blocks::{ConfigFile, LandingBlock, of_agents, of_project, of_user, parse};
use self::check::{ConfigFinding, MisspelledKey};
use self::cluster::ClusterSettings;
use self::confine::ConfineSettings;
use self::leases::LeaseSettings;
use self::plugins::PluginSettings;
use self::proof::ProofSettings;
use self::receipts::ReceiptPolicy;
use self::runs::RunSettings;
use self::schema::ConfigSchema;
use chant_base::environment;
use chant_base::error::{CoreError, ErrorKind};
use serde_json::{Value, json};

/// Seconds as people give them as a time, at most a year: no clock can be asked about all that numbers say.
pub fn seconds_of(seconds: f64) -> Duration {
    const YEAR: f64 = 365.0 * 24.0 * 3600.0;
    Duration::from_secs_f64(if seconds.is_nan() {
        0.0
    } else {
        seconds.clamp(0.0, YEAR)
    })
}

/// The greatest size of a file that lands without a person, in MB.
const LANDING_LARGEST: u64 = 50;

/// Why a configuration file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Failed to load config: `{file}`: {why}")]
pub struct ConfigError {
    /// The file as shown to people.
    pub file: String,
    /// The fault in it.
    pub why: String,
}

/// The configuration, defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The project's name; empty when none is given.
    pub project_name: String,
    /// The prefix that stands before a spec's ID in the name of its branch.
    pub branch_prefix: String,
    /// The branch that all work starts from and lands on, if it is not the one that is checked out.
    pub main_branch: Option<String>,
    /// The model for runs that name none.
    pub model: Option<String>,
    /// The model for splits, when it is another one.
    pub split_model: Option<String>,
    /// Other projects whose specs may be depended on, by name.
    pub repositories: Vec<RepositoryEntry>,
    /// Rules that fill keys of new specs, by key.
    pub derived: BTreeMap<String, DerivedKey>,
    /// Keys that every spec must have.
    pub required: Vec<String>,
    /// True if work with an agent's commits needs approval before it is merged.
    pub approves_agent_work: bool,
    /// The effect of a rejection beside what it says.
    pub rejection_action: RejectionAction,
    /// Limits of the lint rules.
    pub thresholds: LintThresholds,
    /// Names of lint rules, or of thresholds, that are switched off.
    pub disabled: Vec<String>,
    /// The folder for worktrees, when it is not the usual one; `~` stands for the home folder.
    pub worktree_root: Option<String>,
    /// Folders that are trusted with all in them; only the user's own file can name some.
    pub trusted_roots: Vec<String>,
    /// Files of instructions to agents whose changes land without a person; only the user's own file can name some.
    pub landing_allow: Vec<String>,
    /// The greatest size of a file that lands without a person, in MB.
    pub landing_largest: u64,
    /// The template of the message of a landing.
    pub landing_message: Option<String>,
    /// The way in which work becomes part of its target.
    pub landing_style: LandingStyle,
    /// The rights of the user's hooks at a landing that no person asked for; only the user's own file can widen them.
    pub landing_hooks: HookRights,
    /// The SSH key that signs the receipts of what lands here; only the user's own file can name one.
    pub landing_signing_key: Option<String>,
    /// The settings with which agents are run.
    pub runs: RunSettings,
    /// The settings that confine them.
    pub confine: ConfineSettings,
    /// The demand for receipts of completed specs; counts as the target branch says it.
    pub receipts: ReceiptPolicy,
    /// The settings by which tests judge work; the project's own.
    pub proof: ProofSettings,
    /// The settings of leases, where clones of the repository share its specs.
    pub leases: Option<LeaseSettings>,
    /// The user's clusters, by name.
    pub cluster: BTreeMap<String, ClusterSettings>,
    /// The user's choice of plugins.
    pub plugins: PluginSettings,
    /// The findings about keys of the files.
    pub findings: Vec<ConfigFinding>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            project_name: String::new(),
            branch_prefix: "chant/".into(),
            main_branch: None,
            model: None,
            split_model: None,
            repositories: Vec::new(),
            derived: BTreeMap::new(),
            required: Vec::new(),
            approves_agent_work: false,
            rejection_action: RejectionAction::default(),
            thresholds: LintThresholds::default(),
            disabled: vec!["complexity_words".into()],
            worktree_root: None,
            trusted_roots: Vec::new(),
            landing_allow: Vec::new(),
            landing_largest: LANDING_LARGEST,
            landing_message: None,
            landing_style: LandingStyle::default(),
            landing_hooks: HookRights::default(),
            landing_signing_key: None,
            runs: RunSettings::default(),
            confine: ConfineSettings::default(),
            receipts: ReceiptPolicy::default(),
            proof: ProofSettings::default(),
            leases: None,
            cluster: BTreeMap::new(),
            plugins: PluginSettings::default(),
            findings: Vec::new(),
        }
    }
}

/// The rights with which the user's hooks look at work that lands by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookRights {
    /// Those of checks.
    #[default]
    Confined,
    /// Those of the user.
    User,
}

/// The ways in which the work of a run becomes part of its target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LandingStyle {
    /// A merge, which has the agent's commits as they are.
    #[default]
    Merge,
    /// One commit of the user's.
    Squash,
    /// The agent's commits, made again by the user on top of the target.
    Rebase,
}

impl LandingStyle {
    /// Returns its word in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Squash => "squash",
            Self::Rebase => "rebase",
        }
    }
}

/// The consequence of a rejection (reference chant 7, `approval.rejection_action`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RejectionAction {
    /// Nothing by itself.
    #[default]
    Manual,
    /// A spec for what has to be fixed, which the rejected one waits for.
    Dependency,
    /// A member for each criterion.
    Group,
}

/// Another project.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(expecting = "`key: value` lines")]
pub struct RepositoryEntry {
    /// The name that stands before the colon in a dependency on one of its specs.
    pub name: String,
    /// Its root, absolute or relative to this project's.
    pub path: String,
}

/// Where a key of a new spec comes from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(expecting = "`key: value` lines")]
pub struct DerivedKey {
    /// `branch`, `path`, `env` or `git_user`.
    pub from: String,
    /// A regular expression whose first group is the value, a variable's name, or `name`/`email`.
    #[serde(default)]
    pub pattern: String,
    /// Values that are allowed, when not all are.
    pub validate: Option<AllowedValues>,
}

/// The values a derived key may take.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(expecting = "`key: value` lines")]
pub struct AllowedValues {
    /// The values.
    #[serde(default)]
    pub values: Vec<String>,
}

/// Limits of the lint rules (reference chant 5.8.2).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[serde(expecting = "`key: value` lines")]
pub struct LintThresholds {
    /// Most criteria a spec should have.
    pub complexity_criteria: usize,
    /// Most target files.
    pub complexity_files: usize,
    /// Most words of the body.
    pub complexity_words: usize,
    /// Up to so many criteria a spec is simple …
    pub simple_criteria: usize,
    /// … if it has no more target files than this …
    pub simple_files: usize,
    /// … and no more words than this.
    pub simple_words: usize,
}

impl Default for LintThresholds {
    fn default() -> Self {
        Self {
            complexity_criteria: 10,
            complexity_files: 5,
            complexity_words: 150,
            simple_criteria: 1,
            simple_files: 1,
            simple_words: 3,
        }
    }
}

/// A file's name for messages, and its text.
type NamedText<'a> = (&'a str, &'a str);
/// The keys a file may have, what of it counts, and whether it is the user's own.
type Layer = (&'static ConfigSchema, fn(ConfigFile) -> ConfigFile, bool);

impl Config {
    /// Reads the user's and the project's configuration, and the project's list of agents, which
    /// gives `parallel.agents` only. Each is given as its name for messages and its text; a file that
    /// does not exist is `None`.
    ///
    /// # Errors
    /// `ConfigError` naming the first file that cannot be read as configuration.
    pub fn read(
        user: Option<(&str, &str)>,
        project: Option<(&str, &str)>,
        agents: Option<(&str, &str)>,
    ) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        let layers: [(Option<NamedText<'_>>, Layer); 3] = [
            (user, (&schema::chant::USERS, of_user, true)),
            (project, (&schema::chant::PROJECTS, of_project, false)),
            (agents, (&schema::chant::AGENTS, of_agents, false)),
        ];
        let narrowed = layers.map(|(file, layer)| Some((file?, layer)));
        for ((name, text), (schema, narrow, is_users)) in narrowed.into_iter().flatten() {
            config
                .take(narrow(parse(name, text)?), is_users)
                .map_err(|why| ConfigError {
                    file: name.into(),
                    why,
                })?;
            let findings = check::in_front_matter(name, text, schema);
            config.findings.extend(findings);
        }
        if let Some((file, _)) = project.filter(|_| config.lacks_checks()) {
            let why = "leases.checks: `merged` runs the configured checks on what lands, and `checks` has none".into();
            let file = file.into();
            return Err(ConfigError { file, why });
        }
        Ok(config)
    }

    /// Returns true if checks are run on what lands, not on the branch of each run.
    pub fn checks_merged_work(&self) -> bool {
        let leases = self.leases.as_ref();
        leases.is_some_and(|leases| leases.checks == leases::ChecksOf::Merged)
    }

    /// Returns true if checks are to run on what lands, and there are none.
    fn lacks_checks(&self) -> bool {
        self.checks_merged_work() && self.runs.checks.is_empty()
    }

    /// Returns the name of the project's main branch: the configured one, or the usual one.
    pub fn main_branch(&self) -> &str {
        self.main_branch.as_deref().unwrap_or("main")
    }

    /// Refuses to act by it while a key is nearly a known one: what it was to say would not hold.
    ///
    /// # Errors
    /// `MisspelledKey`, the first.
    pub fn refuse_misspelled(&self) -> Result<(), MisspelledKey> {
        check::refuse_misspelled(&self.findings)
    }

    /// Takes what a file says of landings; what frees something counts only in the user's own.
    fn take_landing(&mut self, landing: LandingBlock, is_users: bool) -> Result<(), String> {
        if is_users {
            self.landing_allow = landing.allow;
            put(&mut self.landing_largest, landing.largest_megabytes);
            put(&mut self.landing_hooks, landing.hooks);
            if let Some(key) = &landing.signing_key
                && !(key.starts_with('/') || key.starts_with("~/"))
            {
                return Err("landing.signing_key must be a whole path, or begin with ~/".into());
            }
            self.landing_signing_key = landing.signing_key;
        }
        put(&mut self.landing_style, landing.style);
        if let Some(message) = landing.message {
            let is_plain = |c: char| c == '\n' || !c.is_control();
            if message.trim().is_empty() || !message.chars().all(is_plain) {
                return Err("landing.message must be a text with words".into());
            }
            self.landing_message = Some(message);
        }
        Ok(())
    }

    fn take(&mut self, file: ConfigFile, is_users: bool) -> Result<(), String> {
        if let Some(name) = file.project.and_then(|project| project.name) {
            self.project_name = name;
        }
        let runs = &mut self.runs;
        if let Some(defaults) = file.defaults {
            put(&mut self.branch_prefix, defaults.branch_prefix);
            self.main_branch = defaults.main_branch.or(self.main_branch.take());
            self.model = defaults.model.or(self.model.take());
            self.split_model = defaults.split_model.or(self.split_model.take());
            put(&mut runs.prompt, defaults.prompt);
            put(&mut runs.prompt_extensions, defaults.prompt_extensions);
            runs.named_provider = defaults.provider.or(runs.named_provider.take());
            put(&mut runs.rotation, defaults.rotation_strategy);
            put(&mut runs.may_change_other_specs, defaults.allow_other_specs);
            self.worktree_root = defaults.worktree_root.or(self.worktree_root.take());
        }
        put(&mut runs.agents, file.agents);
        if let Some(providers) = file.providers {
            runs.providers.ollama.take(providers.ollama);
            runs.providers.openai.take(providers.openai);
        }
        if let Some(parallel) = file.parallel {
            put(&mut runs.parallel, parallel.agents);
            put(&mut runs.stagger.delay, parallel.stagger_delay_ms);
            put(&mut runs.stagger.jitter, parallel.stagger_jitter_ms);
        }
        if let Some(why) = file.checks.as_ref().and_then(runs::wrong_check) {
            return Err(why);
        }
        put(&mut runs.checks, file.checks);
        runs.environment.take(file.environment, is_users)?;
        for name in file.env.unwrap_or_default().pass {
            if let Some(why) = environment::refusal(&name, is_users) {
                return Err(format!("env.pass: {why}"));
            }
            runs.passed.push(name);
        }
        if let Some(limits) = file.limits {
            if let Some(why) = limits.wrong_limit() {
                return Err(why);
            }
            runs.limits.take(limits);
        }
        runs.pool.take(file.runs, is_users);
        if let Some(days) = file.review.unwrap_or_default().sessions.days {
            runs.keep_sessions_for(days, is_users);
        }
        let confine = file.confine.unwrap_or_default();
        self.confine.take(confine, is_users);
        if let Some(watch) = file.watch {
            (runs.watch, runs.retries) = watch.taken()?;
        }
        put(&mut runs.dispatch, file.dispatch);
        if let Some(why) = file.accounts.as_ref().and_then(accounts::wrong_account) {
            return Err(why);
        }
        put(&mut runs.accounts, file.accounts);
        if let Some(block) = file.receipts {
            let unknown = || format!("receipts: expected {}", receipts::EXPECTED);
            self.receipts = block.taken().ok_or_else(unknown)?;
        }
        if let Some(why) = file.proof.as_ref().and_then(ProofSettings::refused) {
            return Err(why);
        }
        put(&mut self.proof, file.proof);
        if let Some(leases) = file.leases {
            self.leases = Some(leases.taken()?);
        }
        if is_users {
            let mut named = file.cluster.iter().flatten();
            if let Some(why) = named.find_map(|(name, settings)| settings.refused(name)) {
                return Err(why);
            }
            put(&mut self.cluster, file.cluster);
        }
        if let Some(why) = file.plugins.as_ref().and_then(PluginSettings::refused) {
            return Err(why);
        }
        put(&mut self.plugins, file.plugins);
        if let Some(trust) = file.trust {
            self.trusted_roots = trust.roots;
        }
        if let Some(landing) = file.landing {
            self.take_landing(landing, is_users)?;
        }
        put(&mut self.repositories, file.repos);
        if let Some(enterprise) = file.enterprise {
            self.derived = enterprise.derived;
            self.required = enterprise.required;
        }
        if let Some(approval) = file.approval {
            self.approves_agent_work = approval.require_approval_for_agent_work;
            self.rejection_action = approval.rejection_action;
        }
        if let Some(lint) = file.lint {
            self.thresholds = lint.thresholds;
            self.disabled = lint.disable.unwrap_or_else(|| Self::default().disabled);
        }
        Ok(())
    }

    /// Returns true if a lint rule or a threshold of one is switched off.
    pub fn disables(&self, name: &str) -> bool {
        self.disabled.iter().any(|disabled| disabled == name)
    }
}

fn put<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

impl CoreError for ConfigError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Config
    }

    fn details(&self) -> Value {
        json!({"file": self.file})
    }
}

#[cfg(test)]
mod tests {
    use super::runs::{AgentRotation, ArgumentGroup, RunLimits};
    use super::*;

    fn read(user: &str, project: &str) -> Result<Config, ConfigError> {
        Config::read(Some(("user", user)), Some(("project", project)), None)
    }

    #[test]
    fn project_keys_win_one_by_one_and_other_blocks_whole() {
        let user = "---\nproject: {name: mine}\ndefaults: {main_branch: trunk, branch_prefix: w/}\nlint:\n  thresholds: {complexity_criteria: 3, complexity_files: 2}\nrepos: [{name: a, path: ../a}]\n---\n";
        let project = "---\ndefaults: {branch_prefix: chant/, model: opus}\nlint: {disable: [title]}\nunknown: 1\n---\n# Notes\n";
        let config = read(user, project).unwrap();
        assert_eq!(
            (config.main_branch(), config.branch_prefix.as_str()),
            ("trunk", "chant/")
        );
        assert_eq!(config.project_name, "", "a name is the project's own");
        assert_eq!(config.thresholds, LintThresholds::default());
        assert!(config.disables("title") && !config.disables("complexity_words"));
        assert_eq!(config.repositories[0].path, "../a");
        assert_eq!(config.model.as_deref(), Some("opus"));
    }

    #[test]
    fn of_what_runs_may_use_up_the_smaller_counts() {
        let user =
            "---\nlimits: {tokens: 500, cost_usd: 2, tokens_per_day: 9, run_minutes: 5}\n---\n";
        let project = "---\nlimits: {tokens: 900, cost_usd: 1.5, cost_usd_per_day: 20}\n---\n";
        let limits = read(user, project).unwrap().runs.limits;
        assert_eq!(limits.tokens.map(std::num::NonZero::get), Some(500));
        assert_eq!(limits.cost_usd, chant_base::money::UsdAmount::new(1.5));
        assert_eq!(limits.tokens_per_day.map(std::num::NonZero::get), Some(9));
        assert_eq!(
            limits.cost_usd_per_day,
            chant_base::money::UsdAmount::new(20.0)
        );
        assert_eq!(limits.run_minutes.get(), 60, "the block is the project's");
        for wrong in [
            "cost_usd: 0", "cost_usd: -1", "cost_usd_per_day: .nan", "tokens: 0",
        ] {
            assert!(
                read("", &format!("---\nlimits: {{{wrong}}}\n---\n")).is_err(),
                "{wrong}"
            );
        }
    }

    #[test]
    fn what_a_block_of_the_project_leaves_out_is_the_default_and_not_the_users() {
        let user = "---\nlint: {disable: [title]}\n---\n";
        let project = "---\nlint: {thresholds: {complexity_files: 9}}\n---\n";
        let config = read(user, project).unwrap();
        assert!(config.disables("complexity_words") && !config.disables("title"));
        assert!(read(user, "").unwrap().disables("title"));
    }

    #[test]
    fn accounts_are_the_users_own_and_name_variables() {
        let named = "---\naccounts: {team-a: {variables: {ANTHROPIC_API_KEY: TEAM_A_KEY}}}\n---\n";
        let config = read(named, "").unwrap();
        let variables = &config.runs.accounts["team-a"].variables;
        assert_eq!(variables["ANTHROPIC_API_KEY"], "TEAM_A_KEY");
        assert!(read("", named).unwrap().runs.accounts.is_empty());
        for wrong in ["sk-live-value", "a b"] {
            let text = format!("---\naccounts: {{a: {{variables: {{KEY: {wrong}}}}}}}\n---\n");
            assert!(read(&text, "").is_err(), "{wrong}");
        }
    }

    #[test]
    fn nothing_configured_means_defaults() {
        assert_eq!(
            read("# no front matter\n", "---\n---\n"),
            Ok(Config::default())
        );
        assert_eq!(Config::read(None, None, None), Ok(Config::default()));
    }

    #[test]
    fn a_wrong_value_names_file_and_key() {
        let error = read(
            "",
            "---\nlint: {thresholds: {complexity_criteria: many}}\n---\n",
        )
        .unwrap_err()
        .to_string();
        assert!(error.starts_with("Failed to load config: `project`: lint.thresholds.complexity_criteria: invalid type"), "{error}");
    }

    #[test]
    fn runs_are_configured_and_bounded_by_default() {
        let project = "---\ndefaults: {provider: codex, prompt: careful, prompt_extensions: [rust]}\n\
            agents: {codex: {skip_permissions: true}, own: {command: [run, [--model, '{model}'], '{prompt}'], prompt: argument}}\n\
            parallel: {agents: [{name: main}]}\nchecks: {tests: [cargo, test]}\nlimits: {run_minutes: 5}\n---\n";
        let agents = "---\nproject: {name: x}\nparallel: {agents: [{name: a, command: claude-a, max_concurrent: 3}]}\n---\n";
        let config = Config::read(None, Some(("project", project)), Some(("agents", agents)));
        let runs = config.unwrap().runs;
        assert_eq!(
            (runs.provider(), &*runs.prompt, &*runs.prompt_extensions),
            (Some("codex"), "careful", &["rust".to_owned()][..])
        );
        assert!(runs.agents["codex"].skip_permissions && !runs.agents["own"].skip_permissions);
        let own = runs.agents["own"].command.as_deref().unwrap();
        assert_eq!(
            own[1],
            ArgumentGroup::Together(vec!["--model".into(), "{model}".into()])
        );
        assert_eq!(runs.parallel[0].command, "claude-a");
        assert_eq!(runs.parallel[0].max_concurrent.get(), 3);
        assert_eq!(runs.checks["tests"], ["cargo", "test"]);
        let (given, default) = (&runs.limits, RunLimits::default());
        assert_eq!(
            (given.run_minutes.get(), given.idle_minutes),
            (5, default.idle_minutes)
        );
        assert_eq!(default.agents_at_once.get(), 8);
    }

    #[test]
    fn providers_are_merged_key_by_key_and_the_list_of_agents_changes_no_pause() {
        let user = "---\nproviders: {ollama: {endpoint: 'http://a', max_retries: 9}, openai: {retry_delay_ms: 1}}\n---\n";
        let project = "---\ndefaults: {rotation_strategy: round-robin}\nproviders: {ollama: {max_retries: 0}}\nparallel: {stagger_delay_ms: 5}\n---\n";
        let agents = "---\nparallel: {stagger_delay_ms: 77, agents: [{name: a}]}\n---\n";
        let config = Config::read(
            Some(("user", user)),
            Some(("project", project)),
            Some(("agents", agents)),
        );
        let runs = config.unwrap().runs;
        let ollama = &runs.providers.ollama;
        assert_eq!(ollama.endpoint.as_deref(), Some("http://a"));
        assert_eq!((ollama.max_retries, ollama.retry_delay_ms), (Some(0), None));
        assert_eq!(runs.providers.openai.retry_delay_ms, Some(1));
        assert_eq!(runs.rotation, AgentRotation::RoundRobin);
        assert_eq!((runs.stagger.delay, runs.stagger.jitter), (5, 200));
        assert_eq!(runs.parallel.len(), 1);
        let wait = |chance| runs.stagger.wait(chance).as_millis();
        assert_eq!((wait(0.0), wait(0.5), wait(1.0)), (0, 102, 205));
        check_wrong(
            "defaults: {rotation_strategy: often}",
            "defaults.rotation_strategy: unknown variant",
        );
    }

    #[track_caller]
    fn check_wrong(project: &str, expected: &str) {
        let error = read("", &format!("---\n{project}\n---\n")).unwrap_err();
        assert!(error.why.starts_with(expected), "{error}");
    }

    #[test]
    fn limits_of_nothing_and_commands_that_are_no_lists_are_refused() {
        check_wrong(
            "limits: {agents_at_once: 0}",
            "limits.agents_at_once: invalid value",
        );
        check_wrong("checks: {tests: cargo test}", "checks.tests: invalid type");
        check_wrong(
            "checks: {tests: []}",
            "checks.tests: expected a list of a program",
        );
        check_wrong(
            "leases: {remote: origin, checks: merged}",
            "leases.checks: `merged` runs the configured checks",
        );
        check_wrong(
            "watch: {failure: {backoff_multiplier: 0.5}}",
            "watch.failure.backoff_multiplier: expected",
        );
        check_wrong(
            "agents: {a: {prompt: shout}}",
            "agents.a.prompt: unknown variant",
        );
    }

    #[test]
    fn what_is_passed_adds_up_and_a_project_may_ask_for_less_than_the_user() {
        let of = |file: &str| format!("---\nenv: {{pass: [{file}]}}\n---\n");
        let config = read(&of("SSH_AUTH_SOCK, A"), &of("DATABASE_URL")).unwrap();
        assert_eq!(config.runs.passed, ["SSH_AUTH_SOCK", "A", "DATABASE_URL"]);
        check_wrong(
            "env: {pass: [SSH_AUTH_SOCK]}",
            "env.pass: `SSH_AUTH_SOCK` is not passed",
        );
        check_wrong(
            "env: {pass: ['AWS_*']}",
            "env.pass: expected the name of a variable",
        );
        let error = read(&of("GIT_DIR"), "").unwrap_err();
        assert!(
            error.why.starts_with("env.pass: `GIT_DIR` is never passed"),
            "{error}"
        );
    }

    #[test]
    fn only_failures_that_a_pattern_tells_are_worth_another_try() {
        let retries = |patterns: &str| {
            let project =
                format!("---\nwatch: {{failure: {{retryable_patterns: [{patterns}]}}}}\n---\n");
            read("", &project).unwrap().runs.retries
        };
        assert_eq!(
            retries("rate limit, overloaded").after("429: rate limit"),
            3
        );
        assert_eq!(retries("rate limit").after("syntax error"), 0);
        assert_eq!(retries("").after("anything"), 0);
    }
}
