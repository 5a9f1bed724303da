//! Starts processes in namespaces of their own: processes, mounts, and memory, messages and semaphores
//! that are shared; without rights on the system, in a user namespace.
//!
//! Only a process with one thread can enter a user namespace, so a program of our own does that, the
//! launcher. It gets its order and the standard input of the confined process over a socket in the
//! place of its own standard input, and nothing else: no environment and no folder of the run, where
//! libraries could lie. It enters the namespaces and starts their first process, which prepares them
//! and starts the confined process:
//!
//! ```text
//! launcher            waits, passes signals on, ends as the confined process ended
//!  └ first process    collects orphans; with it the kernel ends all that is in the namespaces
//!     └ the confined process, held by Landlock and by a filter of system calls
//! ```
//!
//! When the launcher ends, the kernel kills the first process. All three are in one process group. The
//! functions that start processes come from the caller: here nothing forks.

mod namespaces;
mod order;
mod process_end;
mod relay;
mod start;

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

pub use rustix::process::Pid as ProcessNumber;

use super::policy::{ConfinePolicy, SandboxLauncher};
use order::{OrderReply, SandboxOrder};
pub use process_end::ProcessEnd;
pub(crate) use start::start;

/// Starts a copy of this process: returns the copy's number, and nothing in the copy.
pub type ForkFunction<'a> = &'a mut dyn FnMut() -> io::Result<Option<ProcessNumber>>;

impl ConfinePolicy {
    /// Returns the launcher if it has something to do.
    pub(crate) fn used_launcher(&self) -> Option<&SandboxLauncher> {
        let is_used = self.has_namespaces() || self.cgroup.is_some();
        self.launcher.as_ref().filter(|_| is_used)
    }
}

/// Does what the socket in place of standard input orders. It returns in each process that it starts
/// and that does not become the confined one; that process must end like the result.
///
/// # Errors
/// A failure to read the order. All others are sent over the socket.
pub fn launch_from_socket(fork: ForkFunction<'_>) -> io::Result<ProcessEnd> {
    let (order, reply) = order::receive()?;
    launch(&order, Some(reply), fork)
}

/// Does what an order says, for a process that continues as the launcher; see
/// [`crate::Confinement::order`]. It returns as [`launch_from_socket`].
///
/// # Errors
/// A failure to confine or to start the process.
pub fn launch_order(order: &[u8], fork: ForkFunction<'_>) -> io::Result<ProcessEnd> {
    launch(&SandboxOrder::read(order)?, None, fork)
}

/// Returns an order for [`launch_order`], and the launcher that has to do it, if one is needed.
pub(crate) fn order(
    policy: &ConfinePolicy,
    program: super::ConfinedProgram,
) -> io::Result<Option<(SandboxLauncher, Vec<u8>)>> {
    let Some(launcher) = policy.used_launcher() else {
        return Ok(None);
    };
    let variables = policy.variables.iter();
    let variables = variables.map(|(name, value)| (name.into(), value.into()));
    let order = SandboxOrder {
        argv: program.argv,
        environment: program.environment.into_iter().chain(variables).collect(),
        folder: program.folder,
        policy: policy.clone(),
    };
    Ok(Some((launcher.clone(), order.written()?)))
}

fn launch(
    order: &SandboxOrder,
    reply: Option<OrderReply>,
    fork: ForkFunction<'_>,
) -> io::Result<ProcessEnd> {
    let mut reply = reply;
    let done = launched(order, &mut reply, fork);
    match (done, reply) {
        (Err(error), Some(reply)) => {
            reply.failed(&error);
            Ok(ProcessEnd::NOT_STARTED)
        }
        (done, _) => done,
    }
}

fn launched(
    order: &SandboxOrder,
    reply: &mut Option<OrderReply>,
    fork: ForkFunction<'_>,
) -> io::Result<ProcessEnd> {
    let policy = &order.policy;
    if let Some(group) = &policy.cgroup {
        namespaces::join_control_group(group)?;
    }
    if !policy.has_namespaces() {
        return become_confined(order, reply);
    }
    let own = namespaces::enter(policy)?;
    let relay = relay::SignalRelay::new()?;
    let Some(first) = fork()? else {
        let relay = relay.of_first_process()?;
        namespaces::prepare(policy, own)?;
        let Some(confined) = fork()? else {
            relay.leave()?;
            return become_confined(order, reply);
        };
        drop(reply.take());
        super::landlock::drop_capabilities()?;
        return relay.serve(confined);
    };
    drop(reply.take());
    relay.of_launcher()?.wait_for(first)
}

/// Confines this process, for good, and continues as the program.
#[expect(
    clippy::disallowed_methods,
    reason = "this process becomes the confined one"
)]
fn become_confined(order: &SandboxOrder, reply: &mut Option<OrderReply>) -> io::Result<ProcessEnd> {
    order.policy.enforce()?;
    if let Some(reply) = reply {
        reply.is_confined()?;
    }
    let mut argv = order.argv.iter();
    let Some(program) = argv.next() else {
        // It was only to be tried.
        return Ok(ProcessEnd::SUCCESS);
    };
    let environment = order.environment.iter();
    Err(Command::new(program)
        .args(argv)
        .env_clear()
        .envs(environment.map(|(name, value): &(OsString, OsString)| (name, value)))
        .current_dir(&order.folder)
        .exec())
}
