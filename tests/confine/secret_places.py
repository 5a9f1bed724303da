"""Where programs keep secrets in a home, and what an ordinary home has of programs beside them."""

from __future__ import annotations

import os
import stat
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

MARK = "SECRET-OF-HOME"
"""What each of the files holds."""


@dataclass(frozen=True)
class SecretPlace:
    """A file of a home in which a program keeps a secret."""

    path: str
    program: str
    source: str
    """The page of the program's documentation that names the place."""
    text: str = MARK


SECRETS = [
    SecretPlace(".ssh/id_ed25519", "OpenSSH", "ssh-keygen(1), FILES"),
    SecretPlace(".gnupg/private-keys-v1.d/A.key", "GnuPG", "GnuPG manual, GPG Configuration"),
    SecretPlace(".netrc", "curl, ftp", "curl manual, --netrc"),
    SecretPlace(".pgpass", "PostgreSQL", "PostgreSQL documentation, The Password File"),
    SecretPlace(".my.cnf", "MySQL", "MySQL reference manual, Using Option Files"),
    SecretPlace(".mylogin.cnf", "MySQL", "MySQL reference manual, mysql_config_editor"),
    SecretPlace(".aws/credentials", "AWS CLI", "AWS CLI user guide, Configuration and credential files"),
    SecretPlace(".aws/sso/cache/a.json", "AWS CLI", "AWS CLI user guide, IAM Identity Center"),
    SecretPlace(".azure/msal_token_cache.json", "Azure CLI", "Azure CLI, MSAL-based Azure CLI"),
    SecretPlace(".config/gcloud/credentials.db", "gcloud", "gcloud CLI, Authorize the gcloud CLI"),
    SecretPlace(".kube/config", "kubectl", "Kubernetes, Organizing Cluster Access Using kubeconfig Files"),
    SecretPlace(".docker/config.json", "Docker", "Docker CLI reference, docker login"),
    SecretPlace(".config/containers/auth.json", "Podman", "containers-auth.json(5)"),
    SecretPlace(".local/share/containers/storage/secrets/a.json", "Podman", "podman-secret-create(1)"),
    SecretPlace(".config/helm/registry/config.json", "Helm", "Helm, helm registry login"),
    SecretPlace(".config/gh/hosts.yml", "GitHub CLI", "GitHub CLI manual, gh auth login"),
    SecretPlace(".config/glab-cli/config.yml", "GitLab CLI", "glab, Configuration"),
    SecretPlace(".git-credentials", "git", "git-credential-store(1), FILES"),
    SecretPlace(".config/git/credentials", "git", "git-credential-store(1), FILES"),
    SecretPlace(
        ".gitconfig",
        "git",
        "git-config(1), http.extraHeader",
        f'[user]\n\tname = Ada\n[http "https://example.org"]\n\textraHeader = Authorization: Basic {MARK}\n',
    ),
    SecretPlace(".npmrc", "npm", "npm Docs, npmrc, Auth related configuration"),
    SecretPlace(".npm-global/etc/npmrc", "npm", "npm Docs, folders, global npmrc", f"_authToken={MARK}\n"),
    SecretPlace(".yarnrc.yml", "Yarn", "Yarn, Settings, npmAuthToken"),
    SecretPlace(".config/pnpm/rc", "pnpm", "pnpm, Settings (.npmrc), Authentication Settings"),
    SecretPlace(
        ".bunfig.toml",
        "Bun",
        "Bun, bunfig.toml, install.registry",
        f'[install]\nregistry = {{ token = "{MARK}" }}\n',
    ),
    SecretPlace(".config/pip/pip.conf", "pip", "pip documentation, Configuration, Authentication"),
    SecretPlace(".pip/pip.conf", "pip", "pip documentation, Configuration, Location"),
    SecretPlace(".pypirc", "twine", "Python Packaging User Guide, The .pypirc file"),
    SecretPlace(".config/pypoetry/auth.toml", "Poetry", "Poetry, Configuring Credentials"),
    SecretPlace(".local/share/uv/credentials/credentials.toml", "uv", "uv, Authentication, uv auth login"),
    SecretPlace(
        ".config/uv/uv.toml",
        "uv",
        "uv, Settings, index",
        f'[[index]]\nurl = "https://ada:{MARK}@example.org/simple"\n',
    ),
    SecretPlace(".condarc", "conda", "conda, Settings, channel tokens"),
    SecretPlace(".conda/.condarc", "conda", "conda, Using the .condarc configuration file, Searching"),
    SecretPlace("miniconda3/.condarc", "conda", "conda, Using the .condarc configuration file, Searching"),
    SecretPlace("miniconda3/pkgs/urls.txt", "conda", "conda, Managing channels, token in the URL"),
    SecretPlace(".config/anaconda/tokens.json", "anaconda-client", "Anaconda, Authenticating with tokens"),
    SecretPlace(".cargo/credentials.toml", "cargo", "The Cargo Book, Configuration, Credentials"),
    SecretPlace(".cargo/credentials", "cargo", "The Cargo Book, Configuration, Credentials"),
    SecretPlace(
        ".cargo/config.toml",
        "cargo",
        "The Cargo Book, Configuration, registries.<name>.token",
        f'[registries.inner]\nindex = "sparse+https://example.org/"\ntoken = "{MARK}"\n',
    ),
    SecretPlace(".m2/settings.xml", "Maven", "Maven, Password Encryption"),
    SecretPlace(".m2/settings-security.xml", "Maven", "Maven, Password Encryption"),
    SecretPlace(".gradle/gradle.properties", "Gradle", "Gradle, Build Environment, Gradle properties"),
    SecretPlace(".sbt/.credentials", "sbt", "sbt, Publishing, Credentials"),
    SecretPlace(".ivy2/.credentials", "Ivy", "sbt, Publishing, Credentials"),
    SecretPlace(".gem/credentials", "RubyGems", "RubyGems guides, API key scopes"),
    SecretPlace(".bundle/config", "Bundler", "bundle-config(1), Credentials for gem sources"),
    SecretPlace(".composer/auth.json", "Composer", "Composer, Authentication for private packages"),
    SecretPlace(".config/composer/auth.json", "Composer", "Composer, Authentication for private packages"),
    SecretPlace(".nuget/NuGet/NuGet.Config", "NuGet", "nuget.config reference, packageSourceCredentials"),
    SecretPlace(".config/NuGet/NuGet.Config", "NuGet", "NuGet, Common configurations, Location"),
    SecretPlace(
        ".dotnet/corefx/cryptography/x509stores/my/a.pfx",
        ".NET",
        ".NET, Cross-platform cryptography, X509Store",
    ),
    SecretPlace(
        ".aspnet/DataProtection-Keys/key.xml", "ASP.NET", "ASP.NET Core, Data Protection key management"
    ),
    SecretPlace(
        ".microsoft/usersecrets/a/secrets.json", "ASP.NET", "ASP.NET Core, Safe storage of app secrets"
    ),
    SecretPlace(".hex/hex.config", "Hex", "Hex, mix hex.user, mix hex.config"),
    SecretPlace(".config/hex/hex.config", "Hex", "Hex, mix hex.config, HEX_HOME and XDG"),
    SecretPlace(".opam/plugins/opam-publish/a.token", "opam-publish", "opam-publish, README, GitHub token"),
    SecretPlace(
        ".julia/servers/example.org/auth.toml", "Julia", "Pkg documentation, Package Server Authentication"
    ),
    SecretPlace(".julia/logs/repl_history.jl", "Julia", "Julia manual, The Julia REPL, history"),
    SecretPlace(".pub-cache/credentials.json", "Dart pub", "Dart, dart pub login"),
    SecretPlace(".config/dart/pub-credentials.json", "Dart pub", "Dart, dart pub token"),
    SecretPlace(".android/adbkey", "adb", "Android Debug Bridge, Authentication"),
    SecretPlace(".android/debug.keystore", "Android", "Android Studio, Sign your app"),
    SecretPlace(".config/nix/nix.conf", "nix", "Nix manual, nix.conf, access-tokens"),
    SecretPlace(".config/nix/netrc", "nix", "Nix manual, nix.conf, netrc-file"),
    SecretPlace(".terraform.d/credentials.tfrc.json", "Terraform", "Terraform CLI, terraform login"),
    SecretPlace(".pulumi/credentials.json", "Pulumi", "Pulumi, pulumi login"),
    SecretPlace(".vault-token", "Vault", "Vault, Token helpers"),
    SecretPlace(".ansible/vault_pass", "Ansible", "Ansible, Managing vault passwords"),
    SecretPlace(".fly/config.yml", "flyctl", "fly.io docs, fly auth login"),
    SecretPlace(".wrangler/config/default.toml", "Wrangler", "Cloudflare, Wrangler, wrangler login"),
    SecretPlace(".config/op/config", "1Password CLI", "1Password CLI, Configuration directories"),
    SecretPlace(".config/rclone/rclone.conf", "rclone", "rclone, Documentation, Configuration file"),
    SecretPlace(".config/sops/age/keys.txt", "sops", "SOPS, README, Encrypting using age"),
    SecretPlace(".password-store/a.gpg", "pass", "pass(1), FILES"),
    SecretPlace(".local/share/keyrings/login.keyring", "GNOME Keyring", "GNOME Keyring, Keyring File Format"),
    SecretPlace(".local/share/kwalletd/kdewallet.kwl", "KWallet", "KWallet handbook"),
    SecretPlace(
        ".local/share/mkcert/rootCA-key.pem",
        "mkcert",
        "mkcert, README, Changing the location of the CA files",
    ),
    SecretPlace(
        ".local/share/caddy/pki/authorities/local/root.key", "Caddy", "Caddy, Conventions, Data directory"
    ),
    SecretPlace(".step/secrets/root_ca_key", "step", "step CLI, Configuration, STEPPATH"),
    SecretPlace(".local/share/atuin/key", "atuin", "Atuin, Sync, key_path"),
    SecretPlace(".local/share/atuin/history.db", "atuin", "Atuin, Configuration, db_path"),
    SecretPlace(
        ".local/share/fish/fish_history", "fish", "fish, Interactive use, Searchable command history"
    ),
    SecretPlace(".local/share/zoxide/db.zo", "zoxide", "zoxide, README, Environment variables"),
    SecretPlace(".bash_history", "bash", "bash(1), HISTFILE"),
    SecretPlace(".local/state/bash/history", "bash", "XDG Base Directory Specification, state"),
    SecretPlace(".python_history", "Python", "Python documentation, site, Readline configuration"),
    SecretPlace(
        ".local/share/jupyter/runtime/kernel-a.json", "Jupyter", "Jupyter, Directories and files, Runtime"
    ),
    SecretPlace(".jupyter/jupyter_server_config.json", "Jupyter", "Jupyter Server, Running a public server"),
    SecretPlace(
        ".local/share/evolution/mail/local/a", "Evolution", "GNOME Evolution, Data storage locations"
    ),
    SecretPlace(
        ".local/share/TelegramDesktop/tdata/key_datas", "Telegram", "Telegram Desktop, FAQ, working folder"
    ),
    SecretPlace(".local/share/opencode/auth.json", "OpenCode", "OpenCode, Providers, Credentials"),
    SecretPlace(".local/share/gopass/stores/root/a.gpg", "gopass", "gopass, Configuration, mounts"),
    SecretPlace(".local/share/signal-cli/data/a", "signal-cli", "signal-cli(1), Files"),
    SecretPlace(".local/share/python_keyring/keyring_pass.cfg", "keyring", "keyrings.alt, file backend"),
    SecretPlace(".local/share/virtualenv/token", "none: data beside a program's", "virtualenv, --app-data"),
    SecretPlace(".mozilla/firefox/a.default/logins.json", "Firefox", "Mozilla Support, Profiles"),
    SecretPlace(".config/chromium/Default/Login Data", "Chromium", "Chromium, User Data Directory"),
    SecretPlace(".claude/.credentials.json", "Claude Code", "Claude Code, Identity and access management"),
    SecretPlace(".codex/auth.json", "Codex", "Codex CLI, Authentication"),
    SecretPlace(".sdkman/etc/token", "none: data beside a program's", "SDKMAN!, Configuration"),
    SecretPlace(".local/bin/notes.txt", "none: data beside programs", "XDG Base Directory Specification"),
    SecretPlace("go/bin/deploy.env", "none: data beside programs", "go help install"),
]
"""The table. `tests/confine/test_secrets_of_home.py` puts them into a home and reads them all from inside."""


