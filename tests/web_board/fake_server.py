"""A server that answers what the page asks, from data that a test changes: no core, no files, no agents."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from chant_mcp.web_board.assemble import assemble_app, assemble_later, assemble_page
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from web_board.items import DIFF, INBOX, MEANINGS, PROBLEMS, RUNS, TIMELINE, Data, card, ferry, item, picture

KEY = "person-key"
CODE = "abc123"


HOST_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; connect-src 'none'"
)
"""What a host allows an App by default: no network, and scripts inside of the document."""

HOST = """<!doctype html><meta charset="utf-8"><title>host</title>
<iframe id="app" sandbox="allow-scripts" src="/app" style="width:900px;height:640px;border:0"></iframe>
<script>
const frame = document.getElementById("app");
const heard = window.heard = [];
const send = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
addEventListener("message", async ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  heard.push(data.method ?? "answer");
  if (data.method === "ui/initialize") {
    const styles = { variables: { "--color-background-primary": "#112233" } };
    const hostContext = { theme: "dark", styles, containerDimensions: { maxHeight: 600 } };
    const is = { protocolVersion: "2026-01-26", hostInfo: { name: "host" }, hostCapabilities: {} };
    send({ id: data.id, result: { ...is, hostContext } });
  } else if (data.method === "tools/call") {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: data.params });
    const response = await fetch("/mcp", { method: "POST", body, headers: { Authorization: "Bearer host" } });
    const answer = await response.json();
    send({ id: data.id, result: answer.result, error: answer.error });
  } else if (data.id !== undefined && data.method) send({ id: data.id, result: {} });
});
</script>"""


class FakeBoard:
    """The server's state: what it answers, and what it was asked."""

    def __init__(self) -> None:
        """Begin with the ferries."""
        self.reset()
        self.loop: asyncio.AbstractEventLoop | None = None

    def reset(self, items: list[Data] | None = None) -> None:
        """Begin again, with other items if some are given."""
        self.items = ferry() if items is None else items
        self.details: dict[str, Data] = {}
        self.version = 1
        self.calls: list[tuple[str, Data]] = []
        self.acts: list[Data] = []
        self.inbox: list[Data] = list(INBOX["entries"])
        self.runs, self.problems, self.timeline, self.diff = RUNS, PROBLEMS, TIMELINE, DIFF
        self.graph: Data | None = None
        self.log = "Reading the spec\n\x1b[32m12 passed\x1b[0m\n"
        self.refusal: Data | None = None
        self.section = "- A place is held for **ten minutes**."
        self.read_only = False
        self.held_label: str | None = None
        """The label whose looks are answered only when it is another; others may be under way already."""
        self.looks: dict[str, list[Data]] = {}
        self.streams: set[asyncio.Queue[int]] = getattr(self, "streams", set())

    def change(self) -> None:
        """Say to all pages that something changed."""
        self.version += 1
        assert self.loop
        for queue in list(self.streams):
            self.loop.call_soon_threadsafe(queue.put_nowait, self.version - 1)

    def asked(self, name: str) -> list[Data]:
        """Give the arguments of all calls of a tool."""
        return [given for called, given in self.calls if called == name]

    def call(self, name: str, given: Data) -> Data:
        """Answer a tool."""
        self.calls.append((name, given))
        answer = getattr(self, f"_{name}", None)
        if answer is None:
            return {"text": f"{name} done"}
        return answer(**given)

    def _matching(self, search: str = "", dialect: str = "", label: str = "", **_: Any) -> list[Data]:
        return [
            one
            for one in self.items
            if search.lower() in f"{one['title']} {one['id']}".lower()
            and dialect in ("", one["dialect"])
            and (not label or label in one["labels"])
        ]

    def _board_look(self, limit: int, since: str = "", **given: Any) -> Data:
        matching = self._matching(**given)
        columns: list[Data] = []
        for meaning in MEANINGS:
            items = [one for one in matching if one["meaning"] == meaning]
            columns.append({"meaning": meaning, "count": len(items), "items": items[:limit]})
        cursor = f"{len(self.calls)}"
        self.looks[cursor] = json.loads(json.dumps(columns))
        for column, seen in zip(columns, self.looks.get(since, ()), strict=False):
            if column == seen:
                del column["items"]
        totals: dict[str, list[int]] = {}
        labels: dict[str, int] = {}
        for one in self.items:
            total = totals.setdefault(one["dialect"], [0, 0])
            total[0] += 1
            total[1] += one["meaning"] == "done"
            for label in one["labels"]:
                labels[label] = labels.get(label, 0) + 1
        return {
            "version": self.version,
            "cursor": cursor,
            "columns": columns,
            "problems_total": self.problems["total"],
            "dialects": [
                {"dialect": name, "total": total, "done": done} for name, (total, done) in totals.items()
            ],
            "labels": [{"label": name, "count": count} for name, count in sorted(labels.items())][:100],
        }

    def _board_rows(self, meaning: str, offset: int, limit: int, **given: Any) -> Data:
        items = [one for one in self._matching(**given) if one["meaning"] == meaning]
        return {"items": items[offset : offset + limit], "total": len(items)}

    def _board_item(self, key: str) -> Data:
        found = next((one for one in self.items if one["key"] == key), None)
        if found is None:
            raise LookupError(f"There is no item {key}.")
        return {**item(found), **self.details.get(key, {})}

    def _board_graph(self, key: str = "", **given: Any) -> Data:
        if self.graph is not None:
            return self.graph
        given.pop("depth", None)
        return picture(self._matching(**given))

    def _board_runs(self) -> Data:
        return self.runs

    def _board_inbox(self) -> Data:
        return {"entries": self.inbox, "total": len(self.inbox)}

    def _board_timeline(self) -> Data:
        return self.timeline

    def _board_problems(self, offset: int) -> Data:
        return self.problems

    def _board_diff(self, key: str) -> Data:
        return self.diff

    def _board_log(self, key: str, offset: int | None = None) -> Data:
        return {"text": self.log[offset or 0 :], "byte_offset": len(self.log), "is_new": offset is None}

    def _board_places(self) -> Data:
        return {"plans": [{"file": "plans/release.vine", "root": "root"}], "features": ["060-seats"]}

    def _board_section(self, key: str, section: str) -> Data:
        return {"text": self.section}

    def _chant_add(self, description: str, **_: Any) -> Data:
        self.items.append(card("can_begin", "chant:2026-11-23-001-new", description, "pending", {}))
        self.change()
        return {"id": "2026-11-23-001-new"}

    def _edit(self, given: Data) -> Data:
        if given["seen"] != self.section:
            conflict = {"yours": given["text"], "theirs": self.section}
            return {"error": {"kind": "CONFLICT", "message": "It was changed.", "conflict": conflict}}
        self.section = given["text"]
        return {"done": True, "text": "Saved."}

    def act(self, given: Data) -> Data:
        """Do what only a person may do."""
        self.acts.append(given)
        if self.refusal is not None:
            return {"error": self.refusal}
        if given["act"] == "edit":
            return self._edit(given)
        if given["act"] == "add":
            added = self._chant_add(given["title"])
            return {"done": True, "text": "Added.", "key": f"chant:{added['id']}"}
        self.inbox = [one for one in self.inbox if not _is_meant(one, given)]
        self.change()
        return {"done": True, "text": f"{given['act']}: done"}


