//! The settings that confine runs. The user's own configuration opens and closes; a project's can only close.

use serde::Deserialize;

/// The settings that confine runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfineSettings {
    /// The need to confine them.
    pub mode: ConfineMode,
    /// The paths that they may read beside what everything needs.
    pub read: Vec<String>,
    /// The paths that they may write, too.
    pub write: Vec<String>,
    /// The paths that they may neither read nor write.
    pub deny: Vec<String>,
    /// The paths that the project denies: from its root.
    pub deny_of_project: Vec<String>,
    /// True if they make and reach sockets with names.
    pub unix_sockets: bool,
    /// The network that they reach.
    pub network: NetworkSetting,
    /// The hosts that they reach where the network is one of hosts.
    pub hosts: Vec<String>,
    /// The shared memory, semaphores and message queues that they reach.
    pub ipc: IpcSetting,
    /// True if they make terminals.
    pub pty: bool,
    /// The program or system part that confines them.
    pub backend: BackendChoice,
}

/// The need to confine runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfineMode {
    /// Where the system can.
    #[default]
    Auto,
    /// Else they do not start.
    Required,
    /// They are not held.
    Off,
}

/// The part of the network that is reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkSetting {
    /// All that the machine reaches.
    #[default]
    Open,
    /// The hosts of a list, and a loopback of their own.
    Hosts,
    /// Nothing.
    None,
}

/// The shared memory, semaphores and message queues that are reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IpcSetting {
    /// The run's own where it can have some, else none.
    #[default]
    Private,
    /// The user's.
    Open,
}

/// The program or system part that confines runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackendChoice {
    /// The means that the system brings along.
    #[default]
    Landlock,
    /// The program `bwrap`.
    Bubblewrap,
}

/// The block as a file has it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub(super) struct ConfineBlock {
    mode: Option<ConfineMode>,
    read: Vec<String>,
    write: Vec<String>,
    deny: Vec<String>,
    unix_sockets: Option<bool>,
    network: Option<NetworkSetting>,
    hosts: Vec<String>,
    ipc: Option<IpcSetting>,
    pty: Option<bool>,
    backend: Option<BackendChoice>,
}

impl ConfineSettings {
    /// Takes over what a file says, as far as it may say that.
    pub(super) fn take(&mut self, block: ConfineBlock, is_users: bool) {
        if is_users {
            self.mode = block.mode.unwrap_or(self.mode);
            self.read = block.read;
            self.write = block.write;
            self.deny = block.deny;
            self.unix_sockets = block.unix_sockets.unwrap_or(self.unix_sockets);
            self.network = block.network.unwrap_or(self.network);
            self.hosts = block.hosts;
            self.ipc = block.ipc.unwrap_or(self.ipc);
            self.pty = block.pty.unwrap_or(self.pty);
            self.backend = block.backend.unwrap_or(self.backend);
            return;
        }
        self.deny_of_project = block.deny;
        if block.mode == Some(ConfineMode::Required) {
            self.mode = ConfineMode::Required;
        }
        match (block.network, self.network) {
            (Some(NetworkSetting::None), _) => self.network = NetworkSetting::None,
            // What the user has named anyway, as the host of a model, stays reachable.
            (Some(NetworkSetting::Hosts), NetworkSetting::Open) => {
                self.network = NetworkSetting::Hosts;
                self.hosts.extend(block.hosts);
            }
            _ => {}
        }
    }
}

impl ConfineSettings {
    /// Returns the form of the network that runs have, and what they reach by it, as the rest of a sentence.
    pub fn describe_network(&self) -> String {
        let form = match self.network {
            NetworkSetting::Open => "open".to_owned(),
            _ if self.mode == ConfineMode::Off => "open".to_owned(),
            NetworkSetting::None => "none".to_owned(),
            NetworkSetting::Hosts => match &*self.hosts {
                [] => "of its own, whose broker reaches no host".to_owned(),
                [one] => format!("of its own, whose broker reaches {one}"),
                hosts => format!("of its own, whose broker reaches {} hosts", hosts.len()),
            },
        };
        format!("; network: {form}")
    }
}