def _sh(text: str) -> str:
    return f"#!/bin/sh\n{text}\n"


def _beside(path: str) -> str:
    """A program that fails without a file beside its real place."""
    return _sh(f'cat "$(dirname "$(readlink -f "$0")")/{path}"')


PROGRAMS = {
    ".cargo/bin/crate-tool": _sh("echo crate-tool"),
    ".dotnet/dotnet": _beside("sdk/9.0.1/words"),
    ".dotnet/tools/dotnet-tool": _beside(".store/dotnet-tool/words"),
    "go/bin/go-tool": _sh("echo go-tool"),
    ".local/bin/plain-tool": _sh("echo plain-tool"),
    ".local/lib/prefix-tool/run": _beside("words"),
    ".npm-global/lib/node_modules/npm-tool/cli": _beside("lib/words"),
    ".local/share/mise/installs/mised/1.0/bin/mised-tool": _beside("../share/words"),
    ".sdkman/candidates/java/21/bin/java-tool": _beside("../lib/words"),
    "miniconda3/bin/conda-tool": _beside("../share/words"),
    "tools/zig-0.15/zig-tool": _beside("lib/words"),
    ".pyenv/versions/3.13/bin/pyenv-tool": _beside("../lib/words"),
}
"""Programs by their places."""

WORDS = {
    ".dotnet/sdk/9.0.1/words": "dotnet",
    ".dotnet/tools/.store/dotnet-tool/words": "dotnet-tool",
    ".local/lib/prefix-tool/words": "prefix-tool",
    ".npm-global/lib/node_modules/npm-tool/lib/words": "npm-tool",
    ".local/share/mise/installs/mised/1.0/share/words": "mised-tool",
    ".sdkman/candidates/java/21/lib/words": "java-tool",
    "miniconda3/share/words": "conda-tool",
    "tools/zig-0.15/lib/words": "zig-tool",
    ".pyenv/versions/3.13/lib/words": "pyenv-tool",
}
"""What those need that speak, and say."""