def _is_meant(entry: Data, given: Data) -> bool:
    return any(given.get(name) and given[name] == entry.get(name) for name in ("id", "hash")) or (
        "id" not in entry and given.get("key") is not None and given["key"] == entry.get("key")
    )


def is_person(request: Request) -> bool:
    """Whether a request carries the person's key."""
    return request.headers.get("x-chant-person") == KEY


class BoardRoutes:
    """The server's routes."""

    def __init__(self, board: FakeBoard) -> None:
        """Answer for this board."""
        self.board = board

    def application(self) -> Starlette:
        """Make the server."""
        gets = {
            "/board": self.page,
            "/board/change.js": self.editor,
            "/app": self.app,
            "/host": self.host,
            "/board/events": self.events,
        }
        posts = {"/board/session": self.session, "/board/person": self.person, "/mcp": self.mcp}
        routes = [Route(path, to) for path, to in gets.items()]
        return Starlette(routes=routes + [Route(path, to, methods=["POST"]) for path, to in posts.items()])

    async def page(self, _: Request) -> Response:
        """Send the page with its policy."""
        sent = assemble_page()
        headers = {"Content-Security-Policy": sent.policy, "Referrer-Policy": "no-referrer"}
        return HTMLResponse(sent.html, headers=headers)

    async def editor(self, _: Request) -> Response:
        """Send the script that edits."""
        return Response(assemble_later(), media_type="text/javascript")

    async def app(self, _: Request) -> Response:
        """Send the page as a host shows it: with the host's policy."""
        return HTMLResponse(assemble_app(), headers={"Content-Security-Policy": HOST_POLICY})

    async def host(self, _: Request) -> Response:
        """Send a page that shows the board as an App."""
        return HTMLResponse(HOST)

    async def session(self, request: Request) -> Response:
        """Exchange a code for the person's key."""
        if (await request.json())["code"] != CODE:
            return JSONResponse({"error": {"message": "This code was used already."}}, 403)
        is_reader = self.board.read_only
        return JSONResponse({"key": KEY, "folder": "/srv/ferry", "expires_s": 43_200, "read_only": is_reader})

    async def events(self, request: Request) -> Response:
        """Stream what is announced."""
        return (
            StreamingResponse(self._announced(), media_type="text/event-stream")
            if is_person(request)
            else Response(status_code=401)
        )

    async def _announced(self) -> AsyncIterator[str]:
        # The real stream counts for itself: its next number may be the version of the last look.
        queue: asyncio.Queue[int] = asyncio.Queue()
        self.board.streams.add(queue)
        try:
            yield f"event: version\ndata: {self.board.version - 1}\n\n"
            while True:
                yield f"event: version\ndata: {await queue.get()}\n\n"
        finally:
            self.board.streams.discard(queue)

    async def person(self, request: Request) -> Response:
        """Do what only a person may do."""
        if not is_person(request):
            return Response(status_code=401)
        answer = self.board.act(await request.json())
        return JSONResponse(answer, 409 if "error" in answer else 200)

    async def mcp(self, request: Request) -> Response:
        """Call a tool, for the person or for a host."""
        if not is_person(request) and request.headers.get("authorization") != "Bearer host":
            return Response(status_code=401)
        message = json.loads(await request.body())
        given = message["params"]
        result: Data
        try:
            asked = given.get("arguments", {})
            data = self.board.call(given["name"], asked)
            while self.board.held_label and asked.get("label") == self.board.held_label:
                await asyncio.sleep(0.01)
            result = {"content": [], "structuredContent": data}
        except LookupError as error:
            result = {"content": [{"type": "text", "text": str(error)}], "isError": True}
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": result})


class ServedBoard:
    """The fake server, in a thread, on a free port."""

    def __init__(self, board: FakeBoard) -> None:
        """Start it, and wait until it listens."""
        self.board = board
        ready = threading.Event()
        config = uvicorn.Config(
            BoardRoutes(board).application(),
            port=0,
            log_level="error",
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, args=[ready], daemon=True)
        self._thread.start()
        assert ready.wait(10)
        self.url = f"http://127.0.0.1:{self._server.servers[0].sockets[0].getsockname()[1]}"

    def _run(self, ready: threading.Event) -> None:
        async def serve() -> None:
            self.board.loop = asyncio.get_running_loop()
            started = asyncio.ensure_future(self._server.serve())
            while not self._server.started:
                await asyncio.sleep(0.01)
            ready.set()
            await started

        asyncio.run(serve())

    def close(self) -> None:
        """Stop it."""
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(10)
