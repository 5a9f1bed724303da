"""Services: programs that work beside agents and checks, each run with its own, and none outlives it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from work.kit import ID, OTHER, Workshop, kill, lives, processes, wait_for
from work.recipe_kit import LARGE, Recipes, mounts

#: A page that each run has its own of, and a program that serves it.
PAGE = """\
  ports: [web]
  services:
    site:
      before: [[sh, -c, "echo made >> {data}/index.html"]]
      start: [PYTHON, -m, http.server, "{port.web}", --bind, 127.0.0.1, --directory, "{data}"]
      ready: {http: web/index.html}
"""

FETCH = "import sys, urllib.request as r; sys.stdout.write(r.urlopen(sys.argv[1]).read().decode())"


def with_python(text: str) -> str:
    """Name the interpreter."""
    return text.replace("PYTHON", json.dumps(sys.executable))


def fetched(path: str = "index.html") -> str:
    """Word a command of the shell that prints a page of the run's own site."""
    return f"{sys.executable} -c '{FETCH}' http://127.0.0.1:$CHANT_PORT_WEB/{path}"


@pytest.fixture
def recipes(shop: Workshop) -> Recipes:
    """Give a project with a recipe."""
    return Recipes(shop)


namespaces = pytest.mark.parametrize("has_namespaces", [False, pytest.param(True, marks=mounts)])


