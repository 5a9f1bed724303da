//! Lists the toolchains of users by their folders, with the parts of each that programs need.
//!
//! A part is named rather than the whole folder, because programs keep accounts, keys and histories
//! beside what they installed.

/// A toolchain: its folder, and the parts of it that are opened.
#[derive(Debug)]
pub(super) struct Toolchain {
    /// Its usual folder below the home; empty for one that only variables name.
    pub folder: &'static str,
    /// Variables that name its folder elsewhere.
    pub variables: &'static [&'static str],
    /// True if the whole folder is opened.
    pub is_whole: bool,
    /// The entries that are opened otherwise; `*` at the end stands for any letters.
    pub parts: &'static [&'static str],
    /// The folders that users put programs into: each program is opened by itself.
    pub programs: &'static [&'static str],
    /// Settings that are opened if they hold no secret.
    pub settings: &'static [&'static str],
    /// Entries that stay closed in what is opened.
    pub closed: &'static [&'static str],
}

const NONE: &[&str] = &[];

const fn parts(folder: &'static str, parts: &'static [&'static str]) -> Toolchain {
    Toolchain {
        folder,
        variables: NONE,
        is_whole: false,
        parts,
        programs: NONE,
        settings: NONE,
        closed: NONE,
    }
}

const fn whole(folder: &'static str) -> Toolchain {
    let mut toolchain = parts(folder, NONE);
    toolchain.is_whole = true;
    toolchain
}

impl Toolchain {
    const fn at(mut self, variables: &'static [&'static str]) -> Self {
        self.variables = variables;
        self
    }

    const fn with_programs(mut self, programs: &'static [&'static str]) -> Self {
        self.programs = programs;
        self
    }

    const fn with_settings(mut self, settings: &'static [&'static str]) -> Self {
        self.settings = settings;
        self
    }

    const fn without(mut self, closed: &'static [&'static str]) -> Self {
        self.closed = closed;
        self
    }

    /// Returns true if its usual folder has a name that no other folder has.
    pub(super) fn has_own_name(&self) -> bool {
        self.folder.starts_with('.')
            || self.folder.contains("conda")
            || self.folder.contains("forge")
    }
}

const SHIMS: &[&str] = &[
    "bin", "completions", "libexec", "plugins", "pyenv.d", "rbenv.d", "nodenv.d", "shims", "src",
    "version", "versions",
];
const NVM: &[&str] = &["alias", "bash_completion", "nvm-exec", "nvm.sh", "versions"];
const FNM: &[&str] = &["aliases", "node-versions"];
const MISE: &[&str] = &["installs", "plugins", "shims"];
const ASDF: &[&str] = &[
    "asdf.sh", "bin", "completions", "defaults", "installs", "internal", "lib", "plugins", "shims",
    "VERSION",
];
const PNPM: &[&str] = &[".tools", "global", "nodejs", "store"];
const PIPX: &[&str] = &["py", "shared", "venvs"];
const SDK: &[&str] = &[
    "build-tools", "cmake", "cmdline-tools", "emulator", "extras", "fonts", "licenses", "ndk",
    "ndk-bundle", "platform-tools", "platforms", "skins", "sources", "system-images", "tools",
];
/// The settings and lists that a package manager of conda's kind has beside its packages.
const OF_CONDA: &[&str] = &[
    ".condarc", "condarc", ".condarc.d", "condarc.d", "pkgs/urls", "pkgs/urls.txt",
];

/// The parts of a virtual environment of Python.
pub(super) const VENV: Toolchain = parts(
    "",
    &["bin", "include", "lib", "lib64", "pyvenv.cfg", "share"],
)
.at(&["VIRTUAL_ENV"]);

/// A folder of conda's kind, wherever it lies.
pub(super) const CONDA: Toolchain = whole("").at(&["CONDA_PREFIX"]).without(OF_CONDA);

/// A folder of Go, wherever it lies.
pub(super) const GO: Toolchain = parts(
    "",
    &[
        "api", "bin", "codereview.cfg", "doc", "go.env", "lib", "misc", "pkg", "src", "test",
        "VERSION",
    ],
)
.at(&["GOROOT"]);

