"""The parameters of tools, each spelled once for the toolsets, the stub and the Python API.

A dictionary here is the struct of that name in the core, which has the defaults: what is left out has the
default there. What a call is about (`id`, `file`, `key`) is no part of it. Names that agents may not give
stand in a class of their own (`SpecUpdateOfHandle`), so that no tool lists them. Descriptions are contract
data; a list of tools costs every user tokens.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

if sys.version_info >= (3, 11):
    from typing import Unpack as Unpack
else:
    from typing_extensions import Unpack as Unpack


@dataclass(frozen=True, slots=True)
class ToolParameter:
    """What a parameter's type does not say."""

    description: str | None = None
    minimum: int | None = None
    schema: Mapping[str, Any] | None = None
    """Keywords of JSON Schema that take the place of what the type says."""


Limit = Annotated[int, ToolParameter(minimum=0, description="Most entries")]
Offset = Annotated[int, ToolParameter(minimum=0, description="Entries to skip")]
SkippedChars = Annotated[int, ToolParameter(minimum=0, description="Characters to skip")]
MaxChars = Annotated[int, ToolParameter(minimum=1, description="Most characters")]
Names = list[str] | None


# Of all dialects.


class PageRequest(TypedDict, total=False):
    """A part of a list."""

    limit: Limit
    offset: Offset


class TextRange(TypedDict, total=False):
    """A piece of a text, in characters."""

    offset: SkippedChars
    max_chars: MaxChars


class ItemFilter(TypedDict, total=False):
    """Conditions that items of all dialects have to meet; no tool has them."""

    statuses: Sequence[str]
    labels: Sequence[str]
    dialects: Sequence[str]
    ready: bool
    include_held: bool


# Of items of every format.


class ItemPage(TypedDict, total=False):
    """A part of a list of items."""

    format: Annotated[str | None, ToolParameter(description="The word before the colon of keys")]
    parent: Annotated[str | None, ToolParameter(description="Only parts of this item")]
    limit: Limit


class ItemListQuery(ItemPage, total=False):
    """Which items are wanted."""

    status: Annotated[str | None, ToolParameter(description="Only of this state")]
    label: Annotated[str | None, ToolParameter(description="Only with this label")]
    offset: Offset


class ItemEdits(TypedDict, total=False):
    """Edits of one item, all or none."""

    status: Annotated[str | None, ToolParameter(description="New state, in the format's words")]
    tick: Annotated[
        list[str],
        ToolParameter(description='"self" (own box; "parents": those done by it, too) or criteria "2"'),
    ]
    untick: Annotated[list[str], ToolParameter(description="As tick")]
    set: Annotated[dict[str, Any], ToolParameter(description="Attributes; null removes one")]
    section: Annotated[str | None, ToolParameter(description="Heading of the section to write")]
    text: Annotated[str | None, ToolParameter(description="Of the section")]
    append: Annotated[bool, ToolParameter(description="Behind what it says")]


class ItemEditsOfHandle(ItemEdits, total=False):
    """The same with what only scripts and commands give."""

    title: str | None
    add_criteria: list[str]
    move_to: str | None
    reset: bool


class NewItem(TypedDict, total=False):
    """A new item."""

    parent: Annotated[
        str | None,
        ToolParameter(description="Item, item#heading, or a format's word for a new change or file"),
    ]
    text: Annotated[str, ToolParameter(description="Its description")]
    criteria: Annotated[list[str], ToolParameter(description="Texts of its criteria")]
    depends_on: Annotated[list[str], ToolParameter(description="Keys it waits for")]
    labels: Annotated[list[str], ToolParameter(description="Its labels")]


# Of the chant dialect.


class SpecPage(TypedDict, total=False):
    """A part of a list of specs."""

    limit: Annotated[
        int, ToolParameter(minimum=0, description="Maximum number of specs to return (default: 50)")
    ]
    offset: Offset


class ReadyFilter(SpecPage, total=False):
    """Which ready specs are listed."""

    include_held: bool


class SpecFilter(SpecPage, total=False):
    """Which specs are listed."""

    approval: str | None


class LogRange(TypedDict, total=False):
    """Which lines of a log are wanted."""

    lines: Annotated[int, ToolParameter(minimum=0, description="Number of lines to return (default: 100)")]
    offset: Annotated[
        int | None, ToolParameter(minimum=0, description="Start from byte offset (for incremental reads)")
    ]
    since: Annotated[str | None, ToolParameter(description="ISO timestamp - only lines after this time")]


