"""What other packages add: lint rules, exporters, importers, formats, evidence checks, readers, notifiers.

A package names its functions as entry points in one of the groups of `PLUGIN_KINDS`. Each call is made in
a process of its own and for a bounded time, so that nothing a plugin does ends or blocks ours. None is
imported before it is called, and none is called in a folder that no person trusts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from chant_mcp.api.specs import Spec

__all__ = ["PLUGIN_KINDS", "AgentReport", "EvidenceVerdict", "PluginKind", "RuleFinding", "RunEvidence"]

PluginKind = Literal[
    "lint_rules", "exporters", "importers", "formats", "evidence_checks", "event_readers", "notifiers"
]
"""A group of entry points, without `chant_mcp.` before it."""

PLUGIN_KINDS: Mapping[PluginKind, str] = {
    "lint_rules": "lint rule",
    "exporters": "exporter",
    "importers": "importer",
    "formats": "format",
    "evidence_checks": "evidence check",
    "event_readers": "event reader",
    "notifiers": "notifier",
}
"""The groups, with what one of their functions is called in sentences."""


class RuleFinding(NamedTuple):
    """What a lint rule finds of a spec.

    Example:
        >>> RuleFinding("The title ends with a full stop.").severity
        'warning'
    """

    message: str
    """What is wrong, in a sentence."""
    severity: Literal["error", "warning"] = "warning"
    """Whether work on the spec would go wrong, or only not well."""
    suggestion: str | None = None
    """What can be done."""


class EvidenceVerdict(NamedTuple):
    """What an evidence check says of a run's work.

    Example:
        >>> EvidenceVerdict(False, "No test was changed.")
        EvidenceVerdict(holds=False, reason='No test was changed.')
    """

    holds: bool
    """Whether the work may count as done."""
    reason: str = ""
    """Why not."""


class AgentReport(NamedTuple):
    """What an event reader finds in an agent's output, since it reported before.

    What the output does not say is left out: it stays unknown, and is no 0.

    Example:
        >>> AgentReport(turns=1, input_tokens=1200, output_tokens=80).cost_usd is None
        True
    """

    session: str | None = None
    """The agent's own name of its session."""
    model: str | None = None
    """The model in use."""
    turns: int | None = None
    """Answers of the model."""
    input_tokens: int | None = None
    """Tokens that the model read, without those from its cache."""
    cached_tokens: int | None = None
    """Tokens that it read from its cache."""
    output_tokens: int | None = None
    """Tokens that it wrote."""
    cost_usd: float | None = None
    """Money, in US dollars."""
    denied_tool: str | None = None
    """A tool that was refused to the agent."""
    denied_message: str | None = None
    """Why, in the agent's words."""
    failure: str | None = None
    """What failed, in the agent's words; the next report without a failure says that it was overcome."""
    status: int | None = None
    """The HTTP status of the agent's provider that belongs to the failure."""
    has_ended: bool = False
    """Whether the agent says that its work is over."""


@dataclass(frozen=True, slots=True)
class RunEvidence:
    """What a run left behind, when everything else that is asked of it is there."""

    spec: Spec
    """The spec, as the project has it while the run is judged."""
    spec_text: str
    """The spec's file as the run's branch has it."""
    run: str
    """The ID of the run."""
    branch: str
    """The branch with the work."""
    base: str
    """The commit that it began at."""
    target: str
    """The branch that the work is to land on."""
    commits: Sequence[Mapping[str, Any]]
    """The run's commits, oldest first, each with `id`, `message` and the `paths` that it changes."""
    log: Path | None
    """The log of the run: what its agent wrote is a claim, and no proof."""
