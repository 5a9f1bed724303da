"""Confinement of runs: what holds them, who opens and closes, and what people see (issue 18)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "confine:run:writes_only_its_folder": Requirement(
        "A confined process writes, moves, links and removes nothing outside of its folder.",
        "issue 18: point 3, design section 6",
    ),
    "confine:run:reads_no_secrets": Requirement(
        "A confined process reads no file of a home that no toolchain needs, by whatever path it comes.",
        "issue 18: point 3, design R10",
    ),
    "confine:run:secret_places": Requirement(
        "No place in a home where programs keep secrets is readable, whatever is on the PATH; programs run.",
        "issue 40: point 4",
    ),
    "confine:run:reaches_no_process_outside": Requirement(
        "A confined process signals, traces, limits and looks into no process outside.",
        "issue 18: point 3, design section 6",
    ),
    "confine:run:system_calls": Requirement(
        "Keyrings, io_uring, mounts, devices and unusual kinds of sockets are refused to it.",
        "issue 18: point 3, design section 6, R14",
    ),
    "confine:run:terminals": Requirement(
        "It opens no terminal, neither one that is there nor a new one.",
        "issue 18: point 3, design R3",
    ),
    "confine:run:inherits_nothing": Requirement(
        "A confined process has its standard streams, and no other descriptor of its starter.",
        "issue 40: point 2",
    ),
    "confine:run:private_ipc": Requirement(
        "Shared memory, messages, semaphores and files in `/dev/shm` of the user are out of its reach.",
        "issue 40: point 3",
    ),
    "confine:run:namespaces": Requirement(
        "Where the system has namespaces, it has its own, passes signals and its end on, and ends whole.",
        "issue 40: points 1 and 3",
    ),
    "confine:run:expected_by_version": Requirement(
        "What an older Landlock leaves open is known: signals below version 6.",
        "issue 18: point 3, design section 6",
    ),
    "confine:run:toolchains": Requirement(
        "What developers do works in a confined process: git, Python, compilers, node, SQLite, servers.",
        "issue 18: proof, design section 6",
    ),
    "confine:run:told": Requirement(
        "A run's start, its record and `doctor` say in one sentence how it is held, or why it is not.",
        "issue 18: points 3 and 7",
    ),
    "confine:run:refusal_names_key": Requirement(
        "A run that failed because it was refused a path names the path and the key that opens it.",
        "issue 18: point 7, design section 9",
    ),
    "confine:run:checks_are_confined": Requirement(
        "Checks are held as runs are, and find nothing that an agent left in folders for settings of tools.",
        "issue 18: point 4, design R7",
    ),
    "confine:run:caches": Requirement(
        "Caches are private to a run or a check and removed with it: no other one reads what it wrote.",
        "issue 40: point 5, design-environment E5",
    ),
    "confine:run:fails_closed": Requirement(
        "Where what was asked for cannot be held, nothing starts, and the message says what is missing.",
        "issue 18: proof, design I14, 11.13",
    ),
    "confine:config:unix_sockets": Requirement(
        "Sockets with names are reached only where the user's own configuration says so.",
        "issue 18: proof, design section 6",
    ),
    "confine:config:network": Requirement(
        "`confine.network: none` closes the network, this machine's own included.",
        "issue 18: proof, design section 6",
    ),
    "confine:config:backend": Requirement(
        "With `confine.backend: bubblewrap` rights and times of files outside cannot be changed either.",
        "issue 18: point 3, design section 6",
    ),
    "confine:config:ipc": Requirement(
        "Shared memory, semaphores and queues of the user are reached by their own configuration only.",
        "issue 40: point 3",
    ),
    "confine:config:pty": Requirement(
        "Terminals are made only where the user's own configuration says so.",
        "issue 18: proof, design R3",
    ),
    "confine:config:project_only_closes": Requirement(
        "A project's configuration opens nothing to runs; what it says in vain is shown as such.",
        "issue 18: proof, design section 9, R9",
    ),
    "confine:command:check": Requirement(
        "`confine --check` shows what this machine can hold runs to, and what not.",
        "issue 18: point 7",
    ),
    "confine:command:try": Requirement(
        "`confine -- COMMAND` runs a command as runs are held, with the command's exit code.",
        "issue 18: point 7",
    ),
}
