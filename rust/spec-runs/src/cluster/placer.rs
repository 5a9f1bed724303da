//! Starts the placer of a cluster and waits until its scheduler answers.
//!
//! The placer is the only process here that speaks to the engine. It is confined and has no credentials
//! but the cluster's certificate: what a worker sends back may run a program in it. It writes its own two
//! folders alone; the file that names it lies above them.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::status::{ClusterStatus, ConnectionState, STATUS};
use super::target::ClusterTarget;
use crate::error::SpecRunError;
use crate::project::ProjectRuns;
use crate::runtime::agent_launch::name_of;
use crate::runtime::run_confinement;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::Config;
use chant_specs::project::Project;
use chant_specs::view::work_load::ClusterView;
use chant_store::disk::{self, Lock};
use chant_store::secret::new_secret;
use chant_store::state::escape_name;
use chant_work::launch::{LaunchedService, ServiceOptions, launch_service, wait_for_service};
use chant_work::process::ProcessIdentity;

/// The part of our own state with a folder for each cluster.
const PART: &str = "clusters";
/// The folder in there that the placer writes.
const OWN: &str = "placer";
/// The file that names the placer.
const NAMED: &str = "placer.json";
/// The lock of its start.
const LOCK_FILE: &str = "placer.lock";
/// The command of the program that is a placer.
const COMMAND: &str = "placer";
/// The file of a placer's standard error.
const LOG_FILE: &str = "placer.log";
/// The greatest size of the file that names a placer, in bytes.
const MAX_COUNT: u64 = 16 * 1024;
/// The bytes of a placer's log that are read for its last words.
const TAIL_BYTES: u64 = 4096;
/// The time that a scheduler gets to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);
/// The time to wait for another process that starts the same placer.
const LOCK_WAIT: Duration = Duration::from_secs(30);
/// The time that a placer gets to answer, and to end once it does not serve any more.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);
/// The time between two looks at the state of a placer that was just started.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The start of the name of the folder with a placer's socket.
const SOCKETS: &str = "chant-";
/// The name of the socket in there.
const SOCKET_NAME: &str = "s";
/// The length of the longest path of a socket's folder: the system cuts a socket's path at 104 bytes.
const MAX_LEN: usize = 90;
/// Variables that a placer gets from our own environment: none of them is a credential.
const PASSED: [&str; 5] = ["PATH", "LANG", "LC_ALL", "TZ", "PYTHONPATH"];

/// The way to a placer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PlacerAccess {
    /// Its socket.
    pub socket: PathBuf,
    /// The secret by which it knows us.
    pub secret: String,
    pid: u32,
    pid_start: Option<String>,
    boot_id: Option<String>,
}

impl PlacerAccess {
    /// Returns true if that very process lives.
    fn is_alive(&self) -> bool {
        let process = ProcessIdentity {
            pid: self.pid,
            pid_start: self.pid_start.clone(),
            boot_id: self.boot_id.clone(),
        };
        process.is_alive()
    }

    /// Asks the placer to stay for as long as it would without work; returns false if it is about to end.
    fn stays(&self) -> bool {
        match self.ask_to_stay() {
            Ok(answer) => !answer.is_empty(),
            // A busy machine: it will answer later.
            Err(error) => matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
            ),
        }
    }

    /// Returns the placer's answer; it is empty if it closed the connection.
    fn ask_to_stay(&self) -> io::Result<String> {
        let mut stream = UnixStream::connect(&self.socket)?;
        stream.set_read_timeout(Some(GREETING_TIMEOUT))?;
        let hello = json!({"hello": 1, "secret": self.secret});
        let stay = json!({"do": "stay"});
        stream.write_all(format!("{hello}\n{stay}\n").as_bytes())?;
        let mut answer = String::new();
        BufReader::new(stream.take(MAX_COUNT)).read_line(&mut answer)?;
        Ok(answer)
    }

    /// Waits until the process has ended, or long enough.
    fn wait_for_end(&self) {
        let until = Instant::now() + GREETING_TIMEOUT;
        while self.is_alive() && Instant::now() < until {
            wait_for_service(None, POLL_INTERVAL);
        }
    }

    fn socket_folder(&self) -> Option<&Path> {
        let folder = self.socket.parent()?;
        let name = folder.file_name()?.to_str()?;
        name.starts_with(SOCKETS).then_some(folder)
    }
}

