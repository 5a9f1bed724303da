"""A network of hosts: runs reach named hosts and nothing else, and never see the user's credentials."""

from __future__ import annotations

import json
import os
import re
import socket
import sys
from pathlib import Path

import pytest
from harness import user_config
from work.kit import ID, OTHER, Record, Workshop, processes, wait_for
from work.outside import CLIENT, api, users_proxy
from work.recipe_kit import Recipes, mounts
from work.test_services import fetched

pytestmark = mounts

SECRET = "s3cret-of-the-user"


@pytest.fixture
def recipes(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Recipes:
    """Give a project whose user lets runs reach hosts by a list."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    return Recipes(shop)


class World:
    """A project, a user's configuration, and processes that reach out."""

    def __init__(self, recipes: Recipes) -> None:
        self.recipes = recipes
        self.client = recipes.beside / "private" / "client.py"
        self.client.parent.mkdir(exist_ok=True)
        self.client.write_text(CLIENT, encoding="utf-8")

    def user(self, yaml: str) -> None:
        """Write the user's own configuration: what is beside the list of hosts."""
        path = user_config()
        hosts = "confine: {network: hosts, hosts: [good.example, '*.wild.example'], "
        text = path.read_text("utf-8").replace("confine: {", hosts, 1)
        path.write_text(text.replace("---\n", f"---\n{yaml}", 1), encoding="utf-8")

    def asks(self, *ways: str) -> str:
        """Word a command of the shell that tries some ways out and prints how they went."""
        lines = " ".join(f"'{way}'" for way in ways)
        return f"printf '%s\\n' {lines} | {sys.executable} {self.client}"

    def run(self, *ways: str) -> tuple[Record, dict[str, str]]:
        """Have an agent try some ways out; gives the record and how they went."""
        record = self.recipes.run(f"{self.asks(*ways)} > found.txt")
        found = self.recipes.shop.main("found.txt") or ""
        pairs = (line.split(" -> ") for line in found.splitlines())
        return record, dict(pairs)


@pytest.fixture
def world(recipes: Recipes) -> World:
    """Give a project and a client."""
    return World(recipes)


def test_agents_and_checks_reach_named_hosts_and_nothing_else(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with users_proxy() as proxy, socket.create_server(("127.0.0.1", 0)) as here:
        monkeypatch.setenv("HTTPS_PROXY", proxy.address)
        port, own = here.getsockname()[1], socket.gethostname()
        ways = {
            'connect("good.example:443")': "outside",
            'connect("a.wild.example:443")': "outside",
            'connect("evil.example:443")': "403",
            'connect("wild.example:443")': "403",
            'connect("good.example:80")': "403",
            'connect("good.example:22")': "403",
            'connect("good.example:443", "evil.example")': "closed",
            'connect("good.example:443", "")': "closed",
            'connect("good.example:443", first=b"SSH-2.0-x\\r\\n")': "closed",
            'connect("93.184.215.14:443")': "403",
            'connect("127.0.0.1:443")': "403",
            'connect("[::1]:443")': "403",
            'connect("169.254.169.254:443")': "403",
            'connect("localhost:443")': "403",
            'ask("http://127.0.0.1:911/b/none/x")': "403",
            'ask("http://127.0.0.1:911/")': "403",
            f'direct("127.0.0.1", {port})': "ConnectionRefusedError",
            f'direct("127.0.0.1", {proxy.port})': "ConnectionRefusedError",
            f'datagram("{"192.0.2.1"}", 53)': "OSError",
            'direct("192.0.2.1", 443)': "OSError",
            f'direct("{own}", {port})': None,
        }
        world.user("")
        check = world.asks('connect("good.example:443")') + " | grep -q outside"
        world.recipes.begin(check=check)
        record, found = world.run(*ways)
    assert record["end_state"] == "completed", (record, world.recipes.shop.log(ID))
    wrong = {way: found.get(way) for way, said in ways.items() if said and found.get(way) != said}
    assert not wrong
    assert not found[f'direct("{own}", {port})'].isdigit(), "this machine under another name"
    assert set(proxy.hosts) == {"good.example:443", "a.wild.example:443"}
    assert sorted(record["network"]["reached"]) == ["a.wild.example", "good.example"]
    assert record["network"]["refused"]["evil.example"] == "it is none of the allowed hosts"
    assert "; network: of its own, whose broker reaches " in record["confinement"]
    assert processes() == []


def test_without_the_rule_a_run_reaches_servers_of_this_machine(world: World) -> None:
    with api() as port:
        world.user("")
        text = user_config().read_text("utf-8")
        user_config().write_text(text.replace("network: hosts", "network: open"), encoding="utf-8")
        world.recipes.begin(check="true")
        way = f'direct("127.0.0.1", {port})'
        record, found = world.run(way)
    assert (record["end_state"], found) == ("completed", {way: "200"})
    assert "network" not in record
    assert record["confinement"].endswith("; network: open")


def test_a_run_without_a_network_says_so(recipes: Recipes) -> None:
    recipes.begin(more="confine: {network: none}\n", check="true")
    assert recipes.run("true")["confinement"].endswith("; network: none")


def test_names_that_lead_to_this_machine_are_refused_whatever_the_list_says(world: World) -> None:
    world.user("")
    text = user_config().read_text("utf-8")
    user_config().write_text(text.replace("good.example", "'*'"), encoding="utf-8")
    world.recipes.begin(check="true")
    record, found = world.run('connect("localhost:443")', f'connect("{socket.gethostname()}:443")')
    assert record["end_state"] == "completed"
    assert set(found.values()) == {"502"}, found
    assert "leads to this machine" in record["network"]["refused"]["localhost"]


ROUTE = """\
environment:
  routes:
    model:
      to: http://127.0.0.1:PORT/base
      secret: {variable: MODEL_SECRET}
      header: X-Key
      methods: [GET, POST]
      paths: [/v1]
      variables: {MODEL_ADDRESS: "{route}", MODEL_SECRET: placeholder}
"""


def test_a_route_adds_a_credential_that_the_agent_never_sees(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_SECRET", SECRET)
    base = 'os.environ["MODEL_ADDRESS"]'
    ways = {
        f'ask({base} + "/v1/x?q=1", **{{"X-Key": "own", "Cookie": "own"}})': "GET /base/v1/x?q=1 - right",
        f'ask({base} + "/v1/x", "POST", b"text")': "POST /base/v1/x text right",
        f'ask({base} + "/v1/x", "POST", iter([b"te", b"xt"]))': "POST /base/v1/x text right",
        f'ask({base} + "/v1/x", "DELETE")': "403",
        f'ask({base} + "/v2/x")': "403",
        f'ask({base} + "/v1/../v2")': "403",
        f'ask({base} + "/v1/%2e%2e/v2")': "403",
        f'ask({base} + "/v1/x", Host="evil.example")': "403",
        'os.environ["MODEL_SECRET"]': "placeholder",
    }
    with api() as port:
        world.user(ROUTE.replace("PORT", str(port)))
        world.recipes.begin(check='test -z "$MODEL_ADDRESS"')
        look = f'! env | grep {SECRET}; ! grep -rsl {SECRET} /proc/*/environ . "$HOME" 2>/dev/null | grep .'
        record = world.recipes.run(f"{world.asks(*ways)} > found.txt; {look}")
    found = dict(line.split(" -> ") for line in (world.recipes.shop.main("found.txt") or "").splitlines())
    assert record["end_state"] == "completed", (record, world.recipes.shop.log(ID))
    assert found == ways
    assert SECRET not in world.recipes.shop.log(ID)
    assert SECRET not in json.dumps(record)
    assert sorted(record["network"]["reached"]) == ["route model"]


def test_a_route_without_a_credential_stops_the_start(world: World) -> None:
    world.user(ROUTE.replace("PORT", "9"))
    world.recipes.begin(check="true")
    with pytest.raises(Exception, match="route `model`: the variable MODEL_SECRET is not set"):
        world.recipes.run("true")


def test_what_was_refused_is_named_where_a_run_or_a_recipe_failed(world: World) -> None:
    world.user("")
    world.recipes.begin(check="true")
    asks = world.asks('connect("evil.example:443")')
    record = world.recipes.run(f"{asks}; exit 3")
    assert record["end_state"] == "failed"
    said = "The network refused evil.example (it is none of the allowed hosts); `confine.hosts` of your own"
    assert said in record["reason"], record["reason"]
    world.recipes.step.write_text(f"{asks}; exit 4", encoding="utf-8")
    (world.recipes.shop.root / "deps.txt").write_text("two\n", encoding="utf-8")
    world.recipes.shop.commit("Other inputs")
    with pytest.raises(Exception, match=re.escape(said)) as failed:
        world.recipes.run("true", OTHER)
    assert "Recipe 'deps' failed" in str(failed.value)


def test_recipes_reach_named_hosts(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with users_proxy() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.address)
        world.user("")
        world.recipes.begin(check="grep -q outside node_modules/list.txt")
        asks = world.asks('connect("good.example:443")')
        world.recipes.step.write_text(f"mkdir node_modules; {asks} > node_modules/list.txt", encoding="utf-8")
        record = world.recipes.run("true")
    assert record["end_state"] == "completed", (record, world.recipes.shop.log(ID))
    assert proxy.hosts == ["good.example:443"]


SERVICE = """\
  ports: [web]
  services:
    site:
      start: [PYTHON, -m, http.server, "{port.web}", --bind, 127.0.0.1]
      ready: {http: web/deps.txt}
    fixed:
      start: [PYTHON, -m, http.server, "3000", --bind, 127.0.0.1]
"""


def test_services_are_reached_by_their_run_and_its_preview_alone(world: World) -> None:
    world.user("")
    services = SERVICE.replace("PYTHON", json.dumps(sys.executable))
    check = f'test "$({fetched("deps.txt")})" = one'
    world.recipes.begin(more=services, check=check)
    go = Path(os.environ["HOME"]) / ".config" / "go"
    is_there = world.asks('direct("127.0.0.1", 3000)')
    waits = f"until {is_there} | grep -q 200; do sleep 0.1; done"
    script = f"{check}; {waits}; touch here; while test ! -e {go}; do sleep 0.1; done"
    world.recipes.script(script)
    chant = world.recipes.shop.handle()
    for id in (ID, OTHER):
        chant.work_start(id)
    ports = {}
    for id in (ID, OTHER):
        record = world.recipes.shop.record(id)
        wait_for((Path(record["worktree"]) / "here").exists, lambda: world.recipes.shop.log(ID))
        (port,) = chant.environment_ports(id).data["ports"]
        ports[id] = port["port"]
        assert port["is_listening"], "by the run's own loopback"
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port["port"]), timeout=5)
        network = chant.environment_network(id)
        for number in (port["port"], 3000):
            with socket.socket(fileno=network.connect(number)) as stream:
                stream.sendall(b"GET /deps.txt HTTP/1.0\r\n\r\n")
                assert b"200" in stream.recv(4096)
        with pytest.raises(OSError, match="refused"):
            network.connect(9)
        del network
    go.parent.mkdir(parents=True, exist_ok=True)
    go.touch()
    for id in (ID, OTHER):
        record = world.recipes.shop.ended(id)
        assert record["end_state"] == "completed", (record, world.recipes.shop.log(id))
    assert processes() == []


def test_without_namespaces_a_network_of_hosts_is_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHANT_CONFINE_NO_NAMESPACES", "1")
    world.user("")
    world.recipes.begin(check="true")
    with pytest.raises(Exception, match=re.escape("`confine.network: hosts` needs namespaces of Linux")):
        world.recipes.run("true")


def test_a_project_can_ask_for_less(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with users_proxy() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.address)
        own = "confine: {network: hosts, hosts: [project.example]}\n"
        world.recipes.begin(more=own, check="true")
        record, found = world.run('connect("project.example:443")', 'connect("good.example:443")')
    assert record["end_state"] == "completed"
    assert list(found.values()) == ["outside", "403"]
