"""Attacks by a folder's author: what they do not bring about (issue 17)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "trust:attacks:reads_change_nothing": Requirement(
        "Whatever a clone holds, tools that read change no file, branch or process, in it or beside it.",
        "issue 17: proof, design I8, 11.1, 11.2",
    ),
    "trust:attacks:edits_stay_in_documents": Requirement(
        "In an untrusted clone tools that edit change documents of the clone alone, and its git not at all.",
        "issue 17: proof, design I8",
    ),
    "trust:attacks:acts_are_refused": Requirement(
        "In an untrusted clone work, split, watch, merge and prune are refused, and no program is run.",
        "issue 17: proof, design I8",
    ),
    "trust:attacks:secrets_stay": Requirement(
        "No variable of the environment and no text from outside a clone gets into an answer, a file or a "
        "connection.",
        "issue 17: proof, design I8, 11.3",
    ),
    "trust:attacks:every_door": Requirement(
        "That holds over stdio and HTTP, for commands, scripts and the board.",
        "issue 17: proof",
    ),
    "trust:attacks:trusted_folders_believe_nothing_forged": Requirement(
        "In a trusted folder, too, forged records, locks and journals change nothing.",
        "issue 17: proof, design I1 to I5",
    ),
    "trust:landing:hooks_are_those_of_the_start": Requirement(
        "Work does not land by itself where the project's hooks or settings of git, as git itself says, are "
        "not those that it began with: what differs is named, and a person lands it.",
        "issue 18: design R14",
    ),
    "trust:landing:hooks_are_those_of_the_checkout": Requirement(
        "Hooks that a branch brings run neither at its merge nor at its landing: git is held to the folder "
        "of hooks of the project's checkout, wherever it works.",
        "issue: Hooks, includes and programs are asked from git itself",
    ),
    "trust:runs:what_they_add_waits": Requirement(
        "A spec that a run adds, by a tool or on its branch, waits for a person's approval and carries no "
        "keys that choose what an agent is given.",
        "issue 18: design R6",
    ),
    "trust:runs:what_people_decide_stays": Requirement(
        "A merge changes no other spec's state, approval or criteria, nor keys that choose what an agent is "
        "given.",
        "issue 18: design R6",
    ),
}
