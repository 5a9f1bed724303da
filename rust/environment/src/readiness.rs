//! Asks whether something listens on a port of this machine.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// The longest wait for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Returns true if something listens on a port of a loopback.
pub fn is_listening(port: u16) -> bool {
    connected(port).is_some()
}

/// Returns true if a path answers over HTTP with success, or leads elsewhere.
pub fn answers_over_http(port: u16, path: &str) -> bool {
    status(port, path).is_some_and(|status| (200..400).contains(&status))
}

fn connected(port: u16) -> Option<TcpStream> {
    let addresses = [
        SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        SocketAddr::from((Ipv6Addr::LOCALHOST, port)),
    ];
    addresses
        .iter()
        .find_map(|address| TcpStream::connect_timeout(address, ANSWER_TIMEOUT).ok())
}

fn status(port: u16, path: &str) -> Option<u16> {
    let mut stream = connected(port)?;
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
