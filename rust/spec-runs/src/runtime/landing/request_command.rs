//! Runs the configured commands that open a request for merging, or say what became of one: confined, with no more of our environment than
//! checks get and the login of the host, in the user's checkout, where nothing of an agent's lies.

use std::time::Duration;

use serde_json::Value;

use crate::project::ProjectRuns;
use crate::project::folders;
use crate::runtime::agent_launch::{bounds, passed_environment};
use crate::runtime::folder_namespaces::NamespaceRequest;
use crate::runtime::run_confinement::{self, ConfinedActor};
use crate::runtime::run_folder::RunFolder;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::Config;
use chant_config::run_environment::RouteUser;
use chant_git::Repo;
use chant_specs::project::Project;
use chant_store::disk;
use chant_work::WorkError;
use chant_work::agent::{self, AgentInput, AgentJob, AgentLimits, AgentOutcome};
use chant_work::cancel_token::CancelToken;
use chant_work::log::{self, LogQuery};
use chant_work::run_log::{LogHeader, RunLog, SecretMask, secrets};
use chant_work::run_record::RunRecord;
use chant_work::run_store::RunStore;
use chant_work::service::ServiceProcess;
use chant_work::spending::EventPlan;

/// The ending of its private folder, beside the run's own.
const PROPOSING: &str = ".proposing";
/// The name of its log in messages.
const LOG_FILE: &str = "the log of a command about a request";
/// The keys under which hosts say where a request stands: both, then GitHub, then GitLab.
const SAID: [&str; 3] = ["state", "reviewDecision", "detailed_merge_status"];
/// The lines of its output that are read.
const MAX_LINES: usize = 1000;
/// The longest address.
const MAX_LEN: usize = 2000;
/// The variables with which programs of hosts act.
const CREDENTIALS: [&str; 11] = [
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GH_HOST",
    "GH_REPO",
    "GH_CONFIG_DIR",
    "GITLAB_TOKEN",
    "GITLAB_HOST",
    "GLAB_CONFIG_DIR",
    "OAUTH_TOKEN",
];

/// A command about a request.
#[derive(Clone, Copy)]
pub(super) struct HostCommand {
    /// The setting that has it, which names it in the log.
    pub setting: &'static str,
    /// The time after which it is ended.
    pub limit: Duration,
}

/// Opens a request.
pub(super) const PROPOSE: HostCommand = HostCommand {
    setting: "leases.propose",
    limit: Duration::from_secs(120),
};
/// Says what became of a request.
pub(super) const LOOK: HostCommand = HostCommand {
    setting: "leases.look",
    limit: Duration::from_secs(30),
};

/// The answer of a host about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestState {
    /// It may still be merged, or has been.
    Open,
    /// It was closed without being merged.
    Closed,
    /// A reviewer asks for changes.
    ChangesRequested,
}

/// The command of one request.
pub(super) struct RequestCommand<'a> {
    pub project: &'a Project,
    pub runs: &'a RunStore,
    pub repo: &'a Repo,
    pub config: &'a Config,
    pub place: &'a RunFolder,
    pub record: &'a RunRecord,
}

impl RequestCommand<'_> {
    /// Opens a request and returns its address, the last line of the standard output; the inner error says how that
    /// failed, secrets masked.
    ///
    /// # Errors
    /// That it cannot be confined, or a failure of this machine.
    pub(super) fn propose(&self, argv: &[String]) -> Result<Result<String, String>, Error> {
        Ok(self.run(PROPOSE, argv)?.and_then(|printed| {
            let address = address_in(&printed);
            address.ok_or_else(|| "its last line is no address of a request".into())
        }))
    }

    /// Asks the host what became of a request; the inner error says how that failed, secrets masked.
    ///
    /// # Errors
    /// As [`RequestCommand::propose`].
    pub(super) fn look(&self, argv: &[String]) -> Result<Result<RequestState, String>, Error> {
        Ok(self.run(LOOK, argv)?.map(|printed| state_in(&printed)))
    }

    /// Runs a command and returns what it printed on its standard output.
    fn run(&self, command: HostCommand, argv: &[String]) -> Result<Result<String, String>, Error> {
        let folder = folders::sibling_file(&self.place.worktree, PROPOSING);
        let namespaces = NamespaceRequest {
            project: self.project,
            config: self.config,
            repo: self.repo,
            worktree: &folder,
            mark: Some(ServiceProcess::mark_of(self.record)),
            user: RouteUser::Agents,
            lends: false,
            has_services: false,
        };
        let _namespaces = namespaces.hold()?;
        let job = self.job(command, argv, &folder)?;
        let before = self.log_length();
        let header = LogHeader {
            spec_id: &self.record.spec_id,
            prompt: command.setting,
            withheld: &[],
        };
        let mask = SecretMask::new(&job.secrets)?;
        let output = RunLog::open(self.runs, &header, mask, job.limits.room)?;
        let ended = match agent::start(self.runs, self.record, job, output) {
            Ok(command) => Ok(command.wait(&CancelToken::new()?)?),
            Err(WorkError::NoAgent { program, why }) => Err(format!("`{program}`: {why}")),
            Err(error) => return Err(error.into()),
        };
        disk::remove_tree(&folder).log_failure("remove the folder of a command about a request");
        Ok(match ended {
            Ok(ended) if ended.is_success() => Ok(self.printed(before).unwrap_or_default()),
            Ok(ended) => Err(describe_failure(&ended)),
            Err(why) => Err(why),
        })
    }

    fn job(
        &self,
        command: HostCommand,
        argv: &[String],
        folder: &std::path::Path,
    ) -> Result<AgentJob, Error> {
        let passed = passed_environment(self.project, self.config, &CREDENTIALS);
        let held = ConfinedActor::Proposal(argv, folder);
        let (project, config) = (self.project, self.config);
        let hold = run_confinement::of_run(project, config, Some(self.repo), folder, held, None)?;
        let mut environment = passed.variables;
        environment.extend(hold.variables);
        Ok(AgentJob {
            name: command.setting.into(),
            model: None,
            prompt: String::new(),
            argv: argv.to_vec(),
            reads: None,
            withheld: Vec::new(),
            secrets: secrets(&self.project.environment),
            environment: environment
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            folder: self.project.root().to_owned(),
            launcher: hold.launcher,
            confinement: hold.confinement,
            input: AgentInput::Empty,
            limits: AgentLimits {
                run: Some(command.limit),
                ..bounds(self.project, self.config)
            },
            connecting: None,
            plan: EventPlan::default(),
        })
    }

    fn log_length(&self) -> u64 {
        let path = self.project.own_log(&self.record.spec_id);
        let opened = path.and_then(|path| disk::open(&path, LOG_FILE).ok());
        opened.map_or(0, |(_, length)| length)
    }

    /// Returns what the log has of standard output behind a byte.
    fn printed(&self, behind: u64) -> Option<String> {
        let path = self.project.own_log(&self.record.spec_id)?;
        let (file, length) = disk::open(&path, LOG_FILE).ok()?;
        let query = LogQuery {
            lines: MAX_LINES,
            offset: Some(behind),
            since: None,
        };
        let page = log::read(file, length, query).ok()?;
        let printed = page.content.lines().filter_map(printed_line);
        Some(printed.collect::<Vec<_>>().join("\n"))
    }
}

