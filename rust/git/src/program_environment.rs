//! The environment of a call of git: none of the variables that lead it to another repository.

use std::process::{Command, Stdio};

use chant_base::inherited_environment::inherited_environment;

/// Variables of git that a call keeps: the places of the user's configuration and of git's own
/// parts, the way to a remote (a partial clone fetches missing objects), and forbidden ways.
const KEPT: [&str; 10] = [
    "GIT_ALLOW_PROTOCOL", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
    "GIT_EXEC_PATH", "GIT_NO_LAZY_FETCH", "GIT_PROTOCOL_FROM_USER", "GIT_SSH", "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
];

/// Families of variables that a call keeps, by their first letters.
const KEPT_FAMILIES: [&str; 3] = ["GIT_SSL_", "GIT_HTTP_", "GIT_PROXY_"];

/// Returns the `git` program in a clean environment, with its output piped.
pub(super) fn clean_command() -> Command {
    let is_left_out = |name: &str| name.starts_with("GIT_") && !is_kept(name);
    let mut command = inherited_environment().command("git", is_left_out);
    command
        .env("LC_ALL", "C")
        // There is no user to answer a question.
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ASKPASS", "")
        // A read must not take the lock that the user's own git is about to need.
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn is_kept(name: &str) -> bool {
    KEPT.contains(&name) || KEPT_FAMILIES.iter().any(|family| name.starts_with(family))
}
