//! The cluster that a start names: one of the user's configuration, or a scheduler by its address.

use std::path::PathBuf;

use serde_json::Value;

use crate::error::SpecRunError;
use crate::project::folders::at_home;
use chant_base::error::Error;
use chant_base::next_step::DoorKind;
use chant_config::Config;
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_store::disk;

/// The name of the cluster that consists of this machine.
pub(crate) const LOCAL: &str = "local";
/// The folders of the clusters that were started from here, in the user's state of ours.
const STARTED: &str = "deployed";
/// The folder of the scheduler on this machine, and that of its certificates.
const LOCAL_SCHEDULER: &str = "local-cluster/scheduler";
const LOCAL_TLS: &str = "local-cluster/tls";
/// The file that says where a scheduler listens, and its greatest size in bytes.
const ADDRESS: &str = "cluster.json";
const MAX_COUNT: u64 = 16 * 1024;
/// The start of the address of a scheduler that proves who it is.
const TLS: &str = "tls://";

/// A cluster on which agents work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClusterTarget {
    /// Its name, or the address of its scheduler: what the start named.
    pub name: String,
    /// The address of its scheduler.
    pub address: String,
    /// The folder of the certificates.
    pub tls: PathBuf,
}

impl ClusterTarget {
    /// Returns the cluster of a name or an address.
    ///
    /// # Errors
    /// `InvalidArgument` for an unknown name, `NoCluster` for one without a scheduler.
    pub(crate) fn of(project: &Project, config: &Config, name: &str) -> Result<Self, Error> {
        let known = config.cluster.get(name);
        if name == LOCAL && known.is_none_or(|known| known.address.is_none()) {
            return Self::of_this_machine(project);
        }
        let (address, tls) = match known {
            Some(settings) => {
                let started = started_address(project, &format!("{STARTED}/{name}"));
                let address = started.or_else(|| settings.address.clone());
                (address, settings.tls.as_deref())
            }
            None if name.contains("://") => {
                let known = config.cluster.values();
                let tls = known
                    .filter(|known| known.address.as_deref() == Some(name))
                    .find_map(|known| known.tls.as_deref());
                (Some(name.to_owned()), tls)
            }
            None => return Err(unknown(config, name)),
        };
        let address = address.ok_or_else(|| SpecRunError::NoCluster {
            target: name.to_owned(),
            why: "it was not started, and its settings name no `address` of a scheduler".into(),
        })?;
        refuse_plain(&address)?;
        Ok(Self {
            name: name.to_owned(),
            address,
            tls: match tls {
                Some(tls) => at_home(project, tls),
                None => user_folder(project).join("tls"),
            },
        })
    }

    /// Returns the cluster of this machine, as it was started last.
    fn of_this_machine(project: &Project) -> Result<Self, Error> {
        let address = started_address(project, LOCAL_SCHEDULER);
        let state = project.disk.user_state.as_ref();
        let (Some(address), Some(state)) = (address, state) else {
            return Err(SpecRunError::NoCluster {
                target: LOCAL.to_owned(),
                why: "it was not started".into(),
            }
            .into());
        };
        refuse_plain(&address)?;
        Ok(Self {
            name: LOCAL.to_owned(),
            address,
            tls: state.path().join(LOCAL_TLS),
        })
    }
}

/// Returns the address at which a scheduler listens that was started on this machine.
fn started_address(project: &Project, folder: &str) -> Option<String> {
    let state = project.disk.user_state.as_ref()?;
    let file = state.path().join(folder).join(ADDRESS);
    let text = disk::read_owned(&file, MAX_COUNT).ok()?;
    let written: Value = serde_json::from_str(&text).ok()?;
    Some(written["address"].as_str()?.to_owned())
}

/// Refuses a cluster that the caller may not choose: a tool's caller names what the user configured, and
/// only a person gives an address.
///
/// # Errors
/// As [`ClusterTarget::of`].
pub(crate) fn refuse_target(project: &Project, config: &Config, name: &str) -> Result<(), Error> {
    if project.door == DoorKind::Agents && !config.cluster.contains_key(name) && name != LOCAL {
        return Err(unknown(config, name));
    }
    ClusterTarget::of(project, config, name).map(drop)
}

/// Returns the error for a name that no cluster of the user's has.
fn unknown(config: &Config, name: &str) -> Error {
    let known: Vec<&str> = config.cluster.keys().map(String::as_str).collect();
    let known = match known.join(", ") {
        names if names.is_empty() => "there is none".into(),
        names => names,
    };
    let why = format!(
        "expected the name of a cluster below `cluster` in the user's configuration ({known}), got '{name}'"
    );
    ChantError::InvalidArgument { name: "on", why }.into()
}

/// Refuses a scheduler that does not prove who it is.
fn refuse_plain(address: &str) -> Result<(), Error> {
    let rest = address.strip_prefix(TLS);
    let is_address = |rest: &str| {
        let port = rest.rsplit_once(':');
        port.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
            && !rest.contains(|c: char| c.is_whitespace() || c.is_control() || c == '/')
    };
    if rest.is_some_and(is_address) {
        return Ok(());
    }
    let message = if rest.is_some() {
        format!("The scheduler's address has to be tls://host:port, got {address}.")
    } else {
        format!(
            "The scheduler at {address} does not speak TLS. Agents' work is code: refusing. Name its address as tls://host:port."
        )
    };
    Err(ChantError::Refused(message).into())
}

/// Returns the folder of the user's own settings of ours.
fn user_folder(project: &Project) -> PathBuf {
    let variable = |name: &str| project.environment.get(name).map(PathBuf::from);
    let home = || variable("HOME").map(|home| home.join(".config"));
    let folder = variable("XDG_CONFIG_HOME").or_else(home);
    folder.unwrap_or_default().join("chant-mcp")
}
