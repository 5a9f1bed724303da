"""The merge driver (reference chant 6.9)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:merge_driver:merges_by_meaning": Requirement(
        "Where both sides of a git merge changed a spec, the more advanced status is taken, lists are "
        "united, ticks of both sides stand, and bodies are merged line by line.",
        "reference chant 6.9; issue: The work runtime",
    ),
    "chant:merge_driver:marks_only_what_is_left": Requirement(
        "What both sides changed differently stands between conflict markers, named and as long as git asks, "
        "and is reported in a sentence; everything else in the file is merged.",
        "reference chant 6.9; issue: The work runtime",
    ),
    "chant:merge_driver:loses_no_line": Requirement(
        "In a conflict no line that either side wrote is missing from the file.", "decisions 1"
    ),
    "chant:merge_driver:bytes_are_kept": Requirement(
        "A merge keeps our line ends, byte order mark and final newline or its absence.",
        "issue: Documents; decisions 1",
    ),
    "chant:merge_driver:unreadable_is_merged_as_text": Requirement(
        "Versions that cannot be read as specs, or are no UTF-8, are merged line by line, and always left to "
        "a person.",
        "issue: The work runtime; decisions 1",
    ),
    "chant:merge_driver:binary_stays_as_ours": Requirement(
        "When a version is no text, ours stays and the merge is a conflict, as with git's binary driver.",
        "issue: The work runtime; decisions 1",
    ),
    "chant:merge_driver:works_in_every_merge": Requirement(
        "The driver serves merge, rebase, cherry-pick and stash, renamed and archived specs, linked "
        "worktrees, criss-cross histories and projects below the top of a checkout.",
        "reference chant 6.9; issue: The work runtime",
    ),
    "chant:merge_driver:missing_program_is_gits_own_merge": Requirement(
        "Where the driver is not registered, or its program is gone or broken, git merges specs line by "
        "line.",
        "issue: The work runtime; decisions 1",
    ),
    "chant:merge_driver:checkout_cannot_replace_it": Requirement(
        "Modules of the checkout are not run in place of the driver.", "decisions 4; issue: The work runtime"
    ),
    "chant:merge_driver:failure_leaves_the_file": Requirement(
        "When the driver cannot do its work, the file stays as it was and git gets an exit code above 128.",
        "issue: The work runtime",
    ),
    "chant:merge_driver:needs_no_project": Requirement(
        "The driver opens no project and loads nothing of the server.", "decisions 5; issue: The work runtime"
    ),
    "chant:merge_driver:is_no_command_for_people": Requirement(
        "`merge-driver` explains itself with `--help` and is not listed among the commands.",
        "house: command line",
    ),
    "chant:agents:a_killed_git_holds_nothing": Requirement(
        "A lock that a git left in the worktree when it was killed with its agent does not outlive the run.",
        "issue: The work runtime; issue: Watch, recovery and torture",
    ),
    "chant:agents:messages_are_logged_as_lines": Requirement(
        "Of agents that tell what they do as JSON messages the log holds texts, the use of tools and "
        "failures, a line each.",
        "reference chant 6.5; issue: The work runtime, part Agents",
    ),
}