LINKS = {
    ".local/bin/prefix-tool": "../lib/prefix-tool/run",
    ".npm-global/bin/npm-tool": "../lib/node_modules/npm-tool/cli",
    ".sdkman/candidates/java/current": "21",
    ".pyenv/shims/pyenv-tool": "../versions/3.13/bin/pyenv-tool",
    # What leads to a secret is no program.
    ".local/bin/key": "../share/mkcert/rootCA-key.pem",
    ".local/bin/account": "../../.aws/credentials",
}
"""Links by their places."""

ENVIRONMENTS = {
    ".local/share/pipx/venvs/pipx-tool": "pipx-tool",
    ".local/share/uv/tools/uv-tool": "uv-tool",
}
"""Virtual environments of Python, each with a program that `.local/bin` links."""

FOLDERS = [
    ".local/bin",
    ".cargo/bin",
    ".dotnet",
    ".dotnet/tools",
    "go/bin",
    ".npm-global/bin",
    ".local/share/mise/installs/mised/1.0/bin",
    ".sdkman/candidates/java/current/bin",
    "miniconda3/bin",
    "tools/zig-0.15",
    ".pyenv/shims",
]
"""What the user has on the `PATH`."""

ROOTS = {
    "PYENV_ROOT": ".pyenv",
    "DOTNET_ROOT": ".dotnet",
    "SDKMAN_DIR": ".sdkman",
    "CONDA_PREFIX": "miniconda3",
    "GEM_HOME": ".gem",
    "NVM_DIR": ".config/nvm",
    # Folders that hold more than a toolchain.
    "POETRY_HOME": ".local",
    "VIRTUAL_ENV": ".local",
    "JAVA_HOME": "",
    "PNPM_HOME": ".local/share",
    "ASDF_DIR": ".config",
    "BUN_INSTALL": ".local/share/mkcert",
    "SSL_CERT_FILE": ".local/share/mkcert/rootCA-key.pem",
    "SSL_CERT_DIR": ".local/share/mkcert",
}
"""Variables that name folders of toolchains, or so they say."""