/// A folder of Homebrew, wherever it lies; its `var` holds data of servers, its `etc` their settings.
pub(super) const HOMEBREW: Toolchain = parts(
    ".linuxbrew",
    &[
        "bin", "Caskroom", "Cellar", "etc/ca-certificates", "etc/fonts", "etc/openssl*",
        "Frameworks", "Homebrew", "include", "lib", "libexec", "opt", "sbin", "share",
    ],
)
.at(&["HOMEBREW_PREFIX"]);

/// Toolchains that only variables name.
pub(super) const OF_VARIABLES: [Toolchain; 5] = [
    VENV,
    CONDA,
    GO,
    parts(
        "",
        &[
            "bin", "conf", "include", "jmods", "jre", "languages", "legal", "lib", "release",
            "tools",
        ],
    )
    .at(&["JAVA_HOME", "GRAALVM_HOME"]),
    parts("", &["bin", "boot", "init.d", "lib"])
        .at(&["GRADLE_HOME", "MAVEN_HOME", "M2_HOME"])
        .with_settings(&[
            "conf/settings.xml",
            "conf/toolchains.xml",
            "conf/logging/simplelogger.properties",
        ]),
];

/// Toolchains of a home.
pub(super) const TOOLCHAINS: [Toolchain; 57] = [
    parts(".rustup", &["settings.toml", "toolchains", "update-hashes"]).at(&["RUSTUP_HOME"]),
    // Cargo reads the settings from folders below and fails if they are not readable.
    parts(".cargo", &["env"])
        .with_programs(&["bin"])
        .with_settings(&["config", "config.toml"]),
    parts(".pyenv", SHIMS).at(&["PYENV_ROOT"]),
    parts(".nodenv", SHIMS),
    parts(".rbenv", SHIMS).at(&["RBENV_ROOT"]),
    parts(".jenv", SHIMS),
    parts(".goenv", SHIMS),
    parts(".nvm", NVM).at(&["NVM_DIR"]),
    parts(".fnm", FNM).at(&["FNM_DIR"]),
    parts(".local/share/fnm", FNM),
    parts(".volta", &["bin", "layout.v*", "tools"]).at(&["VOLTA_HOME"]),
    parts(".asdf", ASDF).at(&["ASDF_DIR", "ASDF_DATA_DIR"]),
    parts(".mise", MISE),
    parts(".local/share/mise", MISE).at(&["MISE_DATA_DIR"]),
    parts(".local/share/rtx", MISE),
    parts(
        ".sdkman",
        &[
            "bin", "candidates", "contrib", "ext", "libexec", "src", "var",
        ],
    )
    .at(&["SDKMAN_DIR"])
    .with_settings(&["etc/config"]),
    parts(
        ".rvm",
        &[
            "bin", "environments", "gems", "lib", "rubies", "scripts", "VERSION", "wrappers",
        ],
    ),
    parts(".gem", &["ruby"]),
    parts(".local/share/gem", &["ruby"]),
    parts(
        "",
        &[
            "build_info", "doc", "extensions", "gems", "plugins", "specifications",
        ],
    )
    .at(&["GEM_HOME"])
    .with_programs(&["bin"]),
    parts(
        ".gvm",
        &["bin", "environments", "gos", "pkgsets", "scripts"],
    ),
    parts("go", &["pkg/tool"]).with_programs(&["bin"]),
    parts("sdk", &["go*"]),
    parts(".ghcup", &["bin", "env", "ghc", "hls", "share"]),
    parts(".cabal", &["lib", "store"]).with_programs(&["bin"]),
    parts(".stack", &["programs", "snapshots"]),
    // Switches have names that their users choose.
    whole(".opam")
        .at(&["OPAMROOT"])
        .without(&["download-cache", "log", "plugins", "repo"]),
    parts(".elan", &["bin", "env", "settings.toml", "toolchains"]),
    parts(".juliaup", &["bin", "julia*"]),
    parts(".julia", &["juliaup"]),
    parts(
        ".dotnet",
        &[
            "dnx", "dotnet", "host", "library-packs", "LICENSE.txt", "metadata", "packs", "sdk",
            "sdk-manifests", "shared", "store", "templates", "ThirdPartyNotices.txt",
            "tools/.store",
        ],
    )
    .at(&["DOTNET_ROOT"])
    .with_programs(&["tools"]),
    HOMEBREW,
    whole(".nix-profile"),
    whole(".local/state/nix/profiles"),
    parts(".local", &["include", "lib", "lib64", "libexec"]).with_programs(&["bin"]),
    parts(".local/share/uv", &["python", "tools"]),
    parts(".local/share/pnpm", PNPM)
        .at(&["PNPM_HOME"])
        .with_programs(&["", "bin"]),
    parts("Library/pnpm", PNPM).with_programs(&["", "bin"]),
    parts(".local/share/pipx", PIPX).at(&["PIPX_HOME"]),
    parts(".local/pipx", PIPX),
    parts(".local/share/virtualenv", &["unzip", "wheel"]),
    whole(".local/share/virtualenvs"),
    parts(".local/share/hatch", &["env", "pythons"]),
    parts(".local/share/pypoetry", &["venv"])
        .at(&["POETRY_HOME"])
        .with_programs(&["bin"]),
    parts(".local/share/claude", &["versions"]),
    parts(".npm-global", &["include", "lib", "share"]).with_programs(&["bin"]),
    parts(".yarn", &["lib"]).with_programs(&["bin"]),
    parts(".config/yarn/global", &["node_modules"]),
    parts(".deno", NONE)
        .at(&["DENO_INSTALL"])
        .with_programs(&["bin"]),
    parts(".bun", &["install/global"])
        .at(&["BUN_INSTALL"])
        .with_programs(&["bin"]),
    parts(".opencode", NONE).with_programs(&["bin"]),
    parts("Android/Sdk", SDK).at(&["ANDROID_HOME", "ANDROID_SDK_ROOT"]),
    parts("Library/Android/sdk", SDK),
    whole("Library/Python"),
    parts(".conda", &["envs"]).without(OF_CONDA),
    whole(".terminfo"),
    whole(".local/share/fonts"),
];

