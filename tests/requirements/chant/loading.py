"""chant: loading (reference chant 2.8)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:loading:no_documents_of_their_own": Requirement(
        "Empty files, links to siblings and copies that sync programs made are problems, not work.",
        "issue: The daily hour 3",
    ),
    "chant:loading:clone_without_active_specs_is_a_project": Requirement(
        "A clone whose specs are all archived, which git gives no folder of specs, is a project.",
        "issue: Ordinary repositories",
    ),
    "chant:loading:sub_folders_are_read": Requirement(
        "Specs in sub-folders of `.chant/specs` are read.", "reference chant 2.8"
    ),
    "chant:loading:edits_stay_in_the_sub_folder": Requirement(
        "A spec in a sub-folder is edited where it lies; no second file appears.", "reference chant 2.8"
    ),
    "chant:loading:orphaned_members_are_warned_about": Requirement(
        "A member whose driver is missing is loaded and warned about.", "reference chant 2.8"
    ),
    "chant:loading:branch_text_is_shown": Requirement(
        "An in_progress spec is shown as its branch has it: `branch`, else `chant/<id>`, when that branch "
        "exists.",
        "reference chant 2.8 R",
    ),
}
