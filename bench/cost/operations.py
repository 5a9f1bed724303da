"""All operations by the names of their tools and methods: what is called, and what they may cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from chant_mcp import FeatureTask

from bench.cost.scene import Scene, Work

PLAN = "plan.vine"

FILES_OF_MANY = (
    "a plan is one file, and so is a list of tasks: it is written whole, and compared byte by byte with what "
    "is known of it while it is younger than two seconds"
)
"""Why bytes are not held against operations that look at such files."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation, and how its work may grow with the number of items."""

    name: str
    """The tool or the method; behind a colon, which kind of call of it."""
    work: Work
    whole: str = ""
    """Why it reads all there is; empty for one that touches one item."""
    looks_at_files_of_many: bool = False
    """Whether it looks at files with all items of a kind."""

    @property
    def of(self) -> str:
        """The tool or method that it is a call of."""
        return self.name.split(":")[0]


LEFT_OUT = {
    **dict.fromkeys(
        ("item_list", "item_get", "item_next", "item_update", "item_add"),
        "tests/plans and rust/plan-store count what is read",
    ),
    **dict.fromkeys(
        (
            f"PlanItem.{name}"
            for name in [
                "tick",
                "untick",
                "set_status",
                "set",
                "set_title",
                "section",
                "add",
                "move",
                "reset",
                "edit",
            ]
        ),
        "tests/plans and rust/plan-store count what is read",
    ),
    "Workspace.plans": "is a list",
    "Workspace.add_item": "tests/plans and rust/plan-store count what is read",
    "chant_work_start": "starts processes; `bench.runs` measures it",
    "chant_pause": "is about a process",
    "chant_takeover": "is about a process",
    "chant_watch_start": "starts a process",
    "chant_watch_stop": "is about a process",
    "chant_split": "starts processes",
    "Spec.start": "starts processes; `bench.runs` measures it",
    "Spec.pause": "is about a process",
    "PlanItem.work": "starts processes",
    "Spec.takeover": "is about a process",
    "Spec.free": "asks a remote",
    "Workspace.leases": "asks a remote; `bench.leases` measures it",
    "Spec.split": "starts processes",
    "Spec.merge": "needs a run that waits",
    "Spec.forecast": "reads what earlier runs used",
    "Spec.receipts": "reads refs of git",
    "Spec.review": "reads commits and refs of git",
    "Workspace.review_queue": "reads commits and refs of git",
    "Spec.reset": "is `chant_reset`",
    "Workspace.watch_start": "starts a process",
    "Workspace.watch_stop": "is about a process",
    "Spec.reopen": "is an edit as others of a spec",
    "Feature.reopen": "is the edit of `Feature.complete`, taken back",
    "FeatureTask.reopen": "is the edit of `FeatureTask.complete`, taken back",
    "Task.reopen": "is an edit as others of a task",
    "Ticket.reopen": "is an edit as others of a ticket",
    "Ticket.check": "is an edit as others of a ticket",
    "Ticket.uncheck": "is an edit as others of a ticket",
    "Workspace.unarchive": "is a move as that of an archive",
    "Workspace.archive_completed": "is an archive, again and again",
    "Workspace.graph_at": "reads a commit",
    "Workspace.recent_commits": "reads commits",
    "Workspace.import_specs": "reads what it is given",
    "Workspace.apply_changes": "is what a graph's changes end with",
    "Workspace.make_handle": "makes a handle of what was read",
    "Workspace.run_transaction": "is a transaction, again and again",
}
"""Tools and methods that are not measured here, each with the reason."""


def _one(name: str, work: Work) -> Operation:
    """An operation of a script: the workspace knows all files, those of many items among them."""
    return Operation(name, work, looks_at_files_of_many=True)


def _whole(name: str, work: Work, why: str) -> Operation:
    return Operation(name, work, why, looks_at_files_of_many=True)


def _tool(name: str, make: Callable[[Scene, int], dict[str, Any]]) -> Work:
    tool = name.split(":")[0]
    return lambda scene, number: scene.call(tool, **make(scene, number))


def _id(scene: Scene, number: int) -> dict[str, Any]:
    return {"id": scene.spec(number % 40)}