@pytest.fixture(autouse=True)
def without_namespaces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take namespaces away where the test asks for that."""
    if "has_namespaces" in request.fixturenames and not request.getfixturevalue("has_namespaces"):
        monkeypatch.setenv("CHANT_CONFINE_NO_NAMESPACES", "1")


@namespaces
def test_agents_and_checks_have_services_of_their_own(recipes: Recipes, has_namespaces: bool) -> None:
    check = f'test "$({fetched()})" = made'
    recipes.begin(more=with_python(PAGE), check=check)
    record = recipes.run(f"{check}; sleep 0.6; {check}")
    assert record["end_state"] == "completed", (record, recipes.shop.log(ID))
    assert [one["exit"] for one in record["checks"]] == [0]
    assert "left behind" not in recipes.shop.log(ID), "a service is none of the agent's processes"
    assert "services" not in record, "they have ended"
    assert processes() == [], has_namespaces


@namespaces
def test_services_end_with_a_runner_that_was_killed(recipes: Recipes, has_namespaces: bool) -> None:
    recipes.begin(more=with_python(PAGE), check="true")
    recipes.agent.write_text("touch here; while true; do sleep 0.05; done", encoding="utf-8")
    chant = recipes.shop.handle()
    chant.work_start(ID)
    record = recipes.shop.record(ID)
    wait_for((Path(record["worktree"]) / "here").exists, "the agent begins")
    record = recipes.shop.record(ID)
    (service,) = record["services"]
    assert (service["name"], lives(service["pid"])) == ("site", True)
    assert service["ends_with_leader"] == has_namespaces
    kill(record["pid"])
    if has_namespaces:
        wait_for(lambda: not lives(service["pid"]), "the service ends by itself")
    recipes.shop.handle().work_list()
    wait_for(lambda: recipes.shop.record(ID)["status"] != "running", "the recovery")
    wait_for(lambda: not processes(), lambda: f"the end of {processes()}")
    assert not lives(service["pid"])


BOMB = (
    "[PYTHON, -m, http.server",
    "[sh, -c, 'for i in $(seq 400); do setsid -f sleep 600; done; exec sleep 600'",
)


@namespaces
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("[PYTHON, -m, http.server", "[sh, -c, 'echo no room >&2; exit 3'"), ["it ended", "no room"]),
        (("[PYTHON, -m, http.server", "[no-such-program"), ["`no-such-program` cannot be started"]),
        (
            ("web/index.html}", "web/none.html, seconds: 1}"),
            ["`/none.html` of port `web` does not answer with success after 1 s"],
        ),
        (("echo made >> {data}/index.html", "exit 4"), ["ended with exit code 4"]),
        (BOMB, ["it ended", "more than 150 processes and threads at once", "`limits.processes`"]),
    ],
)
def test_a_service_that_is_not_ready_stops_the_start(
    recipes: Recipes, change: tuple[str, str], said: list[str], has_namespaces: bool
) -> None:
    limits = "limits:\n  processes: 150\n"
    recipes.begin(more=with_python(PAGE.replace(*change)) + limits, check="true")
    with pytest.raises(Exception, match="Service 'site' is not ready") as refused:
        recipes.run("true")
    assert [words for words in said if words not in str(refused.value)] == [], refused.value
    wait_for(lambda: not processes(), lambda: f"the end of {processes()}")
    record = recipes.run("true", bare=True)
    assert record["end_state"] == "completed", (record, has_namespaces)


@mounts
def test_a_service_sees_what_the_agent_changes_in_a_mounted_layer(recipes: Recipes) -> None:
    served = PAGE.replace('"{data}"', "node_modules").replace("web/index.html", "web/lib/7.txt, seconds: 20")
    recipes.begin(more=with_python(served), check=f'test "$({fetched("lib/7.txt")})" = 7')
    recipes.step.write_text(LARGE, encoding="utf-8")
    look = f'test "$({fetched("lib/7.txt")})" = 7; echo mine > node_modules/lib/7.txt; sleep 0.1'
    record = recipes.run(f'{look}; test "$({fetched("lib/7.txt")})" = mine')
    assert record["end_state"] == "completed", (record, recipes.shop.log(ID))
    assert recipes.shop.handle().environment_verify().text.endswith("as it was sealed")
    second = recipes.run(f'test "$({fetched("lib/7.txt")})" = 7', OTHER)
    assert second["end_state"] == "completed", second


def test_a_service_is_asked_to_end_by_its_own_command(recipes: Recipes) -> None:
    traces = Path(os.environ["HOME"]) / ".config" / "traces"
    script = "trap 'exit 0' USR1; echo $$ > \"$1/pid\"; while true; do sleep 0.05; done"
    services = (
        "  services:\n    one:\n"
        f"      start: [sh, -c, {json.dumps(script)}, sh, '{{data}}']\n"
        "      ready: {command: [test, -s, '{data}/pid']}\n"
        f"      stop: [sh, -c, 'echo asked >> {traces}/asked']\n"
    )
    recipes.begin(more=services, check="true")
    traces.mkdir(parents=True, exist_ok=True)
    record = recipes.run("true")
    assert record["end_state"] == "completed", (record, recipes.shop.log(ID))
    assert (traces / "asked").read_text("utf-8").splitlines() == ["asked", "asked"], "that of the check, too"
    assert processes() == []


def test_eight_runs_with_a_server_each_do_not_collide(recipes: Recipes) -> None:
    ids = [f"2026-01-22-0{number}-abc" for number in range(10, 18)]
    served = PAGE.replace('"{data}"', ".").replace("web/index.html", "web/deps.txt")
    recipes.begin(more=with_python(served), check="true")
    for id in ids:
        recipes.shop.spec(id, criteria=["Works"])
    recipes.shop.commit("Eight")
    traces = Path(os.environ["HOME"]) / ".config" / "traces"
    traces.mkdir(parents=True, exist_ok=True)
    together = f"touch {traces}/$CHANT_SPEC_ID; while test $(ls {traces} | wc -l) -lt 8; do sleep 0.1; done"
    page = (
        f'echo "$CHANT_SPEC_ID" > page.txt; test "$({fetched("page.txt")})" = "$CHANT_SPEC_ID"; rm page.txt'
    )
    tick = 'sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"; echo x > "$CHANT_SPEC_ID.txt"'
    end = f"{tick}; git add -A; git commit -qm Work"
    recipes.agent.write_text(f"set -e\n{together}\n{page}\n{end}\n", encoding="utf-8")
    chant = recipes.shop.handle()
    for id in ids:
        chant.work_start(id)
    records = [recipes.shop.ended(id) for id in ids]
    assert [record["end_state"] for record in records] == ["completed"] * 8, records
    assert len({dict(record["ports"])["web"] for record in records}) == 8
    assert processes() == []
