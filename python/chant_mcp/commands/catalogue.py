"""The commands as data: where each is found, and the line that `--help` gives it.

So help is printed without importing any command. A line is a whole sentence that fits 80 columns.
"""

from __future__ import annotations

from typing import NamedTuple


class ListedCommand(NamedTuple):
    """A command that is imported when it is run."""

    place: str
    """Its `module:attribute`, below `chant_mcp.commands`."""
    line: str
    """What it does; empty for what only programs start."""


Listing = dict[str, dict[str, ListedCommand]]
"""Headings of groups, each with its commands by name; those under no heading are not shown."""

_PLAN = {
    "add": ListedCommand("specs:add", "Create a spec, or an item of another plan."),
    "split": ListedCommand("split:split", "Ask an agent to split a large spec into members."),
    "lint": ListedCommand("checks:lint", "Check specs and plans for problems before work begins."),
    "issue": ListedCommand("issues:issue", "Bring issues of a forge in as specs, and tell them back."),
    "import": ListedCommand("imports:import_specs", "Import specs from other programs or projects."),
    "edit": ListedCommand("edits:edit", "Change the title, state or other attributes of an item."),
    "tick": ListedCommand("edits:tick", "Tick criteria of an item, or a task."),
    "untick": ListedCommand("edits:untick", "Untick criteria of an item, or a task."),
    "label": ListedCommand("edits:label", "Add labels to an item, or remove them."),
    "depend": ListedCommand("edits:depend", "Add dependencies to an item, or remove them."),
    "move": ListedCommand("edits:move", "Move an item of a plan to another folder."),
    "open": ListedCommand("opening:open_item", "Open the file of an item in your editor."),
    "reopen": ListedCommand("edits:reopen", "Reopen a completed or cancelled item."),
    "archive": ListedCommand("states:archive", "Move what is done into the archive."),
    "unarchive": ListedCommand("states:unarchive", "Move an archived item back among the active ones."),
    "cancel": ListedCommand("states:cancel", "Cancel a spec and stop the work on it."),
}
_WORK = {
    "work": ListedCommand("work:work", "Start an agent on a spec, in its own worktree."),
    "runs": ListedCommand("work:runs", "List the agents at work."),
    "log": ListedCommand("log:log", "Print the last lines of a spec's log."),
    "pause": ListedCommand("work:pause", "Stop the work on a spec so that it can go on later."),
    "takeover": ListedCommand("work:takeover", "Stop the work on a spec to go on by hand."),
    "reset": ListedCommand("states:reset", "Set a failed or started spec back to pending."),
    "finalize": ListedCommand("states:finalize", "Complete a spec whose criteria are all ticked."),
    "leases": ListedCommand("leases:leases", "List which clone works on what."),
    "watch": ListedCommand("daemon:watch", "Recover runs after a crash, until you stop it."),
    "env": ListedCommand("environment:env", "See and build what recipes install for runs."),
    "worktree": ListedCommand("worktrees:worktree", "See and remove the worktrees of agents."),
}
_DECIDE = {
    "inbox": ListedCommand("inbox:inbox", "List what needs you, with the command to type."),
    "review": ListedCommand(
        "review:review", "See what waits to be read, riskiest first; decide about comments."
    ),
    "sessions": ListedCommand("sessions:sessions", "List agents' sessions kept for the next turn."),
    "comment": ListedCommand("review:comment", "Comment on lines, criteria, or all of the work on a spec."),
    "approve": ListedCommand("approval:approve", "Approve a spec, or the work on it."),
    "reject": ListedCommand("approval:reject", "Reject a spec, or the work on it, with a reason."),
    "merge": ListedCommand("work:merge", "Check and merge the work on specs."),
}
_LOOK = {
    "list": ListedCommand("workspace:list_items", "List specs, tasks and tickets."),
    "ready": ListedCommand("workspace:ready", "List what can be started now."),
    "show": ListedCommand("workspace:show", "Show one spec, task or ticket."),
    "status": ListedCommand("workspace_search:status", "Count the items in each state."),
    "search": ListedCommand("workspace_search:search", "Search titles and texts of everything."),
    "graph": ListedCommand("workspace:graph", "Draw the dependency graph."),
    "board": ListedCommand("board:board", "Show everything on a board in the terminal."),
    "verify": ListedCommand("checks:verify", "Check whether a spec's acceptance criteria are met."),
    "checks": ListedCommand("flaky:checks", "See which tests of the checks are flaky."),
    "diagnose": ListedCommand("checks:diagnose", "Check a spec's file, log, commits and criteria."),
    "fence": ListedCommand("fence:fence", "Check in CI that a request has the newest work on its specs."),
    "ci": ListedCommand("ci:ci", "Check a request in CI: fence, receipts and lint."),
    "receipt": ListedCommand("receipt:receipt", "See, check and exchange receipts of completed specs."),
    "export": ListedCommand("export:export", "Export items as JSON, CSV or Markdown."),
}

SPECS: Listing = {
    "Plan": {name: one for name, one in _PLAN.items() if name not in ("import", "issue")},
    "Work": _WORK,
    "Decide": _DECIDE,
    "Look": {
        **{name: one for name, one in _LOOK.items() if name not in ("board", "ci", "export")},
        "list": ListedCommand("specs:list_specs", "List specs, except those that are cancelled."),
        "ready": ListedCommand("specs:ready", "List the specs that can be worked on now."),
        "show": ListedCommand("specs:show", "Show one spec; a part of its ID will do."),
        "status": ListedCommand("specs:status", "Count the specs in each state."),
        "search": ListedCommand("specs:search", "Search titles and bodies of specs."),
        "graph": ListedCommand("workspace:spec_graph", "Draw the dependencies between specs."),
    },
}
"""The commands below `chant`."""