def _status(wanted: int) -> Callable[[Scene], str]:
    """Find a spec of its own for an operation that needs one in a state."""

    def find(scene: Scene) -> str:
        return scene.spec(4 * (scene.fresh(f"spec {wanted}") - 40) + 40 + wanted)

    return find


_pending, _begun, _failed, _completed = map(_status, range(4))


def _of_specs() -> list[Operation]:
    def tool(name: str, make: Callable[[Scene, int], dict[str, Any]], why: str = "") -> Operation:
        return Operation(name, _tool(name, make), why)

    return [
        tool("chant_spec_list", lambda _, n: {}),
        tool("chant_spec_list: a state", lambda _, n: {"status": "failed", "limit": 10}),
        tool("chant_spec_get", _id),
        tool("chant_spec_get: a part of the ID", lambda s, n: {"id": s.spec(n % 40)[-7:]}),
        tool("chant_ready", lambda _, n: {"limit": 10}),
        tool("chant_status", lambda _, n: {}),
        tool("chant_log", lambda s, n: {"id": s.spec(0)}),
        tool("chant_search", lambda _, n: {"query": "nowhere"}, "looks for a text in all"),
        tool("chant_diagnose", _id),
        tool("chant_lint: one", _id),
        tool("chant_lint", lambda _, n: {}),
        tool("chant_verify", _id),
        tool("chant_work_list", lambda _, n: {}),
        tool("chant_watch_status", lambda _, n: {}),
        tool("chant_spec_update", lambda s, n: {**_id(s, n), "labels": [f"label-{n}"]}),
        tool("chant_spec_update: waits", lambda s, n: {"id": s.spec(9), "depends_on": [s.spec(n % 8)]}),
        tool("chant_add", lambda _, n: {"description": f"New work {n}"}),
        tool("chant_finalize", lambda s, n: {"id": _begun(s), "force": True}),
        tool("chant_reset", lambda s, n: {"id": _failed(s)}),
        tool("chant_resume", lambda s, n: {"id": _failed(s)}),
        tool("chant_cancel", lambda s, n: {"id": _pending(s)}),
        tool("chant_archive", lambda s, n: {"id": _completed(s)}),
        _one("Spec.update", lambda s, n: s.workspace.spec(s.spec(n % 40)).update(labels=[f"l{n}"])),
        _one("Spec.check", lambda s, n: _first_box(s).check("It is shown")),
        _one("Spec.uncheck", lambda s, n: _first_box(s).uncheck("It is written down")),
        _one("Spec.cancel", lambda s, n: s.workspace.spec(_pending(s)).cancel()),
        _one("Spec.finalize", lambda s, n: s.workspace.spec(_begun(s)).finalize(force=True)),
        _one("Spec.archive", lambda s, n: s.workspace.spec(_completed(s)).archive()),
        _one("Spec.approve", lambda s, n: s.workspace.spec(_pending(s)).approve(by="ada")),
        _one("Spec.reject", lambda s, n: s.workspace.spec(_pending(s)).reject("no", by="ada")),
        _one("Spec.log", lambda s, n: s.workspace.spec(s.spec(0)).log()),
        _one("Spec.diagnose", lambda s, n: s.workspace.spec(s.spec(n % 40)).diagnose()),
        _one("Spec.lint", lambda s, n: s.workspace.spec(s.spec(n % 40)).lint()),
        _one("Spec.verify", lambda s, n: s.workspace.spec(s.spec(n % 40)).verify()),
        _one("Spec.reload", lambda s, n: s.workspace.spec(s.spec(n % 40)).reload()),
    ]


def _first_box(scene: Scene) -> Any:
    return scene.workspace.spec(_pending(scene))


