//! Recognises secrets in settings of tools, and makes copies without them.
//!
//! Some tools fail when their settings cannot be read, and the same files may hold tokens. It is
//! better to take a harmless line for a secret than the other way round: the copy lacks one setting.

use std::path::{Path, PathBuf};

/// Pieces of names of keys whose values are secrets.
const KEYS: [&str; 17] = [
    "token", "secret", "passw", "passphrase", "api_key", "api-key", "apikey", "access_key",
    "access-key", "accesskey", "private_key", "privatekey", "extraheader", "authorization",
    "oauth", "_auth", "cookie",
];
/// Beginnings of tokens, whatever the key is.
const TOKENS: [&str; 9] = [
    "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "sk-ant-", "pypi-ag",
    "private key-----",
];
/// The length from which the name of a user in an address is taken for a token.
const LONG_NAME: usize = 16;

/// Returns true if a text of settings holds what looks like a secret.
pub fn holds_secret(text: &str) -> bool {
    text.lines().any(is_secret_line)
}

/// Returns a text of settings, in the forms of git and of TOML, without the lines that look like
/// secrets and without the sections whose names do.
pub fn without_secrets(text: &str) -> String {
    let (mut kept, mut skips) = (String::new(), false);
    for line in logical_lines(text) {
        let is_secret = is_secret_line(&line);
        if line.trim_start().starts_with('[') && line.contains(']') {
            skips = is_secret;
        }
        if !skips && !is_secret {
            kept += &line;
            kept.push('\n');
        }
    }
    kept
}

/// A file that a configuration of git names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    /// Its path.
    pub path: PathBuf,
    /// True for further configuration; false for a list of patterns or a template.
    pub is_configuration: bool,
}

/// Returns the files that a configuration of git names, which lies in a folder.
pub fn files_named_by_git(text: &str, folder: &Path, home: &Path) -> Vec<NamedFile> {
    let lines = text.lines();
    lines
        .filter_map(|line| file_named_by_line(line, folder, home))
        .collect()
}

/// Returns a configuration of git in which the included files have the places that `place` says.
pub fn with_includes_at(
    text: &str,
    folder: &Path,
    home: &Path,
    mut place: impl FnMut(&Path) -> Option<PathBuf>,
) -> String {
    let mut changed = String::new();
    for line in text.lines() {
        let named = file_named_by_line(line, folder, home).filter(|file| file.is_configuration);
        let moved = named.and_then(|file| place(&file.path));
        if let (Some(path), Some((key, _))) = (moved, line.split_once('=')) {
            let path = path.display().to_string();
            let quoted = path.replace('\\', "\\\\").replace('"', "\\\"");
            changed += &format!("{key}= \"{quoted}\"\n");
        } else {
            changed += line;
            changed.push('\n');
        }
    }
    changed
}

fn file_named_by_line(line: &str, folder: &Path, home: &Path) -> Option<NamedFile> {
    let (key, value) = line.split_once('=')?;
    let key = key.trim().to_ascii_lowercase();
    // A section may stand before it on the same line.
    let key = key
        .rsplit(|letter: char| letter == ']' || letter.is_whitespace())
        .next()
        .unwrap_or_default();
    if !["path", "excludesfile", "attributesfile", "template"].contains(&key) {
        return None;
    }
    let value = value.trim().trim_matches('"');
    let path = match value.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => folder.join(value),
    };
    Some(NamedFile {
        path,
        is_configuration: key == "path",
    })
}

/// Joins lines that go on behind a backslash: a value must not stay without its key.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        match lines.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.push('\n');
                last.push_str(line);
            }
            None => lines.push(line.to_owned()),
        }
        goes_on = line.ends_with('\\');
    }
    lines
}

fn is_secret_line(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let is_set = |key: &&str| {
        let mut places = line.match_indices(*key);
        places.any(|(at, _)| is_set_behind(&line[at + key.len()..]))
    };
    TOKENS.iter().any(|token| line.contains(token)) || KEYS.iter().any(is_set) || holds_login(&line)
}

/// Returns true if the end of a key is followed by a value.
fn is_set_behind(rest: &str) -> bool {
    let is_of_key = |letter: char| letter.is_alphanumeric() || "_-.\"']".contains(letter);
    let behind = rest.trim_start_matches(is_of_key).trim_start();
    let value = behind.strip_prefix(['=', ':', '>']);
    value.is_some_and(|value| !value.trim().trim_matches(['"', '\'']).is_empty())
}

/// Returns true if an address in a line holds a password, or a token in place of a name.
fn holds_login(line: &str) -> bool {
    line.match_indices("://").any(|(at, mark)| {
        let rest = &line[at + mark.len()..];
        let ends = |letter: char| letter.is_whitespace() || "/\"'<>]".contains(letter);
        let authority = rest.split(ends).next().unwrap_or_default();
        authority
            .rsplit_once('@')
            .is_some_and(|(user, _)| user.contains(':') || user.len() >= LONG_NAME)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_secrets_are_known() {
        for line in [
            "token = \"x\"",
            "registries.a.token=\"x\"",
            "inner = { index = \"a\", token = \"x\" }",
            "\textraHeader = Authorization: Basic x",
            "oauth-token = x",
            "smtpPass = x # smtppassword = y",
            "proxy = \"http://ada:x@example.org\"",
            "[url \"https://ghx_0123456789abcdef@example.org/\"]",
            "helper = !f() { echo password=x; }; f",
            "<password>x</password>",
            "AWS_SECRET_ACCESS_KEY: x",
            "-----BEGIN PRIVATE KEY-----",
        ] {
            assert!(holds_secret(line), "{line}");
        }
        for line in [
            "name = Ada",
            "url = https://ada@example.org/a",
            "insteadOf = git@example.org:",
            "credential-provider = \"cargo:token\"",
            "global-credential-providers = [\"cargo:token\", \"cargo:libsecret\"]",
            "helper = store",
            "signingKey = ~/.ssh/id.pub",
            "token = \"\"",
            "-----BEGIN CERTIFICATE-----",
        ] {
            assert!(!holds_secret(line), "{line}");
        }
    }

    #[test]
    fn a_copy_lacks_secrets_alone() {
        let text = "[user]\n\tname = Ada\n[url \"https://ada:x@a.org/\"]\n\tinsteadOf = a:\n[http]\n\textraHeader = \\\n a\n\tsslVerify = true\n";
        assert_eq!(
            without_secrets(text),
            "[user]\n\tname = Ada\n[http]\n\tsslVerify = true\n"
        );
    }

    #[test]
    fn files_that_git_includes_are_found_and_moved() {
        let text = "[include]\n\tpath = more\n[core] excludesFile = ~/ignored\n";
        let (folder, home) = (Path::new("/etc"), Path::new("/home/ada"));
        let found = files_named_by_git(text, folder, home);
        let paths: Vec<_> = found.iter().map(|file| file.path.to_str()).collect();
        assert_eq!(paths, [Some("/etc/more"), Some("/home/ada/ignored")]);
        let moved = with_includes_at(text, folder, home, |path| {
            Some(Path::new("/copy").join(path.file_name()?))
        });
        assert!(moved.contains("path = \"/copy/more\"\n[core] excludesFile = ~/ignored"));
    }
}
