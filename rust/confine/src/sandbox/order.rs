//! The order to a launcher and the reply to it, over a socket.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use rustix::io::fcntl_dupfd_cloexec;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use rustix::stdio::{dup2_stdin, stdin};
use serde::{Deserialize, Serialize};

use crate::policy::ConfinePolicy;
use crate::refused;

/// The greatest number of bytes of an order.
const MAX_LEN: u64 = 64 * 1024 * 1024;
/// The sign that the process is confined; an error may follow, and else the program runs.
const CONFINED: u8 = b'c';

/// The process that a launcher has to start.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SandboxOrder {
    /// Program and arguments; empty if the confinement is only to be tried.
    pub argv: Vec<OsString>,
    /// The whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The working folder.
    pub folder: PathBuf,
    /// The policy; `None` for a process that is not confined.
    pub policy: Option<ConfinePolicy>,
    /// True if no program is started: the launcher holds the namespaces of the policy, for others that share them, until
    /// the end of its standard input, a socket.
    pub holds_namespaces: bool,
    /// The process that sent the order.
    pub starter: Option<u32>,
}

impl SandboxOrder {
    pub(super) fn read(text: &[u8]) -> io::Result<Self> {
        serde_json::from_slice(text).map_err(refused)
    }

    pub(super) fn written(&self) -> io::Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(refused)
    }
}

/// Sends an order, with the standard input of the process that it is about.
pub(super) fn send(
    socket: &mut UnixStream,
    order: &SandboxOrder,
    input: BorrowedFd<'_>,
) -> io::Result<()> {
    let text = order.written()?;
    let length = u64::try_from(text.len()).map_err(refused)?.to_le_bytes();
    send_descriptor(&*socket, &length, input)?;
    socket.write_all(&text)
}

/// Sends a few bytes with a descriptor.
pub(super) fn send_descriptor(
    socket: impl AsFd,
    bytes: &[u8],
    sent: BorrowedFd<'_>,
) -> io::Result<()> {
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = SendAncillaryBuffer::new(&mut room);
    let descriptors = [sent];
    beside.push(SendAncillaryMessage::ScmRights(&descriptors));
    let parts = [IoSlice::new(bytes)];
    // So few bytes are sent at once.
    sendmsg(socket, &parts, &mut beside, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives a few bytes with a descriptor; `None` if there is none, or if there are fewer bytes.
pub(crate) fn receive_descriptor(
    socket: impl AsFd,
    bytes: &mut [u8],
) -> io::Result<Option<OwnedFd>> {
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = RecvAncillaryBuffer::new(&mut room);
    let wanted = bytes.len();
    let mut parts = [IoSliceMut::new(bytes)];
    let read = recvmsg(socket, &mut parts, &mut beside, RecvFlags::CMSG_CLOEXEC)?;
    let mut sent = beside.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut sent) => sent.next(),
        _ => None,
    });
    Ok(sent.next().filter(|_| read.bytes == wanted))
}

/// Receives an order over the socket in the place of standard input, whose place the sent standard
/// input takes.
pub(super) fn receive() -> io::Result<(SandboxOrder, OrderReply)> {
    let mut socket = UnixStream::from(fcntl_dupfd_cloexec(stdin(), 3)?);
    let mut length = [0; 8];
    let input = receive_descriptor(&socket, &mut length)?;
    let input = input.ok_or_else(|| refused("the launcher got no order"))?;
    let length = u64::from_le_bytes(length).min(MAX_LEN);
    let mut text = Vec::new();
    (&mut socket).take(length).read_to_end(&mut text)?;
    dup2_stdin(&input)?;
    Ok((SandboxOrder::read(&text)?, OrderReply(socket)))
}

/// Why no program runs.
#[derive(Debug, Serialize, Deserialize)]
struct StartFailure {
    /// The number of the system's error, if it is one.
    number: Option<i32>,
    /// The error in words.
    why: String,
}

/// The way to whom an order came from. It is closed where the program begins.
pub(super) struct OrderReply(UnixStream);

impl OrderReply {
    pub(super) fn is_confined(&mut self) -> io::Result<()> {
        self.0.write_all(&[CONFINED])
    }

    pub(super) fn failed(mut self, error: &io::Error) {
        let failure = StartFailure {
            number: error.raw_os_error(),
            why: error.to_string(),
        };
        // Who ordered it may be gone, and then nobody has to know.
        let _ = serde_json::to_vec(&failure).map(|text| self.0.write_all(&text));
    }
}

/// Waits until the ordered program runs.
///
/// # Errors
/// The reason why it does not.
pub(super) fn wait_for_reply(mut socket: UnixStream) -> io::Result<()> {
    let mut text = Vec::new();
    socket.read_to_end(&mut text)?;
    let failure = match text.strip_prefix(&[CONFINED]) {
        Some([]) => return Ok(()),
        Some(rest) => rest,
        None => &text,
    };
    let failure: StartFailure = serde_json::from_slice(failure)
        .map_err(|_| refused("its launcher ended before it started it"))?;
    Err(match failure.number {
        Some(number) => io::Error::from_raw_os_error(number),
        None => io::Error::other(failure.why),
    })
}
