//! The table of files by which programs act, and of those whose words agents obey.
//!
//! A row names files and folders, the latter with all their content, as they lie in **any** folder, in small
//! letters. `*` stands for any part of a name. Where several rows name a path from the same folder on, the
//! longest counts: `.claude/rules` are words although `.claude` acts. Code is not listed: what lands is run.
//!
//! The table has no other copy: landing, `trust --show`, the page of the guide and the trial of the published
//! agents (`tests/agents_live`) are made from it.

/// The consequence of a file of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceKind {
    /// An agent acts by it: hooks, servers, tools, permissions, variables, commands.
    AgentFile,
    /// Another program acts by it: when it is started in the folder, when a person opens the folder, or on
    /// another machine.
    Automation,
    /// An agent obeys its words.
    Instructions,
    /// Programs read it, and nothing acts by it; an exception to a row that names a folder above.
    Nothing,
}

/// Files of one kind that the same programs read.
#[derive(Debug)]
pub struct PlaceGroup {
    /// The programs, for people.
    pub readers: &'static str,
    /// Their consequence.
    pub kind: PlaceKind,
    /// The files and folders.
    pub places: &'static [&'static str],
}

const fn group(
    readers: &'static str,
    kind: PlaceKind,
    places: &'static [&'static str],
) -> PlaceGroup {
    PlaceGroup {
        readers,
        kind,
        places,
    }
}

/// The manifests of plugins, from the folder that is the plugin, the longest first: a host reads that whole folder.
pub const MANIFESTS: &[&str] = &[
    ".agents/plugins/marketplace.json",
    ".claude-plugin/marketplace.json",
    ".claude-plugin/plugin.json",
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    "gemini-extension.json",
    "qwen-extension.json",
    BARE_MANIFEST,
];

/// The manifest whose name those of other programs have, too.
pub const BARE_MANIFEST: &str = "plugin.json";

/// The parts of a plugin that hosts take at their usual places, whatever the manifest says.
pub const COMPONENTS: &[&str] = &[
    ".lsp.json", ".mcp.json", "agents", "commands", "hooks", "lsp.json", "mcp.json",
    "output-styles", "prompts", "rules", "skills", "themes",
];

use PlaceKind::{AgentFile, Automation, Instructions, Nothing};

