//! Lists the keys that cannot run, send, read outside, merge or spend anything: every other key
//! acts.
//!
//! The lists are short on purpose. A key that is missing here asks a person once too often; one too
//! many would let a repository act unseen.

/// Keys of `.chant/config.md` and `.chant/agents.md`, with all below them.
///
/// Not among them, although they look harmless: `approval` (a block of the project's replaces that
/// of the user's, so any word in it can switch approval off), `limits` and `watch` (they bound the
/// spending), `defaults.main_branch` and `defaults.branch_prefix` (they decide which branch is
/// merged where), `defaults.model`.
const OF_CHANT: [&[&str]; 5] = [
    // The name of the project; in folder names only its letters and digits are used.
    &["project", "name"],
    // The severity of the findings about specs.
    &["lint"],
    // The keys that specs must have.
    &["enterprise", "required"],
    // Makes `verify` ask for receipts; it runs nothing.
    &["receipts"],
    // The order in which ready specs are started.
    &["dispatch"],
];

/// Keys of `.specify/chant-mcp.yml` that refuse a tick instead of warning, and that bound how long
/// questions wait.
const OF_SPECKIT: [&[&str]; 2] = [&["strict"], &["questions"]];

/// Keys of git about the storage of files and names, committers, and the branches of remotes.
const OF_GIT: [&str; 27] = [
    "core.repositoryformatversion",
    "core.filemode",
    "core.bare",
    "core.logallrefupdates",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.symlinks",
    "core.autocrlf",
    "core.eol",
    "core.safecrlf",
    "core.longpaths",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.commitgraph",
    "index.sparse",
    "extensions.objectformat",
    "extensions.refstorage",
    "extensions.worktreeconfig",
    "extensions.noop",
    "user.name",
    "user.email",
    "gc.auto",
    "lfs.repositoryformatversion",
    "pull.rebase",
    "pull.ff",
    "push.default",
    "push.autosetupremote",
];

/// Families of keys of git, by section and the name behind the subsection.
const OF_GIT_FAMILIES: [(&str, &str); 11] = [
    ("branch", "remote"),
    ("branch", "merge"),
    ("branch", "rebase"),
    ("branch", "pushremote"),
    ("branch", "description"),
    ("branch", "vscode-merge-base"),
    ("remote", "fetch"),
    ("remote", "tagopt"),
    ("submodule", "active"),
    // A header that is sent to a server concerns only that server; jobs get a new one each time.
    ("http", "extraheader"),
    ("lfs", "access"),
];

/// Returns true if a key of a document of chant's is harmless.
pub(super) fn is_in_chant(path: &[String]) -> bool {
    begins_with_one(path, &OF_CHANT)
}

/// Returns true if a key of spec-kit's file is harmless.
pub(super) fn is_in_speckit(path: &[String]) -> bool {
    begins_with_one(path, &OF_SPECKIT)
}

fn begins_with_one(path: &[String], known: &[&[&str]]) -> bool {
    known
        .iter()
        .any(|known| path.len() >= known.len() && known.iter().zip(path).all(|(k, p)| k == p))
}

/// Returns true if a setting of git's is harmless.
pub(super) fn is_in_git(key: &str, value: &str) -> bool {
    let (section, name) = (
        key.split('.').next().unwrap_or_default(),
        key.rsplit('.').next().unwrap_or_default(),
    );
    if matches!((section, name), ("remote" | "submodule", "url" | "pushurl")) {
        return is_plain_address(value);
    }
    OF_GIT.contains(&key)
        || key.matches('.').count() >= 2 && OF_GIT_FAMILIES.contains(&(section, name))
}

/// Returns true if git itself reaches an address: one that names a helper (`ext::…`) or an option
/// runs a program.
fn is_plain_address(address: &str) -> bool {
    !address.contains("::") && !address.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(path: &str) -> Vec<String> {
        path.split('.').map(str::to_owned).collect()
    }

    #[test]
    fn only_what_is_listed_is_harmless() {
        assert!(is_in_chant(&key("project.name")) && is_in_chant(&key("lint.disable")));
        for acts in [
            "project",
            "approval.rejection_action",
            "limits.run_minutes",
            "defaults.model",
            "new",
        ] {
            assert!(!is_in_chant(&key(acts)), "{acts}");
        }
        assert!(is_in_speckit(&key("strict.files")) && !is_in_speckit(&key("checks.unit")));
    }

    #[test]
    fn settings_of_git_that_run_something_act() {
        assert!(is_in_git("branch.main.remote", "origin") && is_in_git("user.name", "Ada"));
        assert!(is_in_git("remote.origin.url", "https://example.org/a.git"));
        for (acts, value) in [
            ("remote.origin.url", "ext::sh -c true"),
            ("remote.origin.uploadpack", "x"),
            ("core.fsmonitor", "x"),
            ("core.hookspath", "x"),
            ("filter.x.clean", "x"),
            ("branch.remote", "x"),
            ("include.path", "x"),
            ("alias.st", "!x"),
        ] {
            assert!(!is_in_git(acts, value), "{acts}");
        }
    }
}
