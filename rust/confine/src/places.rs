//! Lists the places of the system that a run may read without being named, and those in homes and
//! systems that it never may. [`crate::toolchain_places`] has the toolchains of users.

/// Folders of the system. Other folders at the top level hold users' data and are closed.
pub(super) const SYSTEM: [&str; 34] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/snap",
    "/proc",
    "/sys",
    "/run/current-system",
    "/run/opengl-driver",
    "/run/wrappers",
    // Lookup of host names.
    "/run/systemd/resolve",
    "/run/NetworkManager/resolv.conf",
    "/run/NetworkManager/no-stub-resolv.conf",
    "/run/resolvconf",
    "/var/lib/dpkg",
    "/var/lib/rpm",
    "/var/lib/alternatives",
    "/var/lib/ca-certificates",
    "/var/lib/snapd/snap",
    "/var/cache/fontconfig",
    // macOS.
    "/System",
    "/Library",
    "/Applications",
    "/private/etc",
    "/private/var/db/timezone",
    "/private/var/db/dyld",
    "/private/var/select",
];

/// Secrets of the system, for users who may read them, such as the superuser.
#[rustfmt::skip]
pub(super) const SECRETS_OF_SYSTEM: [&str; 20] = [
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d",
    "/etc/ssh", "/etc/ssl/private", "/etc/pki/private", "/etc/letsencrypt", "/etc/wireguard", "/etc/openvpn",
    "/etc/kubernetes", "/etc/rancher", "/etc/NetworkManager/system-connections", "/etc/krb5.keytab",
    "/etc/nix/netrc", "/etc/docker", "/usr/local/var", "/opt/homebrew/var",
];

/// Secrets in a home folder.
pub(super) const SECRETS_OF_HOME: [&str; 126] = [
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".kube",
    ".docker",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pypirc",
    ".m2",
    ".gem/credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".vault-token",
    ".terraform.d",
    ".terraformrc",
    ".password-store",
    ".boto",
    ".s3cfg",
    ".databrickscfg",
    ".snowflake",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/doctl",
    ".config/heroku",
    ".config/containers",
    ".config/sops",
    ".config/age",
    ".config/git/credentials",
    ".config/chant",
    ".config/chant-mcp",
    // Agents' own settings and logins.
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
    ".config/opencode",
    ".local/share/opencode",
    ".config/github-copilot",
    ".cursor",
    // Keyrings and wallets.
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".pki",
    ".electrum",
    ".bitcoin",
    ".ethereum",
    // Browsers and mail.
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    // Programs with home folders of their own.
    "snap",
    ".var/app",
    // Histories of shells.
    ".bash_history",
    ".zsh_history",
    ".local/share/fish/fish_history",
    ".python_history",
    ".psql_history",
    ".node_repl_history",
    // Package managers, and where they publish.
    ".config/pnpm/rc",
    ".bunfig.toml",
    ".config/pip",
    ".pip",
    ".config/uv",
    ".local/share/uv/credentials",
    ".config/pypoetry",
    ".condarc",
    ".conda/.condarc",
    ".config/conda",
    ".config/anaconda",
    ".anaconda",
    ".continuum",
    ".npm-global/etc",
    ".gradle/gradle.properties",
    ".sbt/.credentials",
    ".ivy2/.credentials",
    ".bundle/config",
    ".composer/auth.json",
    ".config/composer",
    ".nuget/NuGet/NuGet.Config",
    ".config/NuGet",
    ".dotnet/corefx",
    ".aspnet",
    ".microsoft",
    ".hex/hex.config",
    ".config/hex",
    ".opam/plugins/opam-publish",
    ".julia/servers",
    ".julia/logs",
    ".pub-cache/credentials.json",
    ".config/dart",
    ".android",
    ".config/nix",
    // Clouds and machines.
    ".pulumi",
    ".ansible",
    ".fly",
    ".wrangler",
    ".config/helm",
    ".local/share/containers",
    ".step",
    ".local/share/mkcert",
    ".local/share/caddy",
    ".mylogin.cnf",
    // Passwords, messages and what was typed.
    ".local/share/gopass",
    ".local/share/python_keyring",
    ".local/share/signal-cli",
    ".local/share/TelegramDesktop",
    ".local/share/evolution",
    ".local/share/atuin",
    ".local/share/zoxide",
    ".local/share/jupyter/runtime",
    ".jupyter",
    ".local/state/bash",
    "Library/Keychains",
    "Library/Application Support",
];

/// The folder of Windows' own drives in a system that runs below it: no program of theirs starts in a
/// run, and every file there looks like a program.
pub(super) const DRIVES_OF_WINDOWS: &str = "/mnt";

/// Folders of the system in which not everything is the system's: what not everybody may read there
/// is closed, each with the depth to which that is looked at.
pub(super) const MIXED: [(&str, usize); 3] = [("/etc", 6), ("/opt", 2), ("/usr/local/etc", 3)];

/// Files that every program needs, whoever may read them.
#[rustfmt::skip]
pub(super) const NEEDED: [&str; 12] = [
    "/etc/ca-certificates", "/etc/group", "/etc/hosts", "/etc/ld.so.cache", "/etc/localtime", "/etc/machine-id",
    "/etc/nsswitch.conf", "/etc/passwd", "/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/resolv.conf",
    "/etc/ssl/certs",
];

/// Names of files and folders with secrets, whoever may read them.
#[rustfmt::skip]
pub(super) const SECRET_NAMES: [&str; 12] = [
    ".aws", ".docker", ".env", ".git-credentials", ".gnupg", ".kube", ".netrc", ".npmrc", ".pypirc", ".ssh",
    "credentials", "secrets",
];
