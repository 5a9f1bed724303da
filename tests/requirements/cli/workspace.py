"""The workspace: items of all dialects together (decisions 2: workspace.rs; decisions 3: CLI)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "workspace:list:filters": Requirement(
        "Items are filtered by state in the words of any dialect, by label, by dialect and by readiness; a "
        "word that is none is refused with those there are.",
        "decisions 3: CLI",
    ),
    "workspace:names:resolve_across_dialects": Requirement(
        "A name means an item by its key, its ID or a part of a spec's ID; several meanings are refused with "
        "their keys.",
        "decisions 2: workspace.rs",
    ),
    "workspace:problems:never_hide_the_rest": Requirement(
        "Files of any dialect that cannot be read are reported beside the items of all others.",
        "decisions 3: Unreadable files",
    ),
    "workspace:graph:pictures": Requirement(
        "The graph of all dialects is drawn as tree, Mermaid or DOT, or listed as nodes and edges; cycles "
        "across dialects are named.",
        "decisions 3: CLI",
    ),
    "workspace:index:changes_are_seen": Requirement(
        "After any change of any dialect's files the joined graph is as if it were read again.",
        "decisions 2: store/index.rs",
    ),
    "workspace:python:pieces": Requirement(
        "`Workspace.export` gives a script the text in pieces.", "issue: Providers, split, approval: Export"
    ),
    "workspace:network:says_what_lists_say": Requirement(
        "`Workspace.network` holds the items of all dialects and those only named, waits for what lists "
        "say, and tells in columns what is known of each.",
        "issue: Spec API in Python: Graph",
    ),
    "workspace:network:durations_are_learned_from_runs": Requirement(
        "Beside the network stand the seconds of runs that completed their specs, their median and the "
        "spread of their logarithms.",
        "issue: Spec API in Python: Graph",
    ),
    "workspace:network:attempts_count_as_what_they_cost": Requirement(
        "Attempts that failed, were paused or lost count with the run that completed their spec; those at a "
        "cancelled spec do not; work that is not done and took long already counts as it may come to.",
        "issue 26.3",
    ),
    "workspace:network:durations_by_label_size_and_agent": Requirement(
        "A spec is expected to take as long as specs of its label, size and agent did where enough runs say "
        "so, drawn towards the median of all where few do.",
        "issue 26.3",
    ),
    "workspace:network:as_of_a_commit": Requirement(
        "`Workspace.network_at` gives the network as a commit has it, read from git without a checkout; a "
        "clean checkout is as its commit.",
        "issue: Spec API in Python: Graph",
    ),
    "workspace:features:tasks_join_the_graph": Requirement(
        "The tasks of all spec-kit features are items of the workspace; phases stand between them in the "
        "graph alone.",
        "decisions 2: workspace.rs; issue: Spec-kit features: Tasks",
    ),
    "workspace:features:surplus_is_told": Requirement(
        "Of features and of task graphs the first 1,000 are looked at; that there are more is reported as a "
        "problem.",
        "issue: Spec-kit features: Tasks",
    ),
    "workspace:features:dependencies_lead_out_and_in": Requirement(
        "Specs, task graphs and tickets may wait for `speckit:060-name#T001` or a phase, and tasks of "
        "features for items of all dialects.",
        "decisions 2: workspace.rs",
    ),
    "speckit:tasks:other_dialects_hold_a_task_up": Requirement(
        "`(depends on chant:ID)` holds a task up until that item is done; completing it is refused "
        "meanwhile.",
        "decisions 2: workspace.rs",
    ),
}
