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
}