def _of_plans() -> list[Operation]:
    def read(action: str, why: str = "", **question: Any) -> Operation:
        def make(_: Scene, __: int) -> dict[str, Any]:
            return {"file": PLAN, "action": action, **question}

        name = f"vine_read: {action}"
        return Operation(name, _tool(name, make), why, looks_at_files_of_many=True)

    def write(kind: str, make: Callable[[Scene, int], list[dict[str, Any]]]) -> Operation:
        def work(scene: Scene, number: int) -> object:
            return scene.call("vine_write", file=PLAN, operations=make(scene, number))

        return _one(f"vine_write: {kind}", work)

    def handle(name: str, work: Callable[[Scene, Any, int], object]) -> Operation:
        return _one(name, lambda s, n: work(s, s.workspace.vine(PLAN), n))

    def task(name: str, work: Callable[[Scene, Any, int], object]) -> Operation:
        def of_task(scene: Scene, number: int) -> object:
            return work(scene, scene.workspace[f"vine:{PLAN}#t{number % 10 + 1}"], number)

        return _one(name, of_task)

    listing = "goes through all tasks"
    return [
        read("summary"),
        read("list", listing, limit=10),
        read("task", id="t5"),
        read("context", id="t5"),
        read("descendants", id="t5"),
        read("search", listing, query="nowhere"),
        read("refs", listing),
        read("validate"),
        read("dependencies", "gives all that the task depends on", id="t100"),
        read("meta"),
        _one("vine_next", lambda s, n: s.call("vine_next", file=PLAN, limit=10)),
        write("set_status", lambda s, n: [_standing(f"t{n % 10 + 1}", n)]),
        write("update", lambda s, n: [{"op": "update", "id": f"t{n % 10}", "name": f"Name {n}"}]),
        write("claim", lambda s, n: [{"op": "claim", "id": f"t{n % 10}", "force": True, "owner": f"o{n}"}]),
        write("add_task", lambda s, n: _added(f"a{n}")),
        write("remove_task", lambda s, n: [{"op": "remove_task", "id": s.removable_task()}]),
        write("add_dep", lambda s, n: [_wired("add_dep", n)]),
        write("remove_dep", lambda s, n: [_wired("add_dep", n), _wired("remove_dep", n)]),
        write(
            "rename_task", lambda s, n: [{"op": "rename_task", "id": s.removable_task(), "newId": f"n{n}"}]
        ),
        write("move_task", lambda s, n: [{"op": "move_task", "id": s.removable_task(), "before": "t20"}]),
        write("add_ref", lambda s, n: _added_ref(f"b{n}")),
        write(
            "update_ref_uri", lambda s, n: [{"op": "update_ref_uri", "id": "r0", "uri": f"./child{n}.vine"}]
        ),
        write(
            "extract_to_ref",
            lambda s, n: [{"op": "extract_to_ref", "id": s.removable_task(), "vine": f"./part{n}.vine"}],
        ),
        write("set_meta", lambda s, n: [{"op": "set_meta", "title": f"Plan {n}"}]),
        _one(
            "vine_write: create", lambda s, n: s.call("vine_write", file=f"new{n}.vine", operations=_made())
        ),
        _one("vine_expand", lambda s, n: s.call("vine_expand", file=PLAN, ref_id=_ref(s))),
        handle("Vine.ask", lambda s, vine, n: vine.ask("task", id="t5")),
        handle("Vine.next", lambda s, vine, n: vine.next()),
        handle("Vine.write", lambda s, vine, n: vine.write([_standing(f"t{n % 10 + 1}", n)])),
        handle("Vine.add", lambda s, vine, n: vine.add(f"c{n}", "New", needed_by=["t1"])),
        handle("Vine.set", lambda s, vine, n: vine.set({f"t{n % 10 + 1}": _word(n)})),
        handle("Vine.claim", lambda s, vine, n: vine.claim(f"t{n % 10 + 1}", owner=f"o{n}", force=True)),
        handle("Vine.expand", lambda s, vine, n: vine.expand(_ref(s))),
        handle("Vine.reload", lambda s, vine, n: vine.reload()),
        handle("Vine.task", lambda s, vine, n: vine.task("t5")),
        task("Task.update", lambda s, task, n: task.update(name=f"Name {n}")),
        task("Task.set", lambda s, task, n: task.set(_word(n))),
        task("Task.claim", lambda s, task, n: task.claim(owner=f"o{n}", force=True)),
        task("Task.context", lambda s, task, n: task.context()),
        task("Task.reload", lambda s, task, n: task.reload()),
        _one("Task.remove", lambda s, n: _last_task(s).remove()),
        _one("Task.rename", lambda s, n: _last_task(s).rename(f"m{n}")),
    ]


def _wired(op: str, number: int) -> dict[str, Any]:
    return {"op": op, "taskId": f"t{number % 5 + 1}", "depId": f"t{40 + number % 43}"}