class SpecUpdate(TypedDict, total=False):
    """Changes of a spec."""

    status: Annotated[
        str | None, ToolParameter(description="New status (pending, in_progress, completed, failed)")
    ]
    output: Annotated[str | None, ToolParameter(description="Output text to append to spec body")]
    depends_on: Annotated[Names, ToolParameter(description="Spec IDs this spec depends on")]
    labels: Annotated[Names, ToolParameter(description="Labels to assign to the spec")]
    target_files: Annotated[Names, ToolParameter(description="Target file paths for the spec")]
    model: Annotated[str | None, ToolParameter(description="Model name to use for the spec")]
    check: Annotated[list[str], ToolParameter(description="Criteria to tick")]
    uncheck: Annotated[list[str], ToolParameter(description="Criteria to untick")]
    replace_body: Annotated[bool, ToolParameter(description="output replaces the body")]
    force: Annotated[bool, ToolParameter(description="Skip rules, e.g. of states")]


class SpecUpdateOfHandle(SpecUpdate, total=False):
    """Changes of a spec as a script saw it."""

    expect_body: str | None
    seen_lists: Mapping[str, Sequence[str]]
    refuse_broken: bool
    title: str | None
    type: str | None
    assignee: str | None
    priority: str | None
    add_criteria: list[str]
    remove_criteria: list[str]


class NewSpec(TypedDict, total=False):
    """What a new spec says besides its description."""

    prompt: Annotated[str | None, ToolParameter(description="Optional prompt template name to use")]
    criteria: Annotated[list[str], ToolParameter(description="Acceptance criteria")]
    depends_on: Annotated[Names, ToolParameter(description="Spec IDs it waits for")]
    labels: Annotated[list[str], ToolParameter(description="Its labels")]
    target_files: Annotated[list[str], ToolParameter(description="Files it touches")]
    type: Annotated[str | None, ToolParameter(description="Default: code")]
    parent: Annotated[str | None, ToolParameter(description="Spec it is a member of")]


class NewSpecOfPerson(NewSpec, total=False):
    """What a person or a script may say besides."""

    needs_approval: bool
    refuse_broken: bool


class StartRequest(TypedDict, total=False):
    """How work on a spec is started."""

    chain: Annotated[bool, ToolParameter(description="Continue to next ready spec after completion")]
    parallel: Annotated[
        int | None,
        ToolParameter(minimum=1, description="Number of parallel workers (requires multiple ready specs)"),
    ]
    skip_criteria: Annotated[bool, ToolParameter(description="Skip acceptance criteria validation")]
    on: Annotated[str | None, ToolParameter(description="Cluster")]


class StartRequestOfPerson(StartRequest, total=False):
    """What a person or a script may choose besides."""

    takes_any: bool
    fresh: bool
    base: str | None
    agent: str | None
    prompt: str | None
    offline: bool
    bare: bool


class CommentInput(TypedDict, total=False):
    """What a comment is about and how much it weighs; no tool has it: a person says it."""

    about: str | None
    criterion: int | None
    old: bool
    weight: str | None
    draft: bool


class ReviewAct(TypedDict, total=False):
    """What a person decides in a review; no tool has it."""

    resolve: list[str]
    reopen: list[str]
    withdraw: list[str]
    seen: list[str]
    send: bool
    approve: bool
    tip: str | None
    unseen: bool


class LeaseQuery(TypedDict, total=False):
    """Which leases are listed; no tool has them."""

    look: bool
    all: bool


class RunFilter(TypedDict, total=False):
    """Which runs are listed."""

    process_id: Annotated[str | None, ToolParameter(description="Filter to specific process")]
    include_completed: Annotated[bool, ToolParameter(description="Include recently completed processes")]
    offset: Offset


class SplitRequest(TypedDict, total=False):
    """How a spec is split."""

    force: Annotated[bool, ToolParameter(description="Skip confirmation prompts")]
    recursive: Annotated[
        bool, ToolParameter(description="Recursively split member specs that are still too complex")
    ]
    max_depth: Annotated[
        int | None, ToolParameter(minimum=1, description="Maximum recursion depth (default: 3)")
    ]


class SplitRequestOfPerson(SplitRequest, total=False):
    """What a person or a script may choose besides."""

    fresh: bool
    agreed: str | None


# Of task graphs.

