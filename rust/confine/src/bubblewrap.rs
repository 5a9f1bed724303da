//! Turns a policy into a view of the file system by the program `bwrap`: unreadable files are
//! absent, and files that must not be written lie on a read-only file system, so that their rights
//! cannot be changed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::policy::ConfinePolicy;
use chant_store::disk;

/// The program.
pub const PROGRAM: &str = "bwrap";
/// Links at the top level that lead into the system.
const LINKS: [&str; 6] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/// Returns the words before a command line that confine it to a policy.
pub(super) fn arguments(program: &Path, policy: &ConfinePolicy) -> Vec<OsString> {
    let mut list = BwrapArguments(vec![program.into()]);
    list.words(&[
        "--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-ipc",
    ]);
    if policy.refuses_network() {
        list.words(&["--unshare-net"]);
    }
    list.words(&["--cap-drop", "ALL", "--tmpfs", "/"]);
    list.words(&["--dev", "/dev", "--proc", "/proc"]);
    // Outer folders are bound first.
    let mut bound: Vec<(&PathBuf, &str)> = Vec::new();
    bound.extend(policy.read.iter().map(|path| (path, "--ro-bind-try")));
    bound.extend(policy.write.iter().map(|path| {
        let bind = if policy.found.contains(path) {
            "--bind-try"
        } else {
            "--bind"
        };
        (path, bind)
    }));
    bound.sort();
    for (path, how) in bound {
        if !is_made(path) {
            list.bind(how, path);
        }
    }
    for path in LINKS.map(Path::new) {
        if let Some(says) = disk::read_link(path) {
            list.words(&["--symlink"]);
            list.0.extend([says.into(), path.into()]);
        }
    }
    list.words(&["--remount-ro", "/", "--"]);
    list.0
}

/// Moves the variables by which the system's loader finds libraries from an environment to the words of a
/// command line that [`arguments`] begins: only the confined program gets them. `bwrap` itself runs outside, where
/// they would load libraries from the folder of a run.
#[cfg(unix)]
pub(super) fn pass_loader_variables(
    argv: &mut Vec<OsString>,
    environment: &mut Vec<(OsString, OsString)>,
) {
    let is_of_loader = |(name, _): &mut (OsString, OsString)| {
        let name = name.as_encoded_bytes();
        name.starts_with(b"LD_") || name == b"GLIBC_TUNABLES" || name == b"GCONV_PATH"
    };
    let moved = environment.extract_if(.., is_of_loader);
    let words = moved.flat_map(|(name, value)| ["--setenv".into(), name, value]);
    argv.splice(1..1, words);
}

/// Returns true if `bwrap` creates a folder instead of binding it.
fn is_made(path: &Path) -> bool {
    let is_device = path.starts_with("/dev") && !path.starts_with("/dev/shm");
    is_device || path.starts_with("/proc")
}

struct BwrapArguments(Vec<OsString>);

impl BwrapArguments {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    fn bind(&mut self, how: &str, path: &Path) {
        self.0.extend([how.into(), path.into(), path.into()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NetworkAccess;

    #[cfg(unix)]
    #[test]
    fn libraries_of_a_run_are_not_loaded_outside() {
        let mut argv: Vec<OsString> = vec!["bwrap".into(), "--".into(), "true".into()];
        let mut environment: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), "/bin".into()),
            ("LD_PRELOAD".into(), "/run/evil.so".into()),
        ];
        pass_loader_variables(&mut argv, &mut environment);
        assert_eq!(environment, [("PATH".into(), "/bin".into())]);
        assert_eq!(
            argv.join(&OsString::from(" ")),
            "bwrap --setenv LD_PRELOAD /run/evil.so -- true"
        );
    }

    #[test]
    fn only_what_may_be_written_is_bound_for_writing() {
        let policy = ConfinePolicy {
            read: vec!["/usr".into(), "/proc".into()],
            write: vec!["/home/ada/run".into()],
            network: NetworkAccess::None,
            ..ConfinePolicy::default()
        };
        let list = arguments(Path::new("/usr/bin/bwrap"), &policy);
        let list: Vec<&str> = list.iter().filter_map(|word| word.to_str()).collect();
        let text = list.join(" ");
        assert!(
            text.starts_with("/usr/bin/bwrap --die-with-parent"),
            "{text}"
        );
        assert!(text.contains("--bind /home/ada/run /home/ada/run --ro-bind-try /usr /usr"));
        assert!(text.contains("--unshare-net") && !text.contains("--ro-bind-try /proc"));
        assert!(text.ends_with("--remount-ro / --"), "{text}");
        let open = arguments(Path::new("bwrap"), &ConfinePolicy::default());
        assert!(!open.contains(&"--unshare-net".into()));
    }
}
