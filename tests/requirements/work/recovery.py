"""Recovery after a runner's death (issue: The work runtime)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:recovery:death_before_the_work_is_a_failure": Requirement(
        "A runner that dies before its agent has worked leaves a failed run, a spec that can be started, "
        "and nothing else.",
        "issue: The work runtime, part Proof",
    ),
    "chant:recovery:death_of_the_starter_leaves_nothing": Requirement(
        "A starter that dies leaves no run and no process behind, and the next start works.",
        "issue: The work runtime, part Proof",
    ),
    "chant:recovery:proven_work_is_merged": Requirement(
        "Work that was proven when its runner died is merged by the next opening, at whatever moment of "
        "the merge it died.",
        "issue: The work runtime, part Proof",
    ),
    "chant:recovery:unproven_work_is_kept": Requirement(
        "Commits of a run that died are kept on its branch or a backup, and can be gone on with.",
        "issue: The work runtime, part Proof",
    ),
    "chant:recovery:index_lock_of_a_dead_run_is_freed": Requirement(
        "A lock of the index that a dead run left is freed.", "issue: The work runtime, part Proof"
    ),
    "chant:recovery:every_opening_recovers": Requirement(
        "A server, a command and a start look after what dead runners left.",
        "issue: The work runtime, part Proof",
    ),
    "chant:recovery:files_of_dead_processes_are_removed": Requirement(
        "Locks of dead processes are removed; those of living ones stay, and so does all in the project.",
        "issue: The work runtime, part Proof; reference chant 8.2 W14",
    ),
    "chant:recovery:openings_at_once_agree": Requirement(
        "Several openings at once put a run that died, or work that waited, right once.",
        "issue: The work runtime, part Proof",
    ),
    "chant:recovery:hand_set_in_progress_is_left_alone": Requirement(
        "A spec that a person set in progress is left alone.",
        "issue: The work runtime, part Proof; reference chant 8.2 W14",
    ),
    "chant:recovery:wanted_stop_is_finished": Requirement(
        "A stop whose caller died is finished by the next opening.",
        "issue: The work runtime, part Proof; reference chant 8.2 W13",
    ),
}
