"""The environment of runs and checks: what recipes install, sealed, copied, and true to the commit."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from chant_mcp.errors import RefusedError
from harness import opened, user_config
from work.kit import ID, OTHER, Workshop, wait_for, worktree_root
from work.recipe_kit import LARGE, Recipes, mounts
from writing import git


@pytest.fixture
def recipes(shop: Workshop) -> Recipes:
    """Give a project with a recipe."""
    return Recipes(shop)


def test_runs_and_checks_have_what_a_recipe_installs_built_once(recipes: Recipes) -> None:
    recipes.begin()
    look = (
        "grep -q one node_modules/list.txt; test -L node_modules/link.txt;"
        ' head -1 node_modules/.bin/tool | grep -q "^#!$PWD/node_modules/interpreter";'
        ' echo mine >> node_modules/list.txt; test -z "$(git status --porcelain)"'
    )
    first = recipes.run(look)
    assert first["end_state"] == "completed", first
    second = recipes.run(look, OTHER)
    assert second["end_state"] == "completed", second
    (layer,) = recipes.layers()
    assert (layer / "files" / "node_modules" / "list.txt").read_text("utf-8") == "one\n"
    assert first["environment"] == second["environment"]
    (entry,) = first["environment"]
    assert (entry["recipe"], entry["key"]) == ("deps", layer.name)
    assert [check["exit"] for check in first["checks"]] == [0]
    claimed = recipes.shop.handle().receipt_verify(ID).text
    assert f"environment: deps@{entry['key'][:12]} {entry['hash'][:12]}" in claimed
    assert recipes.shop.handle().environment_verify().text.endswith("as it was sealed")


def test_files_of_a_layer_have_one_name_and_are_compared_with_its_manifest(recipes: Recipes) -> None:
    recipes.begin()
    chant = recipes.shop.handle()
    assert chant.environment_build().text.startswith("deps: built in ")
    assert chant.environment_build().text.startswith("deps: there already")
    (layer,) = recipes.layers()
    files = [path for path in (layer / "files").rglob("*") if path.is_file() and not path.is_symlink()]
    assert len(files) == 3
    assert {path.stat().st_nlink for path in files} == {1}
    changed = layer / "files" / "node_modules" / "list.txt"
    changed.write_text("two\n", encoding="utf-8")
    with pytest.raises(RefusedError, match="changed: node_modules/list"):
        chant.environment_verify()
    assert "Removed 1 layer" in chant.environment_prune(all=True).text
    assert recipes.layers() == []


#: What an installer does in a folder of dependencies, and what a run may not reach.
INSTALLER = """\
test "$(head -1 node_modules/.bin/tool)" = "#!$PWD/node_modules/interpreter"
test "$(readlink node_modules/absolute)" = "$PWD/node_modules/list.txt"
test "$(ls node_modules/lib | wc -l)" = 2101
echo mine >> node_modules/lib/7.txt
rm -r node_modules/lib/old; mkdir node_modules/lib/old; echo new > node_modules/lib/old/other
test ! -e node_modules/lib/old/file
mv node_modules/lib/8.txt node_modules/lib/moved.txt; rm node_modules/lib/9.txt
ln node_modules/lib/10.txt node_modules/second; chmod 600 node_modules/lib/11.txt
test -z "$(git status --porcelain)"
for hidden in {layer}/files/node_modules/lib/7.txt "$PWD.views/mounts.json"; do
  chmod 777 $hidden 2>/dev/null && exit 8; test -e $hidden && exit 9
  echo evil 2>/dev/null > $hidden && exit 11; true
