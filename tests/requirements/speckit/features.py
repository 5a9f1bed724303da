"""speckit: features and documents of all kinds (reference rstn 1.4, 2.2, 5.3, 5.6, 6.2)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "speckit:get_context:same_from_everywhere": Requirement(
        "The answer is the same from every subfolder; each worktree has its own branch's feature.",
        "issue 8; reference rstn 6.2",
    ),
    "speckit:get_context:nested_projects": Requirement(
        "The nearest project decides in a repository of several projects.", "reference rstn 1.4"
    ),
    "speckit:get_context:a_number_alone_is_no_name": Requirement(
        "In a repository of several projects a branch means no feature by its number if the names differ,"
        " unless one begins with the other.",
        "issue: The daily hour 1",
    ),
    "speckit:get_context:feature_json_of_any_kind": Requirement(
        "`feature.json` may name an absolute path; broken, empty or leading outside it warns.",
        "reference rstn 5.6",
    ),
    "speckit:get_context:several_candidates_refuse": Requirement(
        "Several directories of one number are an error that names them.", "reference rstn 1.4"
    ),
    "speckit:get_context:phase_from_content": Requirement(
        "The phase comes from what the documents say: an untouched template says nothing.",
        "reference rstn 1.4",
    ),
    "speckit:get_context:branches_of_every_form": Requirement(
        "A branch is matched by its last part: name, else number where the name goes with it.",
        "reference rstn 1.4",
    ),
    "speckit:read_spec:checklists_of_today": Requirement(
        "`checklist` reads `checklists/*.md` where there is no `checklist.md`.", "reference rstn 5.3"
    ),
    "speckit:read_spec:pages": Requirement(
        "A long document comes in pieces that say how to get the next one.", "decisions 3: Tool result"
    ),
    "speckit:read_spec:bytes_that_are_no_text": Requirement(
        "Bytes that are no UTF-8 are shown as replacement characters.", "reference rstn 2.2"
    ),
    "speckit:read_spec:stays_inside_the_feature": Requirement(
        "A link that leads out of the project is not read.", "reference rstn 6.3"
    ),
}
