//! Finds files of a merge that are hardly meant to land: what looks like a secret, large files, folders of
//! dependencies, and commits of other repositories that nobody has.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::Regex;

use chant_git::changed_files::{ChangedFile, CommittedFile, FileKind};
use chant_git::{GitError, Repo};

/// The bytes of a file up to which it is searched for secrets.
const MAX_SEARCHED: u64 = 1024 * 1024;
/// Names of files with secrets.
const SECRET_NAMES: [&str; 15] = [
    "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", "_netrc", ".git-credentials",
    ".pgpass", ".my.cnf", ".htpasswd", ".pypirc", ".env", "credentials.json", "client_secret.json",
    "kubeconfig",
];
/// Ends of the names of files with secrets.
const SECRET_ENDS: [&str; 7] = [
    ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".tfstate",
];
/// Ends of the names of settings of an environment that hold no secrets.
const SETTINGS_WITHOUT_SECRETS: [&str; 8] = [
    "example", "sample", "template", "tmpl", "dist", "defaults", "schema", "test",
];
/// Private keys and tokens, as those who give them out describe them.
static SECRETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        -----BEGIN\ ([A-Z]+\ )*PRIVATE\ KEY(\ BLOCK)?-----
        | \b(AKIA|ASIA)[0-9A-Z]{16}\b
        | \bgh[pousr]_[A-Za-z0-9]{36,}\b
        | \bgithub_pat_[A-Za-z0-9_]{60,}\b
        | \bglpat-[A-Za-z0-9_-]{20,}
        | \bxox[abprs]-[A-Za-z0-9-]{20,}
        | \bsk-(ant|proj|svcacct)-[A-Za-z0-9_-]{20,}
        | \bsk_live_[A-Za-z0-9]{20,}
        | \bAIza[0-9A-Za-z_-]{35}\b
        | \bnpm_[A-Za-z0-9]{36}\b
        | \bpypi-AgEI[A-Za-z0-9_-]{40,}
        | \bhf_[A-Za-z0-9]{34,}\b
        ",
    )
    .ok()
});
/// Folders of dependencies and caches.
const DEPENDENCIES: [&str; 9] = [
    "node_modules", "bower_components", "__pycache__", ".tox", ".nox", ".mypy_cache",
    ".pytest_cache", ".ruff_cache", ".gradle",
];
/// The file at the top of an environment of Python.
const ENVIRONMENT: &str = "pyvenv.cfg";

/// Why a person is to look at files before they land.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LandingConcern {
    /// A commit of another repository that nobody has.
    Missing,
    /// A value of one of the user's own files.
    OwnValue,
    /// Something that looks like a secret.
    Secret,
    /// A large file.
    Large,
    /// A folder of dependencies or a cache.
    Dependencies,
}

impl LandingConcern {
    /// Returns the sentence about the files that it is about, without its subject.
    pub(super) fn sentence(self, files: &str) -> String {
        match self {
            Self::Missing => format!(
                "leaves out files: {files} would be a commit of another repository that this one does not have"
            ),
            Self::OwnValue => format!("carries a value of a file of yours: {files}"),
            Self::Secret => format!("adds what looks like a secret: {files}"),
            Self::Large => format!("adds a large file: {files}"),
            Self::Dependencies => format!("adds dependencies or a cache: {files}"),
        }
    }
}

/// The rules of the user for what lands.
pub(super) struct LandingRules<'a> {
    /// The size above which a file is large, in bytes.
    pub largest: u64,
    /// Values of the user's own files.
    pub values: &'a [String],
    /// Returns true for a file that may land all the same.
    pub allows: &'a dyn Fn(&str) -> bool,
}

/// The files of a merge about which there is a concern, each once.
pub(super) fn landing_concerns(
    repo: &Repo,
    changed: &[ChangedFile],
    old: Option<&str>,
    new: &str,
    rules: &LandingRules<'_>,
) -> Result<BTreeSet<(LandingConcern, String)>, GitError> {
    let mut found = BTreeSet::new();
    for file in changed {
        let Some(added) = &file.new else { continue };
        if added.kind == FileKind::Submodule {
            if !repo.has_submodule_commit(new, &file.path, &added.id)? {
                found.insert((LandingConcern::Missing, file.path.clone()));
            }
            continue;
        }
        if (rules.allows)(&file.path) {
            continue;
        }
        if let Some(folder) = dependency_folder(&file.path, changed) {
            found.insert((LandingConcern::Dependencies, folder));
            continue;
        }
        let bytes = repo.size_of(added)?;
        if has_value(repo, added, rules.values)? {
            found.insert((LandingConcern::OwnValue, file.path.clone()));
        }
        if bytes > rules.largest {
            found.insert((LandingConcern::Large, file.path.clone()));
        } else if has_secret(repo, file, added, bytes)? {
            found.insert((LandingConcern::Secret, file.path.clone()));
        }
    }
    // What the target has already is nothing new.
    let mut kept = BTreeSet::new();
    for (concern, path) in found {
        let is_known = match old {
            Some(old) if concern == LandingConcern::Dependencies => {
                !repo.files_below(old, &path)?.is_empty()
            }
            _ => false,
        };
        if !is_known {
            kept.insert((concern, path));
        }
    }
    Ok(kept)
}

