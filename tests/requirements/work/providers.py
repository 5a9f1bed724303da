"""Provider integration (seed chant 1773-1792)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:provider:config_is_written_before_the_run": Requirement(
        "A provider's MCP configuration is written before its agent starts.", "seed chant:1775"
    ),
    "chant:provider:agent_reaches_the_tools": Requirement(
        "The agent that was started connects to `chant mcp` for its tools.", "seed chant:1783"
    ),
    "chant:provider:output_is_captured": Requirement(
        "The agent's output is captured and the spec updated.", "seed chant:1785"
    ),
    "chant:provider:config_is_never_committed": Requirement(
        "The agent's MCP configuration lies beside the worktree and is never committed.",
        "decisions 3: The agent's own server",
    ),
}
