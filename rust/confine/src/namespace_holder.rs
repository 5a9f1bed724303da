//! Holds namespaces that several confined processes of one folder share: mounts, since an overlay whose files two mounts
//! write is damaged, and a network, in which services are reached.
//!
//! The holder is a launcher that starts nothing: it enters the namespaces, says so, and waits for the end of its standard
//! input, a socket whose other end the process has that asked for it. Each process that shares the mounts has a copy of
//! their namespace, so the mounts last as long as one of them. A socket belongs to the network that it was made in,
//! whichever process uses it: so the holder sends sockets to those outside who listen or connect in its network.

use std::io;
use std::net::TcpListener;
use std::net::TcpStream;
#[cfg(target_os = "linux")]
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::sync::Mutex;
#[cfg(target_os = "linux")]
use std::{
    io::Write,
    path::Path,
    process::Stdio,
    sync::{MutexGuard, PoisonError},
    time::Duration,
};

use chant_base::own_children;

use super::Confinement;
#[cfg(target_os = "linux")]
use super::policy::{ConfinePolicy, ProcessLifetime};
#[cfg(target_os = "linux")]
use super::start::{ProcessInput, ProcessStart};

/// The port of the listener in a network of its own: below those that processes without rights can take.
pub const BROKER_PORT: u16 = 911;
/// The longest wait for a connection, and for the holder.
#[cfg(target_os = "linux")]
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
#[cfg(target_os = "linux")]
const HOLDER_TIMEOUT: Duration = Duration::from_secs(30);

/// Namespaces that confined processes share, for as long as this is held.
#[derive(Debug)]
pub struct NamespaceHolder {
    child: Child,
    listener: Option<TcpListener>,
    channel: Mutex<UnixStream>,
}

impl NamespaceHolder {
    /// Holds the namespaces of a confinement, or, where it shares those of a holder, has a share in them; `None` if it has
    /// none. `mark` is the variable by which processes of a run are recognised, with its value.
    ///
    /// # Errors
    /// The reason why that is not possible.
    #[cfg(target_os = "linux")]
    pub fn start(
        confinement: &Confinement,
        mark: Option<(&str, &str)>,
    ) -> io::Result<Option<Self>> {
        let Confinement::Kernel(policy) = confinement else {
            return Ok(None);
        };
        let launcher = policy.used_launcher();
        let Some(launcher) = launcher.filter(|_| policy.has_namespaces()) else {
            return Ok(None);
        };
        let policy = ConfinePolicy {
            lifetime: ProcessLifetime::OfStarter,
            ..ConfinePolicy::clone(policy)
        };
        let (channel, theirs) = UnixStream::pair()?;
        channel.set_read_timeout(Some(HOLDER_TIMEOUT))?;
        let start = ProcessStart {
            argv: Vec::new(),
            environment: mark
                .map(|(name, value)| (name.into(), value.into()))
                .into_iter()
                .collect(),
            mark: mark.map(|(name, _)| name),
            folder: Path::new("/"),
            input: ProcessInput::File(OwnedFd::from(theirs)),
            output: Stdio::null(),
            errors: Stdio::null(),
        };
        let started = || super::sandbox::start_holder(&policy, launcher, start);
        let child = own_children::start_noted(false, started, Child::id)?;
        let mut holder = Self {
            child,
            listener: None,
            channel: Mutex::new(channel),
        };
        if policy.has_own_network() && policy.shares_namespaces_of.is_none() {
            let listener = receive(&holder.channel(), b'l')?;
            holder.listener = Some(listener.into());
        }
        Ok(Some(holder))
    }

    /// There are no namespaces on this system.
    ///
    /// # Errors
    /// None.
    #[cfg(not(target_os = "linux"))]
    pub fn start(_: &Confinement, _: Option<(&str, &str)>) -> io::Result<Option<Self>> {
        Ok(None)
    }

    /// Returns the number of the process that [`ConfinePolicy::shares_namespaces_of`] names.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Returns the listener on [`BROKER_PORT`] of a network that it made, once.
    pub fn take_listener(&mut self) -> Option<TcpListener> {
        self.listener.take()
    }

    /// Connects to a port of a loopback of its network.
    ///
    /// # Errors
    /// That nothing listens there, or that the holder ended.
    #[cfg(target_os = "linux")]
    pub fn connect(&self, port: u16) -> io::Result<TcpStream> {
        let mut failure = io::Error::from(io::ErrorKind::ConnectionRefused);
        let places = [
            (b'4', SocketAddr::from((Ipv4Addr::LOCALHOST, port))),
            (b'6', SocketAddr::from((Ipv6Addr::LOCALHOST, port))),
        ];
        for (letter, place) in places {
            let socket = self.socket(letter)?;
            let limit = rustix::net::sockopt::Timeout::Send;
            rustix::net::sockopt::set_socket_timeout(&socket, limit, Some(CONNECT_TIMEOUT))?;
            match rustix::net::connect(&socket, &place) {
                Ok(()) => {
                    rustix::net::sockopt::set_socket_timeout(&socket, limit, None)?;
                    return Ok(socket.into());
                }
                Err(why) => failure = why.into(),
            }
        }
        Err(failure)
    }

    /// There are no namespaces on this system.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_os = "linux"))]
    pub fn connect(&self, _: u16) -> io::Result<TcpStream> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    #[cfg(target_os = "linux")]
    fn socket(&self, letter: u8) -> io::Result<OwnedFd> {
        let mut channel = self.channel();
        channel.write_all(&[letter])?;
        receive(&channel, letter)
    }

    #[cfg(target_os = "linux")]
    fn channel(&self) -> MutexGuard<'_, UnixStream> {
        self.channel.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Receives the descriptor that a holder sends with a letter.
#[cfg(target_os = "linux")]
fn receive(channel: &UnixStream, letter: u8) -> io::Result<OwnedFd> {
    let mut got = [0];
    let sent = super::sandbox::receive_descriptor(channel, &mut got)?;
    let sent = sent.filter(|_| got[0] == letter);
    sent.ok_or_else(|| super::refused("its holder of namespaces ended"))
}

impl Drop for NamespaceHolder {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        own_children::forget(self.child.id());
    }
}