/// Returns true for a text with something that looks like a secret.
pub(crate) fn looks_like_secret(text: &str) -> bool {
    let secrets = SECRETS.as_ref();
    secrets.is_some_and(|secrets| secrets.is_match(text.as_bytes()))
}

/// Returns true if a file gets a secret that it does not have yet.
fn has_secret(
    repo: &Repo,
    file: &ChangedFile,
    added: &CommittedFile,
    bytes: u64,
) -> Result<bool, GitError> {
    if added.kind == FileKind::Link {
        return Ok(false);
    }
    if file.old.is_none() && has_secret_name(&file.path) {
        return Ok(true);
    }
    let Some(secrets) = SECRETS.as_ref().filter(|_| bytes <= MAX_SEARCHED) else {
        return Ok(false);
    };
    let text = repo.content_of(added)?;
    let mut matches = secrets.find_iter(&text).peekable();
    if matches.peek().is_none() {
        return Ok(false);
    }
    let before = file.old.as_ref().map(|old| repo.content_of(old));
    let before = before.transpose()?.unwrap_or_default();
    let is_new = |secret: &[u8]| !before.windows(secret.len()).any(|part| part == secret);
    Ok(matches.any(|secret| is_new(secret.as_bytes())))
}

/// Returns true if a file holds one of some values.
fn has_value(repo: &Repo, added: &CommittedFile, values: &[String]) -> Result<bool, GitError> {
    if values.is_empty() || added.kind == FileKind::Link {
        return Ok(false);
    }
    let text = repo.content_of(added)?;
    let holds = |value: &String| {
        let value = value.as_bytes();
        text.windows(value.len()).any(|part| part == value)
    };
    Ok(values.iter().any(holds))
}

fn has_secret_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    if let Some(settings) = name.strip_prefix(".env.") {
        let end = settings.rsplit('.').next().unwrap_or(settings);
        return !SETTINGS_WITHOUT_SECRETS.contains(&end);
    }
    SECRET_NAMES.contains(&&*name) || SECRET_ENDS.iter().any(|end| name.ends_with(end))
}

/// Returns the folder of dependencies that a path lies in.
fn dependency_folder(path: &str, changed: &[ChangedFile]) -> Option<String> {
    let mut folder = String::new();
    let (parents, _) = path.rsplit_once('/')?;
    for part in parents.split('/') {
        if !folder.is_empty() {
            folder.push('/');
        }
        folder.push_str(part);
        let is_environment = || {
            let file = format!("{folder}/{ENVIRONMENT}");
            changed
                .iter()
                .any(|one| one.path == file && one.old.is_none())
        };
        if DEPENDENCIES.contains(&part) || (part.ends_with("env") && is_environment()) {
            return Some(folder);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known() {
        for path in [
            "id_rsa", "a/.env", ".env.production", "x/release.keystore", ".env.Local",
        ] {
            assert!(has_secret_name(path), "{path}");
        }
        for path in [
            "id_rsa.pub", ".env.example", "a/.env.local.sample", "env", "src/credentials.rs",
        ] {
            assert!(!has_secret_name(path), "{path}");
        }
    }

    #[test]
    fn tokens_are_known_by_their_form() {
        let secrets = SECRETS.as_ref().unwrap();
        let key = ["-----BEGIN OPENSSH PRIVATE", " KEY-----"].concat();
        let token = ["ghp", "_", &"a1".repeat(18)].concat();
        let cloud = ["AKIA", &"A2".repeat(8)].concat();
        for text in [key, token, cloud] {
            assert!(
                secrets.is_match(format!("x = '{text}'\n").as_bytes()),
                "{text}"
            );
        }
        for text in [
            "-----BEGIN PUBLIC KEY-----",
            "ghp_short",
            "AKIAsomething",
            "sk-learn",
        ] {
            assert!(!secrets.is_match(text.as_bytes()), "{text}");
        }
    }
}
