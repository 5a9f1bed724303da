//! The environment of agents and checks: what toolchains need and what the configuration passes, and nothing
//! else of ours.
//!
//! An agent runs code that others wrote, and what it reads it can send away. So nothing is inherited: the
//! names below are passed, and those that the configuration adds.

use std::collections::BTreeMap;
use std::path::Path;

/// Variables that are passed to agents and checks.
const PASSED: [&str; 98] = [
    // Who and where the user is, and how the terminal speaks.
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "CI",
    "TMPDIR",
    "TMP",
    "TEMP",
    // How the network is reached.
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "FTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "ftp_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NIX_SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "PIP_CERT",
    // Which of its configurations the user's git reads: without them the agent's git would read files
    // that the user switched off, and commit under another name.
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    // Where the user's files of each kind lie.
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_DATA_DIRS",
    // Toolchains and their caches.
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "JAVA_HOME",
    "SDKMAN_DIR",
    "GRADLE_HOME",
    "GRADLE_USER_HOME",
    "MAVEN_HOME",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "GOROOT",
    "GOPATH",
    "GOBIN",
    "GOCACHE",
    "GOMODCACHE",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CONDA_DEFAULT_ENV",
    "PIP_CACHE_DIR",
    "UV_CACHE_DIR",
    "POETRY_HOME",
    "NVM_DIR",
    "NVM_BIN",
    "FNM_DIR",
    "VOLTA_HOME",
    "PNPM_HOME",
    "BUN_INSTALL",
    "DENO_DIR",
    "DENO_INSTALL",
    "npm_config_cache",
    "RBENV_ROOT",
    "GEM_HOME",
    "DOTNET_ROOT",
    "NUGET_PACKAGES",
    "COMPOSER_HOME",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "HOMEBREW_PREFIX",
    "NIX_PATH",
    "NIX_PROFILES",
    // Compilers.
    "CC",
    "CXX",
    "AR",
    "LD",
    "CFLAGS",
    "CPPFLAGS",
    "CXXFLAGS",
    "LDFLAGS",
    "RUSTFLAGS",
    "PKG_CONFIG_PATH",
    "CMAKE_PREFIX_PATH",
    "MACOSX_DEPLOYMENT_TARGET",
    "SDKROOT",
];

/// Families of variables that are passed, by their first letters; of ours what is no secret.
const PASSED_FAMILIES: [&str; 2] = ["LC_", "CHANT_"];

/// Variables that would lead git to another repository, or make an agent believe that it runs inside another
/// one's session: no configuration can have them passed.
const NEVER: [&str; 12] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "CLAUDECODE",
];

/// Variables that only the user's own configuration passes, each with what it would give.
const OF_USER: [(&str, &str); 27] = [
    ("SSH_AUTH_SOCK", "it lends your SSH keys"),
    ("SSH_AGENT_PID", "it leads to your SSH keys"),
    ("GPG_AGENT_INFO", "it lends your signing keys"),
    (
        "DBUS_SESSION_BUS_ADDRESS",
        "it starts programs in your session",
    ),
    ("XDG_RUNTIME_DIR", "it holds the sockets of your session"),
    ("DISPLAY", "it reads your keys and your screen"),
    ("WAYLAND_DISPLAY", "it leads to your screen"),
    ("XAUTHORITY", "it leads to your screen"),
    ("DOCKER_HOST", "it starts containers with your files"),
    ("CONTAINER_HOST", "it starts containers with your files"),
    ("KUBECONFIG", "it leads to your clusters"),
    ("NODE_OPTIONS", LOADS),
    ("PYTHONPATH", LOADS),
    ("PYTHONHOME", LOADS),
    ("PYTHONSTARTUP", LOADS),
    ("PERL5LIB", LOADS),
    ("PERL5OPT", LOADS),
    ("RUBYLIB", LOADS),
    ("RUBYOPT", LOADS),
    ("JAVA_TOOL_OPTIONS", LOADS),
    ("_JAVA_OPTIONS", LOADS),
    ("BASH_ENV", LOADS),
    ("ENV", LOADS),
    ("SHELLOPTS", LOADS),
    ("BASHOPTS", LOADS),
    ("PROMPT_COMMAND", LOADS),
    ("RUSTC_WRAPPER", LOADS),
];

