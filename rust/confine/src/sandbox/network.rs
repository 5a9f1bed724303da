//! The network of a namespace of its own: it has nothing but a loopback, which is down at first.

use std::io;

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with,
};

use crate::refused;

/// The number of the loopback in each namespace.
const LOOPBACK: i32 = 1;
/// The message that sets a device (`RTM_NEWLINK`), as a request that is to be answered.
const SET_DEVICE: u16 = 16;
const REQUEST_WITH_ANSWER: u16 = 5;
/// The message with an error, which may be none (`NLMSG_ERROR`).
const ERROR: u16 = 2;
/// The flag of a device that works.
const UP: u32 = 1;

/// Sets the loopback of this process's namespace working.
pub(super) fn raise_loopback() -> io::Result<()> {
    raised().map_err(|why| refused(format_args!("its network has no loopback: {why}")))
}

fn raised() -> io::Result<()> {
    let kind = SocketType::RAW;
    let socket = socket_with(AddressFamily::NETLINK, kind, SocketFlags::CLOEXEC, None)?;
    let mut message = Vec::new();
    // The head: length, kind, flags, number and sender.
    message.extend(32_u32.to_ne_bytes());
    message.extend(SET_DEVICE.to_ne_bytes());
    message.extend(REQUEST_WITH_ANSWER.to_ne_bytes());
    message.extend([0; 8]);
    // Family, kind and number of the device, its flags and which of them are meant.
    message.extend([0; 4]);
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    let kernel = SocketAddrNetlink::new(0, 0);
    sendto(&socket, &message, SendFlags::empty(), &kernel)?;
    let mut answer = [0_u8; 1024];
    let (count, _) = recv(&socket, &mut answer[..], RecvFlags::empty())?;
    let word = |at: usize| answer.get(at..at + 4).filter(|_| at + 4 <= count);
    let is_error = answer[4..6] == ERROR.to_ne_bytes();
    let number = word(16).and_then(|bytes| bytes.try_into().ok());
    match number.map(i32::from_ne_bytes).filter(|_| is_error) {
        Some(0) => Ok(()),
        Some(number) => Err(io::Error::from_raw_os_error(-number)),
        None => Err(io::Error::other("the kernel gave no answer")),
    }
}