PROGRAM: Listing = {
    "Plan": _PLAN,
    "Work": _WORK,
    "Decide": {
        **_DECIDE,
        "answer": ListedCommand("speckit:answer", "Answer a question that an agent asked."),
        "trust": ListedCommand("trust:trust", "Review what this folder may run, and decide about trust."),
    },
    "Look": _LOOK,
    "Serve and set up": {
        "init": ListedCommand("init:init", "Make this folder a project; set up agents and hosts."),
        "prime": ListedCommand("prime:prime", "Print what an agent should know at its start."),
        "host": ListedCommand("host:host", "Write the plugin folder for agents' hosts."),
        "mcp": ListedCommand("mcp:mcp", "Serve MCP on standard input and output."),
        "serve": ListedCommand("serve:serve", "Serve MCP over HTTP."),
        "lsp": ListedCommand("mcp:lsp", "Answer an editor about plans, on standard input and output."),
        "config": ListedCommand("config:config", "Check configuration files for mistakes."),
        "doctor": ListedCommand("doctor:doctor", "Show what agents would find here, and what is missing."),
        "notify": ListedCommand("notify:notify", "Send changes to notifiers, until you stop it."),
        "plugins": ListedCommand("plugins:plugins", "List plugins and whether they are active."),
        "agents": ListedCommand("agents:agents", "List known agents and which are installed."),
        "confine": ListedCommand("confine:confine", "Run a command with the confinement of runs."),
        "cluster": ListedCommand("cluster:cluster", "Start, see and end clusters; make certificates."),
        "worker": ListedCommand("worker:worker", "Offer this machine to a cluster."),
        "completion": ListedCommand("completion:completion", "Print the script that completes commands."),
        "help": ListedCommand("manual:help_of", "Print the help of a command."),
        "man": ListedCommand("manual:man", "Print the manual page."),
        "demo": ListedCommand("demo:demo", "Build a sample project and let agents work on it."),
    },
    "": {
        name: ListedCommand(place, "")
        for name, place in {
            "merge-driver": "merge_driver:merge_driver",
            "connect": "connect:connect",
            "serve-run": "connect:serve_run",
            "demo-agent": "demo:demo_agent",
            "http-agent": "http_agent:http_agent",
            "placer": "placer:placer",
            "job": "worker_job:job",
            "plugin-call": "plugin_call:plugin_call",
        }.items()
    },
}
"""The commands of the program, except for the groups of the four formats."""

VINE: Listing = {
    "Commands": {
        "new": ListedCommand("vine_files:new", "Make a task graph with one task."),
        "show": ListedCommand("vine:show", "Show how far a task graph is, and its tasks."),
        "list": ListedCommand("vine:list_tasks", "List the tasks and references of a task graph."),
        "next": ListedCommand("vine:next_tasks", "List what can be done now in a task graph, and how."),
        "graph": ListedCommand("vine:graph", "Draw a task graph."),
        "validate": ListedCommand("vine_checks:validate", "Check task graphs for problems."),
        "set": ListedCommand(
            "vine_changes:set_statuses", "Set the status of tasks: of all named, or of none."
        ),
        "claim": ListedCommand("vine_changes:claim", "Take a task to work on, and show what it builds on."),
        "expand": ListedCommand("vine_changes:expand", "Put another file's tasks in place of a reference."),
        "spec": ListedCommand("vine:spec", "Print the description of the format."),
    }
}
"""The commands on task graphs."""

SPECKIT: Listing = {
    "Commands": {
        "list": ListedCommand("workspace:list_feature_tasks", "List the tasks of all features."),
        "ready": ListedCommand("workspace:ready_feature_tasks", "List the tasks that can be done now."),
        "show": ListedCommand("workspace:show_feature_task", "Show a task or a phase of any feature."),
        "graph": ListedCommand("workspace:feature_graph", "Draw the dependencies between tasks and phases."),
        "context": ListedCommand("speckit:context", "Show which feature is current, and why."),
        "features": ListedCommand("speckit:features", "List all features; the current one is marked."),
        "tasks": ListedCommand("speckit:tasks", "List the tasks of a feature, phase by phase."),
        "next": ListedCommand("speckit:next_tasks", "List the tasks of a feature that can be done now."),
        "read": ListedCommand("speckit:read", "Print a document of a feature."),
        "complete": ListedCommand("speckit:complete", "Tick a task, after the project's checks."),
        "questions": ListedCommand("speckit:questions", "List the questions of agents that wait."),
        "events": ListedCommand("speckit:events", "Show what agents reported and did."),
    }
}
"""The commands on spec-kit features, and on what agents report."""

TICKETS: Listing = {
    "Commands": {
        "init": ListedCommand("ticket_project:init", "Make this folder a project of tickets."),
        "list": ListedCommand("tickets:list_tickets", "List tickets, the highest number first."),
        "ready": ListedCommand("tickets:ready", "List what is approved and waits for nothing."),
        "show": ListedCommand("tickets:show", "Show one ticket, and what it waits for."),
        "sections": ListedCommand("tickets:sections", "List the sections of a ticket, or show one."),
        "graph": ListedCommand("tickets:graph", "Draw the dependencies between tickets."),
        "advice": ListedCommand("tickets:advice", "Suggest improvements to a ticket, with a score."),
        "projects": ListedCommand("tickets:projects", "List ticket projects, or show one."),
        "add": ListedCommand("ticket_changes:add", "Create a ticket under the next number."),
        "set": ListedCommand("ticket_changes:set_attributes", "Change attributes of a ticket, all or none."),
        "status": ListedCommand("ticket_changes:status", "Move a ticket to another status."),
        "delete": ListedCommand("ticket_changes:delete", "Delete a ticket's file for good."),
    }
}
"""The commands on tickets."""
