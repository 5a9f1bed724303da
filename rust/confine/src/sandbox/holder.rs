//! The launcher as a holder of mounts: see [`crate::mount_holder`].

use std::io::{self, Read};

use super::namespaces::{enter_mounts, mount_views, part_from_mounts_outside};
use super::order::OrderReply;
use super::process_end::ProcessEnd;
use crate::policy::ConfinePolicy;

/// Mounts what a policy names, and waits for the end of standard input.
pub(super) fn hold(
    policy: &ConfinePolicy,
    reply: &mut Option<OrderReply>,
) -> io::Result<ProcessEnd> {
    let owner = enter_mounts()?;
    part_from_mounts_outside()?;
    mount_views(policy, owner)?;
    crate::landlock::drop_capabilities()?;
    if let Some(mut reply) = reply.take() {
        reply.is_confined()?;
    }
    let mut nothing = [0];
    while io::stdin().read(&mut nothing)? > 0 {}
    Ok(ProcessEnd::SUCCESS)
}
