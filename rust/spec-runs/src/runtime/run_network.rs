//! The loopback that the processes of a running run see: that of this machine, or one of their own.

use std::io;
use std::net::TcpStream;
use std::path::Path;

use super::holder_file::holder_of;
use super::sandbox_support;
use chant_base::error::Error;
use chant_confine::ability::ASSUMED;
use chant_confine::namespace_holder::NamespaceHolder;
use chant_confine::{ConfinePolicy, Confinement, LandlockSupport, NetworkAccess};
use chant_environment::connect_here;
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_work::run_record::RunRecord;

/// A loopback that servers of a run listen on.
#[derive(Debug)]
pub struct RunNetwork(Option<NamespaceHolder>);

impl RunNetwork {
    /// Finds the loopback of a run.
    ///
    /// # Errors
    /// The reason why its network cannot be entered.
    pub(crate) fn of(project: &Project, record: &RunRecord) -> Result<Self, Error> {
        // A network of its own gives variables, mounts give none.
        let held = record.worktree.as_ref();
        let held = held.and_then(|worktree| holder_of(Path::new(worktree)));
        let Some((process, _)) = held.filter(|(_, variables)| !variables.is_empty()) else {
            return Ok(Self(None));
        };
        let assumed = project.environment.get(ASSUMED).map(String::as_str);
        let ability = LandlockSupport::of_system(assumed);
        let policy = ConfinePolicy {
            network: NetworkAccess::Own,
            shares_namespaces_of: Some(process),
            launcher: sandbox_support::launcher(project, ability).0,
            ability,
            ..ConfinePolicy::default()
        };
        let joined = NamespaceHolder::start(&Confinement::to(policy), None);
        let joined = joined.map_err(|error| ChantError::Refused(error.to_string()))?;
        Ok(Self(joined))
    }

    /// Connects to a port.
    ///
    /// # Errors
    /// That nothing listens there.
    pub fn connect(&self, port: u16) -> io::Result<TcpStream> {
        match &self.0 {
            Some(joined) => joined.connect(port),
            None => connect_here(port),
        }
    }
}
