//! Starts the services of a run or of checks: programs such as a database, which work beside them, confined as checks
//! are, and see the same files.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::agent_launch::LaunchInputs;
use super::environment::{OwnPorts, with_ports};
use super::folder_namespaces::FolderNamespaces;
use super::item_environment::item_environment;
use super::own_files::lent_variables;
use super::rerun::{CommitChecks, start_logged};
use super::run_folder::RunFolder;
use crate::project::ProjectRuns;
use crate::project::folders::{self, SERVICES};
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::run_environment::ServiceSettings;
use chant_environment::{answers_over_http, connect_here, is_listening};
use chant_specs::error::ChantError;
use chant_store::disk;
use chant_work::WorkError;
use chant_work::agent::{AgentJob, AgentLimits};
use chant_work::cancel_token::CancelToken;
use chant_work::launch::wait_for_any;
use chant_work::run_record::{RunOptions, RunRecord, ServiceEntry};
use chant_work::run_store::RunStore;
use chant_work::service::ServiceProcess;

/// The time that a service has to become ready, if it names none.
const READY_TIMEOUT: Duration = Duration::from_secs(60);
/// The time between two looks at whether services are ready.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The longest time that the command takes which asks a service to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);
/// The lines of a service that is not ready in its error.
const MAX_SHOWN_LINES: usize = 5;

/// The facts from which services are started.
pub(super) struct ServiceStart<'a> {
    /// The means to run commands.
    pub commands: CommitChecks<'a>,
    /// The folder that they work in.
    pub place: &'a RunFolder,
    /// Their ports.
    pub ports: &'a OwnPorts,
    /// True if the folder is for the spec alone, which may have a part of the services.
    pub is_of_item: bool,
    /// The namespaces that they share with those that they work beside.
    pub namespaces: Option<&'a FolderNamespaces>,
}

/// The services of a folder. When dropped, they are ended.
pub(super) struct RunningServices {
    services: Vec<RunningService>,
    runs: RunStore,
    record: RunRecord,
}

struct RunningService {
    process: ServiceProcess,
    /// The command that asks it to end.
    stop: Option<AgentJob>,
}

/// A service that is to be started, with its folders.
struct NamedService<'a> {
    name: &'a str,
    settings: &'a ServiceSettings,
    own: PathBuf,
}

