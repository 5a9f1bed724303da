"""Every promise of the documents we implement, with its source: "done" is a query over these tables.

A file holds the promises of one area. A new file gets its line in `AREAS`, nothing else.
`python tests/requirements` prints how many promises there are, and what is not proven.
`proofs.py` finds the tests that name them, `test_requirements.py` checks both directions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module


@dataclass(frozen=True, slots=True)
class Requirement:
    """One observable behaviour."""

    sentence: str  # present tense, what a user sees, testable; our own words
    source: str  # "seed chant:412", "decisions 3: Unknown tool", "reference chant 5.9"; joined by "; "
    built: bool = True  # False: not in the product yet, mostly with its whole tool or dialect


class RepeatedPromise(Exception):
    """A promise stands in two files."""


AREAS = (
    "cli.init",
    "cli.commands",
    "cli.workspace",
    "cli.import_export",
    "cli.other_dialects",
    "cli.demo",
    "cli.doors",
    "hosts",
    "server.tools",
    "server.search",
    "server.documents",
    "server.calls",
    "server.protocol",
    "server.security",
    "server.web_board",
    "chant.spec_list",
    "chant.spec_get",
    "chant.ready",
    "chant.status",
    "chant.spec_update",
    "chant.add",
    "chant.log",
    "chant.verify",
    "chant.lint",
    "plugins",
    "chant.work_list",
    "chant.search",
    "chant.diagnose",
    "chant.finalize",
    "chant.reset_and_resume",
    "chant.cancel",
    "chant.archive",
    "work.start",
    "work.items",
    "work.pause_and_takeover",
    "work.torture",
    "work.environment",
    "work.run_folders",
    "work.pool",
    "work.hostile_agents",
    "work.watch",
    "work.split",
    "work.agents",
    "work.agent_events",
    "work.connections",
    "work.checkout",
    "work.approval_and_conflicts",
    "work.recovery",
    "trust_state",
    "work.worktrees",
    "work.receipts",
    "work.merge_driver",
    "work.demo_agent",
    "work.providers",
    "chant.front_matter",
    "chant.types_titles_ids",
    "chant.criteria",
    "chant.loading",
    "chant.status_machine",
    "graph",
    "fleet",
    "chant.config",
    "config_files",
    "work.models_over_http",
    "store",
    "git",
    "leases",
    "cluster",
    "api",
    "docs_and_house",
    "distribution",
    "vine.tools",
    "vine.read",
    "vine.next",
    "vine.write",
    "vine.expand",
    "vine.paths",
    "vine.errors",
    "speckit.tools",
    "speckit.features",
    "speckit.tasks",
    "speckit.questions",
    "tickets.projects",
    "tickets.list_crs",
    "tickets.get_cr",
    "tickets.create_cr",
    "tickets.update_and_delete",
    "tickets.sections",
    "tickets.suggest_improvements",
    "tickets.errors",
    "tickets.files",
    "tickets.config_and_concurrency",
    "plan_documents",
    "plan_doors",
    "server.http",
    "board",
    "board_view",
    "web_page",
    "cost",
    "trust_environment",
    "trust",
    "trust_attacks",
    "confine",
)
"""The files, `cli.init` for `cli/init.py`, in the order of the query."""


def merged(areas: Mapping[str, Mapping[str, Requirement]]) -> dict[str, Requirement]:
    """Join the promises of all areas, in their order.

    Raises:
        RepeatedPromise: When two areas have the same promise.
    """
    promises: dict[str, Requirement] = {}
    area_of: dict[str, str] = {}
    for area, its_promises in areas.items():
        for id, requirement in its_promises.items():
            if id in promises:
                raise RepeatedPromise(f"{id} stands in {_file(area_of[id])} and in {_file(area)}")
            promises[id] = requirement
            area_of[id] = area
    return promises


def _file(area: str) -> str:
    return f"tests/requirements/{area.replace('.', '/')}.py"


REQUIREMENTS = merged({area: import_module(f"{__name__}.{area}").REQUIREMENTS for area in AREAS})
