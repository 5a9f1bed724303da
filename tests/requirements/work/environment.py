"""The environment of runs: recipes, layers, ports."""

from __future__ import annotations

from requirements import Requirement

ISSUE = "issue: A run's environment"

REQUIREMENTS: dict[str, Requirement] = {
    "environment:recipes:fill_folders": Requirement(
        "The folders of runs and of checks have what the project's recipes install, as copies of one layer"
        " that is built once for the same inputs; the record names its key and its hash.",
        f"{ISSUE}, 1 and 2",
    ),
    "environment:recipes:failures_are_told": Requirement(
        "A recipe that fails stops the start with its step, exit code and last lines; `--bare` starts all the"
        " same.",
        f"{ISSUE}, 1",
    ),
    "environment:recipes:are_proposed": Requirement(
        "`env propose` shows the recipes that fit a project's lock files, and `--write` adds them; nothing is"
        " run.",
        f"{ISSUE}, 4",
    ),
    "environment:recipes:other_tools": Requirement(
        "`env propose` shows, with file and line, what files of other tools ask for; nothing of them is"
        " followed, and a broken one is named.",
        f"{ISSUE}, 4",
    ),
    "environment:recipes:are_acting": Requirement(
        "Recipes are shown by trust and hashed: a person says yes to them.", f"{ISSUE}, 1"
    ),
    "environment:layers:are_sealed": Requirement(
        "The files of a layer have one name; `env verify` compares them with their manifest.",
        f"{ISSUE}, 1",
    ),
    "environment:views:overlay": Requirement(
        "Large outputs are mounted: a run changes its view as it likes and reaches neither the layer nor what"
        " other runs see. Where nothing can be mounted, and for small outputs, it gets a copy.",
        f"{ISSUE}, 2",
    ),
    "environment:recipes:caches": Requirement(
        "A recipe fills caches outside of the project; runs and checks find them by its variables, each its"
        " own, and where they are mounted all at one path.",
        f"{ISSUE}, 1 and 2",
    ),
    "environment:views:hand_over": Requirement(
        "A folder that a person gets has a copy of what was mounted.", f"{ISSUE}, 2"
    ),
    "environment:views:pinned": Requirement("A layer that a run mounts is removed by nobody.", f"{ISSUE}, 2"),
    "environment:secrets:only_what_the_user_lends": Requirement(
        "Ignored files and variables reach an agent, a check or a recipe only where the user's own"
        " configuration lends them to it; logs mask their values.",
        f"{ISSUE}, 5",
    ),
    "environment:secrets:never_land": Requirement(
        "Work that carries a value of a lent file waits for a person.", f"{ISSUE}, 5"
    ),
    "environment:checks:are_true": Requirement(
        "Checks see the layer of the judged commit's inputs and nothing that the run installed. A branch that"
        " changes inputs waits for a person; its checks then have a candidate layer, which goes with them.",
        f"{ISSUE}, 3",
    ),
    "environment:ports:are_of_one_run": Requirement(
        "Each run and each check has the named ports for itself, told by variables.", f"{ISSUE}, 6"
    ),
    "environment:services:beside_runs_and_checks": Requirement(
        "Each agent and each set of checks has the services of the configuration for itself, with data of its"
        " own, ready before it begins and ended with it; they are none of the agent's processes.",
        f"{ISSUE}, 6",
    ),
    "environment:services:never_outlive_a_run": Requirement(
        "Services end with a runner that is killed, at once where there are namespaces, and else by the"
        " recovery.",
        f"{ISSUE}, 6",
    ),
    "environment:services:failures_are_told": Requirement(
        "A service that is not ready in time stops the start with the reason and its last lines.",
        f"{ISSUE}, 6",
    ),
    "environment:services:share_what_the_run_sees": Requirement(
        "A service sees mounted dependencies as the agent changes them, and changes no layer.",
        f"{ISSUE}, 2 and 6",
    ),
    "environment:services:stop": Requirement(
        "A service is asked to end by its own command, if it has one.", f"{ISSUE}, 6"
    ),
    "environment:services:eight_at_once": Requirement(
        "Eight runs at once with a server each do not collide.", f"{ISSUE}, 6"
    ),
    "environment:command:as_an_agent": Requirement(
        "`env -- COMMAND` runs a command in a folder as an agent has it, with layers, ports and services,"
        " confined; the exit code is the command's.",
        f"{ISSUE}, 1 and 6",
    ),
    "environment:preview:framed": Requirement(
        "`open --preview` shows what a port of a running run answers in a sandboxed frame under a host name"
        " of the run's own; it is no page by itself, and other origins are closed to it.",
        f"{ISSUE}, 6 (A11 of its design)",
    ),
    "environment:items:part": Requirement(
        "Items that the configuration matches have their own working folder, and some of the recipes and"
        " services.",
        f"{ISSUE}, 8",
    ),
    "environment:checks:versions_alone": Requirement(
        "Where a branch changes nothing but versions in a lock file, a candidate layer is built without a"
        " person, without secrets and without scripts of packages; a failed check names it.",
        f"{ISSUE}, 3 (A2 of its design)",
    ),
    "environment:recipes:five_stacks": Requirement(
        "A clone of a small project has its first passing check by the recipes that are proposed, for pip,"
        " uv, npm, cargo and Go.",
        f"{ISSUE}, 10",
    ),
}
