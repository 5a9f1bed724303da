"""Whole messages of whatever shape, each with the answer that is owed for it.

What is owed is known from how a message is made, not from reading it again.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from server.pipes import ENVELOPE

NOTHING, UNNAMED, OWN = "nothing", "an error without an id", "an answer under its id"


def is_short(answer: dict[str, Any]) -> bool:
    """Return whether an answer is as short as promised; the list of tools is the longest of all."""
    return len(json.dumps(answer)) < (50_000 if "error" in answer else 150_000)


@dataclass(frozen=True)
class Envelope:
    """A message and what is owed for it."""

    line: bytes
    """Without a line end."""
    owed: str
    id: Any = None
    """The ID of the answer, as JSON reads it."""
    method: str | None = None
    """Its method, where a header has to repeat it."""
    name: str | None = None


METHODS = [
    "ping",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "server/discover",
    "initialize",
    "logging/setLevel",
    "completion/complete",
    "resources/subscribe",
    "subscriptions/listen",
    "roots/list",
    "sampling/createMessage",
    "no/such",
    "",
    " ",
    "tools/call ",
    "Tools/List",
    "x" * 200,
    "é\u2028\u202e",
    "rpc.discover",
    "__class__",
]

NOTIFICATIONS = [
    "notifications/initialized",
    "notifications/nonsense",
    "notifications/progress",
    "notifications/roots/list_changed",
    "tools/list",
    "x",
]

TEXTS = ["", " ", "x", "é", "🙂", "\0", "\r\n", "\u2028", "\ufeff", "\x1b[2J", "../x", "x" * 500, "null", "1"]

NUMBERS = [0, -1, 1.5, 1e308, 2**31, 2**53 + 1, 2**64, -(2**70), 10**400]


class Envelopes:
    """Makes messages, each ID once."""

    def __init__(self, seed: int, *, is_modern: bool, prefix: str = "") -> None:
        """Begin a series, the same one for the same seed."""
        self._random = random.Random(seed)
        self._is_modern = is_modern
        self._prefix = prefix
        self._count = 0

    def some(self, count: int) -> Iterator[Envelope]:
        """Make so many."""
        kinds: list[tuple[int, Callable[[], Envelope]]] = [
            (8, self._request),
            (4, self._call),
            (3, self._read),
            (3, self._odd_id),
            (3, self._odd_params),
            (3, self._odd_member),
            (3, self._half_pair),
            (2, self._nested),
            (3, self._written_oddly),
            (3, self._notification),
            (2, self._answer_to_nothing),
            (4, self._unreadable),
            (2, self._no_message),
            (1, self._long),
        ]
        weights, makers = zip(*kinds, strict=True)
        for _ in range(count):
            yield self._random.choices(makers, weights)[0]()

    # Parts

    def _id(self) -> Any:
        self._count += 1
        number = self._count
        forms: list[Any] = [
            number,
            -number,
            2**60 + number,
            10**30 + number,
            f"{self._prefix}{number}",
            f"é🙂{number}",
            f'"\\{number}\0\n',
            f"{number}.0",
            "i" * 5_000 + str(number),
        ]
        return self._random.choice(forms)

    def _value(self, depth: int = 0) -> Any:
        kind = self._random.randrange(9 if depth < 3 else 6)
        if kind < 3:
            return self._random.choice(TEXTS)
        if kind < 5:
            return self._random.choice(NUMBERS)
        if kind < 6:
            return self._random.choice([None, True, False])
        if kind < 7:
            return [self._value(depth + 1) for _ in range(self._random.randrange(4))]
        return {self._random.choice(TEXTS): self._value(depth + 1) for _ in range(self._random.randrange(4))}

    def _params(self, **given: Any) -> dict[str, Any]:
        meta: dict[str, Any] = dict(ENVELOPE) if self._is_modern else {}
        if self._random.random() < 0.2:
            meta[self._random.choice(["progressToken", "x", *ENVELOPE])] = self._value()
        if self._random.random() < 0.02:
            return {**given, "_meta": self._value()}
        return {**given, "_meta": meta} if meta else given

    def _message(self, method: Any, params: Any, **more: Any) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": self._id(), "method": method, "params": params, **more}
        if params is None:
            del message["params"]
        members = list(message.items())
        self._random.shuffle(members)
        return dict(members)

    def _owned(self, message: dict[str, Any], line: bytes | None = None) -> Envelope:
        params = message.get("params")
        name = params.get("name", params.get("uri")) if isinstance(params, dict) else None
        method = message.get("method")
        return Envelope(
            json.dumps(message, ensure_ascii=self._random.random() < 0.5).encode("utf-8", "surrogatepass")
            if line is None
            else line,
            OWN,
            message["id"],
            method if isinstance(method, str) else None,
            name if isinstance(name, str) else None,
        )

    # Kinds

    def _request(self) -> Envelope:
        method = self._random.choice(METHODS)
        more = {self._random.choice(TEXTS): self._value()} if self._random.random() < 0.3 else {}
        return self._owned(self._message(method, self._params(**more)))

    def _call(self) -> Envelope:
        names: list[Any] = [
            "chant_status",
            "chant_spec_get",
            "chant_ready",
            "chant_lint",
            "no_such",
            "",
            None,
            5,
        ]
        given = {"name": self._random.choice(names), "arguments": self._value()}
        if self._random.random() < 0.5:
            given["arguments"] = {"id": "001", "brief": True}
        return self._owned(self._message("tools/call", self._params(**given)))

    def _read(self) -> Envelope:
        if self._random.random() < 0.5:
            given = {"uri": self._random.choice(["vine://spec/brief", "x:y", self._value()])}
            return self._owned(self._message("resources/read", self._params(**given)))
        return self._owned(self._message("prompts/get", self._params(name=self._value())))

    def _odd_id(self) -> Envelope:
        self._count += 1
        number, message = self._count, {"jsonrpc": "2.0", "method": "ping", "params": self._params()}
        form = self._random.randrange(4)
        if form == 0:  # an integer, written as a number with a point
            return Envelope(json.dumps({**message, "id": float(number)}).encode(), OWN, number, "ping")
        if form == 1:
            return Envelope(json.dumps({**message, "id": number + 0.5}).encode(), OWN, number + 0.5, "ping")
        if form == 2:
            id = self._random.choice([None, True, False, [], [1], {}, {"id": 1}])
            return Envelope(json.dumps({**message, "id": id}).encode(), UNNAMED, None, "ping")
        return Envelope(json.dumps({**message, "id": "i" * 20_000}).encode(), UNNAMED, None, "ping")

    def _odd_params(self) -> Envelope:
        params = self._random.choice([[], [1], "x", 5, True, None, [{}]])
        return self._owned({**self._message("ping", None), "params": params})

    def _odd_member(self) -> Envelope:
        message = self._message("ping", self._params())
        name = self._random.choice(["jsonrpc", "method", "more", "twice"])
        if name == "jsonrpc":
            message["jsonrpc"] = self._random.choice(["1.0", 2.0, 2, None, "", ["2.0"], "2.0 "])
        elif name == "method":
            message["method"] = self._random.choice([5, None, True, [], {}])
        elif name == "more":
            message[self._random.choice(["extra", "", "jsonRPC", "ID", "Method"])] = self._value()
        else:
            line = json.dumps(message)[:-1] + ', "method": "ping", "jsonrpc": "2.0"}'
            return self._owned(message, line.encode())
        return self._owned(message)

    def _half_pair(self) -> Envelope:
        half = self._random.choice(["\\ud800", "\\udfff", "\\ud83d x", "\\udc00\\ud800"])
        self._count += 1
        if self._random.random() < 0.3:
            text = f'{{"jsonrpc":"2.0","id":"{self._count}{half}","method":"ping"}}'
            return Envelope(text.encode(), OWN, json.loads(f'"{self._count}{half}"'), "ping")
        place = self._random.choice(
            [
                '"method":"HALF"',
                '"method":"ping","params":{"HALF":1}',
                '"method":"resources/read","params":{"uri":"x:HALF"}',
                '"method":"prompts/get","params":{"name":"HALF"}',
                '"method":"tools/call","params":{"name":"HALF"}',
                '"method":"tools/call","params":{"name":"chant_ready","arguments":{"HALF":"HALF"}}',
                '"method":"ping","params":{"_meta":{"progressToken":"HALF"}}',
            ]
        )
        text = f'{{"jsonrpc":"2.0","id":{self._count},{place.replace("HALF", half)}}}'
        return Envelope(text.encode(), OWN, self._count)

    def _nested(self) -> Envelope:
        self._count += 1
        depth = self._random.choice([50, 150, 190, 199, 201, 250, 1_000, 5_000])
        left, right = self._random.choice([("[", "]"), ('{"a":', "}")])
        deep = left * depth + "1" + right * depth
        text = f'{{"jsonrpc":"2.0","id":{self._count},"method":"ping","params":{{"a":{deep}}}}}'
        if self._random.random() < 0.5:
            text = f'{{"jsonrpc":"2.0","method":"ping","params":{{"id":7,"a":{deep}}},"id":{self._count}}}'
        return Envelope(text.encode(), OWN, self._count, "ping")

    def _written_oddly(self) -> Envelope:
        """Make a usual message in letters that a writer need not choose."""
        message = self._message("ping", self._params())
        text = json.dumps(message)
        form = self._random.randrange(4)
        if form == 0:
            text = text.replace('"id"', '"\\u0069d"').replace('"method"', '"meth\\u006Fd"')
        elif form == 1:
            text = text.replace('": ', '" \t :\r  ').replace(', "', ' ,\t"')
        elif form == 2:
            text = f" \t{text}\r"
        else:
            text = "{" + f'"id": 1, "id": "x", {text[1:]}'  # the last one counts
        return self._owned(message, text.encode())

    def _notification(self) -> Envelope:
        message = {"jsonrpc": "2.0", "method": self._random.choice(NOTIFICATIONS), "params": self._params()}
        return Envelope(json.dumps(message).encode(), NOTHING, None, message["method"])

    def _answer_to_nothing(self) -> Envelope:
        answer = self._random.choice([{"result": {}}, {"error": {"code": 1, "message": "x"}}])
        return Envelope(json.dumps({"jsonrpc": "2.0", "id": self._id(), **answer}).encode(), NOTHING)

    def _unreadable(self) -> Envelope:
        line = json.dumps(self._message("ping", {}), ensure_ascii=False)
        at = self._random.randrange(1, len(line))
        broken = [
            line.encode()[:-1],
            line.encode() + b"}",
            line.encode("utf-16"),
            line.encode("utf-32"),
            line.encode() + b"\0",
            b"\0" + line.encode(),
            line.encode().replace(b"ping", b"p\xffng"),
            line.encode().replace(b"ping", b"p\xc3\x28ng"),
            line.encode().replace(b"ping", b"p\xed\xa0\x80ng"),
            line.encode().replace(b"ping", b"p\0ng"),
            line.encode().replace(b"ping", b"p\\xng"),
            line.replace('"', "'").encode(),
            line.replace(":", "=", 1).encode(),
            f"{line[:at]}\x01{line[at:]}".encode(),
            b"nonsense",
            b"-",
            b"\xff\xfe",
            b"{" * 100,
            b"[" * 120_000,
        ]
        return Envelope(self._random.choice(broken).replace(b"\n", b"\\"), UNNAMED)

    def _no_message(self) -> Envelope:
        usual = self._message("ping", {})
        others = [[usual], [usual, usual], [], 5, "ping", None, True, 1.5, {}, {"a": 1}, {"jsonrpc": "2.0"}]
        return Envelope(json.dumps(self._random.choice(others)).encode(), UNNAMED)

    def _long(self) -> Envelope:
        text = "x" * self._random.choice([9_000, 20_000, 200_000])
        place = self._random.randrange(4)
        if place == 0:
            return self._owned(self._message(text, self._params()))
        if place == 1:
            return self._owned(self._message("resources/read", self._params(uri=text)))
        if place == 2:
            return self._owned(
                self._message("tools/call", self._params(name="chant_spec_get", arguments={"id": text}))
            )
        digits = self._random.choice([400, 5_000])
        message = self._message("ping", self._params(a=1))
        return self._owned(message, json.dumps(message).replace('"a": 1', f'"a": {"9" * digits}').encode())
