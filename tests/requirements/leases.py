"""Leases on a git remote: claims and landings of many clones (issue 24)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "leases:tests:remotes_are_real": Requirement(
        "The remotes of the tests are real git, by path, `git://`, smart HTTP and a stand-in for ssh; they "
        "count, hold, refuse and halve pushes.",
        "issue 24: proof",
    ),
    "leases:tests:proxy_breaks_connections": Requirement(
        "The proxy of the tests delays, cuts, silences and refuses connections and swallows answers to "
        "pushes that were done.",
        "issue 24: 5",
    ),
    "leases:model:lands_once_and_never_late": Requirement(
        "In every order of events a spec lands once at most, and what lands has the newest token; two pushes "
        "instead of one, or a rule less, break that.",
        "issue 24: 8",
    ),
    "leases:model:nothing_gets_stuck": Requirement(
        "Wherever a claim is left, the spec can still be done, also after a server did half a push.",
        "issue 24: 8",
    ),
}
