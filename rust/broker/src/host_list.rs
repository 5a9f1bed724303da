//! The hosts that may be reached, and the addresses that no name may lead to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// The port of an entry that names none.
const USUAL_PORT: u16 = 443;
/// The entry for each host that is not of this machine or of a private network.
const ANY: &str = "*";

/// An entry of a list that is no host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoHost(pub String);

/// A list of hosts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostList(Vec<HostEntry>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct HostEntry {
    name: HostName,
    port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HostName {
    Any,
    Exactly(String),
    /// All names that end so; it begins with a dot.
    Below(String),
}

impl HostList {
    /// Reads entries such as `example.org`, `*.example.org`, `example.org:8443` and `*`.
    ///
    /// # Errors
    /// The first entry that is none.
    pub fn read<'a>(entries: impl IntoIterator<Item = &'a String>) -> Result<Self, NoHost> {
        let read = |entry: &'a String| HostEntry::read(entry).ok_or_else(|| NoHost(entry.clone()));
        Ok(Self(
            entries.into_iter().map(read).collect::<Result<_, _>>()?,
        ))
    }

    /// Returns true if a host may be reached on a port.
    pub(crate) fn allows(&self, host: &str, port: u16) -> bool {
        self.0.iter().any(|entry| {
            entry.port == port
                && match &entry.name {
                    HostName::Any => true,
                    HostName::Exactly(name) => host == name,
                    HostName::Below(ending) => host.ends_with(ending.as_str()),
                }
        })
    }
}

impl HostEntry {
    fn read(entry: &str) -> Option<Self> {
        let (name, port) = match entry.split_once(':') {
            Some((name, port)) => (name, port.parse().ok()?),
            None => (entry, USUAL_PORT),
        };
        if name == ANY {
            return Some(Self {
                name: HostName::Any,
                port,
            });
        }
        let (is_below, name) = match name.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, name),
        };
        let name = host_name(name)?;
        let name = if is_below {
            HostName::Below(format!(".{name}"))
        } else {
            HostName::Exactly(name)
        };
        Some(Self { name, port })
    }
}

/// Returns a host name in small letters, without the dot at its end; `None` for numbers of addresses and for what is none.
pub(crate) fn host_name(text: &str) -> Option<String> {
    let text = text.strip_suffix('.').unwrap_or(text);
    let is_label = |label: &str| {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        (1..=63).contains(&label.len()) && label.chars().all(is_letter)
    };
    // Systems read `127.1` and `0x7f.1` as addresses, too.
    let last = text.rsplit('.').next()?;
    let is_number = last.starts_with(|c: char| c.is_ascii_digit());
    let is_name = text.len() <= 253 && text.split('.').all(is_label) && !is_number;
    is_name.then(|| text.to_ascii_lowercase())
}

/// Returns true if an address is neither of this machine nor of a private network, and serves no metadata.
pub(crate) fn is_outside(address: IpAddr) -> bool {
    let is_public = match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    };
    // An address can be taken only by the machine that has it.
    is_public && UdpSocket::bind((address, 0)).is_err()
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_shared = first == 100 && (64..128).contains(&second);
    let is_protocol = (first, second, third) == (192, 0, 0);
    let is_bench = first == 198 && (second == 18 || second == 19);
    !(first == 0
        || first >= 224
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || is_shared
        || is_protocol
        || is_bench)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let inner = |at: usize| {
        let [high, low] = [parts[at], parts[at + 1]].map(u16::to_be_bytes);
        Ipv4Addr::new(high[0], high[1], low[0], low[1])
    };
    match parts {
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => is_public_v4(inner(6)),
        [0x2002, ..] => is_public_v4(inner(1)),
        // Teredo. Other forms, and networks of a place, a link or a group, lie outside of the range.
        [0x2001, 0, ..] => false,
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[&str]) -> Result<HostList, NoHost> {
        let entries: Vec<String> = entries.iter().map(|&one| one.to_owned()).collect();
        HostList::read(&entries)
    }

    #[test]
    fn names_are_allowed_whole_or_by_their_end() {
        let hosts = list(&["Example.org", "*.wild.example", "odd.example:8443"]).unwrap();
        for (host, port, expected) in [
            ("example.org", 443, true),
            ("example.org", 80, false),
            ("sub.example.org", 443, false),
            ("notexample.org", 443, false),
            ("a.b.wild.example", 443, true),
            ("wild.example", 443, false),
            ("evilwild.example", 443, false),
            ("odd.example", 8443, true),
            ("odd.example", 443, false),
        ] {
            assert_eq!(hosts.allows(host, port), expected, "{host}:{port}");
        }
        assert!(list(&["*"]).unwrap().allows("anything.example", 443));
        assert!(!HostList::default().allows("anything.example", 443));
    }

    #[test]
    fn addresses_and_other_texts_are_no_hosts() {
        for entry in [
            "127.0.0.1", "127.1", "0x7f.1", "[::1]", "", "a b", "https://a.example", "a.example/x",
            "a..example", "a.example:x", "*.*.example",
        ] {
            assert_eq!(list(&[entry]), Err(NoHost(entry.to_owned())));
        }
        assert_eq!(host_name("A.Example."), Some("a.example".into()));
    }

    #[test]
    fn addresses_of_this_machine_and_of_private_networks_are_not_outside() {
        for address in [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.9.9.9", "169.254.169.254",
            "172.16.0.1", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::", "::1",
            "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a00:1",
            "2002:7f00:1::", "2001:0:1::", "fc00::1", "fd00:ec2::254", "fe80::1", "ff02::1",
        ] {
            assert!(!is_outside(address.parse().unwrap()), "{address}");
        }
        for address in [
            "93.184.215.14", "2606:2800:21f:cb07::1", "64:ff9b::5db8:d70e",
        ] {
            assert!(is_outside(address.parse().unwrap()), "{address}");
        }
    }
}