/// All rows, agents first.
#[rustfmt::skip]
pub const TABLE: &[PlaceGroup] = &[
    group("Claude Code", AgentFile, &[".claude", ".claude-plugin", ".lsp.json", ".mcp.json"]),
    group("Claude Code", Instructions, &[
        ".claude/agents.md", ".claude/claude.md", ".claude/rules", "claude.local.md", "claude.md",
    ]),
    group("Claude Code", Nothing, &[
        ".claude/*.lock", ".claude/plans", ".claude/todos", ".claude/worktrees",
    ]),
    group("Codex", AgentFile, &[".codex", ".codex-plugin"]),
    group("most agents", AgentFile, &[
        ".agent", ".agents", ".env", ".env.local", "hooks/hooks.json",
    ]),
    group("hosts of our server", AgentFile, &[
        "chant-mcp", "chant-mcp.bat", "chant-mcp.cmd", "chant-mcp.exe", "uvx", "uvx.bat", "uvx.cmd", "uvx.exe",
    ]),
    group("most agents", Instructions, &[
        ".agent/rules", ".agents/rules", "agent.md", "agents.local.md", "agents.md", "agents.override.md",
        "skill.md",
    ]),
    group("GitHub Copilot", AgentFile, &[
        ".copilot", ".github/agents", ".github/allowed_models.txt", ".github/copilot", ".github/extensions",
        ".github/hooks", ".github/lsp.json", ".github/mcp.json", ".github/plugin", ".github/skills",
    ]),
    group("GitHub Copilot", Instructions, &[
        ".github/chatmodes", ".github/copilot-instructions.md", ".github/instructions", ".github/prompts",
    ]),
    group("Gemini CLI", AgentFile, &[".gemini", "gemini-extension.json"]),
    group("Gemini CLI", Instructions, &[".gemini/gemini.md", ".gemini/styleguide.md", "gemini.md"]),
    group("Gemini CLI", Nothing, &[".gemini/tmp"]),
    group("Qwen Code", AgentFile, &[".qwen", "qwen-extension.json"]),
    group("Qwen Code", Instructions, &[
        ".qwen/output-language.md", ".qwen/qwen.local.md", ".qwen/qwen.md", ".qwen/rules", "qwen.md",
    ]),
    group("Qwen Code", Nothing, &[".qwen/review-leases", ".qwen/tmp", ".qwen/worktrees"]),
    group("OpenCode", AgentFile, &[".opencode", "opencode.json", "opencode.jsonc"]),
    group("OpenCode", Instructions, &["context.md"]),
    group("Cursor", AgentFile, &[".cursor", ".cursor-plugin"]),
    group("Cursor", Instructions, &[".cursor/bugbot.md", ".cursor/rules", ".cursorrules"]),
    group("Amp", AgentFile, &[".amp"]),
    group("Goose", AgentFile, &[".goose"]),
    group("Goose", Instructions, &[".goosehints", ".goosehints.local"]),
    group("Aider", AgentFile, &[".aider.conf.yml", ".aider.model.metadata.json", ".aider.model.settings.yml"]),
    group("Crush", AgentFile, &[".crush.json", ".crush/commands", ".crush/skills", "crush.json"]),
    group("Crush", Instructions, &["crush.local.md", "crush.md"]),
    group("Kilo Code", AgentFile, &[".kilo", ".kilocode", ".kilocodemodes", "kilo.json", "kilo.jsonc"]),
    group("Kilo Code", Instructions, &[
        ".kilo/rules*", ".kilocode/rules*", ".kilocoderules", ".kilocoderules-*",
    ]),
    group("Roo Code", AgentFile, &[".roo", ".roomodes"]),
    group("Roo Code", Instructions, &[".roo/rules*", ".roorules", ".roorules-*"]),
    group("Cline", AgentFile, &[".cline", ".clinerules/hooks", ".clinerules/skills", ".clinerules/workflows"]),
    group("Cline", Instructions, &[".cline/rules", ".clinerules"]),
    group("Windsurf, Devin", AgentFile, &[".codeium", ".devin", ".windsurf"]),
    group("Windsurf, Devin", Instructions, &[".devin/rules", ".windsurf/rules", ".windsurfrules"]),
    group("Kiro", AgentFile, &[
        ".kiro/agents", ".kiro/hooks", ".kiro/powers", ".kiro/prompts", ".kiro/settings", ".kiro/skills",
    ]),
    group("Kiro", Instructions, &[".kiro/steering"]),
    group("Junie, JetBrains AI", AgentFile, &[".aiassistant", ".junie"]),
    group("Junie, JetBrains AI", Instructions, &[
        ".aiassistant/rules", ".junie/agents.md", ".junie/guidelines.md",
    ]),
    group("Continue", AgentFile, &[".continue", ".continuerc.json"]),
    group("Continue", Instructions, &[".continue/rules", ".continuerules"]),
    group("Droid", AgentFile, &[".factory"]),
    group("Droid", Instructions, &[".factory/rules"]),
    group("pi", AgentFile, &[".pi"]),
    group("pi", Instructions, &[".pi/append_system.md", ".pi/system.md"]),
    group("other agents", AgentFile, &[
        ".antigravity", ".augment", ".codebuddy", ".iflow", ".openhands", ".rovodev", ".tabnine", ".trae",
        ".warp",
    ]),
    group("other agents", Instructions, &[
        ".augment-guidelines", ".augment/rules", ".openhands/microagents", ".openhands_instructions",
        ".trae/rules", "codebuddy.md", "iflow.md", "warp.md",
    ]),
    group("Zed", AgentFile, &[".zed"]),
    group("Zed", Instructions, &[".rules"]),
    group("VS Code", AgentFile, &[".vscode/mcp.json"]),
    group("VS Code", Automation, &["*.code-workspace", ".theia", ".vscode"]),
    group("JetBrains", Automation, &[".bsp", ".fleet", ".idea"]),
    group("other editors", Automation, &[
        "*.sublime-project", "*.sublime-workspace", ".dir-locals-2.el", ".dir-locals.el", ".exrc",
        ".externaltoolbuilders", ".helix", ".lapce", ".lvimrc", ".nova", ".nvim.lua", ".nvimrc", ".vimrc", ".vs",
    ]),
    group("containers and hosted editors", Automation, &[
        ".codesandbox", ".daytona", ".devcontainer", ".devcontainer.json", ".gitpod", ".gitpod.yml", ".idx",
        ".ona", ".replit", ".stackblitzrc", "devbox.json", "devenv.nix", "devenv.yaml", "replit.nix",
    ]),
    group("managers of worktrees", Automation, &[
        ".conductor", ".config/wt.toml", ".emdash.json", ".superset", ".worktreeinclude", "conductor.json",
    ]),
    group("git", Automation, &[".gitattributes", ".gitconfig", ".gitmodules", ".lfsconfig"]),
    group("git", Nothing, &[".mailmap"]),
    group("signatures of receipts", Automation, &[".chant/allowed_signers", ".chant/revoked_signers"]),
    group("managers of git hooks", Automation, &[
        ".config/lefthook.*", ".git-hooks", ".githooks", ".husky", ".huskyrc*", ".lefthook", ".lefthook-local.*",
        ".lefthook.*", ".lintstagedrc*", ".nano-staged*", ".overcommit.yml", ".pre-commit-config.yaml",
        ".pre-commit-config.yml", ".rusty-hook.toml", ".simple-git-hooks.*", "captainhook.json", "grumphp.yml*",
        "hk.pkl", "lefthook-local.*", "lefthook.*", "lint-staged.config.*", "nano-staged.*", "prek.toml",
        "simple-git-hooks.*",
    ]),
    group("direnv and shells", Automation, &[".autoenv", ".autoenv.zsh", ".envrc"]),
    group("selectors of toolchains", Automation, &[
        ".bazeliskrc", ".bazelversion", ".bun-version", ".cargo/config", ".cargo/config.toml", ".config/mise",
        ".config/mise.*", ".go-version", ".java-version", ".mise", ".mise.*", ".mvn", ".node-version", ".nvmrc",
        ".php-version", ".python-version", ".python-versions", ".rtx.toml", ".ruby-version", ".sdkmanrc",
        ".swift-version", ".terraform-version", ".tool-versions", "global.json", "gradle/wrapper", "mise.*",
        "mise/conf.d", "mise/config.toml", "rust-toolchain", "rust-toolchain.toml",
    ]),
    group("package managers and builds", Automation, &[
        ".bazelrc", ".buckconfig", ".bundle", ".bunfig.toml", ".npmrc", ".pnpmfile.cjs", ".pnpmfile.mjs",
        ".yarn/plugins", ".yarn/releases", ".yarnrc", ".yarnrc.yml", "bunfig.toml", "directory.build.props",
        "directory.build.rsp", "directory.build.targets", "nuget.config", "package.json5", "package.yaml",
        "pdm.toml", "pnpm-workspace.yaml", "poetry.toml", "tools/bazel", "uv.toml",
    ]),
    group("interpreters and debuggers", Automation, &[
        "*.pth", ".byebugrc", ".erlang", ".gdbinit", ".ghci", ".iex.exs", ".irbrc", ".lldbinit", ".ocamlinit",
        ".pdbrc", ".pryrc", ".renviron", ".rprofile", "ipython_config.py", "jupyter_*config.*", "pyvenv.cfg",
        "sitecustomize", "sitecustomize.py", "usercustomize", "usercustomize.py",
    ]),
    group("GitHub Actions", Automation, &[".github/actions", ".github/workflows", "action.yaml", "action.yml"]),
    group("GitLab", Automation, &["*.gitlab-ci.yml", ".gitlab"]),
    group("other CI", Automation, &[
        ".appveyor.yml", ".azure-pipelines", ".azuredevops", ".build.yml", ".builds", ".buildkite", ".circleci",
        ".cirrus.*", ".depot", ".drone.*", ".forgejo", ".gitea", ".harness", ".jenkins", ".onedev-buildspec.yml",
        ".pipelines", ".prow.yaml", ".rwx", ".semaphore", ".teamcity", ".tekton", ".travis.yml", ".woodpecker",
        ".woodpecker.*", ".zuul.d", ".zuul.yaml", "appveyor.yml", "azure-pipelines*.yml", "azure-pipelines*.yaml",
        "bitbucket-pipelines.yml", "bitrise.yml", "buildspec.yaml", "buildspec.yml", "cloudbuild.yaml",
        "cloudbuild.yml", "codemagic.yaml", "jenkinsfile", "jenkinsfile.*", "wercker.yml", "zuul.d", "zuul.yaml",
    ]),
    group("hosts and merge bots", Automation, &[
        ".bulldozer.yml", ".github/mergify.yml", ".kodiak.toml", ".mergify", ".mergify.yml", ".readthedocs.yaml",
        ".readthedocs.yml", "amplify.yml", "bors.toml", "netlify.toml", "readthedocs.yml", "render.yaml",
        "vercel.json",
    ]),
    group("lists of what is not read", Nothing, &[
        ".agentignore", ".aiderignore", ".aiexclude", ".aiignore", ".clineignore", ".codeiumignore",
        ".crushignore", ".cursorignore", ".cursorindexingignore", ".fdignore", ".geminiignore", ".gitignore",
        ".gooseignore", ".ignore", ".kilocodeignore", ".qwenignore", ".rgignore", ".rooignore",
    ]),
    group("GitHub", Nothing, &[".github/pull_request_template*", "pull_request_template*"]),
];