/// Returns the last line of a text, if it can be an address.
fn address_in(printed: &str) -> Option<String> {
    let last = last_line(printed)?;
    let is_address = last.contains("://")
        && last.len() <= MAX_LEN
        && !last.contains(|letter: char| letter.is_whitespace() || letter.is_control());
    is_address.then(|| last.to_owned())
}

fn last_line(printed: &str) -> Option<&str> {
    let mut lines = printed.lines().rev().map(str::trim);
    lines.find(|line| !line.is_empty())
}

/// Returns the first object of JSON in a text; programs may warn of something before it.
fn first_object(printed: &str) -> Option<Value> {
    let from = printed.find('{')?;
    let mut values = serde_json::Deserializer::from_str(&printed[from..]).into_iter();
    values.next()?.ok()
}

/// Reads what a host says of a request: an object of JSON as `gh` and `glab` print it, or a word in the last line.
fn state_in(printed: &str) -> RequestState {
    let words: Vec<String> = match first_object(printed) {
        Some(Value::Object(object)) => SAID
            .iter()
            .filter_map(|key| object.get(*key)?.as_str())
            .map(str::to_lowercase)
            .collect(),
        _ => last_line(printed)
            .map(|line| line.split_whitespace().map(str::to_lowercase).collect())
            .unwrap_or_default(),
    };
    let says = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&&**word));
    if says(&["closed"]) {
        RequestState::Closed
    } else if says(&["changes_requested", "requested_changes"]) {
        RequestState::ChangesRequested
    } else {
        RequestState::Open
    }
}

/// Returns what a program printed in a line of a log: behind the time and the name of the stream.
fn printed_line(line: &str) -> Option<&str> {
    line.split_once(' ')?.1.strip_prefix("out ")
}

fn describe_end(ended: &AgentOutcome) -> String {
    match (ended.exit_code, ended.signal) {
        (Some(code), _) => format!("it ended with exit code {code}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it ended for an unknown reason".into(),
    }
}

fn describe_failure(ended: &AgentOutcome) -> String {
    let mut why = describe_end(ended);
    if !ended.failing_words().is_empty() {
        why.push_str(&format!(": {}", ended.failing_words().join("\n")));
    }
    if let Some(refused) = &ended.refused {
        why.push_str(&format!("\n{refused}"));
    }
    why
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_say_where_a_request_stands() {
        use RequestState::{ChangesRequested, Closed, Open};
        for (printed, state) in [
            (r#"{"reviewDecision":"","state":"OPEN"}"#, Open),
            (r#"{"reviewDecision":"APPROVED","state":"CLOSED"}"#, Closed),
            (
                r#"{"reviewDecision":"CHANGES_REQUESTED","state":"OPEN"}"#,
                ChangesRequested,
            ),
            (r#"{"state":"opened","title":"closed"}"#, Open),
            (
                r#"{"state":"opened","detailed_merge_status":"requested_changes"}"#,
                ChangesRequested,
            ),
            (r#"{"state":"merged"}"#, Open),
            ("A warning\n{\"state\":\"closed\"}\n", Closed),
            ("Looking\nclosed\n", Closed),
            ("closed\nopen\n", Open),
            ("", Open),
        ] {
            assert_eq!(state_in(printed), state, "{printed}");
        }
    }

    #[test]
    fn only_standard_output_is_read() {
        assert_eq!(
            printed_line("2026-01-22T10:00:00.000Z out https://h/1"),
            Some("https://h/1")
        );
        assert_eq!(
            printed_line("2026-01-22T10:00:00.000Z err https://h/1"),
            None
        );
        assert_eq!(printed_line("===="), None);
    }
}