/// Returns true if runs of a project were placed on a cluster, ever.
pub(crate) fn has_placed(project: &Project) -> bool {
    let runs = project.runs().ok();
    let folder = runs.and_then(|runs| runs.state.read(&runs.state.in_project(PART)));
    folder.is_some_and(|folder| disk::exists(&folder))
}

/// The placer of a cluster, with its files in our own state.
pub(crate) struct ClusterPlacer<'a> {
    project: &'a Project,
    config: &'a Config,
    target: ClusterTarget,
    /// The folder of the cluster in our own state.
    folder: PathBuf,
}

impl<'a> ClusterPlacer<'a> {
    /// Returns the placer of a cluster, which may not live.
    ///
    /// # Errors
    /// As [`ClusterTarget::of`], or a `StoreError`.
    pub(crate) fn of(project: &'a Project, config: &'a Config, on: &str) -> Result<Self, Error> {
        let target = ClusterTarget::of(project, config, on)?;
        let state = project.runs()?.state;
        let part = format!("{}/{}", state.in_project(PART), escape_name(on));
        let folder = state.ensure(&part)?;
        Ok(Self {
            project,
            config,
            target,
            folder,
        })
    }

    /// Returns the way to the placer, which is started where none lives, and stays for a while. Waits
    /// until the scheduler answers.
    ///
    /// # Errors
    /// `NoCluster` when it does not, the reason why a placer cannot be confined, or a `StoreError`.
    pub(crate) fn ensure(&self) -> Result<PlacerAccess, Error> {
        let turn = Lock::claim(&self.folder.join(LOCK_FILE), "", Instant::now() + LOCK_WAIT)?;
        let _turn = turn.ok_or_else(|| self.refused("another process is starting its placer"))?;
        if let Some(access) = self.access()? {
            if access.stays() {
                self.wait_for_scheduler(None)?;
                return Ok(access);
            }
            access.wait_for_end();
        }
        let (mut service, access) = self.launch()?;
        match self.wait_for_scheduler(Some(&mut service)) {
            Ok(()) => {
                service.detach();
                Ok(access)
            }
            Err(error) => {
                service.kill();
                self.forget();
                Err(error)
            }
        }
    }

