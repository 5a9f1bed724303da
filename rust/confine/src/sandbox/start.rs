//! Has a launcher start a process.

#![expect(
    clippy::disallowed_methods,
    reason = "this file is where launchers are started"
)]

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::Duration;

use super::order::{self, SandboxOrder};
use crate::Confinement;
use crate::policy::{ConfinePolicy, SandboxLauncher};
use crate::start::ProcessStart;

/// The longest time that a launcher takes.
const MAX_DURATION: Duration = Duration::from_secs(60);

/// Starts a process by a launcher, which is the child that is returned; `prepare` gets its number while it waits.
pub(crate) fn start(
    confinement: &Confinement,
    launcher: &SandboxLauncher,
    start: ProcessStart<'_>,
    prepare: &mut dyn FnMut(u32),
) -> io::Result<Child> {
    start_launcher(launcher, confinement.policy(), start, false, prepare)
}

/// Starts a launcher that holds namespaces.
pub(crate) fn start_holder(
    policy: &ConfinePolicy,
    launcher: &SandboxLauncher,
    start: ProcessStart<'_>,
) -> io::Result<Child> {
    start_launcher(launcher, Some(policy), start, true, &mut |_| {})
}

fn start_launcher(
    launcher: &SandboxLauncher,
    policy: Option<&ConfinePolicy>,
    start: ProcessStart<'_>,
    holds_namespaces: bool,
    prepare: &mut dyn FnMut(u32),
) -> io::Result<Child> {
    let (mut ours, theirs) = UnixStream::pair()?;
    ours.set_read_timeout(Some(MAX_DURATION))?;
    ours.set_write_timeout(Some(MAX_DURATION))?;
    let (input, piped) = start.input.opened()?;
    let mark = start
        .environment
        .iter()
        .find(|(name, _)| start.mark.is_some_and(|mark| name == mark));
    let mut argv = launcher.argv.iter();
    let mut command = Command::new(argv.next().map_or_else(Default::default, Clone::clone));
    command
        .args(argv)
        .env_clear()
        .envs(
            launcher
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .envs(mark.map(|(name, value)| (name, value)))
        .current_dir("/")
        .process_group(0)
        .stdin(OwnedFd::from(theirs))
        .stdout(start.output)
        .stderr(start.errors);
    let mut child = command.spawn()?;
    // It holds the ends of pipes and sockets that only the child should have.
    drop(command);
    // It waits for its order.
    prepare(child.id());
    let order = SandboxOrder {
        argv: start.argv,
        environment: start.environment,
        folder: start.folder.to_owned(),
        policy: policy.cloned(),
        holds_namespaces,
        starter: Some(std::process::id()),
    };
    let started = order::send(&mut ours, &order, input.as_fd());
    drop(input);
    if let Err(error) = started.and_then(|()| order::wait_for_reply(ours)) {
        // It has ended, or is of no use.
        let _ = child.kill();
        let _ = child.wait();
        return Err(error);
    }
    child.stdin = piped.map(|pipe| OwnedFd::from(pipe).into());
    Ok(child)
}
