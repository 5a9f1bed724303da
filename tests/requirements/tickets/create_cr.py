"""`create_cr` (seed tickets 180-228)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "tickets:create_cr:project_type_data_are_required": Requirement(
        "`create_cr` requires `type` and `data`, and `project` where nothing else says which is meant.",
        "seed tickets:186; reference tickets 10: `project`",
    ),
    "tickets:create_cr:title_is_required": Requirement("`data.title` is required.", "seed tickets:189"),
    "tickets:create_cr:priority_is_medium": Requirement(
        "`data.priority` is `Medium` unless given.", "seed tickets:190"
    ),
    "tickets:create_cr:optional_data": Requirement(
        "`data` takes `phaseEpic`, `assignee`, `relatedTickets`, `dependsOn` and `blocks`.",
        "seed tickets:191",
    ),
    "tickets:create_cr:lists_are_comma_separated": Requirement(
        "`relatedTickets`, `dependsOn` and `blocks` are comma-separated.", "seed tickets:193"
    ),
    "tickets:create_cr:content_overrides_the_template": Requirement(
        "`data.content` replaces the template.", "seed tickets:196"
    ),
    "tickets:create_cr:content_is_kept": Requirement(
        "Content is stored as given, code and backslashes included; front matter in it is refused.",
        "reference tickets 8.2: B5; reference tickets 3.7",
    ),
    "tickets:create_cr:title_of_the_call_wins": Requirement(
        "The title is that of the call: a heading of the same text at the beginning of the content is "
        "taken as it, another one is kept below it.",
        "issue 21",
    ),
    "tickets:create_cr:what_agrees_is_accepted": Requirement(
        "`data` may repeat the status Proposed and the type of the call; another status or type is refused.",
        "issue 21",
    ),
    "tickets:create_cr:uses_a_template": Requirement(
        "A new ticket is made from its type's template.", "seed tickets:183"
    ),
    "tickets:create_cr:answer_has_the_ticket": Requirement(
        "The answer has `cr` with its new `code`, status `Proposed`, dates and `filePath`.",
        "seed tickets:216",
    ),
    "tickets:create_cr:success_is_true": Requirement(
        "A ticket that is reported as created is on disk and can be read; one that is refused is not.",
        "reference tickets 8.2: B10; reference tickets 8.3: MDT-011",
    ),
    "tickets:create_cr:slug_of_any_script": Requirement(
        "The file's name has the words of the title in ASCII, whatever script it is in.",
        "reference tickets 8.2: B23; reference tickets 2.1",
    ),
    "tickets:create_cr:stays_in_the_project": Requirement(
        "Nothing is read or written outside of the project, whatever titles, paths and links say.",
        "reference tickets 8.2: B9; decisions 4",
    ),
    "tickets:numbers:above_all_that_ever_were": Requirement(
        "A new number is above those of all names, codes and the counter, and not below `startNumber`.",
        "reference tickets 10: Numbering; reference tickets 2.7",
    ),
    "tickets:numbers:never_again_after_delete": Requirement(
        "The number of a deleted ticket does not come again.",
        "reference tickets 8.2: B17; reference tickets 10: Numbering",
    ),
    "tickets:numbers:counter_is_kept": Requirement(
        "The project's own counter file is kept up; one that holds no number is left alone and reported.",
        "reference tickets 10: Numbering; reference tickets 8.3: MDT-071",
    ),
    "tickets:templates:six_types": Requirement(
        "There is a template for each of the five types of the seed and for `Research`, with numbered "
        "sections.",
        "reference tickets 10: Templates",
    ),
}
