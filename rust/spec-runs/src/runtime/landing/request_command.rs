//! Runs the configured command that opens a request for merging: confined, with no more of our environment than
//! checks get and the login of the host, in the user's checkout, where nothing of an agent's lies.

use std::time::Duration;

use super::super::super::project::ProjectRuns;
use super::super::super::project::folders;
use super::super::agent_launch::{bounds, passed_environment};
use super::super::run_confinement::{self, ConfinedActor};
use super::super::run_folder::RunFolder;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::Config;
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
use chant_work::spending::EventPlan;

/// The time after which the command is ended.
const LIMIT: Duration = Duration::from_secs(120);
/// The ending of its private folder, beside the run's own.
const PROPOSING: &str = ".proposing";
/// The name of the command in the log.
const NAME: &str = "leases.propose";
/// The lines of its output that are read to find the address.
const LINES: usize = 1000;
/// The longest address.
const LONGEST: usize = 2000;
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
    /// Runs it and returns the address, the last line of its standard output; the inner error says how it
    /// failed, secrets masked.
    ///
    /// # Errors
    /// That it cannot be confined, or a failure of this machine.
    pub(super) fn run(&self, argv: &[String]) -> Result<Result<String, String>, Error> {
        let folder = folders::sibling_file(&self.place.worktree, PROPOSING);
        let job = self.job(argv, &folder)?;
        let before = self.log_length();
        let header = LogHeader {
            spec_id: &self.record.spec_id,
            prompt: NAME,
            withheld: &[],
        };
        let mask = SecretMask::new(&job.secrets)?;
        let output = RunLog::open(self.runs, &header, mask, job.limits.room)?;
        let ended = match agent::start(self.runs, self.record, job, output, false) {
            Ok(command) => Ok(command.wait(&CancelToken::new()?)?),
            Err(WorkError::NoAgent { program, why }) => Err(format!("`{program}`: {why}")),
            Err(error) => return Err(error.into()),
        };
        disk::remove_tree(&folder).log_failure("remove the folder of `leases.propose`");
        let ended = match ended {
            Ok(ended) if ended.is_success() => ended,
            Ok(ended) => return Ok(Err(describe_failure(&ended))),
            Err(why) => return Ok(Err(why)),
        };
        let address = self.last_line(before);
        let is_missing = format!(
            "{}, and its last line is no address of a request",
            describe_end(&ended)
        );
        Ok(address.ok_or(is_missing))
    }

    fn job(&self, argv: &[String], folder: &std::path::Path) -> Result<AgentJob, Error> {
        let passed = passed_environment(self.project, self.config, &CREDENTIALS);
        let held = ConfinedActor::Proposal(argv, folder);
        let (project, config) = (self.project, self.config);
        let hold = run_confinement::of_run(project, config, Some(self.repo), folder, held, None)?;
        let mut environment = passed.variables;
        environment.extend(hold.variables);
        Ok(AgentJob {
            name: NAME.into(),
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
            confinement: hold.confinement,
            input: AgentInput::Empty,
            limits: AgentLimits {
                run: Some(LIMIT),
                ..bounds(self.config)
            },
            connecting: None,
            plan: EventPlan::default(),
        })
    }

    fn log_length(&self) -> u64 {
        let path = self.project.own_log(&self.record.spec_id);
        let opened = path.and_then(|path| disk::open(&path, NAME).ok());
        opened.map_or(0, |(_, length)| length)
    }

    /// Returns the last line of standard output that the log has behind a byte, if it can be an address.
    fn last_line(&self, behind: u64) -> Option<String> {
        let path = self.project.own_log(&self.record.spec_id)?;
        let (file, length) = disk::open(&path, NAME).ok()?;
        let query = LogQuery {
            lines: LINES,
            offset: Some(behind),
            since: None,
        };
        let page = log::read(file, length, query).ok()?;
        let printed = page.content.lines().rev().filter_map(printed_line);
        let last = printed.map(str::trim).find(|line| !line.is_empty())?;
        let is_address = last.contains("://")
            && last.len() <= LONGEST
            && !last.contains(|letter: char| letter.is_whitespace() || letter.is_control());
        is_address.then(|| last.to_owned())
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
    if !ended.tail.is_empty() {
        why.push_str(&format!(": {}", ended.tail.join("\n")));
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
