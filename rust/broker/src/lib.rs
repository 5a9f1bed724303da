//! The way out of a network namespace. Processes in it reach one listener, which this crate serves from outside: it
//! connects them to hosts of a list, and hands on requests to addresses of the user's, to which it adds credentials.
//!
//! Nothing is decrypted on the way to a host: it is known by the name that a process asks for, which must be the one in
//! its first message of TLS. This crate starts no process, and knows no run.

mod host_list;
mod outside;
mod request;
mod route;
mod traffic;
mod tunnel;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

pub use host_list::{HostList, NoHost};
pub use outside::{WayOutError, certificates_of, proxy_of};
pub use route::BrokerRoute;
pub use traffic::HostTraffic;

use request::{RequestHead, answer};
use route::{PREFIX, answer_failure};
use traffic::TrafficLog;
use tunnel::ClientHello;

/// The time until the next try where a connection could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// The greatest number of connections at once.
const MAX_CONNECTIONS: usize = 256;
/// The time for a request to be sent, and for the first message of TLS.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// The hosts that may be reached.
#[derive(Debug, Clone, Default)]
pub struct BrokerRules {
    /// The hosts.
    pub hosts: HostList,
    /// The addresses to which credentials are added, by name.
    pub routes: BTreeMap<String, BrokerRoute>,
    /// The proxy on the way to hosts.
    pub proxy: Option<ureq::Proxy>,
    /// The address by which processes know the listener: `127.0.0.1:PORT`.
    pub address: String,
}

/// A listener that is served. When dropped, it and all connections are closed.
#[derive(Debug)]
pub struct HostBroker {
    shared: Arc<SharedState>,
    listener: TcpListener,
    server: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct SharedState {
    rules: BrokerRules,
    traffic: TrafficLog,
    /// Both ends of the connections that are open, to close them.
    open: Mutex<HashMap<u64, Vec<TcpStream>>>,
    next: AtomicU64,
    /// True once nothing more is to be served.
    is_closing: AtomicBool,
}

impl HostBroker {
    /// Serves a listener in a thread.
    ///
    /// # Errors
    /// The listener cannot be shared with a thread.
    pub fn serve(listener: TcpListener, rules: BrokerRules) -> io::Result<Self> {
        let shared = Arc::new(SharedState {
            rules,
            traffic: TrafficLog::default(),
            open: Mutex::default(),
            next: AtomicU64::new(0),
            is_closing: AtomicBool::new(false),
        });
        let (own, served) = (Arc::clone(&shared), listener.try_clone()?);
        let server = thread::Builder::new()
            .name("broker".into())
            .spawn(move || serve(&own, &served))?;
        Ok(Self {
            shared,
            listener,
            server: Some(server),
        })
    }