done
ls ../.layers 2>/dev/null && exit 10
umount node_modules 2>/dev/null && exit 12; mount -t tmpfs none node_modules 2>/dev/null && exit 13
"""


@mounts
def test_a_large_layer_is_mounted_and_no_run_changes_it(recipes: Recipes) -> None:
    check = "test $(cat node_modules/lib/7.txt) = 7 && test -e node_modules/lib/9.txt"
    recipes.begin(check=check)
    recipes.step.write_text(LARGE, encoding="utf-8")
    recipes.shop.handle().environment_build()
    (layer,) = recipes.layers()
    first = recipes.run(INSTALLER.format(layer=layer))
    assert first["end_state"] == "completed", first
    second = recipes.run("grep -qx 7 node_modules/lib/7.txt; grep -q old node_modules/lib/old/file", OTHER)
    assert second["end_state"] == "completed", second
    assert recipes.shop.handle().environment_verify().text.endswith("as it was sealed")
    assert list(worktree_root().glob("*/*.views")) == [], "the mounts go with the folder"


@mounts
def test_a_run_with_a_copy_reaches_no_layer(recipes: Recipes) -> None:
    recipes.begin()
    recipes.shop.handle().environment_build()
    (layer,) = recipes.layers()
    record = recipes.run(f"chmod 777 {layer}/files/node_modules/list.txt 2>/dev/null && exit 8; true")
    assert record["end_state"] == "completed", record
    assert recipes.shop.handle().environment_verify().text.endswith("as it was sealed")


@mounts
def test_a_folder_that_a_person_gets_has_a_copy_of_the_layer(recipes: Recipes) -> None:
    recipes.begin()
    recipes.step.write_text(LARGE, encoding="utf-8")
    recipes.agent.write_text("echo mine >> node_modules/lib/7.txt; exit 3", encoding="utf-8")
    recipes.shop.handle().work_start(ID)
    record = recipes.shop.ended(ID)
    assert record["end_state"] == "failed", record
    folder = Path(record["worktree"])
    assert (folder / "node_modules" / "lib" / "7.txt").read_text("utf-8") == "7\n"
    assert len(list((folder / "node_modules" / "lib").iterdir())) == 2101
    first = (folder / "node_modules" / ".bin" / "tool").read_text("utf-8")
    assert first == f"#!{folder}/node_modules/interpreter\n"
    record = recipes.run("grep -qx 7 node_modules/lib/7.txt")
    assert record["end_state"] == "completed", record


CACHE = """\
echo built >> "{marks}"
test "$HOME_OF_TOOL" = "$PWD/.chant-caches/tool"
for i in 1 2 3; do echo $i > "$HOME_OF_TOOL/$i.txt"; done
echo "$HOME_OF_TOOL and $PWD" > "$HOME_OF_TOOL/where"
"""


@pytest.mark.parametrize("is_mounted", [False, pytest.param(True, marks=mounts)])
def test_a_cache_that_a_recipe_fills_is_one_folder_for_runs_and_each_has_its_own(
    recipes: Recipes, monkeypatch: pytest.MonkeyPatch, is_mounted: bool
) -> None:
    if not is_mounted:
        monkeypatch.setenv("CHANT_CONFINE_NO_NAMESPACES", "1")
    check = 'test "$(cat $HOME_OF_TOOL/1.txt)" = 1 && test ! -e .chant-caches'
    recipes.begin(check=check)
    path = recipes.shop.root / ".chant" / "config.md"
    cached = 'caches: [tool]\n      variables: {HOME_OF_TOOL: "{cache.tool}"}'
    path.write_text(path.read_text("utf-8").replace("outputs: [node_modules]", cached), encoding="utf-8")
    recipes.shop.commit()
    recipes.step.write_text(CACHE.format(marks=recipes.marks), encoding="utf-8")
    look = (
        'grep -q "^$HOME_OF_TOOL and $PWD$" "$HOME_OF_TOOL/where"; echo 9 > "$HOME_OF_TOOL/1.txt";'
        ' echo "$HOME_OF_TOOL" > where; test ! -e node_modules; test ! -e .chant-caches'
    )
    ends = [recipes.run(look, id) for id in (ID, OTHER)]
    assert [record["end_state"] for record in ends] == ["completed", "completed"], ends
    assert recipes.marks.read_text("utf-8") == "built\n"
    where = [git(recipes.shop.root, "show", f"{record['merge']['commit']}:where") for record in ends]
    assert (where[0] == where[1]) == is_mounted, "builds remember the path of what is mounted"


@mounts
def test_a_layer_that_a_run_mounts_is_not_removed(recipes: Recipes) -> None:
    recipes.begin()
    recipes.step.write_text(LARGE, encoding="utf-8")
    waits = "touch here; while ! test -e go; do sleep 0.05; done; test -e node_modules/lib/7.txt"
    recipes.agent.write_text(waits, encoding="utf-8")
    chant = recipes.shop.handle()
    chant.work_start(ID)
    folder = Path(recipes.shop.record(ID)["worktree"])
    try:
        wait_for((folder / "here").exists, "the agent begins")
        assert "1 layer stayed: runs use them" in chant.environment_prune(all=True).text
    finally:
        (folder / "go").touch()
    record = recipes.shop.ended(ID)
    assert len(recipes.layers()) == 1, record


def test_without_namespaces_a_large_layer_is_copied(
    recipes: Recipes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHANT_CONFINE_NO_NAMESPACES", "1")
    recipes.begin()
    recipes.step.write_text(LARGE, encoding="utf-8")
    record = recipes.run("rm node_modules/lib/9.txt; test ! -e ../$(basename $PWD).views")
    assert record["end_state"] == "completed", record


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("echo no such package >&2; exit 3", ["ended with exit code 3", "no such package", "--bare"]),
        ("echo no such package; exit 3", ["ended with exit code 3", "no such package", "--bare"]),
        ("mkdir node_modules; echo x > node_modules/a; echo y > stray.txt", ["also made stray.txt"]),
        ("true", ["made nothing that fits `node_modules`"]),
    ],
)
def test_a_recipe_that_fails_stops_the_start_and_bare_starts_all_the_same(
    recipes: Recipes, step: str, said: list[str]
) -> None:
    recipes.begin(check="true")
    recipes.step.write_text(step, encoding="utf-8")
    with pytest.raises(Exception, match="ecipe 'deps'") as refused:
        recipes.run("true")
    assert [words for words in said if words not in str(refused.value)] == []
    assert recipes.layers() == []
    record = recipes.run("test ! -e node_modules", bare=True)
    assert record["end_state"] == "completed", record


def test_checks_of_changed_inputs_wait_for_a_person_and_run_with_a_candidate(recipes: Recipes) -> None:
    recipes.begin(check="grep -q two node_modules/list.txt")
    record = recipes.run("echo two >> deps.txt")
    assert record["end_state"] == "needs_attention", record
    assert "the work changes what recipe 'deps' installs from (deps.txt)" in record["reason"]
    assert len(recipes.layers()) == 1
    recipes.shop.handle().merge(ID)
    record = recipes.shop.record(ID)
    assert record["end_state"] == "completed", record
    (entry,) = record["environment"]
    assert entry["is_candidate"]
    assert len(recipes.layers()) == 1, "a candidate goes with its checks"
    assert recipes.shop.handle().environment_build().text.startswith("deps: built in ")


def test_what_a_run_installed_is_not_seen_by_its_checks(recipes: Recipes) -> None:
    recipes.begin(check="! grep -q forged node_modules/list.txt")
    record = recipes.run("echo forged >> node_modules/list.txt")
    assert record["end_state"] == "completed", record


def test_each_run_has_ports_of_its_own(recipes: Recipes) -> None:
    more = "  ports: [web, api]\n  variables: {SITE: 'http://localhost:{port.api}/'}\n"
    recipes.begin(more=more, check='test -n "$CHANT_PORT_WEB"')
    seen = 'echo "$CHANT_PORT $CHANT_PORT_WEB $CHANT_PORT_API $SITE" > "$CHANT_SPEC_ID.port"'
    record = recipes.run(seen)
    assert record["end_state"] == "completed", record
    first, web, api, site = (recipes.shop.main(f"{ID}.port") or "").split()
    assert dict(record["ports"]) == {"web": int(web), "api": int(api)}
    assert (first, site) == (web, f"http://localhost:{api}/")
    assert int(api) == int(web) + 1


def test_recipes_are_shown_and_hashed_by_trust(recipes: Recipes) -> None:
    recipes.begin()
    shown = json.dumps(recipes.shop.handle().trust_report())
    assert "environment.recipes.deps" in shown


def test_a_recipe_of_a_folder_sees_and_fills_that_folder_alone(recipes: Recipes) -> None:
    recipes.begin(check="grep -q inside web/node_modules/list.txt && test ! -e node_modules")
    shop = recipes.shop
    (shop.root / "web").mkdir()
    (shop.root / "web" / "deps.txt").write_text("inside\n", encoding="utf-8")
    config = shop.root / ".chant" / "config.md"
    config.write_text(
        config.read_text("utf-8").replace("      inputs: ", "      in: web\n      inputs: "), encoding="utf-8"
    )
    shop.commit("Web")
    record = recipes.run('cd web; grep -q "^#!$PWD/" node_modules/.bin/tool; cd ..')
    assert record["end_state"] == "completed", record


VALUE = "not-for-anybody-else"


def lend(shop: Workshop, name: str = ".env") -> None:
    """Have the user's own configuration lend a file and variables to runs of the project."""
    own = Path(os.environ["XDG_CONFIG_HOME"]) / "chant" / "config.md"
    text = own.read_text("utf-8") if own.exists() else "---\n---\n"
    lent = f"environment:\n  files: {{{json.dumps(str(shop.root))}: [{name}]}}\n"
    lent += "  secrets: {agents: [LENT_TO_AGENT], checks: [LENT_TO_CHECK], setup: [LENT_TO_SETUP]}\n"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(text.replace("---\n", f"---\n{lent}", 1), encoding="utf-8")


