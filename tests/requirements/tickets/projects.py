"""tickets: tools and projects (seed tickets 17-73)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "tickets:tools:parameters_are_the_seeds": Requirement(
        "The ten tools take the parameters of the seed, with `project` optional.",
        "seed tickets:15; reference tickets 10: `project`",
    ),
    "tickets:tools:work_with_seeds_arguments": Requirement(
        "Every tool is served with the arguments of the seed.", "seed tickets:15; decisions 1"
    ),
    "tickets:arguments:wrong_types_are_told": Requirement(
        "An argument of a wrong type is refused with its name, what was expected and what came.",
        "decisions 3: Missing or ill-typed argument",
    ),
    "tickets:arguments:unknown_ones_are_told": Requirement(
        "Unknown and missing arguments are refused, all at once, unknown ones with the nearest known name.",
        "decisions 3: Missing or ill-typed argument",
    ),
    "tickets:answers:text_is_the_structured_part": Requirement(
        "An answer that is data is the same JSON as text and as structured content, in the seed's order of "
        "keys.",
        "decisions 3: Tool result",
    ),
    "tickets:answers:are_as_of_the_call": Requirement(
        "Every answer is as of the call, whatever changed the files before it.",
        "decisions 2; reference tickets 8.2: B3; reference tickets 7.3",
    ),
    "tickets:answers:read_only_what_changed": Requirement(
        "A repeated call reads only the files that changed.", "decisions 2; reference tickets 8.2: B24"
    ),
    "tickets:list_projects:takes_no_parameters": Requirement(
        "`list_projects` takes no parameters.", "seed tickets:20"
    ),
    "tickets:list_projects:answer_has_projects": Requirement(
        "Each project has `id`, `project` (`name`, `code`, `path`, `active`, `description`) and `metadata`.",
        "seed tickets:25",
    ),
    "tickets:list_projects:metadata": Requirement(
        "`metadata` has `dateRegistered`, `lastAccessed` and `version`.", "seed tickets:35"
    ),
    "tickets:get_project_info:key_is_required": Requirement(
        "`get_project_info` requires `key`, the project's key.", "seed tickets:49"
    ),
    "tickets:get_project_info:answer_has_project_and_stats": Requirement(
        "The answer has the project and `stats` with `totalCRs` and `byStatus`.", "seed tickets:54"
    ),
    "tickets:get_project_info:says_where_it_lies": Requirement(
        "The project is reported with its root, first number, counter file and repository besides.",
        "reference tickets 3.4",
    ),
    "tickets:project:left_out_where_derivable": Requirement(
        "`project` may be left out where the key, the folder of the server, the filter or being the only "
        "one says it; else the codes are listed.",
        "reference tickets 10: `project`; reference tickets 8.3: MDT-121",
    ),
    "tickets:project:named_by_code_or_id": Requirement(
        "A project is named by its code in any case of letters, however long, or by its ID.",
        "reference tickets 1.6",
    ),
    "tickets:projects:nearest_is_meant": Requirement(
        "The nearest project around the folder of the server is meant, not an outer one.",
        "reference tickets 8.3: MDT-147",
    ),
    "tickets:projects:shared_codes_are_told": Requirement(
        "Of two projects of one code one is used and the other reported with both paths.",
        "reference tickets 8.3: MDT-123",
    ),
    "tickets:projects:folder_without_configuration": Requirement(
        "A folder of tickets without configuration is a project of the code of its files.",
        "decisions 3: Which project; issue",
    ),
    "tickets:projects:changes_are_seen_at_the_next_call": Requirement(
        "A project made, renamed or removed after the start is seen so at the next call.",
        "reference tickets 7.2; issue",
    ),
}