    /// Returns what was reached and refused until now.
    pub fn traffic(&self) -> HostTraffic {
        self.shared.traffic.now()
    }
}

impl Drop for HostBroker {
    fn drop(&mut self) {
        self.shared.is_closing.store(true, Ordering::Release);
        // That ends the wait for connections. Whoever is still connected works for nobody.
        #[cfg(unix)]
        let _ = rustix::net::shutdown(&self.listener, rustix::net::Shutdown::Both);
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
        for stream in self.shared.open().drain().flat_map(|(_, streams)| streams) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn serve(shared: &Arc<SharedState>, listener: &TcpListener) {
    loop {
        let client = match listener.accept() {
            Ok((client, _)) => client,
            Err(_) if shared.is_closing.load(Ordering::Acquire) => return,
            // A connection that was given up, or no descriptor left for it: the next one may be served.
            Err(_) => {
                thread::park_timeout(ACCEPT_PAUSE);
                continue;
            }
        };
        let number = shared.next.fetch_add(1, Ordering::Relaxed);
        let Ok(own) = client.try_clone() else {
            continue;
        };
        let is_full = {
            let mut open = shared.open();
            let is_full = open.len() >= MAX_CONNECTIONS;
            if !is_full {
                open.insert(number, vec![own]);
            }
            is_full
        };
        let connection = Connection {
            shared: Arc::clone(shared),
            number,
            client,
        };
        if is_full {
            connection.say("503 Service Unavailable", "Too many connections are open.");
            continue;
        }
        let started = thread::Builder::new()
            .name("broker-connection".into())
            .spawn(move || connection.serve());
        if started.is_err() {
            shared.open().remove(&number);
        }
    }
}

impl SharedState {
    fn open(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Vec<TcpStream>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection of a process.
struct Connection {
    shared: Arc<SharedState>,
    number: u64,
    client: TcpStream,
}

impl Connection {
    fn serve(self) {
        // A request that cannot be read concerns the process alone.
        let _ = self.answer();
        self.shared.open().remove(&self.number);
        let _ = self.client.shutdown(Shutdown::Both);
    }

    fn answer(&self) -> io::Result<()> {
        self.client.set_read_timeout(Some(REQUEST_TIMEOUT))?;
        let Some(head) = RequestHead::read(&mut &self.client)? else {
            return Ok(());
        };
        if head.method == "CONNECT" {
            return self.connect(&head);
        }
        let own = format!("http://{}", self.shared.rules.address);
        let target = head.target.strip_prefix(&own).unwrap_or(&head.target);
        if let Some(rest) = target.strip_prefix(PREFIX) {
            let rest = rest.to_owned();
            self.route(head, &rest);
            return Ok(());
        }
        let name = target.strip_prefix("http://").unwrap_or(&own);
        let name = name.split(['/', '?', '#']).next().unwrap_or_default();
        // What is shown is a name and nothing else.
        let name = name.rsplit('@').next().unwrap_or_default();
        self.refuse(name, "only HTTPS is handed on");
        Ok(())
    }

    /// Connects the process to a host.
    fn connect(&self, head: &RequestHead) -> io::Result<()> {
        let rules = &self.shared.rules;
        let (host, port) = head.target.rsplit_once(':').unwrap_or((&head.target, ""));
        let place = host_list::host_name(host).zip(port.parse::<u16>().ok());
        let Some((host, port)) = place else {
            self.refuse(&head.target, "hosts are reached by their names");
            return Ok(());
        };
        let name = if port == 443 {
            host.clone()
        } else {
            format!("{host}:{port}")
        };
        if !rules.hosts.allows(&host, port) {
            self.refuse(&name, "it is none of the allowed hosts");
            return Ok(());
        }
        let upstream = match outside::connect(&host, port, rules.proxy.as_ref()) {
            Ok(upstream) => upstream,
            Err(error) => {
                self.shared.traffic.add_refused(&name, &error.to_string());
                self.say(
                    "502 Bad Gateway",
                    &format!("{name} was not reached: {error}."),
                );
                return Ok(());
            }
        };
        let established = b"HTTP/1.1 200 Connection established\r\n\r\n";
        io::Write::write_all(&mut &self.client, established)?;
        let hello = match ClientHello::read(&mut &self.client, head.rest.clone()) {
            Ok(hello) => hello,
            Err(error) => {
                self.shared.traffic.add_refused(&name, &error.to_string());
                return Ok(());
            }
        };
        let is_meant = hello
            .host
            .as_deref()
            .and_then(host_list::host_name)
            .is_some_and(|named| named == host);
        if !is_meant {
            let why = "its first message of TLS names another host";
            self.shared.traffic.add_refused(&name, why);
            return Ok(());
        }
        self.client.set_read_timeout(None)?;
        if let Some(open) = self.shared.open().get_mut(&self.number) {
            open.push(upstream.try_clone()?);
        }
        self.shared.traffic.add_reached(&name, 0);
        io::Write::write_all(&mut &upstream, &hello.bytes)?;
        let bytes = tunnel::join(&self.client, &upstream);
        self.shared
            .traffic
            .add_reached(&name, bytes + hello.bytes.len() as u64);
        Ok(())
    }

    /// Hands a request on by a route.
    fn route(&self, head: RequestHead, rest: &str) {
        let rules = &self.shared.rules;
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (name, path) = rest.split_at(end);
        let shown = format!("route {name}");
        let is_own = head.header("host") == Some(&rules.address);
        let route = rules.routes.get(name).filter(|_| is_own);
        let Some(route) = route else {
            self.refuse(&shown, "there is no such route");
            return;
        };
        match route.serve(&self.client, head, path) {
            Ok(bytes) => self.shared.traffic.add_reached(&shown, bytes),
            Err(failure) => {
                let why = match &failure {
                    route::RouteFailure::Refused(why) => (*why).to_owned(),
                    route::RouteFailure::Broken(why) => why.to_string(),
                };
                self.shared.traffic.add_refused(&shown, &why);
                answer_failure(&self.client, &failure);
            }
        }
    }

    fn refuse(&self, name: &str, why: &str) {
        let name: String = name
            .chars()
            .filter(char::is_ascii_graphic)
            .take(253)
            .collect();
        self.shared.traffic.add_refused(&name, why);
        self.say(
            "403 Forbidden",
            &format!("{name} is not reached from a run: {why}. `confine.hosts` of your own configuration names the hosts."),
        );
    }

    fn say(&self, status: &str, sentence: &str) {
        // The process may have given up.
        let _ = answer(&mut &self.client, status, sentence);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_failure_to_accept_ends_nothing_but_closing_does() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        // Nobody waits, so that each try to accept fails.
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let broker = HostBroker::serve(listener, BrokerRules::default()).unwrap();
        thread::park_timeout(2 * ACCEPT_PAUSE);
        let mut client = TcpStream::connect(address).unwrap();
        client.set_read_timeout(Some(REQUEST_TIMEOUT)).unwrap();
        io::Write::write_all(&mut client, b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let mut answer = String::new();
        io::Read::read_to_string(&mut client, &mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
        drop(broker);
        assert!(TcpStream::connect(address).is_err());
    }
}
