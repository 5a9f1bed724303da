//! The launcher as a holder of namespaces: see [`crate::namespace_holder`].

use std::io::{self, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use super::namespaces::{enter_held, join, mount_views, part_from_mounts_outside};
use super::order::{OrderReply, send_descriptor};
use super::process_end::ProcessEnd;
use crate::namespace_holder::BROKER_PORT;
use crate::policy::ConfinePolicy;
use crate::refused;

/// The requests for a socket of the network, by the family of its addresses.
const SOCKETS: [(u8, AddressFamily); 2] =
    [(b'4', AddressFamily::INET), (b'6', AddressFamily::INET6)];

/// Holds the namespaces of a policy, or joins those of its holder, until the end of standard input. With a network of its
/// own it sends a listener of that first, and a socket for each request.
pub(super) fn hold(
    policy: &ConfinePolicy,
    reply: &mut Option<OrderReply>,
) -> io::Result<ProcessEnd> {
    let mut listener = None;
    if let Some(holder) = policy.shares_namespaces_of {
        join(policy, holder)?;
    } else {
        let owner = enter_held(policy)?;
        part_from_mounts_outside()?;
        mount_views(policy, owner)?;
        if policy.has_own_network() {
            listener = Some(listen()?);
        }
    }
    crate::landlock::drop_capabilities()?;
    if let Some(mut reply) = reply.take() {
        reply.is_confined()?;
    }
    let channel = io::stdin();
    if let Some(listener) = listener {
        send_descriptor(channel.as_fd(), b"l", listener.as_fd())?;
    }
    let mut request = [0];
    while channel.lock().read(&mut request)? > 0 {
        let family = SOCKETS.iter().find(|(letter, _)| *letter == request[0]);
        if let Some((letter, family)) = family {
            let (kind, flags) = (SocketType::STREAM, SocketFlags::CLOEXEC);
            let socket = socket_with(*family, kind, flags, None)?;
            send_descriptor(channel.as_fd(), &[*letter], socket.as_fd())?;
        }
    }
    Ok(ProcessEnd::SUCCESS)
}

/// Listens on a port that no confined process can take.
fn listen() -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, BROKER_PORT))
        .map_err(|why| refused(format_args!("nothing listens in its network: {why}")))
}
