"""Agents that mean harm (issue: A run works in a repository of its own, held there by the kernel)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:hostile:nothing_outside_changes": Requirement(
        "Whatever an agent does, what lies outside of its folder is as it was, byte for byte: the project's"
        " files, configuration, hooks, index and refs but its own branch and what landed; our state; the"
        " user's home; other projects; processes. Its log holds no secret. Shown by one agent for each move.",
        "issue: A run works in a repository of its own, 3",
    ),
    "chant:hostile:ends_are_true": Requirement(
        "The end of a hostile run says what became of the work: work on another branch or on none, a lost"
        " repository, a branch that changes other specs; and an honest branch lands in spite of the move.",
        "issue: A run works in a repository of its own, 3",
    ),
    "chant:run:ends_whole": Requirement(
        "All processes of a run end with it, whatever they did to look like somebody else's.",
        "issue 40: point 1",
    ),
    "chant:run:says_that_it_cannot_be_sure": Requirement(
        "Where nothing keeps a dead runner's processes together, end and takeover say that some may be left.",
        "issue 40: point 1",
    ),
    "chant:run:limit_of_processes": Requirement(
        "An agent with more processes than `limits.processes` is ended, and its end names the limit.",
        "issue 40: point 1",
    ),
    "chant:run:limit_of_memory": Requirement(
        "A limit of memory that nothing can enforce is named at the start.",
        "issue 40: point 1",
    ),
}