/// The names of folders that conda's installers make in a home.
pub(super) const OF_INSTALLERS_OF_CONDA: [&str; 7] = [
    ".miniconda3", "miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba",
    ".micromamba",
];

/// Variables that name a folder of programs.
pub(super) const PROGRAM_FOLDERS: [&str; 2] = ["GOBIN", "NVM_BIN"];

/// Variables that name certificates: a file, or a folder of them.
pub(super) const CERTIFICATES: [&str; 6] = [
    "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
    "PIP_CERT",
];

/// The folders of a toolchain that hold code: they are opened beside a folder of programs.
pub(super) const CODE: [&str; 5] = ["include", "lib", "lib32", "lib64", "libexec"];

/// The entries besides code of a folder that belongs to one toolchain alone, each with whether it
/// is opened then.
pub(super) const OF_ONE_TOOLCHAIN: [(&str, bool); 12] = [
    ("bin", false),
    ("sbin", false),
    ("share", true),
    ("man", true),
    ("doc", true),
    ("docs", true),
    ("ssl", true),
    ("legal", true),
    ("etc", false),
    ("var", false),
    ("license", true),
    ("licenses", true),
];

/// The beginnings of names of files that come with every distribution of programs.
pub(super) const OF_DISTRIBUTIONS: [&str; 8] = [
    "AUTHORS", "CHANGELOG", "CHANGES", "COPYING", "LICENSE", "NOTICE", "README", "VERSION",
];

/// The entries of a folder in which somebody works: only the programs in it are opened.
pub(super) const OF_WORK: [&str; 14] = [
    ".git", ".hg", ".svn", ".jj", ".env", ".envrc", ".idea", ".vscode", "Cargo.toml",
    "compose.yml", "docker-compose.yml", "go.mod", "package.json", "pyproject.toml",
];