impl ServiceStart<'_> {
    /// Starts all services and waits until they are ready; `progress` hears what takes long.
    ///
    /// # Errors
    /// The reason why one does not become ready, with its last lines; those that were started are then ended.
    pub(super) fn start(
        &self,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Option<RunningServices>, Error> {
        let CommitChecks {
            project,
            config,
            record,
            ..
        } = self.commands;
        let item = item_environment(config, self.commands.spec).filter(|_| self.is_of_item);
        let chosen = item.and_then(|item| item.services.as_ref());
        let all: Vec<(&String, &ServiceSettings)> = config
            .runs
            .environment
            .services
            .iter()
            .filter(|(name, _)| chosen.is_none_or(|chosen| chosen.contains(name)))
            .collect();
        if all.is_empty() {
            return Ok(None);
        }
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        progress(&format!("Starting {}", names.join(", ")));
        let beside = folders::sibling_file(&self.place.worktree, SERVICES);
        disk::remove_tree(&beside)?;
        let runs = project.runs()?;
        let mut started = RunningServices {
            services: Vec::new(),
            record: record.clone(),
            runs,
        };
        let mut waiting = Vec::new();
        for (name, settings) in all {
            let service = NamedService {
                name,
                settings,
                own: beside.join(name),
            };
            self.launch(&service, &mut started)?;
            waiting.push((service, started.services.len() - 1));
        }
        started.note();
        let begun = Instant::now();
        while !waiting.is_empty() {
            let mut left = Vec::new();
            for (service, at) in waiting {
                if !self.is_ready(&service, &mut started.services[at].process, begun)? {
                    left.push((service, at));
                }
            }
            waiting = left;
            if self.commands.interruption.is_cancelled() {
                return Err(interrupted());
            }
            if !waiting.is_empty() {
                wait_for_any(
                    std::iter::empty(),
                    self.commands.interruption,
                    POLL_INTERVAL,
                )?;
            }
        }
        Ok(Some(started))
    }

    fn launch(
        &self,
        service: &NamedService<'_>,
        started: &mut RunningServices,
    ) -> Result<(), Error> {
        let settings = service.settings;
        disk::make_folders(&service.data())?;
        for argv in &settings.before {
            let ended = self.run(service, argv)?;
            if ended != Some(0) {
                let how = ended.map_or_else(
                    || "did not end by itself".to_owned(),
                    |code| format!("ended with exit code {code}"),
                );
                let why = format!("`{}` {how}", argv.join(" "));
                return Err(service.failed(&why, &[]));
            }
        }
        let job = self.job(service, &settings.start, "private")?;
        let stop = if settings.stop.is_empty() {
            None
        } else {
            Some(self.job(service, &settings.stop, "command")?)
        };
        let log = service.own.join("log");
        let process = ServiceProcess::start(&started.runs, self.commands.record, job, &log);
        let process = process.map_err(|error| match error {
            WorkError::NoAgent { program, why } => {
                service.failed(&format!("`{program}` cannot be started: {why}"), &[])
            }
            error => error.into(),
        })?;
        started.services.push(RunningService { process, stop });
        Ok(())
    }

    /// Returns a command of a service as it is to be started.
    fn job(
        &self,
        service: &NamedService<'_>,
        argv: &[String],
        private: &str,
    ) -> Result<AgentJob, Error> {
        let CommitChecks {
            project,
            repo,
            config,
            spec,
            ..
        } = self.commands;
        let data = service.data();
        let filled = |text: &String| {
            with_ports(text, &self.ports.ports).replace("{data}", &data.display().to_string())
        };
        let mut variables = self.ports.public_variables().to_vec();
        variables.extend(lent_variables(
            project,
            &config.runs.environment.secrets.services,
        ));
        let own = service.settings.variables.iter();
        variables.extend(own.map(|(name, value)| (name.clone(), filled(value))));
        let asked = RunOptions::default();
        let inputs = LaunchInputs {
            project,
            repo,
            config,
            spec,
            place: self.place,
            asked: &asked,
            review: None,
            own_variables: &variables,
        };
        let argv: Vec<String> = argv.iter().map(filled).collect();
        let private = service.own.join(private);
        let job = inputs.service(service.name, &argv, &private, &data)?;
        Ok(match &service.settings.folder {
            Some(inside) => AgentJob {
                folder: self.place.root.join(inside),
                ..job
            },
            None => job,
        })
    }

    /// Runs a command of a service to its end; returns its exit code.
    fn run(&self, service: &NamedService<'_>, argv: &[String]) -> Result<Option<i32>, Error> {
        let job = self.job(service, argv, "command")?;
        self.commands.run_logged(AgentJob {
            name: format!("({})", service.name),
            limits: AgentLimits {
                run: Some(self.commands.config.runs.limits.check()),
                ..job.limits
            },
            ..job
        })
    }

    /// Returns true if a service is ready.
    fn is_ready(
        &self,
        service: &NamedService<'_>,
        process: &mut ServiceProcess,
        begun: Instant,
    ) -> Result<bool, Error> {
        if let Some(how) = process.ended()? {
            let lines = process.last_lines(MAX_SHOWN_LINES);
            return Err(service.failed(&format!("it ended ({how})"), &lines));
        }
        let ready = &service.settings.ready;
        let port = |name: &str| {
            let mut ports = self.ports.ports.iter();
            ports.find(|(one, _)| one == name).map(|(_, port)| *port)
        };
        let own = self.namespaces.filter(|own| own.has_own_network());
        let connect = |port| own.map_or_else(|| connect_here(port), |own| own.connect(port));
        let (is_ready, sign) = if let Some(name) = &ready.tcp {
            let is_ready = port(name).is_some_and(|port| is_listening(port, &connect));
            (is_ready, format!("nothing listens on port `{name}`"))
        } else if let Some((name, path)) = ready.http_address() {
            let answers = port(name).is_some_and(|port| answers_over_http(port, path, &connect));
            (
                answers,
                format!("`/{path}` of port `{name}` does not answer with success"),
            )
        } else if ready.command.is_empty() {
            (true, String::new())
        } else {
            let ended = self.run(service, &ready.command)?;
            (
                ended == Some(0),
                format!("`{}` does not succeed", ready.command.join(" ")),
            )
        };
        let limit = ready.seconds.map_or(READY_TIMEOUT, Duration::from_secs);
        if is_ready || begun.elapsed() < limit {
            return Ok(is_ready);
        }
        let lines = process.last_lines(MAX_SHOWN_LINES);
        let why = format!("{sign} after {} s", limit.as_secs());
        Err(service.failed(&why, &lines))
    }
}

impl NamedService<'_> {
    fn failed(&self, why: &str, lines: &[String]) -> Error {
        let mut message = format!("Service '{}' is not ready: {why}", self.name);
        for line in lines {
            message.push_str(&format!("\n  {line}"));
        }
        message.push_str(&format!(
            "\nCorrect `environment.services.{}` in .chant/config.md.",
            self.name
        ));
        ChantError::Refused(message).into()
    }

    fn data(&self) -> PathBuf {
        self.own.join("data")
    }
}

impl RunningServices {
    /// Ends all services: by their own commands first, and else by signals.
    ///
    /// # Errors
    /// That one does not end.
    pub(super) fn stop(mut self) -> Result<(), Error> {
        let mut failure = None;
        for service in self.services.drain(..) {
            if let Some(job) = service.stop {
                stop_by_command(&self.runs, &self.record, job).log_failure("ask a service to end");
            }
            failure = service.process.stop().err().or(failure);
        }
        self.note();
        failure.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Returns the services, for people.
    pub(super) fn entries(&self) -> Vec<ServiceEntry> {
        self.services
            .iter()
            .map(|service| service.process.entry())
            .collect()
    }

    /// Records the services, so that a recovery finds them. Checks that are run again have no record of a run.
    fn note(&self) {
        let entries = self.entries();
        let process_id = &self.record.process_id;
        let noted = self.runs.get(process_id).and_then(|_| {
            self.runs.update(process_id, |record| {
                record.services.clone_from(&entries);
                Ok(())
            })
        });
        // They end with this process all the same, where something can see to that.
        noted.log_failure("record the services of a run");
    }
}

/// Runs the command that asks a service to end, whatever asked for that.
fn stop_by_command(runs: &RunStore, record: &RunRecord, job: AgentJob) -> Result<(), Error> {
    let job = AgentJob {
        limits: AgentLimits {
            run: Some(STOP_TIMEOUT),
            ..job.limits
        },
        ..job
    };
    let asked = start_logged(runs, record, &record.spec_id, job)?;
    asked.wait(&CancelToken::new()?)?;
    Ok(())
}

fn interrupted() -> Error {
    ChantError::Refused("The start was interrupted; its services are ended".into()).into()
}