def _word(number: int) -> str:
    return ("started", "planning", "notstarted", "blocked")[number % 4]


def _standing(id: str, number: int) -> dict[str, Any]:
    return {"op": "set_status", "id": id, "status": _word(number)}


def _added(id: str) -> list[dict[str, Any]]:
    task = {"op": "add_task", "id": id, "name": "New", "description": "Words.", "dependsOn": ["t30"]}
    return [task, {"op": "add_dep", "taskId": "t1", "depId": id}]


def _added_ref(id: str) -> list[dict[str, Any]]:
    ref = {"op": "add_ref", "id": id, "name": "Part", "vine": "./child.vine"}
    return [ref, {"op": "add_dep", "taskId": "t2", "depId": id}]


def _made() -> list[dict[str, Any]]:
    return [{"op": "create"}, {"op": "add_task", "id": "top", "name": "Top"}]


def _ref(scene: Scene) -> str:
    return f"r{scene.fresh('ref') - 40 + 1}"


def _last_task(scene: Scene) -> Any:
    return scene.workspace[f"vine:{PLAN}#{scene.removable_task()}"]


def _of_features() -> list[Operation]:
    def done(scene: Scene) -> str:
        return f"T{scene.fresh('feature') - 39:03}"

    def feature(name: str, work: Callable[[Scene, Any, int], object]) -> Operation:
        return _one(name, lambda s, n: work(s, s.workspace.feature("001-login"), n))

    list_is_one = "a list of tasks is one document, in which a line means what those before it say"
    return [
        _whole(
            "rstn_get_context", lambda s, n: s.call("rstn_get_context"), "names the tasks left of the feature"
        ),
        _one("rstn_read_spec", lambda s, n: s.call("rstn_read_spec", artifact="spec")),
        _one("rstn_report_status", lambda s, n: s.call("rstn_report_status", status="completed")),
        _whole(
            "rstn_complete_task",
            lambda s, n: s.call("rstn_complete_task", task_id=done(s), skip_validation=True),
            list_is_one,
        ),
        feature("Feature.read", lambda s, of, n: of.read("spec")),
        feature("Feature.task", lambda s, of, n: of.task("T001")),
        _whole("Feature.context", lambda s, n: s.workspace.feature("001-login").context(), list_is_one),
        _whole(
            "Feature.next",
            lambda s, n: len(s.workspace.feature("001-login").next()),
            "gives all that are ready",
        ),
        _whole(
            "Feature.complete",
            lambda s, n: s.workspace.feature("001-login").complete(done(s), skip_validation=True),
            list_is_one,
        ),
        _whole(
            "FeatureTask.complete",
            lambda s, n: cast("FeatureTask", s.workspace.task(f"speckit:001-login#{done(s)}")).complete(
                skip_validation=True
            ),
            list_is_one,
        ),
        _one("FeatureTask.reload", lambda s, n: s.workspace.task("speckit:001-login#T002").reload()),
    ]


def _of_tickets() -> list[Operation]:
    def tool(name: str, make: Callable[[Scene, int], dict[str, Any]], why: str = "") -> Operation:
        return Operation(name, _tool(name, make), why)

    def key(scene: Scene, number: int) -> dict[str, Any]:
        return {"key": scene.ticket(number % 40)}

    def ticket(name: str, work: Callable[[Any, int], object]) -> Operation:
        return _one(name, lambda s, n: work(s.workspace.ticket(s.ticket(n % 40)), n))

    def fresh(scene: Scene) -> str:
        return scene.ticket(scene.fresh("ticket"))

    section = "1. Description"
    related = "looks which tickets name it, in `relatedTickets`, too"
    return [
        tool("list_projects", lambda _, n: {}),
        tool("get_project_info", lambda _, n: {"key": "COST"}),
        tool("list_crs", lambda _, n: {}),
        tool("list_crs: filtered", lambda _, n: {"filters": {"type": "Documentation"}}, "goes through all"),
        tool("get_cr", key),
        tool("suggest_cr_improvements", key),
        tool("manage_cr_sections: list", lambda s, n: {**key(s, n), "operation": "list"}),
        tool("manage_cr_sections: get", lambda s, n: {**key(s, n), "operation": "get", "section": section}),
        tool(
            "manage_cr_sections: append",
            lambda s, n: {**key(s, n), "operation": "append", "section": section, "content": f"More {n}."},
        ),
        tool(
            "create_cr", lambda _, n: {"type": "Bug Fix", "data": {"title": f"New {n}", "content": "Words."}}
        ),
        tool("update_cr_attrs", lambda s, n: {**key(s, n), "attributes": {"assignee": f"a{n}"}}),
        tool(
            "update_cr_attrs: waits",
            lambda s, n: {"key": s.ticket(9), "attributes": {"dependsOn": s.ticket(n % 8)}},
        ),
        tool("update_cr_status", lambda s, n: {"key": fresh(s), "status": "Approved"}),
        tool("delete_cr", lambda s, n: {"key": fresh(s)}, related),
        ticket("Ticket.update", lambda ticket, n: ticket.update(assignee=f"b{n}")),
        ticket("Ticket.section", lambda ticket, n: ticket.section(section).append(f"And {n}.")),
        ticket("Ticket.attributes", lambda ticket, n: ticket.attributes()),
        ticket("Ticket.suggest", lambda ticket, n: ticket.suggest()),
        ticket("Ticket.reload", lambda ticket, n: ticket.reload()),
        _whole("Ticket.delete", lambda s, n: s.workspace.ticket(fresh(s)).delete(), related),
    ]


