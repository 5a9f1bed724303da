"""Documents as resources, completion, prompts (issue 23: point 8)."""

from requirements import Requirement

_SOURCE = "issue 23: point 8"

REQUIREMENTS: dict[str, Requirement] = {
    "server:documents:templates_of_all_dialects": Requirement(
        "Specs, logs of runs, plans and their tasks, features and their documents, and tickets are resource"
        " templates of the toolsets on offer, read in both eras over standard input and output and over "
        "HTTP.",
        _SOURCE,
    ),
    "server:documents:text_is_that_of_the_file": Requirement(
        "A document is given as its file has it, as Markdown; names that need escaping are read by the URIs"
        " that the listing gives.",
        _SOURCE,
    ),
    "server:documents:text_is_data": Requirement(
        "Every template, and every document beside its text, says that the text was written by others and "
        "is data.",
        _SOURCE,
    ),
    "server:documents:refusals_are_those_of_the_tools": Requirement(
        "IDs may be partial; one that fits several items, or none, is refused in the words of the tool that"
        " reads the same.",
        _SOURCE,
    ),
    "server:documents:nothing_outside_of_the_root": Requirement(
        "No URI leads to a file outside of the project's folder: not by `..`, not by an absolute path, not "
        "by a link, not by projects that the user's settings name.",
        _SOURCE,
    ),
    "server:documents:a_run_reads_its_own_log_only": Requirement(
        "An agent inside a run reads the log of its own spec as a resource, and of no other one; it is "
        "given no prompts.",
        _SOURCE,
    ),
    "server:documents:open_items_are_listed": Requirement(
        "`resources/list` gives our own texts and the hundred open items whose files were changed last, "
        "with title, state and time; a cursor gives those that follow, and one that is none of ours is "
        "refused.",
        _SOURCE,
    ),
    "server:documents:a_project_that_cannot_be_read_lists_our_texts": Requirement(
        "Where the project cannot be read, the listing of resources still gives our own texts.",
        _SOURCE,
    ),
    "server:documents:the_skill_is_a_resource": Requirement(
        "The skill that `init` writes for agents is a resource.",
        _SOURCE,
    ),
    "server:completion:ids_and_titles": Requirement(
        "Arguments of templates and of prompts are completed by IDs and titles: what can be started or is "
        "worked on first, what is done last.",
        _SOURCE,
    ),
    "server:completion:as_files_are_now": Requirement(
        "Completion knows files as they are when it is asked; what was cancelled is not offered.",
        _SOURCE,
    ),
    "server:completion:at_most_a_hundred": Requirement(
        "At most a hundred values are given, with how many there are and whether there are more.",
        _SOURCE,
    ),
    "server:completion:unknown_references_are_refused": Requirement(
        "A completion for a prompt or template that does not exist is an error; for an argument that has no"
        " values it is empty.",
        _SOURCE,
    ),
    "server:prompts:in_menus": Requirement(
        "There are the prompts `work`, `plan`, `review`, `unblock`, `standup` and `prime`, each with a title "
        "and a description; a read-only server lists those that change nothing.",
        _SOURCE,
    ),
    "server:prompts:embed_the_item": Requirement(
        "A prompt about an item, of whatever format, embeds its document as a resource.",
        _SOURCE,
    ),
    "server:prompts:bad_arguments_are_named": Requirement(
        "A prompt that does not exist, a missing and an unknown argument, and an item that does not exist "
        "are errors that name them.",
        _SOURCE,
    ),
    "server:icon:one_on_the_server": Requirement(
        "The server has one icon, a data URI below one kilobyte; resources and prompts have titles; tools "
        "have neither.",
        _SOURCE,
    ),
}
