"""`chant_archive` (seed chant 120 and 1398)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:archive:moves_a_completed_spec": Requirement(
        "`chant_archive` moves a completed spec to the archive folder.", "seed chant:1399"
    ),
    "chant:archive:folder_is_the_day_of_the_id": Requirement(
        "The file moves to `.chant/archive/<first ten characters of the ID>/<id>.md`.", "reference chant 5.15"
    ),
    "chant:archive:cancelled_is_accepted": Requirement(
        "A cancelled spec can be archived too.", "reference chant 5.15 R, 8.1 D29"
    ),
    "chant:archive:open_spec_is_refused": Requirement(
        "Any other status refuses: `Spec '<id>' must be completed to archive (current: <S>)`.",
        "reference chant 5.15",
    ),
    "chant:archive:unmerged_branch_is_refused": Requirement(
        "A spec whose branch exists and is not merged is refused; the error names spec, branch and main "
        "branch.",
        "reference chant 5.15",
    ),
    "chant:archive:tracked_file_is_moved_in_the_git_index": Requirement(
        "A tracked file's move is staged, not committed.", "reference chant 5.15"
    ),
    "chant:archive:untracked_file_is_renamed": Requirement(
        "An untracked file is moved by a plain rename.", "reference chant 5.15"
    ),
    "chant:archive:answers_with_the_path": Requirement(
        "The answer is `Archived spec: <argument as given> -> <relative path>`.", "reference chant 5.15"
    ),
    "chant:archive:member_may_go_alone": Requirement(
        "A member can be archived by itself.", "reference chant 5.15 R"
    ),
    "chant:archive:driver_waits_for_its_members": Requirement(
        "A driver with a member that is neither completed nor cancelled is not archived.",
        "reference chant 5.15 R",
    ),
    "chant:archive:driver_takes_its_members_along": Requirement(
        "Archiving a driver moves its members first, in number order, then the driver.",
        "reference chant 5.15 R",
    ),
    "chant:archive:short_id_is_safe": Requirement(
        "Archiving an ID shorter than ten bytes gives an answer or a tool error, and the server lives on.",
        "reference chant 5.15, 8.2 W9; issue: Bad input",
    ),
    "chant:archive:existing_target_is_kept": Requirement(
        "An archive file of the same name is never overwritten.", "decisions 4"
    ),
}
