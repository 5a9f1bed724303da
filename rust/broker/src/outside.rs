//! The way from this machine to hosts outside: the proxy and the certificates that the user's environment names.

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chant_store::disk::Disk;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Proxy, ProxyProtocol};

use super::host_list::is_outside;
use super::request::broken;

/// Hosts on this machine, which no proxy reaches.
const HERE: [&str; 4] = ["localhost", "127.0.0.1", "::1", "[::1]"];
/// The time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// The greatest number of bytes of a proxy's answer.
const MAX_ANSWER: usize = 16 * 1024;

/// The reasons why a way out that the environment names cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WayOutError {
    /// A variable names a proxy that cannot be used.
    #[error("the proxy that {variable} names cannot be used: {error}")]
    Proxy {
        /// The variable.
        variable: &'static str,
        /// The fault.
        error: ureq::Error,
    },
    /// The file of certificates cannot be used.
    #[error("the certificates that SSL_CERT_FILE names: {0}")]
    Certificates(String),
}

/// Returns the proxy that the environment names for addresses of a scheme.
///
/// # Errors
/// The reason why it cannot be used.
pub fn proxy_of(
    environment: &BTreeMap<String, String>,
    scheme: &str,
) -> Result<Option<Proxy>, WayOutError> {
    let names = match scheme {
        "https" => ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"],
        _ => ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"],
    };
    let set = |name: &&str| environment.get(*name).filter(|value| !value.is_empty());
    let Some((variable, text)) = names.into_iter().find_map(|name| Some((name, set(&name)?)))
    else {
        return Ok(None);
    };
    let failed = |error| WayOutError::Proxy { variable, error };
    let given = Proxy::new(text).map_err(failed)?;
    let mut proxy = Proxy::builder(given.protocol())
        .host(given.host())
        .port(given.port());
    if let Some(user) = given.username() {
        proxy = proxy.username(user);
    }
    if let Some(password) = given.password() {
        proxy = proxy.password(password);
    }
    let without = ["NO_PROXY", "no_proxy"].iter().find_map(set);
    let without = without.into_iter().flat_map(|hosts| hosts.split(','));
    for host in without.map(str::trim).chain(HERE) {
        proxy = proxy.no_proxy(host);
    }
    proxy.build().map(Some).map_err(failed)
}

/// Returns the trusted certificates: Mozilla's list, or those that `SSL_CERT_FILE` names.
///
/// # Errors
/// The reason why they cannot be read.
pub fn certificates_of(environment: &BTreeMap<String, String>) -> Result<TlsConfig, WayOutError> {
    let Some(file) = environment.get("SSL_CERT_FILE").filter(|f| !f.is_empty()) else {
        return Ok(TlsConfig::default());
    };
    let failed = WayOutError::Certificates;
    let text = Disk::default().read_text(Path::new(file), file);
    let (text, _) = text.map_err(|error| failed(error.to_string()))?;
    let mut certificates = Vec::new();
    for item in parse_pem(text.as_bytes()) {
        if let PemItem::Certificate(one) = item.map_err(|error| failed(error.to_string()))? {
            certificates.push(one);
        }
    }
    if certificates.is_empty() {
        return Err(failed(format!("`{file}` holds none")));
    }
    let roots = RootCerts::new_with_certs(&certificates);
    Ok(TlsConfig::builder().root_certs(roots).build())
}

/// Connects to a host outside: by a proxy, which then looks its name up, or to one of its addresses outside.
pub(crate) fn connect(host: &str, port: u16, proxy: Option<&Proxy>) -> io::Result<TcpStream> {
    let found = (host, port).to_socket_addrs().map(Vec::from_iter);
    let is_inside = |found: &Vec<SocketAddr>| !found.iter().any(|one| is_outside(one.ip()));
    if found
        .as_ref()
        .is_ok_and(|found| !found.is_empty() && is_inside(found))
    {
        return Err(refused(
            "its name leads to this machine or to a private network",
        ));
    }
    let proxy = proxy.filter(|proxy| {
        let address = format!("https://{host}:{port}").parse();
        address.is_ok_and(|address| !proxy.is_no_proxy(&address))
    });
    // Where there is a proxy, often it alone can look names up.
    if let Some(proxy) = proxy {
        return connect_by_proxy(host, port, proxy);
    }
    let found = found?;
    let outside = found.iter().filter(|one| is_outside(one.ip()));
    let mut failure = refused("its name leads to no address");
    for address in outside {
        match TcpStream::connect_timeout(address, CONNECT_TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn connect_by_proxy(host: &str, port: u16, proxy: &Proxy) -> io::Result<TcpStream> {
    if proxy.protocol() != ProxyProtocol::Http {
        return Err(refused(
            "your proxy is none of HTTP, which is the kind that is used here",
        ));
    }
    let mut stream = connect_to_any((proxy.host(), proxy.port()))?;
    stream.set_read_timeout(Some(CONNECT_TIMEOUT))?;
    let login = proxy.username().map(|user| {
        let login = STANDARD.encode(format!("{user}:{}", proxy.password().unwrap_or_default()));
        format!("Proxy-Authorization: Basic {login}\r\n")
    });
    let request = format!(
        "CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n{}\r\n",
        login.unwrap_or_default()
    );
    io::Write::write_all(&mut stream, request.as_bytes())?;
    let mut head = Vec::new();
    let mut one = [0];
    // What lies behind the head is the other side's.
    while !head.ends_with(b"\r\n\r\n") {
        io::Read::read_exact(&mut stream, &mut one)?;
        head.push(one[0]);
        if head.len() > MAX_ANSWER {
            return Err(broken("the answer of your proxy is too long"));
        }
    }
    let head = String::from_utf8_lossy(&head);
    let line = head.lines().next().unwrap_or_default();
    if line
        .split(' ')
        .nth(1)
        .is_none_or(|status| !status.starts_with('2'))
    {
        return Err(refused(&format!("your proxy answered `{line}`")));
    }
    stream.set_read_timeout(None)?;
    Ok(stream)
}

fn connect_to_any(place: (&str, u16)) -> io::Result<TcpStream> {
    let mut failure = refused("the name of your proxy leads to no address");
    for address in place.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn refused(why: &str) -> io::Error {
    io::Error::other(why.to_owned())
}
