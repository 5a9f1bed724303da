"""`export` and `import` (issue: Providers, split, approval: Export)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "import:origin:names_its_source": Requirement(
        "An origin is `format:source#id`: equal IDs of two sources are different items; a source is the same "
        "however it is named.",
        "issue: The daily hour 2",
    ),
    "import:origin:former_ones_count": Requirement(
        "What an earlier release imported, with an origin without a source, is not imported again.",
        "issue: The daily hour 2",
    ),
    "import:status:by_evidence": Requirement(
        "A status is what the source's configuration, its folder of done work or `closed_at` says; the "
        "others are never ready.",
        "issue: The daily hour 2",
    ),
    "import:status:a_person_maps_the_rest": Requirement(
        '`--status "Shipped=completed"` maps other words; `--strict` writes nothing if any would be lost.',
        "issue: The daily hour 2",
    ),
    "import:conflicts:are_refused": Requirement(
        "A source with conflict markers is refused by file and line.", "issue: The daily hour 2"
    ),
    "import:duplicates:are_named": Requirement(
        "Of two records with one ID the one updated later counts; of two files none, and both are named.",
        "issue: The daily hour 2",
    ),
    "import:text:is_not_changed_without_a_word": Requirement(
        "Texts stay as they are; all forms of dependencies are read; one total is printed at the end.",
        "issue: The daily hour 2",
    ),
    "export:formats:hold_every_item": Requirement(
        "`export` writes the items of every dialect as JSON, RFC 4180 CSV or a Markdown table, with filters "
        "and fields.",
        "issue: Providers, split, approval: Export",
    ),
    "export:csv:does_nothing_to_a_spreadsheet": Requirement(
        "No cell of a CSV is run by a spreadsheet, and no character in it steers a terminal.",
        "issue: Refused means nothing happened, point 17",
    ),
    "import:csv:takes_an_export_back": Requirement(
        "A CSV that `export` wrote becomes specs with the same titles, texts, labels and dependencies, also"
        " where cells had to be quoted.",
        "issue: Refused means nothing happened, point 17",
    ),
    "export:file:a_refused_one_can_be_saved_elsewhere": Requirement(
        "A save that was refused takes nothing of an export; one that is saved is not saved again.",
        "issue: Providers, split, approval: Export; decisions 4",
    ),
    "export:fields:are_told_by_the_help": Requirement(
        "`export --help` names every field.", "issue: Providers, split, approval: Export"
    ),
    "export:file:appears_whole_and_replaces_by_force_only": Requirement(
        "The file of an export appears whole or not at all, and replaces another by `--force` only.",
        "issue: Providers, split, approval: Export; decisions 4",
    ),
    "import:beads:maps_issues": Requirement(
        "Issues of beads become specs with their states, labels, criteria, members and dependencies; what "
        "does not map is reported.",
        "issue: Providers, split, approval: Export",
    ),
    "import:backlog:maps_tasks": Requirement(
        "Tasks of Backlog.md become specs with their sections and criteria.",
        "issue: Providers, split, approval: Export",
    ),
    "import:vine:maps_tasks": Requirement(
        "Tasks of a `.vine` file become specs with their decisions and attachments.",
        "issue: Providers, split, approval: Export",
    ),
    "import:chant:maps_specs": Requirement(
        "Specs of another project keep their texts but for the keys that have to change.",
        "issue: Providers, split, approval: Export",
    ),
    "import:again:brings_only_what_is_new": Requirement(
        "A second import of a source brings only what is new there, also after specs were archived.",
        "issue: Providers, split, approval: Export",
    ),
    "import:dry_run:writes_nothing": Requirement(
        "`import --dry-run` writes nothing and tells the same.", "issue: Providers, split, approval: Export"
    ),
    "import:source:is_told_when_it_is_none": Requirement(
        "A path that holds nothing to import is refused with what was expected.",
        "issue: Providers, split, approval: Export",
    ),
    "import:writing:all_or_none": Requirement(
        "An import becomes specs all or none, also when the process dies meanwhile.",
        "issue: Providers, split, approval: Export; decisions 2",
    ),
    "import:writing:makes_no_loop": Requirement(
        "Dependencies and parts with which specs would wait for one another in a circle, those that were "
        "there included, are left out and reported.",
        "issue: Providers, split, approval: Export; reference chant 4.3",
    ),
    "import:update:three_way": Requirement(
        "`import --update` takes over what changed in the source since, what was edited here stays, and what "
        "was changed on both sides is named.",
        "issue: The daily hour, point 2",
    ),
    "import:sources:more": Requirement(
        "Task Master, taskwarrior, GitHub issues and the JSON that `export` writes are read.",
        "issue: The daily hour, point 2",
    ),
    "export:fields:round_trip": Requirement(
        "What is exported with all fields comes back by `import` as it was.", "issue: The daily hour, point 2"
    ),
}