TASK_STATUSES = ("complete", "started", "reviewing", "planning", "notstarted", "blocked")


class PlanPage(TypedDict, total=False):
    """A part of each list of a task graph."""

    limit: Annotated[int, ToolParameter(minimum=0, description="Most entries of each list (default: 50)")]
    offset: Offset


class GraphQuery(TypedDict, total=False):
    """A question about a task graph."""

    id: Annotated[
        str | None, ToolParameter(description="Task ID, for task, context, descendants, dependencies")
    ]
    status: Annotated[
        str | None, ToolParameter(description="Filter of list", schema={"enum": list(TASK_STATUSES)})
    ]
    query: Annotated[str | None, ToolParameter(description="Text to find, for search and list")]
    fields: Annotated[Names, ToolParameter(description="Keys to show")]
    limit: Annotated[int | None, ToolParameter(minimum=0, description="Most entries")]
    offset: Offset


class WriteOptions(TypedDict, total=False):
    """How operations on a task graph are carried out."""

    dry_run: Annotated[bool, ToolParameter(description="Only say what would change")]
    expect: Annotated[
        str | None, ToolParameter(description="blob of the text you read; refuse if it is another")
    ]
    limit: Annotated[int, ToolParameter(minimum=0, description="Most entries of each list (default: 50)")]


class WriteOptionsOfHandle(WriteOptions, total=False):
    """How they are carried out on a graph as a script saw it."""

    expect_description: tuple[str, str] | None


# Of features.


class StatusReport(TypedDict, total=False):
    """What an agent reports besides a status."""

    prompt: Annotated[str | None, ToolParameter(description="Prompt to show user (for needs_input)")]
    message: Annotated[str | None, ToolParameter(description="Error message (for error status)")]
    question: Annotated[str | None, ToolParameter(description="ID of a question asked before")]


class CompletionOptions(TypedDict, total=False):
    """How a task of a feature is ticked."""

    skip_validation: Annotated[bool, ToolParameter(description="Skip validation checks")]


class CompletionOptionsOfCaller(CompletionOptions, total=False):
    """How it is ticked, and by which client."""

    agent: str | None


# Of the tickets dialect.

TICKET_TYPES = (
    "Architecture",
    "Feature Enhancement",
    "Bug Fix",
    "Technical Debt",
    "Documentation",
    "Research",
)
TICKET_STATUSES = (
    "Proposed",
    "Approved",
    "In Progress",
    "Implemented",
    "Rejected",
    "On Hold",
    "Partially Implemented",
)
TICKET_PRIORITIES = ("Low", "Medium", "High", "Critical")

_ONE_OR_MORE = {"type": ["string", "array"], "items": {"type": "string"}}


class TicketQuery(TypedDict, total=False):
    """Which tickets are listed, and what of them."""

    filters: Annotated[
        dict[str, Any] | None,
        ToolParameter(
            description="Each a value or a list: "
            f"status ({', '.join(TICKET_STATUSES)}), type ({', '.join(TICKET_TYPES)}), "
            f"priority ({', '.join(TICKET_PRIORITIES)})",
            schema={"properties": dict.fromkeys(("status", "type", "priority"), _ONE_OR_MORE)},
        ),
    ]
    limit: Annotated[int, ToolParameter(minimum=0, description="Most CRs (default: 20)")]
    offset: Offset
    fields: Annotated[Names, ToolParameter(description="Keys of each CR, in place of the usual nine")]


class DetailRequest(TypedDict, total=False):
    """What of a ticket is wanted."""

    mode: Annotated[
        str,
        ToolParameter(
            description="full: the markdown (default). attributes: the front matter. metadata: less",
            schema={"enum": ["full", "attributes", "metadata"]},
        ),
    ]
    offset: SkippedChars
    max_chars: MaxChars


class SectionCall(TypedDict, total=False):
    """A section of a ticket, and what is done with it."""

    section: Annotated[
        str | None,
        ToolParameter(description="As list prints it, e.g. 'Scope' or '## A / ### Scope'"),
    ]
    updateMode: Annotated[
        str | None,
        ToolParameter(description="For update", schema={"enum": ["replace", "append", "prepend"]}),
    ]
    content: Annotated[str | None, ToolParameter(description="The markdown or box")]
    offset: SkippedChars
    max_chars: MaxChars


class SectionCallOfHandle(SectionCall, total=False):
    """The same on a section as a script saw it."""

    expect: str | None
