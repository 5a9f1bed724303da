//! Hands on bytes between a process and a host, once the process has shown by its first message that it means that host.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;

use rustls::server::Acceptor;

use super::request::broken;

/// The greatest number of bytes of the first message of TLS.
const MAX_HELLO: usize = 64 * 1024;
/// The bytes that are handed on at once.
const CHUNK: usize = 32 * 1024;

/// The first message of TLS.
pub(crate) struct ClientHello {
    /// Its bytes, with those that were read after it.
    pub bytes: Vec<u8>,
    /// The host that it names.
    pub host: Option<String>,
}

impl ClientHello {
    /// Reads a whole one, which begins with bytes that were read already.
    pub(crate) fn read(stream: &mut impl Read, begun: Vec<u8>) -> io::Result<Self> {
        let mut acceptor = Acceptor::default();
        let mut bytes = begun;
        let mut seen = 0;
        let mut part = vec![0; CHUNK];
        loop {
            let mut new = &bytes[seen..];
            while !new.is_empty() {
                acceptor.read_tls(&mut new)?;
                let accepted = acceptor
                    .accept()
                    .map_err(|(why, _)| broken(format!("it speaks no TLS: {why}")))?;
                if let Some(accepted) = accepted {
                    let host = accepted.client_hello().server_name().map(str::to_owned);
                    return Ok(Self { bytes, host });
                }
            }
            seen = bytes.len();
            let count = stream.read(&mut part)?;
            if count == 0 {
                return Err(broken("it ends before its first message of TLS"));
            }
            bytes.extend_from_slice(&part[..count]);
            if bytes.len() > MAX_HELLO {
                return Err(broken("its first message of TLS is too long"));
            }
        }
    }
}

/// Hands on bytes in both directions until both sides have ended; returns their number.
pub(crate) fn join(client: &TcpStream, host: &TcpStream) -> u64 {
    thread::scope(|scope| {
        let back = scope.spawn(|| hand_on(host, client));
        let there = hand_on(client, host);
        there + back.join().unwrap_or_default()
    })
}

/// Hands on bytes in one direction to the end, whatever ends it.
fn hand_on(mut from: &TcpStream, mut to: &TcpStream) -> u64 {
    let mut part = vec![0; CHUNK];
    let mut bytes = 0;
    loop {
        match from.read(&mut part) {
            Ok(count) if count > 0 && to.write_all(&part[..count]).is_ok() => bytes += count as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => break,
        }
    }
    // The other direction may go on; the sides may be closed already.
    let _ = to.shutdown(Shutdown::Write);
    let _ = from.shutdown(Shutdown::Read);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hello of TLS 1.2 for a host, or for none.
    fn hello(host: Option<&str>) -> Vec<u8> {
        let mut extensions = Vec::new();
        if let Some(host) = host {
            let name = host.as_bytes();
            let length = u16::try_from(name.len()).unwrap();
            extensions.extend([0, 0]);
            extensions.extend((length + 5).to_be_bytes());
            extensions.extend((length + 3).to_be_bytes());
            extensions.push(0);
            extensions.extend(length.to_be_bytes());
            extensions.extend(name);
        }
        // Algorithms of signatures: a hello has to name some.
        extensions.extend([0, 13, 0, 4, 0, 2, 4, 3]);
        let mut body = vec![3, 3];
        body.extend([7; 32]);
        body.extend([0, 0, 2, 0xc0, 0x2f, 1, 0]);
        body.extend(u16::try_from(extensions.len()).unwrap().to_be_bytes());
        body.extend(extensions);
        let mut message = vec![1, 0];
        message.extend(u16::try_from(body.len()).unwrap().to_be_bytes());
        message.extend(body);
        let mut record = vec![22, 3, 1];
        record.extend(u16::try_from(message.len()).unwrap().to_be_bytes());
        record.extend(message);
        record
    }

    #[test]
    fn a_hello_names_its_host_however_it_is_cut() {
        let text = hello(Some("a.example"));
        for cut in [0, 1, 5, 20, text.len()] {
            let read = ClientHello::read(&mut &text[cut..], text[..cut].to_owned()).unwrap();
            assert_eq!(read.host.as_deref(), Some("a.example"), "{cut}");
            assert_eq!(read.bytes, text);
        }
        let without = ClientHello::read(&mut &hello(None)[..], Vec::new()).unwrap();
        assert_eq!(without.host, None);
    }

    #[test]
    fn other_protocols_and_halves_are_no_hello() {
        let text = hello(Some("a.example"));
        for wrong in [
            &b"SSH-2.0-client\r\n"[..],
            b"GET / HTTP/1.1\r\n\r\n",
            &text[..30],
            b"",
        ] {
            assert!(ClientHello::read(&mut &*wrong, Vec::new()).is_err());
        }
    }
}