/// Families of such variables, by their first letters.
const FAMILIES_OF_USER: [(&str, &str); 4] = [
    ("LD_", LOADS),
    ("DYLD_", LOADS),
    ("BASH_FUNC_", LOADS),
    ("GIT_", "it changes what git does and runs"),
];

/// Why a variable is the user's to pass that has programs load code.
const LOADS: &str = "it has programs load code";

/// Variables that list folders in which programs, libraries and modules are found.
const SEARCHED: [&str; 16] = [
    "PATH",
    "PYTHONPATH",
    "PERL5LIB",
    "PERLLIB",
    "RUBYLIB",
    "GEM_PATH",
    "NODE_PATH",
    "CLASSPATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "GUILE_LOAD_PATH",
    "PKG_CONFIG_PATH",
    "CMAKE_PREFIX_PATH",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_DIRS",
];

/// The letter between the folders of such a list.
const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// Pieces of names of variables whose values are kept secret.
const SECRET: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];

/// The names that are passed beside those that are always passed.
#[derive(Debug, Clone, Copy, Default)]
pub struct PassedNames<'a> {
    /// The variables that the agent's own template names; none for checks.
    pub credentials: &'a [&'a str],
    /// Those that the configuration names.
    pub configured: &'a [String],
}

/// An environment for another program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassedEnvironment {
    /// The variables.
    pub variables: BTreeMap<String, String>,
    /// Names of variables that are not passed though they look as if they might be missed: those of secrets;
    /// sorted.
    pub withheld: Vec<String>,
}

/// Returns the lists of folders in an environment that hold more than absolute ones, each without
/// the others; `None` for a list without any absolute one.
///
/// An empty or relative folder means one in the working directory, so that a program that is started
/// in somebody else's folder would load what lies there.
pub fn absolute_searches(
    environment: &BTreeMap<String, String>,
) -> BTreeMap<String, Option<String>> {
    let mut changed = BTreeMap::new();
    for name in SEARCHED {
        let Some(value) = environment.get(name) else {
            continue;
        };
        let folders = value.split(SEPARATOR);
        let kept: Vec<&str> = folders
            .filter(|folder| Path::new(folder).is_absolute())
            .collect();
        let kept = kept.join(&SEPARATOR.to_string());
        if kept != *value {
            changed.insert(name.to_owned(), Some(kept).filter(|kept| !kept.is_empty()));
        }
    }
    changed
}

/// Drops all but absolute folders from the lists of folders in an environment.
pub fn keep_absolute_searches(environment: &mut BTreeMap<String, String>) {
    for (name, value) in absolute_searches(environment) {
        match value {
            Some(value) => environment.insert(name, value),
            None => environment.remove(&name),
        };
    }
}

/// Returns the part of an environment that is passed.
pub fn filter_environment(
    environment: &BTreeMap<String, String>,
    beside: PassedNames<'_>,
) -> PassedEnvironment {
    let mut passed = PassedEnvironment::default();
    for (name, value) in environment {
        if is_passed(name, beside) {
            passed.variables.insert(name.clone(), value.clone());
        } else if is_secret(name) && !value.is_empty() {
            passed.withheld.push(name.clone());
        }
    }
    keep_absolute_searches(&mut passed.variables);
    passed
}

fn is_passed(name: &str, beside: PassedNames<'_>) -> bool {
    let of_family = || {
        let mut families = PASSED_FAMILIES.iter();
        families.any(|family| name.starts_with(family)) && !is_secret(name)
    };
    PASSED.contains(&name)
        || beside.credentials.contains(&name)
        || beside.configured.iter().any(|own| own == name)
        || of_family()
}

/// Returns true if a variable is named like one whose value is a secret.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_uppercase();
    SECRET.iter().any(|piece| name.contains(piece))
}