TOOLS = {name.rpartition("/")[2] for name in [*PROGRAMS, *LINKS] if not name.endswith(("/run", "/cli"))} - {
    "current",
    "key",
    "account",
} | set(ENVIRONMENTS.values())
"""The programs that are found by `PATH`."""


def fill(home: Path) -> None:
    """Make an ordinary home."""
    # A key file keeps its kind: tools look at the first line.
    key = f"-----BEGIN PRIVATE KEY-----\n{MARK}\n"
    for place in SECRETS:
        _write(home / place.path, key if place.path.endswith(("key.pem", "root.key")) else place.text)
    for name, text in WORDS.items():
        _write(home / name, text + "\n")
    for name, text in PROGRAMS.items():
        _write_program(home / name, text)
    for name in ENVIRONMENTS:
        _make_environment(home / name, home / ".local/bin")
    for name, target in LINKS.items():
        place = home / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)
    with (home / ".bashrc").open("a") as settings:
        settings.write("alias ll='ls -l'\n")


def variables(home: Path) -> dict[str, str]:
    """What the user's shell has set."""
    folders = [*(str(home / folder) for folder in FOLDERS), "/usr/local/bin", "/usr/bin", "/bin"]
    return {"PATH": os.pathsep.join(folders), **{name: str(home / folder) for name, folder in ROOTS.items()}}


def _make_environment(folder: Path, programs: Path) -> None:
    venv.EnvBuilder(symlinks=True).create(folder)
    name = folder.name
    packages = folder / f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    _write(packages / "spoken.py", f"print('{name}')\n")
    program = folder / "bin" / name
    _write_program(program, f"#!{folder}/bin/python\nimport spoken\n")
    programs.mkdir(parents=True, exist_ok=True)
    (programs / name).symlink_to(program)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _write_program(path: Path, text: str) -> None:
    _write(path, text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