def _of_workspace() -> list[Operation]:
    def ask(name: str, work: Callable[[Any, Scene, int], object], why: str = "") -> Operation:
        return Operation(name, lambda s, n: work(s.workspace, s, n), why, looks_at_files_of_many=True)

    everything = "gives all there is"
    return [
        ask("Workspace.spec", lambda ws, s, n: ws.spec(s.spec(n % 40))),
        ask("Workspace.spec: a part of the ID", lambda ws, s, n: ws.spec(s.spec(n % 40)[-7:])),
        ask("Workspace.task", lambda ws, s, n: ws.task(f"vine:{PLAN}#t{n % 40}")),
        ask("Workspace.ticket", lambda ws, s, n: ws.ticket(s.ticket(n % 40))),
        ask("Workspace.vine", lambda ws, s, n: ws.vine(PLAN)),
        ask("Workspace.feature", lambda ws, s, n: ws.feature("001-login")),
        ask("Workspace.add", lambda ws, s, n: ws.add(f"New work {n}")),
        ask(
            "Workspace.add_ticket",
            lambda ws, s, n: ws.add_ticket(f"New {n}", type="Bug Fix", content="Words."),
        ),
        ask("Workspace.add_vine", lambda ws, s, n: ws.add_vine(f"made{n}", _made()[1:])),
        ask("Workspace.search", lambda ws, s, n: ws.search("nowhere"), "looks for a text in all"),
        ask("Workspace.status", lambda ws, s, n: ws.status()),
        ask("Workspace.lint", lambda ws, s, n: ws.lint(), everything),
        ask("Workspace.runs", lambda ws, s, n: ws.runs()),
        ask("Workspace.watch_status", lambda ws, s, n: ws.watch_status()),
        ask("Workspace.ticket_projects", lambda ws, s, n: ws.ticket_projects()),
        ask("Workspace.ticket_project", lambda ws, s, n: ws.ticket_project("COST")),
        ask("Workspace.list_tickets", lambda ws, s, n: ws.list_tickets("COST"), everything),
        ask("Workspace.report_status", lambda ws, s, n: ws.report_status("completed")),
        ask("Workspace.context", lambda ws, s, n: ws.context(), "names the tasks left of the feature"),
        ask("Workspace.transaction", _transaction),
        ask("Workspace.changes", lambda ws, s, n: ws.changes(), "notes what is there, to compare with it"),
        ask("Workspace.graph", lambda ws, s, n: ws.graph(), everything),
        ask("Workspace.export", lambda ws, s, n: list(ws.export()), everything),
    ]


def _transaction(workspace: Any, scene: Scene, number: int) -> object:
    with workspace.transaction():
        return workspace.spec(scene.spec(number % 40)).update(labels=[f"t{number}"])


def operations() -> list[Operation]:
    """All operations, dialect by dialect."""
    return [*_of_specs(), *_of_plans(), *_of_features(), *_of_tickets(), *_of_workspace()]