    /// Returns the way to the placer, if it lives.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(crate) fn access(&self) -> Result<Option<PlacerAccess>, Error> {
        let file = self.folder.join(NAMED);
        if !disk::exists(&file) {
            return Ok(None);
        }
        let text = disk::read_owned(&file, MAX_COUNT)?;
        let access: Option<PlacerAccess> = serde_json::from_str(&text).ok();
        Ok(access.filter(PlacerAccess::is_alive))
    }

    /// Returns what the placer says of its cluster.
    pub(crate) fn status(&self) -> Option<ClusterStatus> {
        ClusterStatus::read(&self.own_folder())
    }

    /// Returns the cluster as it is shown, with at most so many machines; `None` if its placer said nothing.
    pub(crate) fn view(&self, machines: usize) -> Option<ClusterView> {
        Some(self.status()?.view(&self.target.name, machines))
    }

    /// Returns the error for a cluster that cannot be used.
    pub(crate) fn refused(&self, why: &str) -> Error {
        SpecRunError::NoCluster {
            target: self.target.name.clone(),
            why: why.to_owned(),
        }
        .into()
    }

    /// Returns the folder that the placer writes.
    fn own_folder(&self) -> PathBuf {
        self.folder.join(OWN)
    }

    fn launch(&self) -> Result<(LaunchedService, PlacerAccess), Error> {
        if self.project.program.is_empty() {
            return Err(self.refused("runs are started by the server and the command line only"));
        }
        self.forget();
        let socket_folder = self.make_socket_folder()?;
        let own_folder = self.own_folder();
        disk::make_owned_folder(&own_folder)?;
        let folders = [own_folder.clone(), socket_folder.clone()];
        let held =
            run_confinement::of_placer(self.project, self.config, folders, &self.target.tls)?;
        let secret = new_secret()?;
        let settings = json!({
            "folder": own_folder,
            "socket_folder": socket_folder,
            "secret": secret,
            "address": self.target.address,
            "tls": self.target.tls,
            "project": name_of(self.project, self.config),
        });
        let mut argv = self.project.program.clone();
        argv.push(COMMAND.to_owned());
        let service = launch_service(&ServiceOptions {
            argv: &argv,
            environment: &self.environment(),
            folder: &own_folder,
            confinement: &held,
            input: &format!("{settings}\n"),
            errors: &own_folder.join(LOG_FILE),
        })?;
        let identity = service.identity().clone();
        let access = PlacerAccess {
            socket: socket_folder.join(SOCKET_NAME),
            secret,
            pid: identity.pid,
            pid_start: identity.pid_start,
            boot_id: identity.boot_id,
        };
        disk::create_owned(&self.folder.join(NAMED), &json!(access).to_string())?;
        Ok((service, access))
    }

    /// Removes what a placer that is gone left.
    fn forget(&self) {
        let file = self.folder.join(NAMED);
        let earlier = disk::read_owned(&file, MAX_COUNT).ok();
        let earlier: Option<PlacerAccess> =
            earlier.and_then(|text| serde_json::from_str(&text).ok());
        if let Some(folder) = earlier.as_ref().and_then(PlacerAccess::socket_folder) {
            disk::remove_tree(folder).log_failure("remove the folder of a socket");
        }
        let own = self.own_folder();
        for file in [file, own.join(STATUS), own.join(LOG_FILE)] {
            disk::remove(&file).log_failure("remove a file of a placer");
        }
    }

    /// Makes the private folder of the socket, where its path is short.
    fn make_socket_folder(&self) -> Result<PathBuf, Error> {
        let variable = |name: &str| self.project.environment.get(name).map(PathBuf::from);
        let name = format!("{SOCKETS}{:016x}", fastrand::u64(..));
        let places = ["XDG_RUNTIME_DIR", "TMPDIR"]
            .into_iter()
            .filter_map(variable);
        let places = places.chain([PathBuf::from("/tmp")]);
        let mut folders = places
            .filter(|place| place.is_absolute() && disk::is_folder(place))
            .map(|place| place.join(&name))
            .filter(|folder| folder.as_os_str().len() <= MAX_LEN);
        let folder = folders.next().ok_or_else(|| {
            self.refused("no folder for a socket has a path that is short enough")
        })?;
        disk::make_private_folder(&folder)?;
        Ok(folder)
    }

    fn environment(&self) -> BTreeMap<String, String> {
        let own = PASSED.iter().filter_map(|name| {
            let value = self.project.environment.get(*name)?;
            Some(((*name).to_owned(), value.clone()))
        });
        let folder = self.own_folder().display().to_string();
        // Libraries look for their settings in a home: there are none here.
        let places = ["HOME", "TMPDIR"].map(|name| (name.to_owned(), folder.clone()));
        own.chain(places).collect()
    }

    /// Waits until the placer says that its scheduler answers.
    fn wait_for_scheduler(&self, service: Option<&mut LaunchedService>) -> Result<(), Error> {
        let until = Instant::now() + ANSWER_TIMEOUT;
        let mut service = service;
        loop {
            let status = self.status();
            let state = status.as_ref().map(|status| status.state);
            let why = status.and_then(|status| status.why);
            if state == Some(ConnectionState::Connected) {
                return Ok(());
            }
            if service.as_mut().is_some_and(|service| service.has_ended()) {
                let words = self.last_words();
                return Err(self.refused(&words));
            }
            if state == Some(ConnectionState::Gone) || Instant::now() > until {
                let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
                let address = &self.target.address;
                return Err(
                    self.refused(&format!("the scheduler at {address} does not answer{why}"))
                );
            }
            wait_for_service(service.as_deref(), POLL_INTERVAL);
        }
    }

    /// Returns the last line that a placer wrote before it ended.
    fn last_words(&self) -> String {
        let file = self.own_folder().join(LOG_FILE);
        let length = disk::open(&file, LOG_FILE).map_or(0, |(_, length)| length);
        let tail =
            disk::read_from(&file, LOG_FILE, length.saturating_sub(TAIL_BYTES)).unwrap_or_default();
        let text = String::from_utf8_lossy(&tail).into_owned();
        let line = text.lines().rev().find(|line| !line.trim().is_empty());
        let line = line.unwrap_or("it said nothing").trim();
        let line: String = line.chars().filter(|c| !c.is_control()).take(300).collect();
        format!("its placer ended: {}", line.trim_end_matches('.'))
    }
}
