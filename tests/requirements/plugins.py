"""What other packages add (issue 26, "Room for others")."""

from requirements import Requirement

_SOURCE = "issue 26: Room for others"

REQUIREMENTS: dict[str, Requirement] = {
    "plugins:lint:findings_stand_beside_our_own": Requirement(
        "Findings of a package's lint rule stand beside our own, with the rule's name, in the tool, the "
        "command and the Python API.",
        _SOURCE,
    ),
    "plugins:lint:pages_fit_together": Requirement(
        "Pages of a list have each finding of a package's rule once; `lint.disable` of a project switches it "
        "off.",
        _SOURCE,
    ),
    "plugins:calls:failures_name_the_plugin": Requirement(
        "An exception, a hang, the end of its process and a garbage result of a plugin each give a sentence "
        "that names the plugin and its package.",
        _SOURCE,
    ),
    "plugins:calls:failures_hide_nothing_of_others": Requirement(
        "What other plugins find, and what the failing one found before, is shown all the same.", _SOURCE
    ),
    "plugins:trust:never_in_an_untrusted_folder": Requirement(
        "In a folder that no person trusts no plugin's module is imported; listing still works.", _SOURCE
    ),
    "plugins:trust:a_folder_chooses_nothing": Requirement(
        "A package in the project's folder is listed as off and not imported, and the project's "
        "configuration chooses no plugin.",
        _SOURCE,
    ),
    "plugins:list:says_what_is_asked": Requirement(
        "`plugins` lists each with kind, package and version, whether it is asked, and why not; names in the "
        "configuration that no package has, too.",
        _SOURCE,
    ),
    "plugins:cost:nothing_without_plugins": Requirement(
        "Without plugins lint starts no process and imports nothing of a package.", _SOURCE
    ),
    "plugins:notify:webhook_and_desktop_are_there": Requirement(
        "`notify` hands a change to `webhook` (a POST of JSON), to `desktop` and to notifiers of packages, "
        "with key, title, state and project.",
        _SOURCE,
    ),
    "plugins:notify:servers_do_it_while_they_are_up": Requirement(
        "A server notifies of changes from its first call on, aside from calls.", _SOURCE
    ),
    "plugins:notify:desktop_names_what_is_missing": Requirement(
        "Where the program for notes on the desktop is missing, the failure names it.", _SOURCE
    ),
    "plugins:notify:only_the_user_names_notifiers": Requirement(
        "Only the user's own configuration names notifiers; in a project's it is a note of `config check`.",
        _SOURCE,
    ),
    "plugins:formats:exporters_write_tables": Requirement(
        "`export --format` takes the name of an exporter, which gets a table of what filters leave.",
        _SOURCE,
    ),
    "plugins:formats:importers_become_specs": Requirement(
        "`import --from` takes the name of an importer; its rows become specs, all or none, and are not "
        "imported twice.",
        _SOURCE,
    ),
    "plugins:evidence:a_named_check_decides": Requirement(
        "A run whose work is complete otherwise is merged only if each evidence check agrees that the user's "
        "own configuration names; the reason of one that does not, or that fails, is the run's.",
        _SOURCE,
    ),
    "plugins:event_readers:reports_count": Requirement(
        "What a package's event reader finds in an agent's output counts as what the agent reports: session, "
        "model, turns, tokens, money, refusals and failures.",
        _SOURCE,
    ),
    "plugins:event_readers:chosen_by_the_agent": Requirement(
        "`agents.<name>.events` names the format of an agent's events, or the event reader that reads them.",
        _SOURCE,
    ),
    "plugins:event_readers:failures_end_no_run": Requirement(
        "An event reader that raises, hangs, ends early, does not keep up or is missing blocks nothing; the "
        "log of the run names it.",
        _SOURCE,
    ),
    "plugins:event_readers:limits_need_them": Requirement(
        "An agent with limits of tokens or money is ended when what reads its events fails, with a cause of "
        "its own.",
        _SOURCE,
    ),
}
