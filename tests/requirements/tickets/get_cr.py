"""`get_cr` (seed tickets 119-176)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "tickets:get_cr:project_and_key_are_required": Requirement(
        "`get_cr` requires `key`, and `project` where nothing else says which is meant.",
        "seed tickets:122; reference tickets 10: `project`",
    ),
    "tickets:get_cr:mode_is_full": Requirement("`mode` is `full` unless given.", "seed tickets:124"),
    "tickets:get_cr:full_is_plain_markdown": Requirement(
        "`full` answers with the markdown alone.", "seed tickets:125"
    ),
    "tickets:get_cr:full_is_byte_for_byte": Requirement(
        "`full` is the body byte for byte.", "reference tickets 10: `full` mode; reference tickets 8.2: B5"
    ),
    "tickets:get_cr:pieces_make_up_the_whole": Requirement(
        "`offset` and `max_chars` give pieces of a long body that make up the whole.",
        "decisions 3: Size of a result",
    ),
    "tickets:get_cr:attributes_is_the_front_matter": Requirement(
        "`attributes` answers with the attributes, `dependsOn`, `blocks` and `relatedTickets` as lists.",
        "seed tickets:126; reference tickets 2.3",
    ),
    "tickets:get_cr:metadata_has_the_path": Requirement(
        "`metadata` answers with the basic keys and `filePath`.", "seed tickets:127"
    ),
    "tickets:get_cr:light_modes_are_light": Requirement(
        "The light modes cost a tenth of a usual ticket or less.", "seed tickets:176"
    ),
    "tickets:keys:may_be_integers": Requirement(
        "Ticket keys may be given as integers.", "decisions 3: Missing or ill-typed argument"
    ),
    "tickets:keys:spellings": Requirement(
        "`DEM-1`, `dem-001`, `1` and `001` mean `DEM-001`.", "reference tickets 10: Keys"
    ),
    "tickets:keys:are_never_parts_of_others": Requirement(
        "A key means the ticket of exactly that code, never one that contains it.",
        "reference tickets 10: Keys; reference tickets 8.2: B7",
    ),
    "tickets:keys:codes_of_files": Requirement(
        "A ticket's code is what its front matter says, padded or not, else what its file's name begins "
        "with.",
        "reference tickets 2.9",
    ),
    "tickets:duplicates:reads_agree": Requirement(
        "Of two files of one code, and of two lines of one key, all tools show the same.",
        "reference tickets 8.2: B18; reference tickets 2.8",
    ),
}
