//! The places of files that act: those from which agents read their own configuration (rule R8).

/// Files and folders that agents search for in a project and in the folders above it up to the
/// checkout's top: hooks, endpoints, variables, permissions, servers, commands and skills. A folder
/// counts with all its content.
const OF_AGENTS: [&str; 33] = [
    ".mcp.json",
    ".env",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks",
    ".claude/agents",
    ".claude/commands",
    ".claude/skills",
    ".claude/plugins",
    ".claude/output-styles",
    ".codex",
    ".gemini",
    ".cursor",
    ".qwen",
    ".opencode",
    "opencode.json",
    "opencode.jsonc",
    ".kiro/settings",
    ".kiro/hooks",
    ".kiro/agents",
    ".kiro/steering",
    ".crush.json",
    "crush.json",
    ".aider.conf.yml",
    ".aider.model.settings.yml",
    ".goosehints",
    ".goose",
    ".amp",
    ".factory",
    ".continue",
    ".copilot",
    ".vscode/mcp.json",
    ".junie",
];

/// Files and folders at the top of a checkout that run something without an explicit start: jobs on
/// other machines, tasks and containers of editors, shared hooks (rule R17).
const OF_AUTOMATION: [&str; 30] = [
    ".appveyor.yml",
    ".azure-pipelines",
    ".buildkite",
    ".circleci",
    ".cirrus.yml",
    ".devcontainer",
    ".drone.yml",
    ".forgejo/workflows",
    ".gitea/workflows",
    ".githooks",
    ".github/actions",
    ".github/workflows",
    ".gitlab",
    ".gitlab-ci.yml",
    ".gitmodules",
    ".husky",
    ".idea",
    ".lefthook.yml",
    ".pre-commit-config.yaml",
    ".semaphore",
    ".tekton",
    ".travis.yml",
    ".vscode",
    ".woodpecker",
    ".woodpecker.yml",
    "Jenkinsfile",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "lefthook.yml",
];

/// Files of that kind in any folder.
const AUTOMATION_ANYWHERE: [&str; 2] = [".gitattributes", ".envrc"];

/// Returns true if a path, from the top of a checkout, runs something without an explicit start.
/// File systems that ignore case find `.GitHub`, too.
pub fn is_of_automation(path: &str) -> bool {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let is_place = |place: &&str| {
        let place = place.to_lowercase();
        is_at_or_below(&path, &place) || is_at_or_below(&place, &path)
    };
    AUTOMATION_ANYWHERE.contains(&name) || OF_AUTOMATION.iter().any(is_place)
}

/// Returns the files and folders of agents, from the folder they lie in.
pub fn agent_places() -> impl Iterator<Item = &'static str> {
    OF_AGENTS.into_iter()
}

/// Returns true if a path is a file of agents, or lies in a folder of theirs; it starts in a folder
/// that they search.
pub fn is_of_agents(path: &str) -> bool {
    OF_AGENTS.iter().any(|place| is_at_or_below(path, place))
}

/// Returns true if anything in a folder may be a file of agents.
pub fn may_hold_agents(folder: &str) -> bool {
    OF_AGENTS
        .iter()
        .any(|place| is_at_or_below(folder, place) || is_at_or_below(place, folder))
}

/// Returns true if a path is `place` or lies below it.
pub fn is_at_or_below(path: &str, place: &str) -> bool {
    path.strip_prefix(place)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_by_itself_is_known_by_its_place() {
        for path in [
            ".github/workflows/ci.yml",
            ".GitHub/Workflows/ci.yml",
            // A link or a submodule in place of the folder.
            ".github",
            "Jenkinsfile",
            "deep/.gitattributes",
            "deep/.envrc",
        ] {
            assert!(is_of_automation(path), "{path}");
        }
        for path in [".github/CODEOWNERS", "src/Jenkinsfile", "gitattributes"] {
            assert!(!is_of_automation(path), "{path}");
        }
    }

    #[test]
    fn files_of_agents_are_known_by_their_places() {
        for path in [
            ".mcp.json",
            ".codex/config.toml",
            ".claude/skills/a/SKILL.md",
        ] {
            assert!(is_of_agents(path), "{path}");
        }
        for path in [
            "mcp.json",
            ".codexes",
            ".claude/worktrees/a",
            "src/.mcp.json",
        ] {
            assert!(!is_of_agents(path), "{path}");
        }
        assert!(
            may_hold_agents(".claude") && may_hold_agents(".codex/a") && !may_hold_agents("src")
        );
    }
}
