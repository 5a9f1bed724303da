"""vine: paths and roots (seed vine 161-190)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "vine:paths:relative_folder_is_the_working_folder": Requirement(
        "A relative folder of `VineFiles` is the one below the working folder.",
        "issue: Nothing is skipped in silence, class 5",
    ),
    "vine:paths:absolute_path_first": Requirement(
        "An absolute path that exists is used as it is.", "seed vine:161"
    ),
    "vine:paths:working_folder_before_roots": Requirement(
        "A relative path is tried in the working folder, then in each root.", "seed vine:162"
    ),
    "vine:paths:falls_back_to_the_working_folder": Requirement(
        "A path found nowhere is resolved against the working folder.", "seed vine:165"
    ),
    "vine:paths:absolute_only_for_vine_files": Requirement(
        "On stdio absolute paths may lead elsewhere, to files ending in `.vine`.",
        "decisions 3: Absolute paths (vine)",
    ),
    "vine:paths:client_roots_are_fetched": Requirement(
        "At the first tool call the client's roots are fetched when it offers them, and used for paths.",
        "seed vine:190",
    ),
    "vine:paths:exact_name_before_extension": Requirement(
        "A name as it stands is looked for everywhere before one with `.vine`.",
        "reference vine 8.1",
    ),
    "vine:paths:folders_are_no_files": Requirement(
        "A folder hides no file, and is said to be one where nothing else is found.",
        "reference vine 8.1, D8",
    ),
    "vine:paths:nothing_outside_of_the_roots": Requirement(
        "No relative name leads out of the working folder, the project and the client's folders.",
        "decisions 4; reference vine W8",
    ),
    "vine:paths:links_stay_inside": Requirement(
        "No link leads out of them either.",
        "decisions 4",
    ),
    "vine:paths:new_files_lie_in_the_working_folder": Requirement(
        "New files lie in the working folder, folders on the way are made; in the client's first folder "
        "where the working folder belongs to no project.",
        "reference vine 8.2, W14",
    ),
    "vine:paths:new_files_lie_beside_their_plan": Requirement(
        "The file of an extracted task is named relative to the plan's folder.",
        "reference vine W14",
    ),
    "vine:paths:http_stays_inside_the_roots": Requirement(
        "Over HTTP an absolute path must lie inside the roots.",
        "decisions 3: Absolute paths (vine)",
    ),
    "vine:roots:are_asked_for_when_a_name_is_not_found": Requirement(
        "The client is asked for its folders whenever a name is not found, in both eras of the protocol.",
        "reference vine W16",
    ),
    "vine:roots:foreign_ones_are_passed_over": Requirement(
        "Roots that are no folders of this machine are passed over one by one, in both eras.",
        "reference vine W16",
    ),
    "vine:roots:cwd_wins": Requirement(
        "A folder given by `--cwd` or `--project` is the only one; the client is not asked.",
        "reference vine 8.3",
    ),
}