def test_a_file_and_variables_of_the_user_reach_those_that_they_are_lent_to(
    recipes: Recipes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AGENT", "CHECK", "SETUP"):
        monkeypatch.setenv(f"LENT_TO_{name}", f"{name}-{VALUE}")
    lend(recipes.shop)
    nothing_else = 'test -z "$LENT_TO_AGENT$LENT_TO_SETUP" && test ! -e .env'
    recipes.begin(check=f'test "$LENT_TO_CHECK" = CHECK-{VALUE} && {nothing_else}')
    (recipes.shop.root / ".gitignore").write_text("node_modules/\n.env\n", encoding="utf-8")
    (recipes.shop.root / ".env").write_text(f"PASSWORD={VALUE}\n", encoding="utf-8")
    recipes.shop.commit()
    step = recipes.step.read_text("utf-8")
    asked = f'test "$LENT_TO_SETUP" = SETUP-{VALUE} -a -z "$LENT_TO_AGENT$LENT_TO_CHECK"\n'
    recipes.step.write_text(f"set -e\n{asked}{step}".replace("test -e done.txt && exit 9\n", ""), "utf-8")
    look = (
        f'grep -q {VALUE} .env; test "$(stat -c %a .env)" = 600; cat .env;'
        f' test "$LENT_TO_AGENT" = AGENT-{VALUE} -a -z "$LENT_TO_CHECK$LENT_TO_SETUP"; echo "$LENT_TO_AGENT"'
    )
    record = recipes.run(look)
    assert record["end_state"] == "completed", record
    log = recipes.shop.handle().log(ID).text
    assert ("PASSWORD=" in log, VALUE in log) == (True, False), log


def test_work_that_carries_a_value_of_a_lent_file_waits_for_a_person(recipes: Recipes) -> None:
    lend(recipes.shop)
    recipes.begin(check="true")
    (recipes.shop.root / ".gitignore").write_text("node_modules/\n.env\n", encoding="utf-8")
    (recipes.shop.root / ".env").write_text(f"A=short\nPASSWORD={VALUE}\n", encoding="utf-8")
    recipes.shop.commit()
    harmless = recipes.run("grep -v PASS .env > copied.txt")
    assert harmless["end_state"] == "completed", harmless
    record = recipes.run("grep PASS .env | sed s/PASS/WORD/ > copied2.txt", OTHER)
    assert record["end_state"] == "needs_attention", record
    assert "carries a value of a file of yours: copied2.txt" in record["reason"]


def test_a_project_lends_nothing_of_the_user(recipes: Recipes) -> None:
    more = f"  files: {{{json.dumps(str(recipes.shop.root))}: [.env]}}\n  secrets: {{agents: [HOME_TOKEN]}}\n"
    recipes.begin(check="true", more=more)
    (recipes.shop.root / ".gitignore").write_text("node_modules/\n.env\n", encoding="utf-8")
    (recipes.shop.root / ".env").write_text(f"PASSWORD={VALUE}\n", encoding="utf-8")
    recipes.shop.commit()
    record = recipes.run("test ! -e .env")
    assert record["end_state"] == "completed", record


LOCK = """\
{"name": "shop", "lockfileVersion": 3, "packages": {
"": {"name": "shop"},
"node_modules/b": {
  "version": "1.0.0", "resolved": "https://example.org/b/-/b-1.0.0.tgz", "integrity": "x-1.0.0"}}}
"""

NPM = """\
#!/bin/sh
test "$1" = ci || exit 9
mkdir node_modules
cp package-lock.json node_modules/list.txt
echo "$npm_config_ignore_scripts $LENT_TO_SETUP" > node_modules/asked.txt
"""


def begin_with_npm(recipes: Recipes, monkeypatch: pytest.MonkeyPatch, check: str) -> None:
    """Let the recipe be one of npm's, with a program in its place."""
    programs = recipes.beside / "bin"
    programs.mkdir()
    (programs / "npm").write_text(NPM, encoding="utf-8")
    (programs / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("LENT_TO_SETUP", VALUE)
    lend(recipes.shop)
    recipes.begin(check=check)
    config = recipes.shop.root / ".chant" / "config.md"
    text = config.read_text("utf-8").replace(f"[[sh, {recipes.step}]]", "[[npm, ci]]")
    config.write_text(text.replace("[deps.txt]", "[package-lock.json]"), encoding="utf-8")
    (recipes.shop.root / "package-lock.json").write_text(LOCK, encoding="utf-8")
    recipes.shop.commit()


def test_work_that_changes_versions_alone_is_checked_with_a_candidate(
    recipes: Recipes, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = 'grep -q b-1.2.0 node_modules/list.txt && test "$(cat node_modules/asked.txt)" = "true "'
    begin_with_npm(recipes, monkeypatch, check)
    agent = f'test "$(cat node_modules/asked.txt)" = " {VALUE}"; sed -i s/1.0.0/1.2.0/g package-lock.json'
    record = recipes.run(agent)
    # The checks passed with what it pins; that it pins something else alone is for a person to see.
    assert record["end_state"] == "needs_attention", (record, recipes.shop.log(ID))
    assert "package-lock.json" in record["reason"]
    (entry,) = record["environment"]
    assert entry["is_candidate"]
    assert len(recipes.layers()) == 1, "a candidate goes with its checks"


@pytest.mark.parametrize(
    ("change", "state", "said"),
    [
        ("s/1.0.0/1.3.0/g", "failed", "environment: deps@{key} (candidate)"),
        ("s/example.org/elsewhere.org/g", "needs_attention", "what recipe 'deps' installs from"),
        ('s/"integrity"/"hasInstallScript": true, "integrity"/', "needs_attention", "recipe 'deps'"),
    ],
)
def test_other_changes_wait_and_a_failed_check_names_its_environment(
    recipes: Recipes, monkeypatch: pytest.MonkeyPatch, change: str, state: str, said: str
) -> None:
    begin_with_npm(recipes, monkeypatch, "grep -q b-1.2.0 node_modules/list.txt")
    record = recipes.run(f"sed -i '{change}' package-lock.json")
    assert record["end_state"] == state, record
    key = record["environment"][0]["key"][:12]
    assert said.format(key=key) in record["reason"]


ITEMS = """\
  items:
    - match: {labels: [web], folders: [web]}
      folder: web
      recipes: [deps]
      services: []
"""


def test_items_have_a_folder_and_some_of_the_recipes(recipes: Recipes) -> None:
    recipes.begin(more=ITEMS + '  services: {never: {start: [sh, -c, "exit 1"]}}\n')
    shop = recipes.shop
    config = shop.root / ".chant" / "config.md"
    other = "    other: {inputs: [deps.txt], steps: [[sh, -c, exit 7]], outputs: [other]}\n  items:\n"
    config.write_text(config.read_text("utf-8").replace("  items:\n", other), encoding="utf-8")
    (shop.root / "web").mkdir()
    (shop.root / "web" / "page.txt").write_text("", encoding="utf-8")
    criteria = ["Works <!-- check: deps -->"]
    shop.spec(ID, criteria=criteria, labels=["web"], targets=["web/page.txt"])
    shop.spec(OTHER, criteria=criteria, labels=["web"], targets=["api/page.txt"])
    shop.commit("Web")
    record = recipes.run("test -e page.txt; test -e ../node_modules/list.txt; cd ..")
    assert record["end_state"] == "completed", record
    assert [entry["recipe"] for entry in record["environment"]] == ["deps"]
    with pytest.raises(RefusedError, match="Recipe 'other' failed"):
        recipes.run("true", OTHER)


def test_a_program_in_a_closed_folder_is_named_with_what_opens_it(
    recipes: Recipes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of the `PATH` that holds the user's own files is closed; a shell says no more than that."""
    usual, _ = user_config().read_text("utf-8").split("confine:")
    user_config().write_text(f"{usual}---\n", encoding="utf-8")
    tool = Path.home() / "ferryman"
    tool.write_text("#!/bin/sh\necho ferried\n", encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    said = re.escape(f"the program `ferryman` lies in {tool.parent}, which is closed to runs, ")
    recipes.begin(check="ferryman")
    recipes.step.write_text("ferryman", encoding="utf-8")
    with pytest.raises(RefusedError, match=said):
        recipes.run("true")
    recipes.step.write_text("mkdir node_modules", encoding="utf-8")
    for id, script in ((ID, "true"), (OTHER, "ferryman")):
        record = recipes.run(script, id)
        assert re.search(said, record["reason"] or ""), (record, recipes.shop.log(id))
    doctor = opened(recipes.shop.root).doctor().data["confinement"]
    assert f"the user's files lie in {tool.parent}, so programs there are closed to runs" in doctor
    user_config().write_text(f"{usual}confine: {{read: ['{tool}']}}\n---\n", encoding="utf-8")
    assert recipes.run("ferryman", OTHER)["end_state"] == "completed"


MONOREPO = """\
  recipes:
    deps:
      inputs: [deps.txt]
      steps: [[sh, {step}]]
      outputs: [node_modules]
    api:
      in: api
      inputs: [deps.txt]
      steps: [[sh, -c, 'mkdir .venv && cp deps.txt .venv/list.txt']]
      outputs: [.venv]
      caches: [modules]
      variables: {{API_MODULES: "{{cache.modules}}"}}
    web:
      in: web
      inputs: [deps.txt, "*/deps.txt"]
      steps:
        - [mkdir, node_modules, ui/node_modules]
        - [cp, deps.txt, node_modules/list.txt]
        - [cp, ui/deps.txt, ui/node_modules/list.txt]
      outputs: ["**/node_modules"]
"""
LOOK = """\
for found in one:node_modules two:api/.venv three:web/node_modules four:web/ui/node_modules; do
  grep -qx "${found%%:*}" "${found#*:}/list.txt"
done
test -d "$API_MODULES"; test ! -e api/node_modules
"""


def test_all_recipes_of_a_monorepo_are_ready_in_a_run_and_in_its_checks(recipes: Recipes) -> None:
    recipes.begin(check=f"set -e\n{LOOK}test ! -e node_modules/new")
    config = recipes.shop.root / ".chant" / "config.md"
    text, end = config.read_text("utf-8").split("  recipes:\n")[0], "---\n"
    config.write_text(text + MONOREPO.format(step=recipes.step) + end, encoding="utf-8")
    for folder, line in (("api", "two"), ("web", "three"), ("web/ui", "four")):
        (recipes.shop.root / folder).mkdir()
        (recipes.shop.root / folder / "deps.txt").write_text(f"{line}\n", encoding="utf-8")
    (recipes.shop.root / ".gitignore").write_text("node_modules/\n.venv/\n", encoding="utf-8")
    recipes.shop.commit("A monorepo")
    record = recipes.run(f"{LOOK}\necho x > node_modules/new; echo x > web/node_modules/new")
    assert record["end_state"] == "completed", (record["reason"], recipes.shop.log(ID))
    assert [entry["recipe"] for entry in record["environment"]] == ["api", "deps", "web"]
    again = recipes.run(f"{LOOK}\ntest ! -e web/node_modules/new", OTHER)
    assert again["end_state"] == "completed", (again["reason"], recipes.shop.log(OTHER))
    assert [entry["key"] for entry in again["environment"]] == [
        entry["key"] for entry in record["environment"]
    ], "nothing is built again"
