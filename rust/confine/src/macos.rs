//! Turns a policy into a profile of macOS, which `sandbox-exec` enforces.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::policy::ConfinePolicy;

/// The program that enforces a profile.
pub const PROGRAM: &str = "/usr/bin/sandbox-exec";
/// Devices without memory.
const DEVICES: [&str; 6] = [
    "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/dtracehelper",
    "/dev/autofs_nowait",
];
/// Folders of users and their data, which are not readable.
const CLOSED: [&str; 5] = [
    "/Users", "/Volumes", "/private/tmp", "/private/var/tmp", "/private/var/folders",
];

/// Returns the words before a command line that confine it to a policy.
pub(super) fn arguments(policy: &ConfinePolicy) -> Vec<OsString> {
    [PROGRAM, "-p", &profile(policy)].map(OsString::from).into()
}

/// Returns the profile. If several lines match, the last one counts.
pub fn profile(policy: &ConfinePolicy) -> String {
    let mut text = String::from("(version 1)\n(allow default)\n");
    text += "(deny signal (target others))\n(deny process-info* (target others))\n";
    text += "(deny file-write*)\n(deny file-read-data (subpath \"/dev\"))\n";
    for path in CLOSED {
        rule(&mut text, "deny file-read-data", [Path::new(path)]);
    }
    // The names in any folder may be listed.
    text += "(allow file-read-data (require-all (vnode-type DIRECTORY)))\n";
    rule(&mut text, "allow file-read*", paths(&policy.open));
    rule(&mut text, "deny file-read-data", paths(&policy.denied));
    rule(
        &mut text,
        "allow file-read* file-write*",
        paths(&policy.write),
    );
    rule(
        &mut text,
        "allow file-read* file-write*",
        DEVICES.map(Path::new),
    );
    if policy.pty {
        text += "(allow pseudo-tty)\n(allow file-read* file-write* file-ioctl (regex #\"^/dev/(ptmx|tty.*)$\"))\n";
    } else {
        text += "(deny pseudo-tty)\n";
    }
    if policy.refuses_network() {
        text += "(deny network*)\n";
    } else if !policy.unix_sockets {
        text += "(deny network-outbound (remote unix-socket))\n";
        // Host names are looked up over it.
        text += "(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n";
    }
    text
}

fn paths(paths: &[PathBuf]) -> impl Iterator<Item = &Path> {
    paths.iter().map(PathBuf::as_path)
}

fn rule<'a>(text: &mut String, what: &str, paths: impl IntoIterator<Item = &'a Path>) {
    for path in paths {
        let path = path.display().to_string();
        let quoted = path.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing to a string does not fail.
        let _ = writeln!(text, "({what} (subpath \"{quoted}\"))");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NetworkAccess;

    #[test]
    fn the_last_line_about_a_secret_denies_it() {
        let policy = ConfinePolicy {
            open: vec!["/Users/ada/tools \"x\"".into()],
            denied: vec!["/Users/ada/tools \"x\"/key".into()],
            write: vec!["/Users/ada/run".into()],
            ..ConfinePolicy::default()
        };
        let text = profile(&policy);
        let at = |line: &str| {
            text.find(line)
                .unwrap_or_else(|| panic!("{line} in\n{text}"))
        };
        let closed = at("(deny file-read-data (subpath \"/Users\"))");
        let open = at("(allow file-read* (subpath \"/Users/ada/tools \\\"x\\\"\"))");
        let denied = at("(deny file-read-data (subpath \"/Users/ada/tools \\\"x\\\"/key\"))");
        assert!(at("(deny file-write*)") < closed && closed < open && open < denied);
        assert!(denied < at("(allow file-read* file-write* (subpath \"/Users/ada/run\"))"));
        assert!(text.contains("(deny signal (target others))"));
        assert!(text.contains("(deny pseudo-tty)") && !text.contains("(deny network*)"));
        assert!(text.contains("(deny network-outbound (remote unix-socket))"));
    }

    #[test]
    fn ways_out_are_opened_and_closed() {
        let policy = ConfinePolicy {
            network: NetworkAccess::None,
            pty: true,
            ..ConfinePolicy::default()
        };
        let text = profile(&policy);
        assert!(text.contains("(deny network*)") && text.contains("(allow pseudo-tty)"));
        let policy = ConfinePolicy {
            unix_sockets: true,
            ..ConfinePolicy::default()
        };
        assert!(!profile(&policy).contains("network"));
    }
}
