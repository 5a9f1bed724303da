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

mod holder;
mod namespaces;
mod network;
mod order;
mod process_end;
mod program;
mod relay;
mod start;

use std::io;

pub use rustix::process::Pid as ProcessNumber;

use super::Confinement;
use super::policy::ProcessLifetime;
pub(crate) use order::receive_descriptor;
use order::{OrderReply, SandboxOrder};
pub use process_end::ProcessEnd;
pub(crate) use start::{start, start_holder};

/// The functions of the system that a launcher lends.
pub struct ProcessFunctions<'a> {
    /// Starts a copy of this process: returns the copy's number, and nothing in the copy.
    pub fork: &'a mut dyn FnMut() -> io::Result<Option<ProcessNumber>>,
    /// Stops ignoring signals, which the confined process would inherit.
    pub restore_signals: &'a mut dyn FnMut() -> io::Result<()>,
}

/// Does what the socket in place of standard input orders. It returns in each process that it starts
/// and that does not become the confined one; that process must end like the result.
///
/// # Errors
/// A failure to read the order. All others are sent over the socket.
pub fn launch_from_socket(functions: ProcessFunctions<'_>) -> io::Result<ProcessEnd> {
    let (order, reply) = order::receive()?;
    launch(&order, Some(reply), functions)
}

/// Does what an order says, for a process that continues as the launcher; see
/// [`crate::Confinement::order`]. It returns as [`launch_from_socket`].
///
/// # Errors
/// A failure to confine or to start the process.
pub fn launch_order(order: &[u8], functions: ProcessFunctions<'_>) -> io::Result<ProcessEnd> {
    launch(&SandboxOrder::read(order)?, None, functions)
}

/// Returns an order for [`launch_order`].
pub(crate) fn order(
    confinement: &Confinement,
    program: super::ConfinedProgram,
) -> io::Result<Vec<u8>> {
    let order = SandboxOrder {
        argv: program.argv,
        environment: program.environment,
        folder: program.folder,
        policy: confinement.policy().cloned(),
        holds_namespaces: false,
        // This process becomes the launcher.
        starter: None,
    };
    order.written()
}

fn launch(
    order: &SandboxOrder,
    reply: Option<OrderReply>,
    functions: ProcessFunctions<'_>,
) -> io::Result<ProcessEnd> {
    let mut reply = reply;
    let done = launched(order, &mut reply, functions);
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
    functions: ProcessFunctions<'_>,
) -> io::Result<ProcessEnd> {
    let Some(policy) = &order.policy else {
        return become_program(order, reply, functions);
    };
    if let Some(group) = &policy.cgroup {
        namespaces::join_control_group(group)?;
    }
    if let Some(starter) = order.starter
        && policy.lifetime == ProcessLifetime::OfStarter
    {
        process_end::end_with(starter)?;
    }
    if !policy.has_namespaces() {
        return become_program(order, reply, functions);
    }
    if order.holds_namespaces {
        return holder::hold(policy, reply);
    }
    let own = match policy.shares_namespaces_of {
        Some(holder) => namespaces::share(policy, holder)?,
        None => namespaces::enter(policy)?,
    };
    let relay = relay::SignalRelay::new()?;
    let Some(first) = (functions.fork)()? else {
        let relay = relay.of_first_process()?;
        namespaces::prepare(policy, own)?;
        let Some(confined) = (functions.fork)()? else {
            relay.leave()?;
            return become_program(order, reply, functions);
        };
        drop(reply.take());
        super::landlock::drop_capabilities()?;
        return relay.serve(confined);
    };
    drop(reply.take());
    relay.of_launcher()?.wait_for(first)
}

/// Confines this process, for good, and continues as the program.
fn become_program(
    order: &SandboxOrder,
    reply: &mut Option<OrderReply>,
    functions: ProcessFunctions<'_>,
) -> io::Result<ProcessEnd> {
    if let Some(policy) = &order.policy {
        policy.enforce()?;
    }
    if let Some(reply) = reply {
        reply.is_confined()?;
    }
    if order.argv.is_empty() {
        // It was only to be tried.
        return Ok(ProcessEnd::SUCCESS);
    }
    (functions.restore_signals)()?;
    Err(program::execute(order))
}