/// A JSON file of which some keys alone act.
#[derive(Debug)]
pub struct KeyedPlace {
    /// The name of the file, in any folder.
    pub name: &'static str,
    /// The programs, for people.
    pub readers: &'static str,
    /// The keys, their parts joined by `/`; `*` stands for any part of a name.
    pub keys: &'static [&'static str],
}

/// Files of which some keys alone act.
#[rustfmt::skip]
pub const KEYED: &[KeyedPlace] = &[
    KeyedPlace {
        name: "package.json",
        readers: "npm, pnpm, yarn, bun",
        keys: &[
            "scripts/preinstall", "scripts/install", "scripts/postinstall", "scripts/prepublish",
            "scripts/preprepare", "scripts/prepare", "scripts/postprepare", "scripts/dependencies",
            "scripts/pnpm:devpreinstall",
            "githooks", "husky", "lint-staged", "nano-staged", "simple-git-hooks",
            "packagemanager", "pnpm/onlybuiltdependencies", "pnpm/neverbuiltdependencies",
            "pnpm/allowbuilds", "pnpm/configdependencies", "trusteddependencies",
        ],
    },
    KeyedPlace {
        name: BARE_MANIFEST,
        readers: "hosts of plugins",
        keys: &[
            "agents", "apps", "channels", "commands", "dependencies", "hooks", "lspservers", "mcpservers", "monitors",
            "outputstyles", "powers", "prompts", "rules", "settings", "skills", "themes", "tools",
        ],
    },
    KeyedPlace {
        name: "composer.json",
        readers: "Composer",
        keys: &["scripts/pre-*", "scripts/post-*", "config/allow-plugins"],
    },
];