/// Returns true if what a project says at a key has an effect: it can only close.
pub fn counts_in_project(key: &[&str], value: &str) -> bool {
    match key {
        ["confine", "deny" | "hosts", ..] | ["landing"] | ["landing", "message" | "style"] => true,
        ["confine", "mode"] => value == "required",
        ["confine", "network"] => value == "none" || value == "hosts",
        ["confine" | "landing", ..] => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    fn read(user: &str, project: &str) -> ConfineSettings {
        let front = |yaml: &str| format!("---\n{yaml}\n---\n");
        let (user, project) = (front(user), front(project));
        let config = Config::read(Some(("user", &user)), Some(("project", &project)), None);
        config.unwrap().confine
    }

    #[test]
    fn a_project_closes_and_never_opens() {
        let open = "confine: {mode: off, read: [/a], write: [/b], deny: [/c], unix_sockets: true, network: open, ipc: open, pty: true, backend: bubblewrap}";
        let usual = ConfineSettings {
            deny_of_project: vec!["/c".into()],
            ..ConfineSettings::default()
        };
        assert_eq!(read("", open), usual);
        let users = read(open, "");
        assert_eq!(
            (users.mode, users.backend, users.ipc),
            (
                ConfineMode::Off,
                BackendChoice::Bubblewrap,
                IpcSetting::Open
            )
        );
        assert!(users.unix_sockets && users.pty);
        assert_eq!(
            (&*users.read, &*users.write, &*users.deny),
            (
                &["/a".to_owned()][..],
                &["/b".to_owned()][..],
                &["/c".to_owned()][..]
            )
        );
    }

    #[test]
    fn what_a_project_closes_the_user_has_closed() {
        for (user, project, expected) in [
            (
                "confine: {mode: off}",
                "confine: {mode: required}",
                ConfineMode::Required,
            ),
            (
                "confine: {mode: required}",
                "confine: {mode: auto}",
                ConfineMode::Required,
            ),
            (
                "confine: {mode: required}",
                "confine: {mode: off}",
                ConfineMode::Required,
            ),
            ("", "confine: {mode: off}", ConfineMode::Auto),
        ] {
            assert_eq!(read(user, project).mode, expected, "{user} {project}");
        }
        for (user, project) in [("open", "none"), ("none", "open")] {
            let confine = |network: &str| format!("confine: {{network: {network}}}");
            let closed = read(&confine(user), &confine(project));
            assert_eq!(closed.network, NetworkSetting::None, "{user} {project}");
        }
    }

    #[test]
    fn a_project_names_hosts_only_where_the_user_leaves_the_network_open() {
        for (user, project, network, hosts) in [
            ("open", "hosts", NetworkSetting::Hosts, &["u", "p"][..]),
            ("hosts", "hosts", NetworkSetting::Hosts, &["u"]),
            ("hosts", "open", NetworkSetting::Hosts, &["u"]),
            ("none", "hosts", NetworkSetting::None, &["u"]),
            ("hosts", "none", NetworkSetting::None, &["u"]),
            ("open", "open", NetworkSetting::Open, &["u"]),
        ] {
            let read = read(
                &format!("confine: {{network: {user}, hosts: [u]}}"),
                &format!("confine: {{network: {project}, hosts: [p]}}"),
            );
            assert_eq!(read.network, network, "{user} {project}");
            assert_eq!(read.hosts, hosts, "{user} {project}");
        }
    }

    #[test]
    fn wrong_words_are_named() {
        let text = "---\nconfine: {mode: sometimes}\n---\n";
        let error = Config::read(Some(("user", text)), None, None).unwrap_err();
        assert!(
            error.why.starts_with("confine.mode: unknown variant"),
            "{error}"
        );
    }
}
