//! Asks whether something listens on a port of a loopback.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// The longest wait for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Connects to a port of a loopback.
pub type ConnectToPort<'a> = &'a dyn Fn(u16) -> io::Result<TcpStream>;

/// Returns true if something listens on a port of the loopback that `connect` leads to.
pub fn is_listening(port: u16, connect: ConnectToPort<'_>) -> bool {
    connect(port).is_ok()
}

/// Returns true if a path answers over HTTP with success, or leads elsewhere.
pub fn answers_over_http(port: u16, path: &str, connect: ConnectToPort<'_>) -> bool {
    status(port, path, connect).is_some_and(|status| (200..400).contains(&status))
}

/// Connects to a port of a loopback of this machine.
///
/// # Errors
/// That nothing listens there.
pub fn connect_here(port: u16) -> io::Result<TcpStream> {
    let first = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let second = SocketAddr::from((Ipv6Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&first, ANSWER_TIMEOUT)
        .or_else(|_| TcpStream::connect_timeout(&second, ANSWER_TIMEOUT))
}

fn status(port: u16, path: &str, connect: ConnectToPort<'_>) -> Option<u16> {
    let mut stream = connect(port).ok()?;
    stream.set_read_timeout(Some(ANSWER_TIMEOUT)).ok()?;
    stream.set_write_timeout(Some(ANSWER_TIMEOUT)).ok()?;
    let asked =
        format!("GET /{path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(asked.as_bytes()).ok()?;
    let mut line = [0; "HTTP/1.1 200".len()];
    stream.read_exact(&mut line).ok()?;
    let line = std::str::from_utf8(&line).ok()?;
    line.strip_prefix("HTTP/1.")?.get(2..)?.parse().ok()
}
