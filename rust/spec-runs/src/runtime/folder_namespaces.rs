//! The namespaces that all processes of a folder share: an agent and its services, or checks and theirs. They are held
//! while services work there, since an overlay is not to be mounted twice, and where the network is one of hosts: it has
//! one loopback, and a broker outside to which all requests go.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use super::confine_means::refused;
use super::holder_file::write_holder;
use super::own_files::secret_of;
use super::run_confinement::{self, ConfinedActor};
use crate::agents::environment::EnvironmentMap;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_base::run_variables::MARK;
use chant_broker::{
    BrokerRoute, BrokerRules, HostBroker, HostList, HostTraffic, NoHost, WayOutError,
    certificates_of, proxy_of,
};
use chant_config::Config;
use chant_config::run_environment::{NetworkRoute, RouteUser};
use chant_confine::namespace_holder::{BROKER_PORT, NamespaceHolder};
use chant_confine::{ConfinePolicy, Confinement};
use chant_git::Repo;
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_store::disk;
use chant_work::run_record::NetworkEntry;

/// Variables that name the proxy, and those that name what is reached without it.
const PROXY_VARIABLES: [&str; 6] = [
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy",
];
const NO_PROXY_VARIABLES: [&str; 2] = ["NO_PROXY", "no_proxy"];
const NOT_BY_PROXY: &str = "localhost,127.0.0.1,::1";
/// Has node's own clients use the proxy.
const NODE_PROXY: [&str; 2] = ["NODE_USE_ENV_PROXY", "1"];

/// The facts from which namespaces are held.
pub(crate) struct NamespaceRequest<'a> {
    pub project: &'a Project,
    pub config: &'a Config,
    pub repo: &'a Repo,
    /// The folder of the processes.
    pub worktree: &'a Path,
    /// The value by which processes of the run are recognised.
    pub mark: Option<String>,
    /// The processes that the network is for.
    pub user: RouteUser,
    /// True if it has the routes of the user.
    pub lends: bool,
    /// True if several processes work in the folder at the same time.
    pub has_services: bool,
}

/// The namespaces of a folder, for as long as this is held.
pub(crate) struct FolderNamespaces {
    file: PathBuf,
    /// Ends before the network.
    broker: Option<HostBroker>,
    holder: NamespaceHolder,
}

impl NamespaceRequest<'_> {
    /// Holds the namespaces for all processes that are started in the folder from now on; `None` where each has its own.
    ///
    /// # Errors
    /// The reason why that is not possible, or a route has no credential.
    pub(crate) fn hold(&self) -> Result<Option<FolderNamespaces>, Error> {
        let (project, config, worktree) = (self.project, self.config, self.worktree);
        let actor = ConfinedActor::Holder;
        let held =
            run_confinement::of_run(project, config, Some(self.repo), worktree, actor, None)?;
        let Confinement::Kernel(policy) = &held.confinement else {
            return Ok(None);
        };
        let shares_mounts = self.has_services && !policy.overlays.is_empty();
        if !shares_mounts && !policy.has_own_network() {
            return Ok(None);
        }
        // It is not known yet whether one that is named there lives as long as this.
        let own = Confinement::to(ConfinePolicy {
            shares_namespaces_of: None,
            ..ConfinePolicy::clone(policy)
        });
        let rules = policy.has_own_network().then(|| self.rules()).transpose()?;
        let holder = NamespaceHolder::start(&own, self.mark.as_ref().map(|mark| (MARK, &**mark)));
        let failed = |error: std::io::Error| Error::from(ChantError::Refused(error.to_string()));
        let Some(mut holder) = holder.map_err(failed)? else {
            return Ok(None);
        };
        let (mut broker, mut variables) = (None, EnvironmentMap::new());
        if let (Some(rules), Some(listener)) = (rules, holder.take_listener()) {
            variables = self.variables(&rules.address);
            broker = Some(HostBroker::serve(listener, rules).map_err(failed)?);
        }
        let file = write_holder(worktree, holder.process(), variables)?;
        Ok(Some(FolderNamespaces {
            file,
            broker,
            holder,
        }))
    }

    fn rules(&self) -> Result<BrokerRules, Error> {
        let hosts = HostList::read(&self.config.confine.hosts).map_err(|NoHost(entry)| {
            refused(&format!("`confine.hosts` has `{entry}`, which is no host"))
        })?;
        let environment = &self.project.environment;
        let proxy = proxy_of(environment, "https").map_err(|error| refused(&error.to_string()))?;
        let routes = self.routes().map(|(name, route)| {
            let failed = |error: WayOutError| refused(&format!("route `{name}`: {error}"));
            let secret = secret_of(self.project, name, route)?;
            let (scheme, _) = route.to.split_once(':').unwrap_or_default();
            let route = BrokerRoute {
                methods: route.methods.clone(),
                paths: route.paths.clone(),
                header: route.header_name().to_ascii_lowercase(),
                value: route.header_value(&secret),
                proxy: proxy_of(environment, scheme).map_err(failed)?,
                certificates: certificates_of(environment).map_err(failed)?,
                to: route.to.clone(),
            };
            Ok((name.clone(), route))
        });
        Ok(BrokerRules {
            hosts,
            routes: routes.collect::<Result<BTreeMap<_, _>, Error>>()?,
            proxy,
            address: format!("127.0.0.1:{BROKER_PORT}"),
        })
    }

    fn routes(&self) -> impl Iterator<Item = (&String, &NetworkRoute)> {
        let routes = self.config.runs.environment.routes.iter();
        routes.filter(|(_, route)| self.lends && route.is_for(self.user))
    }

    /// Returns the variables by which processes find the broker and its routes.
    fn variables(&self, address: &str) -> EnvironmentMap {
        let proxy = format!("http://{address}");
        let mut variables = EnvironmentMap::new();
        variables.extend(PROXY_VARIABLES.map(|name| (name.to_owned(), proxy.clone())));
        variables.extend(NO_PROXY_VARIABLES.map(|name| (name.to_owned(), NOT_BY_PROXY.to_owned())));
        variables.extend([NODE_PROXY.map(str::to_owned).into()]);
        for (name, route) in self.routes() {
            let own = format!("{proxy}/b/{name}");
            let of_route = route.variables.iter();
            variables
                .extend(of_route.map(|(key, value)| (key.clone(), value.replace("{route}", &own))));
        }
        variables
    }
}

impl FolderNamespaces {
    /// Connects to a port of the loopback that processes of the folder see.
    ///
    /// # Errors
    /// That nothing listens there.
    pub(super) fn connect(&self, port: u16) -> std::io::Result<TcpStream> {
        self.holder.connect(port)
    }

    /// Returns true if the network is one of its own.
    pub(super) fn has_own_network(&self) -> bool {
        self.broker.is_some()
    }

    /// Returns what processes reached and what was refused to them, until now.
    pub(super) fn traffic(&self) -> Option<NetworkEntry> {
        let traffic = self.broker.as_ref()?.traffic();
        (!traffic.is_empty()).then(|| entry_of(&traffic))
    }
}

impl Drop for FolderNamespaces {
    fn drop(&mut self) {
        disk::remove(&self.file).log_failure("remove the name of a holder of namespaces");
    }
}

fn entry_of(traffic: &HostTraffic) -> NetworkEntry {
    NetworkEntry {
        reached: traffic.reached.clone(),
        refused: traffic.refused.clone(),
        others: traffic.others,
    }
}