/// Why a configuration cannot have a variable passed. What a repository says must not lend the user's keys
/// or have programs load code; the user's own configuration may.
pub fn refusal(name: &str, is_users: bool) -> Option<String> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if name.is_empty()
        || name.starts_with(|c: char| c.is_ascii_digit())
        || !name.chars().all(is_name)
    {
        return Some(format!(
            "expected the name of a variable, got `{name}`; patterns are not followed"
        ));
    }
    if NEVER.contains(&name) || name.starts_with("GIT_CONFIG_KEY_") {
        return Some(format!(
            "`{name}` is never passed: it would lead the agent to another repository or session"
        ));
    }
    let own = OF_USER.iter().find(|(own, _)| *own == name);
    let family = || {
        let mut families = FAMILIES_OF_USER.iter();
        families.find(|(family, _)| name.starts_with(family))
    };
    let (_, why) = own.or_else(family).filter(|_| !PASSED.contains(&name))?;
    (!is_users).then(|| {
        format!(
            "`{name}` is not passed because a project asks for it: {why}. Name it below `env.pass` of your own configuration"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(names: &[&str]) -> BTreeMap<String, String> {
        let pair = |name: &&str| ((*name).to_owned(), format!("/value/of/{name}"));
        names.iter().map(pair).collect()
    }

    fn names(passed: &PassedEnvironment) -> Vec<&str> {
        passed.variables.keys().map(String::as_str).collect()
    }

    #[test]
    fn only_what_is_named_is_passed_and_secrets_that_stay_behind_are_reported() {
        let given = environment(&[
            "PATH", "LC_ALL", "CHANT_MODEL", "CHANT_OWN_TOKEN", "AWS_SECRET_ACCESS_KEY",
            "LD_PRELOAD", "GIT_DIR", "CODEX_API_KEY", "ANTHROPIC_API_KEY", "DATABASE_URL",
        ]);
        let configured = ["DATABASE_URL".to_owned()];
        let found = filter_environment(
            &given,
            PassedNames {
                credentials: &["ANTHROPIC_API_KEY"],
                configured: &configured,
            },
        );
        assert_eq!(
            names(&found),
            [
                "ANTHROPIC_API_KEY", "CHANT_MODEL", "DATABASE_URL", "LC_ALL", "PATH"
            ]
        );
        assert_eq!(
            found.withheld,
            ["AWS_SECRET_ACCESS_KEY", "CHANT_OWN_TOKEN", "CODEX_API_KEY"]
        );
        let check = filter_environment(&given, PassedNames::default());
        assert_eq!(names(&check), ["CHANT_MODEL", "LC_ALL", "PATH"]);
    }

    #[test]
    fn only_absolute_folders_are_searched() {
        let pairs = [
            ("PATH", "/usr/bin:/bin"),
            ("PYTHONPATH", ":/home/ada/code:lib:."),
            ("PERL5LIB", ":"),
        ];
        let mut given = BTreeMap::from(pairs.map(|(name, value)| (name.into(), value.into())));
        keep_absolute_searches(&mut given);
        let left: Vec<_> = given
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        assert_eq!(
            left,
            [("PATH", "/usr/bin:/bin"), ("PYTHONPATH", "/home/ada/code")]
        );
    }

    #[test]
    fn an_empty_secret_is_not_missed() {
        let given = BTreeMap::from([("OLD_TOKEN".to_owned(), String::new())]);
        assert_eq!(
            filter_environment(&given, PassedNames::default()),
            PassedEnvironment::default()
        );
    }

    #[test]
    fn a_project_may_not_ask_for_what_lends_keys_or_loads_code() {
        for name in [
            "SSH_AUTH_SOCK", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS",
            "GIT_SSH_COMMAND", "BASH_FUNC_ls", "DOCKER_HOST",
        ] {
            assert!(refusal(name, false).is_some(), "{name}");
            assert_eq!(refusal(name, true), None, "{name}");
        }
        for name in ["AWS_PROFILE", "DATABASE_URL", "CC", "GIT_SSL_CAINFO"] {
            assert_eq!(refusal(name, false), None, "{name}");
        }
    }

    #[test]
    fn nobody_passes_patterns_or_what_leads_to_another_repository() {
        for name in [
            "AWS_*", "", "1A", "A=B", "A B", "GIT_DIR", "CLAUDECODE", "GIT_CONFIG_KEY_0",
        ] {
            assert!(refusal(name, true).is_some(), "{name}");
        }
    }
}
